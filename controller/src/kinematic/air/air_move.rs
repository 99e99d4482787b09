//! Falling and sliding: the whole body in space, against everything solid.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::greater;
use marchland_terrain::query::Impact;

use crate::kinematic::depenetrate::overlaps::UPRIGHT;
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::{Plane, Planes};
use crate::kinematic::slick::along;
use crate::kinematic::space::footing::{Footing, FootingKind};
use crate::kinematic::space::level::SLOP;
use crate::kinematic::space::{CONTACT_MARGIN, INSIDE, Missing, Part, plane_at, plane_of, upright};
use crate::kinematic::walk::STILL;
use crate::limits::SLIDES_MAX;
use crate::units::event::EventKind;
use crate::units::unit::Motion;

/// The result of a flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FlightResult {
    /// Covered the whole motion, or as much of it as was possible.
    On,
    /// Stands on something, with this part of the motion left.
    Stood { left: f64, normal: DVec3, surface: u8 },
    /// Bounces off something that cannot be stood on, with this part of the motion left.
    Bounces { left: f64, off: Plane },
}

impl Mover<'_, '_, '_, '_> {
    /// Moves through the air by a motion, along whatever is in the way; `to` is where it ends if
    /// nothing is. Stops where the body comes down on something that can be stood on.
    pub(crate) fn collide_and_slide(
        &mut self,
        wanted: DVec3,
        to: WorldPos,
    ) -> Result<FlightResult, Missing> {
        let length = wanted.length();
        let (mut left, mut is_straight, mut grazes) = (1.0_f64, true, false);
        self.met.clear();
        if length <= STILL && self.space.in_the_open && self.line_before(wanted, to)?.is_none() {
            self.place = to; // even the smallest move counts, as in following
            return Ok(FlightResult::On);
        }
        for _ in 0..=SLIDES_MAX {
            if left * length <= STILL {
                break;
            }
            let rest = wanted * left;
            let planes = self.around()?;
            if let Some(floor) = self.floor_touched.filter(|floor| rest.dot(floor.normal) < 0.0) {
                // A low knee absorbs not even that.
                self.place = self.space.raised(self.place, floor.depth as f32);
                floor.prop().into_iter().for_each(|prop| self.props_met.push(prop, floor.normal));
                return Ok(FlightResult::Stood {
                    left,
                    normal: floor.normal,
                    surface: floor.surface,
                });
            }
            if let Some(off) = self.bounces_off_touched(&planes, left) {
                return Ok(FlightResult::Bounces { left, off });
            }
            let motion = self.turned(&planes, rest);
            let motion = if motion == rest && !grazes {
                rest
            } else if is_pressed_down(&planes, motion, rest) {
                self.kept_above_ground(&planes, motion)?
            } else {
                planes.eased(motion)
            };
            // What turns the motion aside turns the velocity aside too.
            for plane in planes.as_slice() {
                if plane.normal.dot(rest) < -1e-9 * rest.length() {
                    self.meet(Plane { depth: 0.0, ..*plane });
                }
            }
            if motion.dot(wanted) <= STILL * length {
                break;
            }
            is_straight &= motion == rest;
            let end = if is_straight { to } else { self.space.moved(self.place, motion) };
            let (time, plane) = self.first_in_air(motion, end)?;
            let Some(plane) = plane else {
                self.place = end;
                return Ok(FlightResult::On);
            };
            is_straight = false;
            // Along a face, rounding may lead into the next one of the same plane.
            grazes = time == 0.0 && planes.has(&plane);
            self.place = self.space.moved(self.place, motion * time);
            left *= 1.0 - time;
            let surface = marchland_terrain::SurfaceId(plane.surface);
            let sticks = plane.prop().is_some() || self.space.sticky_under(self.place).is_some();
            if self.space.is_walkable(plane.normal.y, surface, sticks) {
                if let Some(prop) = plane.prop() {
                    self.props_met.push(prop, plane.normal);
                }
                return Ok(FlightResult::Stood {
                    left,
                    normal: plane.normal,
                    surface: plane.surface,
                });
            }
            if self.bounces_off(&plane, left) && !self.catches(&plane) {
                return Ok(FlightResult::Bounces { left, off: plane });
            }
            self.met.turn_to(&plane);
            self.meet(plane);
            if self.catches(&plane) {
                break;
            }
        }
        Ok(FlightResult::On)
    }

    /// A motion that something above turns down, along the ground where it would lead into that.
    #[inline(never)]
    fn kept_above_ground(&mut self, planes: &Planes, motion: DVec3) -> Result<DVec3, Missing> {
        let mut planes = planes.clone();
        self.add_ground(&mut planes)?;
        Ok(planes.eased(planes.nearest(motion).unwrap_or(DVec3::ZERO)))
    }

