//! Props that are moved to a pose by the next tick.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{LIVE_HEIGHT_MAX, LivePropError, Placement};
use marchland_terrain::{LiveProp, LiveProps, PropId, SectorCoord, WorldPos};

use crate::scene::{Random, Vectors, at, exact_box, size, spoke, vertices};

const HERE: SectorCoord = SectorCoord::new(3, -8);

fn one(draw: &mut Random) -> (LiveProps, PropId) {
    let mut live = LiveProps::new(size());
    let mut prop = LiveProp::new(spoke(9.0), at(HERE, draw.vector(31.0)));
    prop.placement = Placement::new(rotation(draw), 1.5).unwrap();
    (prop.linear_velocity, prop.angular_velocity) = (draw.vector(9.0), draw.vector(2.0));
    let id = live.add(prop).unwrap();
    live.advance(0.1).unwrap();
    (live, id)
}

fn rotation(draw: &mut Random) -> Rotation {
    Rotation::from_degrees(draw.vector(180.0).to_array().map(f64::from))
}

fn pose(live: &LiveProps, id: PropId) -> (WorldPos, Placement) {
    let prop = live.get(id).unwrap();
    (prop.position(), prop.placement())
}

fn velocities(live: &LiveProps, id: PropId) -> [Vec3; 2] {
    let prop = live.get(id).unwrap();
    [prop.linear_velocity(), prop.angular_velocity()]
}

#[test]
fn the_next_tick_brings_a_prop_to_its_pose_to_the_bit_and_then_it_rests() {
    let mut draw = Random::from_state(0x1234_5678);
    for tick in [0.1, 0.02, 0.25] {
        for _ in 0..100 {
            let (mut live, id) = one(&mut draw);
            let beyond = SectorCoord::new(HERE.x + draw.below(3) as i32 - 1, HERE.z);
            let to = at(beyond, draw.vector(32.0));
            let placement = Placement::new(rotation(&mut draw), 1.5).unwrap();
            let mut put = live.clone();
            put.set_pose(id, to, placement).unwrap();
            let (from, before) = (pose(&live, id), vertices(&live, id, HERE));
            live.move_to(id, to, placement, 0.1).unwrap();
            assert_eq!(pose(&live, id), from);
            let linear = (put.get(id).unwrap().origin_from(HERE)
                - live.get(id).unwrap().origin_from(HERE))
                / f64::from(0.1_f32);
            assert!((velocities(&live, id)[0].as_dvec3() - linear).length() < 1e-4);

            live.advance(tick).unwrap();
            assert_eq!(pose(&live, id), pose(&put, id));
            let after = vertices(&live, id, HERE);
            assert_eq!(after, vertices(&put, id, HERE));
            assert_eq!(live.get(id).unwrap().before(), from);
            for (before, after) in before.iter().zip(after) {
                let point = WorldPos::new(HERE, before.as_vec3(), size()).unwrap();
                let moved = live.displacement_of(id, point).unwrap();
                assert!((*before + moved - after).length() < 2e-5, "{moved}");
            }
            let (min, max) = exact_box(&live, id, HERE);
            let mut is_found = false;
            live.in_box(HERE, min, max, |prop| is_found |= prop.id() == id);
            assert!(is_found && velocities(&live, id)[0] != Vec3::ZERO);

            live.advance(tick).unwrap();
            assert_eq!((pose(&live, id), velocities(&live, id)), (pose(&put, id), [Vec3::ZERO; 2]));
            assert_eq!(live.displacement_of(id, to), Some(DVec3::ZERO));
            assert_eq!(live.step_dt(), None);
        }
    }
}

#[test]
fn turning_to_a_pose_is_by_the_shorter_way_and_as_fast_as_it_takes() {
    let mut live = LiveProps::new(size());
    let id = live.add(LiveProp::new(spoke(5.0), at(HERE, Vec3::ZERO))).unwrap();
    for (degrees, turned) in [(30.0, 30.0_f32), (170.0, 140.0), (-90.0, 100.0), (-90.0, 0.0)] {
        let to = Placement::new(Rotation::from_degrees([0.0, degrees, 0.0]), 1.0).unwrap();
        live.move_to(id, at(HERE, Vec3::ZERO), to, 0.125).unwrap();
        let [linear, angular] = velocities(&live, id);
        let expected = Vec3::Y * (turned * (std::f32::consts::PI / 180.0) / 0.125);
        assert!(linear == Vec3::ZERO && (angular - expected).length() < 1e-4, "{angular}");
        live.advance(0.125).unwrap();
        assert_eq!(live.get(id).unwrap().placement(), to);
    }
}

