//! The demo world as it ships: three images inside the binary, and their decoders. Row 0 is north,
//! column 0 is west; there is one sample more than cells along each side.

use std::io::Cursor;

use crate::grid::Grid;
pub use crate::recipe::{HOLE, SHORE, SURFACE_NAMES};

/// Samples along each side.
pub const SAMPLES: usize = 1025;

/// Metres between samples.
pub const SPACING: f64 = 2.0;

/// Height of the value 0 of the image. Metres.
pub const MIN_HEIGHT: f64 = -32.0;

/// Height of the value 65535 of the image. Metres.
pub const MAX_HEIGHT: f64 = 352.0;

/// A colour for each of [`SURFACE_NAMES`], red, green, blue, for pictures.
pub const SURFACE_COLOURS: [[u8; 3]; 9] = [
    [122, 142, 82],
    [168, 156, 104],
    [128, 122, 116],
    [186, 128, 88],
    [150, 141, 128],
    [240, 243, 247],
    [216, 199, 152],
    [92, 104, 104],
    [160, 158, 150],
];

/// Heights: gray, 16 bits, [`SAMPLES`] square.
pub const HEIGHTS_PNG: &[u8] = include_bytes!("../demo/heights.png");

/// Hole mask: gray, 8 bits, one pixel per cell, [`HOLE`] where there is no ground.
pub const HOLES_PNG: &[u8] = include_bytes!("../demo/holes.png");

/// Surfaces: gray, 8 bits, one pixel per cell, the place in [`SURFACE_NAMES`].
pub const SURFACES_PNG: &[u8] = include_bytes!("../demo/surfaces.png");

/// Why an embedded image could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The image does not decode.
    #[error("embedded demo image: {0}")]
    Image(#[from] png::DecodingError),
    /// The image decodes to a format other than the expected one.
    #[error("embedded demo image has {found:?}, expected gray of {expected_bits} bits")]
    Depth {
        /// What the image holds.
        found: (png::ColorType, png::BitDepth),
        /// What this decoder reads.
        expected_bits: u32,
    },
}

/// The values of [`HEIGHTS_PNG`] as stored, 0 to 65535.
///
/// # Errors
/// If the embedded image is damaged, which is a fault of the build.
pub fn height_codes() -> Result<Grid<u16>, DemoError> {
    decoded(HEIGHTS_PNG, png::BitDepth::Sixteen, |row, values| {
        values.extend(row.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])));
    })
}

/// Heights of all samples. Metres.
///
/// # Errors
/// If the embedded image is damaged, which is a fault of the build.
pub fn heights() -> Result<Grid<f64>, DemoError> {
    let metres_per_code = (MAX_HEIGHT - MIN_HEIGHT) / 65535.0;
    Ok(height_codes()?.map(|code| MIN_HEIGHT + f64::from(code) * metres_per_code))
}

/// The hole mask: [`HOLE`] for cells without ground, else 0.
///
/// # Errors
/// If the embedded image is damaged, which is a fault of the build.
pub fn holes() -> Result<Grid<u8>, DemoError> {
    decoded(HOLES_PNG, png::BitDepth::Eight, |row, values| values.extend_from_slice(row))
}

/// The surface of every cell, as its place in [`SURFACE_NAMES`].
///
/// # Errors
/// If the embedded image is damaged, which is a fault of the build.
pub fn surfaces() -> Result<Grid<u8>, DemoError> {
    decoded(SURFACES_PNG, png::BitDepth::Eight, |row, values| values.extend_from_slice(row))
}

