//! Getting out of overlaps: pushed out the shortest way, or back to where the unit was free.

pub(super) mod aside;
pub(super) mod overlaps;
pub(super) mod prop_exit;

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::lesser;
use marchland_terrain::{Ground, PropId, WorldPos};

use self::aside::longest_aside;
use self::overlaps::allowed_at_rest;
use super::mover::Mover;
use super::planes::{Plane, Planes};
use super::space::level::Blocking;
use super::space::{INSIDE, Missing, Part, plane_at};
use super::walk::stand::{LEVEL, Standing};
use crate::units::event::EventKind;
use crate::units::unit::Motion;

/// Most times that a unit is pushed in a tick.
const PUSHES_MAX: usize = 4;

/// Nudges that are tried where no push helps, in units of the radius plus the skin: the last resort.
const NUDGES: [Vec3; 6] = [Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::NEG_Y];

impl Mover<'_, '_, '_, '_> {
    /// Raises a unit that is below the ground: y = max(y, ground).
    pub(crate) fn rise_to_ground(&mut self) -> Result<(), Missing> {
        // Over a hole there is no ground: its rim supports units that come from above, and lifts none.
        if matches!(self.space.ground(self.place), Ground::Height(_))
            && let Some(ground) = self.space.ground_footing(self.place)?
            && ground.y > self.feet()
        {
            self.place = self.space.at_height(self.place, ground.y);
        }
        Ok(())
    }

    /// Gets free where the unit is below the ground, where there may be more room, and then on the ground.
    pub(crate) fn rise_free(&mut self) -> Result<bool, Missing> {
        let (is_stuck, events) = (self.state.is_stuck, self.events);
        self.get_free()?;
        (self.state.is_stuck, self.events) = (is_stuck, events);
        self.rise_to_ground()?;
        self.get_free()
    }

    /// Whether the ground under the middle is below the feet.
    pub(crate) fn is_above_ground(&mut self) -> bool {
        let feet = self.feet() - LEVEL;
        matches!(self.space.ground(self.place), Ground::Height(ground) if ground < feet)
    }

    /// Whether the feet are below the ground under them.
    pub(crate) fn is_below_ground(&mut self) -> bool {
        matches!(self.space.ground(self.place), Ground::Height(ground) if ground > self.feet())
    }

    /// The end of a tick: above the ground, and free. A unit that is not free goes out the shortest way, or
    /// back to where it was free, with its state from there.
    pub(crate) fn end_free(
        &mut self,
        safe: Option<WorldPos>,
        before: &Standing,
        wish: [f32; 2],
    ) -> Result<(), Missing> {
        self.rise_to_ground()?;
        if self.is_free()? {
            let slides = self.motion == Motion::Sliding || before.motion == Motion::Sliding;
            return safe
                .filter(|_| slides)
                .map_or(Ok(()), |from| self.get_on(wish, (from, before.motion)));
        }
        let end = self.place;
        let events = self.events;
        if self.get_free()? && self.is_free()? && !self.is_farther_than_back(end, safe, before) {
            return safe.map_or(Ok(()), |from| self.get_on(wish, (from, before.motion)));
        }
        self.events = events;
        self.place = end;
        if let Some(safe) = safe {
            self.rest_at(safe, before);
            self.glided = None;
            if matches!(self.motion, Motion::Sliding | Motion::Falling) && self.is_wedged_here()? {
                self.stand_wedged(0.0);
            }
            self.rise_to_ground()?;
            self.get_on(wish, (safe, before.motion))?;
        }
        // Told wherever it ends: whoever stays here does not get out by itself.
        if !self.is_free()? && !self.rises_onto_slope()? {
            self.mark_stuck(0.0);
        }
        Ok(())
    }

    /// Whether a walking unit got out farther away than where it was free before, or farther from there than a walk
    /// leads.
    fn is_farther_than_back(
        &self,
        end: WorldPos,
        safe: Option<WorldPos>,
        before: &Standing,
    ) -> bool {
        let Some(safe) = safe.filter(|_| before.motion == Motion::Walking) else { return false };
        let apart = |to: WorldPos, from| f64::from(to.relative_to(from, self.space.size).length());
        let (out, back) = (apart(self.place, end), apart(safe, end));
        out > f64::from(SKIN) && (out > back || apart(self.place, safe) > longest_aside(back))
    }

