//! Following and the full controller are one thing: whoever may take either gets the same bits.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, leaning, put};
use common::{Random, Scene, hills, noise, painted_sector, place};
use marchland_controller::{
    Event, EventKind, Motion, PathChoice, Shortcuts, SurfaceResponse, Switches, TickSettings,
    UnitId, Units, UnitsSnapshot, Wish,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{
    CellKind, Grid, LiveProps, ResidentSectors, SectorCoord, SurfaceId, WorldPos,
};
use proptest::prelude::*;

const TICKS: usize = 90;
const UNITS: usize = 48;

/// Rolling ground that ends on every side, in the east within a sector, with props here and there.
struct Land {
    grid: Grid,
    ground: ResidentSectors,
    live: LiveProps,
    shift: (i32, i32),
}

#[derive(Clone, Debug)]
struct Setting {
    seed: u64,
    cell: f64,
    props: u64,
    speed: f32,
    rate: f32,
    gravity: f32,
    is_late: bool,
    /// Whether there are holes, and ground of several surfaces.
    is_torn: bool,
    is_painted: bool,
    /// Whether some of it is too steep.
    is_rugged: bool,
    /// Whether some units begin below the ground.
    is_sunk: bool,
}

/// Whole ground with nothing on it.
const CALM: Setting = Setting {
    seed: 1,
    cell: 1.0,
    props: 0,
    speed: 5.0,
    rate: 60.0,
    gravity: 9.81,
    is_late: false,
    is_torn: false,
    is_painted: false,
    is_rugged: false,
    is_sunk: false,
};

fn setting() -> impl Strategy<Value = Setting> {
    (
        any::<u64>(),
        prop_oneof![Just(0.5), Just(1.0), Just(4.0), Just(64.0)],
        0..24_u64,
        // Slow ones, against the steps of position of the widest of these sectors, and of all.
        prop_oneof![Just(4e-6_f32), 0.001..0.1_f32, Just(1.0), 1.0..10.0_f32, 10.0..100.0_f32],
        prop_oneof![Just(60.0_f32), Just(30.0), Just(20.0), Just(128.0), Just(4.0)],
        prop_oneof![Just(9.81_f32), Just(9.81), Just(0.0), Just(40.0)],
        any::<[bool; 5]>(),
    )
        .prop_map(|(seed, cell, props, speed, rate, gravity, is)| Setting {
            seed: seed | 1,
            cell,
            props,
            speed,
            rate,
            gravity,
            is_late: is[0],
            is_torn: is[1],
            is_painted: is[2],
            is_rugged: is[3],
            is_sunk: is[4],
        })
}

fn land(setting: &Setting, shift: (i32, i32)) -> Land {
    let grid = common::grid(setting.cell, 16);
    let seed = (setting.seed % 1000) as i64;
    let rise = if setting.is_rugged { 2.2 * setting.cell } else { setting.cell };
    let height = |c: i64, r: i64| rise * (hills(c + seed, r) + 0.3 * noise(c, r + seed));
    let kind = |c: i64, r: i64| match c {
        37.. => CellKind::Outside,
        // None beyond the world: what a sector says of cells around it is so.
        -32.. if setting.is_torn && (-32..48).contains(&r) && noise(c + 5, r) > 0.98 => {
            CellKind::Hole
        }
        _ => CellKind::Solid,
    };
    // Patches of four by four cells, half of them plain.
    let surface = |c: i64, r: i64| {
        let id = (noise(c.div_euclid(4) + seed, r.div_euclid(4)) * 10.0) as u8;
        if id < 5 { id } else { 0 }
    };
    let surface = setting.is_painted.then_some(&surface as &dyn Fn(i64, i64) -> u8);
    let mut ground = ResidentSectors::new(grid);
    for (x, z) in (-2..=2).flat_map(|x| (-2..=2).map(move |z| (x, z))) {
        let coord = SectorCoord::new(x, z);
        ground.insert(coord, painted_sector(grid, coord, &height, &kind, surface)).unwrap();
    }
    if setting.is_late {
        ground.unload(SectorCoord::new(-1, 1));
    }
    let ground = ground.shifted(shift.0, shift.1).unwrap();
    let mut live = LiveProps::new(grid.sector_size());
    let meshes = [cuboid([1.0, 0.3, 2.0]), cuboid([2.0, 3.0, 0.5]), leaning([3.0, 0.1, 2.0], 0.5)];
    let mut random = Random::from_state(setting.seed);
    let half = grid.sector_size().half() * 0.999;
    for prop in 0..setting.props as usize {
        let sector = (random.below(3) as i32 - 1 + shift.0, random.below(3) as i32 - 1 + shift.1);
        let at = [random.within(-half, half), 0.0, random.within(-half, half)];
        let y = common::height_at(ground.view(), place(grid, sector, at)).unwrap_or(0.0);
        put(&mut live, &meshes[prop % 3], place(grid, sector, [at[0], y - 0.05, at[2]]));
    }
    Land { grid, ground, live, shift }
}

fn crowd(setting: &Setting, land: &Land) -> Scene {
    let mut scene = Scene::new(land.grid);
    let plain = SurfaceResponse::PLAIN;
    let surfaces = [
        SurfaceResponse { friction: 0.05, ..plain },
        SurfaceResponse { sticky: true, ..plain },
        SurfaceResponse { bounce: 0.5, ..plain },
        SurfaceResponse { conveyor: Vec3::new(1.0, 0.0, -0.5), ..plain },
    ];
    for (id, surface) in (1..).zip(surfaces) {
        scene.units.set_surface(SurfaceId(id), surface).unwrap();
    }
    let mut random = Random::from_state(setting.seed ^ 0x5bd1_e995);
    let half = land.grid.sector_size().half() * 0.999;
    for unit in 0..UNITS {
        let sector =
            (random.below(5) as i32 - 2 + land.shift.0, random.below(5) as i32 - 2 + land.shift.1);
        let at = [random.within(-half, half), 0.0, random.within(-half, half)];
        if unit % 3 == 0 {
            let side = setting.speed * 0.7;
            let velocity = Vec3::new(
                random.within(-side, side),
                random.within(-9.0, 9.0),
                random.within(-side, side),
            );
            let at = place(land.grid, sector, [at[0], 2.0 + 6.0 * setting.cell as f32, at[2]]);
            scene.spawn(at, Motion::Falling, velocity, Wish::STAND);
        } else {
            let at = place(land.grid, sector, at);
            if setting.is_sunk && unit % 3 == 1 {
                let below = random.within(0.0, 30.0);
                let y = common::height_at(land.ground.view(), at).unwrap_or(0.0) - below;
                let local = Vec3 { y, ..at.local() };
                let sunk = place(land.grid, sector, local.into());
                scene.spawn(sunk, Motion::Walking, Vec3::ZERO, Wish::STAND);
            } else {
                scene.walker(land.ground.view(), at, Wish::STAND);
            }
        }
    }
    scene
}

/// What units wish in a tick: the same way for a while, now and then a jump.
fn ask(setting: &Setting, tick: usize, wishes: &mut [Wish]) {
    for (unit, wish) in wishes.iter_mut().enumerate() {
        let leg = (tick / 15) as u64;
        let mut random =
            Random::from_state((setting.seed ^ (leg << 32) ^ (unit as u64 * 0x9e37_79b9)) | 1);
        for _ in 0..4 {
            random.bits();
        }
        let side = if random.below(6) == 0 { 0.0 } else { setting.speed * 0.7 };
        let way = [random.within(-side, side), random.within(-side, side)];
        let jump = random.below(4) == 0 && tick % 15 == 7;
        *wish = Wish::STAND.at_velocity(way).with_jump(jump);
    }
}

/// Everything that can be seen of a march: every tick's state and events.
#[derive(Debug)]
struct March {
    ticks: Vec<(u64, UnitsSnapshot, Vec<Event>)>,
    full: usize,
}

#[derive(Clone, Copy)]
struct Way {
    path: PathChoice,
    shortcuts: Shortcuts,
    threads: usize,
    chunk_units: usize,
    shift: (i32, i32),
}

const PLAIN: Way = Way {
    path: PathChoice::Auto,
    shortcuts: Shortcuts::Use,
    threads: 1,
    chunk_units: 1024,
    shift: (0, 0),
};

fn march(setting: &Setting, way: Way) -> March {
    let land = land(setting, way.shift);
    let mut scene = crowd(setting, &land);
    let rate = TickSettings::at_rate(setting.rate);
    scene.settings = TickSettings { gravity: setting.gravity, ..rate };
    let Way { path, shortcuts, chunk_units, .. } = way;
    scene.switches = Switches { path, shortcuts, chunk_units, ..Switches::default() };
    let view = land.ground.view().with_live(&land.live);
    let mut seen = March { ticks: Vec::new(), full: 0 };
    let run = || {
        for tick in 0..TICKS {
            ask(setting, tick, &mut scene.wishes);
            let before = scene.units.clone();
            seen.full += scene.tick(view).full;
            assert_changes_are_told(&before, &scene);
            let origin = SectorCoord::new(way.shift.0, way.shift.1);
            let hash = scene.units.state_hash_from(origin);
            let events = scene.batch.events().to_vec();
            seen.ticks.push((hash, scene.units.snapshot(), events));
        }
    };
    #[cfg(feature = "rayon")]
    rayon::ThreadPoolBuilder::new().num_threads(way.threads).build().unwrap().install(run);
    #[cfg(not(feature = "rayon"))]
    {
        let mut run = run;
        run();
    }
    seen
}

/// Every change of mode is an event.
fn assert_changes_are_told(before: &Units, scene: &Scene) {
    for id in before.iter() {
        let [was, is] = [before, &scene.units].map(|units| units.motion(id).unwrap());
        let told = |kind: &EventKind| match is {
            Motion::Walking => matches!(kind, EventKind::Landed { .. } | EventKind::ClimbEnded),
            Motion::Falling => matches!(kind, EventKind::LeftGround { .. }),
            Motion::Sliding => matches!(kind, EventKind::SlideBegan { .. }),
            Motion::Climbing => matches!(kind, EventKind::ClimbBegan { .. }),
        };
        let mut own = scene.batch.events().iter().filter(|event| event.unit == id);
        let place = (before.position(id).unwrap(), scene.units.position(id).unwrap());
        assert!(was == is || own.any(|event| told(&event.kind)), "{was:?} {is:?} {place:?}");
    }
}

/// Where two marches part: for whom, and how.
fn parting(setting: &Setting, a: &March, b: &March) -> Option<String> {
    for (tick, (a, b)) in a.ticks.iter().zip(&b.ticks).enumerate() {
        if a.0 == b.0 && a.2 == b.2 {
            continue;
        }
        let units = |snapshot: &UnitsSnapshot| {
            let mut scene = crowd(setting, &land(setting, (0, 0)));
            scene.units.restore(snapshot);
            scene.units
        };
        let (first, second) = (units(&a.1), units(&b.1));
        let of = |units: &Units, id: UnitId| {
            (units.position(id).map(WorldPos::local), units.velocity(id), units.motion(id))
        };
        let whose = first.iter().find(|&id| of(&first, id) != of(&second, id));
        let state = whose.map(|id| (id.slot, of(&first, id), of(&second, id)));
        let event = a.2.iter().zip(&b.2).find(|(a, b)| a != b);
        let counts = (a.2.len(), b.2.len());
        return Some(format!("tick {tick}: {state:?}, events {event:?} of {counts:?}"));
    }
    None
}

fn assert_same(setting: &Setting, ways: &[Way]) -> Result<March, TestCaseError> {
    let expected = march(setting, PLAIN);
    for way in ways {
        let found = march(setting, *way);
        if let Some(parting) = parting(setting, &expected, &found) {
            let Way { path, shortcuts, threads, chunk_units, shift } = *way;
            let what = format!("{path:?} {shortcuts:?} {threads} {chunk_units} {shift:?}");
            return Err(TestCaseError::fail(format!("{what}: {parting}")));
        }
    }
    Ok(expected)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn both_ways_give_the_same_bits(setting in setting()) {
        let full = Way { path: PathChoice::Full, ..PLAIN };
        assert_same(&setting, &[full])?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn no_way_to_work_changes_a_bit_of_either(setting in setting()) {
        let full = Way { path: PathChoice::Full, ..PLAIN };
        let always = Shortcuts::Ignore;
        assert_same(&setting, &[
            Way { shortcuts: always, ..PLAIN },
            Way { shortcuts: always, ..full },
            Way { threads: 3, chunk_units: 1, ..PLAIN },
            Way { threads: 4, chunk_units: 7, ..full },
            Way { shift: (1_000_000, -77), ..PLAIN },
            Way { shift: (-3, 2_000_000_000), ..full },
        ])?;
    }
}

/// What the properties lean on: in such scenes there are followers and others, and things happen.
#[test]
fn the_scenes_hold_followers_and_others_and_much_happens() {
    for (seed, speed) in [(7, 1.0), (8, 5.0), (9, 40.0)] {
        let setting = Setting { seed, props: 60, speed, is_late: true, ..CALM };
        let march = assert_same(&setting, &[Way { path: PathChoice::Full, ..PLAIN }]).unwrap();
        let all = TICKS * UNITS;
        assert!(all / 50 < march.full && march.full < all * 3 / 4, "{} of {all} full", march.full);
        let count = |what: &dyn Fn(&EventKind) -> bool| {
            march.ticks.iter().flat_map(|tick| &tick.2).filter(|event| what(&event.kind)).count()
        };
        assert!(count(&|kind| matches!(kind, EventKind::Landed { .. })) > 10);
        assert!(count(&|kind| matches!(kind, EventKind::LeftGround { .. })) > 10);
        assert!(count(&|kind| matches!(kind, EventKind::ContactBegan { .. })) > 0);
        assert!(count(&|kind| matches!(kind, EventKind::Held)) > 0);
    }
}

/// Scenes in which the ways have parted once: long moves over many cells, support lost on the way.
#[test]
fn long_moves_that_lose_support_on_the_way_do_not_part() {
    for (seed, speed, gravity) in [
        (9_296_251_370_899_703, 74.61169, 40.0),
        (4_746_258_768_396_888_071, 90.41934, 9.81),
        (8_513_025_470_932_173_615, 41.148518, 9.81),
    ] {
        let setting = Setting { seed, cell: 4.0, speed, rate: 4.0, gravity, ..CALM };
        let full = Way { path: PathChoice::Full, ..PLAIN };
        let always = Way { shortcuts: Shortcuts::Ignore, ..full };
        assert_same(&setting, &[full, always]).unwrap();
    }
}
