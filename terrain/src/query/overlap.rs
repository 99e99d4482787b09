//! What a body overlaps, and the ways out.

use glam::{DVec3, Vec3};

use super::contact_place::middle;
use super::cylinder::{Cylinder, Feature, Push, Pushes, Sided, column_top, overlaps, pushes};
use super::gather::Gathered;
use super::inside::inside_contact;
use super::nearest::unit_normal;
use super::region::{Region, SEAM};
use super::seams::{LEADS, Place, around, goes_on, is_at, is_covered, leads_on};
use super::solids::{Seams, Solids, local};
use super::support::towards;
use super::types::Contact;
use super::walk::{Facet, Source, Visit};
use crate::math::{SectorCoord, WorldPos};
use crate::props::EdgeKind;

/// Cosine of the angle up to which a push counts as one along the face.
pub(super) const ALONG_FACE: f64 = 1.0 - 1e-9;

/// How near to the axis of a body a triangle is above it. Metres.
const AXIS: f64 = 1e-9;

/// Cosine of the angle between two ways out that count as one.
const SAME_WAY: f64 = 0.999;

/// Memory for contacts, made once and used again and again.
#[derive(Clone, Debug)]
pub struct Contacts {
    list: Vec<Contact>,
    most: usize,
    is_cut: bool,
    /// What is near the body: contacts are judged by what lies around them.
    near: Gathered,
}

/// Triangles near a body that are kept at hand. More, and the judging goes over the world.
const NEAR_TRIANGLES: usize = 256;

impl Contacts {
    /// Room for so many, at least one.
    #[must_use]
    pub fn with_capacity(most: usize) -> Self {
        let most = most.max(1);
        let near = Gathered::with_capacity(NEAR_TRIANGLES);
        Self { list: Vec::with_capacity(most), most, is_cut: false, near }
    }

    /// The contacts, in order of props and triangles, ground first.
    #[must_use]
    pub fn as_slice(&self) -> &[Contact] {
        &self.list
    }

    /// Whether there were more than fit; the deepest were kept.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The deepest; of equals the first.
    #[must_use]
    pub fn deepest(&self) -> Option<&Contact> {
        self.list.iter().reduce(|best, next| if next.depth > best.depth { next } else { best })
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.is_cut = false;
    }

    pub(super) fn put(&mut self, contact: Contact) {
        if self.list.len() < self.most {
            self.list.push(contact);
            return;
        }
        self.is_cut = true;
        // Of equal depth the greater triangle goes, so that the order of coming does not matter.
        let is_less = |a: &Contact, b: &Contact| {
            a.depth < b.depth || (a.depth == b.depth && a.triangle > b.triangle)
        };
        let mut least = 0;
        for at in 1..self.list.len() {
            if is_less(&self.list[at], &self.list[least]) {
                least = at;
            }
        }
        if is_less(&self.list[least], &contact) {
            self.list[least] = contact;
        }
    }

    pub(super) fn sort(&mut self) {
        // Each triangle is there at most once.
        self.list.sort_unstable_by_key(|contact| contact.triangle);
    }
}

/// See [`Solids::overlap`].
pub(crate) fn overlap(
    solids: &Solids<'_>,
    body: Cylinder,
    feet: WorldPos,
    contacts: &mut Contacts,
) -> Result<(), SectorCoord> {
    let region = Region::of(body, feet, Vec3::ZERO);
    // Memory is taken out and put back, so that what is near can be read while contacts are put.
    let mut near = std::mem::take(&mut contacts.near);
    let found = solids.near(&region.grown(SEAM), &mut near).and_then(|solids| {
        let put = |contact| contacts.put(contact);
        let mut finder = Finder::new(&solids, &region, body, local(feet), put);
        solids.each(&region, &mut finder)?;
        finder.finish();
        Ok(())
    });
    contacts.near = near;
    contacts.sort();
    found
}

/// The deepest contact of a body; of equals that of the least triangle.
pub(crate) fn deepest(
    solids: &Solids<'_>,
    region: &Region,
    body: Cylinder,
    feet: DVec3,
) -> Result<Option<Contact>, SectorCoord> {
    let mut best: Option<Contact> = None;
    let mut finder = Finder::new(solids, region, body, feet, |contact| {
        let wins = best.as_ref().is_none_or(|best| {
            contact.depth > best.depth
                || (contact.depth == best.depth && contact.triangle < best.triangle)
        });
        if wins {
            best = Some(contact);
        }
    });
    let region = Region { motion: DVec3::ZERO, ..*region };
    solids.each(&region, &mut finder)?;
    finder.finish();
    Ok(best)
}

