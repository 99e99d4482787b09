//! Ladders: faces that are climbed at the speed of the request's part into them.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;

use crate::kinematic::mover::Mover;
use crate::kinematic::planes::Plane;
use crate::kinematic::space::footing::{Band, Footing, FootingKind};
use crate::kinematic::space::{Missing, Part};
use crate::kinematic::walk::stand::LEVEL;
use crate::kinematic::walk::step_up::STEP_FORWARD_MIN;
use crate::units::contact_state::{Climb, LADDER_PAUSE};
use crate::units::event::EventKind;
use crate::units::unit::Motion;

/// Speed at which a unit that jumps off a ladder moves away from it. Metres per second.
const LADDER_JUMP: f64 = 2.0;

/// How far below the feet a ladder may end that is held on to. Metres: so much that the way out of its top is
/// to the side, out of the skin, and not upwards.
pub(crate) const HELD_BELOW: f32 = 4.0 * SKIN;

/// How far a way along a face that leans leads out of it, as a part of the way.
const OUT: f64 = 1e-6;

/// How far a ladder leans away on its way up, at most: 60°, as a tangent.
const LEANS_MAX: f64 = 1.733;

/// Least cosine between the normals of two faces of the same ladder.
const SAME_SIDE: f64 = 0.5;

impl Mover<'_, '_, '_, '_> {
    pub(crate) fn begin_ladder(&mut self, wall: &Plane) {
        self.state.climb = Climb::NONE;
        self.state.normal = wall.normal.as_vec3();
        self.state.support = wall.prop();
        self.motion = Motion::Climbing;
        self.is_suspended = false;
        self.velocity = Vec3::ZERO;
        self.events.push(EventKind::ClimbBegan { rise: 0.0 });
    }

    pub(crate) fn climb_ladder(&mut self, wish: [f32; 2], jump: bool) -> Result<(), Missing> {
        let normal = self.state.normal.as_dvec3();
        if jump {
            let away = normal * LADDER_JUMP;
            let up = self.space.body.jump_speed();
            self.state.ladder_pause = LADDER_PAUSE;
            return self.fall_off(Vec3::new(away.x as f32, up, away.z as f32));
        }
        let dt = f64::from(self.space.tick.dt);
        let into = -(f64::from(wish[0]) * normal.x + f64::from(wish[1]) * normal.z);
        let (up, out) = match into {
            0.0 => (DVec3::Y, DVec3::ZERO),
            _ => self.up_the_ladder(normal)?,
        };
        // By more than rounding leads into a face that leans.
        let motion = up * (into * dt) + out * (into * dt).abs();
        let start = self.place;
        let mut time = 1.0;
        if into != 0.0 {
            time = match self.space.sweep(Part::Whole, self.place, motion)? {
                // Only the ladder's foot or the ground is under the skin: the body itself decides.
                Some(hit) if hit.normal.y > 0.0 => {
                    self.space.sweep_core(self.place, motion)?.map_or(1.0, |hit| hit.time)
                }
                Some(hit) => hit.time,
                None => 1.0,
            };
            self.place = self.space.moved(self.place, motion * time);
        }
        self.velocity = (up * (into * time)).as_vec3() + Vec3::ZERO;
        let risen = self.feet() - start.local().y;
        if into > 0.0 && self.step_off_the_top(normal, risen)? {
            return Ok(());
        }
        if into <= 0.0
            && let Some(footing) =
                self.space.footing(self.place, Band { low: -LEVEL, high: LEVEL })?
            && footing.kind == FootingKind::Walkable
            && footing.y >= self.feet() - LEVEL
        {
            self.place = self.space.at_height(self.place, footing.y);
            self.velocity = Vec3::ZERO;
            self.stand_on(&footing);
            self.events.push(EventKind::ClimbEnded);
            return Ok(());
        }
        if self.holds_ladder(normal)? || self.nears_ladder(normal, risen)? {
            return Ok(());
        }
        let end = std::mem::replace(&mut self.place, start);
        if into > 0.0 && self.holds_ladder(normal)? {
            // The ladder ends, and there is nothing to step onto.
            self.climb_to_the_end(normal, end)?;
            self.velocity = Vec3::ZERO;
            return self.begin_over_the_top(normal);
        }
        self.place = end;
        self.fall_off(Vec3::ZERO)
    }

    /// The direction up the face of a ladder, which may lean, and how far out of one that leans a way along it leads. As
    /// parts of the way.
    fn up_the_ladder(&mut self, normal: DVec3) -> Result<(DVec3, DVec3), Missing> {
        let face = match self.face_held(self.place, normal)? {
            // At the top the face ends at the feet, or a little below.
            None => self.face_held(self.space.raised(self.place, -HELD_BELOW), normal)?,
            face => face,
        };
        let face = face.unwrap_or(normal);
        // An upright face gives straight up, to the bit.
        let out = if face.y == 0.0 { DVec3::ZERO } else { face * OUT };
        Ok(((DVec3::Y - face * face.y).normalize(), out))
    }

