//! What a unit is in: how deep, and the planes that push it out.

use marchland_terrain::PropId;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::query::Contact;

use crate::kinematic::mover::Mover;
use crate::kinematic::planes::{Plane, Planes};
use crate::kinematic::space::{CONTACT_MARGIN, INSIDE, Missing, Part, is_far_out, plane_at};
use crate::units::unit::Motion;

/// Least `y` of the normal of a contact underfoot.
pub(crate) const UPRIGHT: f64 = 0.999;

/// How far above what is underfoot a push leaves a body: more than rounding. Metres.
const STAND_OFF: f64 = 1e-4;

impl Mover<'_, '_, '_, '_> {
    /// How deep the body itself is in something, or a moving prop is in its skin. `None` if it is free.
    /// Leaves what it found in the contacts.
    pub(crate) fn overlapped(&mut self, part: Part) -> Result<Option<f64>, Missing> {
        (self.skips_ground, self.skips_props) = (false, false);
        self.space.touching(part, self.place)?;
        let is_ground = |contact: &Contact| contact.triangle.prop().is_none();
        let mut contacts = self.space.contacts.as_slice().iter();
        if contacts.any(|at| is_ground(at) && f64::from(at.depth) > self.allowed(at)) {
            // At the seams of the ground the way out is long even from ground that is only in the skin.
            self.skips_ground = self.space.is_clear_of_ground(self.place)?;
        }
        self.skips_props = self.space.is_skin_alone(part, self.place)?;
        let mut deepest = None;
        let mut at = 0;
        // By index: `is_beside` queries the world, and does not change the contacts.
        while let Some(contact) = self.space.contacts.as_slice().get(at).copied() {
            at += 1;
            if self.skips(&contact) {
                continue;
            }
            let over = f64::from(contact.depth) - self.allowed(&contact);
            let is_deep = over > 0.0 && deepest.is_none_or(|deepest| over > deepest);
            if is_deep && !self.is_beside(&contact)? {
                deepest = Some(over);
            }
        }
        Ok(deepest)
    }

    /// Whether a contact that lifts does not support the body: it is only under the skin, or under a body in
    /// the air that is on its way off a moving prop, which has already moved.
    pub(crate) fn is_beside(&mut self, contact: &Contact) -> Result<bool, Missing> {
        if self.space.body.is_too_steep(f64::from(contact.normal.y)) {
            return Ok(false);
        }
        let radius = f64::from(self.space.body.radius());
        let point = contact.point;
        let apart = DVec3::new(f64::from(point.x), 0.0, f64::from(point.z)).length();
        if apart >= radius - INSIDE {
            return Ok(true);
        }
        if self.motion != Motion::Falling || contact.velocity == Vec3::ZERO {
            return Ok(false);
        }
        let ahead = self.velocity.as_dvec3() * f64::from(self.space.tick.dt);
        let end = self.space.moved(self.place, ahead.with_y(0.0));
        Ok(!self.space.has_prop_at_feet(end)?)
    }

    /// How deep a contact may be that needs no push. Metres: the whole skin, but 0 where the foot stands,
    /// which has no skin, and 0 for what comes closer.
    fn allowed(&self, contact: &Contact) -> f64 {
        let comes = contact.velocity != Vec3::ZERO
            && (contact.velocity - self.velocity).dot(contact.normal) > 0.0;
        if comes { f64::from(CONTACT_MARGIN) + INSIDE } else { allowed_at_rest(contact) }
    }

    /// Whether a contact is only in the skin, however long its way out is.
    fn skips(&self, contact: &Contact) -> bool {
        let is_ground = contact.triangle.prop().is_none();
        if is_ground { self.skips_ground } else { self.skips_props && is_far_out(contact) }
    }

    pub(crate) fn push_planes(&mut self) -> Result<Planes, Missing> {
        let (mut planes, mut at) = (Planes::new(), 0);
        while let Some(contact) = self.space.contacts.as_slice().get(at).copied() {
            at += 1;
            if self.is_beside(&contact)? {
                continue;
            }
            let depth = f64::from(contact.depth);
            let is_pushed = !self.skips(&contact) && depth > self.allowed(&contact);
            let depth = if is_pushed { depth - left_in(&contact) } else { 0.0 };
            planes.push(Plane { depth, ..plane_at(&contact) });
        }
        Ok(planes)
    }

    /// The moving prop that is deepest inside the body.
    pub(crate) fn pushing(&self) -> Option<PropId> {
        let contacts = self.space.contacts.as_slice().iter();
        let moving = contacts.filter(|contact| {
            contact.velocity != Vec3::ZERO
                && f64::from(contact.depth) > f64::from(SKIN + CONTACT_MARGIN) + INSIDE
        });
        let deepest = moving.reduce(|best, next| if next.depth > best.depth { next } else { best });
        deepest?.triangle.prop()
    }
}

/// How deep a contact with something at rest may be that needs no push. Metres.
pub(crate) fn allowed_at_rest(contact: &Contact) -> f64 {
    let stands = f64::from(contact.normal.y) > UPRIGHT;
    f64::from(if stands { CONTACT_MARGIN } else { SKIN + CONTACT_MARGIN }) + INSIDE
}

/// How much of a contact's depth a push leaves. Metres. The body is grown to the sides and the top, and keeps
/// the small margin by which contacts reach further than the skin. The foot is not grown and leaves its
/// support altogether: anything that it overlaps when it falls, by however little, would not stop it.
fn left_in(contact: &Contact) -> f64 {
    if f64::from(contact.normal.y) > UPRIGHT { -STAND_OFF } else { f64::from(CONTACT_MARGIN) }
}
