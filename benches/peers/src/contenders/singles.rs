//! Our walkers timed one by one: a batch moves all of its units at once, and does not report how long
//! one takes.
//!
//! Every walker of the crowd is moved once more, from its current place, as its own population. All work that
//! a batch does once is included in the time of each. Where a population of one differs from a crowd,
//! conditions are set as in the crowd:
//!
//! ```text
//! kept places    a crowd keeps the surroundings of at most 1536 units from tick to tick: a unit that takes
//!                the full controller occupies one of these places until it no longer takes it; if none is
//!                free, all is gathered again in the unit's next tick
//! warm memory    all units go the same way twice, and the second time is timed: memory was touched before
//! known sectors  a batch forgets what it knows of a sector in which no unit was seen for some 500 ticks;
//!                a tick of one unit counts as one, so no batch moves that many
//! ```

use marchland_controller::{Batch, Spawn, Switches, TickSettings, UnitId, Units, Wish};
use marchland_terrain::TerrainView;

use super::ours::{body, view};
use crate::clock::Stopwatch;
use crate::movers::Movers;
use crate::scene::Scene;
use crate::setup::Failure;

/// Units of a population whose surroundings are kept at a time.
const KEPT_PLACES: usize = 1536;

/// Most ticks of a batch.
const BATCH_TICKS: usize = 500;

/// How often the same ticks are run for the least of their cycles.
const REPEATS: usize = 5;

/// What a tick of one unit took.
struct TickCost {
    nanoseconds: u32,
    cycles: u32,
    is_full: bool,
}

/// Cycles of the processor's clock, at its nominal rate; 0 where there is no such counter.
#[allow(unsafe_code, reason = "the counter is an intrinsic")]
fn cycles_now() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it reads a counter.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// A unit that is moved alone.
struct SingleUnit {
    units: Units,
    id: UnitId,
    start: Spawn,
    wish: [Wish; 1],
    /// Whether it has a kept place.
    keeps: bool,
}

/// The units of a crowd, each on its own.
pub(super) struct Singles {
    /// In the order of the crowd.
    all: Vec<SingleUnit>,
    /// Kept places that are free.
    free: usize,
}

impl Singles {
    /// Units in their own populations that start at the places of a crowd's units and have the same
    /// wishes.
    pub(super) fn new(crowd: &Units, ids: &[UnitId], wishes: &[Wish]) -> Result<Self, Failure> {
        let mut all = Vec::with_capacity(ids.len());
        for &id in ids {
            let found = (crowd.position(id), crowd.velocity(id), crowd.motion(id));
            let (Some(position), Some(velocity), Some(motion)) = found else {
                return Err("a unit is gone".into());
            };
            let mut units = Units::new(crowd.sector_size());
            let body = units.add_body(body()?)?;
            let start = Spawn { velocity, motion, ..Spawn::standing(position, body) };
            let wish = [wishes[id.slot as usize]];
            let id = units.spawn(start)?;
            all.push(SingleUnit { units, id, start, wish, keeps: false });
        }
        Ok(Self { all, free: KEPT_PLACES })
    }

