//! The forms of ground, asked at places, here and shifted by sectors.

use marchland_terrain::{Ground, SurfaceId};
use marchland_tools::command::scenario::{Scenario, Stage};

use crate::fixtures::*;

const FAR: &str = "origin_sector = [1000000, -2000000]\n";

/// Height by a plane over x and z, row by row.
fn samples(columns: u32, rows: u32, height: impl Fn(u32, u32) -> f64) -> String {
    let all = (0..columns * rows).map(|i| height(i % columns, i / columns).to_string());
    format!("[{}]", all.collect::<Vec<_>>().join(","))
}

fn heights(of: &str) -> String {
    // Not square, not at 0, and over four sectors of 32 m: x from −24 to 24, z from 8 to 32.
    let samples = samples(13, 7, |column, row| f64::from(column) + 10.0 * f64::from(row));
    format!(
        "sector_size = 32\n{of}[terrain]\nheights = {{ columns = 13, rows = 7, spacing = 4, \
         origin = [-24, 8], samples = {samples} }}\n"
    )
}

/// What the plane of `heights` is at a place.
fn plane(x: f64, z: f64) -> f32 {
    ((x + 24.0) / 4.0 + 10.0 * (z - 8.0) / 4.0) as f32
}

#[test]
fn no_terrain_is_a_hole_everywhere() {
    let (scenario, stage) = staged("");
    for (x, z) in [(0.0, 0.0), (127.99, -128.0), (1e9, -1e9)] {
        assert_eq!(ground(&scenario, stage.view(), x, z), Ground::Hole, "{x}, {z}");
    }
}

#[test]
fn flat_ground_is_at_one_height_without_end() {
    // Sizes with many cells, with few, and the largest.
    for size in [8, 64, 256, 16384] {
        let (scenario, stage) = staged(&format!(
            "sector_size = {size}\n[surfaces.ice]\n[terrain]\nflat = -3.25\nsurface = \"ice\"\n"
        ));
        for (x, z) in [(0.0, 0.0), (4.0, -4.0), (127.99, 8000.5), (1e9, -1e9)] {
            let found = ground(&scenario, stage.view(), x, z);
            assert_eq!(found, Ground::Height(-3.25), "{x}, {z} of {size}");
        }
        let surface = stage.view().surface(place(&scenario, 3.0, 0.0, 3.0));
        assert_eq!(surface, Some(SurfaceId(1)));
    }
}

#[test]
fn flat_ground_is_as_fine_as_its_height_allows() {
    for (asked, found) in [
        ("0.3", (0.3_f32 * 1024.0).round() / 1024.0),
        ("8192", 8192.0),
        ("9000.3", 9000.301),
        ("-134217728", -134_217_728.0),
    ] {
        let (scenario, stage) = staged(&format!("[terrain]\nflat = {asked}\n"));
        let Ground::Height(height) = ground(&scenario, stage.view(), 1.0, 1.0) else { panic!() };
        assert!((height - found).abs() <= height.abs() / 8e6, "{height} for {asked}");
    }
}

#[test]
fn heights_are_where_the_file_says_and_beyond_is_a_hole() {
    let (scenario, stage) = staged(&heights(""));
    let view = stage.view();
    for (x, z) in [(-24.0, 8.0), (0.0, 16.0), (-16.0, 15.75), (1.5, 30.5), (23.9375, 31.9375)] {
        let found = ground(&scenario, view, x, z);
        assert_eq!(found, Ground::Height(plane(x, z)), "{x}, {z}");
    }
    for (x, z) in [
        (-24.001, 20.0),
        (24.0, 20.0),
        (0.0, 7.999),
        (0.0, 32.0),
        (-30.0, 20.0),
        // Sectors that nothing of the samples reaches.
        (0.0, -20.0),
        (100.0, 20.0),
        (0.0, 60.0),
        (-50.0, 20.0),
        (1e8, 1e8),
    ] {
        assert_eq!(ground(&scenario, view, x, z), Ground::Hole, "{x}, {z}");
    }
}

