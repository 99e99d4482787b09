//! Beside walls that are nearer farther down or higher up: down a slope past steep faces, up one past what leans over
//! it.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::DVec3;
use marchland_terrain::kernel::{Wall, Walls};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};

use super::BARRED;
use super::stand::{LEVEL, Stand, Standing};
use crate::kinematic::depenetrate::aside::longest_aside;
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::{Plane, Planes};
use crate::kinematic::space::footing::{Footing, FootingKind};
use crate::kinematic::space::level::{Blocking, SLOP, plane_beside};
use crate::kinematic::space::{Missing, Part};
use crate::units::unit::Motion;

/// Most times in a sub-step that a unit steps out of walls.
const ASIDE_MAX: u32 = 4;

/// The greatest part of a step out of a wall by which the wall comes nearer again that is allowed for.
const BACK_MAX: f64 = 0.9;

/// A step out of a wall that is so many times longer than the way out is tried shorter, and how often.
const SUMMED: f64 = 2.0;
const HALVINGS: u32 = 4;

/// How far the rise of a stretch may be from that of a slope, as a part of it.
const SLOPE: f64 = 0.1;

/// Least cosine between the normals of a wall at two heights.
const SAME_WALL: f64 = 0.9;

/// How far a walk leads away from what leans over it. Metres: more than rounding, which would bring it nearer.
const APART: f64 = 2e-5;

impl Mover<'_, '_, '_, '_> {
    /// Steps out of walls that are in the body since it went down beside them: a slope is nearer farther down,
    /// and the way out of it may lead down again. It was walking by so many metres from a place: it goes no farther
    /// than a walk leads aside, and than it went down. Where that does not lead out, whoever was free stays where it was.
    pub(crate) fn step_aside(&mut self, from: WorldPos, walk: f64) -> Result<(), Missing> {
        if self.space.in_the_open || self.motion != Motion::Walking {
            return Ok(());
        }
        let Some(out) = self.way_out_of_walls(self.place)? else { return Ok(()) };
        let (before, pushed) = (self.standing(), self.pushed);
        if self.goes_out_of_walls(out, from, walk)? {
            let went = self.place.relative_to(from, self.space.size).as_dvec3();
            let (far, most) = (went.with_y(0.0).length(), longest_aside(walk));
            if went.y > -f64::from(LEVEL) && far > most {
                // Up again from where it went down: it goes aside up there, and down where there is room.
                self.set_standing(&before.moved_to(from));
                self.pushed = pushed;
                self.goes_aside(went.with_y(0.0) * (most / far))?;
            }
            return Ok(());
        }
        if self.is_free()? {
            return Ok(());
        }
        let (end, end_pushed) = (self.standing(), self.pushed);
        self.set_standing(&before);
        self.pushed = pushed;
        if !self.is_free()? {
            self.set_standing(&end);
            self.pushed = end_pushed;
        }
        Ok(())
    }

