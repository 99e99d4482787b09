//! What must be true of everybody after a tick, and what was found.

use std::collections::BTreeMap;

use marchland_controller::{Batch, EventKind, Motion, PathChoice, Switches, UnitId, Units};
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::props::{LIVE_WAY_SPEED_MAX, LiveProps};
use marchland_terrain::{Ground, PropId, WorldPos};
use marchland_worlds::clutter::{Moment, scenario};

use crate::game::Game;
use crate::ways::beside;

/// Deepest overlap of who is free. Metres.
const FREE: f64 = 1e-3;
/// How much farther than its body and skin a unit may be put to be free. Metres.
const ASIDE: f64 = 0.05;
/// How far around a unit a prop may move it. Metres: what it steps off or is set against.
const NEAR: f64 = 2.0;
/// How often a tick is repeated with other threads and without memory, and with half of the units.
const REPEATS: f64 = 3.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A panic.
    Panicked,
    /// A number is none.
    NotFinite,
    /// Below the ground. Metres.
    Below,
    /// In something, and not told so. Metres.
    Inside,
    /// Farther from where it was than itself and all that moves there explain. Metres.
    Flung,
    /// Another hash with other threads and without memory.
    Hash,
    /// Another hash by the full controller for all.
    Path,
    /// It goes elsewhere if others are not there.
    Neighbour,
    /// What was put far away moves it.
    PutElsewhere,
    /// A command to it changed others.
    NeighbourCommanded,
}

