//! Heights: the same bits from every cell and both sides of a border, and near a reference.

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::CellPlace;
use marchland_terrain::{CellKind, Grid, Ground, HeightfieldView, TerrainView, WorldPos};

use crate::{WORLDS, along_border, bits, field, mix, part, rough, solid, some_holes, world};

#[test]
fn both_sides_of_a_border_give_the_same_bits() {
    for (seed, (cell, size, quantum, relief)) in (1_u64..).zip(WORLDS) {
        let grid = Grid::new(cell, size, quantum).unwrap();
        let sectors = world(grid, rough(relief, seed), solid);
        let half = grid.sector_size().half();
        for (west, east, north, south) in
            [((-1, -1), (0, -1), (-1, -1), (-1, 0)), ((-1, 0), (0, 0), (0, -1), (0, 0))]
        {
            let at = |(x, z): (i32, i32)| field(&sectors, x, z);
            for along in along_border(grid, seed) {
                let (left, right) = (at(west).ground(half, along), at(east).ground(-half, along));
                assert_eq!(bits(left), bits(right), "west and east at {along}, cell {cell}");
                assert!(bits(left).is_some());
                let (above, below) =
                    (at(north).ground(along, half), at(south).ground(along, -half));
                assert_eq!(bits(above), bits(below), "north and south at {along}, cell {cell}");
            }
        }
        // The corner that all four share.
        let corners = [(-1, -1, half, half), (0, -1, -half, half), (-1, 0, half, -half)];
        let here = bits(field(&sectors, 0, 0).ground(-half, -half));
        for (x, z, local_x, local_z) in corners {
            assert_eq!(bits(field(&sectors, x, z).ground(local_x, local_z)), here);
        }
    }
}

#[test]
fn grid_lines_and_vertices_have_one_answer_from_every_cell() {
    for (seed, (cell, size, quantum, relief)) in (11_u64..).zip(WORLDS) {
        let grid = Grid::new(cell, size, quantum).unwrap();
        let sectors = world(grid, rough(relief, seed), solid);
        let field = field(&sectors, -1, 0);
        let (cells, half) = (grid.cells(), grid.sector_size().half());
        let height = |column, row, u, v| field.height_at(CellPlace { column, row, u, v }).to_bits();
        for index in 0..20_000 {
            let random = mix(seed, index, 5);
            let (column, row) = (random as u32 % cells, (random >> 32) as u32 % cells);
            let along = part(seed, index) as f32;
            let next = |index: u32| (index + 1 < cells).then_some(index + 1);
            if let Some(next) = next(column) {
                assert_eq!(height(column, row, 1.0, along), height(next, row, 0.0, along));
            }
            if let Some(next) = next(row) {
                assert_eq!(height(column, row, along, 1.0), height(column, next, along, 0.0));
            }
            let metres = |index: u32| index as f32 * grid.cell() - half;
            let (x, z) = (metres(column), metres(row));
            let sample = field.sample(column as i32, row as i32);
            assert_eq!(field.ground(x, z), Ground::Height(sample), "vertex {column}, {row}");
            // The diagonal is the north-east triangle's, and straight.
            let middle = 0.5 * grid.cell();
            let [a, b, _, e] = field.corners(column, row);
            let on_diagonal = field.place(x + middle, z + middle);
            assert!(on_diagonal.is_north_east());
            assert_eq!(field.height_at(on_diagonal), (a + (b - a) * 0.5) + (e - b) * 0.5);
            let straight = (f64::from(a) + f64::from(e)) * 0.5;
            let found = f64::from(field.height_at(on_diagonal));
            let ulps = f64::from(f32::EPSILON) * 2.0 * f64::from(relief) * quantum;
            assert!((found - straight).abs() <= 2.0 * ulps, "{found} {straight}");
        }
    }
}

#[test]
fn the_reference_in_f64_agrees_within_a_tenth_of_a_millimetre() {
    // Ground of 512 m relief in 16 bits.
    for (cell, size) in [(1.0, 8.0), (2.0, 512.0), (0.25, 64.0)] {
        let grid = Grid::new(cell, size, 1.0 / 128.0).unwrap();
        let sectors = world(grid, rough(32_767, 3), solid);
        let field = field(&sectors, 0, 0);
        let half = size * 0.5;
        for index in 0..100_000 {
            let x = ((part(1, index) * 2.0 - 1.0) * half) as f32;
            let z = ((part(2, index) * 2.0 - 1.0) * half) as f32;
            let (across, down) = ((f64::from(x) + half) / cell, (f64::from(z) + half) / cell);
            let (column, row) = (across.floor(), down.floor());
            let (u, v) = (across - column, down - row);
            let sample = |right: i32, below: i32| {
                f64::from(field.quanta(column as i32 + right, row as i32 + below)) / 128.0
            };
            let (a, e) = (sample(0, 0), sample(1, 1));
            // Barycentric: weights of the three corners, not the rule's own order.
            let expected = if u >= v {
                a * (1.0 - u) + sample(1, 0) * (u - v) + e * v
            } else {
                a * (1.0 - v) + sample(0, 1) * (v - u) + e * u
            };
            let Ground::Height(found) = field.ground(x, z) else { panic!("no ground") };
            assert!((f64::from(found) - expected).abs() <= 1e-4, "{found}, {expected} at {x}, {z}");
        }
    }
}

