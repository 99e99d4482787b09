//! What is left out on the way to the first meeting is not the first.

use glam::DVec3;

use super::super::meeting::{Body, Meeting, first_meeting, meetings};
use super::super::sweep::depths_along;
use super::super::{Feature, touch};
use super::cases::{Random, Shapes, case};
use crate::math::greater;

fn bits(meeting: Option<Meeting>) -> Option<([u64; 4], Feature)> {
    meeting.map(|Meeting { at, point, feature }| {
        ([at, point.x, point.y, point.z].map(f64::to_bits), feature)
    })
}

#[test]
fn the_first_meeting_is_the_first_of_all_to_the_bit() {
    let mut chance = Random::new(31);
    let (mut met, mut level) = (0, 0);
    for turn in 0..300_000 {
        let case = case(&mut chance);
        let touch = touch(case.radius, case.height);
        let any = chance.unit();
        let direction = match turn % 4 {
            0 => any,
            1 => case.normal.map_or(any, |normal| -normal),
            2 => DVec3::Y * any.y.signum(),
            _ => any.with_y(0.0).normalize_or(DVec3::X),
        };
        let body = Body::shrunk(case.radius, case.height, chance.pick(&[0.0, 0.5, 2.0]) * touch);
        let last = chance.pick(&[f64::INFINITY, 3.0]);
        let first = first_meeting(&case.corners, body, direction, last, 0.5 * touch);
        let all = meetings(&case.corners, body, direction, last, 0.5 * touch);
        assert_eq!(bits(first), bits(all.first()), "{case:?} along {direction}");
        met += usize::from(first.is_some());
        level += usize::from(first.is_some() && direction.y == 0.0);
    }
    assert!(met > 100_000 && level > 20_000, "{met} {level}");
}

#[test]
fn how_far_a_triangle_reaches_both_ways_is_how_far_it_reaches_each_way() {
    let mut chance = Random::new(32);
    for turn in 0..200_000 {
        let case = case(&mut chance);
        let body = Body::shrunk(case.radius, case.height, 0.0);
        let any = chance.unit();
        let unit = match turn % 3 {
            0 => any,
            1 => any.with_y(0.0).normalize_or(DVec3::X),
            _ => DVec3::Y * any.y.signum(),
        };
        let at = chance.point(1.0);
        let (along, against) = depths_along(&case.corners, body, at, unit);
        let (along_back, against_back) = depths_along(&case.corners, body, at, -unit);
        assert_eq!((along, against), (against_back, along_back), "{case:?} along {unit}");
        // As far as the triangle reaches beyond the body where that begins.
        let reaches = |unit: DVec3| {
            let dots = case.corners.map(|corner| (corner - at).dot(unit));
            let lowest = if unit.y > 0.0 { unit.y * body.foot } else { unit.y * body.top };
            let out = body.radius * (unit.x * unit.x + unit.z * unit.z).sqrt();
            dots.into_iter().fold(f64::NEG_INFINITY, greater) - (lowest - out)
        };
        assert_eq!((along, against), (reaches(unit), reaches(-unit)), "{case:?} along {unit}");
    }
}
