//! Props from file to world: what a bake says of them.

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
pub(crate) fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(97, 65, |x, _| x as f32 * 0.125));
    shop.file("crate.obj", crate_obj([1.0, 2.0], 3.0).as_bytes());
    shop.file("stone.obj", crate_obj([0.5, 0.5], 0.5).as_bytes());
    shop.file("props.toml", PROPS.as_bytes());
    shop
}

pub(crate) const PROPS: &str = r#"
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

pub(crate) const BAKE: &str = "bake a.r32 --columns 97 --rows 65 --spacing 1 --sector-size 32 --out a.world \
                    --props props.toml";

pub(crate) fn baked() -> Workshop {
    let shop = shop();
    shop.say(BAKE).done();
    shop
}

pub(crate) fn number(value: &Value) -> f64 {
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
