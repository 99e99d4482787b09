//! What friction, the slope and the air make of a request.

use marchland_terrain::SectorState;
use marchland_terrain::glam::{DVec3, Vec3};

use super::mover::Mover;
use super::space::Missing;
use crate::units::body::SlopeRule;
use crate::units::tick::without_creep;

/// Acceleration of friction 1 and air control 1. Metres per second squared.
pub(super) const GRIP: f32 = 20.0;

impl Mover<'_, '_, '_, '_> {
    /// The velocity of a walking unit with the wish `wish`.
    pub(crate) fn request(&mut self, wish: [f32; 2]) -> Result<[f32; 2], Missing> {
        let asked = wish.map(without_creep);
        if let Some(floor) = self.slick_floor() {
            let (_, velocity) = self.glide_speeds(asked, &floor, self.space.tick.dt);
            return Ok([velocity.x as f32, velocity.z as f32].map(without_creep));
        }
        let rule = self.space.body.slope_rule();
        if rule == SlopeRule::KeepHorizontalSpeed || asked == [0.0, 0.0] {
            return Ok(asked);
        }
        let normal = self.normal_below()?;
        Ok(by_slope(rule, asked, normal).map(without_creep))
    }

    /// The normal of what a unit stands on; upwards where it is unknown.
    fn normal_below(&mut self) -> Result<DVec3, Missing> {
        if self.state.support.is_some() {
            return Ok(self.state.normal.as_dvec3());
        }
        let (sector, local) = (self.place.sector(), self.place.local());
        let normal = match self.space.sectors.state(sector) {
            SectorState::Resident(sector) => sector.field().face_normal(local.x, local.z),
            SectorState::NotResident => return Err(Missing::NotResident { sector }),
            SectorState::Outside => None,
        };
        Ok(normal.map_or(DVec3::Y, Vec3::as_dvec3))
    }

    /// In the air the velocity approaches the request, relative to the platform that was left.
    pub(crate) fn steer_in_air(&mut self, wish: [f32; 2]) {
        let control = self.space.body.air_control();
        if control == 0.0 {
            return;
        }
        let platform = self.state.platform_velocity;
        let asked = [wish[0] + platform[0], wish[1] + platform[1]];
        let most = control * GRIP * self.space.tick.dt;
        let [x, z] = approach([self.velocity.x, self.velocity.z], asked, most);
        (self.velocity.x, self.velocity.z) = (without_creep(x), without_creep(z));
    }
}

/// A velocity changed towards another by at most `most`.
fn approach(from: [f32; 2], to: [f32; 2], most: f32) -> [f32; 2] {
    let (x, z) = (to[0] - from[0], to[1] - from[1]);
    let length = (x * x + z * z).sqrt();
    if length <= most {
        return to;
    }
    let part = most / length;
    [from[0] + x * part, from[1] + z * part]
}

/// The horizontal velocity that a request becomes on a slope; see [`SlopeRule`].
pub(crate) fn by_slope(rule: SlopeRule, [x, z]: [f32; 2], normal: DVec3) -> [f32; 2] {
    let asked = DVec3::new(f64::from(x), 0.0, f64::from(z));
    if normal.y < 1e-6 {
        return [x, z];
    }
    let into = normal.dot(asked);
    let laid = DVec3::new(asked.x, -into / normal.y, asked.z);
    let projected = asked - normal * into;
    let (whole, laid) = (asked.length(), laid.length());
    let out = match rule {
        SlopeRule::KeepHorizontalSpeed => return [x, z],
        SlopeRule::KeepDirection => asked * (projected.length() / laid),
        SlopeRule::KeepPathSpeed => asked * (whole / laid),
        SlopeRule::Project => projected,
    };
    [out.x as f32, out.z as f32]
}
