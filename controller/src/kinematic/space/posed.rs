//! Queries on what moves and on what does not: one prop at a moment of its way, and everything but the moving props.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::greater;
use marchland_terrain::props::{PosedProp, PropWay};
use marchland_terrain::query::{Cylinder, Impact};

use super::{Missing, Part, Space};

/// A part of a body in a query on moving props: a cylinder, and the height above the feet at which it begins.
pub(crate) type Slice = (Cylinder, f32);

impl Space<'_, '_, '_> {
    /// A part of a body, grown to the sides and the top. Of a body that is all knee, its top.
    pub(crate) fn slice(&self, part: Part, by: f32) -> Slice {
        let low = if part == Part::Upper { self.body.knee() } else { 0.0 };
        let height = self.body.height() - low;
        let height = greater(height, THIN);
        (Cylinder { radius: self.body.radius() + by, height: height + by }, low)
    }

    /// Finds the contacts of a part of a body with one prop.
    pub(crate) fn touching_posed(
        &mut self,
        posed: &PosedProp<'_>,
        (body, low): Slice,
        at: WorldPos,
    ) -> Result<(), Missing> {
        self.contacts_key = None;
        let at = self.raised(at, low);
        self.view.solids_of(posed).overlap(body, at, self.contacts)
    }

    /// When a part of a body first meets one prop on its way.
    pub(crate) fn sweep_posed(
        &self,
        posed: &PosedProp<'_>,
        (body, low): Slice,
        at: WorldPos,
        motion: DVec3,
    ) -> Result<Option<Impact>, Missing> {
        let at = self.raised(at, low);
        self.view.solids_of(posed).sweep_on(body, at, motion.as_vec3())
    }

    /// Finds the contacts of a part of a body with everything that has not moved.
    pub(crate) fn touching_fixed(
        &mut self,
        part: Part,
        (body, low): Slice,
        at: WorldPos,
    ) -> Result<(), Missing> {
        self.contacts_key = None;
        let (sticky, ground) = (self.sticky_under(at), self.ground_met(part));
        let solids = self.view.solids(self.mask).without_props(self.moving_props.ids());
        let solids = solids.with_ground_steeper(ground).with_ground_never_steep(sticky.as_ref());
        solids.overlap(body, self.raised(at, low), self.contacts)
    }

    /// What a part of a body first meets on its way among everything that has not moved.
    pub(crate) fn sweep_fixed(
        &mut self,
        part: Part,
        (body, low): Slice,
        at: WorldPos,
        motion: DVec3,
    ) -> Result<Option<Impact>, Missing> {
        let (sticky, ground) = (self.sticky_under(at), self.ground_met(part));
        let solids = self.view.solids(self.mask).without_props(self.moving_props.ids());
        let solids = solids.with_ground_steeper(ground).with_ground_never_steep(sticky.as_ref());
        solids.sweep_on(body, self.raised(at, low), motion.as_vec3())
    }

    /// How deep a part of the body, as it is, is inside a prop, in metres; `None` if it is not.
    pub(crate) fn depth_in(
        &mut self,
        posed: &PosedProp<'_>,
        part: Part,
        at: WorldPos,
    ) -> Result<Option<f32>, Missing> {
        self.touching_posed(posed, self.slice(part, 0.0), at)?;
        let deepest = self.contacts.deepest().map(|deepest| deepest.depth);
        Ok(deepest.filter(|depth| *depth > ROUNDING))
    }
}

/// The least height of a part of a body in a query. Metres.
const THIN: f32 = 1e-3;

/// How deep something may be in a body by the rounding of a query. Metres. With more, a prop that is said to be
/// out of a body would still be under its foot disc.
const ROUNDING: f32 = 1e-6;

/// How far a prop takes a place in a body from one part of the tick to another. Metres.
pub(crate) fn displaced(way: &PropWay<'_>, at: WorldPos, by: Vec3, from: f64, to: f64) -> DVec3 {
    way.displacement(at.sector(), at.local().as_dvec3() + by.as_dvec3(), from, to)
}
