//! The state as a whole.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::Placement;
use marchland_terrain::{Collision, LiveProp, LiveProps, PropId, SectorCoord, SurfaceId};

use crate::scene::{Random, at, busy, change, flag, size, spoke};

const HERE: SectorCoord = SectorCoord::new(0, 0);

fn order(live: &LiveProps) -> Vec<PropId> {
    let mut ids = Vec::new();
    live.in_box(HERE, DVec3::splat(-80.0), DVec3::splat(60.0), |prop| ids.push(prop.id()));
    ids
}

#[test]
fn what_is_restored_goes_on_as_if_nothing_had_been() {
    let (mut live, mut ids) = busy(11, HERE, 1000);
    let meshes = [flag(), spoke(9.0)];
    let (snapshot, ids_then) = (live.snapshot(), ids.clone());
    let run = |live: &mut LiveProps, ids: &mut Vec<PropId>| {
        let mut draw = Random::from_state(0xfeed);
        let mut seen = Vec::new();
        for _ in 0..500 {
            change(&mut draw, &meshes, HERE, live, ids);
            seen.push((live.state_hash(), order(live)));
        }
        seen
    };
    let first = run(&mut live, &mut ids);
    live.restore(&snapshot);
    ids = ids_then.clone();
    assert!(first == run(&mut live, &mut ids), "restored over what was");
    let mut other = LiveProps::new(size());
    other.restore(&snapshot);
    ids = ids_then;
    assert!(first == run(&mut other, &mut ids), "restored elsewhere");
    assert_ne!(first[0].0, first[499].0);
}

#[test]
fn every_part_of_the_state_is_in_the_hash() {
    let base = || {
        let mut prop = LiveProp::new(flag(), at(HERE, Vec3::new(1.0, 2.0, 3.0)));
        prop.linear_velocity = Vec3::X;
        prop
    };
    let hash = |prop: LiveProp| {
        let mut live = LiveProps::new(size());
        live.add(prop).unwrap();
        live.state_hash()
    };
    let turn = |degrees| marchland_terrain::math::Rotation::from_degrees([0.0, degrees, 0.0]);
    let changes: [&dyn Fn(&mut LiveProp); 10] = [
        &|_| {},
        &|prop| prop.mesh = spoke(9.0),
        &|prop| prop.position = at(HERE, Vec3::new(1.0, 2.0, 3.0 + 1.0 / 65_536.0)),
        &|prop| prop.position = at(SectorCoord::new(0, 1), Vec3::new(1.0, 2.0, 3.0)),
        &|prop| prop.placement = Placement::new(turn(1.0), 1.0).unwrap(),
        &|prop| prop.placement = Placement::new(turn(0.0), 1.5).unwrap(),
        &|prop| prop.surface = SurfaceId(1),
        &|prop| prop.layers = 1,
        &|prop| prop.linear_velocity = Vec3::Y,
        &|prop| prop.angular_velocity = Vec3::Y,
    ];
    let hashes: Vec<_> = changes
        .iter()
        .map(|change| {
            let mut prop = base();
            change(&mut prop);
            hash(prop)
        })
        .collect();
    for (n, one) in hashes.iter().enumerate() {
        assert!(!hashes[..n].contains(one), "change {n} is not seen");
    }
    // The mesh counts by what it holds, not by where it lies.
    assert_eq!(hash(base()), hashes[0]);
    assert_eq!(base().collision, Collision::Soup);
}

#[test]
fn a_prop_put_back_has_another_id_and_another_hash() {
    let (mut live, _) = busy(4, HERE, 50);
    let id = live.add(LiveProp::new(flag(), at(HERE, Vec3::ONE))).unwrap();
    let before = live.state_hash();
    let snapshot = live.snapshot();
    let prop = live.remove(id).unwrap();
    assert_ne!(live.state_hash(), before);
    let again = live.add(prop).unwrap();
    assert_ne!(again, id);
    assert_ne!(live.state_hash(), before);
    live.restore(&snapshot);
    assert_eq!(live.state_hash(), before);
    assert!(live.get(id).is_some() && live.get(again).is_none());
}

#[test]
fn two_props_that_change_slots_change_the_hash() {
    let hash = |order: [f32; 2]| {
        let mut live = LiveProps::new(size());
        for x in order {
            live.add(LiveProp::new(flag(), at(HERE, Vec3::X * x))).unwrap();
        }
        live.state_hash()
    };
    assert_ne!(hash([1.0, 2.0]), hash([2.0, 1.0]));
    assert_eq!(hash([1.0, 2.0]), hash([1.0, 2.0]));
}

#[test]
fn the_way_to_a_state_is_not_in_its_hash() {
    let stone = |x: f32| LiveProp::new(flag(), at(HERE, Vec3::X * x));
    let mut one = LiveProps::new(size());
    let ids = [3.0, 5.0].map(|x| one.add(stone(x)).unwrap());
    // Elsewhere and fast at first, then put right; the table was advanced, and asked.
    let mut other = LiveProps::new(size());
    let mut wild = stone(9.0);
    wild.angular_velocity = Vec3::Y;
    assert_eq!(other.add(wild).unwrap(), ids[0]);
    other.advance(0.1).unwrap();
    assert_eq!(other.add(stone(5.0)).unwrap(), ids[1]);
    assert_ne!(one.state_hash(), other.state_hash());
    other.set_velocity(ids[0], Vec3::ZERO, Vec3::ZERO).unwrap();
    other.set_pose(ids[0], at(HERE, Vec3::X * 3.0), Placement::IDENTITY).unwrap();
    assert_eq!(one.state_hash(), other.state_hash());
    // Ids to come are part of what is.
    let extra = other.add(stone(1.0)).unwrap();
    other.remove(extra);
    assert_ne!(one.state_hash(), other.state_hash());
}

#[test]
fn what_was_too_small_to_be_shown_is_in_the_hash() {
    let mut live = LiveProps::new(size());
    let mut prop = LiveProp::new(flag(), at(HERE, Vec3::ZERO));
    prop.linear_velocity = Vec3::Y * 1e-5;
    let id = live.add(prop).unwrap();
    let before = live.state_hash();
    live.advance(0.01).unwrap();
    assert_eq!(live.get(id).unwrap().position(), at(HERE, Vec3::ZERO));
    assert_ne!(live.state_hash(), before);
}
