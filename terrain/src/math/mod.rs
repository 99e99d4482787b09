//! Coordinates, angles, rotations and boxes.

mod aabb;
pub mod angle;
mod coords;
mod rotation;

pub use aabb::{Aabb, greater, lesser};
pub use coords::{SectorCoord, SectorSize, WorldPos, canonical};
pub use rotation::Rotation;
