//! Marchland itself: units and a batch.

use marchland_controller::{
    Batch, Event, EventKind, PathChoice, Spawn, Switches, TickSettings, UnitId, Units, Wish,
};
use marchland_worlds::stuck;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::ours::{body, view};
use super::singles::Singles;
use super::{Contender, Trouble};
use crate::memory::Meter;
use crate::movers::Movers;
use crate::scene::Scene;
use crate::setup::{Failure, RATE};

/// Units, moved by a batch.
pub(crate) struct Marchland<'a> {
    name: String,
    scene: &'a Scene,
    units: Units,
    ids: Vec<UnitId>,
    wishes: Vec<Wish>,
    batch: Batch,
    settings: TickSettings,
    switches: Switches<'static>,
    pool: ThreadPool,
    movers: Option<Movers>,
    /// Units and ticks, and of those the ones in the full controller.
    ran: [usize; 2],
    bytes: [i64; 4],
}

impl<'a> Marchland<'a> {
    /// Units standing at the given places, moved by this many threads.
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
        let mut ids = Vec::with_capacity(starts.len());
        // In the order given to every contender.
        for &start in starts {
            ids.push(units.spawn(Spawn::standing(scene.world_pos(start)?, body))?);
        }
        // The first tick of a population reserves memory. All units stand, so it moves none.
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
        let (movers, ran) = (scene.movers.clone(), [0; 2]);
        let switches = Switches::default();
        Ok(Self {
            name,
            scene,
            units,
            ids,
            wishes,
            batch,
            settings,
            switches,
            pool,
            movers,
            ran,
            bytes,
        })
    }

    /// Sends every unit through the full controller.
    pub(crate) fn all_full(mut self) -> Self {
        self.switches = Switches::path(PathChoice::Full);
        self.name.push_str(", all in the full controller");
        self
    }

    /// All of the units, each alone.
    pub(super) fn singles(&self) -> Result<Singles, Failure> {
        Singles::new(&self.units, &self.ids, &self.wishes)
    }

    /// The settings of ticks.
    #[cfg(test)]
    pub(super) fn settings(&self) -> TickSettings {
        self.settings
    }
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
        let Self { scene, units, wishes, batch, switches, settings, pool, movers, ran, .. } = self;
        ran[0] += ticks * units.len();
        pool.install(|| {
            (0..ticks).try_for_each(|_| {
                movers.as_mut().map_or(Ok(()), Movers::advance)?;
                let view = view(scene, movers.as_ref());
                ran[1] += batch.tick_with(switches, view, units, wishes, settings)?.full;
                Ok(())
            })
        })
    }

    fn run_each(&mut self, ticks: usize, nanoseconds: &mut Vec<u32>) -> Result<(), Failure> {
        // On two threads a single walker takes as long as on one.
        if self.threads() > 1 {
            return self.run(ticks);
        }
        let singles = self.singles()?;
        self.run(ticks)?;
        let view = self.scene.sectors.view();
        let how = (&self.switches, &self.settings);
        self.pool.install(|| singles.time(view, how, ticks, nanoseconds))
    }

    fn run_cycles(&mut self, ticks: usize, cycles: &mut Vec<u32>) -> Result<(), Failure> {
        let (singles, movers) = (self.singles()?, self.movers.clone());
        self.run(ticks)?;
        let Self { scene, switches, settings, pool, .. } = self;
        let how = (&*switches, &*settings);
        pool.install(|| singles.least_cycles((scene, movers.as_ref()), how, ticks, cycles))
    }

    fn share_full(&self) -> f64 {
        self.ran[1] as f64 / self.ran[0] as f64
    }

    fn movers(&self) -> Option<&Movers> {
        self.movers.as_ref()
    }

    fn places(&self) -> Vec<[f64; 3]> {
        let nowhere = [f64::NAN; 3];
        let place =
            |id: &UnitId| self.units.position(*id).map_or(nowhere, |at| self.scene.place(at));
        self.ids.iter().map(place).collect()
    }

    fn troubles(&self) -> Option<Vec<(usize, Trouble)>> {
        let trouble = |event: &Event| {
            let trouble = match event.kind {
                EventKind::Stuck { .. } => Trouble::Stuck,
                EventKind::Crushed { .. } => Trouble::Crushed,
                EventKind::Overloaded => Trouble::Overloaded,
                _ => return None,
            };
            let unit = self.ids.iter().position(|id| *id == event.unit)?;
            Some((unit, trouble))
        };
        Some(self.batch.events().iter().filter_map(trouble).collect())
    }

    fn is_trapped(&self, unit: usize) -> bool {
        let view = view(self.scene, self.movers.as_ref());
        stuck::trapped(view, &self.units, self.ids[unit], &self.settings).is_some()
    }

    fn bytes(&self) -> Option<[i64; 4]> {
        Some(self.bytes)
    }
}
