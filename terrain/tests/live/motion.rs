//! Lifts, platforms, and what stands on them.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::{Rotation, greater};
use marchland_terrain::props::{LIVE_HEIGHT_MAX, LivePropError, Placement};
use marchland_terrain::{LiveProp, LiveProps, PropId, SectorCoord, WorldPos};

use crate::scene::{Random, Vectors, at, busy, flag, placement, size, spoke, vertices};

const TAU: f32 = std::f32::consts::TAU;

fn still(position: WorldPos) -> LiveProp {
    LiveProp::new(flag(), position)
}

fn moving(position: WorldPos, linear: Vec3, angular: Vec3) -> (LiveProps, PropId) {
    let mut live = LiveProps::new(size());
    let mut prop = LiveProp::new(spoke(10.0), position);
    (prop.linear_velocity, prop.angular_velocity) = (linear, angular);
    let id = live.add(prop).unwrap();
    (live, id)
}

/// Metres from the centre of sector (0, 0).
fn metres(live: &LiveProps, id: PropId) -> DVec3 {
    live.get(id).unwrap().origin_from(SectorCoord::new(0, 0))
}

#[test]
fn a_full_turn_in_3600_ticks_comes_back() {
    let here = SectorCoord::new(0, 0);
    for axis in [Vec3::Y, Vec3::X, Vec3::new(1.0, -2.0, 0.5).normalize()] {
        // A turn in a minute, at 60 ticks a second.
        let (mut live, id) = moving(at(here, Vec3::ONE), Vec3::ZERO, axis * (TAU / 60.0));
        let start = vertices(&live, id, here);
        let mut farthest = 0.0;
        for tick in 0..3600 {
            live.advance(1.0 / 60.0).unwrap();
            let now = live.get(id).unwrap().placement().rotation().quaternion();
            let length: f64 = now.iter().map(|&part| f64::from(part) * f64::from(part)).sum();
            assert!((length.sqrt() - 1.0).abs() < 1e-7, "{length} after {tick}");
            let away = (vertices(&live, id, here)[2] - start[2]).length();
            farthest = greater(away, farthest);
        }
        assert!(farthest > 1.9, "{farthest}");
        for (start, end) in start.iter().zip(vertices(&live, id, here)) {
            assert!((end - *start).length() < 1e-4, "{start} and {end}");
        }
    }
}

#[test]
fn what_turns_too_slowly_for_the_last_bit_turns_all_the_same() {
    let here = SectorCoord::new(0, 0);
    // 6 cm in a day at the rim of 10 m: a tenth of the last bit of a quaternion in a tick.
    let (mut live, id) = moving(at(here, Vec3::ZERO), Vec3::ZERO, Vec3::Y * 1e-6);
    for _ in 0..600_000 {
        live.advance(1.0 / 60.0).unwrap();
    }
    let rim = vertices(&live, id, here)[1];
    assert!((rim.z + 10.0 * 1e-6 * 10_000.0).abs() < 1e-5, "{rim}");
}

#[test]
fn a_slow_lift_does_not_stall_and_a_slow_raft_neither() {
    let here = SectorCoord::new(0, 0);
    for speed in [1e-3_f32, 1e-4, 2e-6, -1e-3] {
        for (start, direction) in [
            (Vec3::new(0.0, 100.0, 0.0), Vec3::Y),
            (Vec3::new(31.9, 0.0, -31.9), Vec3::X),
            (Vec3::new(31.9, 0.0, -31.9), Vec3::Z),
        ] {
            let (mut live, id) = moving(at(here, start), direction * speed, Vec3::ZERO);
            let start = metres(&live, id);
            let dt = 1.0_f32 / 60.0;
            for tick in 1..=6000 {
                live.advance(dt).unwrap();
                let exact = f64::from(speed) * f64::from(dt) * f64::from(tick);
                let way = (metres(&live, id) - start).dot(direction.as_dvec3());
                // Half a step of the lattice.
                assert!((way - exact).abs() <= 0.5 / 65_536.0 + 1e-9, "{way} for {exact}");
            }
        }
    }
}

