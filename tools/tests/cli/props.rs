//! Props from file to world: what a bake says of them, and what the other verbs then see.

use serde_json::{Value, json};

use crate::workshop::{Workshop, files, floats, times};

/// A box of these half sides on its floor, 8 vertices and 12 triangles, with one triangle twice, one
/// without area, and its first corner given twice.
fn crate_obj(half: [f32; 2], height: f32) -> String {
    let [x, z] = half;
    let mut text = String::from("# a crate\n");
    for y in [0.0, height] {
        for [x, z] in [[-x, -z], [x, -z], [x, z], [-x, z]] {
            text += &format!("v {x} {y} {z}\n");
        }
    }
    text += &format!("v {} 0 {}\n", -x, -z);
    for quad in [[9, 2, 3, 4], [8, 7, 6, 5], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 8, 4], [4, 8, 5, 1]]
    {
        let [a, b, c, d] = quad;
        text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
    }
    text + "f 9 2 3\nf 1 9 2\nf 3 9 2\n"
}

/// 96 × 64 m in sectors of 32 m, rising 1 m in 8 along X, from (−16, −16) on.
fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(97, 65, |x, _| x as f32 * 0.125));
    shop.file("crate.obj", crate_obj([1.0, 2.0], 3.0).as_bytes());
    shop.file("stone.obj", crate_obj([0.5, 0.5], 0.5).as_bytes());
    shop.file("props.toml", PROPS.as_bytes());
    shop
}

const PROPS: &str = r#"
[[prop]]
mesh = "crate.obj"
position = [16.0, "ground", 16.0]

[[prop]]
mesh = "crate.obj"
position = [60.0, 20.0, 30.0]
rotation = [0.0, 90.0, 0.0]
scale = 2.0

[[scatter]]
mesh = "stone.obj"
count = 40
seed = 5
area = [[-16, -16], [30, 48]]
"#;

const BAKE: &str = "bake a.r32 --columns 97 --rows 65 --spacing 1 --sector-size 32 --out a.world \
                    --props props.toml";

fn baked() -> Workshop {
    let shop = shop();
    shop.say(BAKE).done();
    shop
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_bake_says_what_became_of_meshes_and_rules() {
    let shop = shop();
    let report = shop.say(&format!("{BAKE} --json")).done().json();
    assert_eq!(report["props"], json!(42));
    assert_eq!(report["unique_triangles"], json!(24));
    assert_eq!(report["placed_triangles"], json!(42 * 12));
    let meshes = report["meshes"].as_array().unwrap();
    assert_eq!(meshes.len(), 2);
    for (mesh, (name, placed)) in meshes.iter().zip([("crate.obj", 2), ("stone.obj", 40)]) {
        assert!(mesh["name"].as_str().unwrap().contains(name), "{mesh}");
        let expected = json!({
            "triangles": 12, "closed": true, "welded": 1, "degenerate": 1, "duplicate": 2,
            "turned": 0, "placed": placed,
        });
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&mesh[key], value, "{key} of {mesh}");
        }
    }
    let [scatter] = report["scatters"].as_array().unwrap().as_slice() else { panic!("{report}") };
    assert_eq!((&scatter["asked"], &scatter["placed"]), (&json!(40), &json!(40)));
    assert!(scatter["name"].as_str().unwrap().contains("props.toml"), "{scatter}");
    assert_eq!(report["sectors"], json!(6));

    let words = shop.say(&format!("{BAKE} --force")).done().out;
    assert!(words.contains("42 props of 2 meshes; 24 triangles stored, 504 placed"), "{words}");
    assert!(words.contains("40 of 40 placed"), "{words}");
    // Without props the keys are there.
    let plain = BAKE.replace(" --props props.toml", "").replace("a.world", "plain.world");
    let report = shop.say(&format!("{plain} --json")).done().json();
    assert_eq!((&report["props"], &report["meshes"]), (&json!(0), &json!([])));
    assert_eq!(report["scatters"], json!([]));
}

