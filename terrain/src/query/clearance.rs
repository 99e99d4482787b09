//! What is above a body.

use glam::{DVec3, Vec3};

use super::columns::Column;
use super::cylinder::{Cylinder, column_bottom};
use super::inside::is_inside;
use super::nearest::unit_normal;
use super::region::{Region, SEAM, check_body};
use super::solids::{Solids, local, not_resident};
use super::types::{Ceiling, QueryError};
use super::visit::{Facet, Source, Visit};
use crate::math::WorldPos;

impl Solids<'_> {
    /// The lowest thing above the foot disc of a body at `feet`, up to `most` metres above it; `None` if all
    /// of that is free. Inside a solid the clearance is 0.
    ///
    /// # Errors
    /// If the body has no size, `most` is negative or not finite, or a sector is not in memory.
    pub fn ceiling(
        &self,
        body: Cylinder,
        feet: WorldPos,
        most: f32,
    ) -> Result<Option<Ceiling>, QueryError> {
        check_body(body)?;
        if !(0.0 <= most && most.is_finite()) {
            return Err(QueryError::Heights { low: 0.0, high: most });
        }
        let (most, radius) = (f64::from(most), f64::from(body.radius));
        let region = Region::of(body, feet, Vec3::ZERO);
        let feet = local(feet);
        let region = region.with_heights(feet.y - SEAM, feet.y + most);
        let (solids, source, nearest, best) = (self, None, None, None);
        let mut lowest = CeilingSearch { solids, feet, radius, most, source, nearest, best };
        self.each(&region, &mut lowest).map_err(not_resident)?;
        lowest.finish();
        Ok(lowest.best)
    }
}

/// Finds the lowest point above the disc; among equals that of the least triangle.
struct CeilingSearch<'a, 'w> {
    solids: &'a Solids<'w>,
    feet: DVec3,
    radius: f64,
    most: f64,
    source: Option<Source>,
    /// The best of this source, and whether its face looks up: the disc is then below the skin of a solid.
    nearest: Option<(Ceiling, bool)>,
    best: Option<Ceiling>,
}

impl CeilingSearch<'_, '_> {
    /// Takes the last source into account.
    fn finish(&mut self) {
        let (Some(source), nearest) = (self.source.take(), self.nearest.take()) else { return };
        let found = match nearest {
            Some((ceiling, true)) => Some(Ceiling { clearance: 0.0, ..ceiling }),
            Some((ceiling, false)) => Some(ceiling),
            // Nothing of it is above and near enough, but all of that may be inside it.
            None if source.solid && !source.is_terrain() && !self.solids.is_outside => {
                let within = is_inside(self.solids.view(), &source, self.feet + DVec3::Y * SEAM);
                let triangle = source.triangle(0);
                within.then_some(Ceiling { clearance: 0.0, point: Vec3::ZERO, triangle })
            }
            None => None,
        };
        let Some(found) = found else { return };
        let key = |of: &Ceiling| (of.clearance, of.triangle);
        if self.best.as_ref().is_none_or(|best| key(&found) < key(best)) {
            self.best = Some(found);
        }
    }
}

impl Visit for CeilingSearch<'_, '_> {
    fn asks_ground(&self) -> bool {
        false // solid below, free above: never a ceiling
    }

    fn column(&self) -> Option<Column> {
        Some(Column { at: self.feet, radius: self.radius, motion: DVec3::ZERO })
    }

    fn source(&mut self, source: &Source) -> bool {
        self.finish();
        self.source = Some(*source);
        !source.is_terrain()
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let corners = facet.seen_from(source.origin - self.feet);
        let up = unit_normal(corners).map_or(0.0, |normal| normal.y);
        let is_skin = source.solid && up > 0.0;
        // What the body stands on is at its feet, or rounded slightly above them.
        let floor = if source.solid && !is_skin { -SEAM } else { SEAM };
        let Some(low) = column_bottom(&corners, self.radius, floor) else { return };
        if low.y > self.most {
            return;
        }
        let clearance = if low.y > 0.0 { low.y as f32 } else { 0.0 };
        let found =
            Ceiling { clearance, point: low.as_vec3(), triangle: source.triangle(facet.triangle) };
        let found = (found, is_skin);
        let key = |(of, is_skin): &(Ceiling, bool)| (of.point.y, *is_skin, of.triangle);
        if self.nearest.as_ref().is_none_or(|nearest| key(&found) < key(nearest)) {
            self.nearest = Some(found);
        }
    }
}
