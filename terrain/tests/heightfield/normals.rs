//! Normals of faces and of smooth ground, slopes, and how steep cells are.

use marchland_terrain::format::encode;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{CellKind, Grid, Ground, LoadedSector, SectorCoord, SectorData, WorldPos};

use crate::{WORLDS, along_border, field, part, rough, solid, some_holes, world};

#[test]
fn smooth_normals_are_the_same_from_both_sides_of_a_border() {
    for (seed, (cell, size, quantum, relief)) in (21_u64..).zip(WORLDS) {
        let grid = Grid::new(cell, size, quantum).unwrap();
        // Differences of gradients are exact up to 2²¹ quanta between neighbours (twice that where
        // one-sided): 512 m in a cell at the finest quantum of all.
        let relief = lesser(relief, 1 << 20);
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
            let steps = greater(first, second);
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
