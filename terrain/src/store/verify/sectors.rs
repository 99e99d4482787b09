//! Checks sectors against what they were made from, against the manifest and against each other.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::format::{LoadedSector, SectorLayout, encode};
use crate::heightfield::{CellKind, HeightRange, HeightfieldView, SurfaceId};
use crate::math::SectorCoord;
use crate::sector::{SectorData, SurfaceLayer};
use crate::store::error::StoreError;
use crate::store::manifest::index::SectorRecord;
use crate::store::problem::{Problem, VerifyReport};
use crate::store::world::World;

/// Bytes of sectors kept in memory for comparing neighbours. Records come in an order in which
/// neighbours are near each other, so most are found here.
const KEPT_BYTES_MAX: usize = 64 << 20;
/// The sectors read last, so that a neighbour is rarely read again.
#[derive(Default)]
pub(crate) struct RecentSectors {
    sectors: VecDeque<Arc<LoadedSector>>,
    bytes: usize,
}

impl RecentSectors {
    pub(crate) fn get(
        &mut self,
        world: &World,
        record: &SectorRecord,
    ) -> Result<Arc<LoadedSector>, StoreError> {
        let is_it = |sector: &&Arc<LoadedSector>| sector.layout().coord() == record.coord;
        if let Some(sector) = self.sectors.iter().rev().find(is_it) {
            return Ok(Arc::clone(sector));
        }
        let sector = Arc::new(world.files().read(record)?);
        self.bytes += sector.len_bytes();
        self.sectors.push_back(Arc::clone(&sector));
        while self.bytes > KEPT_BYTES_MAX
            && let Some(oldest) = self.sectors.pop_front()
        {
            self.bytes -= oldest.len_bytes();
        }
        Ok(sector)
    }
}

/// Checks pyramid and steepness: computes them again from the samples and compares.
pub(crate) fn check_blocks(
    sector: &LoadedSector,
    record: &SectorRecord,
    report: &mut VerifyReport,
) {
    let (coord, field) = (record.coord, sector.view().field());
    let anew = data_of(field).map(|data| LoadedSector::new(encode(coord, &data).bytes));
    let Some(Ok(anew)) = anew else {
        report.add(Problem::TooHigh { coord });
        return;
    };
    let anew_field = anew.view().field();
    let (found, expected) = (field.pyramid(), anew_field.pyramid());
    let mut blocks = (0..found.levels()).flat_map(|level| {
        let along = found.along(level);
        (0..along * along).map(move |block| (level, block % along, block / along))
    });
    let range =
        |at: (u32, u32, u32)| (found.range(at.0, at.1, at.2), expected.range(at.0, at.1, at.2));
    if let Some(at) = blocks.find(|&at| range(at).0 != range(at).1) {
        let (found, expected) = range(at);
        report.add(Problem::Ranges { coord, block: Some(at), found, expected });
    }
    let named = record.height_range.map(|(min, max)| HeightRange { min, max });
    if named != expected.whole() {
        let expected = expected.whole();
        report.add(Problem::Ranges { coord, block: None, found: named, expected });
    }
    let pairs = field.steepness().iter().zip(anew_field.steepness());
    if let Some((block, (&found, &expected))) = pairs.enumerate().find(|(_, (a, b))| a != b) {
        report.add(Problem::Steepness { coord, block, found, expected });
    }
}

/// Checks that the manifest has a name for every cell's surface.
pub(crate) fn check_surfaces(world: &World, sector: &LoadedSector, report: &mut VerifyReport) {
    let (coord, field) = (sector.layout().coord(), sector.view().field());
    let names = world.info().facts.surface_names.len();
    let cells = field.cells();
    if let Some(surface) = field.uniform_surface() {
        if !has_name(surface, names) {
            let count = u64::from(cells) * u64::from(cells);
            report.add(Problem::CellSurface { coord, count, cell: None, surface, names });
        }
        return;
    }
    let all = (0..cells).flat_map(|row| (0..cells).map(move |column| (column, row)));
    let nameless = all.filter(|&(column, row)| !has_name(field.cell_surface(column, row), names));
    if let Some(((column, row), count)) = counted(nameless) {
        let (surface, cell) = (field.cell_surface(column, row), Some((column, row)));
        report.add(Problem::CellSurface { coord, count, cell, surface, names });
    }
}

/// The first, and how many there are; `None` if there are none.
fn counted<T>(mut all: impl Iterator<Item = T>) -> Option<(T, u64)> {
    let first = all.next()?;
    Some((first, 1 + all.count() as u64))
}

/// Whether a surface has a name. A world without names has one surface.
pub(crate) fn has_name(surface: SurfaceId, names: usize) -> bool {
    usize::from(surface.0) < names || (names == 0 && surface.0 == 0)
}