    /// Whether nothing is in the upper part of the body.
    pub(crate) fn is_free(&mut self) -> Result<bool, Missing> {
        if !self.space.is_clear(self.place)? {
            return Ok(false);
        }
        Ok(!self.space.has_steep || self.space.is_clear_of_ground(self.place)?)
    }

    /// Whether nothing is in it where it rises with the ground beside its middle: a low knee may be put lower.
    #[cold]
    pub(crate) fn is_free_risen(&mut self) -> Result<bool, Missing> {
        self.rise_to_ground()?;
        self.is_free()
    }

    /// Whether a standing unit is in nothing, and nothing that moves is in its skin.
    fn is_free_at_rest(&mut self) -> Result<bool, Missing> {
        if !self.space.moving_props.ids().is_empty() {
            return Ok(false);
        }
        let walls = self.space.walls(Blocking::All(Part::Upper), self.place)?;
        let is_at_rest = walls.depth() <= INSIDE && !walls.has_moving();
        Ok(is_at_rest && self.is_free()?)
    }

    /// Gets out of what the unit overlaps, by at most the radius, the skin and the motion of what pushes it.
    /// Returns whether it is out.
    pub(crate) fn get_free(&mut self) -> Result<bool, Missing> {
        let part = if self.motion == Motion::Walking { Part::Upper } else { Part::Whole };
        if part == Part::Upper && self.is_free_at_rest()? {
            return Ok(true);
        }
        let (start, pushed) = (self.place, self.pushed);
        let mut pusher = None;
        for _ in 0..PUSHES_MAX {
            let Some(worst) = self.overlapped(part)? else { return Ok(true) };
            if !self.push_once(part, worst, &mut pusher)? {
                break;
            }
        }
        match self.overlapped(part)? {
            None => Ok(true),
            // What comes closer is only in the skin: there is no hurry, and the unit may move out of the way
            // by itself.
            Some(_) if pusher.is_none() && self.is_skin_deep(part)? => Ok(true),
            Some(depth) => self.give_up(part, depth, pusher, (start, pushed)),
        }
    }

    /// Whether what a body overlaps, whose contacts are known, is in its skin alone.
    fn is_skin_deep(&mut self, part: Part) -> Result<bool, Missing> {
        if part == Part::Upper {
            return self.is_free();
        }
        let mut contacts = self.space.contacts.as_slice().iter();
        Ok(!contacts.any(|contact| f64::from(contact.depth) > allowed_at_rest(contact)))
    }

    /// Pushes a body out of everything it overlaps; the deepest overlap is `worst` metres. Returns whether
    /// another push may help.
    fn push_once(
        &mut self,
        part: Part,
        worst: f64,
        pusher: &mut Option<PropId>,
    ) -> Result<bool, Missing> {
        let mut pushes = self.push_planes()?;
        self.keep_above_ground(&mut pushes)?;
        let meets_ground = part == Part::Whole && self.space.meets_ground(Part::Upper);
        if meets_ground {
            self.keep_beside_ground(&mut pushes)?;
        }
        if let Some(moving) = self.pushing() {
            *pusher = Some(moving);
        }
        let most = self.aside_left(self.way_of(*pusher));
        let out = match pushes.nearest(DVec3::ZERO) {
            Some(out) => out,
            None if self.space.is_moving_in_touch() => return Ok(false),
            None => match self.space.way_from_middle(part, self.place)? {
                Some(out) => out,
                None => return Ok(false),
            },
        };
        let length = out.length();
        if length <= INSIDE * 0.1 || most <= 0.0 {
            return Ok(false);
        }
        if length > most && pusher.is_some() {
            return Ok(false); // what presses it decides where it goes instead, from where it is
        }
        let out = if length > most { out * (most / length) } else { out };
        // Never through a face: what is overlapped now does not stop it, everything else does.
        let hit = self.space.sweep_core(self.place, out)?;
        let mut time = hit.map_or(1.0, |hit| hit.time);
        if meets_ground {
            let ground = self.space.sweep(Part::Upper, self.place, out)?;
            let ground = ground.filter(|hit| hit.triangle.prop().is_none());
            time = ground.map_or(time, |hit| lesser(hit.time, time));
        }
        let to = self.space.moved(self.place, out * time);
        if self.space.is_outside(to) {
            return Ok(false);
        }
        self.place = to;
        self.rise_to_ground()?;
        self.pushed += out.length() * time;
        let is_last = length > most || (time < 1.0 && worst <= 0.0);
        Ok(!is_last)
    }

