//! A scene in a mirror, or turned by a quarter, has its answers in the mirror, or turned.

use glam::DVec3;

use super::super::{
    BlockingSides, Corners, column_bottom, column_top, exit, overlaps, pushes, sweep,
};
use super::cases::{Random, Shapes, case};
use super::sweep::moving_case;

/// Metres between an answer and its picture.
const NEAR: f64 = 1e-9;

/// Mirrors and turns about the axis, all exact.
const MOVES: [fn(DVec3) -> DVec3; 4] = [
    |p| DVec3::new(-p.x, p.y, p.z),
    |p| DVec3::new(p.x, p.y, -p.z),
    |p| DVec3::new(p.z, p.y, -p.x),
    |p| DVec3::new(p.z, p.y, p.x),
];

fn same(found: Option<DVec3>, other: Option<DVec3>, what: &str, corners: &Corners) {
    match (found, other) {
        (Some(a), Some(b)) => {
            assert!((a - b).length() < NEAR, "{what}: {a} and {b} of {corners:?}");
        }
        (a, b) => assert!(a.is_none() && b.is_none(), "{what}: {a:?} and {b:?} of {corners:?}"),
    }
}

#[test]
fn the_column_of_a_mirrored_or_turned_triangle_is_mirrored_or_turned() {
    let mut chance = Random::new(7);
    for _ in 0..50_000 {
        let case = case(&mut chance);
        let (corners, r, h) = (&case.corners, case.radius, case.height);
        for to in MOVES {
            let moved = corners.map(to);
            let top = column_top(corners, r, f64::NEG_INFINITY, h);
            same(top.map(to), column_top(&moved, r, f64::NEG_INFINITY, h), "top", corners);
            let bottom = column_bottom(corners, r, 0.0);
            same(bottom.map(to), column_bottom(&moved, r, 0.0), "bottom", corners);
        }
    }
}

#[test]
fn the_pushes_of_a_mirrored_or_turned_triangle_are_mirrored_or_turned() {
    let mut chance = Random::new(8);
    for _ in 0..50_000 {
        let case = case(&mut chance);
        let (corners, r, h) = (&case.corners, case.radius, case.height);
        let sided = chance.pick(&[BlockingSides::Both, BlockingSides::Front]);
        let direction = chance.unit();
        let found = pushes(corners, case.normal, sided, r, h);
        for to in MOVES {
            let moved = corners.map(to);
            assert_eq!(overlaps(corners, r, h), overlaps(&moved, r, h), "{case:?}");
            let other = pushes(&moved, case.normal.map(to), sided, r, h);
            let (Some(found), Some(other)) = (found, other) else { continue };
            // Depths alone: of two equally short pushes a mirror may show either.
            let pairs = [
                (found.up, other.up),
                (found.down, other.down),
                (Some(found.side), Some(other.side)),
                (found.face, other.face),
            ];
            for (a, b) in pairs {
                assert_eq!(a.is_some(), b.is_some(), "{case:?}");
                if let (Some(a), Some(b)) = (a, b) {
                    let apart = (a.depth - b.depth).abs();
                    assert!(apart < NEAR * (1.0 + a.depth), "{a:?} and {b:?} of {case:?}");
                }
            }
            let out = exit(corners, r, h, direction);
            let apart = (out - exit(&moved, r, h, to(direction))).abs();
            assert!(apart < NEAR * (1.0 + out), "{apart} m at {out} along {direction} of {case:?}");
        }
    }
}

#[test]
fn a_sweep_in_a_mirrored_or_turned_scene_is_mirrored_or_turned() {
    let mut chance = Random::new(9);
    for _ in 0..50_000 {
        let (case, motion) = moving_case(&mut chance);
        let (corners, r, h) = (&case.corners, case.radius, case.height);
        let found = sweep(corners, case.normal, r, h, motion);
        for to in MOVES {
            let other = sweep(&corners.map(to), case.normal.map(to), r, h, to(motion));
            let way = |hit: &super::super::Impact| hit.time * motion.length();
            match (&found, &other) {
                (Some(a), Some(b)) => {
                    assert!((way(a) - way(b)).abs() < NEAR, "{a:?}, {b:?}: {case:?} {motion}");
                    let turned = (to(a.normal) - b.normal).length();
                    assert!(turned < 1e-6, "{a:?}, {b:?}: {case:?} {motion}");
                }
                (a, b) => assert!(a.is_none() && b.is_none(), "{a:?}, {b:?}: {case:?} {motion}"),
            }
        }
    }
}
