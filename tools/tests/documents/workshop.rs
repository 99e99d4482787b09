//! A folder to work in, and runs of the binary there.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// A folder that is removed when the test ends; runs start in it.
pub(crate) struct Workshop(tempfile::TempDir);

impl Workshop {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// What `marchland` with these words prints, if it ends well.
    pub(crate) fn say(&self, words: &str) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_marchland"));
        command.current_dir(self.0.path()).args(words.split_whitespace());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let out = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words}:\n{out}{said}");
        out
    }

    /// The one object that it prints with `--json` after them.
    pub(crate) fn json(&self, words: &str) -> Value {
        serde_json::from_str(&self.say(&format!("{words} --json"))).unwrap()
    }
}
