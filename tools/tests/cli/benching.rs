//! Crowds over a small world: what is told, what must not depend on anything, what is drawn.

use serde_json::{Value, json};

use crate::workshop::{Workshop, floats, gray, hilly};

/// Keys of the answer, in their order.
const KEYS: [&str; 14] = [
    "world",
    "sectors",
    "sector_bytes",
    "sectors_loaded",
    "loaded_bytes",
    "processor",
    "cores",
    "rate",
    "speed",
    "seed",
    "path",
    "body",
    "runs",
    "plot",
];

/// Keys of a run, in their order.
const RUN_KEYS: [&str; 13] = [
    "units",
    "threads",
    "ticks",
    "ns_per_unit_tick",
    "tick_us",
    "full_units",
    "room_for_units",
    "units_below_ground",
    "held_units",
    "held_unit_ticks",
    "put_back",
    "borders_crossed",
    "state_hash",
];

/// 7 × 5 sectors of 16 m, with holes in the middle.
fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.file("land.r32", &floats(113, 81, hilly));
    let is_hole = |x, z| (50..54).contains(&x) && (30..50).contains(&z);
    let white = |x, z| if is_hole(x, z) { 255 } else { 0 };
    shop.file("holes.png", &gray(112, 80, png::BitDepth::Eight, white));
    shop.say(
        "bake land.r32 --columns 113 --rows 81 --spacing 1 --sector-size 16 --holes holes.png \
         --out land.world",
    )
    .done();
    shop
}

/// Two sizes that are no multiple of a chunk or of the share that looks where it goes in a tick.
const BENCH: &str = "bench land.world --units 1237,61 --threads 2,1 --ticks 150";

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn runs(answer: &Value) -> &[Value] {
    answer["runs"].as_array().unwrap()
}

#[test]
fn crowds_are_told_with_every_figure_and_nobody_ends_below_the_ground() {
    let shop = shop();
    let answer = shop.say(&format!("{BENCH} --json")).done().json();
    assert_eq!(keys(&answer), KEYS);
    assert_eq!((&answer["sectors"], &answer["sectors_loaded"]), (&json!(35), &json!(35)));
    assert_eq!(answer["sector_bytes"], answer["loaded_bytes"]);
    assert_eq!((&answer["path"], &answer["plot"]), (&json!("auto"), &Value::Null));
    let sizes: Vec<_> = runs(&answer).iter().map(|run| (&run["threads"], &run["units"])).collect();
    let expected = [(1, 61), (1, 1237), (2, 61), (2, 1237)].map(|(t, u)| (json!(t), json!(u)));
    assert_eq!(sizes, expected.iter().map(|(t, u)| (t, u)).collect::<Vec<_>>());
    for run in runs(&answer) {
        assert_eq!(keys(run), RUN_KEYS);
        assert_eq!(run["ticks"], json!(150));
        assert_eq!(keys(&run["tick_us"]), ["p50", "p99", "p999", "max"]);
        for none in ["units_below_ground", "held_units", "held_unit_ticks"] {
            assert_eq!(run[none], json!(0), "{none}: {run}");
        }
        let (ns, units) = (run["ns_per_unit_tick"].as_f64().unwrap(), run["units"].as_f64());
        let median_ns = run["tick_us"]["p50"].as_f64().unwrap() * 1e3;
        assert!((ns * units.unwrap() / median_ns - 1.0).abs() < 1e-6 && ns > 0.0, "{run}");
        let room = run["room_for_units"].as_f64().unwrap();
        assert!((room - 1e9 / 60.0 / ns).abs() <= 1.0, "{run}");
        // All go far enough to leave a sector now and then.
        let crossed = run["borders_crossed"].as_f64().unwrap();
        assert!(crossed > units.unwrap() * 0.3 && crossed < units.unwrap() * 3.0, "{run}");
    }
}

#[test]
fn the_state_hangs_on_what_is_asked_and_not_on_threads_or_other_sizes() {
    let shop = shop();
    let hashes = |words: &str| -> Vec<String> {
        let answer = shop.say(&format!("bench land.world --ticks 40 {words} --json")).done().json();
        let hash = |run: &Value| run["state_hash"].as_str().unwrap().to_owned();
        runs(&answer).iter().map(hash).collect()
    };
    let crowds = hashes("--units 61,1237 --threads 1,2");
    assert_eq!(crowds.len(), 4);
    assert_eq!(crowds[..2], crowds[2..]);
    assert_ne!(crowds[0], crowds[1]);
    assert_eq!(hashes("--units 1237 --threads 2"), crowds[1..2], "alone as after another");
    let full = "bench land.world --ticks 40 --units 61 --threads 1 --path full --json";
    let full = shop.say(full).done().json();
    assert_eq!((&full["path"], &full["runs"][0]["full_units"]), (&json!("full"), &json!(61.0)));
    assert_eq!(full["runs"][0]["state_hash"].as_str(), Some(&*crowds[0]), "both ways are one");
    for other in
        ["--seed 2", "--speed 4", "--rate 30", "--radius 0.7", "--knee 0.3", "--max-slope 40"]
    {
        assert_ne!(hashes(&format!("--units 61 --threads 1 {other}")), crowds[..1], "{other}");
    }
    let by_seconds = hashes("--units 61 --threads 1");
    let seconds =
        shop.say("bench land.world --units 61 --threads 1 --seconds 0.5 --rate 80 --json");
    assert_eq!(
        (&seconds.json()["runs"][0]["ticks"], by_seconds),
        (&json!(40), crowds[..1].to_vec())
    );
}

