//! The demo: the same march on any number of threads, and a picture of it.

use std::fs;

use crate::workshop::{Workshop, copy, tree};

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
    let picture = fs::read(shop.path(one["picture"].as_str().unwrap())).unwrap();
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

const SHORT: &str = "demo --units 5 --ticks 2 --json --out";

#[test]
fn a_folder_of_the_users_own_is_refused_and_left_as_it_was() {
    let shop = Workshop::new();
    shop.say(&format!("{SHORT} good")).done();
    // Their own image under a name of ours; ours beside a letter; a file by the name of the world.
    for (folder, files) in [
        ("mine", &[("heights.png", &b"theirs"[..])][..]),
        ("letters", &[("to-a-friend.txt", b"dear"), ("demo.png", b"theirs")]),
        ("named", &[("demo.world", b"no folder")]),
    ] {
        fs::create_dir(shop.path(folder)).unwrap();
        for (name, bytes) in files {
            fs::write(shop.path(folder).join(name), bytes).unwrap();
        }
        let before = tree(&shop.path(folder));
        let theirs = files[files.len() - 1].0;
        let says = [folder, theirs, "would be overwritten", "hint: ", "--out"];
        shop.say(&format!("{SHORT} {folder}")).failed(2, &says);
        assert!(tree(&shop.path(folder)) == before, "{folder}");
    }
    let images = ["heights.png", "holes.png", "surfaces.png"];
    // Not even beside a demo's world.
    copy(&shop.path("good"), &shop.path("painted"));
    fs::write(shop.path("painted/heights.png"), "theirs").unwrap();
    shop.say(&format!("{SHORT} painted")).failed(2, &["heights.png", "would be overwritten"]);
    assert_eq!(fs::read(shop.path("painted/heights.png")).unwrap(), b"theirs");
    // What has another name is no hindrance.
    fs::create_dir(shop.path("half")).unwrap();
    fs::copy(shop.path("good/heights.png"), shop.path("half/heights.png")).unwrap();
    fs::write(shop.path("half/letter.txt"), "dear").unwrap();
    shop.say(&format!("{SHORT} half")).done();
    assert_eq!(fs::read(shop.path("half/letter.txt")).unwrap(), b"dear");
    // What a demo that was stopped has left is taken up: some of its images, all of them, or all but the
    // picture; and so is an empty folder.
    for left in 0..=3 {
        let folder = format!("stopped{left}");
        fs::create_dir(shop.path(&folder)).unwrap();
        for name in &images[..left] {
            fs::copy(shop.path("good").join(name), shop.path(&folder).join(name)).unwrap();
        }
        if left == 1 {
            fs::write(shop.path(&folder).join("holes.png.4711.tmp"), "half").unwrap();
        }
        shop.say(&format!("{SHORT} {folder}")).done();
    }
    copy(&shop.path("good"), &shop.path("again"));
    fs::remove_file(shop.path("again/demo.png")).unwrap();
    shop.say(&format!("{SHORT} again")).done();
    assert!(tree(&shop.path("again")) == tree(&shop.path("good")), "the same and nothing more");
}

#[test]
fn the_picture_is_tried_before_the_march_and_units_have_a_limit() {
    let shop = Workshop::new();
    for units in ["0", "10000001", "-1"] {
        let words = format!("demo --units {units} --out march");
        shop.say(&words).failed(2, &["--units", "1..=10000000"]);
    }
    assert!(!shop.path("march").exists());
    shop.say(&format!("{SHORT} march")).done();
    fs::remove_file(shop.path("march/demo.png")).unwrap();
    fs::create_dir(shop.path("march/demo.png")).unwrap();
    let ran = shop.say(&format!("{SHORT} march")).failed(3, &["demo.png"]);
    assert_eq!(ran.out, "", "nobody marched");
    let one = shop.say("demo --units 1 --ticks 1 --out one").done().out;
    assert!(one.contains("1 unit, 1 tick (") && one.contains("in 1 look at"), "{one}");
}