#[test]
fn samples_are_rounded_to_the_nearest_step_ties_to_even() {
    let heights = "heights = { columns = 2, rows = 2, spacing = 2, samples = [0.00048828125, \
                   0.00146484375, 0.3, -0.3] }";
    let (scenario, stage) = staged(&format!("[terrain]\n{heights}\n"));
    let marchland_tools::command::scenario::Terrain::Samples(samples) = &scenario.terrain else {
        panic!()
    };
    // Half a step, one and a half, and 307.2 steps.
    assert_eq!(samples.quanta, [Some(0), Some(2), Some(307), Some(-307)]);
    assert_eq!(ground(&scenario, stage.view(), 0.0, 0.0), Ground::Height(0.0));
}

#[test]
fn holes_are_cut_out_cell_by_cell() {
    let (scenario, stage) = staged(&format!("{}holes = [[11, 5], [0, 2], [5, 0]]\n", heights("")));
    let view = stage.view();
    // The middles of all cells.
    for (column, row) in (0..6).flat_map(|row| (0..12).map(move |column| (column, row))) {
        let (x, z) = (f64::from(column) * 4.0 - 22.0, f64::from(row) * 4.0 + 10.0);
        let found = ground(&scenario, view, x, z);
        let expected = match (column, row) {
            (11, 5) | (0, 2) | (5, 0) => Ground::Hole,
            _ => Ground::Height(plane(x, z)),
        };
        assert_eq!(found, expected, "{column}, {row}");
    }
}

#[test]
fn the_surface_is_that_of_every_cell() {
    let (scenario, stage) =
        staged(&format!("{}surface = \"ice\"\n[surfaces.mud]\n[surfaces.ice]\n", heights("")));
    for (x, z) in [(-20.0, 10.0), (20.0, 30.0)] {
        let surface = stage.view().surface(place(&scenario, x, 0.0, z));
        assert_eq!(surface, Some(SurfaceId(2)));
    }
}

#[test]
fn an_image_begins_at_the_origin_with_its_first_row_north() {
    let folder = Folder::new();
    folder.image("sub/hills.png");
    let scenario = folder
        .load(&format!(
            "{LEAST}[terrain]\npng = {{ file = \"sub/hills.png\", spacing = 2, min_height = -1, \
             max_height = 65534 }}\nholes = [[3, 1]]\n"
        ))
        .unwrap();
    let stage = Stage::new(&scenario).unwrap();
    // Codes 0, 1000, 2000, … of 65535 become metres less one; a step is 2⁻⁷ m, since 2⁻¹⁰ m do not
    // reach that high.
    let height = |column: u32, row: u32| (1000 * (row * 5 + column)) as f32 - 1.0;
    for (column, row) in (0..2).flat_map(|row| (0..4).map(move |column| (column, row))) {
        let corner = [f64::from(column) * 2.0, f64::from(row) * 2.0];
        let found = ground(&scenario, stage.view(), corner[0], corner[1]);
        let hole = (column, row) == (3, 1);
        let expected = if hole { Ground::Hole } else { Ground::Height(height(column, row)) };
        assert_eq!(found, expected, "{column}, {row}");
    }
    for (x, z) in [(8.0, 1.0), (-0.01, 1.0), (1.0, 4.0), (1.0, -0.01)] {
        assert_eq!(ground(&scenario, stage.view(), x, z), Ground::Hole, "{x}, {z}");
    }
}

