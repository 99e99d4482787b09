//! The results of `marchland run` for programs, and what its words change.

use serde_json::{Value, json};

use crate::fixtures::*;

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_object_has_every_key_and_says_what_came_out() {
    // Walks a slope of 3 in 4 down, and one falls onto it.
    let toml = "version = 1\nname = \"down\"\nticks = 60\n[terrain]\n\
        heights = { columns = 3, rows = 2, spacing = 64.0, samples = [96, 48, 0, 96, 48, 0] }\n\
        [[units]]\nname = \"a\"\nposition = [32, 72, 8]\ncontrols = [{ tick = 0, move = [2, 0] }]\n\
        [[units]]\nname = \"b\"\nposition = [64, 100, 60]\nvelocity = [1, 0, 0]\n";
    let result = Folder::with(toml).run("run.toml --json").ended(0, &[]).json();
    assert_eq!(keys(&result), ["name", "ticks", "state_hash", "units", "events", "failures"]);
    assert_eq!((&result["name"], &result["ticks"]), (&json!("down"), &json!(60)));
    let hash = result["state_hash"].as_str().unwrap();
    assert!(hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok(), "{hash}");
    assert_eq!((&result["events"], &result["failures"]), (&json!([]), &json!([])));
    let units = result["units"].as_array().unwrap();
    assert_eq!(units.len(), 2);
    for unit in units {
        let expected = [
            "name",
            "sector",
            "local",
            "position",
            "velocity",
            "mode",
            "ground_normal",
            "lowest",
            "highest",
            "deepest_penetration",
            "falling_ticks",
            "mode_changes",
        ];
        assert_eq!(keys(unit), expected);
        for key in ["local", "position", "velocity", "ground_normal"] {
            assert_eq!(unit[key].as_array().unwrap().len(), 3, "{key}");
        }
    }
    let number = |unit: &Value, key: &str, axis: usize| unit[key][axis].as_f64().unwrap();
    let (walks, falls) = (&units[0], &units[1]);
    assert_eq!((&walks["mode"], &falls["mode"]), (&json!("walking"), &json!("falling")));
    for (axis, expected) in [-0.6, 0.8, 0.0].into_iter().enumerate() {
        // Downhill is +X, so the ground faces that way.
        let expected = if axis == 0 { -expected } else { expected };
        assert!((number(walks, "ground_normal", axis) - expected).abs() < 1e-6);
    }
    assert_eq!(falls["ground_normal"], json!([0.0, 0.0, 0.0]));
    let low = walks["lowest"].as_f64().unwrap();
    assert!((low - 70.5).abs() < 1e-3, "2 m along X are 1.5 m down: {low}");
    assert_eq!(walks["highest"], json!(72.0));
    assert_eq!((&walks["falling_ticks"], &walks["mode_changes"]), (&json!(0), &json!(0)));
    assert_eq!((&falls["falling_ticks"], &falls["mode_changes"]), (&json!(60), &json!(0)));
    assert_eq!((&falls["highest"], &falls["lowest"]), (&json!(100.0), &falls["position"][1]));
    assert_eq!(falls["velocity"][0], json!(1.0));
}

#[test]
fn a_trace_has_a_row_for_each_unit_in_each_tick_and_ends_as_the_object_says() {
    let folder = Folder::with(&format!("{FLAT}{TWO}"));
    let plain = folder.run("run.toml --json").ended(0, &[]);
    let result = folder.run("run.toml --json --trace out.csv").ended(0, &[]);
    assert_eq!(plain.out, result.out, "writing it down changes nothing");
    let result = result.json();
    let table = folder.read("out.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0], ["tick", "name", "x", "y", "z", "vx", "vy", "vz", "mode"]);
    assert_eq!(rows.len(), 1 + 61 * 2);
    for (number, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[0], (number / 2).to_string());
        assert_eq!(row[1], ["a", "b"][number % 2]);
    }
    assert_eq!(rows[1], ["0", "a", "1", "2", "0", "0", "0", "0", "walking"]);
    assert_eq!(rows[2], ["0", "b", "9", "10", "0", "0", "0", "0", "falling"]);
    for (unit, row) in rows[rows.len() - 2..].iter().enumerate() {
        for axis in 0..3 {
            // Both read by the same reader, which may be off by a bit.
            let read = |text: &str| serde_json::from_str::<Value>(text).unwrap().as_f64();
            let place = result["units"][unit]["position"][axis].as_f64();
            assert_eq!(read(row[2 + axis]), place);
            let speed: f32 = row[5 + axis].parse().unwrap();
            let told = result["units"][unit]["velocity"][axis].as_f64().unwrap();
            assert_eq!(speed, told as f32);
        }
        assert_eq!(json!(row[8]), result["units"][unit]["mode"]);
    }
}

#[test]
fn another_rate_runs_the_same_seconds_in_other_ticks() {
    let folder = Folder::with(&format!("{FLAT}{TWO}"));
    for rate in [20, 30, 60, 120, 240] {
        let words = format!("run.toml --json --rate {rate} --trace out.csv");
        let result = folder.run(&words).ended(0, &[]).json();
        assert_eq!(result["ticks"], json!(rate));
        assert_eq!(result["units"][1]["falling_ticks"], json!(rate));
        assert_eq!(folder.read("out.csv").lines().count(), 1 + (rate + 1) * 2);
    }
    // An expectation keeps its moment: at half the rate it is at half the tick.
    let late = TWO.replace("speed = 4.905", "speed = 5.905");
    let folder = Folder::with(&format!("{FLAT}{late}"));
    let ran = folder.run("run.toml --rate 20").ended(1, &[]);
    assert!(ran.out.contains("unit b at tick 10: speed is 4.905, expected 5.905"), "{}", ran.out);
}

#[test]
fn every_number_of_threads_prints_the_same_bytes() {
    let mut toml = format!("{FLAT}[meshes.b]\nbox = [1, 1, 1]\n");
    for unit in 0..150 {
        let (x, z) = (f64::from(unit % 13) * 41.5 - 250.0, f64::from(unit / 13) * 33.25);
        let y = if unit % 3 == 0 { 4.5 } else { 2.0 };
        let (along_x, along_z) = (f64::from(unit % 7) - 3.0, f64::from(unit % 5) - 2.0);
        toml += &format!(
            "[[units]]\nname = \"{unit}\"\nposition = [{x}, {y}, {z}]\n\
             controls = [{{ tick = 0, move = [{along_x}, {along_z}] }}, \
             {{ tick = {tick}, impulse = [0.5, 3, 0] }}]\n",
            tick = 1 + unit % 40,
        );
    }
    let folder = Folder::with(&toml);
    let one = folder.run("run.toml --json --threads 1 --trace 1.csv").ended(0, &[]);
    for threads in [2, 3, 7] {
        let words = format!("run.toml --json --threads {threads} --trace {threads}.csv");
        assert!(folder.run(&words).ended(0, &[]).out == one.out, "{threads} threads");
        assert!(folder.read(&format!("{threads}.csv")) == folder.read("1.csv"), "{threads}");
    }
}

#[test]
fn on_open_ground_both_paths_print_the_same_bytes() {
    let folder = Folder::with(&format!("{FLAT}{TWO}"));
    let auto = folder.run("run.toml --json").ended(0, &[]);
    assert_eq!(folder.run("run.toml --json --path auto").ended(0, &[]).out, auto.out);
    assert_eq!(folder.run("run.toml --json --path full").ended(0, &[]).out, auto.out);
}
