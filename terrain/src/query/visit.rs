//! What a walk over triangles hands out, and the trait that receives it.

use glam::{DVec3, Vec3};

use super::columns::Column;
use super::cylinder::BlockingSides;
use super::region::SectorRegion;
use super::types::{PropMotion, TriangleId};
use crate::heightfield::{HeightfieldView, SurfaceId};
use crate::math::{Aabb, SectorCoord};
use crate::props::{Placement, PropId};

/// What triangles of one sector's ground or of one prop have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) id: SourceId,
    /// The point from which its corners are measured. Metres from the centre of the region's sector, exact.
    pub(crate) origin: DVec3,
    /// Whether its triangles are the boundary of something solid.
    pub(crate) solid: bool,
    pub(crate) moving: PropMotion,
    /// A box around all of a prop. Metres from its origin.
    pub(crate) bounds: Aabb,
}

impl Source {
    /// The sides from which its triangles block.
    pub(crate) fn sided(&self) -> BlockingSides {
        if self.solid { BlockingSides::Front } else { BlockingSides::Both }
    }
}

/// A source, with what is needed to find it again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SourceId {
    /// The ground of a sector.
    Terrain(SectorCoord),
    /// A baked prop: its index among the props of a resident sector that it reaches.
    Baked {
        /// Which prop.
        id: PropId,
        /// The sector that was queried.
        known_to: SectorCoord,
        /// Its index there.
        at: u32,
    },
    /// A live prop.
    Live(PropId),
    /// A live prop at another moment of its way.
    Posed {
        /// Which prop.
        id: PropId,
        /// Its rotation and scale then.
        placement: Placement,
    },
}

impl Source {
    /// What is in memory for sources before any is.
    pub(crate) const NONE: Self = Self {
        id: SourceId::Terrain(SectorCoord::new(0, 0)),
        origin: DVec3::ZERO,
        solid: false,
        moving: PropMotion::NONE,
        bounds: Aabb::EMPTY,
    };

    /// The id of one of its triangles.
    #[inline]
    pub(crate) fn triangle(&self, triangle: u32) -> TriangleId {
        match self.id {
            SourceId::Terrain(sector) => TriangleId::Terrain { sector, triangle },
            SourceId::Baked { id, .. } | SourceId::Live(id) | SourceId::Posed { id, .. } => {
                TriangleId::Prop { prop: id, triangle }
            }
        }
    }

    /// The prop; `None` for ground.
    #[inline]
    pub(crate) fn prop(&self) -> Option<PropId> {
        self.triangle(0).prop()
    }

    /// Whether it is one of these props.
    #[inline]
    pub(crate) fn is_among(&self, props: &[PropId]) -> bool {
        !props.is_empty() && self.prop().is_some_and(|prop| props.contains(&prop))
    }

    /// Whether it is ground.
    #[inline]
    pub(crate) fn is_terrain(&self) -> bool {
        matches!(self.id, SourceId::Terrain(_))
    }
}

/// One triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    /// Counter-clockwise seen from outside. Metres from the source's origin.
    pub(crate) corners: [Vec3; 3],
    /// Its number within the source.
    pub(crate) triangle: u32,
    /// Two bits for each edge, the first edge lowest: see [`EdgeKind`](crate::props::EdgeKind).
    pub(crate) edges: u8,
    pub(crate) surface: SurfaceId,
    /// 0 if it is a face by itself; otherwise another number for each face of the source.
    pub(crate) face: u32,
}

/// A convex polygon that consists of one or more triangles in a plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polygon<'a> {
    /// Counter-clockwise seen from outside, up to `FACE_CORNERS_MAX`. Metres from the source's origin.
    pub(crate) corners: &'a [Vec3],
    /// The number of its first triangle within the source.
    pub(crate) triangle: u32,
    pub(crate) surface: SurfaceId,
}

/// In which form a walk hands out what lies in one plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    /// As triangles.
    Triangles,
    /// As faces, and as triangles only those that are faces by themselves.
    Faces,
    /// As triangles, and before them as the faces that they belong to.
    Both,
}

impl Facet {
    /// Its corners seen from a point, both in the frame of the source's origin: exact.
    #[inline]
    pub(crate) fn seen_from(&self, origin_from_there: DVec3) -> [DVec3; 3] {
        self.corners.map(|corner| corner.as_dvec3() + origin_from_there)
    }
}

/// Receives what a walk finds.
pub(crate) trait Visit {
    /// Whether ground is of interest; if not, none of it need be handed out.
    fn asks_ground(&self) -> bool {
        true
    }

    /// The ground of a sector of the region, as a whole. Where ground is of interest, its triangles follow
    /// too.
    fn ground(&mut self, _: &HeightfieldView<'_>, _: &SectorRegion<'_>) {}

    /// The facets that follow, until the next call, are of this source. A solid prop is reported even where
    /// none of its facets is in the region: the region may lie inside it. Returns whether its facets are of
    /// interest; if not, they are not handed out.
    #[inline]
    fn source(&mut self, _: &Source) -> bool {
        true
    }

    /// A triangle of the last source that may touch the region.
    fn facet(&mut self, source: &Source, facet: &Facet);

    /// In which form it is interested.
    #[inline]
    fn parts(&self) -> Parts {
        Parts::Triangles
    }

    /// Whether a face of the last source is of interest, by its number; if not, it need not be handed out.
    #[inline]
    fn wants_face(&self, _: u32) -> bool {
        true
    }

    /// A face of the last source of which some triangle may touch the region, and its number. It may be handed out
    /// more than once.
    fn face(&mut self, _: &Source, _: u32, _: &Polygon) {}

    /// A column, in the frame of the region: if there is one, only what comes near it is of interest. The
    /// rest need not be handed out, and must make no difference.
    #[inline]
    fn column(&self) -> Option<Column> {
        None
    }

    /// The part of the region's motion that is still of interest, 0 to 1: what is touched only later need not
    /// be handed out. What is handed out may depend on it, the result must not.
    fn until(&self) -> f64 {
        1.0
    }
}
