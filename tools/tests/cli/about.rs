//! What `info` knows of worlds, sector files and elevation files.

use std::fs;

use serde_json::json;

use crate::workshop::{Workshop, floats, gray, hilly};

#[test]
fn a_world_is_described_with_its_grid_sources_and_settings() {
    let shop = Workshop::new();
    shop.hills();
    let about = shop.say("info hills.world --json").done().json();
    assert_eq!((&about["kind"], &about["sectors"]), (&json!("world"), &json!(16)));
    assert_eq!(about["bounds"], json!([[0, 0], [3, 3]]));
    assert_eq!((&about["cell"], &about["sector_size"]), (&json!(1.0), &json!(8.0)));
    assert_eq!((&about["cells"], &about["quantum"]), (&json!(8), &json!(0.00390625)));
    assert_eq!(about["sources"][0]["name"], json!("hills.r32"));
    assert_eq!(about["surfaces"], json!(["ground"]));
    let settings = &about["settings"];
    assert_eq!((&settings["spacing"], &settings["void"]), (&json!([1.0, 1.0]), &json!("hole")));
    assert_eq!((&settings["format"], &settings["tiles"]), (&json!("auto"), &json!(null)));
    let bytes: u64 =
        shop.sectors("hills.world").iter().map(|p| fs::metadata(p).unwrap().len()).sum();
    assert_eq!(about["sector_bytes"], json!(bytes));

    let words = shop.say("info hills.world").done().out;
    for part in [
        "hills.world: a world, generation 1\n",
        "sectors: 16 of 8 m",
        "from (0, 0) to (3, 3)",
        "cells of 1 m, 8 along a sector side; heights in steps of 0.00390625 m",
        "  hills.r32 (",
        "\n  spacing: 1, 1\n",
        "\n  void: hole\n",
        "\n  tile columns: not given\n",
    ] {
        assert!(words.contains(part), "no `{part}` in:\n{words}");
    }
    for debug in ["None", "Some", "Hole", "Auto", " = "] {
        assert!(!words.contains(debug), "`{debug}` in:\n{words}");
    }
}

#[test]
fn a_sector_file_is_described_by_itself() {
    let shop = Workshop::new();
    shop.hills();
    let path = shop.sector("hills.world", 2, 1);
    let about = shop.run(&["info", path.to_str().unwrap(), "--json"]).done().json();
    assert_eq!((&about["kind"], &about["sector"]), (&json!("sector"), &json!([2, 1])));
    assert_eq!((&about["holes"], &about["outside"]), (&json!(0), &json!(0)));
    assert_eq!(about["sample_bits"], json!(16));
    let mut bytes = fs::read(&path).unwrap();
    bytes[200] ^= 1;
    fs::write(&path, bytes).unwrap();
    shop.run(&["info", path.to_str().unwrap()]).failed(2, &["+002_+001"]);
    shop.say("info hills.world/manifest-0000000001").failed(2, &["manifest", "folder"]);
}

#[test]
fn an_elevation_file_is_described_without_the_settings_a_bake_needs() {
    let shop = Workshop::new();
    shop.file("a.png", &gray(9, 7, png::BitDepth::Sixteen, |x, z| (x * 100 + z) as u16));
    let about = shop.say("info a.png --json").done().json();
    assert_eq!((&about["kind"], &about["files"]), (&json!("elevation"), &json!(1)));
    assert_eq!((&about["columns"], &about["rows"]), (&json!(9), &json!(7)));
    assert_eq!(
        (&about["needs_range"], &about["value_range"]),
        (&json!(true), &json!([0.0, 806.0]))
    );
    assert_eq!((&about["spacing"], &about["tile_overlap"]), (&json!(null), &json!(null)));
    let words = shop.say("info a.png").done().out;
    assert!(
        words.starts_with("a.png: elevation, 9 x 7 samples, 16-bit whole numbers\n"),
        "{words}"
    );
    assert!(words.contains("values: 0 to 806"), "{words}");

    let void = |x, z| if x == z { f32::NAN } else { hilly(x, z) };
    shop.file("b.r32", &floats(5, 5, void));
    let about = shop.say("info b.r32 --json").done().json();
    assert_eq!((&about["needs_range"], &about["voids"]), (&json!(false), &json!(5)));
    shop.file("c.txt", b"hello");
    shop.say("info c.txt").failed(2, &["c.txt", "expected PNG, TIFF", "--format"]);
}

#[test]
fn a_folder_of_tiles_is_described_as_one_source() {
    let shop = Workshop::new();
    fs::create_dir(shop.path("tiles")).unwrap();
    for (x, z) in [(0, 0), (1, 0)] {
        let tile = floats(9, 9, |column, row| hilly(x * 8 + column, z * 8 + row));
        shop.file(&format!("tiles/t_x{x}_y{z}.r32"), &tile);
    }
    let about = shop.say("info tiles --json").done().json();
    assert_eq!((&about["columns"], &about["rows"]), (&json!(17), &json!(9)));
    assert_eq!((&about["files"], &about["tile_overlap"]), (&json!(2), &json!(1)));
}

#[test]
fn a_folder_of_tiles_that_cannot_be_read_says_why_and_an_empty_one_that_it_is_no_world() {
    let shop = Workshop::new();
    fs::create_dir_all(shop.path("tiles")).unwrap();
    shop.say("info tiles").failed(2, &["not a world", "marchland bake"]);
    shop.file("tiles/bake.lock", &[]);
    shop.say("info tiles").failed(2, &["not a world", "marchland bake"]);
    for name in ["tiles/N00E010.hgt", "tiles/N01E011.hgt"] {
        shop.file(name, &[0; 32]);
    }
    let ran = shop.say("info tiles").failed(2, &["2 of 4 tiles are missing", "N00E011"]);
    assert!(!ran.err.contains("not a world"), "{}", ran.err);
}
