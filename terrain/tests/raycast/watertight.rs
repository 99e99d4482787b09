//! No ray from above to below slips through ground without holes.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{CellKind, Grid, Raycast, SectorCoord, WorldPos};

use crate::scene::{Random, Scene, length_of, rough_heights};

const SIZES: [(f64, f64); 3] = [(1.0, 8.0), (0.5, 16.0), (2.0, 128.0)];

/// A place well inside the scene: a vertex, an edge's middle, a place on a diagonal or any other.
fn target(scene: &Scene, numbers: &mut Random, kind: u32) -> (f64, f64) {
    let (cell, cells) = (f64::from(scene.grid.cell()), scene.grid.cells() as i32 * scene.along);
    let third = cells / 3;
    let mut line = || f64::from(numbers.whole(third, 2 * third)) * cell - scene.extent() * 0.5;
    let (x, z) = (line(), line());
    match kind {
        0 => (x, z),
        1 => (x + 0.5 * cell, z),
        2 => (x, z + 0.5 * cell),
        3 => {
            let part = numbers.part() * cell;
            (x + part, z + part)
        }
        4 => (x + 0.25 * cell, z + 0.25 * cell),
        _ => (x + numbers.part() * cell, z + numbers.part() * cell),
    }
}

#[test]
fn a_ray_from_above_to_below_always_hits() {
    let mut numbers = Random::from_state(0xfeed_beef_1234_5677);
    let mut rays = 0;
    for (index, (cell, size)) in SIZES.into_iter().enumerate() {
        let grid = Grid::new(cell, size, 1.0 / 256.0).unwrap();
        let relief = [900, 40, 9000][index];
        let scene = Scene::rough(grid, SectorCoord::new(-2, 9), relief, 70 + index as u64);
        let top = f64::from(relief) / 256.0;
        for ray in 0..340_000_u32 {
            let (x, z) = target(&scene, &mut numbers, ray % 6);
            // Inside the scene from its top to its bottom: the ray starts above and ends below.
            let reach = scene.extent() * 0.3;
            let across = match ray % 4 {
                0 => [numbers.whole(-4, 4), numbers.whole(-4, 4)]
                    .map(|steps| f64::from(steps) * 0.25 * reach),
                _ => [0; 2].map(|_| numbers.between(-reach, reach)),
            };
            // From anything flat to nearly vertical.
            let across = across.map(|part| part / f64::from(1 << (ray % 7)));
            let height = top + 1.0;
            let from = scene.at(x - across[0], height, z - across[1]);
            let to =
                Vec3::new(2.0 * across[0] as f32, -2.0 * height as f32, 2.0 * across[1] as f32);
            let length = length_of(to) as f32;
            match scene.cast(from, to, length.next_up()) {
                Raycast::Hit(hit) => assert!(!hit.from_below, "{from:?} {to}: {hit:?}"),
                other => panic!("{other:?}: {from:?} {to}"),
            }
            let below = scene.at(x - across[0], -height, z - across[1]);
            let up = Vec3::new(to.x, -to.y, to.z);
            match scene.cast(below, up, length.next_up()) {
                Raycast::Hit(hit) => assert!(hit.from_below, "{below:?} {up}: {hit:?}"),
                other => panic!("{other:?}: {below:?} {up}"),
            }
            rays += 2;
        }
    }
    assert!(rays > 2_000_000);
}

/// Saw teeth along X, flat along Z: every ray along Z on a ridge runs in the planes of two faces.
fn ridges(grid: Grid) -> Scene {
    Scene::new(
        grid,
        SectorCoord::new(1, 1),
        3,
        |column, _| if column.rem_euclid(2) == 0 { 256 } else { 0 },
        |_, _| CellKind::Solid,
    )
}

