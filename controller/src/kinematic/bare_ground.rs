//! A tick over bare ground, where nothing but ground is near: a body is then a point over the highest ground within its
//! disc. It slides as that point, `y = max(y, ground)`. It follows the ground under its middle, as everywhere, or flies,
//! where no ground is in its upper part at the end; otherwise it walks along that, and along the lines that its middle
//! may not cross, as level planes that are solved together.
//!
//! Only where that is all of its tick. Where ground holds it, where it gets on so little that it looks for another way,
//! where it begins to slide or lands, and where anything else is near, the tick is that of a [mover](super::mover).

use marchland_terrain::HeightfieldView;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::kernel::normal_of_gradient;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{Aabb, greater};

use super::Subject;
use super::air::sliding::{Descent, descend, slope_of};
use super::planes::{Plane, Planes};
use super::walk::BARRED;
use super::walk::led_back::is_led_back;
use super::walk::recurrence::looks_aside;
use super::walk::stand::{LEVEL, STANDS};
use super::wedge::ravine;
use crate::following::terrain_walls::{Stop, first_stop};
use crate::following::triangle_walk::Walker;
use crate::ground::sectors::Sectors;
use crate::units::body::Body;
use crate::units::hair::blocks_from;
use crate::units::reach::request;
use crate::units::tick::{Tick, without_creep};
use crate::units::unit::{Motion, Unit};

/// What is no farther below what holds a body is touched as well. Metres.
const TOUCHED: f64 = 1e-3;

/// By how much of its way a slide rises above where its slope leads, onto what is less steep.
const BENDS: f64 = 0.1;

/// How often a slide turns along what is before it.
const TURNS_MAX: u32 = 2;

/// How often a walk turns along what is before it.
const WALLS_MAX: u32 = 4;

/// More than a place is rounded by. Metres.
const ROUNDING: f64 = 2e-5;

/// Least metres by which a face goes down, or what is stood on comes up, with each metre off it that leads out of it.
const CLOSES: f64 = 0.1;

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

/// How a unit walks along the ground that stops it within whole, plain ground of one sector, if nothing but that is near:
/// along lines that its middle may not cross, and no nearer to what comes into its upper part. `None` where there is
/// more to it, and where it hardly gets on.
pub(crate) fn walk_along(
    tick: &Tick,
    field: &HeightfieldView<'_>,
    sectors: &mut Sectors<'_>,
    subject: &Subject<'_>,
) -> Option<Unit> {
    let Subject { unit, body, wish, .. } = *subject;
    let [x, z] = request(tick, unit, wish).1.map(f64::from);
    let (start, asked) = (unit.local.as_dvec3(), DVec3::new(x, 0.0, z));
    let own = f64::from(body.radius());
    if tick.is_short(wish.velocity()) {
        return None;
    }
    let (mut way, mut walls) = (asked, Planes::new());
    for _ in 0..=WALLS_MAX {
        let to = (start + way).as_vec3();
        if !is_within(unit.local, to, own) {
            return None;
        }
        if let Some(stop) = line_before(tick, sectors, unit, body, way)? {
            let normal = DVec3::new(stop.normal[0], 0.0, stop.normal[1]);
            let depth = if stop.part > 0.0 { stop.part * way.dot(normal) } else { stop.away };
            walls.push(Plane::new(normal, depth));
            way = walls.nearest(asked).filter(|_| !stop.is_edge)?;
            continue;
        }
        let tops = field.tops_over_disc([to.x, to.z], own + f64::from(SKIN), 0.0)?;
        let (ground, gradient) = field.height_and_gradient_at(field.place(to.x, to.z));
        let held = tops.highest() - f64::from(blocks_from(body, unit.local.y));
        let over = held + TOUCHED - f64::from(ground);
        if over > 0.0 {
            for top in tops.as_slice() {
                walls.push(wall_of(body, top.gradient, gradient, (way, over))?);
            }
            way = walls.nearest(asked)?;
            continue;
        }
        let is_followed = unit.local.y - ground <= body.step_down();
        let is_steep = body.is_too_steep(face(gradient).normal.y);
        if !is_followed || is_steep || needs_another(tick, subject, (way, asked), &walls) {
            return None;
        }
        let velocity = (way / f64::from(tick.dt)).as_vec3().to_array().map(without_creep);
        let local = to.with_y(ground) + Vec3::ZERO;
        return Some(Unit { local, velocity: Vec3::from(velocity) + Vec3::ZERO, ..*unit });
    }
    None
}

/// Whether a way along walls leads on so little that a unit looks for another.
fn needs_another(
    tick: &Tick,
    subject: &Subject<'_>,
    (way, asked): (DVec3, DVec3),
    walls: &Planes,
) -> bool {
    let Subject { unit, state, .. } = *subject;
    let is_still = way.length_squared() < STANDS * STANDS * asked.length_squared();
    let is_barred = way.dot(asked) < BARRED * asked.length_squared();
    let are_many = walls.as_slice().len() > 1;
    let looks = || are_many && looks_aside(state.recurrence, unit.velocity, way, tick.dt);
    is_still || (is_barred && (is_led_back(state.turned_back) || looks()))
}

/// The first line of the ground that the middle of a walking unit may not cross. `None` if that is not known.
fn line_before(
    tick: &Tick,
    sectors: &mut Sectors<'_>,
    unit: &Unit,
    body: &Body,
    way: DVec3,
) -> Option<Option<Stop>> {
    let feet = f64::from(unit.local.y);
    let walker = Walker {
        motion: Motion::Walking,
        is_above: false,
        feet,
        rim: feet,
        slope_squared: body.max_slope_tan() * body.max_slope_tan(),
        never_steep: None,
        heading: [0.0; 2],
    };
    let from = ([unit.local.x, unit.local.z], None);
    first_stop(sectors, unit.sector, &tick.frame, &walker, from, [way.x, way.z]).ok()
}

/// The wall that a steep face is to a body that stands on the ground at the end of a way, into which the face reaches
/// `over` metres: with each step off the face that falls, and what is stood on rises or falls.
fn wall_of(
    body: &Body,
    face_gradient: [f32; 2],
    under: [f32; 2],
    (way, over): (DVec3, f64),
) -> Option<Plane> {
    if !body.is_too_steep(face(face_gradient).normal.y) {
        return None;
    }
    let level = |[x, z]: [f32; 2]| DVec3::new(f64::from(x), 0.0, f64::from(z));
    let rise = level(face_gradient);
    let steep = rise.length();
    let normal = -rise / steep;
    let closes = steep + level(under).dot(normal);
    (closes > CLOSES).then(|| Plane::new(normal, way.dot(normal) + over / closes + ROUNDING))
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
        let (ground, gradient) = field.height_and_gradient_at(field.place(to.x, to.z));
        let stands = ground >= y - LEVEL && !body.is_too_steep(face(gradient).normal.y);
        if !gets_on || !follows || stands || planes.hold(body.resume_slope_cos()) {
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
    greater(ravine::BARRED * ravine::BARRED * (x * x + z * z), 0.25 * by.length_squared())
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
