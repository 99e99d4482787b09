//! Following the ground: one unit, one tick. This is the reference implementation: every faster way agrees
//! with it to the bit.

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::canonical;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{Ground, HeightfieldView, SectorCoord, SectorState, SectorView};

use crate::following::terrain_walls::is_free;
use crate::following::triangle_walk::Walker;
use crate::ground::sectors::{Sectors, UnitSector};
use crate::limits::SPEED_MAX;
use crate::units::body::{Body, SlopeRule};
use crate::units::reach::{Reach, request};
use crate::units::tick::{Outcome, Tick, Verdict, unmoved, without_creep};
use crate::units::unit::{Motion, Unit};
use crate::units::wish::Wish;

/// The limits within which a body follows the ground of its cell without a further look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FollowLimits {
    /// How far from a sector's centre, along either axis, the reach is certainly within the sector. Metres;
    /// negative for a body that never does.
    pub(crate) inner: f32,
    /// The square of the longest move that resolves support only once. Metres squared.
    pub(crate) longest_squared: f32,
    /// The square of a speed below which every wish is valid and no move is longer than that.
    pub(crate) fastest_squared: f32,
    /// The greatest drop over which the ground is followed. Metres.
    pub(crate) step_down: f32,
}

impl FollowLimits {
    pub(crate) fn new(tick: &Tick, body: &Body) -> Self {
        // Twice the skin is subtracted here, and a little from the longest move below: more than rounding can
        // matter.
        let inner = tick.half - body.radius() - 2.0 * SKIN;
        // Never over more than one tile of the open maps. A tile has at least two cells.
        let longest = greater(body.radius(), tick.cell);
        let longest = (lesser(longest, 2.0 * tick.cell)) * 0.99;
        let stays = longest < tick.side
            && tick.half > 0.5 * tick.cell // a single cell lies differently
            && body.slope_rule() == SlopeRule::KeepHorizontalSpeed;
        // A little less than the quotient: more than rounding can matter.
        let fastest = longest / tick.dt * 0.9999;
        let fastest = lesser(fastest, SPEED_MAX);
        Self {
            inner: if stays { inner } else { -1.0 },
            longest_squared: longest * longest,
            fastest_squared: fastest * fastest,
            step_down: body.step_down(),
        }
    }

    /// The same limits for units for which the ground beyond the borders has been checked too.
    pub(crate) fn up_to_borders(self, tick: &Tick) -> Self {
        Self { inner: if self.inner > 0.0 { tick.half } else { -1.0 }, ..self }
    }
}

/// Moves one unit for one tick. `None` if something is in its way: the full controller handles that. The unit
/// must be one that may move at all.
#[inline]
pub(crate) fn follow(
    tick: &Tick,
    home: &UnitSector<'_>,
    sectors: &mut Sectors<'_>,
    unit: &Unit,
    body: &Body,
    wish: Wish,
) -> Option<Outcome> {
    let SectorState::Resident(sector) = &home.state else {
        return Some(unmoved(unit, Verdict::Held)); // was refused
    };
    let field = &sector.field();
    if home.all_solid
        && !tick.ignores_shortcuts
        && unit.motion == Motion::Walking
        && let Some(outcome) = follow_in_cell(tick, field, unit, body, wish)
    {
        return Some(outcome);
    }
    let (_, delta) = request(tick, unit, wish);
    let reach = Reach::new(tick, body, [unit.local.x, unit.local.z], delta);
    if !reach.is_home() && reach.any_missing(sectors, home.coord) {
        return Some(unmoved(unit, Verdict::Held));
    }
    match follow_sub_steps(tick, home, sector, sectors, unit, body, wish) {
        Ok(outcome) => outcome,
        Err(coord) => Some(unmoved(unit, Verdict::HeldBy(coord))),
    }
}

