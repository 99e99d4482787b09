//! Ids, and what is refused.

use marchland_terrain::error::PositionError;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{
    LIVE_HEIGHT_MAX, LIVE_SPEED_MAX, LIVE_TURN_MAX, LivePropError, PROP_EXTENT_MAX, Placement,
};
use marchland_terrain::{
    Collision, LiveProp, LiveProps, PropId, SectorCoord, SectorSize, SurfaceId, WorldPos,
};

use crate::scene::{at, flag, size, spoke};

fn live(slot: u32, generation: u32) -> PropId {
    PropId::Live { slot, generation }
}

fn a_prop() -> LiveProp {
    LiveProp::new(flag(), at(SectorCoord::new(1, 1), Vec3::new(1.0, 2.0, 3.0)))
}

#[test]
fn the_lowest_free_slot_is_given_first_and_old_ids_are_refused() {
    let mut props = LiveProps::new(size());
    let ids: Vec<_> = (0..5).map(|_| props.add(a_prop()).unwrap()).collect();
    assert_eq!(ids, [0, 1, 2, 3, 4].map(|slot| live(slot, 0)));
    for slot in [3, 1, 4] {
        assert!(props.remove(ids[slot]).is_some());
        assert!(props.remove(ids[slot]).is_none(), "removed twice");
    }
    assert_eq!(props.len(), 2);
    assert_eq!(props.add(a_prop()), Ok(live(1, 1)));
    assert_eq!(props.add(a_prop()), Ok(live(3, 1)));
    assert_eq!(props.add(a_prop()), Ok(live(4, 1)));
    assert_eq!(props.add(a_prop()), Ok(live(5, 0)));
    let order: Vec<_> = props.iter().map(|prop| prop.id()).collect();
    assert_eq!(
        order,
        [(0, 0), (1, 1), (2, 0), (3, 1), (4, 1), (5, 0)].map(|(slot, uses)| live(slot, uses))
    );

    let baked = PropId::Baked { sector: SectorCoord::new(1, 1), index: 0 };
    for stale in [ids[1], live(1, 2), live(6, 0), live(u32::MAX, u32::MAX), baked] {
        assert!(props.get(stale).is_none());
        assert!(props.remove(stale).is_none());
        let unknown = Err(LivePropError::Unknown { id: stale });
        assert_eq!(props.set_velocity(stale, Vec3::X, Vec3::ZERO), unknown);
        assert_eq!(props.set_pose(stale, a_prop().position, Placement::IDENTITY), unknown);
        assert!(props.velocity_at(stale, a_prop().position).is_none());
        assert!(props.displacement_of(stale, a_prop().position).is_none());
    }
    assert_eq!(props.len(), 6);
}

#[test]
fn a_prop_is_given_back_as_it_stands() {
    let mut props = LiveProps::new(size());
    let mut prop = a_prop();
    (prop.surface, prop.layers, prop.collision) = (SurfaceId(7), 0b101, Collision::Soup);
    prop.linear_velocity = Vec3::new(0.0, 6.0, 0.0);
    let id = props.add(prop).unwrap();
    for _ in 0..10 {
        props.advance(0.1).unwrap();
    }
    let seen = props.get(id).unwrap();
    assert_eq!((seen.surface(), seen.layers()), (SurfaceId(7), 0b101));
    assert_eq!(seen.collision(), Collision::Soup);
    let back = props.remove(id).unwrap();
    assert!((back.position.local().y - 8.0).abs() < 1e-5, "{}", back.position.local());
    assert_eq!(back.linear_velocity, Vec3::new(0.0, 6.0, 0.0));
    assert!(props.is_empty());
}

#[test]
fn origins_are_put_on_the_lattice_in_the_sector_that_holds_them() {
    let mut props = LiveProps::new(size());
    let mut prop = a_prop();
    prop.position = at(SectorCoord::new(1, 1), Vec3::new(0.1, -0.3, 32.0_f32.next_down()));
    let id = props.add(prop).unwrap();
    let position = props.get(id).unwrap().position();
    assert_eq!(position.sector(), SectorCoord::new(1, 2));
    assert_eq!(position.local().z, -32.0);
    for metres in position.local().to_array() {
        assert_eq!((f64::from(metres) * 65_536.0).fract(), 0.0, "{metres}");
    }
    assert!((position.local().x - 0.1).abs() <= 0.5 / 65_536.0);
    // Named for sectors of another size.
    let wide = SectorSize::new(1024.0).unwrap();
    let mut prop = a_prop();
    prop.position =
        WorldPos::new(SectorCoord::new(0, 0), Vec3::new(200.0, 0.0, 0.0), wide).unwrap();
    let id = props.add(prop).unwrap();
    assert_eq!(props.get(id).unwrap().position(), at(SectorCoord::new(3, 0), Vec3::X * 8.0));
}

