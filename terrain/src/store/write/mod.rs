//! Writes a world: sector files under unique names, then a manifest that names them.
//!
//! ```text
//! put:     write +003_-001-….sector.tmp, rename          any number, any thread, no sync
//! finish:  sync all sector and mesh files and folders    everything below is on disk before
//!          write manifest-0000000008.tmp, sync, rename   the manifest that names it
//!          sync the world's folder                       from here on the new world is there
//!          remove what no kept manifest names
//! ```
//!
//! If killed at any point, the old manifest and everything that it names are unchanged; running the
//! same bake again finds what was already written and continues from there.

pub(super) mod files;
pub(super) mod meshes;

use std::path::Path;
use std::sync::{Arc, Mutex};

use self::files::{FileWriter, PutOutcome};
use self::meshes::{MeshWriter, has_meshes, is_found};
use super::disk::DiskStorage;
use super::error::{StoreError, if_sound};
use super::folder::Folder;
use super::garbage;
use super::manifest::index::SectorRecord;
use super::manifest::{Manifest, WorldFacts, WorldInfo, encode_manifest};
use super::names;
use super::record::BakeRecord;
use super::spool::Spool;
use super::storage::{Storage, StoredFile};
use crate::format::EncodedSector;
use crate::math::SectorCoord;
use crate::mutex::lock;
use crate::props::MeshHash;

/// What a bake changed in the world's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishReport {
    /// The newest generation now.
    pub generation: u64,
    /// Whether that is the previous generation, because nothing was new.
    pub is_unchanged: bool,
    /// Sector files written.
    pub written: u64,
    /// Sector files that already existed.
    pub kept: u64,
    /// Bytes of sector files written.
    pub written_bytes: u64,
    /// Mesh files written.
    pub meshes_written: u64,
    /// Mesh files that already existed.
    pub meshes_kept: u64,
    /// Bytes of mesh files written.
    pub mesh_bytes_written: u64,
    /// Files of older generations that were removed.
    pub removed: u64,
}

/// The writer of a bake. Holds the folder's lock until dropped; sectors may be put from many
/// threads.
///
/// ```no_run
/// use marchland_terrain::store::{BakeRecord, WorldFacts, WorldWriter};
/// use marchland_terrain::{Grid, SectorCoord, SectorData, World, format};
///
/// let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
/// let writer = WorldWriter::begin("hills.world")?;
/// for x in 0..4 {
///     let data = SectorData::from_fn(grid, |x, _| 0.1 * x)?;
///     writer.put(&format::encode(SectorCoord::new(x, 0), &data))?;
/// }
/// let facts = WorldFacts { grid, surface_names: vec!["grass".into()] };
/// let report = writer.finish(&facts, &BakeRecord::default())?;
/// println!("{} new sectors, {} sectors", report.written, World::open("hills.world")?.info().sectors);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WorldWriter {
    /// The files that it has put.
    pub(super) files: FileWriter,
    _lock: Box<dyn StoredFile>,
    /// The newest undamaged manifest.
    newest: Option<(u64, Manifest)>,
    /// Greatest generation of any manifest, damaged ones included.
    last_generation: u64,
    progress: Mutex<Progress>,
    meshes: MeshWriter,
    spool: Spool,
}

/// The sectors that have been put so far.
#[derive(Debug, Default)]
struct Progress {
    records: Vec<SectorRecord>,
    written: u64,
    written_bytes: u64,
}

impl WorldWriter {
    /// Begins or resumes a bake into a folder, created if it does not exist.
    ///
    /// # Errors
    /// If another bake holds the folder's lock, the folder holds a packed world or something that
    /// is not a world, its newest manifest is of another version, or the file system fails.
    pub fn begin(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::begin_on(Arc::new(DiskStorage::new(folder)))
    }

