//! How much there is in a region, counted only as far as it matters: what would take too long is refused before
//! any query is made.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::each_prop::{NearProp, each_prop};
use super::region::Region;
use super::sectors::Sectors;
use super::visit::Source;
use crate::math::{Aabb, outward};
use crate::view::TerrainView;

/// Counts down.
struct Count {
    left: u32,
}

impl Count {
    /// Counts some more. Returns whether that is more than was left.
    fn exceeds(&mut self, more: usize) -> bool {
        let left = u32::try_from(more).ok().and_then(|more| self.left.checked_sub(more));
        self.left = left.unwrap_or(0);
        left.is_none()
    }
}

impl TerrainView<'_> {
    /// Whether there is more than `most` in a region, of props in the layers of `mask`: triangles whose boxes
    /// touch the box around the region, and the moving props themselves. It takes no longer than counting to
    /// `most`. Sectors that are not resident count as empty.
    #[doc(hidden)]
    #[must_use]
    pub fn has_more_in(self, region: &Region, mask: u32, most: u32) -> bool {
        if mask == 0 {
            return false;
        }
        // Mostly there are so few props that their triangles need not be looked at, and if not, mostly so
        // few leaves of their trees that triangles need not be placed.
        let is_over = |add: fn(&mut Count, &NearProp<'_>, &Region) -> bool| {
            let mut count = Count { left: most };
            self.any_prop(region, mask, &mut |prop: &NearProp<'_>| {
                count.exceeds(usize::from(prop.has_moved)) || add(&mut count, prop, region)
            })
        };
        is_over(|count, prop, _| count.exceeds(prop.mesh.triangles() as usize))
            && is_over(|count, prop, near| any_leaf(prop, near, |leaf| count.exceeds(leaf.len())))
            && is_over(|count, prop, near| {
                any_leaf(prop, near, |leaf| count.exceeds(touching(prop, near, leaf)))
            })
    }

    /// About how many pairs of triangles, of props in the layers of `mask`, are near each other in a region: as many
    /// boxes meet in each of its places, on average, times the triangles whose boxes touch it. What judges each
    /// triangle by those around it takes so long.
    #[doc(hidden)]
    #[must_use]
    pub fn pairs_in(self, region: &Region, mask: u32) -> u64 {
        let (mut count, mut filled) = (0, 0);
        self.any_prop(region, mask, &mut |prop| {
            any_leaf(prop, region, |leaf| {
                each_touching(prop, region, leaf, |part| {
                    count += 1;
                    filled += (part * FULL) as u64; // whole numbers: in any order the same
                });
                false
            })
        });
        (count * filled) / FULL as u64
    }

    /// Calls `visit` with the props whose boxes touch a region, until it returns true. Returns whether it
    /// did.
    fn any_prop(
        self,
        region: &Region,
        mask: u32,
        visit: &mut impl FnMut(&NearProp<'_>) -> bool,
    ) -> bool {
        let sectors = Sectors::of(self, region);
        each_prop(self, mask, (&sectors, 1.0), &mut |prop| if visit(prop) { -1.0 } else { 1.0 })
            < 0.0
    }
}

/// Calls `visit` with the leaves of a placed mesh that may touch a region, until it returns true. Returns
/// whether it did.
fn any_leaf(
    prop: &NearProp<'_>,
    region: &Region,
    mut visit: impl FnMut(Range<u32>) -> bool,
) -> bool {
    let NearProp { mesh, placement, source: Source { origin, .. }, .. } = prop;
    let (low, high) = region.bounds();
    let near = outward(low - *origin, high - *origin);
    if region.motion == DVec3::ZERO {
        return mesh.any_in_box(&placement.unplaced(&near), visit);
    }
    let begin = placement.unplaced(&outward(region.min - *origin, region.max - *origin));
    let (low, high) = (begin.min.as_dvec3(), begin.max.as_dvec3());
    let half = (high - low) * 0.5 + DVec3::splat(placement.rounding(&near));
    let motion = placement.unplaced_vector(region.motion);
    let until = |leaf: Range<u32>, until| if visit(leaf) { -1.0 } else { until };
    mesh.nearest((low + high) * 0.5, motion, half, 1.0, until) < 0.0
}

/// How many triangles of a leaf have boxes that touch the box around a region.
fn touching(prop: &NearProp<'_>, region: &Region, leaf: Range<u32>) -> usize {
    let mut count = 0;
    each_touching(prop, region, leaf, |_| count += 1);
    count
}

/// All of a region, as a whole number.
const FULL: f64 = 65536.0;

/// Calls `visit` for each triangle of a leaf whose box touches the box around a region, with the part of that box
/// which is in both.
fn each_touching(
    prop: &NearProp<'_>,
    region: &Region,
    leaf: Range<u32>,
    mut visit: impl FnMut(f64),
) {
    let (low, high) = region.bounds();
    let near = outward(low - prop.source.origin, high - prop.source.origin);
    let placer = prop.placement.placer();
    let all = near.max - near.min;
    for triangle in leaf {
        let corners = prop.mesh.indices(triangle);
        let corners = corners.map(|corner| placer.place(prop.mesh.vertex(corner)));
        let around = Aabb::around_three(corners);
        if around.touches(&near) {
            let low = Vec3::select(around.min.cmpgt(near.min), around.min, near.min);
            let high = Vec3::select(around.max.cmplt(near.max), around.max, near.max);
            let part = ((high - low) / all).as_dvec3();
            visit(part.x * part.y * part.z);
        }
    }
}
