//! The highest surface under a foot disc.

use glam::{DVec3, Vec3};

use super::columns::Column;
use super::cylinder::{Cylinder, column_top};
use super::nearest::{nearest_to_origin, towards, unit_normal};
use super::region::{Region, SEAM, check_body};
use super::solids::{Solids, local, not_resident, stands_always};
use super::types::{QueryError, Support, TriangleId};
use super::visit::{Facet, Source, Visit};
use crate::heightfield::SurfaceSet;
use crate::math::{SectorCoord, WorldPos};

/// What may support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SupportBy {
    /// Ground and props.
    #[default]
    All,
    /// Only props: a unit stands on ground by the height rule under its middle.
    Props,
    /// Only ground.
    Terrain,
}

/// Which surfaces count, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band<'a> {
    pub(crate) radius: f64,
    /// Heights above the feet between which support is searched.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) by: SupportBy,
    /// Least `y` of the normal of a triangle that counts.
    pub(crate) upright: f64,
    /// Surfaces with which ground counts at any slope.
    pub(crate) never_steep: Option<&'a SurfaceSet>,
}

impl Band<'_> {
    /// The upward unit normal of a triangle that may support; `None` if it may not.
    fn accepts(&self, source: &Source, facet: &Facet, corners: [DVec3; 3]) -> Option<DVec3> {
        let counts = match self.by {
            SupportBy::All => true,
            SupportBy::Props => !source.is_terrain(),
            SupportBy::Terrain => source.is_terrain(),
        };
        if !counts {
            return None;
        }
        // A triangle without area supports like the wall that it nearly is.
        let normal = unit_normal(corners).unwrap_or(DVec3::X);
        let normal = if normal.y < 0.0 && !source.solid { -normal } else { normal };
        let always = source.is_terrain() && stands_always(self.never_steep, facet.surface, normal);
        (normal.y >= self.upright || always).then_some(normal)
    }
}

impl Solids<'_> {
    /// The highest surface under the foot disc of a body at `feet`, between `low` and `high` metres above the
    /// feet. A wall that continues above `high` counts with its height there. Downward faces of solids do not
    /// count.
    ///
    /// # Errors
    /// If the body has no size, the heights are not in order, or a sector is not in memory.
    pub fn support(
        &self,
        body: Cylinder,
        feet: WorldPos,
        low: f32,
        high: f32,
        by: SupportBy,
    ) -> Result<Option<Support>, QueryError> {
        self.support_upright(body, feet, low, high, by, 0.0)
    }

    /// As [`support`](Self::support), only by triangles whose unit normal has a `y` of at least `upright`:
    /// the cosine of the steepest slope that counts.
    ///
    /// # Errors
    /// As [`support`](Self::support), or if `upright` is not a number.
    pub fn support_upright(
        &self,
        body: Cylinder,
        feet: WorldPos,
        low: f32,
        high: f32,
        by: SupportBy,
        upright: f32,
    ) -> Result<Option<Support>, QueryError> {
        check_support(body, (low, high), upright)?;
        let band = Band {
            radius: f64::from(body.radius),
            low: f64::from(low),
            high: f64::from(high),
            by,
            upright: f64::from(upright),
            never_steep: self.never_steep,
        };
        let region = Region::of(body, feet, Vec3::ZERO);
        highest(self, &region, local(feet), &band).map_err(not_resident)
    }
}

/// The highest surface in a band of heights under the foot disc at `feet`, metres from the centre of
/// the region's sector.
fn highest(
    solids: &Solids<'_>,
    region: &Region,
    feet: DVec3,
    band: &Band<'_>,
) -> Result<Option<Support>, SectorCoord> {
    let region = region.with_heights(feet.y + band.low - SEAM, feet.y + band.high + SEAM);
    let mut highest = TopSearch { feet, band: *band, best: None, level: None };
    solids.each(&region, &mut highest)?;
    let Some((point, _)) = highest.best else { return Ok(None) };
    if highest.level.is_some() {
        return Ok(highest.level);
    }
    // What touches the point is in a small box around it. Boxes that meet pairwise have a point in common, so
    // nothing that touches the whole region is left out.
    let at = Region { min: feet + point, max: feet + point, ..region }.grown_by(SEAM + 1e-9);
    let region = region.within(&at);
    let mut upright = UprightSearch { feet, band: *band, point, best: None };
    solids.each(&region, &mut upright)?;
    Ok(upright.best.map(|(_, support)| support))
}

/// Whether that is a question about supports.
pub(super) fn check_support(
    body: Cylinder,
    (low, high): (f32, f32),
    upright: f32,
) -> Result<(), QueryError> {
    check_body(body)?;
    if !(low <= high && low.is_finite() && high.is_finite()) {
        return Err(QueryError::Heights { low, high });
    }
    if upright.is_nan() {
        return Err(QueryError::Upright { found: upright });
    }
    Ok(())
}

/// Finds the highest point; among equals that of the least triangle.
struct TopSearch<'a> {
    feet: DVec3,
    band: Band<'a>,
    best: Option<(DVec3, TriangleId)>,
    /// The support by it, if it is level: nothing is more upright.
    level: Option<Support>,
}

