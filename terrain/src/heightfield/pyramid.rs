//! Least and greatest heights of blocks of cells, in levels that halve up to the whole sector.
//!
//! Level 0 has a block for every 8 × 8 cells (one block where the sector is smaller); each level
//! above joins 2 × 2 blocks; the last is the sector. Levels follow each other in storage, each row
//! by row. Only ground counts: a block without ground has no range.

use crate::limits::BLOCK_CELLS;

/// Least and greatest height of the ground in a block. Quanta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeightRange {
    /// The lowest corner.
    pub min: i32,
    /// The highest corner.
    pub max: i32,
}

/// Blocks along a side of level 0 in a sector of `cells` cells along a side.
#[must_use]
pub const fn blocks_along(cells: u32) -> u32 {
    if cells > BLOCK_CELLS { cells / BLOCK_CELLS } else { 1 }
}

/// Number of blocks in all levels together.
#[must_use]
pub const fn pyramid_blocks(cells: u32) -> usize {
    let mut along = blocks_along(cells) as usize;
    let mut blocks = along * along;
    while along > 1 {
        along /= 2;
        blocks += along * along;
    }
    blocks
}

/// The pyramid of one sector as stored: pairs of heights in quanta above the sector's base.
#[derive(Clone, Copy, Debug)]
pub struct Pyramid<'a> {
    pub(crate) along: u32,
    pub(crate) base: i32,
    pub(crate) ranges: Ranges<'a>,
}

/// Pairs of the least and greatest height, as wide as the samples; a least above the greatest means no
/// ground.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ranges<'a> {
    Narrow(&'a [[u8; 4]]),
    Wide(&'a [[u8; 8]]),
}

impl Pyramid<'_> {
    /// Number of levels; the last has one block.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.along.ilog2() + 1
    }

    /// Blocks along a side of a level.
    #[must_use]
    pub fn along(&self, level: u32) -> u32 {
        self.along >> level
    }

    /// The range of a block; `None` where it holds no ground.
    #[must_use]
    #[inline]
    pub fn range(&self, level: u32, column: u32, row: u32) -> Option<HeightRange> {
        let along = self.along >> level;
        debug_assert!(column < along && row < along);
        // Levels below hold along², along²/4, …: a geometric sum.
        let before = (self.along * self.along - along * along) / 3 * 4;
        let index = (before + row * along + column) as usize;
        let (min, max) = match self.ranges {
            Ranges::Narrow(pairs) => {
                let [a, b, c, d] = pairs[index];
                (u32::from(u16::from_le_bytes([a, b])), u32::from(u16::from_le_bytes([c, d])))
            }
            Ranges::Wide(pairs) => {
                let [a, b, c, d, e, f, g, h] = pairs[index];
                (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
            }
        };
        (min <= max)
            .then(|| HeightRange { min: self.base + min as i32, max: self.base + max as i32 })
    }

    /// The range of the whole sector; `None` where it holds no ground.
    #[must_use]
    pub fn whole(&self) -> Option<HeightRange> {
        self.range(self.levels() - 1, 0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_halve_down_to_one_block() {
        assert_eq!(pyramid_blocks(1), 1);
        assert_eq!(pyramid_blocks(8), 1);
        assert_eq!(pyramid_blocks(16), 5);
        assert_eq!(pyramid_blocks(256), 32 * 32 + 16 * 16 + 8 * 8 + 4 * 4 + 2 * 2 + 1);
        assert_eq!(pyramid_blocks(1024), (128 * 128 * 4 - 1) / 3);
    }
}
