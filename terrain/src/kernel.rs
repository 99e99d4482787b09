//! What a controller is made of, beside the queries that games use: `marchland-controller` takes its ticks from
//! here. Names and meanings change with it, in any release.
//!
//! | | what it is |
//! |---|---|
//! | [`lanes`] | sixteen numbers at a time, on every processor to the same bits |
//! | [`CellCorners`], [`CellPlace`], [`height_in_cell`], [`normal_of_gradient`], [`blocks_along`] | the height rule, taken apart |
//! | [`LevelBody`], [`LevelFaces`], [`LevelImpact`], [`Wall`], [`Walls`], [`Envelope`] | level motion: a disc among outlines |
//! | [`Gathered`], [`BlockPool`] | triangles around a unit, kept between ticks |
//! | [`canonical`] | a position after a move |
//! | [`greater`], [`lesser`] | maxima and minima whose bits are the same everywhere |

pub use crate::heightfield::{
    CellCorners, CellPlace, blocks_along, height_in_cell, normal_of_gradient,
};
pub use crate::lanes;
pub use crate::math::{canonical, greater, greater_each, lesser, lesser_each};
pub use crate::query::{
    BlockPool, Envelope, Gathered, LevelBody, LevelFaces, LevelImpact, Wall, Walls,
};
