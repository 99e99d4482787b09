//! Holes and surfaces: where ground is missing, and what it is made of. One byte per cell.

use super::landform::{Plan, SHORE, SINKHOLES};
use super::noise::{fraction, gradient, octaves, ramp};
use crate::grid::Grid;

/// The value of a cell of the hole mask where there is no ground.
pub const HOLE: u8 = 255;

/// Names of the surfaces; the byte of a cell is an index into this list.
pub const SURFACE_NAMES: [&str; 9] =
    ["grass", "steppe", "rock", "sandstone", "scree", "snow", "sand", "mud", "gravel"];

const GRASS: u8 = 0;
const STEPPE: u8 = 1;
const ROCK: u8 = 2;
const SANDSTONE: u8 = 3;
const SCREE: u8 = 4;
const SNOW: u8 = 5;
const SAND: u8 = 6;
const MUD: u8 = 7;
const GRAVEL: u8 = 8;

/// Height above which snow stays on ground that is not too steep. Metres.
const SNOW_LINE: f64 = 148.0;

/// The hole mask: shafts at the bottoms of the sinkholes, and the slit.
pub(crate) fn holes(plan: &Plan, cells: usize, spacing: f64) -> Grid<u8> {
    Grid::from_fn_threaded(cells, cells, |column, row| {
        let (x, z) = centre(column, row, spacing);
        let in_shaft = SINKHOLES.iter().any(|hole| {
            let (east, south) = (x - hole.centre[0], z - hole.centre[1]);
            let away = (east * east + south * south).sqrt();
            away + 1.5 * gradient(53, x / 9.0, z / 9.0) < hole.shaft
        });
        if in_shaft || plan.slit(x, z) < 0.0 { HOLE } else { 0 }
    })
}

/// The surface of every cell, by height, slope and surroundings.
pub(crate) fn surfaces(plan: &Plan, heights: &Grid<f64>, spacing: f64) -> Grid<u8> {
    Grid::from_fn_threaded(heights.columns - 1, heights.rows - 1, |column, row| {
        let corner = |east: usize, south: usize| heights.at(column + east, row + south);
        let (nw, ne, sw, se) = (corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1));
        let rise_east = ((ne - nw) + (se - sw)) / (2.0 * spacing);
        let rise_south = ((sw - nw) + (se - ne)) / (2.0 * spacing);
        let slope = (rise_east * rise_east + rise_south * rise_south).sqrt();
        let (x, z) = centre(column, row, spacing);
        // A ragged border between surfaces: noise a few cells wide and a grain of single cells.
        let grain = fraction(90, column as i64, row as i64) - 0.5;
        let rag = 0.7 * octaves(91, x / 24.0, z / 24.0, 3, 0.5) + 0.25 * grain;
        surface(plan, x, z, 0.25 * ((nw + se) + (ne + sw)), slope, rag)
    })
}

fn surface(plan: &Plan, x: f64, z: f64, height: f64, slope: f64, rag: f64) -> u8 {
    let lake = plan.lake(x, z);
    let river = plan.river(x, z);
    if lake < 1.0 && height < SHORE {
        return if height < SHORE - 1.3 + 0.5 * rag { MUD } else { SAND };
    }
    if lake < 1.16 + 0.07 * rag && height < SHORE + 4.0 {
        return SAND;
    }
    if slope > 0.80 + 0.14 * rag + 0.35 * ramp(SNOW_LINE, SNOW_LINE + 50.0, height) {
        return if plan.sandstone(x, z) > 0.0 { SANDSTONE } else { ROCK };
    }
    if height > SNOW_LINE + 26.0 * rag {
        return SNOW;
    }
    if slope > 0.52 + 0.10 * rag {
        return SCREE;
    }
    if river < 7.5 + 3.5 * rag {
        return GRAVEL;
    }
    // Grass keeps near water; steppe takes the dry plains, the mesa and the slopes.
    let dry = octaves(92, x / 330.0, z / 330.0, 3, 0.5)
        + 0.9 * ramp(0.2, 1.4, plan.sandstone(x, z))
        + 0.8 * ramp(0.25, 0.5, slope)
        + 0.5 * ramp(70.0, 110.0, height)
        - 0.9 * ramp(170.0, 30.0, river)
        - 0.7 * ramp(2.0, 1.1, lake);
    if dry + 0.45 * rag > 0.28 { STEPPE } else { GRASS }
}

fn centre(column: usize, row: usize, spacing: f64) -> (f64, f64) {
    ((column as f64 + 0.5) * spacing, (row as f64 + 0.5) * spacing)
}