#[test]
fn a_bake_is_up_to_date_until_a_mesh_or_the_file_of_props_changes() {
    let shop = baked();
    let before = times(&shop.path("a.world"));
    assert!(shop.say(BAKE).done().out.contains("up to date, nothing written"));
    // The same bytes again are nothing new.
    shop.file("stone.obj", crate_obj([0.5, 0.5], 0.5).as_bytes());
    assert!(shop.say(BAKE).done().out.contains("up to date"));
    assert_eq!(times(&shop.path("a.world")), before);

    shop.file("stone.obj", crate_obj([0.5, 0.5], 0.75).as_bytes());
    let report = shop.say(&format!("{BAKE} --json")).done().json();
    assert_eq!((&report["up_to_date"], &report["generation"]), (&json!(false), &json!(2)));
    // All stones stand in four of the six sectors.
    assert_eq!(report["sectors_written"], json!(4));
    shop.say("verify a.world").done();

    shop.file("props.toml", PROPS.replace("scale = 2.0", "scale = 1.5").as_bytes());
    let report = shop.say(&format!("{BAKE} --json")).done().json();
    assert_eq!((&report["up_to_date"], &report["generation"]), (&json!(false), &json!(3)));
    assert!(shop.say(BAKE).done().out.contains("up to date"));
}

#[test]
fn worlds_with_props_are_the_same_bytes_for_any_number_of_jobs_and_keep_nothing_aside() {
    let shop = shop();
    shop.say(&format!("{BAKE} --jobs 1")).done();
    let one = files(&shop.path("a.world"));
    shop.say(&format!("{} --jobs 4", BAKE.replace("a.world", "b.world"))).done();
    let four = files(&shop.path("b.world"));
    assert_eq!(one.len(), four.len());
    for ((path, a), b) in one.iter().zip(four.values()) {
        assert!(a == b, "{}", path.display());
    }
    let sectors = shop.sectors("a.world");
    assert_eq!(sectors.len(), 6);
    let others: Vec<_> = one.keys().filter(|path| !sectors.contains(path)).collect();
    // A manifest, a lock, two meshes.
    assert_eq!(others.len(), 4, "{others:?}");
}

#[test]
fn a_bake_without_props_is_as_it_was() {
    let shop = baked();
    let plain = BAKE.replace(" --props props.toml", "");
    let report = shop.say(&format!("{plain} --json")).done().json();
    assert_eq!(report["generation"], json!(2));
    assert_eq!(shop.say("info a.world --json").done().json()["props"], json!(0));
    shop.say(BAKE).done();
    assert_eq!(shop.say("info a.world --json").done().json()["props"], json!(42));
}

#[test]
fn several_files_of_props_are_placed_together_and_share_their_meshes() {
    let shop = shop();
    shop.file("more.toml", b"[[prop]]\nmesh = \"stone.obj\"\nposition = [0, 1, 2]\n");
    shop.file("twin.obj", crate_obj([1.0, 2.0], 3.0).as_bytes());
    shop.file("twins.toml", b"[[prop]]\nmesh = \"twin.obj\"\nposition = [0, 5, 2]\n");
    let report =
        shop.say(&format!("{BAKE} --props more.toml --props twins.toml --json")).done().json();
    assert_eq!(report["props"], json!(44));
    let placed: Vec<_> =
        report["meshes"].as_array().unwrap().iter().map(|mesh| &mesh["placed"]).collect();
    assert_eq!(placed, [&json!(3), &json!(41)]);
    assert_eq!(report["unique_triangles"], json!(24));
}

#[test]
fn what_is_said_of_a_placement_names_its_file_with_its_folder() {
    let shop = shop();
    let far = "[[prop]]\nmesh = \"stone.obj\"\nposition = [900, 0, 0]\n";
    let rule = "[[scatter]]\nmesh = \"stone.obj\"\ncount = 9\n";
    for folder in ["pa", "pb"] {
        std::fs::create_dir(shop.path(folder)).unwrap();
        shop.file(&format!("{folder}/stone.obj"), crate_obj([0.5, 0.5], 0.5).as_bytes());
        shop.file(&format!("{folder}/t.toml"), rule.as_bytes());
    }
    let bake = BAKE.replace("props.toml", "pa/t.toml --props pb/t.toml");
    let words = shop.say(&bake).done().out;
    for part in ["  pa/t.toml, line 1: 9 of 9 placed", "  pb/t.toml, line 1: 9 of 9 placed"] {
        assert!(words.contains(part), "no `{part}` in {words}");
    }
    // The same files by another name of their folder are nothing new.
    assert!(shop.say(&bake.replace("pb/t", "./pb/t")).done().out.contains("up to date"));
    shop.file("pb/t.toml", far.as_bytes());
    shop.say(&bake).failed(2, &["error: pb/t.toml, line 1: (900, 0)"]);
}

