//! The height rule: one answer everywhere, from whichever side it is asked.
// Helpers of tests may unwrap and panic as tests do.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use marchland_terrain::error::SectorError;
use marchland_terrain::format::encode;
use marchland_terrain::glam::Vec3;
use marchland_terrain::heightfield::CellPlace;
use marchland_terrain::{
    CellKind, Grid, Ground, HeightfieldView, LoadedSector, ResidentSectors, SectorCoord,
    SectorData, SectorState, SurfaceId, SurfaceLayer, TerrainView, WorldPos,
};

/// Cell, sector size and quantum in metres, and relief in quanta: from one cell along a sector to
/// many, from gentle ground to cliffs that need 32 bits.
const WORLDS: [(f64, f64, f64, i32); 6] = [
    (8.0, 8.0, 1.0 / 64.0, 500),
    (1.0, 8.0, 1.0 / 256.0, 300),
    (0.0625, 16.0, 1.0 / 1024.0, 9),
    (0.5, 32.0, 1.0 / 512.0, 40_000),
    (32.0, 2048.0, 1.0 / 16.0, 30_000),
    (1024.0, 4096.0, 0.5, 1 << 22),
];

fn mix(seed: u64, a: i32, b: i32) -> u64 {
    let mut hash = seed ^ (u64::from(a as u32) << 32 | u64::from(b as u32));
    for _ in 0..2 {
        hash = (hash ^ (hash >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash ^ (hash >> 29)
}

/// In `[0, 1)`.
fn part(seed: u64, index: i32) -> f64 {
    (mix(seed, index, 1) >> 11) as f64 / (1_u64 << 53) as f64
}

fn rough(relief: i32, seed: u64) -> impl Fn(i32, i32) -> i32 {
    move |column, row| (mix(seed, column, row) % (2 * relief as u64 + 1)) as i32 - relief
}

/// 2 × 2 sectors, (−1, −1) to (0, 0), from samples and cells counted from sector (0, 0)'s low corner.
fn world(
    grid: Grid,
    quanta: impl Fn(i32, i32) -> i32,
    kind: impl Fn(i32, i32) -> CellKind,
) -> ResidentSectors {
    let mut sectors = ResidentSectors::new(grid);
    let cells = grid.cells() as i32;
    for (x, z) in [(-1, -1), (0, -1), (-1, 0), (0, 0)] {
        let places = |end: i32| {
            (-1..=end).flat_map(move |row| {
                (-1..=end).map(move |column| (x * cells + column, z * cells + row))
            })
        };
        let heights = places(cells + 1).map(|(column, row)| quanta(column, row)).collect();
        let kinds = places(cells).map(|(column, row)| kind(column, row)).collect();
        let surface = SurfaceLayer::Uniform(SurfaceId(0));
        let data = SectorData::new(grid, heights, Some(kinds), surface).unwrap();
        let coord = SectorCoord::new(x, z);
        sectors
            .insert(coord, Arc::new(LoadedSector::new(encode(coord, &data).bytes).unwrap()))
            .unwrap();
    }
    sectors
}

fn solid(_: i32, _: i32) -> CellKind {
    CellKind::Solid
}

fn some_holes(column: i32, row: i32) -> CellKind {
    if mix(40, column, row).is_multiple_of(6) { CellKind::Hole } else { CellKind::Solid }
}

fn field(sectors: &ResidentSectors, x: i32, z: i32) -> HeightfieldView<'_> {
    match sectors.view().sector(SectorCoord::new(x, z)) {
        SectorState::Resident(sector) => sector.field(),
        other => panic!("{other:?}"),
    }
}

fn bits(ground: Ground) -> Option<u32> {
    match ground {
        Ground::Height(height) => Some(height.to_bits()),
        _ => None,
    }
}

/// Along a border: every corner and middle of a cell's side, and places between.
fn along_border(grid: Grid, seed: u64) -> impl Iterator<Item = f32> {
    let (half, cells) = (grid.sector_size().half(), grid.cells() as i32);
    let cell = grid.cell();
    (0..=2 * cells)
        .map(move |step| step as f32 * 0.5 * cell - half)
        .chain((0..4000).map(move |index| (part(seed, index) as f32 * 2.0 - 1.0) * half))
}

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
fn smooth_normals_are_the_same_from_both_sides_of_a_border() {
    for (seed, (cell, size, quantum, relief)) in (21_u64..).zip(WORLDS) {
        let grid = Grid::new(cell, size, quantum).unwrap();
        // Differences of gradients are exact up to 2²¹ quanta between neighbours (twice that where
        // one-sided): 512 m in a cell at the finest quantum of all.
        let relief = if relief < 1 << 20 { relief } else { 1 << 20 };
        let half = grid.sector_size().half();
        for holes in [false, true] {
            let kind = if holes { some_holes } else { solid };
            let sectors = world(grid, rough(relief, seed), kind);
            let mut compared = 0;
            for along in along_border(grid, seed) {
                for (here, there) in [
                    (
                        field(&sectors, -1, 0).smooth_normal(half, along),
                        field(&sectors, 0, 0).smooth_normal(-half, along),
                    ),
                    (
                        field(&sectors, 0, -1).smooth_normal(along, half),
                        field(&sectors, 0, 0).smooth_normal(along, -half),
                    ),
                ] {
                    let (Some(here), Some(there)) = (here, there) else { continue };
                    let bits = |normal: Vec3| normal.to_array().map(f32::to_bits);
                    assert_eq!(bits(here), bits(there), "{here} {there} at {along}, cell {cell}");
                    compared += 1;
                }
            }
            assert!(compared > 1000 || grid.cells() == 1);
        }
    }
}

#[test]
fn smooth_normals_are_one_sided_where_ground_ends() {
    // A plane with holes, and a world that ends inside its sectors. What lies beyond is nonsense,
    // and must not count.
    let grid = Grid::new(2.0, 32.0, 1.0 / 256.0).unwrap();
    let kind = |column: i32, row: i32| {
        if column >= 13 || row < -9 { CellKind::Outside } else { some_holes(column, row) }
    };
    let touches_ground = |column: i32, row: i32| {
        [(-1, -1), (0, -1), (-1, 0), (0, 0)]
            .into_iter()
            .any(|(right, down)| kind(column + right, row + down) == CellKind::Solid)
    };
    let plane = |column: i32, row: i32| {
        if touches_ground(column, row) { 96 * column - 32 * row } else { 12_345 }
    };
    let sectors = world(grid, plane, kind);
    let (rise_x, rise_z) = (96.0 / 512.0, -32.0 / 512.0);
    let expected = Vec3::new(-rise_x, 1.0, -rise_z).normalize();
    let mut seen = 0;
    for index in 0..30_000 {
        let (x, z) = (part(6, index) * 64.0 - 48.0, part(7, index) * 64.0 - 48.0);
        let place = WorldPos::from_metres(x, 0.0, z, grid.sector_size()).unwrap();
        let view = sectors.view();
        let normal = view.smooth_normal(place);
        let ground = view.ground(place);
        assert_eq!(normal.is_some(), matches!(ground, Ground::Height(_)));
        assert_eq!(normal.is_some(), ground.height().is_some());
        let feet = view.on_ground(place.at_height(1e6).unwrap());
        assert_eq!(feet, ground.height().map(|y| place.at_height(y).unwrap()));
        assert!(feet.is_none_or(|feet| view.ground(feet) == Ground::Height(feet.local().y)));
        let Some(normal) = normal else { continue };
        assert!((normal - expected).length() < 1e-6, "{normal}, expected {expected} at {x}, {z}");
        seen += 1;
    }
    assert!(seen > 10_000);
}

#[test]
fn normals_have_length_one_and_stand_on_their_faces() {
    for (seed, (cell, size, quantum, relief)) in (31_u64..).zip(WORLDS) {
        let grid = Grid::new(cell, size, quantum).unwrap();
        let sectors = world(grid, rough(relief, seed), solid);
        let field = field(&sectors, -1, -1);
        let half = size * 0.5;
        for index in 0..20_000 {
            let x = ((part(8, index) * 2.0 - 1.0) * half) as f32;
            let z = ((part(9, index) * 2.0 - 1.0) * half) as f32;
            let face = field.face_normal(x, z).unwrap();
            let smooth = field.smooth_normal(x, z).unwrap();
            for normal in [face, smooth] {
                assert!((normal.length() - 1.0).abs() < 4.0 * f32::EPSILON && normal.y > 0.0);
            }
            // Perpendicular to the triangle's long side, from a to e.
            let place = field.place(x, z);
            let [a, _, _, e] = field.corners(place.column, place.row).map(f64::from);
            let along = face.x + face.z;
            let rise = f64::from(face.y) * (e - a) / cell;
            let steep = 1.0 + rise.abs();
            assert!((f64::from(along) + rise).abs() < 1e-5 * steep, "{face} at {x}, {z}");
            let slope = f64::from(field.slope(x, z).unwrap());
            let level = f64::from(face.x * face.x + face.z * face.z).sqrt();
            let of_normal = level / f64::from(face.y);
            assert!((slope - of_normal).abs() <= 1e-5 * (1.0 + slope));
        }
    }
}

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

#[test]
fn normals_of_level_ground_hold_no_negative_zero() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let level = SectorData::from_fn(grid, |_, _| 3.0).unwrap();
    let file = encode(SectorCoord::default(), &level);
    let field = marchland_terrain::format::decode(&file.bytes).unwrap().field();
    for normal in [field.face_normal(0.3, 0.2), field.smooth_normal(-1.5, 2.5)] {
        let bits = normal.unwrap().to_array().map(f32::to_bits);
        assert_eq!(bits, [0.0_f32, 1.0, 0.0].map(f32::to_bits));
    }
}

/// A block's steepness is that of its steepest cell, and no cell is steeper than it says.
#[test]
fn the_steepness_of_cells_and_of_their_blocks_agree() {
    for (world, (cell, size, quantum, relief)) in WORLDS.into_iter().enumerate() {
        let grid = Grid::new(cell, size, quantum).unwrap();
        // Steeper from west to east, so that blocks differ.
        let rough = rough(relief, world as u64);
        let data = SectorData::from_fn(grid, |x, z| {
            let (column, row) = ((x / cell).round() as i32, (z / cell).round() as i32);
            f64::from(rough(column, row)) * quantum * (x / size + 0.5).abs()
        });
        let bytes = encode(SectorCoord::new(0, 0), &data.unwrap()).bytes;
        let sector = LoadedSector::new(bytes).unwrap();
        let view = sector.view();
        let field = view.field();
        let mut blocks = std::collections::BTreeMap::new();
        for (column, row) in (0..grid.cells()).flat_map(|c| (0..grid.cells()).map(move |r| (c, r)))
        {
            let own = field.own_steepness(column, row);
            let [nw, ne, sw, se] = field.corners(column, row).map(f64::from);
            let rise = |x: f64, z: f64| (x * x + z * z).sqrt() / cell * 32.0;
            let (first, second) = (rise(ne - nw, se - ne), rise(se - sw, sw - nw));
            let steps = if first > second { first } else { second };
            assert!(
                own == 255 || (f64::from(own) >= steps && f64::from(own) < steps * 1.001 + 1.0)
            );
            assert!(own != 255 || steps > 253.9);
            let known = field.cell_steepness(column, row);
            // Never too low, or a steep cell would be taken for ground to walk on.
            assert!(
                known == 255 || f64::from(known) >= steps,
                "{column}, {row}: {known} of {steps}"
            );
            let block = blocks.entry((column / 8, row / 8)).or_insert((known, 0_u8));
            block.1 = block.1.max(own);
        }
        for (block, (known, greatest)) in blocks {
            assert!(known.abs_diff(greatest) <= 1, "{block:?}: {known} of {greatest}");
        }
    }
}

#[test]
fn a_point_beyond_the_closed_square_or_that_is_no_number_is_outside_and_has_nothing() {
    for (cell, size, quantum, relief) in WORLDS {
        let grid = Grid::new(cell, size, quantum).unwrap();
        let sectors = world(grid, rough(relief, 71), some_holes);
        let field = field(&sectors, 0, -1);
        let half = grid.sector_size().half();
        let inside = [-half, half, 0.0, -0.0, half.next_down(), f32::MIN_POSITIVE];
        let outside = [
            half.next_up(),
            -half.next_up(),
            3.0 * half,
            -1e30,
            f32::MAX,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            -f32::NAN,
        ];
        for near in inside {
            for far in outside {
                for (x, z) in [(near, far), (far, near), (far, far)] {
                    let place = (x, z, cell);
                    assert_eq!(field.ground(x, z), Ground::Outside, "{place:?}");
                    assert_eq!(field.face_normal(x, z), None, "{place:?}");
                    assert_eq!(field.smooth_normal(x, z), None, "{place:?}");
                    assert_eq!(field.slope(x, z), None, "{place:?}");
                    assert_eq!(field.surface(x, z), None, "{place:?}");
                    assert!(!field.is_hole(x, z), "{place:?}");
                    let mut grounds = [Ground::Hole];
                    field.grounds(&[x], &[z], &mut grounds);
                    assert_eq!(grounds, [Ground::Outside], "{place:?}");
                    let mut slopes = [Some(1.0)];
                    field.slopes(&[x], &[z], &mut slopes);
                    assert_eq!(slopes, [None], "{place:?}");
                }
            }
            // The border itself belongs to both sides.
            for other in inside {
                let ground = field.ground(near, other);
                assert_ne!(ground, Ground::Outside);
                assert_eq!(field.ground_at(field.place(near, other)), ground);
            }
        }
    }
}

#[test]
fn a_place_beyond_the_square_says_by_how_much() {
    let grid = Grid::new(2.0, 16.0, 1.0 / 64.0).unwrap();
    let sectors = world(grid, rough(100, 5), solid);
    let field = field(&sectors, 0, 0);
    let CellPlace { column, row, u, v } = field.place(8.0 + 3.0, -8.0 - 5.0);
    assert_eq!((column, row, u, v), (7, 0, 2.5, -2.5));
    let CellPlace { column, row, u, v } = field.place(f32::NAN, 8.0);
    assert_eq!((column, row, v), (0, 7, 1.0));
    assert!(u.is_nan());
}

#[test]
fn a_position_made_for_larger_sectors_is_outside_where_it_leaves_the_square() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let sectors = world(grid, rough(100, 5), solid);
    let view = sectors.view();
    let larger = Grid::new(1.0, 64.0, 1.0 / 256.0).unwrap().sector_size();
    let at =
        |x: f32| WorldPos::new(SectorCoord::new(0, 0), Vec3::new(x, 0.0, 1.0), larger).unwrap();
    assert!(matches!(view.ground(at(3.5)), Ground::Height(_)));
    let mut out = [Ground::Hole; 2];
    view.grounds(&[at(3.5), at(20.0)], &mut out);
    assert_eq!(out, [view.ground(at(3.5)), Ground::Outside]);
    assert_eq!((view.ground(at(20.0)), view.slope(at(20.0))), (Ground::Outside, None));
}

#[test]
fn a_sector_on_another_grid_is_refused_and_nothing_changes() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let mut sectors = world(grid, rough(100, 5), solid);
    let (before, revision) = (sectors.resident().to_vec(), sectors.view().revision());
    let place = SectorCoord::new(1, 0);
    for (cell, size, quantum) in
        [(2.0, 16.0, 1.0 / 256.0), (0.5, 8.0, 1.0 / 256.0), (1.0, 8.0, 0.5)]
    {
        let other = Grid::new(cell, size, quantum).unwrap();
        let flat = SectorData::from_fn(other, |_, _| 0.0).unwrap();
        let sector = Arc::new(LoadedSector::new(encode(place, &flat).bytes).unwrap());
        for at in [place, SectorCoord::new(0, 0)] {
            let refused = sectors.insert(at, Arc::clone(&sector));
            assert_eq!(refused, Err(SectorError::OtherGrid { found: other, expected: grid }));
        }
    }
    assert_eq!((sectors.resident(), sectors.view().revision()), (&before[..], revision));
}
