//! The demo: bakes the sample world, marches units over it, draws where they went.

mod check;
mod folder;
mod march;
mod picture;
mod standing;
mod tracks;
mod walks;

pub use check::Findings;
pub use folder::{Images, PICTURE, WORLD, prepare};
pub use march::{March, Marched};
pub use picture::{draw, legend_lines, sketches};
pub use tracks::Tracks;
