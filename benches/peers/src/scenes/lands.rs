//! What the scenes are made of. All are squares of 512 m with samples 1 m apart.

use marchland_random::SplitMix;
use marchland_terrain::bake::props::{PropHeight, PropSource};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::angle::tan_degrees;
use marchland_terrain::math::{Rotation, greater};
use marchland_worlds::grid::Grid;
use marchland_worlds::scene::{rolling, rolling_height};
use marchland_worlds::shapes::{self, HouseSize, RockShape};
use marchland_worlds::town::{MESHES, TownMesh};

use crate::movers::Movers;
use crate::scene::{Scene, prop};
use crate::setup::{Failure, SLOPE_DEGREES};

const SAMPLES: usize = 513;
const SECTOR_CELLS: u32 = 256;
/// The middle of the square. Metres from the centre of sector (0, 0).
const MIDDLE: f64 = 128.0;
/// Props lie no farther from the middle, on both axes. Metres.
const HALF_WIDTH: f64 = 220.0;

/// The town, every second of its meshes with T-junctions.
pub(super) fn torn_town() -> Result<Scene, Failure> {
    let mesh = |mesh: &TownMesh| match mesh.number() % 2 {
        0 => mesh.source(),
        _ => shapes::torn(mesh.source()),
    };
    Scene::town_of(MESHES.iter().map(mesh).collect())
}

/// Rocks of many sizes, 7 m apart and turned anyhow, on hills of up to 30°.
pub(super) fn rocks() -> Result<Scene, Failure> {
    let mut random = SplitMix::new(11);
    let rock = |seed: u32| {
        let size = 0.7 + 0.2 * f64::from(seed);
        let radii = [size, 0.5 * size + 0.4, 0.8 * size];
        shapes::rock(RockShape { seed: seed.into(), splits: 2 + seed % 2, radii, roughness: 0.1 })
    };
    let props = spots(7.0).map(|spot| {
        let place = spot.map(|along| along + random.between(-2.0, 2.0));
        let turn = [0; 3].map(|_| random.between(0.0, 360.0));
        let sunk = PropHeight::AboveGround(-random.between(0.0, 0.5));
        prop(random.bits() as usize % 8, place, sunk, Rotation::from_degrees(turn))
    });
    let props = props.collect();
    Scene::new(&rolling(SAMPLES, SAMPLES, 1.0, 3), SECTOR_CELLS, (0..8).map(rock).collect(), props)
}

/// Platforms with stairs and ramps on all sides, towers with stairs, and bridges, on level ground.
pub(super) fn stairs() -> Result<Scene, Failure> {
    use TownMesh::{Platform, Ramp30, Ramp55, Stairs, WalledStairs};
    let mut meshes: Vec<_> = MESHES.iter().map(|mesh| mesh.source()).collect();
    let (tower, bridge) = (meshes.len(), meshes.len() + 1);
    meshes.extend([shapes::tower(4.0, 12, 0.25, 1.2), shapes::bridge(12.0, 3.0, 1.5)]);
    let mut props = Vec::new();
    for (number, [x, z]) in spots(16.0).enumerate() {
        let mut stand = |mesh, place, yaw| {
            let turn = Rotation::from_degrees([0.0, yaw, 0.0]);
            props.push(prop(mesh, place, PropHeight::At(0.0), turn));
        };
        match number % 4 {
            2 => stand(tower, [x, z], 90.0 * (number % 16 / 4) as f64),
            3 => stand(bridge, [x, z], 45.0 * (number % 16 / 4) as f64),
            _ => {
                stand(Platform.number(), [x, z], 0.0);
                let run = |degrees| 2.0 / tan_degrees(degrees);
                let ways =
                    [(Stairs, 2.5), (Ramp30, run(30.0)), (WalledStairs, 2.5), (Ramp55, run(55.0))];
                let sides = [[-1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, -1.0]];
                for (side, ([east, south], (mesh, run))) in sides.iter().zip(ways).enumerate() {
                    let away = 2.0 + run / 2.0;
                    let place = [x + east * away, z + south * away];
                    stand(mesh.number(), place, 90.0 * side as f64);
                }
            }
        }
    }
    Scene::new(&Grid::filled(SAMPLES, SAMPLES, 0.0), SECTOR_CELLS, meshes, props)
}

/// A wall along X with one gate of 2 m, around which all start.
pub(super) fn gate() -> Result<Scene, Failure> {
    let meshes = vec![shapes::arch(4.0, 3.5, 0.5, 2.0, 2.0), shapes::crate_box(24.0, 3.0, 0.5)];
    let stand = |(mesh, along)| {
        let place = [MIDDLE + along, MIDDLE];
        prop(mesh, place, PropHeight::At(0.0), Rotation::IDENTITY)
    };
    let props = [(0, 0.0), (1, -14.0), (1, 14.0)].map(stand).to_vec();
    let mut scene = Scene::new(&Grid::filled(SAMPLES, SAMPLES, 0.0), SECTOR_CELLS, meshes, props)?;
    let along = [-6.0, 0.0, 6.0];
    scene.near = along.into_iter().flat_map(|x| [[x, -6.0], [x, 6.0]]).collect();
    Ok(scene)
}

