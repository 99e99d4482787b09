//! How the source's samples lie on the world's grid.
//!
//! World samples are counted so that sector `s` holds samples `s · cells` to `(s + 1) · cells`: sample `i`
//! lies at `i · cell − S/2` metres. Everything here concerns one axis; the two axes are independent.

use super::error::BakeError;
use crate::grid::Grid;
use crate::limits::BAKE_SAMPLES_MAX;
use crate::math::{greater, lesser};

/// One axis of a placement.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// First and last world samples that the source covers.
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// Samples of the source.
    pub(crate) source_samples: u32,
    /// Whether source sample `i` is exactly world sample `first + i`.
    pub(crate) aligned: bool,
    cell: f64,
    half: f64,
    origin: f64,
    spacing: f64,
    cells: i64,
}

impl Axis {
    /// Maps `source_samples` samples onto the grid: the first at `origin`, each `spacing` metres from the
    /// next.
    pub(crate) fn new(
        axis: char,
        grid: Grid,
        source_samples: u32,
        spacing: f64,
        origin: f64,
    ) -> Result<Self, BakeError> {
        let expected = "a positive, finite number of metres";
        if !(spacing > 0.0 && spacing.is_finite()) {
            return Err(BakeError::Setting { what: "spacing", found: spacing, expected });
        }
        if !origin.is_finite() {
            let expected = "a finite number of metres";
            return Err(BakeError::Setting { what: "origin", found: origin, expected });
        }
        let cell = f64::from(grid.cell());
        let half = f64::from(grid.sector_size().half());
        let length = spacing * f64::from(source_samples - 1);
        let beyond = BakeError::BeyondSectors { axis, first: origin, last: origin + length };
        let limit = 2_147_483_647.0 * f64::from(grid.sector_size().metres());
        if !(origin > -limit && origin + length < limit) {
            return Err(beyond);
        }
        let begin = (origin + half) / cell;
        let aligned = spacing == cell && begin.fract() == 0.0;
        let last = if aligned {
            begin + f64::from(source_samples - 1)
        } else {
            ((origin + length + half) / cell).floor()
        };
        let (first, last) = (begin.ceil() as i64, last as i64);
        // At most 2³¹ sectors on either side, of 1024 cells each.
        let samples = (last - first + 1).max(0) as u64;
        if samples > u64::from(BAKE_SAMPLES_MAX) {
            return Err(BakeError::Samples { axis, samples, spacing, cell });
        }
        Ok(Self {
            first,
            last,
            source_samples,
            aligned,
            cell,
            half,
            origin,
            spacing,
            cells: i64::from(grid.cells()),
        })
    }

    /// Distance from the first source sample to the last. Metres.
    pub(crate) fn length(&self) -> f64 {
        self.spacing * f64::from(self.source_samples - 1)
    }

    /// Number of world samples, at most [`BAKE_SAMPLES_MAX`], if there are any.
    pub(crate) fn samples(&self) -> usize {
        (self.last - self.first + 1) as usize
    }

    /// First and last sectors that have a cell of the source.
    pub(crate) fn sectors(&self) -> (i64, i64) {
        (self.first.div_euclid(self.cells), (self.last - 1).div_euclid(self.cells))
    }

    /// Coordinate of a world sample. Metres.
    pub(crate) fn metres(&self, sample: i64) -> f64 {
        sample as f64 * self.cell - self.half
    }

    /// The source cell that holds a place, given in world samples (a half for the middle of a
    /// cell), and the place in it, 0 to 1. The far border belongs to the last cell.
    pub(crate) fn source_place(&self, sample: f64) -> (u32, f64) {
        let along = (sample * self.cell - self.half - self.origin) / self.spacing;
        place(along, self.source_samples)
    }

