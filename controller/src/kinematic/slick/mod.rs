//! Slick ground, with friction below 1: the velocity of a unit that walks on it is along the face.
//!
//! Where the face turns the velocity turns with it. Without friction its length then comes from the height of the
//! support, so that a chain of faces keeps ½v² + g·y. On a change of support the velocity in the world is kept.

pub(super) mod floor;
pub(super) mod glide;

use marchland_terrain::SurfaceId;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::query::Cylinder;

use self::floor::{FaceVelocity, Floor, laid};
use super::mover::Mover;
use super::moving_props::carry::CarrierMotion;
use super::moving_props::conveyor::MIDDLE;
use super::request::GRIP;
use super::space::Missing;
use super::space::footing::{Band, Footing, FootingKind};
use super::walk::stand::LEVEL;
use crate::limits::SPEED_MAX;
use crate::units::body::LeavePlatform;
use crate::units::surface::SurfaceResponse;
use crate::units::unit::Motion;

/// Least cosine between a velocity and the way into a face at which the face takes that part of it. A face
/// that is met at a smaller angle turns the velocity.
const GLANCING: f64 = 0.5;

/// Least part of the foot disc's radius at which a prop supports at the rim of the disc, as a plane does. What
/// supports farther inside is an edge or a corner.
const RIM: f64 = 0.999;

/// Least sine of the angle between two faces at whose joint the rise changes only what goes across it.
const JOINT: f64 = 1e-3;

/// Least `y` of the normal of what is level: the slope is the rounding of a normal.
const LEVEL_COS: f64 = 1.0 - 1e-13;

impl Mover<'_, '_, '_, '_> {
    /// Whether any surface has less grip than a walk needs.
    pub(crate) fn knows_slick(&self) -> bool {
        self.space.surfaces.iter().any(SurfaceResponse::is_slick)
    }

    /// Lets a unit that glides over steep ground without friction go on.
    pub(crate) fn begin_gliding(&mut self) {
        let was_steep = self.state.normal != Vec3::ZERO
            && self.space.body.is_too_steep(f64::from(self.state.normal.y));
        let glides = self.motion == Motion::Walking && (was_steep || self.velocity.y != 0.0);
        self.space.set_glides(glides);
    }

    /// Notes what a walking unit stands on, once it is carried, and how fast that carried it.
    pub(crate) fn note_floor(
        &mut self,
        under: Option<&Footing>,
        carried: &CarrierMotion,
    ) -> Result<(), Missing> {
        self.floor = None;
        let under = under.filter(|under| under.kind == FootingKind::Walkable);
        let Some(under) = under.filter(|_| self.motion == Motion::Walking && self.knows_slick())
        else {
            self.space.set_glides(false);
            return Ok(());
        };
        let carries = carried.velocity.as_dvec3();
        if under.prop != self.state.support && carries != DVec3::ZERO {
            // What has carried it in this tick has moved away from under it: it is left at the end of the tick.
            let (prop, surface, feet) = (self.state.support, SurfaceId(0), f64::from(self.feet()));
            let normal = DVec3::Y;
            self.floor = Some(Floor { prop, surface, normal, feet, friction: 1.0, carries });
            self.space.set_glides(false);
            return Ok(());
        }
        let under = &self.still_under(under)?;
        let friction = f64::from(self.space.surface(under.surface).friction);
        let Footing { prop, surface, .. } = *under;
        let (normal, feet) = match self.under_carried(under, carried)? {
            Some(there) => (self.face(&there)?, f64::from(there.y)),
            None => (under.normal.as_dvec3(), f64::from(self.feet())),
        };
        self.floor = Some(Floor { prop, surface, normal, feet, friction, carries });
        self.space.set_glides(friction == 0.0);
        Ok(())
    }

    /// What a unit has stood on, if that is still at its feet and something else has come under them as well.
    fn still_under(&mut self, under: &Footing) -> Result<Footing, Missing> {
        let support = self.state.support.filter(|support| under.prop != Some(*support));
        let Some(support) = support else { return Ok(*under) };
        let at_feet = self.space.prop_footing(self.place, Band { low: -LEVEL, high: LEVEL })?;
        let still = at_feet.filter(|at_feet| {
            at_feet.prop == Some(support) && at_feet.kind == FootingKind::Walkable
        });
        Ok(still.unwrap_or(*under))
    }

