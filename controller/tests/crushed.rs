//! What moves is swept, pushes, and crushes whom it presses against something.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::props::cuboid;
use common::{Scene, endless, grid, place, sector, solid};
use marchland_controller::{
    Body, BodyBuilder, EventKind, Motion, PathChoice, TickSettings, UnitId, Wish,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::Placement;
use marchland_terrain::{
    Grid, LiveProp, LiveProps, PropId, ResidentSectors, SectorCoord, WorldPos,
};

/// Level ground, props, and a unit that stands in their middle.
struct Yard {
    grid: Grid,
    ground: ResidentSectors,
    live: LiveProps,
    scene: Scene,
    unit: UnitId,
}

impl Yard {
    fn new(rate: f32, feet: [f32; 3]) -> Self {
        Self::with(rate, feet, Body::builder(), Wish::STAND)
    }

    fn with(rate: f32, feet: [f32; 3], body: BodyBuilder, wish: Wish) -> Self {
        let grid = grid(1.0, 64);
        let mut scene = Scene::with_body(grid, body);
        scene.settings = TickSettings::at_rate(rate);
        let at = place(grid, (0, 0), feet);
        let unit = scene.spawn(at, Motion::Walking, Vec3::ZERO, wish);
        let (ground, live) = (endless(grid, &|_, _| 0.0), LiveProps::new(grid.sector_size()));
        Self { grid, ground, live, scene, unit }
    }

    fn add(&mut self, size: [f32; 3], at: [f32; 3]) -> PropId {
        let at = place(self.grid, (0, 0), at);
        self.live.add(LiveProp::new(cuboid(size), at)).unwrap()
    }

    /// The upper face of a turned block, which meets the ground at 1 m and comes towards the middle.
    fn push_wedge(&mut self, size: [f32; 3], angle: f64, speed: f32) -> PropId {
        let turned = Rotation::from_degrees([0.0, 0.0, angle]);
        let up = turned.apply(Vec3::Y).as_vec3();
        let at = place(self.grid, (0, 0), (Vec3::X - size[1] * up).to_array());
        let mut block = LiveProp::new(cuboid(size), at);
        block.placement = Placement::new(turned, 1.0).unwrap();
        let wedge = self.live.add(block).unwrap();
        self.go(wedge, Vec3::NEG_X * speed, Vec3::ZERO);
        wedge
    }

    fn go(&mut self, prop: PropId, linear: Vec3, angular: Vec3) {
        self.live.set_velocity(prop, linear, angular).unwrap();
    }

    /// A tick, and what it told of the unit.
    fn tick(&mut self) -> Vec<EventKind> {
        self.live.advance(self.scene.settings.dt).unwrap();
        self.scene.tick(self.ground.view().with_live(&self.live));
        self.scene.batch.events().iter().map(|event| event.kind).collect()
    }

    fn ticks(&mut self, seconds: f32) -> Vec<EventKind> {
        let count = (seconds / self.scene.settings.dt).round() as u32;
        (0..count).flat_map(|_| self.tick()).collect()
    }

    fn local(&self) -> Vec3 {
        self.scene.local(self.unit)
    }
}

/// How often a prop began and ceased to crush.
fn crushes(events: &[EventKind], id: PropId) -> [usize; 2] {
    let count = |is: &dyn Fn(&EventKind) -> bool| events.iter().filter(|event| is(event)).count();
    [
        count(&|event| matches!(event, EventKind::Crushed { prop, .. } if *prop == id)),
        count(&|event| matches!(event, EventKind::CrushEnded { prop } if *prop == id)),
    ]
}

fn mode_changes(events: &[EventKind]) -> usize {
    let is_change = |event: &&EventKind| {
        matches!(event, EventKind::LeftGround { .. } | EventKind::Landed { .. })
    };
    events.iter().filter(is_change).count()
}

#[test]
fn being_crushed_begins_once_and_ends_once_at_every_rate_and_speed() {
    for rate in [30.0, 60.0, 120.0, 240.0] {
        for speed in [0.05, 0.2, 1.0, 4.0, 20.0] {
            let mut yard = Yard::new(rate, [0.0, 1.0, 0.0]);
            let lift = yard.add([3.0, 0.4, 3.0], [0.0, 0.6, 0.0]);
            yard.add([5.0, 1.0, 5.0], [0.0, 3.0, 0.0]);
            // 0.5 m up, of which there is room for 0.2 m, and back.
            let seconds = 0.5 / speed;
            let steps = (seconds * rate).ceil();
            let speed = 0.5 / steps * rate;
            yard.go(lift, Vec3::Y * speed, Vec3::ZERO);
            let mut events = yard.ticks(steps / rate);
            yard.go(lift, Vec3::ZERO, Vec3::ZERO);
            events.extend(yard.ticks(0.5));
            assert_eq!(crushes(&events, lift), [1, 0], "{speed} at {rate}: {events:?}");
            let held = yard.local();
            assert!(held.y > 1.2 - speed / rate - 0.011 && held.y < 1.2, "{held}");
            // However it asks to go.
            yard.scene.wishes[0] = Wish::walk(3.0, 1.0).jumping();
            assert_eq!(yard.tick(), []);
            assert_eq!(
                (yard.local(), yard.scene.units.motion(yard.unit)),
                (held, Some(Motion::Walking))
            );
            yard.scene.wishes[0] = Wish::STAND;
            yard.go(lift, Vec3::Y * -speed, Vec3::ZERO);
            events.extend(yard.ticks(steps / rate));
            yard.go(lift, Vec3::ZERO, Vec3::ZERO);
            events.extend(yard.ticks(0.5));
            assert_eq!(crushes(&events, lift), [1, 1], "{speed} at {rate}: {events:?}");
            // A lift that goes down faster than is followed is fallen after, once.
            let most = if speed / rate > 0.45 { 2 } else { 0 };
            assert!(mode_changes(&events) <= most, "{speed} at {rate}: {events:?}");
            assert!((yard.local() - Vec3::Y).length() < 2e-3, "{} at {rate}", yard.local());
        }
    }
}

#[test]
fn what_goes_wholly_past_in_one_tick_begins_and_ends_in_it() {
    let mut yard = Yard::new(60.0, [0.0, 0.0, 0.0]);
    let press = yard.add([3.0, 0.3, 3.0], [0.0, 2.0, 0.0]);
    yard.go(press, Vec3::Y * -290.0, Vec3::ZERO);
    let events = yard.tick();
    assert_eq!(crushes(&events, press), [1, 1], "{events:?}");
    assert_eq!(yard.local(), Vec3::ZERO);
    let mut ride = Yard::new(60.0, [0.0, 1.0, 0.0]);
    let lift = ride.add([3.0, 0.4, 3.0], [0.0, 0.6, 0.0]);
    ride.add([5.0, 9.0, 5.0], [0.0, 2.9, 0.0]);
    ride.go(lift, Vec3::Y * 290.0, Vec3::ZERO);
    let events = ride.tick();
    assert_eq!(crushes(&events, lift), [1, 1], "{events:?}");
    let held = ride.local();
    assert!(held.y >= 1.0 && held.y < 1.1, "{held}");
}

#[test]
fn a_crush_ends_where_the_prop_is_gone_or_not_met_any_more_or_the_unit_is_put_elsewhere() {
    for end in 0..3 {
        let mut yard = Yard::new(60.0, [0.0, 0.0, 0.0]);
        let press = yard.add([3.0, 0.3, 3.0], [0.0, 2.0, 0.0]);
        yard.go(press, Vec3::Y * -1.0, Vec3::ZERO);
        let events = yard.ticks(1.0);
        assert_eq!(crushes(&events, press), [1, 0]);
        yard.go(press, Vec3::ZERO, Vec3::ZERO);
        assert_eq!(crushes(&yard.ticks(0.2), press), [0, 0]);
        match end {
            0 => assert!(yard.live.remove(press).is_some()),
            1 => assert!(yard.scene.units.set_mask(yard.unit, 0)),
            _ => {
                let there = place(yard.grid, (0, 0), [9.0, 0.0, 0.0]);
                yard.scene.units.teleport(yard.ground.view(), yard.unit, there).unwrap();
            }
        }
        assert_eq!(crushes(&yard.tick(), press), [0, 1], "by {end}");
        yard.scene.wishes[0] = Wish::walk(2.0, 0.0);
        let from = yard.local();
        yard.ticks(0.5);
        assert!((yard.local() - from - Vec3::X).length() < 1e-3, "{}", yard.local());
    }
}

#[test]
fn each_of_three_that_press_is_told_once() {
    for rate in [30.0, 60.0, 240.0] {
        let mut yard = Yard::new(rate, [0.0, 0.0, 0.0]);
        let east = yard.add([0.4, 3.0, 6.0], [1.0, 1.5, 0.0]);
        let west = yard.add([0.4, 3.0, 6.0], [-1.0, 1.5, 0.0]);
        let post = yard.add([0.2, 3.0, 0.2], [0.0, 1.5, -2.0]);
        let mut events = Vec::new();
        // The doors come together, the post comes between them, and they go back: first the doors.
        for (doors, third) in [(1.0, 0.0), (0.0, 2.0), (-1.0, 0.0), (0.0, -2.0)] {
            yard.go(east, Vec3::X * -0.5 * doors, Vec3::ZERO);
            yard.go(west, Vec3::X * 0.5 * doors, Vec3::ZERO);
            yard.go(post, Vec3::Z * third, Vec3::ZERO);
            events.extend(yard.ticks(0.9));
        }
        for prop in [east, west, post] {
            assert_eq!(crushes(&events, prop), [1, 1], "{prop:?} at {rate}: {events:?}");
        }
        assert!(!events.iter().any(|event| matches!(event, EventKind::Stuck { .. })), "{events:?}");
    }
}

/// Whether a sheet-like wall that steps over a unit in one tick takes it along.
fn is_pushed(rate: f32, linear: Vec3, angular: Vec3) -> bool {
    let mut yard = Yard::new(rate, [2.0, 0.0, 1.2]);
    // Before a turn of a quarter about its middle it stands along X, at Z = 0.
    let at = if angular == Vec3::ZERO { [2.0, 0.0, 0.0] } else { [0.0, 0.0, 0.0] };
    let wall = yard.add([7.0, 3.0, 0.1], at);
    yard.go(wall, linear, angular);
    yard.tick();
    (yard.local() - Vec3::new(2.0, 0.0, 1.2)).length() > 0.3
}

#[test]
fn a_step_is_swept_up_to_its_limits_and_beyond_them_the_prop_is_set() {
    for rate in [30.0, 60.0, 240.0] {
        assert!(is_pushed(rate, Vec3::Z * 300.0, Vec3::ZERO), "at {rate}");
        // Tips of 3.5 m at a quarter turn a tick: 5.5 m, which is 165 m/s at 30 Hz.
        let quarter = std::f32::consts::FRAC_PI_2 * rate;
        assert_eq!(is_pushed(rate, Vec3::ZERO, Vec3::Y * -quarter), rate == 30.0, "at {rate}");
    }
    assert!(!is_pushed(60.0, Vec3::Z * 301.0, Vec3::ZERO));
    assert!(!is_pushed(30.0, Vec3::ZERO, Vec3::Y * -1.01 * std::f32::consts::FRAC_PI_2 * 30.0));
    let tip = (3.5_f32 * 3.5 + 0.05 * 0.05).sqrt();
    assert!(is_pushed(60.0, Vec3::ZERO, Vec3::Y * (-300.0 / tip)));
    assert!(!is_pushed(60.0, Vec3::ZERO, Vec3::Y * (-301.0 / tip)));
}

#[test]
fn a_pose_that_is_moved_to_pushes_and_one_that_is_set_does_not() {
    for is_set in [false, true] {
        let mut yard = Yard::new(60.0, [0.0, 0.0, 0.0]);
        let wall = yard.add([0.2, 3.0, 4.0], [-2.0, 0.0, 0.0]);
        let there = place(yard.grid, (0, 0), [2.0, 0.0, 0.0]);
        let turned = Placement::new(Rotation::from_degrees([0.0, 10.0, 0.0]), 1.0).unwrap();
        if is_set {
            yard.live.set_pose(wall, there, turned).unwrap();
        } else {
            yard.live.move_to(wall, there, turned, yard.scene.settings.dt).unwrap();
        }
        assert_eq!(crushes(&yard.tick(), wall), [0, 0]);
        let at = yard.local();
        assert_eq!(at == Vec3::ZERO, is_set, "{at}");
        assert!(is_set || at.x > 2.4, "{at}");
    }
}

/// A wall comes towards a unit at a border, beyond which nothing is in memory.
#[test]
fn who_may_be_pushed_onto_ground_that_is_late_is_held_on_both_paths_and_freed_afterwards() {
    for path in [PathChoice::Auto, PathChoice::Full] {
        let mut yard = Yard::new(60.0, [30.0, 0.0, 0.0]);
        yard.scene.switches.path = path;
        let here = SectorCoord::new(0, 0);
        let mut known = ResidentSectors::new(yard.grid);
        for x in -1..=1 {
            for z in -1..=1 {
                let coord = SectorCoord::new(x, z);
                known.insert(coord, sector(yard.grid, coord, &|_, _| 0.0, &solid)).unwrap();
            }
        }
        std::mem::swap(&mut yard.ground, &mut known);
        yard.ground.unload(SectorCoord::new(1, 0));
        let wall = yard.add([0.2, 3.0, 4.0], [20.0, 0.0, 0.0]);
        yard.go(wall, Vec3::X * 120.0, Vec3::ZERO);
        let mut events = Vec::new();
        for _ in 0..4 {
            events.extend(yard.tick());
            assert!(yard.live.get(wall).unwrap().position().local().x < 29.0);
            assert_eq!(yard.local(), Vec3::new(30.0, 0.0, 0.0));
        }
        assert_eq!(events, [], "{path:?}");
        // Within its way in this tick, the unit may come to 32 m and more.
        assert_eq!(yard.tick(), [EventKind::Held], "{path:?}");
        assert_eq!(yard.local(), Vec3::new(30.0, 0.0, 0.0));
        yard.go(wall, Vec3::ZERO, Vec3::ZERO);
        yard.live
            .set_pose(wall, place(yard.grid, (0, 0), [30.2, 0.0, 0.0]), Placement::IDENTITY)
            .unwrap();
        let coord = SectorCoord::new(1, 0);
        yard.ground.insert(coord, sector(yard.grid, coord, &|_, _| 0.0, &solid)).unwrap();
        yard.ticks(0.2);
        let apart = yard.scene.units.position(yard.unit).unwrap();
        let middle = WorldPos::new(here, Vec3::new(30.2, 0.0, 0.0), yard.grid.sector_size());
        let apart = apart.relative_to(middle.unwrap(), yard.grid.sector_size());
        assert!(apart.x.abs() > 0.49 && apart.x.abs() < 0.7, "{apart}");
        assert_eq!(yard.scene.units.is_stuck(yard.unit), Some(false));
    }
}

/// Too steep to stand on, it comes up to the knees before it shoves; then it shoves along the ground, not up.
#[test]
fn a_steep_wedge_shoves_along_the_ground() {
    for rate in [30.0, 60.0, 120.0, 240.0] {
        for (angle, speed) in [(45.5, 1.0), (46.0, 3.0), (47.0, 3.0), (60.0, 10.0), (75.0, 3.0)] {
            for beside in 0..8 {
                let mut yard = Yard::new(rate, [0.017 * beside as f32, 0.0, 0.0]);
                let wedge = yard.push_wedge([12.0, 6.0, 8.0], angle, speed);
                let most = speed / rate + SKIN;
                for tick in 0..(2.0 * rate) as u32 {
                    let before = yard.local();
                    let events = yard.tick();
                    let way = yard.local() - before;
                    let what =
                        format!("{way} in tick {tick} at {rate}, {angle}, {speed}, {beside}");
                    assert_eq!(
                        (crushes(&events, wedge), mode_changes(&events)),
                        ([0, 0], 0),
                        "{what}"
                    );
                    assert!(way.x <= 0.0 && way.x >= -most && way.y == 0.0, "{what}");
                }
                let foot = 1.0 - 2.0 * speed;
                // As far beside its foot as the knees let it.
                let x = yard.local().x;
                assert!(x < foot + 0.45 && x > foot - 0.45, "{x} beside {foot}");
            }
        }
    }
}

/// What can be stood on comes up under the feet of who walks, with knees or without: it is in nobody's way.
#[test]
fn a_gentle_wedge_is_no_contact() {
    let wish = Wish::walk(-0.3, 1.8);
    for rate in [30.0, 60.0, 120.0, 240.0] {
        for (angle, speed) in [(20.0, 3.0), (35.0, 3.0), (35.0, 8.0), (44.0, 1.0), (44.0, 8.0)] {
            for (radius, knee) in [(0.4, 0.0), (0.15, 0.0), (0.4, 0.3)] {
                let body = BodyBuilder { radius, knee, ..Body::builder() };
                let mut yard = Yard::with(rate, [0.0, 0.0, 0.0], body, wish);
                let wedge = yard.push_wedge([80.0, 20.0, 20.0], angle, speed);
                let events = yard.ticks(1.0);
                let what = format!("at {rate}, {angle}, {speed}, {radius}, {knee}: {events:?}");
                let is_contact =
                    |event: &EventKind| matches!(event, EventKind::ContactBegan { .. });
                assert!(!events.iter().any(is_contact), "{what}");
                assert_eq!((crushes(&events, wedge), mode_changes(&events)), ([0, 0], 0), "{what}");
                // Carried along, and on its way all the same.
                let at = yard.local();
                let (ahead, behind) = (1.0 - speed - 0.35 - radius, 1.0 - speed + 0.35 + radius);
                assert!(
                    at.x > ahead - 0.3 && at.x < behind + 0.3 && (at.z - 1.8).abs() < 0.05,
                    "{at} {what}"
                );
            }
        }
    }
}