#[test]
fn a_border_is_crossed_without_a_jump() {
    let start = at(SectorCoord::new(5, -9), Vec3::new(31.0, 0.0, 31.5));
    let (mut live, id) = moving(start, Vec3::new(3.0, 0.5, 1.0), Vec3::Y);
    let begin = metres(&live, id);
    for tick in 1..=2000 {
        live.advance(0.05).unwrap();
        let exact = DVec3::new(3.0, 0.5, 1.0) * (f64::from(0.05_f32) * f64::from(tick));
        let off = (metres(&live, id) - begin - exact).abs();
        assert!(off.x < 1e-5 && off.y < 1e-5 && off.z < 1e-5, "{off} at {tick}");
    }
    assert_eq!(live.get(id).unwrap().position().sector(), SectorCoord::new(10, -7));
}

#[test]
fn points_that_ride_along_stay_where_they_are_on_it() {
    let mut draw = Random::from_state(0xabcd_ef01);
    for _ in 0..300 {
        let here = SectorCoord::new(draw.below(9) as i32, -4);
        let (mut live, id) =
            moving(at(here, draw.vector(31.0)), draw.vector(30.0), draw.vector(4.0));
        live.set_pose(id, at(here, draw.vector(31.0)), placement(&mut draw)).unwrap();
        live.advance(0.125).unwrap(); // a first tick, so that the one before is not the beginning
        let before = vertices(&live, id, here);
        live.advance(0.125).unwrap();
        for (before, after) in before.iter().zip(vertices(&live, id, here)) {
            let point = WorldPos::new(here, before.as_vec3(), size()).unwrap();
            let moved = live.displacement_of(id, point).unwrap();
            // As far off as the point was named, and vertices by their own lattice.
            assert!((*before + moved - after).length() < 2e-5, "{moved}");
        }
    }
}

#[test]
fn what_only_slides_carries_every_point_alike_and_to_the_bit() {
    let mut draw = Random::from_state(5);
    let here = SectorCoord::new(2, 2);
    let (mut live, id) = moving(at(here, Vec3::ZERO), Vec3::new(1.0, -2.0, 0.3), Vec3::ZERO);
    live.set_pose(id, at(here, Vec3::ZERO), placement(&mut draw)).unwrap();
    for _ in 0..50 {
        let from = metres(&live, id);
        live.advance(1.0 / 30.0).unwrap();
        let moved = metres(&live, id) - from;
        for _ in 0..10 {
            let point = at(here, draw.vector(40.0));
            assert_eq!(live.displacement_of(id, point), Some(moved));
        }
    }
}

#[test]
fn velocities_are_those_of_a_rigid_body() {
    let here = SectorCoord::new(0, 0);
    let (mut live, id) = moving(at(here, Vec3::X * 31.0), Vec3::Y * 2.0, Vec3::Y * 0.5);
    // 3 m east of the origin, in the next sector: turning carries it to the north.
    let point = at(SectorCoord::new(1, 0), Vec3::X * -30.0);
    assert_eq!(live.velocity_at(id, point), Some(Vec3::new(0.0, 2.0, -1.5)));
    let dt = 1.0 / 1024.0;
    let seen = live.velocity_at(id, point).unwrap().as_dvec3();
    live.advance(dt).unwrap();
    let moved = live.displacement_of(id, point).unwrap() / f64::from(dt);
    assert!((moved - seen).length() < 0.02, "{moved} and {seen}");
    live.set_velocity(id, Vec3::ZERO, Vec3::ZERO).unwrap();
    assert_eq!(live.velocity_at(id, point), Some(Vec3::ZERO));
}

#[test]
fn what_stands_is_put_elsewhere_or_was_just_added_carries_nothing() {
    let here = SectorCoord::new(0, 0);
    let point = at(here, Vec3::new(3.0, 1.0, 2.0));
    let mut live = LiveProps::new(size());
    let stone = live.add(still(at(here, Vec3::ONE))).unwrap();
    let (mut other, lift) = moving(at(here, Vec3::ZERO), Vec3::Y, Vec3::Y);
    assert_eq!(live.displacement_of(stone, point), Some(DVec3::ZERO));
    assert_eq!(other.displacement_of(lift, point), Some(DVec3::ZERO));
    live.advance(0.1).unwrap();
    other.advance(0.1).unwrap();
    assert_eq!(live.displacement_of(stone, point), Some(DVec3::ZERO));
    assert_ne!(other.displacement_of(lift, point), Some(DVec3::ZERO));
    let turned = Placement::new(Rotation::from_degrees([0.0, 30.0, 0.0]), 2.0).unwrap();
    other.set_pose(lift, at(here, Vec3::splat(9.0)), turned).unwrap();
    assert_eq!(other.displacement_of(lift, point), Some(DVec3::ZERO));
    // What has stopped carries through the tick that moved it, and no longer.
    other.advance(0.1).unwrap();
    other.set_velocity(lift, Vec3::ZERO, Vec3::ZERO).unwrap();
    assert_ne!(other.displacement_of(lift, point), Some(DVec3::ZERO));
    other.advance(0.1).unwrap();
    assert_eq!(other.displacement_of(lift, point), Some(DVec3::ZERO));
}