    /// As [`begin`](Self::begin), on storage other than a disk.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_on(storage: Arc<dyn Storage>) -> Result<Self, StoreError> {
        let folder = Folder::new(storage);
        refuse_packs(&folder)?;
        Self::begin_in(folder)
    }

    /// As [`begin_on`](Self::begin_on), with or without packs in the folder.
    pub(super) fn begin_in(folder: Folder) -> Result<Self, StoreError> {
        refuse_foreign(&folder)?;
        folder.run("create", "", |storage| storage.create_folder(""))?;
        let lock = folder.run("open", names::LOCK, |storage| storage.open_lock(names::LOCK))?;
        if !folder.run("lock", names::LOCK, |_| lock.try_lock_exclusive())? {
            return Err(StoreError::Locked { path: folder.storage.full_path(names::LOCK) });
        }
        // The lock file distinguishes an unfinished world from a foreign folder: it must be durable
        // before anything else. So must the newest manifest, which a bake killed just after its
        // rename may have left unsynced.
        folder.run("sync", "", |storage| storage.sync_folder(""))?;
        garbage::remove_unfinished(&folder)?;
        let generations = folder.generations()?;
        let newest = newest_sound(&folder, &generations)?;
        let last_generation = generations.last().copied().unwrap_or(0);
        Ok(Self {
            files: FileWriter::new(folder),
            _lock: lock,
            newest,
            last_generation,
            progress: Mutex::default(),
            meshes: MeshWriter::default(),
            spool: Spool::default(),
        })
    }

    /// Trusts no file by its name and length: each is compared byte for byte with what is put, and
    /// written again where it differs.
    #[must_use]
    pub fn comparing_all(mut self) -> Self {
        self.files.compares_all = true;
        self
    }

    /// The newest generation before this bake, and the contents of its manifest.
    #[must_use]
    pub fn newest(&self) -> Option<(u64, &WorldInfo)> {
        self.newest.as_ref().map(|(generation, manifest)| (*generation, manifest.info()))
    }

    /// Whether the newest generation was baked from exactly this record, and every file that it
    /// names exists with the right length.
    ///
    /// # Errors
    /// If the file system fails.
    pub fn is_up_to_date(&self, record: &BakeRecord) -> Result<bool, StoreError> {
        let Some((generation, manifest)) = &self.newest else { return Ok(false) };
        if *generation != self.last_generation || manifest.info().record != *record {
            return Ok(false);
        }
        for record in manifest.records() {
            let Some(record) = if_sound(record)? else { return Ok(false) };
            let path = names::sector_path(record.coord, record.content_hash);
            if self.files.folder.len_bytes(&path)? != Some(record.file_bytes) {
                return Ok(false);
            }
        }
        has_meshes(&self.files.folder, manifest)
    }

    /// Puts a sector into the world that is being baked; each place may be put once. The meshes of
    /// its props are put before or after, with [`put_mesh`](Self::put_mesh).
    ///
    /// # Errors
    /// If the file system fails.
    pub fn put(&self, sector: &EncodedSector) -> Result<PutOutcome, StoreError> {
        let record = SectorRecord {
            coord: sector.coord,
            content_hash: sector.content_hash,
            file_bytes: sector.bytes.len() as u64,
            height_range: sector.height_range,
        };
        let path = names::sector_path(record.coord, record.content_hash);
        let is_named = self.is_named(&record)?;
        let folder = names::block_folder(record.coord);
        let outcome = self.files.put(&folder, &path, &sector.bytes, is_named)?;
        self.spool.remove(&self.files.folder, record.coord)?;
        self.meshes.progress().note_used(sector);
        let mut progress = lock(&self.progress);
        progress.records.push(record);
        if outcome == PutOutcome::Written {
            progress.written += 1;
            progress.written_bytes += record.file_bytes;
        }
        Ok(outcome)
    }

    /// Puts a mesh's file into the world that is being baked. A mesh that no sector uses does not
    /// become part of it; putting the same mesh again has no effect.
    ///
    /// # Errors
    /// If the bytes are not a valid mesh, or the file system fails.
    pub fn put_mesh(&self, bytes: &[u8]) -> Result<(MeshHash, PutOutcome), StoreError> {
        let newest = self.newest.as_ref().map(|(_, manifest)| manifest);
        self.meshes.put(&self.files, newest, bytes)
    }

    /// Keeps an encoded sector until a sector of the same place is [`put`](Self::put), or the bake
    /// ends. It is not part of the world. Each place may be spooled once.
    ///
    /// # Errors
    /// If the file system fails.
    pub fn spool(&self, sector: &EncodedSector) -> Result<(), StoreError> {
        self.spool.put(&self.files.folder, sector)
    }

    /// The bytes of a spooled sector; `None` if there is none.
    ///
    /// # Errors
    /// If the file system fails.
    pub fn spooled(&self, coord: SectorCoord) -> Result<Option<Vec<u8>>, StoreError> {
        self.spool.get(&self.files.folder, coord)
    }

    /// Publishes the sectors that were put as the world's next generation, if anything is new, and
    /// removes what only older ones need.
    ///
    /// # Errors
    /// If a sector was put twice, a mesh that one uses was not put, a name is too long, there is no
    /// generation after the last, or the file system fails. The newest generation is then the old one
    /// or, where only the last sync or the removal failed, the new one.
    pub fn finish(
        self,
        facts: &WorldFacts,
        record: &BakeRecord,
    ) -> Result<PublishReport, StoreError> {
        let Progress { records, written, written_bytes } =
            std::mem::take(&mut *lock(&self.progress));
        let meshes = self.meshes.progress();
        let next = self.last_generation.checked_add(1);
        let generation = next.unwrap_or(self.last_generation);
        let name = names::manifest(generation);
        let kept = records.len() as u64 - written;
        let located = |source| self.files.folder.manifest_error(generation, source);
        let props = meshes.totals().map_err(located)?;
        let bytes = encode_manifest(facts, records, props, record).map_err(located)?;
        self.files.sync()?;
        let unchanged = self.is_newest(&bytes)?;
        if !unchanged {
            if next.is_none() {
                let path = self.files.folder.storage.full_path(&name);
                return Err(StoreError::LastGeneration { path });
            }
            self.files.publish(&name, &bytes)?;
        }
        let removed = garbage::remove_unneeded(&self.files.folder)?;
        if self.spool.was_used() {
            garbage::remove_spooled(&self.files.folder)?;
        }
        Ok(PublishReport {
            generation: if unchanged { self.last_generation } else { generation },
            is_unchanged: unchanged,
            written,
            kept,
            written_bytes,
            meshes_written: meshes.written,
            meshes_kept: meshes.kept(),
            mesh_bytes_written: meshes.written_bytes,
            removed,
        })
    }

    /// Publishes a manifest that was made elsewhere, with its generation there. The files that it names
    /// must have been put before.
    pub(super) fn publish_copy(self, generation: u64, bytes: &[u8]) -> Result<(), StoreError> {
        self.files.sync()?;
        self.files.publish(&names::manifest(generation), bytes)
    }

    /// Whether the newest manifest names exactly this file, which is then durable.
    fn is_named(&self, record: &SectorRecord) -> Result<bool, StoreError> {
        let newest = self.newest.as_ref();
        newest.map_or(Ok(false), |(_, manifest)| is_found(manifest.find(record.coord), record))
    }

    /// Whether the newest manifest holds exactly these bytes.
    fn is_newest(&self, bytes: &[u8]) -> Result<bool, StoreError> {
        let Some((generation, manifest)) = &self.newest else { return Ok(false) };
        let name = names::manifest(*generation);
        let file = &manifest.file;
        let length = self.files.folder.run("examine", &name, |_| file.len_bytes())?;
        if *generation != self.last_generation || length != bytes.len() as u64 {
            return Ok(false);
        }
        let mut found = vec![0; bytes.len()];
        self.files.folder.run("read", &name, |_| file.read_exact_at(0, &mut found))?;
        Ok(found == bytes)
    }
}

