//! Crowds of several sizes over a world of the user's own, to see what a tick costs there.
//!
//! ```text
//! land ─▶ places, once for the largest crowd ─▶ for each size and number of threads: ticks ─▶ table, plot
//! ```
//!
//! | file | what |
//! |---|---|
//! | `land` | the world's sectors in memory, as many as there is room for |
//! | `crowd` | where units begin, and which way they go |
//! | `measure` | ticks of one crowd, and what they took |
//! | `plot` | the picture |
//!
//! Where units begin and which way they go hangs on the seed alone, so that two runs differ in nothing
//! but time, and any number of threads comes to the same state.

mod crowd;
mod land;
mod measure;
mod plot;

pub use crowd::{Site, places};
pub use land::Land;
pub use measure::{Figures, Plan, measure};
pub use plot::draw;
