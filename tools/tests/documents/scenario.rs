//! `SCENARIO.md`, table by table.

use std::collections::BTreeSet;
use std::path::Path;

use clap::CommandFactory;
use marchland_terrain::SurfaceId;
use marchland_tools::command::cli::Cli;
use marchland_tools::command::scenario::{Overrides, Scenario, ScenarioProblem};
use marchland_tools::toml_tree::TomlProblem;
use serde_json::Value;

use crate::document::{Document, quoted};
use crate::keys::{self, Sample};
use crate::ranges;
use crate::whole::run;
use crate::workshop::Workshop;

const DOCUMENT: Document = Document(include_str!("../../SCENARIO.md"));

/// A file with every other table of keys, which may stand before any of them.
macro_rules! after {
    ($begin:literal) => {
        concat!("version = 1\nname = \"n\"\nticks = 100\n", $begin)
    };
}

const BOX: (&str, &str) = ("box", "[1, 2, 3]");
const PLACE: (&str, &str) = ("position", "[0, 0, 0]");
const TICK: (&str, &str) = ("tick", "5");

/// Every table, in the order of the document.
const SAMPLES: [Sample; 20] = [
    Sample {
        heading: "## The file itself",
        begin: "",
        needed: &[("version", "1"), ("name", "\"n\""), ("ticks", "100")],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `[terrain]`",
        begin: after!("[terrain]\n"),
        needed: &[],
        chosen: &[("flat", "3")],
        end: "",
    },
    Sample {
        heading: "### `heights`",
        begin: after!("[terrain]\nheights = { "),
        needed: &[
            ("columns", "3"),
            ("rows", "2"),
            ("spacing", "8"),
            ("samples", "[0, 0, 1, 0, 0, 1]"),
        ],
        chosen: &[],
        end: " }",
    },
    Sample {
        heading: "### `png`",
        begin: after!("[terrain]\npng = { "),
        needed: &[
            ("file", "\"hills.png\""),
            ("spacing", "2"),
            ("min_height", "0"),
            ("max_height", "9"),
        ],
        chosen: &[],
        end: " }",
    },
    Sample {
        heading: "### `[surfaces.NAME]`",
        begin: after!("[surfaces.ice]\n"),
        needed: &[],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `[meshes.NAME]`",
        begin: after!("[meshes.crate]\n"),
        needed: &[],
        chosen: &[BOX],
        end: "",
    },
    Sample {
        heading: "### `profile`",
        begin: after!("[meshes.crate]\nprofile = { "),
        needed: &[("outline", "[[0, 0], [2, 0], [2, 1]]"), ("z", "[-1, 2]")],
        chosen: &[],
        end: " }",
    },
    Sample {
        heading: "### `prism`",
        begin: after!("[meshes.crate]\nprism = { "),
        needed: &[("outline", "[[0, 0], [2, 0], [2, 1]]"), ("y", "[-1, 2]")],
        chosen: &[],
        end: " }",
    },
    Sample {
        heading: "### `ramp`",
        begin: after!("[meshes.crate]\nramp = { "),
        needed: &[("run", "4"), ("rise", "2"), ("z", "[-1, 2]")],
        chosen: &[],
        end: " }",
    },
    Sample {
        heading: "### `stairs`",
        begin: after!("[meshes.crate]\nstairs = { "),
        needed: &[("steps", "3"), ("run", "4"), ("rise", "2"), ("z", "[-1, 2]")],
        chosen: &[],
        end: " }",
    },
    Sample {
        heading: "### `cylinder`",
        begin: after!("[meshes.crate]\ncylinder = { "),
        needed: &[("radius", "0.5"), ("y", "[-1, 2]")],
        chosen: &[],
        end: " }",
    },
    Sample {
        heading: "### `[[props]]`",
        begin: after!("[meshes.crate]\nbox = [1, 2, 3]\n[[props]]\n"),
        needed: &[("mesh", "\"crate\""), PLACE],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `motion`",
        begin: after!(
            "[meshes.crate]\nbox = [1, 2, 3]\n[[props]]\nmesh = \"crate\"\nposition = [0, 0, 0]\n\
             motion = [{ tick = 1, velocity = [1, 2, 3] }, { "
        ),
        needed: &[TICK],
        chosen: &[],
        end: " }]",
    },
    Sample {
        heading: "### `[bodies.NAME]`",
        begin: after!("[bodies.soldier]\n"),
        needed: &[],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `[[units]]`",
        begin: after!("[[units]]\n"),
        needed: &[("name", "\"a\""), PLACE],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `controls`",
        begin: after!(
            "[bodies.rat]\n[[units]]\nname = \"a\"\nposition = [0, 0, 0]\ncontrols = [{ tick = 1, \
             jump = true, impulse = [0, 1, 0] }, { "
        ),
        needed: &[TICK],
        chosen: &[],
        end: " }]",
    },
    Sample {
        heading: "### `[separation]`",
        begin: after!("[separation]\n"),
        needed: &[],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `[[not_resident]]`",
        begin: after!("[[not_resident]]\n"),
        needed: &[("sector", "[0, 0]"), ("from", "1"), ("to", "2")],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `[[expect]]`",
        begin: after!("[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n[[expect]]\n"),
        needed: &[("unit", "\"a\"")],
        chosen: &[],
        end: "",
    },
    Sample {
        heading: "### `at`",
        begin: after!(
            "[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n[[expect]]\nunit = \"a\"\ntick = 7\n\
             at = [{ tick = 1 }, { "
        ),
        needed: &[],
        chosen: &[],
        end: " }]",
    },
];

