//! The order of a tick: what carries and pushes a unit, the way out of what it is in, its own move, and what is told.

use marchland_terrain::glam::Vec3;

use super::mover::{Mover, ShortWalk};
use super::moving_props::carry::CarrierMotion;
use super::space::footing::{Footing, FootingKind};
use super::space::{Missing, Space};
use super::walk::stand::LEVEL;
use crate::units::body::{LeavePlatform, SlopeRule};
use crate::units::command::known_start;
use crate::units::event::{EventKind, LeftGround};
use crate::units::surface::SurfaceResponse;
use crate::units::tick::without_creep;
use crate::units::unit::Motion;
use crate::units::wish::Wish;

/// A pause shorter than this is over: it is the rounding of many ticks. Seconds.
const PAUSE_MIN: f32 = 1e-4;

impl Mover<'_, '_, '_, '_> {
    pub(super) fn tick(&mut self, wish: Wish) -> Result<(), Missing> {
        let (started, ladder_pause) = (self.motion, self.state.ladder_pause);
        let thrown = self.state.is_thrown;
        self.state.is_thrown = false;
        let was_thrown_off = std::mem::take(&mut self.state.is_thrown_off);
        let is_undecided = std::mem::take(&mut self.state.is_undecided);
        let begun = if is_undecided && thrown {
            let Space { view, body, mask, sticky, .. } = &*self.space;
            let known = known_start(*view, self.place, body, *mask, sticky.as_ref());
            known.unwrap_or(Motion::Falling)
        } else {
            started
        };
        // Where the ground was loaded late, only now is it known whether the unit stood there.
        let thrown_off = was_thrown_off || (is_undecided && thrown && begun != Motion::Falling);
        if std::mem::take(&mut self.state.is_moved) && begun == Motion::Falling {
            self.events.push(EventKind::LeftGround { reason: LeftGround::Moved });
        }
        if self.stays_crushed()? {
            return Ok(());
        }
        self.forget_stand();
        self.forget_lost_support();
        self.begin_gliding();
        let under = if thrown_off { self.under_thrown()? } else { self.under_start()? };
        let carried = self.carried(under.as_ref());
        self.turn_with_climbed();
        if thrown_off {
            self.events.push(EventKind::LeftGround { reason: LeftGround::Thrown });
        }
        // A unit that is thrown or jumps moves relative to the platform in this tick, and is carried by it.
        // The platform's velocity is added only afterwards, or the unit would move with the platform twice.
        let is_dropped = thrown && self.space.body.leave_platform() == LeavePlatform::Drop;
        let carried = match is_dropped {
            true => carried,
            false => self.carried_to_line(carried, under.as_ref(), wish.velocity())?,
        };
        // What crushed it until now has gone back further than to where the unit stands on it.
        let mut let_go = self.let_go.iter().flatten();
        let is_let_go = let_go.any(|crusher| Some(crusher.prop) == self.state.support);
        self.carry_and_push((!is_dropped && !is_let_go).then_some(carried.by))?;
        self.note_floor(under.as_ref(), &carried)?;
        if (self.is_pressed || self.is_left_behind()) && self.is_crushed_at(self.place, started)? {
            return Ok(());
        }
        if self.motion == Motion::Walking && self.space.sticky.is_some() {
            // After a change of body or place, it may be lower than sticky ground lets it stand.
            self.rise_to_ground()?;
        }
        // In the open the end of the tick is soon enough.
        let is_low = !self.space.in_the_open && self.is_below_ground();
        let is_out = if is_low { self.rise_free()? } else { self.get_free()? };
        if self.is_pressed && self.is_crushed_at(self.place, started)? {
            return Ok(());
        }
        let has_movers = !self.space.moving_props.ids().is_empty();
        let held = match has_movers {
            true => Some((self.place, self.state, self.events, self.pushed)),
            false => None,
        };
        if is_out {
            let is_free = self.is_free()? || self.is_free_risen()?;
            let safe = is_free.then_some(self.place);
            match safe {
                Some(_) => self.mark_freed(),
                None => self.mark_stuck(0.0),
            }
            let before = self.standing();
            self.move_by(wish)?;
            self.end_free(safe, &before, wish.velocity())?;
            if let Some(from) = safe {
                self.turn_back_once(from, &before, wish)?;
            }
            self.rest_where_it_recurs(safe, &before, wish);
        } else {
            self.velocity = Vec3::ZERO;
        }
        if let Some((place, state, events, pushed)) = held
            && self.is_entered(started)?
        {
            (self.state, self.events, self.pushed) = (state, events, pushed);
            return self.end_at(place, started);
        }
        if let Some(ShortWalk { goal, residue, .. }) = self.short {
            let (is, asked) = (self.place.local(), goal.local());
            let is_there =
                self.place.sector() == goal.sector() && (is.x, is.z) == (asked.x, asked.z);
            self.residue = if is_there { residue } else { [0.0; 2] };
        }
        let carried = if self.is_passed { CarrierMotion::default() } else { carried };
        if (thrown || started != Motion::Falling) && self.motion == Motion::Falling {
            // A stuck unit stays still.
            let velocity = if is_out { carried.velocity } else { Vec3::ZERO };
            let jumped = self.velocity.y > 0.0;
            self.leave_platform(velocity, thrown || jumped)?;
        } else if self.motion != Motion::Walking {
            self.state.support = self.state.support.filter(|_| self.motion == Motion::Climbing);
        }
        if self.motion != Motion::Falling {
            self.state.platform_velocity = [0.0, 0.0];
        }
        self.forget_stand();
        if is_out {
            self.lay_velocity()?;
        }
        self.note_support();
        self.pass_ladder_pause(ladder_pause);
        self.velocity = Vec3::from(self.velocity.to_array().map(without_creep));
        self.emit_contacts()
    }

