//! Whether no ground is too steep: block by block, and cell by cell where a block is too steep.

use marchland_terrain::HeightfieldView;
use marchland_terrain::limits::BLOCK_CELLS;
use marchland_terrain::math::{greater, lesser};

/// Columns or rows of cells, both ends included.
pub(crate) type Span = [u32; 2];

/// Whether no cell of these columns and rows is steeper than a limit, in 32nds of rise over run.
#[inline]
pub(crate) fn is_gentle(field: &HeightfieldView<'_>, columns: Span, rows: Span, limit: u8) -> bool {
    for row in rows[0] / BLOCK_CELLS..=rows[1] / BLOCK_CELLS {
        for column in columns[0] / BLOCK_CELLS..=columns[1] / BLOCK_CELLS {
            if field.cell_steepness(column * BLOCK_CELLS, row * BLOCK_CELLS) > limit
                && !is_each_gentle(field, part(columns, column), part(rows, row), limit)
            {
                return false;
            }
        }
    }
    true
}

/// Calls `visit` with the column and row of each cell among these columns and rows that is steeper than a
/// limit, in 32nds of rise over run.
pub(crate) fn each_steeper(
    field: &HeightfieldView<'_>,
    columns: Span,
    rows: Span,
    limit: u8,
    mut visit: impl FnMut(u32, u32),
) {
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
                    if field.own_steepness(column, row) > limit {
                        visit(column, row);
                    }
                }
            }
        }
    }
}

fn is_each_gentle(field: &HeightfieldView<'_>, columns: Span, rows: Span, limit: u8) -> bool {
    (rows[0]..=rows[1]).all(|row| {
        (columns[0]..=columns[1]).all(|column| field.own_steepness(column, row) <= limit)
    })
}

/// The part of a span in a block that it reaches.
fn part([first, last]: Span, block: u32) -> Span {
    let (low, high) = (block * BLOCK_CELLS, block * BLOCK_CELLS + BLOCK_CELLS - 1);
    [greater(first, low), lesser(last, high)]
}
