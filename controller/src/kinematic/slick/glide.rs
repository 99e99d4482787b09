//! Gliding: a tick on ground with less grip than a walk needs.
//!
//! Gravity pulls along the face, then the velocity comes nearer to the request by as much as there is friction.
//! The way is the mean of both velocities times dt, a parabola: on a plane without friction ½v² + g·y stays what
//! it was. What becomes of the velocity where the face turns is in [`slick`](super).

use marchland_terrain::SurfaceId;
use marchland_terrain::glam::{DVec3, Vec3};

use super::along;
use super::floor::{FaceVelocity, Floor, laid};
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::Plane;
use crate::kinematic::space::Missing;
use crate::units::surface::SurfaceResponse;
use crate::units::unit::Motion;

/// Least cosine between the normals of a slope now and at the end of the last tick.
const SAME_SLOPE: f64 = 0.99;

/// Most parts that a tick's glide is cut into, each as long as the foot disc's radius.
const PARTS_MAX: u32 = 64;

/// How often the time of a glide is halved before what its speed does not suffice for stops it.
const HALVINGS: u32 = 4;

/// Speed that may be lost there at once. Metres per second.
const STOPPED: f64 = 1e-3;

/// Where a glide came to.
enum GlideEnd {
    /// As far as it goes.
    There,
    /// Onto a face with this normal, higher than its speed allows.
    TooHigh(DVec3),
    /// Onto a steep face that is met too squarely to turn the velocity.
    IntoWall,
}

impl Mover<'_, '_, '_, '_> {
    /// Glides for a tick, in parts so short that faces are taken one by one.
    pub(crate) fn glide(&mut self, wish: [f32; 2], floor: Floor) -> Result<(), Missing> {
        let dt = self.space.tick.dt;
        let (before, after) = self.glide_speeds(wish, &floor, dt);
        let way = (before + after).length() * 0.5 * f64::from(dt);
        let mut parts = 1;
        while parts < PARTS_MAX && way > f64::from(parts) * f64::from(self.space.body.radius()) {
            parts += 1;
        }
        self.floor = Some(floor);
        for _ in 0..parts {
            self.glide_for(dt / parts as f32, wish, HALVINGS)?;
        }
        Ok(())
    }

    /// Glides for `dt` seconds, if it still does. Where its speed does not suffice for a rise, up to `halvings`
    /// times in halves, so that it comes nearer to where it turns back.
    fn glide_for(&mut self, dt: f32, wish: [f32; 2], halvings: u32) -> Result<(), Missing> {
        if self.glided.is_some() {
            self.lay_velocity()?;
        }
        if self.motion != Motion::Walking {
            return Ok(());
        }
        let Some(floor) = self.slick_floor() else { return Ok(()) };
        let (before, after) = self.glide_speeds(wish, &floor, dt);
        let (start, props_met) = (self.standing(), self.props_met);
        let mut speeds = ((before + after) * 0.5, after);
        let mut came = self.glide_at(dt, speeds, &floor, false)?;
        if matches!(came, GlideEnd::IntoWall) {
            self.set_standing(&start);
            self.props_met = props_met;
            self.space.set_glides(false);
            came = self.glide_at(dt, speeds, &floor, false)?;
        }
        if let GlideEnd::TooHigh(normal) = came {
            self.set_standing(&start);
            self.props_met = props_met;
            // Between two faces it goes on along their crease.
            let crease = floor.normal.cross(normal).try_normalize().unwrap_or(DVec3::ZERO);
            let within = |velocity: DVec3| crease * velocity.dot(crease);
            let lost = before.length_squared() - within(before).length_squared();
            if halvings > 0 && lost > STOPPED * STOPPED {
                self.glided = None;
                self.glide_for(0.5 * dt, wish, halvings - 1)?;
                return self.glide_for(0.5 * dt, wish, halvings - 1);
            }
            speeds = (within(speeds.0), within(after));
            came = self.glide_at(dt, speeds, &floor, true)?;
        }
        if !matches!(came, GlideEnd::There) {
            self.set_standing(&start);
            self.props_met = props_met;
            self.walk_for([0.0, 0.0], dt)?;
            let (velocity, normal) = (DVec3::ZERO, floor.normal);
            self.glided = Some(FaceVelocity { velocity, normal, feet: None, in_crease: false });
        }
        Ok(())
    }

