//! The clutter: a small world full of things in which units get caught, for tests with random walks.
//!
//! A square of 128 m with 4 × 4 sectors of 32 m, so that a border is never far; four of them meet in the
//! middle, at (48, 48). The ground rolls, with a bank, a mound and a ravine too steep to walk on, a pit with
//! a floor and one without. On it are steps, stairs, crates, rocks, ramps, walls with slits between them and
//! slabs too low to stand below. Lifts, shuttles, a turntable, a revolving bar and a press move. Each seed
//! gives a different clutter, the same on every machine.
//!
//! | file | contents |
//! |---|---|
//! | `land` | heights and holes |
//! | `meshes` | the meshes |
//! | `layout` | where they stand |
//! | `movers` | what moves, and when it reverses |
//! | `moment` | writes a part of it as a scenario file |
//!
//! Places are metres from the centre of sector (0, 0), before a shift by whole sectors.

mod land;
mod layout;
mod meshes;
mod moment;
mod movers;

use marchland_terrain::bake::{self, BakeInput, VoidPolicy};
use marchland_terrain::props::LiveProps;
use marchland_terrain::{Ground, ResidentSectors, SectorCoord, TerrainView, WorldPos};

pub use self::land::{HIGH, LOW, SAMPLES};
pub use self::moment::{Moment, scenario};
use self::movers::Mover;
pub use self::movers::{RATE, Rate};
use crate::source::{Cells, Heights};
use crate::terrain::{self, SceneError};

/// The clutter, ready to be walked in.
#[derive(Clone, Debug)]
pub struct Clutter {
    /// All sectors in memory, with the props on them.
    pub sectors: ResidentSectors,
    /// The moving props.
    pub live: LiveProps,
    movers: Vec<Mover>,
    origin: SectorCoord,
    /// How long they have moved, in units of 1 / [`movers::MOMENTS`] s.
    moments: u64,
}

impl Clutter {
    /// Builds the clutter.
    ///
    /// # Errors
    /// Only faults of this project.
    pub fn new(seed: u64) -> Result<Self, SceneError> {
        Self::shifted(seed, SectorCoord::new(0, 0))
    }

    /// As `new`, shifted by as many sectors as `origin` is from sector (0, 0).
    ///
    /// # Errors
    /// If the shifted sectors do not exist.
    pub fn shifted(seed: u64, origin: SectorCoord) -> Result<Self, SceneError> {
        let baked = baked(seed)?;
        let sectors = baked.shifted(origin.x, origin.z).ok_or_else(|| movers::beyond(origin))?;
        let mut live = LiveProps::new(sectors.grid().sector_size());
        let movers = movers::add(&mut live, origin, seed)?;
        Ok(Self { sectors, live, movers, origin, moments: 0 })
    }

    /// The world as it is now.
    #[must_use]
    pub fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }

    /// Moves the movers by a tick of `1 / RATE` seconds.
    ///
    /// # Errors
    /// Only faults of this project.
    pub fn advance(&mut self) -> Result<(), SceneError> {
        self.advance_at(Rate::Hz60)
    }

    /// Moves the movers by a tick at a different rate.
    ///
    /// # Errors
    /// Only faults of this project.
    pub fn advance_at(&mut self, rate: Rate) -> Result<(), SceneError> {
        for mover in &self.movers {
            mover.steer(&mut self.live, self.moments)?;
        }
        self.moments += movers::MOMENTS / u64::from(rate.per_second());
        Ok(self.live.advance(1.0 / f32::from(rate.per_second()))?)
    }

    /// How far the clutter was shifted.
    #[must_use]
    pub fn origin(&self) -> SectorCoord {
        self.origin
    }

    /// A place in the clutter, with `y` metres above the ground if there is ground, otherwise above 0. `None`
    /// beyond the last sector.
    #[must_use]
    pub fn place(&self, x: f64, above: f64, z: f64) -> Option<WorldPos> {
        let size = self.sectors.grid().sector_size();
        let at = |y: f64| {
            let flat = WorldPos::from_metres(x, y, z, size).ok()?;
            let (sector, origin) = (flat.sector(), self.origin);
            WorldPos::new(sector.offset(origin.x, origin.z)?, flat.local(), size).ok()
        };
        match self.view().ground(at(0.0)?) {
            Ground::Height(height) => at(f64::from(height) + above),
            Ground::Hole | Ground::NotResident | Ground::Outside => at(above),
        }
    }
}

