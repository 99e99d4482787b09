//! What a sector knows of its blocks: least and greatest heights, and greatest slopes.

use crate::heightfield::{CellKind, blocks_along, pyramid_blocks};
use crate::limits::BLOCK_CELLS;
use crate::sector::SectorData;

/// Height ranges of all blocks of all levels, in storage order. Quanta.
pub(crate) struct BlockRanges {
    pub(crate) blocks: Vec<Option<(i32, i32)>>,
}

impl BlockRanges {
    /// The range of the sector.
    pub(crate) fn whole(&self) -> Option<(i32, i32)> {
        self.blocks.last().copied().flatten()
    }
}

/// The pyramid of a sector: see [`crate::heightfield::Pyramid`].
pub(crate) fn block_ranges(sector: &SectorData) -> BlockRanges {
    let cells = sector.grid().cells();
    let mut blocks = Vec::with_capacity(pyramid_blocks(cells));
    match sector.kinds() {
        None => solid_ranges(sector, &mut blocks),
        Some(kinds) => mixed_ranges(sector, kinds, &mut blocks),
    }
    let mut along = blocks_along(cells) as usize;
    let mut level = 0;
    while along > 1 {
        for row in 0..along / 2 {
            for column in 0..along / 2 {
                let block = |right: usize, down: usize| {
                    blocks[level + (2 * row + down) * along + 2 * column + right]
                };
                let joined = [block(0, 0), block(1, 0), block(0, 1), block(1, 1)]
                    .into_iter()
                    .flatten()
                    .reduce(join);
                blocks.push(joined);
            }
        }
        level += along * along;
        along /= 2;
    }
    BlockRanges { blocks }
}

fn join(a: (i32, i32), b: (i32, i32)) -> (i32, i32) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Level 0 where all is ground: columns first over the rows of a block, then along the row.
fn solid_ranges(sector: &SectorData, blocks: &mut Vec<Option<(i32, i32)>>) {
    let cells = sector.grid().cells() as usize;
    let stride = cells + 3;
    let along = blocks_along(cells as u32) as usize;
    let block_cells = cells / along;
    let (mut low, mut high) = (vec![0; stride], vec![0; stride]);
    for block_row in 0..along {
        let first = 1 + block_row * block_cells;
        let samples = |row: usize| &sector.quanta()[row * stride..][..stride];
        low.copy_from_slice(samples(first));
        high.copy_from_slice(samples(first));
        for row in first + 1..=first + block_cells {
            for ((low, high), &quanta) in low.iter_mut().zip(&mut high).zip(samples(row)) {
                *low = if quanta < *low { quanta } else { *low };
                *high = if quanta > *high { quanta } else { *high };
            }
        }
        for block_column in 0..along {
            let corners = 1 + block_column * block_cells;
            let corners = corners..corners + block_cells + 1;
            let lowest = low[corners.clone()].iter().fold(i32::MAX, |a, &b| a.min(b));
            let highest = high[corners].iter().fold(i32::MIN, |a, &b| a.max(b));
            blocks.push(Some((lowest, highest)));
        }
    }
}

/// Level 0 where some cells are no ground.
fn mixed_ranges(sector: &SectorData, kinds: &[CellKind], blocks: &mut Vec<Option<(i32, i32)>>) {
    let cells = sector.grid().cells() as usize;
    let along = blocks_along(cells as u32) as usize;
    let first = blocks.len();
    blocks.resize(first + along * along, None);
    for_solid_cells(sector, kinds, |column, row, corners| {
        let block = first + row / BLOCK_CELLS as usize * along + column / BLOCK_CELLS as usize;
        for quanta in corners {
            let here = (quanta, quanta);
            blocks[block] = Some(blocks[block].map_or(here, |range| join(range, here)));
        }
    });
}

/// The steepness byte of each block: the greatest rise over run of its triangles in 32nds, rounded
/// up, at most 255.
///
/// Squares are summed in `f32` with a hair added, so a byte may be one too high and never too low;
/// `f32` keeps the loop four lanes wide on every machine.
pub(crate) fn block_steepness(sector: &SectorData) -> Vec<u8> {
    let cells = sector.grid().cells() as usize;
    let along = blocks_along(cells as u32) as usize;
    let mut squares = vec![0.0_f32; along * along];
    match sector.kinds() {
        None => solid_squares(sector, along, &mut squares),
        Some(kinds) => for_solid_cells(sector, kinds, |column, row, [a, b, c, e]| {
            let block = row / BLOCK_CELLS as usize * along + column / BLOCK_CELLS as usize;
            let steepest = greater(square(b - a, e - b), square(e - c, c - a));
            squares[block] = greater(squares[block], steepest);
        }),
    }
    let metres = sector.grid().quantum() / sector.grid().cell();
    squares.into_iter().map(|square| steepness_byte(square, metres)).collect()
}

/// `square` is rise² in quanta² over a cell; `metres` turns a quantum a cell into rise over run.
fn steepness_byte(square: f32, metres: f32) -> u8 {
    let slope = f64::from(square).sqrt() * f64::from(metres) * (1.0 + 1e-6);
    let steps = (slope * 32.0).ceil();
    if steps < 255.0 { steps as u8 } else { 255 }
}

fn solid_squares(sector: &SectorData, along: usize, squares: &mut [f32]) {
    let cells = sector.grid().cells() as usize;
    let stride = cells + 3;
    let block_cells = cells / along;
    let mut row_max = vec![0.0_f32; cells];
    for block_row in 0..along {
        row_max.fill(0.0);
        for row in block_row * block_cells..(block_row + 1) * block_cells {
            let north = &sector.quanta()[(row + 1) * stride + 1..][..=cells];
            let south = &sector.quanta()[(row + 2) * stride + 1..][..=cells];
            for column in 0..cells {
                let [a, b] = [north[column], north[column + 1]];
                let [c, e] = [south[column], south[column + 1]];
                let steepest = greater(square(b - a, e - b), square(e - c, c - a));
                row_max[column] = greater(row_max[column], steepest);
            }
        }
        for block_column in 0..along {
            let columns = &row_max[block_column * block_cells..][..block_cells];
            squares[block_row * along + block_column] = columns.iter().copied().fold(0.0, greater);
        }
    }
}

#[inline]
fn square(rise_x: i32, rise_z: i32) -> f32 {
    let (x, z) = (rise_x as f32, rise_z as f32);
    x * x + z * z
}

#[inline]
fn greater(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Calls `visit(column, row, [a, b, c, e])` for each cell of ground, the apron left out.
fn for_solid_cells(
    sector: &SectorData,
    kinds: &[CellKind],
    mut visit: impl FnMut(usize, usize, [i32; 4]),
) {
    let cells = sector.grid().cells() as usize;
    let stride = cells + 3;
    for row in 0..cells {
        for column in 0..cells {
            if kinds[(row + 1) * (cells + 2) + column + 1] == CellKind::Solid {
                let a = (row + 1) * stride + column + 1;
                let quanta = sector.quanta();
                visit(column, row, [a, a + 1, a + stride, a + stride + 1].map(|i| quanta[i]));
            }
        }
    }
}
