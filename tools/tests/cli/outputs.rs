//! Files that are written for the user: never over what is read, whole or not at all, and tried before the
//! work.

use std::fs;

use crate::workshop::{Workshop, floats, gray, hilly, tree};

/// The names in the folder that runs start in.
fn names(shop: &Workshop) -> Vec<String> {
    let entries = fs::read_dir(shop.path("")).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// A world with the picture that it was baked from.
fn shop() -> Workshop {
    let shop = Workshop::new();
    let height = |x, z| (x * 991 + z * 77) as u16;
    shop.file("src.png", &gray(33, 33, png::BitDepth::Sixteen, height));
    let bake = "bake src.png --spacing 1 --sector-size 8 --height-scale 0.001 --out w.world";
    assert_eq!(shop.say(bake).code, Some(0));
    shop
}

const BENCH: &str = "bench w.world --units 61 --ticks 2 --threads 1 --out";
const FLY: &str = "fly w.world --seconds 0.1 --units 5 --radius 8 --plot";
const PREVIEW: &str = "preview w.world --size 64 --out";

#[test]
fn no_picture_is_written_over_a_world_or_what_it_was_baked_from() {
    let shop = shop();
    let before = tree(&shop.path(""));
    for verb in [BENCH, FLY, PREVIEW] {
        let flag = if verb == FLY { "--plot" } else { "--out" };
        for (out, says) in [
            ("w.world/new.png", "is inside w.world"),
            ("w.world/sectors/no/such.png", "is inside w.world"),
            ("src.png", "the world was baked from it"),
        ] {
            shop.say(&format!("{verb} {out}")).failed(2, &[out, says, "hint: ", flag]);
        }
    }
    for out in ["w.world/manifest-0000000001", "map", "map.jpg", "map.svg"] {
        shop.say(&format!("{PREVIEW} {out}")).failed(2, &[out, "expected .png"]);
    }
    assert!(tree(&shop.path("")) == before);
    shop.say(&format!("{PREVIEW} map.PNG")).done();
    // Another picture of the same name in another folder is not the one that was baked.
    fs::create_dir(shop.path("maps")).unwrap();
    shop.file("maps/src.png", b"old");
    shop.say(&format!("{PREVIEW} maps/src.png")).done();
    assert!(fs::read(shop.path("maps/src.png")).unwrap().starts_with(b"\x89PNG"));
}

#[cfg(unix)]
#[test]
fn a_link_into_the_world_is_seen_through() {
    let shop = shop();
    std::os::unix::fs::symlink("w.world/manifest-0000000001", shop.path("a.png")).unwrap();
    std::os::unix::fs::symlink("w.world", shop.path("b")).unwrap();
    for out in ["a.png", "b/c.png"] {
        shop.say(&format!("{PREVIEW} {out}")).failed(2, &[out, "is inside w.world"]);
    }
    shop.say("verify w.world").done();
}

#[test]
fn what_cannot_be_written_is_told_before_anything_is_measured() {
    let shop = shop();
    fs::create_dir(shop.path("folder.png")).unwrap();
    for verb in [BENCH, FLY, PREVIEW] {
        for out in ["no/such.png", "folder.png"] {
            let ran = shop.say(&format!("{verb} {out}")).failed(3, &[out]);
            assert_eq!(ran.out, "", "{verb}");
        }
    }
    // Before what is found out only by loading the world, or by looking for places in it.
    let sector = shop.sector("w.world", 2, 1);
    let bytes = fs::read(&sector).unwrap();
    fs::remove_file(&sector).unwrap();
    shop.say(&format!("{FLY} no/such.png --resident")).failed(3, &["such.png"]);
    fs::write(&sector, bytes).unwrap();
    shop.say(&format!("{BENCH} no/such.png --radius 60")).failed(3, &["such.png"]);
    // Nor does a run that ends early leave a part, or take the old one away.
    shop.file("old.png", b"old");
    shop.say(&format!("{BENCH} old.png --radius 60")).failed(2, &["no unit can stand"]);
    assert_eq!(fs::read(shop.path("old.png")).unwrap(), b"old");
    assert_eq!(names(&shop), ["folder.png", "old.png", "src.png", "w.world"]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_measured_is_told_even_if_the_plot_does_not_fit() {
    let shop = shop();
    std::os::unix::fs::symlink("/dev/full", shop.path("full.svg")).unwrap();
    let ran = shop.say(&format!("{BENCH} full.svg --json")).failed(3, &["full.svg"]);
    assert_eq!(ran.json()["runs"].as_array().unwrap().len(), 1);
    let ran = shop.say(&format!("{FLY} full.svg --json")).failed(3, &["full.svg"]);
    assert!(ran.json()["streamed"].is_object());
}

#[test]
fn a_copy_is_not_made_within_the_world_that_is_copied() {
    let shop = shop();
    shop.say("pack w.world w.packed").done();
    let before = tree(&shop.path(""));
    for words in ["pack w.world w.world/sub", "unpack w.packed w.packed/a/b"] {
        shop.say(words).failed(2, &["is inside w.", "OUT"]);
    }
    assert!(tree(&shop.path("")) == before);
    assert!(!shop.path("w.world/sub").exists() && !shop.path("w.packed/a").exists());
}

#[test]
fn a_refused_bake_leaves_nothing_behind() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(33, 33, hilly));
    shop.file("steep.r32", &floats(33, 33, |x, z| if (x, z) == (20, 30) { 9e4 } else { 1.0 }));
    let before = names(&shop);
    for words in [
        "bake a.r32 --spacing 1e300 --out y.world",
        "bake steep.r32 --spacing 1 --sector-size 8 --out y.world",
        "bake steep.r32 --spacing 1 --sector-size 8 --out no/such/y.world",
    ] {
        let ran = shop.say(words);
        assert_eq!(ran.code, Some(2), "{words}: {}", ran.err);
        assert!(!ran.err.contains("MiB"), "{}", ran.err);
        assert_eq!(names(&shop), before, "{words}");
    }
    // An empty folder that was there stays, and a world keeps to itself.
    fs::create_dir(shop.path("y.world")).unwrap();
    shop.say("bake steep.r32 --spacing 1 --sector-size 8 --out y.world").failed(2, &["--quantum"]);
    assert_eq!(fs::read_dir(shop.path("y.world")).unwrap().count(), 0);
    shop.say("bake a.r32 --spacing 1 --sector-size 8 --out y.world").done();
    shop.say("bake steep.r32 --spacing 1 --sector-size 8 --out y.world").failed(2, &["--quantum"]);
    shop.say("verify y.world").done();
    // A file is told by its own name.
    let ran = shop
        .say("bake a.r32 --spacing 1 --out a.r32")
        .failed(2, &["a file, expected the folder of a world"]);
    assert!(!ran.err.contains("sectors: a file"), "{}", ran.err);
}

#[test]
fn a_pack_that_meets_damage_leaves_nothing_behind() {
    let shop = shop();
    let sector = shop.sector("w.world", 2, 1);
    let mut bytes = fs::read(&sector).unwrap();
    bytes[300] ^= 1;
    fs::write(&sector, bytes).unwrap();
    shop.say("pack w.world w.packed").failed(1, &["+002_+001", "marchland verify"]);
    assert_eq!(names(&shop), ["src.png", "w.world"]);
}

#[test]
fn how_much_is_baked_is_told_and_a_slip_in_the_spacing_is_refused() {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(33, 33, hilly));
    let bake = "bake a.r32 --spacing 8 --cell 1 --sector-size 8 --out a.world";
    let quiet = |ran: &str| !ran.contains("sectors of");
    assert!(quiet(&shop.say(bake).done().err), "a small world is baked without a word to a pipe");
    let bake = "bake a.r32 --spacing 17 --cell 1 --sector-size 8 --out c.world";
    let ran = shop.say(bake).done();
    assert!(ran.err.contains("note: 4624 sectors of 8 m, about 3."), "{}", ran.err);
    assert!(ran.out.contains("4624 sectors"), "{}", ran.out);
    assert!(quiet(&shop.say(bake).done().err), "nothing is baked");
    let slip = "bake a.r32 --spacing 1000000 --out b.world";
    let says = ["sectors of 16384 m", "each of 1089 samples", "--spacing", "--cell 1024"];
    shop.say(slip).failed(2, &says);
    assert!(!shop.path("b.world").exists());
    shop.say("bake a.r32 --spacing 50000 --sector-size 16384 --out b.world").done();
}
