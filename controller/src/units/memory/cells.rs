//! What a unit that stays within a cell of open ground remembers of the cell under it: the heights of its corners.
//!
//! A unit at 5 m/s and 60 Hz stays in a cell of a metre for about ten ticks. The corners are stored beside
//! the unit and are read sequentially with its other data, in the order of slots. So the samples themselves
//! are fetched in only one tick of ten, and units need not be sorted by place.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::units::memory::gather_cache::GatherCache;
use crate::units::memory::unit_memory::UnitMemories;

/// The corners `[nw, ne, sw, se]` of a unit's cell. The first is NaN if nothing is remembered.
pub(crate) type Corners = [f32; 4];

/// Nothing remembered.
pub(crate) const NO_CORNERS: Corners = [f32::NAN; 4];

/// The cells of all units, by slot. Code that changes a unit's place or way of moving must forget its cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    /// The key under which the open maps' numbers are valid; 0 if there is none.
    pub(crate) key: u64,
    pub(crate) corners: Vec<Corners>,
    /// The open map of each unit whose cell is remembered, as a number among the maps of the batch that moves
    /// it.
    pub(crate) map_ids: Vec<u32>,
    /// What units among props remember.
    pub(crate) memories: UnitMemories,
    /// What is around some of those units.
    pub(crate) gather_cache: GatherCache,
}

impl Cells {
    /// Forgets the cell of a slot and everything else that its unit remembers.
    #[inline]
    pub(crate) fn forget(&mut self, slot: usize) {
        if let Some(corners) = self.corners.get_mut(slot) {
            *corners = NO_CORNERS;
        }
        self.memories.forget(slot);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.key = 0;
        self.memories.clear();
    }

    /// Makes room for this many slots, and forgets the cells that were not remembered under `key`.
    pub(crate) fn prepare(&mut self, slots: usize, key: u64) {
        if self.key != key {
            self.key = key;
            self.corners.clear();
        }
        self.corners.resize(slots, NO_CORNERS);
        self.map_ids.resize(slots, 0);
    }

    /// Continues under another key, if the cells are remembered under this one. Returns whether they are.
    pub(crate) fn rename(&mut self, key: u64, to: u64) -> bool {
        let is_of = self.key == key;
        self.key = if is_of { to } else { self.key };
        is_of
    }
}

/// A key that has never been returned before.
pub(crate) fn next_key() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}
