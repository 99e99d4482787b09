//! Worlds on disk: written by a bake, opened by a game. `FORMAT.md` describes every file.

mod disk;
mod error;
mod folder;
pub mod manifest;
pub mod manifest_index;
mod manifest_root;
#[cfg(feature = "memmap2")]
mod mapped;
mod names;
mod problem;
mod record;
mod storage;
mod sweep;
mod verify;
mod world;
mod write;

pub use disk::DiskStorage;
pub use error::{ManifestError, ManifestPart, StoreError};
pub use manifest::{Manifest, WorldFacts, WorldInfo, encode_manifest};
pub use manifest_index::{SectorBounds, SectorRecord};
pub use problem::Problem;
pub use record::{BakeRecord, SourceHash};
pub use storage::{Storage, StoredFile};
pub use verify::{VerifyReport, verify, verify_on};
pub use world::{LoadOutcome, LoadReport, World};
pub use write::{PublishReport, PutOutcome, WorldWriter};
