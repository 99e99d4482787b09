//! Ladders that are caught: in the air, and by who walks over the top of one.

use marchland_terrain::glam::DVec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::greater;
use marchland_terrain::query::Contact;
use marchland_terrain::{SurfaceId, WorldPos};

use super::ladder::HELD_BELOW;
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::Plane;
use crate::kinematic::space::{CONTACT_MARGIN, Missing, Part, plane_at, upright};
use crate::kinematic::walk::STILL;
use crate::units::unit::Motion;

/// Greatest `y` of the normal of a ladder, upwards or downwards: 30° off level, where a climber would no
/// longer hold on to it.
const LEVEL_MAX: f64 = 0.866;

/// Least part of a way that must point into a ladder, or out of it, to lead there: more than rounding.
const LEADS: f64 = 1e-3;

/// Least cosine between the normals of faces that are flush.
const FLUSH: f64 = 0.999;

impl Mover<'_, '_, '_, '_> {
    /// Catches a ladder within the skin of a falling unit, if the velocity or the request leads into it.
    pub(crate) fn catch_ladder(&mut self, wish: [f32; 2]) -> Result<bool, Missing> {
        if !self.may_catch() {
            return Ok(false);
        }
        let asked = DVec3::new(f64::from(wish[0]), 0.0, f64::from(wish[1]));
        let velocity = self.velocity;
        self.space.touching(Part::Whole, self.place)?;
        let ladder = self.best_ladder(|contact, wall| {
            let towards = (velocity - contact.velocity).as_dvec3();
            let by_velocity = leads(towards, -contact.normal.as_dvec3());
            let by_request = leads(asked, -wall.normal);
            greater(by_request, by_velocity)
        });
        ladder.iter().for_each(|ladder| self.begin_ladder(ladder));
        Ok(ladder.is_some())
    }

    /// Whether a falling unit catches what it has met.
    pub(crate) fn catches(&self, met: &Plane) -> bool {
        self.may_catch() && self.as_ladder(*met).is_some()
    }

    /// Catches the ladder that ended a flight, if one did.
    pub(crate) fn catch_met(&mut self) -> bool {
        let last = self.met.as_slice().iter().rev().find(|met| self.catches(met));
        let ladder = last.and_then(|met| self.as_ladder(*met));
        ladder.iter().for_each(|ladder| self.begin_ladder(ladder));
        ladder.is_some()
    }

    /// Sets a unit that has walked off its support against the ladder behind it, if it came over one. `from`
    /// is where its walk began.
    pub(crate) fn catch_behind(&mut self, from: WorldPos) -> Result<bool, Missing> {
        if !self.may_catch() {
            return Ok(false);
        }
        let way = self.place.relative_to(from, self.space.size).as_dvec3().with_y(0.0);
        let length = way.length();
        if length <= STILL {
            return Ok(false);
        }
        // The middle may be over it: ground ends under that.
        let ahead = way * (f64::from(self.space.body.radius() + 2.0 * SKIN) / length);
        // The ladder ends at the feet: a body a little lower meets it.
        let mut found = self.ladder_near(DVec3::ZERO, HELD_BELOW, way)?;
        if found.is_none() && self.space.sweep_core(self.place, ahead)?.is_none() {
            found = self.ladder_near(ahead, HELD_BELOW, way)?;
        }
        if found.is_none() {
            // One that is farther in the foot is left to the side only by who is lower than that.
            found = self.ladder_under(way)?.map(|ladder| (ladder, DVec3::ZERO));
        }
        let (knee, mut down) = (self.space.body.knee(), 0.0);
        if found.is_none() && knee > HELD_BELOW {
            // One that ends lower by no more than the knee is stepped down to.
            found = self.ladder_near(DVec3::ZERO, knee, way)?;
            down = f64::from(knee - HELD_BELOW);
        }
        let Some((ladder, by)) = found else { return Ok(false) };
        self.place = self.space.moved(self.place, by);
        let out = out_of(&ladder);
        if out.length() > f64::from(SKIN) {
            // It is in the body: that is set before it.
            let time = self.space.sweep_core(self.place, out)?.map_or(1.0, |hit| hit.time);
            self.place = self.space.moved(self.place, out * time);
        }
        if down > 0.0 {
            let way = DVec3::NEG_Y * down;
            let time = self.space.sweep_core(self.place, way)?.map_or(1.0, |hit| hit.time);
            self.place = self.space.moved(self.place, way * time);
        }
        self.begin_ladder(&ladder);
        Ok(true)
    }

