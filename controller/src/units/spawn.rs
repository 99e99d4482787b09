//! Adding and removing units, one by one or many at once.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::Vec3;

use crate::limits::SPEED_MAX;
use crate::units::body::BodyId;
use crate::units::columns::Units;
use crate::units::contact_state::{ContactState, KeptContactState};
use crate::units::error::{SpawnAllError, SpawnError};
use crate::units::unit::{Motion, UnitId, Wait};

/// The state with which a unit starts.
///
/// ```
/// use marchland_controller::{Body, Motion, Spawn, Units};
/// use marchland_terrain::{SectorSize, WorldPos, glam::Vec3};
///
/// let size = SectorSize::new(256.0)?;
/// let mut units = Units::new(size);
/// let body = units.add_body(Body::default())?;
/// let gate = WorldPos::from_metres(1200.0, 80.0, -40.0, size)?;
/// let thrown = Spawn {
///     velocity: Vec3::new(3.0, 5.0, 0.0),
///     motion: Motion::Falling,
///     ..Spawn::standing(gate, body)
/// };
/// let unit = units.spawn(thrown)?;
/// assert_eq!(units.motion(unit), Some(Motion::Falling));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spawn {
    /// Position of the feet. See [`has_room`](crate::has_room) for whether the unit fits there.
    pub position: WorldPos,
    /// Metres per second.
    pub velocity: Vec3,
    /// Walking if the ground supports it; see [`start_motion`](crate::start_motion).
    pub motion: Motion,
    /// One of the bodies that were added.
    pub body: BodyId,
    /// Layers of the props that it meets: those that share a bit with them.
    pub mask: u32,
}

impl Spawn {
    /// Standing on the ground.
    #[must_use]
    pub const fn standing(position: WorldPos, body: BodyId) -> Self {
        Self { position, velocity: Vec3::ZERO, motion: Motion::Walking, body, mask: u32::MAX }
    }
}

impl Units {
    /// Adds a unit, in the slot that was freed last if there is one. What a caller keeps by slot then still
    /// belongs to the previous unit: set the unit's [wish](crate::Wish), or the unit obeys the previous
    /// one's. A unit without [room](crate::has_room) is pushed out of what it overlaps.
    ///
    /// # Errors
    /// If a value is not finite, is out of range, or belongs to other units.
    pub fn spawn(&mut self, spawn: Spawn) -> Result<UnitId, SpawnError> {
        self.check(&spawn)?;
        let slot = self.next_slot()?;
        Ok(self.put(slot, &spawn))
    }

