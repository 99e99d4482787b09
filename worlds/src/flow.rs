//! Ways to a goal from everywhere: one field of directions for a whole group.
//!
//! The ground is divided into coarse cells with a cost each. A front spreads from the goal and takes
//! the cells in order of arrival, as in Dijkstra's search. A cell's arrival is computed from its two
//! straight neighbours together, so that fronts are round and tracks are not octagonal: Sethian's
//! fast marching (1996). Arrivals are integers and ties are resolved by index, so every machine finds
//! the same ways.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::{BLOCKED, CostGrid, OPEN};
use crate::grid::Grid;
use crate::recipe::noise::octaves;

/// Arrival of a cell that the front does not reach.
const NEVER: u64 = u64::MAX;

/// Greatest depth, in cells, of blocked ground in which cells still have a direction that leads out.
const WAY_OUT_CELLS: u32 = 3;

/// 1.5 · 2²³: adding it to a smaller number removes the fraction.
const ROUNDS: f32 = 12_582_912.0;

/// Directions to one goal.
#[derive(Clone, Debug)]
pub struct FlowField {
    cell: f64,
    /// Unit vectors, [x, z]; (0, 0) where there is no path.
    directions: Grid<[f32; 2]>,
    /// Units of arrival, 1/[`OPEN`] metre of level ground; [`NEVER`] where there is no path.
    arrivals: Grid<u64>,
    /// Whether a cell can be crossed and has an arrival.
    open: Grid<bool>,
}

impl FlowField {
    /// The field towards `goal`, metres from the corner. `braid` differs from group to group: it
    /// makes costs uneven by up to about a quarter, so that groups with one goal take different
    /// tracks. `None` if the goal is outside or on ground that cannot be crossed.
    pub fn towards(costs: &CostGrid, goal: [f64; 2], braid: u64) -> Option<Self> {
        let start = costs.index(goal[0], goal[1])?;
        if costs.costs.values[start] == BLOCKED {
            return None;
        }
        let braided = braided(&costs.costs, costs.cell, braid);
        let arrivals = spread(&braided, costs.cell, start);
        let open = arrivals.map(|arrival| arrival != NEVER);
        let mut field = Self { cell: costs.cell, directions: downhill(&arrivals), arrivals, open };
        field.show_ways_out();
        Some(field)
    }

    /// Unit vector of the way at a place, metres from the corner: blended between cells, but never
    /// with one that cannot be crossed. `None` outside and where there is no path.
    pub fn direction_at(&self, x: f32, z: f32) -> Option<[f32; 2]> {
        let (column, row) = self.cell_of(x, z)?;
        let own = self.directions.at(column, row);
        let size = self.cell as f32;
        // Cell centres around the place; at the border the missing ones are omitted.
        let (west, north) = (floor(x / size - 0.5), floor(z / size - 0.5));
        let (u, v) = (x / size - 0.5 - west, z / size - 0.5 - north);
        let mut sum = [0.0f32; 2];
        let corners = [
            (0.0, 0.0, (1.0 - u) * (1.0 - v)),
            (1.0, 0.0, u * (1.0 - v)),
            (0.0, 1.0, (1.0 - u) * v),
            (1.0, 1.0, u * v),
        ];
        for (east, south, weight) in corners {
            let Some((c, r)) = self.cell_at(west + east, north + south) else { continue };
            if self.open.at(c, r) {
                let direction = self.directions.at(c, r);
                sum[0] += direction[0] * weight;
                sum[1] += direction[1] * weight;
            }
        }
        let length = (sum[0] * sum[0] + sum[1] * sum[1]).sqrt();
        let blended = if self.open.at(column, row) && length > 0.1 {
            [sum[0] / length, sum[1] / length]
        } else {
            own
        };
        (blended != [0.0, 0.0]).then_some(blended)
    }

    /// Whether a way leads through a place: inside, crossable, and connected to the goal.
    pub fn is_open(&self, x: f32, z: f32) -> bool {
        self.cell_of(x, z).is_some_and(|(column, row)| self.open.at(column, row))
    }

    fn cell_of(&self, x: f32, z: f32) -> Option<(usize, usize)> {
        self.cell_at(floor(x / self.cell as f32), floor(z / self.cell as f32))
    }

    fn cell_at(&self, column: f32, row: f32) -> Option<(usize, usize)> {
        let inside = column >= 0.0
            && row >= 0.0
            && column < self.open.columns as f32
            && row < self.open.rows as f32;
        inside.then_some((column as usize, row as usize))
    }

