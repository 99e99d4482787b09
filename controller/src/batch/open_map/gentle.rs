//! Whether no ground is too steep: block by block, and cell by cell where a block is too steep.

use marchland_terrain::HeightfieldView;
use marchland_terrain::limits::BLOCK_CELLS;
use marchland_terrain::math::{greater, lesser};

/// Columns or rows of cells, both ends included.
pub(crate) type Span = [u32; 2];

/// Whether any cell of these columns and rows that is steeper than a limit, in 32nds of rise over run, counts.
#[inline]
pub(crate) fn any_steeper(
    field: &HeightfieldView<'_>,
    columns: Span,
    rows: Span,
    limit: u8,
    mut counts: impl FnMut(u32, u32) -> bool,
) -> bool {
    for block_row in rows[0] / BLOCK_CELLS..=rows[1] / BLOCK_CELLS {
        for block_column in columns[0] / BLOCK_CELLS..=columns[1] / BLOCK_CELLS {
            let corner = (block_column * BLOCK_CELLS, block_row * BLOCK_CELLS);
            if field.cell_steepness(corner.0, corner.1) <= limit {
                continue;
            }
            let ([left, right], [top, bottom]) =
                (part(columns, block_column), part(rows, block_row));
            for row in top..=bottom {
                for column in left..=right {
                    if field.own_steepness(column, row) > limit && counts(column, row) {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// The part of a span in a block that it reaches.
fn part([first, last]: Span, block: u32) -> Span {
    let (low, high) = (block * BLOCK_CELLS, block * BLOCK_CELLS + BLOCK_CELLS - 1);
    [greater(first, low), lesser(last, high)]
}