    /// A unit that does not walk stands neither on anything sticky nor between walls.
    fn forget_stand(&mut self) {
        if self.motion != Motion::Walking {
            (self.state.is_on_sticky, self.state.is_wedged) = (false, false);
        }
    }

    /// Whoever has just left a ladder catches none for some time in the air. `pause` is what was left of that
    /// time when the tick began. Seconds.
    fn pass_ladder_pause(&mut self, pause: f32) {
        let left = pause - self.space.tick.dt;
        if self.motion != Motion::Falling {
            self.state.ladder_pause = 0.0;
        } else if pause > 0.0 {
            self.state.ladder_pause = if left > PAUSE_MIN { left } else { 0.0 };
        }
    }

    /// What is under a standing unit, where that matters before it moves.
    fn under_start(&mut self) -> Result<Option<Footing>, Missing> {
        let is_plain = self.space.surfaces.iter().all(SurfaceResponse::is_plain);
        // A unit that was put on a platform does not know yet that it stands on it.
        let by_normal = self.space.body.slope_rule() != SlopeRule::KeepHorizontalSpeed;
        if self.motion != Motion::Walking {
            return Ok(None);
        }
        let Space { view, mask, reach, has_steep, .. } = &*self.space;
        // Ground that is not in memory may hold anything; it is near only if `has_steep`.
        let may_move = *has_steep || view.live().is_some_and(|live| !live.is_empty());
        let asks = || {
            (may_move && view.has_moving_in(reach, *mask))
                || (by_normal && view.has_props_in(reach, *mask))
        };
        if is_plain && !(self.state.support.is_none() && asks()) {
            return Ok(None);
        }
        let (found, under) = self.under_on_way()?;
        if let Some(under) = under {
            self.state.support = under.prop;
            self.state.normal = if under.prop.is_some() { under.normal } else { Vec3::ZERO };
            return Ok(Some(under));
        }
        let under = found;
        if let Some(under) = under.filter(|under| under.kind == FootingKind::Walkable)
            && self.state.support.is_none()
            && under.prop.is_some()
            && let Some(under) = self.under_before(under)?
        {
            (self.state.support, self.state.normal) = (under.prop, under.normal);
            self.note_support();
        }
        Ok(under)
    }

    /// What a unit stood on before it was thrown off, where that carries units that stand on it.
    fn under_thrown(&mut self) -> Result<Option<Footing>, Missing> {
        if self.space.surfaces.iter().all(SurfaceResponse::is_plain) {
            return Ok(None);
        }
        let feet = self.feet();
        let (found, beside) = self.under_on_way()?;
        let under = beside.or(found);
        // What carries it has risen with it.
        Ok(under.filter(|under| {
            let is_own = under.prop.is_some() && under.prop == self.state.support;
            under.kind == FootingKind::Walkable && (is_own || (under.y - feet).abs() <= LEVEL)
        }))
    }

    pub(super) fn move_by(&mut self, wish: Wish) -> Result<(), Missing> {
        match self.motion {
            Motion::Walking if wish.jumps() => self.jump(wish.velocity()),
            Motion::Walking if self.state.is_wedged => self.walk_wedged(wish.velocity()),
            Motion::Walking => match self.slick_floor() {
                Some(floor) => self.glide(wish.velocity().map(without_creep), floor),
                None => {
                    let velocity = self.request(wish.velocity())?;
                    self.walk_for_tick(wish.velocity(), velocity)
                }
            },
            Motion::Falling => {
                if self.catch_ladder(wish.velocity())? {
                    return Ok(());
                }
                self.steer_in_air(wish.velocity());
                self.fall()
            }
            Motion::Sliding => self.slide(wish.velocity()),
            Motion::Climbing => self.climb(wish.velocity(), wish.jumps()),
        }
    }
}
