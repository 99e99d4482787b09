//! Walls that stop whoever walks into them, and along which they slide on.

use marchland_controller::{SurfaceResponse, TickSettings, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{ResidentSectors, SectorCoord, SurfaceId};

use crate::common::{HEADINGS, Scene, grid, painted_sector, place, sector, solid, world};
use crate::{stop_before, tangent};

/// Heights by sample of the world.
type Height<'a> = &'a dyn Fn(i64, i64) -> f64;

/// What a margin is at most in these tests' sectors of 32 m.
const NEAR: f32 = 1e-4;

#[test]
fn steep_walls_along_the_grid_stop_every_heading_and_are_slid_along_at_full_speed() {
    let grid = grid(1.0, 32);
    for degrees in [46.0, 60.0, 89.0] {
        let rise = tangent(degrees);
        let stop = stop_before(rise);
        // A wall east of x = 0, seen from the west; and the same turned three times.
        let walls: [(Height<'_>, usize, f32); 4] = [
            (&|c, _| (c - 16).max(0) as f64 * rise, 0, 1.0),
            (&|c, _| (16 - c).max(0) as f64 * rise, 0, -1.0),
            (&|_, r| (r - 16).max(0) as f64 * rise, 2, 1.0),
            (&|_, r| (16 - r).max(0) as f64 * rise, 2, -1.0),
        ];
        for (height, axis, sign) in walls {
            let ground = world(grid, (0, 0), height, &solid);
            for heading in HEADINGS {
                for speed in [0.01, 5.0, 61.0_f32] {
                    let mut scene = Scene::new(grid);
                    let wish = Wish::walk(heading[0] * speed, heading[1] * speed);
                    let mut start = [0.0, 0.0, 0.0];
                    start[axis] = -(stop + 0.11) * sign;
                    let id = scene.walker(ground.view(), place(grid, (0, 0), start), wish);
                    let ticks = if speed > 60.0 { 12 } else { 120 };
                    let mut into = false;
                    for _ in 0..ticks {
                        into |= scene.tick(ground.view()).stopped_by_slope == 1;
                        let local = scene.local(id);
                        assert!(
                            local[axis] * sign < 1e-3 - stop,
                            "{degrees}° {heading:?} passed: {local}"
                        );
                        assert!(local[axis] * sign < 0.0);
                        assert_eq!(local.y, 0.0, "{degrees}° {heading:?} climbed: {local}");
                    }
                    let towards = heading[axis / 2] * sign * speed * ticks as f32 / 60.0;
                    assert_eq!(into, towards > 0.11, "{degrees}° {heading:?} at {speed}");
                    if into {
                        let local = scene.local(id);
                        assert!(local[axis] * sign > -stop - 1e-3 - NEAR, "too early: {local}");
                    }
                    let other = 2 - axis;
                    let along = heading[other / 2] * speed * ticks as f32 / 60.0;
                    let error = scene.local(id)[other] - along;
                    assert!(error.abs() < 1e-3, "{heading:?} slid {error} m too far or too little");
                }
            }
        }
    }
}

#[test]
fn a_wall_along_the_diagonals_is_slid_along_from_both_sides() {
    let grid = grid(1.0, 32);
    for side in [1.0, -1.0_f32] {
        // Rises across x − z, so that triangles on one side of a diagonal are flat.
        let height = |c: i64, r: i64| {
            if ((c - r) as f64) * f64::from(side) > 0.0 { (c - r).abs() as f64 * 2.0 } else { 0.0 }
        };
        let ground = world(grid, (0, 0), &height, &solid);
        for heading in HEADINGS {
            let mut scene = Scene::new(grid);
            let wish = Wish::walk(heading[0] * 5.0, heading[1] * 5.0);
            let start = [0.3 - 0.3 * side, 0.0, 0.3 + 0.3 * side];
            let id = scene.walker(ground.view(), place(grid, (0, 0), start), wish);
            let mut speeds = Vec::new();
            for _ in 0..120 {
                let before = scene.local(id);
                scene.tick(ground.view());
                let local = scene.local(id);
                let across = (local.x - local.z) * side;
                assert!(across <= 0.0 && local.y == 0.0, "{heading:?} climbed: {local}");
                speeds.push((local - before).length() * 60.0);
            }
            let into = (heading[0] - heading[1]) * side > 1e-6;
            let along = (heading[0] + heading[1]).abs() * 5.0 * std::f32::consts::FRAC_1_SQRT_2;
            let expected = if into { along } else { 5.0 };
            let last = *speeds.last().unwrap();
            assert!((last - expected).abs() < 2e-3, "{heading:?}: {last} m/s, expected {expected}");
        }
    }
}

#[test]
fn pushing_into_a_wall_or_a_corner_comes_to_rest_in_one_place() {
    let grid = grid(1.0, 32);
    type Shape = fn(i64, i64) -> f64;
    let shapes: [Shape; 4] = [
        |c, r| if c > 16 || r > 16 { 5.0 } else { 0.0 }, // a right corner
        |c, r| if c > 16 && c > r { 5.0 } else { 0.0 },  // a diagonal
        |c, r| if c > 16 || r > c { 5.0 } else { 0.0 },  // an acute corner
        |c, r| if (c + r) % 5 == 0 { 9.0 } else { 0.0 }, // teeth
    ];
    for (shape, height) in shapes.iter().enumerate() {
        let ground = world(grid, (0, 0), height, &solid);
        for heading in HEADINGS {
            let mut scene = Scene::new(grid);
            let wish = Wish::walk(heading[0] * 4.0, heading[1] * 4.0);
            let id = scene.walker(ground.view(), place(grid, (0, 0), [-1.4, 0.0, -1.6]), wish);
            let (mut travelled, mut late) = (0.0, Vec3::ZERO);
            for tick in 0..600 {
                let before = scene.local(id);
                if tick == 590 {
                    late = before;
                }
                scene.tick(ground.view());
                if tick >= 590 {
                    travelled += (scene.local(id) - before).length();
                }
            }
            // At the world's edge or in the corner it rests; or it still slides along something, straight.
            let local = scene.local(id);
            let shakes = travelled - (local - late).length();
            assert!(
                travelled == 0.0 || (travelled > 1e-3 && shakes < 1e-4),
                "shape {shape} {heading:?}: shakes by {shakes} of {travelled} m at {local}"
            );
        }
    }
}

#[test]
fn a_wall_far_along_a_move_through_several_sectors_is_met() {
    let grid = grid(1.0, 8);
    // A wall one cell wide in the ninth sector east.
    let height = |c: i64, _: i64| if c == 67 { 30.0 } else { 0.0 };
    let mut ground = world(grid, (-1, 1), &height, &solid);
    for x in 2..40 {
        for z in -1..=1 {
            let coord = SectorCoord::new(x, z);
            ground.insert(coord, sector(grid, coord, &height, &solid)).unwrap();
        }
    }
    let mut scene = Scene::new(grid);
    scene.settings.dt = 0.25;
    let id =
        scene.walker(ground.view(), place(grid, (0, 0), [0.0, 0.0, 0.5]), Wish::walk(1000.0, 0.5));
    scene.tick(ground.view());
    let [x, y, z] = scene.units.position(id).unwrap().to_metres(grid.sector_size());
    let stop = 62.0 - f64::from(stop_before(30.0));
    assert!((x - stop).abs() < 1e-3 && y == 0.0 && (z - 0.625).abs() < 1e-3, "{x} {y} {z}");
}

/// A belt takes who stands on it much farther in a tick than it could walk.
#[test]
fn a_belt_brings_nobody_into_a_steep_wall() {
    let grid = grid(1.0, 64);
    let rise = tangent(60.0);
    let stop = stop_before(rise);
    let height = |column: i64, _: i64| (column - 32).max(0) as f64 * rise;
    let belt = |_: i64, _: i64| 1;
    let coord = SectorCoord::new(0, 0);
    let mut ground = ResidentSectors::new(grid);
    ground.insert(coord, painted_sector(grid, coord, &height, &solid, Some(&belt))).unwrap();
    for rate in [4.0, 10.0, 60.0] {
        let mut scene = Scene::new(grid);
        scene.settings = TickSettings::at_rate(rate);
        let conveyor = Vec3::new(60.0, 0.0, 0.0);
        let surface = SurfaceResponse { conveyor, ..SurfaceResponse::PLAIN };
        scene.units.set_surface(SurfaceId(1), surface).unwrap();
        // A quarter of a second from where its centre would be before the wall, and its body in it.
        let at = place(grid, (0, 0), [-15.0 - stop / 2.0, 0.0, 0.3]);
        let id = scene.walker(ground.view(), at, Wish::STAND);
        for _ in 0..rate as usize {
            scene.tick(ground.view());
            let local = scene.local(id);
            // Who is pressed against a face by so much is eased along it by a little.
            assert!(local.x < 0.02 - stop, "{rate} Hz: {local}, not before {stop}");
        }
        let local = scene.local(id);
        assert!(local.x > -1.0, "{rate} Hz: {local}, only");
    }
}
