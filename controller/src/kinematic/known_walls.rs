//! The walls around the places that were asked last.

use marchland_terrain::WorldPos;
use marchland_terrain::query::{Wall, Walls};

/// The walls around a place, and which question they answer.
#[derive(Debug)]
pub(crate) struct KnownWalls {
    pub(super) walls: Walls,
    pub(super) of: Option<WorldPos>,
}

impl KnownWalls {
    pub(crate) const fn new() -> Self {
        Self { walls: Walls::new(), of: None }
    }

    pub(crate) fn as_slice(&self) -> &[Wall] {
        self.walls.as_slice()
    }

    /// How deep the body itself is in the nearest of them. Metres; below 0 in nothing.
    pub(crate) fn depth(&self) -> f64 {
        self.walls.depth()
    }

    /// Whether any of them moves.
    pub(crate) fn has_moving(&self) -> bool {
        self.walls.has_moving()
    }
}

/// The walls around a unit, by what they block.
#[derive(Debug)]
pub(crate) struct LevelMemory {
    /// Everything that blocks the upper part of a standing unit.
    pub(crate) upper: KnownWalls,
    /// Everything that blocks the whole of a unit that has lost its support.
    pub(crate) whole: KnownWalls,
    /// The steep faces of props that block the whole of a standing unit.
    pub(crate) low: KnownWalls,
}

impl LevelMemory {
    pub(crate) const fn new() -> Self {
        Self { upper: KnownWalls::new(), whole: KnownWalls::new(), low: KnownWalls::new() }
    }

    /// Forgets what was known of another unit.
    pub(crate) fn forget(&mut self) {
        (self.upper.of, self.whole.of, self.low.of) = (None, None, None);
    }
}