#[test]
fn what_no_world_can_hold_is_refused_and_changes_nothing() {
    let mut props = LiveProps::new(size());
    let id = props.add(a_prop()).unwrap();
    let before = props.state_hash();
    let mut refused = |what: &str, change: fn(&mut LiveProp)| -> LivePropError {
        let mut prop = a_prop();
        change(&mut prop);
        let error = props.add(prop.clone()).expect_err(what);
        assert!(!error.to_string().is_empty() && !error.to_string().ends_with('.'));
        let again = props
            .set_pose(id, prop.position, prop.placement)
            .and_then(|()| props.set_velocity(id, prop.linear_velocity, prop.angular_velocity));
        let of_mesh = matches!(
            error,
            LivePropError::NotClosed { .. }
                | LivePropError::Extent { .. }
                | LivePropError::RimSpeed { .. }
        );
        // As text: what is no number equals nothing.
        let same = format!("{again:?}") == format!("{:?}", Err::<(), _>(error));
        assert!(of_mesh || same, "{again:?}");
        // What was accepted one by one is put back.
        let usual = a_prop();
        props.set_pose(id, usual.position, usual.placement).unwrap();
        props.set_velocity(id, Vec3::ZERO, Vec3::ZERO).unwrap();
        assert_eq!(props.state_hash(), before, "{what}");
        assert_eq!(props.len(), 1);
        error
    };

    let fast = LIVE_SPEED_MAX.next_up();
    assert_eq!(
        refused("fast", |prop| prop.linear_velocity.y = -LIVE_SPEED_MAX.next_up()),
        LivePropError::LinearVelocity { found: Vec3::new(0.0, -fast, 0.0) }
    );
    refused("a speed that is no number", |prop| prop.linear_velocity.x = f32::NAN);
    refused("an infinite speed", |prop| prop.linear_velocity.z = f32::NEG_INFINITY);
    refused("the greatest speed", |prop| prop.linear_velocity = Vec3::splat(f32::MAX));
    refused("a turn that is no number", |prop| prop.angular_velocity.x = f32::NAN);
    refused("an infinite turn", |prop| prop.angular_velocity.x = f32::INFINITY);
    let error = refused("a fast turn", |prop| prop.angular_velocity.x = LIVE_TURN_MAX.next_up());
    assert!(matches!(error, LivePropError::AngularVelocity { .. }));
    let error = refused("a fast rim", |prop| {
        prop.mesh = spoke(100.0);
        prop.angular_velocity.y = 82.0;
    });
    assert!(matches!(error, LivePropError::RimSpeed { .. }));
    let error = refused("large", |prop| prop.mesh = spoke(PROP_EXTENT_MAX));
    assert!(matches!(error, LivePropError::Extent { found } if found > f64::from(PROP_EXTENT_MAX)));
    let error = refused("scaled too large", |prop| {
        prop.mesh = spoke(100.0);
        prop.placement = Placement::new(Rotation::IDENTITY, 1000.0).unwrap();
    });
    assert!(matches!(error, LivePropError::Extent { .. }));
    let error = refused("solid with holes", |prop| prop.collision = Collision::Solid);
    assert!(matches!(error, LivePropError::NotClosed { .. }));
    let error = refused("high", |prop| {
        let high = LIVE_HEIGHT_MAX.next_up();
        prop.position = at(SectorCoord::new(0, 0), Vec3::new(0.0, high, 0.0));
    });
    assert_eq!(error, LivePropError::Height { found: LIVE_HEIGHT_MAX.next_up() });
    let error = refused("beyond the last sector", |prop| {
        let wide = SectorSize::new(1024.0).unwrap();
        let last = SectorCoord::new(i32::MAX, 0);
        prop.position = WorldPos::new(last, Vec3::X * 500.0, wide).unwrap();
    });
    assert!(matches!(error, LivePropError::Position(PositionError::BeyondSectors { .. })));

    // And the greatest that is allowed.
    let mut prop = a_prop();
    prop.linear_velocity = Vec3::Y * LIVE_SPEED_MAX;
    prop.angular_velocity = Vec3::Y * LIVE_TURN_MAX;
    prop.position = at(SectorCoord::new(0, 0), Vec3::new(0.0, LIVE_HEIGHT_MAX, 0.0));
    assert_eq!(props.add(prop), Ok(live(1, 0)));
}
