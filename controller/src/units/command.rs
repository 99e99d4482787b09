//! What a game does to a unit between ticks: throw it, move it, give it another body.

use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::greater;
use marchland_terrain::query::{Ceiling, Contacts, Cylinder, QueryError, Seams, SupportBy};
use marchland_terrain::{Ground, SectorState, SurfaceSet, TerrainView, WorldPos};

use crate::limits::{ABOVE_ALL_GROUND, NONE_BUT_STICKY, SPEED_MAX};
use crate::units::body::{Body, BodyId};
use crate::units::columns::Units;
use crate::units::contact_state::{Climb, ContactState, LADDER_PAUSE};
use crate::units::error::{CommandError, SpawnError};
use crate::units::hair::{blocks_from, hair};
use crate::units::surface::sticky_of;
use crate::units::unit::{Motion, UnitId};

/// Capacity for triangles of steep ground in a body; of more, the deepest are kept.
const GROUND_CONTACTS: usize = 48;

/// The motion with which a unit starts whose feet are at a position: walking if the feet are below the ground
/// or within the skin of a support, otherwise falling. Over a hole the rim supports too. Also falling where
/// the ground is not in memory. All surfaces count as plain here; [`Units::start_motion`] takes sticky
/// surfaces into account.
#[must_use]
pub fn start_motion(view: TerrainView<'_>, position: WorldPos, body: &Body, mask: u32) -> Motion {
    known_start(view, position, body, mask, None).unwrap_or(Motion::Falling)
}

/// The same, where the surfaces in `sticky` are never too steep. `None` where the ground is not in memory.
pub(crate) fn known_start(
    view: TerrainView<'_>,
    position: WorldPos,
    body: &Body,
    mask: u32,
    sticky: Option<&SurfaceSet>,
) -> Option<Motion> {
    let by = match view.ground(position) {
        Ground::NotResident => return None,
        Ground::Height(height) if position.local().y - height <= SKIN => {
            return Some(Motion::Walking);
        }
        // The rim supports a unit over a hole.
        Ground::Hole => SupportBy::All,
        _ => SupportBy::Props,
    };
    let cylinder = Cylinder { radius: body.radius(), height: body.height() };
    match view.solids(mask).support(cylinder, position, -SKIN, SKIN, by) {
        Err(QueryError::NotResident { .. }) => return None,
        Ok(Some(_)) => return Some(Motion::Walking),
        _ => {}
    }
    let is_lifted = is_lifted_there(view, position, body, sticky)?;
    Some(if is_lifted { Motion::Walking } else { Motion::Falling })
}

/// Whether ground under the disc lifts a unit's feet above the ground at its centre, because that ground must
/// not reach above the knee. `None` where it is not in memory.
fn is_lifted_there(
    view: TerrainView<'_>,
    position: WorldPos,
    body: &Body,
    sticky: Option<&SurfaceSet>,
) -> Option<bool> {
    let local = position.local();
    let field = match view.sector(position.sector()) {
        SectorState::Resident(sector) => sector.field(),
        SectorState::NotResident => return None,
        SectorState::Outside => return Some(false),
    };
    let place = field.place(local.x, local.z);
    let Ground::Height(ground) = field.ground_at(place) else { return Some(false) };
    let surface = field.cell_surface(place.column, place.row);
    let is_steep = body.is_too_steep(f64::from(field.face_normal_at(place).y))
        && !sticky.is_some_and(|sticky| sticky.contains(surface));
    let least = body.knee() - SKIN;
    let cylinder = Cylinder { radius: body.radius(), height: body.height() };
    let ground_alone = view.solids(0).with_ground_never_steep(sticky);
    let bears = |high: f32, upright: f32| {
        if high < least {
            return Some(false);
        }
        match ground_alone.highest_ground(cylinder, position, (least, high), upright) {
            Err(QueryError::NotResident { .. }) => None,
            found => Some(matches!(found, Ok(Some(_)))),
        }
    };
    // The greatest height of walkable ground under the disc: by its slope, or beside a steep face.
    let by_slope = (f64::from(body.radius()) * body.max_slope_tan()) as f32;
    let high = if is_steep {
        body.knee() + body.radius()
    } else if by_slope > body.knee() {
        ground - local.y + by_slope
    } else {
        0.0
    };
    let gentle = bears(high, body.max_slope_cos() as f32)?;
    Some(gentle || (sticky.is_some() && bears(ABOVE_ALL_GROUND, NONE_BUT_STICKY)?))
}

