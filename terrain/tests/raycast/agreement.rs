//! The same answers as asking every triangle.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{CellKind, Grid, Ground, Raycast, SectorCoord, WorldPos};

use crate::brute::Brute;
use crate::scene::{Random, Scene, rolling_heights};

/// Sectors of 1, 8 and 32 cells, negative and lopsided middles, relief from gentle to cliffs.
fn scenes() -> Vec<(Scene, u32)> {
    let grid = |cell: f64, size: f64, quantum: f64| Grid::new(cell, size, quantum).unwrap();
    let fine = 1.0 / 256.0;
    vec![
        (Scene::rough(grid(1.0, 8.0, fine), SectorCoord::new(0, 0), 400, 1), 10),
        (Scene::ragged(grid(1.0, 8.0, fine), SectorCoord::new(-7, 12), 900, 2), 14),
        (Scene::ragged(grid(0.25, 8.0, fine), SectorCoord::new(40_000, -3), 60, 3), 2),
        (Scene::ragged(grid(1.0, 32.0, fine), SectorCoord::new(5, 5), 40_000, 4), 2),
        (Scene::rough(grid(1.0, 32.0, fine), SectorCoord::new(5, -5), 50, 5), 2),
        (Scene::ragged(grid(16.0, 16.0, 0.5), SectorCoord::new(-1, -1), 25, 6), 20),
    ]
}

/// Rays of `kind`; lengths are exact wherever a ray is meant to meet a grid line, a diagonal or a
/// vertex exactly.
fn ray(scene: &Scene, numbers: &mut Random, kind: u32) -> (WorldPos, Vec3) {
    let (cell, half) = (f64::from(scene.grid.cell()), scene.extent() * 0.5);
    let cells = scene.grid.cells() as i32 * scene.along;
    let quantum = f64::from(scene.grid.quantum());
    let heights = scene.sectors.view();
    let lattice = |numbers: &mut Random, steps: i32| {
        f64::from(numbers.whole(0, cells * steps)) * (cell / f64::from(steps)) - half
    };
    let ground = |x: f64, z: f64| match heights.ground(scene.at(x, 0.0, z)) {
        Ground::Height(height) => f64::from(height),
        _ => 0.0,
    };
    let anywhere = |numbers: &mut Random| numbers.between(-1.1 * half, 1.1 * half);
    let small = |numbers: &mut Random| f64::from(numbers.whole(-3, 3));
    let tilt = |numbers: &mut Random| f64::from(numbers.whole(-64, 64)) * quantum;
    let (from, towards) = match kind {
        0 => {
            let from = [anywhere(numbers), numbers.between(-4.0, 4.0) * cell, anywhere(numbers)];
            (from, [(); 3].map(|()| numbers.between(-1.0, 1.0)))
        }
        // Near the ground and nearly level: the walk's daily bread.
        1 => {
            let (x, z) = (anywhere(numbers), anywhere(numbers));
            let y = ground(x, z) + numbers.between(-0.2, 1.0) * cell;
            let level = numbers.between(-0.1, 0.1);
            ([x, y, z], [numbers.between(-1.0, 1.0), level, numbers.between(-1.0, 1.0)])
        }
        // Along grid lines and along the middles of cells.
        2 => {
            let (x, z) = (lattice(numbers, 2), lattice(numbers, 2));
            let y = ground(x, z) + f64::from(numbers.whole(-200, 800)) * quantum;
            let forth = if numbers.bits() & 8 == 0 { 1.0 } else { -1.0 };
            let (dx, dz) = if numbers.bits() & 16 == 0 { (forth, 0.0) } else { (0.0, forth) };
            ([x, y, z], [dx, tilt(numbers), dz])
        }
        // Along diagonals, both ways.
        3 => {
            let (x, z) = (lattice(numbers, 1), lattice(numbers, 1));
            let part = f64::from(numbers.whole(0, 4)) * 0.25 * cell;
            let (dx, dz) =
                [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)][numbers.whole(0, 3) as usize];
            let y = ground(x, z) + f64::from(numbers.whole(-200, 800)) * quantum;
            ([x + part, y, z + part], [dx, tilt(numbers), dz])
        }
        // Over many vertices, from far above or below, exactly at a vertex of the ground.
        4 => {
            let (x, z) = (lattice(numbers, 1), lattice(numbers, 1));
            let step = [small(numbers) * cell, tilt(numbers), small(numbers) * cell];
            let back = f64::from(numbers.whole(0, 8));
            let from = [x - step[0] * back, ground(x, z) - step[1] * back, z - step[2] * back];
            (from, step)
        }
        // Grazing: through two points of the ground, often in the plane of a face.
        5 => {
            let (x, z) = (lattice(numbers, 1), lattice(numbers, 1));
            let (dx, dz) = (small(numbers).signum() * cell, small(numbers).signum() * cell);
            let rise = ground(x + dx, z + dz) - ground(x, z);
            let back = f64::from(numbers.whole(0, 3));
            ([x - dx * back, ground(x, z) - rise * back, z - dz * back], [dx, rise, dz])
        }
        // From below, upwards.
        6 => {
            let from = [anywhere(numbers), numbers.between(-9.0, -2.0) * cell, anywhere(numbers)];
            let up = numbers.between(0.05, 2.0);
            (from, [numbers.between(-1.0, 1.0), up, numbers.between(-1.0, 1.0)])
        }
        // At and along the borders and corners of sectors.
        _ => {
            let side = f64::from(scene.grid.sector_size().metres());
            let on_border =
                |numbers: &mut Random| (small(numbers) * 0.5).trunc() * side + side / 2.0;
            let x = on_border(numbers);
            let z = if numbers.bits() & 8 == 0 { on_border(numbers) } else { lattice(numbers, 4) };
            let step = [small(numbers) * cell, tilt(numbers), small(numbers) * cell];
            let up = f64::from(numbers.whole(-40, 200)) * quantum;
            let back = f64::from(numbers.whole(0, 4));
            let y = ground(x, z) + up - step[1] * back;
            ([x - step[0] * back, y, z - step[2] * back], step)
        }
    };
    let direction = Vec3::from_array(towards.map(|part| part as f32));
    let direction = if direction == Vec3::ZERO { Vec3::NEG_Y } else { direction };
    (scene.at(from[0], from[1], from[2]), direction)
}