    /// All planes around a body in the air: those within the skin, and those met before.
    pub(crate) fn around(&mut self) -> Result<Planes, Missing> {
        let mut planes = self.met.clone();
        self.space.touching(Part::Whole, self.place)?;
        self.floor_touched = self.floor_of_contacts()?;
        self.take_contacts(&mut planes);
        if self.space.meets_ground(Part::Upper) {
            self.space.touching(Part::Upper, self.place)?;
            self.take_contacts(&mut planes);
        }
        Ok(planes)
    }

    /// What a body in the air stands on already: by rounding its last flight has led a little below that, and another
    /// would begin inside of it; or it has jumped off a slope that rises faster.
    fn floor_of_contacts(&mut self) -> Result<Option<Plane>, Missing> {
        if self.motion != Motion::Falling {
            return Ok(None);
        }
        let mut at = 0;
        while let Some(contact) = self.space.contacts.as_slice().get(at).copied() {
            at += 1;
            let up = f64::from(contact.normal.y);
            if contact.triangle.prop().is_none() || self.space.body.is_too_steep(up) {
                continue;
            }
            let floor = plane_at(&contact);
            if up > UPRIGHT {
                if !self.is_beside(&contact)? {
                    return Ok(Some(floor));
                }
                continue;
            }
            // The rim of the foot itself is on a slope, not its skin alone.
            let level = (1.0 - up * up).sqrt();
            let over = floor.depth - f64::from(CONTACT_MARGIN) - f64::from(SKIN) * level;
            if over >= -INSIDE {
                return Ok(Some(Plane { depth: greater(over, 0.0) / up, ..floor }));
            }
        }
        Ok(None)
    }

    fn take_contacts(&mut self, planes: &mut Planes) {
        let ground_sticks = self.space.sticky_under(self.place).is_some();
        for contact in self.space.contacts.as_slice() {
            let sticks = ground_sticks || contact.triangle.prop().is_some();
            // What can be stood on stops the body itself, not its skin.
            if self.space.is_walkable(f64::from(contact.normal.y), contact.surface, sticks) {
                continue;
            }
            // What is deeper than the skin is resolved before the move.
            let depth = f64::from(contact.depth - CONTACT_MARGIN);
            let depth = if depth <= f64::from(SKIN) { depth - SLOP } else { 0.0 };
            let depth = if depth > 0.0 && !contact.inside { depth } else { 0.0 };
            planes.push(Plane { depth, ..plane_at(contact) });
        }
    }

    /// What a body in the air meets first, and after which part of its motion.
    pub(crate) fn first_in_air(
        &mut self,
        motion: DVec3,
        to: WorldPos,
    ) -> Result<(f64, Option<Plane>), Missing> {
        let mut first = (1.0, None);
        let mut take = |hit: Option<Impact>| {
            if let Some(hit) = hit
                && (hit.time < first.0 || first.1.is_none())
            {
                first = (hit.time, Some(plane_of(&hit)));
            }
        };
        let grown = self.space.sweep(Part::Whole, self.place, motion)?;
        // Only what is under the body itself supports it, not what is under its skin.
        let ground_sticks = self.space.sticky_under(self.place).is_some();
        let blocks = |hit: &Impact| {
            let sticks = ground_sticks || hit.triangle.prop().is_some();
            !self.space.is_walkable(f64::from(hit.normal.y), hit.surface, sticks)
        };
        take(grown.filter(blocks));
        let bare = self.space.sweep_core(self.place, motion)?;
        let slips = match &bare {
            Some(hit) => self.slips_away(hit, motion)?,
            None => false,
        };
        take(bare.filter(|_| !slips));
        if self.space.meets_ground(Part::Upper) {
            take(
                self.space
                    .sweep(Part::Upper, self.place, motion)?
                    .filter(|hit| hit.triangle.prop().is_none()),
            );
        }
        if let Some(stop) = self.line_before(motion, to)?
            && (stop.part < first.0 || first.1.is_none())
        {
            *(if stop.is_edge { &mut self.met_edge } else { &mut self.met_slope }) = true;
            let normal = DVec3::new(stop.normal[0], 0.0, stop.normal[1]);
            first = (stop.part, Some(Plane::new(normal, 0.0)));
        }
        Ok(first)
    }

    /// Whether what comes up under a body is a moving prop that the body is beside at the end of the tick.
    /// Props are already at their new places; the body is still on its way.
    fn slips_away(&mut self, hit: &Impact, motion: DVec3) -> Result<bool, Missing> {
        if hit.velocity == Vec3::ZERO
            || !self.space.is_walkable(f64::from(hit.normal.y), hit.surface, true)
        {
            return Ok(false);
        }
        let rest = self.velocity.as_dvec3() * f64::from(self.flight_left);
        let end = DVec3::new(motion.x + rest.x, motion.y * hit.time, motion.z + rest.z);
        let at = self.space.moved(self.place, end);
        Ok(!self.space.has_prop_at_feet(at)?)
    }