    /// What a unit stands on after it was carried, if it is the same.
    fn under_carried(
        &mut self,
        under: &Footing,
        carried: &CarrierMotion,
    ) -> Result<Option<Footing>, Missing> {
        if carried.by == DVec3::ZERO {
            return Ok(Some(*under));
        }
        let there = self.under_middle()?;
        Ok(there.filter(|there| (there.prop, there.surface) == (under.prop, under.surface)))
    }

    /// The floor under a unit that walks, if it is slick and the unit is free to glide.
    pub(crate) fn slick_floor(&self) -> Option<Floor> {
        self.floor.filter(|floor| floor.friction < 1.0 && !self.state.is_wedged)
    }

    /// The normal of the plane along which the feet move over what is under them: over an edge that is no
    /// face's.
    pub(crate) fn face(&mut self, under: &Footing) -> Result<DVec3, Missing> {
        let normal = under.normal.as_dvec3();
        if normal.y >= LEVEL_COS {
            return Ok(DVec3::Y);
        }
        if under.prop.is_none() {
            return Ok(normal);
        }
        let rise = under.y - self.feet();
        let band = (rise - LEVEL, rise + LEVEL);
        let found = self.space.support(self.space.core(), self.place, band, 0.0)?;
        let Some(found) = found else { return Ok(normal) };
        let at = found.point.as_dvec3().with_y(0.0);
        let (radius, far) = (f64::from(self.space.body.radius()), at.length());
        if far < RIM * radius {
            return Ok(DVec3::Y);
        }
        // The gradient of the face, as far as it points to where the disc is supported.
        let to = at / far;
        let gradient = normal.with_y(0.0) / -normal.y;
        let rises = gradient.dot(to);
        if rises <= 0.0 {
            return Ok(DVec3::Y);
        }
        if rises >= RIM * gradient.length() {
            return Ok(normal);
        }
        Ok((DVec3::Y - to * rises).normalize())
    }

    /// The velocity along a face after `dt` seconds on it.
    pub(crate) fn gripped(
        &self,
        velocity: DVec3,
        wish: [f32; 2],
        normal: DVec3,
        (friction, dt): (f64, f64),
    ) -> DVec3 {
        let gravity = self.gravity();
        let pull = normal * (normal.y * gravity) - DVec3::Y * gravity;
        let free = velocity + pull * dt;
        if friction == 0.0 {
            return free;
        }
        let [x, z] = wish.map(f64::from);
        let to = laid(DVec3::new(x, 0.0, z), normal) - free;
        let (most, far) = (friction * f64::from(GRIP) * dt, to.length());
        if far <= most { free + to } else { free + to * (most / far) }
    }

    /// The velocity with which a unit on slick ground begins, and that after `dt` seconds.
    pub(crate) fn glide_speeds(&self, wish: [f32; 2], floor: &Floor, dt: f32) -> (DVec3, DVec3) {
        let before = along(self.velocity.as_dvec3(), floor.normal);
        let by = (floor.friction, f64::from(dt));
        (before, self.gripped(before, wish, floor.normal, by))
    }

    /// How far the feet may be from where they were meant to be by rounding alone. Metres.
    pub(crate) fn rounding(&self) -> f64 {
        let [x, y, z] = self.place.local().to_array().map(|metres| f64::from(metres.abs()));
        1e-6 + (x + y + z) * f64::from(f32::EPSILON)
    }

    fn gravity(&self) -> f64 {
        f64::from(self.space.tick.gravity)
    }

