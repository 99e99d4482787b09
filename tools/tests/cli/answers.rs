//! What `sample` and `raycast` answer: the shapes that programs read, and the values.

use std::fs;

use serde_json::{Value, json};

use crate::workshop::{Workshop, floats, hilly};

/// A plane that rises by a quarter along X and falls by a half along Z, with a hole in the cell at
/// column 3, row 2, in two surfaces: cells of columns 0 to 3 are grass.
fn plane() -> Workshop {
    let shop = Workshop::new();
    shop.file("plane.r32", &floats(9, 17, |x, z| 8.0 + x as f32 * 0.25 - z as f32 * 0.5));
    let eight = png::BitDepth::Eight;
    let hole = |x, z| if (x, z) == (3, 2) { 255 } else { 0 };
    shop.file("holes.png", &crate::workshop::gray(8, 16, eight, hole));
    shop.file("kinds.png", &crate::workshop::gray(8, 16, eight, |x, _| u16::from(x > 3)));
    shop.say(
        "bake plane.r32 --columns 9 --rows 17 --spacing 1 --sector-size 8 --out plane.world \
         --holes holes.png --surfaces kinds.png --surface-names grass,rock",
    )
    .done();
    shop
}

#[test]
fn a_sample_on_ground_has_every_key_in_its_order() {
    let shop = plane();
    let ran = shop.say("sample plane.world -3.5 -2.25 --json").done();
    assert_eq!(
        ran.out,
        "{\"x\":-3.5,\"z\":-2.25,\"ground\":\"height\",\"height\":7.25,\
         \"normal\":[-0.21821788,0.8728715,0.43643576],\"slope_degrees\":29.2059326056935,\
         \"surface\":\"grass\",\"sector\":[0,0],\"local\":[-3.5,-2.25]}\n"
    );
    let slope = ran.json()["slope_degrees"].as_f64().unwrap();
    // The angle whose tangent is the root of 1/16 + 1/4.
    let expected = 29.205_932_247;
    assert!((slope - expected).abs() < 1e-5, "{slope}, expected {expected}");
}

#[test]
fn a_sample_without_ground_has_every_key_too_and_null_for_what_there_is_not() {
    let shop = plane();
    let nothing = |x: f64, z: f64, ground: &str, sector: [i32; 2], local: [f64; 2]| {
        json!({
            "x": x, "z": z, "ground": ground, "height": null, "normal": null,
            "slope_degrees": null, "surface": null, "sector": sector, "local": local,
        })
    };
    let places = "-0.5,-1.5\n\n  100 , -20.25 \n4,0\n0,12\n3.75,11.75\n";
    let ran = shop.say_with("sample plane.world --points - --json", places).done();
    let [hole, far, east, south, inside] = ran.objects().try_into().unwrap();
    assert_eq!(hole, nothing(-0.5, -1.5, "hole", [0, 0], [-0.5, -1.5]));
    assert_eq!(far, nothing(100.0, -20.25, "outside", [13, -3], [-4.0, 3.75]));
    // The last column and row of samples bound the world and are themselves outside.
    assert_eq!(east, nothing(4.0, 0.0, "outside", [1, 0], [-4.0, 0.0]));
    assert_eq!(south, nothing(0.0, 12.0, "outside", [0, 2], [0.0, -4.0]));
    assert_eq!((&inside["ground"], &inside["surface"]), (&json!("height"), &json!("rock")));
    assert_eq!(inside["sector"], json!([0, 1]));

    fs::remove_file(shop.sector("plane.world", 0, 1)).unwrap();
    let ran = shop.say("sample plane.world 1 6 --json");
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.json(), nothing(1.0, 6.0, "not_resident", [0, 1], [1.0, -2.0]));
    assert!(ran.err.contains("missing"), "{}", ran.err);
}

#[test]
fn points_come_from_a_file_or_from_standard_input_one_answer_a_line() {
    let shop = plane();
    let points = "1,2\n-3.5,-2.25\r\n-1e0,-.5\n";
    shop.file("points.csv", points.as_bytes());
    let from_file = shop.say("sample plane.world --points points.csv --json").done();
    let piped = shop.say_with("sample plane.world --points - --json", points).done();
    assert_eq!(from_file.out, piped.out);
    assert_eq!(from_file.out.lines().count(), 3);
    let alone = shop.say("sample plane.world -1e0 -.5 --json").done();
    assert_eq!(from_file.out.lines().last(), alone.out.lines().last());

    let wrong = shop.say_with("sample plane.world --points - --json", "1,2\n3;4\n5,6\n");
    let wrong = wrong.failed(2, &["-:2: `3;4`", "expected two numbers"]);
    assert_eq!(wrong.out.lines().count(), 1, "what came before is answered");
    shop.file("binary.csv", b"1,2\n3,\xff\n5,6\n");
    let binary = shop.say("sample plane.world --points binary.csv --json");
    let binary = binary.failed(2, &["binary.csv:2: ", "UTF-8"]);
    assert_eq!(binary.out.lines().count(), 1, "what came before is answered");
    shop.say("sample plane.world --points none.csv").failed(3, &["none.csv"]);
    shop.say("sample plane.world nan 1").failed(2, &["NaN", "expected a finite number"]);
    shop.say("sample plane.world 1").failed(2, &["<Z>"]);
    shop.say("sample plane.world 1 2 --points points.csv").failed(2, &["--points"]);
}

