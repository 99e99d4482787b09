//! The amount of world that a bake makes, checked before it begins: a wrong spacing could make it
//! run for days.

use std::io::IsTerminal;

use marchland_terrain::bake::BakeSettings;

use crate::command::failure::Failure;
use crate::command::output;

/// Above this number of sectors, a bake needs a source that has samples for them.
const SECTORS_MAX: f64 = 1_048_576.0;
/// Up to this many sectors, no message is printed if no progress is shown.
const SECTORS_QUIET: f64 = 4096.0;
/// Most cells for each sample in that case. The default cell is above half the spacing, which gives fewer
/// than 4, unless no cell is as coarse as the samples.
const CELLS_PER_SAMPLE_MAX: f64 = 16.0;

/// The largest world that a bake can make: tiles may be missing. Numbers too large for integers are rejected
/// by the bake itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    samples: f64,
    cells: f64,
    sectors: f64,
    /// Metres along a side of a sector, and cells.
    sector_size: f64,
    sector_cells: f64,
    cell: f64,
}

impl Extent {
    /// The extent of a source with these columns and rows.
    #[must_use]
    pub(super) fn of(settings: &BakeSettings, samples: [u32; 2]) -> Self {
        let (cell, sector_size) =
            (f64::from(settings.grid.cell()), f64::from(settings.grid.sector_size().metres()));
        let along = |axis: usize| {
            let first = settings.origin[axis] + sector_size / 2.0;
            let length = settings.spacing[axis] * f64::from(samples[axis].saturating_sub(1));
            let sectors = ((first + length) / sector_size).ceil() - (first / sector_size).floor();
            [length / cell, sectors]
        };
        let [[columns, sector_columns], [rows, sector_rows]] = [along(0), along(1)];
        Self {
            samples: f64::from(samples[0]) * f64::from(samples[1]),
            cells: columns * rows,
            sectors: sector_columns * sector_rows,
            sector_size,
            sector_cells: f64::from(settings.grid.cells()),
            cell,
        }
    }

    /// Rejects a world far larger than the source has samples for, unless the cell size was given.
    ///
    /// # Errors
    /// If the world is that large.
    pub(super) fn check(&self, is_cell_told: bool) -> Result<(), Failure> {
        let Self { samples, cells, sectors, sector_size, cell, .. } = *self;
        let is_far_more = sectors > SECTORS_MAX && cells > samples * CELLS_PER_SAMPLE_MAX;
        if is_cell_told || !is_far_more || !self.is_possible() {
            return Ok(());
        }
        let message = format!(
            "the world would have {sectors:.0} sectors of {sector_size} m, with {:.0} cells for each of \
             {samples:.0} samples",
            cells / samples
        );
        let hint = format!("check --spacing, which is in metres; `--cell {cell}` bakes it anyway");
        Err(Failure::input(message).hint(hint))
    }

    /// Reports the size of the bake if progress is shown, and in any case if the bake will take a while.
    pub(super) fn announce(&self) {
        let is_told = self.sectors > SECTORS_QUIET || std::io::stderr().is_terminal();
        if is_told && self.is_possible() {
            output::note(&self.note());
        }
    }

    /// Whether such a world can exist at all; if not, the bake reports it with its own message.
    fn is_possible(&self) -> bool {
        self.sectors < 4e18
    }

    fn note(&self) -> String {
        // Samples of 16 bits with the apron, ranges over blocks of cells, and the header.
        let side = self.sector_cells + 3.0;
        let sector_bytes = 2.0 * side * side + self.sector_cells * self.sector_cells * 0.2 + 512.0;
        let mebibytes = self.sectors * sector_bytes / f64::from(1 << 20);
        format!(
            "note: {} of {} m, about {mebibytes:.1} MiB or more",
            output::count(self.sectors as u64, "sector"),
            self.sector_size
        )
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::Grid;
    use marchland_terrain::bake::VoidPolicy;

    use super::*;

    fn extent(spacing: [f64; 2], cell: f64, samples: [u32; 2]) -> Extent {
        let (size, quantum) = (Grid::default_sector_size(cell), Grid::default_quantum(cell));
        let grid = Grid::new(cell, size, quantum).unwrap();
        let origin = BakeSettings::default_origin(grid);
        let void = VoidPolicy::Hole;
        Extent::of(&BakeSettings { grid, spacing, origin, void, surface_names: 1 }, samples)
    }

    #[test]
    fn sectors_are_counted_as_they_are_baked() {
        // 1025 samples are 1024 cells, and begin with a sector.
        assert_eq!(extent([1.0; 2], 1.0, [1025, 2050]).sectors, 4.0 * 9.0);
        assert_eq!(extent([30.0; 2], 16.0, [1025, 1025]).sectors, 64.0);
        assert!(
            extent([1.0; 2], 1.0, [1025, 1025]).note().contains("16 sectors of 256 m, about 2")
        );
    }

    #[test]
    fn only_a_world_without_end_is_refused_and_only_where_no_cell_was_told() {
        let slip = extent([1e6; 2], 1024.0, [33, 33]);
        assert!(slip.check(false).is_err() && slip.check(true).is_ok());
        // Three arc seconds around the whole earth are more sectors, and each sample has its cell.
        let earth = extent([92.0; 2], 64.0, [432_000, 216_000]);
        assert!(earth.sectors > SECTORS_MAX && earth.check(false).is_ok());
        assert!(slip.is_possible() && !extent([1e300; 2], 1024.0, [33, 33]).is_possible());
        // As coarse, and soon done.
        assert!(extent([1e5; 2], 1024.0, [33, 33]).check(false).is_ok());
    }
}
