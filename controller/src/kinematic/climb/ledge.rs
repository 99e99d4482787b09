//! Climbing a ledge: what counts as one, and the way up its wall and onto it.

use marchland_terrain::glam::{BVec3, DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};

use crate::kinematic::mover::Mover;
use crate::kinematic::planes::Plane;
use crate::kinematic::space::footing::Band;
use crate::kinematic::space::{Missing, PARTING};
use crate::kinematic::walk::step_up::Top;
use crate::units::contact_state::Climb;
use crate::units::event::{EventKind, LeftGround};
use crate::units::unit::Motion;

/// How many ledges, one below the other, are looked at.
const LEDGES_MAX: usize = 4;

impl Mover<'_, '_, '_, '_> {
    /// A ledge to climb in a direction: the highest with room above it, of a prop, or of ground that is farther behind
    /// its steep face by no more than a body.
    pub(crate) fn ledge_before(&mut self, ahead: DVec3) -> Result<Option<Top>, Missing> {
        let radius = f64::from(self.space.body.radius());
        let near = self.ledge_at(ahead * (radius + 2.0 * f64::from(SKIN)))?;
        if near.is_some() || !self.space.has_steep {
            return Ok(near);
        }
        let far = self.ledge_at(ahead * (2.0 * radius + 4.0 * f64::from(SKIN)))?;
        Ok(far.filter(|top| top.prop.is_none()))
    }

    fn ledge_at(&mut self, along: DVec3) -> Result<Option<Top>, Missing> {
        let hair = self.space.hair;
        let least = self.space.body.step_up() + hair;
        let to = self.space.moved(self.place, along);
        let mut band = Band { low: least, high: self.space.body.climb() + hair };
        for _ in 0..LEDGES_MAX {
            let Some(ledge) = self.space.walkable_footing(to, band)? else { break };
            let rise = ledge.y - self.feet();
            let top = self.top_climbed(rise, along)?.filter(|top| top.rise > least);
            if top.is_some() {
                return Ok(top);
            }
            band.high = rise - hair;
            if band.high < band.low {
                break; // by rounding: there is none between it and a step
            }
        }
        Ok(None)
    }

    /// Sets out for a top: first up, and down onto it at last.
    pub(crate) fn go_over(&mut self, top: &Top) {
        let rise = greater(top.rise, 0.0);
        let left = Vec3::new(top.along.x as f32, rise, top.along.z as f32);
        let total = (f64::from(rise) + top.along.length()) as f32;
        self.state.climb = Climb { left, total };
    }

    /// Sets out up a wall onto a top.
    pub(crate) fn begin_climb(&mut self, top: &Top, wall: &Plane) {
        self.go_over(top);
        self.motion = Motion::Climbing;
        self.velocity = Vec3::ZERO;
        // A ledge that moves takes along who climbs it, not who climbs a wall below it.
        let climbed = wall.prop().filter(|_| wall.prop() == top.prop);
        (self.state.support, self.state.normal) = (climbed, Vec3::ZERO);
        self.events.push(EventKind::ClimbBegan { rise: top.rise });
    }

    /// A tick of climbing: up a ledge, or a ladder.
    pub(crate) fn climb(&mut self, wish: [f32; 2], jump: bool) -> Result<(), Missing> {
        if self.state.climb.total > 0.0 {
            self.climb_ledge()
        } else {
            self.climb_ladder(wish, jump)
        }
    }

    fn climb_ledge(&mut self) -> Result<(), Missing> {
        let dt = self.space.tick.dt;
        let mut budget = self.space.body.climb_speed() * dt;
        let mut left = self.state.climb.left;
        // A ledge that turns may come down to lower than the climber is.
        let up = greater(-budget, lesser(left.y, budget));
        budget -= up.abs();
        let level = (left.x * left.x + left.z * left.z).sqrt();
        let part = if level <= budget { 1.0 } else { budget / level };
        let by = Vec3::new(left.x * part, up, left.z * part);
        let (start, is_last_up, is_last) = (self.place, up == left.y, part == 1.0);
        let (rise, along) = (DVec3::new(0.0, f64::from(up), 0.0), by.as_dvec3().with_y(0.0));
        for motion in [rise, along] {
            if motion == DVec3::ZERO {
                continue;
            }
            // Flush with its wall the skin is in what juts out of it by rounding; by that, too, it may be a little lower
            // than the edge.
            let hair = if motion.y == 0.0 { self.space.hair } else { 0.0 };
            let from = self.space.raised(self.place, hair);
            let hit = self.space.sweep_core(from, motion)?;
            let blocked = hit.is_some_and(|hit| f64::from(hit.normal.y) < 0.7);
            if blocked {
                return self.fall_off(Vec3::ZERO);
            }
            self.place = self.space.moved(self.place, motion);
        }
        self.velocity = by / dt;
        // Rounding takes nothing off the way.
        left -= self.place.relative_to(start, self.space.size);
        left = Vec3::select(BVec3::new(is_last, is_last_up, is_last), Vec3::ZERO, left);
        self.state.climb.left = left;
        // A ledge that has gone on without its climber carries it no more.
        if let Some(prop) = self.state.support
            && !self.space.has_beside(self.place, prop, (false, PARTING))?
        {
            self.state.support = None;
        }
        if left == Vec3::ZERO {
            self.velocity = Vec3::ZERO;
            self.state.climb = Climb::NONE;
            match self.walkable_at(self.place, self.space.body.step_down())? {
                Some(footing) => {
                    self.place = self.space.at_height(self.place, footing.y);
                    self.stand_on(&footing);
                    self.events.push(EventKind::ClimbEnded);
                }
                None => return self.fall_off(Vec3::ZERO),
            }
        }
        Ok(())
    }

    pub(crate) fn fall_off(&mut self, velocity: Vec3) -> Result<(), Missing> {
        let jumped = velocity != Vec3::ZERO;
        self.motion = Motion::Falling;
        self.velocity = velocity;
        self.state.climb = Climb::NONE;
        self.state.support = None;
        self.state.normal = Vec3::ZERO;
        let reason = if jumped { LeftGround::Jumped } else { LeftGround::LostSupport };
        self.events.push(EventKind::LeftGround { reason });
        Ok(())
    }
}
