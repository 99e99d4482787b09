//! A pack: the files of one block folder or one mesh folder in one file, and its directory.
//!
//! ```text
//! 0        64               a multiple of 4096
//! ┌────────┬───────────┬────┬────────┬────┬────────┬────┬──
//! │ header │ n entries │ 00 │ file 0 │ 00 │ file 1 │ 00 │ …     every file begins at a multiple of 4096
//! └────────┴───────────┴────┴────────┴────┴────────┴────┴──
//! ```
//!
//! Files are stored in the order of their keys with only zeros between, so that equal files give
//! equal packs. The directory has a checksum. The files' own hashes, which are in their names,
//! cover their bytes, and the zeros must be zeros.

use std::io;
use std::path::PathBuf;

use super::error::{DamagedPack, PackError};
use crate::bytes::{array, checksum_but, u32_at, u64_at};
use crate::store::storage::StoredFile;

/// What packs begin with.
pub const MAGIC: [u8; 8] = *b"MARCHPAK";
/// The version of the format.
pub const VERSION: u32 = 1;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;
/// Bytes of an entry of the directory.
pub const ENTRY_BYTES: usize = 32;
/// Files begin at multiples of this: a page of most systems. Where pages are larger, a map begins
/// up to a page before the file.
pub const FILE_ALIGN_BYTES: u64 = 4096;
/// Most files in a pack; for sectors never more than 1024.
pub const FILES_MAX: u32 = 1 << 20;

/// Offsets of the header's fields.
pub mod field {
    /// `MARCHPAK`, 8 bytes.
    pub const MAGIC: usize = 0;
    /// Format version, u32.
    pub const VERSION: usize = 8;
    /// What the files are, u32.
    pub const KIND: usize = 12;
    /// Length of the pack, u64.
    pub const FILE_BYTES: usize = 16;
    /// XXH3-64 of everything before the first file, this field as zeros, u64.
    pub const CHECKSUM: usize = 24;
    /// The common prefix of all keys, u64.
    pub const COMMON: usize = 32;
    /// Number of files, u32.
    pub const FILES: usize = 40;
    /// Zeros up to [`HEADER_BYTES`](super::HEADER_BYTES).
    pub const RESERVED: usize = 44;
}

/// Offsets of an entry's fields.
pub mod entry {
    /// The file's key, from its name, u128.
    pub const KEY: usize = 0;
    /// Offset of the file in the pack, u64.
    pub const OFFSET: usize = 16;
    /// Length of the file, u64.
    pub const LENGTH: usize = 24;
}

const _: () = assert!(field::RESERVED + 20 == HEADER_BYTES);
const _: () = assert!(entry::LENGTH + 8 == ENTRY_BYTES);

/// What the files of a pack are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackKind {
    /// Sectors of a block. A key is the sector's key in the manifest's index, then the first half of
    /// its content hash.
    Sectors,
    /// Meshes whose hashes share the first byte. A key is the hash.
    Meshes,
}

impl PackKind {
    /// The stored number.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Sectors => 1,
            Self::Meshes => 2,
        }
    }

    /// Number of key bits behind the common prefix of the pack.
    fn own_bits(self) -> u32 {
        match self {
            // 32 × 32 sectors, and the hash.
            Self::Sectors => 10 + 64,
            Self::Meshes => 120,
        }
    }

    /// The lowest bits of a key, which may differ between keys of one sector or one mesh.
    fn content_bits(self) -> u32 {
        match self {
            Self::Sectors => 64,
            Self::Meshes => 0,
        }
    }
}

/// Which folder's files a pack holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackId {
    pub(crate) kind: PackKind,
    /// The common prefix of all keys.
    pub(crate) common: u64,
}

impl PackId {
    /// The pack that a key belongs to.
    pub(crate) fn of(kind: PackKind, key: u128) -> Self {
        Self { kind, common: (key >> kind.own_bits()) as u64 }
    }
}

