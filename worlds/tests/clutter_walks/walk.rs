//! One walk: units in the clutter, what they are asked to do, and what must be true of them.

use marchland_controller::{
    Batch, Body, BodyId, EventKind, Motion, Spawn, Switches, TickSettings, UnitId, Units, Wish,
    start_motion,
};
use marchland_random::Random;
use marchland_terrain::glam::Vec3;
use marchland_terrain::{
    Collision, Ground, PropId, SectorCoord, SectorState, TerrainView, WorldPos,
};
use marchland_worlds::clutter::{Clutter, Moment, Rate, scenario};
use marchland_worlds::judge::{Culprit, Judge, JudgedBody};

use crate::caught::Incident;
use crate::chances::{bodies, new_wish, numbers, somewhere};
use crate::faults::{Fault, Faults, Kind};
use crate::flung::flung;
use crate::ways::beside;

/// Deepest overlap of who is free. Metres. DESIGN.md promises the millimetre; the skin is ten times that.
const FREE: f64 = 1e-3;
/// Seconds in which who is not free is free again, or told to be stuck.
const PATIENCE: u64 = 4;
/// Seconds after which who was put somewhere is out of what it was put into.
const SETTLED: u64 = 1;
/// What moves and is no farther than this may press somebody. Metres.
const PRESSED: f64 = 0.1;
/// Who falls below this begins anew: there is a pit without a floor. Metres.
const DEPTHS: f32 = -60.0;

/// What is known of a unit beside its state.
pub(crate) struct Walker {
    id: UnitId,
    random: Random,
    until: u64,
    /// Whether it goes on asking for the same.
    is_caught: bool,
    /// Whether it overlapped nothing when the last tick ended.
    free: bool,
    /// Whether its feet were not below the ground then, or that was not held against it yet.
    above: bool,
    /// When it was put where it is, or was put last.
    put: u64,
    /// Since when it is not, and whether that was told.
    since: u64,
    is_told: bool,
    /// Whether it is told to be stuck since a tick that began in nothing.
    stuck_out_of_nothing: bool,
    was_stuck: bool,
    /// Before the tick.
    pub(crate) position: WorldPos,
    pub(crate) velocity: Vec3,
    pub(crate) motion: Motion,
    pub(crate) was_free: bool,
}

pub(crate) struct Walk {
    seed: u64,
    rate: Rate,
    tick: u64,
    clutter: Clutter,
    units: Units,
    wishes: Vec<Wish>,
    batch: Batch,
    walkers: Vec<Walker>,
    judge: Judge,
}

impl Walk {
    pub(crate) fn new(seed: u64, rate: Rate, origin: SectorCoord, count: u32) -> Self {
        let clutter = Clutter::shifted(seed, origin).unwrap();
        let mut units = Units::new(clutter.sectors.grid().sector_size());
        let bodies = bodies().map(|body| units.add_body(body.build().unwrap()).unwrap());
        let mut walk = Self {
            seed,
            rate,
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
            walk.spawn(numbers(seed, u64::from(unit)), body);
        }
        walk
    }

    /// The world where somebody was caught, with the same unit there alone.
    pub(crate) fn again(caught: &Incident) -> Self {
        let Incident { at: [x, y, z], motion, velocity, request, .. } = *caught;
        let mut walk = Self::new(caught.seed, caught.rate, SectorCoord::new(0, 0), 0);
        for _ in 0..caught.tick {
            walk.clutter.advance_at(caught.rate).unwrap();
        }
        walk.tick = caught.tick;
        let size = walk.units.sector_size();
        let position = WorldPos::from_metres(x, y, z, size).unwrap();
        let body = walk.units.add_body(bodies()[caught.body].build().unwrap()).unwrap();
        let spawn = Spawn { motion, velocity: velocity.into(), ..Spawn::standing(position, body) };
        let id = walk.units.spawn(spawn).unwrap();
        walk.wishes.push(Wish::walk(request[0], request[1]).with_jump(caught.jumps));
        let body = *walk.units.body(id).unwrap();
        walk.put(id, Random::new(1), &body);
        let walker = &mut walk.walkers[0];
        (walker.is_caught, walker.put, walker.until) = (true, 0, caught.tick + 1);
        walk
    }

    /// Whether everybody is in nothing, or crushed.
    pub(crate) fn all_are_free(&self) -> bool {
        let is_crushed = |walker: &Walker| self.units.is_crushed(walker.id) == Some(true);
        self.walkers.iter().all(|walker| walker.free || is_crushed(walker))
    }

    /// One more unit, with a body of its own.
    pub(crate) fn spawn_with(&mut self, body: Body) {
        self.wishes.push(Wish::STAND);
        let body = self.units.add_body(body).unwrap();
        self.spawn(numbers(self.seed, u64::MAX), body);
    }

