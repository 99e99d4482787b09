//! Following the ground: one unit, one tick. This is the meaning; whatever is faster agrees to the
//! bit.

use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::canonical;
use marchland_terrain::{CellKind, Ground, HeightfieldView, SectorCoord, TerrainView};

use crate::body::{Body, SlopeRule};
use crate::crossing::Walker;
use crate::frame::Frame;
use crate::limits::{SPEED_MAX, SPEED_MIN};
use crate::sectors::{Home, HomePlace, Sectors};
use crate::settings::{SecondLook, TickSettings};
use crate::slide::is_free;
use crate::units::{Motion, Unit};
use crate::wish::Wish;

/// What strolling asks of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gait {
    /// How far from a sector's centre, along either axis, its reach is surely within the sector. Metres;
    /// negative for a body that never strolls.
    pub(crate) inner: f32,
    /// The square of the longest move that takes support only once.
    pub(crate) longest_squared: f32,
    /// The square of a speed below which every wish is valid and no longer than that.
    pub(crate) fastest_squared: f32,
    /// How far down ground is followed. Metres.
    pub(crate) step_down: f32,
}

impl Gait {
    pub(crate) fn new(tick: &Tick, body: &Body) -> Self {
        // Twice the skin and a little off the longest move: more than rounding can matter.
        let inner = tick.half - body.radius() - 2.0 * SKIN;
        // And never over more than one tile of the open maps, which are of two cells at least.
        let longest = if body.radius() > tick.cell { body.radius() } else { tick.cell };
        let longest = (if longest < 2.0 * tick.cell { longest } else { 2.0 * tick.cell }) * 0.99;
        let strolls = longest < tick.side
            && tick.half > 0.5 * tick.cell // a single cell lies otherwise
            && body.slope_rule() == SlopeRule::KeepHorizontalSpeed;
        // A little less than the quotient: more than rounding can matter.
        let fastest = longest / tick.dt * 0.9999;
        let fastest = if fastest < SPEED_MAX { fastest } else { SPEED_MAX };
        Self {
            inner: if strolls { inner } else { -1.0 },
            longest_squared: longest * longest,
            fastest_squared: fastest * fastest,
            step_down: body.step_down(),
        }
    }

    /// The same for who has looked beyond the borders too.
    pub(crate) fn up_to_borders(self, tick: &Tick) -> Self {
        Self { inner: if self.inner > 0.0 { tick.half } else { -1.0 }, ..self }
    }
}

/// What a tick made of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The new state; nothing new unless `verdict` is [`Verdict::Moved`].
    pub(crate) unit: Unit,
    pub(crate) verdict: Verdict,
    /// Began falling and ended walking.
    pub(crate) landed: bool,
    /// Fell and met the ground, whatever came of it; of who follows.
    pub(crate) touched_ground: bool,
    /// Speed downwards where it met the ground. Metres per second.
    pub(crate) landing_speed: f32,
    /// Began walking and ended falling.
    pub(crate) left_ground: bool,
    /// Met the world's edge.
    pub(crate) met_edge: bool,
    /// Met ground too steep, or a rim.
    pub(crate) met_slope: bool,
    /// The velocity has other bits than before.
    pub(crate) new_velocity: bool,
    /// Sector borders crossed.
    pub(crate) borders: u32,
    /// Followed the ground, and has told nothing of what happened.
    pub(crate) follows: bool,
}

impl Outcome {
    /// What stands in scratch before it is written.
    pub(crate) const NOTHING: Self = Self {
        unit: Unit {
            sector: SectorCoord::new(0, 0),
            local: Vec3::ZERO,
            velocity: Vec3::ZERO,
            motion: Motion::Walking,
        },
        verdict: Verdict::Moved,
        landed: false,
        touched_ground: false,
        landing_speed: 0.0,
        left_ground: false,
        met_edge: false,
        met_slope: false,
        new_velocity: false,
        borders: 0,
        follows: false,
    };
}

/// Whether a unit moved, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It moved, or stood.
    Moved,
    /// Its reach touches sectors that are not in memory.
    Held,
    /// A slide beyond its reach met this sector, which is not in memory.
    HeldBy(SectorCoord),
    /// Its wish is no wish.
    Invalid,
    /// It stands outside the world.
    Outside,
}

