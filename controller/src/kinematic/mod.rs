//! The full controller: one unit, one tick, among everything solid.
//!
//! ```text
//! carry, push ─▶ get free ─▶ by its motion:  walk ── along walls, over steps, down what is followed
//! (platform, push) (depenetrate)       air ─── falls, slides, jumps (fall, sliding, air_move, bounce)
//!                                      wedge ─ walks between steep walls
//!                                      climb ─ ledges (step), ladders (ladder, catch)
//!                       ─▶ leave the platform ─▶ report contacts
//! or crushed: what moves is in the body, and there is no way out (crush)
//! ```
//!
//! A body has two cylinders: the lower one measures what it stands on (`footing`), the upper one is never
//! inside anything (`walk`). A falling unit is solid from the feet up (`air_move`). Everything in the way is
//! solved together (`planes`).

mod air_move;
mod aside;
mod belt;
mod beside;
mod bounce;
mod catch;
mod corner;
mod crush;
mod depenetrate;
mod fall;
mod floor;
mod footing;
mod glide;
mod known_walls;
mod ladder;
mod level;
mod low_wall;
mod mover;
mod movers;
mod part;
mod planes;
mod platform;
mod posed;
mod probe;
mod push;
mod ravine;
mod recent;
mod request;
mod rider;
mod slick;
mod sliding;
mod space;
mod stand;
mod step;
mod underfoot;
mod walk;
mod way_out;
mod wedge;

use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::query::{Contacts, Cylinder, Region};
use marchland_terrain::{SurfaceSet, TerrainView, WorldPos};

use self::depenetrate::Before;
use self::footing::{Footing, FootingKind};
use self::known_walls::LevelMemory;
use self::mover::{Mover, News};
use self::movers::Movers;
use self::planes::Planes;
use self::platform::Carried;
pub(crate) use self::probe::{Probe, ledge};
use self::recent::Recent;
pub(crate) use self::rider::carrier;
use self::space::{GATHERED_MAX, Missing, PARTING, Space};
use self::stand::LEVEL;
use crate::body::{Body, LeavePlatform, SlopeRule};
use crate::command::known_start;
use crate::event::{EventKind, LeftGround};
use crate::extra::Extra;
use crate::follow::sub_steps;
use crate::gather_cache::AtHand;
use crate::hair::{blocks_from, hair};
use crate::limits::ABOVE_ALL_GROUND;
use crate::reach::Reaches;
use crate::sectors::Sectors;
use crate::surface::SurfaceResponse;
use crate::tick::{Outcome, Tick, Verdict, unmoved, without_creep};
use crate::units::{Motion, Unit};
use crate::wish::Wish;

/// Most triangles that are gathered around a unit; if there are more, queries go to the world.
const NEAR_TRIANGLES: usize = 768;

/// Most contacts of a body that are kept; if there are more, the deepest.
const CONTACTS: usize = 48;

/// A pause shorter than this is over: it is the rounding of many ticks. Seconds.
const PAUSE_MIN: f32 = 1e-4;

/// Memory for one unit's move, reused for the next.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// For a unit for which nothing is kept.
    pub(crate) at_hand: AtHand,
    pub(crate) around: Around,
}

/// What is around a unit, as far as it was asked in a tick.
#[derive(Debug)]
pub(crate) struct Around {
    pub(crate) contacts: Contacts,
    pub(crate) level: LevelMemory,
    /// What a mover has met, and what is around it.
    met: Planes,
    walls: Planes,
}

impl Around {
    pub(crate) fn new() -> Self {
        Self {
            contacts: Contacts::with_capacity(CONTACTS),
            level: LevelMemory::new(),
            met: Planes::new(),
            walls: Planes::new(),
        }
    }
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self { at_hand: AtHand::with_capacity(NEAR_TRIANGLES), around: Around::new() }
    }
}

/// The result of a tick for one unit, besides its [`Outcome`].
pub(crate) struct Full {
    pub(crate) extra: Extra,
    pub(crate) news: News,
}

/// A unit and its properties.
pub(crate) struct Subject<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) extra: &'a Extra,
    pub(crate) body: &'a Body,
    pub(crate) mask: u32,
    pub(crate) surfaces: &'a [SurfaceResponse],
    /// The surfaces that are never too steep, if there are any.
    pub(crate) sticky: Option<SurfaceSet>,
    /// The greatest speed at which a surface carries a unit that stands on it. Metres per second.
    pub(crate) belt: f32,
    /// Whether only open ground is within its reach, so that it could follow.
    pub(crate) in_the_open: bool,
    /// Whether there are probably props within its reach.
    pub(crate) among_props: bool,
}