#[test]
fn rays_meet_what_brute_force_meets() {
    let mut numbers = Random::from_state(0x1234_5678_9abc_def1);
    let (mut rays, mut hits, mut below) = (0_u32, 0_u32, 0_u32);
    for (scene, thousands) in scenes() {
        let brute = Brute::new(&scene);
        for index in 0..thousands * 5000 {
            let (from, direction) = ray(&scene, &mut numbers, index % 8);
            let max = match index % 3 {
                0 => f32::INFINITY,
                1 => numbers.between(0.0, scene.extent()) as f32,
                _ => 1000.0,
            };
            let vertical = direction.x == 0.0 && direction.z == 0.0;
            if vertical {
                continue; // has one answer by ownership, which triangles do not know; see below
            }
            let answer = scene.cast(from, direction, max);
            let towards = direction.to_array().map(f64::from);
            let judged =
                brute.judge(scene.metres(from), towards, f64::from(max), f64::INFINITY, answer);
            if let Err(wrong) = judged {
                panic!("{wrong}: kind {}, {from:?}, {direction:?}, {max} m: {answer:?}", index % 8);
            }
            rays += 1;
            if let Raycast::Hit(hit) = answer {
                hits += 1;
                below += u32::from(hit.from_below);
                let there = scene.sectors.view().ground(hit.position);
                // The ground's own height, unless rounding led over a rim.
                if let Ground::Height(height) = there {
                    assert_eq!(height.to_bits(), hit.position.local().y.to_bits(), "{hit:?}");
                }
            }
        }
    }
    assert!(rays > 200_000, "{rays} rays");
    assert!(hits > rays / 3 && below > rays / 20, "{hits} hits, {below} from below of {rays}");
}

#[test]
fn rays_over_rolling_ground_lose_nothing_to_the_blocks_they_pass_over() {
    let grid = Grid::new(1.0, 64.0, 1.0 / 256.0).unwrap();
    let kind = |column: i32, row: i32| {
        if column == 40 && (3..90).contains(&row) { CellKind::Hole } else { CellKind::Solid }
    };
    let scene = Scene::new(grid, SectorCoord::new(-1, 2), 3, rolling_heights(5), kind);
    let brute = Brute::new(&scene);
    let mut numbers = Random::from_state(0xabc_def1);
    let mut hits = 0;
    for index in 0..4000 {
        let (from, direction) = ray(&scene, &mut numbers, [1, 0, 1, 6, 1, 4][index % 6]);
        if direction.x == 0.0 && direction.z == 0.0 {
            continue;
        }
        let answer = scene.cast(from, direction, 150.0);
        let towards = direction.to_array().map(f64::from);
        if let Err(wrong) = brute.judge(scene.metres(from), towards, 150.0, f64::INFINITY, answer) {
            panic!("{wrong}: {from:?}, {direction:?}: {answer:?}");
        }
        hits += u32::from(matches!(answer, Raycast::Hit(_)));
    }
    assert!(hits > 1500, "{hits} hits");
}

