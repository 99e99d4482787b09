//! Where walls bar a walk together although each alone would not: corners of the ground, and low ones.

use marchland_terrain::glam::DVec3;

use super::BARRED;
use super::recurrence::looks_aside;
use super::stand::{LEVEL, STANDS, Standing};
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::{Plane, Planes};
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::{Footing, FootingKind};
use crate::kinematic::wedge::ravine::{LEVEL_ALONE, RISING, USUAL};
use crate::units::unit::Motion;

/// Least cosine between a walk and the way into a wall that it meets head-on.
const HEAD_ON: f64 = 0.999;

/// How much of what is steep, from the feet up, is no wall to who gets nowhere. Metres.
const TRIFLE: f32 = 0.02;

impl Mover<'_, '_, '_, '_> {
    /// Goes on between walls, some of them below the knee, that have let it get nowhere: higher up, where each alone is
    /// overcome, or off those that have come into its foot.
    #[inline(never)]
    pub(crate) fn leave_low_corner(
        &mut self,
        went: DVec3,
        delta: [f32; 2],
        dt: f32,
    ) -> Result<(), Missing> {
        let wanted = DVec3::new(f64::from(delta[0]), 0.0, f64::from(delta[1]));
        let is_back = went.dot(wanted) < 0.0;
        let is_still = went.length_squared() < STANDS * STANDS * wanted.length_squared();
        if !(self.is_low_wall && (is_still || is_back)) || self.motion != Motion::Walking {
            return Ok(());
        }
        // Head-on into one wall that does not put it back there is nothing to look for.
        let far = wanted.length();
        if let [wall] = self.walls.as_slice()
            && !is_back
            && wall.normal.dot(wanted) < -HEAD_ON * far
        {
            return Ok(());
        }
        let end = self.standing();
        let hair = self.space.hair;
        for low_from in [hair, TRIFLE] {
            self.space.set_low_from(low_from);
            self.room = None;
            let enough = if low_from == hair { USUAL } else { LEVEL_ALONE };
            let gets_on = self.go_between(wanted, f64::from(dt), enough);
            self.space.set_low_from(hair);
            self.room = None;
            let goes = self.place.relative_to(end.place, self.space.size).as_dvec3();
            // Over an edge it may come down beside its way.
            if gets_on? && goes.dot(wanted) > 0.0 {
                return Ok(());
            }
            self.set_standing(&end);
        }
        let pushed = self.pushed;
        self.is_cornered = true;
        let walks = self.walk_along(delta, dt);
        self.is_cornered = false;
        walks?;
        let goes = self.place.relative_to(end.place, self.space.size).as_dvec3();
        if goes.dot(wanted) < STANDS * far * far && goes.y < f64::from(LEVEL) {
            self.set_standing(&end);
            self.pushed = pushed;
        }
        Ok(())
    }

    /// Goes on between walls, some of them ground, that have barred most of a walk.
    #[inline(never)]
    pub(crate) fn leave_corner(
        &mut self,
        before: &Standing,
        delta: [f32; 2],
        dt: f32,
    ) -> Result<(), Missing> {
        let wanted = DVec3::new(f64::from(delta[0]), 0.0, f64::from(delta[1]));
        let went = self.place.relative_to(before.place, self.space.size).as_dvec3();
        let is_ground = |plane: &Plane| plane.prop().is_none();
        let is_barred = went.dot(wanted) < BARRED * wanted.length_squared();
        let is_still = went.length_squared() < STANDS * STANDS * wanted.length_squared();
        let walls = self.walls.as_slice();
        let (has_ground, are_many) = (walls.iter().any(is_ground), walls.len() > 1);
        let looks = || looks_aside(self.state.recurrence, self.began_with, went, dt);
        if !is_barred || !(is_still || looks()) {
            return Ok(());
        }
        if !has_ground {
            return self.leave_low_corner(went, delta, dt);
        }
        let mut lines = Planes::new();
        for line in self.walls.as_slice().iter().filter(|plane| plane.triangle.is_none()) {
            lines.push(Plane { depth: 0.0, ..*line });
        }
        let may_be_higher = are_many || self.is_above_ground() || self.rises_along(wanted)?;
        let aside = went.with_y(0.0).normalize_or_zero() * wanted.length();
        let is_led_aside = !may_be_higher && self.rises_along(aside)?;
        let is_held = is_still && !self.is_led_back();
        if lines.is_empty() && (is_held || is_led_aside) {
            // A wall has led it aside of a line, or holds it before one, along which that wall is farther away.
            let end = std::mem::replace(&mut self.place, before.place);
            let line = self.line_before(wanted, self.space.moved(before.place, wanted))?;
            self.place = end;
            if let Some(line) = line {
                let normal = DVec3::new(line.normal[0], 0.0, line.normal[1]);
                lines.push(Plane::new(normal, 0.0));
            }
        }
        let along = lines.nearest(wanted).unwrap_or(DVec3::ZERO);
        if !may_be_higher && !is_led_aside && (lines.is_empty() || !self.rises_along(along)?) {
            return Ok(());
        }
        let end = self.standing();
        // Along lines of the terrain; over the point in which two meet only if that leads nowhere.
        let ways = [Some(along), (is_still && along != wanted).then_some(wanted)];
        for way in ways.into_iter().flatten() {
            if !is_still && way.dot(went) < 0.0 {
                continue; // it would go to and fro
            }
            self.set_standing(before);
            let enough = if self.rises_along(way)? { RISING } else { USUAL };
            let gets_on = self.go_between(way, f64::from(dt), enough)?;
            let goes = self.place.relative_to(before.place, self.space.size).as_dvec3();
            // It may come down over an edge; but not instead of getting on. Nobody shakes in a corner.
            let may_turn = is_still && way == wanted;
            if gets_on && (may_turn || goes.dot(wanted) > went.dot(wanted)) {
                return Ok(());
            }
        }
        self.set_standing(&end);
        Ok(())
    }

    /// Whether a way leads up ground that can be stood on: walls above the knee are farther away there.
    fn rises_along(&mut self, way: DVec3) -> Result<bool, Missing> {
        Ok(self.ground_up(way)?.is_some())
    }

    /// The ground that can be stood on and to which a way leads up.
    pub(crate) fn ground_up(&mut self, way: DVec3) -> Result<Option<Footing>, Missing> {
        let ahead = self.space.moved(self.place, way);
        let ground = self.space.ground_footing(ahead)?;
        Ok(ground.filter(|ground| {
            ground.kind == FootingKind::Walkable && ground.y > self.feet() + LEVEL
        }))
    }
}
