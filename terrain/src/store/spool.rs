//! Sectors that a bake has encoded and not finished: kept in the world's folder, not yet part of the
//! world, removed when the bake ends. What a killed bake has spooled, the next one removes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use super::error::StoreError;
use super::folder::Folder;
use super::names;
use crate::format::EncodedSector;
use crate::math::SectorCoord;
use crate::mutex::lock;

#[derive(Debug, Default)]
pub(super) struct Spool(Mutex<SpoolFiles>);

#[derive(Debug, Default)]
struct SpoolFiles {
    /// Lengths of the files.
    sectors: BTreeMap<SectorCoord, u64>,
    /// Folders that were created.
    folders: BTreeSet<String>,
}

impl Spool {
    /// Keeps a sector. Each place may be spooled once.
    pub(super) fn put(&self, folder: &Folder, sector: &EncodedSector) -> Result<(), StoreError> {
        let within = names::spool_folder(sector.coord);
        if !lock(&self.0).folders.contains(&within) {
            folder.run("create", &within, |storage| storage.create_folder(&within))?;
            lock(&self.0).folders.insert(within);
        }
        let path = names::spool_path(sector.coord);
        folder.run("write", &path, |storage| storage.write_spool(&path, &sector.bytes))?;
        lock(&self.0).sectors.insert(sector.coord, sector.bytes.len() as u64);
        Ok(())
    }

    /// The bytes of a sector; `None` if there is none.
    pub(super) fn get(
        &self,
        folder: &Folder,
        coord: SectorCoord,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(length) = lock(&self.0).sectors.get(&coord).copied() else { return Ok(None) };
        let path = names::spool_path(coord);
        let file = folder.run("open", &path, |storage| storage.open(&path))?;
        let mut bytes = vec![0; length as usize];
        folder.run("read", &path, |_| file.read_exact_at(0, &mut bytes))?;
        Ok(Some(bytes))
    }

    /// Removes the sector of a place.
    pub(super) fn remove(&self, folder: &Folder, coord: SectorCoord) -> Result<(), StoreError> {
        let was_spooled = lock(&self.0).sectors.remove(&coord).is_some();
        if was_spooled { folder.remove_file(&names::spool_path(coord)) } else { Ok(()) }
    }

    /// Whether anything was ever spooled.
    pub(super) fn was_used(&self) -> bool {
        !lock(&self.0).folders.is_empty()
    }
}
