//! The demo: the same march on any number of threads, and a picture of it.

use crate::workshop::Workshop;

/// The demo's keys, in their order.
const KEYS: [&str; 20] = [
    "sectors",
    "units",
    "ticks",
    "borders_crossed",
    "walkers",
    "rounds_walked",
    "stairs_climbed",
    "stairs_descended",
    "bridges_crossed",
    "platforms_ridden",
    "full_controller",
    "crushed",
    "stuck",
    "checked",
    "violations",
    "ns_per_unit_tick",
    "units_below_ground",
    "units_held",
    "state_hash",
    "picture",
];

#[test]
fn the_march_is_the_same_on_any_number_of_threads() {
    let shop = Workshop::new();
    let march = |threads: &str| {
        // Odd counts: no multiple of the groups, of the steering's turns, or of a chunk.
        let args = ["demo", "--units", "3001", "--ticks", "241", "--out", "march", "--json"];
        shop.run(&[&args[..], &["--threads", threads]].concat()).done().json()
    };
    let one = march("1");
    assert_eq!(one.as_object().unwrap().keys().collect::<Vec<_>>(), KEYS);
    assert_eq!((one["sectors"].as_u64(), one["units"].as_u64()), (Some(16), Some(3001)));
    assert_eq!(one["units_below_ground"].as_u64(), Some(0));
    assert_eq!(one["violations"].as_u64(), Some(0));
    assert_eq!(one["walkers"].as_u64(), Some(18));
    // Who passes props without meeting one follows, so in four seconds few take the full controller: 46
    // times. The march has the same bits everywhere, so neither more nor fewer do.
    assert_eq!(one["full_controller"].as_f64(), Some(46.0 / 241.0), "{one}");
    // Ten looks at the walkers, and at some of the others.
    assert!(one["checked"].as_u64().unwrap() > 10 * 18 + 100, "{one}");
    assert_eq!(one["units_held"].as_u64(), Some(0));
    assert!(one["borders_crossed"].as_u64().unwrap() > 10, "{one}");
    assert_eq!(one["state_hash"].as_str().unwrap().len(), 16);
    let picture = std::fs::read(shop.path(one["picture"].as_str().unwrap())).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 500_000);
    for threads in ["2", "5"] {
        let mut many = march(threads);
        many["ns_per_unit_tick"] = one["ns_per_unit_tick"].clone();
        assert_eq!(one, many, "{threads} threads");
    }
}

#[test]
fn walkers_climb_cross_and_ride() {
    let shop = Workshop::new();
    let args = ["demo", "--units", "4800", "--ticks", "2700", "--out", "march", "--json"];
    let walked = shop.run(&args).done().json();
    for feat in ["rounds_walked", "stairs_climbed", "bridges_crossed", "platforms_ridden"] {
        assert!(walked[feat].as_u64().unwrap() > 0, "{feat} in {walked}");
    }
    for fault in ["violations", "units_below_ground", "stuck", "crushed"] {
        assert_eq!(walked[fault].as_u64(), Some(0), "{walked}");
    }
    // Who climbs, crosses and rides takes the full controller, and there is somebody in every tick: a march
    // without them, or one in which they followed, would show nothing of it.
    assert!(walked["full_controller"].as_f64().unwrap() > 1.0, "{walked}");
}
