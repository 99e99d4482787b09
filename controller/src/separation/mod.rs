//! Unit against unit: those that stand in each other are asked to go apart.
//!
//! ```text
//! Units ─▶ grid   (who is near whom: a counting sort)
//!            └─▶ pairs  (overlaps to pushes)  ─▶ steer  (pushes to wishes) ─▶ Batch::tick
//!                  └ once  (for both at a time)    └ guard  (does it still stand there?)
//! ```
//!
//! Nobody is moved here: a push is part of what a unit is asked to do, and the tick then moves it by the
//! same rules as ever. So nobody is pushed through a wall.

mod grid;
mod guard;
#[cfg(target_arch = "x86_64")]
mod levels_avx512;
#[cfg(target_arch = "x86_64")]
mod once;
#[cfg(target_arch = "x86_64")]
mod once_avx512;
mod pairs;
#[cfg(target_arch = "x86_64")]
mod pairs_avx512;
#[cfg(target_arch = "x86_64")]
mod runs_avx512;
mod settings;
mod sort;
#[cfg(target_arch = "x86_64")]
mod sort_avx512;
mod sorted;
mod steer;
#[cfg(target_arch = "x86_64")]
mod steer_avx512;
mod strength;
#[cfg(test)]
mod tests;
mod threads;
#[cfg(target_arch = "x86_64")]
mod weigh_avx512;

use marchland_terrain::TerrainView;

use crate::error::TickError;
use crate::settings::{TickSettings, check};
use crate::tick::Tick;
use crate::units::Units;
use crate::wish::Wish;

use guard::Guard;
#[cfg(target_arch = "x86_64")]
use once::Given;
use pairs::Room;
pub use settings::{SeparationError, SeparationSettings};
use sorted::Sorted;
use steer::Steering;
use strength::Strength;
use threads::{each_chunk_with, each_range};

/// Keeps units from standing in each other, softly: each is asked to go away from those that it touches,
/// beside what it is asked to do anyway.
///
/// - Who walks or stands takes part; who falls, slides, climbs or is about to jump is left alone.
/// - Bodies touch where their circles overlap and their heights do: who is on a bridge does not push
///   those below. The wider of two yields less, in the ratio of the radii, and who is less than a
///   quarter as wide as another does not push it at all.
/// - A push is the mean over all that touch, so crowds come apart without shaking; it has a
///   [limit](SeparationSettings::push_max), and slow ones are [none](SeparationSettings::rest), so a
///   crowd comes to rest. Nothing is kept from tick to tick: who is no longer touched is no longer
///   pushed.
/// - Who walks against another is turned aside, to the right if it meets it head-on.
/// - Nobody is pushed to where it would not stand: over a hole, down more than its `step_down`, onto
///   ground too steep for it, out of the world or to sectors that are not in memory. On slippery ground
///   a unit may glide on by itself.
/// - Units at the very same place part in directions that their slots tell.
///
/// The same units and wishes give the same bits for any number of threads, and anywhere in the world.
/// Of more than 32 units in a row of three cells, each as wide as the widest body, a unit looks at 32:
/// so the time grows with the number of units alone, also in a heap at one place.
#[derive(Debug)]
pub struct Separation {
    settings: SeparationSettings,
    sorted: Sorted,
    #[cfg(target_arch = "x86_64")]
    given: Given,
    wishes: Vec<Wish>,
}

impl Separation {
    /// # Errors
    /// Naming the first setting that is out of range.
    pub fn new(settings: SeparationSettings) -> Result<Self, SeparationError> {
        settings.check()?;
        Ok(Self {
            settings,
            sorted: Sorted::default(),
            #[cfg(target_arch = "x86_64")]
            given: Given::default(),
            wishes: Vec::new(),
        })
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &SeparationSettings {
        &self.settings
    }

    /// The wishes with the pushes added, by slot, for the tick of `dt` seconds that comes next. `view` is
    /// the one of that tick. What units wish has to be asked anew in each tick: pass what the game
    /// wishes, not what came from here.
    ///
    /// Does not allocate after it has seen a population. Threads are those of the current `rayon` pool.
    ///
    /// # Errors
    /// As for a tick: if `dt` is out of range, there is not a wish for each slot, or the world's sectors
    /// have another size.
    pub fn push(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        dt: f32,
    ) -> Result<&[Wish], TickError> {
        let settings = TickSettings { dt, ..TickSettings::default() };
        check(view, units, wishes, &settings)?;
        let wishes = &wishes[..units.slots()];
        self.wishes.resize(units.slots(), Wish::STAND);
        if dt > 0.0 {
            self.sorted.sort(units);
            self.find_pushes(units, dt);
            self.steer(&Tick::new(view, &settings), view, units, wishes);
        } else {
            self.wishes.copy_from_slice(wishes);
        }
        Ok(&self.wishes)
    }

    fn find_pushes(&mut self, units: &Units, dt: f32) {
        let (sorted, strength) = (&self.sorted, Strength::new(&self.settings, dt));
        let chunk = self.settings.chunk_units;
        #[cfg(target_arch = "x86_64")]
        if self.given.push(units, sorted, &strength, chunk) {
            return;
        }
        each_range(sorted.len(), chunk, Room::new, |room, places| {
            pairs::push(units, sorted, &strength, places, room);
        });
    }

    fn steer(&mut self, tick: &Tick, view: TerrainView<'_>, units: &Units, asked: &[Wish]) {
        let pushes = &self.sorted.pushes;
        let steering = Steering { units, most: self.settings.push_max };
        let guard = || Guard::new(view, tick);
        let chunk = self.settings.chunk_units;
        each_chunk_with(&mut self.wishes, chunk, guard, |guard, first, wishes| {
            let slots = first..first + wishes.len();
            steering.steer(guard, first, &pushes[slots.clone()], &asked[slots], wishes);
        });
    }
}
