//! The shape of the land: the places of the range, the river, the lake, the mesa and the cliffs,
//! and how their shapes add up to a height. Metres from the north-west corner, x east, z south.
//!
//! ```text
//!   hills │ range ╲   high plain        The range runs from the north to the east and has two ways
//!   ──────┘    pass ╲  ╱ river          through it: a pass, and the gorge of the river.
//!   west plain  range ╳ range ───
//!     sinkholes     river
//!   mesa  buttes   ╲ lake  │ upland     The upland ends in an escarpment with two ramps.
//!   ramp  slit  south plain │
//! ```

use marchland_terrain::math::{clamp, greater, lesser};

use super::curve::Curve;
use super::erosion::{Weather, refined, wear};
use super::noise::{gradient, mix, octaves, ramp, ridges, smooth_greatest, smooth_least, warped};
use crate::grid::Grid;

/// Width of the demo, metres.
pub(crate) const WIDTH: f64 = 2048.0;

/// Ground made beyond each edge of the demo, so that the range runs off the map instead of ending
/// on it. Metres; a multiple of the coarsest spacing of the erosion.
const MARGIN: f64 = 192.0;

/// Height of the lake's shoreline. Metres.
pub const SHORE: f64 = 0.0;

const LAKE: [f64; 2] = [1370.0, 1540.0];
const LAKE_RADII: [f64; 2] = [285.0, 185.0];
const LAKE_DEPTH: f64 = 17.0;

/// Rise of the mesa over its plain, and of the upland over its own. Metres.
const MESA_RISE: f64 = 78.0;
const UPLAND_RISE: f64 = 46.0;

/// Where the upland's edge is drawn out into a ramp.
const UPLAND_RAMPS: [[f64; 2]; 2] = [[1830.0, 1300.0], [1795.0, 1750.0]];

/// Discs that make up the mesa and its buttes: [x, z, radius].
const MESA: [[f64; 3]; 3] = [[400.0, 1490.0, 175.0], [285.0, 1625.0, 120.0], [545.0, 1585.0, 95.0]];
const BUTTES: [[f64; 3]; 4] =
    [[742.0, 1350.0, 40.0], [812.0, 1452.0, 24.0], [215.0, 1215.0, 46.0], [690.0, 1700.0, 58.0]];

/// Funnels in the ground with a shaft at their bottom.
pub(crate) struct Sinkhole {
    /// Centre, metres, [x, z].
    pub(crate) centre: [f64; 2],
    /// Radius of the funnel. Metres.
    pub(crate) funnel: f64,
    /// Depth of the funnel. Metres.
    pub(crate) depth: f64,
    /// Radius of the shaft. Metres.
    pub(crate) shaft: f64,
}

/// Every sinkhole of the demo.
pub(crate) const SINKHOLES: [Sinkhole; 6] = [
    Sinkhole { centre: [566.0, 842.0], funnel: 46.0, depth: 13.0, shaft: 13.0 },
    Sinkhole { centre: [655.0, 890.0], funnel: 30.0, depth: 9.0, shaft: 8.0 },
    Sinkhole { centre: [610.0, 938.0], funnel: 24.0, depth: 7.0, shaft: 6.0 },
    Sinkhole { centre: [1700.0, 190.0], funnel: 40.0, depth: 11.0, shaft: 11.0 },
    Sinkhole { centre: [1925.0, 1660.0], funnel: 36.0, depth: 12.0, shaft: 10.0 },
    Sinkhole { centre: [330.0, 1440.0], funnel: 26.0, depth: 6.0, shaft: 8.0 },
];

/// The demo's lines, and the functions of a place from which everything else is made.
pub(crate) struct Plan {
    range: Curve,
    river: Curve,
    pass: Curve,
    escarpment: Curve,
    mesa_ramp: Curve,
    slit: Curve,
}

