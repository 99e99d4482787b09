//! The state of all units: copied, restored, hashed.

use marchland_terrain::SectorCoord;

use super::mix::mix;
use crate::units::columns::Units;
use crate::units::contact_state::ContactState;

/// A copy of all units, to continue from later.
///
/// ```
/// # use marchland_controller::{Body, Spawn, Units};
/// # use marchland_terrain::{SectorSize, WorldPos, glam::Vec3};
/// # let size = SectorSize::new(256.0)?;
/// # let mut units = Units::new(size);
/// # let body = units.add_body(Body::default())?;
/// # let unit = units.spawn(Spawn::standing(WorldPos::from_metres(0.0, 0.0, 0.0, size)?, body))?;
/// let (before, hash) = (units.snapshot(), units.state_hash());
/// units.add_impulse(unit, Vec3::new(0.0, 5.0, 0.0))?;
/// assert_ne!(units.state_hash(), hash);
/// units.restore(&before);
/// assert_eq!(units.state_hash(), hash);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct UnitsSnapshot(Units);

impl Units {
    /// Copies everything that is state.
    #[must_use]
    pub fn snapshot(&self) -> UnitsSnapshot {
        let mut copy = Self::new(self.size);
        copy.take_over(self);
        UnitsSnapshot(copy)
    }

    /// Restores a copy; everything that happened since is lost. Reuses memory.
    pub fn restore(&mut self, snapshot: &UnitsSnapshot) {
        self.take_over(&snapshot.0);
    }

    /// Copies everything that is state from other units.
    fn take_over(&mut self, from: &Self) {
        self.size = from.size;
        self.sectors.clone_from(&from.sectors);
        self.locals.clone_from(&from.locals);
        self.residues.clone_from(&from.residues);
        self.velocities.clone_from(&from.velocities);
        self.motions.clone_from(&from.motions);
        self.waits.clone_from(&from.waits);
        self.body_ids.clone_from(&from.body_ids);
        self.masks.clone_from(&from.masks);
        self.contact_states.clone_from(&from.contact_states);
        self.live.clone_from(&from.live);
        self.generations.clone_from(&from.generations);
        self.free.clone_from(&from.free);
        self.bodies.clone_from(&from.bodies);
        self.surfaces.clone_from(&from.surfaces);
        self.cells.clear();
    }

    /// A hash of every bit of every unit's state: the sum over units of a mix of slot and state modulo 2⁶⁴.
    /// It does not depend on order. Whether a unit is held is not state.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.state_hash_from(SectorCoord::new(0, 0))
    }

    /// The same hash with sectors counted from `origin`: a scene shifted by whole sectors has the same hash
    /// as the original scene.
    #[must_use]
    pub fn state_hash_from(&self, origin: SectorCoord) -> u64 {
        let mut sum = 0_u64;
        for id in self.iter() {
            let slot = id.slot as usize;
            let (sector, local, velocity) =
                (self.sectors[slot], self.locals[slot], self.velocities[slot]);
            let kind = u32::from(self.motions[slot] as u8) | u32::from(self.body_ids[slot].0) << 16;
            let words = [
                [id.slot, id.generation],
                [sector.x.wrapping_sub(origin.x) as u32, sector.z.wrapping_sub(origin.z) as u32],
                [local.x.to_bits(), local.y.to_bits()],
                [local.z.to_bits(), velocity.x.to_bits()],
                [velocity.y.to_bits(), velocity.z.to_bits()],
                [kind, self.masks[slot]],
            ];
            let mut hash = mix(&words);
            if *self.contact_states[slot] != ContactState::NONE {
                hash ^= self.contact_states[slot].hash(origin);
            }
            let [x, z] = self.residues[slot];
            if [x, z] != [0.0; 2] {
                hash ^= mix(&[[x.to_bits(), z.to_bits()], [2, 0]]);
            }
            sum = sum.wrapping_add(hash);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::glam::{Vec2, Vec3};
    use marchland_terrain::{SectorSize, WorldPos};

    use super::*;
    use crate::units::contact_state::TurnedBack;
    use crate::units::unit::Wait;
    use crate::{Body, Motion, Spawn};

    const TURNED: TurnedBack =
        TurnedBack { wish: Vec2::ZERO, away: Vec3::ZERO, count: 0, goes_back: false };

    fn units() -> Units {
        let size = SectorSize::new(64.0).unwrap();
        let mut units = Units::new(size);
        let bodies = [(); 2].map(|()| units.add_body(Body::default()).unwrap());
        for unit in 0..7 {
            let local = Vec3::new(unit as f32, 2.0, -1.5);
            let position = WorldPos::new(SectorCoord::new(unit, 3), local, size).unwrap();
            units.spawn(Spawn::standing(position, bodies[unit as usize % 2])).unwrap();
        }
        units
    }

    #[test]
    fn every_bit_of_state_is_in_the_hash_and_being_held_is_not() {
        let before = units().state_hash();
        let changes: [fn(&mut Units); 14] = [
            |u| u.sectors[3].x += 1,
            |u| u.sectors[3].z += 1,
            |u| u.locals[3].x = u.locals[3].x.next_up(),
            |u| u.locals[3].y = -u.locals[3].y,
            |u| u.velocities[3].z = 1e-30,
            |u| u.motions[3] = Motion::Falling,
            |u| u.body_ids.swap(2, 3),
            |u| u.generations[3] += 1,
            |u| u.masks[3] = 5,
            |u| u.contact_states[3].is_thrown = true,
            |u| u.contact_states[3].ladder_pause = 0.25,
            |u| u.contact_states[3].turned_back = Some(TURNED),
            |u| u.residues[3] = [1e-4, 0.0],
            |u| u.residues[3] = [0.0, 1e-4],
        ];
        for (change, apply) in changes.iter().enumerate() {
            let mut changed = units();
            apply(&mut changed);
            assert_ne!(changed.state_hash(), before, "change {change} is not seen");
        }
        let mut held = units();
        held.waits[3] = Wait::Held;
        assert_eq!(held.state_hash(), before);
    }

    #[test]
    fn two_units_that_change_places_change_the_hash() {
        let mut swapped = units();
        swapped.sectors.swap(2, 4);
        swapped.locals.swap(2, 4);
        assert_ne!(swapped.state_hash(), units().state_hash());
    }

    #[test]
    fn a_scene_shifted_by_whole_sectors_has_the_same_hash() {
        let mut shifted = units();
        for sector in &mut shifted.sectors {
            *sector = SectorCoord::new(sector.x + 1_000_000, sector.z - 7);
        }
        let origin = SectorCoord::new(1_000_000, -7);
        assert_eq!(shifted.state_hash_from(origin), units().state_hash());
        assert_ne!(shifted.state_hash(), units().state_hash());
    }

    #[test]
    fn a_restored_copy_is_what_was_copied() {
        let mut units = units();
        let snapshot = units.snapshot();
        let before = units.state_hash();
        let first = units.iter().next().unwrap();
        units.despawn(first);
        units.locals[4].x += 1.0;
        units.restore(&snapshot);
        assert_eq!(units.state_hash(), before);
        assert!(units.contains(first) && units.len() == 7);
    }
}
