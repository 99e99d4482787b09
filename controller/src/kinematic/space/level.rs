//! What a unit meets while it moves level: walls around a place, and the first on a way.

use marchland_terrain::glam::{DVec2, DVec3, Vec3};
use marchland_terrain::kernel::{Envelope, LevelBody, LevelImpact, Wall, Walls};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::greater;
use marchland_terrain::query::{Cylinder, Solids};
use marchland_terrain::{PropId, SurfaceSet, WorldPos};

use super::known_walls::LevelMemory;
pub(crate) use super::part::Blocking;
use super::{CONTACT_MARGIN, Missing, NONE_OF_IT, Part, ROUNDING_MARGIN, Space, near};
use crate::kinematic::planes::Plane;

/// How deep the skin may be entered before it pushes back. Metres: most of it, so that a unit that passes an
/// edge is not moved aside. The rest is more than the rounding of many ticks.
pub(crate) const SLOP: f64 = 8e-3;

/// The part of the radius of a unit that no short way may lead through anything with.
const INNER: f32 = 0.9;

/// How far beside the disc around a motion faces are found. Metres: some of the way out of the skin.
const ASIDE: f64 = 0.02;

/// How far below the feet, and above the head where they are lifted by the knee, faces are found. Metres.
const BEYOND: f32 = 0.05;