    fn spawn(&mut self, mut random: Random, body: BodyId) {
        let position = somewhere(&self.clutter, &mut random);
        let it = self.units.bodies()[body.index()];
        let motion = start_motion(self.clutter.view(), position, &it, u32::MAX);
        let spawn = Spawn { motion, ..Spawn::standing(position, body) };
        let id = self.units.spawn(spawn).unwrap();
        self.put(id, random, &it);
    }

    /// Adds a unit to those that are watched.
    fn put(&mut self, id: UnitId, random: Random, body: &Body) {
        let (position, velocity) =
            (self.units.position(id).unwrap(), self.units.velocity(id).unwrap());
        let motion = self.units.motion(id).unwrap();
        let free = self.is_free(position, body);
        self.walkers.push(Walker {
            id,
            random,
            until: 0,
            is_caught: false,
            free,
            above: true,
            put: self.tick,
            since: 0,
            is_told: false,
            stuck_out_of_nothing: false,
            was_stuck: false,
            position,
            velocity,
            motion,
            was_free: free,
        });
    }

    fn is_free(&mut self, position: WorldPos, body: &Body) -> bool {
        let body = JudgedBody::from(body);
        self.judge.penetration(self.clutter.view(), position, body, u32::MAX) <= FREE
    }

    /// Asks everybody something and ticks.
    pub(crate) fn tick(&mut self, switches: &Switches<'_>) {
        let settings = TickSettings::at_rate(f32::from(self.rate.per_second()));
        self.clutter.advance_at(self.rate).unwrap();
        for walker in 0..self.walkers.len() {
            self.prepare(walker);
        }
        let view = self.clutter.view();
        self.batch.tick_with(switches, view, &mut self.units, &self.wishes, &settings).unwrap();
        self.tick += 1;
    }

