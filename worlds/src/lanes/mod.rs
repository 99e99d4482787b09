//! Obstacle lanes: one unit walks straight into one obstacle, and its way shows how a controller
//! handles it.
//!
//! ```text
//!  lane      0    1    2    3    4    5  ───▶ +X, 5 m/s, the obstacle begins at 5 m
//!  stairs    ·····················▁▂▃▄▅▆▇████████████   8 steps of 0.25 m, 0.3 m deep, then level
//!  ramp 30   ·····················⟋▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔   2 m up, then level
//!  ramp 55   ·····················/▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
//!  wall      ·····················█··················   2.5 m high
//!  step 0.35 ·····················▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
//!  step 0.60 ·····················▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆
//! ```

use marchland_controller::{Batch, Body, Report, Spawn, TickSettings, Units, Wish};
use marchland_terrain::math::angle::tan_degrees;
use marchland_terrain::props::{LiveProp, LiveProps, MeshSource};
use marchland_terrain::{ResidentSectors, TerrainView, WorldPos};

use crate::shapes;
use crate::terrain::{self, SceneError};

/// Where obstacles begin. Metres along +X from where units start.
pub const BEGIN: f64 = 5.0;
/// Requested walking speed. Metres per second.
pub const SPEED: f32 = 5.0;
/// Distance from lane to lane, along +Z. Metres.
pub const APART: f64 = 8.0;
/// Height of the stairs and ramps. Metres.
pub const TOP: f64 = 2.0;

/// Length of the part behind the beginning of an obstacle, and its width. Metres.
const LENGTH: f64 = 40.0;
const WIDTH: f64 = 3.0;

/// The obstacle in a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// Steps of 0.25 m, 0.3 m deep.
    Stairs,
    /// A ramp at this angle, in degrees.
    Ramp(f64),
    /// A wall of 2.5 m.
    Wall,
    /// One step of this height, in metres.
    Step(f64),
}

impl Obstacle {
    /// What it is called in a table.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Stairs => "stairs of 0.25 m".into(),
            Self::Ramp(degrees) => format!("ramp of {degrees}°"),
            Self::Wall => "wall".into(),
            Self::Step(height) => format!("step of {height:.2} m"),
        }
    }
}

/// The lanes, in order.
pub const OBSTACLES: [Obstacle; 6] = [
    Obstacle::Stairs,
    Obstacle::Ramp(30.0),
    Obstacle::Ramp(55.0),
    Obstacle::Wall,
    Obstacle::Step(0.35),
    Obstacle::Step(0.60),
];

/// Level ground with the obstacles on it.
#[derive(Clone, Debug)]
pub struct Lanes {
    sectors: ResidentSectors,
    live: LiveProps,
}

/// One unit in every lane, walking.
#[derive(Debug)]
pub struct Walk<'a> {
    lanes: &'a Lanes,
    units: Units,
    wishes: Vec<Wish>,
    batch: Batch,
}

impl Lanes {
    /// Builds the lanes.
    ///
    /// # Errors
    /// Only faults of this project.
    pub fn new() -> Result<Self, SceneError> {
        let sectors = terrain::endless(1.0, 64, 1, 0.0, 1)?;
        let mut live = LiveProps::new(sectors.grid().sector_size());
        for (lane, obstacle) in OBSTACLES.into_iter().enumerate() {
            for (mesh, x) in pieces(obstacle) {
                let z = lane as f64 * APART;
                let at = WorldPos::from_metres(BEGIN + x, 0.0, z, live.sector_size())?;
                live.add(LiveProp::new(shapes::loaded(&mesh)?, at))?;
            }
        }
        Ok(Self { sectors, live })
    }

    /// The ground and all obstacles.
    #[must_use]
    pub fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }

    /// Puts a unit with this body at the beginning of every lane.
    ///
    /// # Errors
    /// Only faults of this project.
    pub fn walk(&self, body: Body) -> Result<Walk<'_>, SceneError> {
        let size = self.sectors.grid().sector_size();
        let mut units = Units::new(size);
        let body = units.add_body(body)?;
        for lane in 0..OBSTACLES.len() {
            let at = WorldPos::from_metres(0.0, 0.0, lane as f64 * APART, size)?;
            units.spawn(Spawn::standing(at, body))?;
        }
        let wishes = vec![Wish::walk(SPEED, 0.0); OBSTACLES.len()];
        Ok(Walk { lanes: self, units, wishes, batch: Batch::new() })
    }
}

impl Walk<'_> {
    /// Runs a tick.
    ///
    /// # Errors
    /// If the settings are out of range.
    pub fn tick(&mut self, settings: &TickSettings) -> Result<&Report, SceneError> {
        Ok(self.batch.tick(self.lanes.view(), &mut self.units, &self.wishes, settings)?)
    }

    /// The position of each unit, lane by lane: metres along the lane and up.
    pub fn places(&self) -> impl Iterator<Item = [f64; 2]> {
        let size = self.units.sector_size();
        self.units.iter().filter_map(move |id| {
            let [x, y, _] = self.units.position(id)?.to_metres(size);
            Some([x, y])
        })
    }
}

/// The meshes of an obstacle, and how far behind its beginning their middles are. Metres.
#[must_use]
pub fn pieces(obstacle: Obstacle) -> Vec<(MeshSource, f64)> {
    let level =
        |height: f64, from: f64| (shapes::crate_box(LENGTH, height, WIDTH), from + LENGTH / 2.0);
    match obstacle {
        Obstacle::Stairs => {
            let run = 8.0 * 0.3;
            vec![(shapes::stairs(8, TOP / 8.0, 0.3, WIDTH), run / 2.0), level(TOP, run)]
        }
        Obstacle::Ramp(degrees) => {
            let run = TOP / tan_degrees(degrees);
            vec![(shapes::ramp(degrees, TOP, WIDTH), run / 2.0), level(TOP, run)]
        }
        Obstacle::Wall => vec![(shapes::crate_box(0.3, 2.5, WIDTH), 0.15)],
        Obstacle::Step(height) => vec![level(height, 0.0)],
    }
}

#[cfg(test)]
mod tests;
