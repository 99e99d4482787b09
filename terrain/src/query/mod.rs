//! Questions about everything solid, terrain and props as one surface.

pub(crate) mod cylinder;

pub use cylinder::Cylinder;