    /// The world cell, counted from the first world sample, that holds a source sample, and the place in it;
    /// `None` if no world cell holds it.
    pub(crate) fn world_place(&self, source_sample: u32) -> Option<(usize, f64)> {
        let metres = self.origin + f64::from(source_sample) * self.spacing;
        let along = (metres + self.half) / self.cell - self.first as f64;
        let samples = self.samples();
        if samples < 2 || along < 0.0 || along > (samples - 1) as f64 {
            return None;
        }
        // At most `BAKE_SAMPLES_MAX`.
        let (index, part) = place(along, samples as u32);
        Some((index as usize, part))
    }
}

fn place(along: f64, samples: u32) -> (u32, f64) {
    let last_cell = f64::from(samples - 2);
    let index = along.floor();
    let index = greater(index, 0.0);
    let index = lesser(index, last_cell);
    let part = along - index;
    let part = greater(part, 0.0);
    (index as u32, lesser(part, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid::new(2.0, 16.0, 1.0 / 128.0).unwrap() // 8 cells
    }

    #[test]
    fn a_source_on_the_grid_is_taken_sample_by_sample() {
        let axis = Axis::new('x', grid(), 17, 2.0, -8.0).unwrap();
        assert!(axis.aligned);
        assert_eq!((axis.first, axis.last), (0, 16));
        assert_eq!(axis.sectors(), (0, 1));
        let shifted = Axis::new('x', grid(), 18, 2.0, -12.0).unwrap();
        assert!(shifted.aligned);
        assert_eq!((shifted.first, shifted.last), (-2, 15));
        assert_eq!(shifted.sectors(), (-1, 1));
    }

    #[test]
    fn a_source_off_the_grid_covers_the_samples_inside_it() {
        let axis = Axis::new('x', grid(), 5, 3.0, -7.0).unwrap(); // -7 to 5
        assert!(!axis.aligned);
        assert_eq!((axis.first, axis.last), (1, 6)); // -6 to 4
        assert_eq!(axis.source_place(1.0), (0, 1.0 / 3.0));
        assert_eq!(axis.source_place(6.0).0, 3);
        assert_eq!(axis.world_place(0), None);
        assert_eq!(axis.world_place(1), Some((1, 0.0)));
    }

    #[test]
    fn a_source_whose_samples_lie_too_far_apart_for_the_cells_is_refused() {
        let most = f64::from(BAKE_SAMPLES_MAX);
        // Two samples, that many cells of 2 m apart; the first on the grid.
        let axis = |cells: f64| Axis::new('z', grid(), 2, cells * 2.0, -8.0);
        let widest = axis(most - 1.0).unwrap();
        assert_eq!(widest.samples() as f64, most);
        let far = widest.world_place(1);
        assert_eq!(far, Some((BAKE_SAMPLES_MAX as usize - 2, 1.0)));
        for (cells, expected) in [(most, BAKE_SAMPLES_MAX.into()), (4e9, 4_000_000_000_u64)] {
            let Err(BakeError::Samples { axis: 'z', samples, spacing, cell: 2.0 }) = axis(cells)
            else {
                panic!("{cells}")
            };
            assert_eq!((samples, spacing), (expected + 1, cells * 2.0));
        }
        // A source on the grid with too many samples of its own is refused too.
        let long = Axis::new('x', grid(), BAKE_SAMPLES_MAX + 1, 2.0, -8.0);
        assert!(matches!(long, Err(BakeError::Samples { axis: 'x', .. })));
    }

    #[test]
    fn far_and_senseless_origins_are_refused() {
        assert!(matches!(
            Axis::new('z', grid(), 5, 2.0, 1e12),
            Err(BakeError::BeyondSectors { axis: 'z', .. })
        ));
        assert!(Axis::new('x', grid(), 5, 0.0, 0.0).is_err());
        assert!(Axis::new('x', grid(), 5, f64::NAN, 0.0).is_err());
        assert!(Axis::new('x', grid(), 5, 1.0, f64::INFINITY).is_err());
    }
}