    /// The ladder behind a place `ahead` of here and `low` metres lower, within the skin or on the way that led there,
    /// and the level way from here to beside it.
    fn ladder_near(
        &mut self,
        ahead: DVec3,
        low: f32,
        way: DVec3,
    ) -> Result<Option<(Plane, DVec3)>, Missing> {
        let at = self.space.raised(self.place, -low);
        let at = self.space.moved(at, ahead);
        if let Some(ladder) = self.ladder_behind(at, way)? {
            return Ok(Some((ladder, ahead)));
        }
        let length = way.length();
        let whole = way * -((length + f64::from(SKIN)) / length);
        let hit = self.space.sweep(Part::Whole, at, whole)?;
        let back = whole * hit.map_or(0.0, |hit| hit.time);
        let there = self.space.moved(at, back);
        let ladder = self.ladder_behind(there, way)?;
        Ok(ladder.map(|ladder| (ladder, ahead + back)))
    }

    /// The ladder behind that is in the foot of a body as much lower as it is wide, if it reaches up to where the body is.
    fn ladder_under(&mut self, way: DVec3) -> Result<Option<Plane>, Missing> {
        let low = self.space.body.radius() + 2.0 * SKIN;
        let lower = self.space.raised(self.place, -low);
        let Some(ladder) = self.ladder_behind(lower, way)? else { return Ok(None) };
        let before = self.space.moved(self.place, out_of(&ladder));
        let top = self.space.raised(before, -HELD_BELOW);
        let is_held = self.face_held(top, ladder.normal)?.is_some();
        Ok(is_held.then_some(ladder))
    }

    /// The ladder that a wall in the way is, or that is flush with it.
    pub(crate) fn ladder_of(&mut self, wall: &Plane) -> Result<Option<Plane>, Missing> {
        let is_climbable = |surface: u8| self.space.surface(SurfaceId(surface)).climbable;
        if !self.knows_ladders() {
            return Ok(None);
        }
        if wall.prop().is_some() && is_climbable(wall.surface) {
            return Ok(Some(*wall));
        }
        self.space.touching(Part::Whole, self.place)?;
        Ok(self.best_ladder(|_, face| if face.normal.dot(wall.normal) > FLUSH { 1.0 } else { 0.0 }))
    }

    fn ladder_behind(&mut self, at: WorldPos, way: DVec3) -> Result<Option<Plane>, Missing> {
        self.space.touching(Part::Whole, at)?;
        Ok(self.best_ladder(|_, wall| leads(way, wall.normal)))
    }

    /// Whether a unit in the air catches ladders: there are any, and it has not just left one.
    fn may_catch(&self) -> bool {
        self.motion == Motion::Falling && self.state.ladder_pause == 0.0 && self.knows_ladders()
    }

    fn knows_ladders(&self) -> bool {
        self.space.surfaces.iter().any(|surface| surface.climbable)
    }

    /// The ladder among the contacts that is rated highest, and above [`LEADS`].
    fn best_ladder(&self, rate: impl Fn(&Contact, &Plane) -> f64) -> Option<Plane> {
        let mut best: Option<(f64, Plane)> = None;
        for contact in self.space.contacts.as_slice() {
            let Some(wall) = self.as_ladder(plane_at(contact)) else { continue };
            let rated = rate(contact, &wall);
            let is_better = best.is_none_or(|(most, known)| {
                let (a, b) = (wall.normal, known.normal);
                // Equal ones by their direction.
                rated > most || (rated == most && (a.x, a.z) < (b.x, b.z))
            });
            if rated > LEADS && is_better {
                best = Some((rated, wall));
            }
        }
        best.map(|(_, wall)| wall)
    }

    /// A face as a ladder: upright. `None` if it is not one.
    fn as_ladder(&self, face: Plane) -> Option<Plane> {
        let is_ladder = face.prop().is_some()
            && face.normal.y.abs() <= LEVEL_MAX
            && self.space.surface(SurfaceId(face.surface)).climbable;
        if is_ladder { upright(face) } else { None }
    }
}

/// The part of a way that leads in a direction, which is a unit vector: 1 where they are the same.
fn leads(way: DVec3, direction: DVec3) -> f64 {
    let length = way.length();
    if length > 0.0 { way.dot(direction) / length } else { 0.0 }
}

/// The way out of a ladder's face, up to its skin. Metres.
fn out_of(ladder: &Plane) -> DVec3 {
    ladder.normal * (ladder.depth - f64::from(CONTACT_MARGIN))
}