/// Whether a body has room with its feet at a position: whether a unit that is put there is free at once.
///
/// It has no room in these cases:
///
/// - A prop of the layers in `mask` is in the part of the body that blocks, or within the skin above it; also
///   where that part is inside a closed prop.
/// - Ground that is too steep for the body reaches into that part by more than the skin.
/// - The ground is higher above the feet than the knee: no unit can be below the ground.
/// - The position is outside the world.
///
/// The part that blocks is the part above the knee where the body [walks](start_motion), and the whole body
/// where it would fall. Over a hole and in the air there is room. [Sticky](crate::SurfaceResponse::sticky)
/// surfaces count like any other. Other units are not considered.
///
/// # Errors
/// If a sector that the body reaches into is not resident.
pub fn has_room(
    view: TerrainView<'_>,
    position: WorldPos,
    body: &Body,
    mask: u32,
) -> Result<bool, QueryError> {
    let ground = match view.ground(position) {
        Ground::NotResident => {
            return Err(QueryError::NotResident { sector: position.sector() });
        }
        Ground::Outside => return Ok(false),
        Ground::Height(height) => height,
        Ground::Hole => f32::NEG_INFINITY,
    };
    let feet = position.local().y;
    if ground - feet > body.knee() {
        return Ok(false);
    }
    let lifted = if ground > feet { raised(view, position, ground - feet) } else { position };
    let low = match start_motion(view, lifted, body, mask) {
        Motion::Walking => blocks_from(body, lifted.local().y),
        _ => 0.0,
    };
    if ceiling_over(view, lifted, body, low, mask)?.is_some() {
        return Ok(false);
    }
    Ok(steep_depth(view, lifted, body, None)? <= SKIN)
}

/// A position `by` metres higher.
fn raised(view: TerrainView<'_>, position: WorldPos, by: f32) -> WorldPos {
    let local = position.local() + Vec3::new(0.0, by, 0.0);
    // A position stays valid at any other height.
    WorldPos::new(position.sector(), local, view.grid().sector_size()).unwrap_or(position)
}

/// What is above `low` metres over the feet of a body, and within the skin over it.
fn ceiling_over(
    view: TerrainView<'_>,
    position: WorldPos,
    body: &Body,
    low: f32,
    mask: u32,
) -> Result<Option<Ceiling>, QueryError> {
    let height = body.height() - low + SKIN;
    let upper = Cylinder { radius: body.radius(), height };
    view.solids(mask).ceiling(upper, raised(view, position, low), height)
}

/// How deep ground that is too steep to stand on reaches into the upper part of a body, without that of
/// sticky surfaces. Metres.
fn steep_depth(
    view: TerrainView<'_>,
    position: WorldPos,
    body: &Body,
    sticky: Option<&SurfaceSet>,
) -> Result<f32, QueryError> {
    let knee = raised(view, position, body.knee());
    let upper = Cylinder { radius: body.radius(), height: body.height() - body.knee() };
    let ground = view.solids(0).with_ground_steeper(body.max_slope_cos());
    let ground = ground.with_ground_never_steep(sticky);
    let mut contacts = Contacts::with_capacity(GROUND_CONTACTS);
    ground.with_seams(Seams::Raw).overlap(upper, knee, &mut contacts)?;
    let depths = contacts.as_slice().iter().map(|contact| contact.depth);
    Ok(depths.fold(0.0, |deepest, depth| greater(depth, deepest)))
}

