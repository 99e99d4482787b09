//! What a moving body meets first.

use glam::{DVec3, Vec3};

use super::columns::Column;
use super::contact_place::middle;
use super::cylinder::{self, Cylinder, Feature, least_push, off_plane_until};
use super::nearest::{towards, unit_normal};
use super::overlap::{deepest, is_overlapping};
use super::region::{Region, SEAM};
use super::seams::filter::SeamFilter;
use super::solids::{Seams, Solids, local, not_resident};
use super::types::{Impact, QueryError, Sweep, TriangleId};
use super::visit::{Facet, Source, Visit};
use crate::math::{SectorCoord, WorldPos, greater, lesser};

impl Solids<'_> {
    /// The first thing that a body meets while it moves from `feet` along `motion`, at any speed. Anything
    /// that it only touches in passing, without entering it, does not stop it.
    ///
    /// # Errors
    /// If the body has no size, the motion is too long, or a sector is not in memory.
    pub fn sweep(&self, body: Cylinder, feet: WorldPos, motion: Vec3) -> Result<Sweep, QueryError> {
        let region = Region::swept(body, feet, motion)?;
        let feet = local(feet);
        if is_overlapping(self, &region, body, feet).map_err(not_resident)?
            && let Some(contact) = deepest(self, &region, body, feet).map_err(not_resident)?
        {
            return Ok(Sweep::Overlapping(contact));
        }
        let hit = first(self, &region, body, feet, motion.as_dvec3()).map_err(not_resident)?;
        Ok(hit.map_or(Sweep::Free, Sweep::Hit))
    }

    /// As [`sweep`](Self::sweep), for a body that touches or slightly overlaps what it stands beside: nothing
    /// that it overlaps at the start stops it. The body does not pass such a triangle through its face, as
    /// long as the motion does not oppose the way out that [`overlap`](Self::overlap) gives.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep).
    pub fn sweep_on(
        &self,
        body: Cylinder,
        feet: WorldPos,
        motion: Vec3,
    ) -> Result<Option<Impact>, QueryError> {
        let region = Region::swept(body, feet, motion)?;
        first(self, &region, body, local(feet), motion.as_dvec3()).map_err(not_resident)
    }
}

fn first(
    solids: &Solids<'_>,
    region: &Region,
    body: Cylinder,
    feet: DVec3,
    motion: DVec3,
) -> Result<Option<Impact>, SectorCoord> {
    let mut first = ImpactSearch::new(solids, region, body, feet, motion);
    solids.each(region, &mut first)?;
    first.settle();
    Ok(first.earlier())
}

/// Triangles that wait at a time for those that are met sooner.
const WAITING: usize = 12;

/// Finds the first impact; among equals that of the least triangle.
///
/// It takes longer to decide whether an impact is one of the whole surface than when it happens. Triangles
/// therefore wait, and are processed from the soonest on: mostly the first one decides, and the others need
/// not be judged.
struct ImpactSearch<'a, 'w> {
    solids: &'a Solids<'w>,
    region: &'a Region,
    body: Cylinder,
    feet: DVec3,
    motion: DVec3,
    /// The reciprocal of each of its components.
    inverse: DVec3,
    /// [`SOONER`], as a part of the motion.
    sooner: f64,
    /// The first impact of the whole surface.
    best: Option<Impact>,
    /// The first impact of faces that stand in for a seam.
    spare: Option<Impact>,
    waiting: [Option<WaitingTriangle>; WAITING],
    /// The number of triangles that have come since they were last settled.
    count: usize,
}

/// A triangle that may be met.
#[derive(Clone, Copy)]
struct WaitingTriangle {
    source: Source,
    facet: Facet,
    /// The unit normal on the side that the body comes from.
    face: Option<DVec3>,
    /// When it is met. Until that is known, a lower bound, as a part of the motion.
    time: f64,
    hit: Option<cylinder::Impact>,
}

impl WaitingTriangle {
    fn triangle(&self) -> TriangleId {
        self.source.triangle(self.facet.triangle)
    }

    /// Whether this one is processed before another.
    fn is_before(&self, other: &Self) -> bool {
        self.time < other.time || (self.time == other.time && self.triangle() < other.triangle())
    }
}

/// How much sooner than a true impact the face that stands in for a seam must be met to count. Metres: what
/// stands in for the same place is met at the same time except for rounding.
const SOONER: f64 = 2e-6;

impl Visit for ImpactSearch<'_, '_> {
    fn asks_ground(&self) -> bool {
        self.solids.meets_ground()
    }

