//! Random walks over rough ground and in the clutter: unchanged requests for a few seconds each.

use std::ops::Range;

use marchland_controller::{
    Batch, Body, BodyBuilder, BodyId, Motion, Spawn, TickSettings, UnitId, Units, Wish,
};
use marchland_random::Random;
use marchland_terrain::math::greater;
use marchland_terrain::{Ground, ResidentSectors, TerrainView, WorldPos};
use marchland_worlds::clutter::{Clutter, HIGH, LOW, Rate};
use marchland_worlds::judge::Judge;
use marchland_worlds::terrain::{CRAGS_ALONG, crags};

use crate::report::StuckReport;
use crate::watch::{Watch, stands_free, way_of_reference};

/// Where is walked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sort {
    /// Ground with heights without any pattern, from gentle to steep.
    Crags,
    /// The world full of obstacles.
    Clutter,
}

const UNITS: usize = 100;
const SECONDS: u64 = 20;

enum World {
    Crags(ResidentSectors),
    Clutter(Box<Clutter>),
}

impl World {
    fn new(sort: Sort, seed: u64) -> Self {
        match sort {
            Sort::Clutter => Self::Clutter(Box::new(Clutter::new(seed).unwrap())),
            Sort::Crags => Self::Crags(crags(seed).unwrap()),
        }
    }

    fn view(&self) -> TerrainView<'_> {
        match self {
            Self::Crags(sectors) => sectors.view(),
            Self::Clutter(clutter) => clutter.view(),
        }
    }

    fn advance(&mut self, rate: Rate) {
        if let Self::Clutter(clutter) = self {
            clutter.advance_at(rate).unwrap();
        }
    }

    fn somewhere(&self, random: &mut Random) -> WorldPos {
        let (low, high) = match self {
            Self::Crags(_) => (-CRAGS_ALONG / 4.0 + 3.0, CRAGS_ALONG * 0.75 - 3.0),
            Self::Clutter(_) => (LOW + 4.0, HIGH - 4.0),
        };
        let [x, z] = [0; 2].map(|_| random.between(low, high));
        let size = self.view().grid().sector_size();
        let at = |y: f64| WorldPos::from_metres(x, y, z, size).unwrap();
        match self.view().ground(at(0.0)) {
            Ground::Height(height) => at(f64::from(height)),
            _ => at(0.0),
        }
    }
}

/// Walks every seed at a rate, two at a time, and reports all who are stuck.
pub(crate) fn walk_all(sorts: &[Sort], seeds: Range<u64>) {
    let rate = match std::env::var("STUCK_RATE").as_deref() {
        Ok("30") => Rate::Hz30,
        Ok("240") => Rate::Hz240,
        Ok("60") | Err(_) => Rate::Hz60,
        Ok(rate) => panic!("STUCK_RATE is 30, 60 or 240, not {rate}"),
    };
    let halves = [0, 1].map(|half| seeds.clone().skip(half).step_by(2));
    let mut found = StuckReport::default();
    std::thread::scope(|scope| {
        let threads = halves.map(|seeds| {
            scope.spawn(move || {
                let mut found = StuckReport::default();
                for seed in seeds {
                    for sort in sorts {
                        Walk::new(*sort, seed, rate).walk(&mut found);
                    }
                }
                found
            })
        });
        for thread in threads {
            found.join(thread.join().unwrap());
        }
    });
    found.report();
}

struct Walk {
    sort: Sort,
    seed: u64,
    rate: Rate,
    world: World,
    units: Units,
    bodies: Vec<BodyId>,
    ids: Vec<UnitId>,
    wishes: Vec<Wish>,
    random: Random,
}

/// The default more often than others.
fn bodies() -> [BodyBuilder; 5] {
    let usual = Body::builder();
    [
        usual,
        usual,
        usual,
        BodyBuilder { radius: 0.25, height: 1.0, knee: 0.3, step_up: 0.3, step_down: 0.3, ..usual },
        BodyBuilder { radius: 0.7, height: 2.2, knee: 0.5, step_up: 0.6, ..usual },
    ]
}

