//! `PROPS.md`, table by table.

use marchland_tools::import::props::{PropProblem, load};
use marchland_tools::toml_tree::TomlProblem;
use serde_json::json;

use crate::document::Document;
use crate::keys::{self, Sample};
use crate::ranges;
use crate::workshop::Workshop;

const DOCUMENT: Document = Document(include_str!("../../PROPS.md"));

const GROUND: (&str, &str) = ("position", "[0, \"ground\", 0]");

/// Every table, in the order of the document.
const SAMPLES: [Sample; 4] = [
    Sample { heading: "## The file itself", begin: "", needed: &[], chosen: &[], end: "" },
    Sample {
        heading: "### `[[prop]]`",
        begin: "[[prop]]\n",
        needed: &[("mesh", "\"crate.obj\""), GROUND],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `[[scene]]`",
        begin: "[[scene]]\n",
        needed: &[("file", "\"village.glb\""), GROUND],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `[[scatter]]`",
        begin: "[[scatter]]\n",
        needed: &[],
        chosen: &[("mesh", "\"crate.obj\""), ("count", "5")],
        end: "",
    },
];

/// A box on its floor, 2 m high, as wide and as long as told.
fn crate_obj([wide, long]: [f32; 2]) -> String {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let at = |y: f32| {
        corners.map(|[x, z]| format!("v {} {y} {}\n", x * wide / 2.0, z * long / 2.0)).concat()
    };
    let faces = "f 1 2 3 4\nf 8 7 6 5\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n";
    format!("{}{}{faces}", at(0.0), at(2.0))
}

/// Three nodes with one tetrahedron.
fn village_glb() -> Vec<u8> {
    let floats = [[0.0_f32, 0.0, 0.0], [6.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]];
    let mut binary: Vec<u8> = floats.iter().flatten().flat_map(|f| f.to_le_bytes()).collect();
    binary.extend([0_u16, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].iter().flat_map(|i| i.to_le_bytes()));
    let json = json!({
        "asset": { "version": "2.0" },
        "scene": 0, "scenes": [{ "nodes": [0, 1, 2] }],
        "nodes": [
            { "mesh": 0 },
            { "mesh": 0, "translation": [20, 0, 5] },
            { "mesh": 0, "translation": [-15, 1, 30], "rotation": [0, 1, 0, 0] },
        ],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "buffers": [{ "byteLength": binary.len() }],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 24 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
              "min": [0, 0, 0], "max": [6, 4, 6] },
            { "bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR" },
        ],
    });
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let mut glb = b"glTF".to_vec();
    glb.extend([2, total as u32, text.len() as u32].into_iter().flat_map(u32::to_le_bytes));
    glb.extend(b"JSON");
    glb.extend(text);
    glb.extend((binary.len() as u32).to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(binary);
    glb
}

/// A PNG of 257 × 257 samples in gray of 16 bits, a slope that is nowhere steep.
fn hills_png() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 257, 257);
    encoder.set_depth(png::BitDepth::Sixteen);
    let places = (0..257_u16).flat_map(|row| (0..257).map(move |column| (column, row)));
    let codes = places.flat_map(|(column, row)| (2000 + column * 20 + row * 9).to_be_bytes());
    let codes: Vec<u8> = codes.collect();
    encoder.write_header().unwrap().write_image_data(&codes).unwrap();
    bytes
}

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.file("hills.png", hills_png());
    shop.file("village.glb", village_glb());
    for (name, size) in [
        ("crate.obj", [2.0, 3.0]),
        ("fir.obj", [0.5, 0.5]),
        ("birch.obj", [0.25, 0.5]),
        ("stone.obj", [1.0, 0.75]),
    ] {
        shop.file(name, crate_obj(size));
    }
    shop
}

/// The words after `marchland` that bake the example.
fn command() -> String {
    let lines = DOCUMENT.block("sh").replace("\\\n", " ");
    lines.trim().strip_prefix("marchland ").unwrap().to_owned()
}

