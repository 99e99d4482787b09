//! Collects world rows into bands, and cuts bands into sectors.
//!
//! A band consists of the rows that one row of sectors needs, aprons included. The last three rows of a band
//! are the first three of the next (the apron, the shared edge, and the row inside), so they are kept.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::alignment::Axis;
use super::quantize::{OUTSIDE, VOID};
use super::rows::WorldRow;
use super::source::RowOrder;
use crate::grid::Grid;
use crate::heightfield::{CellKind, SurfaceId};
use crate::math::SectorCoord;
use crate::sector::{SectorRows, SurfaceLayer};

/// Collects world rows until a row of sectors is complete.
pub(crate) struct Bands {
    grid: Grid,
    order: RowOrder,
    z: Axis,
    rows: VecDeque<WorldRow>,
}

impl Bands {
    pub(crate) fn new(grid: Grid, order: RowOrder, z: &Axis) -> Self {
        Self { grid, order, z: z.clone(), rows: VecDeque::new() }
    }

    /// Adds the next row; returns the row of sectors that it completes.
    pub(crate) fn push(&mut self, row: WorldRow) -> Option<i64> {
        let index = row.index;
        let cells = i64::from(self.grid.cells());
        let (first_sector, last_sector) = self.z.sectors();
        let completed = match self.order {
            RowOrder::NorthFirst => {
                self.rows.push_back(row);
                // The southern apron row of sector s is s · cells + cells + 1.
                let ends_band = (index - 1).rem_euclid(cells) == 0;
                let sector = (index - 1).div_euclid(cells) - 1;
                if index == self.z.last { Some(last_sector) } else { ends_band.then_some(sector) }
            }
            RowOrder::SouthFirst => {
                self.rows.push_front(row);
                let ends_band = (index + 1).rem_euclid(cells) == 0;
                let sector = (index + 1).div_euclid(cells);
                if index == self.z.first { Some(first_sector) } else { ends_band.then_some(sector) }
            }
        };
        completed.filter(|sector| (first_sector..=last_sector).contains(sector))
    }

    /// The complete rows of sectors that are not yet emitted. At the end of the source there may be two: the
    /// one whose apron never arrives, and the one before it.
    pub(crate) fn pending_before(&self, completed: i64, emitted: Option<i64>) -> Vec<i64> {
        let (first_sector, last_sector) = self.z.sectors();
        match self.order {
            RowOrder::NorthFirst => {
                (emitted.map_or(first_sector, |done| done + 1)..=completed).collect()
            }
            RowOrder::SouthFirst => {
                let from = emitted.map_or(last_sector, |done| done - 1);
                (completed..=from).rev().collect()
            }
        }
    }

    /// Prepares a completed row of sectors for cutting.
    pub(crate) fn band(&self, sector_row: i64, x: &Axis) -> Band<'_> {
        let cells = i64::from(self.grid.cells());
        let first = sector_row * cells - 1;
        let rows: Vec<Option<&WorldRow>> =
            (first..=first + cells + 2).map(|index| self.row(index)).collect();
        let kinds = rows
            .windows(2)
            .map(|pair| match (pair[0], pair[1]) {
                (Some(north), Some(south)) => cell_kinds(north, south),
                _ => RowKinds::Outside,
            })
            .collect();
        Band { grid: self.grid, x: x.clone(), sector_row, rows, kinds }
    }

    /// Drops the rows that the next row of sectors does not need.
    pub(crate) fn release(&mut self, sector_row: i64) {
        let cells = i64::from(self.grid.cells());
        match self.order {
            RowOrder::NorthFirst => {
                let keep_from = (sector_row + 1) * cells - 1;
                while self.rows.pop_front_if(|row| row.index < keep_from).is_some() {}
            }
            RowOrder::SouthFirst => {
                let keep_to = sector_row * cells + 1;
                while self.rows.pop_back_if(|row| row.index > keep_to).is_some() {}
            }
        }
    }

    fn row(&self, index: i64) -> Option<&WorldRow> {
        let first = self.rows.front()?.index;
        self.rows.get(usize::try_from(index - first).ok()?)
    }
}

/// The kinds of a row of cells over the whole width of the source.
enum RowKinds {
    Solid,
    Outside,
    Mixed(Vec<CellKind>),
}

/// The kinds of a row of cells: those of the masks, and holes around samples without a height.
fn cell_kinds(north: &WorldRow, south: &WorldRow) -> RowKinds {
    let has_void = north.has_void || south.has_void;
    if !has_void && north.kinds.is_none() {
        return RowKinds::Solid;
    }
    let all_solid = || vec![CellKind::Solid; north.quanta.len() - 1];
    let mut kinds = north.kinds.clone().unwrap_or_else(all_solid);
    if has_void {
        let pairs = north.quanta.windows(2).zip(south.quanta.windows(2));
        for (kind, (north, south)) in kinds.iter_mut().zip(pairs) {
            let corners = [north[0], north[1], south[0], south[1]];
            if corners.contains(&OUTSIDE) {
                *kind = CellKind::Outside;
            } else if *kind == CellKind::Solid && corners.contains(&VOID) {
                *kind = CellKind::Hole;
            }
        }
    }
    RowKinds::Mixed(kinds)
}

