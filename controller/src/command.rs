//! What a game does to a unit between ticks: throw it, move it, give it another body.

use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::query::{Contacts, Cylinder, QueryError, Seams, SupportBy};
use marchland_terrain::{Ground, TerrainView, WorldPos};

use crate::body::{Body, BodyId};
use crate::error::{CommandError, SpawnError};
use crate::extra::Extra;
use crate::limits::SPEED_MAX;
use crate::units::{Motion, UnitId, Units};

/// Triangles of steep ground that may be in a body; of more, the deepest count.
const GROUND_CONTACTS: usize = 48;

/// How a unit whose feet are at a position begins: walking if they are within the skin of what
/// supports them, over a hole also its rim, or below the ground, else falling; also falling where the ground
/// is not in memory.
#[must_use]
pub fn start_motion(view: TerrainView<'_>, position: WorldPos, body: &Body, mask: u32) -> Motion {
    known_start(view, position, body, mask).unwrap_or(Motion::Falling)
}

/// The same; nothing where the ground is not in memory.
pub(crate) fn known_start(
    view: TerrainView<'_>,
    position: WorldPos,
    body: &Body,
    mask: u32,
) -> Option<Motion> {
    let by = match view.ground(position) {
        Ground::NotResident => return None,
        Ground::Height(height) if position.local().y - height <= SKIN => {
            return Some(Motion::Walking);
        }
        // The rim bears who is over a hole.
        Ground::Hole => SupportBy::All,
        _ => SupportBy::Props,
    };
    let cylinder = Cylinder { radius: body.radius(), height: body.height() };
    match view.solids(mask).support(cylinder, position, -SKIN, SKIN, by) {
        Err(QueryError::NotResident { .. }) => None,
        Ok(Some(_)) => Some(Motion::Walking),
        _ => Some(Motion::Falling),
    }
}

impl Units {
    /// Adds to a unit's velocity, metres per second. It is thrown: whatever it does in this moment, it
    /// falls, and does not snap back to the ground that it leaves.
    ///
    /// # Errors
    /// If the unit is not there, or the impulse is not finite or too large.
    pub fn add_impulse(&mut self, id: UnitId, impulse: Vec3) -> Result<(), CommandError> {
        let index = self.index(id).ok_or(CommandError::Unknown { id })?;
        let squared = impulse.x * impulse.x + impulse.y * impulse.y + impulse.z * impulse.z;
        if squared.is_nan() || squared > SPEED_MAX * SPEED_MAX {
            return Err(SpawnError::Velocity { found: impulse.to_array() }.into());
        }
        let velocity = self.velocities[index] + impulse;
        let length =
            (velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z).sqrt();
        // As fast as a unit may be; adding zero makes −0 a 0.
        let most = if length > SPEED_MAX { SPEED_MAX * 0.999_999 / length } else { 1.0 };
        self.velocities[index] = velocity * most + Vec3::ZERO;
        self.motions[index] = Motion::Falling;
        self.extras[index].climb = crate::extra::Climb::NONE;
        self.extras[index].is_thrown = true;
        self.cells.forget(index);
        Ok(())
    }

    /// Puts a unit somewhere else, at rest. How it [begins](start_motion) there is decided now, or, where the
    /// ground is not in memory yet, by the first tick that moves it: what becomes of it in ticks does not
    /// depend on a disk. Until then it counts as falling, and takes no part in [separation](crate::Separation).
    ///
    /// # Errors
    /// If the unit is not there, or the position belongs to sectors of another size.
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
        self.velocities[index] = Vec3::ZERO;
        let known = known_start(view, position, &body, self.masks[index]);
        self.motions[index] = known.unwrap_or(Motion::Falling);
        let (is_moved, is_undecided) = (known != Some(Motion::Walking), known.is_none());
        // What it was at there ends with the next tick, which tells so.
        let Extra { contacts_last_tick, is_stuck, .. } = self.extras[index];
        self.extras[index] =
            Extra { contacts_last_tick, is_stuck, is_moved, is_undecided, ..Extra::NONE };
        self.cells.forget(index);
        Ok(())
    }

    /// Gives a unit another body, if there is room for it where the unit stands: under what is over its feet,
    /// and between ground that is too steep for it.
    ///
    /// # Errors
    /// If the unit or the body is not there, there is no room, or nothing is known of it because a
    /// sector is not resident.
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

    /// Chooses the layers of the props that a unit meets. Whether the unit is there.
    pub fn set_mask(&mut self, id: UnitId, mask: u32) -> bool {
        let index = self.index(id);
        if let Some(index) = index {
            self.masks[index] = mask;
            self.cells.forget(index);
        }
        index.is_some()
    }

    /// Whether a body fits above the knee where a unit stands.
    fn check_room(
        &self,
        view: TerrainView<'_>,
        index: usize,
        body: &Body,
    ) -> Result<(), CommandError> {
        let local = self.locals[index] + Vec3::new(0.0, body.knee(), 0.0);
        let Ok(knee) = WorldPos::new(self.sectors[index], local, self.size) else {
            return Ok(()); // every unit's place is one
        };
        let height = body.height() - body.knee() + SKIN;
        let upper = Cylinder { radius: body.radius(), height };
        let ceiling = view.solids(self.masks[index]).ceiling(upper, knee, height);
        match ceiling {
            Ok(None) => Ok(()),
            Ok(Some(ceiling)) => {
                let clearance = ceiling.clearance + body.knee();
                Err(CommandError::NoRoom { clearance, height: body.height() })
            }
            Err(QueryError::NotResident { sector }) => Err(CommandError::NotResident { sector }),
            // Of a body that was checked when it was built.
            Err(_) => Ok(()),
        }
    }

    /// Whether ground too steep to stand on reaches no deeper into the upper part of a body than into that of
    /// the one that the unit has.
    fn check_ground(
        &self,
        view: TerrainView<'_>,
        index: usize,
        old: &Body,
        new: &Body,
    ) -> Result<(), CommandError> {
        let mut contacts = Contacts::with_capacity(GROUND_CONTACTS);
        let mut deepest = |body: &Body| {
            let local = self.locals[index] + Vec3::new(0.0, body.knee(), 0.0);
            let Ok(knee) = WorldPos::new(self.sectors[index], local, self.size) else {
                return Ok(0.0); // every unit's place is one
            };
            let height = body.height() - body.knee();
            let upper = Cylinder { radius: body.radius(), height };
            let ground = view.solids(0).with_ground_steeper(body.max_slope_cos());
            let found = ground.with_seams(Seams::Raw).overlap(upper, knee, &mut contacts);
            // There is no other error of a body that was checked when it was built.
            if let Err(QueryError::NotResident { sector }) = found {
                return Err(CommandError::NotResident { sector });
            }
            let depths = contacts.as_slice().iter().map(|contact| contact.depth);
            Ok(depths.fold(0.0, |deepest, depth| if depth > deepest { depth } else { deepest }))
        };
        let depth = deepest(new)?;
        if depth > SKIN && depth > deepest(old)? {
            return Err(CommandError::Steep { depth });
        }
        Ok(())
    }
}