/// What is the same for all units of a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tick {
    pub(crate) dt: f32,
    pub(crate) gravity: f32,
    pub(crate) always: bool,
    pub(crate) frame: Frame,
    pub(crate) side: f32,
    pub(crate) half: f32,
    pub(crate) cell: f32,
}

impl Tick {
    pub(crate) fn new(view: TerrainView<'_>, settings: &TickSettings) -> Self {
        let grid = view.grid();
        Self {
            dt: settings.dt,
            gravity: settings.gravity,
            always: settings.second_look == SecondLook::Always,
            frame: Frame::new(grid),
            side: grid.sector_size().metres(),
            half: grid.sector_size().half(),
            cell: grid.cell(),
        }
    }
}

/// One unit, one tick; nothing where something is in its way, which is for the full controller. Who is
/// [refused](refuse) does not come here.
#[inline]
pub(crate) fn follow(
    tick: &Tick,
    home: &Home<'_>,
    sectors: &mut Sectors<'_>,
    unit: &Unit,
    body: &Body,
    wish: Wish,
) -> Option<Outcome> {
    let HomePlace::Resident { view, whole, .. } = &home.place else {
        return Some(unmoved(unit, Verdict::Held)); // was refused
    };
    let field = &view.field();
    if *whole
        && !tick.always
        && unit.motion == Motion::Walking
        && let Some(outcome) = stroll(tick, field, unit, body, wish)
    {
        return Some(outcome);
    }
    let (velocity, delta) = request(tick, unit, wish);
    let reach = Reach::new(tick, body, [unit.local.x, unit.local.z], delta);
    if !reach.is_home() && reach.any_missing(sectors, home.coord) {
        return Some(unmoved(unit, Verdict::Held));
    }
    match follow_sub_steps(tick, home, field, *whole, sectors, unit, body, velocity, delta) {
        Ok(outcome) => outcome,
        Err(coord) => Some(unmoved(unit, Verdict::HeldBy(coord))),
    }
}

/// Why a unit does not move at all, whichever way it would take.
#[inline]
pub(crate) fn refuse(home: &Home<'_>, unit: &Unit, wish: Wish) -> Option<Verdict> {
    if !wish.is_valid() {
        return Some(Verdict::Invalid);
    }
    let (view, whole) = match &home.place {
        HomePlace::Resident { view, whole, .. } => (view, *whole),
        HomePlace::Outside => return Some(Verdict::Outside),
        HomePlace::NotResident => return Some(Verdict::Held),
    };
    if !whole {
        let field = view.field();
        let place = field.place(unit.local.x, unit.local.z);
        if field.cell_kind(place.column as i32, place.row as i32) == CellKind::Outside {
            return Some(Verdict::Outside);
        }
    }
    None
}

/// The common case of [`follow_sub_steps`], with the same operations: a unit that walks a short way
/// well inside its sector, where nothing is in the way. Nothing where it is not surely that case.
#[inline]
fn stroll(
    tick: &Tick,
    field: &HeightfieldView<'_>,
    unit: &Unit,
    body: &Body,
    wish: Wish,
) -> Option<Outcome> {
    let (velocity, to) = stroll_to(tick, &Gait::new(tick, body), unit.local, wish)?;
    let from = [unit.local.x, unit.local.z];
    let height = open_ground(tick, field, body, from, to)?;
    if unit.local.y - height > body.step_down() {
        return None;
    }
    let velocity = Vec3::new(velocity[0], 0.0, velocity[1]);
    let local = Vec3::new(to[0] + 0.0, height + 0.0, to[1] + 0.0);
    let new_velocity = differs(velocity, unit.velocity);
    Some(Outcome { unit: Unit { local, velocity, ..*unit }, new_velocity, ..Outcome::NOTHING })
}

