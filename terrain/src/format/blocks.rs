//! Data that a sector stores about its blocks: least and greatest heights, and greatest slopes.
//!
//! ```text
//!   a ── b     rise along X: b − a on the northern edge, e − c on the southern
//!   │ ╲  │     rise along Z: c − a on the western edge, e − b on the eastern
//!   c ── e     upper triangle: north and east; lower triangle: south and west
//! ```

use std::array;
use std::borrow::Cow;
use std::ops::Range;

use crate::heightfield::{CellKind, blocks_along, pyramid_blocks, slope_byte};
use crate::limits::BLOCK_CELLS;
use crate::math::{greater, lesser};
use crate::sector::SectorRows;

/// Cells along a block's side, unless the sector is smaller.
const SIDE: usize = BLOCK_CELLS as usize;

pub(crate) struct Blocks {
    /// Height ranges of all blocks of all levels, in storage order: see
    /// [`crate::heightfield::Pyramid`]. Quanta; `None` where there is no ground.
    pub(crate) ranges: Vec<Option<(i32, i32)>>,
    /// The greatest rise over run in each block in 32nds, rounded up, at most 255.
    pub(crate) steepness: Vec<u8>,
}

impl Blocks {
    pub(crate) fn of(sector: &SectorRows<'_>) -> Self {
        let cells = sector.grid.cells() as usize;
        let along = blocks_along(cells as u32) as usize;
        let metres = sector.grid.quantum() / sector.grid.cell();
        let mut ranges = Vec::with_capacity(pyramid_blocks(cells as u32));
        let mut steepness = Vec::with_capacity(along * along);
        let mut strip = Strip::new(cells);
        for block_row in 0..along {
            let rows = block_cells(block_row, cells);
            if rows.len() == SIDE {
                strip.survey(&sector.quanta[rows.start..=rows.end]);
            }
            for block_column in 0..along {
                let columns = block_cells(block_column, cells);
                let ground = if rows.len() == SIDE && all_solid(sector, &columns, &rows) {
                    Some(strip.ground(&columns))
                } else {
                    ground_by_cells(sector, columns, rows.clone())
                };
                ranges.push(ground.map(|ground| ground.range));
                let steepest = ground.map_or(0.0, |ground| ground.steepest);
                steepness.push(steepness_byte(steepest, metres));
            }
        }
        push_upper_levels(&mut ranges, along);
        Self { ranges, steepness }
    }

    /// Lowest and highest ground of the sector, apron excluded.
    pub(crate) fn range(&self) -> Option<(i32, i32)> {
        self.ranges.last().copied().flatten()
    }

    /// Lowest and highest ground of the sector and its apron.
    pub(crate) fn range_with_apron(&self, sector: &SectorRows<'_>) -> Option<(i32, i32)> {
        let apron = match (sector.kinds(), &*sector.quanta) {
            (None, [north, .., south]) => {
                let ends = sector.quanta.iter().flat_map(|row| [row.first(), row.last()]);
                let samples = ends.flatten().chain(north.iter()).chain(south.iter());
                samples.map(|&quanta| (quanta, quanta)).reduce(join)
            }
            _ => {
                let last = sector.grid.cells() as usize + 1;
                (0..=last)
                    .flat_map(|along| [(along, 0), (along, last), (0, along), (last, along)])
                    .filter_map(|(column, row)| sector.ground(column, row))
                    .map(range_of)
                    .reduce(join)
            }
        };
        apron.into_iter().chain(self.range()).reduce(join)
    }
}

/// The cells of a block along one axis, counted with the apron.
fn block_cells(block: usize, cells: usize) -> Range<usize> {
    let side = cells.min(SIDE);
    1 + block * side..1 + (block + 1) * side
}

/// Each level above the first joins 2 × 2 blocks of the level below.
fn push_upper_levels(ranges: &mut Vec<Option<(i32, i32)>>, mut along: usize) {
    let mut level = 0;
    while along > 1 {
        for row in 0..along / 2 {
            for column in 0..along / 2 {
                let block = |right: usize, down: usize| {
                    ranges[level + (2 * row + down) * along + 2 * column + right]
                };
                let joined = [block(0, 0), block(1, 0), block(0, 1), block(1, 1)]
                    .into_iter()
                    .flatten()
                    .reduce(join);
                ranges.push(joined);
            }
        }
        level += along * along;
        along /= 2;
    }
}

fn join(a: (i32, i32), b: (i32, i32)) -> (i32, i32) {
    (a.0.min(b.0), a.1.max(b.1))
}

fn range_of([nw, ne, sw, se]: [i32; 4]) -> (i32, i32) {
    (nw.min(ne).min(sw).min(se), nw.max(ne).max(sw).max(se))
}

/// Data about the ground of one block.
#[derive(Clone, Copy)]
struct Ground {
    /// Lowest and highest height. Quanta.
    range: (i32, i32),
    /// The greatest square of a rise over one cell. Quanta².
    steepest: f32,
}

