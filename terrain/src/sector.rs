//! One sector as it is built: owned heights, cell kinds and surfaces.

use std::borrow::Cow;

use crate::grid::Grid;
use crate::heightfield::{CellKind, SurfaceId};
use crate::limits::QUANTA_MAX;

/// The surfaces of a sector's cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SurfaceLayer {
    /// The same surface everywhere.
    Uniform(SurfaceId),
    /// One id for each cell, row by row, without the apron.
    PerCell(Vec<u8>),
}

impl SurfaceLayer {
    /// The same surfaces, stored as one id where they are the same everywhere.
    fn simplest(self) -> Self {
        match self {
            Self::PerCell(ids) if ids.iter().all(|&id| id == ids[0]) => {
                Self::Uniform(SurfaceId(ids[0]))
            }
            other => other,
        }
    }
}

/// Why a sector cannot be built from the given data.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SectorDataError {
    /// A layer has the wrong number of values.
    #[error("{layer}: {found} values, expected {expected}")]
    Count {
        /// The layer.
        layer: &'static str,
        /// The number of values found.
        found: usize,
        /// The number of values that a sector of this grid has.
        expected: usize,
    },
    /// A height is beyond ±2²³ quanta or not a number.
    #[error("height {metres} m at column {column}, row {row}: expected within {limit} m of 0")]
    Height {
        /// The height.
        metres: f64,
        /// Column of the sample; −1 is the apron.
        column: i32,
        /// Row of the sample.
        row: i32,
        /// The greatest height this quantum can hold.
        limit: f64,
    },
}

/// A sector as it is built: heights in quanta with an apron of one sample, the kind of each cell
/// with an apron of one cell, and surfaces.
///
/// ```
/// use marchland_terrain::{CellKind, Grid, LoadedSector, SectorCoord, SectorData, SurfaceLayer, format};
///
/// let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
/// let cells = grid.cells() as usize;
/// let mut kinds = vec![CellKind::Solid; (cells + 2) * (cells + 2)];
/// kinds[(10 + 1) * (cells + 2) + 20 + 1] = CellKind::Hole; // column 20 of row 10
/// let data = SectorData::from_fn(grid, |x, z| 0.1 * x + 0.2 * z)?
///     .with_kinds(kinds)?
///     .with_surfaces(SurfaceLayer::PerCell(vec![3; cells * cells]))?;
/// let sector = LoadedSector::new(format::encode(SectorCoord::new(0, 0), &data).bytes)?;
/// assert_eq!(sector.view().field().cell_kind(20, 10), CellKind::Hole);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectorData {
    grid: Grid,
    quanta: Vec<i32>,
    kinds: Option<Vec<CellKind>>,
    surfaces: SurfaceLayer,
}

impl SectorData {
    /// A sector from `(cells + 3)²` heights in quanta and, unless all cells are solid ground, `(cells + 2)²`
    /// cell kinds, both row by row with the apron. Surfaces have no apron.
    ///
    /// # Errors
    /// If a layer has the wrong length, or a height that bounds ground is beyond ±2²³ quanta.
    pub fn new(
        grid: Grid,
        quanta: Vec<i32>,
        kinds: Option<Vec<CellKind>>,
        surfaces: SurfaceLayer,
    ) -> Result<Self, SectorDataError> {
        let cells = grid.cells() as usize;
        check_count("heights", quanta.len(), (cells + 3) * (cells + 3))?;
        if let Some(kinds) = &kinds {
            check_count("cell kinds", kinds.len(), (cells + 2) * (cells + 2))?;
        }
        if let SurfaceLayer::PerCell(ids) = &surfaces {
            check_count("surfaces", ids.len(), cells * cells)?;
        }
        let (kinds, surfaces) = (mixed(kinds), surfaces.simplest());
        let sector = Self { grid, quanta, kinds, surfaces };
        let (low, high) = sector.ground_range();
        if low < -QUANTA_MAX || high > QUANTA_MAX {
            return Err(sector.height_error());
        }
        Ok(sector)
    }

