//! Worlds on disk: written by a bake, opened by a game. `FORMAT.md` describes every file.

mod bake_sink;
mod buffers;
mod disk;
mod error;
mod files;
mod folder;
mod manifest;
pub(crate) mod manifest_index;
pub(crate) mod manifest_layout;
mod manifest_meshes;
mod manifest_root;
#[cfg(feature = "memmap2")]
mod mapped;
mod meshes;
mod names;
mod pack;
mod pack_error;
pub(crate) mod pack_layout;
mod pack_storage;
mod pack_stream;
mod pack_verify;
mod problem;
mod record;
#[cfg(feature = "remote")]
mod remote;
mod spool;
mod storage;
mod sweep;
mod verify;
mod verify_props;
mod verify_sectors;
mod world;
mod write;
mod write_files;
mod write_meshes;

/// Names of the files and folders in a world's folder.
pub mod folder_names {
    pub use super::names::{LOCK, MANIFEST_PREFIX, MESHES, SECTORS, SPOOL};
}

pub use disk::DiskStorage;
pub use error::{ManifestError, ManifestPart, StoreError};
pub use files::WorldFiles;
pub use manifest::{Manifest, WorldFacts, WorldInfo, WorldProps, encode_manifest};
pub use manifest_index::{SectorBounds, SectorRecord};
pub use manifest_meshes::MeshRecord;
pub use pack::{PackProgress, PackReport, pack, pack_on, unpack, unpack_on};
pub use pack_error::PackError;
pub use problem::{Problem, VerifyReport};
pub use record::{BakeRecord, SourceHash};
#[cfg(feature = "remote")]
pub use remote::{RemoteSettings, RemoteStorage};
pub use storage::{FilePlace, NewFile, Storage, StoredFile};
pub use verify::{verify, verify_on};
pub use world::{LoadOutcome, LoadReport, World};
pub use write::{PublishReport, WorldWriter};
pub use write_files::PutOutcome;
