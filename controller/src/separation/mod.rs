//! Separation of units: units that overlap are asked to move apart.
//!
//! ```text
//! Units ─▶ grid   (which units are near each other: buckets, by a counting sort in `sort`)
//!            └─▶ pairs  (overlaps to pushes)  ─▶ steer  (pushes to wishes) ─▶ Batch::tick
//!                  └ half_pairs (both at once)     └ guard  (does it still stand there?)
//! ```
//!
//! `pair` is the rule for two units, `strength` what a sum of overlaps asks for. `alone` parts units at exactly
//! one place, the way that `strength` gives.
//!
//! Separation moves no unit: a push becomes part of a unit's wish, and the tick then moves the unit by
//! its usual rules. No unit is therefore pushed through a wall.

mod alone;
mod bucket_lanes;
mod columns;
mod gentle;
mod grid;
mod guard;
mod half_pairs;
mod levels;
mod pair;
mod pair_list;
mod pairs;
mod runs;
mod settings;
mod sort;
mod sorted;
mod steer;
mod strength;
#[cfg(test)]
mod tests;
mod threads;

use bytemuck::Zeroable;
use marchland_terrain::TerrainView;
use marchland_terrain::kernel::lanes::Simd;

use crate::units::columns::Units;
use crate::units::error::TickError;
use crate::units::executor::{Executor, Workers};
use crate::units::settings::{TickSettings, check};
use crate::units::switches::Switches;
use crate::units::tick::Tick;
use crate::units::wish::Wish;

use guard::Guard;
use half_pairs::PairSums;
use pair_list::PairList;
use pairs::Crowd;
pub use settings::{SeparationError, SeparationSettings};
use sorted::SortedUnits;
use steer::{Steer, Steering};
use strength::Strength;
use threads::{each_chunk_with, each_range};

/// Keeps units from overlapping, softly: each unit is asked to move away from those that it touches, in
/// addition to its own wish.
///
/// - Units that walk or stand take part; units that fall, slide, climb or are about to jump do not.
/// - Bodies touch where their circles and their heights both overlap: a unit on a bridge does not push
///   those below. The wider of two yields less, in the ratio of the radii. A unit less than a quarter as
///   wide as another does not push it at all.
/// - A push is the mean over all units that touch, so crowds separate without shaking. It has a
///   [limit](SeparationSettings::push_max), and slow pushes are [zero](SeparationSettings::rest), so a
///   crowd comes to rest. No state is kept from tick to tick: a unit that is no longer touched is no
///   longer pushed.
/// - A unit that walks against another is turned aside, to the right if it meets it head-on.
/// - No unit is pushed to where it would not stand: over a hole, down more than its `step_down`, onto
///   ground too steep for it, out of the world or to sectors that are not in memory. On slippery ground
///   a unit may glide on by itself.
/// - Units at exactly the same place separate in directions that their slots determine.
///
/// The same units and wishes give the same bits for any number of threads, and anywhere in the world.
/// Where a row of three cells, each as wide as the widest body, holds more than 32 units, a unit looks
/// at only 32 of them. Time therefore grows only with the number of units, also in a heap at one place.
///
/// ```
/// use marchland_controller::{Batch, Body, Separation, SeparationSettings, Spawn, TickSettings};
/// use marchland_controller::{Units, Wish};
/// use marchland_terrain::WorldPos;
/// # use marchland_terrain::{Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, format};
/// # let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
/// # let flat = format::encode(SectorCoord::new(0, 0), &SectorData::from_fn(grid, |_, _| 0.0)?);
/// # let world = ResidentSectors::endless(LoadedSector::new(flat.bytes)?.into()); // level at 0 m
/// let mut units = Units::new(grid.sector_size());
/// let body = units.add_body(Body::default())?;
/// let at = |x| WorldPos::from_metres(x, 0.0, 0.0, grid.sector_size());
/// for x in [0.0, 0.1] {
///     units.spawn(Spawn::standing(at(x)?, body))?; // each 0.8 m wide
/// }
/// let (mut separation, mut batch) = (Separation::new(SeparationSettings::default())?, Batch::new());
/// let (wishes, settings) = ([Wish::STAND; 2], TickSettings::at_rate(60.0));
/// for _ in 0..180 {
///     let pushed = separation.push(world.view(), &units, &wishes, settings.dt)?;
///     batch.tick(world.view(), &mut units, pushed, &settings)?;
/// }
/// assert!(units.locals()[1].x - units.locals()[0].x > 0.79);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Separation {
    settings: SeparationSettings,
    sorted: SortedUnits,
    pair_sums: PairSums,
    wishes: Vec<Wish>,
}

