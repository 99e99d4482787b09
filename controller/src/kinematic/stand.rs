//! Standing: support at a place, and what is there in its stead.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::Vec3;

use super::footing::{Band, Footing, FootingKind};
use super::mover::Mover;
use super::space::Missing;
use crate::event::EventKind;
use crate::units::Motion;

/// A rise below this is rounding. Metres.
pub(crate) const LEVEL: f32 = 1e-4;

/// What standing at a place comes to.
pub(super) enum Stand {
    /// The unit is there: standing, or without support.
    There,
    /// What is under the disc there is a wall.
    Wall(Footing),
}

impl Mover<'_, '_, '_, '_> {
    /// Stands where it is, if it still can.
    pub(super) fn stay_at(&mut self, place: WorldPos) -> Result<(), Missing> {
        if matches!(self.stand_at(place)?, Stand::Wall(_)) {
            // Grown into from below: what lifts it is a wall until it is out.
            self.lose_support();
        }
        Ok(())
    }

    /// Puts the unit at a place and takes support there; nothing has changed where that is a wall.
    pub(super) fn stand_at(&mut self, at: WorldPos) -> Result<Stand, Missing> {
        let feet = at.local().y;
        let drop = self.drop();
        let band = Band { low: -drop, high: self.space.body.knee() };
        let footing = self.space.footing(at, band)?;
        let Some(footing) = footing else {
            self.place = at;
            self.lose_support();
            return Ok(Stand::There);
        };
        let rise = footing.y - feet;
        match footing.kind {
            FootingKind::Steep if footing.prop.is_some() => {
                if rise > LEVEL {
                    let here = self.place;
                    if !self.steps_from(here)? || !self.space.has_head_room(at, rise)? {
                        return Ok(Stand::Wall(footing));
                    }
                    self.place = self.space.at_height(at, footing.y);
                    self.stand_on(&footing);
                    return Ok(Stand::There);
                }
                self.place = at;
                // Beside what is steep at the feet may be what it stands on.
                match self.space.walkable_footing(at, Band { low: -LEVEL, high: LEVEL })? {
                    Some(level) => {
                        self.place = self.space.at_height(at, level.y);
                        self.stand_on(&level);
                    }
                    None => self.lose_support(),
                }
            }
            FootingKind::Steep => {
                self.place = at;
                if rise < -drop {
                    self.lose_support();
                } else {
                    self.begin_slide_on(&footing);
                }
            }
            FootingKind::Walkable => {
                if rise < -drop || (self.is_suspended && rise < 0.0) {
                    self.place = at;
                    self.lose_support();
                    return Ok(Stand::There);
                }
                if rise > LEVEL && !self.space.has_head_room(at, rise)? {
                    return Ok(Stand::Wall(footing));
                }
                self.place = self.space.at_height(at, footing.y);
                self.stand_on(&footing);
            }
        }
        Ok(Stand::There)
    }

    /// Whether a step from a place would get over what is steep there.
    pub(super) fn steps_from(&mut self, at: WorldPos) -> Result<bool, Missing> {
        let here = std::mem::replace(&mut self.place, at);
        let steps = self.can_step_over();
        self.place = here;
        steps
    }

    /// How far down support is followed.
    fn drop(&self) -> f32 {
        if self.is_suspended {
            0.0
        } else if self.extra.is_on_sticky {
            self.space.body.height()
        } else {
            self.space.body.step_down()
        }
    }

    /// Is supported from here on.
    pub(crate) fn stand_on(&mut self, footing: &Footing) {
        self.motion = Motion::Walking;
        self.is_suspended = false;
        self.velocity.y = 0.0;
        self.extra.support = footing.prop;
        self.extra.normal = if footing.prop.is_some() { footing.normal } else { Vec3::ZERO };
        self.extra.is_on_sticky = self.space.surface(footing.surface).sticky;
        self.extra.is_wedged = false;
    }

    /// Has no support for the rest of the tick: it falls from the next one on.
    pub(crate) fn lose_support(&mut self) {
        if self.motion == Motion::Walking {
            self.motion = Motion::Falling;
            self.velocity.y = 0.0;
            self.is_suspended = true;
            self.extra.is_on_sticky = false;
            self.extra.is_wedged = false;
            self.extra.normal = Vec3::ZERO;
        }
    }

    /// The ground under the unit is too steep to stand on.
    fn begin_slide_on(&mut self, footing: &Footing) {
        if footing.y > self.feet() {
            self.place = self.space.at_height(self.place, footing.y);
        }
        if self.motion != Motion::Sliding {
            self.news.push(EventKind::SlideBegan { speed: 0.0 });
        }
        self.motion = Motion::Sliding;
        self.is_suspended = false;
        self.extra.support = footing.prop;
        self.extra.normal = footing.normal;
        self.extra.is_on_sticky = false;
    }
}