/// The rows of one row of sectors; sectors are cut from it on any number of threads.
pub(crate) struct Band<'a> {
    grid: Grid,
    x: Axis,
    sector_row: i64,
    /// From the northern apron to the southern; `None` where the source has no such row.
    rows: Vec<Option<&'a WorldRow>>,
    kinds: Vec<RowKinds>,
}

impl Band<'_> {
    /// The sectors of the row, west to east.
    pub(crate) fn sectors(&self) -> std::ops::RangeInclusive<i64> {
        let (first, last) = self.x.sectors();
        first..=last
    }

    /// Cuts out one sector; `None` if none of its cells belongs to the world.
    pub(crate) fn cut(&self, sector_column: i64) -> Option<(SectorCoord, SectorRows<'_>)> {
        let cells = i64::from(self.grid.cells());
        // The sector's western apron, counted from the first world column.
        let first = sector_column * cells - 1 - self.x.first;
        let quanta = self.rows.iter().map(|row| self.quanta(*row, first)).collect();
        let sector =
            SectorRows::new(self.grid, quanta, self.cell_kinds(first), self.surfaces(first));
        let coord = SectorCoord::new(sector_column as i32, self.sector_row as i32);
        sector.has_cells().then_some((coord, sector))
    }

    /// A sector's heights in one row. They are borrowed unless some are missing.
    fn quanta<'a>(&self, row: Option<&'a WorldRow>, first: i64) -> Cow<'a, [i32]> {
        let samples = self.grid.cells() as usize + 3;
        let Some(row) = row else { return Cow::Owned(vec![0; samples]) };
        if !row.has_void
            && let Ok(begin) = usize::try_from(first)
            && let Some(inside) = row.quanta.get(begin..begin + samples)
        {
            return Cow::Borrowed(inside);
        }
        let mut quanta = vec![0; samples];
        copy_overlap(&row.quanta, first, &mut quanta);
        for value in quanta.iter_mut().filter(|value| **value <= OUTSIDE) {
            *value = 0; // bounds no ground, so has no meaning
        }
        Cow::Owned(quanta)
    }

    fn cell_kinds(&self, first: i64) -> Option<Vec<CellKind>> {
        let cells = self.grid.cells() as usize;
        let source_cells = self.x.samples() as i64 - 1;
        let inside = first >= 0 && first + cells as i64 + 2 <= source_cells;
        if inside && self.kinds.iter().all(|row| matches!(row, RowKinds::Solid)) {
            return None;
        }
        let mut kinds = vec![CellKind::Outside; (cells + 2) * (cells + 2)];
        for (out, row) in kinds.chunks_exact_mut(cells + 2).zip(&self.kinds) {
            match row {
                RowKinds::Outside => {}
                RowKinds::Mixed(kinds) => copy_overlap(kinds, first, out),
                RowKinds::Solid => {
                    if let Some((_, to)) = overlap(source_cells as usize, first, out.len()) {
                        out[to].fill(CellKind::Solid);
                    }
                }
            }
        }
        Some(kinds)
    }

    fn surfaces(&self, first: i64) -> SurfaceLayer {
        let cells = self.grid.cells() as usize;
        if self.rows.iter().flatten().all(|row| row.surfaces.is_none()) {
            return SurfaceLayer::Uniform(SurfaceId(0));
        }
        let mut ids = vec![0; cells * cells];
        for (out, row) in ids.chunks_exact_mut(cells).zip(&self.rows[1..]) {
            if let Some(surfaces) = row.and_then(|row| row.surfaces.as_ref()) {
                copy_overlap(surfaces, first + 1, out);
            }
        }
        SurfaceLayer::PerCell(ids)
    }
}

/// Copies to `out` the values that it shares with the source; its first value is the source's at `first`.
fn copy_overlap<T: Copy>(source: &[T], first: i64, out: &mut [T]) {
    if let Some((from, to)) = overlap(source.len(), first, out.len()) {
        out[to].copy_from_slice(&source[from]);
    }
}

/// The shared range, as indices into the source and into the window on it.
fn overlap(
    source_length: usize,
    first: i64,
    window_length: usize,
) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let begin = first.max(0);
    let end = (first + window_length as i64).min(source_length as i64);
    (begin < end).then(|| {
        let to = (begin - first) as usize..(end - first) as usize;
        (begin as usize..end as usize, to)
    })
}
