//! Folders of tiles: names, overlap, borders, gaps.

use std::path::Path;

use marchland_tools::import::{
    BorderSide, CellRect, Encoding, Endian, ImportOptions, Problem, Source, SourceSpacing, open,
};

use crate::fixtures::*;

/// Height of the whole set at a sample.
fn ground(column: usize, row: usize) -> u16 {
    1000 + scatter(row * 97 + column) % 500
}

/// Cuts a set into raw tiles of `columns × rows` samples that share `overlap` of them.
fn cut(
    folder: &Folder,
    (tile_columns, tile_rows): (usize, usize),
    (columns, rows): (usize, usize),
    overlap: usize,
    name: impl Fn(usize, usize) -> String,
) {
    for y in 0..tile_rows {
        for x in 0..tile_columns {
            let (left, top) = (x * (columns - overlap), y * (rows - overlap));
            let samples: Vec<u16> = (0..columns * rows)
                .map(|i| ground(left + i % columns, top + i / columns))
                .collect();
            folder.file(&name(x, y), &gray16(columns as u32, rows as u32, &samples));
        }
    }
}

fn set(path: &Path, options: &ImportOptions) -> (Source, Grid) {
    opened(path, options)
}

fn assert_is_ground(grid: &Grid) {
    for row in 0..grid.rows {
        for column in 0..grid.columns {
            let expected = f64::from(ground(column, row));
            assert_eq!(grid.at(column, row), expected, "column {column}, row {row}");
        }
    }
}

#[test]
fn tiles_by_any_known_name_make_one_grid() {
    let pattern = |pattern: &str| Some(pattern.to_owned());
    for overlap in [0, 1] {
        for (name, tiles, tile_columns) in [
            (&|x, y| format!("h_x{x}_y{y}.png"), None, None),
            (&|x, y| format!("x{x}_y{y}.png"), None, None),
            (&|x, y| format!("h_y{y}_x{x}.png"), None, None),
            (&|x: usize, y: usize| format!("t_{x:02}{}.png", ["-01", "_00", "_01"][y]), None, None),
            (&|x, y| format!("{x}-{y}.png"), pattern("{x}-{y}.png"), None),
            (&|x, y| format!("tile{:03}.png", y * 2 + x), pattern("tile{i}.png"), Some(2)),
        ]
            as [(&dyn Fn(usize, usize) -> String, Option<String>, Option<u32>); 6]
        {
            let folder = Folder::new();
            cut(&folder, (2, 3), (7, 5), overlap, name);
            folder.file("notes.ron", b"not a tile");
            let options = ImportOptions { tiles, tile_columns, ..as_stored() };
            let (source, grid) = set(folder.path(), &options);
            let report = source.tiles.unwrap();
            assert_eq!((report.tile_columns, report.tile_rows), (2, 3), "{}", name(1, 2));
            assert_eq!(report.overlap as usize, overlap);
            assert_eq!(grid.columns, 2 * (7 - overlap) + overlap);
            assert_eq!(grid.rows, 3 * (5 - overlap) + overlap);
            assert_is_ground(&grid);
            assert_eq!(source.files.len(), 6);
            assert_eq!(source.files[2].file_name().unwrap().to_str().unwrap(), name(0, 1));
            assert_eq!(source.notes, ["files that are not tiles are ignored: notes.ron"]);
            assert!(source.outside.is_empty());
        }
    }
}

#[test]
fn tiles_of_degrees_share_edges_and_lie_north_first() {
    let folder = Folder::new();
    let tile = |name: &str, left: usize, top: usize| {
        let samples: Vec<u16> = (0..9).map(|i| ground(left + i % 3, top + i / 3)).collect();
        folder.file(name, &words(Endian::Big, &samples));
    };
    tile("N01W001.hgt", 0, 0);
    tile("N01E000.hgt", 2, 0);
    tile("N00W001.hgt", 0, 2);
    tile("N00E000.hgt", 2, 2);
    let (source, grid) = set(folder.path(), &ImportOptions::default());
    assert_eq!((grid.columns, grid.rows), (5, 5));
    assert_is_ground(&grid);
    let middle = SourceSpacing::Degrees { lon_step: 0.5, lat_step: 0.5, centre_latitude: 1.0 };
    assert_eq!(source.spacing, Some(middle));
}

