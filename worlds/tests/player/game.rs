//! One game: a small world, units of all sizes and props that come and go.

use std::sync::Arc;

use marchland_controller::{
    Batch, Body, BodyBuilder, BodyId, PathChoice, SlopeRule, Switches, TickSettings, UnitId, Units,
    Wish,
};
use marchland_random::Random;
use marchland_terrain::math::lesser;
use marchland_terrain::props::{LiveProps, LoadedMesh, PreparedMesh};
use marchland_terrain::{Ground, PropId, ResidentSectors, TerrainView, WorldPos};
use marchland_worlds::judge::Judge;
use marchland_worlds::shapes;
use marchland_worlds::terrain::{grid_of, world_from_fn};

use crate::check::Findings;

/// Lengths of ticks. Seconds.
const LENGTHS: [f32; 7] = [1.0 / 240.0, 1.0 / 60.0, 1.0 / 60.0, 1.0 / 30.0, 0.1, 0.25, 1e-4];
/// Sectors along a side.
const SECTORS: u16 = 4;

/// What the player knows of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitRecord {
    pub(crate) id: UnitId,
    /// Until it is free again, it is told that it is not.
    pub(crate) is_told: bool,
    /// Whether it was in the air when the last tick ended, and the greatest speed of what it then had left.
    pub(crate) is_aloft: bool,
    pub(crate) kept: f64,
    /// Of the body that it had in the last tick. Metres.
    pub(crate) radius: f32,
    pub(crate) height: f32,
}

pub(crate) struct Game {
    pub(crate) seed: u64,
    pub(crate) tick: u32,
    pub(crate) random: Random,
    pub(crate) sectors: ResidentSectors,
    pub(crate) live: LiveProps,
    pub(crate) props: Vec<PropId>,
    /// Those that were put elsewhere since the last tick.
    pub(crate) put: Vec<PropId>,
    pub(crate) meshes: Vec<Arc<LoadedMesh>>,
    pub(crate) units: Units,
    pub(crate) bodies: Vec<BodyId>,
    pub(crate) known: Vec<UnitRecord>,
    pub(crate) wishes: Vec<Wish>,
    pub(crate) batch: Batch,
    pub(crate) settings: TickSettings,
    pub(crate) switches: Switches<'static>,
    pub(crate) judge: Judge,
    /// Unit-ticks so far.
    pub(crate) played: u64,
}

impl Game {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x009a_6e5e);
        for _ in 0..4 {
            random.bits(); // the first numbers of near seeds are near
        }
        let sectors = world(seed, random.pick(&[0.0, 0.5, 2.0, 5.0]));
        let size = sectors.grid().sector_size();
        let mut units = Units::new(size);
        let bodies = (0..10).map(|_| units.add_body(body(&mut random)).unwrap()).collect();
        let mut game = Self {
            seed,
            tick: 0,
            random,
            live: LiveProps::new(size),
            sectors,
            props: Vec::new(),
            put: Vec::new(),
            meshes: meshes(),
            units,
            bodies,
            known: Vec::new(),
            wishes: Vec::new(),
            batch: Batch::new(),
            settings: TickSettings::default(),
            switches: Switches::default(),
            judge: Judge::new(),
            played: 0,
        };
        for _ in 0..12 {
            game.add_prop();
            game.spawn();
        }
        game
    }

    pub(crate) fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }

    /// Gives commands, ticks, and looks at everybody.
    pub(crate) fn tick(&mut self, findings: &mut Findings) {
        if self.random.once_in(40.0) {
            let gravity = self.random.pick(&[9.81, 9.81, 0.0, 50.0]);
            self.switches = Switches::path(self.random.pick(&[PathChoice::Auto, PathChoice::Full]));
            let dt = self.random.pick(&LENGTHS);
            self.settings = TickSettings { dt, gravity, ..self.settings };
        }
        self.put.clear();
        self.command(findings);
        let unput = (!self.put.is_empty()).then(|| self.without_put());
        self.live.advance(self.settings.dt).unwrap();
        let before = self.units.clone();
        let view = self.sectors.view().with_live(&self.live);
        let Self { batch, switches, units, wishes, settings, .. } = self;
        batch.tick_with(switches, view, units, wishes, settings).unwrap();
        self.tick += 1;
        self.played += self.known.len() as u64;
        self.check(&before, findings);
        if let Some(live) = unput {
            self.check_without_put(&before, &live, findings);
        }
    }

    /// The live props after the next tick, with those removed that were put elsewhere.
    fn without_put(&self) -> LiveProps {
        let mut live = self.live.clone();
        for &prop in &self.put {
            live.remove(prop);
        }
        live.advance(self.settings.dt).unwrap();
        live
    }

    /// A place in the world, on the ground, above or below it, in a prop, or outside.
    pub(crate) fn somewhere(&mut self) -> WorldPos {
        let size = self.sectors.grid().sector_size();
        let side = f64::from(size.metres());
        let far = if self.random.once_in(60.0) { 1e6 } else { 0.0 };
        let [mut x, mut z] = [0; 2].map(|_| {
            self.random.between(-side / 2.0 - far, side * (f64::from(SECTORS) - 0.5) + far)
        });
        if self.random.once_in(4.0) {
            // On lines of cells and borders.
            [x, z] = [x, z].map(f64::round);
        }
        let at = |y: f64| WorldPos::from_metres(x, y, z, size).unwrap();
        let above = self.random.pick(&[0.0, 0.0, 0.0, 0.3, 2.0, 8.0, -0.4, -3.0]);
        match self.sectors.view().ground(at(0.0)) {
            Ground::Height(height) => at(f64::from(height) + above),
            _ => at(above),
        }
    }
}