#[test]
fn every_key_of_a_file_of_props_has_its_row_and_every_row_its_key() {
    let shop = shop();
    let surfaces = ["grass", "ground"].map(str::to_owned);
    let read = |text: &str| match load(&shop.file("a.toml", text), &surfaces) {
        Ok(file) => Ok(format!("{:?}", file.input)),
        Err(error) => match error.problem {
            PropProblem::Toml(problem) => Err(problem),
            other => panic!("{other}\n{text}"),
        },
    };
    keys::check(DOCUMENT, &SAMPLES, &read);
    assert!(ranges::check(DOCUMENT, &SAMPLES, &read) > 8);
    // The default is said in words where a rule has no seed.
    let rule = "[[scatter]]\nmesh = \"crate.obj\"\ncount = 5\n";
    let both = load(&shop.file("a.toml", rule.repeat(2)), &surfaces).unwrap();
    assert_ne!(both.input.scatters[0].seed, both.input.scatters[1].seed);
    let two = "[[scatter]]\nmeshes = [\"crate.obj\", \"fir.obj\"]\ncount = 5\ndensity = 5\n";
    let refused = load(&shop.file("a.toml", two), &surfaces).unwrap_err();
    assert!(matches!(refused.problem, PropProblem::Toml(TomlProblem::Both { .. })), "{refused}");
}

#[test]
fn the_example_of_props_bakes_and_all_of_it_stands() {
    let shop = shop();
    shop.file("town.toml", DOCUMENT.block("toml"));
    let words = &command();
    let report = shop.json(words);
    assert_eq!(report["warnings"], json!([]));
    let scatters = report["scatters"].as_array().unwrap();
    let placed: Vec<u64> = scatters.iter().map(|rule| rule["placed"].as_u64().unwrap()).collect();
    let [firs, birches, stones] = placed[..] else { panic!("{report}") };
    // 512 m by 512 m are 26.2 hectares, all of which suits.
    for trees in [firs, birches] {
        assert!((1570..=1573).contains(&trees), "{trees} trees");
    }
    assert_eq!((stones, &scatters[2]["asked"]), (200, &json!(200)));
    assert_eq!(report["props"], json!(2 + 3 + firs + birches + stones));
    let names = report["meshes"].as_array().unwrap().iter().map(|mesh| &mesh["name"]);
    assert_eq!(names.count(), 5);
    shop.say("verify hills.world");
    let about = shop.json("info hills.world");
    assert_eq!((&about["sectors"], &about["props"]), (&json!(1), &report["props"]));
    // The crate, on it the small one, and what is told of them.
    let ray = |words: &str| shop.json(&format!("raycast hills.world {words}"));
    let (low, high) =
        (ray("--from 12,600,-5 --to 12,-1,-5"), ray("--from 12,600,-4 --to 12,-1,-4"));
    let y = |hit: &serde_json::Value| hit["position"][1].as_f64().unwrap();
    assert_eq!((&low["prop"]["index"], &high["prop"]["index"]), (&json!(0), &json!(1)));
    assert!((y(&high) - y(&low) - 1.0).abs() < 1e-3, "{low} {high}");
    assert_eq!((&low["surface"], &high["surface"]), (&json!("wood"), &json!("wood")));
    assert_eq!(shop.say(words).trim(), "hills.world: up to date, nothing written");
}

#[test]
fn keys_of_the_report_are_named() {
    let shop = shop();
    shop.file("town.toml", DOCUMENT.block("toml"));
    let report = shop.json(&command());
    let told = DOCUMENT.0.split("## What the bake says").nth(1).unwrap();
    let of = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let keys = [&report["meshes"][0], &report["scatters"][0]].into_iter().flat_map(of);
    let more = ["props", "unique_triangles", "placed_triangles", "meshes", "scatters"];
    for key in keys.chain(more.map(str::to_owned)) {
        assert!(told.contains(&format!("`{key}`")), "{key}");
        assert!(!more.contains(&key.as_str()) || !report[&key].is_null(), "{key}");
    }
}
