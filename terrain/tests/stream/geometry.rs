//! What is wanted, against squares and moving discs whose distance is found by going along the way.

use std::collections::BTreeSet;
use std::time::Duration;

use marchland_terrain::stream::{Crowd, Interest, StreamSettings, Streamer};
use marchland_terrain::{SectorCoord, World, WorldPos, glam::Vec2, glam::Vec3};
use proptest::prelude::*;

use crate::driver::Driver;
use crate::plain::{level, rectangle, size, velocity};
use crate::smoke::settle;

/// Sectors whose distance is nearer to the radius than this, in metres, may be wanted or not.
const TIE: f64 = 1e-5;

/// Least distance of a sector's square from a way, found by going along it.
fn distance(coord: SectorCoord, from: WorldPos, ahead: [f64; 2]) -> f64 {
    let sector = from.sector();
    let centre = [
        (i64::from(coord.x) - i64::from(sector.x)) as f64 * 8.0 - f64::from(from.local().x),
        (i64::from(coord.z) - i64::from(sector.z)) as f64 * 8.0 - f64::from(from.local().z),
    ];
    let far = |t: f64| {
        let gap = |axis: usize| ((ahead[axis] * t - centre[axis]).abs() - 4.0).max(0.0);
        gap(0).hypot(gap(1))
    };
    if ahead == [0.0; 2] {
        return far(0.0);
    }
    let steps = 64_u32;
    let place = |step: u32| f64::from(step) / f64::from(steps);
    let best = (0..=steps).min_by(|&a, &b| far(place(a)).total_cmp(&far(place(b)))).unwrap();
    let (mut low, mut high) = (place(best.saturating_sub(1)), place((best + 1).min(steps)));
    for _ in 0..60 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        *if far(a) < far(b) { &mut high } else { &mut low } = if far(a) < far(b) { b } else { a };
    }
    far((low + high) * 0.5).min(far(0.0)).min(far(1.0))
}

/// Of some places, those that a source surely wants, and those that it may want.
pub(crate) fn wanted(
    places: &[SectorCoord],
    interest: &Interest,
    look_ahead: f32,
) -> (BTreeSet<SectorCoord>, BTreeSet<SectorCoord>) {
    let ahead =
        [interest.velocity.x, interest.velocity.z].map(|v| f64::from(v) * f64::from(look_ahead));
    let radius = f64::from(interest.radius);
    let within = |reach: f64| {
        let near = |coord: &&SectorCoord| distance(**coord, interest.position, ahead) <= reach;
        places.iter().filter(near).copied().collect()
    };
    (within((radius - TIE).max(0.0)), within(radius + TIE))
}

/// The side of the world, in sectors.
const SIDE: i32 = 14;

#[derive(Clone, Debug)]
struct Case {
    corner: (i32, i32),
    look_ahead: f32,
    keep: f32,
    sources: Vec<Interest>,
}

fn source(corner: (i32, i32)) -> impl Strategy<Value = Interest> {
    let place = (-3..SIDE + 3, -3..SIDE + 3, -4.0_f32..4.0, -4.0_f32..4.0);
    let speed = || prop_oneof![1 => Just(0.0_f32), 2 => -40.0_f32..40.0, 1 => -2.0_f32..2.0];
    let radius = prop_oneof![
        1 => Just(0.0_f32),
        6 => 0.0_f32..25.0,
        1 => 25.0_f32..90.0,
        1 => prop::sample::select(vec![1e6, f32::MAX]),
    ];
    (place, speed(), speed(), radius, any::<bool>()).prop_map(
        move |((x, z, east, south), along_x, along_z, radius, pinned)| {
            let sector = SectorCoord::new(corner.0.saturating_add(x), corner.1.saturating_add(z));
            let position = WorldPos::new(sector, Vec3::new(east, 0.0, south), size()).unwrap();
            let velocity = velocity(along_x, along_z);
            Interest { velocity, pinned, ..Interest::new(position, radius) }
        },
    )
}

