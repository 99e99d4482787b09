//! Scenario files that are wrong: the line, the key, what was found and what is accepted.

mod expects;
mod grounds;
mod meshes;
mod units;

use marchland_tools::command::scenario::{Scenario, ScenarioError};

use crate::fixtures::*;

fn refused_in(folder: &Folder, toml: &str) -> ScenarioError {
    match folder.load(toml) {
        Err(error) => error,
        Ok(_) => panic!("accepted:\n{toml}"),
    }
}

/// Each row: what goes before, lines that are wrong, the line at fault counted from the first of
/// them, and what the message holds.
type Row<'a> = (&'a str, &'a str, u32, &'a [&'a str]);

fn check(table: &[Row<'_>]) {
    let folder = Folder::new();
    folder.image("hills.png");
    folder.file("bad.obj", b"v 0 0 0\nv nan 0 0\n");
    folder.file("flat.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    folder.file("bad.png", b"no picture at all");
    for (before, wrong, line, says) in table {
        let begin = format!("{LEAST}{before}");
        let error = refused_in(&folder, &format!("{begin}{wrong}\n"));
        let message = error.to_string();
        let expected = begin.lines().count() as u32 + line;
        assert_eq!(error.line, Some(expected), "{wrong}\n{message}");
        assert!(message.contains(&format!("run.toml, line {expected}: ")), "{message}");
        for part in *says {
            assert!(message.contains(part), "no {part} in: {message}");
        }
        assert!(!error.is_io(), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

const MESH: &str = "[meshes.box]\nbox = [1, 1, 1]\n\
    [meshes.leaf]\nvertices = [[0,0,0],[1,0,0],[0,1,0]]\ntriangles = [[0,1,2]]\n";
const PROP: &str = "[meshes.box]\nbox = [1, 1, 1]\n\
    [meshes.leaf]\nvertices = [[0,0,0],[1,0,0],[0,1,0]]\ntriangles = [[0,1,2]]\n\
    [[props]]\nmesh = \"box\"\nposition = [0, 0, 0]\n";
const UNIT: &str = "[bodies.soldier]\n[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n";
const EXPECT: &str = "[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n[[expect]]\nunit = \"a\"\n";
const GONE: &str = "[[not_resident]]\nsector = [0, 0]\n";
const BODY: &str = "[bodies.b]\n";
const HEIGHTS: &str =
    "[terrain]\nheights = { columns = 3, rows = 2, spacing = 8, samples = [0,0,1, 0,0,1] }\n";

#[test]
fn the_file_itself_is_refused_with_line_and_key() {
    check(&[
        ("", "prop = 5", 1, &["unknown key `prop` in a scenario", "units, not_resident, expect"]),
        ("", "\n\nx = = 5", 3, &["not TOML"]),
        ("", "ticks = 5", 1, &["not TOML", "duplicate"]),
        ("", "tick_rate = 0", 1, &["`tick_rate` is 0", "4 to 100000 Hz"]),
        ("", "tick_rate = \"60\"", 1, &["`tick_rate` is \"60\""]),
        ("", "tick_rate = nan", 1, &["`tick_rate` is nan"]),
        ("", "gravity = -9.81", 1, &["`gravity` is -9.81", "0 to 1024"]),
        ("", "gravity = [0, -9.81, 0]", 1, &["`gravity` is [0, -9.81, 0]"]),
        ("", "sector_size = 100", 1, &["`sector_size` is 100", "power of two from 8 to 16384"]),
        ("", "sector_size = 4", 1, &["`sector_size` is 4"]),
        ("", "sector_size = 256.0000001", 1, &["`sector_size` is 256.0000001"]),
        ("", "origin_sector = [0, 0, 0]", 1, &["`origin_sector` is [0, 0, 0]", "[x, z]"]),
        ("", "origin_sector = [0.5, 0]", 1, &["`origin_sector[0]` is 0.5"]),
        ("", "origin_sector = [0, 2147483648]", 1, &["`origin_sector[1]` is 2147483648"]),
        ("", "units = 5", 1, &["`units` is 5", "[[units]]"]),
        ("", "bodies = 5", 1, &["`bodies` is 5", "[bodies.NAME]"]),
        ("", "[bodies]\nsoldier = 5", 2, &["`bodies.soldier` is 5", "[bodies.NAME]"]),
        ("", "[units]\nname = \"a\"", 1, &["`units` is a table", "[[units]]"]),
        ("", "[[expect]]\nunit = \"a\"", 2, &["`unit` is \"a\"", "a unit: none is defined"]),
    ]);
}

#[test]
fn what_every_scenario_must_say_is_missed() {
    let folder = Folder::new();
    let table: &[(&str, u32, &[&str])] = &[
        ("", 1, &["a scenario has no `version`", "expected 1"]),
        ("version = 2", 1, &["`version` is 2", "expected 1"]),
        ("version = 0", 1, &["`version` is 0"]),
        ("version = 1.0", 1, &["`version` is 1.0"]),
        ("version = 1", 1, &["a scenario has no `name`"]),
        ("version = 1\nname = \"\"", 2, &["`name` is \"\""]),
        ("version = 1\nname = 7", 2, &["`name` is 7"]),
        ("version = 1\nname = \"n\"", 1, &["a scenario has no `ticks`", "whole number of ticks"]),
        ("version = 1\nname = \"n\"\nticks = -1", 3, &["`ticks` is -1"]),
        ("version = 1\nname = \"n\"\nticks = 1.5", 3, &["`ticks` is 1.5"]),
        ("version = 1\nname = \"n\"\nticks = 4294967296", 3, &["`ticks` is 4294967296"]),
    ];
    for (toml, line, says) in table {
        let error = refused_in(&folder, toml);
        let message = error.to_string();
        assert_eq!(error.line, Some(*line), "{message}");
        assert!(says.iter().all(|part| message.contains(part)), "{says:?} in: {message}");
    }
}

#[test]
fn a_shift_that_leaves_no_number_for_a_sector_is_refused() {
    let shift = "origin_sector = [2147483647, 0]\n";
    let box_at = |x: f64| format!("{MESH}[[props]]\nmesh = \"box\"\nposition = [{x}, 0, 0]");
    check(&[
        (
            shift,
            &box_at(200.0),
            8,
            &["`position` is [200, 0, 0]", "after the shift by `origin_sector`"],
        ),
        (shift, &GONE.replace("[0,", "[1,"), 2, &["`sector` is [1, 0]", "origin_sector"]),
        (
            shift,
            &format!("{UNIT}controls = [{{ tick = 0, teleport = [300, 0, 0] }}]"),
            5,
            &["`controls[0].teleport`", "origin_sector"],
        ),
        (
            shift,
            "[terrain]\nheights = { columns = 33, rows = 2, spacing = 8, samples = [0,0,0,0,0,0,0,0,\
             0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,\
             0,0,0,0,0,0,0,0,0,0,0,0,0] }",
            2,
            &["`heights` is an area of sectors 0 to 1", "origin_sector"],
        ),
    ]);
    assert!(Folder::new().load(&format!("{LEAST}{shift}{}", box_at(100.0))).is_ok());
}

#[test]
fn a_size_of_sectors_beside_a_world_is_refused() {
    let folder = Folder::new();
    folder.world("a.world");
    let wrong = |top: &str, last: &str, line: u32, says: &str| {
        let toml = format!("{LEAST}{top}[terrain]\nworld = \"a.world\"\n{last}");
        let error = refused_in(&folder, &toml);
        assert!(error.line == Some(line) && error.to_string().contains(says), "{error}");
    };
    wrong("sector_size = 32\n", "", 4, "`sector_size` together with `world`");
    wrong("", "surface = \"grass\"\n", 6, "`surface` together with `world`");
    wrong("", "holes = [[0, 0]]\n", 6, "`holes` is [[0, 0]]");
}

#[test]
fn a_file_that_cannot_be_read_is_no_fault_of_the_scenario() {
    let folder = Folder::new();
    let error = Scenario::load(&folder.path().join("none.toml")).unwrap_err();
    assert!(error.is_io() && error.line.is_none(), "{error}");
    assert!(error.to_string().contains("none.toml: cannot open"), "{error}");
    let path = folder.file("bytes.toml", b"version = 1\n# \xff\n");
    let error = Scenario::load(&path).unwrap_err();
    assert!(!error.is_io() && error.to_string().contains("not UTF-8"), "{error}");
}
