//! Worlds on disk: written by a bake, opened by a game. `FORMAT.md` describes every file.
//!
//! ```text
//! written    bake_sink ─▶ write      sector and mesh files, then the manifest that names them
//!                         spool      what a bake has encoded and not finished
//!                         garbage    removes what no kept manifest names
//! described  manifest, record        which sectors and meshes there are; what they were baked from
//! opened     world                   sectors are loaded and freed; `stream` does so by itself
//!            files                   the files of one generation: looked up, read, checked
//!            meshes, buffers         shared by the sectors in memory; the memory that files are copied into
//! checked    verify ─▶ problem       all files against each other; what can be wrong
//! copied     pack                    many files as one, and back
//! where      folder, names           a world's folder, and the names in it
//!            storage                 what a world needs of a file system
//!            disk, mapped, remote    its forms: a folder; the memory map; object stores and web servers
//! error      ManifestError, StoreError
//! ```

mod bake_sink;
mod buffers;
mod disk;
mod error;
mod files;
mod folder;
mod garbage;
pub(crate) mod manifest;
#[cfg(feature = "memmap2")]
mod mapped;
mod meshes;
mod names;
pub(crate) mod pack;
mod problem;
mod record;
#[cfg(feature = "remote")]
mod remote;
mod spool;
mod storage;
mod verify;
mod world;
mod write;

/// Names of the files and folders in a world's folder.
pub mod folder_names {
    pub use super::names::{LOCK, MANIFEST_PREFIX, MESHES, SECTORS, SPOOL};
}

pub use crate::math::bounds::SectorBounds;
pub use disk::DiskStorage;
pub use error::{ManifestError, ManifestPart, StoreError};
pub use files::WorldFiles;
pub use manifest::index::SectorRecord;
pub use manifest::meshes::MeshRecord;
pub use manifest::{Manifest, WorldFacts, WorldInfo, WorldProps, encode_manifest};
pub use pack::error::PackError;
pub use pack::{PackProgress, PackReport, pack, pack_on, unpack, unpack_on};
pub use problem::{Problem, VerifyReport};
pub use record::{BakeRecord, SourceHash};
#[cfg(feature = "remote")]
pub use remote::{RemoteSettings, RemoteStorage};
pub use storage::{FilePlace, NewFile, Storage, StoredFile};
pub use verify::{verify, verify_on};
pub use world::{LoadOutcome, LoadReport, World};
pub use write::files::PutOutcome;
pub use write::{PublishReport, WorldWriter};