    /// A sector of solid ground. Its height at `(x, z)`, metres from its centre, is `height(x, z)`
    /// metres, rounded to the quantum. `height` is also called for the apron.
    ///
    /// # Errors
    /// If a height is beyond ±2²³ quanta or not a number.
    pub fn from_fn(
        grid: Grid,
        mut height: impl FnMut(f64, f64) -> f64,
    ) -> Result<Self, SectorDataError> {
        let (cell, quantum) = (f64::from(grid.cell()), f64::from(grid.quantum()));
        let half = f64::from(grid.sector_size().half());
        let last = grid.cells() as i32 + 1;
        let mut quanta = Vec::with_capacity((last as usize + 2) * (last as usize + 2));
        for row in -1..=last {
            for column in -1..=last {
                let metres = height(f64::from(column) * cell - half, f64::from(row) * cell - half);
                let steps = (metres / quantum).round_ties_even();
                let limit = f64::from(QUANTA_MAX);
                if !(-limit <= steps && steps <= limit) {
                    let limit = limit * quantum;
                    return Err(SectorDataError::Height { metres, column, row, limit });
                }
                quanta.push(steps as i32);
            }
        }
        Self::new(grid, quanta, None, SurfaceLayer::Uniform(SurfaceId(0)))
    }

    /// The same sector with different cell kinds, as for [`new`](Self::new).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_kinds(self, kinds: Vec<CellKind>) -> Result<Self, SectorDataError> {
        Self::new(self.grid, self.quanta, Some(kinds), self.surfaces)
    }

    /// The same sector with different surfaces, as for [`new`](Self::new).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_surfaces(self, surfaces: SurfaceLayer) -> Result<Self, SectorDataError> {
        Self::new(self.grid, self.quanta, self.kinds, surfaces)
    }

    /// The grid it lies on.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Heights in quanta, row by row with the apron.
    #[must_use]
    pub fn quanta(&self) -> &[i32] {
        &self.quanta
    }

    /// The kind of each cell, row by row with the apron; `None` where all cells are solid ground.
    #[must_use]
    pub fn kinds(&self) -> Option<&[CellKind]> {
        self.kinds.as_deref()
    }

    /// The surfaces of the cells.
    #[must_use]
    pub fn surfaces(&self) -> &SurfaceLayer {
        &self.surfaces
    }

    /// Whether any cell, apron excluded, belongs to the world.
    #[must_use]
    pub fn has_cells(&self) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| any_cells(self.grid, kinds))
    }

    /// The sector in the form that is encoded.
    pub(crate) fn rows(&self) -> SectorRows<'_> {
        let along = self.grid.cells() as usize + 3;
        SectorRows {
            grid: self.grid,
            quanta: self.quanta.chunks_exact(along).map(Cow::Borrowed).collect(),
            kinds: self.kinds.as_deref().map(Cow::Borrowed),
            surfaces: Cow::Borrowed(&self.surfaces),
        }
    }

    /// Lowest and highest samples that bound ground, in quanta; zeros if there is no ground.
    fn ground_range(&self) -> (i32, i32) {
        let Some(kinds) = &self.kinds else { return least_and_greatest(&self.quanta) };
        let along = self.grid.cells() as usize + 2;
        let mut range: Option<(i32, i32)> = None;
        for (index, _) in kinds.iter().enumerate().filter(|(_, kind)| **kind == CellKind::Solid) {
            let corner = index / along * (along + 1) + index % along;
            for corner in [corner, corner + along + 1] {
                let (low, high) = least_and_greatest(&self.quanta[corner..=corner + 1]);
                range = Some(range.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
            }
        }
        range.unwrap_or((0, 0))
    }

    /// The error for the first sample that bounds ground and exceeds the height limit.
    fn height_error(&self) -> SectorDataError {
        let along = self.grid.cells() as usize + 3;
        let quantum = f64::from(self.grid.quantum());
        let is_beyond = |index: usize| !(-QUANTA_MAX..=QUANTA_MAX).contains(&self.quanta[index]);
        let mut samples = 0..self.quanta.len();
        let first = samples
            .find(|&index| is_beyond(index) && self.bounds_ground(index % along, index / along));
        let index = first.unwrap_or(0);
        SectorDataError::Height {
            metres: f64::from(self.quanta[index]) * quantum,
            column: (index % along) as i32 - 1,
            row: (index / along) as i32 - 1,
            limit: f64::from(QUANTA_MAX) * quantum,
        }
    }

    /// Whether any of the cells around a sample is ground. Sample and cells are counted with the
    /// apron.
    fn bounds_ground(&self, column: usize, row: usize) -> bool {
        let Some(kinds) = &self.kinds else { return true };
        let along = self.grid.cells() as usize + 2;
        let rows = row.saturating_sub(1)..=row.min(along - 1);
        let columns = column.saturating_sub(1)..=column.min(along - 1);
        rows.flat_map(|row| columns.clone().map(move |column| row * along + column))
            .any(|cell| kinds[cell] == CellKind::Solid)
    }
}

