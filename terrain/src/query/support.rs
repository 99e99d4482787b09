//! The highest surface under a foot disc.

use glam::{DVec3, Vec3};

use super::columns::Column;
use super::cylinder::column_top;
use super::nearest::{nearest_to_origin, unit_normal};
use super::region::{Region, SEAM};
use super::solids::Solids;
use super::types::{Support, TriangleId};
use super::walk::{Facet, Source, Visit};
use crate::math::SectorCoord;

/// What may support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SupportBy {
    /// Ground and props.
    #[default]
    All,
    /// Props alone: a unit stands on ground by the height rule under its middle.
    Props,
    /// Ground alone.
    Terrain,
}

/// Which surfaces count, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    pub(crate) radius: f64,
    /// Heights above the feet between which it is looked for.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) by: SupportBy,
    /// Least `y` of the normal of a triangle that counts.
    pub(crate) upright: f64,
}

impl Band {
    /// The upward unit normal of a triangle that may support; nothing if it may not.
    fn accepts(&self, source: &Source, corners: [DVec3; 3]) -> Option<DVec3> {
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
        (normal.y >= self.upright).then_some(normal)
    }
}

/// The highest surface in a band of heights under the foot disc at `feet`, metres from the centre of
/// the region's sector.
pub(crate) fn support(
    solids: &Solids<'_>,
    region: &Region,
    feet: DVec3,
    band: &Band,
) -> Result<Option<Support>, SectorCoord> {
    let region = region.with_heights(feet.y + band.low - SEAM, feet.y + band.high + SEAM);
    let mut highest = Highest { feet, band: *band, best: None };
    solids.each(&region, &mut highest)?;
    let Some((point, _)) = highest.best else { return Ok(None) };
    // What touches the point is in a small box around it. Boxes that meet each other two by two have a
    // place in common: so of what touches the whole region nothing is left out.
    let at = Region { min: feet + point, max: feet + point, ..region }.grown(SEAM + 1e-9);
    let region = region.within(&at);
    let mut upright = MostUpright { feet, band: *band, point, best: None };
    solids.each(&region, &mut upright)?;
    Ok(upright.best.map(|best| best.support))
}

/// Finds the highest point; among equals that of the least triangle.
struct Highest {
    feet: DVec3,
    band: Band,
    best: Option<(DVec3, TriangleId)>,
}

impl Visit for Highest {
    fn asks_ground(&self) -> bool {
        self.band.by != SupportBy::Props
    }

    fn column(&self) -> Option<Column> {
        Some(Column { at: self.feet, radius: self.band.radius, motion: DVec3::ZERO })
    }

    fn source(&mut self, _: &Source) -> bool {
        true
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let corners = facet.seen_from(source.origin - self.feet);
        let is_lower =
            |(best, _): (DVec3, TriangleId)| corners.iter().all(|corner| corner.y < best.y);
        if self.best.is_some_and(is_lower) || self.band.accepts(source, corners).is_none() {
            return;
        }
        let Band { radius, low, high, .. } = self.band;
        let Some(top) = column_top(&corners, radius, low, high) else { return };
        let id = source.triangle(facet.triangle);
        let wins = self
            .best
            .is_none_or(|(best, best_id)| top.y > best.y || (top.y == best.y && id < best_id));
        if wins {
            self.best = Some((top, id));
        }
    }
}

/// Of the triangles that touch a point, finds the most upright.
struct MostUpright {
    feet: DVec3,
    band: Band,
    point: DVec3,
    best: Option<Upright>,
}

struct Upright {
    up: f64,
    support: Support,
}

impl Visit for MostUpright {
    fn asks_ground(&self) -> bool {
        self.band.by != SupportBy::Props
    }

    fn source(&mut self, _: &Source) -> bool {
        true
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let from_feet = source.origin - self.feet;
        let corners = facet.seen_from(from_feet);
        let Some(normal) = self.band.accepts(source, corners) else { return };
        if nearest_to_origin(corners.map(|corner| corner - self.point)).length() > SEAM {
            return;
        }
        let triangle = source.triangle(facet.triangle);
        let wins = self.best.as_ref().is_none_or(|best| {
            normal.y > best.up || (normal.y == best.up && triangle < best.support.triangle)
        });
        if wins {
            let support = Support {
                point: self.point.as_vec3(),
                normal: towards(normal),
                triangle,
                surface: facet.surface,
                velocity: source.moving.at((self.point - from_feet).as_vec3()),
            };
            self.best = Some(Upright { up: normal.y, support });
        }
    }
}

/// A unit vector in `f32`, without negative zeros.
pub(crate) fn towards(unit: DVec3) -> Vec3 {
    unit.as_vec3() + Vec3::ZERO
}
