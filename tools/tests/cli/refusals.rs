//! What is refused: the file is named, what was found, what was expected, and the flag that mends it.

use std::fs;

use crate::workshop::{Workshop, floats, gray, hilly};

#[test]
fn whole_numbers_without_a_range_show_both_ways_to_give_one() {
    let shop = Workshop::new();
    shop.file("a.png", &gray(9, 9, png::BitDepth::Sixteen, |x, z| (x * z) as u16));
    shop.file("b.r16", &[7; 9 * 9 * 2]);
    shop.file("c.png", &gray(9, 9, png::BitDepth::Eight, |x, z| (x * z) as u16));
    for (file, full_scale) in [("a.png", "65535"), ("b.r16", "65535"), ("c.png", "255")] {
        let ran = shop.say(&format!("bake {file} --spacing 1 --out w.world"));
        let ran = ran.failed(2, &["error: ", file, "not metres", "hint: ", full_scale]);
        ran.failed(2, &["--min-height M --max-height M", "--height-scale S --height-offset O"]);
    }
    let halves = "bake a.png --spacing 1 --out w.world --min-height 3";
    shop.say(halves).failed(2, &["--max-height", "--height-scale"]);
    assert!(!shop.path("w.world").exists(), "nothing is made before all is known");
}

#[test]
fn raw_files_of_no_fitting_size_show_the_candidates() {
    let shop = Workshop::new();
    // 600 samples: 24 × 25, 20 × 30, ...
    shop.file("a.r16", &[1; 1200]);
    let bake = "bake a.r16 --spacing 1 --height-scale 1 --out w.world";
    let says = ["a.r16", "1200 bytes", "30 × 20", "25 × 24", "--columns N --rows N"];
    shop.say(bake).failed(2, &says);
    shop.say(&format!("{bake} --columns 7 --rows 90")).failed(2, &["7 × 90", "30 × 20"]);
    shop.say(&format!("{bake} --columns 25 --rows 24")).done();
}

#[test]
fn settings_that_are_missing_or_mean_nothing_name_their_flag() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(9, 9, hilly));
    let bake = "bake a.r32 --out w.world";
    shop.say(bake).failed(2, &["a.r32 does not specify", "--spacing METRES"]);
    for (flags, says) in [
        ("--spacing 0", ["--spacing is 0,0", "above 0"]),
        ("--spacing 1,2,3", ["--spacing", "expected 2"]),
        ("--spacing x", ["--spacing", "not a number"]),
        ("--spacing 1 --cell 3", ["cell is 3", "--cell"]),
        ("--spacing 1 --sector-size 12", ["12", "--sector-size"]),
        ("--spacing 1 --quantum 0.1", ["0.1", "--quantum"]),
        ("--spacing 1 --void maybe", ["--void is `maybe`", "`hole`, `error` or a height"]),
        ("--spacing 1 --origin 1", ["--origin", "expected 2"]),
        ("--spacing 1 --min-height 0 --max-height 9", ["metres already", "--height-scale"]),
        ("--spacing 1 --holes none.png", ["none.png", "No such file"]),
        ("--spacing 1 --surfaces a.r32", ["--surface-names", "required"]),
        ("--spacing 1 --format hgt", ["a.r32", "1201"]),
    ] {
        let ran = shop.say(&format!("{bake} {flags}"));
        assert!(matches!(ran.code, Some(2 | 3)), "{flags}: {ran:?}");
        for part in says {
            let said = ran.err.to_lowercase();
            assert!(said.contains(&part.to_lowercase()), "{flags}: no `{part}` in {}", ran.err);
        }
    }
    assert!(!shop.path("w.world").exists(), "nothing is made before all is known");
}

