//! Identifies the surroundings for which units have cached data: a number for each sector. It changes when
//! the sector, one of the eight around it, or anything else that a tick depends on changes. Numbers that were
//! not used for some hundred ticks are removed. Which are current is known without their sectors.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use marchland_terrain::{SectorCoord, TerrainView};

use super::cache_expiry::CacheExpiry;
use super::open_map::stamps;
use crate::units::columns::Units;
use crate::units::memory::cells::next_key;
use crate::units::memory::unit_memory::AROUND_BITS;
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
    /// Their numbers, by what is in their last bits.
    current: Vec<CurrentNumber>,
    /// Which of these no sector has.
    free: Vec<u32>,
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
    /// Which of the current numbers it has.
    at: u32,
}

/// The number of a sector; 0 if none has this one.
#[derive(Debug, Default)]
struct CurrentNumber {
    number: u64,
    /// The round in which it was last used, by any thread.
    used: AtomicU32,
}

/// Bits of a number that say which of the current ones it is.
const AT_BITS: u32 = 20;

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
            self.retain(|_, _, _| false);
        }
        if self.known.capacity() == 0 {
            self.known.reserve(SECTORS);
            self.current.reserve(SECTORS);
            self.free.reserve(SECTORS);
            self.key = next_key();
        }
        if self.revision != view.revision() {
            self.revision = view.revision();
            self.retain(|coord, known, _| stamps(view, coord) == known.stamps);
        }
        if self.expiry.advance() {
            self.retain(|_, _, is_used| is_used);
        }
        units.cells.memories.prepare(units.slots(), self.key);
    }

    /// Keeps the numbers of some sectors, by their keys and whether they were used lately.
    fn retain(&mut self, keeps: impl Fn(SectorCoord, &SectorKey, bool) -> bool) {
        let Self { known, current, free, expiry, .. } = self;
        known.retain(|coord, known| {
            let one = &mut current[known.at as usize];
            let is_kept = keeps(*coord, known, !expiry.is_unused(*one.used.get_mut()));
            if !is_kept {
                one.number = 0;
                free.push(known.at);
            }
            is_kept
        });
    }

    /// The number of known sectors.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// The number of a sector and its surroundings, if it is known.
    pub(crate) fn number(&self, coord: SectorCoord) -> Option<u64> {
        let at = self.known.get(&coord)?.at;
        let number = self.current.get(at as usize)?.number;
        self.is_current(number).then_some(number)
    }

    /// Whether a number is that of a sector, in which nothing has changed since it was given.
    #[inline]
    pub(crate) fn is_current(&self, number: u64) -> bool {
        let at = (number & ((1 << AT_BITS) - 1)) as usize;
        let Some(one) = self.current.get(at).filter(|one| one.number == number && number != 0)
        else {
            return false;
        };
        // Hardly ever written, so that threads do not wait for each other.
        if one.used.load(Ordering::Relaxed) != self.expiry.now {
            one.used.store(self.expiry.now, Ordering::Relaxed);
        }
        true
    }

    /// Gives a sector a number, if it has none.
    pub(crate) fn add(&mut self, view: TerrainView<'_>, coord: SectorCoord) {
        if self.known.contains_key(&coord) {
            return;
        }
        let key = next_key();
        if self.current.len() >> AT_BITS != 0 || key >> (AROUND_BITS - AT_BITS) != 0 {
            return; // units of so many sectors at once, or after so many changes, remember nothing
        }
        let at = self.free.pop().unwrap_or_else(|| {
            self.current.push(CurrentNumber::default());
            // Then freeing one does not allocate.
            self.free.reserve(self.current.len());
            self.current.len() as u32 - 1
        });
        let number = key << AT_BITS | u64::from(at);
        self.current[at as usize] = CurrentNumber { number, used: AtomicU32::new(self.expiry.now) };
        self.known.insert(coord, SectorKey { stamps: stamps(view, coord), at });
    }
}
