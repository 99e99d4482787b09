//! The direction in which the ground under a unit faces, for code that draws or judges the unit.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{TerrainView, WorldPos};

use crate::units::columns::Units;
use crate::units::unit::{Motion, UnitId};

impl Units {
    /// The unit normal of what a unit stands on or slides down. It is that of the prop or the steep ground
    /// that supported the unit when the last tick ended, otherwise that of the ground's triangle under its
    /// centre. `None` while it falls or climbs, where no ground is in memory, and if the unit does not exist.
    #[must_use]
    pub fn ground_normal(&self, view: TerrainView<'_>, id: UnitId) -> Option<Vec3> {
        let index = self.index(id)?;
        if !matches!(self.motions[index], Motion::Walking | Motion::Sliding) {
            return None;
        }
        let stored = self.contact_states[index].normal;
        if stored != Vec3::ZERO {
            return Some(stored);
        }
        let place = WorldPos::new(self.sectors[index], self.locals[index], self.size).ok()?;
        view.face_normal(place)
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::{
        Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, SectorSize, format,
    };

    use super::*;
    use crate::{Body, Spawn};

    /// Rises by 3 m on 4 m along X, everywhere but in sector (1, 0), which is not in memory.
    fn slope() -> ResidentSectors {
        let grid = Grid::new(4.0, 64.0, 1.0 / 256.0).unwrap();
        let data = SectorData::from_fn(grid, |x, _| x * 0.75).unwrap();
        let bytes = format::encode(SectorCoord::new(0, 0), &data).bytes;
        let mut world = ResidentSectors::endless(LoadedSector::new(bytes).unwrap().into());
        world.unload(SectorCoord::new(1, 0));
        world
    }

    fn stand(x: f32, motion: Motion) -> (Units, UnitId) {
        let size = SectorSize::new(64.0).unwrap();
        let mut units = Units::new(size);
        let body = units.add_body(Body::default()).unwrap();
        let local = Vec3::new(x, x * 0.75, 1.0);
        let position = WorldPos::new(SectorCoord::new(0, 0), local, size).unwrap();
        let id = units.spawn(Spawn { motion, ..Spawn::standing(position, body) }).unwrap();
        (units, id)
    }

    #[test]
    fn the_ground_faces_up_and_away_from_the_rise_and_who_does_not_stand_has_none() {
        let world = slope();
        for (motion, stands) in [
            (Motion::Walking, true),
            (Motion::Sliding, true),
            (Motion::Falling, false),
            (Motion::Climbing, false),
        ] {
            let (units, id) = stand(5.0, motion);
            let expected = stands.then_some(Vec3::new(-0.6, 0.8, 0.0));
            let found = units.ground_normal(world.view(), id);
            match (found, expected) {
                (Some(found), Some(expected)) => assert!(found.distance(expected) < 1e-6),
                _ => assert_eq!(found, expected, "{motion:?}"),
            }
        }
    }

    #[test]
    fn what_bore_it_comes_before_the_ground_and_what_is_not_in_memory_has_no_normal() {
        let world = slope();
        let (mut units, id) = stand(5.0, Motion::Walking);
        units.contact_states[0].normal = Vec3::Y;
        assert_eq!(units.ground_normal(world.view(), id), Some(Vec3::Y));
        let (units, id) = stand(40.0, Motion::Walking);
        assert_eq!(units.ground_normal(world.view(), id), None);
        let (mut units, id) = stand(5.0, Motion::Walking);
        units.despawn(id);
        assert_eq!(units.ground_normal(world.view(), id), None);
    }
}
