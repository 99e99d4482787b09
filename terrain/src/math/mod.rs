//! Coordinates, angles, rotations and boxes.

mod aabb;
pub mod angle;
mod coords;
pub(crate) mod error;
mod rotation;

pub(crate) use aabb::outward;
pub use aabb::{Aabb, greater, lesser};
pub use coords::{SectorCoord, SectorSize, WorldPos, canonical};
pub(crate) use error::{GridError, PositionError};
pub(crate) use rotation::FineRotation;
pub use rotation::Rotation;
