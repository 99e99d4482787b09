//! What can be wrong with a pack, and how it passes through the plain errors of storage.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::disk::NotAFile;
use super::error::StoreError;

/// Why bytes are not a pack.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackError {
    /// The first eight bytes are not those of a pack.
    #[error("not a pack: it begins with {found:02x?}, expected \"MARCHPAK\"")]
    Magic {
        /// The first bytes, as many as there are up to eight.
        found: Vec<u8>,
    },
    /// Another version of the format.
    #[error("pack format version {found}, supported is {supported}")]
    Version {
        /// The file's version.
        found: u32,
        /// This library's version.
        supported: u32,
    },
    /// Fewer bytes than the header needs.
    #[error("header: needs {need_bytes} bytes, there are {have_bytes}")]
    Truncated {
        /// Bytes that it needs.
        need_bytes: u64,
        /// Bytes there are.
        have_bytes: u64,
    },
    /// The file's length is not the one that its header or its directory tells.
    #[error("the file has {have_bytes} bytes, by its header and directory {need_bytes}")]
    Length {
        /// What header or directory says.
        need_bytes: u64,
        /// Bytes there are.
        have_bytes: u64,
    },
    /// Stored and computed checksum of header and directory differ.
    #[error("directory: checksum is {found:016x}, its bytes give {computed:016x}")]
    Checksum {
        /// What is stored.
        found: u64,
        /// What the bytes give.
        computed: u64,
    },
    /// A field holds a value it may not hold.
    #[error("directory: {field} is {found}, expected {expected}")]
    Value {
        /// The field.
        field: &'static str,
        /// What was found.
        found: i128,
        /// What may stand there, in words.
        expected: &'static str,
    },
    /// A byte between two files that is not zero.
    #[error("byte {offset}, behind a file, is {found}, expected 0")]
    Padding {
        /// Where it stands.
        offset: u64,
        /// What it is.
        found: u8,
    },
}

/// Why the directory of a pack could not be had.
#[derive(Debug)]
pub(super) enum PackReadError {
    Io(io::Error),
    Damaged(PackError),
}

/// A damaged pack as storage, whose errors are plain, tells of it.
#[derive(Debug, Error)]
#[error("{}: {source}", path.display())]
struct DamagedPack {
    path: PathBuf,
    source: PackError,
}

impl PackReadError {
    /// As a plain error; the path is the pack's.
    pub(super) fn into_io(self, path: PathBuf) -> io::Error {
        match self {
            Self::Io(error) => error,
            Self::Damaged(source) => {
                io::Error::new(io::ErrorKind::InvalidData, DamagedPack { path, source })
            }
        }
    }
}

impl StoreError {
    /// A plain error of storage, with what was tried on which file; one that tells of a damaged pack
    /// names the pack instead, and one of what is no file that.
    pub(super) fn from_io(op: &'static str, path: PathBuf, source: io::Error) -> Self {
        let source = match source.downcast::<DamagedPack>() {
            Ok(DamagedPack { path, source }) => return Self::Pack { path, source },
            Err(source) => source,
        };
        match source.downcast::<NotAFile>() {
            Ok(NotAFile { path, found }) => Self::NotAFile { path, found },
            Err(source) => Self::Io { op, path, source },
        }
    }
}