/// Whether a body may overlap anything: quickly no, for the many that do not.
pub(crate) fn is_overlapping(
    solids: &Solids<'_>,
    region: &Region,
    body: Cylinder,
    feet: DVec3,
) -> Result<bool, SectorCoord> {
    let region = Region { motion: DVec3::ZERO, ..*region };
    let mut touched = Touched { body, feet, source: None, found: false };
    solids.each(&region, &mut touched)?;
    Ok(touched.found)
}

struct Touched {
    body: Cylinder,
    feet: DVec3,
    source: Option<Source>,
    found: bool,
}

impl Visit for Touched {
    fn source(&mut self, source: &Source) {
        // A closed prop may hold the body without touching it.
        self.found |= source.solid && !source.is_terrain();
        self.source = Some(*source);
    }

    fn facet(&mut self, facet: &Facet) {
        let Some(source) = self.source.filter(|_| !self.found) else { return };
        let corners = facet.seen_from(source.origin - self.feet);
        let (radius, height) = (f64::from(self.body.radius), f64::from(self.body.height));
        self.found = overlaps(&corners, radius, height)
            || (source.is_terrain() && column_top(&corners, AXIS, height, f64::INFINITY).is_some());
    }
}

/// Finds the contacts of a body, one triangle after the other.
struct Finder<'a, 'w, F> {
    solids: &'a Solids<'w>,
    region: &'a Region,
    body: Cylinder,
    feet: DVec3,
    source: Option<Source>,
    /// Whether a triangle of the source was overlapped.
    is_met: bool,
    take: F,
}

impl<'a, 'w, F: FnMut(Contact)> Finder<'a, 'w, F> {
    fn new(
        solids: &'a Solids<'w>,
        region: &'a Region,
        body: Cylinder,
        feet: DVec3,
        take: F,
    ) -> Self {
        Self { solids, region, body, feet, source: None, is_met: false, take }
    }

    /// Sees whether the body lies within the last source.
    fn finish(&mut self) {
        let Some(source) = self.source.take() else { return };
        if self.is_met || !source.solid || source.is_terrain() {
            return;
        }
        let view = self.solids.view();
        if let Some(contact) = inside_contact(view, &source, self.body, self.feet) {
            (self.take)(contact);
        }
    }
}

impl<F: FnMut(Contact)> Visit for Finder<'_, '_, F> {
    fn source(&mut self, source: &Source) {
        self.finish();
        self.source = Some(*source);
        self.is_met = false;
    }

    fn facet(&mut self, facet: &Facet) {
        let Some(source) = self.source else { return };
        let from_feet = source.origin - self.feet;
        let corners = facet.seen_from(from_feet);
        let (radius, height) = (f64::from(self.body.radius), f64::from(self.body.height));
        let normal = unit_normal(corners);
        let sided = if source.solid { Sided::Front } else { Sided::Both };
        let found = match pushes(&corners, normal, sided, radius, height) {
            Some(ways) => {
                self.is_met = true;
                let judge = Judge { solids: self.solids, region: self.region, feet: self.feet };
                judge
                    .least(&source, facet, normal, &ways, (radius, height))
                    .map(|push| (push, false))
            }
            None if source.is_terrain() => {
                below(corners, normal, radius, height).map(|push| (push, true))
            }
            None => None,
        };
        let Some((push, inside)) = found else { return };
        (self.take)(Contact {
            point: push.point.as_vec3(),
            normal: towards(push.direction),
            depth: push.depth as f32,
            triangle: source.triangle(facet.triangle),
            surface: facet.surface,
            velocity: source.moving.at((push.point - from_feet).as_vec3()),
            inside,
        });
    }
}

/// The way out for a body that is wholly below a triangle of the ground: straight up. One triangle
/// tells it, the one above the body's axis (two or more where that meets an edge): what is beside the
/// axis may be the rim of a hole that the body stands in.
fn below(corners: [DVec3; 3], normal: Option<DVec3>, radius: f64, height: f64) -> Option<Push> {
    normal.filter(|normal| normal.y > 0.0)?;
    column_top(&corners, AXIS, height, f64::INFINITY)?;
    let top = column_top(&corners, radius, height, f64::INFINITY)?;
    Some(Push { depth: top.y, direction: DVec3::Y, point: top, feature: Feature::Face })
}

/// Decides which way out of a triangle the whole surface would give.
pub(super) struct Judge<'a, 'w> {
    pub(super) solids: &'a Solids<'w>,
    pub(super) region: &'a Region,
    pub(super) feet: DVec3,
}

