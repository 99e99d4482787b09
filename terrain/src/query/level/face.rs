//! A triangle as a body meets it that moves level.

use glam::{DVec2, DVec3};

use super::outline::{Nearest, Outline};
use super::types::Slab;
use crate::heightfield::SurfaceId;
use crate::query::nearest::unit_normal;
use crate::query::solids::Solids;
use crate::query::types::TriangleId;
use crate::query::visit::{Facet, Source};

/// A triangle near a body, seen from the centre of its foot disc.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    corners: [DVec3; 3],
    /// Whether it can be stood on, and the body is above it.
    pub(super) is_ground: bool,
    /// Whether it can be stood on, of a solid whose sides are in the way of who is not above it.
    pub(super) is_top: bool,
    /// Whether it has no upper end: ground is solid downwards.
    is_endless: bool,
    pub(super) triangle: TriangleId,
    pub(super) surface: SurfaceId,
}

impl Face {
    /// A triangle, if it can be in the way of a body that moves level at this height.
    ///
    /// A face of a solid that looks away from the whole axis is behind others. What can be stood on is no wall
    /// to who is above it; to who is not, the sides below it are, if it is a solid's.
    #[inline]
    pub(super) fn of(
        solids: &Solids<'_>,
        source: &Source,
        facet: &Facet,
        feet: DVec3,
        slab: &Slab,
    ) -> Option<Self> {
        let corners = facet.seen_from(source.origin - feet);
        let is_endless = source.is_terrain();
        let lowest = |a: f64, b: f64| if b < a { b } else { a };
        let highest = |a: f64, b: f64| if b > a { b } else { a };
        let [a, b, c] = corners.map(|corner| corner.y);
        if highest(highest(a, b), c) < slab.low
            || (!is_endless && lowest(lowest(a, b), c) > slab.high)
        {
            return None;
        }
        if !solids.meets(source, facet) {
            return None;
        }
        let (mut is_ground, mut is_top) = (false, false);
        if let Some(normal) = unit_normal(corners) {
            let from = DVec3::new(0.0, slab.low, 0.0) - corners[0];
            let below = normal.dot(from);
            let above = below + normal.y * (slab.high - slab.low);
            if source.solid && below <= 0.0 && above <= 0.0 {
                return None;
            }
            let up = if source.solid { normal.y } else { normal.y.abs() };
            if up >= slab.upright {
                // Of a sheet, the side on which the body is.
                let over = if normal.y < 0.0 { -below } else { below };
                is_ground = over >= 0.0;
                is_top = source.solid && !is_ground;
            }
        }
        Some(Self {
            corners,
            is_ground,
            is_top,
            is_endless,
            triangle: source.triangle(facet.triangle),
            surface: facet.surface,
        })
    }

    /// Its outline in a slab, and where that is nearest to the axis.
    #[inline]
    pub(super) fn outline(&self, slab: &Slab) -> Option<(Outline, Nearest)> {
        let high = if self.is_endless { f64::INFINITY } else { slab.high };
        let outline = Outline::of(&self.corners, slab.low, high)?;
        Some((outline, outline.nearest(DVec2::ZERO)))
    }

    /// Whether the body is in it only with the skin above its head.
    pub(super) fn is_overhead(&self, slab: &Slab) -> bool {
        if self.is_endless || slab.top == slab.high {
            return false;
        }
        let bare = Slab { high: slab.top, ..*slab };
        !self.outline(&bare).is_some_and(|(_, nearest)| bare.overlaps(&nearest))
    }
}