#[test]
fn a_height_that_no_quantum_holds_is_not_mended_by_one() {
    let shop = Workshop::new();
    let with = |height: f32| floats(9, 9, |x, z| if (x, z) == (2, 1) { height } else { 0.0 });
    let bake = "bake a.r32 --spacing 1 --out w.world";
    for height in [1e30, f32::MIN] {
        shop.file("a.r32", &with(height));
        let says = ["column 2, row 1", "too great for any quantum", "hint: ", "`--endian`"];
        let ran = shop.say(bake).failed(2, &says);
        assert!(!ran.err.contains("inf"), "{}", ran.err);
    }
    shop.file("a.r32", &with(1e5));
    shop.say(bake)
        .failed(2, &["a quantum of 0.015625 m would be enough", "give `--quantum 0.015625`"]);
    shop.say(&format!("{bake} --quantum 0.015625")).done();
}

#[test]
fn info_says_whose_flags_its_hints_name() {
    let shop = Workshop::new();
    shop.file("q.r16", &[1; 1202]);
    shop.file("q.xyz", b"no heights");
    fs::create_dir(shop.path("tiles")).unwrap();
    shop.file("tiles/readme.md", b"no tiles");
    for (source, flag) in
        [("q.r16", "`--columns N"), ("q.xyz", "`--format png|"), ("tiles", "`--tiles PATTERN`")]
    {
        let about = format!("info {source}");
        let hint = "hint: for `marchland bake`: ";
        shop.say(&about).failed(2, &[source, hint, flag]);
        let ran = shop.say(&format!("bake {source} --spacing 1 --out w.world"));
        assert!(!ran.failed(2, &[flag]).err.contains("for `marchland bake`"));
    }
}

#[test]
fn flags_that_do_nothing_are_told() {
    let shop = Workshop::new();
    shop.file("a.png", &gray(9, 9, png::BitDepth::Sixteen, |x, z| (x * z) as u16));
    let bake = "bake a.png --spacing 1 --height-scale 0.1 --out w.world --force";
    for (flags, says) in [
        ("--tile-columns 3", "--tile-columns has no effect on a single file"),
        ("--tile-overlap 1", "--tile-overlap has no effect on a single file"),
        ("--allow-missing", "--allow-missing has no effect on a single file"),
        ("--channel g", "--channel g has no effect on a gray image"),
        ("--channel b", "--channel b has no effect on a gray image"),
        ("--columns 9", "--columns and --rows have no effect on PNG"),
    ] {
        let ran = shop.say(&format!("{bake} {flags}")).done();
        assert_eq!(ran.err, format!("warning: {says}\n"), "{flags}");
    }
    // The one channel of a gray picture goes by the name of red.
    assert_eq!(shop.say(&format!("{bake} --channel r")).done().err, "");
    let zeros = shop
        .say(&format!("{bake} --tile-columns 0"))
        .failed(2, &["--tile-columns 0", "at least 1"]);
    assert!(!zeros.err.contains("--rows"), "{}", zeros.err);
    shop.say(&format!("{bake} --rows 0")).failed(2, &["--rows 0"]);
    shop.say(&format!("{bake} --columns 0")).failed(2, &["--columns 0"]);
}

/// The start of every scenario below.
const SCENARIO: &str = "version = 1\nname = \"n\"\nticks = 1\n";

#[test]
fn a_scenario_with_many_or_long_names_says_what_it_leaves_out() {
    let shop = Workshop::new();
    let unit = |name: &str| format!("[[units]]\nname = {name:?}\nposition = [0, 0, 0]\n");
    let refused = |names: &[String], says: &[&str]| {
        let units: String = names.iter().map(|name| unit(name)).collect();
        let text = format!("{SCENARIO}{units}[[expect]]\nunit = \"x\"\n");
        shop.file("s.toml", text.as_bytes());
        shop.say("run s.toml").failed(2, says)
    };
    let named = |count: u32| (0..count).map(|n| format!("u{n}")).collect::<Vec<_>>();
    let ran = refused(&named(3000), &["\"u0\", \"u1\", ", ", \"u15\" and 2984 more\n"]);
    assert!(!ran.err.contains("u16"), "{}", ran.err);
    refused(&named(16), &["\"u14\" or \"u15\"\n"]);
    refused(&named(17), &["\"u15\" and 1 more\n"]);
    let long = "é".repeat(5000);
    for names in [vec![long.clone()], vec![long.clone(), long]] {
        let ran = refused(&names, &["\"…"]);
        assert_eq!(ran.err.matches('é').count(), 64, "{}", ran.err);
    }
}

