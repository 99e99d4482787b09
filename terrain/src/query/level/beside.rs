//! Whether a prop is beside a body.

use glam::DVec3;

use super::face::{Face, Side};
use super::outline::Cut;
use super::types::Slab;
use crate::props::PropId;
use crate::query::columns::Column;
use crate::query::region::SEAM;
use crate::query::solids::Solids;
use crate::query::visit::{Facet, Parts, Polygon, Source, Visit};

/// Searches for a face of a prop that is within reach of a body, and is not what the body stands on.
pub(super) struct Beside<'a, 'w> {
    pub(super) solids: &'a Solids<'w>,
    pub(super) feet: DVec3,
    pub(super) slab: Slab,
    pub(super) prop: PropId,
    pub(super) is_found: bool,
}

impl Beside<'_, '_> {
    fn take(&mut self, face: &Face) {
        self.is_found |= is_beside(self.solids, face, &self.slab, DVec3::ZERO);
    }
}

/// Whether a face is within reach of a body with its feet `by` metres beside where it is seen from, and is not what
/// the body stands on.
pub(super) fn is_beside(solids: &Solids<'_>, face: &Face, slab: &Slab, by: DVec3) -> bool {
    let mut cut = Cut::NONE;
    face.side(solids, slab, by, slab.far).is_some_and(|side| side != Side::Ground)
        && face.cut(slab, by, &mut cut)
        && (cut.nearest.inside || cut.nearest.distance_squared < slab.far * slab.far)
}

impl Visit for Beside<'_, '_> {
    fn asks_ground(&self) -> bool {
        false
    }

    fn column(&self) -> Option<Column> {
        Some(Column { at: self.feet, radius: self.slab.far + SEAM, motion: DVec3::ZERO })
    }

    fn source(&mut self, source: &Source) -> bool {
        !self.is_found && source.prop() == Some(self.prop)
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        self.take(&Face::of_facet(source, facet, self.feet));
    }

    fn parts(&self) -> Parts {
        Parts::Faces
    }

    fn face(&mut self, source: &Source, _: u32, polygon: &Polygon) {
        self.take(&Face::of_polygon(source, polygon, self.feet));
    }
}