/// A file in a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackEntry {
    pub(crate) key: u128,
    pub(crate) offset: u64,
    pub(crate) len_bytes: u64,
}

impl PackEntry {
    /// Where the zeros behind it end.
    pub(crate) fn end(&self) -> u64 {
        aligned(self.offset.saturating_add(self.len_bytes))
    }
}

#[derive(Debug)]
pub(crate) struct Directory {
    id: PackId,
    /// All files, by ascending keys.
    pub(crate) files: Vec<PackEntry>,
}

impl Directory {
    /// Lays out files, given by ascending keys and by lengths.
    pub(crate) fn new(
        id: PackId,
        files: impl ExactSizeIterator<Item = (u128, u64)>,
    ) -> Result<Self, PackError> {
        let max = FILES_MAX as usize;
        if files.len() == 0 || files.len() > max {
            return Err(wrong("number of files", files.len() as i128, "1 to 1048576"));
        }
        let mut offset = first_offset(files.len());
        let files = files.map(|(key, len_bytes)| {
            let file = PackEntry { key, offset, len_bytes };
            offset = file.end();
            file
        });
        Ok(Self { id, files: files.collect() })
    }

    /// Reads and checks a directory; `path` is the pack's, for errors.
    pub(crate) fn read(
        file: &dyn StoredFile,
        id: PackId,
        path: impl Fn() -> PathBuf,
    ) -> io::Result<Self> {
        let damaged = |source| {
            io::Error::new(io::ErrorKind::InvalidData, DamagedPack { path: path(), source })
        };
        let have_bytes = file.len_bytes()?;
        let mut bytes = vec![0; have_bytes.min(HEADER_BYTES as u64) as usize];
        file.read_exact_at(0, &mut bytes)?;
        let files = check_header(&bytes, have_bytes, id).map_err(damaged)?;
        // Less than the file's length, and limited.
        bytes.resize(first_offset(files) as usize, 0);
        let (_, rest) = bytes.split_at_mut(HEADER_BYTES);
        file.read_exact_at(HEADER_BYTES as u64, rest)?;
        let files = check_entries(&bytes, files, have_bytes, id).map_err(damaged)?;
        Ok(Self { id, files })
    }

    /// Everything before the first file.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_BYTES];
        let mut put = |at: usize, value: &[u8]| bytes[at..][..value.len()].copy_from_slice(value);
        put(field::MAGIC, &MAGIC);
        put(field::VERSION, &VERSION.to_le_bytes());
        put(field::KIND, &self.id.kind.number().to_le_bytes());
        put(field::FILE_BYTES, &self.file_bytes().to_le_bytes());
        put(field::COMMON, &self.id.common.to_le_bytes());
        put(field::FILES, &(self.files.len() as u32).to_le_bytes());
        for file in &self.files {
            bytes.extend(file.key.to_le_bytes());
            bytes.extend(file.offset.to_le_bytes());
            bytes.extend(file.len_bytes.to_le_bytes());
        }
        bytes.resize(first_offset(self.files.len()) as usize, 0);
        let checksum = checksum_but(&bytes, field::CHECKSUM);
        bytes[field::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The file with a key; `None` if it is not in the pack.
    pub(crate) fn find(&self, key: u128) -> Option<PackEntry> {
        let at = self.files.binary_search_by_key(&key, |file| file.key).ok()?;
        self.files.get(at).copied()
    }

    /// What the files are.
    pub(crate) fn kind(&self) -> PackKind {
        self.id.kind
    }

    /// Length of the pack.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.files.last().map_or(0, PackEntry::end)
    }
}

/// The first multiple of [`FILE_ALIGN_BYTES`] that is not below `offset`.
fn aligned(offset: u64) -> u64 {
    offset.checked_next_multiple_of(FILE_ALIGN_BYTES).unwrap_or(u64::MAX)
}

