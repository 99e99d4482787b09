//! How the command behaves among other commands: what goes where, help, completions, the manual.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::workshop::Workshop;

const VERBS: [&str; 13] = [
    "demo",
    "bake",
    "info",
    "verify",
    "pack",
    "unpack",
    "preview",
    "sample",
    "probe",
    "raycast",
    "run",
    "completions",
    "man",
];

#[test]
fn help_of_every_verb_has_an_example() {
    let shop = Workshop::new();
    let all = shop.say("--help").done().out;
    assert!(all.contains("Exit codes"), "{all}");
    for verb in VERBS {
        assert!(all.contains(&format!("  {verb} ")), "{verb} in:\n{all}");
        let help = shop.say(&format!("{verb} --help")).done().out;
        assert!(help.contains("Example"), "{verb}:\n{help}");
        assert!(help.contains(&format!("marchland {verb}")), "{verb}:\n{help}");
    }
    assert!(shop.say("--version").done().out.starts_with("marchland "));
}

#[test]
fn completions_for_every_shell_know_every_verb() {
    let shop = Workshop::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = shop.say(&format!("completions {shell}")).done().out;
        for word in VERBS.iter().chain(&["min-height", "points"]) {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    shop.say("completions cmd").failed(2, &["bash", "zsh"]);
}

#[test]
fn the_manual_has_a_section_for_every_verb_and_its_flags() {
    let shop = Workshop::new();
    let page = shop.say("man").done().out;
    assert!(page.contains(".TH marchland 1"), "{}", &page[..200]);
    for verb in VERBS {
        assert!(page.contains(&verb.to_uppercase()), "no section on {verb}");
    }
    for flag in ["sector\\-size", "surface\\-names", "from", "units"] {
        assert!(page.contains(flag), "no {flag}");
    }
}

#[test]
fn nothing_but_results_goes_to_standard_output_and_no_bar_to_a_pipe() {
    let shop = Workshop::new();
    shop.file("a.png", &crate::workshop::gray(40, 40, png::BitDepth::Eight, |x, z| (x + z) as u16));
    let bake = "bake a.png --spacing 1 --min-height 0 --max-height 9 --out a.world --json";
    let ran = shop.say(bake);
    assert_eq!(ran.json()["sectors"], serde_json::json!(1));
    assert!(ran.err.lines().all(|line| line.starts_with("warning: ")), "{}", ran.err);
    assert!(!ran.err.contains(['\r', '\u{1b}']), "{:?}", ran.err);
    for verb in ["info", "verify", "preview --out p.png", "sample 1 2"] {
        let (verb, rest) = verb.split_once(' ').unwrap_or((verb, ""));
        let ran = shop.say(&format!("{verb} a.world {rest}")).done();
        assert!(!ran.out.is_empty() && !ran.out.contains('\u{1b}'), "{verb}: {}", ran.out);
        shop.say(&format!("{verb} a.world {rest} --json")).done().json();
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_command_without_an_error() {
    let shop = Workshop::new();
    shop.hills();
    // Far more than a pipe holds, so that writing meets the closed end.
    shop.file("many.csv", "1,2\n".repeat(200_000).as_bytes());
    let words = ["sample", "hills.world", "--points", "many.csv", "--json"];
    let mut command = shop.command(&words);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("{\"x\":1.0"), "{first}");
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
}

#[cfg(unix)]
#[test]
fn an_endless_list_of_points_ends_with_its_reader() {
    let shop = Workshop::new();
    shop.hills();
    let mut command = shop.command(&["sample", "hills.world", "--points", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut points = child.stdin.take().unwrap();
    let feeder =
        std::thread::spawn(
            move || while std::io::Write::write_all(&mut points, b"1,2\n").is_ok() {},
        );
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    feeder.join().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_an_error() {
    let shop = Workshop::new();
    shop.hills();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = shop.command(&["sample", "hills.world", "1", "2"]).stdout(full).output().unwrap();
    assert_eq!(ended.status.code(), Some(3));
    assert!(String::from_utf8(ended.stderr).unwrap().contains("standard output"));
}
