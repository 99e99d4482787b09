//! The same scene in a different part of the world.

use marchland_terrain::{SectorCoord, SectorSize, WorldPos};

use super::error::{ScenarioError, ScenarioProblem};
use super::spec::Scenario;

impl Scenario {
    /// The same scenario with a different [`origin_sector`](Self::origin_sector): equal to that of a file
    /// with this value.
    ///
    /// # Errors
    /// If one of its sectors would exceed the range of 32 bits.
    pub fn at_origin(&self, origin: SectorCoord) -> Result<Self, ScenarioError> {
        let refused = || {
            let problem = ScenarioProblem::NoOrigin { found: origin };
            ScenarioError { path: self.path.clone(), line: None, problem }
        };
        let shift = Shift { from: self.origin_sector, to: origin, size: self.sector_size };
        let mut shifted = self.clone();
        shifted.origin_sector = origin;
        let units = shifted.units.iter_mut().flat_map(|unit| {
            let teleports = unit.controls.iter_mut().filter_map(|entry| entry.teleport.as_mut());
            teleports.chain([&mut unit.position])
        });
        for place in units.chain(shifted.props.iter_mut().map(|prop| &mut prop.position)) {
            *place = shift.place(*place).ok_or_else(refused)?;
        }
        for gone in &mut shifted.not_resident {
            gone.sector = shift.sector(gone.sector).ok_or_else(refused)?;
        }
        Ok(shifted)
    }
}

/// From one origin to another.
struct Shift {
    from: SectorCoord,
    to: SectorCoord,
    size: SectorSize,
}

impl Shift {
    fn sector(&self, sector: SectorCoord) -> Option<SectorCoord> {
        let along = |sector: i32, from: i32, to: i32| {
            i32::try_from(i64::from(sector) - i64::from(from) + i64::from(to)).ok()
        };
        let x = along(sector.x, self.from.x, self.to.x)?;
        Some(SectorCoord::new(x, along(sector.z, self.from.z, self.to.z)?))
    }

    fn place(&self, place: WorldPos) -> Option<WorldPos> {
        WorldPos::new(self.sector(place.sector())?, place.local(), self.size).ok()
    }
}