impl Separation {
    /// # Errors
    /// If a setting is out of range; the error names the first such setting.
    pub fn new(settings: SeparationSettings) -> Result<Self, SeparationError> {
        settings.check()?;
        Ok(Self {
            settings,
            sorted: SortedUnits::default(),
            pair_sums: PairSums::default(),
            wishes: Vec::new(),
        })
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &SeparationSettings {
        &self.settings
    }

    /// Writes the wishes with the pushes added, by slot, for the next tick of `dt` seconds. `view` is
    /// the view of that tick. Pass the game's own wishes in every tick, not the result of the last call.
    ///
    /// Does not allocate after the first call for a population. Runs on the threads of the current
    /// `rayon` pool, or, without the feature `rayon`, on the calling thread; [`push_on`](Self::push_on)
    /// runs on others.
    ///
    /// # Errors
    /// As for a tick: if `dt` is out of range, a slot has no wish, or the world's sectors have a
    /// different size.
    pub fn push(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        dt: f32,
    ) -> Result<&[Wish], TickError> {
        self.push_with(&Switches::default(), view, units, wishes, dt)
    }

    /// Writes the same wishes as [`push`](Self::push), on the threads of an [executor](Executor).
    ///
    /// # Errors
    /// As for [`push`](Self::push).
    pub fn push_on(
        &mut self,
        executor: &dyn Executor,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        dt: f32,
    ) -> Result<&[Wish], TickError> {
        let switches = Switches { executor, ..Switches::default() };
        self.push_with(&switches, view, units, wishes, dt)
    }

    /// Writes the same wishes as [`push`](Self::push) whatever the switches are. For tests and measurements.
    ///
    /// # Errors
    /// As for [`push`](Self::push).
    #[doc(hidden)]
    pub fn push_with(
        &mut self,
        switches: &Switches<'_>,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        dt: f32,
    ) -> Result<&[Wish], TickError> {
        let settings = TickSettings { dt, ..TickSettings::default() };
        check(view, units, wishes, &settings)?;
        let asked = &wishes[..units.slots()];
        self.wishes.resize(units.slots(), Wish::STAND);
        if dt == 0.0 {
            self.wishes.copy_from_slice(asked);
            return Ok(&self.wishes);
        }
        let (simd, workers) = (Simd::current(), Workers::new(switches.executor));
        let chunk = switches.chunk_units;
        self.sorted.sort(workers, simd, units);
        let strength = &Strength::new(&self.settings, dt);
        let crowd = Crowd { simd, units, sorted: &self.sorted, strength };
        if !self.pair_sums.push(workers, crowd, chunk) {
            each_range(workers, self.sorted.count, chunk, PairList::zeroed, |found, places| {
                crowd.push(places, found);
            });
        }
        let tick = Tick::new(view, &settings);
        let steering = &Steering { units, most: self.settings.push_max };
        let pushes = &self.sorted.pushes;
        let guard = || Guard::new(view, &tick);
        each_chunk_with(workers, &mut self.wishes, chunk, guard, |guard, first, wishes| {
            let slots = first..first + wishes.len();
            let (pushes, asked) = (&pushes[slots.clone()], &asked[slots]);
            simd.run(Steer { steering, guard, first, pushes, asked, wishes });
        });
        Ok(&self.wishes)
    }
}