#[test]
fn a_baked_world_is_the_ground_with_its_own_sectors_and_surfaces() {
    let folder = Folder::new();
    folder.world("slope.world");
    let read = |more: &str| {
        let toml = format!(
            "{LEAST}{more}[terrain]\nworld = \"slope.world\"\n[surfaces.mud]\nfriction = 0.5\n"
        );
        folder.load(&toml).unwrap_or_else(|e| panic!("{e}"))
    };
    for shift in ["", FAR] {
        let scenario = read(shift);
        assert_eq!(scenario.sector_size.metres(), 32.0);
        let names: Vec<_> =
            scenario.surfaces.iter().map(|s| (s.name.as_str(), s.response.friction)).collect();
        assert_eq!(names, [("grass", 1.0), ("mud", 0.5), ("ground", 1.0)]);
        let stage = Stage::new(&scenario).unwrap();
        // The low corner of sector (0, 0) is at −16.
        for (x, z) in [(0.0, 0.0), (15.0, 20.0), (17.0, -3.5), (47.5, 47.5), (-16.0, -16.0)] {
            let expected = (x + 16.0 + (z + 16.0) / 2.0) as f32;
            let found = ground(&scenario, stage.view(), x, z);
            assert_eq!(found, Ground::Height(expected), "{x}, {z}{shift}");
        }
        for (x, z) in [(-16.1, 0.0), (48.0, 0.0), (0.0, 1e6)] {
            assert_eq!(ground(&scenario, stage.view(), x, z), Ground::Outside, "{x}, {z}");
        }
    }
    let beyond = "origin_sector = [2147483647, 0]\n[terrain]\nworld = \"slope.world\"\n";
    let error = folder.load(&format!("{LEAST}{beyond}")).unwrap_err().to_string();
    assert!(error.contains("line 4: `origin_sector` is [2147483647, 0]"), "{error}");
}

#[test]
fn a_shift_changes_sectors_and_no_bit_of_the_ground() {
    let here = heights("");
    let folder = Folder::new();
    folder.image("hills.png");
    let png =
        "[terrain]\npng = { file = \"hills.png\", spacing = 8, min_height = 0, max_height = 9 }\n";
    let flat = "[terrain]\nflat = 1.5\n".to_owned();
    for (near, far) in [
        (here.clone(), heights(FAR)),
        (png.to_owned(), format!("{FAR}{png}")),
        (flat.clone(), format!("{FAR}{flat}")),
        (String::new(), FAR.to_owned()),
    ] {
        let load = |toml: &str| -> (Scenario, Stage) {
            let scenario = folder.load(&format!("{LEAST}{toml}")).unwrap();
            let stage = Stage::new(&scenario).unwrap();
            (scenario, stage)
        };
        let ((near, near_stage), (far, far_stage)) = (load(&near), load(&far));
        for i in 0..400 {
            let (x, z) =
                (f64::from(i * 37 % 800) * 0.13 - 50.0, f64::from(i * 91 % 700) * 0.11 - 30.0);
            let (a, b) = (place(&near, x, 0.0, z), place(&far, x, 0.0, z));
            assert_eq!(a.local(), b.local());
            assert_eq!(b.sector().x - a.sector().x, 1_000_000);
            assert_eq!(b.sector().z - a.sector().z, -2_000_000);
            let bits = |ground| match ground {
                Ground::Height(height) => Some(f32::to_bits(height)),
                Ground::Hole => None,
                other => panic!("{other:?}"),
            };
            let (here, there) = (near_stage.view(), far_stage.view());
            assert_eq!(bits(here.ground(a)), bits(there.ground(b)), "{x}, {z}");
            assert_eq!(here.smooth_normal(a), there.smooth_normal(b), "{x}, {z}");
            assert_eq!(near.position_of(a), far.position_of(b));
        }
    }
}

#[test]
fn missing_sectors_are_not_resident_and_come_back() {
    let gone = "[[not_resident]]\nsector = [0, 0]\nfrom = 5\nto = 7\n";
    for terrain in [heights(""), heights(FAR), "sector_size = 32\n[terrain]\nflat = 2\n".to_owned()]
    {
        let (scenario, stage) = staged(&format!("{terrain}{gone}"));
        let at = |tick: u32, x: f64| {
            let sectors = stage.without(&scenario.missing_at(tick));
            ground(&scenario, sectors.view(), x, 12.0)
        };
        for tick in [4, 7] {
            assert_eq!(at(tick, 3.0), ground(&scenario, stage.view(), 3.0, 12.0));
        }
        for tick in [5, 6] {
            assert_eq!(at(tick, 3.0), Ground::NotResident);
            assert!(matches!(at(tick, 20.0), Ground::Height(_)), "its neighbour is there");
        }
    }
}
