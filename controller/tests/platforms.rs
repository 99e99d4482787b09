//! What live props carry, and until when.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::props::cuboid;
use common::{Scene, endless, grid, place};
use marchland_controller::{
    Body, BodyBuilder, EventKind, Motion, TickError, TickMode, TickSettings, UnitId, Wish,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::Placement;
use marchland_terrain::{Grid, LiveProp, LiveProps, PropId, ResidentSectors, SectorCoord};

/// A raft on level ground, and a unit that stands on it.
struct Ride {
    grid: Grid,
    ground: ResidentSectors,
    live: LiveProps,
    raft: PropId,
    scene: Scene,
    rider: UnitId,
}

impl Ride {
    fn new() -> Self {
        let grid = grid(1.0, 32);
        let mut live = LiveProps::new(grid.sector_size());
        let raft = LiveProp::new(cuboid([6.0, 0.5, 6.0]), place(grid, (0, 0), [0.0, 2.0, 0.0]));
        let raft = live.add(raft).unwrap();
        let mut scene = Scene::new(grid);
        let feet = place(grid, (0, 0), [0.3, 2.5, 0.7]);
        let rider = scene.spawn(feet, Motion::Walking, Vec3::ZERO, Wish::STAND);
        let ground = endless(grid, &|_, _| 0.0);
        Self { grid, ground, live, raft, scene, rider }
    }

    /// Where the rider is after a tick.
    fn tick(&mut self) -> Vec3 {
        self.scene.tick(self.ground.view().with_live(&self.live));
        self.scene.local(self.rider)
    }

    fn advance(&mut self) {
        self.live.advance(self.scene.settings.dt).unwrap();
    }

    fn refusal(&mut self) -> Result<(), TickError> {
        let view = self.ground.view().with_live(&self.live);
        let Scene { batch, units, wishes, settings, .. } = &mut self.scene;
        batch.tick(view, units, wishes, settings).map(|_| ())
    }
}

#[test]
fn a_platform_that_has_settled_carries_no_unit_though_it_is_not_advanced() {
    let mut ride = Ride::new();
    ride.live.set_velocity(ride.raft, Vec3::new(3.0, 0.0, 0.0), Vec3::Y).unwrap();
    let mut last = ride.scene.local(ride.rider);
    for _ in 0..5 {
        ride.advance();
        let now = ride.tick();
        assert!(now.x > last.x + 0.02, "{now} after {last}");
        last = now;
    }
    ride.live.set_velocity(ride.raft, Vec3::ZERO, Vec3::ZERO).unwrap();
    ride.live.settle();
    assert_eq!(ride.live.step_dt(), None);
    for _ in 0..5 {
        assert_eq!(ride.tick(), last);
    }
    // What keeps its velocity goes on after the pause.
    ride.live.set_velocity(ride.raft, Vec3::X, Vec3::ZERO).unwrap();
    ride.advance();
    ride.live.settle();
    assert_eq!(ride.tick(), last);
    ride.advance();
    assert!(ride.tick().x > last.x + 0.01);
}

#[test]
fn a_tick_of_another_length_than_the_step_of_what_moves_is_refused() {
    let mut ride = Ride::new();
    ride.live.set_velocity(ride.raft, Vec3::X, Vec3::ZERO).unwrap();
    ride.advance();
    let (props, start) = (ride.scene.settings.dt, ride.scene.units.state_hash());
    ride.scene.settings = TickSettings::at_rate(120.0);
    let tick = ride.scene.settings.dt;
    assert_eq!(ride.refusal(), Err(TickError::LiveDt { props, tick }));
    assert_eq!(ride.scene.units.state_hash(), start);
    // A tick of 0 carries nothing; neither does what has settled, stands, or was put elsewhere.
    ride.scene.settings.dt = 0.0;
    assert_eq!(ride.refusal(), Ok(()));
    ride.scene.settings.dt = tick;
    let mut put = ride.live.clone();
    let (raft, there) = (ride.raft, place(ride.grid, (0, 0), [0.5, 2.0, 0.0]));
    put.set_pose(raft, there, Placement::IDENTITY).unwrap();
    std::mem::swap(&mut ride.live, &mut put);
    assert_eq!(ride.refusal(), Ok(()));
    ride.live = put;
    ride.live.settle();
    assert_eq!(ride.refusal(), Ok(()));
    ride.live.set_velocity(ride.raft, Vec3::ZERO, Vec3::ZERO).unwrap();
    ride.live.advance(props).unwrap();
    assert_eq!(ride.refusal(), Ok(()));
}

#[test]
fn a_platform_that_is_moved_to_poses_carries_and_then_rests() {
    let mut ride = Ride::new();
    let start = ride.scene.local(ride.rider);
    let mut last = Vec3::ZERO;
    for tick in 1..=60_u8 {
        let part = f32::from(tick) / 60.0;
        let to = place(ride.grid, (0, 0), [3.0 * part, 2.0 + part * part, -2.0 * part]);
        let turn = Rotation::from_degrees([0.0, 90.0 * f64::from(part), 0.0]);
        let placement = Placement::new(turn, 1.0).unwrap();
        let dt = ride.scene.settings.dt;
        ride.live.move_to(ride.raft, to, placement, dt).unwrap();
        ride.advance();
        last = ride.tick();
        // At the same place of the deck.
        let stands = turn.apply(Vec3::new(start.x, 0.0, start.z)).as_vec3();
        let expected = to.local() + stands + Vec3::Y * 0.5;
        assert!((last - expected).length() < 1e-3, "{last}, not {expected}, after {tick}");
    }
    for _ in 0..5 {
        ride.advance();
        assert_eq!(ride.tick(), last);
    }
    // Put elsewhere at once, it leaves its rider behind.
    let away = place(ride.grid, (0, 0), [3.5, 3.0, -2.0]);
    ride.live.set_pose(ride.raft, away, Placement::IDENTITY).unwrap();
    ride.advance();
    assert_eq!(ride.tick(), last);
}

#[test]
fn a_strict_tick_that_is_refused_changes_nothing_and_its_step_carries_in_the_next() {
    let mut ride = Ride::new();
    ride.live.set_velocity(ride.raft, Vec3::new(3.0, 0.5, 0.0), Vec3::Y).unwrap();
    ride.advance();
    ride.tick();
    let mut always_there = ride.scene.units.snapshot();
    ride.scene.settings.mode = TickMode::Strict;
    for tick in 0..10 {
        ride.advance();
        // One that is refused, twice, and then the same with all sectors.
        let mut late = ride.ground.shifted(0, 0).unwrap();
        late.unload(SectorCoord::new(0, 0));
        std::mem::swap(&mut ride.ground, &mut late);
        let before = ride.scene.units.state_hash();
        for _ in 0..2 {
            assert_eq!(ride.refusal(), Err(TickError::NotResident { count: 1 }));
            assert_eq!(ride.scene.units.state_hash(), before, "tick {tick}");
        }
        std::mem::swap(&mut ride.ground, &mut late);
        ride.tick();
        let done = ride.scene.units.state_hash();
        let snapshot = ride.scene.units.snapshot();
        ride.scene.units.restore(&always_there);
        ride.tick();
        assert_eq!(ride.scene.units.state_hash(), done, "tick {tick}");
        always_there = snapshot;
    }
}

#[test]
fn who_comes_after_a_step_is_carried_from_the_next_one_on() {
    for rate in [10.0, 60.0, 240.0] {
        for teleports in [false, true] {
            let mut ride = Ride::new();
            ride.scene.settings = TickSettings::at_rate(rate);
            let dt = ride.scene.settings.dt;
            ride.live.set_velocity(ride.raft, Vec3::new(6.0, 0.0, 0.0), Vec3::ZERO).unwrap();
            ride.advance();
            // At the edge that leads, as the raft is shown now.
            let start = place(ride.grid, (0, 0), [6.0 * dt + 3.3, 2.5, 0.0]);
            let view = ride.ground.view().with_live(&ride.live);
            let id = if teleports {
                ride.scene.units.teleport(view, ride.rider, start).unwrap();
                ride.rider
            } else {
                let id = ride.scene.spawn(start, Motion::Walking, Vec3::ZERO, Wish::STAND);
                assert_eq!(ride.scene.units.board(view, id), Some(ride.raft));
                id
            };
            ride.tick();
            let mut last = start.local();
            assert_eq!(ride.scene.local(id), last, "a step that it had no part in");
            for tick in 0..5 {
                ride.advance();
                ride.tick();
                let now = ride.scene.local(id);
                assert!((now - last - Vec3::X * (6.0 * dt)).length() < 1e-4, "{now} in {tick}");
                last = now;
            }
        }
    }
}

#[test]
fn a_platform_carries_nobody_before_it_is_underfoot() {
    for rate in [30.0, 60.0, 120.0, 240.0] {
        for gap in [0.1, 0.5, 0.9] {
            let (grid, speed) = (grid(1.0, 32), 3.0);
            let ground = endless(grid, &|_, _| 0.0);
            let mut live = LiveProps::new(grid.sector_size());
            // Its edge is so much of its way in a tick off the disc of a unit, which it slides under.
            let x = -0.4 - 2.0 - gap * speed / rate;
            let plate = LiveProp::new(cuboid([4.0, 0.2, 4.0]), place(grid, (0, 0), [x, 0.0, 0.0]));
            let plate = live.add(plate).unwrap();
            live.set_velocity(plate, Vec3::X * speed, Vec3::ZERO).unwrap();
            let mut scene = Scene::new(grid);
            scene.settings = TickSettings::at_rate(rate);
            let feet = place(grid, (0, 0), [0.0; 3]);
            let unit = scene.spawn(feet, Motion::Walking, Vec3::ZERO, Wish::STAND);
            let ways: [Vec3; 3] = std::array::from_fn(|_| {
                let before = scene.local(unit);
                live.advance(scene.settings.dt).unwrap();
                scene.tick(ground.view().with_live(&live));
                scene.local(unit) - before
            });
            let told = format!("{ways:?} at {rate}, {gap}");
            // It comes under the unit in the first tick, and takes it along from the next one on.
            assert!(ways[0].x == 0.0 && (ways[0].y - 0.2).abs() < 1e-3, "{told}");
            let rest = ways[1] + ways[2] - Vec3::X * (2.0 * speed / rate);
            assert!(rest.length() < 1e-3, "{told}");
        }
    }
}

#[test]
fn a_rider_that_is_held_ends_where_one_that_is_not_held_would() {
    let mut ride = Ride::new();
    ride.live.set_velocity(ride.raft, Vec3::new(1.0, 0.25, -2.0), Vec3::Y * 0.3).unwrap();
    let mut others = ride.scene.units.clone();
    let whole = ride.ground.shifted(0, 0).unwrap();
    let mut late = whole.shifted(0, 0).unwrap();
    late.unload(SectorCoord::new(0, 0));
    for tick in 0..60 {
        ride.advance();
        ride.ground = if (10..50).contains(&tick) {
            late.shifted(0, 0).unwrap()
        } else {
            whole.shifted(0, 0).unwrap()
        };
        let held = ride.tick();
        std::mem::swap(&mut ride.scene.units, &mut others);
        ride.ground = whole.shifted(0, 0).unwrap();
        let free = ride.tick();
        std::mem::swap(&mut ride.scene.units, &mut others);
        assert!((held - free).length() < 1e-4, "{held}, not {free}, in {tick}");
    }
}

/// What carries it goes on, and would carry it by a step from afar when its wish is one again.
#[test]
fn a_rider_whose_wish_is_no_wish_goes_on_with_its_platform() {
    let mut ride = Ride::new();
    ride.live.set_velocity(ride.raft, Vec3::new(20.0, 0.25, -2.0), Vec3::Y * 0.3).unwrap();
    let mut others = ride.scene.units.clone();
    for tick in 0..60 {
        ride.advance();
        let is_wish = !(10..50).contains(&tick);
        ride.scene.wishes[0] = if is_wish { Wish::STAND } else { Wish::walk(f32::NAN, 0.0) };
        let without = ride.tick();
        assert_eq!(ride.scene.batch.report().invalid().is_empty(), is_wish);
        ride.scene.wishes[0] = Wish::STAND;
        std::mem::swap(&mut ride.scene.units, &mut others);
        let with = ride.tick();
        std::mem::swap(&mut ride.scene.units, &mut others);
        assert!((without - with).length() < 1e-4, "{without}, not {with}, in {tick}");
    }
}

/// The skin above a head is no ceiling to who rides, whatever its knee absorbs.
#[test]
fn a_lift_that_stops_nearer_to_a_ceiling_than_the_skin_is_told_by_nobody() {
    for (knee, gap) in [(0.0, 0.0005), (0.0, 0.002), (0.0, 0.005), (0.45, 0.005)] {
        let grid = grid(1.0, 32);
        let mut live = LiveProps::new(grid.sector_size());
        let lift = LiveProp::new(cuboid([3.0, 0.2, 3.0]), place(grid, (0, 0), [0.0; 3]));
        let lift = live.add(lift).unwrap();
        let roof = place(grid, (0, 0), [0.0, 0.2 + 2.0 + 1.8 + gap, 0.0]);
        live.add(LiveProp::new(cuboid([5.0, 0.2, 5.0]), roof)).unwrap();
        let mut scene = Scene::with_body(grid, BodyBuilder { knee, ..Body::builder() });
        let feet = place(grid, (0, 0), [0.0, 0.2, 0.1]);
        let rider = scene.spawn(feet, Motion::Walking, Vec3::ZERO, Wish::STAND);
        let ground = endless(grid, &|_, _| 0.0);
        live.set_velocity(lift, Vec3::Y, Vec3::ZERO).unwrap();
        for tick in 0..130 {
            if tick == 120 {
                live.set_velocity(lift, Vec3::ZERO, Vec3::ZERO).unwrap();
            }
            live.advance(scene.settings.dt).unwrap();
            scene.tick(ground.view().with_live(&live));
            for event in scene.batch.events() {
                let is_touch = matches!(event.kind, EventKind::ContactBegan { .. });
                assert!(is_touch, "knee {knee}, {gap} m: {:?} in tick {tick}", event.kind);
            }
        }
        let y = scene.local(rider).y;
        assert!((y - 2.2).abs() < 1e-4, "knee {knee}, {gap} m: {y}");
    }
}
