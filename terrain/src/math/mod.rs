//! Coordinates, angles, rotations and boxes.

mod aabb;
pub mod angle;
pub(crate) mod bounds;
pub(crate) mod coords;
pub(crate) mod error;
mod order;
mod relative;
mod rotation;

pub use aabb::Aabb;
pub(crate) use aabb::outward;
pub(crate) use bounds::SectorBounds;
pub(crate) use coords::between;
pub use coords::{SectorCoord, SectorSize, WorldPos};
pub(crate) use error::{GridError, PositionError};
pub(crate) use order::pairs;
pub use order::{clamp, greater, greater_each, lesser, lesser_each};
pub use relative::relative_to_all;
pub(crate) use rotation::FineRotation;
pub use rotation::Rotation;
