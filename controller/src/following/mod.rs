//! Following the ground: one unit, one tick, in essence `y = max(y, ground)`, and where walls of the ground stop it.

pub(crate) mod follow;
pub(crate) mod terrain_walls;
pub(crate) mod triangle_walk;
