//! Where the walls of the ground stop a horizontal move: steep triangles, the world's edges, rims of holes.

use marchland_terrain::SectorCoord;

use crate::following::triangle_walk::{FirstHit, Line, Move, Reason, Walker, dot, first_wall};
use crate::ground::frame::Frame;
use crate::ground::sectors::Sectors;
use crate::limits::WALL_MARGIN;

/// Where a wall stops a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// The part of the move after which it stops, 0 to 1.
    pub(crate) part: f64,
    /// The place, in the frame of the home. Metres.
    pub(crate) at: [f32; 2],
    /// Direction away from the wall, seen from above. A unit vector.
    pub(crate) normal: [f64; 2],
    /// How far away from the wall the move must lead first: so near to the line, a rounded move along it may end
    /// beyond it. Metres; mostly 0.
    pub(crate) away: f64,
    /// Whether the wall is the world's edge; otherwise it is ground that is too steep, or a rim.
    pub(crate) is_edge: bool,
}

/// The first wall that a move by `along` from `from` meets, which ends at `to`, if that is not where it leads but for
/// rounding. All are metres in the frame of `home`.
///
/// # Errors
/// The sector that must be in memory to find out.
pub(crate) fn first_stop(
    sectors: &mut Sectors<'_>,
    home: SectorCoord,
    frame: &Frame,
    walker: &Walker<'_>,
    (from, to): ([f32; 2], Option<[f32; 2]>),
    along: [f64; 2],
) -> Result<Option<Stop>, SectorCoord> {
    let step = Move { from, to: to.unwrap_or_else(|| moved(from, along)), along };
    let margin = f64::from(sectors.grid().sector_size().metres()) * WALL_MARGIN;
    let (line, reason) = match first_wall(sectors, home, frame, walker, &step, true) {
        FirstHit::Missing(coord) => return Err(coord),
        FirstHit::Nothing => return Ok(None),
        FirstHit::Wall(line, reason) => (line, reason),
    };
    let (mut part, mut at) = stop_before(line, &step, margin);
    if at != step.from {
        // After rounding, the stop may lie in a triangle that the move never entered.
        match first_wall(sectors, home, frame, walker, &Move { to: at, ..step }, false) {
            FirstHit::Missing(coord) => return Err(coord),
            FirstHit::Nothing => {}
            FirstHit::Wall(..) => (part, at) = (0.0, step.from),
        }
    }
    let normal = normal_of(line, &step);
    let away = if part == 0.0 { away_from(line, &step, margin) } else { 0.0 };
    Ok(Some(Stop { part, at, normal, away, is_edge: reason == Reason::Edge }))
}

/// Whether a move by `delta`, from a place to another, meets no wall.
///
/// # Errors
/// Like [`first_stop`].
pub(crate) fn is_free(
    sectors: &mut Sectors<'_>,
    home: SectorCoord,
    frame: &Frame,
    walker: &Walker<'_>,
    [from, to]: [[f32; 2]; 2],
    delta: [f32; 2],
) -> Result<bool, SectorCoord> {
    let step = Move { from, to, along: delta.map(f64::from) };
    match first_wall(sectors, home, frame, walker, &step, true) {
        FirstHit::Missing(coord) => Err(coord),
        FirstHit::Nothing => Ok(true),
        FirstHit::Wall(..) => Ok(false),
    }
}

/// The direction from a wall to the side that a move comes from.
fn normal_of(line: Line, step: &Move) -> [f64; 2] {
    let [x, z] = match line {
        Line::X(_) => [1.0, 0.0],
        Line::Z(_) => [0.0, 1.0],
        Line::Diagonal { north_east, .. } => {
            // By the side: a move along it that rounding leads over it may lead away from it as well.
            let normal = [0.5_f64.sqrt(), -(0.5_f64.sqrt())];
            return if north_east { normal } else { normal.map(|part| -part) };
        }
        Line::Contour { gradient, .. } => {
            let length = dot(gradient, gradient).sqrt();
            [gradient[0] / length, gradient[1] / length]
        }
    };
    if dot([x, z], step.along) > 0.0 { [-x, -z] } else { [x, z] }
}

/// How far a move must lead away from a line that it begins much nearer to than the margin. Metres.
fn away_from(line: Line, step: &Move, margin: f64) -> f64 {
    let from = step.from.map(f64::from);
    let (near, scale) = match line {
        Line::X(x) => ((x - from[0]).abs(), 1.0),
        Line::Z(z) => ((z - from[1]).abs(), 1.0),
        Line::Diagonal { x_minus_z, .. } => {
            ((x_minus_z - (from[0] - from[1])).abs(), 0.5_f64.sqrt())
        }
        Line::Contour { .. } => return 0.0,
    };
    if near < 0.5 * margin { (margin - near) * scale } else { 0.0 }
}

fn moved(from: [f32; 2], along: [f64; 2]) -> [f32; 2] {
    [(f64::from(from[0]) + along[0]) as f32, (f64::from(from[1]) + along[1]) as f32]
}

/// Where a move stops before a wall: after which part of it, and at which place. A move that begins within
/// the margin stays where it is.
fn stop_before(line: Line, step: &Move, margin: f64) -> (f64, [f32; 2]) {
    let from = step.from.map(f64::from);
    let delta = [f64::from(step.to[0]) - from[0], f64::from(step.to[1]) - from[1]];
    // The distance left to the margin, and the distance that the move covers towards it.
    let (way, speed) = match line {
        Line::X(x) => towards(x - from[0], delta[0], margin),
        Line::Z(z) => towards(z - from[1], delta[1], margin),
        Line::Diagonal { x_minus_z, north_east } => {
            let beyond = x_minus_z - (from[0] - from[1]);
            if north_east {
                (-beyond - margin, delta[1] - delta[0])
            } else {
                (beyond - margin, delta[0] - delta[1])
            }
        }
        Line::Contour { part, .. } => (part, 1.0),
    };
    if !(way > 0.0 && speed > way) {
        return (0.0, step.from);
    }
    let part = way / speed;
    let mut stop = [(from[0] + delta[0] * part) as f32, (from[1] + delta[1] * part) as f32];
    match line {
        Line::X(_) => stop[0] = (from[0] + way * sign(delta[0])) as f32,
        Line::Z(_) => stop[1] = (from[1] + way * sign(delta[1])) as f32,
        Line::Diagonal { .. } | Line::Contour { .. } => {}
    }
    (part, stop)
}

fn towards(beyond: f64, delta: f64, margin: f64) -> (f64, f64) {
    if delta > 0.0 { (beyond - margin, delta) } else { (-beyond - margin, -delta) }
}

fn sign(value: f64) -> f64 {
    if value < 0.0 { -1.0 } else { 1.0 }
}
