//! What a bake writes, and what it leaves alone.

use std::fs;

use serde_json::json;

use crate::workshop::{Workshop, files, floats, gray, hilly, times, tree};

#[test]
fn baking_again_writes_nothing_and_says_so() {
    let shop = Workshop::new();
    let bake = shop.hills();
    let before = times(&shop.path("hills.world"));
    let again = shop.say(bake).done();
    assert!(again.out.contains("up to date, nothing written"), "{}", again.out);
    assert_eq!(times(&shop.path("hills.world")), before);
    let again = shop.say(&format!("{bake} --json")).done().json();
    assert_eq!(again["up_to_date"], json!(true));
    assert_eq!(times(&shop.path("hills.world")), before);
}

#[test]
fn only_sectors_that_hold_a_changed_sample_are_written() {
    let shop = Workshop::new();
    let bake = shop.hills();
    // The world's first sample is known to one sector, a shared corner to four, a sample inside to
    // its own, and one beside a border to both sides' aprons.
    for (sample, sectors) in [((0, 0), 1), ((8, 8), 4), ((20, 20), 1), ((20, 23), 2)] {
        let before = files(&shop.path("hills.world"));
        let changed = |x, z| if (x, z) == sample { -3.0 } else { hilly(x, z) };
        shop.file("hills.r32", &floats(33, 33, changed));
        let report = shop.say(&format!("{bake} --json")).done().json();
        assert_eq!(report["sectors_written"], json!(sectors), "{sample:?}");
        assert_eq!(report["sectors"], json!(16));
        let is_sector = |path: &std::path::Path| path.extension().is_some_and(|e| e == "sector");
        let after = files(&shop.path("hills.world"));
        let new = after.keys().filter(|path| is_sector(path) && !before.contains_key(*path));
        assert_eq!(new.count(), sectors, "{sample:?}");
        assert_eq!(shop.say("verify hills.world").done().code, Some(0));
        // Back again, so that each sample is changed alone.
        shop.file("hills.r32", &floats(33, 33, hilly));
        shop.say(bake).done();
    }
}

#[test]
fn force_bakes_all_and_writes_what_differs_on_disk() {
    let shop = Workshop::new();
    let bake = shop.hills();
    let before = tree(&shop.path("hills.world"));
    let report = shop.say(&format!("{bake} --force --json")).done().json();
    assert_eq!((&report["up_to_date"], &report["sectors_written"]), (&json!(false), &json!(0)));
    assert_eq!(tree(&shop.path("hills.world")), before);

    let damaged = shop.sector("hills.world", 2, 1);
    let mut bytes = fs::read(&damaged).unwrap();
    bytes[300] ^= 4;
    fs::write(&damaged, bytes).unwrap();
    let usual = shop.say(bake).done();
    assert!(usual.out.contains("nothing written"), "names and lengths are trusted without --force");
    let report = shop.say(&format!("{bake} --force --json")).done().json();
    assert_eq!(report["sectors_written"], json!(1));
    assert_eq!(tree(&shop.path("hills.world")), before);
}

#[test]
fn a_missing_file_is_baked_again() {
    let shop = Workshop::new();
    let bake = shop.hills();
    let before = tree(&shop.path("hills.world"));
    fs::remove_file(shop.sector("hills.world", 3, 0)).unwrap();
    let report = shop.say(&format!("{bake} --json")).done().json();
    assert_eq!(report["sectors_written"], json!(1));
    assert_eq!(tree(&shop.path("hills.world")), before);
}

#[test]
fn other_settings_are_a_new_generation_of_the_same_world() {
    let shop = Workshop::new();
    let bake = shop.hills();
    assert_eq!(shop.say("info hills.world --json").json()["generation"], json!(1));
    let report = shop.say(&format!("{bake} --quantum 0.5 --json")).done().json();
    assert_eq!((&report["generation"], &report["sectors_written"]), (&json!(2), &json!(16)));
    let about = shop.say("info hills.world --json").json();
    assert_eq!((&about["generation"], &about["quantum"]), (&json!(2), &json!(0.5)));
    let report = shop.say(&format!("{bake} --json")).done().json();
    assert_eq!((&report["generation"], &report["sectors_written"]), (&json!(3), &json!(0)));
    assert_eq!(shop.say("verify hills.world").done().code, Some(0));
}

#[test]
fn worlds_are_the_same_bytes_for_any_number_of_jobs() {
    let shop = Workshop::new();
    // Not square, and not whole sectors.
    shop.file("hills.r32", &floats(150, 61, hilly));
    let bake = "bake hills.r32 --columns 150 --rows 61 --spacing 1.7 --sector-size 8 --cell 1";
    shop.say(&format!("{bake} --jobs 1 --out one.world")).done();
    shop.say(&format!("{bake} --jobs 4 --out four.world")).done();
    let one = tree(&shop.path("one.world"));
    assert!(one.len() > 300, "{}", one.len());
    assert!(one == tree(&shop.path("four.world")), "--jobs changed a byte");
    shop.say(&format!("{bake} --jobs 0 --out none.world")).failed(2, &["--jobs"]);
}

