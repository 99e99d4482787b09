//! Walls below the knee: steep faces that do not end, a little beyond the skin, in something that can be
//! stood on.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::DVec3;
use marchland_terrain::kernel::Wall;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::lesser;

use super::stand::{LEVEL, Stand};
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::{Plane, Planes};
use crate::kinematic::space::footing::{Band, Footing, FootingKind};
use crate::kinematic::space::level::{Blocking, SLOP, plane_beside, plane_met};
use crate::kinematic::space::{INSIDE, Missing};

/// How far beyond the skin the top of a low wall is checked. Metres.
const BEYOND: f64 = 2e-3;

/// The radius of the disc under which that top is looked for, as a part of the body's: what is farther from where the
/// wall is met is another wall beside it.
const TOP: f32 = 0.25;

impl Mover<'_, '_, '_, '_> {
    /// Adds the walls below the knee that are within the skin: steep faces, unless they end low enough in
    /// something that can be stood on.
    pub(crate) fn take_low_walls(&mut self, rest: DVec3) -> Result<(), Missing> {
        self.space.walls(Blocking::LowWalls, self.place)?;
        let is_new = |wall: &Wall| self.new_low_wall(wall, rest).is_some();
        if self.space.level.low.walls.as_slice().iter().any(is_new) {
            self.take_new_low_walls(rest)?;
        }
        Ok(())
    }

    /// The plane of a wall, if it opposes a motion and is not on the list.
    fn new_low_wall(&self, wall: &Wall, rest: DVec3) -> Option<Plane> {
        let plane = Plane { depth: 0.0, ..plane_beside(wall, self.space.body.radius()) };
        (plane.normal.dot(rest) < 0.0 && !self.walls.has(&plane)).then_some(plane)
    }

    /// Adds the low walls. Separate, because few ticks need the list.
    #[inline(never)]
    fn take_new_low_walls(&mut self, rest: DVec3) -> Result<(), Missing> {
        let mut low = Planes::new();
        for wall in self.space.level.low.walls.as_slice() {
            if let Some(plane) = self.new_low_wall(wall, rest) {
                low.push(plane);
            }
        }
        for plane in low.as_slice() {
            if self.is_wall_below(self.place, plane)? {
                self.is_low_wall = true;
                self.walls.push(*plane);
            }
        }
        Ok(())
    }

    /// Whether there is something beyond the skin at a plane that cannot be stood on within the knee.
    fn is_wall_below(&mut self, at: WorldPos, plane: &Plane) -> Result<bool, Missing> {
        let (radius, top) = (self.space.body.radius(), TOP * self.space.body.radius());
        let far = f64::from(radius - top + SKIN) + BEYOND;
        let beyond = self.space.moved(at, plane.normal * -far);
        let band = Band { low: -LEVEL, high: self.space.body.knee() + self.space.hair };
        let Some(footing) = self.space.prop_under(top, beyond, band)? else { return Ok(false) };
        let rise = footing.y - at.local().y;
        if rise <= LEVEL {
            return Ok(false);
        }
        // Of what is higher beside it another plane tells.
        let is_of_it = footing.prop == plane.prop();
        let is_wall = footing.kind == FootingKind::Steep && is_of_it && !self.steps_from(at)?;
        Ok(is_wall || !self.space.has_head_room_from(self.place, at, rise)?)
    }

    /// The wall below the knee that is met before the part `time` of a motion.
    pub(crate) fn low_wall_before(
        &mut self,
        motion: DVec3,
        time: f64,
    ) -> Result<Option<(f64, Plane)>, Missing> {
        if self.is_suspended {
            return Ok(None);
        }
        let hit = self.space.sweep_level(Blocking::LowWalls, self.place, motion)?;
        let Some(hit) = hit.filter(|hit| hit.time < time) else { return Ok(None) };
        let plane = plane_met(&hit);
        let at = self.space.moved(self.place, motion * hit.time);
        Ok(self.is_wall_below(at, &plane)?.then_some((hit.time, plane)))
    }

    /// For a place whose support is a wall: goes as far as the wall, which is then in the way. Returns the
    /// part of the motion that was free.
    pub(crate) fn meet_low_wall(
        &mut self,
        motion: DVec3,
        footing: &Footing,
    ) -> Result<f64, Missing> {
        let mut found: Option<(f64, Plane)> = None;
        let (radius, most) = (self.space.body.radius(), self.aside_left(0.0));
        for wall in self.space.walls(Blocking::LowWalls, self.place)?.as_slice() {
            // A steep face is nearer farther down: whoever goes down along it enters it, and has to get out to go on.
            let is_entered = wall.distance < f64::from(radius) + INSIDE;
            let out = f64::from(radius + SKIN) - SLOP - wall.distance;
            // No farther than it may be put aside in this tick.
            let out = lesser(out, most);
            let depth = if is_entered && out > 0.0 { out } else { 0.0 };
            let plane = Plane { depth, ..plane_beside(wall, radius) };
            let into = plane.normal.dot(motion);
            let opposes = |(_, best): &(f64, Plane)| into < best.normal.dot(motion);
            let is_of_it = footing.prop.is_some() && plane.prop() == footing.prop;
            let is_met = into < -1e-9 || is_entered;
            if is_met && is_of_it && found.as_ref().is_none_or(opposes) {
                found = Some((0.0, plane));
            }
        }
        if found.is_none()
            && let Some(hit) = self.space.sweep_level(Blocking::LowWalls, self.place, motion)?
        {
            let to = self.space.moved(self.place, motion * hit.time);
            let free = matches!(self.stand_at(to)?, Stand::There);
            found = Some((if free { hit.time } else { 0.0 }, plane_met(&hit)));
        }
        let (time, plane) = found.unwrap_or_else(|| {
            // No wall is found: the slope of the support itself counts as one.
            let slope = DVec3::new(f64::from(footing.normal.x), 0.0, f64::from(footing.normal.z));
            let is_against = slope.length() > 1e-3 && slope.dot(motion) < 0.0;
            let normal = if is_against { slope.normalize() } else { -motion.normalize() };
            (0.0, Plane { normal, depth: 0.0, triangle: None, surface: footing.surface.0 })
        });
        self.is_low_wall = true;
        self.pushed += plane.depth;
        self.meet(plane);
        Ok(time)
    }
}
