//! Flights over a small world: what is told, what must not depend on anything, what is drawn.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::workshop::{Workshop, floats, hilly};

/// Keys of the answer, in their order.
const KEYS: [&str; 21] = [
    "world",
    "sectors",
    "sector_bytes",
    "speed",
    "radius",
    "rate",
    "sources",
    "units",
    "threads",
    "mode",
    "real_time",
    "mapped",
    "cold",
    "shuttle",
    "crowds",
    "props",
    "streamed",
    "resident",
    "ratio_p999",
    "ratio_cpu_p999",
    "plot",
];

/// Keys of a flight, in their order.
const FLIGHT_KEYS: [&str; 33] = [
    "ticks",
    "seconds",
    "tick_us",
    "update_us",
    "move_us",
    "tick_cpu_us",
    "update_cpu_us",
    "page_faults_major",
    "page_faults_minor",
    "thread_waits",
    "unit_ticks",
    "held_unit_ticks",
    "held_units_most",
    "longest_hold_seconds",
    "units_below_ground",
    "borders_crossed",
    "put_back",
    "waits",
    "waited_seconds",
    "sectors_loaded",
    "read_bytes",
    "read_mb_per_second",
    "evictions",
    "late_arrivals",
    "cancelled",
    "failures",
    "missing_most",
    "without_room_most",
    "oldest_wait_seconds",
    "resident_bytes_peak",
    "budget_bytes",
    "worst_publication_us",
    "state_hash",
];

/// 15 × 11 sectors of 16 m: neither square nor a multiple of the source's reach.
fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.file("land.r32", &floats(241, 177, hilly));
    shop.say(
        "bake land.r32 --columns 241 --rows 177 --spacing 1 --sector-size 16 --out land.world",
    )
    .done();
    shop
}

/// Six seconds over it at the pace of a sector in a third of a second.
const FLY: &str = "fly land.world --speed 48 --radius 30 --seconds 6 --units 61 --json";

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Bytes of so many sectors.
fn room_for(shop: &Workshop, sectors: u64) -> u64 {
    let about = shop.say("info land.world --json").done().json();
    let (bytes, count) = (about["sector_bytes"].as_u64().unwrap(), about["sectors"].as_u64());
    bytes * sectors / count.unwrap()
}

#[test]
fn a_flight_keeps_to_its_budget_and_tells_every_figure() {
    let shop = shop();
    let budget = room_for(&shop, 50);
    let flown = shop.say(&format!("{FLY} --budget {budget} --real-time --cold")).done().json();
    assert_eq!(keys(&flown), KEYS);
    assert_eq!((&flown["sectors"], &flown["mode"]), (&json!(165), &json!("hold")));
    assert_eq!((&flown["resident"], &flown["ratio_p999"]), (&Value::Null, &Value::Null));
    let flight = &flown["streamed"];
    assert_eq!(keys(flight), FLIGHT_KEYS);
    assert_eq!((&flight["ticks"], &flight["unit_ticks"]), (&json!(360), &json!(360 * 61)));
    assert_eq!(flight["units_below_ground"], json!(0));
    assert_eq!((&flight["failures"], &flight["put_back"]), (&json!(0), &json!(0)));
    let number = |key: &str| flight[key].as_u64().unwrap();
    assert!(number("resident_bytes_peak") <= budget, "{flight}");
    assert!(number("resident_bytes_peak") > budget / 2, "{flight}");
    assert!(number("evictions") > 20 && number("sectors_loaded") > 60, "{flight}");
    assert!(number("borders_crossed") > 10 * 61, "{flight}");
    for times in ["tick_us", "update_us", "move_us"] {
        let of = |key: &str| flight[times][key].as_f64().unwrap();
        assert_eq!(keys(&flight[times]), ["p50", "p99", "p999", "max"]);
        assert!(of("p50") <= of("p99") && of("p99") <= of("p999") && of("p999") <= of("max"));
        assert!(of("p50") > 0.0, "{flight}");
    }
}

