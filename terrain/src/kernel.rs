//! What a controller is made of, beside the queries that games use: `marchland-controller` imports it from here, and
//! asks methods of views and solids that are hidden from games. Names and meanings change with it, in any release.
//!
//! | | what it is |
//! |---|---|
//! | [`lanes`] | sixteen numbers at a time, on every processor to the same bits |
//! | [`CellCorners`], [`CellPlace`], [`height_in_cell`], [`normal_of_gradient`], [`blocks_along`] | the height rule, taken apart |
//! | [`DiscTop`], [`DiscTops`] | how high the ground reaches within a disc |
//! | [`LevelBody`], [`LevelFaces`], [`LevelImpact`], [`Wall`], [`Walls`], [`Envelope`] | level motion: a disc among outlines |
//! | [`Gathered`], [`BlockPool`] | triangles around a unit, kept between ticks |
//! | [`SteepGround`] | steep ground in a region |
//! | [`canonical`] | a position after a move |

pub use crate::heightfield::cell_corners::CellCorners;
pub use crate::heightfield::disc_tops::{DiscTop, DiscTops};
pub use crate::heightfield::height_rule::{CellPlace, height_in_cell, normal_of_gradient};
pub use crate::heightfield::pyramid::blocks_along;
#[doc(inline)]
pub use crate::lanes;
pub use crate::math::coords::canonical;
pub use crate::query::gather::{BlockPool, Gathered};
pub use crate::query::level::{Envelope, LevelBody, LevelFaces, LevelImpact, Wall, Walls};
pub use crate::query::region::SteepGround;
