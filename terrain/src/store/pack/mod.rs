//! Packing and unpacking: a copy of a world's newest generation in the other form, with every file
//! checked on the way.
//!
//! ```text
//! each pack or file   read, checked against its name, written under another name, renamed
//! all of them         synced, with their folders
//! the manifest        the same bytes under the same name: from here on the copy is there
//! ```
//!
//! If killed at any point, there is no world in the new folder; repeating the call keeps what is
//! whole.

pub(super) mod error;
pub(crate) mod layout;
pub(super) mod storage;
pub(super) mod stream;
pub(super) mod verify;

use std::path::Path;
use std::sync::Arc;

use self::layout::{Directory, PackId, PackKind};
use self::stream::put_pack;
use super::disk::DiskStorage;
use super::error::{ManifestError, ManifestPart, StoreError};
use super::files::{Access, WorldFiles};
use super::folder::Folder;
use super::manifest::index::SectorRecord;
use super::manifest::meshes::MeshRecord;
use super::manifest::{WorldProps, encode_manifest};
use super::names::{self, TEMP_SUFFIX};
use super::storage::Storage;
use super::write::WorldWriter;
use super::write::files::PutOutcome;
use crate::bytes::KeptBytes;

/// The progress of packing or unpacking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackProgress {
    /// Sectors and meshes done.
    pub files: u64,
    /// Sectors and meshes in total.
    pub files_total: u64,
}

/// What packing or unpacking wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackReport {
    /// The generation that was copied; the copy has the same.
    pub generation: u64,
    /// Sectors in the generation.
    pub sectors: u64,
    /// Meshes in the generation.
    pub meshes: u64,
    /// Bytes of sectors and meshes, without the overhead of packs.
    pub bytes: u64,
    /// Packs, or files of sectors and meshes, that were written.
    pub written: u64,
    /// Those that an interrupted run had left complete.
    pub kept: u64,
}

/// Writes the newest generation of a world into another folder as a packed world. It gives the same
/// answers and has a file for each block of 32 × 32 sectors instead of one for each sector.
///
/// # Errors
/// If `out` already holds a world or something else, another writer is active there, a file of the world
/// is missing or damaged, or the file system fails. There is then no world in `out`, and repeating the
/// call continues. The exception is a failure of the very last sync: the world is then there, whole, but
/// may be lost if the machine stops now.
pub fn pack(
    world: impl AsRef<Path>,
    out: impl AsRef<Path>,
    progress: &mut dyn FnMut(PackProgress),
) -> Result<PackReport, StoreError> {
    let [from, to] = [world.as_ref(), out.as_ref()].map(DiskStorage::new);
    pack_on(Arc::new(from), Arc::new(to), progress)
}

/// As [`pack`], on storage other than disks.
///
/// # Errors
/// As [`pack`].
pub fn pack_on(
    from: Arc<dyn Storage>,
    to: Arc<dyn Storage>,
    progress: &mut dyn FnMut(PackProgress),
) -> Result<PackReport, StoreError> {
    let source = Source::open(from)?;
    let folder = Folder::new(to);
    refuse_world(&folder)?;
    refuse_unpacked(&folder)?;
    let writer = WorldWriter::begin_in(folder.clone())?;
    // Another writer may have published one before the lock was taken.
    refuse_world(&folder)?;
    remove_unfinished_packs(&folder)?;
    let mut copy = Copy::new(&source, &writer, progress);
    for sectors in source.sectors.chunk_by(|a, b| sector_pack(a) == sector_pack(b)) {
        copy.pack(
            [names::SECTORS, &names::block_folder(sectors[0].coord)],
            sector_pack(&sectors[0]),
            sectors,
            |sector| (sector_key(sector), sector.file_bytes),
            |sector| source.files.read_sector_bytes(sector),
        )?;
    }
    for meshes in source.files.manifest.meshes()?.chunk_by(|a, b| mesh_pack(a) == mesh_pack(b)) {
        copy.pack(
            [names::MESHES, &names::mesh_folder(meshes[0].hash)],
            mesh_pack(&meshes[0]),
            meshes,
            |mesh| (mesh.hash.0, mesh.file_bytes),
            |mesh| source.read_mesh_file(mesh),
        )?;
    }
    let report = copy.report;
    writer.publish_copy(report.generation, &source.manifest)?;
    Ok(report)
}

