//! Flights over worlds, to measure what streaming costs.
//!
//! ```text
//! course ─▶ sources ─▶ update of the streamer ─▶ view ─▶ tick of the squad ─▶ log ─▶ figures, plot
//! ```
//!
//! | file | what |
//! |---|---|
//! | `plan` | the settings of a flight |
//! | `course` | the course of a source: legs and sharp turns within the world |
//! | `squad` | units that stay beneath the sources |
//! | `land` | the world: streamed, or all of it in memory |
//! | `flight` | tick after tick |
//! | `log` | the cost and the observations of every tick, and the figures computed from them |
//! | `system` | page faults, and the system's own copies of files |
//! | `plot` | the picture |

mod course;
mod flight;
mod land;
mod log;
mod plan;
mod plot;
mod squad;
mod system;

pub use flight::fly;
pub use land::Land;
pub use log::{Figures, Log, Percentiles};
pub use plan::Plan;
pub use plot::draw;
pub use system::forget_files;
