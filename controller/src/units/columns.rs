//! The units: columns by slot, and the sole owner of their state.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{SectorCoord, SectorSize, SurfaceId, WorldPos};

use crate::units::body::{Body, BodyId};
use crate::units::contact_state::KeptContactState;
use crate::units::error::{BodyError, SurfaceError};
use crate::units::memory::cells::Cells;
use crate::units::surface::SurfaceResponse;

use crate::units::unit::{Motion, UnitId, Wait};

/// Units as columns. All slices are indexed by slot and have [`slots`](Self::slots) entries. The entries in
/// the slot of a despawned unit are meaningless.
///
/// ```
/// use marchland_controller::{Body, Motion, Spawn, Units};
/// use marchland_terrain::{SectorSize, WorldPos};
///
/// let size = SectorSize::new(256.0)?;
/// let mut units = Units::new(size);
/// let soldier = units.add_body(Body::default())?;
/// let unit = units.spawn(Spawn::standing(WorldPos::from_metres(300.0, 0.0, 0.0, size)?, soldier))?;
/// assert_eq!((units.len(), units.motion(unit)), (1, Some(Motion::Walking)));
/// assert_eq!(units.locals()[unit.slot as usize].x, 44.0);
/// units.despawn(unit);
/// assert_eq!(units.position(unit), None); // an id of a unit that is gone is merely unknown
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Units {
    pub(crate) size: SectorSize,
    pub(crate) sectors: Vec<SectorCoord>,
    pub(crate) locals: Vec<Vec3>,
    /// How far units are beyond `locals` along X and Z, as far as [short ways](crate::units::tick::Tick::walk) tell.
    pub(crate) residues: Vec<[f32; 2]>,
    pub(crate) velocities: Vec<Vec3>,
    pub(crate) motions: Vec<Motion>,
    pub(crate) waits: Vec<Wait>,
    pub(crate) body_ids: Vec<BodyId>,
    pub(crate) masks: Vec<u32>,
    pub(crate) contact_states: Vec<KeptContactState>,
    pub(crate) live: Vec<bool>,
    pub(crate) generations: Vec<u32>,
    /// Slots to use again, the last one first.
    pub(crate) free: Vec<u32>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) surfaces: Vec<SurfaceResponse>,
    /// Not state: what a batch remembers of the ground under the units.
    pub(crate) cells: Cells,
}

impl Units {
    /// No units, for a world with sectors of this size.
    #[must_use]
    pub fn new(size: SectorSize) -> Self {
        Self {
            size,
            sectors: Vec::new(),
            locals: Vec::new(),
            residues: Vec::new(),
            velocities: Vec::new(),
            motions: Vec::new(),
            waits: Vec::new(),
            body_ids: Vec::new(),
            masks: Vec::new(),
            contact_states: Vec::new(),
            live: Vec::new(),
            generations: Vec::new(),
            free: Vec::new(),
            bodies: Vec::new(),
            surfaces: Vec::new(),
            cells: Cells::default(),
        }
    }