    /// Adds many units at once, and returns their ids in the order of `spawns`. Units that are near each
    /// other in the world get neighbouring slots. What a tick reads of the ground for one of them is then in
    /// the cache for the next. Over a large world this is several times as fast as slots at random, and stays
    /// so, because units hardly mix. Free slots are used again: set the wishes of all units.
    ///
    /// # Errors
    /// Like [`spawn`](Self::spawn); the error names the first spawn that is refused. No unit is added then.
    ///
    /// ```
    /// use marchland_controller::{Body, Spawn, Units};
    /// use marchland_terrain::{SectorSize, WorldPos};
    ///
    /// let size = SectorSize::new(256.0)?;
    /// let mut units = Units::new(size);
    /// let body = units.add_body(Body::default())?;
    /// let places = [900.0, 0.0, 901.0].map(|x| WorldPos::from_metres(x, 0.0, 0.0, size));
    /// let mut spawns = Vec::new();
    /// for place in places {
    ///     spawns.push(Spawn::standing(place?, body));
    /// }
    /// let slots: Vec<u32> = units.spawn_all(&spawns)?.iter().map(|id| id.slot).collect();
    /// assert_eq!(slots, [1, 0, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spawn_all(&mut self, spawns: &[Spawn]) -> Result<Vec<UnitId>, SpawnAllError> {
        for (index, spawn) in spawns.iter().enumerate() {
            self.check(spawn).map_err(|error| SpawnAllError { index, error })?;
        }
        self.reserve(spawns.len().saturating_sub(self.free.len()));
        let mut slots = Vec::with_capacity(spawns.len());
        for index in 0..spawns.len() {
            match self.next_slot() {
                Ok(slot) => slots.push(slot),
                Err(error) => {
                    self.free.extend(slots);
                    return Err(SpawnAllError { index, error });
                }
            }
        }
        slots.sort_unstable();
        let mut order: Vec<usize> = (0..spawns.len()).collect();
        order.sort_by_cached_key(|&index| self.neighbourhood(spawns[index].position));
        let mut ids = vec![UnitId { slot: 0, generation: 0 }; spawns.len()];
        for (index, slot) in order.into_iter().zip(slots) {
            ids[index] = self.put(slot, &spawns[index]);
        }
        Ok(ids)
    }

    /// Removes a unit. Returns whether it existed. Its slot may be used again; until then a wish in that slot
    /// moves nothing.
    pub fn despawn(&mut self, id: UnitId) -> bool {
        let Some(index) = self.index(id) else { return false };
        self.live[index] = false;
        self.cells.forget(index);
        self.generations[index] = self.generations[index].wrapping_add(1);
        self.free.push(id.slot);
        true
    }

    /// Removes the units for which `keep` returns false, asking once for each, in order of slots.
    ///
    /// ```
    /// # use marchland_controller::{Body, Spawn, Units};
    /// # use marchland_terrain::{SectorSize, WorldPos};
    /// # let size = SectorSize::new(256.0)?;
    /// # let mut units = Units::new(size);
    /// # let body = units.add_body(Body::default())?;
    /// # for x in 0..5 {
    /// #     units.spawn(Spawn::standing(WorldPos::from_metres(f64::from(x), 0.0, 0.0, size)?, body))?;
    /// # }
    /// let health = [3, 0, 7, 0, 1];
    /// units.retain(|id| health[id.slot as usize] > 0);
    /// let left: Vec<u32> = units.iter().map(|id| id.slot).collect();
    /// assert_eq!(left, [0, 2, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(UnitId) -> bool) {
        for (slot, index) in (0_u32..).zip(0..self.live.len()) {
            let id = UnitId { slot, generation: self.generations[index] };
            if self.live[index] && !keep(id) {
                self.despawn(id);
            }
        }
    }

    pub(crate) fn check_position(&self, position: WorldPos) -> Result<(), SpawnError> {
        let (local, half) = (position.local(), self.size.half());
        for (axis, found) in [('x', local.x), ('z', local.z)] {
            if !(-half <= found && found < half) {
                return Err(SpawnError::Position { axis, found, side: self.size.metres() });
            }
        }
        Ok(())
    }

    fn check(&self, spawn: &Spawn) -> Result<(), SpawnError> {
        self.check_position(spawn.position)?;
        let v = spawn.velocity;
        let squared = v.x * v.x + v.y * v.y + v.z * v.z;
        if squared.is_nan() || squared > SPEED_MAX * SPEED_MAX {
            return Err(SpawnError::Velocity { found: v.to_array() });
        }
        if spawn.body.index() >= self.bodies.len() {
            return Err(SpawnError::Body { found: spawn.body.0, bodies: self.bodies.len() });
        }
        Ok(())
    }

    /// The rank of a place in an order in which near places follow each other: by sector, and within it along
    /// a Z-order curve (G. M. Morton, 1966) over 64 × 64 tiles.
    fn neighbourhood(&self, place: WorldPos) -> (i32, i32, u32) {
        const TILES: f32 = 64.0;
        let (sector, local, half) = (place.sector(), place.local(), self.size.half());
        let [column, row] = [local.x, local.z].map(|metres| (metres / half + 1.0) * 0.5 * TILES);
        // Rounded to whole tiles; a place that rounding puts beyond them belongs to the last tile.
        let [column, row] = [column, row].map(|tile| (tile as u32).min(TILES as u32 - 1));
        (sector.z, sector.x, spread(column) | spread(row) << 1)
    }

    /// An empty slot: the one that was freed last, or a new one.
    fn next_slot(&mut self) -> Result<u32, SpawnError> {
        match self.free.pop() {
            Some(slot) => Ok(slot),
            None => self.add_slot(),
        }
    }

    /// Puts a checked unit into an empty slot.
    fn put(&mut self, slot: u32, spawn: &Spawn) -> UnitId {
        let index = slot as usize;
        self.sectors[index] = spawn.position.sector();
        self.locals[index] = spawn.position.local();
        self.residues[index] = [0.0; 2];
        self.velocities[index] = spawn.velocity + Vec3::ZERO; // −0 becomes +0
        self.motions[index] = spawn.motion;
        self.waits[index] = Wait::None;
        self.body_ids[index] = spawn.body;
        self.masks[index] = spawn.mask;
        self.contact_states[index].put(ContactState::NONE);
        self.live[index] = true;
        self.cells.forget(index);
        UnitId { slot, generation: self.generations[index] }
    }

    fn add_slot(&mut self) -> Result<u32, SpawnError> {
        let slot = u32::try_from(self.live.len()).map_err(|_| SpawnError::Full)?;
        self.sectors.push(marchland_terrain::SectorCoord::default());
        self.locals.push(Vec3::ZERO);
        self.residues.push([0.0; 2]);
        self.velocities.push(Vec3::ZERO);
        self.motions.push(Motion::Walking);
        self.waits.push(Wait::None);
        self.body_ids.push(BodyId(0));
        self.masks.push(u32::MAX);
        self.contact_states.push(KeptContactState::default());
        self.live.push(false);
        self.generations.push(0);
        Ok(slot)
    }
}