#[test]
fn info_knows_props_and_what_they_take() {
    let shop = baked();
    let about = shop.say("info a.world --json").done().json();
    assert_eq!((&about["props"], &about["meshes"]), (&json!(42), &json!(2)));
    assert_eq!(about["unique_triangles"], json!(24));
    assert_eq!(about["placed_triangles"], json!(504));
    assert!(number(&about["mesh_bytes_per_triangle"]) > 20.0, "{about}");
    let each = number(&about["bytes_per_prop"]);
    assert!((52.0..200.0).contains(&each), "{each}");
    let words = shop.say("info a.world").done().out;
    assert!(words.contains("props: 42 of 2 meshes"), "{words}");
    // A sector's file by itself.
    let file = shop.sector("a.world", 0, 0);
    let ran = shop.run(&["info".as_ref(), file.as_os_str(), "--json".as_ref()]).done();
    assert!(number(&ran.json()["props"]) > 1.0, "{}", ran.out);
    assert_eq!(ran.json()["meshes"], json!(2));
}

#[test]
fn a_prop_on_the_ground_is_met_by_a_ray_where_it_stands() {
    let shop = baked();
    let cast = |from: &str, to: &str| {
        shop.say(&format!("raycast a.world --from {from} --to {to} --json")).done().json()
    };
    // The ground under (16, 16) is 4 m high, the crate 3 m, on the corner of four sectors.
    for place in ["16.25,{},16.25", "15.75,{},16.25", "16.25,{},15.75", "15.75,{},15.75"] {
        let [from, to] = ["50", "-50"].map(|y| place.replace("{}", y));
        let hit = cast(&from, &to);
        assert_eq!(hit["hit"], json!(true));
        assert!((number(&hit["position"][1]) - 7.0).abs() < 1e-4, "{hit}");
        assert_eq!(hit["prop"]["sector"], json!([1, 1]), "{hit}");
        assert_eq!(hit["prop"]["index"], json!(0), "{hit}");
    }
    let hit = cast("19,50,16", "19,-50,16");
    assert_eq!(hit["prop"], json!(null), "{hit}");
    let hit = cast("19,6,16", "10,6,16");
    assert!((number(&hit["position"][0]) - 17.0).abs() < 1e-4, "{hit}");
}

#[test]
fn what_is_wrong_with_props_is_told_with_file_and_line() {
    let shop = shop();
    let refuse = |text: &str, says: &[&str]| {
        shop.file("props.toml", text.as_bytes());
        shop.say(BAKE).failed(2, says);
    };
    refuse(
        "[[prop]]\nmesh = \"crate.obj\"\npositon = [0,0,0]\n",
        &["props.toml", "line 3", "positon"],
    );
    let far = "[[prop]]\nmesh = \"crate.obj\"\nposition = [0,0,0]\n\n\
               [[prop]]\nmesh = \"crate.obj\"\nposition = [900,0,0]\n";
    refuse(far, &["props.toml, line 5", "(900, 0)", "outside the world"]);
    refuse(
        "[[prop]]\nmesh = \"crate.obj\"\nposition = [79.5, \"ground\", 60]\nscale = 500\n",
        &["props.toml, line 1", "outside the world"],
    );
    let many = "[[scatter]]\nmesh = \"crate.obj\"\ncount = 9000000\n";
    refuse(&many.repeat(2), &["props.toml, line 4", "more than 16777216 props"]);
    refuse("[[prop]\n", &["props.toml", "line 1"]);
    shop.file("props.toml", b"[[prop]]\nmesh = \"none.obj\"\nposition = [0,0,0]\n");
    shop.say(BAKE).failed(3, &["props.toml, line 2", "none.obj"]);
    shop.say(&BAKE.replace("props.toml", "gone.toml")).failed(3, &["gone.toml"]);
    // Nothing of it became a world, and what was begun is gone.
    shop.say("verify a.world").failed(2, &["does not exist"]);
    assert!(!shop.path("a.world").exists());
    shop.file("props.toml", PROPS.as_bytes());
    shop.say(BAKE).done();
    let before = times(&shop.path("a.world"));
    refuse(far, &["outside the world"]);
    assert_eq!(times(&shop.path("a.world")), before);
    assert!(!shop.path("a.world/spool").exists());
}

