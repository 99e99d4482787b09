//! What units and props are told in a tick.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;
use marchland_tools::command::scenario::{ControlEntry, Scenario};

use crate::fixtures::*;

fn marching() -> Scenario {
    read(
        "[bodies.tall]\nheight = 2.5\n[bodies.low]\nheight = 1\n\
         [[units]]\nname = \"a\"\nbody = \"tall\"\nposition = [0, 0, 0]\ncontrols = [\n\
         { tick = 5, move = [5, -1] },\n\
         { tick = 20, jump = true, mask = 6 },\n\
         { tick = 30, impulse = [0, 4, -2], body = \"low\" },\n\
         { tick = 31, teleport = [300, 1, 0], move = [0, 0] },\n\
         { tick = 40, mask = 1, jump = true },\n\
         { tick = 41, jump = true },\n\
         ]\n",
    )
}

#[test]
fn the_last_entry_holds_and_what_it_leaves_out_stays() {
    let scenario = marching();
    let walks = |tick| scenario.controls_at(0, tick).walk;
    assert_eq!(walks(0), [0.0, 0.0], "nothing is told before the first entry");
    assert_eq!(walks(4), [0.0, 0.0]);
    assert_eq!([5, 6, 19, 20, 30].map(walks), [[5.0, -1.0]; 5]);
    assert_eq!([31, 40, 9999].map(walks), [[0.0, 0.0]; 3]);
    let masks = [0, 19, 20, 39, 40, 99].map(|tick| scenario.controls_at(0, tick).mask);
    assert_eq!(masks, [u32::MAX, u32::MAX, 6, 6, 1, 1]);
    let bodies = [0, 29, 30, 99].map(|tick| scenario.controls_at(0, tick).body);
    assert_eq!(bodies, [1, 1, 2, 2], "the unit's own body until it is told another");
}

#[test]
fn jump_impulse_and_teleport_last_one_tick() {
    let scenario = marching();
    let jumps: Vec<u32> = (0..100).filter(|&tick| scenario.controls_at(0, tick).jump).collect();
    assert_eq!(jumps, [20, 40, 41]);
    let impulses: Vec<_> =
        (0..100).filter_map(|tick| Some((tick, scenario.controls_at(0, tick).impulse?))).collect();
    assert_eq!(impulses, [(30, Vec3::new(0.0, 4.0, -2.0))]);
    let teleports: Vec<_> =
        (0..100).filter_map(|tick| Some((tick, scenario.controls_at(0, tick).teleport?))).collect();
    assert_eq!(teleports, [(31, at([1, 0], [44.0, 1.0, 0.0], &scenario))]);
}

#[test]
fn a_unit_without_controls_is_told_to_stand() {
    let scenario = read("[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n");
    let stands = ControlEntry {
        tick: 0,
        walk: [0.0, 0.0],
        jump: false,
        impulse: None,
        teleport: None,
        body: 0,
        mask: u32::MAX,
        line: 0,
    };
    assert_eq!(scenario.controls_at(0, 0), stands);
    assert_eq!(scenario.controls_at(7, 3), stands, "and so is one that is not there");
}

#[test]
fn a_velocity_that_a_motion_leaves_out_is_zero() {
    let scenario = read(
        "[meshes.lift]\nbox = [2, 1, 2]\n[[props]]\nmesh = \"lift\"\nposition = [0, 0, 0]\n\
         motion = [\n{ tick = 3, velocity = [0, 0.5, 0] },\n{ tick = 10, angular_velocity = [0, 180, 0] },\n\
         { tick = 60 },\n]\n",
    );
    let [zero, up] = [Vec3::ZERO, Vec3::new(0.0, 0.5, 0.0)];
    let turning = Vec3::new(0.0, std::f32::consts::PI, 0.0);
    let motions = [0, 2, 3, 9, 10, 59, 60, 1000].map(|tick| scenario.motion_at(0, tick));
    assert_eq!(motions[..2], [[zero, zero]; 2], "it stands before its first entry");
    assert_eq!(motions[2..4], [[up, zero]; 2]);
    assert_eq!(motions[4..6], [[zero, turning]; 2], "the lift's speed does not stay");
    assert_eq!(motions[6..], [[zero, zero]; 2]);
    assert_eq!(scenario.motion_at(1, 5), [zero, zero]);
}

#[test]
fn a_sector_is_missing_from_its_first_tick_to_the_one_before_its_last() {
    let scenario = read(
        "origin_sector = [10, -20]\n\
         [[not_resident]]\nsector = [1, 0]\nfrom = 30\nto = 60\n\
         [[not_resident]]\nsector = [0, 1]\nfrom = 50\nto = 51\n\
         [[not_resident]]\nsector = [1, 0]\nfrom = 40\nto = 70\n",
    );
    let (east, south) = (SectorCoord::new(11, -20), SectorCoord::new(10, -19));
    assert_eq!(scenario.missing_at(29), []);
    assert_eq!(scenario.missing_at(30), [east]);
    assert_eq!(scenario.missing_at(50), [south, east], "in order, each once");
    assert_eq!(scenario.missing_at(51), [east]);
    assert_eq!(scenario.missing_at(69), [east]);
    assert_eq!(scenario.missing_at(70), []);
    assert_eq!(scenario.residency_changes(), [30, 40, 50, 51, 60, 70]);
}