    /// Goes out of walls by `out`, and on as long as it comes into them again. Returns whether it got out.
    fn goes_out_of_walls(
        &mut self,
        mut out: DVec3,
        from: WorldPos,
        walk: f64,
    ) -> Result<bool, Missing> {
        let mut last: Option<f64> = None;
        let fell = f64::from(from.local().y - self.feet());
        let by_walk = longest_aside(walk) + greater(fell, 0.0);
        let by_body = f64::from(0.5 * self.space.body.radius() + SKIN);
        let most = lesser(by_walk, by_body);
        for _ in 0..ASIDE_MAX {
            let length = out.length();
            // Each step brings a part of it back: the sum of all that would follow.
            let back = last.map_or(0.0, |last| length / last);
            last = Some(length);
            let by = out / (1.0 - lesser(back, BACK_MAX));
            self.pushed += by.length();
            if self.pushed > most {
                return Ok(false);
            }
            let is_sum = by.length() > SUMMED * length;
            let before = is_sum.then(|| self.standing());
            if !self.goes_aside(by)? {
                return Ok(false);
            }
            if let Some(from) = before {
                self.go_less_aside(&from, by)?;
            }
            if self.motion != Motion::Walking {
                return Ok(true); // it is not between walls as it falls
            }
            match self.way_out_of_walls(self.place)? {
                Some(next) => out = next,
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Stands beside a place where walls that lean over it leave no room for a rise: a little farther from them,
    /// as they are nearer higher up. Returns false, with nothing changed, where that leads not on.
    #[inline(never)]
    pub(crate) fn rises_beside(
        &mut self,
        at: WorldPos,
        footing: &Footing,
        way: DVec3,
    ) -> Result<bool, Missing> {
        if footing.kind != FootingKind::Walkable {
            return Ok(false);
        }
        let (radius, above) = (self.space.body.radius(), self.space.free_above(self.place)?);
        let mut to = at;
        for _ in 0..ASIDE_MAX {
            let raised = self.space.at_height(to, footing.y + above);
            let walls = self.space.walls_below_head(raised)?;
            let Some(out) = way_out_of(walls, radius) else { return Ok(false) };
            to = self.space.moved(to, out);
            let went = to.relative_to(self.place, self.space.size).as_dvec3();
            if went.dot(way) < BARRED * way.length_squared()
                || went.length() > longest_aside(way.length())
            {
                return Ok(false);
            }
            let (here, motion) = (self.place, went.with_y(0.0));
            if self.line_before(motion, to)?.is_some()
                || self.space.sweep_level_core(Blocking::All(Part::Upper), here, motion)?.is_some()
            {
                return Ok(false);
            }
            if matches!(self.stand_at(to)?, Stand::There) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// After a step aside that was the sum of many: the shortest part of it that is out of the walls, if all of it
    /// is. Where the ground becomes level the walls do not come nearer any more, and the sum is far too long.
    #[inline(never)]
    pub(crate) fn go_less_aside(&mut self, from: &Standing, by: DVec3) -> Result<(), Missing> {
        let (mut low, mut high) = (0.0, 1.0);
        let mut best = self.standing();
        if self.way_out_of_walls(self.place)?.is_some() {
            return Ok(());
        }
        for _ in 0..HALVINGS {
            let part = 0.5 * (low + high);
            self.set_standing(from);
            let is_out = self.goes_aside(by * part)?
                && self.motion == Motion::Walking
                && self.way_out_of_walls(self.place)?.is_none();
            if is_out {
                (high, best) = (part, self.standing());
            } else {
                low = part;
            }
        }
        self.pushed -= by.length() * (1.0 - high);
        self.set_standing(&best);
        Ok(())
    }

    /// The shortest level way out of the walls that a standing body is in at a place. `None` if there is none, or it
    /// is in no wall.
    #[inline]
    pub(crate) fn way_out_of_walls(&mut self, at: WorldPos) -> Result<Option<DVec3>, Missing> {
        let radius = self.space.body.radius();
        Ok(way_out_of(self.space.walls(Blocking::All(Part::Upper), at)?, radius))
    }

    /// Meets a wall that leans over a walk up a slope: it bars the way by as much as it is nearer higher up. Returns
    /// whether there is one.
    #[inline(never)]
    pub(crate) fn meet_leaning(&mut self, footing: &Footing, way: DVec3) -> Result<bool, Missing> {
        let Some(slope) = self.slope_along(footing, way) else { return Ok(false) };
        let rise = footing.y - self.feet();
        let by = f64::from(rise);
        // Seen from as high as the head may be without it, and as much higher as this rises.
        let above = self.space.free_above(self.place)?;
        let high = self.space.raised(self.place, above);
        let Some(wall) = self.nearest_wall(high, |_| true)? else { return Ok(false) };
        let higher = self.space.raised(self.place, above + rise);
        let same = |higher: &Wall| higher.normal.dot(wall.normal) > SAME_WALL;
        let Some(higher) = self.nearest_wall(higher, same)? else { return Ok(false) };
        let nearer = wall.distance - higher.distance;
        let normal = DVec3::new(wall.normal.x, 0.0, wall.normal.y) - slope * (nearer / by);
        if nearer <= 0.0 || normal.dot(way) >= 0.0 {
            return Ok(false);
        }
        let normal = normal.normalize_or(DVec3::Y);
        self.meet(Plane { normal, depth: APART, triangle: None, surface: wall.surface.0 });
        Ok(true)
    }

    /// How much a slope rises in a metre, if a way up leads along it, and over no step.
    pub(crate) fn slope_along(&self, footing: &Footing, way: DVec3) -> Option<DVec3> {
        let (rise, up) = (footing.y - self.feet(), footing.normal.as_dvec3());
        if footing.kind != FootingKind::Walkable || rise <= LEVEL || up.y <= 0.0 {
            return None;
        }
        let slope = DVec3::new(-up.x / up.y, 0.0, -up.z / up.y);
        let by = f64::from(rise);
        ((slope.dot(way) - by).abs() <= f64::from(LEVEL) + SLOPE * by).then_some(slope)
    }

    /// The nearest wall beside a body at a place, of some of them.
    fn nearest_wall(
        &mut self,
        at: WorldPos,
        counts: impl Fn(&Wall) -> bool,
    ) -> Result<Option<Wall>, Missing> {
        let walls = self.space.walls_below_head(at)?.as_slice().iter();
        let walls = walls.filter(|wall| !wall.is_ground && counts(wall));
        Ok(walls
            .copied()
            .reduce(|best, next| if next.distance < best.distance { next } else { best }))
    }
}

/// The shortest level way of a body out of walls that it is in.
#[inline]
fn way_out_of(walls: &Walls, radius: f32) -> Option<DVec3> {
    let (mut planes, mut is_deep) = (Planes::new(), false);
    for wall in walls.as_slice().iter().filter(|wall| !wall.is_ground) {
        let plane = plane_beside(wall, radius);
        let out = f64::from(radius) - wall.distance;
        is_deep |= out > 0.0;
        let depth = if out > 0.0 { out + (f64::from(SKIN) - SLOP) } else { 0.0 };
        planes.push(Plane { depth, ..plane });
    }
    if is_deep { planes.nearest(DVec3::ZERO) } else { None }
}