impl Walk {
    fn new(sort: Sort, seed: u64, rate: Rate) -> Self {
        let world = World::new(sort, seed);
        let mut units = Units::new(world.view().grid().sector_size());
        let bodies = bodies().map(|body| units.add_body(body.build().unwrap()).unwrap());
        let mut walk = Self {
            sort,
            seed,
            rate,
            world,
            units,
            bodies: bodies.to_vec(),
            ids: Vec::new(),
            wishes: Vec::new(),
            random: Random::new(seed ^ 0x57ac),
        };
        for unit in 0..UNITS {
            let body = walk.bodies[unit % walk.bodies.len()];
            let place = walk.free_place(body);
            let id = walk.units.spawn(Spawn::standing(place, body)).unwrap();
            walk.ids.push(id);
            walk.wishes.push(Wish::STAND);
        }
        walk
    }

    fn free_place(&mut self, body: BodyId) -> WorldPos {
        let body = self.units.bodies()[body.index()];
        loop {
            let place = self.world.somewhere(&mut self.random);
            if stands_free(self.world.view(), place, &body, u32::MAX) {
                return place;
            }
        }
    }

    fn walk(&mut self, found: &mut StuckReport) {
        let rate = u64::from(self.rate.per_second());
        let settings = TickSettings::at_rate(rate as f32);
        let (mut batch, mut watch) = (Batch::new(), Watch::new());
        for tick in 0..SECONDS * rate {
            for unit in 0..UNITS {
                self.ask(unit, tick, rate, &mut watch);
            }
            self.world.advance(self.rate);
            let view = self.world.view();
            batch.tick(view, &mut self.units, &self.wishes, &settings).unwrap();
            for stuck in watch.tick(view, &self.units, &self.wishes, &settings) {
                let name = format!("{:?}, seed {}, unit {}", self.sort, self.seed, stuck.unit.slot);
                let second = tick as f64 / rate as f64;
                found.put(&name, view, &self.units, &self.wishes, (&stuck, second));
            }
        }
        found.judged(&watch);
    }

    /// Another request every few seconds, and a new place for who is lost.
    fn ask(&mut self, unit: usize, tick: u64, rate: u64, watch: &mut Watch) {
        let random = &mut self.random;
        if tick.is_multiple_of(2 * rate) && (tick == 0 || !random.once_in(3.0)) {
            let [x, z] = if random.once_in(8.0) {
                [0.0; 2]
            } else {
                let speed = random.between(0.5, 4.0);
                let turn = random.between(0.0, std::f64::consts::TAU);
                [speed * libm::cos(turn), speed * libm::sin(turn)]
            };
            self.wishes[unit] = Wish::walk(x as f32, z as f32);
        }
        let id = self.ids[unit];
        if self.units.position(id).unwrap().local().y < -30.0 {
            let place = self.free_place(self.units.body_id(id).unwrap());
            self.units.teleport(self.world.view(), id, place).unwrap();
            watch.forget(id);
        }
    }
}

/// After three seconds of an unchanged request: how many move by less than 0.1 mm in a tick, and how many not at all.
pub(crate) fn count_still(seeds: Range<u64>) -> (usize, usize) {
    let (mut creep, mut stand) = (0, 0);
    for seed in seeds {
        let mut walk = Walk::new(Sort::Crags, seed, Rate::Hz60);
        for wish in &mut walk.wishes {
            let turn = walk.random.between(0.0, std::f64::consts::TAU);
            *wish = Wish::walk(4.0 * libm::cos(turn) as f32, 4.0 * libm::sin(turn) as f32);
        }
        let (mut batch, settings) = (Batch::new(), TickSettings::at_rate(60.0));
        let mut before = Vec::new();
        for _ in 0..181 {
            before = walk.ids.iter().map(|id| walk.units.position(*id).unwrap()).collect();
            batch.tick(walk.world.view(), &mut walk.units, &walk.wishes, &settings).unwrap();
        }
        let size = walk.world.view().grid().sector_size();
        for (id, before) in walk.ids.iter().zip(before) {
            let way = walk.units.position(*id).unwrap().relative_to(before, size).length();
            creep += usize::from(way > 0.0 && way < 1e-4);
            stand += usize::from(way == 0.0);
        }
    }
    (creep, stand)
}

