//! Ours, walker by walker: a batch moves all of its units at once, and so does not tell how long one takes.
//!
//! Every walker of the crowd is moved once more, from where it is, as a population of its own; all that a
//! batch does once is in the time of each. Two things are as in the crowd all the same:
//!
//! ```text
//! kept places    512 at most have what was gathered around them kept from tick to tick: so many are dealt
//!                out evenly over the crowd; around all others everything is gathered anew in each tick
//! warm memory    all go the same way twice, and the second time is timed: memory is first touched before
//! ```
//!
//! Who is in the same sector is moved by the same batch: what a batch knows of a sector it gives up when
//! nobody was there for some hundred ticks, and a tick of a population of one counts as one.

use marchland_controller::{Batch, Spawn, TickSettings, UnitId, Units, Wish};
use marchland_terrain::{SectorCoord, TerrainView};

use super::marchland::body;
use crate::Failure;
use crate::rounds::Stopwatch;

/// Units of a population that have what is around them kept at a time.
const KEPT_PLACES: usize = 512;

/// A unit that is moved alone.
struct Single {
    units: Units,
    id: UnitId,
    start: Spawn,
    wish: [Wish; 1],
    /// Whether it has a kept place.
    keeps: bool,
    /// Which batch moves it.
    batch: usize,
}

/// The units of a crowd, each alone.
pub(super) struct Singles {
    /// In order of their slots in the crowd.
    all: Vec<Single>,
    /// One for each sector in which somebody begins.
    batches: Vec<Batch>,
}

impl Singles {
    /// Units of their own that begin where those of a crowd are and are asked the same.
    pub(super) fn new(crowd: &Units, ids: &[UnitId], wishes: &[Wish]) -> Result<Self, Failure> {
        let mut all = Vec::with_capacity(ids.len());
        let mut sectors: Vec<SectorCoord> = Vec::new();
        for (index, &id) in ids.iter().enumerate() {
            let found = (crowd.position(id), crowd.velocity(id), crowd.motion(id));
            let (Some(position), Some(velocity), Some(motion)) = found else {
                return Err("a unit is gone".into());
            };
            let mut units = Units::new(crowd.sector_size());
            let body = units.add_body(body()?)?;
            let start = Spawn { velocity, motion, ..Spawn::standing(position, body) };
            let batch = sectors.iter().position(|known| *known == position.sector());
            let batch = batch.unwrap_or_else(|| {
                sectors.push(position.sector());
                sectors.len() - 1
            });
            let (wish, keeps) = ([wishes[id.slot as usize]], is_kept(index, ids.len()));
            let id = units.spawn(start)?;
            all.push(Single { units, id, start, wish, keeps, batch });
        }
        let batches = sectors.iter().map(|_| Batch::new()).collect();
        Ok(Self { all, batches })
    }

    /// Moves them by one tick more than so many, and says how long each took in all but the first.
    pub(super) fn time(
        mut self,
        view: TerrainView<'_>,
        settings: &TickSettings,
        ticks: usize,
        nanoseconds: &mut Vec<u32>,
    ) -> Result<(), Failure> {
        for is_timed in [false, true] {
            self.restart()?;
            for tick in 0..=ticks {
                // What is remembered of the ticks before is made in the first.
                let is_timed = is_timed && tick > 0;
                let mut told = |took| {
                    if is_timed {
                        nanoseconds.push(took);
                    }
                };
                self.tick(view, settings, &mut told)?;
            }
        }
        Ok(())
    }

    /// Puts everybody back to where it began, in memory that it has.
    fn restart(&mut self) -> Result<(), Failure> {
        for single in &mut self.all {
            single.units.despawn(single.id);
            single.id = single.units.spawn(single.start)?;
        }
        Ok(())
    }

    /// A tick of everybody.
    fn tick(
        &mut self,
        view: TerrainView<'_>,
        settings: &TickSettings,
        told: &mut impl FnMut(u32),
    ) -> Result<(), Failure> {
        for Single { units, wish, keeps, batch, .. } in &mut self.all {
            let begun = Stopwatch::start();
            self.batches[*batch].tick(view, units, wish, settings)?;
            told(begun.nanoseconds());
            if !*keeps {
                // A copy has everything but what was gathered.
                *units = units.clone();
            }
        }
        Ok(())
    }
}

/// Whether one of a crowd is among those that have a kept place, which are spread over it evenly.
fn is_kept(index: usize, count: usize) -> bool {
    let before = |index: usize| index * KEPT_PLACES / count;
    count <= KEPT_PLACES || before(index) < before(index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Checker;
    use crate::contenders::Contender;
    use crate::contenders::marchland::Marchland;
    use crate::crowd::{self, Order};
    use crate::scene::Scene;

    #[test]
    fn as_many_keep_what_is_around_them_as_there_are_places() {
        for (count, kept) in [(1, 1), (512, 512), (513, 512), (1000, 512), (10_000, 512)] {
            assert_eq!((0..count).filter(|&index| is_kept(index, count)).count(), kept, "{count}");
        }
    }

    /// What is timed is what the crowd does: alone everybody comes to where it comes among the others.
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
            let mut timed = 0;
            for _ in 0..TICKS {
                singles.tick(view, &settings, &mut |_| timed += 1).unwrap();
            }
            assert_eq!(timed, TICKS * starts.len());
            for (single, place) in singles.all.iter().zip(crowd.places()) {
                let alone = scene.place(single.units.position(single.id).unwrap());
                assert_eq!(alone, place);
            }
        }
    }
}
