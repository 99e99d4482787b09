//! Bouncing: off floors, walls and ceilings alike, in the air.

use marchland_terrain::SurfaceId;
use marchland_terrain::glam::{DVec3, Vec3};

use crate::kinematic::mover::Mover;
use crate::kinematic::planes::{Plane, Planes};
use crate::units::event::EventKind;

impl Mover<'_, '_, '_, '_> {
    /// Bounces off a surface that is met at a velocity, if the surface gives enough back. Returns whether it
    /// does.
    pub(crate) fn bounce(&mut self, normal: DVec3, surface: u8, velocity: DVec3) -> bool {
        let Some(back) = self.given_back(normal, surface, velocity) else { return false };
        let into = -velocity.dot(normal);
        let along = velocity + normal * into;
        let taken = f64::from(self.space.surface(SurfaceId(surface)).bounce_friction);
        let thrown = velocity + normal * (into + back) - along * taken;
        self.velocity = thrown.as_vec3() + Vec3::ZERO;
        self.events.push(EventKind::Bounced { speed: back as f32 });
        true
    }

    /// The speed off a surface after a bounce. `None` where it would be over in four ticks: such hops would
    /// never end.
    fn given_back(&self, normal: DVec3, surface: u8, velocity: DVec3) -> Option<f64> {
        let bounce = self.space.surface(SurfaceId(surface)).bounce;
        if bounce == 0.0 {
            return None;
        }
        let back = -velocity.dot(normal) * f64::from(bounce);
        let least = 2.0 * f64::from(self.space.tick.gravity) * f64::from(self.space.tick.dt);
        (back > least && back > 0.0).then_some(back)
    }

    /// Whether a flight ends in a bounce at what it has met, with the part `left` of it to go.
    pub(crate) fn bounces_off(&self, met: &Plane, left: f64) -> bool {
        let velocity = self.velocity_in_flight(left);
        self.flight > 0.0
            && met.triangle.is_some()
            && self.given_back(met.normal, met.surface, velocity).is_some()
    }

    /// What a body in flight bounces off of what it touches: of several that into which it flies the fastest.
    pub(crate) fn bounces_off_touched(&self, planes: &Planes, left: f64) -> Option<Plane> {
        if self.flight == 0.0 || self.is_off_ground {
            return None;
        }
        let velocity = self.velocity_in_flight(left);
        let off = planes.as_slice().iter().filter(|plane| self.bounces_off(plane, left)).copied();
        off.reduce(|best, next| {
            let (a, b) = (best.normal.dot(velocity), next.normal.dot(velocity));
            // Equal ones by their direction.
            let is_next = b < a || (b == a && next.normal.to_array() < best.normal.to_array());
            if is_next { next } else { best }
        })
    }

    /// The velocity of a flight when the part `left` of it is to go, along what it has met. Metres per second.
    pub(crate) fn velocity_in_flight(&self, left: f64) -> DVec3 {
        let fallen = f64::from(self.space.tick.gravity * self.flight) * (1.0 - left);
        let velocity = self.velocity.as_dvec3() - DVec3::Y * fallen;
        if self.met.is_empty() { velocity } else { self.along_met(velocity) }
    }
}
