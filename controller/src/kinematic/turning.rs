//! Where a walk is led back, over an edge or off what holds it, and comes to the same place again: it stays there.
//!
//! The places are compared as in Brent's search for cycles: with the first, the second, the fourth, … at which it was led
//! back. R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20 (1980).

use marchland_terrain::WorldPos;
use marchland_terrain::glam::{Vec2, Vec3};

use super::depenetrate::TickStart;
use super::mover::Mover;
use super::space::Missing;
use crate::units::contact_state::TurnedBack;
use crate::units::unit::Motion;
use crate::units::wish::Wish;

/// Farther away than this it is elsewhere. Metres.
const ELSEWHERE: f32 = 0.25;

/// It is the same place if it is no farther away than this part of what it asks for in a tick.
const SAME: f32 = 0.02;

/// Least cosine between two requests that are alike.
const ALIKE: f32 = 0.99;

impl Mover<'_, '_, '_, '_> {
    /// Notes where its own move in this tick, from a place at which it was free, has led back; it stays at the place if
    /// it did so there before.
    pub(super) fn turn_back_once(
        &mut self,
        from: WorldPos,
        before: &TickStart,
        wish: Wish,
    ) -> Result<(), Missing> {
        if self.space.in_the_open {
            self.state.turned_back = None; // there it may be followed
            return Ok(());
        }
        let asked = Vec2::from(wish.velocity());
        let went = self.place.relative_to(from, self.space.size);
        let is_on_ground = |motion| matches!(motion, Motion::Walking | Motion::Sliding);
        let walked = before.motion == Motion::Walking && is_on_ground(self.motion);
        let along = Vec2::new(went.x, went.z).dot(asked);
        let near = SAME * asked.length() * self.space.tick.dt;
        let is_back = walked && self.glided.is_none() && along < -near * asked.length();
        let Some(turned) = self.state.turned_back.filter(|turned| turned.is_near(asked)) else {
            let first = TurnedBack { wish: asked, away: went, count: 1, goes_back: true };
            self.state.turned_back = is_back.then_some(first);
            return Ok(());
        };
        let turns = is_back && !turned.goes_back;
        if turns && turned.away.length() <= near {
            return self.stay_put(from, before);
        }
        let count = turned.count.saturating_add(u32::from(turns));
        let is_new = turns && count.is_power_of_two();
        let away = if is_new { went } else { turned.away + went };
        self.state.turned_back = Some(TurnedBack { wish: asked, away, count, goes_back: is_back });
        Ok(())
    }

    /// Stays where its tick began, if that holds it.
    fn stay_put(&mut self, from: WorldPos, before: &TickStart) -> Result<(), Missing> {
        (self.place, self.motion, self.state) = (from, before.motion, before.state);
        (self.events, self.velocity) = (before.events, Vec3::ZERO);
        (self.is_suspended, self.short) = (false, None);
        self.move_by(Wish::STAND)?;
        // Pressing on, it goes no farther into what holds it, nor down to what would hold it lower.
        let went = self.place.relative_to(from, self.space.size).length();
        let presses = before.state.is_wedged && self.motion == Motion::Walking && went <= ELSEWHERE;
        if presses || !self.is_free()? {
            (self.place, self.motion, self.state) = (from, before.motion, before.state);
            (self.events, self.is_suspended) = (before.events, false);
        }
        Ok(())
    }
}

impl TurnedBack {
    /// Whether that may be the same place again.
    fn is_near(&self, asked: Vec2) -> bool {
        let lengths = self.wish.length() * asked.length();
        self.away.length() <= ELSEWHERE && self.wish.dot(asked) > ALIKE * lengths
    }
}