    /// Moves them by one tick more than `ticks`, and records how long each took in all but the
    /// first.
    pub(super) fn time(
        mut self,
        view: TerrainView<'_>,
        how: (&Switches<'_>, &TickSettings),
        ticks: usize,
        nanoseconds: &mut Vec<u32>,
    ) -> Result<(), Failure> {
        let passes = [false, true];
        let mut batches = self.batches(passes.len() * (ticks + 1));
        for is_timed in passes {
            self.restart()?;
            for tick in 0..=ticks {
                // What is remembered from earlier ticks is created in the first.
                let is_timed = is_timed && tick > 0;
                let mut record = |took: TickCost| {
                    if is_timed {
                        nanoseconds.push(took.nanoseconds);
                    }
                };
                self.tick(view, how, &mut batches, &mut record)?;
            }
        }
        Ok(())
    }

    /// Moves them by `ticks` ticks, again and again from the start, and records for each tick of a unit in the full
    /// controller the least number of cycles that it took.
    pub(super) fn least_cycles(
        mut self,
        (scene, movers): (&Scene, Option<&Movers>),
        how: (&Switches<'_>, &TickSettings),
        ticks: usize,
        cycles: &mut Vec<u32>,
    ) -> Result<(), Failure> {
        let mut least = vec![u32::MAX; ticks * self.all.len()];
        let mut batches = self.batches(REPEATS * ticks);
        for _ in 0..REPEATS {
            self.restart()?;
            let (mut movers, mut place) = (movers.cloned(), 0);
            for _ in 0..ticks {
                movers.as_mut().map_or(Ok(()), Movers::advance)?;
                let view = view(scene, movers.as_ref());
                self.tick(view, how, &mut batches, &mut |took| {
                    if took.is_full && took.cycles < least[place] {
                        least[place] = took.cycles;
                    }
                    place += 1;
                })?;
            }
        }
        cycles.extend(least.into_iter().filter(|cycles| *cycles < u32::MAX));
        Ok(())
    }

    /// Batches for `ticks` ticks of all units, each used for as many consecutive units as it may move.
    fn batches(&self, ticks: usize) -> Vec<Batch> {
        let each = usize::max(1, BATCH_TICKS / ticks);
        (0..self.all.len().div_ceil(each)).map(|_| Batch::new()).collect()
    }

    /// Puts all units back to their starts, in their existing memory.
    fn restart(&mut self) -> Result<(), Failure> {
        self.free = KEPT_PLACES;
        for single in &mut self.all {
            single.keeps = false;
            single.units.despawn(single.id);
            single.id = single.units.spawn(single.start)?;
        }
        Ok(())
    }

    /// Runs a tick of all units.
    fn tick(
        &mut self,
        view: TerrainView<'_>,
        (switches, settings): (&Switches<'_>, &TickSettings),
        batches: &mut [Batch],
        record: &mut impl FnMut(TickCost),
    ) -> Result<(), Failure> {
        let each = self.all.len().div_ceil(batches.len().max(1)).max(1);
        for (singles, batch) in self.all.chunks_mut(each).zip(batches) {
            for single in singles {
                let (begun, before) = (Stopwatch::start(), cycles_now());
                let SingleUnit { units, wish, .. } = single;
                let report = batch.tick_with(switches, view, units, wish, settings)?;
                let cycles = u32::try_from(cycles_now() - before).unwrap_or(u32::MAX);
                let is_full = report.full > 0;
                record(TickCost { nanoseconds: begun.nanoseconds(), cycles, is_full });
                single.share(is_full, &mut self.free);
            }
        }
        Ok(())
    }
}

impl SingleUnit {
    /// Takes a free place, returns its own, or without a place forgets what was gathered.
    fn share(&mut self, is_full: bool, free: &mut usize) {
        if is_full == self.keeps {
            return;
        }
        if self.keeps {
            self.keeps = false;
            *free += 1;
        } else if *free > 0 {
            self.keeps = true;
            *free -= 1;
            return;
        }
        // A copy keeps everything else.
        self.units = self.units.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Checker;
    use crate::contenders::Contender;
    use crate::contenders::marchland::Marchland;
    use crate::crowd;
    use crate::scene::Scene;
    use crate::setup::Order;

    #[test]
    fn a_place_is_its_units_until_it_follows_and_no_more_than_are_free_are_taken() {
        let grid = marchland_terrain::SectorSize::new(64.0).unwrap();
        let mut units = Units::new(grid);
        let body = units.add_body(body().unwrap()).unwrap();
        let place = marchland_terrain::WorldPos::from_metres(0.0, 0.0, 0.0, grid).unwrap();
        let start = Spawn::standing(place, body);
        let id = units.spawn(start).unwrap();
        let mut two = [units.clone(), units].map(|units| SingleUnit {
            units,
            id,
            start,
            wish: [Wish::STAND],
            keeps: false,
        });
        let mut free = 1;
        let mut tick = |full: [bool; 2]| {
            for (single, is_full) in two.iter_mut().zip(full) {
                single.share(is_full, &mut free);
            }
            ([0, 1].map(|one: usize| two[one].keeps), free)
        };
        assert_eq!(tick([false, true]), ([false, true], 0));
        assert_eq!(tick([true, true]), ([false, true], 0));
        assert_eq!(tick([true, false]), ([false, false], 1));
        assert_eq!(tick([true, true]), ([true, false], 0));
        assert_eq!(tick([false, true]), ([false, true], 0));
    }

    /// The timed work is that of the crowd: alone, every unit reaches the same place as among the
    /// others.
    #[test]
    fn alone_everybody_goes_as_in_the_crowd() {
        const TICKS: usize = 20;
        let scene = Scene::town().unwrap();
        let checker = Checker::new(&scene);
        let starts = crowd::starts(&scene, &checker, 600, Order::World).unwrap();
        let mut crowd = Marchland::new(&scene, &starts, 1).unwrap();
        crowd.steer(&(0..starts.len()).map(|unit| crowd::wish(unit, 0)).collect::<Vec<_>>());
        let (view, settings) = (scene.sectors.view(), crowd.settings());
        let mut singles = crowd.singles().unwrap();
        crowd.run(TICKS).unwrap();
        for _ in 0..2 {
            singles.restart().unwrap();
            let mut batches = singles.batches(2 * TICKS);
            let mut timed = 0;
            for _ in 0..TICKS {
                singles
                    .tick(view, (&Switches::default(), &settings), &mut batches, &mut |_| {
                        timed += 1;
                    })
                    .unwrap();
            }
            assert_eq!(timed, TICKS * starts.len());
            let have = singles.all.iter().filter(|single| single.keeps).count();
            assert!(have > 0 && have + singles.free == KEPT_PLACES, "{have} places are taken");
            for (single, place) in singles.all.iter().zip(crowd.places()) {
                let alone = scene.place(single.units.position(single.id).unwrap());
                assert_eq!(alone, place);
            }
        }
    }
}