/// Bare ground, this part of its cells steeper than bodies walk.
pub(super) fn steep(share: f64) -> Result<Scene, Failure> {
    let shape = |x: f64, z: f64| rolling_height(10.0 * x, 10.0 * z, 5);
    Scene::new(&as_steep(shape, SLOPE_DEGREES, share), SECTOR_CELLS, Vec::new(), Vec::new())
}

/// Mountains as steep as the demo of Terrain3D, 37 % of whose cells are steeper than 45°, with or without props.
pub(super) fn mountains(has_props: bool) -> Result<Scene, Failure> {
    let shape =
        |x: f64, z: f64| rolling_height(x, z, 5) + 0.015 * rolling_height(12.0 * x, 12.0 * z, 6);
    let mut meshes: Vec<_> = MESHES.iter().map(|mesh| mesh.source()).collect();
    let size = HouseSize { width: 6.0, depth: 8.0, walls: 3.0, roof: 2.0 };
    meshes.push(shapes::house(size));
    let mut random = SplitMix::new(12);
    let mut one = |spot: [f64; 2]| -> PropSource {
        let place = spot.map(|along| along + random.between(-3.0, 3.0));
        let turn = Rotation::from_degrees([0.0, random.between(0.0, 360.0), 0.0]);
        prop(random.bits() as usize % 17, place, PropHeight::AboveGround(-0.5), turn)
    };
    let props = if has_props { spots(12.0).map(&mut one).collect() } else { Vec::new() };
    Scene::new(&as_steep(shape, 45.0, 0.37), SECTOR_CELLS, meshes, props)
}

/// Lifts, turntables and trains of walls on level ground.
pub(super) fn moving() -> Result<Scene, Failure> {
    let mut scene =
        Scene::new(&Grid::filled(SAMPLES, SAMPLES, 0.0), SECTOR_CELLS, Vec::new(), Vec::new())?;
    let meshes = vec![
        // A lift is a piston: nobody comes below it.
        shapes::crate_box(3.0, 2.5, 3.0),
        shapes::crate_box(6.0, 0.3, 6.0),
        shapes::crate_box(0.5, 2.5, 4.0),
    ];
    let mut movers = Movers::new(meshes, scene.sectors.grid().sector_size())?;
    for (number, spot) in spots(24.0).enumerate() {
        let [x, z] = spot.map(|along| along - MIDDLE);
        let up = if number % 3 == 0 { -2.4 } else { 0.0 };
        let walls = if number % 3 == 2 { 5 } else { 1 };
        let velocities = match number % 3 {
            0 => [Vec3::Y, Vec3::ZERO],
            1 => [Vec3::ZERO, Vec3::Y * 0.7],
            _ => [Vec3::X * 3.0, Vec3::ZERO],
        };
        for wall in 0..walls {
            let west = if walls > 1 { 11.0 - 4.0 * f64::from(wall) } else { 0.0 };
            movers.add(number % 3, scene.world_pos([x - west, up, z])?, velocities)?;
        }
        scene.near.push([x, z]);
    }
    scene.movers = Some(movers);
    Ok(scene)
}

/// The middles of squares, so many metres apart; from the centre of sector (0, 0).
fn spots(apart: f64) -> impl Iterator<Item = [f64; 2]> {
    let along = (2.0 * HALF_WIDTH / apart) as u32;
    let at = move |number: u32| MIDDLE - HALF_WIDTH + (f64::from(number) + 0.5) * apart;
    (0..along * along).map(move |number| [at(number % along), at(number / along)])
}

/// Heights of this shape, made as much higher as it takes for this part of the cells to be steeper than so many
/// degrees. A cell is as steep as the steeper of its triangles.
pub(super) fn as_steep(shape: impl Fn(f64, f64) -> f64, degrees: f64, share: f64) -> Grid<f64> {
    let mut grid = Grid::from_fn(SAMPLES, SAMPLES, |column, row| shape(column as f64, row as f64));
    let mut slopes = slopes(&grid);
    slopes.sort_unstable_by(f64::total_cmp);
    let factor = tan_degrees(degrees) / slopes[((1.0 - share) * slopes.len() as f64) as usize];
    for height in &mut grid.values {
        *height *= factor;
    }
    grid
}

/// How steep all cells are, rise over run.
pub(super) fn slopes(grid: &Grid<f64>) -> Vec<f64> {
    let cells = (0..SAMPLES - 1).flat_map(|row| (0..SAMPLES - 1).map(move |column| (column, row)));
    let slope = |(column, row)| {
        let at = |right: usize, down: usize| grid.at(column + right, row + down);
        let (nw, ne, sw, se) = (at(0, 0), at(1, 0), at(0, 1), at(1, 1));
        let square = |x: f64, z: f64| x * x + z * z;
        let (north, south) = (square(ne - nw, se - ne), square(sw - nw, se - sw));
        (greater(north, south)).sqrt()
    };
    cells.map(slope).collect()
}
