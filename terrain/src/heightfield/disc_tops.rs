//! How high the triangles of the ground reach within a disc.
//!
//! A linear height over the part of a triangle in a disc is greatest at the point of the disc farthest uphill, if that is
//! in the triangle, otherwise on one of its edges. Most triangles are lower than some point of the disc at every corner, or
//! by their slope even at the rim.

use super::HeightfieldView;
use super::height_rule::{CellPlace, height_in_cell};
use crate::math::{greater, lesser};

/// Greatest radius of a disc, in cells.
const DISC_CELLS_MAX: f64 = 2.0;

/// Most triangles that are told.
const TOPS_MAX: usize = 8;

/// A triangle of the ground, and how high it reaches within a disc.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiscTop {
    /// Metres.
    pub height: f64,
    /// Rise over run along X and along Z.
    pub gradient: [f32; 2],
}

/// The triangles of the ground that reach highest within a disc, by rows and columns.
#[derive(Clone, Copy, Debug)]
pub struct DiscTops {
    list: [DiscTop; TOPS_MAX],
    len: usize,
    highest: f64,
    is_cut: bool,
}

impl DiscTops {
    /// The triangles, if they are not [cut](Self::is_cut).
    #[must_use]
    pub fn as_slice(&self) -> &[DiscTop] {
        &self.list[..self.len]
    }

    /// The height of the highest. Metres.
    #[must_use]
    pub fn highest(&self) -> f64 {
        self.highest
    }

    /// Whether there are more of them than eight.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Leaves those that reach at least so high.
    fn keep_from(&mut self, least: f64) {
        let mut kept = 0;
        for at in 0..self.len {
            if self.list[at].height >= least {
                self.list[kept] = self.list[at];
                kept += 1;
            }
        }
        self.len = kept;
    }
}

impl HeightfieldView<'_> {
    /// The triangles of the ground that reach highest within a disc around a point, down to `within` metres below the
    /// highest. Cells count as ground whatever their kind. `None` where the disc reaches beyond the sector's square, or is
    /// wider than two cells.
    #[doc(hidden)]
    #[must_use]
    pub fn tops_over_disc(&self, [x, z]: [f32; 2], radius: f64, within: f64) -> Option<DiscTops> {
        let (cell, half) = (f64::from(self.grid.cell()), f64::from(self.grid.sector_size().half()));
        let centre = [x, z].map(f64::from);
        let is_inside = centre.iter().all(|along| along.abs() + radius <= half);
        if !is_inside || radius > DISC_CELLS_MAX * cell {
            return None;
        }
        let [low, high] = [-radius, radius].map(|by| centre.map(|along| (along + by) as f32));
        let (first, last) = (self.place(low[0], low[1]), self.place(high[0], high[1]));
        let (list, highest) = ([DiscTop::default(); TOPS_MAX], self.uphill([x, z], radius));
        let mut search = TopSearch {
            radius,
            within,
            cell,
            per_metre: f64::from(self.cells_per_metre),
            tops: DiscTops { list, len: 0, highest, is_cut: false },
        };
        let corners = self.cell_corners();
        for row in first.row..=last.row {
            for column in first.column..=last.column {
                let west = f64::from(column) * cell - half - centre[0];
                let north = f64::from(row) * cell - half - centre[1];
                search.cell([west, north], corners.at(column, row));
            }
        }
        let least = search.tops.highest - within;
        search.tops.keep_from(least);
        Some(search.tops)
    }

    /// The height of some point of a disc, far up the slope under its centre: slightly less than it is.
    fn uphill(&self, [x, z]: [f32; 2], radius: f64) -> f64 {
        let [rise_x, rise_z] = self.gradient_at(self.place(x, z));
        let level = (rise_x * rise_x + rise_z * rise_z).sqrt();
        let far = if level > 0.0 { 0.999 * radius as f32 / level } else { 0.0 };
        let CellPlace { column, row, u, v } = self.place(x + rise_x * far, z + rise_z * far);
        let height = height_in_cell(self.corners(column, row), u, v);
        f64::from(height) - 1e-6 * (1.0 + f64::from(height.abs()))
    }
}