/// The velocity of a stroll along X and Z and where it leads; nothing where it is not surely one.
#[inline]
fn stroll_to(tick: &Tick, gait: &Gait, local: Vec3, wish: Wish) -> Option<([f32; 2], [f32; 2])> {
    let velocity = stroll_velocity(tick, gait, wish)?;
    let from = [local.x, local.z];
    let to = [from[0] + velocity[0] * tick.dt, from[1] + velocity[1] * tick.dt];
    let inside = |metres: f32| metres.abs() < gait.inner;
    let surely = inside(from[0]) && inside(from[1]) && inside(to[0]) && inside(to[1]);
    surely.then_some((velocity, to))
}

/// The velocity of a stroll along X and Z; nothing where a wish is not surely that of one.
#[inline]
pub(crate) fn stroll_velocity(tick: &Tick, gait: &Gait, wish: Wish) -> Option<[f32; 2]> {
    let velocity = wish.velocity().map(without_creep);
    let [x, z] = velocity.map(|speed| speed * tick.dt);
    let surely = gait.inner > 0.0
        && x * x + z * z < gait.longest_squared
        && wish.is_valid()
        && !wish.jumps();
    surely.then_some(velocity)
}

#[inline]
pub(crate) fn differs(a: Vec3, b: Vec3) -> bool {
    a.to_array().map(f32::to_bits) != b.to_array().map(f32::to_bits)
}

/// The horizontal velocity of the tick and what it asks for in metres.
#[inline]
fn request(tick: &Tick, unit: &Unit, wish: Wish) -> ([f32; 2], [f32; 2]) {
    let asked = match unit.motion {
        Motion::Walking => wish.velocity(),
        Motion::Falling | Motion::Sliding | Motion::Climbing => [unit.velocity.x, unit.velocity.z],
    };
    let velocity = asked.map(without_creep);
    (velocity, velocity.map(|speed| speed * tick.dt))
}

fn follow_sub_steps(
    tick: &Tick,
    home: &Home<'_>,
    field: &HeightfieldView<'_>,
    whole: bool,
    sectors: &mut Sectors<'_>,
    start: &Unit,
    body: &Body,
    velocity: [f32; 2],
    delta: [f32; 2],
) -> Result<Option<Outcome>, SectorCoord> {
    let mut outcome = unmoved(start, Verdict::Moved);
    let mut state = *start;
    state.velocity = Vec3::new(velocity[0], start.velocity.y, velocity[1]);
    let sub_steps = sub_steps(tick, body, delta);
    let parts = sub_steps as f32;
    let (delta, dt) = (delta.map(|metres| metres / parts), tick.dt / parts);
    // Who loses support in this tick keeps its height for the rest of it.
    let mut suspended = false;
    for _ in 0..sub_steps {
        let (from, from_y) = ([state.local.x, state.local.z], state.local.y);
        let fell_at = state.velocity.y;
        if state.motion == Motion::Falling && !suspended {
            fall(&mut state, tick.gravity, dt, body.terminal_speed());
        }
        let to = [from[0] + delta[0], from[1] + delta[1]];
        let inside = |metres: f32| -tick.half <= metres && metres < tick.half;
        let at_home =
            whole && !tick.always && state.sector == home.coord && inside(to[0]) && inside(to[1]);
        let ground = match at_home.then(|| open_ground(tick, field, body, from, to)).flatten() {
            Some(height) => {
                (state.local.x, state.local.z) = (to[0] + 0.0, to[1] + 0.0);
                Ground::Height(height)
            }
            None => {
                let feet = if state.local.y < from_y { state.local.y } else { from_y };
                let walker = Walker {
                    motion: state.motion,
                    feet: f64::from(feet),
                    slope_squared: body.max_slope_tan() * body.max_slope_tan(),
                };
                if !is_free(sectors, state.sector, &tick.frame, &walker, from, delta)? {
                    return Ok(None);
                }
                outcome.borders += rebase(sectors, &mut state, to);
                sectors.ground(state.sector, state.local.x, state.local.z)
            }
        };
        match ground {
            Ground::Height(height) => {
                let falls = state.motion == Motion::Falling && !suspended;
                if falls && height >= state.local.y {
                    outcome.touched_ground = true;
                    outcome.landing_speed =
                        landing_speed(tick, dt, from_y, &state, height, fell_at);
                }
                support(&mut state, height, body, &mut suspended);
            }
            Ground::NotResident => return Err(state.sector),
            Ground::Hole | Ground::Outside => lose_support(&mut state, &mut suspended),
        }
    }
    state.velocity.y = without_creep(state.velocity.y);
    outcome.landed = start.motion == Motion::Falling && state.motion == Motion::Walking;
    outcome.left_ground = start.motion == Motion::Walking && state.motion == Motion::Falling;
    outcome.new_velocity = differs(state.velocity, start.velocity);
    outcome.unit = state;
    Ok(Some(outcome))
}

