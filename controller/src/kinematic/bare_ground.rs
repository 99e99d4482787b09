//! A tick over bare ground, where nothing but ground is near: a body is then a point over the highest ground within its
//! disc. It slides as that point, `y = max(y, ground)`; it follows the ground under its middle, as everywhere, or flies,
//! where no ground is in its upper part at the end.
//!
//! Only where that is all of its tick. Where ground holds or stops it, where it begins to slide or lands, and where
//! anything else is near or remembered of it, the tick is that of a [mover](super::mover).

use marchland_terrain::HeightfieldView;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::kernel::normal_of_gradient;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{Aabb, greater};

use super::Subject;
use super::air::sliding::{Descent, descend, slope_of};
use super::planes::{Plane, Planes};
use super::wedge::ravine::BARRED;
use crate::units::body::Body;
use crate::units::hair::blocks_from;
use crate::units::tick::{Tick, without_creep};
use crate::units::unit::{Motion, Unit};

/// What is no farther below what holds a body is touched as well. Metres.
const TOUCHED: f64 = 1e-3;

/// By how much of its way a slide rises above where its slope leads, onto what is less steep.
const BENDS: f64 = 0.1;

/// How often a slide turns along what is before it.
const TURNS_MAX: u32 = 2;

/// A tick of sliding over ground alone.
pub(crate) struct BareSlide {
    pub(crate) unit: Unit,
    /// The normal of the slope where it ends.
    pub(crate) normal: Vec3,
}

/// Whether a unit that has followed the ground, or flown, over whole ground of one sector is in nothing there, if nothing
/// but ground is near, and stands on what it may stand on, if it does.
pub(crate) fn followed_free(
    field: &HeightfieldView<'_>,
    body: &Body,
    before: &Unit,
    now: &Unit,
) -> bool {
    let [x, z] = [now.local.x, now.local.z];
    let own = f64::from(body.radius());
    let Some(tops) = field.tops_over_disc([x, z], own + f64::from(SKIN), 0.0) else { return false };
    let low = f64::from(blocks_from(body, before.local.y));
    let is_above = tops.highest() - low + TOUCHED <= f64::from(now.local.y);
    // What is under the whole way is under the disc where it ends.
    let is_near = is_within(before.local, now.local, own);
    let is_kept = before.motion == now.motion;
    let walks = now.motion == Motion::Walking;
    let stands = || !body.is_too_steep(face(field.gradient_at(field.place(x, z))).normal.y);
    is_kept && is_near && is_above && (!walks || stands())
}

/// How a unit slides within whole, plain ground of one sector, if nothing but that is near. `None` where there is more
/// to it.
pub(crate) fn slide(
    tick: &Tick,
    field: &HeightfieldView<'_>,
    subject: &Subject<'_>,
) -> Option<BareSlide> {
    let Subject { unit, state, body, wish, .. } = *subject;
    let slope = state.normal.as_dvec3();
    let Descent { velocity, by } = descend(tick, body, (unit.velocity, slope), wish.velocity());
    let start = unit.local.as_dvec3();
    let least = least_way(tick, body, wish.velocity(), by);
    let (mut velocity, mut motion, mut before) = (velocity, by, Planes::new());
    for _ in 0..=TURNS_MAX {
        let to = (start + motion).as_vec3();
        let Rest { y, planes } = rest_at(body, field, (unit.local, to))?;
        let rise = f64::from(y) - f64::from(to.y);
        if rise > BENDS * by.length() {
            // Along what is before it.
            before.push(Plane::new(slope, 0.0));
            for plane in planes.as_slice() {
                let depth = motion.dot(plane.normal) + rise * plane.normal.y;
                before.push(Plane { depth, ..*plane });
            }
            motion = before.nearest(by)?;
            velocity = before.still().nearest(velocity)?;
            continue;
        }
        let end = to.with_y(y);
        let gets_on = (end.as_dvec3() - start).length_squared() >= least;
        let follows = y <= unit.local.y && -rise <= f64::from(body.step_down());
        let is_steep = |plane: &Plane| body.is_too_steep(plane.normal.y);
        if !gets_on
            || !follows
            || !planes.as_slice().iter().all(is_steep)
            || planes.hold(body.resume_slope_cos())
        {
            return None;
        }
        let normal = slope_of(&planes)?.normal.as_vec3();
        let velocity = Vec3::from(velocity.as_vec3().to_array().map(without_creep));
        let slid = Unit { local: end, velocity, motion: Motion::Sliding, ..*unit };
        return Some(BareSlide { unit: slid, normal });
    }
    None
}

/// The square of the shortest way that counts: half of the slide's, and more than one that is barred.
fn least_way(tick: &Tick, body: &Body, wish: [f32; 2], by: DVec3) -> f64 {
    let [x, z] = wish.map(|speed| f64::from(speed * tick.dt * body.slide_control()));
    greater(BARRED * BARRED * (x * x + z * z), 0.25 * by.length_squared())
}

/// What holds a body over ground.
struct Rest {
    /// The height of its feet. Metres.
    y: f32,
    planes: Planes,
}

/// What holds a body at the end of a way, at whatever height. `None` where more than what is there may be under the way.
fn rest_at(body: &Body, field: &HeightfieldView<'_>, (from, to): (Vec3, Vec3)) -> Option<Rest> {
    let own = f64::from(body.radius());
    let tops = field.tops_over_disc([to.x, to.z], own + f64::from(SKIN), TOUCHED)?;
    if !is_within(from, to, own) || tops.is_cut() {
        return None;
    }
    let (ground, gradient) = field.height_and_gradient_at(field.place(to.x, to.z));
    let held = tops.highest() - f64::from(blocks_from(body, from.y));
    let ground = f64::from(ground);
    let mut planes = Planes::new();
    if ground >= held - TOUCHED {
        planes.push(face(gradient));
    }
    if ground <= held + TOUCHED {
        tops.as_slice().iter().for_each(|top| planes.push(face(top.gradient)));
    }
    Some(Rest { y: rounded_up(greater(ground, held)), planes })
}

/// Whether a place is no farther from another than the radius, seen from above.
fn is_within(from: Vec3, to: Vec3, radius: f64) -> bool {
    let way = (to - from).as_dvec3();
    way.x * way.x + way.z * way.z <= radius * radius
}

/// A box around a body and its skin at two places. Metres from the centre of their sector.
pub(crate) fn near(body: &Body, start: Vec3, end: Vec3) -> Aabb {
    let Aabb { min, max } = Aabb::at(start).union(Aabb::at(end)).grown(body.radius() + 2.0 * SKIN);
    Aabb { min, max: max + Vec3::new(0.0, body.height(), 0.0) }
}

/// The face of ground.
fn face(gradient: [f32; 2]) -> Plane {
    Plane::new(normal_of_gradient(gradient).as_dvec3(), 0.0)
}

/// The least number of this size that is no less.
fn rounded_up(height: f64) -> f32 {
    let near = height as f32;
    if f64::from(near) < height { near.next_up() } else { near }
}