fn case() -> impl Strategy<Value = Case> {
    let far = i32::MAX - SIDE + 1;
    let corners = [(0, 0), (far, far), (i32::MIN, i32::MIN), (far, i32::MIN), (-7, -7), (0, far)];
    prop::sample::select(corners.to_vec()).prop_flat_map(|corner| {
        let look_ahead = prop_oneof![Just(0.0_f32), 0.0_f32..3.0];
        let sources = prop::collection::vec(source(corner), 1..3);
        (look_ahead, 0.0_f32..2.0, sources).prop_map(move |(look_ahead, keep, sources)| Case {
            corner,
            look_ahead,
            keep,
            sources,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn the_wanted_set_is_the_union_of_what_moving_discs_touch(case in case()) {
        let places = rectangle(case.corner, SIDE, SIDE);
        let world = World::open_on(level(&places)).unwrap();
        let settings = StreamSettings {
            look_ahead: case.look_ahead,
            keep: case.keep,
            loads_in_flight: 64,
            publications_per_update: 64,
            ..StreamSettings::default()
        };
        let (mut streamer, driver) = Driver::stream(world, settings);
        let (mut surely, mut maybe) = (BTreeSet::new(), BTreeSet::new());
        for interest in &case.sources {
            streamer.add_interest(*interest).unwrap();
            let (sure, may) = wanted(&places, interest, case.look_ahead);
            surely.extend(sure);
            maybe.extend(may);
        }
        settle(&mut streamer, &driver, Duration::ZERO);
        let resident: BTreeSet<_> = streamer.resident().resident().iter().copied().collect();
        prop_assert!(surely.is_subset(&resident), "missing: {:?}", surely.difference(&resident));
        prop_assert!(resident.is_subset(&maybe), "too many: {:?}", resident.difference(&maybe));
        let count = streamer.stats().wanted;
        prop_assert!((surely.len()..=maybe.len()).contains(&count), "{count}");
    }

    #[test]
    fn a_crowd_wants_what_its_members_may_reach(
        low in (-4.0_f32..4.0, -4.0_f32..4.0),
        extent in (0.0_f32..4.0, 0.0_f32..4.0),
        fastest in prop_oneof![Just(0.0_f32), 0.0_f32..12.0],
        radius in 0.0_f32..20.0,
        sector in (0..SIDE, 0..SIDE),
    ) {
        let places = rectangle((0, 0), SIDE, SIDE);
        let world = World::open_on(level(&places)).unwrap();
        let settings = StreamSettings {
            loads_in_flight: 64,
            publications_per_update: 64,
            ..StreamSettings::default()
        };
        let (mut streamer, driver) = Driver::stream(world, settings);
        let sector = SectorCoord::new(sector.0, sector.1);
        let (low, high) = (Vec2::new(low.0, low.1), Vec2::new(low.0 + extent.0, low.1 + extent.1));
        streamer.set_crowds(&[Crowd { sector, low, high, fastest }], radius);
        settle(&mut streamer, &driver, Duration::ZERO);
        let reach = f64::from(radius) + f64::from(fastest) * 2.0;
        let far = |coord: SectorCoord| {
            let gap = |centre: i32, low: f32, high: f32| {
                let (square, low, high) = (f64::from(centre) * 8.0, f64::from(low), f64::from(high));
                (square - 4.0 - high).max(low - square - 4.0).max(0.0)
            };
            let x = gap(coord.x - sector.x, low.x, high.x);
            x.hypot(gap(coord.z - sector.z, low.y, high.y))
        };
        for &coord in &places {
            let is_resident = streamer.resident().resident().contains(&coord);
            if (far(coord) - reach).abs() > TIE {
                prop_assert_eq!(is_resident, far(coord) < reach, "{} at {}", coord, far(coord));
            }
        }
    }
}

/// A streamer with room for all, whose wants alone matter.
fn wants_of(world: World, interest: Interest, budget_bytes: u64) -> usize {
    let settings = StreamSettings { budget_bytes, ..StreamSettings::default() };
    let (mut streamer, _driver) = Driver::stream(world, settings);
    streamer.add_interest(interest).unwrap();
    streamer.update(Duration::ZERO);
    streamer.stats().wanted
}

#[test]
fn a_strip_that_fits_the_memory_is_wanted_to_its_ends() {
    let places = rectangle((0, 0), 900, 1);
    let world = World::open_on(level(&places)).unwrap();
    let budget = world.info().sector_bytes;
    let position = WorldPos::new(SectorCoord::new(5, 0), Vec3::ZERO, size()).unwrap();
    assert_eq!(wants_of(world, Interest::new(position, 1e6), budget), 900);
}

#[test]
fn sectors_far_apart_that_fit_the_memory_are_all_wanted() {
    let places: Vec<_> =
        (0..30).map(|n| SectorCoord::new(n * 7 % 31 * 9, n * 11 % 31 * 9)).collect();
    let world = World::open_on(level(&places)).unwrap();
    let (mut streamer, driver) = Driver::stream(world, StreamSettings::default());
    let middle = WorldPos::new(SectorCoord::new(140, 140), Vec3::ZERO, size()).unwrap();
    streamer.add_interest(Interest::new(middle, 1600.0)).unwrap();
    settle(&mut streamer, &driver, Duration::ZERO);
    assert_eq!(streamer.stats().resident, 30);
}

#[test]
fn a_source_of_any_speed_and_radius_costs_no_more_than_what_it_may_want() {
    let far = i32::MAX - 1;
    let places = [(i32::MIN, i32::MIN), (far, far), (0, 0)];
    let places = places.map(|(x, z)| SectorCoord::new(x, z));
    for (speed, radius) in [(f32::MAX, 1.0), (1e9, 0.0), (0.0, f32::MAX), (f32::MAX, f32::MAX)] {
        let world = World::open_on(level(&places)).unwrap();
        let position = WorldPos::new(SectorCoord::new(0, 0), Vec3::ZERO, size()).unwrap();
        let fast =
            Interest { velocity: velocity(speed, -speed), ..Interest::new(position, radius) };
        let wanted = wants_of(world, fast, 100 * crate::plain::sector_bytes());
        assert!((1..10_000).contains(&wanted), "{speed} {radius}: {wanted}");
    }
}

#[test]
fn a_wide_and_fast_source_wants_not_its_width_times_what_it_may_want() {
    // Far apart, so that 2^18 places are worth looking up.
    let places = [(-40_000, -40_000), (40_000, 40_000), (0, 0)];
    let places = places.map(|(x, z)| SectorCoord::new(x, z));
    let position = WorldPos::new(SectorCoord::new(0, 0), Vec3::ZERO, size()).unwrap();
    for (x, z) in [(3e7, 0.0), (0.0, -3e7), (3e7, 3e7), (-3e7, 1e7)] {
        let world = World::open_on(level(&places)).unwrap();
        let fast = Interest { velocity: velocity(x, z), ..Interest::new(position, 800.0) };
        let wanted = wants_of(world, fast, 1 << 40);
        assert!((1 << 16..1 << 20).contains(&wanted), "{x} {z}: {wanted}");
    }
}

#[test]
fn a_crowd_beyond_its_sector_wants_what_is_near_that_sector() {
    let places = [(-40_000, -40_000), (40_000, 40_000), (0, 0)];
    let places = places.map(|(x, z)| SectorCoord::new(x, z));
    let world = World::open_on(level(&places)).unwrap();
    let settings = StreamSettings { budget_bytes: 1 << 40, ..StreamSettings::default() };
    let (mut streamer, _driver) = Driver::stream(world, settings);
    let sector = SectorCoord::new(0, 0);
    let (low, high) = (Vec2::splat(-1e5), Vec2::splat(1e5));
    streamer.set_crowds(&[Crowd { sector, low, high, fastest: 0.0 }], 4.0);
    streamer.update(Duration::ZERO);
    // The box is a sector's side to all sides; what lies across a corner of it is farther than 4 m.
    assert_eq!(streamer.stats().wanted, 5 * 5 - 4);
}

/// For other tests: what all sources of a streamer's test surely want.
pub(crate) fn union(
    places: &[SectorCoord],
    sources: &[Interest],
    look_ahead: f32,
) -> BTreeSet<SectorCoord> {
    sources.iter().flat_map(|interest| wanted(places, interest, look_ahead).1).collect()
}

/// For other tests: nothing but updates, a plan each.
pub(crate) fn plan_anew(streamer: &mut Streamer, now: &mut Duration) {
    *now += Duration::from_millis(251);
    streamer.update(*now);
}
