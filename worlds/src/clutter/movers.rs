//! The movers of the clutter: back and forth in a fixed number of ticks, or rotating.

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{LiveProp, LivePropError, LiveProps, Placement};
use marchland_terrain::{PropId, SectorCoord, WorldPos};

use super::land;
use crate::shapes::{crate_box, loaded};
use crate::terrain::SceneError;

/// Ticks per second for which the movers reverse on time.
pub const RATE: f32 = 60.0;

/// Ticks per second for which every mover reverses between two ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Half of the default.
    Hz30,
    /// The default, [`RATE`].
    Hz60,
    /// Four times the default.
    Hz240,
}

impl Rate {
    /// Ticks a second.
    #[must_use]
    pub fn per_second(self) -> u8 {
        match self {
            Self::Hz30 => 30,
            Self::Hz60 => 60,
            Self::Hz240 => 240,
        }
    }
}

/// Ticks until every mover is back at its start, at the default rate.
pub(super) const PERIOD: u64 = 960;

/// Units of time in a second: ticks of all rates are whole numbers of them.
pub(super) const MOMENTS: u64 = 240;

/// [`RATE`] as a whole number.
const RATE_PER_SECOND: u64 = RATE as u64;

/// A prop that moves.
#[derive(Clone, Debug)]
pub(super) struct Mover {
    id: PropId,
    linear: Vec3,
    angular: Vec3,
    /// Ticks one way, at the default rate. A divisor of half of [`PERIOD`].
    one_way: u64,
}

impl Mover {
    /// Sets its velocity, forwards or back.
    pub(super) fn steer(&self, live: &mut LiveProps, moment: u64) -> Result<(), LivePropError> {
        let one_way = self.one_way * MOMENTS / RATE_PER_SECOND;
        if !moment.is_multiple_of(one_way) {
            return Ok(());
        }
        let is_back = moment / one_way % 2 == 1;
        live.set_velocity(self.id, if is_back { -self.linear } else { self.linear }, self.angular)
    }
}

/// The description of a mover.
struct MoverSpec {
    /// Extent. Metres.
    size: [f64; 3],
    /// X, height above the ground at that place in metres, Z.
    at: [f64; 3],
    yaw: f64,
    /// Metres a second.
    linear: [f32; 3],
    /// Radians a second.
    angular: [f32; 3],
    one_way: u64,
}

#[rustfmt::skip]
const MOVERS: [MoverSpec; 12] = [
    // Lifts: slow, fast, and one that hardly moves.
    MoverSpec { size: [3.0, 0.3, 3.0], at: [20.0, 0.0, 20.0], yaw: 0.0, linear: [0.0, 1.0, 0.0], angular: [0.0; 3], one_way: 240 },
    MoverSpec { size: [3.0, 0.3, 3.0], at: [44.0, -0.2, 28.0], yaw: 30.0, linear: [0.0, 5.0, 0.0], angular: [0.0; 3], one_way: 60 },
    MoverSpec { size: [3.0, 0.3, 3.0], at: [60.0, 0.0, 36.0], yaw: 0.0, linear: [0.0, 0.02, 0.0], angular: [0.0; 3], one_way: 480 },
    // Shuttles: over the middle of the world, along a border, diagonal and rising.
    MoverSpec { size: [3.0, 0.4, 2.0], at: [42.0, 0.5, 48.0], yaw: 0.0, linear: [3.0, 0.0, 0.0], angular: [0.0; 3], one_way: 240 },
    MoverSpec { size: [2.0, 0.4, 3.0], at: [16.0, 0.3, 40.0], yaw: 15.0, linear: [0.0, 0.0, 6.0], angular: [0.0; 3], one_way: 120 },
    MoverSpec { size: [3.0, 0.3, 3.0], at: [70.0, 0.1, 60.0], yaw: 50.0, linear: [1.5, 0.5, -1.0], angular: [0.0; 3], one_way: 240 },
    // Turntables: slow and wide, and one that also travels.
    MoverSpec { size: [6.0, 0.3, 6.0], at: [52.0, 0.1, 76.0], yaw: 0.0, linear: [0.0; 3], angular: [0.0, 0.7, 0.0], one_way: 480 },
    MoverSpec { size: [4.0, 0.3, 4.0], at: [32.0, 0.2, 52.0], yaw: 0.0, linear: [0.0, 0.0, 1.0], angular: [0.0, -2.0, 0.0], one_way: 240 },
    // A bar that rotates at chest height, and one that tumbles.
    MoverSpec { size: [6.0, 0.4, 0.3], at: [64.0, 0.8, 20.0], yaw: 0.0, linear: [0.0; 3], angular: [0.0, 0.9, 0.0], one_way: 480 },
    MoverSpec { size: [4.0, 0.4, 0.4], at: [8.0, 1.5, 60.0], yaw: 0.0, linear: [0.0; 3], angular: [0.0, 0.2, 0.8], one_way: 480 },
    // A press: two walls that close on each other.
    MoverSpec { size: [0.5, 2.5, 4.0], at: [84.0, -0.3, 32.0], yaw: 0.0, linear: [0.5, 0.0, 0.0], angular: [0.0; 3], one_way: 240 },
    MoverSpec { size: [0.5, 2.5, 4.0], at: [88.6, -0.3, 32.0], yaw: 0.0, linear: [-0.5, 0.0, 0.0], angular: [0.0; 3], one_way: 240 },
];

/// Adds all of them, at rest until the first tick.
pub(super) fn add(
    live: &mut LiveProps,
    origin: SectorCoord,
    seed: u64,
) -> Result<Vec<Mover>, SceneError> {
    MOVERS.iter().map(|made| made.add(live, origin, seed)).collect()
}

impl MoverSpec {
    fn add(
        &self,
        live: &mut LiveProps,
        origin: SectorCoord,
        seed: u64,
    ) -> Result<Mover, SceneError> {
        let [x, above, z] = self.at;
        let [wide, high, long] = self.size;
        let size = live.sector_size();
        let beyond = || beyond(origin);
        let flat = WorldPos::from_metres(x, land::height(x, z, seed) + above, z, size);
        let flat = flat.map_err(|_| beyond())?;
        let sector = flat.sector().offset(origin.x, origin.z).ok_or_else(beyond)?;
        let place = WorldPos::new(sector, flat.local(), size).map_err(|_| beyond())?;
        let mesh = loaded(&crate_box(wide, high, long))?;
        let mut prop = LiveProp::new(mesh, place);
        let turn = Rotation::from_degrees([0.0, self.yaw, 0.0]);
        prop.placement = Placement::new(turn, 1.0).unwrap_or(Placement::IDENTITY);
        let (linear, angular) = (Vec3::from_array(self.linear), Vec3::from_array(self.angular));
        Ok(Mover { id: live.add(prop)?, linear, angular, one_way: self.one_way })
    }
}

/// The shift leaves the range of sectors.
pub(super) fn beyond(origin: SectorCoord) -> SceneError {
    format!("there is no room for the clutter around sector {origin}").into()
}

const _: () = {
    assert!(RATE == 60.0);
    let mut at = 0;
    while at < MOVERS.len() {
        assert!((PERIOD / 2).is_multiple_of(MOVERS[at].one_way));
        // At half the rate it also reverses between two ticks.
        assert!(MOVERS[at].one_way.is_multiple_of(2));
        at += 1;
    }
};
