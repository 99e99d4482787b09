//! The ground of one sector as triangles: two for each cell, and walls below the rims of holes.

pub(super) mod under;

#[cfg(test)]
mod tests;

use glam::{DVec3, Vec3};

use super::nearest::unit_normal;
use super::region::SectorRegion;
use super::types::PropMotion;
use super::visit::{Facet, Source, SourceId, Visit};
use crate::heightfield::{CellKind, HeightfieldView, cell_bits_stride};
use crate::limits::BLOCK_CELLS;
use crate::math::{Aabb, greater};

/// How far the walls below the rim of a hole reach down. Metres.
const SKIRT_DEPTH: f32 = 65_536.0;

/// More than the rounding of a place within a sector. Metres.
const PLACE_MARGIN: f64 = 1e-6;

/// Triangles that a cell may have: two, and two for each hole beside it. Their numbers count in steps of it.
const TRIANGLES_MAX: u32 = 16;

/// Every edge counts as open.
const EDGES_OPEN: u8 = 0b11_11_11;

/// The triangles of a sector's ground. Those above the region are handed out too: below the ground it is
/// solid.
pub(crate) fn walk(field: &HeightfieldView<'_>, here: &SectorRegion<'_>, visit: &mut impl Visit) {
    let SectorRegion { region, low, high, .. } = *here;
    let half = f64::from(field.grid().sector_size().half());
    if high.z < -half || low.z > half {
        return;
    }
    let walls = field.has_holes();
    let source = ground_of(here);
    if !visit.source(&source) {
        return;
    }
    // What is met first is handed out first, so that the rest may be skipped.
    for row in towards(rows(field, low.z, high.z), region.motion.z) {
        let Some(columns) = columns(field, row, here, visit.until()) else { continue };
        for column in towards(columns, region.motion.x) {
            if field.cell_kind(column as i32, row as i32) == CellKind::Solid {
                cell_facets(field, &source, (column, row), low.y, walls, visit);
            }
        }
    }
}

/// The ground of a sector.
fn ground_of(here: &SectorRegion<'_>) -> Source {
    Source {
        id: SourceId::Terrain(here.coord),
        origin: here.shift,
        solid: true,
        moving: PropMotion::default(),
        bounds: Aabb::EMPTY,
    }
}

/// The first and the last row of cells between two Z, or the nearest existing ones.
fn rows(field: &HeightfieldView<'_>, low: f64, high: f64) -> (u32, u32) {
    let (cell, half) =
        (f64::from(field.grid().cell()), f64::from(field.grid().sector_size().half()));
    let last = field.cells() - 1;
    // The conversion truncates within the cell, and saturates at 0.
    let index = |metres: f64| (((metres + half) / cell) as u32).min(last);
    (index(low), index(high))
}

/// The first and the last column that a region reaches in a row of cells, within a part of its motion.
fn columns(
    field: &HeightfieldView<'_>,
    row: u32,
    here: &SectorRegion<'_>,
    until: f64,
) -> Option<(u32, u32)> {
    let (cell, half) =
        (f64::from(field.grid().cell()), f64::from(field.grid().sector_size().half()));
    let north = f64::from(row) * cell - half + here.shift.z;
    let (west, east) = here.region.x_between(north, north + cell, until)?;
    let (west, east) = (west - here.shift.x, east - here.shift.x);
    (east >= -half && west <= half).then(|| rows(field, west, east))
}

/// A cell of a sector's ground in a region, without motion, that has a steeper triangle: with a unit normal whose
/// `y` is below `upright`. Quickly `None` where blocks of cells show that there is none. Every region has one that
/// holds the place which is returned, above the middle of the cell and as high as its highest corner.
pub(crate) fn steeper(
    field: &HeightfieldView<'_>,
    here: &SectorRegion<'_>,
    upright: f64,
) -> Option<DVec3> {
    let mut steeper = SteepSearch { upright, found: None };
    if upright <= 0.0 || has_hole_near(field, here) {
        walk(field, here, &mut steeper);
    } else if !is_gentle(field, here, upright) {
        find_steeper(field, here, &mut steeper);
    }
    let cell = steeper.found? / TRIANGLES_MAX;
    let (column, row) = (cell % field.cells(), cell / field.cells());
    let highest = highest_of(field.corners(column, row));
    let (size, half) = (field.grid().cell(), field.grid().sector_size().half());
    let middle = |at: u32| f64::from((at as f32 + 0.5) * size - half);
    Some(DVec3::new(middle(column), f64::from(highest), middle(row)))
}

