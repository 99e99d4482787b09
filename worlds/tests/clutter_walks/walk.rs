//! One walk: units in the clutter, what they are asked to do, and what must be true of them.

use marchland_controller::{
    Batch, Body, BodyBuilder, BodyId, EventKind, LeavePlatform, Mode, SlopeRule, Spawn,
    TickSettings, UnitId, Units, Wish, start_motion,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{Ground, SectorCoord, WorldPos};
use marchland_worlds::clutter::{Clutter, HIGH, LOW, RATE, Told, scenario};
use marchland_worlds::judge::{Judge, JudgedBody};

use crate::faults::{Fault, Faults, Kind};
use crate::random::Random;

/// Deepest overlap of who is free. Metres. DESIGN.md promises the millimetre; the skin is ten times that.
const FREE: f64 = 1e-3;
/// Ticks in which who is not free is free again, or told to be stuck.
const PATIENCE: u64 = 240;
/// Fastest that a mover of the clutter moves at any place of it. Metres a second.
const MOVERS: f64 = 8.0;
/// Who falls below this begins anew: there is a pit without a floor. Metres.
const DEPTHS: f32 = -60.0;

/// What is known of a unit beside its state.
struct Walker {
    id: UnitId,
    random: Random,
    until: u64,
    /// Whether it overlapped nothing when the last tick ended.
    free: bool,
    /// Since when it is not, and whether that was told.
    since: u64,
    is_told: bool,
    /// Before the tick.
    position: WorldPos,
    velocity: Vec3,
}

pub(crate) struct Walk {
    seed: u64,
    tick: u64,
    clutter: Clutter,
    units: Units,
    wishes: Vec<Wish>,
    batch: Batch,
    walkers: Vec<Walker>,
    judge: Judge,
}

impl Walk {
    pub(crate) fn new(seed: u64, origin: SectorCoord, count: u32) -> Self {
        let clutter = Clutter::shifted(seed, origin).unwrap();
        let mut units = Units::new(clutter.sectors.grid().sector_size());
        let bodies = bodies().map(|body| units.add_body(body.build().unwrap()).unwrap());
        let mut walk = Self {
            seed,
            tick: 0,
            units,
            wishes: vec![Wish::STAND; count as usize],
            batch: Batch::new(),
            walkers: Vec::new(),
            judge: Judge::new(),
            clutter,
        };
        for unit in 0..count {
            let body = bodies[unit as usize % bodies.len()];
            walk.spawn(Random::new(seed, u64::from(unit)), body);
        }
        walk
    }

    fn spawn(&mut self, mut random: Random, body: BodyId) {
        let position = somewhere(&self.clutter, &mut random);
        let it = self.units.bodies()[body.index()];
        let motion = start_motion(self.clutter.view(), position, &it, u32::MAX);
        let spawn = Spawn { motion, ..Spawn::standing(position, body) };
        let id = self.units.spawn(spawn).unwrap();
        let free = self.is_free(position, &it);
        self.walkers.push(Walker {
            id,
            random,
            until: 0,
            free,
            since: 0,
            is_told: false,
            position,
            velocity: Vec3::ZERO,
        });
    }

    fn is_free(&mut self, position: WorldPos, body: &Body) -> bool {
        let body = JudgedBody::from(body);
        self.judge.penetration(self.clutter.view(), position, body, u32::MAX) <= FREE
    }

    /// Asks everybody something and ticks.
    pub(crate) fn tick(&mut self, settings: &TickSettings) {
        assert!(settings.dt * RATE == 1.0);
        self.clutter.advance().unwrap();
        for walker in 0..self.walkers.len() {
            self.prepare(walker);
        }
        let view = self.clutter.view();
        self.batch.tick(view, &mut self.units, &self.wishes, settings).unwrap();
        self.tick += 1;
    }

    /// Gives one unit something to do, or throws it, or puts it somewhere else.
    fn prepare(&mut self, index: usize) {
        let Self { walkers, units, wishes, clutter, .. } = self;
        let walker = &mut walkers[index];
        let (id, random) = (walker.id, &mut walker.random);
        let wish = &mut wishes[id.slot as usize];
        if self.tick >= walker.until {
            walker.until = self.tick + random.between(10.0, 120.0) as u64;
            let [x, _, z] = units.position(id).unwrap().to_metres(units.sector_size());
            let side = f64::from(units.sector_size().metres());
            let origin = [clutter.origin().x, clutter.origin().z].map(|at| f64::from(at) * side);
            *wish = new_wish(random, [x - origin[0], z - origin[1]]);
        }
        wish.jump = random.once_in(40.0);
        if random.once_in(300.0) {
            let reach = if random.once_in(8.0) { 60.0 } else { 10.0 };
            let [x, y, z] = [0; 3].map(|_| random.between(-reach, reach) as f32);
            units.add_impulse(id, Vec3::new(x, 0.5 * y, z)).unwrap();
        }
        let is_lost = units.position(id).unwrap().local().y < DEPTHS;
        let is_moved = is_lost || random.once_in(2000.0);
        if is_moved {
            let to = somewhere(clutter, random);
            units.teleport(clutter.view(), id, to).unwrap();
        }
        (walker.position, walker.velocity) =
            (units.position(id).unwrap(), units.velocity(id).unwrap());
        if is_moved {
            let (position, body) = (walker.position, *units.body(id).unwrap());
            let free = self.is_free(position, &body);
            let walker = &mut self.walkers[index];
            (walker.free, walker.since, walker.is_told) = (free, self.tick, false);
        }
    }

    pub(crate) fn hash(&self) -> u64 {
        self.units.state_hash_from(self.clutter.origin())
    }

    /// Sees what became of everybody in the last tick.
    pub(crate) fn check(&mut self, faults: &mut Faults) {
        let mut excused = vec![false; self.units.slots()];
        for event in self.batch.drain_events() {
            if matches!(event.kind, EventKind::Crushed { .. } | EventKind::Stuck { .. }) {
                excused[event.unit.slot as usize] = true;
            }
        }
        for (index, &excused) in excused.iter().enumerate() {
            if let Some((kind, amount)) = self.fault_of(index, excused) {
                let what = self.describe(index, kind, amount, faults.is_new(kind));
                faults.put(Fault { kind, amount, what });
            }
        }
    }

    fn fault_of(&mut self, index: usize, excused: bool) -> Option<(Kind, f64)> {
        let Self { walkers, units, judge, clutter, tick, .. } = self;
        let walker = &mut walkers[index];
        let velocity = units.velocity(walker.id).unwrap();
        // Positions are finite by their type; what is not has none.
        let Some(position) = units.position(walker.id).filter(|_| velocity.is_finite()) else {
            return Some((Kind::NotFinite, f64::NAN));
        };
        let is_held = units.mode(walker.id) == Some(Mode::Held);
        let body = units.body(walker.id).unwrap();
        let view = clutter.view();
        let depth = judge.penetration(view, position, body.into(), u32::MAX);
        let was_free = std::mem::replace(&mut walker.free, depth <= FREE);
        if walker.free {
            (walker.since, walker.is_told) = (*tick, false);
        }
        walker.is_told |= excused;
        if is_held {
            return Some((Kind::Held, 0.0)); // everything is in memory
        }
        if let Ground::Outside = view.ground(position) {
            return Some((Kind::Outside, 0.0));
        }
        let far = flung(walker, position, velocity, self.wishes[walker.id.slot as usize], units);
        if far > 0.0 {
            return Some((Kind::Flung, far));
        }
        if excused {
            return None;
        }
        if was_free && !walker.free {
            return Some((Kind::Inside, depth));
        }
        // By the library's rule exactly, by the judge's to rounding.
        let below = judge.below_ground(view, position);
        let is_below =
            matches!(view.ground(position), Ground::Height(height) if position.local().y < height);
        if walker.free && (is_below || below > 1e-4) {
            return Some((Kind::BelowGround, below));
        }
        if !walker.free && !walker.is_told && *tick > walker.since + PATIENCE {
            walker.is_told = true;
            return Some((Kind::Untold, depth));
        }
        None
    }

    fn describe(&mut self, index: usize, kind: Kind, amount: f64, whole: bool) -> String {
        let walker = &self.walkers[index];
        let body = self.units.body(walker.id).unwrap();
        let size = self.units.sector_size();
        let (now, wish) = (self.units.position(walker.id), self.wishes[walker.id.slot as usize]);
        let verdict =
            now.map(|now| self.judge.deepest(self.clutter.view(), now, body.into(), u32::MAX));
        let mut text = format!(
            "{kind:?} by {amount:.6}: seed {}, tick {}, unit {}, body {}: from {:?} going {} to {:?} going \
             {:?}, {:?}, {wish:?}; {verdict:?}",
            self.seed,
            self.tick,
            index,
            self.units.body_id(walker.id).unwrap().index(),
            walker.position.to_metres(size),
            walker.velocity,
            now.map(|now| now.to_metres(size)),
            self.units.velocity(walker.id),
            self.units.motion(walker.id),
        );
        if whole {
            let (position, velocity) = (walker.position, walker.velocity);
            let told = Told { position, velocity, body, mask: u32::MAX, wish };
            let name = format!("{kind:?}, seed {}, tick {}, unit {index}", self.seed, self.tick);
            text += &format!("\n{}", scenario(self.clutter.view(), &told, &name, 1));
        }
        text
    }
}

/// By how much a unit has gone farther sideways than anything lets it. Metres.
fn flung(walker: &Walker, now: WorldPos, velocity: Vec3, wish: Wish, units: &Units) -> f64 {
    let way = now.relative_to(walker.position, units.sector_size()).as_dvec3();
    let level = |v: Vec3| f64::from(Vec3::new(v.x, 0.0, v.z).length());
    let speeds = [level(walker.velocity), level(velocity), length(wish.velocity.map(f64::from))];
    let speed = speeds.into_iter().fold(0.0, |most, speed| if speed > most { speed } else { most });
    // Pushed out of something by at most the radius and the skin, and carried.
    let radius = f64::from(units.body(walker.id).map_or(0.0, Body::radius));
    let allowed = (speed + MOVERS) / f64::from(RATE) + radius + 0.02;
    length([way.x, way.z]) - allowed
}

fn length([x, z]: [f64; 2]) -> f64 {
    (x * x + z * z).sqrt()
}

/// A soldier, a wide body, a tall thin one, a small one, and one that climbs and steers in the air.
fn bodies() -> [BodyBuilder; 5] {
    let body = Body::builder();
    [
        body,
        BodyBuilder { radius: 0.9, height: 1.3, knee: 0.3, step_up: 0.5, step_down: 0.3, ..body },
        BodyBuilder {
            radius: 0.2,
            height: 3.0,
            knee: 0.6,
            step_up: 0.9,
            slope_rule: SlopeRule::Project,
            leave_platform: LeavePlatform::Add,
            ..body
        },
        BodyBuilder {
            radius: 0.15,
            height: 0.5,
            knee: 0.1,
            step_up: 0.12,
            step_down: 0.1,
            max_slope_degrees: 60.0,
            slope_rule: SlopeRule::KeepPathSpeed,
            ..body
        },
        BodyBuilder {
            climb: 1.6,
            step_up: 0.7,
            air_control: 0.5,
            leave_platform: LeavePlatform::Drop,
            slope_rule: SlopeRule::KeepDirection,
            ..body
        },
    ]
}

/// On the ground or up to 5 m above it.
fn somewhere(clutter: &Clutter, random: &mut Random) -> WorldPos {
    let [x, z] = [0; 2].map(|_| random.between(LOW + 1.0, HIGH - 1.0));
    let above = if random.once_in(2.0) { 0.0 } else { random.between(0.0, 5.0) };
    clutter.place(x, above, z).unwrap()
}

/// To stand, or to go at 1 to 100 m/s: anywhere, or to the middle from near the world's edge.
fn new_wish(random: &mut Random, [x, z]: [f64; 2]) -> Wish {
    if random.once_in(6.0) {
        return Wish::STAND;
    }
    let pace = random.fraction();
    // 1 to 10 m/s mostly.
    let speed = if random.once_in(4.0) { 10.0 + 90.0 * pace * pace } else { 1.0 + 9.0 * pace };
    let middle = (LOW + HIGH) / 2.0;
    let far = (HIGH - LOW) / 2.0 - 8.0;
    let mut way = [0; 2].map(|_| random.between(-1.0, 1.0));
    if (x - middle).abs() > far || (z - middle).abs() > far {
        way = [way[0] + (middle - x) / far, way[1] + (middle - z) / far];
    }
    if random.once_in(5.0) {
        way[usize::from(random.once_in(2.0))] = 0.0; // straight along an axis
    }
    let far = length(way);
    if far < 1e-3 {
        return Wish::STAND;
    }
    Wish::walk((way[0] / far * speed) as f32, (way[1] / far * speed) as f32)
}
