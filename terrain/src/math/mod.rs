//! Coordinates, angles, rotations and boxes.

mod aabb;
pub mod angle;
mod coords;
mod rotation;

pub(crate) use aabb::outward;
pub use aabb::{Aabb, greater, lesser};
pub use coords::{SectorCoord, SectorSize, WorldPos, canonical};
pub(crate) use rotation::FineRotation;
pub use rotation::Rotation;
