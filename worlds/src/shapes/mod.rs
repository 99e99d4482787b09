//! Meshes made by code, for the town, the demo's props, tests and benches.
//!
//! All are in metres, with the origin at the middle of the foot: y is 0 at the bottom. All but [`tangle`] are closed
//! solids, counter-clockwise seen from outside, without degenerate triangles. The same on every
//! machine.
//!
//! | file | shapes |
//! |---|---|
//! | `simple` | [`crate_box`], [`barrel`], [`pillar`], [`ramp`], [`arch`], [`well`], [`tangle`] |
//! | `stairs` | [`stairs`], [`walled_stairs`], [`bridge`] |
//! | `building` | [`house`], [`tower`] |
//! | `plants` | [`fir`], [`oak`], [`log`], [`fence`] |
//! | `rock` | [`rock`] |

mod builder;
mod building;
mod plants;
mod rock;
mod simple;
mod stairs;

pub use building::{HouseSize, house, tower};
pub use plants::{fence, fir, log, oak};
pub use rock::{RockShape, rock};
pub use simple::{arch, barrel, crate_box, pillar, ramp, tangle, torn, well};
pub use stairs::{bridge, stairs, walled_stairs};
