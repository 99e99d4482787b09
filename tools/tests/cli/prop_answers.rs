//! What `info`, `raycast`, `preview` and `probe` see of the props of a world.

use marchland_terrain::math::greater;
use serde_json::{Value, json};

use crate::props::{BAKE, PROPS, baked, number, shop};
use crate::workshop::Workshop;

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
        .fold(0.0, |most, depth| greater(depth, most));
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
