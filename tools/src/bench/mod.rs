//! Crowds of several sizes over the user's own world, to measure what a tick costs there.
//!
//! ```text
//! land ─▶ places, once for the largest crowd ─▶ for each size and number of threads: ticks ─▶ table, plot
//! ```
//!
//! | file | what |
//! |---|---|
//! | `land` | the world's sectors in memory, as many as fit |
//! | `crowd` | where units start, and their directions |
//! | `measure` | ticks of one crowd, and the time they took |
//! | `plot` | the picture |
//!
//! Starts and directions depend only on the seed. Two runs therefore differ only in time, and any
//! number of threads reaches the same state.

mod crowd;
mod land;
mod measure;
mod plot;

pub use crowd::{Site, places};
pub use land::Land;
pub use measure::{Figures, Plan, measure};
pub use plot::draw;
