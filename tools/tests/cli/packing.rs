//! Worlds that are packed, used, unpacked and refused.

use std::fs;

use serde_json::json;

use crate::workshop::{Workshop, floats, hilly, tree};

/// A small world with props, `a.world`, packed into `a.packed`.
fn packed() -> Workshop {
    let shop = Workshop::new();
    shop.file("a.r32", &floats(41, 41, hilly));
    shop.file("spike.obj", b"v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 2 3\nf 1 3 4\n");
    let props = "[[scatter]]\nmesh = \"spike.obj\"\ncount = 40\nscale = [0.5, 2]\n";
    shop.file("props.toml", props.as_bytes());
    shop.say("bake a.r32 --spacing 1 --sector-size 8 --props props.toml --out a.world").done();
    let ran = shop.say("pack a.world a.packed").done();
    assert!(ran.out.starts_with("a.packed: 25 sectors, 2 files written, generation 1"), "{ran:?}");
    shop
}

#[test]
fn a_packed_world_is_used_like_any_other() {
    let shop = packed();
    let files: Vec<_> = tree(&shop.path("a.packed")).into_keys().collect();
    assert_eq!(files.len(), 4, "{files:?}");
    for words in [
        "sample W 5 7 --json",
        "sample W -3.5 30.25 --json",
        "raycast W --from 0,200,0 --to 10,0,12 --json",
        "probe W 12.5 7 --json",
        "info W --json",
        "verify W --json",
    ] {
        let plain = shop.say(&words.replace('W', "a.world")).done().out;
        assert_eq!(shop.say(&words.replace('W', "a.packed")).done().out, plain, "{words}");
    }
    shop.say("preview a.world --out plain.png").done();
    shop.say("preview a.packed --out packed.png").done();
    assert_eq!(
        fs::read(shop.path("plain.png")).unwrap(),
        fs::read(shop.path("packed.png")).unwrap()
    );
}

#[test]
fn unpacking_gives_back_the_world_that_was_packed() {
    let shop = packed();
    let answer = shop.say("unpack a.packed b.world --json").done().json();
    assert_eq!((&answer["sectors"], &answer["meshes"]), (&json!(25), &json!(1)));
    assert_eq!((&answer["written"], &answer["kept"]), (&json!(26), &json!(0)));
    assert_eq!(tree(&shop.path("b.world")), tree(&shop.path("a.world")));
    shop.say("pack b.world b.packed").done();
    assert_eq!(tree(&shop.path("b.packed")), tree(&shop.path("a.packed")));
    // What was unpacked can be baked into.
    let bake = "bake a.r32 --spacing 1 --sector-size 8 --props props.toml --out b.world";
    assert!(shop.say(bake).done().out.contains("up to date"));
}

#[test]
fn packing_refuses_what_it_would_destroy() {
    let shop = packed();
    let before = tree(&shop.path("a.packed"));
    let bake = "bake a.r32 --spacing 1 --sector-size 8 --out a.packed";
    shop.say(bake).failed(2, &["a packed world", ".pack", "marchland unpack"]);
    for words in ["pack a.world a.packed", "unpack a.packed a.packed", "unpack a.world a.packed"] {
        shop.say(words).failed(2, &["already contains a world", "empty"]);
    }
    assert_eq!(tree(&shop.path("a.packed")), before);
    fs::create_dir(shop.path("photos")).unwrap();
    shop.file("photos/sea.jpg", b"blue");
    shop.say("pack a.world photos").failed(2, &["sea.jpg"]);
    shop.say("pack nowhere b.packed").failed(2, &["nowhere: does not exist"]);
    assert!(!shop.path("b.packed").exists());
    shop.say("pack a.world").failed(2, &["OUT"]);
}

#[test]
fn damage_is_not_packed_and_a_stopped_run_is_taken_up_again() {
    let shop = packed();
    let sector = shop.sector("a.world", 2, 1);
    let bytes = fs::read(&sector).unwrap();
    fs::write(&sector, &bytes[..300]).unwrap();
    shop.say("pack a.world b.packed").failed(1, &["+002_+001", "marchland verify"]);
    shop.say("verify b.packed").failed(2, &["does not exist"]);
    fs::write(&sector, bytes).unwrap();
    shop.say("pack a.world b.packed").done();
    assert_eq!(tree(&shop.path("b.packed")), tree(&shop.path("a.packed")));

    let pack = shop.path("b.packed/sectors/+000_+000.pack");
    let mut bytes = fs::read(&pack).unwrap();
    bytes[70] ^= 1;
    fs::write(&pack, &bytes).unwrap();
    shop.say("unpack b.packed c.world").failed(1, &["+000_+000.pack", "checksum"]);
    shop.say("verify b.packed").failed(1, &["26 problems"]);
    shop.say("sample b.packed 5 7").failed(0, &["warning", "+000_+000.pack", "checksum"]);
}

#[cfg(unix)]
#[test]
fn packing_killed_anywhere_leaves_no_world_and_is_finished_by_the_next_run() {
    use std::process::Stdio;
    let shop = packed();
    let calm = tree(&shop.path("a.packed"));
    let mut met = 0;
    for round in 0..40 {
        let out = shop.path("w.packed");
        let _ = fs::remove_dir_all(&out);
        let mut command = shop.command(&["pack", "a.world", "w.packed"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(250 * round));
        child.kill().unwrap();
        met += u32::from(child.wait().unwrap().code().is_none());
        let is_published = out.join("manifest-0000000001").exists();
        if is_published {
            shop.say("verify w.packed").done();
        } else {
            shop.say("pack a.world w.packed").done();
        }
        assert!(tree(&out) == calm, "round {round}");
    }
    assert!(met > 0, "no run was met alive");
}
