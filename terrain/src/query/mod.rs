//! Questions about everything solid, terrain and props as one surface.

pub(crate) mod cylinder;
mod ray_triangle;
pub(crate) mod raycast;

pub use cylinder::Cylinder;