#[derive(Default)]
struct Sort {
    count: usize,
    greatest: f64,
    reported: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Findings {
    sorts: BTreeMap<(Kind, &'static str), Sort>,
    played: u64,
}

impl Game {
    pub(crate) fn check(&mut self, before: &Units, findings: &mut Findings) {
        let mut reported = vec![false; self.units.slots()];
        for event in self.batch.drain_events() {
            if matches!(event.kind, EventKind::Crushed { .. } | EventKind::Stuck { .. }) {
                reported[event.unit.slot as usize] = true;
            }
        }
        for index in 0..self.known.len() {
            let known = self.known[index];
            // Being crushed is told once, when it begins.
            let is_told =
                reported[known.id.slot as usize] || self.units.is_crushed(known.id) == Some(true);
            if let Some((kind, amount)) = self.fault_of(index, before, is_told) {
                findings.put_before(self, before, kind, known.id, amount);
            }
        }
        if self.random.once_in(REPEATS) {
            self.repeat(before, findings);
        }
    }

    fn fault_of(&mut self, index: usize, before: &Units, was_told: bool) -> Option<(Kind, f64)> {
        let id = self.known[index].id;
        let velocity = self.units.velocity(id).unwrap();
        let Some(position) = self.units.position(id).filter(|_| velocity.is_finite()) else {
            return Some((Kind::NotFinite, f64::NAN));
        };
        let report = self.batch.report();
        // Who is held keeps its whole state, wherever it was put.
        let is_still = self.units.is_held(id) == Some(true)
            || self.units.is_overloaded(id) == Some(true)
            || report.invalid().contains(&id)
            || report.outside().contains(&id);
        if is_still {
            return None;
        }
        let view = self.sectors.view().with_live(&self.live);
        if let Ground::Height(height) = view.ground(position)
            && position.local().y < height
        {
            return Some((Kind::Below, f64::from(height - position.local().y)));
        }
        let beyond = self.beyond(before, index);
        if beyond > 0.0 {
            return Some((Kind::Flung, beyond));
        }
        let view = self.sectors.view().with_live(&self.live);
        let (body, mask) = (*self.units.body(id).unwrap(), self.units.mask(id).unwrap());
        let depth = self.judge.penetration(view, position, (&body).into(), mask);
        let known = &mut self.known[index];
        let y = f64::from(position.local().y.abs());
        let may = FREE + if y > 1024.0 { y / 8_388_608.0 } else { 0.0 };
        if depth <= may {
            known.is_told = false;
            return None;
        }
        known.is_told |= was_told || self.units.is_stuck(id) == Some(true);
        (!known.is_told).then(|| {
            known.is_told = true; // once
            (Kind::Inside, depth)
        })
    }

    /// How much farther, level, a unit went in a tick than by itself and with all props beside it that moved.
    fn beyond(&mut self, before: &Units, index: usize) -> f64 {
        let id = self.known[index].id;
        let size = before.sector_size();
        let [from, to] = [before, &self.units].map(|units| units.position(id).unwrap());
        let way = to.relative_to(from, size).as_dvec3().with_y(0.0).length();
        let body = before.body(id).unwrap();
        let wish = self.wishes[id.slot as usize];
        let [x, z] = wish.velocity().map(f64::from);
        let velocity = before.velocity(id).unwrap().as_dvec3();
        let level = velocity.with_y(0.0).length() + (x * x + z * z).sqrt();
        let jump = if wish.jumps() { body.jump_speed() } else { 0.0 };
        let falls = f64::from(self.settings.gravity * self.settings.dt);
        let known = &mut self.known[index];
        // What carries it may be under the body that it had until now.
        let last = std::mem::replace(&mut known.height, body.height()) + known.radius;
        known.radius = body.radius();
        let margin = f64::from(body.height() + last) + NEAR;
        // Who was put below the ground meets what is beside it there.
        let risen = match self.sectors.view().ground(from) {
            Ground::Height(y) if y > from.local().y => {
                WorldPos::new(from.sector(), from.local().with_y(y), size).unwrap()
            }
            _ => from,
        };
        let beside = beside(&self.live, risen, (body.radius(), body.height()), margin);
        // Who left a platform and keeps its velocity steers in the air beside that.
        let is_aloft = self.units.motion(id) == Some(Motion::Falling);
        let was_aloft = std::mem::replace(&mut known.is_aloft, is_aloft);
        if !was_aloft {
            known.kept = beside.fastest;
        }
        let level = level + if was_aloft { known.kept } else { 0.0 };
        let upright = velocity.y.abs() + f64::from(jump) + falls;
        // What turns a unit aside leaves it what leads along it. Of all ways that may be left, each the nearest
        // one to a whole way, the end is on the sphere about that: the farthest on the level by so much.
        let own = 0.5 * (level + (level * level + upright * upright).sqrt());
        let own = own + f64::from(body.slide_speed() + body.climb_speed());
        let radius = f64::from(body.radius());
        let may = own * f64::from(self.settings.dt) + radius + f64::from(SKIN) + ASIDE;
        way - may - beside.ways
    }

    /// The same tick with what was put elsewhere removed instead: to who is far from there, that is the same.
    pub(crate) fn check_without_put(
        &self,
        before: &Units,
        live: &LiveProps,
        findings: &mut Findings,
    ) {
        let mut others = before.clone();
        let view = self.sectors.view().with_live(live);
        Batch::new()
            .tick_with(&self.switches, view, &mut others, &self.wishes, &self.settings)
            .unwrap();
        let is_far = |id| self.put.iter().all(|&prop| self.is_far_from(before, id, prop));
        if let Some(id) = differs(self, &others, is_far) {
            findings.put_apart(self, Kind::PutElsewhere, before, &others, Some(id));
        }
    }

    /// Whether a unit cannot have met a live prop in a tick, whatever it did and whatever else carried it.
    fn is_far_from(&self, before: &Units, id: UnitId, prop: PropId) -> bool {
        let (Some(from), Some(body)) = (before.position(id), before.body(id)) else { return false };
        let prop = self.live.get(prop).unwrap();
        let (low, high) = prop.found_in(from.sector());
        let wish = self.wishes[id.slot as usize].velocity().map(f64::from);
        let speeds = f64::from(before.velocity(id).unwrap().length() + LIVE_WAY_SPEED_MAX)
            + (wish[0] * wish[0] + wish[1] * wish[1]).sqrt()
            + f64::from(body.jump_speed() + body.slide_speed() + body.climb_speed());
        let steps = body.step_up() + body.step_down() + body.climb();
        let (dt, gravity) = (self.settings.dt, self.settings.gravity);
        let body = f64::from(2.0 * body.radius() + body.height() + steps + gravity * dt * dt);
        let margin = DVec3::splat(speeds * f64::from(dt) + body + NEAR);
        let at = from.local().as_dvec3();
        (at + margin).cmplt(low).any() || (at - margin).cmpgt(high).any()
    }

    /// The same tick from the same state, in other ways.
    fn repeat(&mut self, before: &Units, findings: &mut Findings) {
        let view = self.sectors.view().with_live(&self.live);
        if self.known.is_empty() {
            return;
        }
        let mut others = before.clone();
        let tick = |units: &mut Units, switches: Switches<'_>| {
            Batch::new().tick_with(&switches, view, units, &self.wishes, &self.settings).unwrap();
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| tick(&mut others, Switches { chunk_units: 1, ..self.switches }));
        if others.state_hash() != self.units.state_hash() {
            findings.put_apart(self, Kind::Hash, before, &others, differs(self, &others, |_| true));
        }
        let mut full = before.clone();
        tick(&mut full, Switches::path(PathChoice::Full));
        if full.state_hash() != self.units.state_hash() {
            findings.put_apart(self, Kind::Path, before, &full, differs(self, &full, |_| true));
        }
        let mut half = before.clone();
        half.retain(|id| id.slot % 2 == self.tick % 2);
        tick(&mut half, self.switches);
        if let Some(id) = differs(self, &half, |_| true) {
            findings.put_apart(self, Kind::Neighbour, before, &half, Some(id));
        }
    }
}

/// A unit of both that is elsewhere, of those that are asked about.
fn differs(game: &Game, others: &Units, is_asked: impl Fn(UnitId) -> bool) -> Option<UnitId> {
    let state = |units: &Units, id| {
        let bits = |v: Vec3| v.to_array().map(f32::to_bits);
        let position = units.position(id).map(|at| (at.sector(), bits(at.local())));
        (position, units.velocity(id).map(bits), units.motion(id), units.is_stuck(id))
    };
    let both = game.known.iter().map(|known| known.id).filter(|&id| others.contains(id));
    both.into_iter().find(|&id| state(&game.units, id) != state(others, id) && is_asked(id))
}

impl Findings {
    pub(crate) fn put(&mut self, game: &Game, kind: Kind, id: UnitId, amount: f64) {
        self.put_before(game, &game.units, kind, id, amount);
    }