impl Plan {
    /// The demo's only plan.
    pub(crate) fn new() -> Self {
        Self {
            range: Curve::through(&[
                [590.0, -330.0],
                [770.0, 40.0],
                [985.0, 330.0],
                [1260.0, 560.0],
                [1580.0, 690.0],
                [1900.0, 770.0],
                [2400.0, 820.0],
            ]),
            river: Curve::through(&[
                [2300.0, -40.0],
                [2060.0, 60.0],
                [1860.0, 250.0],
                [1640.0, 300.0],
                [1490.0, 430.0],
                [1400.0, 620.0],
                [1405.0, 790.0],
                [1260.0, 910.0],
                [1130.0, 1010.0],
                [1190.0, 1150.0],
                [1310.0, 1240.0],
                [1290.0, 1370.0],
                [1350.0, 1470.0],
            ]),
            pass: Curve::through(&[
                [690.0, 560.0],
                [830.0, 470.0],
                [935.0, 345.0],
                [1030.0, 255.0],
                [1190.0, 215.0],
                [1300.0, 130.0],
            ]),
            escarpment: Curve::through(&[
                [2300.0, 1120.0],
                [2080.0, 1175.0],
                [1900.0, 1215.0],
                [1800.0, 1370.0],
                [1850.0, 1560.0],
                [1790.0, 1760.0],
                [1650.0, 1900.0],
                [1640.0, 2250.0],
            ]),
            mesa_ramp: Curve::through(&[
                [560.0, 1900.0],
                [450.0, 1850.0],
                [400.0, 1730.0],
                [405.0, 1600.0],
                [400.0, 1530.0],
            ]),
            slit: Curve::through(&[
                [955.0, 1865.0],
                [1020.0, 1893.0],
                [1085.0, 1880.0],
                [1150.0, 1912.0],
                [1230.0, 1905.0],
            ]),
        }
    }

    /// Position relative to the lake: below 1 inside the shoreline, 0 at its centre.
    pub(crate) fn lake(&self, x: f64, z: f64) -> f64 {
        let (east, south) = ((x - LAKE[0]) / LAKE_RADII[0], (z - LAKE[1]) / LAKE_RADII[1]);
        let round = (east * east + south * south).sqrt() + 1e-9;
        let bays = octaves(41, 0.9 * east / round + 3.0, 0.9 * south / round, 2, 0.4);
        let coves = octaves(45, x / 60.0, z / 60.0, 2, 0.5);
        round / (1.0 + 0.38 * bays * ramp(0.0, 0.8, round) + 0.07 * coves * ramp(0.5, 0.95, round))
    }

    /// Metres to the middle of the river.
    pub(crate) fn river(&self, x: f64, z: f64) -> f64 {
        let [x, z] = meander(x, z);
        self.river.nearest(x, z).distance
    }

    /// How much the ground at a place is sandstone: above 0 near the mesa, its buttes and the
    /// escarpment.
    pub(crate) fn sandstone(&self, x: f64, z: f64) -> f64 {
        let mesa = Self::mesa(x, z) + 70.0;
        let upland = 60.0 - self.escarpment.nearest(x, z).distance;
        greater(mesa, upland) / 60.0
    }

    /// Metres from a place to the slit's wall; negative in the void.
    pub(crate) fn slit(&self, x: f64, z: f64) -> f64 {
        let near = self.slit.nearest(x + 5.0 * gradient(52, x / 23.0, z / 23.0), z);
        let taper = clamp(near.along * (1.0 - near.along) * 5.0, 0.0, 1.0);
        near.distance - 7.5 * taper.sqrt()
    }

    /// Plains and hills, before rivers and cliffs. Metres.
    fn base(&self, x: f64, z: f64) -> f64 {
        let from_lake = distance(x, z, LAKE);
        let plain = 9.0 + 30.0 * ramp(200.0, 1500.0, from_lake);
        let high_plain = 26.0 * ramp(-150.0, 350.0, (x - z) * 0.7 - 500.0);
        let [wx, wz] = warped(11, x, z, 420.0, 90.0);
        let swell = 6.0 * octaves(12, wx / 520.0, wz / 520.0, 3, 0.45);
        let dunes = 0.9 * octaves(13, wx / 96.0, wz / 96.0, 2, 0.4);
        let turf = 0.10 * octaves(14, x / 17.0, z / 17.0, 2, 0.5);
        plain + high_plain + swell + dunes + turf
    }

    /// Signed metres inside the edge of the mesa or a butte.
    fn mesa(x: f64, z: f64) -> f64 {
        let [wx, wz] = warped(21, x, z, 130.0, 34.0);
        let disc = |d: &[f64; 3]| d[2] - distance(wx, wz, [d[0], d[1]]);
        let mut inside = -1e4;
        for d in &MESA {
            inside = smooth_greatest(inside, disc(d), 60.0);
        }
        for d in &BUTTES {
            inside = greater(inside, disc(d));
        }
        inside
    }

    /// Signed metres inside the edge of the upland, shrunk where a ramp leads up, and how far the place
    /// belongs to a ramp, 0 to 1.
    fn upland(&self, x: f64, z: f64) -> (f64, f64) {
        let [wx, wz] = warped(31, x, z, 170.0, 46.0);
        let near = self.escarpment.nearest(wx, wz);
        let inside = if near.right { -near.distance } else { near.distance };
        let mut ramps = 0.0;
        for foot in UPLAND_RAMPS {
            ramps += ramp(190.0, 40.0, distance(wx, wz, foot));
        }
        (inside / (1.0 + 6.0 * ramps), ramps)
    }

