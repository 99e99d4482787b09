//! Water and frost: how a mountain range gets its valleys, ridges and scree.
//!
//! Rivers cut by the stream power law, dh/dt = uplift − K √area · slope, solved implicitly from the
//! outlets upwards: Braun and Willett, "A very efficient O(n), implicit and parallel method to solve
//! the stream power equation" (2013). Water finds its way out of pits by flooding them in order of
//! height: Barnes, Lehman and Mulla, "Priority-Flood" (2014). Slopes above the angle of repose then
//! slide (Musgrave, Kolb and Mace, 1989).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use marchland_terrain::math::{greater, lesser};

use super::noise::fraction;
use crate::grid::Grid;

/// The eight neighbours, straight ones first: [columns east, rows south].
const NEIGHBOURS: [[isize; 2]; 8] =
    [[-1, 0], [0, -1], [1, 0], [0, 1], [-1, -1], [1, -1], [1, 1], [-1, 1]];

/// Metres between diagonal neighbours one metre apart.
const DIAGONAL: f64 = std::f64::consts::SQRT_2;

/// Rise of a flooded pit from cell to cell, metres: enough to give every cell a way down, too little to be
/// seen.
const FLOOD_RISE: f64 = 1e-4;

/// The parameters of erosion.
#[derive(Clone, Copy)]
pub(crate) struct Weather {
    /// Metres between samples.
    pub(crate) spacing: f64,
    /// Cut per round for each metre of √area and unit of slope.
    pub(crate) cut: f64,
    /// Spreading of soil per round, m²: rounds off crests, and keeps gullies apart by about the root
    /// of creep over cut.
    pub(crate) creep: f64,
    /// Steepest slope that loose rock keeps, rise over run.
    pub(crate) repose: f64,
    /// Rounds of uplift, cutting and sliding.
    pub(crate) rounds: u32,
}

/// Raises the ground by `uplift` metres a round while rivers cut it and its slopes slide. Samples
/// without uplift, and the border of the grid, are the plain that the rivers run out to; they stay.
pub(crate) fn wear(ground: &mut Grid<f64>, uplift: &Grid<f64>, weather: Weather) {
    for _ in 0..weather.rounds {
        for (height, uplift) in ground.values.iter_mut().zip(&uplift.values) {
            *height += uplift;
        }
        let downhill = flood(ground, uplift);
        cut(ground, &downhill, weather);
        slide(ground, uplift, weather, 3);
    }
}

/// The drainage of every sample.
struct Drainage {
    /// Samples in the order in which the flood reached them: each after the one it drains to.
    order: Vec<u32>,
    /// The sample each drains to; itself for an outlet.
    receiver: Vec<u32>,
    /// Metres to it, in spacings.
    lengths: Vec<f64>,
}

/// Floods from the outlets inwards, lowest first, filling every pit to its brim.
fn flood(ground: &mut Grid<f64>, uplift: &Grid<f64>) -> Drainage {
    let count = ground.values.len();
    let mut wet = vec![false; count];
    let mut queue = BinaryHeap::new();
    let mut order = Vec::with_capacity(count);
    for row in 0..ground.rows {
        for column in 0..ground.columns {
            let i = row * ground.columns + column;
            if is_outlet(ground, uplift, column, row) {
                wet[i] = true;
                queue.push(Reverse((ground.values[i].to_bits(), i as u32)));
            }
        }
    }
    let mut receiver: Vec<u32> = (0..count as u32).collect();
    let mut lengths = vec![1.0; count];
    // Heights are never negative, so their bits sort in the same order.
    while let Some(Reverse((_, i))) = queue.pop() {
        order.push(i);
        let here = i as usize;
        let (column, row) = (here % ground.columns, here / ground.columns);
        let outlet = is_outlet(ground, uplift, column, row);
        let mut steepest = 0.0;
        for (k, [east, south]) in NEIGHBOURS.into_iter().enumerate() {
            let Some(there) = neighbour(ground, column, row, east, south) else { continue };
            if !wet[there] {
                wet[there] = true;
                let brim = ground.values[here] + FLOOD_RISE;
                ground.values[there] = greater(ground.values[there], brim);
                queue.push(Reverse((ground.values[there].to_bits(), there as u32)));
            } else if !outlet {
                let length = if k < 4 { 1.0 } else { DIAGONAL };
                let slope = (ground.values[here] - ground.values[there]) / length;
                // Some ground is softer; otherwise valleys would keep to the eight directions.
                let drawn = slope * (0.6 + 0.8 * fraction(k as u64, column as i64, row as i64));
                if drawn > steepest {
                    steepest = drawn;
                    receiver[here] = there as u32;
                    lengths[here] = length;
                }
            }
        }
    }
    Drainage { order, receiver, lengths }
}

fn is_outlet(ground: &Grid<f64>, uplift: &Grid<f64>, column: usize, row: usize) -> bool {
    column == 0
        || row == 0
        || column + 1 == ground.columns
        || row + 1 == ground.rows
        || uplift.values[row * ground.columns + column] <= 0.0
}

fn neighbour(
    ground: &Grid<f64>,
    column: usize,
    row: usize,
    east: isize,
    south: isize,
) -> Option<usize> {
    let column = column.checked_add_signed(east).filter(|c| *c < ground.columns)?;
    let row = row.checked_add_signed(south).filter(|r| *r < ground.rows)?;
    Some(row * ground.columns + column)
}

