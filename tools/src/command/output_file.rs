//! Files that the user requests: checked for writability before the work, and complete or absent afterwards.
//!
//! ```text
//! begin    refuses inputs; out.svg.1234.tmp, beside it     before anything is measured
//! write    as often as needed
//! finish   sync, rename                                    the old file stays until here
//! ```
//!
//! If the process ends before `finish`, even by an interrupt, the temporary file is removed. A file is
//! written in place if no temporary file can be created beside it, or if it cannot be replaced.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::command::failure::Failure;

/// Suffix of the names of unfinished files.
const TEMP_SUFFIX: &str = ".tmp";
/// How many names are tried for an unfinished file.
const TRIES: u32 = 100;

/// The unfinished files, for [`abandon`].
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is being written.
#[derive(Debug)]
pub struct OutputFile {
    /// The name as given by the user.
    name: PathBuf,
    file: File,
    /// Where it is and where it goes; `None` if it is written in place.
    parts: Option<Parts>,
}

#[derive(Debug)]
struct Parts {
    temp: PathBuf,
    target: PathBuf,
}

impl OutputFile {
    /// Begins to write a file. Nothing appears or changes at its path until it is finished. Anything other
    /// than a plain file, such as a pipe, a device or a dangling link, is written directly.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(path: &Path) -> Result<Self, Failure> {
        Self::open(path).map_err(|error| Failure::file(path, &error))
    }

    fn open(path: &Path) -> io::Result<Self> {
        let name = path.to_owned();
        let about = match fs::metadata(path) {
            Ok(about) => Some(about),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let straight_on = |name| Ok(Self { name, file: File::create(path)?, parts: None });
        let is_link_to_nothing = about.is_none() && path.is_symlink();
        let is_no_file = about.as_ref().is_some_and(|about| !about.is_file());
        if is_no_file || is_link_to_nothing || is_handed_on(path) {
            return straight_on(name);
        }
        let target = match &about {
            Some(_) => {
                // A file that may not be written must not be replaced either.
                OpenOptions::new().write(true).open(path)?;
                fs::canonicalize(path)?
            }
            None => name.clone(),
        };
        let Ok((file, temp)) = create_beside(&target) else { return straight_on(name) };
        let output = Self { name, file, parts: Some(Parts { temp, target }) };
        if let Some(about) = about {
            output.file.set_permissions(about.permissions())?;
        }
        Ok(output)
    }

    /// The name as given by the user.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// The message for an error while the file was written.
    fn failure(&self, error: &io::Error) -> Failure {
        Failure::file(&self.name, error)
    }

    /// Writes the whole content, and moves it into place.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_whole(mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| self.failure(&error))?;
        self.finish()
    }

    /// Moves the file into place.
    ///
    /// # Errors
    /// If the content does not reach the disk, or the file cannot be renamed.
    pub fn finish(mut self) -> Result<(), Failure> {
        let Some(Parts { temp, target }) = &self.parts else { return Ok(()) };
        self.file.sync_all().map_err(|error| self.failure(&error))?;
        let mut unfinished = unfinished();
        let renamed = fs::rename(temp, target);
        if renamed.is_ok() {
            unfinished.remove(temp);
        }
        drop(unfinished);
        if let Err(error) = renamed {
            // A file that is a mount point, or another user's in a shared folder, may be writable but not
            // replaceable.
            let copied = copy_into(temp, target);
            return copied.map_err(|_| self.failure(&error));
        }
        self.parts = None;
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(Parts { temp, .. }) = &self.parts {
            let mut unfinished = unfinished();
            // A failure to remove it cannot be reported.
            let _ = fs::remove_file(temp);
            unfinished.remove(temp);
        }
    }
}

/// Removes every unfinished file, and prevents further ones from being begun or finished: for a
/// process that is about to end.
pub fn abandon() {
    let unfinished = unfinished();
    for temp in unfinished.iter() {
        let _ = fs::remove_file(temp);
    }
    std::mem::forget(unfinished);
}

/// Copies the content of a file into another existing one.
fn copy_into(from: &Path, to: &Path) -> io::Result<()> {
    let mut to = OpenOptions::new().write(true).truncate(true).open(to)?;
    io::copy(&mut File::open(from)?, &mut to)?;
    to.sync_all()
}

/// Whether the system passes on a file that another program has opened, as with `/dev/stdout`: a new file in
/// its place would reach no reader.
fn is_handed_on(path: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|at| path.starts_with(at))
}

/// Creates a file with an unused name, beside another.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
    let mut last = io::Error::from(ErrorKind::AlreadyExists);
    for attempt in 0..TRIES {
        let mut temp = name.to_owned();
        temp.push(format!(".{}{TEMP_SUFFIX}", u64::from(std::process::id()) + u64::from(attempt)));
        let temp = target.with_file_name(temp);
        // Under the lock, so that an interrupt finds every existing file.
        let mut unfinished = unfinished();
        match OpenOptions::new().write(true).create_new(true).open(&temp) {
            Ok(file) => {
                unfinished.insert(temp.clone());
                return Ok((file, temp));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let names = fs::read_dir(folder).unwrap().map(name);
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(&path, "old").unwrap();
        let mut output = OutputFile::begin(&path).unwrap();
        output.write_all(b"new, and longer").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()).len(), 2);
        output.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new, and longer");
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn what_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        // A name that is taken is left to its owner.
        let taken = folder.path().join(format!("a.csv.{}.tmp", std::process::id()));
        fs::write(&taken, "theirs").unwrap();
        let mut output = OutputFile::begin(&path).unwrap();
        output.write_all(b"half of").unwrap();
        drop(output);
        assert_eq!(fs::read_to_string(&taken).unwrap(), "theirs");
        assert_eq!(names(folder.path()).len(), 1);
        assert!(OutputFile::begin(&folder.path().join("no/such.csv")).is_err());
        assert!(OutputFile::begin(folder.path()).is_err(), "a folder");
    }

    #[test]
    fn a_name_beside_which_there_is_none_is_written_as_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("{}.csv", "a".repeat(248)));
        OutputFile::begin(&path).unwrap().write_whole(b"long").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "long");
    }

    #[test]
    fn what_cannot_be_replaced_is_written_into() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        fs::write(&from, "new").unwrap();
        assert!(copy_into(&from, &to).is_err(), "it has to be there");
        fs::write(&to, "old, and longer").unwrap();
        copy_into(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_that_is_not_there_yet_makes_that_file() {
        let folder = tempfile::tempdir().unwrap();
        let [link, file] = ["link.svg", "file.svg"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink("file.svg", &link).unwrap();
        OutputFile::begin(&link).unwrap().write_whole(b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_names_is_replaced_with_its_permissions_and_not_the_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [link, file] = ["link.svg", "file.svg"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        symlink("file.svg", &link).unwrap();
        OutputFile::begin(&link).unwrap().write_whole(b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
