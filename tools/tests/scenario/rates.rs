//! The same seconds at another rate.

use marchland_tools::command::scenario::Scenario;

use crate::fixtures::*;

const RUN: &str = "tick_rate = 60\n\
    [meshes.box]\nbox = [1, 1, 1]\n\
    [[props]]\nmesh = \"box\"\nposition = [0, 0, 0]\nmotion = [{ tick = 6 }, { tick = 66 }]\n\
    [[units]]\nname = \"a\"\nposition = [0, 0, 0]\ncontrols = [{ tick = 2 }, { tick = 90 }]\n\
    [[not_resident]]\nsector = [0, 0]\nfrom = 30\nto = 60\n\
    [[expect]]\nunit = \"a\"\ntick = 50\n[[expect]]\nunit = \"a\"\n";

fn ticks(scenario: &Scenario) -> Vec<u32> {
    let mut ticks = vec![scenario.ticks];
    ticks.extend(scenario.props.iter().flat_map(|prop| &prop.motion).map(|entry| entry.tick));
    ticks.extend(scenario.units.iter().flat_map(|unit| &unit.controls).map(|entry| entry.tick));
    ticks.extend(scenario.not_resident.iter().flat_map(|gone| [gone.from, gone.to]));
    ticks.extend(scenario.expects.iter().map(|expect| expect.tick));
    ticks
}

#[test]
fn every_tick_is_scaled_and_the_seconds_stay() {
    let scenario = read(RUN);
    assert_eq!(ticks(&scenario), [100, 6, 66, 2, 90, 30, 60, 50, 100]);
    for (rate, factor) in [(30.0, 0.5), (60.0, 1.0), (120.0, 2.0), (240.0, 4.0)] {
        let scaled = scenario.at_rate(rate).unwrap();
        let expected = ticks(&scenario).into_iter().map(|tick| (f64::from(tick) * factor) as u32);
        assert_eq!(ticks(&scaled), expected.collect::<Vec<_>>(), "{rate}");
        assert_eq!((scaled.tick_rate, scaled.dt()), (rate, 1.0 / rate as f32));
        let back = scaled.at_rate(60.0).unwrap();
        assert_eq!(ticks(&back), ticks(&scenario), "{rate} and back");
    }
}

#[test]
fn a_tick_that_does_not_come_out_whole_is_named() {
    // The line, the key, the tick, and half of it.
    let table: &[(&str, &str, u32, &str, &str)] = &[
        ("ticks = 100", "ticks = 101", 3, "`ticks` is 101", "50.5"),
        ("{ tick = 66 }", "{ tick = 67 }", 10, "`motion[1].tick` is 67", "33.5"),
        ("{ tick = 2 }", "{ tick = 3 }", 14, "`controls[0].tick` of unit `a` is 3", "1.5"),
        ("from = 30", "from = 31", 17, "`from` is 31", "15.5"),
        ("to = 60", "to = 61", 18, "`to` is 61", "30.5"),
        ("tick = 50", "tick = 51", 21, "`tick` is 51", "25.5"),
    ];
    for (of, to, line, says, half) in table {
        let text = format!("{LEAST}{RUN}").replace(of, to);
        let scenario = Folder::new().load(&text).unwrap_or_else(|e| panic!("{e}"));
        let error = scenario.at_rate(30.0).unwrap_err();
        let message = error.to_string();
        assert_eq!(error.line, Some(*line), "{message}");
        for part in [*says, half, "60 Hz", "30 Hz", "run.toml"] {
            assert!(message.contains(part), "no {part} in: {message}");
        }
        assert!(!error.is_io() && error.hint().is_some());
        assert!(scenario.at_rate(120.0).is_ok(), "{of}");
    }
}

#[test]
fn the_first_of_several_in_the_file_is_named() {
    // Units before props, which are scaled the other way round.
    let error = read(
        "[[expect]]\nunit = \"a\"\ntick = 50\n\
         [[units]]\nname = \"a\"\nposition = [0, 0, 0]\ncontrols = [{ tick = 3 }]\n\
         [meshes.box]\nbox = [1, 1, 1]\n\
         [[props]]\nmesh = \"box\"\nposition = [0, 0, 0]\nmotion = [{ tick = 5 }]\n",
    )
    .at_rate(30.0)
    .unwrap_err();
    assert_eq!(error.line, Some(10), "{error}");
}

#[test]
fn rates_at_which_nothing_can_run_are_refused() {
    let scenario = read(RUN);
    for rate in [0.0, -60.0, 3.9, 1e6, f64::NAN, f64::INFINITY] {
        let message = scenario.at_rate(rate).unwrap_err().to_string();
        assert!(message.contains("4 to 100000 Hz"), "{message}");
    }
}

#[test]
fn ticks_beyond_32_bits_are_refused() {
    let text = LEAST.replace("100", "4000000000");
    let error = Folder::new().load(&text).unwrap().at_rate(120.0).unwrap_err();
    assert!(error.to_string().contains("`ticks` is 4000000000"), "{error}");
}

#[test]
fn a_stretch_is_scaled_and_without_a_step_it_is_every_tick_of_any_rate() {
    let of = |expect: &str| {
        read(&format!(
            "[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n[[expect]]\nunit = \"a\"\n{expect}"
        ))
    };
    let stretch = |scenario: &Scenario| {
        let expect = &scenario.expects[0];
        let every = expect.every.unwrap();
        (expect.tick, every.last, every.step)
    };
    let scenario = of("every = [10, 40, 6]");
    assert_eq!(stretch(&scenario), (10, 40, Some(6)));
    assert_eq!(stretch(&scenario.at_rate(120.0).unwrap()), (20, 80, Some(12)));
    assert_eq!(stretch(&scenario.at_rate(30.0).unwrap()), (5, 20, Some(3)));
    assert_eq!(stretch(&of("every = [10, 40]").at_rate(240.0).unwrap()), (40, 160, None));
    for (every, says) in [
        ("[11, 40]", "`every[0]` is 11"),
        ("[10, 41]", "`every[1]` is 41"),
        ("[10, 40, 5]", "`every[2]` is 5"),
    ] {
        let error = of(&format!("every = {every}")).at_rate(30.0).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.line, Some(9), "{error}");
    }
}
