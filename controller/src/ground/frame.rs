//! The grid around a sector: which triangle contains a place, also beyond the border, found exactly as
//! sampling finds it.

use marchland_terrain::Grid;
use marchland_terrain::kernel::CellPlace;

/// The layout of cells in the frame of a sector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Side of a cell. Metres.
    pub(crate) cell: f64,
    cells_per_metre: f32,
    /// Half the cells along a sector's side: 0.5 for a single cell.
    half_cells: f32,
    single: bool,
}

/// A triangle. Its cell is counted from the first cell of the home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Triangle {
    pub(crate) column: i32,
    pub(crate) row: i32,
    pub(crate) north_east: bool,
}

impl Frame {
    pub(crate) fn new(grid: Grid) -> Self {
        let cell = grid.cell();
        Self {
            cell: f64::from(cell),
            cells_per_metre: 1.0 / cell,
            half_cells: grid.sector_size().half() / cell,
            single: grid.cells() == 1,
        }
    }

    /// The triangle that sampling finds at a place. The place is in the frame of the home, and may be beyond
    /// its border.
    pub(crate) fn triangle_at(&self, [x, z]: [f32; 2]) -> Triangle {
        let (column, u) = self.index(x);
        let (row, v) = self.index(z);
        Triangle { column: column as i32, row: row as i32, north_east: u >= v }
    }

    /// The cell of a place in the home itself and the place within the cell, as sampling finds them.
    #[inline]
    pub(crate) fn place(&self, [x, z]: [f32; 2]) -> CellPlace {
        let ((column, u), (row, v)) = (self.index(x), self.index(z));
        CellPlace { column: to_whole(column), row: to_whole(row), u, v }
    }

    /// The cell along an axis and the place within it. The grid lines of a sector of one cell are at odd
    /// halves. Where adding a half decides the cell, it is exact in `f64`.
    #[inline]
    fn index(&self, metres: f32) -> (f32, f32) {
        let in_cells = metres * self.cells_per_metre;
        let index = if self.single {
            (f64::from(in_cells) + 0.5).floor() as f32
        } else {
            floor(in_cells) + self.half_cells
        };
        (index, in_cells - (index - self.half_cells))
    }

    /// The position of the low line of a column or row. Metres, exact.
    #[inline]
    pub(crate) fn line(&self, index: i32) -> f64 {
        (f64::from(index) - f64::from(self.half_cells)) * self.cell
    }
}

/// The middle of the range of numbers whose last bit is worth 1: adding it to a smaller number rounds that
/// number to the nearest whole one.
pub(crate) const WHOLE: f32 = 12_582_912.0;

/// The greatest whole number not above a coordinate in cells, which is far below 2²². If the processor is
/// only assumed to have SSE2, the method of `f32` is a call, and a cast is a series of comparisons.
#[inline]
pub(crate) fn floor(value: f32) -> f32 {
    let nearest = (value + WHOLE) - WHOLE;
    if nearest > value { nearest - 1.0 } else { nearest }
}

/// A whole number from 0 to 2²² as an integer.
#[inline]
pub(crate) fn to_whole(value: f32) -> u32 {
    (value + WHOLE).to_bits() & 0x003f_ffff
}

#[cfg(test)]
mod tests {
    use marchland_terrain::{LoadedSector, SectorCoord, SectorData, SectorState, format};

    use super::*;

    #[test]
    fn places_are_found_as_sampling_finds_them_also_from_the_next_sector() {
        for (cell, cells) in [(1.0, 8), (0.25, 64), (16.0, 1), (1024.0, 2), (4.0, 512_i32)] {
            let grid = Grid::new(cell, cell * f64::from(cells), 1.0 / 16.0).unwrap();
            let flat = SectorData::from_fn(grid, |_, _| 0.0).unwrap();
            let bytes = format::encode(SectorCoord::new(0, 0), &flat).bytes;
            let sector = LoadedSector::new(bytes).unwrap();
            let mut world = marchland_terrain::ResidentSectors::new(grid);
            world.insert(SectorCoord::new(0, 0), sector.into()).unwrap();
            let SectorState::Resident(view) = world.view().sector(SectorCoord::new(0, 0)) else {
                panic!("it was just put there")
            };
            let (frame, half) = (Frame::new(grid), grid.sector_size().half());
            let mut coordinates = vec![-1e-30, 1e-30, 0.0, -1e-7, half.next_down(), -half];
            for index in 0..cells.min(16) {
                let line = (f64::from(index) * cell) as f32 - half;
                let near = [line, line.next_up(), line.next_down(), line + cell as f32 * 0.37];
                coordinates.extend(near.into_iter().filter(|x| (-half..half).contains(x)));
            }
            for &x in &coordinates {
                for &z in &coordinates {
                    let sampled = view.field().place(x, z);
                    assert_eq!(frame.place([x, z]), sampled, "{x} {z} in cells of {cell}");
                    let found = frame.triangle_at([x, z]);
                    assert_eq!(found.north_east, sampled.is_north_east(), "{x} {z}");
                    // From the sector to the west, where that can name the place.
                    let beyond = x + 2.0 * half;
                    if beyond - 2.0 * half == x {
                        let seen = frame.triangle_at([beyond, z]);
                        let expected = Triangle { column: found.column + cells, ..found };
                        assert_eq!(seen, expected, "{x} {z} from the west");
                    }
                }
            }
        }
    }
}