impl Space<'_, '_, '_> {
    /// Finds the walls around a unit, unless they are known.
    #[inline]
    pub(crate) fn walls(&mut self, by: Blocking, at: WorldPos) -> Result<&Walls, Missing> {
        if self.level.known(by).of != Some(at) {
            self.find_walls(by, at, false)?;
        }
        Ok(&self.level.known(by).walls)
    }

    /// The walls around the upper part of a unit as far as its head: nothing of the skin above that counts.
    pub(crate) fn walls_below_head(&mut self, at: WorldPos) -> Result<&Walls, Missing> {
        let by = Blocking::All(Part::Upper);
        self.find_walls(by, at, true)?;
        Ok(&self.level.known(by).walls)
    }

    /// Finds the walls around a unit, or only those below its head, which are not known as those of the place then.
    #[inline(never)]
    fn find_walls(&mut self, by: Blocking, at: WorldPos, below_head: bool) -> Result<(), Missing> {
        let mut body = self.level_body(by);
        if below_head {
            body = LevelBody {
                skin: 0.0,
                margin: SKIN + CONTACT_MARGIN,
                head: body.body.height,
                ..body
            };
        }
        let body = &body;
        self.level.known(by).of = None;
        if self.ground_below(by) <= NONE_OF_IT && self.is_bare(around(body), at, Vec3::ZERO) {
            self.level.known(by).walls.clear(body.envelope());
        } else {
            self.find_faces(at);
            let sticky = self.sticky_under(at);
            let limits = (self.ground_below(by), self.props_below(by));
            let solids = Self::met_by(self.view.solids(self.mask), limits, sticky.as_ref());
            let LevelMemory { faces, upper, whole, low } = &mut *self.level;
            let known = LevelMemory::of(by, (upper, whole, low));
            if !solids.level_walls_among(faces, body, at, &mut known.walls) {
                let solids = near(self.view, self.mask, self.near, around(body), at, Vec3::ZERO);
                let solids = Self::met_by(solids, limits, sticky.as_ref());
                solids.level_walls(body, at, &mut known.walls)?;
            }
        }
        self.level.known(by).of = (!below_head).then_some(at);
        Ok(())
    }

    /// Finds the faces around a unit on its way, unless those at a place were searched. There are none where a sector
    /// is missing that may be beyond its reach.
    #[inline]
    fn find_faces(&mut self, at: WorldPos) {
        let widest = self.level_body(Blocking::All(Part::Whole));
        if !self.level.faces.cover(&widest, at, DVec2::ZERO) {
            self.search_faces(&widest, at);
        }
    }

    #[inline(never)]
    fn search_faces(&mut self, widest: &LevelBody, at: WorldPos) {
        let (ahead, has_ground) = (self.ahead, self.has_steep);
        let far = 0.5 * ahead.length() + ASIDE;
        let wide = around(widest);
        let (low, high) = (-BEYOND, wide.height + self.body.knee() + BEYOND);
        let wide = Cylinder { radius: wide.radius + far as f32, height: high - low };
        let middle = self.moved(at, DVec3::new(0.5 * ahead.x, f64::from(low), 0.5 * ahead.y));
        let ground = if has_ground { f64::INFINITY } else { NONE_OF_IT };
        let solids = near(self.view, self.mask, self.near, wide, middle, Vec3::ZERO);
        let solids = solids.with_ground_steeper(ground);
        let heights = (f64::from(low), f64::from(high));
        let faces = &mut self.level.faces;
        let _ = solids.level_faces(widest, at, (ahead, ASIDE), heights, faces);
    }

    /// What a unit and its skin meet first on a level way.
    pub(crate) fn sweep_level(
        &mut self,
        by: Blocking,
        at: WorldPos,
        motion: DVec3,
    ) -> Result<Option<LevelImpact>, Missing> {
        let envelope = self.walls(by, at)?.envelope();
        let body = self.level_body(by);
        let limits = (self.ground_below(by), self.props_below(by));
        let sticky = self.sticky_under(at);
        let solids = Self::met_by(self.view.solids(self.mask), limits, sticky.as_ref());
        let LevelMemory { faces, upper, whole, low } = &mut *self.level;
        let walls = &mut LevelMemory::of(by, (upper, whole, low)).walls;
        let level = DVec2::new(motion.x, motion.z);
        match solids.sweep_level_among(faces, &body, at, level, walls) {
            Some(hit) => Ok(hit),
            None => self.first_level(&body, at, motion, envelope, limits),
        }
    }

    /// Whether surely nothing is in the upper part of a unit, nor between two places where it has been.
    pub(crate) fn went_free(&self, from: WorldPos, to: WorldPos) -> bool {
        let low = self.upper_low;
        let upper = Cylinder { radius: self.body.radius(), height: self.body.height() - low };
        let [from, to] = [from, to].map(|at| self.raised(at, low));
        !self.has_steep && self.level.faces.leave_free(upper, from, to)
    }

    /// The first prop of those that block that a unit itself meets on a level way.
    pub(crate) fn sweep_level_core(
        &mut self,
        by: Blocking,
        at: WorldPos,
        motion: DVec3,
    ) -> Result<Option<LevelImpact>, Missing> {
        let body = LevelBody { skin: 0.0, margin: 0.0, ..self.level_body(by) };
        self.first_level(&body, at, motion, body.envelope(), (NONE_OF_IT, self.props_below(by)))
    }

    /// Whether a prop is beside a unit, within its skin and so much more; what is only under its feet is not.
    pub(crate) fn has_beside(
        &mut self,
        at: WorldPos,
        prop: PropId,
        (walks, more): (bool, f32),
    ) -> Result<bool, Missing> {
        let (skin, half) = (SKIN + more, 0.5 * self.body.height());
        let low = match walks {
            true if self.hair < half => self.hair,
            true => half,
            false => -skin,
        };
        let whole = self.level_body(Blocking::All(Part::Whole));
        // What can be stood on is under the feet of who walks alone.
        let upright = if walks { whole.upright } else { f64::INFINITY };
        let body = LevelBody { skin, margin: 0.0, low, upright, ..whole };
        let solids = self.view.solids(self.mask).with_ground_steeper(NONE_OF_IT);
        if let Some(is) = solids.has_beside_among(&self.level.faces, &body, at, prop) {
            return Ok(is);
        }
        let (foot, wide) = (self.raised(at, low), around(&body));
        let wide = Cylinder { height: wide.height - low, ..wide };
        let solids = near(self.view, self.mask, self.near, wide, foot, Vec3::ZERO);
        solids.has_beside(&body, at, prop)
    }

    /// Whether a unit itself surely meets a prop on a level way.
    pub(crate) fn surely_meets(&mut self, at: WorldPos, motion: DVec3) -> bool {
        let body =
            LevelBody { skin: 0.0, margin: 0.0, ..self.level_body(Blocking::All(Part::Whole)) };
        let motion = DVec2::new(motion.x, motion.z);
        let solids = self.view.solids(self.mask).with_ground_steeper(NONE_OF_IT);
        let hit = solids.sweep_level_past(&self.level.faces, &body, at, motion, body.envelope());
        hit.flatten().is_some()
    }

    /// Whether the inner part of a unit meets a prop on a short level way, so that something thin would be passed
    /// through. A way round a corner is a chord: the rest of the unit may cut it.
    pub(crate) fn meets_inside(&mut self, at: WorldPos, motion: DVec3) -> Result<bool, Missing> {
        let whole = self.level_body(Blocking::All(Part::Whole));
        let body = Cylinder { radius: INNER * whole.body.radius, ..whole.body };
        let body = LevelBody { body, skin: 0.0, margin: 0.0, ..whole };
        let hit =
            self.first_level(&body, at, motion, body.envelope(), (NONE_OF_IT, f64::INFINITY))?;
        Ok(hit.is_some())
    }

    fn first_level(
        &mut self,
        body: &LevelBody,
        at: WorldPos,
        motion: DVec3,
        envelope: Envelope,
        (ground, props): (f64, f64),
    ) -> Result<Option<LevelImpact>, Missing> {
        let along = motion.as_vec3();
        if ground <= NONE_OF_IT && self.is_bare(around(body), at, along) {
            return Ok(None);
        }
        let sticky = self.sticky_under(at);
        let level = DVec2::new(motion.x, motion.z);
        let solids = Self::met_by(self.view.solids(self.mask), (ground, props), sticky.as_ref());
        let hit = solids.sweep_level_past(&self.level.faces, body, at, level, envelope);
        if let Some(hit) = hit {
            return Ok(hit);
        }
        let solids: Solids<'_> = near(self.view, self.mask, self.near, around(body), at, along);
        let solids = Self::met_by(solids, (ground, props), sticky.as_ref());
        solids.sweep_level(body, at, level, envelope)
    }

    /// The same solids, where only some ground and props are met.
    fn met_by<'s>(
        solids: Solids<'s>,
        (ground, props): (f64, f64),
        sticky: Option<&'s SurfaceSet>,
    ) -> Solids<'s> {
        let solids = solids.with_ground_steeper(ground).with_props_steeper(props);
        solids.with_ground_never_steep(sticky)
    }

    /// Sets how far above the feet low walls begin. Metres.
    pub(crate) fn set_low_from(&mut self, metres: f32) {
        if metres != self.low_from {
            self.low_from = metres;
            self.level.low.of = None;
        }
    }

    #[inline]
    fn level_body(&self, by: Blocking) -> LevelBody {
        let low = match by {
            Blocking::All(Part::Upper) => self.upper_low,
            // What is at the feet is stood on.
            Blocking::All(Part::Whole) => self.hair,
            Blocking::LowWalls => self.low_from,
        };
        LevelBody {
            body: Cylinder { radius: self.body.radius(), height: self.body.height() },
            skin: SKIN,
            margin: CONTACT_MARGIN,
            head: self.body.height() - ROUNDING_MARGIN,
            low,
            upright: self.body.max_slope_cos(),
        }
    }

    fn ground_below(&self, by: Blocking) -> f64 {
        match by {
            Blocking::All(part) => self.ground_met(part),
            Blocking::LowWalls => NONE_OF_IT,
        }
    }

    fn props_below(&self, by: Blocking) -> f64 {
        match by {
            Blocking::All(_) => f64::INFINITY,
            Blocking::LowWalls => self.body.max_slope_cos(),
        }
    }
}

/// A cylinder around everything that counts.
fn around(body: &LevelBody) -> Cylinder {
    let radius = body.body.radius + body.skin + body.margin;
    Cylinder { radius, height: body.body.height + body.skin }
}

/// The plane of a wall that a unit stands beside, which pushes it out of most of its skin.
pub(crate) fn plane_beside(wall: &Wall, radius: f32) -> Plane {
    let depth = f64::from(radius) + f64::from(SKIN) - wall.distance;
    // What is deeper than the skin is resolved before the move.
    let depth = if depth <= f64::from(SKIN) { depth - SLOP } else { 0.0 };
    Plane {
        normal: DVec3::new(wall.normal.x, 0.0, wall.normal.y),
        depth: greater(depth, 0.0),
        triangle: Some(wall.triangle),
        surface: wall.surface.0,
    }
}

/// The plane of what was met on a way.
pub(crate) fn plane_met(hit: &LevelImpact) -> Plane {
    Plane {
        normal: DVec3::new(hit.normal.x, 0.0, hit.normal.y),
        depth: 0.0,
        triangle: Some(hit.triangle),
        surface: hit.surface.0,
    }
}