    /// The height of everything but the range, which stands `range` metres above it.
    pub(crate) fn height(&self, x: f64, z: f64, range: f64) -> f64 {
        // The foot of the range runs out softly into the plain: fans, not a kerb.
        let mut height = self.base(x, z) + range * range / (range + 14.0);
        // Crags, too small for the erosion's grid.
        let crags = clamp(range * 0.04 - 0.4, 0.0, 2.2);
        height += crags * octaves(73, x / 26.0, z / 26.0, 4, 0.55);
        let flutes = fluting(22, x, z);
        let (upland, ramps) = self.upland(x, z);
        height += MESA_RISE * cliff(Self::mesa(x, z), flutes);
        height += UPLAND_RISE * cliff(upland, flutes * (1.0 - ramps));
        height = self.with_mesa_ramp(x, z, height);
        height = self.with_river(x, z, height, range);
        height = self.with_lake(x, z, height);
        for hole in &SINKHOLES {
            let away = distance(x, z, hole.centre) + 2.0 * gradient(51, x / 21.0, z / 21.0);
            height -= hole.depth * ramp(hole.funnel, hole.shaft - 4.0, away);
        }
        height - 5.0 * ramp(13.0, -1.0, self.slit(x, z))
    }

    fn with_mesa_ramp(&self, x: f64, z: f64, height: f64) -> f64 {
        let near = self.mesa_ramp.nearest(x, z);
        let top = self.base(400.0, 1530.0) + MESA_RISE;
        let road = mix(self.base(560.0, 1900.0), top, ramp(0.0, 0.84, near.along));
        let cover = ramp(58.0, 20.0, near.distance) * ramp(0.0, 0.08, near.along);
        mix(height, road, cover * ramp(0.98, 0.8, near.along))
    }

    fn with_river(&self, x: f64, z: f64, height: f64, range: f64) -> f64 {
        let [wx, wz] = meander(x, z);
        let near = self.river.nearest(wx, wz);
        let left = 1.0 - near.along;
        let level = SHORE - 1.0 + 50.0 * left * (0.35 + 0.65 * left);
        let width = 1.0 + 0.35 * octaves(44, x / 90.0, z / 90.0, 2, 0.5);
        let sides = greater(near.distance - 30.0 * width, 0.0);
        let valley = level + 2.4 + 0.10 * sides + 0.0016 * sides * sides + 2.0 * range;
        let carved = smooth_least(height, valley, 14.0);
        carved - 2.4 * ramp(15.0, 3.0, near.distance / width)
    }

    fn with_lake(&self, x: f64, z: f64, height: f64) -> f64 {
        let place = self.lake(x, z);
        if place > 1.6 {
            return height;
        }
        let bed = if place < 1.0 {
            SHORE - LAKE_DEPTH * (ramp(1.05, -0.2, place) - ramp(1.05, -0.2, 1.0))
        } else {
            SHORE + 9.0 * (place - 1.0)
        };
        mix(height, bed, ramp(1.55, 0.98, place))
    }

    /// Metres of uplift in a round of erosion; 0 outside the range and on the ways through it.
    fn uplift(&self, x: f64, z: f64) -> f64 {
        let [wx, wz] = warped(61, x, z, 260.0, 120.0);
        let [wx, wz] = warped(65, wx, wz, 70.0, 22.0);
        let near = self.range.nearest(wx, wz);
        let width = 330.0 * (1.0 + 0.22 * octaves(62, near.along * 9.0, 0.37, 2, 0.5));
        let inside = ramp(width, width * 0.25, near.distance);
        let gorge = ramp(34.0, 150.0, self.river(x, z));
        let pass = ramp(
            26.0,
            130.0,
            self.pass.nearest(wx * 0.35 + x * 0.65, wz * 0.35 + z * 0.65).distance,
        );
        let strength = inside * gorge * pass;
        let peaks = 0.8 + 0.45 * octaves(63, wx / 300.0, wz / 300.0, 2, 0.5);
        let alps = 1.4 * strength * greater(peaks, 0.25);
        let hilly = ramp(700.0, 150.0, distance(wx, wz, [190.0, 330.0]))
            + 0.5 * ramp(330.0, 40.0, distance(wx, wz, [960.0, 1270.0]));
        let hills = 0.30 * hilly * (0.8 + 0.8 * octaves(64, x / 210.0, z / 210.0, 2, 0.5));
        let uplift = greater(alps, hills * gorge * pass);
        if uplift < 0.012 { 0.0 } else { uplift }
    }

