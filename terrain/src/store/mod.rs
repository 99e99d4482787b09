//! Worlds on disk: written by a bake, opened by a game. `FORMAT.md` describes every file.

mod bake_sink;
mod buffers;
mod disk;
mod error;
mod files;
mod folder;
pub mod manifest;
pub mod manifest_index;
pub mod manifest_meshes;
mod manifest_root;
#[cfg(feature = "memmap2")]
mod mapped;
mod meshes;
mod names;
mod problem;
mod read;
mod record;
mod spool;
mod storage;
mod sweep;
mod verify;
mod verify_props;
mod world;
mod write;
mod write_meshes;

pub use disk::DiskStorage;
pub use error::{ManifestError, ManifestPart, StoreError};
pub use files::WorldFiles;
pub use manifest::{Manifest, WorldFacts, WorldInfo, WorldProps, encode_manifest};
pub use manifest_index::{SectorBounds, SectorRecord};
pub use manifest_meshes::MeshRecord;
pub use problem::Problem;
pub use record::{BakeRecord, SourceHash};
pub use storage::{FilePlace, Storage, StoredFile};
pub use verify::{VerifyReport, verify, verify_on};
pub use world::{LoadOutcome, LoadReport, World};
pub use write::{PublishReport, PutOutcome, WorldWriter};
