//! Errors of packs, and the I/O errors as which storage reports them.

use std::path::PathBuf;

use thiserror::Error;

/// Why bytes are not a valid pack.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackError {
    /// The first eight bytes are not those of a pack.
    #[error("not a pack: it starts with {found:02x?}, expected \"MARCHPAK\"")]
    Magic {
        /// The first bytes, as many as there are up to eight.
        found: Vec<u8>,
    },
    /// The format version is not supported.
    #[error("pack format version {found}, expected version {supported}")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version of this library.
        supported: u32,
    },
    /// Fewer bytes than the header needs.
    #[error("header: needs {need_bytes} bytes, but there are {have_bytes}")]
    Truncated {
        /// Bytes that it needs.
        need_bytes: u64,
        /// Bytes present.
        have_bytes: u64,
    },
    /// The file's length differs from the length in its header or its directory.
    #[error("the file has {have_bytes} bytes, but its header and directory specify {need_bytes}")]
    Length {
        /// The length from the header or the directory.
        need_bytes: u64,
        /// Bytes in the file.
        have_bytes: u64,
    },
    /// The stored checksum of header and directory differs from the computed one.
    #[error("directory: the stored checksum is {found:016x}, but its bytes give {computed:016x}")]
    Checksum {
        /// The stored checksum.
        found: u64,
        /// The checksum of the bytes.
        computed: u64,
    },
    /// A field holds an invalid value.
    #[error("directory: {field} is {found}, expected {expected}")]
    Value {
        /// The field.
        field: &'static str,
        /// The value found.
        found: i128,
        /// What is accepted, in words.
        expected: &'static str,
    },
    /// A byte between two files that is not zero.
    #[error("byte {offset}, between two files, is {found}, expected 0")]
    Padding {
        /// Its offset.
        offset: u64,
        /// Its value.
        found: u8,
    },
}

/// A damaged pack, as reported through storage, whose errors are I/O errors.
#[derive(Debug, Error)]
#[error("{}: {source}", path.display())]
pub(crate) struct DamagedPack {
    pub(crate) path: PathBuf,
    pub(crate) source: PackError,
}