/// The reference is in nothing and not below the ground, and rises no steeper than it may.
pub(crate) fn check_reference(sort: Sort, seed: u64) {
    let mut walk = Walk::new(sort, seed, Rate::Hz60);
    let mut judge = Judge::new();
    let mut moved = 0;
    for unit in (0..UNITS).step_by(4) {
        let body = *walk.units.body(walk.ids[unit]).unwrap();
        let mut from = walk.units.position(walk.ids[unit]).unwrap();
        let view = walk.world.view();
        for _ in 0..4 {
            let turn = walk.random.between(0.0, std::f64::consts::TAU);
            let request = [2.0 * libm::cos(turn), 2.0 * libm::sin(turn)];
            let Some(way) = way_of_reference(view, from, &body, request) else { break };
            for place in way {
                let depth = judge.penetration(view, place, (&body).into(), u32::MAX);
                let below = judge.below_ground(view, place);
                assert!(depth < 2e-3 && below < 1e-3, "{depth} in, {below} below at {place:?}");
                let way = place.relative_to(from, view.grid().sector_size());
                let level = (way.x * way.x + way.z * way.z).sqrt();
                // Props lift it by up to the knee at once, and so does gentle ground that comes under the disc.
                let may = 1.01 * level + body.knee();
                assert!(way.y <= may, "{way} from {from:?}");
                moved += usize::from(level > 0.1);
                from = place;
            }
        }
    }
    assert!(moved > 2 * UNITS, "it moved {moved} times");
}

/// A unit that was stuck.
pub(crate) struct Incident {
    pub(crate) by: &'static str,
    pub(crate) sort: Sort,
    pub(crate) seed: u64,
    pub(crate) rate: Rate,
    /// For how many seconds what moves had moved: nobody is judged near it.
    pub(crate) second: u16,
    /// Which of the bodies.
    pub(crate) body: usize,
    /// Metres.
    pub(crate) at: [f64; 3],
    pub(crate) motion: Motion,
    pub(crate) request: [f32; 2],
}

/// Whoever begins where somebody was stuck, and asks for the same, gets on.
pub(crate) fn walk_caught(caught: &[Incident]) {
    let mut found = StuckReport::default();
    for Incident { by, sort, seed, rate, second, body, at: [x, y, z], motion, request } in caught {
        let mut world = World::new(*sort, *seed);
        let size = world.view().grid().sector_size();
        let mut units = Units::new(size);
        let body = units.add_body(bodies()[*body].build().unwrap()).unwrap();
        let position = WorldPos::from_metres(*x, *y, *z, size).unwrap();
        let spawn = Spawn { motion: *motion, ..Spawn::standing(position, body) };
        units.spawn(spawn).unwrap();
        let wishes = [Wish::walk(request[0], request[1])];
        let ticks = u16::from(rate.per_second());
        let settings = TickSettings::at_rate(f32::from(ticks));
        let (mut batch, mut watch) = (Batch::new(), Watch::new());
        for _ in 0..second * ticks {
            world.advance(*rate);
        }
        for tick in 0..2 * ticks + 5 {
            world.advance(*rate);
            batch.tick(world.view(), &mut units, &wishes, &settings).unwrap();
            for stuck in watch.tick(world.view(), &units, &wishes, &settings) {
                let second = f64::from(tick) / f64::from(ticks);
                found.put(by, world.view(), &units, &wishes, (&stuck, second));
            }
        }
        found.judged(&watch);
    }
    found.report();
}

/// How far the reference goes in a second from where somebody was. Metres.
pub(crate) fn reference_goes(caught: &Incident) -> f32 {
    let Incident { sort, seed, body, at: [x, y, z], request, .. } = caught;
    let world = World::new(*sort, *seed);
    let size = world.view().grid().sector_size();
    let body = bodies()[*body].build().unwrap();
    let from = WorldPos::from_metres(*x, *y, *z, size).unwrap();
    let way = way_of_reference(world.view(), from, &body, request.map(f64::from)).unwrap();
    let far = way.into_iter().map(|at| at.relative_to(from, size).length());
    far.fold(0.0, |most, far| greater(far, most))
}