/// Moves one unit by one tick. What is gathered is for this view and the unit's layers, or was forgotten.
#[inline(never)]
pub(crate) fn kinematic<'v>(
    tick: &Tick,
    view: TerrainView<'v>,
    sectors: &mut Sectors<'v>,
    memory: (&mut AtHand, &mut Around),
    subject: &Subject<'_>,
    wish: Wish,
) -> (Outcome, Full) {
    let unmoved = |verdict| {
        let full = Full { extra: *subject.extra, news: News::new() };
        (unmoved(subject.unit, verdict), full)
    };
    let Ok(place) =
        WorldPos::new(subject.unit.sector, subject.unit.local, view.grid().sector_size())
    else {
        return unmoved(Verdict::Outside);
    };
    let Subject { unit, extra, body, mask, .. } = *subject;
    // Where nothing moves there is none to make room for.
    let mut found;
    let movers = if view.live().is_some() {
        found = Movers::new();
        found.find(view, mask, place, body, extra);
        &found
    } else {
        const { &Movers::new() }
    };
    let reach = reach_with(tick, view, place, (unit, extra), body, wish, movers);
    if reach.is_beyond() || movers.is_left_out_within(0.0) {
        return unmoved(Verdict::Overloaded);
    }
    if reach.any_missing(sectors, unit.sector) {
        return unmoved(Verdict::Held);
    }
    match run(tick, view, sectors, memory, (subject, movers), wish, place) {
        Ok(Some(done)) => done,
        Ok(None) => unmoved(Verdict::Overloaded),
        Err(Missing::Sector(sector)) => unmoved(Verdict::HeldBy(sector)),
        Err(Missing::Beyond(_)) => unmoved(Verdict::Overloaded),
    }
}

/// The sectors that must be in memory before a unit moves.
pub(crate) fn reach_of(
    tick: &Tick,
    view: TerrainView<'_>,
    place: WorldPos,
    unit: &Unit,
    extra: &Extra,
    (body, mask): (&Body, u32),
    wish: Wish,
) -> Reaches {
    let mut movers = Movers::new();
    movers.find(view, mask, place, body, extra);
    reach_with(tick, view, place, (unit, extra), body, wish, &movers)
}

fn reach_with(
    tick: &Tick,
    view: TerrainView<'_>,
    place: WorldPos,
    (unit, extra): (&Unit, &Extra),
    body: &Body,
    wish: Wish,
    movers: &Movers<'_>,
) -> Reaches {
    let carried = carrier(view, extra, place, tick.dt);
    let by = carried.map_or([0.0, 0.0], |carrier| [carrier.by.x as f32, carrier.by.z as f32]);
    let beside = if extra.contacts_last_tick[0].is_some() { PARTING } else { 0.0 };
    let push = movers.push_max(extra.support) as f32 + beside;
    Reaches::carried(tick, unit, body, wish, (by, push))
}