/// Equal parts, each no longer than the radius or a cell, whichever is longer; and never longer
/// than a sector, beyond which coordinates seen from the start would be coarser than the margin.
#[inline]
pub(crate) fn sub_steps(tick: &Tick, body: &Body, [x, z]: [f32; 2]) -> u32 {
    let longest = if body.radius() > tick.cell { body.radius() } else { tick.cell };
    let longest = f64::from(if longest < tick.side { longest } else { tick.side });
    let (x, z) = (f64::from(x), f64::from(z));
    let squared = x * x + z * z;
    if squared <= longest * longest { 1 } else { (squared.sqrt() / longest).ceil() as u32 }
}

/// The height at the end of a move within a sector of solid ground, if nothing can be in its way:
/// no block of cells under it holds ground that is too steep.
#[inline]
pub(crate) fn open_ground(
    tick: &Tick,
    field: &HeightfieldView<'_>,
    body: &Body,
    from: [f32; 2],
    to: [f32; 2],
) -> Option<f32> {
    let (start, end) = (tick.frame.place(from), tick.frame.place(to));
    let limit = body.steepness_limit;
    let block = marchland_terrain::limits::BLOCK_CELLS;
    let (columns, rows) = (
        ordered(start.column / block, end.column / block),
        ordered(start.row / block, end.row / block),
    );
    // Most moves stay in one block: then this is one look.
    for row in rows.0..rows.1 + 1 {
        for column in columns.0..columns.1 + 1 {
            if field.cell_steepness(column * block, row * block) > limit {
                return None;
            }
        }
    }
    Some(field.height_at(end))
}

#[inline]
fn ordered(a: u32, b: u32) -> (u32, u32) {
    if a <= b { (a, b) } else { (b, a) }
}

/// Moves down by gravity, then takes it into the velocity: so jumps do not depend on the tick rate.
#[inline]
fn fall(state: &mut Unit, gravity: f32, dt: f32, terminal_speed: f32) {
    state.local.y += state.velocity.y * dt - 0.5 * gravity * dt * dt;
    let speed = state.velocity.y - gravity * dt;
    state.velocity.y = if speed < -terminal_speed { -terminal_speed } else { speed };
}

/// The speed downwards at which a fall from `from_y` at `fell_at` reached the ground.
fn landing_speed(
    tick: &Tick,
    dt: f32,
    from_y: f32,
    state: &Unit,
    height: f32,
    fell_at: f32,
) -> f32 {
    let (fell, below) = (from_y - state.local.y, height - state.local.y);
    let part = if fell > 0.0 && below < fell { 1.0 - below / fell } else { 0.0 };
    let speed = tick.gravity * dt * part - fell_at;
    if speed > 0.0 { speed } else { 0.0 }
}

/// `y = max(y, ground)`, or down to the ground if it supported the unit before and is near.
#[inline]
fn support(state: &mut Unit, height: f32, body: &Body, suspended: &mut bool) {
    let y = state.local.y;
    let snaps = state.motion == Motion::Walking && y - height <= body.step_down();
    if height >= y || snaps {
        state.local.y = height + 0.0;
        state.velocity.y = 0.0;
        state.motion = Motion::Walking;
        *suspended = false;
    } else {
        lose_support(state, suspended);
    }
}

#[inline]
fn lose_support(state: &mut Unit, suspended: &mut bool) {
    if state.motion == Motion::Walking {
        state.motion = Motion::Falling;
        state.velocity.y = 0.0;
        *suspended = true;
    }
}