    /// The start of the erosion: sharp crests, bent by noise.
    fn young_range(&self, x: f64, z: f64) -> f64 {
        let [wx, wz] = warped(71, x, z, 300.0, 80.0);
        10.0 * self.uplift(x, z) * ridges(72, wx / 360.0, wz / 360.0, 6)
    }
}

/// Heights of the demo, metres: `samples` × `samples` of them, `spacing` metres apart.
pub(crate) fn heights(plan: &Plan, samples: usize, spacing: f64) -> Grid<f64> {
    let range = worn_range(plan, spacing);
    Grid::from_fn_threaded(samples, samples, |column, row| {
        let (x, z) = (column as f64 * spacing, row as f64 * spacing);
        // Water runs in only eight directions while the range is eroded; bending hides that.
        let [wx, wz] = warped(74, x, z, 130.0, 22.0);
        let [wx, wz] = warped(75, wx, wz, 42.0, 4.0);
        plan.height(x, z, sampled(&range, (wx + MARGIN) / spacing, (wz + MARGIN) / spacing))
    })
}

/// The value between samples, `column` and `row` counted in samples.
fn sampled(grid: &Grid<f64>, column: f64, row: f64) -> f64 {
    let (west, north) = (column.floor(), row.floor());
    let (i, j) = (west as usize, north as usize);
    let along = |row| mix(grid.at(i, row), grid.at(i + 1, row), column - west);
    mix(along(j), along(j + 1), row - north)
}

/// The range alone, with its margin: eroded on a coarse grid first, which is cheap and gives the
/// large valleys, then on two finer ones, which give the gullies.
fn worn_range(plan: &Plan, spacing: f64) -> Grid<f64> {
    let stages = [(8.0, 110), (4.0, 24), (2.0, 8), (1.0, 3)];
    let mut ground: Option<Grid<f64>> = None;
    for (coarser, rounds) in stages {
        let spacing = spacing * coarser;
        let count = ((WIDTH + 2.0 * MARGIN) / spacing) as usize + 1;
        let place = |i: usize| i as f64 * spacing - MARGIN;
        let uplift = Grid::from_fn_threaded(count, count, |column, row| {
            let edge = column == 0 || row == 0 || column + 1 == count || row + 1 == count;
            if edge { 0.0 } else { plan.uplift(place(column), place(row)) }
        });
        let mut stage = match &ground {
            None => Grid::from_fn_threaded(count, count, |column, row| {
                plan.young_range(place(column), place(row))
            }),
            Some(coarse) => rough(&refined(coarse), coarser as u64),
        };
        wear(&mut stage, &uplift, Weather { spacing, cut: 0.03, creep: 2.2, repose: 1.0, rounds });
        ground = Some(stage);
    }
    ground.unwrap_or_else(|| Grid::filled(0, 0, 0.0))
}

/// A little roughness where the ground is not plain, as a start for new gullies.
fn rough(ground: &Grid<f64>, seed: u64) -> Grid<f64> {
    Grid::from_fn_threaded(ground.columns, ground.rows, |column, row| {
        let height = ground.at(column, row);
        let bump = gradient(80 + seed, column as f64 / 3.1, row as f64 / 3.1);
        greater(height + lesser(height * 0.05, 1.2) * bump, 0.0)
    })
}

/// Share of a cliff's rise at `inside` metres within its edge: a concave apron of scree, a wall in two
/// storeys with a ledge between, a rounded brow. `flutes` metres carve the wall, and to a lesser degree its
/// apron.
fn cliff(inside: f64, flutes: f64) -> f64 {
    let apron = clamp((inside + 0.3 * flutes + 66.0) / 58.0, 0.0, 1.0);
    let inside = inside + flutes;
    let brow = clamp((inside - 7.0) / 40.0, 0.0, 1.0);
    0.27 * apron * apron * (0.6 + 0.4 * apron)
        + 0.34 * ramp(-7.0, 1.0, inside)
        + 0.31 * ramp(2.5, 9.0, inside)
        + 0.08 * brow * (2.0 - brow)
}

/// Buttresses and gullies of a cliff's edge. Metres.
fn fluting(seed: u64, x: f64, z: f64) -> f64 {
    11.0 * (ridges(seed, x / 46.0, z / 46.0, 3) - 0.45)
        + 6.0 * octaves(seed + 1, x / 75.0, z / 75.0, 2, 0.5)
}

/// The river's bends.
fn meander(x: f64, z: f64) -> [f64; 2] {
    warped(43, x, z, 170.0, 44.0)
}

fn distance(x: f64, z: f64, from: [f64; 2]) -> f64 {
    let (east, south) = (x - from[0], z - from[1]);
    (east * east + south * south).sqrt()
}