/// The lowest six bits, each followed by a 0.
fn spread(bits: u32) -> u32 {
    (0..6).fold(0, |spread, bit| spread | (bits >> bit & 1) << (2 * bit))
}

#[cfg(test)]
mod tests {
    use marchland_terrain::{SectorCoord, SectorSize};

    use super::*;
    use crate::units::body::Body;

    fn size() -> SectorSize {
        SectorSize::new(64.0).unwrap()
    }

    fn at(x: f32, size: SectorSize) -> WorldPos {
        WorldPos::new(SectorCoord::new(2, -3), Vec3::new(x, 1.0, 0.5), size).unwrap()
    }

    #[test]
    fn slots_are_used_again_and_old_names_stay_dead() {
        let mut units = Units::new(size());
        let body = units.add_body(Body::default()).unwrap();
        let spawn = Spawn::standing(at(3.0, size()), body);
        let ids: Vec<UnitId> = (0..5).map(|_| units.spawn(spawn).unwrap()).collect();
        assert!(units.despawn(ids[1]) && units.despawn(ids[3]));
        assert!(!units.despawn(ids[1]), "despawned twice");
        assert_eq!(units.len(), 3);
        let again = units.spawn(spawn).unwrap();
        assert_eq!(again, UnitId { slot: 3, generation: 1 }, "the slot left last comes first");
        assert!(units.position(ids[3]).is_none() && units.motion(ids[3]).is_none());
        let left: Vec<u32> = units.iter().map(|id| id.slot).collect();
        assert_eq!(left, [0, 2, 3, 4]);
        assert_eq!(units.slots(), 5);
    }