/// Finds the triangles that reach highest within a disc around the origin.
struct TopSearch {
    radius: f64,
    within: f64,
    /// The side of a cell, and its inverse. Metres.
    cell: f64,
    per_metre: f64,
    tops: DiscTops,
}

impl TopSearch {
    /// The two triangles of a cell, whose corner with the least X and Z is at `low`.
    fn cell(&mut self, low: [f64; 2], corners: [f32; 4]) {
        let [nw, ne, sw, se] = corners.map(f64::from);
        let least = self.tops.highest - self.within;
        if [nw, ne, sw, se].iter().all(|corner| *corner < least) {
            return;
        }
        let [west, north] = low;
        let (east, south) = (west + self.cell, north + self.cell);
        let (first, last) = ([west, north, nw], [east, south, se]);
        self.triangle([first, [east, north, ne], last], [ne - nw, se - ne], |u, v| u >= v);
        self.triangle([first, [west, south, sw], last], [se - sw, sw - nw], |u, v| u <= v);
    }

    /// One of them: its corners, what it rises along X and Z in a cell, and on which side of the diagonal it is.
    fn triangle(
        &mut self,
        corners: [[f64; 3]; 3],
        rises: [f64; 2],
        is_beside: impl Fn(f64, f64) -> bool,
    ) {
        let tops = &mut self.tops;
        let least = tops.highest - self.within;
        let [rise_x, rise_z] = rises.map(|rise| rise * self.per_metre);
        let level = (rise_x * rise_x + rise_z * rise_z).sqrt();
        let [west, north, nw] = corners[0];
        let rim = nw - rise_x * west - rise_z * north + self.radius * level;
        if rim < least || corners.iter().all(|corner| corner[2] < least) {
            return;
        }
        let out = if level > 0.0 { self.radius / level } else { 0.0 };
        let (u, v) = (rise_x * out - west, rise_z * out - north);
        let is_in_cell = 0.0 <= u && u <= self.cell && 0.0 <= v && v <= self.cell;
        let height = if is_in_cell && is_beside(u, v) {
            rim
        } else {
            let [a, b, c] = corners;
            let edges = [(a, b), (b, c), (c, a)].map(|(a, b)| edge_top(a, b, self.radius));
            greater(edges[2], greater(edges[1], edges[0]))
        };
        if height < least {
            return;
        }
        tops.highest = greater(height, tops.highest);
        if tops.len == TOPS_MAX {
            tops.keep_from(tops.highest - self.within);
        }
        let gradient = [rise_x as f32, rise_z as f32];
        match tops.list.get_mut(tops.len) {
            Some(place) => {
                *place = DiscTop { height, gradient };
                tops.len += 1;
            }
            None => tops.is_cut = true,
        }
    }
}

/// The greatest height of an edge within a disc around the origin; −∞ where it is beside it. Ends are X, Z and a height.
fn edge_top(from: [f64; 3], to: [f64; 3], radius: f64) -> f64 {
    let (dx, dz) = (to[0] - from[0], to[1] - from[1]);
    let square = dx * dx + dz * dz;
    let along = from[0] * dx + from[1] * dz;
    let off = from[0] * from[0] + from[1] * from[1] - radius * radius;
    let within = along * along - square * off;
    if within < 0.0 {
        return f64::NEG_INFINITY;
    }
    let root = within.sqrt();
    let first = greater((-along - root) / square, 0.0);
    let last = lesser((root - along) / square, 1.0);
    if first > last {
        return f64::NEG_INFINITY;
    }
    let rise = to[2] - from[2];
    from[2] + rise * if rise > 0.0 { last } else { first }
}
