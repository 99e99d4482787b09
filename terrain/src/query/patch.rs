//! A convex part of a surface.

use glam::DVec3;

use super::nearest::{polygon_normal, unit_normal};
use super::types::TriangleId;
use super::visit::{Facet, Polygon, Source};
use crate::heightfield::SurfaceId;

/// A triangle, or several in a plane, seen from a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch<'a> {
    /// Counter-clockwise seen from outside. Metres.
    pub(crate) corners: &'a [DVec3],
    /// The triangle, or the first of them.
    pub(crate) triangle: TriangleId,
    pub(crate) surface: SurfaceId,
    pub(crate) is_terrain: bool,
    /// Whether it is a part of the boundary of something solid.
    pub(crate) is_solid: bool,
    /// Its unit normal, if that is known already.
    pub(crate) normal: Option<DVec3>,
}

impl<'a> Patch<'a> {
    #[inline]
    pub(crate) fn of_facet(source: &Source, facet: &Facet, corners: &'a [DVec3; 3]) -> Self {
        Self::with(source, (facet.triangle, facet.surface), corners)
    }

    #[inline]
    pub(crate) fn of_polygon(source: &Source, polygon: &Polygon, corners: &'a [DVec3]) -> Self {
        Self::with(source, (polygon.triangle, polygon.surface), corners)
    }

    #[inline]
    fn with(source: &Source, named: (u32, SurfaceId), corners: &'a [DVec3]) -> Self {
        Self {
            corners,
            triangle: source.triangle(named.0),
            surface: named.1,
            is_terrain: source.is_terrain(),
            is_solid: source.solid,
            normal: None,
        }
    }

    /// Its unit normal; `None` where it has no area.
    #[inline]
    pub(crate) fn normal(&self) -> Option<DVec3> {
        self.normal.or_else(|| match self.corners {
            &[a, b, c] => unit_normal([a, b, c]),
            corners => polygon_normal(corners),
        })
    }
}
