//! What `verify` finds.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::workshop::Workshop;

/// A world of four sectors.
fn small() -> Workshop {
    let shop = Workshop::new();
    shop.file("a.r32", &crate::workshop::floats(17, 17, crate::workshop::hilly));
    shop.say("bake a.r32 --spacing 1 --sector-size 8 --out a.world").done();
    shop
}

/// One line for each problem on standard output, and how many there are on standard error.
fn refused(shop: &Workshop, name: &Path) {
    let name = name.file_name().unwrap().to_str().unwrap();
    let ran = shop.say("verify a.world").failed(1, &["a.world: ", "problem", "--force"]);
    assert!(ran.out.lines().any(|line| line.contains(name)), "no {name} in {}", ran.out);
    let ran = shop.say("verify a.world --json").failed(1, &[]);
    let answer = ran.json();
    assert_eq!(answer["ok"], json!(false));
    let listed = answer["problems"].as_array().unwrap();
    assert!(!listed.is_empty() && answer["problem_count"].as_u64().unwrap() >= listed.len() as u64);
}

#[test]
fn a_sound_world_is_said_to_be_sound() {
    let shop = small();
    let ran = shop.say("verify a.world").done();
    assert_eq!(ran.out, "a.world: 4 sectors; checksums, edges, aprons and pyramids are correct\n");
    let answer = shop.say("verify a.world --json").done().json();
    assert_eq!((&answer["ok"], &answer["sectors"]), (&json!(true), &json!(4)));
    assert_eq!((&answer["problem_count"], &answer["problems"]), (&json!(0), &json!([])));
}

#[test]
fn a_flipped_bit_anywhere_in_a_sector_file_is_found() {
    let shop = small();
    let path = shop.sector("a.world", 1, 0);
    let sound = fs::read(&path).unwrap();
    // All sections and the padding between them, without taking minutes.
    for index in (0..sound.len()).step_by(sound.len() / 40 + 1).chain([sound.len() - 1]) {
        let mut bytes = sound.clone();
        bytes[index] ^= 1 << (index % 8);
        fs::write(&path, bytes).unwrap();
        refused(&shop, &path);
    }
    fs::write(&path, &sound).unwrap();
    shop.say("verify a.world").done();
}

#[test]
fn cut_missing_and_swapped_files_are_found() {
    let shop = small();
    let (one, two) = (shop.sector("a.world", 0, 0), shop.sector("a.world", 1, 1));
    let [first, second] = [&one, &two].map(|path| fs::read(path).unwrap());

    fs::write(&one, &first[..first.len() - 64]).unwrap();
    refused(&shop, &one);
    fs::write(&one, []).unwrap();
    refused(&shop, &one);
    fs::remove_file(&one).unwrap();
    refused(&shop, &one);
    fs::write(&one, &second).unwrap();
    fs::write(&two, &first).unwrap();
    refused(&shop, &one);
    refused(&shop, &two);
    fs::write(&two, &second).unwrap();
    refused(&shop, &one);
    fs::write(&one, &first).unwrap();
    shop.say("verify a.world").done();
}

#[test]
fn a_flipped_bit_anywhere_in_the_manifest_is_refused_by_every_verb() {
    let shop = small();
    let path = shop.path("a.world/manifest-0000000001");
    let sound = fs::read(&path).unwrap();
    for index in (0..sound.len()).step_by(sound.len() / 24 + 1) {
        let mut bytes = sound.clone();
        bytes[index] ^= 1 << (index % 8);
        fs::write(&path, bytes).unwrap();
        let ran = shop.say("verify a.world");
        assert!(matches!(ran.code, Some(1 | 2)), "byte {index}: {ran:?}");
        assert!(ran.err.starts_with("error: "), "{}", ran.err);
        for verb in ["info a.world", "preview a.world --out p.png", "sample a.world 0 0"] {
            let code = shop.say(verb).code;
            assert!(matches!(code, Some(0 | 2)), "byte {index}: {verb} ended with {code:?}");
        }
    }
}

#[test]
fn no_verb_stumbles_over_whatever_a_folder_holds() {
    let shop = small();
    fs::create_dir(shop.path("empty")).unwrap();
    fs::create_dir_all(shop.path("odd/manifest-0000000007")).unwrap();
    fs::create_dir_all(shop.path("bare")).unwrap();
    shop.file("bare/manifest-0000000001", b"");
    shop.file("bare/notes.txt", b"not a world");
    let verbs =
        ["verify", "info", "preview --out p.png", "sample 1 2", "raycast --from 0,9,0 --to 0,0,0"];
    for world in ["empty", "odd", "bare", "a.r32", "a.world/sectors", "nothing-there"] {
        for verb in verbs {
            let (verb, rest) = verb.split_once(' ').unwrap_or((verb, ""));
            let ran = shop.say(&format!("{verb} {world} {rest}"));
            if (verb, world) == ("info", "a.r32") {
                assert_eq!(ran.code, Some(0), "an elevation file: {ran:?}");
                continue;
            }
            assert!(matches!(ran.code, Some(2 | 3)), "{verb} {world}: {ran:?}");
            assert!(ran.err.starts_with("error: ") && ran.err.contains(world), "{}", ran.err);
            assert_eq!(ran.out, "", "{verb} {world}");
        }
    }
}

#[test]
fn a_version_that_is_not_known_names_the_tool_that_bakes_again() {
    let shop = small();
    let path = shop.path("a.world/manifest-0000000001");
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 99;
    fs::write(&path, bytes).unwrap();
    for verb in ["verify a.world", "info a.world", "sample a.world 0 0"] {
        shop.say(verb).failed(2, &["version 99, expected version 1", "marchland bake"]);
    }
}