#[test]
fn edges_that_should_be_shared_and_are_not_are_listed() {
    let folder = Folder::new();
    // Five is 2² + 1, so the tiles are taken to overlap.
    cut(&folder, (2, 2), (5, 5), 1, |x, y| format!("x{x}_y{y}.png"));
    let mut samples: Vec<u16> = (0..25).map(|i| ground(4 + i % 5, i / 5)).collect();
    samples[10] += 30; // west edge of the eastern tile, row 2
    folder.file("x1_y0.png", &gray16(5, 5, &samples));
    let error = open(folder.path(), &as_stored()).unwrap_err();
    let Problem::EdgesDisagree { borders: 4, edges } = &error.problem else { panic!("{error}") };
    let [edge] = &edges[..] else { panic!("{error}") };
    assert_eq!((edge.first.as_str(), edge.second.as_str()), ("x0_y0.png", "x1_y0.png"));
    assert_eq!((edge.side, edge.greatest, edge.greatest_at), (BorderSide::East, 30.0, 2));
    assert!(error.to_string().contains("x0_y0.png and x1_y0.png: up to 30.000 m, at row 2"));
    assert!(error.hint().unwrap().contains("--tile-overlap 0"));
    // Told otherwise, the tiles lie side by side and nothing is averaged.
    let options = ImportOptions { tile_overlap: Some(0), ..as_stored() };
    let (source, grid) = set(folder.path(), &options);
    assert_eq!((grid.columns, grid.rows), (10, 10));
    assert_eq!(grid.at(5, 2), f64::from(ground(4, 2) + 30));
    assert_eq!(source.tiles.unwrap().borders.len(), 4);
}

#[test]
fn steps_over_borders_are_reported_beside_those_inside() {
    let folder = Folder::new();
    folder.file("x0_y0.png", &gray8(4, 2, &[10, 11, 12, 15, 9, 10, 11, 12]));
    folder.file("x1_y0.png", &gray8(4, 2, &[40, 41, 42, 43, 90, 91, 92, 93]));
    let (source, _) = set(folder.path(), &as_stored());
    let report = source.tiles.unwrap();
    assert_eq!(report.overlap, 0);
    let [border] = &report.borders[..] else { panic!("one border: {report:?}") };
    assert_eq!((border.greatest, border.greatest_at), (78.0, 1));
    assert_eq!(border.greatest_inside, 50.0);
    assert_eq!(source.warnings.len(), 1, "terraces, once: {:?}", source.warnings);
}

#[test]
fn equal_edges_mean_shared_ones_and_a_flag_overrides() {
    let folder = Folder::new();
    folder.file("x0_y0.png", &gray16(3, 2, &[1, 2, 3, 4, 5, 6]));
    folder.file("x1_y0.png", &gray16(3, 2, &[3, 7, 8, 6, 9, 10]));
    let (_, shared) = set(folder.path(), &as_stored());
    assert_eq!(shared.metres, [1.0, 2.0, 3.0, 7.0, 8.0, 4.0, 5.0, 6.0, 9.0, 10.0]);
    let (_, apart) = set(folder.path(), &ImportOptions { tile_overlap: Some(0), ..as_stored() });
    assert_eq!(apart.metres[..6], [1.0, 2.0, 3.0, 3.0, 7.0, 8.0]);
    let options = ImportOptions { tile_overlap: Some(2), ..as_stored() };
    assert!(matches!(problem(folder.path(), &options), Problem::Setting { .. }));
}