impl Judge<'_, '_> {
    /// The least push that the whole surface gives; nothing if it gives none here.
    fn least(
        &self,
        source: &Source,
        facet: &Facet,
        normal: Option<DVec3>,
        ways: &Pushes,
        body: (f64, f64),
    ) -> Option<Push> {
        let mut order = [Some(ways.side), ways.up, ways.down, ways.face];
        // Insertion: the first of equals stays first.
        for end in 1..order.len() {
            for at in (1..=end).rev() {
                if is_less(&order[at], &order[at - 1]) {
                    order.swap(at, at - 1);
                }
            }
        }
        let mut ways = order.into_iter().flatten();
        let first = ways.next()?;
        let corners = facet.seen_from(source.origin - self.feet);
        let place = |push: &Push| {
            let at = (push.point, push.feature);
            middle(&corners, normal, at, push.direction, (0.0, body.1))
        };
        let is_seam =
            |push: &Push| self.is_seam(source, facet, normal, place(push), push.direction);
        if self.solids.seams == Seams::Raw || !is_seam(&first) {
            return Some(first);
        }
        let (own, (point, _)) = (source.triangle(facet.triangle), place(&first));
        let place = Place { feet: self.feet, point, own, direction: first.direction };
        let mut others = TakenOver { judge: self, place, body, source: None, found: false };
        let _ = self.solids.each(&around(self.region, &place), &mut others);
        if others.found {
            return None;
        }
        ways.find(|push| !is_seam(push))
    }

    /// Whether the whole surface would not push in this direction here.
    pub(super) fn is_seam(
        &self,
        source: &Source,
        facet: &Facet,
        normal: Option<DVec3>,
        (point, feature): (DVec3, Feature),
        direction: DVec3,
    ) -> bool {
        let own = source.triangle(facet.triangle);
        let place = Place { feet: self.feet, point, own, direction };
        let along_face = normal.is_some_and(|normal| {
            let along = normal.dot(direction);
            along > ALONG_FACE || (!source.solid && along < -ALONG_FACE)
        });
        if !along_face {
            let is_inner = match feature {
                Feature::Face => false,
                Feature::Edge(edge) => is_smooth(facet, edge),
                Feature::Corner(corner) => {
                    is_smooth(facet, corner) && is_smooth(facet, (corner + 2) % 3)
                }
            };
            if is_inner || (feature != Feature::Face && goes_on(self.solids, self.region, &place)) {
                return true;
            }
        }
        source.solid
            && !source.is_terrain()
            && normal.is_some_and(|normal| {
                // A push across a face needs nothing of it but its edge.
                normal.dot(direction) > LEADS
                    && is_covered(self.solids, self.region, &place, normal)
            })
    }
}

/// Looks for a triangle at a place whose least way out is the push that the place has, so that it is
/// the push of the whole surface: because the triangle leads on that way, or because where it is
/// pushed itself nothing does.
struct TakenOver<'a, 'j, 'w> {
    judge: &'a Judge<'j, 'w>,
    place: Place,
    /// Radius and height.
    body: (f64, f64),
    source: Option<Source>,
    found: bool,
}

impl Visit for TakenOver<'_, '_, '_> {
    fn source(&mut self, source: &Source) {
        self.source = Some(*source);
    }

    fn facet(&mut self, facet: &Facet) {
        let Some(source) = self.source.filter(|_| !self.found) else { return };
        if !is_at(&self.place, &source, facet) {
            return;
        }
        let corners = facet.seen_from(source.origin - self.place.feet);
        let normal = unit_normal(corners);
        let sided = if source.solid { Sided::Front } else { Sided::Both };
        let (radius, height) = self.body;
        let Some(ways) = pushes(&corners, normal, sided, radius, height) else { return };
        let others = [ways.up, ways.down, ways.face].into_iter().flatten();
        let least =
            others.fold(ways.side, |least, way| if way.depth < least.depth { way } else { least });
        if least.direction.dot(self.place.direction) > SAME_WAY {
            let at = (least.point, least.feature);
            let at = middle(&corners, normal, at, least.direction, (0.0, height));
            self.found = leads_on(&self.place, &source, facet)
                || !self.judge.is_seam(&source, facet, normal, at, least.direction);
        }
    }
}

/// Whether a mesh's own edge is flat or a valley, so that only its faces are met there.
fn is_smooth(facet: &Facet, edge: u8) -> bool {
    let bits = facet.edges >> (2 * edge) & 3;
    bits == EdgeKind::Flat as u8 || bits == EdgeKind::Concave as u8
}

fn is_less(a: &Option<Push>, b: &Option<Push>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.depth < b.depth,
        (Some(_), None) => true,
        _ => false,
    }
}