    /// Gives one unit something to do, or throws it, or puts it somewhere else.
    fn prepare(&mut self, index: usize) {
        let Self { walkers, units, wishes, clutter, .. } = self;
        let walker = &mut walkers[index];
        let (id, random) = (walker.id, &mut walker.random);
        let wish = &mut wishes[id.slot as usize];
        if walker.is_caught {
            *wish = wish.with_jump(wish.jumps() && self.tick < walker.until);
            (walker.position, walker.velocity) =
                (units.position(id).unwrap(), units.velocity(id).unwrap());
            walker.motion = units.motion(id).unwrap();
            return;
        }
        if self.tick >= walker.until {
            walker.until = self.tick + random.between(10.0, 120.0) as u64;
            let [x, _, z] = units.position(id).unwrap().to_metres(units.sector_size());
            let side = f64::from(units.sector_size().metres());
            let origin = [clutter.origin().x, clutter.origin().z].map(|at| f64::from(at) * side);
            *wish = new_wish(random, [x - origin[0], z - origin[1]]);
        }
        *wish = wish.with_jump(random.once_in(40.0));
        if random.once_in(300.0) {
            let far = if random.once_in(8.0) { 60.0 } else { 10.0 };
            let [x, y, z] = [0; 3].map(|_| random.between(-far, far) as f32);
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
        walker.motion = units.motion(id).unwrap();
        if is_moved {
            let (position, body) = (walker.position, *units.body(id).unwrap());
            let free = self.is_free(position, &body);
            // Who was told to be stuck still is, until it is told to be freed.
            let is_told = self.units.is_stuck(id) == Some(true);
            let walker = &mut self.walkers[index];
            (walker.free, walker.since, walker.is_told) = (free, self.tick, is_told);
            (walker.above, walker.put) = (true, self.tick);
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
        for (index, &told) in excused.iter().enumerate() {
            // Being crushed or stuck is told once, when it begins.
            let id = self.walkers[index].id;
            let lasts = [self.units.is_crushed(id), self.units.is_stuck(id)];
            let excused = told || lasts.contains(&Some(true));
            let was_free = self.walkers[index].free;
            let fault = self.fault_of(index, excused);
            let fault = fault.or_else(|| self.stuck(index, was_free));
            if let Some((kind, amount)) = fault {
                let (class, what) = self.describe(index, kind, amount);
                faults.put(Fault { kind, class, amount, what });
            }
        }
    }

    /// Whoever is told to be stuck out of nothing, and stays so where nothing moves beside it.
    fn stuck(&mut self, index: usize, was_free: bool) -> Option<(Kind, f64)> {
        let Self { walkers, units, clutter, tick, rate, .. } = self;
        let walker = &mut walkers[index];
        let is_settled = *tick > walker.put + SETTLED * u64::from(rate.per_second());
        let lasts =
            units.is_stuck(walker.id) == Some(true) && units.is_crushed(walker.id) != Some(true);
        let begins = !std::mem::replace(&mut walker.was_stuck, lasts) && lasts;
        walker.stuck_out_of_nothing =
            lasts && (walker.stuck_out_of_nothing || begins && was_free && is_settled);
        let (place, body) = (units.position(walker.id)?, units.body(walker.id)?);
        let near = beside(&clutter.live, place, (body.radius(), body.height()), PRESSED);
        let is_stuck = walker.stuck_out_of_nothing && near.ways == 0.0;
        is_stuck.then(|| {
            walker.stuck_out_of_nothing = false; // told once
            (Kind::Stuck, 0.0)
        })
    }

    fn fault_of(&mut self, index: usize, excused: bool) -> Option<(Kind, f64)> {
        let Self { walkers, units, judge, clutter, tick, rate, .. } = self;
        let rate = u64::from(rate.per_second());
        let walker = &mut walkers[index];
        let velocity = units.velocity(walker.id).unwrap();
        // Positions are finite by their type; what is not has none.
        let Some(position) = units.position(walker.id).filter(|_| velocity.is_finite()) else {
            return Some((Kind::NotFinite, f64::NAN));
        };
        let is_held = units.is_held(walker.id) == Some(true);
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
        if units.is_overloaded(walker.id) == Some(true) {
            return Some((Kind::Overloaded, 0.0));
        }
        if let Ground::Outside = view.ground(position) {
            return Some((Kind::Outside, 0.0));
        }
        let wish = self.wishes[walker.id.slot as usize];
        walker.was_free = was_free;
        let far = flung(walker, position, wish, body, (&clutter.live, rate as f64));
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
        // Free or not: only who is told to be crushed or stuck may be there, and no longer than that.
        if !is_below && below <= 1e-4 {
            walker.above = true;
        } else if walker.above && !walker.is_told {
            walker.above = false;
            return Some((Kind::BelowGround, below));
        }
        if !walker.free && !walker.is_told && *tick > walker.since + PATIENCE * rate {
            walker.is_told = true;
            return Some((Kind::Untold, depth));
        }
        None
    }

    /// What sort of fault it is, and everything about it, to the scenario file of the place.
    fn describe(&mut self, index: usize, kind: Kind, amount: f64) -> (String, [String; 2]) {
        let Self { walkers, units, judge, clutter, wishes, seed, tick, rate, .. } = self;
        let rate = rate.per_second();
        let walker = &walkers[index];
        let body = units.body(walker.id).unwrap();
        let size = units.sector_size();
        let (now, wish) = (units.position(walker.id), wishes[walker.id.slot as usize]);
        let view = clutter.view();
        let verdict = now.map(|now| judge.deepest(view, now, body.into(), u32::MAX));
        let motion = units.motion(walker.id).unwrap();
        let by = match verdict.unwrap_or_default().culprit {
            Culprit::Nobody => "nothing",
            Culprit::Ground => "the ground",
            Culprit::Prop { prop: PropId::Live { .. }, .. } => "a mover",
            Culprit::Prop { prop, .. } if is_soup(view, prop) => "a sheet",
            Culprit::Prop { .. } => "a solid",
        };
        let class = format!("{motion:?}, {by}");
        let line = format!(
            "by {amount:.6}: seed {seed}, {rate} Hz, tick {tick}, unit {index}, body {}: from {:?} going {:?} to {:?} \
             going {:?}, {wish:?}; {verdict:?}",
            units.body_id(walker.id).unwrap().index(),
            walker.position.to_metres(size),
            walker.velocity.to_array(),
            now.map(|now| now.to_metres(size)),
            units.velocity(walker.id).map(|velocity| velocity.to_array()),
        );
        let (position, velocity) = (walker.position, walker.velocity);
        let moment = Moment { position, velocity, body, mask: u32::MAX, wish };
        let name = format!("{kind:?}, seed {seed}, tick {tick}, unit {index}");
        let usual = scenario(view, &moment, &name, 1);
        let file = usual.replacen("ticks = 1\n", &format!("ticks = 1\ntick_rate = {rate}\n"), 1);
        (class, [line, file])
    }
}

/// Whether a baked prop is a soup of triangles.
fn is_soup(view: TerrainView<'_>, prop: PropId) -> bool {
    let PropId::Baked { sector, .. } = prop else { return false };
    let SectorState::Resident(sector) = view.sector(sector) else { return false };
    let props = sector.props();
    let mut records = (0..props.len()).map(|at| props.record(at));
    records.any(|record| record.id() == prop && record.collision == Collision::Soup)
}