/// Names the place `to` from its own sector. Gives back the number of borders crossed. What no
/// sector can name lies beyond the world's edge, which no move crosses: then the unit stays.
fn rebase(sectors: &Sectors<'_>, state: &mut Unit, to: [f32; 2]) -> u32 {
    let local = Vec3::new(to[0], state.local.y, to[1]);
    let Ok((sector, local)) = canonical(state.sector, local, sectors.grid().sector_size()) else {
        return 0;
    };
    let borders = sector.x.abs_diff(state.sector.x) + sector.z.abs_diff(state.sector.z);
    (state.sector, state.local) = (sector, local);
    borders
}

/// Parts of a velocity too small to matter are 0, and 0 is never negative.
#[inline]
pub(crate) fn without_creep(speed: f32) -> f32 {
    if speed.abs() < SPEED_MIN { 0.0 } else { speed }
}

#[inline]
pub(crate) fn unmoved(unit: &Unit, verdict: Verdict) -> Outcome {
    Outcome { unit: *unit, verdict, ..Outcome::NOTHING }
}

/// The sectors that a unit can reach in a tick, as offsets from its own, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    columns: (i32, i32),
    rows: (i32, i32),
}

impl Reach {
    /// The box of the body over the requested move, grown by the skin and half of it again: what queries
    /// grow by for seams, and more than rounding.
    #[inline]
    fn new(tick: &Tick, body: &Body, from: [f32; 2], delta: [f32; 2]) -> Self {
        // The skin, and the hair by which queries look around.
        let grown = f64::from(body.radius()) + f64::from(SKIN) + 5e-4;
        let along = |axis: usize| {
            let start = f64::from(from[axis]);
            let end = start + f64::from(delta[axis]);
            let (low, high) = if start < end { (start, end) } else { (end, start) };
            let (low, high) = (low - grown, high + grown);
            let half = f64::from(tick.half);
            if -half <= low && high < half {
                return (0, 0);
            }
            let sector = |metres: f64| ((metres + half) / f64::from(tick.side)).floor() as i32;
            (sector(low), sector(high))
        };
        Self { columns: along(0), rows: along(1) }
    }

    /// The reach of a unit that may also be carried, or keep some of the velocity that it has.
    pub(crate) fn carried(tick: &Tick, unit: &Unit, body: &Body, wish: Wish, by: [f32; 2]) -> Self {
        let from = [unit.local.x, unit.local.z];
        let (_, delta) = request(tick, unit, wish);
        // Who walks goes where it is asked to; what it slips on instead is met when it does.
        let walks = unit.motion == Motion::Walking;
        let own = if walks { [0.0, 0.0] } else { [unit.velocity.x, unit.velocity.z] };
        let own = own.map(|speed| speed * tick.dt);
        let ends = [delta, own, by, [by[0] + delta[0], by[1] + delta[1]]];
        let span = |a: (i32, i32), b: (i32, i32)| {
            (if b.0 < a.0 { b.0 } else { a.0 }, if b.1 > a.1 { b.1 } else { a.1 })
        };
        let mut reach = Self::new(tick, body, from, [0.0, 0.0]);
        for end in ends {
            let other = Self::new(tick, body, from, end);
            reach.columns = span(reach.columns, other.columns);
            reach.rows = span(reach.rows, other.rows);
        }
        reach
    }

    /// The reach of a unit, as [`follow`] sees it.
    pub(crate) fn of(tick: &Tick, unit: &Unit, body: &Body, wish: Wish) -> Self {
        let (_, delta) = request(tick, unit, wish);
        Self::new(tick, body, [unit.local.x, unit.local.z], delta)
    }

    #[inline]
    pub(crate) fn is_home(self) -> bool {
        self == Self { columns: (0, 0), rows: (0, 0) }
    }

    pub(crate) fn any_missing(self, sectors: &mut Sectors<'_>, home: SectorCoord) -> bool {
        self.sectors(home).any(|coord| sectors.is_missing(coord))
    }

    /// The sectors, where 32 bits can name them.
    pub(crate) fn sectors(self, home: SectorCoord) -> impl Iterator<Item = SectorCoord> {
        let Self { columns, rows } = self;
        (columns.0..=columns.1)
            .flat_map(move |dx| (rows.0..=rows.1).filter_map(move |dz| home.offset(dx, dz)))
    }
}
