//! Pushes free the body of the triangle, and none of their kind is shorter.

use glam::DVec3;

use super::super::{BlockingSides, Feature, Push, exit, overlaps, pushes};
use super::cases::{Case, Random, Shapes, case};
use super::judge::{Body, distance_to, excess, excess_moved};

/// Metres by which the judge's body may differ.
const NEAR: f64 = 1e-6;

pub(super) fn body_of(case: &Case) -> Body {
    Body { radius: case.radius, foot: 0.0, top: case.height }
}

fn check_push(case: &Case, push: &Push, what: &str) {
    let (depth, direction) = (push.depth, push.direction);
    assert!(depth > 0.0 && depth.is_finite(), "{what} {push:?} of {case:?}");
    assert!((direction.length() - 1.0).abs() < 1e-12, "{what} {push:?} of {case:?}");
    let left = excess_moved(&case.corners, body_of(case), direction * depth);
    assert!(left.abs() < NEAR, "{what} leaves {left} m: {push:?} of {case:?}");
    let away = distance_to(&case.corners, push.point);
    assert!(away < NEAR, "{what} {away} m off: {push:?} of {case:?}");
    let off = (push.point.x * push.point.x + push.point.z * push.point.z).sqrt();
    let held =
        off < case.radius + NEAR && push.point.y > -NEAR && push.point.y < case.height + NEAR;
    assert!(held, "{what} {push:?} of {case:?}");
    let on = match push.feature {
        Feature::Face => 0.0,
        Feature::Corner(index) => (case.corners[usize::from(index)] - push.point).length(),
        Feature::Edge(index) => {
            let from = case.corners[usize::from(index)];
            let to = case.corners[(usize::from(index) + 1) % 3];
            distance_to(&[from, to, to], push.point)
        }
    };
    assert!(on < NEAR, "{what} {push:?} is not on its feature, {case:?}");
}

/// Moving along `direction` by a little less than `depth` does not free the body.
fn check_not_shorter(case: &Case, direction: DVec3, depth: f64, what: &str) {
    // A front allows directions a billionth of a radian to its back as well.
    let by = depth - NEAR - 1e-8 * depth;
    if by > 0.0 {
        let left = excess_moved(&case.corners, body_of(case), direction * by);
        assert!(left < NEAR, "{what}: {left} m clear at {depth} m along {direction} of {case:?}");
    }
}

fn check(case: &Case, sided: BlockingSides, chance: &mut Random) -> bool {
    let found = pushes(&case.corners, case.normal, sided, case.radius, case.height);
    let inside = overlaps(&case.corners, case.radius, case.height);
    assert_eq!(found.is_some(), inside, "{case:?}");
    let depth = -excess(&case.corners, body_of(case));
    assert!(if inside { depth > -1e-9 } else { depth < 1e-7 }, "{inside} at {depth} m: {case:?}");
    let Some(found) = found else { return false };
    let front = if sided == BlockingSides::Front { case.normal } else { None };
    let allowed = |direction: DVec3| front.is_none_or(|front| direction.dot(front) >= -1e-9);
    assert_eq!(found.up.is_some(), allowed(DVec3::Y), "{case:?}");
    assert_eq!(found.down.is_some(), allowed(DVec3::NEG_Y), "{case:?}");
    assert_eq!(found.face.is_some(), case.normal.is_some(), "{case:?}");
    check_push(case, &found.side, "side");
    assert!(found.side.direction.y == 0.0 && allowed(found.side.direction), "{found:?} {case:?}");
    let (sin, cos) = (found.side.direction.z, found.side.direction.x);
    for turn in [1e-6, 1e-4, 1e-2, 0.1, 1.0, 3.0, chance.between(0.0, 6.3)] {
        for turn in [-turn, turn] {
            let (s, c) = (libm::sin(turn), libm::cos(turn));
            let direction = DVec3::new(cos * c - sin * s, 0.0, sin * c + cos * s);
            if front.is_none_or(|front| direction.dot(front) >= 0.0) {
                check_not_shorter(case, direction, found.side.depth, "side");
            }
        }
    }
    if let Some(up) = found.up {
        assert_eq!(up.direction, DVec3::Y);
        check_push(case, &up, "up");
    }
    if let Some(down) = found.down {
        assert_eq!(down.direction, DVec3::NEG_Y);
        check_push(case, &down, "down");
    }
    if let (Some(face), Some(normal)) = (found.face, case.normal) {
        check_push(case, &face, "face");
        if sided == BlockingSides::Front {
            assert_eq!(face.direction, normal);
        } else {
            assert!(face.direction == normal || face.direction == -normal);
            check_not_shorter(case, -face.direction, face.depth, "face");
        }
    }
    let direction = chance.unit();
    let out = exit(&case.corners, case.radius, case.height, direction);
    let left = excess_moved(&case.corners, body_of(case), direction * out);
    assert!(left.abs() < NEAR, "exit {out} along {direction} leaves {left} m of {case:?}");
    true
}

fn run(seed: u64, count: usize) {
    let mut chance = Random::new(seed);
    let mut inside = 0;
    for _ in 0..count {
        let case = case(&mut chance);
        let sided = chance.pick(&[BlockingSides::Both, BlockingSides::Front]);
        inside += usize::from(check(&case, sided, &mut chance));
    }
    assert!(inside > count / 4, "only {inside} of {count} overlap");
}

#[test]
fn every_push_frees_the_body_and_none_of_its_kind_is_shorter() {
    run(3, 100_000);
}

#[test]
#[ignore = "a million cases: .ci/deep queries"]
fn every_push_frees_the_body_in_a_million_cases() {
    run(4, 1_000_000);
}
