//! Every expectation can fail: in a world that is wrong in one thing it does. One that holds in all of
//! these says nothing, and is to be mended.

use std::path::Path;

use marchland_terrain::glam::Vec3;
use marchland_tools::command::scenario::{
    Overrides, Run, Scenario, SurfaceSpec, Terrain, UnitState,
};
use rayon::prelude::*;

use crate::files;

/// What is made wrong, cheapest and commonest first.
const BREAKS: [fn(&mut Scenario); 10] =
    [untold, turned, heavy, lowered, bare, plain, still, resident, narrow, merged];

/// Files with expectations that hold in all of these by nature, and why. In the void they fail.
const STILL: [(&str, &str); 1] = [(
    "overlap/a-body-between-two-walls-too-near-stays-and-says-so.toml",
    "it is asked for nothing and stuck at rest, where it would stand without walls too",
)];

/// Nobody does as told.
fn untold(scenario: &mut Scenario) {
    for unit in &mut scenario.units {
        unit.controls.clear();
    }
}

/// Everybody is told to go a quarter turn to the side.
fn turned(scenario: &mut Scenario) {
    for unit in &mut scenario.units {
        for entry in &mut unit.controls {
            entry.walk = [-entry.walk[1], entry.walk[0]];
        }
    }
}

/// Gravity is doubled.
fn heavy(scenario: &mut Scenario) {
    scenario.gravity *= 2.0;
}

/// The ground is a metre lower; of a baked world there is none.
fn lowered(scenario: &mut Scenario) {
    match &mut scenario.terrain {
        Terrain::Flat { height, .. } => *height -= 1.0,
        Terrain::Samples(samples) => {
            let metre = (1.0 / samples.quantum) as i32;
            samples.quanta.iter_mut().flatten().for_each(|height| *height -= metre);
        }
        Terrain::World { .. } | Terrain::None => scenario.terrain = Terrain::None,
    }
}

/// There are no props.
fn bare(scenario: &mut Scenario) {
    scenario.props.clear();
}

/// Every surface is plain.
fn plain(scenario: &mut Scenario) {
    for surface in &mut scenario.surfaces {
        *surface = SurfaceSpec::plain(&surface.name);
    }
}

/// What moves stands still.
fn still(scenario: &mut Scenario) {
    for entry in scenario.props.iter_mut().flat_map(|prop| &mut prop.motion) {
        (entry.velocity, entry.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
    }
}

/// Every sector is in memory.
fn resident(scenario: &mut Scenario) {
    scenario.not_resident.clear();
}

/// Everybody is half as wide.
fn narrow(scenario: &mut Scenario) {
    for body in &mut scenario.bodies {
        body.values.radius *= 0.5;
    }
}

/// Nobody makes room.
fn merged(scenario: &mut Scenario) {
    scenario.separation = None;
}

/// There is nothing.
fn void(scenario: &mut Scenario) {
    scenario.terrain = Terrain::None;
    scenario.props.clear();
}

/// For each expectation, whether it fails in a run. Where there is no such run, none does.
fn failing(scenario: &Scenario) -> Vec<bool> {
    let mut fails = vec![false; scenario.expects.len()];
    let overrides = Overrides { measure: false, ..Overrides::default() };
    let Ok(mut run) = Run::new(scenario, &overrides) else { return fails };
    loop {
        let (tick, states) = (run.tick(), states(&run));
        for (expect, fails) in scenario.expects.iter().zip(&mut fails) {
            *fails |= expect.is_due(tick) && !expect.wrong(&states[expect.unit]).is_empty();
        }
        if run.is_done() {
            return fails;
        }
        if run.run_tick().is_err() {
            return vec![false; scenario.expects.len()];
        }
    }
}

/// For each expectation, whether it fails of a unit that is where and as it was at the start.
fn failing_at_start(scenario: &Scenario) -> Vec<bool> {
    let overrides = Overrides { measure: false, ..Overrides::default() };
    let states = states(&Run::new(scenario, &overrides).unwrap());
    let expects = scenario.expects.iter();
    expects.map(|expect| !expect.wrong(&states[expect.unit]).is_empty()).collect()
}

fn states(run: &Run<'_>) -> Vec<UnitState> {
    run.states().map(|(_, state)| *state).collect()
}

/// The lines of a scenario's expectations that hold whatever is wrong.
fn empty(scenario: &Scenario, breaks: &[fn(&mut Scenario)]) -> Vec<u32> {
    let mut fails = failing_at_start(scenario);
    for make_wrong in breaks {
        if fails.iter().all(|fails| *fails) {
            break;
        }
        let mut wrong = scenario.clone();
        make_wrong(&mut wrong);
        fails.iter_mut().zip(failing(&wrong)).for_each(|(fails, also)| *fails |= also);
    }
    let expects = scenario.expects.iter().zip(fails);
    expects.filter(|(_, fails)| !fails).map(|(expect, _)| expect.line).collect()
}

/// What is wrong with the expectations of a file.
fn finding(folder: &Path, file: &Path) -> Option<String> {
    let name = file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let scenario = Scenario::load(file).unwrap();
    let lines = empty(&scenario, &BREAKS);
    let is_listed = STILL.iter().any(|(listed, _)| *listed == name);
    match (lines.is_empty(), is_listed) {
        (true, false) => None,
        (true, true) => Some(format!("{name}: is listed, and need not be")),
        (false, false) => Some(format!("{name}: lines {lines:?} hold whatever is wrong")),
        (false, true) => {
            let breaks: Vec<_> = BREAKS.into_iter().chain([void as fn(&mut Scenario)]).collect();
            let lines = empty(&scenario, &breaks);
            (!lines.is_empty()).then(|| format!("{name}: lines {lines:?} hold in the void"))
        }
    }
}

#[test]
fn every_expectation_fails_where_something_is_wrong() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../worlds/scenarios");
    let files = files::below(&folder);
    let found: Vec<String> = files.par_iter().filter_map(|file| finding(&folder, file)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    for (listed, _) in STILL {
        assert!(folder.join(listed).is_file(), "{listed} is listed, and is not there");
    }
}

#[test]
fn an_expectation_that_says_nothing_is_found() {
    let text = "version = 1\nname = \"n\"\nticks = 60\n[terrain]\nflat = 0\n[[units]]\n\
                name = \"a\"\nposition = [0, 0, 0]\ncontrols = [{ tick = 0, move = [1, 0] }]\n\
                [[expect]]\nunit = \"a\"\nposition = [1, 0, 0]\n\
                [[expect]]\nunit = \"a\"\nmin = [-90, -90, -90]\n[[expect]]\nunit = \"a\"\n";
    let scenario = Scenario::from_text(Path::new("n.toml"), text).unwrap();
    assert_eq!(empty(&scenario, &BREAKS), [13, 16]);
}
