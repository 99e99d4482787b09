//! What a unit that strolls over open ground remembers of the cell under it: the heights of its corners.
//!
//! A unit at 5 m/s and 60 Hz stays in a cell of a metre for about ten ticks. Its corners, kept beside
//! the unit, are read in a straight line with everything else of it, in the order of slots; so the
//! samples themselves are fetched in one tick of ten, and units need not be sorted by where they are.

use std::sync::atomic::{AtomicU64, Ordering};

/// Units whose corners stand together.
pub(crate) const LANES: usize = 16;

/// The corners `[a, b, c, e]` of the cells of [`LANES`] units. `a` is not a number where nothing is
/// remembered.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Block(pub(crate) [[f32; LANES]; 4]);

impl Block {
    const EMPTY: Self = Self([[f32::NAN; LANES]; 4]);
}

/// The cells of all units, by slot. Whoever changes a unit's place or way of moving forgets its cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    /// Of which homes the numbers are; 0 of none.
    key: u64,
    pub(crate) blocks: Vec<Block>,
    /// The home of each unit whose cell is remembered, among those of the batch that moves it.
    pub(crate) homes: Vec<u32>,
}

impl Cells {
    /// Forgets the cell of a slot.
    #[inline]
    pub(crate) fn forget(&mut self, slot: usize) {
        if let Some(block) = self.blocks.get_mut(slot / LANES) {
            block.0[0][slot % LANES] = f32::NAN;
        }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.key = 0;
    }

    /// Makes room for so many slots, and forgets what was not remembered under `key`.
    pub(crate) fn prepare(&mut self, slots: usize, key: u64) {
        let blocks = slots.div_ceil(LANES);
        if self.key != key {
            self.key = key;
            self.blocks.clear();
        }
        self.blocks.resize(blocks, Block::EMPTY);
        self.homes.resize(blocks * LANES, 0);
    }

    /// Whether what is remembered is remembered under a key.
    pub(crate) fn are_of(&self, key: u64) -> bool {
        self.key == key
    }

    /// Forgets the cells of units whose home is gone, and goes on under another key.
    pub(crate) fn retain(&mut self, key: u64, is_gone: impl Fn(u32) -> bool) {
        self.key = key;
        for (block, homes) in self.blocks.iter_mut().zip(self.homes.chunks_exact(LANES)) {
            for (corner, &home) in block.0[0].iter_mut().zip(homes) {
                if !corner.is_nan() && is_gone(home) {
                    *corner = f32::NAN;
                }
            }
        }
    }
}

/// A key that was never given out before.
pub(crate) fn next_key() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}