    /// Another outcome of the same tick, for a unit; if nothing that can be seen differs, it is told of anybody.
    fn put_apart(
        &mut self,
        game: &Game,
        kind: Kind,
        before: &Units,
        others: &Units,
        id: Option<UnitId>,
    ) {
        self.put_before(game, before, kind, id.unwrap_or(game.known[0].id), 0.0);
        let sort = self.sorts.values_mut().flat_map(|sort| sort.reported.last_mut());
        let size = others.sector_size();
        let other = id.map(|id| {
            let at = others.position(id).map(|at| at.to_metres(size));
            (at, others.velocity(id), others.motion(id), others.is_stuck(id))
        });
        for line in
            sort.filter(|line| line.contains(&format!("seed {}, tick {},", game.seed, game.tick)))
        {
            *line += &format!("\n    else {other:?}");
        }
    }

    /// With the state before the tick.
    fn put_before(&mut self, game: &Game, before: &Units, kind: Kind, id: UnitId, amount: f64) {
        let motion = match before.motion(id) {
            Some(Motion::Walking) => "walking",
            Some(Motion::Falling) => "falling",
            Some(Motion::Sliding) => "sliding",
            _ => "other",
        };
        let sort = self.sorts.entry((kind, motion)).or_default();
        sort.count += 1;
        if amount > sort.greatest {
            sort.greatest = amount;
        }
        let seed = format!("seed {},", game.seed);
        if sort.reported.len() >= 3 || sort.reported.last().is_some_and(|line| line.contains(&seed))
        {
            return;
        }
        let size = game.units.sector_size();
        let mut line = format!(
            "{amount:.6}: seed {}, tick {}, unit {id:?}, dt {}, from {:?} going {:?} to {:?}, {:?}, {:?}",
            game.seed,
            game.tick,
            game.settings.dt,
            before.position(id).map(|at| at.to_metres(size)),
            before.velocity(id).map(|velocity| Vec3::to_array(&velocity)),
            game.units.position(id).map(|at| at.to_metres(size)),
            game.wishes[id.slot as usize],
            game.units.body(id),
        );
        if sort.reported.is_empty()
            && let (Some(position), Some(body)) = (before.position(id), game.units.body(id))
        {
            let moment = Moment {
                position,
                velocity: before.velocity(id).unwrap(),
                body,
                mask: before.mask(id).unwrap(),
                wish: game.wishes[id.slot as usize],
            };
            let name = format!("{kind:?} {motion} seed {} tick {}", game.seed, game.tick);
            let text = scenario(game.view(), &moment, &name, 1).replacen(
                "ticks = 1\n",
                &format!("ticks = 1\ntick_rate = {:?}\n", 1.0 / game.settings.dt),
                1,
            );
            let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("player");
            std::fs::create_dir_all(&folder).unwrap();
            let path = folder.join(name.replace(' ', "-") + ".toml");
            std::fs::write(&path, text).unwrap();
            line += &format!("\n    {}", path.display());
        }
        sort.reported.push(line);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sorts.is_empty()
    }

    pub(crate) fn panicked(&mut self, seed: u64, tick: u32) {
        let sort = self.sorts.entry((Kind::Panicked, "")).or_default();
        sort.count += 1;
        sort.reported.push(format!("seed {seed}, tick {tick}"));
        sort.reported.truncate(8);
    }

    pub(crate) fn played(&mut self, game: &Game) {
        self.played += game.played;
    }

    pub(crate) fn join(&mut self, others: Self) {
        for (key, others) in others.sorts {
            let sort = self.sorts.entry(key).or_default();
            sort.count += others.count;
            sort.reported.extend(others.reported);
            sort.reported.truncate(3);
            if others.greatest > sort.greatest {
                sort.greatest = others.greatest;
            }
        }
        self.played += others.played;
    }

    /// Reports all and fails, unless there are none.
    pub(crate) fn report(&self) {
        let mut text = String::new();
        for ((kind, mode), sort) in &self.sorts {
            text += &format!("\n{kind:?}, {mode}: {}, at most {:.6}", sort.count, sort.greatest);
            for line in &sort.reported {
                text += &format!("\n  {line}");
            }
        }
        eprintln!("{} unit-ticks were played", self.played);
        assert!(self.sorts.is_empty(), "{text}\nin {} unit-ticks", self.played);
    }
}