#[test]
fn what_a_scenario_has_twice_or_too_deep_is_named_with_its_line() {
    let shop = Workshop::new();
    let deep = format!("{} = 1", vec!["a"; 20_000].join("."));
    for (text, says) in [
        ("ticks = 2", ["line 4", "duplicate key `ticks`"]),
        ("[bodies.x]\nradius = 0.4\n[bodies.x]\n", ["line 6", "duplicate key `x`"]),
        ("[terrain]\nheights = { rows = 2, rows = 3 }", ["line 5", "duplicate key `rows`"]),
        (&deep, ["line 4", "recursion limit"]),
        (&format!("\n# deep\n{deep}\n[terrain]\n"), ["line 6", "recursion limit"]),
    ] {
        shop.file("s.toml", format!("{SCENARIO}{text}\n").as_bytes());
        shop.say("run s.toml").failed(2, &says);
    }
}

#[test]
fn a_shift_that_a_baked_world_cannot_take_is_named_with_its_line() {
    let shop = Workshop::new();
    shop.hills();
    let run = |shift: &str| {
        let world = "[terrain]\nworld = \"hills.world\"\n";
        shop.file("s.toml", format!("{SCENARIO}origin_sector = {shift}\n{world}").as_bytes());
        shop.say("run s.toml")
    };
    // Its sectors are (0, 0) to (3, 3).
    run("[2147483644, -2147483648]").done();
    for shift in ["[2147483645, 0]", "[2147483647, 0]"] {
        run(shift).failed(2, &["s.toml, line 4: ", "`origin_sector` is [2147483", "(3, 3)"]);
    }
}

#[test]
fn a_surface_without_a_name_is_refused() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(9, 9, hilly));
    shop.file(
        "m.png",
        &gray(8, 8, png::BitDepth::Eight, |x, z| if (x, z) == (5, 2) { 7 } else { 1 }),
    );
    let bake = "bake a.r32 --spacing 1 --out w.world --surfaces m.png --surface-names grass,rock";
    let says = ["surface 7", "column 5, row 2", "2 surface names", "--surface-names"];
    shop.say(bake).failed(2, &says);
    shop.file("m.png", &gray(7, 8, png::BitDepth::Eight, |_, _| 0));
    shop.say(bake).failed(2, &["surface mask is 7 x 8", "8 x 8", "9 x 9"]);
}

#[test]
fn a_jpeg_is_warned_of_as_heights_and_refused_as_surfaces() {
    let shop = Workshop::new();
    let mut jpeg = Vec::new();
    image::codecs::jpeg::JpegEncoder::new(&mut jpeg)
        .encode(&[200; 9 * 9], 9, 9, image::ExtendedColorType::L8)
        .unwrap();
    shop.file("a.jpg", &jpeg);
    let bake = "bake a.jpg --spacing 1 --min-height 0 --max-height 51 --out w.world";
    let surfaces = " --surfaces a.jpg --surface-names grass,rock";
    let says = ["a.jpg", "compression of JPEG changes values", "hint: export", "lossless WebP"];
    shop.say(&(bake.to_owned() + surfaces)).failed(2, &says);
    shop.say(&format!("{bake} --encoding terrarium")).failed(2, &says[1..]);
    shop.say(&format!("{bake} --surfaces a.jpg")).failed(2, &["--surface-names"]);
    let warned = shop.say(bake).done().err;
    assert!(warned.contains("8-bit heights form terraces: one step is 0.200 m"), "{warned}");
    assert!(warned.contains("compression of JPEG changes heights"), "{warned}");
    shop.say("info a.jpg").done();
}

