//! What a body asks of the ground alone, of one triangle after another: the highest of it under the foot disc, and
//! whether the body is in it.

use glam::{DVec3, Vec3};

use crate::heightfield::SurfaceSet;
use crate::math::WorldPos;
use crate::query::columns::Column;
use crate::query::cylinder::{Cylinder, column_top, least_push};
use crate::query::nearest::unit_normal;
use crate::query::overlap::below;
use crate::query::region::{Region, SEAM, check_body};
use crate::query::solids::{Solids, local, not_resident, stands_always};
use crate::query::support::check_support;
use crate::query::types::QueryError;
use crate::query::visit::{Facet, Source, Visit};

/// More than what is computed here is rounded by. Metres.
const ROUNDING: f64 = 1e-6;

/// A limit is told from a slope without a root where they differ by more than this part: more than rounding.
const SURELY: f64 = 1e-9;

impl Solids<'_> {
    /// The height of the highest ground under the foot disc of a body at `feet`, between `low` and `high` metres above
    /// the feet, of triangles whose unit normal has a `y` of at least `upright`: that of
    /// [`support_upright`](Self::support_upright) by [`SupportBy::Terrain`](crate::query::SupportBy::Terrain), found sooner.
    /// Metres above the feet.
    ///
    /// # Errors
    /// As [`support_upright`](Self::support_upright).
    #[doc(hidden)]
    pub fn highest_ground(
        &self,
        body: Cylinder,
        feet: WorldPos,
        (low, high): (f32, f32),
        upright: f32,
    ) -> Result<Option<f32>, QueryError> {
        check_support(body, (low, high), upright)?;
        let (low, high) = (f64::from(low), f64::from(high));
        let region = Region::of(body, feet, Vec3::ZERO);
        let feet = local(feet);
        let region = region.with_heights(feet.y + low - SEAM, feet.y + high + SEAM);
        let mut highest = GroundTopSearch {
            feet,
            radius: f64::from(body.radius),
            high,
            upright: f64::from(upright),
            never_steep: self.never_steep,
            top: low,
            is_found: false,
        };
        self.each(&region, &mut highest).map_err(not_resident)?;
        Ok(highest.is_found.then_some(highest.top as f32))
    }

    /// Whether the way of a body at `feet` out of a triangle of the ground is longer than `most` metres. Each triangle
    /// counts by itself, as with [`Seams::Raw`](crate::query::Seams::Raw), and what lies above the middle of the body is met
    /// as well.
    ///
    /// # Errors
    /// If the body has no size, or a sector is not in memory.
    #[doc(hidden)]
    pub fn has_ground_deeper(
        &self,
        body: Cylinder,
        feet: WorldPos,
        most: f32,
    ) -> Result<bool, QueryError> {
        check_body(body)?;
        let region = Region::of(body, feet, Vec3::ZERO);
        let mut deeper = GroundDepthSearch { body, feet: local(feet), most, is_found: false };
        self.each(&region, &mut deeper).map_err(not_resident)?;
        Ok(deeper.is_found)
    }
}

/// Finds the highest ground.
struct GroundTopSearch<'a> {
    feet: DVec3,
    radius: f64,
    high: f64,
    upright: f64,
    never_steep: Option<&'a SurfaceSet>,
    /// The highest so far, or where it begins to count.
    top: f64,
    is_found: bool,
}

impl GroundTopSearch<'_> {
    /// Whether a facet whose normal has this direction counts.
    fn accepts(&self, facet: &Facet, corners: [DVec3; 3], normal: DVec3) -> bool {
        let (up, whole) = (normal.y * normal.y, normal.length_squared());
        let least = self.upright * self.upright * whole;
        if self.never_steep.is_none() && normal.y > 0.0 && self.upright > 0.0 {
            if up < least * (1.0 - SURELY) {
                return false;
            }
            if up > least * (1.0 + SURELY) {
                return true;
            }
        }
        let normal = unit_normal(corners).unwrap_or(DVec3::X);
        normal.y >= self.upright || stands_always(self.never_steep, facet.surface, normal)
    }
}

impl Visit for GroundTopSearch<'_> {
    fn column(&self) -> Option<Column> {
        Some(Column { at: self.feet, radius: self.radius, motion: DVec3::ZERO })
    }

    fn source(&mut self, source: &Source) -> bool {
        source.is_terrain()
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let corners = facet.seen_from(source.origin - self.feet);
        let is_lower =
            |corner: &DVec3| corner.y < self.top || (self.is_found && corner.y <= self.top);
        if corners.iter().all(is_lower) {
            return;
        }
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a);
        // How high the plane is at the rim of the disc.
        let level = (normal.x * normal.x + normal.z * normal.z).sqrt();
        let is_below = normal.dot(a) + self.radius * level < (self.top - ROUNDING) * normal.y;
        if is_below || !self.accepts(facet, corners, normal) {
            return;
        }
        if let Some(top) = column_top(&corners, self.radius, self.top, self.high) {
            (self.top, self.is_found) = (top.y, true);
        }
    }
}

/// Searches for ground that a body is in.
struct GroundDepthSearch {
    body: Cylinder,
    feet: DVec3,
    most: f32,
    is_found: bool,
}

impl Visit for GroundDepthSearch {
    fn column(&self) -> Option<Column> {
        Some(Column { at: self.feet, radius: f64::from(self.body.radius), motion: DVec3::ZERO })
    }

    fn source(&mut self, source: &Source) -> bool {
        source.is_terrain() && !self.is_found
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let corners = facet.seen_from(source.origin - self.feet);
        if self.is_found || corners.iter().all(|corner| corner.y <= 0.0) {
            return;
        }
        let (radius, height) = (f64::from(self.body.radius), f64::from(self.body.height));
        let normal = unit_normal(corners);
        // Mostly the way straight off the plane is short enough, if the body is not below it; there may be a shorter
        // one.
        let is_off = normal.is_some_and(|normal| {
            let plane = normal.dot(corners[0]);
            let off = plane + radius * (normal.x * normal.x + normal.z * normal.z).sqrt();
            off < f64::from(self.most) - ROUNDING && plane < normal.y * height - ROUNDING
        });
        if is_off {
            return;
        }
        let push = least_push(&corners, normal, source.sided(), radius, height)
            .or_else(|| below(corners, normal, radius, height));
        self.is_found = push.is_some_and(|push| push.depth as f32 > self.most);
    }
}
