//! The demo: bake the sample world, march units over it, draw where they went.

mod march;
mod picture;
mod standing;
mod tracks;

pub use march::{March, Marched};
pub use picture::{draw, legend_lines};
pub use tracks::Tracks;
