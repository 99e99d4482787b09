//! Results go to standard output, everything else to standard error.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::command::failure::Failure;
pub use crate::command::failure::note;

/// Prints a line of results.
///
/// # Errors
/// If standard output cannot be written. If its reader has closed it (`| head`), the verb ends silently, as
/// if finished.
pub fn line(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(format!("{text}\n").as_bytes()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Err(Failure::reader_gone()),
        Err(error) => Err(Failure::io(format!("standard output: {error}"))),
    }
}

/// Prints a result for programs: one line of JSON.
///
/// # Errors
/// As [`line()`].
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value);
    line(&text.map_err(|error| Failure::io(format!("result as JSON: {error}")))?)
}

/// A progress bar on a terminal; hidden elsewhere.
#[must_use]
pub fn progress_bar(total: u64, what: &'static str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template("{msg:>8} {wide_bar} {percent:>3} % {eta}") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar
}

/// A count with its noun: `1 sector`, `2 sectors`.
#[must_use]
pub fn count(number: u64, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// An `f32` as the shortest decimal that identifies it, not as the nearest `f64`.
#[must_use]
pub fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| f64::from(value))
}
