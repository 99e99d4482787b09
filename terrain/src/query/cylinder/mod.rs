//! An upright cylinder with flat ends against one triangle: closed forms, in `f64`.
//!
//! The cylinder stands with the centre of its foot disc at the origin; the triangle is relative to that. The
//! cylinder is the set x² + z² <= radius², 0 <= y <= height.
//!
//! | file | question |
//! |---|---|
//! | `apart.rs` | is it certainly not touched |
//! | `column.rs` | highest and lowest point of the triangle in the column over the foot disc |
//! | `overlapping.rs` | do the two overlap; which part of an edge is over a disc |
//! | `push.rs` | which moves up, down and to the side free the body of the triangle |
//! | `intersection.rs`, `least.rs` | which moves of all kinds do, and which of those is the least |
//! | `sweep.rs` | when does a moving body first touch the triangle |
//! | `meeting.rs` | where a line of motion meets it: the parts from which `sweep` and `exit` are built |
//! | `disc.rs`, `polygon.rs` | the basis of them all: a clipped triangle, its lowest point over a disc |
//!
//! Every function is total: any finite triangle, even a degenerate one, gives finite results and unit
//! normals.

mod apart;
mod column;
mod disc;
mod intersection;
mod least;
mod meeting;
mod overlapping;
mod polygon;
mod push;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use apart::{APART_MARGIN, is_apart, off_plane_until};
pub(crate) use column::{column_bottom, column_top};
pub(crate) use least::{Pushes, least_push, pushes};
pub(crate) use overlapping::{overlapping, overlaps};
pub(crate) use push::Push;
pub(crate) use sweep::{Impact, exit, sweep};

use crate::math::{greater, lesser};
use glam::DVec3;

/// An upright cylinder with flat ends. Metres, both above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius of the discs.
    pub radius: f32,
    /// Distance from the foot disc to the top disc.
    pub height: f32,
}

/// A triangle: its corners relative to the centre of the foot disc.
pub(crate) type Corners = [DVec3; 3];

/// The sides from which a triangle blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockingSides {
    /// From both: a triangle of an open mesh.
    Both,
    /// From the side to which its normal points: a face of a closed solid, or terrain.
    Front,
}

/// A part of a triangle. Ordered: face, edges, corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Its inside.
    Face,
    /// The edge from this corner to the next.
    Edge(u8),
    /// This corner.
    Corner(u8),
}

/// How deep a body may be in a triangle and still count as only touching it. Metres. Far above the rounding
/// of coordinates of 10 km in `f64` (2e-12 m), so that a body that was moved to a contact is not found inside
/// it; far below what anyone can see.
pub(crate) const TOUCH: f64 = 1e-8;

/// Squares below this have lost digits to underflow.
const TINY: f64 = 1e-200;

/// [`TOUCH`], or less for a body so small that it would vanish.
fn touch(radius: f64, height: f64) -> f64 {
    lesser(lesser(height * 0.125, radius * 0.125), TOUCH)
}

/// A number clamped to 0 to 1; 0 for NaN.
fn unit_clamp(t: f64) -> f64 {
    if t >= 1.0 { 1.0 } else { greater(t, 0.0) }
}

/// The unit vector along `vector`; `None` if it has no length. Its largest component is scaled to 1 first, so
/// that squares of tiny components do not underflow.
fn unit(vector: DVec3) -> Option<DVec3> {
    let largest = greater(greater(vector.z.abs(), vector.y.abs()), vector.x.abs());
    if largest.is_nan() || largest <= 0.0 || largest == f64::INFINITY {
        return None;
    }
    let scaled = vector / largest;
    Some(scaled / (scaled.x * scaled.x + scaled.y * scaled.y + scaled.z * scaled.z).sqrt())
}
