//! Coordinates and angles.

pub mod angle;
mod coords;

pub use coords::{SectorCoord, SectorSize, WorldPos, canonical};
