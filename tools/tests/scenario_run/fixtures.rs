//! Scenario files, runs of the binary on them, and runs tick by tick.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use marchland_tools::command::scenario::{Overrides, Run, RunResult, Scenario, UnitState};
use serde_json::Value;

/// The start of every file: level ground at 2 m.
pub(crate) const FLAT: &str = "version = 1\nname = \"n\"\nticks = 60\n[terrain]\nflat = 2.0\n";

/// A unit that walks for a second, one that falls, and what comes of it.
pub(crate) const TWO: &str = "[[units]]\nname = \"a\"\nposition = [1, 2, 0]\n\
    controls = [{ tick = 0, move = [3, -4] }]\n\
    [[units]]\nname = \"b\"\nposition = [9, 10, 0]\n\
    [[expect]]\nunit = \"a\"\nposition = [4, 2, -4]\nmode = \"walking\"\nspeed = 5\n\
    [[expect]]\nunit = \"b\"\ntick = 30\nmode = \"falling\"\nspeed = 4.905\n";

/// What a run of the binary left behind.
pub(crate) struct RunOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl RunOutput {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "one line and nothing else: {}", self.out);
        serde_json::from_str(&self.out).unwrap()
    }

    /// The same, if it ended with this code and its messages hold all of these.
    pub(crate) fn ended(self, code: i32, says: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{} {}", self.out, self.err);
        for part in says {
            assert!(self.err.contains(part), "no `{part}` in: {}", self.err);
        }
        self
    }
}

/// A folder that is removed when the test ends; runs start in it.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With `run.toml` in it.
    pub(crate) fn with(toml: &str) -> Self {
        let folder = Self::new();
        folder.file("run.toml", toml);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// `marchland run` with these words after it.
    pub(crate) fn run(&self, words: &str) -> RunOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_marchland"));
        command.current_dir(self.0.path()).arg("run").args(words.split_whitespace());
        let output = command.stdin(Stdio::null()).output().unwrap();
        RunOutput {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub(crate) fn read(toml: &str) -> Scenario {
    Scenario::from_text("run.toml".as_ref(), toml).unwrap_or_else(|e| panic!("{e}\n{toml}"))
}

/// All states of all units: by tick, then by unit; and what came out.
pub(crate) fn ticks(scenario: &Scenario) -> (Vec<Vec<UnitState>>, RunResult) {
    let mut run = Run::new(scenario, &Overrides::default()).unwrap();
    let now = |run: &Run<'_>| run.states().map(|(_, state)| *state).collect::<Vec<_>>();
    let mut all = vec![now(&run)];
    while !run.is_done() {
        run.run_tick().unwrap();
        all.push(now(&run));
    }
    (all, run.result())
}

/// The ticks and the kinds of the events of a unit.
pub(crate) fn events_of<'r>(result: &'r RunResult, unit: &str) -> Vec<(u32, &'r str)> {
    let of = result.events.iter().filter(|event| event.unit == unit);
    of.map(|event| (event.tick, event.event.as_str())).collect()
}
