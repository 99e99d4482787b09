//! The list of fetched files in a folder, their temporary names, and the order of their removal.

use std::collections::HashMap;
use std::path::Path;
use std::{fs, io};

use crate::store::names;

/// Prefix of the name of a file that is being written.
const FETCHING_PREFIX: &str = "fetching-";

/// The contents of the folder.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Looked up; iterated only to find the least recently used file.
    by_path: HashMap<String, Entry>,
    bytes: u64,
    uses: u64,
    /// The limit of each user of the folder; all are kept.
    pub(super) limits: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    bytes: u64,
    last_use: u64,
}

impl Files {
    /// Records a use of a file. Returns whether it exists.
    pub(super) fn touch(&mut self, path: &str) -> bool {
        self.uses += 1;
        let uses = self.uses;
        self.by_path.get_mut(path).map(|entry| entry.last_use = uses).is_some()
    }

    pub(super) fn add(&mut self, path: &str, bytes: u64) {
        self.uses += 1;
        let entry = Entry { bytes, last_use: self.uses };
        let old = self.by_path.insert(path.to_owned(), entry);
        self.bytes = self.bytes + bytes - old.map_or(0, |old| old.bytes);
    }

    pub(super) fn remove(&mut self, path: &str) -> bool {
        let old = self.by_path.remove(path);
        self.bytes -= old.map_or(0, |old| old.bytes);
        old.is_some()
    }

    /// Forgets and returns the file to be removed, if any. The newest stays, however large.
    pub(super) fn excess(&mut self) -> Option<String> {
        let max_bytes = self.limits.iter().copied().min()?;
        if self.bytes <= max_bytes || self.by_path.len() < 2 {
            return None;
        }
        let oldest = self.by_path.iter().min_by_key(|(path, entry)| (entry.last_use, *path));
        let path = oldest.map(|(path, _)| path.clone())?;
        self.remove(&path);
        Some(path)
    }
}

/// `fetching-7.tmp`.
pub(super) fn fetching(number: u64) -> String {
    format!("{FETCHING_PREFIX}{number}{}", names::TEMP_SUFFIX)
}

/// Whether a name has the form that [`fetching`] gives.
fn is_fetching(name: &str) -> bool {
    let number = name.strip_prefix(FETCHING_PREFIX);
    let number = number.and_then(|rest| rest.strip_suffix(names::TEMP_SUFFIX)?.parse().ok());
    number.is_some_and(|number| fetching(number) == name)
}

/// Lists what was fetched into a folder, and removes unfinished files of an earlier process.
pub(super) fn find_files(folder: &Path, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, meta) = (entry.file_name().to_string_lossy().into_owned(), entry.metadata()?);
        if meta.is_file() && is_fetching(&name) {
            fs::remove_file(entry.path())?;
        } else if meta.is_dir() && (name == names::SECTORS || name == names::MESHES) {
            find_fetched(folder, &name, files)?;
        }
    }
    Ok(())
}

/// Lists what was fetched into an inner folder: a file counts if it has exactly the path of a sector or
/// mesh.
fn find_fetched(folder: &Path, inside: &str, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(inside))? {
        let entry = entry?;
        let path = format!("{inside}/{}", entry.file_name().to_string_lossy());
        let meta = entry.metadata()?;
        if meta.is_file() && names::in_pack(&path).is_some() {
            files.add(&path, meta.len());
        } else if meta.is_dir() && names::pack_id(&names::pack_of(&path)).is_some() {
            find_fetched(folder, &path, files)?;
        }
    }
    Ok(())
}
