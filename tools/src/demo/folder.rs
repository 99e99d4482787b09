//! The demo's folder: whether it may be written into, and the images that are baked.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use marchland_worlds::demo::{HEIGHTS_PNG, HOLES_PNG, SURFACES_PNG};

use crate::failure::Failure;
use crate::output_file::{OutputFile, TEMP_SUFFIX, written};

/// The world's name in the folder.
pub const WORLD: &str = "demo.world";
/// The picture's.
pub const PICTURE: &str = "demo.png";
/// The images that are baked, as they are in the folder.
const IMAGES: [(&str, &[u8]); 3] =
    [("heights.png", HEIGHTS_PNG), ("holes.png", HOLES_PNG), ("surfaces.png", SURFACES_PNG)];

/// The images, written.
#[derive(Debug)]
pub struct Images {
    /// Heights.
    pub heights: PathBuf,
    /// White where cells are holes.
    pub holes: PathBuf,
    /// Surfaces of cells.
    pub surfaces: PathBuf,
}

/// Writes the embedded images into a folder that is new, empty, or an earlier demo's.
///
/// # Errors
/// If the folder holds something else, or cannot be written.
pub fn prepare(folder: &Path) -> Result<Images, Failure> {
    let failed = |error| written(folder, &error);
    if let Some(stranger) = stranger(folder).map_err(failed)? {
        let message = format!("{}: not a demo's folder, it holds {stranger}", folder.display());
        return Err(Failure::input(message)
            .hint("give `--out` a folder of its own, empty or not there yet"));
    }
    fs::create_dir_all(folder).map_err(failed)?;
    let write = |(name, bytes): (&str, &[u8])| {
        let path = folder.join(name);
        if !holds(&path, bytes) {
            OutputFile::begin(&path)?.write_whole(bytes)?;
        }
        Ok(path)
    };
    let [heights, holes, surfaces] = IMAGES.map(write);
    Ok(Images { heights: heights?, holes: holes?, surfaces: surfaces? })
}

/// Something in a folder that no demo has made; nothing if one was at work there, or nobody. A demo's folder
/// has its world; where the first one was stopped before, some of its images and nothing else.
fn stranger(folder: &Path) -> io::Result<Option<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>()?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let is_whole = IMAGES.iter().all(|(name, bytes)| holds(&folder.join(name), bytes));
    if is_whole || folder.join(WORLD).is_dir() {
        return Ok(None);
    }
    let mut strangers: Vec<_> = entries
        .iter()
        .filter(|entry| !is_ours(&entry.path()))
        .map(fs::DirEntry::file_name)
        .collect();
    strangers.sort_unstable();
    Ok(strangers.first().map(|name| name.to_string_lossy().into_owned()))
}

/// Whether a file is one of the images, or one that was not finished.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    IMAGES.iter().any(|(image, bytes)| {
        let rest = name.strip_prefix(image);
        let is_unfinished = |rest: &str| rest.starts_with('.') && rest.ends_with(TEMP_SUFFIX);
        rest.is_some_and(|rest| is_unfinished(rest) || rest.is_empty() && holds(path, bytes))
    })
}

/// Whether a file is there with just these bytes.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    let is_as_long = fs::metadata(path).is_ok_and(|about| about.len() == bytes.len() as u64);
    is_as_long && fs::read(path).is_ok_and(|found| found == bytes)
}