#[test]
fn rays_in_the_plane_of_faces_meet_their_first_edge() {
    let scene = ridges(Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap());
    let edge = scene.extent() * 0.5;
    for column in 0..24 {
        let x = f64::from(column) - edge;
        let ridge = if column % 2 == 0 { 1.0 } else { 0.0 };
        // Along a ridge or a valley at its own height: met at the world's edge.
        let hit = scene.hit(scene.at(x, ridge, -edge - 5.0), Vec3::Z);
        assert_eq!((hit.distance, hit.from_below), (5.0, false));
        // In the plane of a slope: from its middle line outwards, likewise.
        let hit = scene.hit(scene.at(x + 0.25, 0.5 + (ridge - 0.5) * 0.5, -edge - 2.5), Vec3::Z);
        assert_eq!(hit.distance, 2.5);
        // A hair above a ridge passes over it; in a valley a hair above is free to the end.
        let over = scene.at(x, ridge + 0.001, -edge - 5.0);
        assert_eq!(scene.cast(over, Vec3::Z, f32::INFINITY), Raycast::Miss);
        // And a hair below, one runs inside without ever coming out: there are no side walls.
        let under = scene.at(x, ridge - 0.001, -edge - 5.0);
        assert_eq!(scene.cast(under, Vec3::Z, f32::INFINITY), Raycast::Miss);
    }
    // Over the teeth, exactly as high as the ridges: touched at the first.
    let hit = scene.hit(scene.at(-edge + 0.5, 1.0, 0.3), Vec3::X);
    assert_eq!(hit.distance, 1.5);
    let hit = scene.hit(scene.at(edge - 0.5, 1.0, 0.0), Vec3::NEG_X);
    assert_eq!(hit.distance, 1.5);
}

#[test]
fn rays_pass_holes_and_meet_what_lies_behind() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    // Flat, and a hole of 2 × 3 cells that reaches over a border: columns 7 and 8, rows 3 to 5.
    let scene = Scene::new(
        grid,
        SectorCoord::new(0, -1),
        3,
        |_, _| 512,
        |column, row| {
            if (7..9).contains(&column) && (3..6).contains(&row) {
                CellKind::Hole
            } else {
                CellKind::Solid
            }
        },
    );
    let down =
        |x: f64, z: f64, direction: Vec3| scene.cast(scene.at(x, 3.0, z), direction, f32::INFINITY);
    let hits = |answer: Raycast| matches!(answer, Raycast::Hit(_));
    // Columns begin at x = −4: the hole is [3, 5) × [−1, 2). Rims belong to the cells that own them.
    assert!(!hits(down(3.0, -1.0, Vec3::NEG_Y)));
    assert!(!hits(down(4.0, 0.0, Vec3::NEG_Y)), "on the border");
    assert!(hits(down(5.0, 0.0, Vec3::NEG_Y)));
    assert!(hits(down(3.5, 2.0, Vec3::NEG_Y)));
    assert!(hits(down(2.999, 0.0, Vec3::NEG_Y)));
    // Slanted, through the hole, over its border; and a little farther into its far side.
    assert!(!hits(down(2.0, 0.5, Vec3::new(2.0, -1.0, 0.0))));
    assert!(hits(down(2.0, 0.5, Vec3::new(3.5, -1.0, 0.0))));
    assert!(!hits(down(1.5, -2.5, Vec3::new(2.0, -1.0, 2.0))));
    // Along the rims: the low one is the hole's, the high one the ground's.
    assert!(!hits(down(3.0, -3.0, Vec3::new(0.0, -1.0, 3.0))));
    assert!(hits(down(5.0, -3.0, Vec3::new(0.0, -1.0, 3.0))));
    // From below, out through the hole.
    let from = scene.at(4.5, 0.0, 0.5);
    assert_eq!(scene.cast(from, Vec3::new(-0.1, 1.0, 0.1), 10.0), Raycast::Miss);
}

#[test]
fn every_cell_count_and_slope_is_crossed_without_a_gap() {
    // From one cell along a sector to many; nearly level rays that cross the whole scene.
    let mut numbers = Random::from_state(31);
    for (cell, size) in [(8.0, 8.0), (4.0, 8.0), (2.0, 8.0), (1.0, 16.0), (1.0, 64.0)] {
        let grid = Grid::new(cell, size, 1.0 / 256.0).unwrap();
        let scene = Scene::new(grid, SectorCoord::new(0, 0), 3, rough_heights(100, 3), |_, _| {
            CellKind::Solid
        });
        let inner = scene.extent() * 0.49;
        for _ in 0..20_000 {
            let mut place = || numbers.between(-inner, inner);
            let [x0, z0, x1, z1] = [place(), place(), place(), place()];
            let from: WorldPos = scene.at(x0, 1.0, z0);
            let to = Vec3::new((x1 - x0) as f32, -2.0, (z1 - z0) as f32);
            let answer = scene.cast(from, to, to.length() * 1.001);
            assert!(matches!(answer, Raycast::Hit(_)), "{answer:?}: {from:?} {to}");
        }
    }
}