/// A sector as it was before it was encoded. `None` if its heights exceed what a bake accepts.
fn data_of(field: HeightfieldView<'_>) -> Option<SectorData> {
    let cells = field.cells() as i32;
    let square = |last: i32| (-1..=last).flat_map(move |row| (-1..=last).map(move |c| (c, row)));
    let quanta = square(cells + 1).map(|(column, row)| field.quanta(column, row)).collect();
    let kinds = square(cells).map(|(column, row)| field.cell_kind(column, row)).collect();
    let surfaces = SurfaceLayer::Uniform(field.uniform_surface().unwrap_or(SurfaceId(0)));
    SectorData::new(field.grid(), quanta, Some(kinds), surfaces).ok()
}

/// Compares with the four neighbours that are not compared from their own side, and looks for an
/// apron that claims ground where there is no neighbour, on all eight sides.
pub(crate) fn check_neighbours(
    world: &World,
    kept: &mut RecentSectors,
    sector: &Arc<LoadedSector>,
    report: &mut VerifyReport,
) {
    let layout: &SectorLayout = sector.layout();
    let coord = layout.coord();
    for (dx, dz) in [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)] {
        let is_ours = dz > 0 || (dz == 0 && dx > 0);
        let neighbour = coord.offset(dx, dz);
        let found = neighbour.map_or(Ok(None), |neighbour| world.files().find(neighbour));
        // A damaged part of the manifest is reported when its records are iterated.
        let Ok(record) = found else { continue };
        let Some(record) = record else {
            let neighbour = neighbour.unwrap_or(coord);
            check_kinds(sector, None, neighbour, (dx, dz), report);
            continue;
        };
        if !is_ours {
            continue;
        }
        // A neighbour that cannot be read is reported when it is checked itself.
        if let Ok(other) = kept.get(world, &record) {
            report.pairs += 1;
            check_kinds(sector, Some(&other), record.coord, (dx, dz), report);
            check_samples(sector, &other, (dx, dz), report);
        }
    }
}

/// Columns or rows that two sectors share, as indices of the first: both store `first..=last`, and
/// the other lies `step` sectors on, each `cells` long.
fn shared(step: i32, cells: i32, first: i32, last: i32) -> std::ops::RangeInclusive<i32> {
    match step {
        1 => first + cells..=last,
        -1 => first..=last - cells,
        _ => first..=last,
    }
}

fn check_kinds(
    sector: &LoadedSector,
    other: Option<&LoadedSector>,
    neighbour: SectorCoord,
    (dx, dz): (i32, i32),
    report: &mut VerifyReport,
) {
    let field = sector.view().field();
    let other = other.map(|other| other.view().field());
    let cells = field.cells() as i32;
    let (columns, rows) = match other {
        Some(_) => (shared(dx, cells, -1, cells), shared(dz, cells, -1, cells)),
        None => (apron(dx, cells), apron(dz, cells)),
    };
    let places = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
    let different = places.filter_map(|(column, row)| {
        let here = field.cell_kind(column, row);
        let there = other.map_or(CellKind::Outside, |other| {
            other.cell_kind(column - dx * cells, row - dz * cells)
        });
        (here != there).then_some((column, row, here, there))
    });
    if let Some(((column, row, here, there), count)) = counted(different) {
        let coord = sector.layout().coord();
        report.add(Problem::Kinds { coord, neighbour, count, column, row, here, there });
    }
}

/// The apron's columns or rows on one side; all but the apron where `step` is 0.
fn apron(step: i32, cells: i32) -> std::ops::RangeInclusive<i32> {
    match step {
        1 => cells..=cells,
        -1 => -1..=-1,
        _ => 0..=cells - 1,
    }
}

fn check_samples(
    sector: &LoadedSector,
    other: &LoadedSector,
    (dx, dz): (i32, i32),
    report: &mut VerifyReport,
) {
    let (field, other_field) = (sector.view().field(), other.view().field());
    let cells = field.cells() as i32;
    let columns = shared(dx, cells, -1, cells + 1);
    let rows = shared(dz, cells, -1, cells + 1);
    let places = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
    let different = places.filter_map(|(column, row)| {
        let (there_column, there_row) = (column - dx * cells, row - dz * cells);
        let here = field.quanta(column, row);
        let there = other_field.quanta(there_column, there_row);
        let counts = here != there
            && bounds_ground(field, column, row)
            && bounds_ground(other_field, there_column, there_row);
        counts.then_some((column, row, here, there))
    });
    if let Some(((column, row, here, there), count)) = counted(different) {
        let [coord, neighbour] = [sector.layout().coord(), other.layout().coord()];
        report.add(Problem::Samples { coord, neighbour, count, column, row, here, there });
    }
}

/// Whether any of the cells around a sample, as far as the sector stores them, is ground.
fn bounds_ground(field: HeightfieldView<'_>, column: i32, row: i32) -> bool {
    let known = -1..=field.cells() as i32;
    [(column - 1, row - 1), (column, row - 1), (column - 1, row), (column, row)].into_iter().any(
        |(column, row)| {
            known.contains(&column)
                && known.contains(&row)
                && field.cell_kind(column, row) == CellKind::Solid
        },
    )
}
