//! Round and round: a unit that gets on by little comes to the same place again with the same step and rests there;
//! between round things, say, it steps up and slides off. Who is led back against its request is in `led_back`.
//!
//! The places are compared as in Brent's search for cycles (R. P. Brent, "An improved Monte Carlo factorization
//! algorithm", BIT 20, 1980), with those at the first, the second, the fourth, … tick, or
//! the next in which it begins a walk.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::{DVec3, Vec2, Vec3};

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

/// Who creeps along what bars it looks for another way in the first ticks, and then in each of so many.
const LOOKS: u32 = 4;

/// Who was so many times faster had found one.
const FASTER: f64 = 1.25;

/// Whether a unit that creeps along what bars it looks for another way in a tick that begins with this, at this velocity;
/// else it goes `by` metres in `dt` seconds.
pub(crate) fn looks_aside(known: Option<Recurrence>, velocity: Vec3, by: DVec3, dt: f32) -> bool {
    let before = velocity.as_dvec3().with_y(0.0).length() * f64::from(dt);
    let had_another = before > FASTER * by.with_y(0.0).length();
    let is_due = |known: &Recurrence| known.ticks <= 2 || known.ticks.is_multiple_of(LOOKS);
    had_another || known.is_none_or(|known| is_due(&known))
}

/// What a unit asked for in a tick, and what came of it.
pub(crate) struct OwnMove {
    /// Metres per second along X and Z.
    pub(crate) asked: Vec2,
    /// Seconds.
    pub(crate) dt: f32,
    /// From where the tick began. Metres.
    pub(crate) went: Vec3,
    /// If it was a walk from a place at which it was free, where that is, seen from where the tick began. Metres.
    pub(crate) walk: Option<Vec3>,
    /// From there. Metres.
    pub(crate) step: Vec3,
}

/// What is to be known after a tick.
pub(crate) enum Course {
    Goes(Option<Recurrence>),
    /// It has come back often enough to stay where its walk began.
    Rests(Recurrence),
}

/// What is to be known after a tick that has moved a unit.
pub(crate) fn course(known: Option<Recurrence>, own: &OwnMove) -> Course {
    let OwnMove { asked, dt, went, walk, step } = *own;
    let far = asked.length() * dt;
    let way = step.length();
    let first = Recurrence { wish: asked, away: step, step, way, ticks: 1, most: 1, back: 0 };
    let is_near = |known: &Recurrence| is_beside((known.wish, known.away), asked, dt);
    let Some(known) = known.filter(is_near) else {
        let gets_on = Vec2::new(step.x, step.z).dot(asked);
        let is_hindered = gets_on < HINDERED * far * asked.length();
        return Course::Goes((walk.is_some() && is_hindered).then_some(first));
    };
    let same = far * if known.most < LONG { SAME } else { NEARLY_SAME };
    let is_same = |start: &Vec3| {
        let away = (known.away + *start).length();
        away <= same
            && (step - known.step).length() <= same
            && known.way >= ROUND * away
            && known.way >= STIRS * known.ticks as f32
    };
    let again = walk.filter(is_same);
    let back = known.back + u32::from(again.is_some());
    if let Some(start) = again.filter(|_| back >= OFTEN) {
        return Course::Rests(Recurrence { away: known.away + start, ..known });
    }
    Course::Goes(Some(if walk.is_some() && again.is_none() && known.ticks >= known.most {
        Recurrence { most: known.most.saturating_mul(2), ..first }
    } else {
        let (way, ticks) = (known.way + went.length(), known.ticks.saturating_add(1));
        Recurrence { away: known.away + went, way, ticks, back, ..known }
    }))
}

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
        let (dt, size, began) = (self.space.tick.dt, self.space.size, self.began_at);
        let start = from.filter(|_| before.motion == Motion::Walking);
        let own = OwnMove {
            asked,
            dt,
            went: self.place.relative_to(began, size),
            walk: start.map(|start| start.relative_to(began, size)),
            step: self.place.relative_to(start.unwrap_or(began), size),
        };
        self.state.recurrence = match course(self.state.recurrence, &own) {
            Course::Goes(recurrence) => recurrence,
            Course::Rests(recurrence) => {
                self.rest_at(start.unwrap_or(began), before);
                self.short = None;
                Some(recurrence)
            }
        };
    }
}
