//! The way out of a whole prop where none of its triangles has a way of its own.
//!
//! Seams are judged triangle by triangle, and two triangles of one edge may each leave the push to the other:
//! both rise from where a tilted edge is met, so each seems to go on. A body that overlaps something must
//! still get a contact. The candidates are the pushes of all overlapped triangles of the source, each
//! extended until the body is free of all of them. The least one is taken:
//!
//! - first among those after which the body is free of the whole source, and which no other source continues
//!   or covers: they are valid whatever else there is;
//! - among the others, only if the body has no contact at all.

use glam::DVec3;

use super::cylinder::{Push, Pushes, exit, overlaps, pushes};
use super::inside::is_inside;
use super::nearest::unit_normal;
use super::region::Region;
use super::seams::{LEADS, Place, goes_on, is_covered};
use super::solids::Solids;
use super::visit::{Facet, Source, Visit};
use crate::math::{SectorCoord, greater};

/// The overlap of a body with one source.
pub(super) struct PropExit<'a, 'w> {
    pub(super) solids: &'a Solids<'w>,
    /// The region of the body where it stands, without motion.
    pub(super) region: &'a Region,
    pub(super) feet: DVec3,
    /// Radius and height.
    pub(super) body: (f64, f64),
    pub(super) source: Source,
}

/// A way out of one source.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    pub(super) rank: Rank,
    /// Deep enough to be free of everything that is overlapped now.
    pub(super) push: Push,
    pub(super) facet: Facet,
}

/// How reliable a way out is; lesser is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// It frees the body of the source, and leads along nothing else.
    True,
    /// It frees the body of the source, and other sources continue it.
    Seam,
    /// The body meets more of the source.
    Blocked,
}

impl PropExit<'_, '_> {
    /// The best way out; `None` if none of the source's triangles is overlapped.
    pub(super) fn find(&self) -> Option<WayOut> {
        let mut best: Option<WayOut> = None;
        let take = |facet: &Facet| {
            let Some((ways, normal)) = self.ways(facet) else { return };
            for push in [Some(ways.side), ways.up, ways.down, ways.face].into_iter().flatten() {
                // A push that is no better than a valid way need not be followed.
                let most = match &best {
                    Some(WayOut { rank: Rank::True, push, .. }) => push.depth,
                    _ => f64::INFINITY,
                };
                if push.depth > most {
                    continue;
                }
                let depth = self.depth(push.direction, push.depth, most);
                if depth > most {
                    continue;
                }
                let push = Push { depth, ..push };
                let rank = self.rank(facet, normal, &push);
                let way = WayOut { rank, push, facet: *facet };
                if best.as_ref().is_none_or(|best| self.is_better(&way, best)) {
                    best = Some(way);
                }
            }
        };
        // The region was found resident before.
        let _ = self.solids.each(self.region, &mut OwnTriangles { prop: self, take });
        best
    }

    fn is_own(&self, source: &Source) -> bool {
        source.triangle(0) == self.source.triangle(0)
    }

    /// How far a body must go along a unit vector to be free of everything that it overlaps. Values above
    /// `most` are not computed exactly.
    fn depth(&self, direction: DVec3, least: f64, most: f64) -> f64 {
        let (mut depth, (radius, height)) = (least, self.body);
        let take = |facet: &Facet| {
            if depth > most || !self.solids.meets(&self.source, facet) {
                return;
            }
            let corners = facet.seen_from(self.source.origin - self.feet);
            if overlaps(&corners, radius, height) {
                depth = greater(exit(&corners, radius, height, direction), depth);
            }
        };
        let _ = self.solids.each(self.region, &mut OwnTriangles { prop: self, take });
        depth
    }

    /// Whether a body that has moved is free of the source. An error if that is unknown.
    fn is_free(&self, moved: DVec3) -> Result<bool, SectorCoord> {
        let Region { min, max, .. } = *self.region;
        let there = Region { min: min + moved, max: max + moved, ..*self.region };
        let feet = self.feet + moved;
        let mut found = false;
        let take = |facet: &Facet| {
            if !found && self.solids.meets(&self.source, facet) {
                let corners = facet.seen_from(self.source.origin - feet);
                found = overlaps(&corners, self.body.0, self.body.1);
            }
        };
        self.solids.each(&there, &mut OwnTriangles { prop: self, take })?;
        if found || !self.source.solid || self.source.is_terrain() {
            return Ok(!found);
        }
        let middle = feet + DVec3::Y * (self.body.1 * 0.5);
        Ok(!(self.solids.props_are_full() && is_inside(self.solids.view(), &self.source, middle)))
    }

    fn rank(&self, facet: &Facet, normal: Option<DVec3>, push: &Push) -> Rank {
        if !self.is_free(push.direction * push.depth).unwrap_or(false) {
            return Rank::Blocked;
        }
        let own = self.source.triangle(facet.triangle);
        let place = Place { feet: self.feet, point: push.point, own, direction: push.direction };
        let covered = |normal: DVec3| {
            normal.dot(push.direction) > LEADS
                && is_covered(self.solids, self.region, &place, normal)
        };
        let is_solid = self.source.solid && !self.source.is_terrain();
        let first = Some(self.source.triangle(0));
        let is_seam = goes_on(self.solids, self.region, &place, first)
            || (is_solid && normal.is_some_and(covered));
        if is_seam { Rank::Seam } else { Rank::True }
    }

    /// The ways out of one triangle; `None` if the body does not overlap it.
    fn ways(&self, facet: &Facet) -> Option<(Pushes, Option<DVec3>)> {
        if !self.solids.meets(&self.source, facet) {
            return None;
        }
        let corners = facet.seen_from(self.source.origin - self.feet);
        let normal = unit_normal(corners);
        pushes(&corners, normal, self.source.sided(), self.body.0, self.body.1)
            .map(|ways| (ways, normal))
    }

    /// Among equal ways that of the least triangle, and of its ways the first.
    fn is_better(&self, way: &WayOut, best: &WayOut) -> bool {
        let key =
            |way: &WayOut| (way.rank, way.push.depth, self.source.triangle(way.facet.triangle));
        key(way) < key(best)
    }
}

/// Hands out the triangles of the source itself.
struct OwnTriangles<'a, 'e, 'w, F> {
    prop: &'a PropExit<'e, 'w>,
    take: F,
}

impl<F: FnMut(&Facet)> Visit for OwnTriangles<'_, '_, '_, F> {
    fn source(&mut self, source: &Source) -> bool {
        self.prop.is_own(source)
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        if self.prop.is_own(source) {
            (self.take)(facet);
        }
    }
}
