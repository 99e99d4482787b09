//! Whether nothing of any prop is near a body's way: quickly, and said only where it is surely so.

use glam::{DVec3, Vec3};

use super::cylinder::{Cylinder, is_off_the_way};
use super::inside::is_inside;
use super::region::Region;
use super::solids::{Solids, local};
use super::walk::{Facet, Source, Visit};
use crate::math::{SectorCoord, WorldPos};

/// See [`Solids::has_surely_no_props`].
pub(crate) fn has_surely_no_props(
    solids: &Solids<'_>,
    body: Cylinder,
    feet: WorldPos,
    motion: Vec3,
) -> Result<bool, SectorCoord> {
    let region = Region::of(body, feet, motion);
    let body = (f64::from(body.radius), f64::from(body.height));
    let (feet, motion) = (local(feet), motion.as_dvec3());
    let mut search = Meets { solids, body, feet, motion, found: false };
    solids.each(&region, &mut search)?;
    Ok(!search.found)
}

/// Looks for a triangle that may be met.
struct Meets<'a, 'w> {
    solids: &'a Solids<'w>,
    /// Radius and height.
    body: (f64, f64),
    feet: DVec3,
    motion: DVec3,
    found: bool,
}

impl Visit for Meets<'_, '_> {
    fn asks_ground(&self) -> bool {
        false
    }

    fn source(&mut self, source: &Source) -> bool {
        // What meets none of its triangles is wholly inside a closed prop, or wholly outside.
        let middle = self.feet + DVec3::Y * (self.body.1 * 0.5);
        self.found = self.found || (source.solid && is_inside(self.solids.view(), source, middle));
        !self.found
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let corners = facet.seen_from(source.origin - self.feet);
        let (radius, height) = self.body;
        self.found = self.found || !is_off_the_way(&corners, radius, height, self.motion);
    }
}
