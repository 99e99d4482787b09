//! The least push is that of all pushes, to the bit.

use glam::DVec3;

use super::super::least::push_along;
use super::super::overlapping::overlapping;
use super::super::push::{farthest, held, last_held, level_unit};
use super::super::{BlockingSides, Corners, Feature, Push, least_push, pushes};
use super::cases::{Case, Random, case, normal_of};

/// All that a push says, as bits.
fn bits(push: &Push) -> ([u64; 7], Feature) {
    let (way, at) = (push.direction, push.point);
    let numbers = [push.depth, way.x, way.y, way.z, at.x, at.y, at.z];
    (numbers.map(f64::to_bits), push.feature)
}

/// The least push to the side, every direction worked out.
fn plain_side(case: &Case, sided: BlockingSides) -> Option<Push> {
    let Case { corners, normal, radius, height } = *case;
    let polygon = Some(overlapping(&corners, radius, height)).filter(|part| !part.is_empty())?;
    let front = if sided == BlockingSides::Front { normal } else { None };
    let front = front.and_then(|front| {
        let level = (front.x * front.x + front.z * front.z).sqrt();
        if level < 1e-9 { None } else { level_unit(front.x, front.z) }
    });
    let [a, b, c] = corners;
    let across = (b - a).cross(c - a);
    let edges = [b - a, c - b, a - c].map(|edge| [(edge.z, -edge.x), (-edge.z, edge.x)]);
    let directions = edges.into_iter().flatten();
    let directions = directions.chain([(across.x, across.z), (-across.x, -across.z)]);
    let directions = directions.chain(polygon.points().iter().map(|point| (-point.x, -point.z)));
    let directions = directions.chain([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]);
    let mut best: Option<(Push, f64)> = None;
    for direction in directions.filter_map(|(x, z)| level_unit(x, z)) {
        let ahead = front.map_or(0.0, |front| direction.dot(front));
        let depth = radius + farthest(&polygon, direction);
        let is_better = best.is_none_or(|(known, known_ahead)| {
            depth < known.depth || (depth == known.depth && ahead > known_ahead)
        });
        if ahead >= -1e-9 && is_better {
            let (point, feature) = held(&polygon, last_held(&polygon, direction), radius);
            best = Some((Push { depth, direction, point, feature }, ahead));
        }
    }
    let mut best = best?.0;
    for (x, z) in front.iter().flat_map(|front| [(front.z, -front.x), (-front.z, front.x)]) {
        let along = level_unit(x, z).and_then(|along| push_along(&corners, along, radius, height));
        if let Some(along) = along.filter(|along| along.depth < best.depth) {
            let DVec3 { x, z, .. } = along.point;
            let is_held = x * x + z * z <= radius * radius;
            let (point, feature) = held(&polygon, None, radius);
            best = if is_held { along } else { Push { point, feature, ..along } };
        }
    }
    Some(best)
}

/// The first of the least of all pushes.
fn plain(case: &Case, sided: BlockingSides) -> Option<Push> {
    let ways = pushes(&case.corners, case.normal, sided, case.radius, case.height)?;
    let others = [ways.up, ways.down, ways.face].into_iter().flatten();
    Some(others.fold(ways.side, |least, way| if way.depth < least.depth { way } else { least }))
}

fn check(case: &Case, sided: BlockingSides) -> Option<Push> {
    let found = least_push(&case.corners, case.normal, sided, case.radius, case.height);
    let side = pushes(&case.corners, case.normal, sided, case.radius, case.height);
    let (side, plain_side) = (side.map(|ways| ways.side), plain_side(case, sided));
    assert_eq!(side.as_ref().map(bits), plain_side.as_ref().map(bits), "{case:?}");
    let plain = plain(case, sided);
    assert_eq!(
        found.as_ref().map(bits),
        plain.as_ref().map(bits),
        "{found:?}, {plain:?}: {case:?}"
    );
    found
}

/// A wall that a body touches by a little, as most triangles are met: its corners on a lattice.
fn touched(chance: &mut Random) -> Case {
    let (radius, height) = chance.pick(&[(0.3, 1.8), (0.3102, 1.4102), (0.5, 2.0), (0.05, 0.1)]);
    let depth = chance.pick(&[1e-7, 1e-5, 2e-4, 0.01, 0.0102, 0.2]);
    let angle = chance.between(0.0, 6.3);
    let out = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
    let along = DVec3::new(-out.z, 0.0, out.x);
    let lean = DVec3::Y + out * chance.pick(&[0.0, 0.0, 1e-6, -1e-3, 0.3, -2.0]);
    let at = out * -(radius - depth);
    let mut corner = |low: f64, high: f64| {
        let (right, up) = (chance.between(-2.0, 2.0), chance.between(low, high));
        at + along * right + lean * up
    };
    let corners: Corners = [corner(-3.0, 0.5), corner(-3.0, 0.5), corner(0.5, 4.0)];
    let step = 1_048_576.0;
    let mut corners = corners.map(|corner| (corner * step).round() / step);
    if normal_of(&corners).is_some_and(|normal| normal.dot(out) < 0.0) {
        corners.swap(0, 1);
    }
    Case { corners, normal: normal_of(&corners), radius, height }
}

fn run(seed: u64, count: usize) {
    let mut chance = Random::new(seed);
    let (mut met, mut faces, mut others) = (0, 0, 0);
    for turn in 0..count {
        let case = if turn % 2 == 0 { case(&mut chance) } else { touched(&mut chance) };
        for sided in [BlockingSides::Both, BlockingSides::Front] {
            let Some(found) = check(&case, sided) else { continue };
            let is_face = case.normal.is_some_and(|normal| normal == found.direction);
            (met, faces) = (met + 1, faces + usize::from(is_face));
            others += usize::from(!is_face);
        }
    }
    assert!(met > count / 2 && faces > met / 5 && others > met / 5, "{met} {faces} {others}");
}

#[test]
fn the_least_push_is_the_least_of_all_to_the_bit() {
    run(21, 200_000);
}

#[test]
#[ignore = "five million cases: .ci/deep queries"]
fn the_least_push_is_the_least_of_all_in_five_million_cases() {
    run(22, 5_000_000);
}
