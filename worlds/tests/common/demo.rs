//! The demo world, baked in memory.

use marchland_terrain::Grid;
use marchland_terrain::bake::{BakeInput, BakeSettings, Spread, VoidPolicy, spread};
use marchland_worlds::source::{Cells, Codes};
use marchland_worlds::terrain::{bake_settings, baked_files};
use marchland_worlds::{demo, demo_props};

/// The demo with its holes, surfaces and all its props: cells of 2 m, sectors of 512 m.
pub(crate) fn world() -> Spread {
    let cell = demo::SPACING;
    let grid =
        Grid::new(cell, Grid::default_sector_size(cell), Grid::default_quantum(cell)).unwrap();
    let codes = Codes::new(demo::height_codes().unwrap(), demo::MIN_HEIGHT, demo::MAX_HEIGHT);
    let input = BakeInput {
        heights: Box::new(codes),
        holes: Some(Box::new(Cells::new(demo::holes().unwrap()))),
        surfaces: Some(Box::new(Cells::new(demo::surfaces().unwrap()))),
        outside: Vec::new(),
    };
    let settings = BakeSettings {
        surface_names: demo_props::ALL_SURFACE_NAMES.len(),
        ..bake_settings(grid, cell, VoidPolicy::Error)
    };
    let files = baked_files(input, &settings).unwrap();
    spread(grid, &files, &demo_props::props().unwrap()).unwrap()
}