    /// Lays the velocity on the slick ground that a unit stands on when its tick ends. On a change of support
    /// its velocity in the world is kept. Notes the new support.
    pub(crate) fn lay_velocity(&mut self) -> Result<(), Missing> {
        let (glided, floor) = (self.glided.take(), self.floor.take());
        if self.motion == Motion::Sliding {
            if let Some(glided) = glided {
                let normal = self.state.normal.as_dvec3();
                let is_hit = is_hit(glided.velocity, normal);
                let velocity = self.turned_onto(&glided, normal, is_hit).unwrap_or(DVec3::ZERO);
                self.velocity = velocity.as_vec3();
            }
            return Ok(());
        }
        if self.motion != Motion::Walking || self.state.is_wedged || !self.knows_slick() {
            return Ok(());
        }
        let Some(under) = self.under_middle()? else { return Ok(()) };
        if !self.space.surface(under.surface).is_slick() {
            return Ok(());
        }
        let normal = self.face(&under)?;
        let level = self.velocity.as_dvec3().with_y(0.0);
        let from = glided.unwrap_or_else(|| {
            let normal = floor.map_or(normal, |floor| floor.normal);
            FaceVelocity { velocity: laid(level, normal), normal, feet: None, in_crease: false }
        });
        let carries = self.carried_by(under.prop, Some(&under)).velocity.as_dvec3();
        let before = match floor {
            Some(floor) if (floor.prop, floor.surface) == (under.prop, under.surface) => carries,
            Some(floor) if self.space.body.leave_platform() != LeavePlatform::Drop => floor.carries,
            _ => DVec3::ZERO,
        };
        // Seen from what is stood on now, which turns it.
        let seen = from.velocity + before - carries;
        let from = FaceVelocity { velocity: along(seen, from.normal), ..from };
        let is_hit = self.is_hit(&from, normal)?;
        let velocity = self.turned_onto(&from, normal, is_hit).unwrap_or(DVec3::ZERO);
        self.velocity = limited(velocity).as_vec3() + Vec3::ZERO;
        let Footing { prop, surface, .. } = under;
        let friction = f64::from(self.space.surface(surface).friction);
        let feet = f64::from(self.feet());
        self.floor = Some(Floor { prop, surface, normal, feet, friction, carries });
        Ok(())
    }

    /// Whether a unit meets a face too squarely to be turned along it. A foot disc that comes from one face
    /// onto another may not have touched what is between them, under its middle.
    pub(crate) fn is_hit(&mut self, from: &FaceVelocity, normal: DVec3) -> Result<bool, Missing> {
        if !is_hit(from.velocity, normal) {
            return Ok(false);
        }
        let slim = Cylinder { radius: MIDDLE, ..self.space.core() };
        let band = (-self.space.body.height(), LEVEL);
        let between = self.space.support(slim, self.place, band, 0.0)?;
        Ok(between.is_none_or(|between| {
            let between = between.normal.as_dvec3();
            let turned = turned(from.velocity, from.normal, between);
            is_hit(from.velocity, between) || is_hit(turned, normal)
        }))
    }

    /// What becomes of a velocity along one face on another. `None` if it is too slow for the rise.
    pub(crate) fn turned_onto(
        &self,
        from: &FaceVelocity,
        normal: DVec3,
        is_hit: bool,
    ) -> Option<DVec3> {
        let velocity = if is_hit {
            along(from.velocity, normal)
        } else {
            turned(from.velocity, from.normal, normal)
        };
        let Some(feet) = from.feet else { return Some(velocity) };
        let rise = f64::from(self.feet()) - feet;
        // What goes along the joint of both faces is kept.
        let joint = from.normal.cross(normal);
        let has_joint = !from.in_crease && joint.length() > JOINT;
        let joint = if has_joint { joint.normalize() } else { DVec3::ZERO };
        let kept = joint * velocity.dot(joint);
        let rest = velocity - kept;
        let squared = rest.length_squared();
        let left = squared - 2.0 * self.gravity() * rise;
        if left > 0.0 {
            let part = if squared > 0.0 { (left / squared).sqrt() } else { 1.0 };
            return Some(kept + rest * part);
        }
        (rise <= self.rounding()).then_some(kept)
    }
}

/// Whether a velocity meets a face so squarely that it is not turned along it.
fn is_hit(velocity: DVec3, normal: DVec3) -> bool {
    velocity.dot(normal) <= -GLANCING * velocity.length() && velocity != DVec3::ZERO
}

/// The part of a velocity along a face.
pub(crate) fn along(velocity: DVec3, normal: DVec3) -> DVec3 {
    velocity - normal * normal.dot(velocity)
}

/// A velocity turned as one normal is turned to another.
fn turned(velocity: DVec3, from: DVec3, to: DVec3) -> DVec3 {
    let (axis, cosine) = (from.cross(to), from.dot(to));
    if cosine < 1e-6 - 1.0 {
        return along(velocity, to);
    }
    let once = axis.cross(velocity);
    along(velocity + once + axis.cross(once) / (1.0 + cosine), to)
}

/// A velocity no faster than any unit may be.
fn limited(velocity: DVec3) -> DVec3 {
    let (most, speed) = (f64::from(SPEED_MAX) * 0.999_999, velocity.length());
    if speed > most { velocity * (most / speed) } else { velocity }
}
