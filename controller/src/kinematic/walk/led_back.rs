//! To and fro: where a walk is led back against its request, over an edge or off what holds it, and comes to the same
//! place again, it stays there. Who goes round, whichever way, is in `recurrence`.
//!
//! The places are compared as in Brent's search for cycles (R. P. Brent, "An improved Monte Carlo factorization
//! algorithm", BIT 20, 1980), but with the first, the fourth, the ninth, … at which it was led back: cycles are short.

use marchland_terrain::WorldPos;
use marchland_terrain::glam::{Vec2, Vec3};
use marchland_terrain::math::greater;

use super::stand::Standing;
use crate::kinematic::mover::Mover;
use crate::kinematic::space::Missing;
use crate::units::contact_state::TurnedBack;
use crate::units::unit::Motion;
use crate::units::wish::Wish;

/// Farther away than so many ticks of its request, and than [`BESIDE`], it is elsewhere.
const ELSEWHERE: f32 = 8.0;

/// What is no farther away is beside it. Metres.
const BESIDE: f32 = 0.5;

/// Who goes back by less than this part of what it asks for in a tick is not led back.
const BACK: f32 = 0.01;

/// It is the same place if it is no farther away than this part of what it asks for in a tick.
const SAME: f32 = 0.02;

/// Led back so often since, it gets on nowhere, and this part of what it asks for in a tick is near enough.
const OFTEN: u32 = 4;
const NEARLY_SAME: f32 = 0.2;

/// The same for a slide, led back [a few times](LED_BACK): each begins somewhere else.
const SLID_SAME: f32 = 0.5;

/// Led back so often, what it tries first leads nowhere.
const LED_BACK: u32 = 2;

/// Requests that differ by no more than this part of the first are alike.
const ALIKE: f32 = 0.14;

/// What a unit did in a tick.
pub(crate) struct Went {
    /// What it asked for. Metres per second along X and Z.
    pub(crate) asked: Vec2,
    /// Seconds.
    pub(crate) dt: f32,
    /// From the place at which it was free. Metres.
    pub(crate) by: Vec3,
    /// Whether it began to walk, and is on the ground.
    pub(crate) walked: bool,
    /// Whether it walked, and slides now.
    pub(crate) slides: bool,
    /// Whether it slid, and walks now.
    pub(crate) slid: bool,
}

/// What is to be known after a tick.
pub(crate) enum Turn {
    Goes(Option<TurnedBack>),
    /// It has been led back to where it was led back before: it stays where its tick began.
    Stays(TurnedBack),
}

/// What is to be known after a tick.
pub(crate) fn turn(known: Option<TurnedBack>, went: &Went) -> Turn {
    let Went { asked, dt, by, walked, slides, slid } = *went;
    let along = Vec2::new(by.x, by.z).dot(asked);
    let near = BACK * asked.length() * dt;
    let is_back = (walked || slid) && along < -near * asked.length();
    let is_near = |turned: &TurnedBack| is_beside((turned.wish, turned.away), asked, dt);
    let Some(turned) = known.filter(is_near) else {
        let first = TurnedBack { wish: asked, away: by, count: 1, goes_back: true };
        return Turn::Goes(is_back.then_some(first));
    };
    let turns = is_back && !turned.goes_back;
    let since = turned.count - turned.count.isqrt().pow(2) + 1;
    let same = if since < OFTEN { SAME } else { NEARLY_SAME };
    let is_within = |away: Vec3, part| away.length() <= part * asked.length() * dt;
    // Where slides have led back, none begins.
    let is_to_slide = slides && since >= LED_BACK && is_within(turned.away + by, SLID_SAME);
    if (turns && walked && is_within(turned.away, same)) || is_to_slide {
        // Next it tries another way.
        return Turn::Stays(TurnedBack { count: greater(turned.count, LED_BACK), ..turned });
    }
    let count = turned.count.saturating_add(u32::from(turns));
    let is_new = turns && count.isqrt().pow(2) == count;
    let (wish, away) = if is_new { (asked, by) } else { (turned.wish, turned.away + by) };
    Turn::Goes(Some(TurnedBack { wish, away, count, goes_back: is_back }))
}

/// Whether a way has led back [often enough](LED_BACK) to try another.
pub(crate) fn is_led_back(known: Option<TurnedBack>) -> bool {
    known.is_some_and(|turned| turned.count >= LED_BACK)
}

impl Mover<'_, '_, '_, '_> {
    /// Notes where its own move in this tick, from a place at which it was free, has led back; it stays at the place if
    /// it did so there before, or often near there.
    pub(crate) fn turn_back_once(
        &mut self,
        from: WorldPos,
        before: &Standing,
        wish: Wish,
    ) -> Result<(), Missing> {
        if self.space.in_the_open {
            self.state.turned_back = None; // there it may be followed
            return Ok(());
        }
        let (walks, is_free) = (before.motion == Motion::Walking, self.glided.is_none());
        let on_ground = matches!(self.motion, Motion::Walking | Motion::Sliding);
        let went = Went {
            asked: Vec2::from(wish.velocity()),
            dt: self.space.tick.dt,
            by: self.place.relative_to(from, self.space.size),
            walked: walks && on_ground && is_free,
            slides: walks && self.motion == Motion::Sliding,
            slid: before.motion == Motion::Sliding && self.motion == Motion::Walking && is_free,
        };
        match turn(self.state.turned_back, &went) {
            Turn::Goes(turned) => self.state.turned_back = turned,
            Turn::Stays(turned) => {
                self.stay_put(from, before)?;
                self.state.turned_back = Some(turned);
            }
        }
        Ok(())
    }

    /// Whether its way has led back here often enough to try another.
    pub(crate) fn is_led_back(&self) -> bool {
        is_led_back(self.state.turned_back)
    }

    /// Stays where its tick began, if that holds it.
    fn stay_put(&mut self, from: WorldPos, before: &Standing) -> Result<(), Missing> {
        self.rest_at(from, before);
        self.short = None;
        self.move_by(Wish::STAND)?;
        // Pressing on, it goes no farther into what holds it, nor down to what would hold it lower.
        let went = self.place.relative_to(from, self.space.size).length();
        let presses = before.state.is_wedged && self.motion == Motion::Walking && went <= BESIDE;
        if presses || !self.is_free()? {
            (self.place, self.motion, self.state) = (from, before.motion, before.state);
            (self.events, self.is_suspended) = (before.events, false);
        }
        Ok(())
    }
}

/// Whether a unit that has come so far from where it had a wish, and still has it, may be at the same place again.
pub(crate) fn is_beside((wish, away): (Vec2, Vec3), asked: Vec2, dt: f32) -> bool {
    let far = greater(ELSEWHERE * dt * asked.length(), BESIDE);
    away.length() <= far && (asked - wish).length() <= ALIKE * wish.length()
}
