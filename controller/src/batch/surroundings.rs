//! Which surroundings units remember something of: a number for each sector, another one as soon as the
//! sector or one of the eight around it is another, or anything else that a tick depends on is.

use std::collections::HashMap;

use marchland_terrain::{SectorCoord, TerrainView};

use super::homes::stamps;
use crate::cells::next_key;
use crate::settings::{PathChoice, TickSettings};
use crate::surface::SurfaceResponse;
use crate::units::Units;

/// Sectors for which there is room at first.
const SECTORS: usize = 1024;

/// The numbers of the sectors in which units are among props.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// Under which units remember them.
    key: u64,
    known: HashMap<SectorCoord, Known>,
    /// The terrain, how surfaces respond and what the tick was told, as they were in the last tick.
    revision: u64,
    surfaces: Vec<SurfaceResponse>,
    pace: ([u32; 2], PathChoice),
}

/// A sector.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Which sectors were there and around there.
    stamps: [u64; 9],
    number: u64,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            key: next_key(),
            known: HashMap::new(),
            revision: 0,
            surfaces: Vec::new(),
            pace: ([0; 2], PathChoice::Auto),
        }
    }
}

impl Surroundings {
    /// Gives up the numbers of what is no longer as it was, and makes room for what units remember.
    pub(crate) fn refresh(
        &mut self,
        view: TerrainView<'_>,
        units: &mut Units,
        settings: &TickSettings,
    ) {
        let pace = ([settings.dt, settings.gravity].map(f32::to_bits), settings.path);
        if pace != self.pace || self.surfaces != units.surfaces {
            self.pace = pace;
            self.surfaces.clone_from(&units.surfaces);
            self.known.clear();
        }
        if self.known.capacity() == 0 {
            self.known.reserve(SECTORS);
        }
        if self.revision != view.revision() {
            self.revision = view.revision();
            self.known.retain(|coord, known| stamps(view, *coord) == known.stamps);
        }
        units.cells.recalls.prepare(units.slots(), self.key);
    }

    /// The number of a sector and what is around it, if it is known.
    pub(crate) fn number(&self, coord: SectorCoord) -> Option<u64> {
        self.known.get(&coord).map(|known| known.number)
    }

    /// Makes a sector known.
    pub(crate) fn add(&mut self, view: TerrainView<'_>, coord: SectorCoord) {
        let new = || Known { stamps: stamps(view, coord), number: next_key() };
        self.known.entry(coord).or_insert_with(new);
    }
}