#[test]
fn missing_tiles_are_named_or_lie_outside() {
    for overlap in [0, 1] {
        for (gap, name) in [((1, 1), "x1_y1"), ((0, 2), "x0_y2"), ((2, 0), "x2_y0")] {
            let folder = Folder::new();
            cut(&folder, (3, 3), (6, 4), overlap, |x, y| format!("x{x}_y{y}.png"));
            std::fs::remove_file(folder.path().join(format!("{name}.png"))).unwrap();
            let Problem::MissingTiles { count: 1, places: 9, names } =
                problem(folder.path(), &as_stored())
            else {
                panic!("{name} is missing");
            };
            assert_eq!(names, [name]);

            let options = ImportOptions { allow_missing: true, ..as_stored() };
            let (source, grid) = set(folder.path(), &options);
            let [rect] = source.outside[..] else { panic!("one gap: {:?}", source.outside) };
            let is_void = |column: usize, row: usize| grid.at(column, row).is_nan();
            for row in 0..grid.rows {
                for column in 0..grid.columns {
                    let metres = grid.at(column, row);
                    assert!(metres.is_nan() || metres == f64::from(ground(column, row)));
                }
            }
            // A cell is outside exactly where the missing tile is needed for it.
            for row in 0..grid.rows - 1 {
                for column in 0..grid.columns - 1 {
                    let listed = (rect.column..rect.column_end).contains(&(column as u32))
                        && (rect.row..rect.row_end).contains(&(row as u32));
                    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
                    let open = corners.iter().any(|(x, y)| is_void(column + x, row + y));
                    assert!(listed || !open, "overlap {overlap}, gap {gap:?}: {column}, {row}");
                    let (left, top) = (gap.0 * (6 - overlap), gap.1 * (4 - overlap));
                    let inside =
                        (left..left + 5).contains(&column) && (top..top + 3).contains(&row);
                    assert!(listed || !inside);
                    assert!(!listed || open || inside);
                }
            }
            let flipped = ImportOptions { flip_y: true, ..options };
            let mirrored = CellRect {
                row: grid.rows as u32 - 1 - rect.row_end,
                row_end: grid.rows as u32 - 1 - rect.row,
                ..rect
            };
            assert_eq!(set(folder.path(), &flipped).0.outside, [mirrored]);
        }
    }
}

#[test]
fn unlike_tiles_are_refused_by_name() {
    for (bytes, word) in [(gray16(4, 3, &[1; 12]), "4 × 3"), (gray8(3, 3, &[1; 9]), "8-bit")] {
        let folder = Folder::new();
        folder.file("x0_y0.png", &gray16(3, 3, &[1; 9]));
        folder.file("x1_y0.png", &bytes);
        let error = open(folder.path(), &as_stored()).unwrap_err();
        assert!(matches!(error.problem, Problem::MixedTiles { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("x1_y0.png") && text.contains(word) && text.contains("x0_y0.png"));
    }
}

#[test]
fn a_folder_without_tiles_says_which_names_are_known() {
    let folder = Folder::new();
    folder.file("0.png", &gray16(3, 3, &[1; 9]));
    folder.file("readme.txt", b"x0_y0 is no picture");
    let error = open(folder.path(), &as_stored()).unwrap_err();
    assert!(matches!(error.problem, Problem::NoTiles { files: 2, .. }), "{error}");
    for name in ["x0_y1", "y1_x0", "_00-01", "N00E010"] {
        assert!(error.to_string().contains(name), "{error}");
    }
    assert!(error.hint().unwrap().contains("--tiles"));
    let options = ImportOptions { tiles: Some("h{x}_{y}.png".to_owned()), ..as_stored() };
    assert!(matches!(problem(folder.path(), &options), Problem::NoTiles { .. }));
}

#[test]
fn two_files_for_one_place_are_refused() {
    let folder = Folder::new();
    folder.file("x0_y0.png", &gray16(3, 3, &[1; 9]));
    folder.file("copy_x0_y0.png", &gray16(3, 3, &[1; 9]));
    let error = open(folder.path(), &as_stored()).unwrap_err();
    assert!(matches!(error.problem, Problem::TwiceThere { .. }), "{error}");
    assert!(error.to_string().contains("copy_x0_y0.png and x0_y0.png"), "{error}");
}

#[test]
fn a_stray_name_does_not_make_a_vast_set() {
    let folder = Folder::new();
    folder.file("x0_y0.png", &gray16(3, 3, &[1; 9]));
    folder.file("x99999999_y99999999.png", &gray16(3, 3, &[1; 9]));
    let options = ImportOptions { allow_missing: true, ..as_stored() };
    assert!(matches!(problem(folder.path(), &options), Problem::Unsupported { .. }));
}

#[test]
fn tiles_follow_the_rules_of_single_files() {
    let folder = Folder::new();
    for x in 0..2 {
        let samples: Vec<u16> =
            (0..9).flat_map(|i| [100 + x, scatter(i), 7].map(|v| v & 255)).collect();
        let png = Png {
            columns: 3,
            rows: 3,
            colour: RGB,
            bits: 8,
            interlaced: false,
            extra: &[],
            samples: &samples,
        };
        folder.file(&format!("x{x}_y0.png"), &png.bytes());
    }
    let refused = problem(folder.path(), &as_stored());
    assert!(matches!(refused, Problem::ColoursDiffer { .. }), "{refused}");
    let options = ImportOptions { encoding: Some(Encoding::Terrarium), ..ImportOptions::default() };
    let options = ImportOptions { tile_overlap: Some(0), ..options };
    let (_, grid) = set(folder.path(), &options);
    let low = |i: usize| f64::from(scatter(i) & 255);
    assert_eq!(grid.at(1, 2), 100.0 * 256.0 + low(7) + 7.0 / 256.0 - 32768.0);
    assert_eq!(grid.at(3, 0), 101.0 * 256.0 + low(0) + 7.0 / 256.0 - 32768.0);
}

#[test]
fn damage_in_a_tile_names_the_tile() {
    let folder = Folder::new();
    cut(&folder, (2, 1), (5, 5), 1, |x, y| format!("x{x}_y{y}.png"));
    let path = folder.path().join("x1_y0.png");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 30]).unwrap();
    let error = grid(folder.path(), &as_stored()).unwrap_err();
    assert!(matches!(error.problem, Problem::Corrupt { .. }), "{error}");
    assert_eq!(error.path, path);
}