#[test]
fn slices_answer_as_points_do() {
    let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
    let sectors = world(grid, rough(900, 8), some_holes);
    let (view, size) = (sectors.view(), grid.sector_size());
    // 1003 points, no multiple of any number of lanes; some outside the world.
    let points: Vec<(f64, f64)> = (0..1003)
        .map(|index| (part(3, index) * 40.0 - 28.0, part(4, index / 3) * 40.0 - 28.0))
        .collect();
    let positions: Vec<WorldPos> =
        points.iter().map(|&(x, z)| WorldPos::from_metres(x, 0.0, z, size).unwrap()).collect();
    let mut grounds = vec![Ground::NotResident; positions.len()];
    view.grounds(&positions, &mut grounds);
    let mut kinds = [0; 3];
    for (&position, &ground) in positions.iter().zip(&grounds) {
        assert_eq!(bits(view.ground(position)), bits(ground));
        assert_eq!(view.ground(position), ground);
        kinds[match ground {
            Ground::Height(_) => 0,
            Ground::Hole => 1,
            _ => 2,
        }] += 1;
    }
    assert!(kinds.iter().all(|&count| count > 50), "{kinds:?}");
    let field = field(&sectors, -1, -1);
    let (x, z): (Vec<f32>, Vec<f32>) =
        points.iter().map(|&(x, z)| ((x * 0.25) as f32, (z * 0.25) as f32)).unzip();
    field.grounds(&x, &z, &mut grounds);
    for ((&x, &z), &ground) in x.iter().zip(&z).zip(&grounds) {
        assert_eq!(field.ground(x, z), ground);
    }
    let mut normals = vec![None; positions.len()];
    let mut slopes = vec![None; positions.len()];
    let mut surfaces = vec![None; positions.len()];
    let point = |at: usize| (x[at], z[at]);
    for (ask_field, ask_view, one_field, one_view) in NORMALS {
        ask_field(&field, &x, &z, &mut normals);
        assert!((0..1003).all(|at| normals[at] == one_field(&field, point(at).0, point(at).1)));
        ask_view(view, &positions, &mut normals);
        assert!((0..1003).all(|at| normals[at] == one_view(view, positions[at])));
    }
    field.slopes(&x, &z, &mut slopes);
    assert!((0..1003).all(|at| slopes[at] == field.slope(point(at).0, point(at).1)));
    view.slopes(&positions, &mut slopes);
    assert!((0..1003).all(|at| slopes[at] == view.slope(positions[at])));
    field.surfaces(&x, &z, &mut surfaces);
    assert!((0..1003).all(|at| surfaces[at] == field.surface(point(at).0, point(at).1)));
    view.surfaces(&positions, &mut surfaces);
    assert!((0..1003).all(|at| surfaces[at] == view.surface(positions[at])));
    assert!(slopes.iter().flatten().count() > 50 && slopes.contains(&None));
}

type Normals = (
    fn(&HeightfieldView<'_>, &[f32], &[f32], &mut [Option<Vec3>]),
    fn(TerrainView<'_>, &[WorldPos], &mut [Option<Vec3>]),
    fn(&HeightfieldView<'_>, f32, f32) -> Option<Vec3>,
    fn(TerrainView<'_>, WorldPos) -> Option<Vec3>,
);

/// Face and smooth normals: by the slice and by the point, of a field and of a view.
const NORMALS: [Normals; 2] = [
    (
        |field, x, z, out| field.face_normals(x, z, out),
        |view, positions, out| view.face_normals(positions, out),
        |field, x, z| field.face_normal(x, z),
        |view, position| view.face_normal(position),
    ),
    (
        |field, x, z, out| field.smooth_normals(x, z, out),
        |view, positions, out| view.smooth_normals(positions, out),
        |field, x, z| field.smooth_normal(x, z),
        |view, position| view.smooth_normal(position),
    ),
];

#[test]
fn raising_all_samples_raises_the_ground_by_as_much() {
    let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
    for raise in [1, -77, 65_536, -1_000_003, 4_000_000] {
        let low = rough(2000, 17);
        let before = world(grid, &low, some_holes);
        let after = world(grid, |column, row| low(column, row) + raise, some_holes);
        let (old, new) = (field(&before, 0, -1), field(&after, 0, -1));
        for row in -1..=17 {
            for column in -1..=17 {
                // Around holes alone, samples mean nothing.
                let around = [(-1, -1), (0, -1), (-1, 0), (0, 0)];
                let counts = column >= 0
                    && row >= 0
                    && column <= 16
                    && row <= 16
                    && around.iter().any(|(right, down)| {
                        old.cell_kind(column + right, row + down) == CellKind::Solid
                    });
                if counts {
                    assert_eq!(new.quanta(column, row), old.quanta(column, row) + raise);
                }
            }
        }
        for index in 0..20_000 {
            let x = (part(10, index) * 16.0 - 8.0) as f32;
            let z = (part(11, index) * 16.0 - 8.0) as f32;
            match (old.ground(x, z), new.ground(x, z)) {
                (Ground::Height(old), Ground::Height(new)) => {
                    let expected = f64::from(old) + f64::from(raise) / 256.0;
                    // The rule adds up from corners: one ulp of the farthest from 0.
                    let most = (2000 + raise.abs()) as f32 / 256.0;
                    let ulp = f64::from(most.next_up() - most);
                    assert!((f64::from(new) - expected).abs() <= ulp, "{old} {new} {raise}");
                }
                (old, new) => assert_eq!(old, new),
            }
            assert_eq!(old.face_normal(x, z), new.face_normal(x, z));
            assert_eq!(old.smooth_normal(x, z), new.smooth_normal(x, z));
        }
    }
}
