//! What is told to be surely apart is told so by the exact tests too.

use glam::DVec3;
use marchland_random::Random;

use super::super::apart::{is_beside_column, is_beside_way, is_off_plane};
use super::super::disc::lowest_over_disc;
use super::super::meeting::{Body, meetings};
use super::super::overlapping::reaches_axis;
use super::super::polygon::Polygon;
use super::super::{Corners, touch};

fn point(random: &mut Random, size: f64) -> DVec3 {
    DVec3::new(random.part() - 0.5, random.part() - 0.5, random.part() - 0.5) * (2.0 * size)
}

/// Anything from slivers of a micrometre to walls of kilometres; upright and level ones too.
fn corners(random: &mut Random) -> Corners {
    let size = [1.0, 3.0, 1000.0][(random.part() * 3.0) as usize];
    let a = point(random, 2.0);
    let (b, mut c) = (a + point(random, size), a + point(random, size));
    match (random.part() * 6.0) as u32 {
        0 => c = DVec3::new(a.x, c.y, a.z),
        1 => return [a, b.with_y(a.y), c.with_y(a.y)],
        2 => c = a + (b - a) * random.part() + point(random, 1e-6),
        3 => c = a + (b - a) * random.part(),
        _ => {}
    }
    [a, b, c]
}

#[test]
fn what_is_surely_apart_is_apart_by_the_exact_tests() {
    let mut random = Random::from_state(0x5eed);
    let (radius, height) = (0.5, 2.0);
    let (mut beside, mut off, mut moving) = (0, 0, 0);
    for _ in 0..300_000 {
        let corners = corners(&mut random);
        let is_beside = is_beside_way(&corners, radius, DVec3::ZERO);
        assert_eq!(is_beside, is_beside_column(&corners, radius), "{corners:?}");
        let is_off = is_off_plane(&corners, radius, height, DVec3::ZERO);
        let touch = touch(radius, height);
        let polygon = Polygon::between(&corners, touch, height - touch);
        if is_beside || is_off {
            assert!(!reaches_axis(&polygon, radius - touch), "{corners:?}");
        }
        if is_beside {
            let whole = Polygon::between(&corners, f64::NEG_INFINITY, f64::INFINITY);
            assert!(lowest_over_disc(whole.points(), radius).is_none(), "{corners:?}");
        }
        let motion = point(&mut random, 3.0);
        let length = motion.length();
        if is_beside_way(&corners, radius, motion) || is_off_plane(&corners, radius, height, motion)
        {
            let body = Body::shrunk(radius, height, 0.0);
            let met = meetings(&corners, body, motion / length, length, 0.5 * touch);
            let is_met = met.first().is_some_and(|first| first.at >= 0.0 && first.at <= length);
            assert!(!is_met && !reaches_axis(&polygon, radius), "{corners:?} by {motion}");
            moving += 1;
        }
        beside += usize::from(is_beside);
        off += usize::from(is_off);
    }
    assert!(beside > 10_000 && off > 10_000 && moving > 10_000, "{beside} {off} {moving}");
}
