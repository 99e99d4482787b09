//! Ours: units and a batch.

use marchland_controller::{Batch, Body, BodyBuilder, Spawn, TickSettings, UnitId, Units, Wish};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Contender, HEIGHT, RADIUS, RATE, SLOPE_DEGREES, SNAP, STEP};
use crate::Failure;
use crate::memory::Meter;
use crate::rounds::Stopwatch;
use crate::scene::Scene;

/// Units that are also moved alone, to see how long one takes.
const SINGLES: usize = 256;

/// Units, moved by a batch.
pub(crate) struct Marchland<'a> {
    name: String,
    scene: &'a Scene,
    units: Units,
    ids: Vec<UnitId>,
    wishes: Vec<Wish>,
    batch: Batch,
    settings: TickSettings,
    pool: ThreadPool,
    bytes: [i64; 4],
}

impl<'a> Marchland<'a> {
    /// Units standing at the given places, moved by so many threads.
    pub(crate) fn new(
        scene: &'a Scene,
        starts: &[[f64; 3]],
        threads: usize,
    ) -> Result<Self, Failure> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let wishes = vec![Wish::STAND; starts.len()];
        let mut meter = Meter::of_heap();
        let mut units = Units::new(scene.sectors.grid().sector_size());
        let body = units.add_body(body()?)?;
        let stand = |start| Ok(Spawn::standing(scene.world_pos(start)?, body));
        let spawns: Vec<_> = starts.iter().copied().map(stand).collect::<Result<_, Failure>>()?;
        let ids = units.spawn_all(&spawns)?;
        drop(spawns);
        // The first tick of a population makes room; standing, it moves nobody.
        let (mut batch, settings) = (Batch::new(), TickSettings::at_rate(RATE));
        pool.install(|| {
            batch.tick(scene.sectors.view(), &mut units, &wishes, &settings).map(drop)
        })?;
        let [ground, meshes, props] = scene.bytes;
        let bytes = [ground, meshes, props, meter.lap()];
        let name = match threads {
            1 => "**Marchland**".into(),
            _ => format!("**Marchland**, {threads} threads"),
        };
        Ok(Self { name, scene, units, ids, wishes, batch, settings, pool, bytes })
    }

    /// Units of their own that begin where ours are.
    fn singles(&self) -> Result<Vec<Single>, Failure> {
        let single = |id: &UnitId| {
            let (Some(position), Some(velocity), Some(motion)) =
                (self.units.position(*id), self.units.velocity(*id), self.units.motion(*id))
            else {
                return Err("a unit is gone".into());
            };
            let mut units = Units::new(self.units.sector_size());
            let body = units.add_body(body()?)?;
            let spawn = Spawn { velocity, motion, ..Spawn::standing(position, body) };
            units.spawn(spawn)?;
            let wish = [self.wishes[id.slot as usize]];
            Ok(Single { units, wish })
        };
        // From all over the slots.
        let every = self.ids.len().div_ceil(SINGLES);
        self.ids.iter().step_by(every).map(single).collect()
    }
}

/// A unit that is moved alone.
struct Single {
    units: Units,
    wish: [Wish; 1],
}

/// The body that all contenders are given; the knee takes the whole step.
fn body() -> Result<Body, Failure> {
    let builder = BodyBuilder {
        radius: RADIUS,
        height: HEIGHT,
        knee: STEP,
        step_up: STEP,
        step_down: SNAP,
        max_slope_degrees: SLOPE_DEGREES,
        ..Body::builder()
    };
    Ok(builder.build()?)
}

impl Contender for Marchland<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    fn steer(&mut self, wishes: &[[f32; 2]]) {
        for (id, &[x, z]) in self.ids.iter().zip(wishes) {
            self.wishes[id.slot as usize] = Wish::walk(x, z);
        }
    }

    fn run(&mut self, ticks: usize) -> Result<(), Failure> {
        let Self { scene, units, wishes, batch, settings, pool, .. } = self;
        let view = scene.sectors.view();
        pool.install(|| {
            (0..ticks).try_for_each(|_| batch.tick(view, units, wishes, settings).map(drop))
        })?;
        Ok(())
    }

    fn run_each(&mut self, ticks: usize, nanoseconds: &mut Vec<u32>) -> Result<(), Failure> {
        let mut singles = self.singles()?;
        self.run(ticks)?;
        let Self { scene, settings, pool, .. } = self;
        let view = scene.sectors.view();
        pool.install(|| -> Result<(), Failure> {
            let mut batch = Batch::new();
            for tick in 0..=ticks {
                for Single { units, wish } in &mut singles {
                    let begun = Stopwatch::start();
                    batch.tick(view, units, wish, settings)?;
                    // The first ticks make room.
                    if tick > 0 {
                        nanoseconds.push(begun.nanoseconds());
                    }
                }
            }
            Ok(())
        })
    }

    fn places(&self) -> Vec<[f64; 3]> {
        let nowhere = [f64::NAN; 3];
        let place =
            |id: &UnitId| self.units.position(*id).map_or(nowhere, |at| self.scene.place(at));
        self.ids.iter().map(place).collect()
    }

    fn bytes(&self) -> Option<[i64; 4]> {
        Some(self.bytes)
    }
}