    /// Points cells without a path, up to a few cells deep, at the neighbour with the shortest path, so that
    /// a unit that was pushed there returns.
    fn show_ways_out(&mut self) {
        for _ in 0..WAY_OUT_CELLS {
            let before = self.arrivals.clone();
            for i in 0..before.values.len() {
                if before.values[i] != NEVER {
                    continue;
                }
                let around = straight(&before, i % before.columns, i / before.columns);
                let known = around.into_iter().zip(STRAIGHT).filter_map(|(there, way)| {
                    let arrival = before.values[there?];
                    (arrival != NEVER).then_some((arrival, way))
                });
                if let Some((arrival, way)) = known.min_by_key(|(arrival, _)| *arrival) {
                    self.arrivals.values[i] = arrival + u64::from(OPEN) * 4 * self.cell as u64;
                    self.directions.values[i] = way;
                }
            }
        }
    }
}

/// The greatest whole number not above a coordinate in cells, which is far below 2²². `f32::floor` is a
/// function call on processors assumed to have only SSE2, and a million units look up their direction.
#[inline]
fn floor(value: f32) -> f32 {
    let nearest = (value + ROUNDS) - ROUNDS;
    if nearest > value { nearest - 1.0 } else { nearest }
}

/// Costs made uneven by noise about 90 m wide.
fn braided(costs: &Grid<u32>, cell: f64, braid: u64) -> Grid<u32> {
    Grid::from_fn(costs.columns, costs.rows, |column, row| {
        let cost = costs.at(column, row);
        if cost == BLOCKED {
            return BLOCKED;
        }
        let (x, z) = (column as f64 * cell / 90.0, row as f64 * cell / 90.0);
        let uneven = 1.0 + 0.35 * octaves(braid, x, z, 2, 0.5).abs();
        (f64::from(cost) * uneven) as u32
    })
}

/// Arrival of the front at every cell.
fn spread(costs: &Grid<u32>, cell: f64, start: usize) -> Grid<u64> {
    let mut arrivals = Grid::filled(costs.columns, costs.rows, NEVER);
    let mut done = vec![false; costs.values.len()];
    let mut queue = BinaryHeap::from([Reverse((0u64, start))]);
    arrivals.values[start] = 0;
    while let Some(Reverse((_, here))) = queue.pop() {
        if std::mem::replace(&mut done[here], true) {
            continue;
        }
        let (column, row) = (here % costs.columns, here / costs.columns);
        for there in straight(costs, column, row).into_iter().flatten() {
            if done[there] || costs.values[there] == BLOCKED {
                continue;
            }
            let across = u64::from(costs.values[there]) * cell as u64;
            let arrival = arrival(&arrivals, there, across);
            if arrival < arrivals.values[there] {
                arrivals.values[there] = arrival;
                queue.push(Reverse((arrival, there)));
            }
        }
    }
    arrivals
}

/// The time at which the front has crossed a cell after arriving at its straight neighbours: the upwind
/// solution of |∇T| = cost.
fn arrival(arrivals: &Grid<u64>, i: usize, across: u64) -> u64 {
    let [west, east, north, south] = straight(arrivals, i % arrivals.columns, i / arrivals.columns)
        .map(|there| there.map_or(NEVER, |there| arrivals.values[there]));
    let (a, b) = (west.min(east), north.min(south));
    let (first, second) = if a < b { (a, b) } else { (b, a) };
    if second - first >= across {
        return first + across;
    }
    let gap = second - first;
    (first + second + (2 * across * across - gap * gap).isqrt()) / 2
}

/// The direction in which arrivals fall, at every cell that has one.
fn downhill(arrivals: &Grid<u64>) -> Grid<[f32; 2]> {
    Grid::from_fn(arrivals.columns, arrivals.rows, |column, row| {
        let here = arrivals.at(column, row);
        if here == NEVER {
            return [0.0, 0.0];
        }
        let [west, east, north, south] = straight(arrivals, column, row)
            .map(|there| there.map_or(NEVER, |there| arrivals.values[there]));
        let (x, z) = (fall(here, west, east), fall(here, north, south));
        let length = (x * x + z * z).sqrt();
        if length > 0.0 { [(x / length) as f32, (z / length) as f32] } else { [0.0, 0.0] }
    })
}

/// The decrease of arrivals along one axis: towards the lower of the two neighbours.
fn fall(here: u64, low_side: u64, high_side: u64) -> f64 {
    if low_side < high_side {
        -(here.saturating_sub(low_side) as f64)
    } else {
        here.saturating_sub(high_side) as f64
    }
}

/// Unit vectors to the straight neighbours of a cell.
const STRAIGHT: [[f32; 2]; 4] = [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]];

