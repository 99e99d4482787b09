//! The ground near a body: two triangles a cell, solid below without limit.

use marchland_reference::{least, most};
use marchland_terrain::glam::DVec3;
use marchland_terrain::{CellKind, HeightfieldView, SectorCoord, SectorState, TerrainView};

use super::cylinder::{Fill, Triangle, UprightCylinder, depth};
use super::verdict::{Culprit, Verdict};

/// Judges a cylinder against the ground; `base` is the centre of its lower end, metres from the centre
/// of `sector`.
pub(super) fn judge(
    view: TerrainView<'_>,
    sector: SectorCoord,
    base: DVec3,
    upper: UprightCylinder,
    verdict: &mut Verdict,
) {
    let margin = DVec3::new(upper.radius, 0.0, upper.radius);
    for (coord, centre) in sectors_between(view, sector, base - margin, base + margin) {
        let SectorState::Resident(resident) = view.sector(coord) else { continue };
        let field = resident.field();
        let (low, high) = (base - margin - centre, base + margin - centre);
        let (Some(columns), Some(rows)) =
            (cells_between(&field, low.x, high.x), cells_between(&field, low.z, high.z))
        else {
            continue;
        };
        for (column, row) in rows.flat_map(|row| columns.clone().map(move |column| (column, row))) {
            for triangle in triangles(&field, column, row).into_iter().flatten() {
                let corners = triangle.map(|corner| corner + centre - base);
                if corners.iter().any(|corner| corner.y > 0.0) {
                    let depth = depth(&corners, Fill::Column, upper, verdict.depth);
                    verdict.consider(depth, Culprit::Ground);
                }
            }
        }
    }
    // The least push of a small triangle does not show how far the body is below all of them.
    if let Some(height) = height(view, sector, base) {
        verdict.consider(height - base.y, Culprit::Ground);
    }
}

/// The height of the ground at a place, metres from the centre of `sector`. `None` over holes, outside the
/// world and where nothing is in memory.
pub(super) fn height(view: TerrainView<'_>, sector: SectorCoord, place: DVec3) -> Option<f64> {
    let SectorState::Resident(resident) = view.sector(sector) else { return None };
    let field = resident.field();
    let column = cells_between(&field, place.x, place.x)?.next()?;
    let row = cells_between(&field, place.z, place.z)?.next()?;
    let [north_east, south_west] = triangles(&field, column, row)?;
    let corner = north_east[0];
    let is_north_east = place.x - corner.x >= place.z - corner.z;
    let [a, b, c] = if is_north_east { north_east } else { south_west };
    let normal = (b - a).cross(c - a);
    Some(a.y - ((place.x - a.x) * normal.x + (place.z - a.z) * normal.z) / normal.y)
}

/// The triangles of a cell, metres from the centre of its sector: north-east of the diagonal from its
/// low corner to its high corner, and south-west of it. `None` where the cell is not ground.
fn triangles(field: &HeightfieldView<'_>, column: u32, row: u32) -> Option<[Triangle; 2]> {
    if field.cell_kind(column as i32, row as i32) != CellKind::Solid {
        return None;
    }
    let cell = f64::from(field.grid().cell());
    let half = f64::from(field.cells()) / 2.0;
    let [nw, ne, sw, se] = field.corners(column, row).map(f64::from);
    let corner = |right: u32, down: u32, height: f64| {
        let x = (f64::from(column + right) - half) * cell;
        DVec3::new(x, height, (f64::from(row + down) - half) * cell)
    };
    let (nw, ne) = (corner(0, 0, nw), corner(1, 0, ne));
    let (sw, se) = (corner(0, 1, sw), corner(1, 1, se));
    Some([[nw, ne, se], [nw, se, sw]])
}

/// The columns, or rows, of a sector's cells that an interval touches, metres from its centre.
fn cells_between(
    field: &HeightfieldView<'_>,
    low: f64,
    high: f64,
) -> Option<std::ops::RangeInclusive<u32>> {
    let last = f64::from(field.cells()) - 1.0;
    let cell_of = |metres: f64| {
        (metres / f64::from(field.grid().cell()) + f64::from(field.cells()) / 2.0).floor()
    };
    let (first, end) = (cell_of(low), cell_of(high));
    if !(first <= last && end >= 0.0) {
        return None;
    }
    Some(most(first, 0.0) as u32..=least(end, last) as u32)
}

/// The sectors that a box touches, given in metres from the centre of `sector`, and their centres.
pub(super) fn sectors_between(
    view: TerrainView<'_>,
    sector: SectorCoord,
    low: DVec3,
    high: DVec3,
) -> impl Iterator<Item = (SectorCoord, DVec3)> {
    let side = f64::from(view.grid().sector_size().metres());
    // Conversions saturate, and give 0 for NaN.
    let sectors = move |metres: f64| (metres / side + 0.5).floor() as i32;
    let (columns, rows) = (sectors(low.x)..=sectors(high.x), sectors(low.z)..=sectors(high.z));
    rows.flat_map(move |dz| columns.clone().map(move |dx| (dx, dz))).filter_map(move |(dx, dz)| {
        let centre = DVec3::new(f64::from(dx) * side, 0.0, f64::from(dz) * side);
        Some((sector.offset(dx, dz)?, centre))
    })
}