/// The highest corner of a cell.
fn highest_of([nw, ne, sw, se]: [f32; 4]) -> f32 {
    [ne, sw, se].into_iter().fold(nw, |most, h| greater(h, most))
}

/// Whether a cell of a region, or one beside it, may be a hole.
fn has_hole_near(field: &HeightfieldView<'_>, here: &SectorRegion<'_>) -> bool {
    let Some(holes) = field.holes else { return false };
    let ((north, south), (west, east)) = cells(field, here);
    // Bits are counted with the apron: from one cell before to one after.
    let stride = cell_bits_stride(field.cells());
    let bytes = west as usize / 8..=(east as usize + 2) / 8;
    (north as usize..=south as usize + 2)
        .any(|row| bytes.clone().any(|byte| holes[row * stride + byte] != 0))
}

/// The rows and the columns of a sector's cells that a region reaches, including rounding.
fn cells(field: &HeightfieldView<'_>, here: &SectorRegion<'_>) -> ((u32, u32), (u32, u32)) {
    let margin = DVec3::splat(PLACE_MARGIN);
    let (low, high) = (here.low - margin, here.high + margin);
    (rows(field, low.z, high.z), rows(field, low.x, high.x))
}

/// Cells that are tested together.
const CELLS_AT_ONCE: usize = 8;

/// Searches ground without holes: only cells whose heights show that they may be steeper are tested as triangles.
fn find_steeper(field: &HeightfieldView<'_>, here: &SectorRegion<'_>, steeper: &mut SteepSearch) {
    let SectorRegion { low, high, .. } = *here;
    let half = f64::from(field.grid().sector_size().half());
    if high.z < -half || low.z > half {
        return;
    }
    let source = ground_of(here);
    let (first, last) = rows(field, low.z, high.z);
    // A place in the middle is the last to be left.
    let middle = (first + last) / 2;
    for row in (middle..=last).chain(first..middle) {
        let Some((west, east)) = columns(field, row, here, 1.0) else { continue };
        for column in (west..=east).step_by(CELLS_AT_ONCE) {
            let count = (east - column + 1).min(CELLS_AT_ONCE as u32);
            let mut maybe = maybe_steeper(field, column, row, count, steeper.upright);
            while maybe != 0 {
                let column = column + maybe.trailing_zeros();
                if field.cell_kind(column as i32, row as i32) == CellKind::Solid {
                    cell_facets(field, &source, (column, row), low.y, false, steeper);
                }
                if steeper.found.is_some() {
                    return;
                }
                maybe &= maybe - 1;
            }
        }
    }
}

/// Which of some cells of a row may contain a steeper triangle, one bit each.
fn maybe_steeper(
    field: &HeightfieldView<'_>,
    column: u32,
    row: u32,
    count: u32,
    upright: f64,
) -> u32 {
    let (mut north, mut south) = ([0.0_f32; CELLS_AT_ONCE + 1], [0.0_f32; CELLS_AT_ONCE + 1]);
    for lane in 0..=count {
        let (column, row) = ((column + lane) as i32, row as i32);
        north[lane as usize] = field.sample(column, row);
        south[lane as usize] = field.sample(column, row + 1);
    }
    // The normal's y is 1 / √(1 + rise²): a cell is steeper where (1 + rise²) · upright² is above 1, and
    // certainly not where it is below 1 by more than rounding.
    let upright = upright as f32;
    let (square, surely) = (upright * upright, 1.0 - 1e-5);
    let per_metre = field.cells_per_metre;
    let mut maybe = 0;
    for lane in 0..CELLS_AT_ONCE {
        let (nw, ne, sw, se) = (north[lane], north[lane + 1], south[lane], south[lane + 1]);
        let rise = |along: f32, across: f32| {
            let (along, across) = (along * per_metre, across * per_metre);
            along * along + across * across
        };
        let (one, other) = (rise(ne - nw, se - ne), rise(se - sw, sw - nw));
        let rise = greater(one, other);
        maybe |= u32::from((1.0 + rise) * square >= surely) << lane;
    }
    maybe & ((1 << count) - 1)
}

/// Whether blocks of cells show that nothing in a region is steeper.
fn is_gentle(field: &HeightfieldView<'_>, here: &SectorRegion<'_>, upright: f64) -> bool {
    let ((north, south), (west, east)) = cells(field, here);
    let blocks = |first: u32, last: u32| first / BLOCK_CELLS..=last / BLOCK_CELLS;
    // Below the limit by more than rounding.
    let tangent = (1.0 - upright * upright).sqrt() / upright * (1.0 - 1e-9);
    blocks(north, south).all(|row| {
        blocks(west, east).all(|column| {
            let byte = field.cell_steepness(column * BLOCK_CELLS, row * BLOCK_CELLS);
            byte < u8::MAX && f64::from(byte) / 32.0 < tangent
        })
    })
}

