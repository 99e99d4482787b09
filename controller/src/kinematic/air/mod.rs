//! Through the air and down slopes: the whole body, in space.

pub(super) mod air_move;
pub(super) mod bounce;
pub(super) mod fall;
pub(super) mod jump;
pub(super) mod sliding;
