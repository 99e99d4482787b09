//! Crowds among props: in the clutter with what moves there, in the town, and pushed apart in it.

use marchland_controller::{
    Batch, BodyBuilder, PathChoice, Report, Separation, SeparationSettings, Spawn, Switches,
    TickSettings, Units, Wish,
};
use marchland_random::Random;
use marchland_terrain::{Ground, TerrainView, WorldPos};

/// Units that go to and fro within a square.
pub(crate) struct Crowd {
    pub(crate) units: Units,
    pub(crate) wishes: Vec<Wish>,
    batch: Batch,
    settings: TickSettings,
    switches: Switches<'static>,
    separation: Option<Separation>,
    random: Random,
    ticks: u64,
}

impl Crowd {
    /// On the ground, anywhere from `low` to `high` metres on both axes, whatever stands there.
    pub(crate) fn new(view: TerrainView<'_>, count: usize, [low, high]: [f64; 2]) -> Self {
        let size = view.grid().sector_size();
        let mut random = Random::from_state(29);
        let mut units = Units::new(size);
        let town = BodyBuilder { knee: 0.4, step_up: 0.4, step_down: 0.3, ..Default::default() };
        let slim = BodyBuilder { radius: 0.25, height: 1.2, ..town };
        let bodies = [BodyBuilder::default(), town, slim]
            .map(|body| units.add_body(body.build().unwrap()).unwrap());
        while units.len() < count {
            let [x, z] = [(); 2].map(|()| random.between(low, high));
            let at = |y| WorldPos::from_metres(x, y, z, size).unwrap();
            if let Ground::Height(y) = view.ground(at(0.0)) {
                let body = bodies[units.len() % 3];
                units.spawn(Spawn::standing(at(f64::from(y)), body)).unwrap();
            }
        }
        Self {
            units,
            wishes: vec![Wish::STAND; count],
            batch: Batch::new(),
            settings: TickSettings::default(),
            switches: Switches::default(),
            separation: None,
            random,
            ticks: 0,
        }
    }

    /// Pushed apart before each tick.
    pub(crate) fn apart(self) -> Self {
        let separation = Separation::new(SeparationSettings::default()).unwrap();
        Self { separation: Some(separation), ..self }
    }

    /// Everybody takes the full controller.
    pub(crate) fn on_full(self) -> Self {
        Self { switches: Switches::path(PathChoice::Full), ..self }
    }

    /// Asks some for another way: most walk, some stand, run or jump.
    pub(crate) fn ask(&mut self) {
        for (slot, wish) in self.wishes.iter_mut().enumerate() {
            *wish = wish.with_jump(false);
            if !(self.ticks + slot as u64).is_multiple_of(40) {
                continue;
            }
            let speed = [0.0, 12.0, 5.0, 5.0, 5.0][self.random.between(0.0, 5.0) as usize];
            let [x, z] = [(); 2].map(|()| self.random.between(-1.0, 1.0) * speed);
            *wish = Wish::walk(x as f32, z as f32).with_jump(self.random.between(0.0, 9.0) < 1.0);
        }
    }

    /// A tick of 1/60 s, after a push if they are pushed.
    pub(crate) fn tick(&mut self, view: TerrainView<'_>) -> &Report {
        self.ticks += 1;
        let Self { units, wishes, batch, settings, switches, separation, .. } = self;
        let asked = match separation {
            Some(separation) => separation.push(view, units, wishes, settings.dt).unwrap(),
            None => wishes,
        };
        batch.tick_with(switches, view, units, asked, settings).unwrap()
    }
}