/// Straight neighbours of a cell: west, east, north, south.
fn straight<T>(grid: &Grid<T>, column: usize, row: usize) -> [Option<usize>; 4] {
    let i = row * grid.columns + column;
    [
        (column > 0).then(|| i - 1),
        (column + 1 < grid.columns).then(|| i + 1),
        (row > 0).then(|| i - grid.columns),
        (row + 1 < grid.rows).then(|| i + grid.columns),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostRules;

    impl FlowField {
        /// Length of the way from a place, in metres of level open ground. `None` outside and where
        /// there is no path.
        pub(crate) fn distance_at(&self, x: f32, z: f32) -> Option<f32> {
            let (column, row) = self.cell_of(x, z)?;
            let arrival = self.arrivals.at(column, row);
            (arrival != NEVER).then(|| (arrival as f64 / f64::from(OPEN)) as f32)
        }
    }

    fn level(columns: usize, rows: usize) -> (Grid<f64>, Grid<u8>) {
        (Grid::filled(columns + 1, rows + 1, 5.0), Grid::filled(columns, rows, 0))
    }

    /// Follows the field from a place; the distance covered and whether it came within `near` of
    /// the goal.
    fn walk(field: &FlowField, from: [f32; 2], goal: [f32; 2], near: f32) -> (f32, bool) {
        let [mut x, mut z] = from;
        for moves in 0..4000 {
            let (dx, dz) = (goal[0] - x, goal[1] - z);
            if dx * dx + dz * dz < near * near {
                return (moves as f32, true);
            }
            let Some([east, south]) = field.direction_at(x, z) else {
                return (moves as f32, false);
            };
            (x, z) = (x + east, z + south);
        }
        (4000.0, false)
    }

    #[test]
    fn on_open_ground_tracks_are_nearly_straight_in_every_direction() {
        // Not square, so that a swapped column and row shows.
        let (heights, holes) = level(400, 360);
        let costs = CostGrid::from_ground(&heights, &holes, 2.0, CostRules::default());
        let goal = [402.0f32, 350.0];
        let field = FlowField::towards(&costs, [402.0, 350.0], 3).unwrap();
        for i in 0..16 {
            let angle = f64::from(i) * std::f64::consts::FRAC_PI_8 + 0.1;
            let from =
                [402.0 + 300.0 * libm::cos(angle) as f32, 350.0 + 300.0 * libm::sin(angle) as f32];
            let (length, reached) = walk(&field, from, goal, 10.0);
            assert!(reached && length < 315.0, "direction {i}: {length} m, {reached}");
        }
    }

    #[test]
    fn a_wall_is_passed_through_its_gap_and_a_closed_one_is_not_passed() {
        let (mut heights, holes) = level(120, 100);
        let wall = |heights: &mut Grid<f64>, gap: bool| {
            for row in 0..=100 {
                let open = gap && (70..90).contains(&row);
                heights.values[row * 121 + 60] = if open { 5.0 } else { 40.0 };
            }
        };
        wall(&mut heights, true);
        let costs = CostGrid::from_ground(&heights, &holes, 2.0, CostRules::default());
        let field = FlowField::towards(&costs, [220.0, 30.0], 0).unwrap();
        let (length, reached) = walk(&field, [20.0, 30.0], [220.0, 30.0], 10.0);
        assert!(reached && length > 250.0, "{length}");
        assert!(!costs.is_open(121.0, 30.0) && costs.is_open(121.0, 158.0));
        // Beside the wall, a unit that was pushed in is led out.
        assert!(field.direction_at(121.0, 30.0).is_some() && !field.is_open(121.0, 30.0));

        wall(&mut heights, false);
        let costs = CostGrid::from_ground(&heights, &holes, 2.0, CostRules::default());
        let field = FlowField::towards(&costs, [220.0, 30.0], 0).unwrap();
        assert_eq!(field.direction_at(20.0, 30.0), None);
        assert_eq!(field.distance_at(20.0, 30.0), None);
    }

    #[test]
    fn outside_and_on_blocked_goals_there_is_no_way() {
        let (heights, mut holes) = level(50, 40);
        holes.values[20 * 50 + 20] = 1;
        let costs = CostGrid::from_ground(&heights, &holes, 2.0, CostRules::default());
        assert!(FlowField::towards(&costs, [41.0, 41.0], 0).is_none());
        assert!(FlowField::towards(&costs, [-1.0, 10.0], 0).is_none());
        let field = FlowField::towards(&costs, [80.0, 20.0], 0).unwrap();
        assert_eq!(field.direction_at(-0.5, 10.0), None);
        assert_eq!(field.direction_at(f32::NAN, 10.0), None);
        assert!(field.distance_at(10.0, 60.0).unwrap() > field.distance_at(60.0, 30.0).unwrap());
    }
}