#[test]
fn what_cannot_be_reached_is_refused_and_nothing_changes() {
    let (mut live, id) = one(&mut Random::from_state(7));
    let (start, placement) = pose(&live, id);
    let hash = live.state_hash();
    let mut refuse = |id, to: WorldPos, placement, dt| {
        let error = live.move_to(id, to, placement, dt).unwrap_err();
        assert_eq!(live.state_hash(), hash);
        error
    };
    for bad in [0.0, -0.0, -0.1, 0.25_f32.next_up(), f32::NAN, f32::INFINITY] {
        let error = refuse(id, start, placement, bad);
        assert!(matches!(error, LivePropError::MoveTime { .. }), "{error}");
    }
    let scaled = Placement::new(placement.rotation(), 2.0).unwrap();
    let error = refuse(id, start, scaled, 0.1);
    assert_eq!(error, LivePropError::Scale { found: 2.0, expected: 1.5 });
    for (far, dt) in [(14, 0.1), (i32::MAX, 0.1), (1, 1e-44)] {
        let error = refuse(id, at(SectorCoord::new(far, 0), Vec3::ZERO), placement, dt);
        assert!(matches!(error, LivePropError::LinearVelocity { .. }), "{error}");
    }
    let half = Rotation::from_degrees([0.0, 180.0, 0.0]).after(placement.rotation());
    let half = Placement::new(half, 1.5).unwrap();
    let error = refuse(id, start, half, 0.003);
    assert!(matches!(error, LivePropError::AngularVelocity { .. }), "{error}");
    let error = refuse(id, start, half, 0.0031);
    assert!(matches!(error, LivePropError::RimSpeed { .. }), "{error}");
    let high = at(HERE, Vec3::Y * LIVE_HEIGHT_MAX * 2.0);
    assert!(matches!(refuse(id, high, placement, 0.1), LivePropError::Height { .. }));
    let unknown = PropId::Live { slot: 9, generation: 0 };
    assert!(matches!(refuse(unknown, start, placement, 0.1), LivePropError::Unknown { .. }));
}

#[test]
fn a_move_that_is_to_come_gives_way_to_what_is_asked_later() {
    let (live, id) = one(&mut Random::from_state(8));
    let ((start, placement), to) = (pose(&live, id), at(HERE, Vec3::ONE));
    let asked = || {
        let mut live = live.clone();
        live.move_to(id, to, placement, 0.1).unwrap();
        live
    };
    // A tick of 0 and a pause do not begin it.
    let mut waits = asked();
    let hash = waits.state_hash();
    assert_ne!(hash, live.state_hash());
    waits.advance(0.0).unwrap();
    assert_eq!((waits.state_hash(), pose(&waits, id)), (hash, (start, placement)));
    waits.settle();
    waits.advance(0.1).unwrap();
    assert_eq!(pose(&waits, id).0, to);
    // A pause after it is rest, and so is what is taken away then.
    let arrived = waits.clone();
    waits.settle();
    assert_eq!((velocities(&waits, id), waits.step_dt()), ([Vec3::ZERO; 2], None));
    let mut taken = arrived.clone();
    assert_eq!(taken.remove(id).unwrap().linear_velocity, Vec3::ZERO);
    // Another velocity, another pose, another move.
    for mut live in [asked(), arrived.clone()] {
        let from = pose(&live, id).0.local();
        live.set_velocity(id, Vec3::X, Vec3::ZERO).unwrap();
        live.advance(0.125).unwrap();
        live.advance(0.125).unwrap();
        assert!((pose(&live, id).0.local() - from - Vec3::X * 0.25).length() < 1e-4);
    }
    for mut live in [asked(), arrived] {
        live.set_pose(id, start, placement).unwrap();
        assert_eq!(velocities(&live, id), [Vec3::ZERO; 2]);
        live.advance(0.1).unwrap();
        assert_eq!(pose(&live, id), (start, placement));
    }
    let (mut again, near) = (asked(), at(HERE, Vec3::splat(2.0)));
    again.move_to(id, near, placement, 0.1).unwrap();
    again.advance(0.1).unwrap();
    assert_eq!(pose(&again, id).0, near);
}
