//! Where a command may not write: its inputs, a world's own folder, the sources of a world.

use std::fs;
use std::path::{Path, PathBuf};

use marchland_terrain::store::WorldInfo;

use crate::command::failure::Failure;
use crate::command::output_file::OutputFile;
use crate::command::world;
use crate::import::hash_file;

/// Begins to write the file of a flag, which shows a world; not in the world's own folder, nor over the
/// sources of the world.
///
/// # Errors
/// If it lies in that folder or is such a source, or cannot be written.
pub fn begin(
    out: &Path,
    flag: &str,
    world: &Path,
    info: &WorldInfo,
) -> Result<OutputFile, Failure> {
    refuse_inputs(out, flag, [world])?;
    refuse_sources(out, flag, info)?;
    OutputFile::begin(out)
}

/// As [`begin`], for a flag that may not be given, before minutes are spent on what the file is to show.
///
/// # Errors
/// As [`begin`], or if the world cannot be opened.
pub fn begin_early(
    out: Option<&Path>,
    flag: &str,
    world: &Path,
) -> Result<Option<OutputFile>, Failure> {
    let Some(out) = out else { return Ok(None) };
    begin(out, flag, world, world::open(world)?.info()).map(Some)
}

/// Refuses to write to `out`, the file of a flag, if it is one of the files that the command reads or lies in
/// one of the folders.
///
/// # Errors
/// If it is or lies there.
pub fn refuse_inputs<'a>(
    out: &Path,
    flag: &str,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    let place = real(out);
    let Some(input) = inputs.into_iter().find(|input| place.starts_with(real(input))) else {
        return Ok(());
    };
    let out = out.display();
    let message = if input.is_dir() {
        format!("{out}: is inside {}, which this command reads", input.display())
    } else {
        format!("{out}: this command reads it")
    };
    Err(Failure::input(message).hint(format!("give {flag} a different path")))
}

/// Refuses to create a world inside the folder of the world that it copies.
///
/// # Errors
/// If it would be inside.
pub fn refuse_inside(out: &Path, name: &str, world: &Path) -> Result<(), Failure> {
    // An identical folder is reported as for any other world.
    if real(out) == real(world) { Ok(()) } else { refuse_inputs(out, name, [world]) }
}

/// Refuses to overwrite a source of a world.
///
/// # Errors
/// If the file is one.
fn refuse_sources(out: &Path, flag: &str, info: &WorldInfo) -> Result<(), Failure> {
    if !out.is_file() {
        return Ok(());
    }
    // A file that cannot be read is reported when it is written.
    let Ok(hash) = hash_file(out) else { return Ok(()) };
    if info.record.sources.iter().all(|source| source.hash != hash) {
        return Ok(());
    }
    let message = format!("{}: the world was baked from it", out.display());
    Err(Failure::input(message).hint(format!("give {flag} a different path")))
}

/// The real path, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute.ancestors().find_map(|part| Some((part, fs::canonicalize(part).ok()?)));
    match there {
        // Joining nothing would end the path with a separator.
        Some((part, real)) if part == absolute => real,
        Some((part, real)) => real.join(absolute.strip_prefix(part).unwrap_or(&absolute)),
        None => absolute,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_what_lies_in_folders_are_refused_by_any_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a.world/sectors")).unwrap();
        fs::write(at("c.toml"), "").unwrap();
        let inputs = [at("a.world"), at("c.toml")];
        let refused = |out: &str| {
            let inputs = inputs.iter().map(PathBuf::as_path);
            refuse_inputs(&at(out), "--out", inputs).is_err()
        };
        for out in [
            "c.toml",
            "a.world/../c.toml",
            "a.world",
            "a.world/new.png",
            "a.world/sectors/../manifest-0000000001",
            "a.world/not/there/yet.png",
        ] {
            assert!(refused(out), "{out}");
        }
        for out in ["c.csv", "a.world.png", "a.world/../new.png", "b/c.toml"] {
            assert!(!refused(out), "{out}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("c.toml", at("link.csv")).unwrap();
            std::os::unix::fs::symlink("a.world", at("link")).unwrap();
            assert!(refused("link.csv") && refused("link/new.png"));
        }
    }
}