#[test]
fn vertical_rays_ask_the_height_rule() {
    let mut numbers = Random::from_state(99);
    for (scene, _) in scenes() {
        let view = scene.sectors.view();
        let (cell, half) = (f64::from(scene.grid.cell()), scene.extent() * 0.5);
        for index in 0..20_000 {
            // Halves of cells: vertices, grid lines, diagonals, centres; then anywhere.
            let steps = f64::from(scene.grid.cells() * 2) * f64::from(scene.along);
            let place = |numbers: &mut Random| {
                if index % 2 == 0 {
                    (numbers.part() * (steps + 1.0)).floor() * 0.5 * cell - half
                } else {
                    numbers.between(-1.05, 1.05) * half
                }
            };
            let from = scene.at(place(&mut numbers), 300.0, place(&mut numbers));
            let answer = scene.cast(from, Vec3::new(0.0, -3.0, 0.0), f32::INFINITY);
            assert_eq!(scene.cast(from, Vec3::Y, f32::INFINITY), Raycast::Miss);
            match (view.ground(from), answer) {
                (Ground::Height(height), Raycast::Hit(hit)) => {
                    assert_eq!(hit.distance, 300.0 - height);
                    assert_eq!(hit.position.local().y.to_bits(), height.to_bits());
                    assert_eq!(Some(hit.normal), view.face_normal(from));
                    assert_eq!(Some(hit.surface), view.surface(from));
                    assert!(!hit.from_below);
                    assert_eq!(scene.cast(from, Vec3::NEG_Y, hit.distance), answer);
                    let short = hit.distance.next_down();
                    assert_eq!(scene.cast(from, Vec3::NEG_Y, short), Raycast::Miss);
                }
                (Ground::Hole | Ground::Outside, Raycast::Miss) => {}
                (ground, answer) => panic!("{ground:?} but {answer:?} at {from:?}"),
            }
        }
    }
}

#[test]
fn a_ray_that_begins_on_the_ground_meets_it_there() {
    let mut numbers = Random::from_state(5);
    for (scene, _) in scenes() {
        let view = scene.sectors.view();
        let (cell, half) = (f64::from(scene.grid.cell()), scene.extent() * 0.5);
        for index in 0..20_000 {
            let mut place = || match index % 3 {
                0 => f64::from(numbers.whole(0, 40)) * 0.5 * cell - half,
                _ => numbers.between(-1.0, 1.0) * half,
            };
            let flat = scene.at(place(), 0.0, place());
            let Ground::Height(height) = view.ground(flat) else { continue };
            let size = scene.grid.sector_size();
            let local = Vec3::new(flat.local().x, height, flat.local().z);
            let on = WorldPos::new(flat.sector(), local, size).unwrap();
            let towards = Vec3::from_array([(); 3].map(|()| numbers.between(-1.0, 1.0) as f32));
            let Raycast::Hit(hit) = scene.cast(on, towards, 0.0) else { panic!("{on:?}") };
            assert_eq!((hit.distance, hit.position), (0.0, on));
            assert_eq!(hit.from_below, towards.dot(hit.normal) > 0.0, "{hit:?} {towards}");
            if index % 3 == 0 {
                continue; // may lie on a rim, and lead over it
            }
            // One step of f32 above, downwards: the sampler says above, so the ray must hit, however
            // its own rounding goes.
            let over = Vec3::new(local.x, height.next_up(), local.z);
            let over = WorldPos::new(on.sector(), over, size).unwrap();
            let down = Vec3::new(towards.x * 1e-3, -1.0, towards.z * 1e-3);
            let reach = 1e-3;
            assert!(matches!(scene.cast(over, down, reach), Raycast::Hit(_)), "{over:?} {down}");
        }
    }
}