#[test]
fn a_rule_that_finds_too_little_ground_is_told() {
    let shop = shop();
    let rule = "[[scatter]]\nmesh = \"crate.obj\"\ncount = 9\nheight = [500, 600]\n";
    shop.file("props.toml", rule.as_bytes());
    let ran = shop.say(&format!("{BAKE} --json")).done();
    assert!(ran.err.contains("warning: props.toml, line 1"), "{}", ran.err);
    assert!(ran.err.contains("0 of 9 placed"), "{}", ran.err);
    assert!(ran.json()["warnings"][0].as_str().unwrap().contains("0 of 9 placed"));
}

#[test]
fn verify_finds_a_mesh_that_is_damaged_or_gone() {
    let shop = baked();
    shop.say("verify a.world").done();
    let sectors = shop.sectors("a.world");
    let is_mesh = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|end| end == "mesh") && !sectors.contains(path)
    };
    let mesh = files(&shop.path("a.world")).into_keys().find(is_mesh).unwrap();
    let mut bytes = std::fs::read(&mesh).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&mesh, &bytes).unwrap();
    let ran = shop.say("verify a.world");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    std::fs::remove_file(&mesh).unwrap();
    assert_eq!(shop.say("verify a.world").code, Some(1));
    assert!(shop.say(BAKE).done().out.contains("generation"), "a missing mesh is baked again");
    shop.say("verify a.world").done();
}

/// Width and pixels of a picture.
fn picture(shop: &Workshop, name: &str) -> (usize, Vec<[u8; 3]>) {
    let bytes = std::fs::read(shop.path(name)).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width as usize, pixels.as_chunks().0.to_vec())
}

#[test]
fn a_preview_changes_where_props_are_and_nowhere_else() {
    let shop = shop();
    shop.file("props.toml", PROPS.split("[[scatter]]").next().unwrap().as_bytes());
    shop.say(BAKE).done();
    let plain = BAKE.replace(" --props props.toml", "").replace("a.world", "plain.world");
    shop.say(&plain).done();
    let size = "--size 960 --json";
    let with = shop.say(&format!("preview a.world --out with.png {size}")).done().json();
    let without = shop.say(&format!("preview plain.world --out none.png {size}")).done().json();
    assert_eq!((&with["props"], &without["props"]), (&json!(2), &json!(0)));
    let ((width, with), (_, none)) = (picture(&shop, "with.png"), picture(&shop, "none.png"));
    // Ten pixels a metre, 96 x 64 m, a legend to the right.
    let changed: Vec<[f64; 2]> = (0..with.len())
        .filter(|&at| with[at] != none[at] && at % width < 960 && at / width < 640)
        .map(|at| [(at % width) as f64 / 10.0 - 16.0, (at / width) as f64 / 10.0 - 16.0])
        .collect();
    // Turned by a quarter and twice as large: 8 m along X, 4 m along Z.
    let inside = |[x, z]: [f64; 2]| {
        ((x - 16.0).abs() < 1.1 && (z - 16.0).abs() < 2.1)
            || ((x - 60.0).abs() < 4.1 && (z - 30.0).abs() < 2.1)
    };
    assert!(changed.iter().all(|&place| inside(place)));
    let area = f64::from(2 * 4 + 8 * 4) * 100.0;
    assert!((changed.len() as f64 - area).abs() < 0.06 * area, "{} of {area}", changed.len());
    assert!(
        with[..width * 640]
            .iter()
            .zip(&none)
            .enumerate()
            .any(|(at, (a, b))| { a != b && at % width >= 960 }),
        "the legend says what they are"
    );
}

