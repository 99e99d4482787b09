//! The column's highest and lowest point: on the triangle, in the column, and none beyond it.

use glam::DVec3;

use super::super::{column_bottom, column_top};
use super::cases::{Case, Random, case};
use super::judge::{Body, distance_to, excess};

const FAR: f64 = 1e5;
/// Metres by which the judge's body may differ.
const NEAR: f64 = 1e-6;

fn check_top(case: &Case, floor: f64, ceiling: f64) {
    let top = column_top(&case.corners, case.radius, floor, ceiling);
    let foot = match top {
        Some(top) => {
            check_point(case, top);
            assert!(top.y >= floor && top.y <= ceiling, "{top} of {case:?}");
            top.y
        }
        None => floor,
    };
    let above = Body { radius: case.radius, foot: bounded(foot), top: bounded(ceiling) };
    let left = excess(&case.corners, above);
    assert!(left > -NEAR, "{left} m above {top:?} of {case:?} from {floor} to {ceiling}");
}

fn check_bottom(case: &Case, floor: f64) {
    let bottom = column_bottom(&case.corners, case.radius, floor);
    let top = match bottom {
        Some(bottom) => {
            check_point(case, bottom);
            assert!(bottom.y >= floor, "{bottom} of {case:?}");
            bottom.y
        }
        None => FAR,
    };
    let below = Body { radius: case.radius, foot: bounded(floor), top };
    let left = excess(&case.corners, below);
    assert!(left > -NEAR, "{left} m below {bottom:?} of {case:?} from {floor}");
}

fn check_point(case: &Case, point: DVec3) {
    let off = (point.x * point.x + point.z * point.z).sqrt();
    assert!(off <= case.radius + NEAR, "{point} of {case:?}");
    let away = distance_to(&case.corners, point);
    assert!(away <= NEAR, "{point} is {away} m off {case:?}");
}

fn bounded(y: f64) -> f64 {
    if y.is_finite() { y } else { FAR * y.signum() }
}

fn run(seed: u64, count: usize) {
    let mut chance = Random::new(seed);
    for _ in 0..count {
        let case = case(&mut chance);
        let height = case.height;
        let ceiling = chance.pick(&[f64::INFINITY, height, 0.0, 0.3 * height]);
        let floor = chance.pick(&[f64::NEG_INFINITY, 0.0, -0.2 * height, 0.1 * height]);
        check_top(&case, floor, ceiling);
        check_bottom(&case, floor);
    }
}

#[test]
fn no_point_in_the_column_is_higher_or_lower_than_the_one_found() {
    run(1, 100_000);
}

#[test]
#[ignore = "a million cases: .ci/deep queries"]
fn no_point_in_the_column_is_higher_or_lower_in_a_million_cases() {
    run(2, 1_000_000);
}