/// Refuses a folder with packs, finished or not: readers would find old sectors in them.
fn refuse_packs(folder: &Folder) -> Result<(), StoreError> {
    match folder.packs_and_others()?.into_iter().find(|(_, is_pack)| *is_pack) {
        Some((path, _)) => Err(StoreError::Packed { path: folder.storage.full_path(&path) }),
        None => Ok(()),
    }
}

/// Refuses a folder that holds something and is not a world: nothing in it may be touched.
fn refuse_foreign(folder: &Folder) -> Result<(), StoreError> {
    let names = folder.list("")?;
    let is_ours = |name: &String| name == names::LOCK || names::parse_manifest(name).is_some();
    if names.is_empty() || names.iter().any(is_ours) {
        return Ok(());
    }
    let mut found = names.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 3 {
        found = format!("{found} and {} more", names.len() - 3);
    }
    Err(StoreError::NotAWorld { path: folder.storage.full_path(""), found })
}

fn newest_sound(
    folder: &Folder,
    generations: &[u64],
) -> Result<Option<(u64, Manifest)>, StoreError> {
    for &generation in generations.iter().rev() {
        if let Some(manifest) = folder.open_sound_manifest(generation)? {
            return Ok(Some((generation, manifest)));
        }
    }
    Ok(None)
}