/// One round of cutting: gathers the area that drains through each sample, then lowers each towards
/// the one it drains to, outlets first.
fn cut(ground: &mut Grid<f64>, downhill: &Drainage, weather: Weather) {
    let mut area = vec![weather.spacing * weather.spacing; ground.values.len()];
    for i in downhill.order.iter().rev() {
        let (here, there) = (*i as usize, downhill.receiver[*i as usize] as usize);
        if here != there {
            area[there] += area[here];
        }
    }
    for i in &downhill.order {
        let (here, there) = (*i as usize, downhill.receiver[*i as usize] as usize);
        if here != there {
            let pull = weather.cut * area[here].sqrt() / (downhill.lengths[here] * weather.spacing);
            ground.values[here] =
                (ground.values[here] + pull * ground.values[there]) / (1.0 + pull);
        }
    }
}

/// Lets soil creep and slopes above the angle of repose slide, `sweeps` times: each sample gives up
/// part of what is too much above its neighbours and takes what they give up.
fn slide(ground: &mut Grid<f64>, uplift: &Grid<f64>, weather: Weather, sweeps: u32) {
    let columns = ground.columns as isize;
    // Above a fifth of a cell per sweep the spreading would overshoot.
    let cell = weather.spacing * weather.spacing;
    let spread = lesser(weather.creep / (cell * f64::from(sweeps)), 0.2) / 3.0;
    for _ in 0..sweeps {
        let before = ground.values.clone();
        for row in 1..ground.rows - 1 {
            for column in 1..ground.columns - 1 {
                let here = row * ground.columns + column;
                if uplift.values[here] <= 0.0 {
                    continue;
                }
                let (mut change, mut around) = (0.0, 0.0);
                for (k, [east, south]) in NEIGHBOURS.into_iter().enumerate() {
                    let there = (here as isize + south * columns + east) as usize;
                    let length = if k < 4 { 1.0 } else { DIAGONAL };
                    let keep = weather.repose * weather.spacing * length;
                    let rise = before[here] - before[there];
                    change -= greater(rise - keep, 0.0) + lesser(rise + keep, 0.0);
                    around -= if k < 4 { 2.0 * rise } else { rise };
                }
                let height = before[here] + change * 0.11 + around * spread * 0.5;
                ground.values[here] = greater(height, 0.0);
            }
        }
    }
}

/// The same ground with samples twice as close, smooth between the old ones (Catmull and Rom).
pub(crate) fn refined(coarse: &Grid<f64>) -> Grid<f64> {
    let columns = coarse.columns * 2 - 1;
    let rows = coarse.rows * 2 - 1;
    // Beyond an end stands the last sample.
    let near = |i: usize, by: isize, count: usize| i.saturating_add_signed(by).min(count - 1);
    let tall = Grid::from_fn(coarse.columns, rows, |column, row| {
        let i = row / 2;
        let at = |by| coarse.at(column, near(i, by, coarse.rows));
        if row % 2 == 0 { at(0) } else { between(at(-1), at(0), at(1), at(2)) }
    });
    Grid::from_fn(columns, rows, |column, row| {
        let i = column / 2;
        let at = |by| tall.at(near(i, by, coarse.columns), row);
        if column % 2 == 0 { at(0) } else { between(at(-1), at(0), at(1), at(2)) }
    })
}

fn between(before: f64, from: f64, to: f64, after: f64) -> f64 {
    greater((9.0 * (from + to) - (before + after)) / 16.0, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weather() -> Weather {
        Weather { spacing: 4.0, cut: 0.05, creep: 2.0, repose: 0.8, rounds: 30 }
    }

    fn worn() -> (Grid<f64>, Grid<f64>) {
        let uplift = Grid::from_fn(41, 33, |column, row| {
            if column > 3 && column < 37 && row > 2 && row < 30 { 2.0 } else { 0.0 }
        });
        let mut ground = Grid::from_fn(41, 33, |column, row| {
            uplift.at(column, row) * fraction(1, column as i64, row as i64)
        });
        wear(&mut ground, &uplift, weather());
        (ground, uplift)
    }

    #[test]
    fn a_worn_range_stands_above_a_plain_that_did_not_move() {
        let (ground, uplift) = worn();
        for (height, uplift) in ground.values.iter().zip(&uplift.values) {
            if *uplift == 0.0 {
                assert_eq!(*height, 0.0);
            }
        }
        assert!(ground.at(20, 16) > 10.0, "{}", ground.at(20, 16));
    }

    #[test]
    fn water_leaves_every_place_of_a_flooded_range() {
        let (mut ground, uplift) = worn();
        let downhill = flood(&mut ground, &uplift);
        assert_eq!(downhill.order.len(), ground.values.len());
        for (here, there) in downhill.receiver.iter().enumerate() {
            let there = *there as usize;
            let (column, row) = (here % ground.columns, here / ground.columns);
            assert_eq!(here == there, is_outlet(&ground, &uplift, column, row), "{column} {row}");
            assert!(here == there || ground.values[there] < ground.values[here]);
        }
    }

    #[test]
    fn refining_keeps_the_samples_and_a_plane() {
        let coarse = Grid::from_fn(7, 5, |column, row| 3.0 * column as f64 + row as f64);
        let fine = refined(&coarse);
        assert_eq!((fine.columns, fine.rows), (13, 9));
        assert_eq!(fine.at(4, 6), coarse.at(2, 3));
        assert_eq!(fine.at(5, 4), 3.0 * 2.5 + 2.0);
    }
}