/// A sector as it is encoded: [`SectorData`] whose rows of heights may lie anywhere, so that a bake
/// need not copy them into one buffer.
#[derive(Clone, Debug)]
pub(crate) struct SectorRows<'a> {
    pub(crate) grid: Grid,
    /// The heights, row by row, north to south.
    pub(crate) quanta: Vec<Cow<'a, [i32]>>,
    kinds: Option<Cow<'a, [CellKind]>>,
    surfaces: Cow<'a, SurfaceLayer>,
}

impl<'a> SectorRows<'a> {
    /// From `cells + 3` rows of `cells + 3` heights, none beyond ±2²³ quanta; otherwise as
    /// [`SectorData::new`].
    pub(crate) fn new(
        grid: Grid,
        quanta: Vec<Cow<'a, [i32]>>,
        kinds: Option<Vec<CellKind>>,
        surfaces: SurfaceLayer,
    ) -> Self {
        let along = grid.cells() as usize + 3;
        debug_assert!(quanta.len() == along && quanta.iter().all(|row| row.len() == along));
        let (kinds, surfaces) = (mixed(kinds).map(Cow::Owned), Cow::Owned(surfaces.simplest()));
        Self { grid, quanta, kinds, surfaces }
    }

    /// See [`SectorData::kinds`].
    pub(crate) fn kinds(&self) -> Option<&[CellKind]> {
        self.kinds.as_deref()
    }

    /// See [`SectorData::surfaces`].
    pub(crate) fn surfaces(&self) -> &SurfaceLayer {
        &self.surfaces
    }

    /// See [`SectorData::has_cells`].
    pub(crate) fn has_cells(&self) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| any_cells(self.grid, kinds))
    }

    /// The heights at the corners of a cell, counted with the apron: north-west, north-east,
    /// south-west, south-east. `None` unless the cell is ground.
    #[inline]
    pub(crate) fn ground(&self, column: usize, row: usize) -> Option<[i32; 4]> {
        let along = self.grid.cells() as usize + 2;
        if self.kinds.as_ref().is_some_and(|kinds| kinds[row * along + column] != CellKind::Solid) {
            return None;
        }
        let (north, south) = (&self.quanta[row], &self.quanta[row + 1]);
        Some([north[column], north[column + 1], south[column], south[column + 1]])
    }
}

/// The kinds of the cells; `None` if all are solid ground.
fn mixed(kinds: Option<Vec<CellKind>>) -> Option<Vec<CellKind>> {
    kinds.filter(|kinds| kinds.iter().any(|&kind| kind != CellKind::Solid))
}

/// Whether any cell, apron excluded, belongs to the world.
fn any_cells(grid: Grid, kinds: &[CellKind]) -> bool {
    let along = grid.cells() as usize + 2;
    kinds
        .chunks_exact(along)
        .skip(1)
        .take(along - 2)
        .any(|cells| cells[1..along - 1].iter().any(|&kind| kind != CellKind::Outside))
}

/// The minimum and maximum of at least one value. Two plain passes: the compiler vectorises each.
fn least_and_greatest(quanta: &[i32]) -> (i32, i32) {
    let least = quanta.iter().fold(i32::MAX, |least, &quanta| least.min(quanta));
    let greatest = quanta.iter().fold(i32::MIN, |greatest, &quanta| greatest.max(quanta));
    (least, greatest)
}

fn check_count(layer: &'static str, found: usize, expected: usize) -> Result<(), SectorDataError> {
    if found == expected { Ok(()) } else { Err(SectorDataError::Count { layer, found, expected }) }
}
