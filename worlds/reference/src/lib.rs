//! What units should do, computed in `f64` from geometry alone: for tests and benches.
//!
//! Nothing here is shared with the libraries: shapes are given, not asked of a world. It is written to
//! be verifiable, not fast.
//!
//! | module | purpose |
//! |---|---|
//! | [`disc`] | a disc that slides in the plane around what is convex |
//! | [`piece`] | triangles of ground and props, cut to heights and seen from above |
//! | [`walker`] | a walker on ground and among props, with support |
//!
//! Places are metres in the plane: x and z of the world.

#![forbid(unsafe_code)]

pub mod disc;
pub mod piece;
pub mod walker;

/// The lesser of two numbers.
#[must_use]
pub fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers.
#[must_use]
pub fn most(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
