use proptest::prelude::*;

use super::*;

fn planes(normals: &[(DVec3, f64)]) -> Planes {
    let mut planes = Planes::new();
    for &(normal, depth) in normals {
        planes.push(Plane { normal: normal.normalize(), depth, ..NO_PLANE });
    }
    planes
}

#[test]
fn a_corner_of_three_walls_is_dead_and_an_open_one_is_not() {
    let corner = planes(&[(DVec3::X, 0.0), (DVec3::Y, 0.0), (DVec3::Z, 0.0)]);
    let motion = corner.nearest(DVec3::new(-1.0, -2.0, -3.0)).unwrap();
    assert!(motion.length() < 1e-12, "{motion}");
    let along = corner.nearest(DVec3::new(1.0, -2.0, -3.0)).unwrap();
    assert!((along - DVec3::X).length() < 1e-12, "{along}");
}

#[test]
fn between_walls_that_both_push_there_is_no_way() {
    assert_eq!(planes(&[(DVec3::X, 0.1), (DVec3::NEG_X, 0.1)]).nearest(DVec3::ZERO), None);
    let out = planes(&[(DVec3::X, 0.1), (DVec3::Y, 0.2)]).nearest(DVec3::ZERO).unwrap();
    assert!((out - DVec3::new(0.1, 0.2, 0.0)).length() < 1e-12, "{out}");
}

fn direction() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64)
        .prop_map(|(x, y, z)| DVec3::new(x, y, z))
        .prop_filter("a direction", |v| v.length() > 0.1)
        .prop_map(DVec3::normalize)
}

/// Normals that are awkward on purpose: anywhere, on a coarse grid, so that three lie in a plane
/// and two face each other, and nearly the same as the first one or nearly against it.
fn normals() -> impl Strategy<Value = Vec<DVec3>> {
    let on_a_grid = (-2_i32..=2, -2_i32..=2, -2_i32..=2)
        .prop_map(|(x, y, z)| DVec3::new(f64::from(x), f64::from(y), f64::from(z)))
        .prop_filter("a direction", |v| *v != DVec3::ZERO);
    let aside = (direction(), -9_i32..0, any::<bool>());
    let near = aside.prop_map(|(by, power, is_against)| (by * 10_f64.powi(power), is_against));
    let one = prop_oneof![
        direction().prop_map(Ok),
        on_a_grid.prop_map(|v| Ok(v.normalize())),
        near.prop_map(Err),
    ];
    (direction(), prop::collection::vec(one, 0..6)).prop_map(|(first, others)| {
        let resolved = others.into_iter().map(|other| match other {
            Ok(normal) => normal,
            Err((by, true)) => (by - first).normalize(),
            Err((by, false)) => (by + first).normalize(),
        });
        std::iter::once(first).chain(resolved).collect()
    })
}

/// The least motion that reaches a set of planes from `wanted`, and the multiples of the normals that it
/// is made of. `None` where the planes have no point in common.
fn combined(set: &[&Plane], wanted: DVec3) -> Option<(DVec3, Vec<f64>)> {
    // For each normal the vector that is 1 along it and 0 along the others, in their span.
    let duals = match set {
        [a] => vec![a.normal],
        [a, b] => {
            let across = a.normal.cross(b.normal);
            let duals = [b.normal.cross(across), across.cross(a.normal)];
            duals.map(|dual| dual / across.length_squared()).to_vec()
        }
        [a, b, c] => {
            let volume = a.normal.dot(b.normal.cross(c.normal));
            let pairs = [(b, c), (c, a), (a, b)];
            pairs.map(|(one, other)| one.normal.cross(other.normal) / volume).to_vec()
        }
        _ => return None,
    };
    let short = |plane: &Plane| plane.depth - plane.normal.dot(wanted);
    let way: DVec3 = set.iter().zip(&duals).map(|(plane, dual)| *dual * short(plane)).sum();
    way.is_finite().then(|| (way, duals.iter().map(|dual| way.dot(*dual)).collect()))
}

/// All sets of up to three planes.
fn sets(planes: &[Plane]) -> Vec<Vec<&Plane>> {
    let mut sets = Vec::new();
    for (first, a) in planes.iter().enumerate() {
        sets.push(vec![a]);
        for (second, b) in planes.iter().enumerate().take(first) {
            sets.push(vec![a, b]);
            sets.extend(planes[..second].iter().map(|c| vec![a, b, c]));
        }
    }
    sets
}