fn first_offset(files: usize) -> u64 {
    aligned(HEADER_BYTES as u64 + files as u64 * ENTRY_BYTES as u64)
}

/// Checks in the order magic, version, sizes, and returns the number of files: few enough for the
/// length of the pack.
fn check_header(bytes: &[u8], have_bytes: u64, id: PackId) -> Result<usize, PackError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(PackError::Magic { found: bytes[..bytes.len().min(8)].to_vec() });
    }
    let truncated = |need_bytes| PackError::Truncated { need_bytes, have_bytes };
    let version = bytes.get(field::VERSION..field::VERSION + 4).ok_or_else(|| truncated(12))?;
    let found = u32_at(version, 0);
    if found != VERSION {
        return Err(PackError::Version { found, supported: VERSION });
    }
    if bytes.len() < HEADER_BYTES {
        return Err(truncated(HEADER_BYTES as u64));
    }
    let need_bytes = u64_at(bytes, field::FILE_BYTES);
    if need_bytes != have_bytes {
        return Err(PackError::Length { need_bytes, have_bytes });
    }
    let (kind, common) = (u32_at(bytes, field::KIND), u64_at(bytes, field::COMMON));
    if kind != id.kind.number() {
        return Err(wrong("kind", kind.into(), "that of the packed folder"));
    }
    if common != id.common {
        return Err(wrong("common key", common.into(), "that of the packed folder"));
    }
    let files = u32_at(bytes, field::FILES);
    // Each file takes at least a page, and so does the directory.
    let fits = (1 + u64::from(files)) * FILE_ALIGN_BYTES <= have_bytes;
    if files == 0 || files > FILES_MAX || !fits {
        return Err(wrong(
            "number of files",
            files.into(),
            "at least 1, and at most as many as fit",
        ));
    }
    Ok(files as usize)
}

/// Checks everything before the first file.
fn check_entries(
    bytes: &[u8],
    files: usize,
    have_bytes: u64,
    id: PackId,
) -> Result<Vec<PackEntry>, PackError> {
    let found = u64_at(bytes, field::CHECKSUM);
    let computed = checksum_but(bytes, field::CHECKSUM);
    if found != computed {
        return Err(PackError::Checksum { found, computed });
    }
    let (entries, spare) = bytes[HEADER_BYTES..].split_at(files * ENTRY_BYTES);
    let reserved = &bytes[field::RESERVED..HEADER_BYTES];
    if let Some(&bad) = reserved.iter().chain(spare).find(|&&byte| byte != 0) {
        return Err(wrong("unused byte", bad.into(), "0"));
    }
    let files: Vec<_> = entries.as_chunks().0.iter().map(decode_entry).collect();
    let mut offset = first_offset(files.len());
    for (number, file) in files.iter().enumerate() {
        let at = number as i128;
        if PackId::of(id.kind, file.key) != id {
            return Err(wrong("file", at, "one of the packed folder"));
        }
        if file.offset != offset || file.len_bytes == 0 {
            return Err(wrong("position of file", at, "after the previous one, and not empty"));
        }
        offset = file.end();
    }
    let content_bits = id.kind.content_bits();
    if !files.is_sorted_by(|a, b| a.key >> content_bits < b.key >> content_bits) {
        return Err(wrong("order of keys", 0, "ascending keys"));
    }
    if offset != have_bytes {
        return Err(PackError::Length { need_bytes: offset, have_bytes });
    }
    Ok(files)
}

fn decode_entry(bytes: &[u8; ENTRY_BYTES]) -> PackEntry {
    PackEntry {
        key: u128::from_le_bytes(array(bytes, entry::KEY)),
        offset: u64_at(bytes, entry::OFFSET),
        len_bytes: u64_at(bytes, entry::LENGTH),
    }
}

fn wrong(field: &'static str, found: i128, expected: &'static str) -> PackError {
    PackError::Value { field, found, expected }
}