    /// Steps over the top of a ladder onto what is behind it. The feet rise by what they have climbed in this
    /// tick, and no more: the top may be as far below them as that. Metres.
    fn step_off_the_top(&mut self, normal: DVec3, risen: f32) -> Result<bool, Missing> {
        let low = if risen > 0.0 { -risen } else { 0.0 } - LEVEL;
        let Some((to, footing)) = self.top_behind(normal, Band { low, high: 0.0 })? else {
            return Ok(false);
        };
        self.place = self.space.at_height(to, footing.y);
        self.velocity = Vec3::ZERO;
        self.stand_on(&footing);
        self.events.push(EventKind::ClimbEnded);
        Ok(true)
    }

    /// Goes as far on the way to a place as it holds on to the ladder.
    fn climb_to_the_end(&mut self, normal: DVec3, end: WorldPos) -> Result<(), Missing> {
        let start = self.place;
        let way = end.relative_to(start, self.space.size).as_dvec3();
        let (mut low, mut high) = (0.0, 1.0);
        let mut part = f64::from(HELD_BELOW) * 0.1 / way.length();
        while (high - low) * way.length() > f64::from(LEVEL) && part < high {
            self.place = self.space.moved(start, way * part);
            if self.holds_ladder(normal)? {
                low = part;
            } else {
                high = part;
            }
            if high < 1.0 && low == 0.0 {
                break;
            }
            part = 0.5 * (low + high);
        }
        self.place = self.space.moved(start, way * low);
        Ok(())
    }

    /// Begins to climb over the edge of what is farther behind a ladder than a foot at its top reaches, if there is such.
    fn begin_over_the_top(&mut self, normal: DVec3) -> Result<(), Missing> {
        let far = 2.0 * f64::from(self.space.body.radius() + HELD_BELOW);
        let top = self.top_climbed(self.space.body.knee(), -normal * far)?;
        if let Some(top) = top.filter(|top| top.rise >= -2.0 * HELD_BELOW) {
            self.go_over(&top);
        }
        Ok(())
    }

    /// What is behind a ladder between two heights, if it can be stood on and there is room on the way there.
    fn top_behind(
        &mut self,
        normal: DVec3,
        band: Band,
    ) -> Result<Option<(WorldPos, Footing)>, Missing> {
        let over = -normal * (2.0 * f64::from(SKIN) + STEP_FORWARD_MIN);
        let to = self.space.moved(self.place, over);
        let Some(footing) = self.space.walkable_prop(to, band)? else { return Ok(None) };
        let highest = self.space.prop_footing(to, band)?;
        if highest.is_some_and(|highest| highest.y > footing.y + LEVEL) {
            return Ok(None);
        }
        let rise = footing.y - self.feet();
        if rise > 0.0 && !self.space.has_head_room(self.place, rise)? {
            return Ok(None);
        }
        let raised = self.space.at_height(self.place, footing.y);
        let is_free = self.space.sweep(Part::Upper, raised, over)?.is_none();
        Ok(is_free.then_some((to, footing)))
    }

    /// Whether a ladder is still within the skin. It may end at the feet, or below them by less than the knee
    /// where it leads onto something.
    fn holds_ladder(&mut self, normal: DVec3) -> Result<bool, Missing> {
        for low in [0.0, HELD_BELOW] {
            let at = self.space.raised(self.place, -low);
            if self.face_held(at, normal)?.is_some() || self.is_ladder_beside(at, normal)? {
                return Ok(true);
            }
        }
        let knee = self.space.body.knee();
        let Some((_, top)) = self.top_behind(normal, Band { low: -LEVEL, high: knee })? else {
            return Ok(false);
        };
        // Up to there.
        let at = self.space.at_height(self.place, top.y - knee);
        Ok(self.face_held(at, normal)?.is_some())
    }

    /// Goes to a ladder that leans away from a climber who has held on to its foot, and has risen by so many metres since.
    /// Returns whether it holds that.
    fn nears_ladder(&mut self, normal: DVec3, risen: f32) -> Result<bool, Missing> {
        let far = f64::from(risen.abs() + HELD_BELOW) * LEANS_MAX + 2.0 * f64::from(SKIN);
        let near = normal * -far;
        let here = self.place;
        let hit = self.space.sweep(Part::Whole, here, near)?;
        let Some(hit) = hit.filter(|hit| self.space.surface(hit.surface).climbable) else {
            return Ok(false);
        };
        self.place = self.space.moved(here, near * hit.time);
        let holds = self.holds_ladder(normal)?;
        if !holds {
            self.place = here;
        }
        Ok(holds)
    }

    /// Whether a ladder is slightly outside the skin, where rounding may keep it.
    fn is_ladder_beside(&mut self, at: WorldPos, normal: DVec3) -> Result<bool, Missing> {
        let near = self.space.sweep(Part::Whole, at, normal * -f64::from(SKIN))?;
        Ok(near.is_some_and(|hit| self.space.surface(hit.surface).climbable))
    }

    /// The normal of the ladder that a body at a place hangs on, which is on the side of `normal`.
    pub(crate) fn face_held(
        &mut self,
        at: WorldPos,
        normal: DVec3,
    ) -> Result<Option<DVec3>, Missing> {
        self.space.touching(Part::Whole, at)?;
        let mut held: Option<DVec3> = None;
        for contact in self.space.contacts.as_slice() {
            let way = contact.normal.as_dvec3();
            let most = held.map_or(SAME_SIDE, |held| held.dot(normal));
            if way.dot(normal) > most && self.space.surface(contact.surface).climbable {
                held = Some(way);
            }
        }
        Ok(held)
    }
}