/// A lower bound on half the squared distance to what planes allow, whatever the multipliers (Lagrange):
/// the greatest over all sets of up to three planes is the distance itself. Returns it, and the sum of
/// the multipliers of that set.
fn half_squared_distance(planes: &[Plane], wanted: DVec3) -> (f64, f64) {
    let (mut best, mut sum) = (0.0, 0.0);
    for set in sets(planes) {
        let Some((_, pushes)) = combined(&set, wanted) else { continue };
        let pushes: Vec<f64> = pushes.iter().map(|push| push.max(0.0)).collect();
        let pairs = || set.iter().zip(&pushes);
        let way: DVec3 = pairs().map(|(plane, push)| plane.normal * *push).sum();
        let gain: f64 =
            pairs().map(|(plane, push)| push * (plane.depth - plane.normal.dot(wanted))).sum();
        let bound = gain - 0.5 * way.length_squared();
        if bound > best {
            (best, sum) = (bound, pushes.iter().sum());
        }
    }
    (best, sum)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Against all sets of up to three planes, by what bounds the distance from below: what is
    /// allowed and no farther than any bound is the nearest. No case is left out.
    #[test]
    fn the_nearest_motion_is_allowed_and_as_near_as_any_can_be(
        normals in normals(),
        wanted in direction(),
        size in prop_oneof![Just(1.0), Just(1e-3), Just(20.0)],
    ) {
        let wanted = wanted * size;
        let all: Vec<(DVec3, f64)> = normals.iter().map(|&normal| (normal, 0.0)).collect();
        let planes = planes(&all);
        for normal in &normals {
            let is_kept = planes.as_slice().iter().any(|kept| kept.normal.dot(*normal) > SAME);
            prop_assert!(is_kept, "{normal} is forgotten");
        }
        let found = planes.nearest(wanted).expect("standing still is always allowed");
        let slack = 1e-9 + 1e-7 * size;
        for plane in planes.as_slice() {
            let into = found.dot(plane.normal);
            prop_assert!(into >= -slack, "{found} is {into} into {}", plane.normal);
        }
        let (least, sum) = half_squared_distance(planes.as_slice(), wanted);
        let half = 0.5 * (found - wanted).length_squared();
        // What the slack lets in is at most this much nearer, and nothing is farther.
        // Pushes between planes that nearly face each other are great, and cancel.
        let rounding = 1e-12 * size * size + 1e-15 * size * sum;
        let nearer = slack * sum;
        prop_assert!(half <= least + rounding, "{found} is {half} away, possible {least}");
        prop_assert!(half >= least - nearer - rounding, "{found} is too near: {half} of {least}");
        prop_assert!(found.length() <= wanted.length() * (1.0 + 1e-12), "it gained");
    }

    /// The same where planes push.
    #[test]
    fn the_way_out_is_the_shortest_there_is(
        planes in prop::collection::vec((direction(), 0.0..0.5_f64), 1..6),
        wanted in prop_oneof![Just(DVec3::ZERO), direction()],
    ) {
        let planes = self::planes(&planes);
        let (least, sum) = half_squared_distance(planes.as_slice(), wanted);
        let slack = 1e-9 + 1e-7 * wanted.length();
        let deepest = planes.as_slice().iter().fold(0.0, |most: f64, next| most.max(next.depth));
        let longest = wanted.length() + 4.0 * deepest + slack;
        match planes.nearest(wanted) {
            Some(found) => {
                for plane in planes.as_slice() {
                    let out = found.dot(plane.normal);
                    prop_assert!(out >= plane.depth - slack, "{found} goes {out} out of {plane:?}");
                }
                let half = 0.5 * (found - wanted).length_squared();
                prop_assert!(half >= least - slack * sum - 1e-12, "{found} is too near");
                // Something nearer was left out only for being too long a way.
                let is_near = least.sqrt() * 2_f64.sqrt() + wanted.length() <= longest;
                prop_assert!(!is_near || half <= least + 1e-9, "{found} is {half}, possible {least}");
            }
            // Wherever up to three planes meet, it is too far, or another plane forbids it.
            None => {
                for (way, _) in sets(planes.as_slice()).iter().filter_map(|set| combined(set, wanted)) {
                    let place = wanted + way;
                    prop_assert!(
                        place.length() > longest - 1e-12 || !allows(planes.as_slice(), place, 0.5 * slack),
                        "{place} is allowed"
                    );
                }
            }
        }
    }

    #[test]
    fn the_order_of_planes_does_not_matter(
        normals in prop::collection::vec(direction(), 1..6),
        wanted in direction(),
    ) {
        let mut all: Vec<(DVec3, f64)> = normals.iter().map(|&normal| (normal, 0.0)).collect();
        let one = planes(&all).nearest(wanted).unwrap();
        all.reverse();
        let other = planes(&all).nearest(wanted).unwrap();
        prop_assert!((one - other).length() < 1e-7, "{one} against {other}");
    }
}
