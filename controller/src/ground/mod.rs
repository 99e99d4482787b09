//! The sectors near a unit, looked up, and the grid as it lies around one.

pub(crate) mod frame;
pub(crate) mod lanes;
pub(crate) mod sectors;
