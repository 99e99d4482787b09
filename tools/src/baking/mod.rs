//! From command-line arguments to a published world.
//!
//! ```text
//! BakeArgs ─ plan ─▶ Plan (source open, grid chosen, record made) ─ execute ─▶ Outcome
//! ```

mod execute;
mod extent;
mod plan;
mod props;
pub(crate) mod settings_text;

pub(crate) use execute::pool;
pub use execute::{Outcome, execute};
pub use plan::{Plan, plan};
pub(crate) use plan::{import_failure, import_options};
pub use props::{PropPlan, PropsMade};
