//! The same scene in another part of the world, at another rate, inside a program.

use marchland_tools::command::scenario::{Overrides, RunError, RunResult, Scenario};

use crate::fixtures::*;
use crate::whole::run;

const SCENE: &str = "version = 1\nname = \"n\"\nticks = 90\nsector_size = 16\n[terrain]\n\
    heights = { columns = 9, rows = 5, spacing = 4.0, origin = [-12.0, -8.0], samples = [\
    0,1,0,2,0,1,0,1,0, 1,1,2,2,0,0,1,1,1, 0,0,1,3,2,2,1,0,0, 1,0,1,0,1,0,1,0,1, 0,0,0,1,1,1,0,0,0] }\n\
    [meshes.b]\nbox = [2, 1, 2]\n\
    [[props]]\nmesh = \"b\"\nposition = [7.9, 1, 3]\nangular_velocity = [0, 45, 0]\n\
    [[units]]\nname = \"a\"\nposition = [-11, 3, -7]\ncontrols = [{ tick = 0, move = [5, 2] }, \
    { tick = 60, impulse = [1, 5, 1] }]\n\
    [[units]]\nname = \"b\"\nposition = [0.1, 2.9, 0.2]\ncontrols = [{ tick = 0, move = [1, -3] }, \
    { tick = 30, teleport = [15.3, 4, 6.1] }]\n\
    [[not_resident]]\nsector = [1, 0]\nfrom = 40\nto = 50\n\
    [[expect]]\nunit = \"b\"\ntick = 45\nmode = \"held\"\n";

fn far([x, z]: [i32; 2]) -> String {
    SCENE.replace("[terrain]", &format!("origin_sector = [{x}, {z}]\n[terrain]"))
}

/// Everything but the sectors' numbers.
fn without_sectors(result: &RunResult) -> RunResult {
    let mut result = result.clone();
    result.units.iter_mut().for_each(|unit| unit.sector = [0, 0]);
    result
}

#[test]
fn a_shift_changes_the_numbers_of_sectors_and_nothing_else() {
    let near = run(&read(SCENE), &Overrides::default()).unwrap();
    assert_eq!(near.failures, [""; 0]);
    assert!(near.units.iter().any(|unit| unit.sector != [0, 0]), "nobody leaves: {near:?}");
    for origin in [[1, 0], [1_000_000, -1_000_000], [-7, 2_147_483_000], [0, i32::MIN]] {
        let moved = run(&read(&far(origin)), &Overrides::default()).unwrap();
        assert_eq!(without_sectors(&moved), without_sectors(&near), "{origin:?}");
        for (moved, near) in moved.units.iter().zip(&near.units) {
            let [x, z] = near.sector;
            assert_eq!(moved.sector, [x + origin[0], z + origin[1]]);
            let bits = |local: [f64; 3]| local.map(f64::to_bits);
            assert_eq!(bits(moved.local), bits(near.local));
        }
    }
}

#[test]
fn on_the_command_line_a_shift_changes_nothing_but_sectors_either() {
    let folder = Folder::with(SCENE);
    let near = folder.run("run.toml --json").ended(0, &[]).json();
    folder.file("far.toml", &far([1_000_000, -1_000_000]));
    let far = folder.run("far.toml --json").ended(0, &[]).json();
    assert_eq!(near["state_hash"], far["state_hash"]);
    for unit in 0..2 {
        let (near, far) = (&near["units"][unit], &far["units"][unit]);
        assert_eq!(near["local"], far["local"]);
        assert_eq!(near["velocity"], far["velocity"]);
        let sector = |unit: &serde_json::Value, axis: usize| unit["sector"][axis].as_i64().unwrap();
        assert_eq!(sector(far, 0) - sector(near, 0), 1_000_000);
        assert_eq!(sector(far, 1) - sector(near, 1), -1_000_000);
    }
}

#[test]
fn a_shift_that_leaves_no_number_for_a_sector_is_refused() {
    let text = far([i32::MAX, 0]);
    let refused = Scenario::from_text("run.toml".as_ref(), &text).unwrap_err();
    let says = refused.to_string();
    assert!(says.contains("2^31") && !refused.is_io(), "{says}");
}

#[test]
fn a_rate_that_does_not_fit_is_refused_before_anything_runs() {
    let at = |rate| Overrides { rate: Some(rate), ..Overrides::default() };
    let refused = run(&read(SCENE), &at(59.0)).unwrap_err();
    assert!(matches!(*refused, RunError::Scenario(_)) && refused.hint().is_some(), "{refused}");
    let slow = run(&read(SCENE), &at(30.0));
    assert!(slow.is_err(), "tick 45 is no whole tick at half the rate");
    assert_eq!(run(&read(SCENE), &at(120.0)).unwrap().ticks, 180);
}
