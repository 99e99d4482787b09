//! Bakes that are stopped, and bakes that meet.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::workshop::{Workshop, copy, floats, hilly, tree};

/// Begins a bake that takes a while, and waits until it has written its first sectors.
fn long_bake(shop: &Workshop) -> Child {
    // Sparse: all zeros, 64 MiB that take no room.
    fs::File::create(shop.path("long.r32")).unwrap().set_len(4096 * 4096 * 4).unwrap();
    let words = ["bake", "long.r32", "--spacing", "1", "--jobs", "1", "--out", "long.world"];
    let mut command = shop.command(&words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while !shop.path("long.world/sectors/+000_+000").exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "no sector in a minute");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_second_bake_is_refused_and_an_interrupted_one_goes_on_later() {
    let shop = Workshop::new();
    let first = long_bake(&shop);
    let second = shop.say("bake long.r32 --spacing 1 --out long.world");
    signal(&first, "INT");
    second.failed(2, &["bake.lock", "locked", "wait until the other bake has finished"]);
    let ended = first.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains("interrupted; run the same command again"), "{said}");
    assert!(ended.stdout.is_empty());

    shop.say("verify long.world").failed(2, &["not a world"]);
    let there = shop.sectors("long.world").len();
    let report = shop.say("bake long.r32 --spacing 1 --out long.world --json").done().json();
    assert_eq!(report["sectors"], serde_json::json!(256));
    let written = report["sectors_written"].as_u64().unwrap() as usize;
    assert_eq!(written, 256 - there, "what the first bake wrote is not written again");
}

#[test]
fn a_march_that_is_stopped_begins_anew_and_leaves_the_old_picture() {
    let shop = Workshop::new();
    let march = ["demo", "--units", "9", "--out", "march", "--ticks"];
    shop.run(&[&march[..], &["1"]].concat()).done();
    let before = tree(&shop.path("march"));
    let mut command = shop.command(&[&march[..], &["4000000000"]].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    let is_unfinished = |name: &str| name.starts_with("demo.png.") && name.ends_with(".tmp");
    let names =
        || fs::read_dir(shop.path("march")).unwrap().map(|entry| entry.unwrap().file_name());
    while !names().any(|name| is_unfinished(&name.to_string_lossy())) {
        assert!(began.elapsed() < Duration::from_secs(60), "no march in a minute");
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, "INT");
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("restarts the march") && !said.contains("to continue"), "{said}");
    assert!(tree(&shop.path("march")) == before);
}

#[test]
fn a_run_that_is_stopped_leaves_the_old_trace() {
    let shop = Workshop::new();
    shop.file(
        "long.toml",
        b"version = 1\nname = \"n\"\nticks = 4000000\n[terrain]\nflat = 2.0\n\
          [[units]]\nname = \"a\"\nposition = [1, 2, 0]\n",
    );
    shop.file("out.csv", b"old");
    let before = tree(&shop.path(""));
    let mut command = shop.command(&["run", "long.toml", "--trace", "out.csv"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while fs::read_dir(shop.path("")).unwrap().count() < 3 {
        assert!(began.elapsed() < Duration::from_secs(60), "no trace in a minute");
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, "INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert!(tree(&shop.path("")) == before);
}

#[test]
fn of_two_bakes_at_the_same_moment_one_may_be_refused_and_the_world_is_sound() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(65, 65, hilly));
    let words = ["bake", "a.r32", "--spacing", "1", "--sector-size", "8", "--out", "a.world"];
    // As many pairs as it takes until two have met: on a busy machine some do not.
    let (mut refused, mut pairs) = (0, 0);
    while pairs < 20 || (refused == 0 && pairs < 500) {
        pairs += 1;
        let _ = fs::remove_dir_all(shop.path("a.world"));
        let begin = || {
            let mut command = shop.command(&words);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let ended = [begin(), begin()].map(|child| child.wait_with_output().unwrap());
        let codes = ended.each_ref().map(|output| output.status.code().unwrap());
        assert!(codes.contains(&0), "{ended:?}");
        for output in ended.iter().filter(|output| !output.status.success()) {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && said.contains("locked"), "{output:?}");
            refused += 1;
        }
        shop.say("verify a.world").done();
    }
    assert!(refused > 0, "no two of {pairs} pairs met");
}

/// Ends a bake from `from` to `to` at many moments. The world must be sound each time, and the next
/// bake must make of it what an undisturbed one does.
fn killed_anywhere(shop: &Workshop, from: Option<&str>, bake: &str, rounds: u32) {
    let start = shop.path("start.world");
    if let Some(first) = from {
        shop.say(&first.replace("OUT", "start.world")).done();
    } else {
        fs::create_dir(&start).unwrap();
    }
    copy(&start, &shop.path("calm.world"));
    let began = Instant::now();
    shop.say(&bake.replace("OUT", "calm.world")).done();
    let takes = began.elapsed();
    let calm = tree(&shop.path("calm.world"));

    let words: Vec<String> = bake.split_whitespace().map(|w| w.replace("OUT", "w.world")).collect();
    let mut met = 0;
    for round in 0..rounds {
        let world = shop.path("w.world");
        let _ = fs::remove_dir_all(&world);
        copy(&start, &world);
        let mut command = shop.command(&words);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(takes * round / rounds);
        child.kill().unwrap();
        met += u32::from(child.wait().unwrap().code().is_none());
        let sound = shop.say("verify w.world");
        if from.is_some() || has_manifest(&world) {
            assert_eq!(sound.done().code, Some(0), "round {round}");
        } else {
            let says = if world.exists() { "not a world" } else { "does not exist" };
            sound.failed(2, &[says]);
        }
        let again = shop.say(&bake.replace("OUT", "w.world"));
        assert_eq!(again.done().code, Some(0), "round {round}");
        assert!(tree(&world) == calm, "round {round}: not what an undisturbed bake makes");
    }
    assert!(met > 0, "none of {rounds} bakes was met alive");
}

fn has_manifest(world: &Path) -> bool {
    world.join("manifest-0000000001").exists()
}

#[test]
fn a_first_bake_killed_anywhere_is_finished_by_the_next() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(81, 81, hilly));
    let bake = "bake a.r32 --spacing 1 --sector-size 8 --out OUT";
    killed_anywhere(&shop, None, bake, 40);
}

#[test]
fn a_bake_with_props_killed_anywhere_is_finished_by_the_next() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(81, 81, hilly));
    shop.file("spike.obj", b"v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 2 3\nf 1 3 4\n");
    let props = "[[scatter]]\nmesh = \"spike.obj\"\ncount = 300\nscale = [0.5, 2]\n";
    shop.file("props.toml", props.as_bytes());
    let bake = "bake a.r32 --spacing 1 --sector-size 8 --props props.toml --out OUT";
    killed_anywhere(&shop, None, bake, 40);
}

#[test]
fn a_world_survives_the_killing_of_the_bake_that_would_replace_it() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(81, 81, hilly));
    shop.file("b.r32", &floats(81, 81, |x, z| hilly(z, x)));
    let bake = |source: &str| format!("bake {source} --spacing 1 --sector-size 8 --out OUT");
    killed_anywhere(&shop, Some(&bake("a.r32")), &bake("b.r32"), 40);
}