impl Visit for TopSearch<'_> {
    fn asks_ground(&self) -> bool {
        self.band.by != SupportBy::Props
    }

    fn column(&self) -> Option<Column> {
        Some(Column { at: self.feet, radius: self.band.radius, motion: DVec3::ZERO })
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let from_feet = source.origin - self.feet;
        let corners = facet.seen_from(from_feet);
        let id = source.triangle(facet.triangle);
        // At the height of the best, as other parts of a floor are, or of a wall that goes on above the band, a greater
        // triangle does not win.
        let is_lower = |(best, best_id): (DVec3, TriangleId)| {
            let is_at_end = best.y >= self.band.high;
            (is_at_end || corners.iter().all(|corner| corner.y <= best.y))
                && (best_id < id || (!is_at_end && corners.iter().all(|corner| corner.y < best.y)))
        };
        if self.best.is_some_and(is_lower) {
            return;
        }
        let Some(normal) = self.band.accepts(source, facet, corners) else { return };
        let Band { radius, low, high, .. } = self.band;
        let Some(top) = column_top(&corners, radius, low, high) else { return };
        let wins = self
            .best
            .is_none_or(|(best, best_id)| top.y > best.y || (top.y == best.y && id < best_id));
        if wins {
            self.best = Some((top, id));
            let support = || support_at(source, from_feet, (top, normal), facet);
            self.level = (normal.y >= 1.0).then(support);
        }
    }
}

/// The support by a triangle of a source at a point, seen from the feet as the source's origin is.
fn support_at(
    source: &Source,
    from_feet: DVec3,
    (point, normal): (DVec3, DVec3),
    facet: &Facet,
) -> Support {
    Support {
        point: point.as_vec3(),
        normal: towards(normal),
        triangle: source.triangle(facet.triangle),
        surface: facet.surface,
        velocity: source.moving.at((point - from_feet).as_vec3()),
    }
}

/// Finds the most upright of the triangles that touch a point.
struct UprightSearch<'a> {
    feet: DVec3,
    band: Band<'a>,
    point: DVec3,
    /// With the `y` of its normal, unrounded.
    best: Option<(f64, Support)>,
}

impl Visit for UprightSearch<'_> {
    fn asks_ground(&self) -> bool {
        self.band.by != SupportBy::Props
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let from_feet = source.origin - self.feet;
        let corners = facet.seen_from(from_feet);
        let Some(normal) = self.band.accepts(source, facet, corners) else { return };
        if nearest_to_origin(corners.map(|corner| corner - self.point)).length() > SEAM {
            return;
        }
        let triangle = source.triangle(facet.triangle);
        let wins = self.best.as_ref().is_none_or(|(up, best)| {
            normal.y > *up || (normal.y == *up && triangle < best.triangle)
        });
        if wins {
            let support = support_at(source, from_feet, (self.point, normal), facet);
            self.best = Some((normal.y, support));
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use marchland_random::Random;

    use super::*;
    use crate::heightfield::SurfaceId;
    use crate::math::Aabb;
    use crate::props::PropId;
    use crate::query::types::PropMotion;
    use crate::query::visit::SourceId;

    #[test]
    fn the_highest_of_many_level_triangles_is_that_of_the_least_in_any_order() {
        let mut random = Random::new(19);
        // Coarse, so that many are level with each other.
        let mut coarse = || random.below(8) as f32 * 0.25 - 1.0;
        let band = Band {
            radius: 0.5,
            low: -0.5,
            high: 0.5,
            by: SupportBy::All,
            upright: 0.0,
            never_steep: None,
        };
        let source = Source {
            id: SourceId::Live(PropId::Live { slot: 0, generation: 1 }),
            origin: DVec3::ZERO,
            solid: false,
            moving: PropMotion::default(),
            bounds: Aabb::EMPTY,
        };
        let mut found = 0;
        for _ in 0..20_000 {
            let facets: [Facet; 8] = std::array::from_fn(|at| {
                let level = coarse();
                let corners = [(); 3].map(|()| {
                    let lean = if at % 3 == 0 { coarse() } else { level };
                    Vec3::new(coarse(), lean, coarse())
                });
                let triangle = (at as u32 * 5 + 3) % 8;
                Facet { corners, triangle, edges: 0, surface: SurfaceId(0), face: 0 }
            });
            let mut highest = TopSearch { feet: DVec3::ZERO, band, best: None, level: None };
            let mut plain: Option<(DVec3, TriangleId)> = None;
            for facet in &facets {
                highest.facet(&source, facet);
                let corners = facet.seen_from(DVec3::ZERO);
                let Some(top) = column_top(&corners, band.radius, band.low, band.high) else {
                    continue;
                };
                let id = source.triangle(facet.triangle);
                let is_less = |(best, best_id): (DVec3, TriangleId)| {
                    top.y > best.y || (top.y == best.y && id < best_id)
                };
                if plain.is_none_or(is_less) && band.accepts(&source, facet, corners).is_some() {
                    plain = Some((top, id));
                }
            }
            assert_eq!(highest.best, plain, "{facets:?}");
            found += usize::from(plain.is_some());
        }
        assert!(found > 10_000, "{found}");
    }
}