/// `None` where a mover that is left out may be met.
fn run<'v>(
    tick: &Tick,
    view: TerrainView<'v>,
    sectors: &mut Sectors<'v>,
    (at_hand, around): (&mut AtHand, &mut Around),
    (subject, movers): (&Subject<'_>, &Movers<'v>),
    wish: Wish,
    place: WorldPos,
) -> Result<Option<(Outcome, Full)>, Missing> {
    let Subject { unit, extra, body, .. } = *subject;
    let AtHand { near, clear, slope } = at_hand;
    let Around { contacts, level, met, walls } = around;
    level.forget();
    let push = movers.push_max(extra.support) as f32;
    let (reach, farthest) = region(tick, view, subject, wish, place, push);
    // In the open there is no steep ground where the unit goes, and steep ground beside its way does not
    // matter.
    let has_steep = !subject.in_the_open
        && (farthest > SEEN_MAX || slope.has_steeper(view, &reach, steepest_open(body)));
    let usual = usual_region(tick, subject, wish, place);
    let bare = usual.filter(|usual| {
        let _ = view.gather_more(usual, subject.mask, near);
        !subject.among_props && near.is_bare(view, usual)
    });
    near.keep_ground(view, has_steep);
    let mut space = Space {
        tick,
        view,
        mask: subject.mask,
        near,
        clear,
        reach,
        bare,
        sectors,
        contacts,
        contacts_key: None,
        footings: Recent::new(),
        clearances: Recent::new(),
        level,
        ahead: ahead(tick, body, wish),
        body,
        upper_low: blocks_from(body, place.local().y),
        hair: hair(place.local().y),
        low_from: hair(place.local().y),
        slope_rise: slope_rise(tick, unit, body, wish),
        surfaces: subject.surfaces,
        sticky: subject.sticky,
        glides: false,
        size: view.grid().sector_size(),
        has_steep,
        in_pit: false,
        in_the_open: subject.in_the_open,
        movers,
    };
    space.in_pit = unit.motion == Motion::Falling && space.is_over_hole(place);
    let mut mover = Mover::new(&mut space, (met, walls), place, unit, *extra);
    mover.tick(wish)?;
    if movers.is_left_out_within(mover.shoved + mover.pushed) {
        return Ok(None);
    }
    let end = Unit {
        sector: mover.place.sector(),
        local: mover.place.local(),
        velocity: mover.velocity,
        motion: mover.motion,
    };
    let borders = end.sector.x.abs_diff(unit.sector.x) + end.sector.z.abs_diff(unit.sector.z);
    let outcome = Outcome {
        unit: end,
        verdict: Verdict::Moved,
        landed: unit.motion == Motion::Falling && end.motion == Motion::Walking,
        left_ground: unit.motion == Motion::Walking && end.motion == Motion::Falling,
        met_edge: mover.met_edge,
        met_slope: mover.met_slope,
        new_velocity: true,
        borders,
        ..Outcome::NOTHING
    };
    Ok(Some((outcome, Full { extra: mover.extra, news: mover.news })))
}

/// Ground less steep than this is walked on, and never reaches the knee. The cosine of its slope.
pub(crate) fn steepest_open(body: &Body) -> f64 {
    let knee = f64::from(body.knee()) / f64::from(body.radius());
    let tangent = body.max_slope_tan();
    let tangent = if knee < tangent { knee } else { tangent };
    // The cosine of a tangent.
    1.0 / (1.0 + tangent * tangent).sqrt()
}

/// How far around a unit steep ground and moving props are searched for. Metres: the search of all around a
/// faster unit would take longer than its move, for which the ground then counts as steep.
const SEEN_MAX: f32 = 256.0;

/// Everything that a unit can touch in a tick, up to a limit, and how far from itself it can. Metres.
fn region(
    tick: &Tick,
    view: TerrainView<'_>,
    subject: &Subject<'_>,
    wish: Wish,
    place: WorldPos,
    push: f32,
) -> (Region, f32) {
    let Subject { unit, extra, body, belt, .. } = *subject;
    let carried = carrier(view, extra, place, tick.dt);
    let carried = carried.map_or(0.0, |carrier| carrier.by.length() as f32);
    let farthest = farthest(tick, unit, body, wish, carried + belt * tick.dt + push);
    let margin = if farthest < SEEN_MAX { farthest } else { SEEN_MAX };
    let cylinder = Cylinder { radius: body.radius(), height: body.height() };
    let region = Region::around(cylinder, place, margin);
    let region = region.unwrap_or_else(|_| unreachable!("bodies are checked, and margins bounded"));
    (region, farthest)
}

