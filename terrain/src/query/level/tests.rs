//! Outlines against what they are outlines of, computed another way: a triangle at one height is a line
//! between two of its edges, and how far that is from a place is a convex function of the height.

use glam::{DVec2, DVec3};
use marchland_random::Random;

use super::outline::{Outline, along_x};

/// What the quick way of ground gives is what the general one gives, to the bit.
#[test]
fn what_is_above_a_height_is_cut_as_what_is_between_two() {
    let mut random = Random::new(23);
    // Coarse, so that corners lie at the height, and level with each other.
    let mut coarse = || random.below(9) as f64 * 0.25 - 1.0;
    let mut found = 0;
    for _ in 0..CASES {
        let corners = [(); 3].map(|()| DVec3::new(coarse(), coarse(), coarse()));
        let low = coarse();
        let (mut quick, mut general) = (Outline::NONE, Outline::NONE);
        let is_any = quick.cut_above(corners, low);
        assert_eq!(is_any, general.cut(corners.into_iter(), None, (low, f64::INFINITY)));
        assert_eq!(format!("{quick:?}"), format!("{general:?}"), "{corners:?} above {low}");
        found += u32::from(is_any);
    }
    assert!(found > CASES / 2 && found < CASES, "{found}");
}

/// Cases of each kind.
const CASES: u32 = 80_000;

/// How far a line between two places is from another place.
fn apart(from: DVec2, to: DVec2, place: DVec2) -> f64 {
    let along = to - from;
    let part = (place - from).dot(along) / along.length_squared();
    let part = if part > 0.0 { part.min(1.0) } else { 0.0 };
    (from + along * part - place).length()
}

/// The least value of a convex function between two numbers, and where it is.
fn least(from: f64, to: f64, of: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut from, mut to) = (from, to);
    for _ in 0..90 {
        let third = (to - from) / 3.0;
        if of(from + third) > of(to - third) { from += third } else { to -= third }
    }
    let middle = 0.5 * (from + to);
    (of(middle), middle)
}

/// How far the part of a triangle between two heights is from a place seen from above. Of a level triangle it
/// is 0 within it.
fn distance(triangle: &[DVec3; 3], low: f64, high: f64, place: DVec2) -> Option<f64> {
    let heights = triangle.map(|corner| corner.y);
    let top = heights.into_iter().fold(f64::NEG_INFINITY, f64::max).min(high);
    let bottom = low.max(heights_min(&heights));
    if bottom > top || heights_min(&heights) > high {
        return None;
    }
    let flat = triangle.map(|corner| DVec2::new(corner.x, corner.z));
    if top - bottom < 1e-12 && heights.iter().all(|y| (y - heights[0]).abs() < 1e-12) {
        let sides = [0, 1, 2].map(|at| (flat[(at + 1) % 3] - flat[at]).perp_dot(place - flat[at]));
        let within = sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0);
        let edges = [0, 1, 2].map(|at| apart(flat[at], flat[(at + 1) % 3], place));
        return Some(if within { 0.0 } else { edges.into_iter().fold(f64::INFINITY, f64::min) });
    }
    let at = |height: f64| {
        let mut ends: Vec<DVec2> = Vec::new();
        for edge in 0..3 {
            let (a, b) = (triangle[edge], triangle[(edge + 1) % 3]);
            if (a.y - height) * (b.y - height) <= 0.0 {
                let part = if a.y == b.y { 0.0 } else { (height - a.y) / (b.y - a.y) };
                let place = a + (b - a) * part;
                ends.push(DVec2::new(place.x, place.z));
            }
        }
        let pairs = ends.iter().flat_map(|a| ends.iter().map(move |b| (*a, *b)));
        pairs
            .map(|(a, b)| if a == b { (a - place).length() } else { apart(a, b, place) })
            .fold(f64::INFINITY, f64::min)
    };
    Some(least(bottom, top, at).0)
}

fn heights_min(heights: &[f64; 3]) -> f64 {
    heights.iter().copied().fold(f64::INFINITY, f64::min)
}

/// A triangle near the origin: anywhere, or upright, level or thin.
fn triangle(random: &mut Random) -> [DVec3; 3] {
    let kind = random.below(6);
    let mut part = || random.within(-1.5, 1.5);
    let mut corners =
        [(); 3].map(|()| DVec3::new(f64::from(part()), f64::from(part()), f64::from(part())));
    match kind {
        0 => corners[1] = DVec3::new(corners[0].x, corners[1].y, corners[0].z),
        1 => corners.iter_mut().for_each(|corner| corner.y = 0.25),
        2 => corners[2] = corners[0] + (corners[1] - corners[0]) * 0.5 + DVec3::Y * 1e-4,
        3 => (corners[1].y, corners[2].y) = (0.0, 1.0),
        _ => {}
    }
    corners
}

/// An outline as it is made: of a triangle that is a line seen from above, from its ends alone.
fn outline(triangle: &[DVec3; 3], low: f64, high: f64) -> Option<Outline> {
    let (mut outline, mut plain) = (Outline::NONE, Outline::NONE);
    let corners = || triangle.iter().copied();
    let is_any = outline.cut(corners(), along_x(triangle), (low, high));
    assert_eq!(is_any, plain.cut(corners(), None, (low, high)));
    is_any.then_some(outline)
}

