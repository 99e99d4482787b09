//! Round and round: a unit that gets on by little comes to the same place again with the same step and rests there;
//! between round things, say, it steps up and slides off. Who is led back against its request is in `led_back`.
//!
//! The places are compared as in Brent's search for cycles (R. P. Brent, "An improved Monte Carlo factorization
//! algorithm", BIT 20, 1980), with those at the first, the second, the fourth, … tick, or
//! the next in which it begins a walk.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::Vec2;

use super::led_back::is_beside;
use super::stand::Standing;
use crate::kinematic::mover::Mover;
use crate::units::contact_state::Recurrence;
use crate::units::unit::Motion;
use crate::units::wish::Wish;

/// Who gets on by less than this part of what it asks for may be going round.
const HINDERED: f32 = 0.5;

/// It is the same place if it is no farther away than this part of what it asks for in a tick; and the same step.
const SAME: f32 = 0.02;

/// The same where it has gone round for about twice so many ticks.
const NEARLY_SAME: f32 = 0.2;
const LONG: u32 = 16;

/// Least ratio of its way since to how far it has come: a slow walk leads on, however slow it is.
const ROUND: f32 = 4.0;

/// Whoever moves by less in a tick, in the mean, does not go round: it may be rounding. Metres.
const STIRS: f32 = 2.5e-4;

/// Back at the same place so often, it rests there.
const OFTEN: u32 = 2;

impl Mover<'_, '_, '_, '_> {
    /// Rests where its own move began, if it has come back there by going round, and takes the same step again. `from` is
    /// where that was, if it was free there.
    pub(crate) fn rest_where_it_recurs(
        &mut self,
        from: Option<WorldPos>,
        before: &Standing,
        wish: Wish,
    ) {
        let asked = Vec2::from(wish.velocity());
        let is_alone = self.space.moving_props.ids().is_empty() && self.glided.is_none();
        if self.space.in_the_open || wish.jumps() || asked == Vec2::ZERO || !is_alone {
            self.state.recurrence = None;
            return;
        }
        if self.place == self.began_at && from.is_none_or(|from| from == self.began_at) {
            return; // who stands stays as it is
        }
        let (dt, size) = (self.space.tick.dt, self.space.size);
        let far = asked.length() * dt;
        let start = from.filter(|_| before.motion == Motion::Walking);
        let step = self.place.relative_to(start.unwrap_or(self.began_at), size);
        let first = Recurrence {
            wish: asked,
            away: step,
            step,
            way: step.length(),
            ticks: 1,
            most: 1,
            back: 0,
        };
        let is_near = |known: &Recurrence| is_beside((known.wish, known.away), asked, dt);
        let Some(known) = self.state.recurrence.filter(is_near) else {
            let gets_on = Vec2::new(step.x, step.z).dot(asked);
            let is_hindered = gets_on < HINDERED * far * asked.length();
            self.state.recurrence = (start.is_some() && is_hindered).then_some(first);
            return;
        };
        let same = far * if known.most < LONG { SAME } else { NEARLY_SAME };
        let is_same = |start: &WorldPos| {
            let away = (known.away + start.relative_to(self.began_at, size)).length();
            away <= same
                && (step - known.step).length() <= same
                && known.way >= ROUND * away
                && known.way >= STIRS * known.ticks as f32
        };
        let again = start.filter(is_same);
        let back = known.back + u32::from(again.is_some());
        if let Some(start) = again.filter(|_| back >= OFTEN) {
            self.rest_at(start, before);
            self.short = None;
            let away = known.away + start.relative_to(self.began_at, size);
            self.state.recurrence = Some(Recurrence { away, ..known });
            return;
        }
        self.state.recurrence =
            Some(if start.is_some() && again.is_none() && known.ticks >= known.most {
                Recurrence { most: known.most.saturating_mul(2), ..first }
            } else {
                let went = self.place.relative_to(self.began_at, size);
                let (way, ticks) = (known.way + went.length(), known.ticks.saturating_add(1));
                Recurrence { away: known.away + went, way, ticks, back, ..known }
            });
    }
}
