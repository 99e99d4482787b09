//! Results of DESIGN.md's controller in the lanes, computed by hand.

use marchland_controller::BodyBuilder;

use super::*;

/// The position of a body in every lane after this many ticks at 60 Hz.
fn walked(step_up: f32, ticks: u32) -> Vec<[f64; 2]> {
    let lanes = Lanes::new().unwrap();
    let body = BodyBuilder { step_up, ..Body::builder() }.build().unwrap();
    let mut walk = lanes.walk(body).unwrap();
    for _ in 0..ticks {
        walk.tick(&TickSettings::at_rate(60.0)).unwrap();
    }
    walk.places().collect()
}

/// In front of an upright face: at the radius and the skin.
const STOPPED: [f64; 2] = [BEGIN - 0.41, 0.0];

fn assert_near(found: &[[f64; 2]], expected: [[f64; 2]; 6]) {
    for (lane, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = [found[0] - expected[0], found[1] - expected[1]];
        let near = off[0].abs() < 2e-3 && off[1].abs() < 2e-3;
        assert!(near, "{:?}: at {found:?}, expected {expected:?}", OBSTACLES[lane]);
    }
}

#[test]
fn what_the_knee_takes_is_walked_over_and_the_rest_is_a_wall() {
    // At 6 m the disc reaches 6.4 m: onto the fifth step, and that far up the ramp.
    let ramp = 1.4 * tan_degrees(30.0);
    let up = [6.0, 1.25];
    let step = [6.0, 0.35];
    assert_near(&walked(0.45, 72), [up, [6.0, ramp], STOPPED, STOPPED, step, STOPPED]);
    let (top, step) = ([9.0, TOP], [9.0, 0.35]);
    assert_near(&walked(0.45, 108), [top, top, STOPPED, STOPPED, step, STOPPED]);
    let (top, step) = ([20.0, TOP], [20.0, 0.35]);
    assert_near(&walked(0.45, 240), [top, top, STOPPED, STOPPED, step, STOPPED]);
}

#[test]
fn a_higher_step_costs_no_time() {
    for (ticks, x) in [(72, 6.0), (108, 9.0), (240, 20.0)] {
        let found = walked(0.7, ticks);
        assert!((found[5][0] - x).abs() < 2e-3, "{found:?}");
        assert!((found[5][1] - 0.6).abs() < 2e-3, "{found:?}");
        assert_eq!(found[..5], walked(0.45, ticks)[..5]);
    }
}
