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
use super::seams::{LEADS, Place, goes_on_elsewhere, is_covered};
use super::solids::Solids;
use super::types::TriangleId;
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
        let mut search = Search { prop: self, best: None };
        // The region was found resident before.
        let _ = self.solids.each(self.region, &mut search);
        search.best
    }

    fn is_own(&self, source: &Source) -> bool {
        source.triangle(0) == self.source.triangle(0)
    }

    /// How far a body must go along a unit vector to be free of everything that it overlaps. Values above
    /// `most` are not computed exactly.
    fn depth(&self, direction: DVec3, least: f64, most: f64) -> f64 {
        let mut search = Depth { prop: self, direction, depth: least, most };
        let _ = self.solids.each(self.region, &mut search);
        search.depth
    }

    /// Whether a body that has moved is free of the source. An error if that is unknown.
    fn is_free(&self, moved: DVec3) -> Result<bool, SectorCoord> {
        let Region { min, max, .. } = *self.region;
        let there = Region { min: min + moved, max: max + moved, ..*self.region };
        let feet = self.feet + moved;
        let mut search = Touches { prop: self, feet, found: false };
        self.solids.each(&there, &mut search)?;
        if search.found || !self.source.solid || self.source.is_terrain() {
            return Ok(!search.found);
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
        let is_seam = goes_on_elsewhere(self.solids, self.region, &place, self.source.triangle(0))
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
        let name = |way: &WayOut| -> (Rank, TriangleId) {
            (way.rank, self.source.triangle(way.facet.triangle))
        };
        let ((rank, triangle), (best_rank, best_triangle)) = (name(way), name(best));
        let (depth, best_depth) = (way.push.depth, best.push.depth);
        rank < best_rank
            || (rank == best_rank
                && (depth < best_depth || (depth == best_depth && triangle < best_triangle)))
    }
}

/// Tries the pushes of each triangle.
struct Search<'a, 'e, 'w> {
    prop: &'a PropExit<'e, 'w>,
    best: Option<WayOut>,
}

impl Visit for Search<'_, '_, '_> {
    fn source(&mut self, source: &Source) -> bool {
        self.prop.is_own(source)
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let own = self.prop.is_own(source);
        let Some((ways, normal)) = own.then(|| self.prop.ways(facet)).flatten() else { return };
        for push in [Some(ways.side), ways.up, ways.down, ways.face].into_iter().flatten() {
            // A push that is no better than a valid way need not be followed.
            let most = match &self.best {
                Some(WayOut { rank: Rank::True, push, .. }) => push.depth,
                _ => f64::INFINITY,
            };
            if push.depth > most {
                continue;
            }
            let depth = self.prop.depth(push.direction, push.depth, most);
            if depth > most {
                continue;
            }
            let push = Push { depth, ..push };
            let rank = self.prop.rank(facet, normal, &push);
            let way = WayOut { rank, push, facet: *facet };
            if self.best.as_ref().is_none_or(|best| self.prop.is_better(&way, best)) {
                self.best = Some(way);
            }
        }
    }
}

/// Finds how far the body must go to be free of all overlapped triangles.
struct Depth<'a, 'e, 'w> {
    prop: &'a PropExit<'e, 'w>,
    direction: DVec3,
    depth: f64,
    most: f64,
}

impl Visit for Depth<'_, '_, '_> {
    fn source(&mut self, source: &Source) -> bool {
        self.prop.is_own(source)
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let prop = self.prop;
        if !prop.is_own(source) || self.depth > self.most || !prop.solids.meets(&prop.source, facet)
        {
            return;
        }
        let corners = facet.seen_from(prop.source.origin - prop.feet);
        let (radius, height) = prop.body;
        if overlaps(&corners, radius, height) {
            let depth = exit(&corners, radius, height, self.direction);
            self.depth = greater(depth, self.depth);
        }
    }
}

/// Checks whether any triangle is overlapped at another place.
struct Touches<'a, 'e, 'w> {
    prop: &'a PropExit<'e, 'w>,
    feet: DVec3,
    found: bool,
}

impl Visit for Touches<'_, '_, '_> {
    fn source(&mut self, source: &Source) -> bool {
        self.prop.is_own(source)
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let prop = self.prop;
        if self.found || !prop.is_own(source) || !prop.solids.meets(&prop.source, facet) {
            return;
        }
        let corners = facet.seen_from(prop.source.origin - self.feet);
        self.found = overlaps(&corners, prop.body.0, prop.body.1);
    }
}
