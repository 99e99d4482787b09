//! A platform that is moved away at once: it carries nobody there, and takes nobody along.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::props::cuboid;
use common::{Scene, endless, grid, place};
use marchland_controller::{Body, BodyBuilder, LeavePlatform, Motion, TickSettings, UnitId, Wish};
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::greater;
use marchland_terrain::props::Placement;
use marchland_terrain::{
    Grid, LiveProp, LiveProps, PropId, ResidentSectors, SectorCoord, WorldPos,
};

/// A turntable over level ground, and units that stand on it.
struct Ride {
    grid: Grid,
    ground: ResidentSectors,
    live: LiveProps,
    table: PropId,
    scene: Scene,
    riders: Vec<UnitId>,
}

/// Height of the table's top. Metres.
const TOP: f32 = 2.25;

impl Ride {
    fn new(rate: f32, leave: LeavePlatform) -> Self {
        let grid = grid(1.0, 32);
        let mut live = LiveProps::new(grid.sector_size());
        let mut table =
            LiveProp::new(cuboid([6.0, 0.5, 6.0]), place(grid, (0, 0), [0.0, 2.0, 0.0]));
        table.angular_velocity = Vec3::Y * 0.5;
        let table = live.add(table).unwrap();
        let mut scene =
            Scene::with_body(grid, BodyBuilder { leave_platform: leave, ..Body::builder() });
        scene.settings = TickSettings::at_rate(rate);
        let mut add = |x: f32| {
            let at = place(grid, (0, 0), [x, TOP, 0.7]);
            scene.spawn(at, Motion::Walking, Vec3::ZERO, Wish::STAND)
        };
        let riders = [0.3, 0.9, -1.5].map(&mut add).to_vec();
        let ground = endless(grid, &|_, _| 0.0);
        let mut ride = Self { grid, ground, live, table, scene, riders };
        (0..5).for_each(|_| ride.tick());
        assert!(ride.riders.iter().all(|id| ride.scene.units.motion(*id) == Some(Motion::Walking)));
        ride
    }

    /// From the next tick on one stands, one walks, and one jumps in that tick.
    fn go(&mut self) {
        let wishes = [Wish::STAND, Wish::walk(1.0, 0.0), Wish::STAND.jumping()];
        self.scene.wishes.copy_from_slice(&wishes);
    }

    fn tick(&mut self) {
        self.live.advance(self.scene.settings.dt).unwrap();
        self.scene.tick(self.ground.view().with_live(&self.live));
    }

    fn metres(&self) -> Vec<DVec3> {
        let size = self.grid.sector_size();
        let at = |id: &UnitId| self.scene.units.position(*id).unwrap().to_metres(size).into();
        self.riders.iter().map(at).collect()
    }

    /// The greatest speed along the ground that any of them has or makes until all have come down.
    fn a_second(&mut self) -> f64 {
        let mut most: f64 = 0.0;
        let dt = f64::from(self.scene.settings.dt);
        self.go();
        for _ in 0..(2.0 / dt).round() as u32 {
            let before = self.metres();
            self.tick();
            self.scene.wishes[2] = Wish::STAND;
            for (unit, (now, before)) in self.metres().iter().zip(before).enumerate() {
                let velocity = self.scene.units.velocity(self.riders[unit]).unwrap().as_dvec3();
                for speed in [velocity, (now - before) / dt].map(|way| way.with_y(0.0).length()) {
                    most = greater(speed, most);
                }
            }
        }
        most
    }
}

fn far(ride: &Ride, metres: f64) -> WorldPos {
    WorldPos::from_metres(metres, 2.0, 3.0, ride.grid.sector_size()).unwrap()
}

#[test]
fn a_turntable_that_is_parked_far_away_takes_nobody_along() {
    for rate in [4.0, 30.0, 60.0, 240.0] {
        for leave in [LeavePlatform::Keep, LeavePlatform::Add, LeavePlatform::Drop] {
            for metres in [40.0, 1e3, 9e5, 1e9] {
                let mut ride = Ride::new(rate, leave);
                let to = far(&ride, metres);
                ride.live.set_pose(ride.table, to, Placement::IDENTITY).unwrap();
                let most = ride.a_second();
                assert!(most < 1.01, "{most} m/s at {rate} Hz from {metres} m, {leave:?}");
                let left: Vec<_> = ride.metres();
                assert!(left.iter().all(|at| at.y < 0.5), "{left:?}");
            }
        }
    }
}

