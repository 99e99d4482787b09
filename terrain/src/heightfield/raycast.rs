//! The first triangle of one sector that a ray hits.
//!
//! Over a triangle the height of a ray above the ground is linear in the distance. The walk therefore goes
//! from grid line to grid line and over the diagonals between them (after J. Amanatides and A. Woo, "A Fast
//! Voxel Traversal Algorithm for Ray Tracing", 1987), evaluates that height once at each crossing, and finds
//! a hit where its sign changes. Both triangles at a crossing use the same value: a ray cannot slip between
//! them.
//!
//! ```text
//!      t0    t1  t2   t3        height above the ground at the crossings: + + + −
//!   ───●─────●───●────●──▶      the hit lies between t2 and t3
//!      │  ╲  ●   │ ╲  │
//! ```
//!
//! Blocks that cannot be hit are skipped with the pyramid of least and greatest heights, which is descended
//! where the ray is within a block's range and ascended where it is not (A. Tevs, I. Ihrke and H.-P. Seidel,
//! "Maximum Mipmaps for Fast, Accurate, and Scalable Dynamic Height Field Rendering", 2008). Leaps inside a
//! block, as far as its steepness allows, were tried, but gained nothing over walking its few cells.

use super::ray::{Axis, Entry, Ray};
use super::{CellKind, HeightfieldView, height_in_cell};
use crate::limits::BLOCK_CELLS;
use crate::math::{greater, lesser};

/// The clearance at which a ray skips a block. Quanta. The sign at grid lines decides, in `f64`, where the
/// rounding error is below a millionth of a quantum. At the ray's beginning the `f32` rule decides, whose
/// error is up to one quantum at the greatest heights. With a larger value the ray would only walk more
/// cells.
const CLEARANCE: f64 = 2.0;

/// Where a ray hits a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strike {
    /// Metres along the ray.
    pub(crate) t: f64,
    pub(crate) column: u32,
    pub(crate) row: u32,
    /// Whether it is the triangle a, b, e of the cell; otherwise it is a, e, c.
    pub(crate) north_east: bool,
    /// Whether the ray was below the ground before; `None` if it was neither above nor below.
    pub(crate) from_below: Option<bool>,
}

/// The first strike in a sector whose low corner lies at `corner`, in cells from the centre of the
/// sector where the ray begins. `entry` is where the ray enters the sector.
pub(crate) fn strike(
    field: &HeightfieldView<'_>,
    ray: &Ray,
    corner: [f64; 2],
    entry: Entry,
) -> Option<Strike> {
    let walk = Walk {
        field,
        ray,
        x0: corner[0],
        z0: corner[1],
        cells: field.cells() as i32,
        all_solid: field.is_whole(),
    };
    walk.run(entry)
}

/// The constant part of a walk.
struct Walk<'a> {
    field: &'a HeightfieldView<'a>,
    ray: &'a Ray,
    x0: f64,
    z0: f64,
    cells: i32,
    all_solid: bool,
}

/// The state of a walk that is about to cross a cell.
#[derive(Clone, Copy, Debug)]
struct Stand {
    t: f64,
    column: i32,
    row: i32,
    /// Place in the cell.
    u: f64,
    v: f64,
    /// Height of the ray above the ground, if the last cell was ground. Quanta.
    above: Option<f64>,
}

/// A block of cells, half-open.
#[derive(Clone, Copy, Debug)]
struct Block {
    column0: i32,
    row0: i32,
    column1: i32,
    row1: i32,
}

