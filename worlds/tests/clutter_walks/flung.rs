//! How far a unit may go in a tick.

use marchland_controller::{Body, Motion, TickSettings, Wish};
use marchland_terrain::math::greater;
use marchland_terrain::{LiveProps, WorldPos};

use crate::walk::Walker;
use crate::ways::beside;

/// Fastest that a mover of the clutter moves at any place of it. Metres a second.
const MOVERS: f64 = 8.0;
/// How close props are let, beside which a body needs no push. Metres.
const SKIN: f64 = 0.01;
/// Acceleration of air control 1. Metres per second squared.
const GRIP: f64 = 20.0;
/// How far who climbs a ladder steps over its top: two skins and what a step looks ahead. Metres.
const OVER_THE_TOP: f64 = 2.0 * SKIN + 0.012;

/// By how much a unit has gone farther sideways than anything lets it. Metres.
///
/// By itself it goes as far as its speed before the tick takes it, by what it did:
///
/// - walking: the request's, or with less friction something between that and its own speed; a jump
///   adds its own, which what slants above turns sideways;
/// - in the air: its own and that of gravity, for what slants turns a fall sideways, and the steering;
/// - sliding: v' = (v + dt·g_t) / (1 + dt·|g_t| / slide_speed), which is between its own and the slide
///   speed, and a share of the request, which steers and is not stored in the velocity;
/// - climbing: its climbing speed, or over the top of a ladder by the skin and a step of a centimetre.
///
/// What moves carries it or gives it its speed, and pushes it. Who was inside of something is pushed out
/// by at most the radius and the skin; so is who does not walk, for it is solid from the feet up, and the
/// judge sees what is above the knee. Who walks and was free is pushed out of what has come: ahead of it, or
/// where something is in the way there, to a side of it, by at most the radius, the skin and its way.
pub(crate) fn flung(
    walker: &Walker,
    now: WorldPos,
    wish: Wish,
    body: &Body,
    (live, rate): (&LiveProps, f64),
) -> f64 {
    let size = live.sector_size();
    let way = now.relative_to(walker.position, size).as_dvec3();
    let dt = 1.0 / rate;
    let own = f64::from(walker.velocity.length());
    let asked = length(wish.velocity().map(f64::from));
    let gravity = f64::from(TickSettings::default().gravity) * dt;
    let speed = match walker.motion {
        Motion::Walking => {
            let level = f64::from(walker.velocity.with_y(0.0).length());
            let jump = if wish.jumps() { f64::from(body.jump_speed()) } else { 0.0 };
            greater(level, asked) + jump
        }
        Motion::Falling => own + gravity + GRIP * f64::from(body.air_control()) * dt,
        Motion::Sliding => {
            let slides = greater(f64::from(body.slide_speed()), own);
            slides + f64::from(body.slide_control()) * asked
        }
        Motion::Climbing => greater(OVER_THE_TOP / dt, f64::from(body.climb_speed())),
    };
    let most = f64::from(body.radius()) + SKIN;
    let came = 2.0 * MOVERS * dt + SKIN;
    let was_free = walker.was_free && walker.motion == Motion::Walking;
    let pushed = if was_free && came < most { came } else { most };
    let far = length([way.x, way.z]) - (speed + MOVERS) * dt - 1e-3;
    if far <= pushed || !was_free {
        return far - pushed;
    }
    let near = speed * dt + SKIN;
    let ways = beside(live, walker.position, (body.radius(), body.height()), near).ways;
    // Where walls hold it no more, it goes down between them, aside by no more than down.
    let (down, step) = (-way.y, f64::from(body.step_down()));
    let settled = if down < step { greater(0.0, down) } else { step };
    far - settled - if ways > 0.0 { most + ways } else { pushed }
}

fn length([x, z]: [f64; 2]) -> f64 {
    (x * x + z * z).sqrt()
}
