//! The sectors near a unit, looked up, and the grid as it lies around one; sizes and limits.

pub(crate) mod frame;
pub(crate) mod hash;
pub(crate) mod lanes;
pub mod limits;
pub(crate) mod sectors;
