//! What a walk over triangles hands out, and who takes it.

use glam::{DVec3, Vec3};

use super::columns::Column;
use super::region::Region;
use super::types::{Moving, TriangleId};
use crate::heightfield::{HeightfieldView, SurfaceId};
use crate::math::{Aabb, SectorCoord};
use crate::props::PropId;

/// What triangles have in common that come from one sector's ground or one prop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) id: SourceId,
    /// Where its corners are measured from. Metres from the centre of the region's sector, exact.
    pub(crate) origin: DVec3,
    /// Whether its triangles are the boundary of something full.
    pub(crate) solid: bool,
    pub(crate) moving: Moving,
    /// A box around all of a prop. Metres from its origin.
    pub(crate) reach: Aabb,
}

/// Which source, and where it is found again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SourceId {
    /// The ground of a sector.
    Terrain(SectorCoord),
    /// A baked prop: its place among the props of a resident sector that it reaches.
    Baked {
        /// Which prop.
        id: PropId,
        /// The sector that was asked.
        known_to: SectorCoord,
        /// Its place there.
        at: u32,
    },
    /// A live prop.
    Live(PropId),
}

impl Source {
    /// The name of one of its triangles.
    #[inline]
    pub(crate) fn triangle(&self, triangle: u32) -> TriangleId {
        match self.id {
            SourceId::Terrain(sector) => TriangleId::Terrain { sector, triangle },
            SourceId::Baked { id, .. } | SourceId::Live(id) => {
                TriangleId::Prop { prop: id, triangle }
            }
        }
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
    /// Two bits an edge, the first lowest: see [`EdgeKind`](crate::props::EdgeKind).
    pub(crate) edges: u8,
    pub(crate) surface: SurfaceId,
}

impl Facet {
    /// Its corners seen from a point, both in the frame of the source's origin: exact.
    #[inline]
    pub(crate) fn seen_from(&self, origin_from_there: DVec3) -> [DVec3; 3] {
        self.corners.map(|corner| corner.as_dvec3() + origin_from_there)
    }
}

/// Takes what a walk finds.
pub(crate) trait Visit {
    /// Whether ground is of interest; if not, none of it need come.
    fn asks_ground(&self) -> bool {
        true
    }

    /// The ground of a sector of the region, by itself; where it is of interest, its triangles come too.
    fn ground(&mut self, _: &HeightfieldView<'_>, _: SectorCoord, _: &Region) {}

    /// The facets that follow, until the next call, are of this source. A solid prop is told even
    /// where none of its facets is in the region: the region may lie inside it. Gives back whether its
    /// facets are of interest; if not, they need not come.
    fn source(&mut self, source: &Source) -> bool;

    /// A triangle of the source last told that may touch the region.
    fn facet(&mut self, source: &Source, facet: &Facet);

    /// A column, seen as the region is: only what comes near it is of interest, if there is one. All else
    /// need not come, and none of it must make a difference.
    #[inline]
    fn column(&self) -> Option<Column> {
        None
    }

    /// The part of the region's motion that is still of interest, 0 to 1: what is touched only later
    /// need not come. What comes may depend on it, what is made of it must not.
    fn reach(&self) -> f64 {
        1.0
    }
}
