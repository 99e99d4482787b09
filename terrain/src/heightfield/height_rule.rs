//! The height rule: the one definition of "the ground at (x, z)".
//!
//! The order of operations is part of the rule: it gives the same bits from both sides of every
//! grid line and border, because sums and differences of corners are exact.

use glam::Vec3;

use super::{CellKind, Ground, HeightfieldView, SurfaceId};
use crate::lanes::Real;
use crate::math::{greater, lesser};

/// A point's cell and its place inside: `u` along +X and `v` along +Z, in `[0, 1]` for points of the
/// sector's closed square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellPlace {
    /// The cell's column.
    pub column: u32,
    /// The cell's row.
    pub row: u32,
    /// Fraction of the way from the cell's low X to its high X.
    pub u: f32,
    /// Fraction of the way from the cell's low Z to its high Z.
    pub v: f32,
}

impl CellPlace {
    /// Whether the point lies in the triangle a, b, e (north-east of the diagonal), which owns the
    /// diagonal; otherwise it lies in a, e, c.
    #[must_use]
    pub fn is_north_east(self) -> bool {
        self.u >= self.v
    }
}

/// The height at `(u, v)` inside a cell with corners `[nw, ne, sw, se]`, of one point or of sixteen. Metres. Along
/// the edge that leads to the corner beside the point's triangle first, then on to `se`.
#[must_use]
#[inline(always)]
pub fn height_in_cell<R: Real>([nw, ne, sw, se]: [R; 4], u: R, v: R) -> R {
    let [beside, first, second] = R::by_greater(u, v, ne, sw);
    (nw + (beside - nw) * first) + (se - beside) * second
}