    /// The velocity along the planes that were met. Glancing off a surface without friction keeps the speed.
    pub(crate) fn along_met(&self, velocity: DVec3) -> DVec3 {
        let speed = velocity.length();
        let mut planes = Planes::new();
        let (mut is_slick, mut is_glancing) = (false, true);
        for plane in self.met.as_slice() {
            planes.push(Plane { depth: 0.0, ..*plane });
            let into = velocity.dot(plane.normal);
            if into < -1e-9 * speed && plane.triangle.is_some() {
                let surface = marchland_terrain::SurfaceId(plane.surface);
                is_slick |= self.space.surface(surface).friction == 0.0;
                is_glancing &= into > -0.5 * speed;
            }
        }
        let along = self.turned(&planes, velocity);
        let left = along.length();
        if is_slick && is_glancing && left > STILL { along * (speed / left) } else { along }
    }

    /// The motion that planes allow. A unit that runs into a steep face does not run up it: level motion meets
    /// the face as a wall, unless it has no friction. Nor does it run up the line between such a face and one that
    /// leans over it: there both are walls.
    fn turned(&self, planes: &Planes, motion: DVec3) -> DVec3 {
        let is_slick = |plane: &Plane| {
            let surface = marchland_terrain::SurfaceId(plane.surface);
            plane.triangle.is_some() && self.space.surface(surface).friction == 0.0
        };
        let turned = along_walls(planes, motion, |plane| {
            plane.normal.y > 0.0 && plane.normal.dot(motion) < 0.0 && !is_slick(plane)
        });
        if turned.y <= greater(motion.y, 0.0) || planes.as_slice().iter().any(is_slick) {
            return turned;
        }
        along_walls(planes, motion, |_| true)
    }

    /// Meets the ground at the end of a flight: lands, or is lifted onto ground that is too steep.
    ///
    /// `from` is the height of the feet when it began: a unit comes down on any rim of a hole below that, and no unit
    /// snaps up to one from inside.
    pub(crate) fn meet_ground(&mut self, from: f32) -> Result<Option<Footing>, Missing> {
        let high = greater(self.space.body.knee(), from - self.feet()) + self.space.hair;
        let footing = self.space.ground_within(self.place, high)?;
        let Some(footing) = footing.filter(|footing| footing.y >= self.feet()) else {
            return Ok(None);
        };
        if from < footing.y - SKIN && self.space.is_over_hole(self.place) {
            return Ok(None);
        }
        self.place = self.space.at_height(self.place, footing.y);
        if footing.kind == FootingKind::Steep {
            let normal = footing.normal.as_dvec3();
            self.met.push(Plane { normal, depth: 0.0, triangle: None, surface: footing.surface.0 });
        }
        Ok(Some(footing))
    }

    /// Comes down on something: walks from here on, or bounces. Returns whether it walks.
    pub(crate) fn land(&mut self, normal: DVec3, surface: u8, velocity: DVec3) -> bool {
        if self.bounce(normal, surface, velocity) {
            return false;
        }
        self.motion = Motion::Walking;
        let speed = -velocity.y;
        self.events.push(EventKind::Landed { speed: if speed > 0.0 { speed as f32 } else { 0.0 } });
        if self.space.surface(marchland_terrain::SurfaceId(surface)).is_slick() {
            // What goes along the face is kept.
            let falls = Vec3::new(self.velocity.x, velocity.y as f32, self.velocity.z);
            self.velocity = along(falls.as_dvec3(), normal).as_vec3();
        }
        self.velocity.y = 0.0;
        true
    }
}

/// Whether something that leans over a body turns its motion down.
fn is_pressed_down(planes: &Planes, motion: DVec3, wanted: DVec3) -> bool {
    motion.y < wanted.y
        && planes
            .as_slice()
            .iter()
            .any(|plane| plane.normal.y < 0.0 && plane.normal.dot(wanted) < 0.0)
}

/// The motion that planes allow, some of which meet the level part of it as walls.
fn along_walls(planes: &Planes, motion: DVec3, is_wall: impl Fn(&Plane) -> bool) -> DVec3 {
    let mut walls = Planes::new();
    planes.as_slice().iter().filter(|plane| is_wall(plane)).for_each(|plane| {
        walls.push(plane_upright(plane));
    });
    let level = walls.nearest(DVec3::new(motion.x, 0.0, motion.z)).unwrap_or(DVec3::ZERO);
    planes.nearest(DVec3::new(level.x, motion.y, level.z)).unwrap_or(DVec3::ZERO)
}

/// A plane as a wall without any push; unchanged if it is level.
fn plane_upright(plane: &Plane) -> Plane {
    let plane = Plane { depth: 0.0, ..*plane };
    upright(plane).unwrap_or(plane)
}
