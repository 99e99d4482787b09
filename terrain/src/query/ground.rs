//! The ground of one sector as triangles: two a cell, and walls below the rims of holes.

use glam::Vec3;

use super::nearest::unit_normal;
use super::region::{Region, between};
use super::types::Moving;
use super::walk::{Facet, Source, SourceId, Visit};
use crate::heightfield::{CellKind, HeightfieldView};
use crate::limits::BLOCK_CELLS;
use crate::math::{Aabb, SectorCoord};

/// How far the walls below the rim of a hole reach down. Metres.
const SKIRT_DEPTH: f32 = 65_536.0;

/// Every edge as if it stood alone.
const EDGES_OPEN: u8 = 0b11_11_11;

/// The triangles of a sector's ground. Those that lie above the region come too: what is below
/// ground is full.
pub(crate) fn walk(
    field: HeightfieldView<'_>,
    coord: SectorCoord,
    region: &Region,
    visit: &mut impl Visit,
) {
    let size = field.grid().sector_size();
    let (cell, half) = (f64::from(field.grid().cell()), f64::from(size.half()));
    let last = field.cells() - 1;
    let shift = between(region.sector, coord, size);
    let index = |metres: f64| {
        let index = ((metres + half) / cell).floor();
        // The conversion saturates at 0.
        (index as u32).min(last)
    };
    let (low, high) = region.bounds();
    if high.z - shift.z < -half || low.z - shift.z > half {
        return;
    }
    let walls = field.has_holes();
    visit.source(&Source {
        id: SourceId::Terrain(coord),
        origin: shift,
        solid: true,
        moving: Moving::default(),
        reach: Aabb::EMPTY,
    });
    // What is met first comes first, so that the rest need not come.
    let rows = (index(low.z - shift.z), index(high.z - shift.z));
    for row in towards(rows, region.motion.z) {
        let north = f64::from(row) * cell - half + shift.z;
        let Some((west, east)) = region.x_between(north, north + cell, visit.reach()) else {
            continue;
        };
        if east - shift.x < -half || west - shift.x > half {
            continue;
        }
        let columns = (index(west - shift.x), index(east - shift.x));
        for column in towards(columns, region.motion.x) {
            if field.cell_kind(column as i32, row as i32) == CellKind::Solid {
                cell_facets(&field, column, row, low.y, walls, visit);
            }
        }
    }
}

/// Whether a triangle of a sector's ground in a region, without motion, may be steeper: its unit normal
/// has a `y` below `upright`. Quickly no where blocks of cells say that none is.
pub(crate) fn is_steeper(
    field: HeightfieldView<'_>,
    coord: SectorCoord,
    region: &Region,
    upright: f64,
) -> bool {
    if is_gentle(field, coord, region, upright) {
        return false;
    }
    let mut steeper = Steeper { upright, found: false };
    walk(field, coord, region, &mut steeper);
    steeper.found
}

/// Whether blocks of cells say that nothing in a region is steeper. Holes have upright rims.
fn is_gentle(
    field: HeightfieldView<'_>,
    coord: SectorCoord,
    region: &Region,
    upright: f64,
) -> bool {
    if field.has_holes() || upright <= 0.0 {
        return false;
    }
    let (cell, half) =
        (f64::from(field.grid().cell()), f64::from(field.grid().sector_size().half()));
    let shift = between(region.sector, coord, field.grid().sector_size());
    // The conversion saturates at 0.
    let last = field.cells() - 1;
    let block = |metres: f64| (((metres + half) / cell) as u32).min(last) / BLOCK_CELLS;
    let (low, high) = (region.min - shift, region.max - shift);
    // Steeper than this by more than rounding: its normal leans more.
    let tangent = (1.0 - upright * upright).sqrt() / upright * (1.0 - 1e-9);
    // A hair more on all sides, for what rounding does to the place.
    let (rows, columns) =
        (block(low.z - 1e-6)..=block(high.z + 1e-6), block(low.x - 1e-6)..=block(high.x + 1e-6));
    rows.into_iter().all(|row| {
        columns.clone().all(|column| {
            let byte = field.cell_steepness(column * BLOCK_CELLS, row * BLOCK_CELLS);
            byte < u8::MAX && f64::from(byte) / 32.0 < tangent
        })
    })
}

/// Looks for a triangle that is steeper.
struct Steeper {
    upright: f64,
    found: bool,
}

impl Visit for Steeper {
    fn source(&mut self, _: &Source) {}

    fn facet(&mut self, facet: &Facet) {
        let normal = unit_normal(facet.corners.map(Vec3::as_dvec3));
        self.found |= normal.is_none_or(|normal| normal.y < self.upright);
    }
}

/// Numbers from the first to the last, or back where the motion goes down.
fn towards((first, last): (u32, u32), motion: f64) -> impl Iterator<Item = u32> {
    (0..=last - first).map(move |step| if motion < 0.0 { last - step } else { first + step })
}

/// The two triangles of a cell of ground, and the walls below its edges that border on a hole.
fn cell_facets(
    field: &HeightfieldView<'_>,
    column: u32,
    row: u32,
    low: f64,
    walls: bool,
    visit: &mut impl Visit,
) {
    let [a, b, c, e] = field.corners(column, row);
    let highest = [b, c, e].into_iter().fold(a, |most, h| if h > most { h } else { most });
    if f64::from(highest) < low {
        return;
    }
    let (cell, half) = (field.grid().cell(), field.grid().sector_size().half());
    // Multiples of a power of two: exact.
    let (west, north) = (column as f32 * cell - half, row as f32 * cell - half);
    let a = Vec3::new(west, a, north);
    let b = Vec3::new(west + cell, b, north);
    let c = Vec3::new(west, c, north + cell);
    let e = Vec3::new(west + cell, e, north + cell);
    let first = (row * field.cells() + column) * 16;
    let surface = field.cell_surface(column, row);
    let mut put = |corners, number| {
        visit.facet(&Facet { corners, triangle: first + number, edges: EDGES_OPEN, surface });
    };
    put([a, e, b], 0);
    put([a, c, e], 1);
    if !walls {
        return;
    }
    let (column, row) = (column as i32, row as i32);
    let sides = [
        (a, c, column - 1, row),
        (b, a, column, row - 1),
        (e, b, column + 1, row),
        (c, e, column, row + 1),
    ];
    for (side, (from, to, column, row)) in (0_u32..).zip(sides) {
        if field.cell_kind(column, row) == CellKind::Hole {
            let down = |top: Vec3| Vec3::new(top.x, top.y - SKIRT_DEPTH, top.z);
            put([from, down(from), to], 2 + 2 * side);
            put([to, down(from), down(to)], 3 + 2 * side);
        }
    }
}