/// Writes the newest generation of a packed world into another folder as a world of single files:
/// exactly the files that were packed.
///
/// # Errors
/// As [`pack`].
pub fn unpack(
    packed: impl AsRef<Path>,
    out: impl AsRef<Path>,
    progress: &mut dyn FnMut(PackProgress),
) -> Result<PackReport, StoreError> {
    let [from, to] = [packed.as_ref(), out.as_ref()].map(DiskStorage::new);
    unpack_on(Arc::new(from), Arc::new(to), progress)
}

/// As [`unpack`], on storage other than disks.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_on(
    from: Arc<dyn Storage>,
    to: Arc<dyn Storage>,
    progress: &mut dyn FnMut(PackProgress),
) -> Result<PackReport, StoreError> {
    let source = Source::open(from)?;
    refuse_world(&Folder::new(Arc::clone(&to)))?;
    let writer = WorldWriter::begin_on(to)?;
    refuse_world(&writer.files.folder)?;
    let mut copy = Copy::new(&source, &writer, progress);
    for sector in &source.sectors {
        let path = names::sector_path(sector.coord, sector.content_hash);
        let bytes = source.files.read_sector_bytes(sector)?;
        copy.file(&names::block_folder(sector.coord), &path, &bytes)?;
    }
    for mesh in source.files.manifest.meshes()? {
        let bytes = source.read_mesh_file(mesh)?;
        copy.file(&names::mesh_folder(mesh.hash), &names::mesh_path(mesh.hash), &bytes)?;
    }
    let report = copy.report;
    writer.publish_copy(report.generation, &source.manifest)?;
    Ok(report)
}

/// The world that is being copied.
struct Source {
    files: WorldFiles,
    /// All bytes of its manifest.
    manifest: Vec<u8>,
    sectors: Vec<SectorRecord>,
}

impl Source {
    /// Opens a world and reads its whole manifest; every byte must equal what its records encode to.
    fn open(storage: Arc<dyn Storage>) -> Result<Self, StoreError> {
        let files = WorldFiles::open(storage, Access::Copied)?;
        let (folder, name) = (&files.folder, names::manifest(files.generation()));
        let located = |source| folder.manifest_error(files.generation(), source);
        let sectors = files.manifest.records().collect::<Result<Vec<_>, _>>()?;
        let info = files.info();
        let props = WorldProps {
            meshes: files.manifest.meshes()?.to_vec(),
            props: info.props,
            unique_triangles: info.unique_triangles,
            placed_triangles: info.placed_triangles,
        };
        let manifest = encode_manifest(&info.facts, sectors.clone(), props, &info.record);
        let manifest = manifest.map_err(located)?;
        let file = &files.manifest.file;
        let mut found = vec![0; manifest.len()];
        let is_whole = folder.run("read", &name, |_| file.len_bytes())? == manifest.len() as u64;
        if is_whole {
            folder.run("read", &name, |_| file.read_exact_at(0, &mut found))?;
        }
        if let Some(at) = found.iter().zip(&manifest).position(|(found, made)| found != made) {
            return Err(located(ManifestError::Value {
                part: ManifestPart::Header,
                field: "first byte that differs from what the records give",
                found: at as i128,
                expected: "none",
            }));
        }
        Ok(Self { files, manifest, sectors })
    }

    fn read_mesh_file(&self, record: &MeshRecord) -> Result<KeptBytes, StoreError> {
        let mesh = self.files.read_mesh(record.hash)?;
        let found = mesh.len_bytes() as u64;
        if found != record.file_bytes {
            let (part, field) = (ManifestPart::Meshes, "length of a mesh");
            let (found, expected) = (record.file_bytes.into(), "that of its file");
            let source = ManifestError::Value { part, field, found, expected };
            let (folder, generation) = (&self.files.folder, self.files.generation());
            return Err(folder.manifest_error(generation, source));
        }
        Ok(mesh.bytes().clone())
    }

