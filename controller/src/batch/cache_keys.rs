//! Identifies the surroundings for which units have cached data: a number for each sector. It changes when
//! the sector, one of the eight around it, or anything else that a tick depends on changes. Numbers that were
//! not used for some hundred ticks are removed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use marchland_terrain::{SectorCoord, TerrainView};

use super::cache_expiry::CacheExpiry;
use super::open_map::stamps;
use crate::units::columns::Units;
use crate::units::memory::cells::next_key;
use crate::units::settings::TickSettings;
use crate::units::surface::SurfaceResponse;
use crate::units::switches::PathChoice;

/// Sectors for which memory is reserved at first.
const SECTORS: usize = 1024;

/// The numbers of the sectors in which units are among props.
#[derive(Debug, Default)]
pub(crate) struct CacheKeys {
    /// The key under which units remember these numbers.
    key: u64,
    known: HashMap<SectorCoord, SectorKey>,
    expiry: CacheExpiry,
    /// The terrain, the responses of surfaces and the settings of the tick, as they were in the
    /// last tick.
    revision: u64,
    surfaces: Vec<SurfaceResponse>,
    pace: ([u32; 2], PathChoice),
}

#[derive(Debug)]
struct SectorKey {
    /// The stamps of the sector and the eight around it.
    stamps: [u64; 9],
    number: u64,
    /// The round in which it was last used, by any thread.
    used: AtomicU32,
}

impl CacheKeys {
    /// Removes the numbers of sectors whose surroundings changed, and makes room for what units remember.
    pub(crate) fn refresh(
        &mut self,
        view: TerrainView<'_>,
        units: &mut Units,
        settings: &TickSettings,
        path: PathChoice,
    ) {
        let pace = ([settings.dt, settings.gravity].map(f32::to_bits), path);
        if pace != self.pace || self.surfaces != units.surfaces {
            self.pace = pace;
            self.surfaces.clone_from(&units.surfaces);
            self.known.clear();
        }
        if self.known.capacity() == 0 {
            self.known.reserve(SECTORS);
            self.key = next_key();
        }
        if self.revision != view.revision() {
            self.revision = view.revision();
            self.known.retain(|coord, known| stamps(view, *coord) == known.stamps);
        }
        if self.expiry.advance() {
            let Self { known, expiry, .. } = self;
            known.retain(|_, known| !expiry.is_unused(*known.used.get_mut()));
        }
        units.cells.memories.prepare(units.slots(), self.key);
    }

    /// The number of known sectors.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// The number of a sector and its surroundings, if it is known.
    pub(crate) fn number(&self, coord: SectorCoord) -> Option<u64> {
        let known = self.known.get(&coord)?;
        // Hardly ever written, so that threads do not wait for each other.
        if known.used.load(Ordering::Relaxed) != self.expiry.now {
            known.used.store(self.expiry.now, Ordering::Relaxed);
        }
        Some(known.number)
    }

    /// Gives a sector a number, if it has none.
    pub(crate) fn add(&mut self, view: TerrainView<'_>, coord: SectorCoord) {
        let used = AtomicU32::new(self.expiry.now);
        let new = || SectorKey { stamps: stamps(view, coord), number: next_key(), used };
        self.known.entry(coord).or_insert_with(new);
    }
}
