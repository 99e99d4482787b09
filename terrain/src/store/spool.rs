//! Sectors that a bake has encoded and not finished: kept in the world's folder, not yet part of the
//! world, removed when the bake ends. What a killed bake has spooled, the next one removes.

use std::collections::{BTreeMap, BTreeSet};

use super::error::StoreError;
use super::names;
use super::write::WorldWriter;
use crate::format::EncodedSector;
use crate::math::SectorCoord;

/// The sectors that are spooled now.
#[derive(Debug, Default)]
pub(super) struct Spool {
    /// Lengths of the files.
    sectors: BTreeMap<SectorCoord, u64>,
    /// Folders that were created.
    folders: BTreeSet<String>,
}

impl Spool {
    /// Whether anything was ever spooled.
    pub(super) fn was_used(&self) -> bool {
        !self.folders.is_empty()
    }
}

impl WorldWriter {
    /// Keeps an encoded sector until a sector of the same place is [`put`](Self::put), or the bake
    /// ends. It is not part of the world. Each place may be spooled once.
    ///
    /// # Errors
    /// If the file system fails.
    pub fn spool(&self, sector: &EncodedSector) -> Result<(), StoreError> {
        let folder = names::spool_folder(sector.coord);
        if !self.progress().spool.folders.contains(&folder) {
            self.folder.run("create", &folder, |storage| storage.create_folder(&folder))?;
            self.progress().spool.folders.insert(folder);
        }
        let path = names::spool_path(sector.coord);
        self.folder.run("write", &path, |storage| storage.write_spool(&path, &sector.bytes))?;
        self.progress().spool.sectors.insert(sector.coord, sector.bytes.len() as u64);
        Ok(())
    }

    /// The bytes of a spooled sector; `None` if there is none.
    ///
    /// # Errors
    /// If the file system fails.
    pub fn spooled(&self, coord: SectorCoord) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(length) = self.progress().spool.sectors.get(&coord).copied() else {
            return Ok(None);
        };
        let path = names::spool_path(coord);
        let file = self.folder.run("open", &path, |storage| storage.open(&path))?;
        let mut bytes = vec![0; length as usize];
        self.folder.run("read", &path, |_| file.read_exact_at(0, &mut bytes))?;
        Ok(Some(bytes))
    }

    /// Removes the spooled sector of a place.
    pub(super) fn drop_spooled(&self, coord: SectorCoord) -> Result<(), StoreError> {
        let was_spooled = self.progress().spool.sectors.remove(&coord).is_some();
        if was_spooled { self.folder.remove_file(&names::spool_path(coord)) } else { Ok(()) }
    }
}