    #[test]
    fn what_no_tick_could_move_is_not_spawned() {
        let mut units = Units::new(size());
        let nobody = Spawn::standing(at(3.0, size()), BodyId(0));
        assert_eq!(units.spawn(nobody), Err(SpawnError::Body { found: 0, bodies: 0 }));
        let body = units.add_body(Body::default()).unwrap();
        let good = Spawn::standing(at(3.0, size()), body);
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, 8193.0] {
            for axis in 0..3 {
                let mut spawn = good;
                spawn.velocity[axis] = bad;
                assert!(matches!(units.spawn(spawn), Err(SpawnError::Velocity { .. })), "{bad}");
            }
        }
        let of_larger_sectors = at(100.0, SectorSize::new(256.0).unwrap());
        let spawn = Spawn::standing(of_larger_sectors, body);
        assert!(matches!(units.spawn(spawn), Err(SpawnError::Position { axis: 'x', .. })));
        assert!(units.is_empty() && units.slots() == 0, "a refused spawn left something behind");
    }

    #[test]
    fn what_is_not_kept_is_despawned_as_one_by_one() {
        let mut units = Units::new(size());
        let body = units.add_body(Body::default()).unwrap();
        let spawn = Spawn::standing(at(3.0, size()), body);
        let ids: Vec<UnitId> = (0..6).map(|_| units.spawn(spawn).unwrap()).collect();
        assert!(units.despawn(ids[2]));
        let mut asked = Vec::new();
        units.retain(|id| {
            asked.push(id);
            id.slot % 2 == 1
        });
        assert_eq!(
            asked,
            [ids[0], ids[1], ids[3], ids[4], ids[5]],
            "a slot without a unit is none"
        );
        assert_eq!(units.iter().collect::<Vec<_>>(), [ids[1], ids[3], ids[5]]);
        let again = units.spawn(spawn).unwrap();
        assert_eq!(again, UnitId { slot: 4, generation: 1 }, "the slot left last comes first");
    }

    /// Places over a few sectors, all over them, in no order.
    fn scattered(count: u64, size: SectorSize) -> Vec<WorldPos> {
        let part = |at: u64, of: u64| (at.wrapping_mul(of) % 65_536) as f64 / 65_536.0;
        let place = |at| {
            let [x, z] = [part(at, 40_503), part(at, 30_011)].map(|part| 300.0 * part - 200.0);
            WorldPos::from_metres(x, 1.0, z, size).unwrap()
        };
        (0..count).map(place).collect()
    }

    /// How far it is from each to the next, together. Metres.
    fn way(places: &[WorldPos], size: SectorSize) -> f64 {
        let metres: Vec<_> = places.iter().map(|place| place.to_metres(size)).collect();
        let apart = |[x, _, z]: [f64; 3], [to_x, _, to_z]: [f64; 3]| {
            ((to_x - x) * (to_x - x) + (to_z - z) * (to_z - z)).sqrt()
        };
        metres.windows(2).map(|pair| apart(pair[0], pair[1])).sum()
    }

    #[test]
    fn many_are_what_they_are_one_by_one_and_neighbours_have_slots_side_by_side() {
        let mut units = Units::new(size());
        let bodies = [(); 2].map(|()| units.add_body(Body::default()).unwrap());
        let places = scattered(2000, size());
        let spawns: Vec<Spawn> = (0..)
            .zip(&places)
            .map(|(at, place)| Spawn {
                velocity: Vec3::new(at as f32, 0.0, -0.0),
                mask: at,
                motion: if at % 3 == 0 { Motion::Falling } else { Motion::Walking },
                ..Spawn::standing(*place, bodies[at as usize % 2])
            })
            .collect();
        // Slots that were left are taken too.
        let left: Vec<UnitId> = spawns[..7].iter().map(|one| units.spawn(*one).unwrap()).collect();
        assert!(left.iter().filter(|id| id.slot != 3).all(|id| units.despawn(*id)));
        let ids = units.spawn_all(&spawns).unwrap();
        assert_eq!((units.len(), units.slots()), (2001, 2001));
        for (id, spawn) in ids.iter().zip(&spawns) {
            let found = Spawn {
                position: units.position(*id).unwrap(),
                velocity: units.velocity(*id).unwrap(),
                motion: units.motion(*id).unwrap(),
                body: units.body_id(*id).unwrap(),
                mask: units.mask(*id).unwrap(),
            };
            assert_eq!(found, *spawn, "{id:?}");
            assert!(!found.velocity.z.is_sign_negative());
            assert_eq!(id.generation, u32::from(id.slot < 7), "{id:?}");
        }
        let by_slot: Vec<_> = units.iter().map(|id| units.position(id).unwrap()).collect();
        let (sorted, given) = (way(&by_slot, size()), way(&places, size()));
        assert!(sorted < 0.1 * given, "{sorted} m from slot to slot, {given} as they came");
    }

    #[test]
    fn of_many_none_is_spawned_if_one_is_refused() {
        let mut units = Units::new(size());
        let body = units.add_body(Body::default()).unwrap();
        let mut spawns = vec![Spawn::standing(at(3.0, size()), body); 5];
        let first = units.spawn(spawns[0]).unwrap();
        spawns[3].velocity.x = f32::NAN;
        let refused = units.spawn_all(&spawns).unwrap_err();
        assert_eq!(refused.index, 3);
        assert!(matches!(refused.error, SpawnError::Velocity { .. }));
        assert!(refused.to_string().starts_with("spawn 3: velocity is"), "{refused}");
        assert_eq!((units.len(), units.slots()), (1, 1));
        assert!(units.contains(first) && units.spawn_all(&[]).unwrap().is_empty());
    }
}
