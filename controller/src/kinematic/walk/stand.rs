//! Support at a place: up what the knee absorbs (a kerb), down as far as it is followed; a wall or a fall where there
//! is none.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};

use crate::kinematic::mover::{EventList, Mover};
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::{Band, Footing, FootingKind};
use crate::units::contact_state::ContactState;
use crate::units::event::EventKind;
use crate::units::unit::Motion;

/// A rise below this is rounding. Metres.
pub(crate) const LEVEL: f32 = 1e-4;

/// Who moves by less than this part of a walk stands still.
pub(crate) const STANDS: f64 = 0.01;

/// A stretch up to this part of the radius leads down at most one step, because treads are longer. On longer
/// ones steps are followed one by one.
const LONG_STRETCH: f64 = 0.25;

/// The state of a unit at the beginning or the end of a stretch, and what was told until then.
#[derive(Clone, Copy)]
pub(crate) struct Standing {
    pub(crate) place: WorldPos,
    velocity: Vec3,
    pub(crate) motion: Motion,
    pub(crate) state: ContactState,
    is_suspended: bool,
    pub(crate) events: EventList,
}

impl Standing {
    /// The same elsewhere.
    pub(crate) fn moved_to(self, place: WorldPos) -> Self {
        Self { place, ..self }
    }
}

/// The result of standing at a place.
pub(crate) enum Stand {
    /// The unit is there: standing, or without support.
    There,
    /// The support under the disc there is a wall.
    Wall(Footing),
}

impl Mover<'_, '_, '_, '_> {
    /// Stands where it is, if it still can.
    pub(crate) fn stay_at(&mut self, place: WorldPos) -> Result<(), Missing> {
        if matches!(self.stand_at(place)?, Stand::Wall(_)) {
            // Something has entered the body from below: it is a wall until the unit is out of it. Beside it there
            // may be something to stand on.
            self.stand_beside(place, -LEVEL)?;
        }
        Ok(())
    }

    /// Puts the unit at a place and takes support there. Nothing changes if the support is a wall.
    pub(crate) fn stand_at(&mut self, at: WorldPos) -> Result<Stand, Missing> {
        let feet = at.local().y;
        let drop = self.drop();
        let low = -drop - self.space.hair;
        let band = Band { low, high: self.space.body.knee() + self.space.hair };
        let footing = self.space.footing(at, band)?;
        let Some(footing) = footing else {
            self.place = at;
            self.lose_support();
            return Ok(Stand::There);
        };
        let rise = footing.y - feet;
        let drop = self.drop_to(&footing);
        match footing.kind {
            FootingKind::Steep if footing.prop.is_some() && rise >= -drop - self.space.hair => {
                if rise > LEVEL {
                    let here = self.place;
                    if !self.is_led_back()
                        && self.steps_from(here)?
                        && self.space.has_head_room(at, rise)?
                    {
                        self.place = self.space.at_height(at, footing.y);
                        self.stand_on(&footing);
                        return Ok(Stand::There);
                    }
                    return if self.is_cornered {
                        self.stand_below(at, footing, band)
                    } else {
                        Ok(Stand::Wall(footing))
                    };
                }
                self.place = at;
                // Beside a steep prop at the feet there may be something to stand on, lower by no more than what brings
                // that as far as the skin into the foot.
                let level = footing.normal.with_y(0.0).length();
                let into_skin = SKIN * level / greater(footing.normal.y, f32::EPSILON);
                let low = greater(lesser(rise, 0.0) - into_skin, -drop);
                self.stand_beside(at, lesser(low, -LEVEL))?;
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
                let hair = if footing.prop.is_some() { self.space.hair } else { 0.0 };
                let lowest = -drop - hair;
                if rise < lowest || (self.is_suspended && rise < 0.0) {
                    self.place = at;
                    self.lose_support();
                    return Ok(Stand::There);
                }
                if rise > LEVEL && !self.space.has_head_room_from(self.place, at, rise)? {
                    return Ok(Stand::Wall(footing));
                }
                self.place = self.space.at_height(at, footing.y);
                self.stand_on(&footing);
            }
        }
        Ok(Stand::There)
    }