/// Decodes an image row by row.
fn decoded<T>(
    image: &[u8],
    depth: png::BitDepth,
    take: impl Fn(&[u8], &mut Vec<T>),
) -> Result<Grid<T>, DemoError> {
    let mut reader = png::Decoder::new(Cursor::new(image)).read_info()?;
    let info = reader.info();
    let (columns, rows) = (info.width as usize, info.height as usize);
    let found = (info.color_type, info.bit_depth);
    if found != (png::ColorType::Grayscale, depth) {
        return Err(DemoError::Depth { found, expected_bits: depth as u32 });
    }
    let mut values = Vec::with_capacity(columns * rows);
    while let Some(row) = reader.next_row()? {
        take(row.data(), &mut values);
    }
    Ok(Grid { columns, rows, values })
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::recipe::{World, encoded, make};

    static MADE: LazyLock<World> = LazyLock::new(make);

    fn slopes(heights: &Grid<f64>) -> Vec<f64> {
        let mut slopes = Vec::new();
        for row in 0..heights.rows - 1 {
            for column in 0..heights.columns - 1 {
                let east = (heights.at(column + 1, row) - heights.at(column, row)) / SPACING;
                let south = (heights.at(column, row + 1) - heights.at(column, row)) / SPACING;
                slopes.push((east * east + south * south).sqrt());
            }
        }
        slopes
    }

    #[test]
    fn the_embedded_images_are_what_the_recipe_makes() {
        let hint = "run `cargo run --release -p marchland-worlds --example make_demo`";
        let (codes, fresh) = (height_codes().unwrap(), encoded(&MADE.heights));
        assert_eq!((codes.columns, codes.rows), (SAMPLES, SAMPLES));
        let differing = codes.values.iter().zip(&fresh.values).filter(|(a, b)| a != b).count();
        assert_eq!(differing, 0, "heights: {hint}");
        assert!(holes().unwrap() == MADE.holes, "holes: {hint}");
        assert!(surfaces().unwrap() == MADE.surfaces, "surfaces: {hint}");
    }

    #[test]
    fn the_images_are_small_enough_to_ship() {
        let bytes = HEIGHTS_PNG.len() + HOLES_PNG.len() + SURFACES_PNG.len();
        assert!(bytes <= 3_000_000, "{bytes}");
    }

    #[test]
    fn heights_use_their_range_without_touching_its_ends() {
        for height in &MADE.heights.values {
            assert!(*height > MIN_HEIGHT + 1.0 && *height < MAX_HEIGHT - 1.0, "{height}");
        }
        assert!(MADE.heights.values.iter().any(|h| *h > 200.0), "no mountains");
    }

    #[test]
    fn there_are_cliffs_and_wide_plains() {
        let slopes = slopes(&MADE.heights);
        let share = |test: &dyn Fn(f64) -> bool| {
            slopes.iter().filter(|s| test(**s)).count() as f64 / slopes.len() as f64
        };
        let (steep, flat) = (share(&|s| s > 1.0), share(&|s| s < 0.2));
        assert!((0.02..0.25).contains(&steep), "steeper than 45 degrees: {steep}");
        assert!(flat > 0.45, "flatter than 11 degrees: {flat}");
    }

    #[test]
    fn holes_are_few_and_each_several_cells_wide() {
        let mut left = MADE.holes.clone();
        let mut sizes = Vec::new();
        for start in 0..left.values.len() {
            if left.values[start] != HOLE {
                continue;
            }
            let (mut size, mut open) = (0, vec![start]);
            left.values[start] = 0;
            while let Some(i) = open.pop() {
                size += 1;
                // No hole touches the border, so neighbours need no bounds.
                for next in [i - 1, i + 1, i - left.columns, i + left.columns] {
                    if left.values[next] == HOLE {
                        left.values[next] = 0;
                        open.push(next);
                    }
                }
            }
            sizes.push(size);
        }
        assert_eq!(sizes.len(), 7, "{sizes:?}");
        assert!(sizes.iter().all(|size| *size >= 16), "{sizes:?}");
        assert!(sizes.iter().sum::<i32>() < 2000, "{sizes:?}");
    }

    #[test]
    fn every_surface_covers_something_and_none_is_unnamed() {
        let mut counts = [0usize; SURFACE_NAMES.len()];
        for surface in &MADE.surfaces.values {
            counts[usize::from(*surface)] += 1;
        }
        for (name, count) in SURFACE_NAMES.iter().zip(counts) {
            assert!(count > 1000, "{name}: {count}");
        }
    }

    #[test]
    fn the_lake_bed_lies_below_its_shoreline_all_around() {
        // From the middle of the lake, (1370, 1540) m, out to beyond the beach.
        let height = |east: f64, south: f64| {
            let (column, row) = ((1370.0 + east) / SPACING, (1540.0 + south) / SPACING);
            MADE.heights.at(column as usize, row as usize)
        };
        assert!(height(0.0, 0.0) < SHORE - 12.0);
        for (east, south) in [(1.0, 0.0), (-1.0, 0.0), (0.3, 1.0), (-0.6, 0.8), (0.7, -0.7)] {
            assert!(height(east * 60.0, south * 60.0) < SHORE - 5.0, "{east} {south}");
            assert!(height(east * 460.0, south * 380.0) > SHORE, "{east} {south}");
        }
    }
}
