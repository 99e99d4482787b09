//! Sectors on disk and in memory.

pub mod bake;
pub mod limits;

pub use glam;