#[test]
fn a_line_of_places_has_an_end_and_messages_show_its_beginning() {
    let shop = plane();
    let sample = |input: &str| shop.say_with("sample plane.world --points - --json", input);
    // As long as a line may be, and a byte more.
    let longest = format!("1,2{}", " ".repeat(4093));
    assert_eq!(sample(&format!("{longest}\n{longest}")).done().out.lines().count(), 2);
    for long in [format!("1,2\n{longest} \n3,4\n"), format!("1,2\n{}", "7".repeat(100_000))] {
        let ran = sample(&long).failed(2, &["-:2: a line of more than 4096 bytes", "`x,z`"]);
        assert_eq!(ran.out.lines().count(), 1, "what came before is answered");
        assert!(ran.err.len() < 200, "{}", ran.err);
    }
    let ran = sample(&format!("{}\n", "é".repeat(2000))).failed(2, &["-:1: `é", "é…`, expected"]);
    assert_eq!(ran.err.matches('é').count(), 80);
    let ran = sample(&format!("1e999,{}1\n", "0".repeat(2000)))
        .failed(2, &["00…` is not a valid position"]);
    assert!(ran.err.len() < 200, "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn a_list_of_places_without_an_end_of_line_is_refused() {
    let shop = plane();
    shop.say("sample plane.world --points /dev/zero").failed(2, &["/dev/zero:1: ", "4096 bytes"]);
}

#[test]
fn every_sample_lies_within_half_a_quantum_of_its_source() {
    let shop = Workshop::new();
    shop.hills();
    let mut points = String::new();
    for row in 0..32 {
        for column in 0..32 {
            points += &format!("{},{}\n", f64::from(column) - 4.0, f64::from(row) - 4.0);
        }
    }
    let answers = shop.say_with("sample hills.world --points - --json", &points).done().objects();
    assert_eq!(answers.len(), 1024);
    let quantum = shop.say("info hills.world --json").json()["quantum"].as_f64().unwrap();
    for (index, answer) in (0..).zip(&answers) {
        let (source, found) = (hilly(index % 32, index / 32), answer["height"].as_f64().unwrap());
        assert!((f64::from(source) - found).abs() <= quantum / 2.0, "{answer}, source {source}");
        assert_eq!(found % quantum, 0.0, "{answer}: printed to the last bit");
    }
}

#[test]
fn a_ray_that_hits_has_every_key_in_its_order() {
    let shop = plane();
    let ran = shop.say("raycast plane.world --from -2,20,-3.5 --to -2,-20,-3.5 --json").done();
    assert_eq!(
        ran.out,
        "{\"hit\":true,\"position\":[-2.0,8.25,-3.5],\"distance\":11.75,\
         \"normal\":[-0.21821788,0.8728715,0.43643576],\"surface\":\"grass\",\"sector\":[0,0],\
         \"from_below\":false,\"unknown_from\":null,\"prop\":null}\n"
    );
    let below = shop.say("raycast plane.world --from 1.5,-20,9 --to 1.5,30,9 --json").done();
    let below = below.json();
    assert_eq!((&below["hit"], &below["from_below"]), (&json!(true), &json!(true)));
    assert_eq!((&below["surface"], &below["sector"]), (&json!("rock"), &json!([0, 1])));
    assert!(below["normal"][1].as_f64().unwrap() > 0.0, "the normal points up: {below}");
}

#[test]
fn a_ray_that_hits_nothing_or_cannot_know_has_every_key_too() {
    let shop = plane();
    let nothing = |unknown_from: Value| {
        json!({
            "hit": false, "position": null, "distance": null, "normal": null, "surface": null,
            "sector": null, "from_below": null, "unknown_from": unknown_from,
            "prop": null,
        })
    };
    let through_the_hole = "raycast plane.world --from -0.5,20,-1.5 --to -0.5,-20,-1.5 --json";
    assert_eq!(shop.say(through_the_hole).done().json(), nothing(Value::Null));
    let beside = "raycast plane.world --from -100,20,-90 --to -90,-20,-100 --json";
    assert_eq!(shop.say(beside).done().json(), nothing(Value::Null));

    fs::remove_file(shop.sector("plane.world", 0, 1)).unwrap();
    let into_the_gap = "raycast plane.world --from 0,50,-3 --to 0,50,11 --json";
    assert_eq!(shop.say(into_the_gap).json(), nothing(json!(7.0)));
    let same = "raycast plane.world --from 1,2,3 --to 1,2,3";
    shop.say(same).failed(2, &["--from and --to are the same position"]);
    shop.say("raycast plane.world --from 1,2 --to 1,2,3").failed(2, &["expected 3"]);
}

#[test]
fn people_get_the_same_in_words() {
    let shop = plane();
    let ran = shop.say("sample plane.world -3.5 -2.25").done();
    assert!(ran.out.starts_with("(-3.5, -2.25): 7.2500 m, slope 29.21 degrees"), "{}", ran.out);
    assert!(shop.say("sample plane.world -0.5 -1.5").done().out.ends_with(": hole\n"));
    let ran = shop.say("raycast plane.world --from -2,20,-3.5 --to -2,-20,-3.5").done();
    assert_eq!(ran.out, "hit at (-2.000, 8.250, -3.500) after 11.750 m: grass\n");
}

#[test]
fn a_sector_that_cannot_be_loaded_is_warned_of_once_on_a_ray() {
    let shop = plane();
    let path = shop.sectors("plane.world").remove(0);
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&path, bytes).unwrap();
    let ran = shop.say("raycast plane.world --from -9,50,-9 --to 9,0,9").done();
    assert_eq!(ran.err.matches("warning: sector").count(), 1, "{}", ran.err);
}
