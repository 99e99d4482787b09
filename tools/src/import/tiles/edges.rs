//! Borders of tiles: each tile is streamed once, and only its edges and its steepest inner step are kept.
//!
//! ```text
//!  overlap 1                         overlap 0
//!  a a a a┐                          a a a a   b b b b
//!         b b b b  the same samples         └─┘ a cell between two tiles: the step over the border
//! ```

use marchland_terrain::math::greater;

use crate::import::error::ImportError;
use crate::import::raster::Raster;
use crate::import::scale::Scaling;
use crate::import::source::{Border, BorderSide};

/// The data kept from a streamed tile. Metres.
pub(crate) struct Edges {
    pub(crate) north: Vec<f64>,
    pub(crate) south: Vec<f64>,
    pub(crate) west: Vec<f64>,
    pub(crate) east: Vec<f64>,
    pub(crate) inside: f64,
}

/// Streams a tile and keeps its edges.
pub(crate) fn scan(mut raster: Raster, scaling: &Scaling) -> Result<Edges, ImportError> {
    let mut edges = Edges {
        north: Vec::new(),
        south: Vec::new(),
        west: Vec::with_capacity(raster.rows as usize),
        east: Vec::with_capacity(raster.rows as usize),
        inside: 0.0,
    };
    let mut row = Vec::new();
    for index in 0..raster.rows {
        scaling.metres(raster.reader.next_row()?, &mut row);
        edges.west.extend(row.first());
        edges.east.extend(row.last());
        edges.inside = greatest_step(edges.inside, &row, row.get(1..).unwrap_or_default());
        if index == 0 {
            edges.north.clone_from(&row);
        } else {
            edges.inside = greatest_step(edges.inside, &edges.south, &row);
        }
        std::mem::swap(&mut edges.south, &mut row);
    }
    Ok(edges)
}

/// The maximum of `known` and the differences between two lines; voids are left out.
fn greatest_step(known: f64, one: &[f64], other: &[f64]) -> f64 {
    let steps = one.iter().zip(other).map(|(a, b)| (a - b).abs());
    steps.fold(known, |greatest, step| greater(step, greatest))
}

/// Compares the facing samples of two tiles.
pub(crate) fn border(
    (first, first_edges): (&str, &Edges),
    (second, second_edges): (&str, &Edges),
    side: BorderSide,
) -> Border {
    let (one, other) = match side {
        BorderSide::East => (&first_edges.east, &second_edges.west),
        BorderSide::South => (&first_edges.south, &second_edges.north),
    };
    let inside = [first_edges.inside, second_edges.inside];
    let mut border = Border {
        first: first.to_owned(),
        second: second.to_owned(),
        side,
        greatest: 0.0,
        greatest_at: 0,
        half_voids: 0,
        greatest_inside: greater(inside[0], inside[1]),
    };
    for (at, (a, b)) in (0..).zip(one.iter().zip(other)) {
        let step = (a - b).abs();
        if step > border.greatest {
            (border.greatest, border.greatest_at) = (step, at);
        }
        if a.is_nan() != b.is_nan() {
            border.half_voids += 1;
        }
    }
    border
}
