//! What a unit that strolls over open ground remembers of the cell under it: the heights of its corners.
//!
//! A unit at 5 m/s and 60 Hz stays in a cell of a metre for about ten ticks. Its corners, kept beside
//! the unit, are read in a straight line with everything else of it, in the order of slots; so the
//! samples themselves are fetched in one tick of ten, and units need not be sorted by where they are.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::gather_cache::GatherCache;
use crate::unit_memory::UnitMemories;

/// Units that are moved at a time.
pub(crate) const LANES: usize = 16;

/// The corners `[a, b, c, e]` of a unit's cell. `a` is not a number where nothing is remembered.
pub(crate) type Corners = [f32; 4];

/// Nothing remembered.
pub(crate) const NO_CORNERS: Corners = [f32::NAN; 4];

/// The cells of all units, by slot. Whoever changes a unit's place or way of moving forgets its cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    /// Under which key the open maps' numbers are; 0 of none.
    key: u64,
    pub(crate) corners: Vec<Corners>,
    /// The open map of each unit whose cell is remembered, among those of the batch that moves it.
    pub(crate) map_ids: Vec<u32>,
    /// What units among props remember.
    pub(crate) memories: UnitMemories,
    /// What is around some of them.
    pub(crate) gather_cache: GatherCache,
}

impl Cells {
    /// Forgets the cell of a slot, and what else its unit remembers.
    #[inline]
    pub(crate) fn forget(&mut self, slot: usize) {
        if let Some(corners) = self.corners.get_mut(slot) {
            *corners = NO_CORNERS;
        }
        self.memories.forget(slot);
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.key = 0;
        self.memories.clear();
    }

    /// Makes room for so many slots, and forgets what was not remembered under `key`.
    pub(crate) fn prepare(&mut self, slots: usize, key: u64) {
        if self.key != key {
            self.key = key;
            self.corners.clear();
        }
        self.corners.resize(slots, NO_CORNERS);
        self.map_ids.resize(slots, 0);
    }

    /// Whether what is remembered is remembered under a key.
    pub(crate) fn are_of(&self, key: u64) -> bool {
        self.key == key
    }

    /// Forgets the cells, by slot and open map, that are gone, and goes on under another key.
    pub(crate) fn retain(&mut self, key: u64, is_gone: impl Fn(usize, u32) -> bool) {
        self.key = key;
        for (slot, (corners, &map_id)) in self.corners.iter_mut().zip(&self.map_ids).enumerate() {
            if !corners[0].is_nan() && is_gone(slot, map_id) {
                *corners = NO_CORNERS;
            }
        }
    }
}

/// A key that was never given out before.
pub(crate) fn next_key() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}