/// The reason why a command is refused. `None` where the query failed for any reason other than memory; this
/// does not happen for a body that was checked when it was built.
fn not_resident(error: QueryError) -> Option<CommandError> {
    match error {
        QueryError::NotResident { sector } => Some(CommandError::NotResident { sector }),
        _ => None,
    }
}

impl Units {
    /// Like [`start_motion`](crate::start_motion), with the surfaces of these units.
    #[must_use]
    pub fn start_motion(
        &self,
        view: TerrainView<'_>,
        position: WorldPos,
        body: &Body,
        mask: u32,
    ) -> Motion {
        let sticky = sticky_of(&self.surfaces);
        let known = known_start(view, position, body, mask, sticky.as_ref());
        known.unwrap_or(Motion::Falling)
    }

    /// Adds to a unit's velocity, metres per second. The unit is thrown: whatever it is doing, it falls, and
    /// does not snap back to the ground that it leaves.
    ///
    /// # Errors
    /// If the unit does not exist, or the impulse is not finite or too large.
    pub fn add_impulse(&mut self, id: UnitId, impulse: Vec3) -> Result<(), CommandError> {
        let index = self.index(id).ok_or(CommandError::Unknown { id })?;
        let squared = impulse.x * impulse.x + impulse.y * impulse.y + impulse.z * impulse.z;
        if squared.is_nan() || squared > SPEED_MAX * SPEED_MAX {
            return Err(SpawnError::Velocity { found: impulse.to_array() }.into());
        }
        let velocity = self.velocities[index] + impulse;
        let length =
            (velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z).sqrt();
        // Limited to the greatest speed of a unit; adding zero turns −0 into 0.
        let most = if length > SPEED_MAX { SPEED_MAX * 0.999_999 / length } else { 1.0 };
        self.velocities[index] = velocity * most + Vec3::ZERO;
        let state = &mut self.contact_states[index];
        state.is_thrown_off |= self.motions[index] != Motion::Falling;
        if self.motions[index] == Motion::Climbing && state.climb.total == 0.0 {
            state.ladder_pause = LADDER_PAUSE;
        }
        state.climb = Climb::NONE;
        state.is_thrown = true;
        self.motions[index] = Motion::Falling;
        self.cells.forget(index);
        Ok(())
    }

    /// Puts a unit somewhere else, at rest. Where it has no [room](has_room), it is then pushed out of what
    /// it overlaps. Outside the world it stays where it is put, and [`Report::outside`] lists it.
    ///
    /// Its [motion](start_motion) there is decided now, or, where the ground is not in memory yet, by the
    /// first tick that moves it: the result of the ticks does not depend on a disk. Until then the unit
    /// counts as falling, and takes no part in [separation](crate::Separation). On a live prop it
    /// [rides](Self::board) from now on.
    ///
    /// # Errors
    /// If the unit does not exist, or the position belongs to sectors of another size.
    ///
    /// [`Report::outside`]: crate::Report::outside
    pub fn teleport(
        &mut self,
        view: TerrainView<'_>,
        id: UnitId,
        position: WorldPos,
    ) -> Result<(), CommandError> {
        let index = self.index(id).ok_or(CommandError::Unknown { id })?;
        self.check_position(position)?;
        let body = self.bodies[self.body_ids[index].index()];
        self.sectors[index] = position.sector();
        self.locals[index] = position.local();
        self.residues[index] = [0.0; 2];
        self.velocities[index] = Vec3::ZERO;
        let sticky = sticky_of(&self.surfaces);
        let known = known_start(view, position, &body, self.masks[index], sticky.as_ref());
        self.motions[index] = known.unwrap_or(Motion::Falling);
        let (is_moved, is_undecided) = (known != Some(Motion::Walking), known.is_none());
        // Its contacts and overlaps at the old place end with the next tick, which reports it.
        let ContactState { contacts_last_tick, is_stuck, crushers, .. } =
            *self.contact_states[index];
        let put = ContactState { is_moved, is_undecided, ..ContactState::NONE };
        let ridden = self.ride_at(view, index, position);
        if ridden.is_some() {
            self.motions[index] = Motion::Walking;
        }
        let state = ridden.unwrap_or(put);
        self.contact_states[index].put(ContactState {
            contacts_last_tick,
            is_stuck,
            crushers,
            ..state
        });
        self.cells.forget(index);
        Ok(())
    }

