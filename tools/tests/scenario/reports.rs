//! What a run gives to programs.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;
use marchland_tools::command::scenario::{
    EventRecord, Mode, RunResult, Tally, UnitResult, UnitState, trace_header, trace_row,
};

use crate::fixtures::*;

fn state(y: f64, mode: Mode) -> UnitState {
    UnitState { position: [12.5, y, 0.0], velocity: [5.0, -0.1, 0.0], mode }
}

#[test]
fn a_tally_counts_how_ticks_end_and_keeps_extremes() {
    use Mode::{Falling, Walking};
    let mut tally = Tally::new(&state(1.0, Falling));
    assert_eq!((tally.lowest, tally.highest, tally.falling_ticks), (1.0, 1.0, 0));
    let ticks =
        [(0.5, Falling, 0.0), (0.25, Walking, 1e-4), (3.0, Walking, 0.0), (2.0, Falling, 0.0)];
    for (y, mode, depth) in ticks {
        tally.after(&state(y, mode), depth);
    }
    assert_eq!((tally.lowest, tally.highest), (0.25, 3.0));
    assert_eq!((tally.falling_ticks, tally.mode_changes), (2, 2));
    assert_eq!(tally.deepest_penetration, 1e-4);
}

#[test]
fn the_result_object_has_the_keys_of_the_document_in_their_order() {
    let scenario = read("origin_sector = [7, -3]\n[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n");
    let place = place(&scenario, 300.5, 2.0, -0.25);
    assert_eq!(place.sector(), SectorCoord::new(8, -3));
    let mut tally = Tally::new(&state(0.0, Mode::Walking));
    tally.after(&state(2.0, Mode::Falling), 0.0);
    let unit =
        |normal| UnitResult::new(&scenario, "a", place, &state(2.0, Mode::Falling), normal, &tally);
    let result = RunResult {
        name: "up the stairs".to_owned(),
        ticks: 300,
        state_hash: 0xfeed_0000_1234_abcd,
        units: vec![unit(Some(Vec3::new(0.0, 0.8, 0.6)))],
        events: vec![
            EventRecord::new(12, "a", "landed").with("speed", 3.5).with("on", "ground"),
            EventRecord::new(13, "a", "stuck"),
        ],
        failures: vec!["unit a at tick 300: x is 11.9, expected 12.5 ± 0.02".to_owned()],
    };
    assert_eq!(
        serde_json::to_string(&result).unwrap(),
        "{\"name\":\"up the stairs\",\"ticks\":300,\"state_hash\":\"feed00001234abcd\",\"units\":[\
         {\"name\":\"a\",\"sector\":[8,-3],\"local\":[44.5,2.0,-0.25],\
         \"position\":[300.5,2.0,-0.25],\"velocity\":[5.0,-0.10000000149011612,0.0],\
         \"mode\":\"falling\",\"ground_normal\":[0.0,0.8,0.6],\"lowest\":0.0,\"highest\":2.0,\
         \"deepest_penetration\":0.0,\"falling_ticks\":1,\"mode_changes\":1}],\
         \"events\":[{\"tick\":12,\"unit\":\"a\",\"event\":\"landed\",\"speed\":3.5,\"on\":\"ground\"},\
         {\"tick\":13,\"unit\":\"a\",\"event\":\"stuck\"}],\
         \"failures\":[\"unit a at tick 300: x is 11.9, expected 12.5 ± 0.02\"]}"
    );
    assert_eq!(unit(None).line(), "a: (300.500, 2.000, -0.250) falling 5.001 m/s");
    assert!(
        serde_json::to_string(&unit(None)).unwrap().contains("\"ground_normal\":[0.0,0.0,0.0]")
    );
    let short = RunResult { state_hash: 0xf, ..result };
    assert!(serde_json::to_string(&short).unwrap().contains("\"000000000000000f\""));
}

#[test]
fn a_trace_is_a_row_for_each_unit_and_tick() {
    let mut trace = Vec::new();
    trace_header(&mut trace).unwrap();
    trace_row(&mut trace, 0, "a", &state(0.1, Mode::Walking)).unwrap();
    trace_row(&mut trace, 0, "b, \"the tall\"", &state(-1e9, Mode::Held)).unwrap();
    let text = String::from_utf8(trace).unwrap();
    assert_eq!(
        text,
        "tick,name,x,y,z,vx,vy,vz,mode\n\
         0,a,12.5,0.1,0,5,-0.1,0,walking\n\
         0,\"b, \"\"the tall\"\"\",12.5,-1000000000,0,5,-0.1,0,held\n"
    );
}
