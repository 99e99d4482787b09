//! Ground too steep to walk up, the world's edge, and holes.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod edge_and_holes;
mod rough_ground;
mod steep_faces;
mod stopped;

fn tangent(degrees: f64) -> f64 {
    marchland_terrain::math::angle::tan_degrees(degrees)
}

/// How far from the foot of a steep face, of so many metres on one, the centre of the default body
/// stops: where its upper cylinder with the skin around it meets the face, or at the foot itself.
fn stop_before(rise: f64) -> f32 {
    let stop = 0.41 - 0.45 / rise;
    if stop > 0.0 { stop as f32 } else { 0.0 }
}
