//! The demo: the same march on any number of threads, and a picture of it.

use crate::workshop::Workshop;

/// The demo's keys, in their order.
const KEYS: [&str; 9] = [
    "sectors",
    "units",
    "ticks",
    "borders_crossed",
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