#[test]
fn a_budget_takes_the_middle_of_the_world_and_units_turn_at_its_edge() {
    let shop = shop();
    let whole = shop.say(&format!("{BENCH} --json")).done().json();
    let budget = whole["sector_bytes"].as_u64().unwrap() * 9 / 35 + 100;
    let answer =
        shop.say(&format!("bench land.world --units 301 --budget {budget} --json")).done().json();
    let loaded = answer["sectors_loaded"].as_u64().unwrap();
    assert!((7..=10).contains(&loaded), "{loaded}");
    assert!(answer["loaded_bytes"].as_u64().unwrap() <= budget);
    for run in runs(&answer) {
        assert_eq!((&run["held_unit_ticks"], &run["units_below_ground"]), (&json!(0), &json!(0)));
        assert!(run["borders_crossed"].as_u64().unwrap() > 30, "{run}");
    }
    let all = shop.say("bench land.world --units 61 --ticks 3 --budget 1GiB --json").done().json();
    assert_eq!(all["sectors_loaded"], json!(35));
}

#[test]
fn a_plot_and_a_table_show_every_crowd() {
    let shop = shop();
    let words = shop.say(&format!("{BENCH} --out bench.svg")).done().out;
    for part in [
        "land.world: body 0.4 x 1.8 m at 5 m/s, 60 Hz\n",
        "\nworld: 35 of 35 sectors in memory, ",
        "\nthreads     units  ticks    ns/unit ",
        " fit 16.7 ms  below   held\n",
        "\nplot: bench.svg\n",
    ] {
        assert!(words.contains(part), "no `{part}` in:\n{words}");
    }
    let table: Vec<_> = words.lines().filter(|line| line.ends_with("      0      0")).collect();
    assert_eq!(table.len(), 4, "{words}");
    let svg = std::fs::read_to_string(shop.path("bench.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
    for part in [">61<", ">1237<", ">1 thread<", ">2 threads<", "at 60 Hz<", ">units<"] {
        assert!(svg.contains(part), "no `{part}` in:\n{svg}");
    }
    // Every element but the outermost closes itself or holds text, and no number is none.
    let elements = || svg.lines().skip(1).filter(|line| !line.starts_with("</svg"));
    assert!(elements().all(|line| line.ends_with("/>") || line.ends_with("</text>")), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    shop.say(&format!("{BENCH} --out bench.PNG --units 61")).done();
    let file = std::fs::File::open(shop.path("bench.PNG")).unwrap();
    let mut png = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; png.output_buffer_size().unwrap()];
    let info = png.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1280, 860));
    assert!(pixels.iter().any(|byte| *byte != 255));
}

#[test]
fn what_cannot_be_measured_is_refused_with_a_hint() {
    let shop = shop();
    for (words, says) in [
        ("--units 0", &["--units", "1..=10000000"][..]),
        ("--units 10,x", &["--units", "invalid"]),
        ("--threads 0", &["--threads", "1..=1024"]),
        ("--ticks 0", &["--ticks", "1..=1000000"]),
        ("--ticks 5 --seconds 5", &["--ticks", "--seconds"]),
        ("--seconds 1e7", &["600000000 ticks", "--seconds"]),
        ("--rate 2", &["2 ticks per second", "4 to 10000", "--rate"]),
        ("--speed 1e9", &["1000000000 m/s", "4000", "--speed"]),
        ("--speed -1", &["--speed", "above 0"]),
        ("--seconds -1", &["--seconds", "above 0"]),
        ("--seed -1", &["--seed", "0 to 18446744073709551615"]),
        ("--units -1", &["--units", "1..=10000000"]),
        ("--budget -1", &["--budget", "128MiB"]),
        ("--radius 0", &["radius in metres is 0, expected 0.01 to 64", "--radius"]),
        ("--height 0.3 --knee 0.45", &["knee in metres is 0.45, expected 0 to 0.3"]),
        ("--radius -1", &["radius in metres", "--radius"]),
        ("--height 0.3", &["knee in metres", "--knee"]),
        ("--max-slope 91", &["max_slope in degrees", "--max-slope"]),
        ("--radius 60", &["no unit can stand", "--radius"]),
        ("--budget 100", &["100 bytes", "--budget"]),
        ("--budget 1", &["a budget of 1 byte has"]),
        ("--budget 12MB", &["--budget", "128MiB"]),
        ("--path fast", &["--path", "auto", "full"]),
        ("--out a.jpg", &["a.jpg", ".svg or .png"]),
        ("--untis 5", &["--untis", "--units"]),
    ] {
        shop.say(&format!("bench land.world {words}")).failed(2, says);
    }
    shop.say("bench").failed(2, &["WORLD"]);
    shop.say("bench nowhere.world").failed(2, &["nowhere.world"]);
    shop.say("bench land.world --units 61 --ticks 2 --out no/such.svg").failed(3, &["such.svg"]);
    std::fs::remove_file(shop.sector("land.world", 3, 3)).unwrap();
    shop.say("bench land.world").failed(2, &["+003_+003", "--force"]);
}
