//! The demo's folder: whether it may be written into, and the images that are baked.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use marchland_worlds::demo::{HEIGHTS_PNG, HOLES_PNG, SURFACES_PNG};

use crate::command::failure::Failure;
use crate::command::output_file::OutputFile;

/// The world's name in the folder.
pub const WORLD: &str = "demo.world";
/// The picture's name.
pub const PICTURE: &str = "demo.png";
/// The images that are baked, as stored in the folder.
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

/// Writes the embedded images into a folder, unless that would overwrite files that are not the
/// demo's.
///
/// # Errors
/// If it would overwrite such files, or the folder cannot be written.
pub fn prepare(folder: &Path) -> Result<Images, Failure> {
    let failed = |error| Failure::file(folder, &error);
    if let Some(stranger) = stranger(folder).map_err(failed)? {
        let path = folder.join(stranger);
        let message =
            format!("{}: not written by the demo, and would be overwritten", path.display());
        return Err(Failure::input(message)
            .hint("give `--out` another folder, or move this file elsewhere"));
    }
    fs::create_dir_all(folder).map_err(failed)?;
    let write = |(name, bytes): (&str, &[u8])| -> Result<PathBuf, Failure> {
        let path = folder.join(name);
        if !holds(&path, bytes) {
            OutputFile::begin(&path)?.write_whole(bytes)?;
        }
        Ok(path)
    };
    let [heights, holes, surfaces] = IMAGES.map(write);
    Ok(Images { heights: heights?, holes: holes?, surfaces: surfaces? })
}

/// A file in a folder under one of the demo's names that the demo did not make and would overwrite. World and
/// picture count as the demo's if all of its images are beside them.
fn stranger(folder: &Path) -> io::Result<Option<&'static str>> {
    match fs::metadata(folder) {
        Ok(about) if !about.is_dir() => return Err(ErrorKind::NotADirectory.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    let is_ours = |(name, bytes): &(&str, &[u8])| holds(&folder.join(name), bytes);
    if IMAGES.iter().all(is_ours) {
        return Ok(None);
    }
    let image = IMAGES.iter().find(|image| there(image.0) && !is_ours(image));
    let image = image.map(|(name, _)| *name);
    Ok(image.or_else(|| [PICTURE, WORLD].into_iter().find(|name| there(name))))
}

/// Whether a file exists with exactly these bytes.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    let is_as_long = fs::metadata(path).is_ok_and(|about| about.len() == bytes.len() as u64);
    is_as_long && fs::read(path).is_ok_and(|found| found == bytes)
}