/// The common case of [`follow_sub_steps`], with the same operations: a unit that walks a short way well
/// inside its sector, with nothing in its way. `None` if that is not certain.
#[inline]
fn follow_in_cell(
    tick: &Tick,
    field: &HeightfieldView<'_>,
    unit: &Unit,
    body: &Body,
    wish: Wish,
) -> Option<Outcome> {
    let limits = FollowLimits::new(tick, body);
    let velocity = in_cell_velocity(tick, &limits, wish)?;
    let from = [unit.local.x, unit.local.z];
    let (to, residue) = tick.walk(from, (wish.velocity(), velocity), unit.residue);
    let inside = |metres: f32| metres.abs() < limits.inner;
    if !(inside(from[0]) && inside(from[1]) && inside(to[0]) && inside(to[1])) {
        return None;
    }
    let height = open_ground(tick, field, body, from, to)?;
    if unit.local.y - height > body.step_down() {
        return None;
    }
    let velocity = Vec3::new(velocity[0], 0.0, velocity[1]);
    let local = Vec3::new(to[0] + 0.0, height + 0.0, to[1] + 0.0);
    let new_velocity = differs(velocity, unit.velocity);
    let unit = Unit { local, velocity, residue, ..*unit };
    Some(Outcome { unit, new_velocity, follows: true, ..Outcome::NOTHING })
}

/// The velocity of a move within a cell, along X and Z. `None` if the wish is not certainly one for that.
#[inline]
pub(crate) fn in_cell_velocity(tick: &Tick, limits: &FollowLimits, wish: Wish) -> Option<[f32; 2]> {
    let velocity = wish.velocity().map(without_creep);
    let [x, z] = velocity.map(|speed| speed * tick.dt);
    let surely = limits.inner > 0.0
        && x * x + z * z < limits.longest_squared
        && wish.is_valid()
        && !wish.jumps();
    surely.then_some(velocity)
}

#[inline]
pub(crate) fn differs(a: Vec3, b: Vec3) -> bool {
    a.to_array().map(f32::to_bits) != b.to_array().map(f32::to_bits)
}

