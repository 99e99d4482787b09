//! The ground of a gathered region, kept where many queries will ask for it: walking the cells of the field takes
//! longer than testing a few triangles.

use std::fmt;

use glam::DVec3;

use super::each_triangle::each_ground_triangle;
use super::gather::clone_with_room;
use super::region::Region;
use super::visit::{Facet, Source, Visit};
use crate::math::{Aabb, outward};
use crate::view::TerrainView;

/// Most triangles that are kept.
const FACETS_MAX: usize = 128;

/// Most sectors whose ground is kept: those around a corner.
const SOURCES_MAX: usize = 4;

/// The ground of a region, or nothing.
#[derive(Default)]
pub(super) struct KeptGround {
    /// Whether it is kept of what is gathered.
    pub(super) is_wanted: bool,
    is_kept: bool,
    is_full: bool,
    /// Each with the end of its triangles among all.
    sources: Vec<(Source, usize)>,
    facets: Vec<Kept>,
}

/// A triangle and the box around it. Above it there is no end: ground is solid downwards.
#[derive(Clone, Copy, Debug)]
struct Kept {
    facet: Facet,
    around: Aabb,
}

impl fmt::Debug for KeptGround {
    /// How much is there.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptGround")
            .field("is_kept", &self.is_kept)
            .field("triangles", &self.facets.len())
            .finish_non_exhaustive()
    }
}

impl Clone for KeptGround {
    /// With the same capacity and the same contents.
    fn clone(&self) -> Self {
        let (sources, facets) = (clone_with_room(&self.sources), clone_with_room(&self.facets));
        Self { sources, facets, ..*self }
    }
}

impl KeptGround {
    pub(super) fn with_room() -> Self {
        Self {
            sources: Vec::with_capacity(SOURCES_MAX),
            facets: Vec::with_capacity(FACETS_MAX),
            ..Self::default()
        }
    }

    pub(super) fn forget(&mut self) {
        self.is_kept = false;
    }

    pub(super) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Keeps the ground of a region, if there is room for it.
    pub(super) fn keep(&mut self, view: TerrainView<'_>, region: &Region) {
        self.sources.clear();
        self.facets.clear();
        self.is_full = false;
        each_ground_triangle(view, region, self);
        self.is_kept = !self.is_full;
    }

    /// Hands out what touches a region, seen from its sector's centre: `shift` metres beside that of what is kept.
    /// Returns false if nothing is kept.
    #[inline]
    pub(super) fn hand_out(&self, region: &Region, shift: DVec3, visit: &mut impl Visit) -> bool {
        if !self.is_kept {
            return false;
        }
        let (low, high) = region.bounds();
        let mut first = 0;
        for (source, end) in &self.sources {
            let source = Source { origin: source.origin + shift, ..*source };
            let near = outward(low - source.origin, high - source.origin);
            let near = Aabb { max: near.max.with_y(f32::INFINITY), ..near };
            let facets = &self.facets[first..*end];
            first = *end;
            if visit.source(&source) {
                for kept in facets {
                    if kept.around.touches(&near) {
                        visit.facet(&source, &kept.facet);
                    }
                }
            }
        }
        true
    }
}

impl Visit for KeptGround {
    fn source(&mut self, source: &Source) -> bool {
        self.is_full |= self.sources.len() >= self.sources.capacity().min(SOURCES_MAX);
        if !self.is_full {
            self.sources.push((*source, self.facets.len()));
        }
        !self.is_full
    }

    fn facet(&mut self, _: &Source, facet: &Facet) {
        self.is_full |= self.facets.len() >= self.facets.capacity().min(FACETS_MAX);
        if let Some((_, end)) = self.sources.last_mut().filter(|_| !self.is_full) {
            self.facets.push(Kept { facet: *facet, around: Aabb::around_three(facet.corners) });
            *end += 1;
        }
    }
}
