//! Every face near a body, for whoever asks for them.

use glam::{DVec2, DVec3};

use super::face::Part;
use super::types::{Slab, region_of};
use crate::math::SectorCoord;
use crate::props::PropId;
use crate::query::columns::Column;
use crate::query::region::{Region, SEAM};
use crate::query::solids::Solids;
use crate::query::types::QueryError;
use crate::query::visit::{Facet, Parts, Polygon, Source, Visit};

/// Hands each face to `take`, which returns whether it is enough.
struct FaceVisitor<F> {
    asks_ground: bool,
    column: Column,
    only: Option<PropId>,
    is_done: bool,
    take: F,
}

impl Solids<'_> {
    /// Hands out the faces, of one prop only if that is given, that come as near as a slab is wide to a way that
    /// begins with the feet at a place of a sector, until `take` returns that it is enough.
    #[inline]
    pub(super) fn each_face(
        &self,
        (sector, feet): (SectorCoord, DVec3),
        slab: &Slab,
        motion: DVec2,
        only: Option<PropId>,
        take: impl FnMut(&Source, Part<'_>) -> bool,
    ) -> Result<(), QueryError> {
        let motion = DVec3::new(motion.x, 0.0, motion.y);
        let region = region_of(sector, feet, slab.far, (slab.low, slab.high));
        let column = Column { at: feet, radius: slab.far + SEAM, motion };
        let asks_ground = only.is_none() && self.meets_ground();
        let mut visit = FaceVisitor { asks_ground, column, only, is_done: false, take };
        let found = self.each(&Region { motion, ..region }, &mut visit);
        found.map_err(|sector| QueryError::NotResident { sector })
    }
}

impl<F: FnMut(&Source, Part<'_>) -> bool> Visit for FaceVisitor<F> {
    fn asks_ground(&self) -> bool {
        self.asks_ground
    }

    fn column(&self) -> Option<Column> {
        Some(self.column)
    }

    fn source(&mut self, source: &Source) -> bool {
        !self.is_done && (self.only.is_none() || source.prop() == self.only)
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        self.is_done |= (self.take)(source, Part::Triangle(facet));
    }

    fn parts(&self) -> Parts {
        Parts::Faces
    }

    fn face(&mut self, source: &Source, _: u32, polygon: &Polygon<'_>) {
        self.is_done |= (self.take)(source, Part::Polygon(polygon));
    }
}