#[test]
fn the_same_way_takes_the_same_time_at_any_tick_rate() {
    let ends = [32, 64, 1024].map(|rate: u16| {
        let turn = Vec3::new(0.1, 0.7, -0.2);
        let (mut live, id) = moving(at(SectorCoord::new(0, 0), Vec3::ZERO), Vec3::X * 7.0, turn);
        for _ in 0..rate * 4 {
            live.advance(1.0 / f32::from(rate)).unwrap();
        }
        vertices(&live, id, SectorCoord::new(0, 0))[2]
    });
    for end in ends {
        assert!((end - ends[0]).length() < 1e-5, "{ends:?}");
    }
}

#[test]
fn ticks_of_changing_length_turn_by_their_own_length() {
    let here = SectorCoord::new(0, 0);
    let turn = Vec3::new(0.1, 0.7, -0.2);
    let (mut even, id) = moving(at(here, Vec3::ZERO), Vec3::X, turn);
    let (mut uneven, _) = moving(at(here, Vec3::ZERO), Vec3::X, turn);
    for _ in 0..64 {
        even.advance(0.125).unwrap();
    }
    for length in [0.25, 0.0625, 0.1875] {
        for _ in 0..16 {
            uneven.advance(length).unwrap();
        }
    }
    // One that came when ticks had another length.
    let mut late = LiveProp::new(spoke(10.0), at(here, Vec3::ZERO));
    late.angular_velocity = turn;
    let late = even.add(late).unwrap();
    even.advance(0.25).unwrap();
    let way = vertices(&even, late, here)[2];
    assert!((way - Rotation::about(turn, 0.25).apply(Vec3::new(10.0, 1.0, 0.0))).length() < 1e-5);
    uneven.advance(0.25).unwrap();
    let [even, uneven] = [even, uneven].map(|live| vertices(&live, id, here)[2]);
    assert!((even - uneven).length() < 1e-5, "{even} and {uneven}");
}

#[test]
fn a_tick_of_nothing_changes_nothing_and_odd_ones_are_refused() {
    let (mut live, _) = busy(3, SectorCoord::new(0, 0), 300);
    let before = live.state_hash();
    live.advance(0.0).unwrap();
    live.advance(-0.0).unwrap();
    for bad in [-1e-9, 0.25_f32.next_up(), f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = live.advance(bad).unwrap_err();
        assert!(matches!(error, LivePropError::Dt { .. }));
    }
    assert_eq!(live.state_hash(), before);
    live.advance(0.25).unwrap();
    live.advance(f32::MIN_POSITIVE).unwrap();
    assert_ne!(live.state_hash(), before);
}

#[test]
fn at_the_end_of_the_world_a_prop_stops() {
    let last = SectorCoord::new(i32::MAX, i32::MIN);
    for (start, velocity) in [
        (Vec3::new(31.5, 0.0, 0.0), Vec3::X * 10.0),
        (Vec3::new(0.0, 0.0, -31.5), Vec3::Z * -10.0),
        (Vec3::new(0.0, LIVE_HEIGHT_MAX - 8.0, 0.0), Vec3::Y * 800.0),
    ] {
        let (mut live, id) = moving(at(last, start), velocity, Vec3::Y);
        for _ in 0..100 {
            live.advance(0.1).unwrap();
        }
        let prop = live.get(id).unwrap();
        assert_eq!(prop.linear_velocity(), Vec3::ZERO);
        assert_eq!(prop.position().sector(), last);
        let gone = prop.position().local() - start;
        assert!(gone.length() <= 10.0 && gone.dot(velocity) >= 0.0, "{gone}");
        let point = prop.position();
        assert!(live.displacement_of(id, point).unwrap().length() < 1e-9);
    }
}