    /// Gives a unit another body, if there is room for it where the unit stands: below whatever is above its
    /// feet, beside whatever is in the way of all of it where the unit falls, and between ground that is too steep
    /// for it.
    ///
    /// # Errors
    /// If the unit or the body does not exist, there is no room, or that is unknown because a sector is not
    /// resident.
    pub fn resize(
        &mut self,
        view: TerrainView<'_>,
        id: UnitId,
        body: BodyId,
    ) -> Result<(), CommandError> {
        let index = self.index(id).ok_or(CommandError::Unknown { id })?;
        let Some(new) = self.bodies.get(body.index()).copied() else {
            return Err(SpawnError::Body { found: body.0, bodies: self.bodies.len() }.into());
        };
        let old = self.bodies[self.body_ids[index].index()];
        let is_lower = new.knee() < old.knee();
        if is_lower || new.height() > old.height() || new.radius() > old.radius() {
            self.check_room(view, index, &new)?;
            self.check_ground(view, index, &old, &new)?;
        }
        self.body_ids[index] = body;
        self.cells.forget(index);
        Ok(())
    }

    /// Sets the layers of the props that a unit meets. Returns whether the unit exists.
    pub fn set_mask(&mut self, id: UnitId, mask: u32) -> bool {
        let index = self.index(id);
        if let Some(index) = index {
            self.masks[index] = mask;
            self.cells.forget(index);
        }
        index.is_some()
    }

    /// Whether a body fits above the knee where a unit stands, or all of it where the unit falls.
    fn check_room(
        &self,
        view: TerrainView<'_>,
        index: usize,
        body: &Body,
    ) -> Result<(), CommandError> {
        let Some(at) = self.place(index) else { return Ok(()) };
        let low = match self.motions[index] {
            Motion::Falling => hair(at.local().y),
            _ => blocks_from(body, at.local().y),
        };
        match ceiling_over(view, at, body, low, self.masks[index]) {
            Ok(None) => Ok(()),
            Ok(Some(ceiling)) => {
                let clearance = ceiling.clearance + low;
                Err(CommandError::NoRoom { clearance, height: body.height() })
            }
            Err(error) => not_resident(error).map_or(Ok(()), Err),
        }
    }

    /// Whether ground too steep to stand on reaches no deeper into the upper part of the new body than into
    /// that of the old one.
    fn check_ground(
        &self,
        view: TerrainView<'_>,
        index: usize,
        old: &Body,
        new: &Body,
    ) -> Result<(), CommandError> {
        let Some(at) = self.place(index) else { return Ok(()) };
        // As units meet it: sticky ground is no wall, except over a hole.
        let is_over_hole = matches!(view.ground(at), Ground::Hole);
        let sticky = sticky_of(&self.surfaces).filter(|_| !is_over_hole);
        let deepest = |body: &Body| {
            steep_depth(view, at, body, sticky.as_ref())
                .or_else(|error| not_resident(error).map_or(Ok(0.0), Err))
        };
        let depth = deepest(new)?;
        if depth > SKIN && depth > deepest(old)? {
            return Err(CommandError::Steep { depth });
        }
        Ok(())
    }

    /// Where the feet of the unit in a slot are. Always `Some` for a unit.
    fn place(&self, index: usize) -> Option<WorldPos> {
        WorldPos::new(self.sectors[index], self.locals[index], self.size).ok()
    }
}
