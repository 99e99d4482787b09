//! Room for a body: what is above its head, and whether nothing is in its upper part.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::greater;
use marchland_terrain::query::{Ceiling, Cylinder};

use super::{Missing, ROUNDING_MARGIN, Space, near};

impl Space<'_, '_, '_> {
    /// The ceiling above the foot disc of a body, up to `most` metres.
    fn ceiling(
        &mut self,
        body: Cylinder,
        at: WorldPos,
        most: f32,
    ) -> Result<Option<Ceiling>, Missing> {
        let tall = Cylinder { height: greater(most, body.height), ..body };
        if self.is_bare(tall, at, Vec3::ZERO) {
            return Ok(None);
        }
        let is_outside = self.is_surely_outside(at);
        let solids = near(self.view, self.mask, self.near, tall, at, Vec3::ZERO);
        solids.with_feet_outside(is_outside).ceiling(body, at, most)
    }

    /// Whether a place is surely in no prop, since there is no face between it and a place where the body was free.
    fn is_surely_outside(&self, at: WorldPos) -> bool {
        self.known.clear.is_some_and(|(body, from)| {
            let point = Cylinder { radius: ROUNDING_MARGIN, height: 2.0 * ROUNDING_MARGIN };
            let (low, y) = (from.local().y, at.local().y);
            let above = if y > low { self.at_height(from, y) } else { from };
            y <= low + body.height && self.level.faces.leave_free(point, above, at)
        })
    }

    /// Whether a body that stands at a place has room above the knee if it is lifted by `rise`.
    pub(crate) fn has_head_room(&mut self, at: WorldPos, rise: f32) -> Result<bool, Missing> {
        Ok(self.free_lift(at, rise)? >= rise)
    }

    /// The same for a unit that comes from a place where less than the skin is free above its head: no more than
    /// that need be free then.
    pub(crate) fn has_head_room_from(
        &mut self,
        from: WorldPos,
        at: WorldPos,
        rise: f32,
    ) -> Result<bool, Missing> {
        if self.has_head_room(at, rise)? {
            return Ok(true);
        }
        let above = self.free_above(from)?;
        let most = rise + above;
        Ok(0.0 < above && above < SKIN && self.lift_below(at, 0.0, most)? >= most)
    }

    /// How much is free above the head, up to the skin. Metres.
    pub(crate) fn free_above(&mut self, at: WorldPos) -> Result<f32, Missing> {
        self.lift_below(at, 0.0, SKIN)
    }

    /// How far the upper part of the body can be lifted, up to `most` metres.
    pub(crate) fn free_lift(&mut self, at: WorldPos, most: f32) -> Result<f32, Missing> {
        self.lift_below(at, SKIN, most)
    }

    /// The same with so much free above the head.
    fn lift_below(&mut self, at: WorldPos, skin: f32, most: f32) -> Result<f32, Missing> {
        let low = self.upper_low;
        let height = self.body.height() - low + skin;
        let upper = Cylinder { radius: self.body.radius(), height };
        let at = self.raised(at, low);
        if self.stays_clear(Cylinder { height: height + most, ..upper }, at) {
            return Ok(most);
        }
        match self.ceiling(upper, at, height + most)? {
            None => Ok(most),
            Some(ceiling) => {
                let lift = ceiling.clearance - height;
                Ok(greater(lift, 0.0))
            }
        }
    }

    /// Whether the upper part of a body at a place is free, and so much of the skin above it.
    pub(crate) fn is_free_below(&mut self, at: WorldPos, skin: f32) -> Result<bool, Missing> {
        let low = self.upper_low;
        let height = self.body.height() - low + skin;
        let upper = Cylinder { radius: self.body.radius(), height };
        Ok(self.ceiling(upper, self.raised(at, low), height)?.is_none())
    }

    /// Whether the upper part of a body at a place is in no prop, except for a small margin to every side.
    pub(crate) fn is_clear(&mut self, at: WorldPos) -> Result<bool, Missing> {
        self.is_clear_above(self.upper_low, at)
    }

    /// The same of the part that begins so far above the feet.
    pub(crate) fn is_clear_above(&mut self, low: f32, at: WorldPos) -> Result<bool, Missing> {
        let height = self.body.height() - low;
        let slim = if self.body.radius() > 2.0 * ROUNDING_MARGIN {
            self.body.radius() - ROUNDING_MARGIN
        } else {
            ROUNDING_MARGIN
        };
        let tall = if height > 4.0 * ROUNDING_MARGIN {
            height - 2.0 * ROUNDING_MARGIN
        } else {
            2.0 * ROUNDING_MARGIN
        };
        let upper = Cylinder { radius: slim, height: tall };
        let at = self.raised(at, low + ROUNDING_MARGIN);
        if self.known.clear == Some((upper, at)) {
            return Ok(true);
        }
        let is_clear = self.stays_clear(upper, at) || self.ceiling(upper, at, tall)?.is_none();
        if is_clear {
            self.known.clear = Some((upper, at));
        }
        Ok(is_clear)
    }

    /// Whether a cylinder is surely in no prop, since the body was free elsewhere and there is no face between here
    /// and there. May return false too often.
    fn stays_clear(&self, body: Cylinder, at: WorldPos) -> bool {
        self.known.clear.is_some_and(|(was, from)| {
            was.radius <= body.radius
                && was.height <= body.height
                && self.level.faces.leave_free(body, from, at)
        })
    }

    /// Whether no ground is in the upper part of a body, except for a small margin. Each triangle counts by
    /// itself.
    pub(crate) fn is_clear_of_ground(&mut self, place: WorldPos) -> Result<bool, Missing> {
        if let Some(known) = self.clearances.get(place) {
            return Ok(known);
        }
        let low = self.upper_low;
        let upper = Cylinder {
            radius: self.body.radius(),
            height: self.body.height() - low + ROUNDING_MARGIN,
        };
        let at = self.raised(place, low);
        if self.known.off_ground == Some((upper, at)) {
            return Ok(true);
        }
        let radius = f64::from(upper.radius);
        let is_in_it = !self.level.faces.hold_no_ground(radius, at, 0.0, 0.0) && {
            let solids = near(self.view, self.mask, self.near, upper, at, Vec3::ZERO);
            solids.has_ground_deeper(upper, at, ROUNDING_MARGIN)?
        };
        if is_in_it {
            self.clearances.put(place, false);
        } else {
            self.known.off_ground = Some((upper, at));
            self.clearances.put(place, true);
        }
        Ok(!is_in_it)
    }
}