impl Walk<'_> {
    fn run(&self, entry: Entry) -> Option<Strike> {
        let pyramid = self.field.pyramid();
        let top = pyramid.levels() - 1;
        let mut level = top;
        let mut stand = self.enter(entry);
        loop {
            let shift = BLOCK_CELLS.ilog2() + level;
            let (block_column, block_row) = (stand.column >> shift, stand.row >> shift);
            let block = self.block(block_column, block_row, shift);
            let exit = self.exit(block);
            let range = pyramid.range(level, block_column as u32, block_row as u32);
            let (y0, y1) = (self.ray.height(stand.t), self.ray.height(exit.t));
            let (low, high) = if y0 < y1 { (y0, y1) } else { (y1, y0) };
            let within_range = range.is_some_and(|range| {
                low <= f64::from(range.max) + CLEARANCE && high >= f64::from(range.min) - CLEARANCE
            });
            if within_range && level > 0 {
                level -= 1;
                continue;
            }
            if within_range {
                if let Some(strike) = self.cross_block(&mut stand, block) {
                    return Some(strike);
                }
            } else {
                stand = self.leave(stand, block, exit);
            }
            let inside = |index: i32| 0 <= index && index < self.cells;
            if stand.t > self.ray.t_max || !inside(stand.column) || !inside(stand.row) {
                return None;
            }
            // No hit here, and perhaps none in the new block of the level above. A ray that was within range
            // usually stays within range.
            let above = shift + 1;
            let same =
                stand.column >> above == block_column >> 1 && stand.row >> above == block_row >> 1;
            if !within_range && !same && level < top {
                level += 1;
            }
        }
    }

    /// Walks the cells of a block of level 0, until a strike or out of the block.
    fn cross_block(&self, stand: &mut Stand, block: Block) -> Option<Strike> {
        loop {
            if let Some(strike) = self.cross_cell(stand) {
                return Some(strike);
            }
            let inside = block.column0 <= stand.column
                && stand.column < block.column1
                && block.row0 <= stand.row
                && stand.row < block.row1;
            if !inside || stand.t > self.ray.t_max {
                return None;
            }
        }
    }

    /// Crosses one cell: returns a strike, or moves the stand into the next cell.
    #[inline]
    fn cross_cell(&self, stand: &mut Stand) -> Option<Strike> {
        let Stand { t: t0, column, row, u: u0, v: v0, .. } = *stand;
        let (x, z) = (self.ray.x, self.ray.z);
        let line_x = column + i32::from(x.forward());
        let line_z = row + i32::from(z.forward());
        let exit = self.reaches(line_x, line_z);
        let t1 = exit.t;
        let (far_u, far_v) = (f64::from(x.forward()), f64::from(z.forward()));
        let u1 = if exit.on_x { far_u } else { part(x.at(t1) - (f64::from(column) + self.x0)) };
        let v1 = if exit.on_z { far_v } else { part(z.at(t1) - (f64::from(row) + self.z0)) };

        let mut above = None;
        if self.all_solid || self.field.cell_kind(column, row) == CellKind::Solid {
            let above0 = self.above(stand);
            let ground1 = if exit.on_x {
                let (low, high) = (self.quanta(line_x, row), self.quanta(line_x, row + 1));
                low + (high - low) * v1
            } else {
                let (low, high) = (self.quanta(column, line_z), self.quanta(column + 1, line_z));
                low + (high - low) * u1
            };
            let above1 = self.ray.height(t1) - ground1;
            above = Some(above1);
            let found = |(t, from_below), north_east| {
                let (column, row) = (column as u32, row as u32);
                Some(Strike { t, column, row, north_east, from_below })
            };
            // The side of the diagonal: positive on the north-east side.
            let (side0, side1) = (u0 - v0, u1 - v1);
            if (side0 < 0.0 && side1 > 0.0) || (side0 > 0.0 && side1 < 0.0) {
                let share = side0 / (side0 - side1);
                let t = t0 + (t1 - t0) * share;
                let (a, e) = (self.quanta(column, row), self.quanta(column + 1, row + 1));
                let between = self.ray.height(t) - (a + (e - a) * (u0 + (u1 - u0) * share));
                if let Some(hit) = sign_change((t0, above0), (t, between)) {
                    return found(hit, side0 > 0.0);
                }
                if let Some(hit) = sign_change((t, between), (t1, above1)) {
                    return found(hit, side1 > 0.0);
                }
            } else if let Some(hit) = sign_change((t0, above0), (t1, above1)) {
                return found(hit, side0 + side1 >= 0.0);
            }
        }

        let onward = |forward: bool| if forward { 1 } else { -1 };
        *stand = Stand {
            t: t1,
            column: column + if exit.on_x { onward(x.forward()) } else { 0 },
            row: row + if exit.on_z { onward(z.forward()) } else { 0 },
            u: if exit.on_x { 1.0 - far_u } else { u1 },
            v: if exit.on_z { 1.0 - far_v } else { v1 },
            above,
        };
        None
    }

    /// The height of the ray above the ground at the walk's stand, by the height rule. On a grid line the
    /// result has the same bits as from the previous cell.
    #[inline]
    fn above(&self, stand: &Stand) -> f64 {
        if let Some(above) = stand.above {
            return above;
        }
        self.ray.height(stand.t) - height_in_cell(self.corners(stand), stand.u, stand.v)
    }

    /// The stand where the walk begins. If the ray also begins there, the `f32` rule decides whether it
    /// begins above, on or below the ground: the same answer as from a height query there.
    fn enter(&self, entry: Entry) -> Stand {
        let (x, z) = (self.ray.x, self.ray.z);
        let cells = i64::from(self.cells);
        let column = x.locate(self.x0, 1.0, entry.t, 0, cells) as i32;
        let row = z.locate(self.z0, 1.0, entry.t, 0, cells) as i32;
        let mut stand = self.stand(entry, column, row);
        if entry == Entry::BEGIN && self.field.cell_kind(column, row) == CellKind::Solid {
            let corners = self.corners(&stand).map(|quanta| quanta as f32);
            let sampled =
                self.ray.y - f64::from(height_in_cell(corners, stand.u as f32, stand.v as f32));
            let exact = self.above(&stand);
            let agree = sampled != 0.0 && (sampled > 0.0) == (exact > 0.0) && exact != 0.0;
            stand.above = Some(if agree { exact } else { sampled });
        }
        stand
    }

    fn stand(&self, entry: Entry, column: i32, row: i32) -> Stand {
        let place = |axis: Axis, on_line: bool, corner: f64, index: i32| {
            if on_line {
                f64::from(!axis.forward())
            } else {
                part(axis.at(entry.t) - (f64::from(index) + corner))
            }
        };
        let u = place(self.ray.x, entry.on_x, self.x0, column);
        let v = place(self.ray.z, entry.on_z, self.z0, row);
        Stand { t: entry.t, column, row, u, v, above: None }
    }

    #[inline]
    fn block(&self, column: i32, row: i32, shift: u32) -> Block {
        let width = 1 << shift;
        let width = lesser(width, self.cells);
        let (column0, row0) = (column * width, row * width);
        Block { column0, row0, column1: column0 + width, row1: row0 + width }
    }

    #[inline]
    fn exit(&self, block: Block) -> Entry {
        let (x, z) = (self.ray.x, self.ray.z);
        let line_x = if x.forward() { block.column1 } else { block.column0 };
        let line_z = if z.forward() { block.row1 } else { block.row0 };
        self.reaches(line_x, line_z)
    }

    /// Where the ray reaches the first of two grid lines.
    #[inline]
    fn reaches(&self, line_x: i32, line_z: i32) -> Entry {
        Entry::earlier(
            self.ray.x.distance_to(f64::from(line_x) + self.x0),
            self.ray.z.distance_to(f64::from(line_z) + self.z0),
        )
    }

    /// The stand after a block.
    #[inline]
    fn leave(&self, stand: Stand, block: Block, exit: Entry) -> Stand {
        let index = |axis: Axis, on_line: bool, corner: f64, low: i32, high: i32, here: i32| match (
            on_line,
            axis.forward(),
        ) {
            (true, true) => high,
            (true, false) => low - 1,
            _ if !axis.moves() => here,
            _ => axis.locate(corner, 1.0, exit.t, i64::from(low), i64::from(high)) as i32,
        };
        let Block { column0, row0, column1, row1 } = block;
        let column = index(self.ray.x, exit.on_x, self.x0, column0, column1, stand.column);
        let row = index(self.ray.z, exit.on_z, self.z0, row0, row1, stand.row);
        self.stand(exit, column, row)
    }

    #[inline]
    fn corners(&self, stand: &Stand) -> [f64; 4] {
        let (column, row) = (stand.column, stand.row);
        [(0, 0), (1, 0), (0, 1), (1, 1)]
            .map(|(right, down)| self.quanta(column + right, row + down))
    }

    #[inline]
    fn quanta(&self, column: i32, row: i32) -> f64 {
        f64::from(self.field.quanta(column, row))
    }
}

/// Where the height above the ground becomes 0 between two crossings, and whether it was below 0
/// before.
#[inline]
fn sign_change((t0, above0): (f64, f64), (t1, above1): (f64, f64)) -> Option<(f64, Option<bool>)> {
    if above0 == 0.0 {
        return Some((t0, None));
    }
    let changes = if above0 > 0.0 { above1 <= 0.0 } else { above1 >= 0.0 };
    changes.then(|| (t0 + (t1 - t0) * (above0 / (above0 - above1)), Some(above0 < 0.0)))
}

/// A place in a cell, clamped to `[0, 1]` against rounding.
#[inline]
fn part(place: f64) -> f64 {
    let place = greater(place, 0.0);
    lesser(place, 1.0)
}