    /// Stands at a place on what can be stood on below something steep that has come into the foot: that is a wall to
    /// who comes deeper into it, and to nobody who goes away or along.
    fn stand_below(&mut self, at: WorldPos, steep: Footing, band: Band) -> Result<Stand, Missing> {
        let was = self.space.footing(self.place, band)?;
        if was.is_none_or(|was| was.kind != FootingKind::Steep || was.y < steep.y) {
            return Ok(Stand::Wall(steep));
        }
        let Some(below) = self.space.walkable_footing(at, band)? else {
            return Ok(Stand::Wall(steep));
        };
        let rise = below.y - at.local().y;
        if rise > LEVEL && !self.space.has_head_room_from(self.place, at, rise)? {
            return Ok(Stand::Wall(steep));
        }
        self.place = self.space.at_height(at, below.y);
        self.stand_on(&below);
        Ok(Stand::There)
    }

    /// Stands on what can be stood on at a place, from `low` metres above the feet to level with them, or loses support.
    fn stand_beside(&mut self, at: WorldPos, low: f32) -> Result<(), Missing> {
        match self.space.walkable_footing(at, Band { low, high: LEVEL })? {
            Some(level) => {
                self.place = self.space.at_height(at, level.y);
                self.stand_on(&level);
            }
            None => self.lose_support(),
        }
        Ok(())
    }

    /// The start of a walk that is long enough to lead down more than one step.
    pub(crate) fn long_stretch_from(&self, way: DVec3) -> Option<Standing> {
        let long = LONG_STRETCH * f64::from(self.space.body.radius());
        // In the open support is taken only at the end, as for a unit that follows.
        let is_long = !self.space.in_the_open
            && self.motion == Motion::Walking
            && way.length() > long * 1.000_001;
        is_long.then(|| self.standing())
    }

    pub(crate) fn standing(&self) -> Standing {
        let Self { place, velocity, motion, state, is_suspended, events, .. } = *self;
        Standing { place, velocity, motion, state, is_suspended, events }
    }

    pub(crate) fn set_standing(&mut self, to: &Standing) {
        (self.place, self.velocity, self.motion) = (to.place, to.velocity, to.motion);
        (self.state, self.is_suspended, self.events) = (to.state, to.is_suspended, to.events);
    }

    /// The same at a place, at rest there.
    pub(crate) fn rest_at(&mut self, place: WorldPos, to: &Standing) {
        let (velocity, is_suspended) = (Vec3::ZERO, false);
        self.set_standing(&Standing { place, velocity, is_suspended, ..*to });
    }

    /// Is supported from here on.
    pub(crate) fn stand_on(&mut self, footing: &Footing) {
        self.motion = Motion::Walking;
        self.is_suspended = false;
        self.velocity.y = 0.0;
        self.state.support = footing.prop;
        self.state.normal = if footing.prop.is_some() { footing.normal } else { Vec3::ZERO };
        self.state.is_on_sticky = self.space.surface(footing.surface).sticky;
        self.state.is_wedged = false;
    }

    /// Has no support for the rest of the tick, and falls from the next one on.
    pub(crate) fn lose_support(&mut self) {
        if self.motion == Motion::Walking {
            self.motion = Motion::Falling;
            self.velocity.y = 0.0;
            self.is_suspended = true;
            self.state.is_on_sticky = false;
            self.state.is_wedged = false;
            self.state.normal = Vec3::ZERO;
        }
    }

    /// Slides, because the ground under the unit is too steep to stand on.
    fn begin_slide_on(&mut self, footing: &Footing) {
        if footing.y > self.feet() {
            self.place = self.space.at_height(self.place, footing.y);
        }
        if self.motion != Motion::Sliding {
            self.events.push(EventKind::SlideBegan { speed: 0.0 });
        }
        self.motion = Motion::Sliding;
        self.is_suspended = false;
        self.state.support = footing.prop;
        self.state.normal = footing.normal;
        self.state.is_on_sticky = false;
    }
}
