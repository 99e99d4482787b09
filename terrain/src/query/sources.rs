//! Which sources of triangles a walk goes to: all but some props, or no farther than to the first.

use super::columns::Column;
use super::region::SectorRegion;
use super::types::PropMotion;
use super::visit::{Facet, Parts, Polygon, Source, Visit};
use crate::heightfield::HeightfieldView;
use crate::props::PropId;

/// Hands on all but some props.
pub(super) struct PresentSources<'a, V> {
    pub(super) visit: &'a mut V,
    pub(super) absent: &'a [PropId],
}

impl<V: Visit> Visit for PresentSources<'_, V> {
    fn asks_ground(&self) -> bool {
        self.visit.asks_ground()
    }

    fn ground(&mut self, field: &HeightfieldView<'_>, here: &SectorRegion<'_>) {
        self.visit.ground(field, here);
    }

    fn source(&mut self, source: &Source) -> bool {
        source.prop().is_none_or(|prop| !self.absent.contains(&prop)) && self.visit.source(source)
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        self.visit.facet(source, facet);
    }

    fn parts(&self) -> Parts {
        self.visit.parts()
    }

    fn wants_face(&self, number: u32) -> bool {
        self.visit.wants_face(number)
    }

    fn face(&mut self, source: &Source, number: u32, face: &Polygon) {
        self.visit.face(source, number, face);
    }

    fn column(&self) -> Option<Column> {
        self.visit.column()
    }

    fn until(&self) -> f64 {
        self.visit.until()
    }
}

/// Searches for a source, without its triangles.
pub(super) struct SourceSearch {
    /// Only for a source that moves.
    pub(super) moves: bool,
    pub(super) found: bool,
}

impl Visit for SourceSearch {
    fn asks_ground(&self) -> bool {
        false
    }

    fn source(&mut self, source: &Source) -> bool {
        self.found |= !self.moves || source.moving != PropMotion::default();
        false
    }

    fn facet(&mut self, _: &Source, _: &Facet) {}
}
