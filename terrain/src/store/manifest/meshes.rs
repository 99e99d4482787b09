//! The manifest's mesh table: hash and length of each mesh file, ascending by hash. Worlds have far
//! fewer meshes than sectors, so the whole table is read when a sector with props is first loaded.

use std::io;
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::index::IndexError;
use super::layout::check_checksum;
use crate::bytes::{array, u64_at};
use crate::props::MeshHash;
use crate::store::error::{ManifestError, ManifestPart};
use crate::store::storage::StoredFile;

pub(crate) use super::layout::{MESH_RECORD_BYTES, mesh_entry};

/// A manifest's record of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshRecord {
    /// The hash of its file, which also gives the file's name.
    pub hash: MeshHash,
    /// Length of its file in bytes.
    pub file_bytes: u64,
}

/// The meshes of a world, and totals of its props.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldProps {
    /// The mesh files, in any order.
    pub meshes: Vec<MeshRecord>,
    /// Number of props, each counted in the sector of its origin.
    pub props: u64,
    /// Triangles of all meshes together.
    pub unique_triangles: u64,
    /// Triangles of all props together.
    pub placed_triangles: u64,
}

/// The bytes of the table. Records must ascend by hash.
pub(crate) fn encode(records: &[MeshRecord]) -> Vec<u8> {
    let record = |record: &MeshRecord| {
        [&record.hash.0.to_le_bytes()[..], &record.file_bytes.to_le_bytes()].concat()
    };
    records.iter().flat_map(record).collect()
}

/// Bytes of all mesh files together.
pub(crate) fn file_bytes(records: &[MeshRecord]) -> u64 {
    records.iter().fold(0, |sum: u64, record| sum.saturating_add(record.file_bytes))
}

/// The table of an open manifest, read on first use.
#[derive(Debug)]
pub(crate) struct MeshTable {
    offset: u64,
    count: u64,
    checksum: u64,
    /// Bytes of all mesh files together, from the header.
    file_bytes: u64,
    read: OnceLock<Vec<MeshRecord>>,
}

impl MeshTable {
    /// A table of `count` records at `offset`, both checked against the file's length.
    pub(crate) fn new(offset: u64, count: u64, checksum: u64, file_bytes: u64) -> Self {
        Self { offset, count, checksum, file_bytes, read: OnceLock::new() }
    }

    /// The records. No lock is held while they are read; two threads may therefore both read them.
    pub(crate) fn records(&self, file: &dyn StoredFile) -> Result<&[MeshRecord], IndexError> {
        if let Some(records) = self.read.get() {
            return Ok(records);
        }
        let length =
            usize::try_from(self.count).ok().and_then(|n| n.checked_mul(MESH_RECORD_BYTES));
        let length = length.ok_or_else(|| IndexError::Io(io::ErrorKind::OutOfMemory.into()))?;
        let mut bytes = vec![0; length];
        file.read_exact_at(self.offset, &mut bytes).map_err(IndexError::Io)?;
        let records = self.check(&bytes).map_err(|error| {
            file.distrust();
            IndexError::Damaged(error)
        })?;
        Ok(self.read.get_or_init(|| records))
    }

    fn check(&self, bytes: &[u8]) -> Result<Vec<MeshRecord>, ManifestError> {
        let part = ManifestPart::Meshes;
        check_checksum(part, self.checksum, xxh3_64(bytes))?;
        let (entries, _) = bytes.as_chunks::<MESH_RECORD_BYTES>();
        let records: Vec<_> = entries.iter().map(decode_record).collect();
        if !records.is_sorted_by(|a, b| a.hash < b.hash) {
            let (field, expected) = ("order of hashes", "ascending hashes");
            return Err(ManifestError::Value { part, field, found: 0, expected });
        }
        let found = file_bytes(&records);
        if found != self.file_bytes {
            let (field, expected) = ("bytes of all meshes", "the value in the header");
            return Err(ManifestError::Value { part, field, found: found.into(), expected });
        }
        Ok(records)
    }
}

fn decode_record(bytes: &[u8; MESH_RECORD_BYTES]) -> MeshRecord {
    let hash = MeshHash(u128::from_le_bytes(array(bytes, mesh_entry::HASH)));
    MeshRecord { hash, file_bytes: u64_at(bytes, mesh_entry::FILE_BYTES) }
}
