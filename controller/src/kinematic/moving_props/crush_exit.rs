//! The ways out of what crushes a unit: ahead of it or to a side, never against the direction in which it came.

use marchland_terrain::glam::DVec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::greater;
use marchland_terrain::{PropId, WorldPos};

use super::crush::TOUCH;
use crate::kinematic::mover::Mover;
use crate::kinematic::space::{Missing, Part};
use crate::units::contact_state::{Crusher, Crushers};
use crate::units::unit::Motion;

/// A way that leads less than this against a side does not lead against it. The sine of an angle.
const BESIDE: f64 = 1e-3;

/// The ways out that are tried beside those along sides and along the axes of props, seen from above.
const COMPASS: [DVec3; 8] = {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [
        DVec3::new(1.0, 0.0, 0.0),
        DVec3::new(-1.0, 0.0, 0.0),
        DVec3::new(0.0, 0.0, 1.0),
        DVec3::new(0.0, 0.0, -1.0),
        DVec3::new(H, 0.0, H),
        DVec3::new(-H, 0.0, H),
        DVec3::new(H, 0.0, -H),
        DVec3::new(-H, 0.0, -H),
    ]
};

/// The shortest way out so far.
pub(crate) struct WayOut {
    length: f64,
    pub(crate) place: WorldPos,
    /// Whether it leads all the way.
    pub(crate) is_whole: bool,
}

impl Mover<'_, '_, '_, '_> {
    /// The shortest free way out of what crushes a unit, or a part of one ahead of it.
    pub(crate) fn way_out_of(&mut self, crushers: &Crushers) -> Result<Option<WayOut>, Missing> {
        let mut longest = 0.0;
        for crusher in crushers.iter().flatten() {
            if self.space.moving_props.get(crusher.prop).is_some() {
                let way = self.way_of(Some(crusher.prop));
                longest = greater(way, longest);
            }
        }
        let most = self.aside_left(longest);
        if most <= 0.0 {
            return Ok(None);
        }
        let mut best = None;
        let sides = crushers.map(|one| one.map_or(DVec3::ZERO, |one| one.side.as_dvec3()));
        for (at, side) in sides.into_iter().enumerate() {
            self.try_way_out(crushers, side, (most, true), &mut best)?;
            for other in &sides[..at] {
                let between = (side + *other).normalize_or_zero();
                self.try_way_out(crushers, between, (most, true), &mut best)?;
            }
        }
        for aside in COMPASS {
            self.try_way_out(crushers, aside, (most, false), &mut best)?;
        }
        for crusher in crushers.iter().flatten() {
            let Some(posed) = self.posed_now(crusher.prop) else { continue };
            for axis in posed.prop().placement().rotation().columns() {
                let level = axis.with_y(0.0).normalize_or_zero();
                for aside in [level, -level] {
                    self.try_way_out(crushers, aside, (most, false), &mut best)?;
                }
            }
        }
        Ok(best)
    }

    /// Tries to get out in one direction, by at most so many metres; ahead of what crushes also a part of the
    /// way.
    fn try_way_out(
        &mut self,
        crushers: &Crushers,
        ahead: DVec3,
        (most, takes_part): (f64, bool),
        best: &mut Option<WayOut>,
    ) -> Result<(), Missing> {
        let is_against = |one: &Crusher| one.side.as_dvec3().dot(ahead) < -BESIDE;
        if ahead == DVec3::ZERO || crushers.iter().flatten().any(is_against) {
            return Ok(());
        }
        let mut length = 0.0;
        for crusher in crushers.iter().flatten() {
            let Some(far) = self.exit(crusher.prop, ahead, takes_part, most)? else {
                return Ok(());
            };
            length = greater(far, length);
        }
        let is_whole = length <= most;
        let length = if is_whole { length } else { most };
        let is_worse = |best: &WayOut| best.is_whole && (!is_whole || best.length <= length);
        if !(is_whole || takes_part) || best.as_ref().is_some_and(is_worse) {
            return Ok(());
        }
        let start = self.place;
        let is_down = ahead.y < -BESIDE;
        let walks = self.motion == Motion::Walking && !is_down;
        let part = if walks { Part::Upper } else { Part::Whole };
        let core = self.space.slice(part, 0.0);
        if self.space.sweep_fixed(part, core, start, ahead * length)?.is_some() {
            return Ok(());
        }
        let end = self.space.moved(start, ahead * length);
        self.place = end;
        self.rise_to_ground()?;
        let is_refused = self.space.is_outside(end) || (is_down && self.place != end);
        let is_free = !is_refused
            && match is_whole {
                true => self.is_free_of_all(part)?,
                false => !self.is_in_fixed(part)?,
            };
        let place = std::mem::replace(&mut self.place, start);
        if is_free {
            *best = Some(WayOut { length, place, is_whole });
        }
        Ok(())
    }

    /// Whether nothing is in the body where it is.
    fn is_free_of_all(&mut self, part: Part) -> Result<bool, Missing> {
        let at = self.place;
        let moving_props = self.space.moving_props;
        for (_, way, _) in moving_props.iter() {
            if self.space.depth_in(&way.posed(1.0), part, at)?.is_some() {
                return Ok(false);
            }
        }
        self.is_free()
    }

    /// Whether something fixed is in the body where it is.
    fn is_in_fixed(&mut self, part: Part) -> Result<bool, Missing> {
        let core = self.space.slice(part, 0.0);
        self.space.touching_fixed(part, core, self.place)?;
        Ok(self.space.contacts.deepest().is_some_and(|contact| contact.depth > TOUCH))
    }

    /// How far the body has to go in a direction to be out of a prop with its skin. Metres; `None` if it is in
    /// it even far away.
    fn exit(
        &mut self,
        prop: PropId,
        ahead: DVec3,
        is_far: bool,
        most: f64,
    ) -> Result<Option<f64>, Missing> {
        let Some(posed) = self.posed_now(prop) else { return Ok(Some(0.0)) };
        let body = self.space.body;
        let whole = f64::from(body.height() + 2.0 * body.radius());
        let far = (if is_far && whole > most { whole } else { most }) + f64::from(SKIN);
        let end = self.space.moved(self.place, ahead * far);
        let grown = self.space.slice(Part::Whole, SKIN);
        self.space.touching_posed(&posed, grown, end)?;
        if !self.space.contacts.as_slice().is_empty() {
            return Ok(None);
        }
        let hit = self.space.sweep_posed(&posed, grown, end, ahead * -far)?;
        Ok(Some(hit.map_or(0.0, |hit| far * (1.0 - hit.time))))
    }
}