#[test]
fn an_outline_is_as_near_as_what_it_is_an_outline_of() {
    compare_distances(CASES / 8);
}

#[test]
#[ignore = "takes minutes: .ci/deep queries"]
fn millions_of_level_outlines_are_as_near_as_what_they_are_outlines_of() {
    compare_distances(2_000_000);
    compare_meetings(2_000_000);
}

fn compare_distances(cases: u32) {
    let mut random = Random::new(231);
    let (mut met, mut inside) = (0, 0);
    for _ in 0..cases {
        let triangle = triangle(&mut random);
        let (low, high) = (0.0, [1.0, 0.3, 4.0][random.below(3) as usize]);
        let place = DVec2::new(f64::from(random.within(-1.0, 1.0)), 0.1);
        let expected = distance(&triangle, low, high, place);
        let found = outline(&triangle, low, high).map(|outline| outline.nearest(place));
        let Some(found) = found else {
            assert!(expected.is_none_or(|_| touches_only(&triangle, low, high)), "{triangle:?}");
            continue;
        };
        met += 1;
        let expected = expected.expect("there is an outline");
        let is_line = triangle.map(|corner| corner.y).iter().all(|y| *y == 0.25);
        let found_distance = if found.inside { 0.0 } else { found.distance_squared.sqrt() };
        inside += u32::from(found.inside);
        assert!(
            (found_distance - expected).abs() < 1e-9,
            "{found:?} {expected} {triangle:?} {is_line}"
        );
        let moved = (found.point - place).length_squared();
        assert!((moved - found.distance_squared).abs() < 1e-12);
    }
    assert!(met > cases / 3 && inside > cases / 50, "{met} {inside}");
}

/// Whether a triangle only just touches a slab.
fn touches_only(triangle: &[DVec3; 3], low: f64, high: f64) -> bool {
    let heights = triangle.map(|corner| corner.y);
    let top = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
    (top - low).abs() < 1e-9 || (heights_min(&heights) - high).abs() < 1e-9
}

#[test]
fn a_disc_is_at_its_radius_when_it_meets_an_outline_and_farther_before() {
    compare_meetings(CASES);
}

fn compare_meetings(cases: u32) {
    let mut random = Random::new(232);
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..cases {
        let triangle = triangle(&mut random).map(|corner| corner + DVec3::new(1.2, 0.0, 0.2));
        let Some(outline) = outline(&triangle, 0.0, 1.0) else { continue };
        let distance = |place| {
            let nearest = outline.nearest(place);
            if nearest.inside { 0.0 } else { nearest.distance_squared.sqrt() }
        };
        let begin = distance(DVec2::ZERO);
        let radius = if random.below(2) == 0 { begin * 0.999_999 } else { 0.4 };
        if begin <= radius || begin == 0.0 {
            continue;
        }
        let motion =
            DVec2::new(f64::from(random.within(-1.0, 3.0)), f64::from(random.within(-1.0, 1.0)));
        let (nearest, when) = least(0.0, 1.0, |time| distance(motion * time));
        match outline.meeting(radius, motion, 1.0) {
            Some(meeting) => {
                hits += 1;
                let there = distance(motion * meeting.time);
                assert!((there - radius).abs() < 1e-9, "{there} for {radius}: {meeting:?}");
                assert!(
                    meeting.normal.dot(motion) <= 1e-9
                        && (meeting.normal.length() - 1.0).abs() < 1e-12
                );
                assert!(distance(motion * meeting.time * 0.5) >= radius - 1e-9);
                let back = outline.nearest(motion * meeting.time);
                let out = (motion * meeting.time - back.point).normalize();
                assert!(out.dot(meeting.normal) > 1.0 - 1e-9, "{out} {meeting:?}");
            }
            None => {
                misses += 1;
                assert!(nearest >= radius - 1e-9, "{nearest} at {when}, radius {radius}");
            }
        }
    }
    assert!(hits > cases / 10 && misses > cases / 10, "{hits} {misses}");
}

#[test]
fn turned_corners_give_the_same_bits() {
    let mut random = Random::new(233);
    for _ in 0..CASES / 4 {
        let [a, b, c] = triangle(&mut random);
        let place = DVec2::new(f64::from(random.within(-1.0, 1.0)), 0.3);
        let motion = DVec2::new(1.0, f64::from(random.within(-1.0, 1.0)));
        let ask = |triangle: [DVec3; 3]| {
            let outline = outline(&triangle, 0.0, 1.0)?;
            let nearest = outline.nearest(place);
            let radius = nearest.distance_squared.sqrt() * 0.5;
            Some((nearest, outline.meeting(radius, motion, 1.0)))
        };
        let first = ask([a, b, c]);
        for turned in [[b, c, a], [c, a, b], [a, c, b], [c, b, a], [b, a, c]] {
            let other = ask(turned);
            assert_eq!(
                first.map(|first| first.0.distance_squared),
                other.map(|other| other.0.distance_squared)
            );
            assert_eq!(first.map(|first| first.0.inside), other.map(|other| other.0.inside));
            let times = [&first, &other].map(|one| one.and_then(|one| Some(one.1?.time)));
            assert_eq!(times[0], times[1]);
        }
    }
}
