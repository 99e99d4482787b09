//! What a body touches, and the way out of closed props that have been put over a unit.
//!
//! A body inside a closed prop leaves by the nearest face. In a building on the ground that may be its floor,
//! and next to a neighbour a wall without room behind it. Such ways are refused, and the nearest face in
//! another direction is tried. What is refused depends only on where the body is, not on what came before.
//! Ways are checked to their end, so that a body that is pushed for many ticks does not turn back when it
//! comes nearer.

use marchland_terrain::PropId;
use marchland_terrain::WorldPos;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::query::{Contact, Cylinder, RefusedWay};

use crate::kinematic::space::footing::Band;
use crate::kinematic::space::{Missing, Part, Space};

/// Most ways that are refused, for all props together: the sides of two boxes.
const REFUSED_MAX: usize = 12;

/// Longest way that is checked. Metres: longer ones are taken unchecked, because they may lead over sectors
/// that were not required to be in memory.
const LOOK_MAX: f64 = 256.0;

/// Radius of the cylinder that stands for a body's middle. Metres: less than the thickness of anything solid,
/// so that it overlaps no triangle except very close to one.
const SLIM: f32 = 1e-3;

/// How much lower than the body's support a way out may end. Metres: more than rounding.
const SINK: f64 = 1e-4;

/// Ways out that lead nowhere.
struct RefusedWays {
    list: [RefusedWay; REFUSED_MAX],
    len: usize,
}

impl RefusedWays {
    fn new() -> Self {
        let none = RefusedWay { prop: PropId::Live { slot: 0, generation: 0 }, normal: Vec3::ZERO };
        Self { list: [none; REFUSED_MAX], len: 0 }
    }

    fn as_slice(&self) -> &[RefusedWay] {
        &self.list[..self.len]
    }

    /// Whether a way can still be refused: it is not on the list, and there is room.
    fn takes(&self, way: &RefusedWay) -> bool {
        let normal = way.normal.as_dvec3();
        let is_known = self.as_slice().iter().any(|known| known.is_along(Some(way.prop), normal));
        self.len < REFUSED_MAX && !is_known
    }

    fn push(&mut self, way: RefusedWay) {
        self.list[self.len] = way;
        self.len += 1;
    }
}

impl Space<'_, '_, '_> {
    /// Finds what is within the skin of a part of a body: all props, and ground that is too steep to stand on
    /// where the part [meets ground](Self::meets_ground). Contacts inside closed props are
    /// [turned](Self::turn_contacts) to ways out that lead somewhere.
    pub(crate) fn touching(&mut self, part: Part, at: WorldPos) -> Result<(), Missing> {
        let (body, low) = self.touched(part);
        let raised = self.raised(at, low);
        if self.contacts_key == Some((part, raised)) {
            return Ok(());
        }
        self.find_contacts(part, body, raised)?;
        let out = |contact: &Contact| contact.normal.as_dvec3() * f64::from(contact.depth);
        self.turn_contacts((body, raised), part, at, out)
    }

    /// The way out of the closed prop that contains the middle of a body, even where the body overlaps some
    /// of its triangles: deep in a wall two of them may push in opposite directions. `None` if no prop
    /// contains it.
    pub(crate) fn way_from_middle(
        &mut self,
        part: Part,
        at: WorldPos,
    ) -> Result<Option<DVec3>, Missing> {
        let (body, low) = self.touched(part);
        let slim = Cylinder { radius: SLIM, height: 2.0 * SLIM };
        let lift = body.height * 0.5 - SLIM;
        // As far as the whole body has to go.
        let out = |contact: &Contact| {
            let normal = contact.normal.as_dvec3();
            let level = (normal.x * normal.x + normal.z * normal.z).sqrt();
            let wider = f64::from(body.radius - SLIM) * level;
            normal * (f64::from(contact.depth) + wider + f64::from(lift) * normal.y.abs())
        };
        self.contacts_key = None;
        let slim = (slim, self.raised(at, low + lift));
        self.ask_contacts(slim, part, &[])?;
        self.turn_contacts(slim, part, at, out)?;
        let mut contacts = self.contacts.as_slice().iter();
        Ok(contacts.find(|contact| way_of(contact).is_some()).map(out))
    }

    /// Whether any contact moves. A body that it presses against something is crushed, and not let out behind
    /// it.
    pub(crate) fn is_moving_in_touch(&self) -> bool {
        self.contacts.as_slice().iter().any(|contact| contact.velocity != Vec3::ZERO)
    }

    /// Replaces contacts inside closed props whose way out leads nowhere with contacts through other faces,
    /// as long as there are any: for the contacts of a cylinder, each of which leads the body out by `out`.
    fn turn_contacts(
        &mut self,
        cylinder: (Cylinder, WorldPos),
        part: Part,
        at: WorldPos,
        out: impl Fn(&Contact) -> DVec3,
    ) -> Result<(), Missing> {
        let is_inside = self.contacts.as_slice().iter().any(|contact| way_of(contact).is_some());
        if !is_inside || self.is_moving_in_touch() {
            return Ok(());
        }
        let mut refused = RefusedWays::new();
        loop {
            let (known, mut next) = (refused.len, 0);
            while let Some(contact) = self.contacts.as_slice().get(next).copied() {
                next += 1;
                let way = way_of(&contact).filter(|way| refused.takes(way));
                if let Some(way) = way
                    && !self.leads_out(at, out(&contact))?
                {
                    refused.push(way);
                }
            }
            if refused.len == known {
                return Ok(());
            }
            self.ask_contacts(cylinder, part, refused.as_slice())?;
        }
    }

    /// Whether a body can go a way out of a closed prop to its end: not into its support, not through another
    /// prop, and not to where there is no room for it.
    fn leads_out(&mut self, at: WorldPos, out: DVec3) -> Result<bool, Missing> {
        if out.length() > LOOK_MAX {
            return Ok(true);
        }
        if out.y < 0.0 {
            let band = Band { low: out.y as f32, high: self.body.knee() };
            let lowest = f64::from(at.local().y) + out.y + SINK;
            if self.footing(at, band)?.is_some_and(|footing| f64::from(footing.y) > lowest) {
                return Ok(false);
            }
        }
        let end = self.moved(at, out);
        if self.is_outside(end) || self.sweep_core(at, out)?.is_some() {
            return Ok(false);
        }
        let ground = self.ground_footing(end)?.map_or(end.local().y, |ground| ground.y);
        let end = if ground > end.local().y { self.at_height(end, ground) } else { end };
        self.is_clear(end)
    }
}

/// The way by which a contact leads out of a closed prop. `None` if it leads only out of what it touches.
fn way_of(contact: &Contact) -> Option<RefusedWay> {
    let prop = contact.triangle.prop().filter(|_| contact.inside)?;
    Some(RefusedWay { prop, normal: contact.normal })
}
