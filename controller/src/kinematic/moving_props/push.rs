//! Pushing: what moves takes along who is in its way.
//!
//! ```text
//! the tick, in pieces ─▶ each piece ┬ planes: fixed things and the floor hold, moving props push
//!                                   ├ the motion nearest to that of what carries, or pressed
//!                                   ├ as far as the first thing that is met, by time, then id
//!                                   └ from there on with that plane too
//! ```
//!
//! All moving props go their ways at the same time, and the unit with what carries it. A plane of a mover asks for
//! as much as the mover's point there moves along it in the rest of the piece. Within a piece moving props go
//! straight; pieces are so short that arcs and tilts differ from that by less than the skin. Where no motion
//! is left, the unit is pressed and stays: what is fixed wins ([`crush`](super::crush)).

use marchland_terrain::SurfaceId;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};

use super::MOVING_PROPS_MAX;
use super::piece::{MET_MAX, Push, Touch, put};
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::{Plane, Planes};
use crate::kinematic::space::posed::{Slice, displaced};
use crate::kinematic::space::{CONTACT_MARGIN, Missing, Part, plane_at, plane_of, upright};
use crate::kinematic::walk::STILL;
use crate::kinematic::walk::stand::LEVEL;
use crate::units::unit::Motion;

/// How far an arc may lead beside a straight piece of it, and how far a body's end may tilt in a piece.
/// Metres: parts of the skin. Twice as much would double what is left to be pushed out afterwards; half as
/// much takes half as many pieces more.
const ARC: f64 = 1e-3;
const TILT: f64 = 5e-3;

/// How much of the skin is left of a body that is pressed against something fixed. Metres: with less, rounding
/// brings that under its foot.
const HAIR: f32 = 1e-3;

/// Most pieces of a tick.
const PIECES_MAX: f64 = 256.0;

/// A mover that was deeper than this inside the body when the tick began is not pushed by: the way out of it
/// is found where it ends. Metres: more than a piece leaves.
const ENTERED: f32 = 5e-3;