fn baked(seed: u64) -> Result<ResidentSectors, SceneError> {
    let grid = terrain::grid_of(1.0, 32)?;
    let input = BakeInput {
        heights: Box::new(Heights::new(land::heights(seed))),
        holes: Some(Box::new(Cells::new(land::holes()))),
        surfaces: None,
        outside: Vec::new(),
    };
    let settings = terrain::bake_settings(grid, 1.0, VoidPolicy::Error);
    let files = terrain::baked_files(input, &settings)?;
    Ok(bake::spread(grid, &files, &layout::props(seed)?)?.sectors)
}

#[cfg(test)]
mod tests {
    use marchland_terrain::math::greater;

    use super::*;

    #[test]
    fn it_is_whole_and_the_same_for_the_same_seed() {
        let [one, same, other] = [3, 3, 4].map(|seed| Clutter::new(seed).unwrap());
        assert_eq!(one.sectors.resident().len(), 16);
        let count = |clutter: &Clutter, coord: SectorCoord| {
            let marchland_terrain::SectorState::Resident(sector) = clutter.view().sector(coord)
            else {
                panic!("{coord} is not there")
            };
            (0..sector.props().len()).map(|at| sector.props().record(at)).collect::<Vec<_>>()
        };
        let (mut props, mut differ) = (0, 0);
        for &coord in one.sectors.resident() {
            assert_eq!(count(&one, coord), count(&same, coord));
            props += count(&one, coord).len();
            differ += usize::from(count(&one, coord) != count(&other, coord));
        }
        assert!(props > 500, "{props} props");
        assert_eq!(differ, 16);
    }

    #[test]
    fn the_ground_has_steep_parts_pits_and_gentle_ones() {
        let clutter = Clutter::new(1).unwrap();
        let (mut steep, mut gentle, mut holes) = (0, 0, 0);
        for (x, z) in (0..128).flat_map(|z| (0..128).map(move |x| (x, z))) {
            let place =
                clutter.place(LOW + f64::from(x) + 0.5, 0.0, LOW + f64::from(z) + 0.5).unwrap();
            match clutter.view().slope(place) {
                Some(slope) if slope > 1.2 => steep += 1,
                Some(_) => gentle += 1,
                None => holes += 1,
            }
        }
        assert!(steep > 200 && gentle > 12_000 && holes == 16, "{steep}, {gentle}, {holes}");
    }

    #[test]
    fn what_moves_comes_back_at_every_rate() {
        for rate in [Rate::Hz30, Rate::Hz60, Rate::Hz240] {
            comes_back(rate);
        }
    }

    fn comes_back(rate: Rate) {
        let mut clutter = Clutter::new(1).unwrap();
        let before: Vec<_> = clutter.live.iter().map(|prop| prop.position()).collect();
        let mut farthest = vec![0.0_f32; before.len()];
        for _ in 0..movers::PERIOD * u64::from(rate.per_second()) / 60 {
            clutter.advance_at(rate).unwrap();
            for (far, (prop, from)) in farthest.iter_mut().zip(clutter.live.iter().zip(&before)) {
                let size = clutter.sectors.grid().sector_size();
                let away = prop.position().relative_to(*from, size).length();
                *far = greater(away, *far);
            }
        }
        for (prop, from) in clutter.live.iter().zip(&before) {
            let away = prop.position().relative_to(*from, clutter.sectors.grid().sector_size());
            assert!(away.length() < 1e-3, "{away}");
        }
        assert!(farthest.iter().filter(|far| **far > 1.0).count() >= 5, "{farthest:?}");
    }
}