/// For a block with cells that are not ground, or a block of a sector that is smaller than one
/// block.
fn ground_by_cells(
    sector: &SectorRows<'_>,
    columns: Range<usize>,
    rows: Range<usize>,
) -> Option<Ground> {
    let mut ground: Option<Ground> = None;
    for row in rows {
        for column in columns.clone() {
            let Some(corners) = sector.ground(column, row) else { continue };
            let range = range_of(corners);
            let steepest = square_of_steepest(corners.map(|quanta| quanta as f32));
            ground = Some(ground.map_or(Ground { range, steepest }, |ground| Ground {
                range: join(ground.range, range),
                steepest: greater(ground.steepest, steepest),
            }));
        }
    }
    ground
}

fn all_solid(sector: &SectorRows<'_>, columns: &Range<usize>, rows: &Range<usize>) -> bool {
    let along = sector.grid.cells() as usize + 2;
    let Some(kinds) = sector.kinds() else { return true };
    rows.clone().all(|row| {
        kinds[row * along..][columns.clone()].iter().all(|&kind| kind == CellKind::Solid)
    })
}

/// Data of a row of blocks: the lowest and highest height of each column of samples, and the steepest
/// triangle of each column of cells.
///
/// Heights and their differences are exact in `f32` (see [`QUANTA_MAX`](crate::limits::QUANTA_MAX)). Every
/// machine has minima and maxima four lanes wide for `f32`, but not for 32-bit integers.
struct Strip {
    low: Vec<f32>,
    high: Vec<f32>,
    steepest: Vec<f32>,
}

impl Strip {
    fn new(cells: usize) -> Self {
        let samples = cells + 1;
        Self { low: vec![0.0; samples], high: vec![0.0; samples], steepest: vec![0.0; cells] }
    }

    /// Processes the rows of samples of a row of blocks, with the apron's columns.
    fn survey(&mut self, rows: &[Cow<'_, [i32]>]) {
        self.low.fill(f32::INFINITY);
        self.high.fill(f32::NEG_INFINITY);
        self.steepest.fill(0.0);
        for first in (0..SIDE).step_by(2) {
            let rows = [first, first + 1, first + 2].map(|row| &rows[row][1..]);
            survey_rows(rows, &mut self.low, &mut self.high, &mut self.steepest);
        }
    }

    /// The data of a block, its columns counted with the apron.
    fn ground(&self, columns: &Range<usize>) -> Ground {
        let (first, end) = (columns.start - 1, columns.end - 1);
        let low = lesser(picked(&self.low[first..end], lesser), self.low[end]);
        let high = greater(picked(&self.high[first..end], greater), self.high[end]);
        let steepest = picked(&self.steepest[first..end], greater);
        Ground { range: (low as i32, high as i32), steepest }
    }
}

/// The least or greatest of a block's columns. Computed in pairs: in sequence, each step would wait for the
/// previous one.
#[inline]
fn picked(columns: &[f32], pick: impl Fn(f32, f32) -> f32) -> f32 {
    let fours: [f32; SIDE / 2] = array::from_fn(|at| pick(columns[at], columns[at + SIDE / 2]));
    pick(pick(fours[0], fours[2]), pick(fours[1], fours[3]))
}

/// Adds two rows of cells to the data of the columns.
///
/// Two rows at a time share the samples between them and halve the loads and stores of the results; more rows
/// are no faster. The rows are written out, because a loop over them in this function keeps the compiler from
/// vectorising over the columns, at four times the cost.
fn survey_rows(rows: [&[i32]; 3], low: &mut [f32], high: &mut [f32], steepest: &mut [f32]) {
    let cells = steepest.len();
    let [north, middle, south] = rows.map(|row| &row[..=cells]);
    let (low, high) = (&mut low[..=cells], &mut high[..=cells]);
    for column in 0..cells {
        let corners = |row: &[i32]| [row[column] as f32, row[column + 1] as f32];
        let ([nw, ne], [w, e], [sw, se]) = (corners(north), corners(middle), corners(south));
        let square =
            greater(square_of_steepest([nw, ne, w, e]), square_of_steepest([w, e, sw, se]));
        steepest[column] = greater(steepest[column], square);
        low[column] = lesser(low[column], lesser(lesser(nw, w), sw));
        high[column] = greater(high[column], greater(greater(nw, w), sw));
    }
    for corner in [north, middle, south].map(|row| row[cells] as f32) {
        low[cells] = lesser(low[cells], corner);
        high[cells] = greater(high[cells], corner);
    }
}

/// The square of the steepest rise of a cell's two triangles. Quanta² per cell.
#[inline]
fn square_of_steepest([nw, ne, sw, se]: [f32; 4]) -> f32 {
    greater(square(ne - nw, se - ne), square(se - sw, sw - nw))
}

#[inline]
fn square(rise_x: f32, rise_z: f32) -> f32 {
    rise_x * rise_x + rise_z * rise_z
}

/// `square` is rise² in quanta² over a cell; `metres` converts a quantum per cell to rise over run.
///
/// The square was summed in `f32`: a small margin is added, so a byte may be one too high but is never too
/// low.
fn steepness_byte(square: f32, metres: f32) -> u8 {
    slope_byte(f64::from(square).sqrt() * f64::from(metres) * (1.0 + 1e-6))
}
