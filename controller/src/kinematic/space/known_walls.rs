//! The walls around the places that were asked last.

use marchland_terrain::WorldPos;
use marchland_terrain::kernel::{LevelFaces, Walls};

use super::part::{Blocking, Part};

/// The walls around a place, and which question they answer.
#[derive(Debug)]
pub(crate) struct KnownWalls {
    pub(crate) walls: Walls,
    pub(crate) of: Option<WorldPos>,
}

impl KnownWalls {
    pub(crate) const fn new() -> Self {
        Self { walls: Walls::new(), of: None }
    }
}

/// The faces around a unit, and its walls by what they block.
#[derive(Debug)]
pub(crate) struct LevelMemory {
    pub(crate) faces: LevelFaces,
    /// Everything that blocks the upper part of a standing unit.
    pub(crate) upper: KnownWalls,
    /// Everything that blocks the whole of a unit that has lost its support.
    pub(crate) whole: KnownWalls,
    /// The steep faces of props that block the whole of a standing unit.
    pub(crate) low: KnownWalls,
}

impl LevelMemory {
    pub(crate) fn new() -> Self {
        Self { faces: LevelFaces::new(), ..Self::small() }
    }

    /// Memory in which no faces are kept.
    pub(crate) const fn small() -> Self {
        let (upper, whole, low) = (KnownWalls::new(), KnownWalls::new(), KnownWalls::new());
        Self { faces: LevelFaces::none(), upper, whole, low }
    }

    /// Forgets what was known of another unit.
    pub(crate) fn forget(&mut self) {
        self.faces.forget();
        (self.upper.of, self.whole.of, self.low.of) = (None, None, None);
    }

    pub(crate) fn known(&mut self, by: Blocking) -> &mut KnownWalls {
        Self::of(by, (&mut self.upper, &mut self.whole, &mut self.low))
    }

    /// That one of three.
    pub(crate) fn of<T>(by: Blocking, (upper, whole, low): (T, T, T)) -> T {
        match by {
            Blocking::All(Part::Upper) => upper,
            Blocking::All(Part::Whole) => whole,
            Blocking::LowWalls => low,
        }
    }
}