/// How far from itself a unit that is carried by `carried` metres can touch anything in a tick. Metres.
pub(crate) fn farthest(tick: &Tick, unit: &Unit, body: &Body, wish: Wish, carried: f32) -> f32 {
    let length = |v: [f32; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    let asked = length([wish.velocity()[0], 0.0, wish.velocity()[1]]);
    let own = length(unit.velocity.to_array());
    let dt = tick.dt;
    let lift = if body.climb() > body.step_up() { body.climb() } else { body.step_up() };
    let jump = body.jump_speed() * dt + tick.gravity * dt * dt;
    let way = (asked + own) * dt + carried + jump;
    // A lifted body, a body that is pushed out, and the skin around both.
    way + lift + body.step_down() + 2.0 * body.radius() + 0.1
}

/// How much further than its skin most queries of a unit reach. Metres.
const QUERY_MARGIN: f64 = 0.04;

/// What most units touch in a tick: units that walk and have nothing to get over. More is gathered when it is
/// queried. `None` for units that move far.
fn usual_region(tick: &Tick, subject: &Subject<'_>, wish: Wish, place: WorldPos) -> Option<Region> {
    let Subject { unit, body, .. } = *subject;
    let (asked, own) = (wish.velocity(), unit.velocity);
    let greater = |a: f32, b: f32| if b.abs() > a.abs() { b } else { a };
    let by = [greater(asked[0], own.x), greater(asked[1], own.z)].map(|speed| speed * tick.dt);
    let fall = own.y.abs() * tick.dt + tick.gravity * tick.dt * tick.dt;
    let motion = Vec3::new(by[0], fall, by[1]);
    if motion.length() > GATHERED_MAX {
        return None;
    }
    let now = Cylinder { radius: body.radius(), height: body.height() };
    let region = Region::swept(now, place, motion.with_y(0.0)).ok()?;
    let (below, above) = (body.step_down() + fall, body.knee() + fall);
    // The skin, and a little for queries beside it.
    let aside = 0.5 * f64::from(motion.with_y(0.0).length());
    Some(region.taller(f64::from(below), f64::from(above)).grown(QUERY_MARGIN + aside))
}

/// The way that a wish asks for in a tick, up to a radius. Metres along X and Z.
fn ahead(tick: &Tick, body: &Body, wish: Wish) -> DVec2 {
    let [x, z] = wish.velocity().map(|speed| f64::from(speed * tick.dt));
    let (way, radius) = (DVec2::new(x, z), f64::from(body.radius()));
    let length = way.length();
    if length > radius { way * (radius / length) } else { way }
}

/// How far ground may rise on the way of a walking unit in a tick, up to a radius, where the slope is the
/// steepest that it walks up. Metres.
fn slope_rise(tick: &Tick, unit: &Unit, body: &Body, wish: Wish) -> f32 {
    if unit.motion != Motion::Walking {
        return 0.0;
    }
    let length = |x: f32, z: f32| f64::from((x * x + z * z).sqrt());
    let [x, z] = wish.velocity();
    let way = (length(x, z) + length(unit.velocity.x, unit.velocity.z)) * f64::from(tick.dt);
    let radius = f64::from(body.radius());
    let rise = (if way < radius { way } else { radius }) * body.max_slope_tan();
    let most = f64::from(ABOVE_ALL_GROUND);
    (if rise < most { rise } else { most }) as f32
}

impl Mover<'_, '_, '_, '_> {
    /// One tick, in order.
    fn tick(&mut self, wish: Wish) -> Result<(), Missing> {
        let (started, ladder_pause) = (self.motion, self.extra.ladder_pause);
        let thrown = self.extra.is_thrown;
        self.extra.is_thrown = false;
        let was_thrown_off = std::mem::take(&mut self.extra.is_thrown_off);
        let is_undecided = std::mem::take(&mut self.extra.is_undecided);
        let begun = if is_undecided && thrown {
            let Space { view, body, mask, sticky, .. } = &*self.space;
            let known = known_start(*view, self.place, body, *mask, sticky.as_ref());
            known.unwrap_or(Motion::Falling)
        } else {
            started
        };
        // Where the ground was loaded late, only now is it known whether the unit stood there.
        let thrown_off = was_thrown_off || (is_undecided && thrown && begun != Motion::Falling);
        if std::mem::take(&mut self.extra.is_moved) && begun == Motion::Falling {
            self.news.push(EventKind::LeftGround { reason: LeftGround::Moved });
        }
        if self.stays_crushed()? {
            return Ok(());
        }
        self.forget_stand();
        self.forget_lost_support();
        self.begin_gliding();
        let under = if thrown_off { self.under_thrown()? } else { self.under_start()? };
        let carried = self.carried(under.as_ref());
        self.turn_with_ladder();
        if thrown_off {
            self.news.push(EventKind::LeftGround { reason: LeftGround::Thrown });
        }
        // A unit that is thrown or jumps moves relative to the platform in this tick, and is carried by it.
        // The platform's velocity is added only afterwards, or the unit would move with the platform twice.
        let is_dropped = thrown && self.space.body.leave_platform() == LeavePlatform::Drop;
        let carried =
            if is_dropped { carried } else { self.carried_to_line(carried, under.as_ref())? };
        // What crushed it until now has gone back further than to where the unit stands on it.
        let mut let_go = self.let_go.iter().flatten();
        let is_let_go = let_go.any(|crusher| Some(crusher.prop) == self.extra.support);
        self.carry_and_push((!is_dropped && !is_let_go).then_some(carried.by))?;
        self.note_floor(under.as_ref(), &carried)?;
        if (self.is_pressed || self.is_left_behind()) && self.is_crushed_at(self.place, started)? {
            return Ok(());
        }
        if self.motion == Motion::Walking && self.space.sticky.is_some() {
            // After a change of body or place, it may be lower than sticky ground lets it stand.
            self.rise_to_ground()?;
        }
        // In the open the end of the tick is soon enough.
        let is_low = !self.space.in_the_open && self.is_below_ground();
        let is_out = if is_low { self.rise_free()? } else { self.get_free()? };
        if self.is_pressed && self.is_crushed_at(self.place, started)? {
            return Ok(());
        }
        let (held, held_extra, held_news) = (self.place, self.extra, self.news);
        let held_pushed = self.pushed;
        if is_out {
            let safe = self.is_free()?.then_some(self.place);
            match safe {
                Some(_) => self.mark_freed(),
                None => self.mark_stuck(0.0),
            }
            let before = Before { motion: self.motion, extra: self.extra, news: self.news };
            self.move_by(wish)?;
            self.end_free(safe, &before, wish.velocity())?;
        } else {
            self.velocity = Vec3::ZERO;
        }
        if self.is_entered(started)? {
            (self.extra, self.news, self.pushed) = (held_extra, held_news, held_pushed);
            return self.end_at(held, started);
        }
        let carried = if self.is_passed { Carried::default() } else { carried };
        let jumped = self.motion == Motion::Falling && self.velocity.y > 0.0;
        if (thrown || started != Motion::Falling) && self.motion == Motion::Falling {
            // A stuck unit stays still.
            let velocity = if is_out { carried.velocity } else { Vec3::ZERO };
            self.leave_platform(velocity, thrown || jumped);
        } else if self.motion != Motion::Walking {
            self.extra.support = self.extra.support.filter(|_| self.motion == Motion::Climbing);
        }
        if self.motion != Motion::Falling {
            self.extra.platform_velocity = [0.0, 0.0];
        }
        self.forget_stand();
        if is_out {
            self.lay_velocity()?;
        }
        self.note_support();
        self.pass_ladder_pause(ladder_pause);
        self.velocity = Vec3::from(self.velocity.to_array().map(without_creep));
        self.tell_contacts()
    }

    /// A unit that does not walk stands neither on anything sticky nor between walls.
    fn forget_stand(&mut self) {
        if self.motion != Motion::Walking {
            (self.extra.is_on_sticky, self.extra.is_wedged) = (false, false);
        }
    }

    /// Whoever has just left a ladder catches none for some time in the air. `pause` is what was left of that
    /// time when the tick began. Seconds.
    fn pass_ladder_pause(&mut self, pause: f32) {
        let left = pause - self.space.tick.dt;
        if self.motion != Motion::Falling {
            self.extra.ladder_pause = 0.0;
        } else if pause > 0.0 {
            self.extra.ladder_pause = if left > PAUSE_MIN { left } else { 0.0 };
        }
    }

    /// What is under a standing unit, where that matters before it moves.
    fn under_start(&mut self) -> Result<Option<Footing>, Missing> {
        let is_plain = self.space.surfaces.iter().all(SurfaceResponse::is_plain);
        // A unit that was put on a platform does not know yet that it stands on it.
        let by_normal = self.space.body.slope_rule() != SlopeRule::KeepHorizontalSpeed;
        if self.motion != Motion::Walking {
            return Ok(None);
        }
        let Space { view, mask, reach, has_steep, .. } = &*self.space;
        // Ground that is not in memory may hold anything; it is near only if `has_steep`.
        let may_move = *has_steep || view.live().is_some_and(|live| !live.is_empty());
        let asks = || {
            (may_move && view.has_moving_in(reach, *mask))
                || (by_normal && view.has_props_in(reach, *mask))
        };
        if is_plain && !(self.extra.support.is_none() && asks()) {
            return Ok(None);
        }
        let (found, under) = self.under_on_way()?;
        if let Some(under) = under {
            self.extra.support = under.prop;
            self.extra.normal = if under.prop.is_some() { under.normal } else { Vec3::ZERO };
            return Ok(Some(under));
        }
        let under = found;
        if let Some(under) = under.filter(|under| under.kind == FootingKind::Walkable)
            && self.extra.support.is_none()
            && under.prop.is_some()
        {
            (self.extra.support, self.extra.normal) = (under.prop, under.normal);
            self.note_support();
        }
        Ok(under)
    }

    /// What a unit stood on before it was thrown off, where that carries units that stand on it.
    fn under_thrown(&mut self) -> Result<Option<Footing>, Missing> {
        if self.space.surfaces.iter().all(SurfaceResponse::is_plain) {
            return Ok(None);
        }
        let feet = self.feet();
        let (found, beside) = self.under_on_way()?;
        let under = beside.or(found);
        // What carries it has risen with it.
        Ok(under.filter(|under| {
            let is_own = under.prop.is_some() && under.prop == self.extra.support;
            under.kind == FootingKind::Walkable && (is_own || (under.y - feet).abs() <= LEVEL)
        }))
    }

    fn move_by(&mut self, wish: Wish) -> Result<(), Missing> {
        match self.motion {
            Motion::Walking if wish.jumps() => {
                let [x, z] = self.request(wish.velocity())?;
                self.velocity = Vec3::new(x, self.space.body.jump_speed(), z);
                self.motion = Motion::Falling;
                self.is_off_ground = true;
                self.extra.normal = Vec3::ZERO;
                self.extra.is_wedged = false;
                self.extra.is_on_sticky = false;
                self.news.push(EventKind::LeftGround { reason: LeftGround::Jumped });
                self.fall()
            }
            Motion::Walking if self.extra.is_wedged => self.walk_wedged(wish.velocity()),
            Motion::Walking => match self.slick_floor() {
                Some(floor) => self.glide(wish.velocity().map(without_creep), floor),
                None => {
                    let asked = self.request(wish.velocity())?;
                    self.walk_for(asked, self.space.tick.dt)
                }
            },
            Motion::Falling => {
                if self.catch_ladder(wish.velocity())? {
                    return Ok(());
                }
                self.steer_in_air(wish.velocity());
                self.fall()
            }
            Motion::Sliding => self.slide(wish.velocity()),
            Motion::Climbing => self.climb(wish.velocity(), wish.jumps()),
        }
    }

    /// Walks at a velocity for `dt` seconds.
    fn walk_for(&mut self, velocity: [f32; 2], dt: f32) -> Result<(), Missing> {
        self.velocity = Vec3::new(velocity[0], 0.0, velocity[1]);
        let delta = velocity.map(|speed| speed * dt);
        let count = sub_steps(self.space.tick, self.space.body, delta);
        let parts = count as f32;
        let (delta, dt) = (delta.map(|metres| metres / parts), dt / parts);
        let from = self.place;
        for _ in 0..count {
            self.walk_by(delta, dt)?;
            if self.motion != Motion::Walking && !self.is_suspended {
                break;
            }
        }
        if self.motion == Motion::Falling && !self.catch_behind(from)? {
            self.news.push(EventKind::LeftGround { reason: LeftGround::LostSupport });
        }
        Ok(())
    }

    /// Falls for the whole tick; walks for what is left of it after a landing.
    fn fall(&mut self) -> Result<(), Missing> {
        let dt = self.space.tick.dt;
        let level = [self.velocity.x, self.velocity.z].map(without_creep);
        [self.velocity.x, self.velocity.z] = level;
        let mut delta = level.map(|speed| speed * dt);
        let count = sub_steps(self.space.tick, self.space.body, delta);
        let parts = count as f32;
        let dt = dt / parts;
        delta = delta.map(|metres| metres / parts);
        let from = self.place;
        for _ in 0..count {
            match self.motion {
                Motion::Falling if !self.is_suspended => {
                    let velocity = self.velocity;
                    self.fall_for(dt, delta)?;
                    if (self.velocity.x, self.velocity.z) != (velocity.x, velocity.z) {
                        delta = [self.velocity.x * dt, self.velocity.z * dt];
                    }
                }
                Motion::Walking | Motion::Falling => self.walk_by(delta, dt)?,
                Motion::Sliding | Motion::Climbing => break,
            }
        }
        if self.motion == Motion::Falling && self.is_suspended && !self.catch_behind(from)? {
            // It came down, and walked off what it came down on.
            self.news.push(EventKind::LeftGround { reason: LeftGround::LostSupport });
        }
        Ok(())
    }
}