#[test]
fn degree_tiles_whose_edges_disagree_are_told_apart_and_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    // Four samples a side, no power of two and one; the shared column differs in one sample.
    let tile = |name: &str, shared: i16, first: bool| {
        let mut bytes = Vec::new();
        for row in 0..4_i16 {
            for column in 0..4_i16 {
                let on_edge = column == if first { 3 } else { 0 };
                let height = if on_edge && row == 2 { shared } else { 10 * row };
                bytes.extend(height.to_be_bytes());
            }
        }
        std::fs::write(folder.path().join(name), bytes).unwrap();
    };
    tile("N00E000.hgt", 5, true);
    tile("N00E001.hgt", 7, false);
    let source = open(folder.path(), &ImportOptions::default()).unwrap();
    assert_eq!(source.tiles.as_ref().map(|tiles| tiles.overlap), Some(0));
    assert!(source.warnings.iter().any(|text| text.contains("--tile-overlap 1")));
    let asked = ImportOptions { tile_overlap: Some(1), ..ImportOptions::default() };
    assert!(open(folder.path(), &asked).is_err());
    tile("N00E001.hgt", 5, false);
    let source = open(folder.path(), &ImportOptions::default()).unwrap();
    assert_eq!(source.tiles.as_ref().map(|tiles| tiles.overlap), Some(1));
    assert!(source.warnings.is_empty());
}

#[test]
fn degree_tiles_without_a_neighbour_share_their_edges_if_their_samples_are_odd() {
    let options = ImportOptions { allow_missing: true, ..ImportOptions::default() };
    // Points share their edges; areas lie side by side.
    for (side, overlap) in [(7_i16, 1), (6, 0)] {
        let folder = tempfile::tempdir().unwrap();
        let tile = |name: &str, first: i16| {
            let heights = (0..side * side).flat_map(|at| (first + at).to_be_bytes());
            std::fs::write(folder.path().join(name), heights.collect::<Vec<_>>()).unwrap();
        };
        let columns_of = || {
            let source = open(folder.path(), &options).unwrap();
            assert_eq!(source.tiles.as_ref().map(|tiles| tiles.overlap), Some(overlap));
            assert!(source.warnings.is_empty(), "{:?}", source.warnings);
            source.heights.columns()
        };
        let along = |tiles: u32| tiles * (side as u32 - overlap) + overlap;
        tile("N00E010.hgt", 0);
        assert_eq!(columns_of(), along(1), "alone");
        tile("N01E011.hgt", 100);
        assert_eq!(columns_of(), along(2), "past a corner");
        tile("N00E013.hgt", 200);
        assert_eq!(columns_of(), along(4), "with a gap between");
    }
}