    fn progress(&self, files: u64) -> PackProgress {
        let info = self.files.info();
        PackProgress { files, files_total: info.sectors.saturating_add(info.meshes) }
    }

    /// The report before anything is written.
    fn report(&self) -> PackReport {
        let info = self.files.info();
        PackReport {
            generation: self.files.generation(),
            sectors: info.sectors,
            meshes: info.meshes,
            bytes: info.sector_bytes.saturating_add(info.mesh_bytes),
            ..PackReport::default()
        }
    }
}

/// A copy that is being written.
struct Copy<'a> {
    source: &'a Source,
    writer: &'a WorldWriter,
    report: PackReport,
    /// Sectors and meshes done.
    done: u64,
    progress: &'a mut dyn FnMut(PackProgress),
}

impl<'a> Copy<'a> {
    fn new(
        source: &'a Source,
        writer: &'a WorldWriter,
        progress: &'a mut dyn FnMut(PackProgress),
    ) -> Self {
        Self { source, writer, report: source.report(), done: 0, progress }
    }

    /// Writes the pack of a folder; `within` is the folder that contains it.
    fn pack<T>(
        &mut self,
        [within, folder]: [&str; 2],
        id: PackId,
        files: &[T],
        about: impl Fn(&T) -> (u128, u64),
        read: impl Fn(&T) -> Result<KeptBytes, StoreError>,
    ) -> Result<(), StoreError> {
        let (out, path) = (&self.writer.files.folder, names::pack_of(folder));
        let full_path = || out.storage.full_path(&path);
        let directory = Directory::new(id, files.iter().map(about))
            .map_err(|source| StoreError::Pack { path: full_path(), source })?;
        out.run("create", within, |storage| storage.create_folder(within))?;
        let (source, progress, before) = (self.source, &mut *self.progress, self.done);
        let is_kept = put_pack(out, &path, &directory, &mut |number| {
            let bytes = read(&files[number])?;
            progress(source.progress(before + number as u64 + 1));
            Ok(bytes)
        })?;
        self.writer.files.note_unsynced(within, path);
        self.count(files.len() as u64, is_kept);
        Ok(())
    }

    /// Writes a single file.
    fn file(&mut self, folder: &str, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let outcome = self.writer.files.put(folder, path, bytes, false)?;
        self.count(1, outcome == PutOutcome::Kept);
        (self.progress)(self.source.progress(self.done));
        Ok(())
    }

    fn count(&mut self, files: u64, is_kept: bool) {
        self.done += files;
        self.report.kept += u64::from(is_kept);
        self.report.written += u64::from(!is_kept);
    }
}

fn sector_key(sector: &SectorRecord) -> u128 {
    names::sector_key(sector.coord, (sector.content_hash >> 64) as u64)
}

fn sector_pack(sector: &SectorRecord) -> PackId {
    PackId::of(PackKind::Sectors, sector_key(sector))
}

fn mesh_pack(mesh: &MeshRecord) -> PackId {
    PackId::of(PackKind::Meshes, mesh.hash.0)
}

fn refuse_world(folder: &Folder) -> Result<(), StoreError> {
    if folder.generations()?.is_empty() {
        return Ok(());
    }
    Err(StoreError::Occupied { path: folder.storage.full_path("") })
}

/// Refuses a folder in which a bake was killed: a packed world holds only packs.
fn refuse_unpacked(folder: &Folder) -> Result<(), StoreError> {
    match folder.packs_and_others()?.into_iter().find(|(_, is_pack)| !is_pack) {
        Some((found, _)) => {
            Err(StoreError::NotAWorld { path: folder.storage.full_path(""), found })
        }
        None => Ok(()),
    }
}

/// Removes the packs that an interrupted run left under unfinished names.
fn remove_unfinished_packs(folder: &Folder) -> Result<(), StoreError> {
    for (path, is_pack) in folder.packs_and_others()? {
        if is_pack && path.ends_with(TEMP_SUFFIX) {
            folder.remove_file(&path)?;
        }
    }
    Ok(())
}