#[test]
fn heights_beyond_the_steps_there_are_name_the_quantum_that_would_do() {
    let shop = Workshop::new();
    let peak = |x, z| if (x, z) == (2, 3) { 40_000.0 } else { 1.0 };
    shop.file("a.r32", &floats(9, 9, peak));
    let bake = "bake a.r32 --spacing 1 --out w.world";
    let says = ["height 40000", "column 2, row 3", "32768 m", "--quantum 0.0078125"];
    shop.say(bake).failed(2, &says);
    shop.say(&format!("{bake} --quantum 0.0078125")).done();
    let sample = shop.say("sample w.world -126 -125 --json").json();
    assert_eq!(sample["height"], serde_json::json!(40_000.0));
}

#[test]
fn a_folder_that_is_no_world_is_refused_and_left_alone() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(9, 9, hilly));
    fs::create_dir(shop.path("letters")).unwrap();
    shop.file("letters/to-a-friend.txt", b"dear");
    let bake = "bake a.r32 --spacing 1 --out";
    let says = ["letters: not a world", "to-a-friend.txt", "--out"];
    shop.say(&format!("{bake} letters")).failed(2, &says);
    assert_eq!(fs::read_dir(shop.path("letters")).unwrap().count(), 1);
    shop.say(&format!("{bake} a.r32"))
        .failed(2, &["a.r32", "a file, expected the folder of a world"]);
}

#[test]
fn a_world_that_does_not_exist_is_told_from_a_folder_without_one() {
    let shop = Workshop::new();
    fs::create_dir(shop.path("bare")).unwrap();
    for verb in ["verify WORLD", "sample WORLD 1 2", "preview WORLD --out p.png", "fly WORLD"] {
        let ran = shop.say(&verb.replace("WORLD", "gone"));
        let ran = ran.failed(2, &["gone: does not exist, expected the folder", "marchland bake"]);
        assert!(!ran.err.contains("not a world"), "{verb}: {}", ran.err);
        let bare = shop.say(&verb.replace("WORLD", "bare"));
        bare.failed(2, &["bare: not a world", "marchland bake"]);
    }
    assert!(!shop.path("gone").exists());
    shop.say("info gone").failed(3, &["gone: ", "No such file"]);
}

#[test]
fn what_the_system_refuses_ends_with_another_code() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(9, 9, hilly));
    shop.say("bake none.png --spacing 1 --out w.world").failed(3, &["none.png", "No such file"]);
    shop.say("bake a.r32 --spacing 1 --out w.world").done();
    shop.say("preview w.world --out no/such/folder/p.png").failed(3, &["no/such/folder/p.png"]);
}

#[test]
fn wrong_use_ends_with_code_2_on_standard_error() {
    let shop = Workshop::new();
    for words in ["", "march", "bake", "bake a.png", "verify", "preview w", "sample w --jason 1 2"]
    {
        let ran = shop.say(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "`{words}`: {}", ran.err);
        assert!(ran.err.contains("--help"), "`{words}`: {}", ran.err);
    }
}

#[test]
fn damaged_sources_are_refused_and_no_world_appears() {
    let shop = Workshop::new();
    let picture = gray(40, 40, png::BitDepth::Sixteen, |x, z| (x * 991 + z * 77) as u16);
    let bake = "bake a.png --spacing 1 --height-scale 0.1 --out w.world";
    for length in [0, 8, 30, 60, picture.len() / 2, picture.len() - 20] {
        shop.file("a.png", &picture[..length]);
        let ran = shop.say(bake).failed(2, &["a.png"]);
        assert_eq!(ran.out, "", "{length} bytes");
        shop.say("verify w.world").failed(2, &["w.world: does not exist"]);
    }
    // A header that promises far more than the file holds.
    let mut bomb = picture.clone();
    bomb[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    let sum = crc32(&bomb[12..29]);
    bomb[29..33].copy_from_slice(&sum.to_be_bytes());
    shop.file("a.png", &bomb);
    shop.say(bake).failed(2, &["a.png", "65536 × 65536"]);
    shop.file("a.png", &picture);
    shop.say(bake).done();
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    !sum
}