/// Searches for a steeper triangle.
struct SteepSearch {
    upright: f64,
    /// The first that was found.
    found: Option<u32>,
}

impl Visit for SteepSearch {
    fn source(&mut self, _: &Source) -> bool {
        self.found.is_none()
    }

    fn facet(&mut self, _: &Source, facet: &Facet) {
        let normal = unit_normal(facet.corners.map(Vec3::as_dvec3));
        if self.found.is_none() && normal.is_none_or(|normal| normal.y < self.upright) {
            self.found = Some(facet.triangle);
        }
    }
}

/// Up to this many cells the samples themselves are looked at, of more only the ranges of their blocks.
const FEW_CELLS: u32 = 4 * BLOCK_CELLS * BLOCK_CELLS;

/// An upper bound for the ground of a sector in a region, without motion. Metres.
pub(crate) fn highest(field: &HeightfieldView<'_>, here: &SectorRegion<'_>) -> f32 {
    let ((north, south), (west, east)) = cells(field, here);
    if (south - north + 1) * (east - west + 1) > FEW_CELLS {
        return highest_of_blocks(field, (north, south), (west, east));
    }
    let mut highest = f32::NEG_INFINITY;
    for row in north as i32..=south as i32 + 1 {
        for column in west as i32..=east as i32 + 1 {
            let height = field.sample(column, row);
            highest = greater(height, highest);
        }
    }
    highest
}

/// The same for the blocks that hold any of these rows and columns of cells.
fn highest_of_blocks(field: &HeightfieldView<'_>, rows: (u32, u32), columns: (u32, u32)) -> f32 {
    let pyramid = field.pyramid();
    let mut highest = None;
    for row in rows.0 / BLOCK_CELLS..=rows.1 / BLOCK_CELLS {
        for column in columns.0 / BLOCK_CELLS..=columns.1 / BLOCK_CELLS {
            highest = highest.max(pyramid.range(0, column, row).map(|range| range.max));
        }
    }
    highest.map_or(f32::NEG_INFINITY, |quanta: i32| quanta as f32 * field.grid().quantum())
}

/// Numbers from the first to the last, or backwards if the motion is negative.
fn towards((first, last): (u32, u32), motion: f64) -> impl Iterator<Item = u32> {
    (0..=last - first).map(move |by| if motion < 0.0 { last - by } else { first + by })
}

/// The two triangles of a cell of ground, and the walls below its edges that border on a hole.
fn cell_facets(
    field: &HeightfieldView<'_>,
    source: &Source,
    (column, row): (u32, u32),
    low: f64,
    walls: bool,
    visit: &mut impl Visit,
) {
    let [nw, ne, sw, se] = field.corners(column, row);
    if f64::from(highest_of([nw, ne, sw, se])) < low {
        return;
    }
    let (cell, half) = (field.grid().cell(), field.grid().sector_size().half());
    // Multiples of nw power of two: exact.
    let (west, north) = (column as f32 * cell - half, row as f32 * cell - half);
    let nw = Vec3::new(west, nw, north);
    let ne = Vec3::new(west + cell, ne, north);
    let sw = Vec3::new(west, sw, north + cell);
    let se = Vec3::new(west + cell, se, north + cell);
    let first = (row * field.cells() + column) * TRIANGLES_MAX;
    let surface = field.cell_surface(column, row);
    let mut put = |corners, number| {
        let facet =
            Facet { corners, triangle: first + number, edges: EDGES_OPEN, surface, face: 0 };
        visit.facet(source, &facet);
    };
    put([nw, se, ne], 0);
    put([nw, sw, se], 1);
    if !walls {
        return;
    }
    let (column, row) = (column as i32, row as i32);
    let sides = [
        (nw, sw, column - 1, row),
        (ne, nw, column, row - 1),
        (se, ne, column + 1, row),
        (sw, se, column, row + 1),
    ];
    for (side, (from, to, column, row)) in (0_u32..).zip(sides) {
        if field.cell_kind(column, row) == CellKind::Hole {
            let down = |top: Vec3| Vec3::new(top.x, top.y - SKIRT_DEPTH, top.z);
            put([from, down(from), to], 2 + 2 * side);
            put([to, down(from), down(to)], 3 + 2 * side);
        }
    }
}
