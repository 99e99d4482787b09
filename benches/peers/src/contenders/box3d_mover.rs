//! A walker composed of Box3D's mover: planes, their solution and casts, as in the sample included with
//! Box3D; also a step, a snap to the ground and a slope limit, which Box3D leaves to its users.

use marchland_terrain::glam::Vec3;

use super::box3d_world::World;
use super::{Walker, fallen};
use crate::setup::{DT, RADIUS, SNAP, STEP};

/// Cosine of [`SLOPE_DEGREES`](crate::setup::SLOPE_DEGREES), 50.
const SLOPE_COSINE: f32 = 0.642_787_6;

/// Iterations in which planes are gathered and solved in a slide, and when to stop: as in the
/// sample.
const SLIDES: usize = 5;
const ENOUGH: f32 = 0.01;

/// Accepted distance from the target of a slide. Metres.
const CLOSE: f32 = 0.001;

/// A smaller rise is not a step. Metres.
const RISE: f32 = 0.02;

/// A step is tried if the move falls short of its target by at least this. Metres.
const BLOCKED: f32 = 0.002;

/// How far ahead of the body's side a step must have level ground. Metres.
const AHEAD: f32 = 0.02;

/// A tick of one walker.
pub(super) fn tick(world: &World, walker: &mut Walker) {
    let feet = Vec3::from(walker.feet);
    let wish = Vec3::new(walker.wish[0], 0.0, walker.wish[1]);
    let fall = fallen(walker);
    let was_standing = walker.stands;
    let mut end = slide(world, feet, wish * DT - Vec3::Y * (fall * DT), was_standing);
    let mut has_stepped = false;
    if was_standing && let Some(stepped) = step_up(world, feet, wish, end) {
        (end, has_stepped) = (stepped, true);
    }
    let mut stands = has_stepped || is_ground_under(world, end);
    if was_standing && !stands {
        end = snap(world, end);
        stands = is_ground_under(world, end);
    }
    walker.feet = end.to_array();
    // A body that is blocked while falling stops falling, even where the ground is too steep to stand on.
    let held = !stands && !was_standing && feet.y - end.y < 0.5 * fall * DT;
    walker.fall = if held { 0.0 } else { fall };
    walker.stands = stands;
}

/// Moves as far as planes and casts allow.
fn slide(world: &World, feet: Vec3, way: Vec3, walks: bool) -> Vec3 {
    let target = feet + way;
    let mut at = feet;
    for _ in 0..SLIDES {
        let mut planes = world.touch(at);
        if walks {
            planes.wall_up(SLOPE_COSINE);
        }
        let solved = planes.solve(target - at);
        let moved = solved * world.cast(at, solved);
        at += moved;
        if at.distance_squared(target) < CLOSE * CLOSE || moved.length_squared() < ENOUGH * ENOUGH {
            break;
        }
    }
    at
}

/// Whether the mover touches a walkable surface.
fn is_ground_under(world: &World, feet: Vec3) -> bool {
    world.touch(feet).normals().any(|normal| normal.y >= SLOPE_COSINE)
}

/// Lifts, moves and drops, if the way is blocked and there is level ground ahead. Returns the end of the
/// step if it leads further than `direct`.
fn step_up(world: &World, feet: Vec3, wish: Vec3, direct: Vec3) -> Option<Vec3> {
    let ahead = wish.try_normalize()?;
    let gone = (direct - feet).dot(ahead);
    if gone > wish.length() * DT - BLOCKED {
        return None;
    }
    let lift = Vec3::Y * STEP;
    let lifted = feet + lift * world.cast(feet, lift);
    let moved = slide(world, lifted, wish * DT, true);
    if (moved - feet).dot(ahead) <= gone + 0.001 {
        return None;
    }
    // A round end that touches an edge does not show what is behind the edge.
    let toe = Vec3::new(moved.x, lifted.y, moved.z) + ahead * (RADIUS + AHEAD);
    let (share, normal) = world.ray(toe, -lift)?;
    // A ray that begins inside a solid passes through it, and hits what the walker stands on.
    if normal.y < SLOPE_COSINE || toe.y - share * STEP < feet.y + RISE {
        return None;
    }
    let drop = Vec3::NEG_Y * (moved.y - feet.y);
    Some(moved + drop * world.cast(moved, drop))
}

/// Moves down to the ground, if it is near.
fn snap(world: &World, feet: Vec3) -> Vec3 {
    let drop = Vec3::NEG_Y * SNAP;
    let share = world.cast(feet, drop);
    if share < 1.0 { feet + drop * share } else { feet }
}