#[test]
fn a_platform_that_is_removed_under_its_riders_gives_them_nothing() {
    for rate in [30.0, 240.0] {
        let mut ride = Ride::new(rate, LeavePlatform::Keep);
        ride.live.set_velocity(ride.table, Vec3::X * 5.0, Vec3::Y).unwrap();
        ride.tick();
        ride.live.remove(ride.table).unwrap();
        let most = ride.a_second();
        assert!(most < 1.01, "{most} m/s at {rate} Hz");
    }
}

#[test]
fn a_platform_that_is_put_beside_its_place_bears_and_carries_on_from_there() {
    for rate in [30.0, 60.0, 240.0] {
        let mut ride = Ride::new(rate, LeavePlatform::Keep);
        ride.live.set_velocity(ride.table, Vec3::X, Vec3::ZERO).unwrap();
        ride.tick();
        let before = ride.metres()[0];
        let beside = ride.live.get(ride.table).unwrap().position();
        let beside =
            beside.moved_by(Vec3::new(-0.25, 0.0, 0.125), ride.grid.sector_size()).unwrap();
        ride.live.set_pose(ride.table, beside, Placement::IDENTITY).unwrap();
        let dt = f64::from(ride.scene.settings.dt);
        for tick in 1..=20 {
            ride.tick();
            let way = ride.metres()[0] - before;
            assert!((way.x - dt * f64::from(tick)).abs() < 1e-3, "{way} at {rate} Hz");
            assert!(way.z.abs() < 1e-4 && way.y.abs() < 1e-4, "{way} at {rate} Hz");
        }
    }
}

#[test]
fn what_moves_faster_than_300_metres_a_second_leaves_its_riders_at_rest() {
    for rate in [4.0, 30.0, 60.0, 240.0] {
        for (speed, carries) in [(299.9, true), (300.0, true), (301.0, false), (8000.0, false)] {
            let mut ride = Ride::new(rate, LeavePlatform::Keep);
            ride.live.set_velocity(ride.table, Vec3::Z * speed, Vec3::ZERO).unwrap();
            let before = ride.metres()[0];
            ride.go();
            ride.tick();
            let way = (ride.metres()[0] - before).length();
            let step = f64::from(speed * ride.scene.settings.dt);
            let expected = if carries { step } else { 0.0 };
            assert!((way - expected).abs() < 0.01, "{way} m at {speed} m/s and {rate} Hz");
            // Whoever jumps keeps no more than that.
            let most = ride.scene.units.velocity(ride.riders[2]).unwrap().z;
            assert!(most <= 300.01 && (carries || most == 0.0), "{most} m/s");
        }
    }
}

#[test]
fn a_long_way_reaches_the_sectors_that_it_leads_through_and_no_others() {
    let grid = grid(1.0, 8);
    let whole = endless(grid, &|_, _| 0.0);
    // 100 sectors along X and 50 along Z in a tick.
    let speed = [100.0 * 8.0 * 4.0, 50.0 * 8.0 * 4.0];
    let held = |missing: SectorCoord| {
        let mut scene = Scene::new(grid);
        scene.settings = TickSettings::at_rate(4.0);
        let start = place(grid, (0, 0), [0.5, 0.0, 0.5]);
        scene.spawn(start, Motion::Walking, Vec3::ZERO, Wish::walk(speed[0], speed[1]));
        let mut world = whole.shifted(0, 0).unwrap();
        world.unload(missing);
        let report = scene.tick(world.view());
        let is_held = report.held().len() == 1;
        let expected = if is_held { vec![missing] } else { Vec::new() };
        assert_eq!(report.missing(), expected);
        is_held
    };
    for (missing, is_reached) in [
        ((50, 25), true),
        ((100, 50), true),
        ((50, 20), false),
        ((60, 34), false),
        ((99, 1), false),
    ] {
        assert_eq!(held(SectorCoord::new(missing.0, missing.1)), is_reached, "{missing:?}");
    }
}
