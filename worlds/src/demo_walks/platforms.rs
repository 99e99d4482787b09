//! The demo's platforms: a lift beside the tower of the town's square, and a ferry beside the bridge.
//! Each moves from one end to the other in a fixed number of ticks, rests there, and returns.

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{LiveProp, LivePropError, LiveProps, MeshError};
use marchland_terrain::{PropId, SurfaceId, WorldPos};

use super::places::{LIFT, TOWER_TOP, metres_from_centre};
use crate::demo_props::ALL_SURFACE_NAMES;
use crate::shapes::{crate_box, loaded};

/// Ticks per second of the timetables.
pub const RATE: f32 = 60.0;

/// No walker boards or leaves a platform that departs in fewer ticks than this.
const LEAVE_TICKS: u64 = 240;

/// A platform that moves back and forth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Platform {
    /// Its name.
    pub name: &'static str,
    /// Extent. Metres.
    pub size: [f32; 3],
    /// Middle of its foot at its first end. Metres from the north-west corner, east and south; height.
    pub from: [f32; 3],
    /// From its first end to its other end. Metres.
    pub way: [f32; 3],
    /// Ticks between the ends.
    pub travel_ticks: u64,
    /// Ticks at each end.
    pub rest_ticks: u64,
}

/// Why a platform could not be added; each is a fault of this project.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// Its mesh is invalid.
    #[error("platform: {0}")]
    Mesh(#[from] MeshError),
    /// Its place is invalid.
    #[error("platform: {0}")]
    Position(#[from] marchland_terrain::error::PositionError),
    /// It cannot be placed or moved in this way.
    #[error("platform: {0}")]
    Prop(#[from] LivePropError),
}

impl Platform {
    /// The place of its foot's middle at an end, 0 or 1.
    #[must_use]
    pub fn at_end(&self, end: usize) -> [f32; 3] {
        let share = if end == 0 { 0.0 } else { 1.0 };
        std::array::from_fn(|axis| self.from[axis] + share * self.way[axis])
    }

    /// The place of its foot's middle before this tick, while it travels.
    pub(super) fn on_way(&self, tick: u64) -> [f32; 3] {
        let one_way = self.travel_ticks + self.rest_ticks;
        let gone = (tick % one_way).saturating_sub(self.rest_ticks);
        let share = gone as f32 / self.travel_ticks as f32;
        let share = if (tick / one_way).is_multiple_of(2) { share } else { 1.0 - share };
        std::array::from_fn(|axis| self.from[axis] + share * self.way[axis])
    }

    /// The end at which it rests before this tick, and for how many more ticks; `None` while it
    /// travels.
    #[must_use]
    pub fn rests(&self, tick: u64) -> Option<(usize, u64)> {
        let one_way = self.travel_ticks + self.rest_ticks;
        let (end, phase) = ((tick / one_way % 2) as usize, tick % one_way);
        (phase < self.rest_ticks).then(|| (end, self.rest_ticks - phase))
    }

    /// Whether it rests at an end for long enough to board or leave it.
    #[must_use]
    pub fn is_open(&self, end: usize, tick: u64) -> bool {
        self.rests(tick).is_some_and(|(at, left)| at == end && left >= LEAVE_TICKS)
    }

    /// Its velocity in the next tick, if it changes with that tick. Metres per second.
    fn turn(&self, tick: u64) -> Option<Vec3> {
        let one_way = self.travel_ticks + self.rest_ticks;
        let (leg, phase) = (tick / one_way % 2, tick % one_way);
        let speed = RATE / self.travel_ticks as f32;
        let speed = if leg == 0 { speed } else { -speed };
        if phase == self.rest_ticks {
            Some(Vec3::from_array(self.way) * speed)
        } else {
            (phase == 0).then_some(Vec3::ZERO)
        }
    }
}

/// The demo's platforms, in the order of their indices: the lift and the ferry.
#[must_use]
pub const fn platforms() -> [Platform; 2] {
    [
        Platform {
            name: "lift",
            size: [2.5, 0.25, 2.5],
            // A quarter of a metre above the ground; at its upper end level with the tower's top.
            from: [LIFT[0], TOWER_TOP - LIFT_RISE - 0.25, LIFT[1]],
            way: [0.0, LIFT_RISE, 0.0],
            travel_ticks: 360,
            rest_ticks: 420,
        },
        Platform {
            name: "ferry",
            size: [4.0, 0.3, 4.0],
            from: [2013.0, 43.2, 99.5],
            way: [0.0, 0.0, 25.0],
            travel_ticks: 600,
            rest_ticks: 420,
        },
    ]
}

/// Metres that the lift climbs.
const LIFT_RISE: f32 = 8.4;

/// The platforms as live props.
#[derive(Clone, Debug)]
pub struct Movers {
    ids: Vec<PropId>,
}

impl Movers {
    /// Adds all platforms at their first ends, at rest.
    ///
    /// # Errors
    /// If one cannot stand there, which is a fault of this project.
    pub fn add(live: &mut LiveProps) -> Result<Self, PlatformError> {
        let add = |platform: &Platform| -> Result<PropId, PlatformError> {
            let [x, y, z] = platform.size.map(f64::from);
            let mesh = loaded(&crate_box(x, y, z))?;
            let [x, y, z] = metres_from_centre(platform.from);
            let place = WorldPos::from_metres(x, y, z, live.sector_size())?;
            let mut prop = LiveProp::new(mesh, place);
            prop.layers = 1;
            prop.surface = SurfaceId(ALL_SURFACE_NAMES.len() as u8 - 2); // timber
            Ok(live.add(prop)?)
        };
        Ok(Self { ids: platforms().iter().map(add).collect::<Result<_, _>>()? })
    }

    /// The platforms' ids, in the order of their indices.
    #[must_use]
    pub fn ids(&self) -> &[PropId] {
        &self.ids
    }

    /// Starts the platforms that are due, before [`LiveProps::advance`] of a tick.
    ///
    /// # Errors
    /// If a platform no longer exists.
    pub fn steer(&self, live: &mut LiveProps, tick: u64) -> Result<(), LivePropError> {
        for (platform, id) in platforms().iter().zip(&self.ids) {
            if let Some(velocity) = platform.turn(tick) {
                live.set_velocity(*id, velocity, Vec3::ZERO)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::SectorSize;

    use super::*;

    #[test]
    fn platforms_are_at_their_ends_when_the_timetable_says_so() {
        let size = SectorSize::new(512.0).unwrap();
        let mut live = LiveProps::new(size);
        let movers = Movers::add(&mut live).unwrap();
        let mut rested = [[0_u32; 2]; 2];
        for tick in 0..9000 {
            for (number, platform) in platforms().iter().enumerate() {
                let Some((end, _)) = platform.rests(tick) else { continue };
                let there = live.get(movers.ids()[number]).unwrap().position().to_metres(size);
                for (is, should) in there.iter().zip(metres_from_centre(platform.at_end(end))) {
                    assert!((is - should).abs() < 2e-4, "{} in tick {tick}", platform.name);
                }
                rested[number][end] += 1;
            }
            movers.steer(&mut live, tick).unwrap();
            live.advance(1.0 / RATE).unwrap();
        }
        assert!(rested.as_flattened().iter().all(|ticks| *ticks > 1000), "{rested:?}");
    }
}