#[test]
fn a_strict_flight_ends_in_the_same_state_however_it_was_streamed() {
    let shop = shop();
    let (small, large) = (room_for(&shop, 20), room_for(&shop, 400));
    let strict = format!("{FLY} --mode strict --sources 2");
    let resident = shop.say(&format!("{strict} --resident")).done().json();
    let expected = resident["resident"]["state_hash"].as_str().unwrap().to_owned();
    assert_eq!((expected.len(), &resident["streamed"]), (16, &Value::Null));
    for how in [
        format!("--budget {large}"),
        format!("--budget {small}"),
        format!("--budget {small} --copied --loads 1"),
        format!("--budget {large} --threads 2 --crowds"),
    ] {
        let flown = shop.say(&format!("{strict} {how}")).done().json();
        let flight = &flown["streamed"];
        assert_eq!(flight["state_hash"].as_str(), Some(expected.as_str()), "{how}: {flight}");
        assert_eq!(
            (&flight["held_unit_ticks"], &flight["units_below_ground"]),
            (&json!(0), &json!(0))
        );
        // With room for all, only what arrives when it is no longer wanted is let go again: when that is, is a
        // matter of time.
        let evictions = flight["evictions"].as_u64().unwrap();
        let is_short = how.contains(&format!("--budget {small}"));
        let most =
            if is_short { u64::MAX } else { flight["sectors_loaded"].as_u64().unwrap() / 10 };
        assert!(evictions <= most && (evictions > 0 || !is_short), "{how}: {flight}");
        assert!(is_short || flight["without_room_most"] == json!(0), "{how}: {flight}");
    }
    // Not a constant: another way to fly is another state.
    let other = shop.say(&format!("{strict} --resident --shuttle")).done().json();
    assert_ne!(other["resident"]["state_hash"], resident["resident"]["state_hash"]);
}

#[test]
fn a_comparison_flies_twice_and_draws_both() {
    let shop = shop();
    for (name, begins) in [("flight.svg", &b"<svg"[..]), ("flight.PNG", b"\x89PNG")] {
        let ran = shop.say(&format!("{FLY} --shuttle --compare --plot {name}")).done().json();
        assert!(ran["ratio_p999"].as_f64().unwrap() > 0.0, "{ran}");
        assert_eq!((&ran["plot"], &ran["shuttle"]), (&json!(name), &json!(true)));
        assert_eq!(ran["resident"]["sectors_loaded"], json!(0));
        assert_eq!(ran["resident"]["held_unit_ticks"], json!(0));
        let picture = std::fs::read(shop.path(name)).unwrap();
        assert!(picture.starts_with(begins) && picture.len() > 10_000, "{}", picture.len());
    }
    let words = shop.say(&FLY.replace("--json", "--compare")).done().out;
    for part in [
        "land.world: 1 source at 48 m/s, radius 30 m, 61 units, 60 Hz\n",
        "\nstreamed\n  360 ticks in ",
        "\nwith the whole world in memory\n",
        " unit ticks, at most ",
        "\ntick p99.9: streamed is ",
    ] {
        assert!(words.contains(part), "no `{part}` in:\n{words}");
    }
}

#[test]
fn what_makes_no_flight_is_refused_with_a_hint() {
    let shop = shop();
    shop.say("fly land.world --budget 12MB").failed(2, &["--budget", "128MiB"]);
    shop.say("fly land.world --speed 0").failed(2, &["--speed", "above 0"]);
    shop.say("fly land.world --speed 1e9").failed(2, &["1000000000 m/s", "4000"]);
    shop.say("fly land.world --rate 2").failed(2, &["2 ticks per second", "at least 4"]);
    shop.say("fly land.world --seconds 1e7").failed(2, &["600000000 ticks", "--seconds"]);
    shop.say("fly land.world --plot a.jpg").failed(2, &["a.jpg", ".svg or .png"]);
    shop.say("fly land.world --compare --resident").failed(2, &["--compare", "--resident"]);
    shop.say("fly land.world --budget 1").failed(2, &["budget of 1 byte has", "--budget"]);
    shop.say("fly land.world --radius -5").failed(2, &["--radius", "above 0"]);
    shop.say("fly nowhere.world").failed(2, &["nowhere.world"]);
    shop.say("fly land.world --seconds 0.1 --plot no/such.png").failed(3, &["such.png"]);
    std::fs::remove_file(shop.sector("land.world", 3, 3)).unwrap();
    shop.say("fly land.world --seconds 0.1 --resident").failed(2, &["+003_+003", "--force"]);
}

#[test]
fn damaged_ground_ends_a_flight_soon_and_names_the_damage() {
    let shop = shop();
    let damage = |x: i32, z: i32| {
        let path = shop.sector("land.world", x, z);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[200] ^= 1;
        std::fs::write(path, bytes).unwrap();
    };
    // A start in the middle of the world, and damage all around it.
    let near = |x: i32, z: i32| (x - 7).abs() <= 2 && (z - 5).abs() <= 2;
    let places = || (0..15).flat_map(|x| (0..11).map(move |z| (x, z)));
    places().filter(|&(x, z)| !near(x, z)).for_each(|(x, z)| damage(x, z));
    let began = Instant::now();
    let says = ["warning: sector ", "strict tick waited", "failed to load", "marchland verify"];
    let ran = shop.say(&format!("{FLY} --mode strict")).failed(3, &says);
    assert!(!ran.err.contains("--budget"), "{}", ran.err);
    places().filter(|&(x, z)| near(x, z)).for_each(|(x, z)| damage(x, z));
    let says = ["warning: sector ", "below the start", "failed to load", "marchland verify"];
    shop.say(FLY).failed(3, &says);
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}