/// Points are those of the closed square of the sector: the high border belongs to the last cell here (`u`
/// or `v` is 1), so that both sides of a border can be queried. A point beyond the square, or one with a
/// coordinate that is not a number, is [`Ground::Outside`], and has no normal, slope or surface.
impl HeightfieldView<'_> {
    /// The cell that holds a point, and the place in it. A point beyond the sector's closed square gets the
    /// nearest cell, with `u` or `v` below 0 or above 1 by its distance outside, in cells: there the rule
    /// gives the plane of a triangle, which is not ground. A coordinate that is not a number gets the first
    /// column or row, and `u` or `v` is not a number either.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn place(&self, x: f32, z: f32) -> CellPlace {
        let (column, u) = self.place_on_axis(x);
        let (row, v) = self.place_on_axis(z);
        CellPlace { column, row, u, v }
    }

    /// A sector of one cell has its corners at ±½ cell: there `floor + half` is ∓½ and is clamped to 0, so
    /// one formula serves all sizes. Cells are powers of two, so scaling is exact and only the last
    /// subtraction may round: for a coordinate just below a grid line `u` becomes 1, where the rule gives the
    /// corner itself.
    #[inline]
    fn place_on_axis(&self, metres: f32) -> (u32, f32) {
        let in_cells = metres * self.cells_per_metre;
        let last = self.grid.cells() as f32 - 1.0;
        // What is not a number is in the first cell.
        let index = floor(greater(in_cells, -self.half_cells)) + self.half_cells;
        let index = greater(index, 0.0);
        let index = lesser(index, last);
        (index as u32, in_cells - (index - self.half_cells))
    }

    /// Whether a point lies in the closed square of the sector: false where a coordinate is not a
    /// number.
    #[inline]
    fn has(&self, x: f32, z: f32) -> bool {
        // The scaled coordinates are those of `place_on_axis`: exact, and computed once.
        let [x, z] = [x, z].map(|metres| (metres * self.cells_per_metre).abs());
        x <= self.half_cells && z <= self.half_cells
    }

    /// The ground at a point. Never [`Ground::NotResident`]: this sector is in memory.
    #[must_use]
    #[inline]
    pub fn ground(&self, x: f32, z: f32) -> Ground {
        if self.has(x, z) { self.ground_at(self.place(x, z)) } else { Ground::Outside }
    }

    /// The ground at a place, which must be that of a point of the closed square. Saves the check of
    /// [`ground`](Self::ground).
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn ground_at(&self, place: CellPlace) -> Ground {
        match self.cell_kind(place.column as i32, place.row as i32) {
            CellKind::Solid => Ground::Height(self.height_at(place)),
            CellKind::Hole => Ground::Hole,
            CellKind::Outside => Ground::Outside,
        }
    }

    /// The height rule at a place, whatever the kind of its cell. Metres.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn height_at(&self, place: CellPlace) -> f32 {
        height_in_cell(self.corners(place.column, place.row), place.u, place.v)
    }

    /// The height rule at a place, and rise over run along X and along Z of the triangle there, whatever the kind of
    /// its cell.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn height_and_gradient_at(&self, place: CellPlace) -> (f32, [f32; 2]) {
        let corners = self.corners(place.column, place.row);
        (height_in_cell(corners, place.u, place.v), self.gradient_of(corners, place))
    }

    /// Rise over run along X and along Z of the triangle at a place.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn gradient_at(&self, place: CellPlace) -> [f32; 2] {
        self.gradient_of(self.corners(place.column, place.row), place)
    }

    #[inline]
    fn gradient_of(&self, [nw, ne, sw, se]: [f32; 4], place: CellPlace) -> [f32; 2] {
        let (rise_x, rise_z) =
            if place.is_north_east() { (ne - nw, se - ne) } else { (se - sw, sw - nw) };
        [rise_x * self.cells_per_metre, rise_z * self.cells_per_metre]
    }

    /// The unit normal of the triangle at a point, pointing up; `None` where there is no ground.
    #[must_use]
    pub fn face_normal(&self, x: f32, z: f32) -> Option<Vec3> {
        Some(self.face_normal_at(self.solid_place(x, z)?))
    }

    /// The unit normal of the triangle at a place, pointing up, whatever the kind of its cell.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn face_normal_at(&self, place: CellPlace) -> Vec3 {
        normal_of_gradient(self.gradient_at(place))
    }

    /// The slope of the triangle at a point, rise over run; `None` where there is no ground.
    #[must_use]
    pub fn slope(&self, x: f32, z: f32) -> Option<f32> {
        let [gx, gz] = self.gradient_at(self.solid_place(x, z)?);
        Some((gx * gx + gz * gz).sqrt())
    }

    /// The surface at a point; `None` where there is no ground.
    #[must_use]
    pub fn surface(&self, x: f32, z: f32) -> Option<SurfaceId> {
        let place = self.solid_place(x, z)?;
        Some(self.cell_surface(place.column, place.row))
    }

    /// Whether a point lies in a hole.
    #[must_use]
    pub fn is_hole(&self, x: f32, z: f32) -> bool {
        matches!(self.ground(x, z), Ground::Hole)
    }

    /// A unit normal that changes smoothly: gradients at samples, from the samples around them,
    /// blended over the triangle as heights are. Across an edge without ground on either side a
    /// gradient is one-sided. `None` where there is no ground.
    #[must_use]
    pub fn smooth_normal(&self, x: f32, z: f32) -> Option<Vec3> {
        let place = self.solid_place(x, z)?;
        let (column, row) = (place.column as i32, place.row as i32);
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)]
            .map(|(right, down)| self.rise_around(column + right, row + down));
        let blend = |axis: usize| {
            height_in_cell(corners.map(|rises| rises[axis]), place.u, place.v)
                * (0.5 * self.cells_per_metre)
        };
        Some(normal_of_gradient([blend(0), blend(1)]))
    }

    /// Rise over two cells along X and Z at a sample: between its neighbours if both count, otherwise twice
    /// the rise to the one that counts.
    fn rise_around(&self, column: i32, row: i32) -> [f32; 2] {
        // An edge counts if there is ground on at least one side of it.
        let solid = |dc: i32, dr: i32| self.cell_kind(column + dc, row + dr) == CellKind::Solid;
        let here = self.sample(column, row);
        let rise = |low: (bool, i32, i32), high: (bool, i32, i32)| {
            let to = |(counts, dc, dr): (bool, i32, i32)| {
                counts.then(|| self.sample(column + dc, row + dr))
            };
            match (to(low), to(high)) {
                (Some(low), Some(high)) => high - low,
                (Some(low), None) => 2.0 * (here - low),
                (None, Some(high)) => 2.0 * (high - here),
                (None, None) => 0.0,
            }
        };
        let (nw, ne, sw, se) = (solid(-1, -1), solid(0, -1), solid(-1, 0), solid(0, 0));
        [rise((nw || sw, -1, 0), (ne || se, 1, 0)), rise((nw || ne, 0, -1), (sw || se, 0, 1))]
    }

    fn solid_place(&self, x: f32, z: f32) -> Option<CellPlace> {
        if !self.has(x, z) {
            return None;
        }
        let place = self.place(x, z);
        let kind = self.cell_kind(place.column as i32, place.row as i32);
        (kind == CellKind::Solid).then_some(place)
    }
}

/// The unit normal of a surface that rises by `[gx, gz]` metres per metre along X and Z.
#[must_use]
#[inline]
pub fn normal_of_gradient([gx, gz]: [f32; 2]) -> Vec3 {
    let length = (gx * gx + 1.0 + gz * gz).sqrt();
    // Subtracted from zero rather than negated, so that the normal of level ground has no −0.
    Vec3::new((0.0 - gx) / length, 1.0 / length, (0.0 - gz) / length)
}

/// [`f32::floor`], without a call where the compiler may not assume SSE4.1. Of a value beyond ±2³¹ it is that bound.
#[inline]
fn floor(value: f32) -> f32 {
    let toward_zero = value as i32 as f32;
    if toward_zero > value { toward_zero - 1.0 } else { toward_zero }
}