    /// Adds the ground that the unit stands on: no push leads into that.
    pub(crate) fn keep_above_ground(&mut self, planes: &mut Planes) -> Result<(), Missing> {
        if let Some(ground) = self.space.ground_footing(self.place)?
            && self.feet() - ground.y < LEVEL
        {
            let normal = ground.normal.as_dvec3();
            planes.push(Plane { normal, depth: 0.0, triangle: None, surface: ground.surface.0 });
        }
        Ok(())
    }

    /// Prevents pushes of a body in the air, or on a slope, into the steep ground beside it. Leaves the contacts of the
    /// whole body.
    #[inline(never)]
    fn keep_beside_ground(&mut self, planes: &mut Planes) -> Result<(), Missing> {
        self.space.touching(Part::Upper, self.place)?;
        for contact in self.space.contacts.as_slice() {
            if contact.triangle.prop().is_none() {
                planes.push(Plane { depth: 0.0, ..plane_at(contact) });
            }
        }
        self.space.touching(Part::Whole, self.place)
    }

    /// Adds the ground under the middle of a body in the air or on a slope, as far below its feet as it is: what leans
    /// over the body would press it into the ground, and the ground lift it into what leans over it.
    pub(crate) fn add_ground(&mut self, planes: &mut Planes) -> Result<(), Missing> {
        // The rim of a hole lifts nobody.
        if !matches!(self.space.ground(self.place), Ground::Height(_)) {
            return Ok(());
        }
        let Some(ground) = self.space.ground_footing(self.place)? else { return Ok(()) };
        let gap = f64::from(self.feet() - ground.y);
        // Far below it may be another face that is met.
        if gap < f64::from(self.space.body.radius()) {
            let normal = ground.normal.as_dvec3();
            let depth = if gap > 0.0 { -gap * normal.y } else { 0.0 };
            planes.push(Plane { normal, depth, triangle: None, surface: ground.surface.0 });
        }
        Ok(())
    }

    /// No push has helped: crushed, on the way out, or stuck. Returns whether the unit may move on its own.
    #[cold]
    fn give_up(
        &mut self,
        part: Part,
        depth: f64,
        pusher: Option<PropId>,
        (start, pushed): (WorldPos, f64),
    ) -> Result<bool, Missing> {
        if pusher.is_some() {
            self.is_pressed = true;
            return Ok(true);
        }
        // It walks from the next tick on: no fall is as fast as a request.
        if part == Part::Whole && self.stands_in_air(start)? {
            self.pushed = pushed;
            return Ok(false);
        }
        if f64::from(self.place.relative_to(start, self.space.size).length()) > INSIDE {
            // With its foot alone in something, the way that leads out in later ticks may lead through it.
            let led = self.place;
            let is_led_in = part == Part::Whole && !self.is_free()? && {
                self.place = start;
                self.is_free()?
            };
            if !is_led_in {
                self.place = led;
                // With its foot alone in something, it is only on its way out.
                if part == Part::Upper || !self.is_free()? {
                    self.mark_stuck(depth as f32);
                }
                return Ok(false);
            }
            self.pushed = pushed;
        }
        let start = self.place;
        let nudges = if self.pushed > INSIDE { &NUDGES[..0] } else { &NUDGES[..] };
        for &nudge in nudges {
            let by = nudge.as_dvec3() * f64::from(self.space.body.radius() + SKIN);
            self.place = self.space.moved(start, by);
            if self.space.is_outside(self.place) {
                continue;
            }
            self.rise_to_ground()?;
            // It takes far longer to say how it gets out than that it is in something.
            if self.is_free()? && self.overlapped(part)?.is_none() {
                let free = self.space.sweep_core(start, by)?.is_none();
                if free {
                    self.pushed += by.length();
                    return Ok(true);
                }
            }
        }
        self.place = start;
        if part == Part::Whole && self.is_free()? && self.is_wedged_here()? {
            self.stand_wedged(0.0);
            return Ok(false);
        }
        self.mark_stuck(depth as f32);
        Ok(false)
    }

    /// Marks a unit that is not free and has no known way out.
    pub(crate) fn mark_stuck(&mut self, depth: f32) {
        if !self.state.is_stuck {
            self.state.is_stuck = true;
            self.events.push(EventKind::Stuck { depth });
        }
    }

    pub(crate) fn mark_freed(&mut self) {
        if self.state.is_stuck {
            self.state.is_stuck = false;
            self.events.push(EventKind::Freed);
        }
    }
}
