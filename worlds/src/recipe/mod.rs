//! The recipe of the demo world: 2048 m square, made entirely by this code, the same on every
//! machine. `cargo run --release -p marchland-worlds --example make_demo` writes the result into
//! `worlds/demo/`, where [`crate::demo`] embeds it.

mod curve;
mod erosion;
mod landform;
pub(crate) mod noise;
mod paint;

use marchland_terrain::math::clamp;

use crate::demo::{MAX_HEIGHT, MIN_HEIGHT, SAMPLES, SPACING};
use crate::grid::Grid;

pub use landform::SHORE;
pub use paint::{HOLE, SURFACE_NAMES};

/// The result of the recipe.
pub struct World {
    /// Metres at every sample, `SAMPLES × SAMPLES`.
    pub heights: Grid<f64>,
    /// [`HOLE`] where a cell has no ground, else 0.
    pub holes: Grid<u8>,
    /// Place of each cell's surface in [`SURFACE_NAMES`].
    pub surfaces: Grid<u8>,
}

/// Makes the demo world. Takes some seconds.
pub fn make() -> World {
    let plan = landform::Plan::new();
    let heights = landform::heights(&plan, SAMPLES, SPACING);
    let holes = paint::holes(&plan, SAMPLES - 1, SPACING);
    let surfaces = paint::surfaces(&plan, &heights, SPACING);
    World { heights, holes, surfaces }
}

/// Heights as the 16 bits of the image: 0 is [`MIN_HEIGHT`], 65535 is [`MAX_HEIGHT`].
pub fn encoded(heights: &Grid<f64>) -> Grid<u16> {
    heights.map(|height| {
        let share = (height - MIN_HEIGHT) / (MAX_HEIGHT - MIN_HEIGHT);
        (clamp(share, 0.0, 1.0) * 65535.0 + 0.5).floor() as u16
    })
}
