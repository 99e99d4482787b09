//! How a verb fails: a message on standard error, a hint, and the exit code.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// A check or expectation failed.
pub const CHECK_FAILED: u8 = 1;
/// Wrong use or wrong input.
pub const WRONG_INPUT: u8 = 2;
/// Input or output failed.
pub const IO_FAILED: u8 = 3;
/// Interrupted from the keyboard.
pub const INTERRUPTED: u8 = 130;

/// Why a verb failed.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    /// Empty if there is no message.
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// Wrong use or wrong input.
    pub fn input(message: impl Into<String>) -> Self {
        Self { code: WRONG_INPUT, message: message.into(), hint: None }
    }

    /// Input or output failed.
    pub fn io(message: impl Into<String>) -> Self {
        Self { code: IO_FAILED, message: message.into(), hint: None }
    }

    /// A file could not be read or written.
    pub fn file(path: &Path, error: &io::Error) -> Self {
        Self::io(format!("{}: {error}", path.display()))
    }

    /// Input or output failed; if it was neither, the input is wrong.
    pub fn of(message: impl Into<String>, is_io: bool) -> Self {
        if is_io { Self::io(message) } else { Self::input(message) }
    }

    /// A check failed, and its findings have been printed.
    pub fn check(message: impl Into<String>) -> Self {
        Self { code: CHECK_FAILED, message: message.into(), hint: None }
    }

    /// The reader of the results has closed the stream, which is not an error.
    pub fn reader_gone() -> Self {
        Self { code: 0, message: String::new(), hint: None }
    }

    /// Whether the request itself is invalid: with the same files it would fail again.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self.code, CHECK_FAILED | WRONG_INPUT)
    }

    /// Adds a hint for the user.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds a hint, if there is one.
    #[must_use]
    pub fn or_hint(self, hint: Option<String>) -> Self {
        Self { hint: hint.or(self.hint), ..self }
    }

    /// The first failure of a verb determines its exit code; later ones are reported before it.
    ///
    /// # Errors
    /// If one of them is a failure.
    pub fn first_of(ends: impl IntoIterator<Item = Result<(), Self>>) -> Result<(), Self> {
        let mut failures = ends.into_iter().filter_map(Result::err);
        let Some(first) = failures.next() else { return Ok(()) };
        failures.for_each(|failure| failure.print());
        Err(first)
    }

    /// Reports the failure on standard error, and returns the exit code.
    pub fn report(&self) -> ExitCode {
        self.print();
        ExitCode::from(self.code)
    }

    fn print(&self) {
        if !self.message.is_empty() {
            note(&format!("error: {}", self.message));
        }
        if let Some(hint) = &self.hint {
            note(&format!("hint: {hint}"));
        }
    }
}

/// An error and its causes, in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.ends_with(&next) {
            let _ = write!(text, ": {next}");
        }
        cause = error.source();
    }
    text
}

/// Prints a message on standard error.
pub fn note(text: &str) {
    // In one write, so that lines of several processes do not mix. A failure of standard error
    // cannot be reported.
    let _ = io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}
