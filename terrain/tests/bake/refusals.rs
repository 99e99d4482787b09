//! Sources that do not fit are refused, and named.

use marchland_terrain::Grid;
use marchland_terrain::bake::{BakeError, BakeInput, BakeSettings, CellSource, VoidPolicy, bake};

use crate::{Heights, input, mask, settings, try_bake};

#[test]
fn what_does_not_fit_is_refused_and_named() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let heights = Heights::from_fn(9, 9, |_, _| 0.0);
    let settings = settings(grid, 1.0);
    let mut with_mask = input(&heights);
    with_mask.holes = mask(7, 9, |_, _| 0).map(|mask| Box::new(mask) as Box<dyn CellSource>);
    assert!(matches!(
        try_bake(with_mask, &settings),
        Err(BakeError::MaskSize { columns: 7, cell_columns: 8, sample_rows: 9, .. })
    ));
    let mut with_ids = input(&heights);
    with_ids.surfaces = mask(8, 8, |column, row| 3 * u8::from((column, row) == (5, 6)))
        .map(|mask| Box::new(mask) as Box<dyn CellSource>);
    assert!(matches!(
        try_bake(with_ids, &settings),
        Err(BakeError::SurfaceId { id: 3, column: 5, row: 6, names: 1 })
    ));
    let mut high = heights.clone();
    high.metres[4 * 9 + 2] = 40_000.0;
    assert!(matches!(
        try_bake(input(&high), &settings),
        Err(BakeError::Height { column: 2, row: 4, quantum_needed, .. })
            if quantum_needed == Some(1.0 / 128.0)
    ));
    let line = Heights::from_fn(9, 1, |_, _| 0.0);
    assert!(matches!(try_bake(input(&line), &settings), Err(BakeError::TooFewSamples { .. })));
    let mut tiny = settings.clone();
    tiny.spacing = [0.01, 1.0];
    assert!(matches!(try_bake(input(&heights), &tiny), Err(BakeError::NoWholeCell { .. })));
    let error = bake(input(&heights), &settings, &mut |_| {}, &|_| Err("disk full".into()));
    assert!(matches!(error, Err(BakeError::Sink(error)) if error.to_string() == "disk full"));
}

#[test]
fn a_few_samples_over_a_vast_world_of_small_cells_are_refused_before_any_row_is_read() {
    let heights = Heights::from_fn(2, 3, |_, _| 1.0);
    let input =
        BakeInput { heights: Box::new(heights), holes: None, surfaces: None, outside: Vec::new() };
    let settings = BakeSettings {
        grid: Grid::new(1.0, 256.0, 1.0 / 256.0).unwrap(),
        spacing: [1e9, 1.0],
        origin: [-128.0, -128.0],
        void: VoidPolicy::Hole,
        surface_names: 1,
    };
    let refused = bake(input, &settings, &mut |_| panic!("read"), &|_| panic!("made"));
    let error = refused.unwrap_err();
    assert!(matches!(error, BakeError::Samples { axis: 'x', .. }), "{error}");
    let text = error.to_string();
    let expected = "the world would have 1000000001 samples along x, from source samples 1000000000 m apart \
                    and cells of 1 m, expected at most 4194304";
    assert_eq!(text, expected);
}