    fn column(&self) -> Option<Column> {
        Some(Column { at: self.feet, radius: f64::from(self.body.radius), motion: self.motion })
    }

    fn until(&self) -> f64 {
        let time = |hit: &Option<Impact>| hit.as_ref().map_or(1.0, |hit| hit.time);
        lesser(time(&self.spare), time(&self.best)) + self.sooner
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let from_feet = source.origin - self.feet;
        let corners = facet.seen_from(from_feet);
        let [a, b, c] = corners;
        let towards_face = (b - a).cross(c - a).dot(self.motion);
        // A face that looks the way that the body goes is met from behind, where a solid is full. Where the
        // solid ends, a face that looks towards the body begins.
        if source.solid && towards_face >= 0.0 {
            return;
        }
        let (radius, height) = (f64::from(self.body.radius), f64::from(self.body.height));
        let Some(time) = self.met_from(&corners, radius, height) else { return };
        let time = greater(time, off_plane_until(&corners, radius, height, self.motion));
        if time > self.until() + 1e-9 || !self.solids.meets(source, facet) {
            return;
        }
        if self.count == WAITING {
            self.settle();
        }
        let normal = unit_normal(corners);
        let face = normal.map(|normal| if towards_face > 0.0 { -normal } else { normal });
        let one = WaitingTriangle { source: *source, facet: *facet, face, time, hit: None };
        self.waiting[self.count] = Some(one);
        self.count += 1;
    }
}

/// When and how a triangle is met.
fn met_at(
    one: &WaitingTriangle,
    body: Cylinder,
    feet: DVec3,
    motion: DVec3,
) -> Option<cylinder::Impact> {
    let corners = one.facet.seen_from(one.source.origin - feet);
    let (radius, height) = (f64::from(body.radius), f64::from(body.height));
    // The direction of the normal makes no difference there.
    cylinder::sweep(&corners, one.face, radius, height, motion)
}

impl<'a, 'w> ImpactSearch<'a, 'w> {
    #[inline]
    fn new(
        solids: &'a Solids<'w>,
        region: &'a Region,
        body: Cylinder,
        feet: DVec3,
        motion: DVec3,
    ) -> Self {
        Self {
            solids,
            region,
            body,
            feet,
            motion,
            inverse: DVec3::ONE / motion,
            sooner: SOONER / motion.length(),
            best: None,
            spare: None,
            waiting: std::array::from_fn(|_| None),
            count: 0,
        }
    }

    /// The part of the motion before which the box of a triangle is not met; `None` if it is not met at
    /// all. Rather too small than too large, so that using it changes no result.
    fn met_from(&self, corners: &[DVec3; 3], radius: f64, height: f64) -> Option<f64> {
        let [a, b, c] = corners.map(|corner| corner.to_array());
        let body = [(-radius, radius), (0.0, height), (-radius, radius)];
        let (mut from, mut to) = (0.0, self.until());
        for axis in 0..3 {
            let least = lesser(c[axis], lesser(b[axis], a[axis])) - 1e-6;
            let most = -lesser(-c[axis], lesser(-b[axis], -a[axis])) + 1e-6;
            let (low, high) = body[axis];
            if self.motion[axis].abs() < 1e-9 {
                if least > high || most < low {
                    return None;
                }
                continue;
            }
            // The rounding of the inverse is far less than the margin of the box.
            let inverse = self.inverse[axis];
            let (first, last) = ((least - high) * inverse, (most - low) * inverse);
            let (first, last) = if first < last { (first, last) } else { (last, first) };
            from = greater(first, from);
            to = lesser(last, to);
            if from > to + 1e-9 {
                return None;
            }
        }
        Some(from)
    }

    /// Processes all that wait, from the soonest on.
    fn settle(&mut self) {
        while let Some(at) = self.soonest() {
            let Some(one) = &mut self.waiting[at] else { break };
            if one.hit.is_none()
                && let Some(hit) = met_at(one, self.body, self.feet, self.motion)
            {
                (one.time, one.hit) = (hit.time, Some(hit));
                continue; // others may be sooner
            }
            let one = self.waiting[at].take();
            if let Some(one) = one
                && let Some(hit) = &one.hit
            {
                self.judge(&one, hit);
            }
        }
        self.count = 0;
    }

    /// The one to process next; `None` where none of them matters any more.
    fn soonest(&self) -> Option<usize> {
        // The entries of those that were processed are empty.
        let waiting = self.waiting[..self.count].iter().enumerate();
        let waiting = waiting.filter_map(|(at, one)| Some((at, one.as_ref()?)));
        let (at, one) = waiting.reduce(|a, b| if b.1.is_before(a.1) { b } else { a })?;
        // Nothing is met before its time except for rounding.
        (one.time <= self.until() + 1e-9).then_some(at)
    }