    /// Adds a body.
    ///
    /// # Errors
    /// If there are too many bodies.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId, BodyError> {
        let id = u16::try_from(self.bodies.len()).map_err(|_| BodyError::Full)?;
        if id == u16::MAX {
            return Err(BodyError::Full);
        }
        self.bodies.push(body);
        Ok(BodyId(id))
    }

    /// Sets how a surface responds. Every surface is [plain](SurfaceResponse::PLAIN) until it is set.
    ///
    /// # Errors
    /// If a value is out of range; the error names the first such value.
    pub fn set_surface(
        &mut self,
        surface: SurfaceId,
        response: SurfaceResponse,
    ) -> Result<(), SurfaceError> {
        response.check()?;
        let index = usize::from(surface.0);
        if self.surfaces.len() <= index {
            self.surfaces.resize(index + 1, SurfaceResponse::PLAIN);
        }
        self.surfaces[index] = response;
        Ok(())
    }

    /// How a surface responds.
    #[must_use]
    pub fn surface(&self, surface: SurfaceId) -> SurfaceResponse {
        let known = self.surfaces.get(usize::from(surface.0));
        known.copied().unwrap_or(SurfaceResponse::PLAIN)
    }

    /// Reserves memory for this many more units.
    pub fn reserve(&mut self, units: usize) {
        self.sectors.reserve(units);
        self.locals.reserve(units);
        self.residues.reserve(units);
        self.velocities.reserve(units);
        self.motions.reserve(units);
        self.waits.reserve(units);
        self.body_ids.reserve(units);
        self.masks.reserve(units);
        self.contact_states.reserve(units);
        self.live.reserve(units);
        self.generations.reserve(units);
    }

    /// Number of units.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len() - self.free.len()
    }

    /// Whether there are no units.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length of every slice that is indexed by slot.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.live.len()
    }

    /// The units in order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = UnitId> + '_ {
        let slots = (0_u32..).zip(self.live.iter().zip(&self.generations));
        slots
            .filter(|(_, (live, _))| **live)
            .map(|(slot, (_, &generation))| UnitId { slot, generation })
    }

    /// Whether the unit exists.
    #[must_use]
    pub fn contains(&self, id: UnitId) -> bool {
        self.index(id).is_some()
    }

    /// Where the unit's feet are.
    #[must_use]
    pub fn position(&self, id: UnitId) -> Option<WorldPos> {
        let index = self.index(id)?;
        WorldPos::new(self.sectors[index], self.locals[index], self.size).ok()
    }

    /// The unit's velocity. Metres per second.
    #[must_use]
    pub fn velocity(&self, id: UnitId) -> Option<Vec3> {
        self.index(id).map(|index| self.velocities[index])
    }

    /// How the unit moves, or will move again when it is no longer [held](Self::is_held).
    #[must_use]
    pub fn motion(&self, id: UnitId) -> Option<Motion> {
        self.index(id).map(|index| self.motions[index])
    }

    /// Whether the unit waits for ground that is not in memory: the last tick did not move it, and it keeps its
    /// whole state. [`Held`](crate::EventKind::Held) reports when this begins,
    /// [`Released`](crate::EventKind::Released) when it ends.
    #[must_use]
    pub fn is_held(&self, id: UnitId) -> Option<bool> {
        self.index(id).map(|index| self.waits[index] == Wait::Held)
    }

    /// Whether more is around the unit than a tick works on: the last tick did not move it, and it keeps its whole
    /// state. [`Overloaded`](crate::EventKind::Overloaded) reports when this begins,
    /// [`OverloadEnded`](crate::EventKind::OverloadEnded) when it ends.
    #[must_use]
    pub fn is_overloaded(&self, id: UnitId) -> Option<bool> {
        self.index(id).map(|index| self.waits[index] == Wait::Overloaded)
    }

    /// Whether the unit overlaps something that it did not get out of in the last tick that moved it: it is
    /// on its way out, or there is no way out. [`Stuck`](crate::EventKind::Stuck) reports when this begins,
    /// [`Freed`](crate::EventKind::Freed) when it ends; this is true between them. A unit that was put
    /// somewhere else keeps the answer until a tick has moved it.
    #[must_use]
    pub fn is_stuck(&self, id: UnitId) -> Option<bool> {
        self.index(id).map(|index| self.contact_states[index].is_stuck)
    }

    /// Whether a moving prop crushes the unit: it is pressed against something and stays where it is, at rest.
    /// [`Crushed`](crate::EventKind::Crushed) reports when this begins, and
    /// [`CrushEnded`](crate::EventKind::CrushEnded) when it ends, both for each prop.
    #[must_use]
    pub fn is_crushed(&self, id: UnitId) -> Option<bool> {
        self.index(id).map(|index| self.contact_states[index].crushers[0].is_some())
    }

    /// Layers of the props that the unit meets.
    #[must_use]
    pub fn mask(&self, id: UnitId) -> Option<u32> {
        self.index(id).map(|index| self.masks[index])
    }

    /// Which of the bodies the unit has.
    #[must_use]
    pub fn body_id(&self, id: UnitId) -> Option<BodyId> {
        self.index(id).map(|index| self.body_ids[index])
    }

    /// The unit's body.
    #[must_use]
    pub fn body(&self, id: UnitId) -> Option<&Body> {
        self.index(id).map(|index| &self.bodies[self.body_ids[index].index()])
    }

    /// Side of a sector.
    #[must_use]
    pub fn sector_size(&self) -> SectorSize {
        self.size
    }

    /// The bodies, by [`BodyId::index`].
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Which slots hold a unit, by slot.
    #[must_use]
    pub fn occupied(&self) -> &[bool] {
        &self.live
    }

    /// Sectors, by slot.
    #[must_use]
    pub fn sectors(&self) -> &[SectorCoord] {
        &self.sectors
    }

    /// Metres from the sectors' centres, by slot.
    #[must_use]
    pub fn locals(&self) -> &[Vec3] {
        &self.locals
    }

    /// Velocities in metres per second, by slot.
    #[must_use]
    pub fn velocities(&self) -> &[Vec3] {
        &self.velocities
    }

    /// How units move, or will move again when they are no longer held, by slot.
    #[must_use]
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// Which of the [bodies](Self::bodies) units have, by slot.
    #[must_use]
    pub fn body_ids(&self) -> &[BodyId] {
        &self.body_ids
    }

    /// Layers of the props that units meet, by slot.
    #[must_use]
    pub fn masks(&self) -> &[u32] {
        &self.masks
    }

    /// Generations, by slot: with its slot, the [id](Self::id_at) of a unit.
    #[must_use]
    pub fn generations(&self) -> &[u32] {
        &self.generations
    }

    /// The unit in a slot.
    #[must_use]
    pub fn id_at(&self, slot: usize) -> Option<UnitId> {
        let &generation = self.generations.get(slot).filter(|_| self.live[slot])?;
        Some(UnitId { slot: slot as u32, generation })
    }

    pub(crate) fn index(&self, id: UnitId) -> Option<usize> {
        let index = id.slot as usize;
        let live = *self.live.get(index)? && self.generations[index] == id.generation;
        live.then_some(index)
    }
}
