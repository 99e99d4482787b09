//! Woods on the plain, tree by tree where a noise exceeds a threshold, and the rules that scatter
//! firs over slopes and rocks over cliffs.

use marchland_terrain::SurfaceId;
use marchland_terrain::bake::props::{Amount, Scatter};
use marchland_terrain::math::clamp;

use super::kinds::Kind;
use super::stage::{CENTRE, Stage};
use crate::recipe::noise::{fraction, octaves};

/// A wood: middle and radii in metres, and how many of ten trees are firs.
struct Wood {
    middle: [f64; 2],
    radii: [f64; 2],
    firs: f64,
}

const fn wood(x: f64, z: f64, radius_x: f64, radius_z: f64, firs: f64) -> Wood {
    Wood { middle: [x, z], radii: [radius_x, radius_z], firs }
}

const WOODS: [Wood; 16] = [
    wood(944.0, 1240.0, 38.0, 60.0, 2.0),
    wood(345.0, 1213.0, 64.0, 50.0, 1.0),
    wood(1310.0, 228.0, 110.0, 26.0, 5.0),
    wood(268.0, 440.0, 62.0, 70.0, 7.0),
    wood(300.0, 600.0, 78.0, 82.0, 5.0),
    wood(210.0, 520.0, 40.0, 60.0, 6.0),
    wood(330.0, 730.0, 54.0, 34.0, 4.0),
    wood(340.0, 500.0, 32.0, 60.0, 6.0),
    wood(120.0, 90.0, 110.0, 74.0, 7.0),
    wood(1560.0, 1310.0, 90.0, 28.0, 1.0),
    wood(1720.0, 1900.0, 50.0, 80.0, 2.0),
    wood(1575.0, 1960.0, 84.0, 56.0, 1.0),
    wood(250.0, 1440.0, 50.0, 60.0, 1.0),
    wood(2000.0, 1150.0, 40.0, 60.0, 3.0),
    wood(1870.0, 24.0, 110.0, 22.0, 4.0),
    wood(482.0, 1112.0, 30.0, 24.0, 1.0),
];

/// Metres between the places where trees are tried.
const APART: f64 = 4.8;

/// Plants the woods.
pub(super) fn plant(stage: &mut Stage) {
    for (number, wood) in WOODS.iter().enumerate() {
        let count = |axis: usize| (wood.radii[axis] * 1.2 / APART) as i64;
        for row in -count(1)..=count(1) {
            for column in -count(0)..=count(0) {
                plant_one(stage, number as u64, wood, column, row);
            }
        }
    }
}

fn plant_one(stage: &mut Stage, number: u64, wood: &Wood, column: i64, row: i64) {
    let chance = |k: u64| fraction(500 + 8 * number + k, column, row);
    let aside = |k| 0.9 * (chance(k) - 0.5);
    let place = [
        wood.middle[0] + APART * (column as f64 + aside(0)),
        wood.middle[1] + APART * (row as f64 + aside(1)),
    ];
    let (east, south) =
        ((place[0] - wood.middle[0]) / wood.radii[0], (place[1] - wood.middle[1]) / wood.radii[1]);
    // Ragged edges and clearings; nothing beyond the radii.
    let out = east * east + south * south;
    let dense = 0.85 - 0.75 * out + 0.6 * octaves(600, place[0] / 46.0, place[1] / 46.0, 3, 0.5);
    if out > 1.0 || chance(2) > clamp(dense, 0.0, 0.92) {
        return;
    }
    let kind = if chance(3) * 10.0 < wood.firs { Kind::Fir } else { Kind::Oak };
    let scale = 0.7 + 0.6 * chance(4);
    stage.scaled(kind, place, -0.4, 360.0 * chance(5), scale as f32);
}

/// Low and high corners of the ranges and cliffs. Metres from the north-west corner.
const RANGES: [[[f64; 2]; 2]; 5] = [
    [[500.0, 4.0], [950.0, 230.0]],
    [[1060.0, 280.0], [1370.0, 370.0]],
    [[980.0, 370.0], [1340.0, 760.0]],
    [[1460.0, 610.0], [2044.0, 960.0]],
    [[1540.0, 470.0], [2044.0, 610.0]],
];

/// Rocks: how many in a hectare, on which slopes, how large. The last two lie at the feet of cliffs.
const ROCKS: [(Kind, f64, [f64; 2], [f32; 2]); 5] = [
    (Kind::Boulder, 9.0, [0.95, 2.2], [0.6, 1.8]),
    (Kind::Slab, 5.0, [0.95, 2.2], [0.7, 1.6]),
    (Kind::Stone, 14.0, [0.95, 2.2], [0.6, 1.6]),
    (Kind::Boulder, 12.0, [0.6, 0.95], [0.9, 2.4]),
    (Kind::Stone, 16.0, [0.6, 0.95], [0.8, 2.2]),
];

/// The rules: firs on the slopes of the ranges, rocks below and on every cliff.
pub(super) fn rules() -> Vec<Scatter> {
    let mut rules = Vec::new();
    for (number, area) in RANGES.into_iter().enumerate() {
        rules.push(Scatter {
            kind: Kind::Fir.prop_kind(),
            name: format!("firs on slopes {number}"),
            seed: 900 + number as u64,
            amount: Amount::PerHectare(260.0),
            slope: [0.22, 0.85],
            height: [2.0, 112.0],
            // Grass, steppe, scree.
            on: [0, 1, 4].map(SurfaceId).to_vec(),
            area: Some(area.map(|corner| corner.map(|metres| metres - CENTRE))),
            sink: 0.5,
            random_yaw: true,
            scale: [0.7, 1.3],
        });
    }
    for (number, (kind, density, slope, scale)) in ROCKS.into_iter().enumerate() {
        rules.push(Scatter {
            kind: kind.prop_kind(),
            name: format!("rocks {number}"),
            seed: 950 + number as u64,
            amount: Amount::PerHectare(density),
            slope,
            height: [1.0, 150.0],
            // Rock, sandstone, scree.
            on: [2, 3, 4].map(SurfaceId).to_vec(),
            area: None,
            sink: 0.4,
            random_yaw: true,
            scale,
        });
    }
    rules
}
