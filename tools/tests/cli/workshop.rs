//! A folder to work in, sources to put there, and runs of the binary.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

use serde_json::Value;

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct RunOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl RunOutput {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The same run, if it ended well, with nothing but notes beside its results.
    pub(crate) fn done(self) -> Self {
        let is_note = |line: &str| line.starts_with("note: ") || line.starts_with("warning: ");
        assert!(self.code == Some(0) && self.err.lines().all(is_note), "{self:#?}");
        self
    }

    /// The same run, if it ended with this code and its messages hold all of these.
    pub(crate) fn failed(self, code: i32, says: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        for part in says {
            assert!(self.err.contains(part), "no `{part}` in: {}", self.err);
        }
        self
    }

    /// Each line of results as JSON.
    pub(crate) fn objects(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The one line of results as JSON.
    pub(crate) fn json(&self) -> Value {
        let mut objects = self.objects();
        assert_eq!(objects.len(), 1, "{self:?}");
        objects.remove(0)
    }
}

/// A folder that is removed when the test ends; runs start in it, so names are short.
pub(crate) struct Workshop(tempfile::TempDir);

impl Workshop {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// A run that is not begun yet.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_marchland"));
        command.current_dir(self.0.path()).args(words).stdin(Stdio::null());
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, words: &[S]) -> RunOutput {
        RunOutput::of(self.command(words).output().unwrap())
    }

    /// A run whose words are parted by spaces.
    pub(crate) fn say(&self, words: &str) -> RunOutput {
        self.run(&words.split_whitespace().collect::<Vec<_>>())
    }

    /// A run that reads standard input.
    pub(crate) fn say_with(&self, words: &str, input: &str) -> RunOutput {
        let words: Vec<_> = words.split_whitespace().collect();
        let mut command = self.command(&words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It may end before it has read all.
        match child.stdin.take().unwrap().write_all(input.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => written.unwrap(),
        }
        RunOutput::of(child.wait_with_output().unwrap())
    }

    /// 33 × 33 metres in cells of a metre and sectors of 8: 16 sectors, all covered, the first
    /// sample at (−4, −4). Heights as [`hilly`] gives them.
    pub(crate) fn hills(&self) -> &'static str {
        self.file("hills.r32", &floats(33, 33, hilly));
        let bake = "bake hills.r32 --spacing 1 --sector-size 8 --out hills.world";
        assert_eq!(self.say(bake).done().code, Some(0));
        bake
    }

    /// The paths of all sector files of a world, in order.
    pub(crate) fn sectors(&self, world: &str) -> Vec<PathBuf> {
        let files = files(&self.path(world)).into_keys();
        files.filter(|path| path.extension().is_some_and(|end| end == "sector")).collect()
    }

    /// The file of one sector.
    pub(crate) fn sector(&self, world: &str, x: i32, z: i32) -> PathBuf {
        let name = format!("{x:+04}_{z:+04}-");
        let is_it = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&name);
        self.sectors(world).into_iter().find(is_it).unwrap()
    }
}

/// Heights that are no multiple of a quantum, differ from neighbour to neighbour, and show which
/// axis is which.
pub(crate) fn hilly(column: u32, row: u32) -> f32 {
    let (x, z) = (column as f32, row as f32);
    20.0 + x * 0.37 - z * 0.11 + ((column * 7 + row * 13) % 5) as f32 * 0.21
}

/// Raw little-endian 32-bit floats, row by row.
pub(crate) fn floats(columns: u32, rows: u32, metres: impl Fn(u32, u32) -> f32) -> Vec<u8> {
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    places.flat_map(|(column, row)| metres(column, row).to_le_bytes()).collect()
}

/// A gray PNG of 8 or 16 bits.
pub(crate) fn gray(
    columns: u32,
    rows: u32,
    bits: png::BitDepth,
    value: impl Fn(u32, u32) -> u16,
) -> Vec<u8> {
    let mut samples = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            match bits {
                png::BitDepth::Sixteen => samples.extend(value(column, row).to_be_bytes()),
                _ => samples.push(u8::try_from(value(column, row)).unwrap()),
            }
        }
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, columns, rows);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(bits);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&samples).unwrap();
    writer.finish().unwrap();
    bytes
}

/// Every file below a folder, with its content.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    walk(folder).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Every file below a folder by its path from there, with its content.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let inside = |path: PathBuf| path.strip_prefix(folder).unwrap().to_owned();
    files(folder).into_iter().map(|(path, bytes)| (inside(path), bytes)).collect()
}

/// Every file below a folder, with the time of its last change.
pub(crate) fn times(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let changed = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    walk(folder).into_iter().map(|path| (path.clone(), changed(&path))).collect()
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    for (path, bytes) in tree(from) {
        let path = to.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