fn follow_sub_steps(
    tick: &Tick,
    home: &UnitSector<'_>,
    sector: &SectorView<'_>,
    sectors: &mut Sectors<'_>,
    start: &Unit,
    body: &Body,
    wish: Wish,
) -> Result<Option<Outcome>, SectorCoord> {
    let mut outcome = Outcome { follows: true, ..unmoved(start, Verdict::Moved) };
    let (velocity, delta) = request(tick, start, wish);
    let mut state = *start;
    state.velocity = Vec3::new(velocity[0], start.velocity.y, velocity[1]);
    let sub_steps = sub_steps(tick, body, delta);
    let parts = sub_steps as f32;
    let (delta, dt) = (delta.map(|metres| metres / parts), tick.dt / parts);
    // One sub-step: no cell is as short.
    let is_short = start.motion == Motion::Walking && tick.is_short(wish.velocity());
    let short = is_short.then_some((wish.velocity(), velocity));
    let step = SubStep { tick, home, sector, body, delta, short, dt };
    // A unit that loses support in this tick keeps its height for the rest of the tick.
    let mut suspended = false;
    for _ in 0..sub_steps {
        let before = state;
        if state.motion == Motion::Falling && !suspended {
            fall(&mut state, tick.gravity, dt, body.terminal_speed());
        }
        let Some(ground) = step.advance(sectors, &before, &mut state, &mut outcome)? else {
            return Ok(None);
        };
        match ground {
            Ground::Height(height) => {
                step.settle(&before, &mut state, height, &mut suspended, &mut outcome);
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

/// One of the equal parts of a tick.
struct SubStep<'a, 's> {
    tick: &'a Tick,
    home: &'a UnitSector<'s>,
    sector: &'a SectorView<'s>,
    body: &'a Body,
    /// Metres along X and Z.
    delta: [f32; 2],
    /// Of a [short](Tick::walk) walk: the wish, and the velocity.
    short: Option<([f32; 2], [f32; 2])>,
    /// Seconds.
    dt: f32,
}

impl SubStep<'_, '_> {
    /// Moves along X and Z from where `before` is. Returns the ground at the end; `None` if a wall is in the
    /// way.
    #[inline]
    fn advance(
        &self,
        sectors: &mut Sectors<'_>,
        before: &Unit,
        state: &mut Unit,
        outcome: &mut Outcome,
    ) -> Result<Option<Ground>, SectorCoord> {
        let Self { tick, body, delta, .. } = *self;
        let from = [before.local.x, before.local.z];
        let to = match self.short {
            None => [from[0] + delta[0], from[1] + delta[1]],
            Some(asked) => {
                let (to, residue) = tick.walk(from, asked, before.residue);
                state.residue = residue;
                to
            }
        };
        let inside = |metres: f32| -tick.half <= metres && metres < tick.half;
        let at_home = self.home.all_solid
            && !tick.ignores_shortcuts
            && state.sector == self.home.coord
            && inside(to[0])
            && inside(to[1]);
        let field = self.sector.field();
        if let Some(height) = at_home.then(|| open_ground(tick, &field, body, from, to)).flatten() {
            (state.local.x, state.local.z) = (to[0] + 0.0, to[1] + 0.0);
            return Ok(Some(Ground::Height(height)));
        }
        let feet = lesser(state.local.y, before.local.y);
        let walker = Walker {
            motion: state.motion,
            is_above: false,
            feet: f64::from(feet),
            rim: f64::from(feet),
            slope_squared: body.max_slope_tan() * body.max_slope_tan(),
            // A unit near any surface that is not plain does not follow.
            never_steep: None,
            heading: [0.0; 2], // nothing turns it
        };
        if !is_free(sectors, state.sector, &tick.frame, &walker, [from, to], delta)? {
            return Ok(None);
        }
        outcome.borders += rebase(sectors, state, to);
        Ok(Some(sectors.ground(state.sector, state.local.x, state.local.z)))
    }

    /// Stands on the ground at the end of a move, or stays in the air above it.
    #[inline]
    fn settle(
        &self,
        before: &Unit,
        state: &mut Unit,
        height: f32,
        suspended: &mut bool,
        outcome: &mut Outcome,
    ) {
        let falls = state.motion == Motion::Falling && !*suspended;
        if falls && height >= state.local.y {
            outcome.touched_ground = true;
            let (from_y, fell_at) = (before.local.y, before.velocity.y);
            outcome.landing_speed =
                landing_speed(self.tick, self.dt, from_y, state, height, fell_at);
        }
        support(state, height, self.body, suspended);
    }
}

/// The number of equal parts of a move. Each part is no longer than the radius or a cell, whichever is
/// longer. It is never longer than a sector: beyond that, coordinates relative to the start would be coarser
/// than the margin.
#[inline]
pub(crate) fn sub_steps(tick: &Tick, body: &Body, [x, z]: [f32; 2]) -> u32 {
    let longest = greater(body.radius(), tick.cell);
    let longest = f64::from(lesser(longest, tick.side));
    let (x, z) = (f64::from(x), f64::from(z));
    let squared = x * x + z * z;
    if squared <= longest * longest { 1 } else { (squared.sqrt() / longest).ceil() as u32 }
}

/// The height at the end of a move within a sector of solid ground, if nothing can be in its way: no block of
/// cells under it contains ground that is too steep.
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
    // Most moves stay in one block, so this is a single lookup.
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

/// Moves down by gravity, then adds gravity to the velocity. In this order jumps do not depend on the tick
/// rate.
#[inline]
fn fall(state: &mut Unit, gravity: f32, dt: f32, terminal_speed: f32) {
    state.local.y += state.velocity.y * dt - 0.5 * gravity * dt * dt;
    let speed = state.velocity.y - gravity * dt;
    state.velocity.y = greater(-terminal_speed, speed);
}

/// The downward speed at which a fall that had the vertical velocity `fell_at` at `from_y` reached the
/// ground.
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
    greater(speed, 0.0)
}

/// `y = max(y, ground)`, or down to the ground if it supported the unit before and is near enough.
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

/// Expresses the place `to` in its own sector. Returns the number of borders crossed. A place that no sector
/// can express is beyond the world's edge, which no move crosses; then the unit stays.
fn rebase(sectors: &Sectors<'_>, state: &mut Unit, to: [f32; 2]) -> u32 {
    let local = Vec3::new(to[0], state.local.y, to[1]);
    let Ok((sector, local)) = canonical(state.sector, local, sectors.grid().sector_size()) else {
        return 0;
    };
    let borders = sector.x.abs_diff(state.sector.x) + sector.z.abs_diff(state.sector.z);
    (state.sector, state.local) = (sector, local);
    borders
}