/// Ground from level to very rough, in sectors of 16 m.
fn world(seed: u64, rough: f64) -> ResidentSectors {
    let grid = grid_of(1.0, 16).unwrap();
    let noise = |x: i64, z: i64| {
        let bits = seed ^ (x as u64).wrapping_mul(0x9e37_79b9) ^ (z as u64) << 40;
        marchland_random::part(marchland_random::mixed(bits))
    };
    world_from_fn(grid, SECTORS, |x, z| {
        let (x, z) = (x.round() as i64, z.round() as i64);
        noise(x, z) * rough * (x.rem_euclid(64)) as f64 / 64.0 + noise(x / 7, z / 7) * rough
    })
    .unwrap()
}

/// Boxes from slabs to halls, ramps, a stair, a rock, and an open sheet.
fn meshes() -> Vec<Arc<LoadedMesh>> {
    let mut sources = vec![
        shapes::crate_box(1.0, 1.0, 1.0),
        shapes::crate_box(4.0, 0.2, 4.0),
        shapes::crate_box(0.2, 3.0, 4.0),
        shapes::crate_box(6.0, 6.0, 6.0),
        shapes::crate_box(0.05, 0.05, 5.0),
        shapes::ramp(30.0, 1.5, 2.0),
        shapes::ramp(55.0, 2.0, 3.0),
        shapes::pillar(0.5, 3.0, 9),
    ];
    let mut sheet = shapes::crate_box(3.0, 0.5, 3.0);
    sheet.triangles.truncate(2);
    sources.push(sheet);
    let loaded = |mesh| LoadedMesh::new(PreparedMesh::new(mesh).unwrap().0.encode()).unwrap();
    sources.iter().map(|mesh| Arc::new(loaded(mesh))).collect()
}

/// Usual, or anywhere between the ends of every range, or at one.
fn body(random: &mut Random) -> Body {
    if random.once_in(3.0) {
        return Body::default();
    }
    let number = |random: &mut Random, low: f64, usual: f64, high: f64| {
        let any = random.between(low, high);
        random.pick(&[low, usual, usual, usual, any, high]) as f32
    };
    // Wider ones take seconds for a tick as long as no budget holds them.
    let most = if random.once_in(12.0) { 12.0 } else { 2.0 };
    let height = number(random, 0.01, 1.8, 6.0);
    let part = |random: &mut Random, usual: f32| {
        let usual = lesser(usual, height);
        number(random, 0.0, f64::from(usual), f64::from(height))
    };
    let (knee, step_down) = (part(random, 0.45), part(random, 0.45));
    BodyBuilder {
        radius: number(random, 0.01, 0.4, most),
        height,
        knee,
        step_up: number(random, 0.0, 0.45, 8.0),
        step_down,
        climb: number(random, 0.0, 0.0, 8.0),
        max_slope_degrees: f64::from(number(random, 0.0, 45.0, 90.0)),
        slope_rule: random.pick(&[
            SlopeRule::KeepHorizontalSpeed,
            SlopeRule::KeepDirection,
            SlopeRule::KeepPathSpeed,
            SlopeRule::Project,
        ]),
        slide_control: number(random, 0.0, 0.3, 1.0),
        air_control: number(random, 0.0, 0.0, 1000.0),
        jump_speed: number(random, 0.0, 5.0, 100.0),
        slide_speed: number(random, 0.0, 6.0, 100.0),
        climb_speed: number(random, 0.001, 2.0, 100.0),
        terminal_speed: number(random, 0.0, 55.0, 1000.0),
        ..Body::builder()
    }
    .build()
    .unwrap()
}