/// A PNG of 2 × 2 samples, gray of 8 bits.
fn image() -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = png::Encoder::new(&mut bytes, 2, 2);
    encoder.write_header().unwrap().write_image_data(&[0, 64, 128, 255]).unwrap();
    bytes
}

/// What a scenario comes to, or what is wrong with it.
fn read(path: &Path, text: &str) -> Result<String, TomlProblem> {
    match Scenario::from_text(path, text) {
        Ok(mut scenario) => {
            // Velocities that are zero from the start on are no motion.
            scenario.props.iter_mut().for_each(|prop| {
                prop.motion.retain(|entry| {
                    let speeds = entry.velocity.length() + entry.angular_velocity.length();
                    entry.tick > 0 || speeds > 0.0
                });
            });
            Ok(format!("{scenario:?}"))
        }
        Err(error) => match error.problem {
            ScenarioProblem::Toml(problem) => Err(problem),
            other => panic!("{other}\n{text}"),
        },
    }
}

#[test]
fn every_key_of_a_scenario_has_its_row_and_every_row_its_key() {
    let shop = Workshop::new();
    shop.file("hills.png", image());
    let path = shop.file("run.toml", "");
    keys::check(DOCUMENT, &SAMPLES, &|text| read(&path, text));
    let ranges = ranges::check(DOCUMENT, &SAMPLES, &|text| read(&path, text));
    assert!(ranges >= 33, "{ranges} ranges");
}

#[test]
fn the_example_of_scenarios_runs_and_holds_at_other_rates_and_on_either_path() {
    let shop = Workshop::new();
    shop.file("run.toml", DOCUMENT.block("toml"));
    assert_eq!(shop.say("run run.toml"), DOCUMENT.block("text"));
    let auto = shop.json("run run.toml");
    let full = shop.json("run run.toml --path full --threads 3");
    assert_eq!(auto["state_hash"], full["state_hash"]);
    for rate in [30, 120, 240] {
        shop.say(&format!("run run.toml --rate {rate}"));
    }
}

#[test]
fn every_expectation_of_the_example_can_fail() {
    let shop = Workshop::new();
    let path = shop.file("run.toml", DOCUMENT.block("toml"));
    let scenario = Scenario::load(&path).unwrap();
    // Nobody does anything.
    let mut idle = scenario.clone();
    idle.units.iter_mut().for_each(|unit| unit.controls.clear());
    idle.props.iter_mut().for_each(|prop| prop.surface = SurfaceId(0));
    idle.not_resident.clear();
    let failed = run(&idle, &Overrides::default()).unwrap().failures;
    for expect in &scenario.expects {
        let begin = format!("unit {} at tick {}:", scenario.units[expect.unit].name, expect.tick);
        assert!(failed.iter().any(|failure| failure.starts_with(&begin)), "{begin} {failed:#?}");
    }
}

#[test]
fn every_flag_of_run_has_its_row() {
    let mut cli = Cli::command();
    cli.build();
    let run = cli.find_subcommand("run").unwrap();
    let flags = run.get_arguments().filter_map(clap::Arg::get_long);
    let flags: BTreeSet<_> = flags.filter(|flag| !["help", "version"].contains(flag)).collect();
    let rows = DOCUMENT.names("## `marchland run`").into_iter();
    assert_eq!(rows.map(|row| row.trim_start_matches("--")).collect::<BTreeSet<_>>(), flags);
}

#[test]
fn the_object_the_events_and_the_trace_are_as_described() {
    let shop = Workshop::new();
    shop.file("run.toml", DOCUMENT.block("toml"));
    let result = shop.json("run run.toml --trace out.csv");
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(keys(&result), DOCUMENT.names("### The object of `--json`"));
    assert_eq!(keys(&result["units"][0]), DOCUMENT.names("### Each of its `units`"));
    let rows = DOCUMENT.table("### Events");
    let events = result["events"].as_array().unwrap();
    for event in events {
        let row = rows.iter().find(|row| quoted(row[0])[0] == event["event"]);
        let row = row.unwrap_or_else(|| panic!("no row for {event}"));
        assert_eq!(keys(event)[3..], quoted(row[1]), "{event}");
    }
    assert!(events.iter().any(|event| event["event"] == "resize_refused"));
    let trace = shop.read("out.csv");
    let columns: Vec<_> = trace.lines().next().unwrap().split(',').collect();
    assert_eq!(columns, DOCUMENT.names("### The columns of `--trace`"));
    assert_eq!(trace.lines().count(), 1 + 481 * 5);
}

#[test]
fn every_event_is_described() {
    let source = include_str!("../../src/command/scenario/happened.rs");
    let code = source.split("#[cfg(test)]").next().unwrap();
    // Each begins a record.
    let begun = ["event(\"", "of_prop(\""].into_iter().flat_map(|begin| code.split(begin).skip(1));
    let words = begun.filter_map(|rest| rest.split('"').next()).filter(|word| *word != "other");
    let words: BTreeSet<_> = words.chain(["resize_refused"]).collect();
    assert_eq!(DOCUMENT.names("### Events").into_iter().collect::<BTreeSet<_>>(), words);
}
