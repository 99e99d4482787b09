//! The town: an S-shaped high street with lanes beside it, a square in its middle, and a wall around it.
//!
//! ```text
//!        ___gate___           along: metres along the high street, from the square
//!      ╱ ▯▯▯▯ ▯▯▯▯  ╲         across: metres from it, to the south
//!     │ ▯▯▯▯▯  ▯▯▯▯▯ │
//!   gate ── square ── gate
//!     │ ▯▯▯▯▯  ▯▯▯▯▯ │
//!      ╲___▯▯▯ ▯▯▯__╱
//! ```

use super::kinds::Kind;
use super::stage::{Stage, yaw_along};
use crate::recipe::noise::{fraction, gradient};

/// The middle of the town's square. Metres from the north-west corner.
pub const CENTRE: [f64; 2] = [744.0, 1192.0];
/// Half of the wall's extent, east and south.
const HALF: [f64; 2] = [84.0, 68.0];
/// Rows of houses: metres across, and the side that the fronts face.
const ROWS: [(f64, f64); 8] = [
    (-53.0, 1.0),
    (-38.5, -1.0),
    (-26.5, 1.0),
    (-11.5, 1.0),
    (11.5, -1.0),
    (26.5, -1.0),
    (38.5, 1.0),
    (53.0, -1.0),
];
/// Metres along a row from one house to the next.
const PLOT: f64 = 11.0;
const SEED: u64 = 1192;

/// Builds the town.
pub(super) fn build(stage: &mut Stage) {
    houses(stage);
    square(stage);
    wall(stage);
}

/// A place in the town, given along and across its bent streets, and the direction of the street there.
pub(crate) fn street(along: f64, across: f64) -> ([f64; 2], [f64; 2]) {
    let t = along / 90.0;
    let bend = 16.0 * (t - t * t * t);
    let slope = 16.0 * (1.0 - 3.0 * t * t) / 90.0;
    ([CENTRE[0] + along, CENTRE[1] + bend + across], [1.0, slope])
}

/// How far out a place is, as a fraction of the distance to the wall.
fn outness([x, z]: [f64; 2]) -> f64 {
    let (east, south) = ((x - CENTRE[0]) / HALF[0], (z - CENTRE[1]) / HALF[1]);
    (east * east + south * south).sqrt()
}

fn houses(stage: &mut Stage) {
    for (row, (across, front)) in ROWS.into_iter().enumerate() {
        for plot in -8_i64..=8 {
            let chance = |k: i64| fraction(SEED + row as u64, plot, k);
            let along = plot as f64 * PLOT + 2.0 * (chance(0) - 0.5);
            // The square, the street that crosses it, and a few gardens.
            let free = if across.abs() < 20.0 { 19.0 } else { 5.5 };
            let (place, way) = street(along, across + 1.2 * (chance(1) - 0.5));
            let hall = (-2.0..19.0).contains(&along) && (10.0..42.0).contains(&across);
            if hall || along.abs() < free || outness(place) > 0.85 || chance(2) < 0.05 {
                continue;
            }
            let kind = match (chance(3) * 10.0) as u32 {
                0..3 => Kind::House,
                3..5 => Kind::LongHouse,
                5..8 if across.abs() < 30.0 => Kind::TownHouse,
                _ => Kind::Cottage,
            };
            // A front faces +Z when its house is not rotated.
            let turn = if front > 0.0 { 0.0 } else { 180.0 };
            let yaw = yaw_along(way[0], way[1]) + turn + 5.0 * (chance(4) - 0.5);
            stage.stand(kind, place, -0.4, yaw);
            if chance(5) < 0.3 {
                let (yard, _) = street(along + 4.6, across - front * 7.5);
                stage.stand(Kind::GardenWall, yard, -0.2, yaw);
            }
        }
    }
}

/// Well, tower, hall and market.
fn square(stage: &mut Stage) {
    let at = |east: f64, south: f64| [CENTRE[0] + east, CENTRE[1] + south];
    stage.stand(Kind::Well, at(0.0, 0.0), -0.1, 0.0);
    stage.stand(Kind::Tower, at(-11.0, -13.0), -0.4, 180.0);
    stage.stand(Kind::Hall, at(8.0, 24.0), -0.6, 180.0);
    for stall in 0..10_i64 {
        let (row, place) = (stall / 5, stall % 5);
        let chance = |k: i64| fraction(SEED + 40, stall, k);
        let (east, south) = (-14.0 + 7.0 * place as f64, -6.0 + 11.5 * row as f64);
        stage.stand(Kind::Stall, at(east, south), -0.1, 8.0 * (chance(0) - 0.5));
        // Goods beside it: crates flush on each other, and a barrel.
        let beside = at(east + 2.5, south + 0.5);
        stage.stand(Kind::Crate, beside, -0.1, 0.0);
        if chance(1) < 0.5 {
            stage.stand(Kind::Crate, beside, 0.9, 0.0);
        }
        stage.stand(Kind::Barrel, at(east - 2.4, south + 2.0 * (chance(2) - 0.5)), -0.1, 0.0);
    }
}

/// The wall, piece by piece along an uneven oval, with gates to the west, the east and the north,
/// turrets, and stairs up from inside.
fn wall(stage: &mut Stage) {
    let rim = |angle: f64| {
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let out = 1.0 + 0.07 * gradient(SEED, 2.2 * cos + 5.0, 2.2 * sin);
        [CENTRE[0] + out * HALF[0] * cos, CENTRE[1] + out * HALF[1] * sin]
    };
    let distance = |[ax, az]: [f64; 2], [bx, bz]: [f64; 2]| {
        ((ax - bx) * (ax - bx) + (az - bz) * (az - bz)).sqrt()
    };
    let turn = std::f64::consts::TAU;
    let gates = [0.0, 0.5, 0.75].map(|share| share * turn);
    for (from, to) in [(gates[0], gates[1]), (gates[1], gates[2]), (gates[2], turn)] {
        let fine = |part: u32| rim(from + (to - from) * f64::from(part) / 4000.0);
        // A gate stands across the way through it.
        let (before, after) = (fine(0), rim(from - 0.02));
        let yaw = yaw_along(before[0] - after[0], before[1] - after[1]);
        stage.stand(Kind::Gate, before, -0.8, yaw);
        let last = fine(4000);
        let (mut begin, mut pieces) = (None, 0);
        for here in (0..=4000).map(fine) {
            if distance(here, before) < 5.8 || distance(here, last) < 5.8 {
                continue;
            }
            let Some(previous) = begin else {
                begin = Some(here);
                continue;
            };
            if distance(here, previous) < 5.7 {
                continue;
            }
            let middle = [(here[0] + previous[0]) / 2.0, (here[1] + previous[1]) / 2.0];
            let yaw = yaw_along(here[0] - previous[0], here[1] - previous[1]);
            stage.stand(Kind::TownWall, middle, -0.6, yaw);
            if pieces % 7 == 3 {
                stage.stand(Kind::Turret, here, -0.8, 0.0);
            }
            if pieces % 9 == 5 {
                // Flush along the wall's inside; the town is on the right when going around.
                let (east, south) = ((here[0] - previous[0]) / 5.7, (here[1] - previous[1]) / 5.7);
                let inside = [middle[0] - 1.75 * south, middle[1] + 1.75 * east];
                stage.stand(Kind::WallStairs, inside, -0.6, yaw);
            }
            pieces += 1;
            begin = Some(here);
        }
    }
}
