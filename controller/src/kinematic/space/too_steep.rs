//! What is too steep to stand on: props by the normal of a face, ground by the gradient under the centre, and the
//! surfaces that never are.
//!
//! Other forms of the same rule: by a normal alone `Body::can_stand_on` and `Body::is_too_steep`; for a unit that
//! follows `rises_too_steeply` in `following/triangle_walk.rs` and, by blocks of cells, `open_ground` in
//! `following/follow.rs`; by cells `any_steeper` in `batch/open_map/gentle.rs`. Queries are given the limit, as
//! `upright` or `with_ground_steeper`. All that *sticky* does: `sticky_of` in `units/surface.rs`.

use marchland_terrain::SurfaceId;

use super::Space;
use crate::units::surface::SurfaceResponse;

impl Space<'_, '_, '_> {
    /// Whether the unit can stand on a face with this normal. `sticks` is whether it may stick to the face:
    /// it always may to props, and to the ground where its centre is over it.
    pub(crate) fn is_walkable(&self, normal_y: f64, surface: SurfaceId, sticks: bool) -> bool {
        self.body.can_stand_on(normal_y)
            || (sticks && normal_y > 0.0 && self.is_never_steep(surface))
    }

    /// Whether ground that rises by `gradient` along X and Z under the centre is too steep to stand on.
    #[inline]
    pub(crate) fn is_ground_too_steep(&self, gradient: [f32; 2], surface: SurfaceId) -> bool {
        let [rise_x, rise_z] = gradient.map(f64::from);
        let squared = rise_x * rise_x + rise_z * rise_z;
        let limit = self.body.max_slope_tan();
        squared > limit * limit && !self.is_never_steep(surface)
    }

    /// Whether a surface is never too steep to stand on.
    pub(crate) fn is_never_steep(&self, surface: SurfaceId) -> bool {
        let SurfaceResponse { sticky, friction, .. } = self.surface(surface);
        sticky || (self.glides && friction == 0.0)
    }
}