#[test]
fn a_probe_says_what_a_body_stands_on_touches_and_has_above() {
    let shop = baked();
    let probe = |words: &str| shop.say(&format!("probe a.world {words} --json")).done().json();
    // On open ground, 7 m high, which rises 1 in 8.
    let open = probe("40 -10");
    assert_eq!((&open["ground"], &open["support"]["prop"]), (&json!("height"), &Value::Null));
    assert!((number(&open["support"]["height"]) - 7.0).abs() < 1e-6, "{open}");
    assert!((number(&open["support"]["slope_degrees"]) - 7.125).abs() < 1e-3, "{open}");
    assert_eq!((&open["clearance"], &open["ceiling"]), (&Value::Null, &Value::Null));
    assert_eq!(open["not_resident"], Value::Null);
    // On the first crate, whose top is 7 m high, from each of the sectors that it reaches into.
    for place in ["16.3 16.3", "15.7 16.3", "16.3 15.7", "15.7 15.7"] {
        let top = probe(&format!("{place} --y 7"));
        let support = &top["support"];
        assert!((number(&support["height"]) - 7.0).abs() < 1e-5, "{top}");
        assert_eq!(
            (&support["prop"]["sector"], &support["prop"]["index"]),
            (&json!([1, 1]), &json!(0))
        );
        assert_eq!(
            (&support["surface"], &support["slope_degrees"]),
            (&json!("ground"), &json!(0.0))
        );
        assert_eq!(top["contacts"], json!([]), "{top}");
    }
    // Beside it, a tenth of a metre too near: the way out is east.
    let beside = probe("17.3 16 --y 5");
    let contacts = beside["contacts"].as_array().unwrap();
    assert!(!contacts.is_empty(), "{beside}");
    let deepest = contacts
        .iter()
        .map(|contact| number(&contact["depth"]))
        .fold(0.0, |most, depth| if depth > most { depth } else { most });
    assert!((deepest - 0.1).abs() < 1e-5, "{beside}");
    assert_eq!(contacts[0]["normal"], json!([1.0, 0.0, 0.0]), "{beside}");
    // Below the second crate, whose floor is at 20 m; feet at 12 m over ground at 9.5 m.
    let below = probe("60 30 --y 12 --height 1");
    assert!((number(&below["clearance"]) - 8.0).abs() < 1e-5, "{below}");
    assert_eq!(below["ceiling"]["prop"]["sector"], json!([2, 1]), "{below}");
    assert!((number(&below["support"]["below_feet"]) - 2.5).abs() < 1e-5, "{below}");
    // Another layer sees no props.
    shop.file("props.toml", PROPS.replace("scale = 2.0", "scale = 2.0\nlayers = 6").as_bytes());
    shop.say(BAKE).done();
    assert_eq!(probe("60 30 --y 12 --mask 0x8")["clearance"], Value::Null);
    assert!(probe("60 30 --y 12 --mask 12")["clearance"].is_number());
    let words = shop.say("probe a.world 60 30 --y 12").done().out;
    for part in [
        "feet at (60.000, 12.000, 30.000)",
        "support: 9.500 m",
        "clearance: 8.000 m",
        "prop 0 of sector (2, 1)",
        "contacts: none",
    ] {
        assert!(words.contains(part), "no `{part}` in {words}");
    }
}

#[test]
fn a_probe_without_ground_or_body_is_refused_or_says_what_is_unknown() {
    let shop = baked();
    let refuse = |words: &str, says: &[&str]| {
        shop.say(&format!("probe a.world {words}")).failed(2, says);
    };
    refuse("900 0", &["(900, 0)", "outside the world", "--y"]);
    refuse("1 2 --radius 0", &["radius 0 m"]);
    refuse("1 2 --height=-1", &["height -1 m"]);
    refuse("1 2 --radius NaN", &["radius NaN"]);
    refuse("1 2 --y inf", &["--y"]);
    refuse("1 2 --mask 0x1ffffffff", &["--mask"]);
    refuse("1 2 --mask -1", &["--mask", "expected a 32-bit mask"]);
    refuse("1 two", &["two"]);
    refuse("nan 2", &["NaN"]);
    let outside = shop.say("probe a.world 900 0 --y 3 --json").done().json();
    assert_eq!((&outside["ground"], &outside["support"]), (&json!("outside"), &Value::Null));
    // The sector beside it is damaged.
    std::fs::write(shop.sector("a.world", 1, 0), b"no sector").unwrap();
    let ran = shop.say("probe a.world 15.8 2 --json");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("warning: sector (1, 0)"), "{}", ran.err);
    let answer = ran.json();
    assert_eq!((&answer["not_resident"], &answer["support"]), (&json!([1, 0]), &Value::Null));
    let ran = shop.say("probe a.world 15.8 2");
    assert!(ran.out.contains("unknown: sector (1, 0) could not be loaded"), "{}", ran.out);
}