    /// Glides for `dt` seconds at a velocity, and then has another.
    fn glide_at(
        &mut self,
        dt: f32,
        (mean, after): (DVec3, DVec3),
        floor: &Floor,
        in_crease: bool,
    ) -> Result<GlideEnd, Missing> {
        let level = [mean.x as f32 + 0.0, mean.z as f32 + 0.0];
        self.walk_for(level, dt)?;
        let left = [self.velocity.x, self.velocity.z];
        let after = if left == level { after } else { beside(after, level, left, floor.normal) };
        let is_free = floor.friction == 0.0 && left == level;
        let feet = is_free.then_some(floor.feet + mean.y * f64::from(dt));
        let glided = FaceVelocity { velocity: after, normal: floor.normal, feet, in_crease };
        if self.motion == Motion::Falling {
            let velocity = self.turned_onto(&glided, floor.normal, false).unwrap_or(DVec3::ZERO);
            self.velocity = velocity.as_vec3();
            return Ok(GlideEnd::There);
        }
        self.glided = Some(glided);
        let is_low = feet.is_none_or(|feet| f64::from(self.feet()) - feet <= self.rounding());
        let under = if is_low { None } else { self.under_middle()? };
        let Some(under) = under else { return Ok(GlideEnd::There) };
        let normal = self.face(&under)?;
        let is_hit = self.is_hit(&glided, normal)?;
        if self.space.body.is_too_steep(normal.y) && is_hit {
            return Ok(GlideEnd::IntoWall);
        }
        let has_energy = self.turned_onto(&glided, normal, is_hit).is_some();
        Ok(if has_energy { GlideEnd::There } else { GlideEnd::TooHigh(normal) })
    }

    /// The friction of the slope that a unit slides down, if that is slick.
    pub(crate) fn slick_slope(&mut self) -> Result<Option<f64>, Missing> {
        if !self.knows_slick() {
            return Ok(None);
        }
        let normal = self.state.normal.as_dvec3();
        let planes = self.around()?;
        let agrees = |plane: &Plane| plane.normal.dot(normal);
        let slope = planes
            .as_slice()
            .iter()
            .copied()
            .reduce(|best, next| if agrees(&next) > agrees(&best) { next } else { best });
        let surface = match slope.filter(|slope| agrees(slope) > SAME_SLOPE) {
            Some(slope) => Some(SurfaceId(slope.surface)),
            None => self.space.ground_footing(self.place)?.map(|ground| ground.surface),
        };
        let response = surface.map(|surface| self.space.surface(surface));
        Ok(response.filter(SurfaceResponse::is_slick).map(|slick| f64::from(slick.friction)))
    }

    /// The velocity after a tick on a slick slope, and the way in it.
    pub(crate) fn glide_down(&mut self, wish: [f32; 2], friction: f64) -> (DVec3, DVec3) {
        let dt = f64::from(self.space.tick.dt);
        let normal = self.state.normal.as_dvec3();
        let velocity = self.velocity.as_dvec3();
        // Off the slope it may go freely.
        let before = if velocity.dot(normal) < 0.0 { along(velocity, normal) } else { velocity };
        let after = self.gripped(before, wish, normal, (friction, dt));
        let by = (before + after) * (0.5 * dt);
        let feet = (friction == 0.0).then_some(f64::from(self.feet()) + by.y);
        self.glided = Some(FaceVelocity { velocity: after, normal, feet, in_crease: false });
        (after, by)
    }

    /// Notes the velocity of a slide on a slick slope, along what it has met.
    pub(crate) fn note_slide(&mut self, velocity: Vec3) {
        if let Some(glided) = &mut self.glided {
            glided.velocity = velocity.as_dvec3();
        }
    }
}

/// What is left of a velocity along a face where walls have turned the way seen from above.
fn beside(velocity: DVec3, asked: [f32; 2], left: [f32; 2], normal: DVec3) -> DVec3 {
    let level = |[x, z]: [f32; 2]| DVec3::new(f64::from(x), 0.0, f64::from(z));
    let (asked, left) = (level(asked).length(), level(left));
    if asked == 0.0 {
        return velocity;
    }
    laid(left * (velocity.with_y(0.0).length() / asked), normal)
}