    /// Judges an impact, unless it makes no difference: if it comes after a true one, or so long after one
    /// that stands in for a seam that the latter counts anyway.
    fn judge(&mut self, one: &WaitingTriangle, hit: &cylinder::Impact) {
        let triangle = one.triangle();
        let is_sooner = |known: &Impact| (hit.time, triangle) < (known.time, known.triangle);
        let wins = |known: &Option<Impact>| known.as_ref().is_none_or(is_sooner);
        let is_late = |spare: &Impact| spare.time < hit.time - self.sooner;
        if !wins(&self.best) || self.spare.as_ref().is_some_and(is_late) {
            return;
        }
        let WaitingTriangle { source, facet, face, .. } = one;
        let Some(way) = self.way_out(source, facet, *face, hit) else { return };
        let place = if way.is_true { &mut self.best } else { &mut self.spare };
        if !wins(place) {
            return;
        }
        let from_feet = source.origin - self.feet;
        *place = Some(Impact {
            time: hit.time,
            point: way.point.as_vec3(),
            normal: towards(way.normal),
            triangle,
            feature: way.feature,
            face: towards(face.unwrap_or(way.normal)),
            surface: facet.surface,
            velocity: source.moving.at((way.point - from_feet).as_vec3()),
        });
    }

    /// The first impact.
    fn earlier(self) -> Option<Impact> {
        match (self.best, self.spare) {
            (Some(best), Some(spare)) if spare.time < best.time - self.sooner => Some(spare),
            (Some(best), _) => Some(best),
            (None, spare) => spare,
        }
    }

    /// The normal that the whole surface gives at an impact; where a seam is met, that of the face. `None` if
    /// neither is in the way.
    fn way_out(
        &self,
        source: &Source,
        facet: &Facet,
        face: Option<DVec3>,
        hit: &cylinder::Impact,
    ) -> Option<WayOut> {
        let filter = SeamFilter::new(self.solids, self.region, self.feet);
        let corners = facet.seen_from(source.origin - self.feet);
        let low = self.motion.y * hit.time;
        let span = (low, low + f64::from(self.body.height));
        let along = |normal, feature, is_true| {
            let at = (hit.point, feature);
            let (point, feature) = middle(&corners, face, at, normal, span);
            WayOut { normal, point, feature, is_true }
        };
        let is_seam = |way: &WayOut| {
            filter.is_seam(source, facet, face, (way.point, way.feature), way.normal)
        };
        let own = along(hit.normal, hit.feature, true);
        if self.solids.seams == Seams::Raw || !is_seam(&own) {
            return Some(own);
        }
        let length = self.motion.length();
        let face = face.filter(|face| face.dot(self.motion) < -1e-9 * length)?;
        let way = Some(along(face, Feature::Face, false)).filter(|way| !is_seam(way))?;
        (!self.is_begun_in(face, corners[0])).then_some(way)
    }

    /// Whether the body begins within the plane of a face: a triangle that lies in it is overlapped before the
    /// body moves, and the motion does not oppose its way out. What lies in that plane beside the triangle is
    /// the same face, although a body that is sunk in over its rim meets it later. `corner` is a place in the
    /// plane, metres from the feet.
    fn is_begun_in(&self, normal: DVec3, corner: DVec3) -> bool {
        let Self { solids, region, feet, motion, .. } = *self;
        let body = (f64::from(self.body.radius), f64::from(self.body.height));
        let counts = |source: &Source| !source.is_terrain() || solids.meets_ground();
        solids.any(&Region { motion: DVec3::ZERO, ..*region }, counts, |source, facet| {
            let corners = facet.seen_from(source.origin - feet);
            let is_off = |other: &DVec3| (*other - corner).dot(normal).abs() > SEAM;
            if !solids.meets(source, facet) || corners.iter().any(is_off) {
                return false;
            }
            let own = unit_normal(corners);
            let first = least_push(&corners, own, source.sided(), body.0, body.1);
            let Some(first) = first else { return false };
            let filter = SeamFilter::new(solids, region, feet);
            let least = filter.least(source, facet, own, first, body);
            least.is_none_or(|push| push.direction.dot(motion) >= -1e-9 * motion.length())
        })
    }
}

/// How an impact pushes back, and where.
struct WayOut {
    normal: DVec3,
    point: DVec3,
    feature: Feature,
    /// Whether it is that of the triangle itself, not its face in place of a seam.
    is_true: bool,
}

#[cfg(test)]
mod tests;