#[test]
fn neither_where_nor_when_a_world_is_baked_is_written_down() {
    let shop = Workshop::new();
    let bake = shop.hills();
    fs::create_dir_all(shop.path("elsewhere")).unwrap();
    fs::copy(shop.path("hills.r32"), shop.path("elsewhere/hills.r32")).unwrap();
    let there = bake.replace("hills.r32", "elsewhere/hills.r32").replace("hills.world", "b.world");
    shop.say(&there).done();
    assert!(tree(&shop.path("hills.world")) == tree(&shop.path("b.world")));
}

#[test]
fn north_is_the_first_row_unless_flipped() {
    let shop = Workshop::new();
    shop.hills();
    shop.say("bake hills.r32 --spacing 1 --sector-size 8 --flip-y --out flipped.world").done();
    let at = |world: &str, z: i32| {
        shop.say(&format!("sample {world} 2 {z} --json")).done().json()["height"].clone()
    };
    // Rows 1 and 31 of 0 to 32.
    assert_eq!(at("hills.world", -3), at("flipped.world", 27));
    assert_eq!(at("hills.world", 27), at("flipped.world", -3));
}

#[test]
fn images_become_heights_by_range_or_by_scale() {
    let shop = Workshop::new();
    let value = |x: u32, z: u32| (x * 4096 + z * 300) as u16;
    shop.file("a.png", &gray(9, 9, png::BitDepth::Sixteen, value));
    let bake = "bake a.png --spacing 1 --sector-size 8";
    shop.say(&format!("{bake} --min-height -10 --max-height 55.535 --out range.world")).done();
    let scaled = "--height-scale 0.001 --height-offset -10 --out scale.world";
    shop.say(&format!("{bake} {scaled}")).done();
    for world in ["range.world", "scale.world"] {
        let height = shop.say(&format!("sample {world} -1 2 --json")).json()["height"].clone();
        let expected = f64::from(value(3, 6)) * 0.001 - 10.0;
        let found = height.as_f64().unwrap();
        assert!((found - expected).abs() <= 0.5 / 256.0, "{world}: {found}, expected {expected}");
    }
    // 8 bits are taken, with a word about what that looks like.
    shop.file("b.png", &gray(9, 9, png::BitDepth::Eight, |x, z| (x * 20 + z) as u16));
    let eight = "bake b.png --spacing 1 --sector-size 8 --min-height 0 --max-height 510";
    let ran = shop.say(&format!("{eight} --out eight.world"));
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("terraces: one step is 2.000 m"), "{}", ran.err);
    assert!(!ran.out.contains("terraces"), "messages are no results: {}", ran.out);
}

#[test]
fn tiles_that_share_nothing_have_their_steps_told() {
    let shop = Workshop::new();
    fs::create_dir(shop.path("tiles")).unwrap();
    for index in 0..6_u32 {
        let (x0, z0) = (index % 3 * 8, index / 3 * 8);
        let value = |x, z| (hilly(x0 + x, z0 + z) * 100.0) as u16 + (index as u16 % 2) * 500;
        shop.file(&format!("tiles/{index}.png"), &gray(8, 8, png::BitDepth::Sixteen, value));
    }
    let bake = "bake tiles --tiles {i}.png --tile-columns 3 --spacing 1 --sector-size 8 \
                --height-scale 0.01 --out tiles.world";
    let ran = shop.say(bake).done();
    assert!(ran.out.contains("tiles: 3 x 2 of 8 x 8 samples, sharing no samples"), "{}", ran.out);
    assert!(ran.out.contains("greatest step across each border"), "{}", ran.out);
    let report = shop.say(&format!("{bake} --force --json")).done().json();
    let borders = report["tile_borders"].as_array().unwrap();
    assert_eq!(borders.len(), 7);
    for border in borders {
        let step = border["greatest_step"].as_f64().unwrap();
        assert!(step > 4.0, "{border}: the tiles differ by 5 m");
        assert!(border["greatest_step_inside"].as_f64().unwrap() < 2.0, "{border}");
    }
    fs::remove_file(shop.path("tiles/4.png")).unwrap();
    shop.say(bake).failed(2, &["4.png", "missing", "--allow-missing"]);
    let ran = shop.say(&format!("{bake} --allow-missing"));
    assert!(ran.out.contains("outside the world: 4.png"), "{}{}", ran.out, ran.err);
    assert!(shop.say("sample tiles.world 8 8").out.contains("outside"));
    assert_eq!(shop.say("verify tiles.world").done().code, Some(0));
}
