//! What a renderer reads: the positions of all units, around a camera and between two ticks.

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::relative_to_all;
use marchland_terrain::{SectorCoord, WorldPos};

use crate::units::columns::Units;

impl Units {
    /// Writes the vector from `camera` to each unit, by slot, with the bits of [`WorldPos::relative_to`]. Metres.
    /// Stops where `out` ends; entries in slots without a unit are meaningless.
    ///
    /// Units keep no positions of earlier ticks. A renderer that draws frames between ticks copies
    /// [those before a tick](Self::copy_positions), and sees both from where the camera is now:
    ///
    /// ```
    /// use marchland_controller::{Batch, TickSettings, Units};
    /// use marchland_terrain::{SectorCoord, WorldPos, glam::Vec3, math::relative_to_all};
    /// # use marchland_controller::{Body, Spawn, Wish};
    /// # use marchland_terrain::{Grid, LoadedSector, ResidentSectors, SectorData, format};
    /// # let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
    /// # let size = grid.sector_size();
    /// # let ground = format::encode(SectorCoord::new(0, 0), &SectorData::from_fn(grid, |_, _| 0.0)?);
    /// # let world = ResidentSectors::endless(LoadedSector::new(ground.bytes)?.into());
    /// # let (mut units, mut batch) = (Units::new(size), Batch::new());
    /// # let body = units.add_body(Body::default())?;
    /// # units.spawn(Spawn::standing(WorldPos::from_metres(31.99, 0.0, 0.0, size)?, body))?;
    /// # let (wishes, settings) = ([Wish::walk(3.0, 0.0)], TickSettings::at_rate(60.0));
    /// let (mut sectors, mut locals) = (Vec::new(), Vec::new());
    /// units.copy_positions(&mut sectors, &mut locals);
    /// batch.tick(world.view(), &mut units, &wishes, &settings)?;
    ///
    /// // A frame, a quarter of a tick later.
    /// let camera = WorldPos::from_metres(20.0, 5.0, 0.0, size)?;
    /// let mut before = vec![Vec3::ZERO; units.slots()];
    /// let mut now = before.clone();
    /// relative_to_all(&sectors, &locals, camera, size, &mut before);
    /// units.relative_to_all(camera, &mut now);
    /// let drawn: Vec<Vec3> = before.iter().zip(&now).map(|(a, b)| a.lerp(*b, 0.25)).collect();
    /// assert!((drawn[0] - Vec3::new(11.99 + 0.0125, -5.0, 0.0)).length() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn relative_to_all(&self, camera: WorldPos, out: &mut [Vec3]) {
        relative_to_all(&self.sectors, &self.locals, camera, self.size, out);
    }

    /// Replaces both lists with the positions of all units, by slot: sectors, and metres from their centres.
    pub fn copy_positions(&self, sectors: &mut Vec<SectorCoord>, locals: &mut Vec<Vec3>) {
        sectors.clone_from(&self.sectors);
        locals.clone_from(&self.locals);
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::SectorSize;

    use super::*;
    use crate::{Body, Motion, Spawn, UnitId, Wish};

    #[test]
    fn columns_have_what_each_unit_has() {
        let size = SectorSize::new(32.0).unwrap();
        let mut units = Units::new(size);
        let bodies = [(); 2].map(|()| units.add_body(Body::default()).unwrap());
        for unit in 0..37 {
            let local = Vec3::new(unit as f32 * 0.4 - 7.0, unit as f32, 15.0 - unit as f32 * 0.7);
            let sector =
                SectorCoord::new(unit * 99_999, [i32::MIN, i32::MAX, -5][unit as usize % 3]);
            let position = WorldPos::new(sector, local, size).unwrap();
            let motion = [Motion::Walking, Motion::Falling][unit as usize % 2];
            let body = bodies[unit as usize % 5 / 3];
            let spawn = Spawn { motion, mask: unit as u32, ..Spawn::standing(position, body) };
            units.spawn(spawn).unwrap();
        }
        for slot in [0, 7, 8] {
            units.despawn(units.id_at(slot).unwrap());
            assert_eq!(units.id_at(slot), None);
        }
        let position = WorldPos::from_metres(1e6, 3.0, -77.0, size).unwrap();
        units.spawn(Spawn::standing(position, bodies[1])).unwrap();

        let camera = WorldPos::from_metres(1e5 + 0.3, 9.0, -1.0, size).unwrap();
        let mut seen = vec![Vec3::NAN; units.slots() + 1];
        units.relative_to_all(camera, &mut seen);
        let (mut sectors, mut locals) = (vec![SectorCoord::new(9, 9); 99], vec![Vec3::NAN]);
        units.copy_positions(&mut sectors, &mut locals);
        assert!(sectors == units.sectors() && locals == units.locals());
        for id in units.iter() {
            let slot = id.slot as usize;
            assert_eq!(units.id_at(slot), Some(id));
            assert_eq!(Some(units.motions()[slot]), units.motion(id));
            assert_eq!(Some(units.body_ids()[slot]), units.body_id(id));
            assert_eq!(Some(units.masks()[slot]), units.mask(id));
            assert_eq!(units.generations()[slot], id.generation);
            assert_eq!(seen[slot], units.position(id).unwrap().relative_to(camera, size));
        }
        assert!(units.iter().any(|id| id.generation > 0) && seen[37].is_nan());
        assert_eq!(units.id_at(37), None);
    }

    #[test]
    fn what_crosses_to_other_code_lies_in_memory_as_documented() {
        let id = UnitId { slot: 3, generation: 9 };
        assert_eq!(bytemuck::cast::<UnitId, [u32; 2]>(id), [3, 9]);
        let wish = bytemuck::cast::<Wish, [u32; 3]>(Wish::walk(1.5, -2.0).jumping());
        assert_eq!(wish, [1.5_f32.to_bits(), 1, (-2.0_f32).to_bits()]);
        assert!(bytemuck::cast::<[u32; 3], Wish>([0, 7, 0]).jumps());
        let motions = [Motion::Walking, Motion::Falling, Motion::Sliding, Motion::Climbing];
        assert_eq!(bytemuck::cast_slice::<_, u8>(&motions), [0, 1, 2, 3]);
        let mut units = Units::new(SectorSize::new(32.0).unwrap());
        let bodies = [(); 2].map(|()| units.add_body(Body::default()).unwrap());
        assert_eq!(bytemuck::cast_slice::<_, u16>(&bodies), [0, 1]);
    }
}