impl<'v> Mover<'_, '_, 'v, '_> {
    /// Moves with what carries the unit, if anything does, and ahead of what moves against it.
    pub(crate) fn carry_and_push(&mut self, carried: Option<DVec3>) -> Result<(), Missing> {
        let support = self.state.support.filter(|_| carried.is_some());
        let by = carried.unwrap_or(DVec3::ZERO);
        self.carried = by;
        if self.space.moving_props.ids().iter().all(|id| Some(*id) == support) {
            self.carry(by)?;
            self.rise_with_carrier()?;
            // A lift may lead its rider into the ground, where it stays for the rest of the tick if it is held up.
            return if by.y < 0.0 { self.rise_to_ground() } else { Ok(()) };
        }
        let part = if self.motion == Motion::Walking { Part::Upper } else { Part::Whole };
        let mut push = Push {
            carried: by,
            carrier: support.and_then(|support| self.space.moving_props.get(support)),
            part,
            ignored: [None; MOVING_PROPS_MAX],
            met: [None; MET_MAX],
            time: 0.0,
            end: 1.0,
            is_bare: false,
        };
        support.into_iter().for_each(|support| put(&mut push.ignored, support));
        // What has gone out of a body that it crushed, has gone through it.
        self.let_go.iter().flatten().for_each(|crusher| put(&mut push.ignored, crusher.prop));
        self.ignore_entered(&mut push)?;
        let start = self.place;
        let is_plain = self.push_through(&mut push)?;
        let end = self.space.moved(start, by);
        if is_plain && !self.space.is_outside(end) {
            // Nothing was in the way: in one piece, as without moving props.
            self.place = end;
        }
        self.rise_with_carrier()?;
        self.rise_to_ground()?;
        if self.motion == Motion::Falling && !is_plain {
            self.ahead = self.place.relative_to(start, self.space.size).as_dvec3() - by;
        }
        Ok(())
    }

    /// Leaves out the moving props that the body was inside of before they moved.
    fn ignore_entered(&mut self, push: &mut Push<'v>) -> Result<(), Missing> {
        let core = self.space.slice(push.part, 0.0);
        let moving_props = self.space.moving_props;
        for (id, way, _) in moving_props.iter() {
            self.space.touching_posed(&way.posed(0.0), core, self.place)?;
            if self.space.contacts.as_slice().iter().any(|contact| contact.depth > ENTERED) {
                put(&mut push.ignored, id);
            }
        }
        Ok(())
    }

    /// Goes through the tick, piece by piece. Returns whether nothing was in the way.
    fn push_through(&mut self, push: &mut Push<'v>) -> Result<bool, Missing> {
        let pieces = self.pieces();
        let mut is_plain = true;
        for piece in 0..pieces {
            push.end = f64::from(piece + 1) / f64::from(pieces);
            push.met = [None; MET_MAX];
            for met in 0..=MET_MAX {
                if met == MET_MAX {
                    // The rest of the piece leads into more than is told apart.
                    return Ok(self.is_pressed_from(push.time));
                }
                let wanted = self.carried_in(push);
                let Some(motion) = self.pushed_motion(push, wanted)? else {
                    return Ok(self.is_pressed_from(push.time));
                };
                is_plain &= motion == wanted;
                let before = self.place;
                let (part, is_hit) = self.go_pushed(push, motion, wanted.length())?;
                if self.is_pressed {
                    return Ok(self.is_pressed_from(push.time));
                }
                let shoved = self.shoved + (motion - wanted).length() * part;
                if self.is_beyond_aside(shoved) {
                    self.place = before;
                    return Ok(self.is_pressed_from(push.time));
                }
                self.shoved = shoved;
                push.time += (push.end - push.time) * part;
                if !is_hit {
                    break;
                }
                is_plain = false;
            }
            push.time = push.end;
        }
        Ok(is_plain)
    }

    /// From a part of the tick on the unit is pressed, and stays. Returns that something was in the way.
    fn is_pressed_from(&mut self, time: f64) -> bool {
        (self.is_pressed, self.pressed_from) = (true, time);
        false
    }

    /// The number of pieces that a tick takes.
    fn pieces(&self) -> u32 {
        let body = self.space.body;
        let tall = f64::from(body.radius() + body.height());
        let mut most = 1.0;
        let moving_props = self.space.moving_props;
        for (_, way, length) in moving_props.iter() {
            let (angle, tilt) = way.turns();
            // The sagitta of an arc of length l and angle a is l · a / 8, and n² times less in n pieces.
            for pieces in [(length * angle / (8.0 * ARC)).sqrt(), tilt * tall / TILT] {
                most = greater(pieces, most);
            }
        }
        (lesser(most, PIECES_MAX)).ceil() as u32
    }

    /// How far the unit is carried in the rest of a piece.
    fn carried_in(&self, push: &Push<'v>) -> DVec3 {
        let Some(way) = push.carrier else { return push.carried * (push.end - push.time) };
        let carried = |from, to| displaced(&way, self.place, Vec3::ZERO, from, to);
        // What is beside the prop's own motion is a conveyor's.
        let belt = push.carried - carried(0.0, 1.0);
        let belt = if belt.length() > STILL { belt } else { DVec3::ZERO };
        carried(push.time, push.end) + belt * (push.end - push.time)
    }

    /// The motion in the rest of a piece that is nearest to the one that is wanted. `None` if there is none.
    fn pushed_motion(
        &mut self,
        push: &mut Push<'v>,
        wanted: DVec3,
    ) -> Result<Option<DVec3>, Missing> {
        let mut pushers = Planes::new();
        self.add_pushers(push, &mut pushers)?;
        // What is steep shoves a walker along, and lifts it only where it cannot go along.
        let walls = self.steep_as_walls(&pushers);
        for (is_bare, pushers) in
            [(push.is_bare, &walls), (push.is_bare, &pushers), (true, &pushers)]
        {
            let mut planes = pushers.clone();
            self.add_floor(push, wanted, &mut planes)?;
            self.add_fixed(push.part, is_bare, &mut planes)?;
            for met in push.met.iter().flatten().filter(|met| met.mover.is_none()) {
                // What was met with the skin on may be neared by the skin.
                let depth = if is_bare && !push.is_bare { -f64::from(SKIN) } else { 0.0 };
                planes.push(Plane { depth, ..met.plane });
            }
            let motion = planes.nearest(wanted);
            if motion.is_some() {
                push.is_bare = is_bare;
                for plane in pushers.as_slice().iter().filter(|plane| plane.depth > 0.0) {
                    self.record_push(push, plane, plane.depth);
                }
                return Ok(motion);
            }
        }
        Ok(None)
    }

    /// The planes of moving props that the unit touches or has met.
    fn add_pushers(&mut self, push: &Push<'v>, planes: &mut Planes) -> Result<(), Missing> {
        let grown = self.space.slice(push.part, SKIN + CONTACT_MARGIN);
        let low = grown.1;
        let moving_props = self.space.moving_props;
        for (id, way, _) in push.pushers(moving_props) {
            self.space.touching_posed(&way.posed(push.time), grown, self.place)?;
            let asked = |normal: DVec3, point: Vec3| {
                displaced(&way, self.place, point, push.time, push.end).dot(normal)
            };
            for contact in self.space.contacts.as_slice() {
                // As the planes keep it: how far it is to be gone along depends on its length.
                let normal = contact.normal.as_dvec3().normalize_or(DVec3::Y);
                let over = f64::from(contact.depth) - f64::from(SKIN + CONTACT_MARGIN);
                let over = greater(over, 0.0);
                let depth = asked(normal, contact.point + Vec3::Y * low);
                // What goes away has not come in on this side: a thin one that is outrun has two.
                let goes_away = over > 0.0 && depth < 0.0;
                if goes_away {
                    continue;
                }
                planes.push(Plane { normal, depth: depth + over, ..plane_at(contact) });
            }
            for met in push.met.iter().flatten().filter(|met| met.mover == Some(id)) {
                planes.push(Plane { depth: asked(met.plane.normal, met.point), ..met.plane });
            }
        }
        Ok(())
    }

    /// The planes of moving props as they push a walking unit: those of steep faces upright, so that it goes as far along as
    /// they come.
    fn steep_as_walls(&self, pushers: &Planes) -> Planes {
        let mut walls = Planes::new();
        for plane in pushers.as_slice() {
            let up = plane.normal.y;
            let is_steep = self.motion == Motion::Walking
                && up > 0.0
                && !self.space.is_walkable(up, SurfaceId(plane.surface), true);
            let wall = if is_steep { upright(*plane) } else { None };
            let level = (1.0 - up * up).sqrt();
            walls.push(wall.map_or(*plane, |wall| Plane { depth: plane.depth / level, ..wall }));
        }
        walls
    }

    /// Records what pushes, which comes along its plane by so many metres in the rest of a piece. What can be stood on
    /// only comes up under the feet of who walks.
    fn record_push(&mut self, push: &Push<'_>, plane: &Plane, by: f64) {
        let is_under =
            self.motion == Motion::Walking && self.space.body.can_stand_on(plane.normal.y);
        if !is_under && !self.outruns(push, plane.normal, by) {
            self.record_plane(plane);
        }
    }

    /// Whether a body in the air goes ahead of a mover by itself, which comes along a normal by so many metres in the rest
    /// of a piece: it is pushed in place of its own way, and touches nothing.
    fn outruns(&self, push: &Push<'_>, normal: DVec3, by: f64) -> bool {
        let seconds = f64::from(self.space.tick.dt) * (push.end - push.time);
        self.motion == Motion::Falling
            && by > 0.0
            && self.velocity.as_dvec3().dot(normal) * seconds >= by
    }

    /// The floor under a walking unit, which nothing presses it into: it moves with what carries the unit. Under
    /// all others the ground.
    fn add_floor(
        &mut self,
        push: &Push<'v>,
        wanted: DVec3,
        planes: &mut Planes,
    ) -> Result<(), Missing> {
        if self.motion != Motion::Walking {
            return self.add_ground(planes);
        }
        let ground = self.space.ground_footing(self.place)?;
        let ground = ground.filter(|ground| self.feet() - ground.y < LEVEL);
        let normal = ground.map_or(DVec3::Y, |ground| ground.normal.as_dvec3());
        let depth = wanted.dot(normal);
        let depth = match ground {
            Some(_) => lesser(depth, 0.0),
            None => greater(depth, self.rim_rise(push)),
        };
        planes.push(Plane::new(normal, depth));
        Ok(())
    }

    /// How far the highest point under the foot disc rises with what carries the unit in the rest of a piece: where that
    /// tilts, more than the middle.
    fn rim_rise(&self, push: &Push<'v>) -> f64 {
        let up = self.state.normal.with_y(0.0).normalize_or_zero() * -self.space.body.radius();
        let rise = |way| displaced(&way, self.place, up, push.time, push.end).y;
        push.carrier.map_or(f64::NEG_INFINITY, rise)
    }

    /// The planes of what is fixed.
    fn add_fixed(&mut self, part: Part, is_bare: bool, planes: &mut Planes) -> Result<(), Missing> {
        let grown = self.space.slice(part, SKIN + CONTACT_MARGIN);
        self.space.touching_fixed(part, grown, self.place)?;
        for contact in self.space.contacts.as_slice() {
            let free = f64::from(SKIN + CONTACT_MARGIN - contact.depth - HAIR);
            let depth = if is_bare && free > 0.0 { -free } else { 0.0 };
            planes.push(Plane { depth, ..plane_at(contact) });
        }
        Ok(())
    }

    /// Goes along a motion of the rest of a piece, the nearest to one of `wanted` metres, until the first thing
    /// that is met. Returns the part of it that was free, and whether anything was met.
    fn go_pushed(
        &mut self,
        push: &mut Push<'v>,
        motion: DVec3,
        wanted: f64,
    ) -> Result<(f64, bool), Missing> {
        let part = push.part;
        let own = self.space.slice(part, if push.is_bare { HAIR } else { SKIN });
        let length = motion.length();
        let hit = if length > STILL {
            let eased = push.eased(motion, None, length + wanted);
            self.space.sweep_fixed(part, own, self.place, eased)?
        } else {
            None
        };
        let mut first = hit.map(|hit| (hit, None));
        let grown: Slice = self.space.slice(part, SKIN);
        let middle = Vec3::Y * (grown.1 + 0.5 * grown.0.height);
        let at = self.place;
        let comes = |way| displaced(&way, at, middle, push.time, push.end);
        let moving_props = self.space.moving_props;
        for (id, way, _) in push.pushers(moving_props) {
            let apart = motion - comes(way);
            if apart.length() <= STILL {
                continue;
            }
            let posed = way.posed(push.time);
            let eased = push.eased(apart, Some(id), length + apart.length());
            let hit = self.space.sweep_posed(&posed, grown, self.place, eased)?;
            if let Some(hit) = hit
                && first.as_ref().is_none_or(|(first, _)| hit.time < first.time)
            {
                first = Some((hit, Some(id)));
            }
        }
        let time = first.as_ref().map_or(1.0, |(hit, _)| hit.time);
        let to = self.space.moved(self.place, motion * time);
        let stop = if self.motion == Motion::Walking {
            self.line_before(motion * time, to)?
        } else {
            None
        };
        if self.space.is_outside(to) || stop.is_some_and(|stop| stop.is_edge) {
            self.is_pressed = true;
            return Ok((0.0, false));
        }
        self.place = to;
        self.rise_to_ground()?;
        let Some((hit, mover)) = first else { return Ok((1.0, false)) };
        let plane = plane_of(&hit);
        let plane = Plane { normal: plane.normal.normalize_or(DVec3::Y), ..plane };
        let way = mover.and_then(|id| moving_props.get(id));
        let by = way.map_or(0.0, |way| comes(way).dot(plane.normal));
        self.record_push(push, &plane, by);
        // Seen from where the feet are now.
        let point = hit.point + Vec3::Y * grown.1 - (motion * time).as_vec3();
        put(&mut push.met, Touch { plane, point, mover });
        Ok((time, true))
    }
}
