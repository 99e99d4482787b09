//! Whatever the ground, the units and what they are asked: nothing panics and every state is sound.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Scene, grid, height_at, noise, place, world};
use marchland_controller::{BodyBuilder, Motion, Shortcuts, TickSettings, UnitId, Units, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::greater;
use marchland_terrain::query::{Contacts, Cylinder};
use marchland_terrain::{CellKind, Ground, SectorCoord, TerrainView, WorldPos};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Coordinates that are awkward on purpose: on lines, a hair beside them, at borders, anywhere.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        (-8_i32..8).prop_map(|half_cells| half_cells as f32 * 0.5),
        (-8_i32..8).prop_map(|half_cells| (half_cells as f32 * 0.5).next_up()),
        (-7_i32..8).prop_map(|half_cells| (half_cells as f32 * 0.5).next_down()),
        Just(-1e-30_f32),
        -4.0_f32..3.999,
    ]
}

fn speed() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -20.0_f32..20.0,
        1 => prop_oneof![Just(0.0_f32), Just(-0.0), Just(1e-7), Just(1e-38), Just(8192.0)],
        1 => -3000.0_f32..3000.0,
        1 => any::<f32>(),
    ]
}

/// A way over so many metres is not searched for steep ground.
const FAR: f64 = 2.0;

/// How close steep ground is let. Metres.
const SKIN: f64 = 0.01;

/// How far a unit between steep walls sinks along them in a tick. Metres.
const SETTLE: f64 = 0.02;

#[derive(Clone, Debug)]
struct Start {
    sector: (i32, i32),
    at: [f32; 2],
    velocity: [f32; 3],
    walks: bool,
    wish: [f32; 2],
}

fn start() -> impl Strategy<Value = Start> {
    let sector = (-1_i32..=1, -1_i32..=1);
    let velocity = [-90.0_f32..90.0, -60.0..60.0, -90.0..90.0];
    (sector, [coordinate(), coordinate()], velocity, any::<bool>(), [speed(), speed()])
        .prop_map(|(sector, at, velocity, walks, wish)| Start { sector, at, velocity, walks, wish })
}

fn length(x: f32, z: f32) -> f64 {
    (f64::from(x) * f64::from(x) + f64::from(z) * f64::from(z)).sqrt()
}

/// How far to the sides a unit goes in a tick at most, by how it moves. Metres.
fn farthest(view: TerrainView<'_>, before: &Units, id: UnitId, wish: Wish, dt: f32) -> f64 {
    let (velocity, body) = (before.velocity(id).unwrap(), before.body(id).unwrap());
    let (own, asked) =
        (f64::from(velocity.length()), length(wish.velocity()[0], wish.velocity()[1]));
    let seconds = f64::from(dt);
    let fallen = own + f64::from(TickSettings::default().gravity) * seconds;
    let speed = match before.motion(id).unwrap() {
        Motion::Walking => asked,
        // What is steep turns a fall aside, and nothing else does.
        Motion::Falling if is_steep_near(view, before, id, fallen * seconds) => fallen,
        Motion::Falling => length(velocity.x, velocity.z),
        // v' = (v + dt·g_t) / (1 + dt·|g_t| / slide_speed), between v and the slide speed; and steered.
        Motion::Sliding => {
            let slides = f64::from(body.slide_speed());
            let slides = greater(own, slides);
            slides + f64::from(body.slide_control()) * asked
        }
        Motion::Climbing => 0.0,
    };
    // Who is inside of what is steep is pushed out of it. Who walks or falls is swept on its way and
    // then put on the ground: beside steep ground it may come into that, and is pushed out of it too.
    let near = match before.motion(id).unwrap() {
        Motion::Walking | Motion::Falling => {
            let way = speed * seconds;
            greater(way, fallen * seconds)
        }
        Motion::Sliding | Motion::Climbing => -1e-4,
    };
    // Who stands between steep walls, within what it follows down, sinks until both hold it; and who is
    // asked to go on slides where it is led.
    let sinks = before.motion(id) == Some(Motion::Walking)
        && is_steep_near(view, before, id, f64::from(body.step_down()));
    let aside = if is_steep_near(view, before, id, near) {
        f64::from(body.radius()) + SKIN
    } else if sinks {
        SETTLE + fallen * seconds
    } else {
        0.0
    };
    speed * seconds * 1.0001 + aside + 1e-5
}

/// Whether steep ground is within some metres of the part of a body that it blocks, or it cannot be
/// told.
fn is_steep_near(view: TerrainView<'_>, units: &Units, id: UnitId, metres: f64) -> bool {
    let (feet, body) = (units.position(id).unwrap(), units.body(id).unwrap());
    if metres > FAR {
        return true; // there is steep ground all over these worlds
    }
    // In a hole that is all of it, else what is above the knee; but a fall may lead into a hole.
    let is_in_hole = matches!(view.ground(feet), Ground::Hole) || metres >= 0.0;
    let is_in_hole = is_in_hole && units.motion(id) == Some(Motion::Falling);
    let low = if is_in_hole { 0.0 } else { body.knee() };
    // What is within the skin is met.
    let by = (if metres >= 0.0 { metres + SKIN + 1e-3 } else { metres }) as f32;
    // Who walks is put down on the ground, and may be beside something steep there.
    let lowered = match (units.motion(id), height_at(view, feet)) {
        (Some(Motion::Walking), Some(ground)) => feet.local().y - ground,
        (Some(Motion::Walking), None) => body.step_down(), // to the rim of a hole
        _ => 0.0,
    };
    let local = feet.local() + Vec3::Y * (low - by - lowered);
    let Ok(at) = WorldPos::new(feet.sector(), local, units.sector_size()) else { return true };
    let grown =
        Cylinder { radius: body.radius() + by, height: body.height() - low + lowered + 2.0 * by };
    let steep = view.solids(u32::MAX).with_ground_steeper(body.max_slope_cos());
    let mut contacts = Contacts::with_capacity(1);
    steep.overlap(grown, at, &mut contacts).is_err() || !contacts.as_slice().is_empty()
}

/// A world, the units in it, and how they tick.
#[derive(Clone, Debug)]
struct Case {
    starts: Vec<Start>,
    seed: i64,
    tall: f64,
    /// The size of a cell in metres, and how many lie along a side of a sector of 8 m.
    cells: (f64, u32),
    voids: f64,
    missing: Vec<(i32, i32)>,
    outside: Vec<(i32, i32)>,
    dt: f32,
    max_slope_degrees: f64,
}

fn case() -> impl Strategy<Value = Case> {
    let sectors = || prop::collection::vec((-2_i32..=2, -2_i32..=2), 0..3);
    (
        prop::collection::vec(start(), 1..12),
        0_i64..100_000,
        prop_oneof![Just(0.0), Just(0.5), Just(1.2), Just(4.0), Just(3000.0)],
        prop_oneof![Just((1.0, 8)), Just((8.0, 1)), Just((0.25, 32))],
        0.0_f64..0.25,
        sectors(),
        sectors(),
        prop_oneof![Just(1.0 / 60.0), Just(0.25_f32), Just(1e-40), 1e-4_f32..0.2],
        0.0_f64..90.0,
    )
        .prop_map(
            |(starts, seed, tall, cells, voids, missing, outside, dt, max_slope_degrees)| Case {
                starts,
                seed,
                tall,
                cells,
                voids,
                missing,
                outside,
                dt,
                max_slope_degrees,
            },
        )
}

/// Six ticks of a case, with and without shortcuts: the same, sound, and nobody farther than it
/// can have gone.
fn stays_sound(case: &Case) -> Result<(), TestCaseError> {
    let Case { seed, tall, voids, dt, .. } = *case;
    let grid = grid(case.cells.0, case.cells.1);
    let height = |c: i64, r: i64| noise(c + seed, r * 7) * noise(c / 3, r / 4 + seed) * tall;
    let kind = |c: i64, r: i64| match noise(c * 5 + seed, r) {
        n if n < voids * 0.7 => CellKind::Hole,
        n if n < voids => CellKind::Outside,
        _ => CellKind::Solid,
    };
    let mut ground = world(grid, (-2, 2), &height, &kind);
    for &(x, z) in &case.missing {
        ground.unload(SectorCoord::new(x, z));
    }
    for &(x, z) in &case.outside {
        ground.set_outside(SectorCoord::new(x, z));
    }
    let view = ground.view();
    let body = BodyBuilder { max_slope_degrees: case.max_slope_degrees, ..BodyBuilder::default() };
    let mut scenes = [Shortcuts::Use, Shortcuts::Ignore].map(|shortcuts| {
        let mut scene = Scene::with_body(grid, body);
        scene.settings = TickSettings { dt, ..scene.settings };
        scene.switches.shortcuts = shortcuts;
        for start in &case.starts {
            let position = place(grid, start.sector, [start.at[0], 0.0, start.at[1]]);
            let y = height_at(view, position).unwrap_or(1.0);
            let wish = Wish::walk(start.wish[0], start.wish[1]);
            if start.walks {
                scene.walker(view, position, wish);
            } else {
                let above = place(grid, start.sector, [start.at[0], y + 0.3, start.at[1]]);
                scene.spawn(above, Motion::Falling, Vec3::from(start.velocity), wish);
            }
        }
        scene
    });
    for _ in 0..6 {
        let before = scenes[0].units.clone();
        for scene in &mut scenes {
            scene.tick(view);
            scene.assert_sound(view);
        }
        prop_assert_eq!(scenes[0].units.state_hash(), scenes[1].units.state_hash());
        prop_assert_eq!(scenes[0].batch.report(), scenes[1].batch.report());
        for id in before.iter() {
            let from = before.position(id).unwrap();
            let to = scenes[0].units.position(id).unwrap();
            let moved = to.relative_to(from, grid.sector_size());
            if scenes[0].units.is_held(id) == Some(true) || moved == Vec3::ZERO {
                continue;
            }
            let wish = scenes[0].wishes[id.slot as usize];
            let may = farthest(view, &before, id, wish, dt);
            let went = length(moved.x, moved.z);
            let (motion, velocity) = (before.motion(id), before.velocity(id));
            let events = scenes[0].batch.events();
            prop_assert!(
                went <= may,
                "went {went} m, may {may} in {dt} s: {motion:?} {from:?} {velocity:?} to {to:?} {events:?}"
            );
            prop_assert!(!matches!(view.ground(to), Ground::Outside), "left the world");
        }
    }
    Ok(())
}

/// The same cases each time; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` choose others.
fn config() -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(5);
    ProptestConfig { cases: 1500, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_world_and_any_unit_stay_sound(case in case()) {
        stays_sound(&case)?;
    }
}

/// A unit that walks from rest in a pit of steep noise.
fn rests(sector: (i32, i32), at: [f32; 2]) -> Start {
    Start { sector, at, velocity: [0.0; 3], walks: true, wish: [0.0; 2] }
}

/// Where units sank between steep walls, where following a steep face down came into the next and was
/// pushed out of it, and where the last stretch of a long way along the world's edge led over it.
#[test]
fn what_was_found_before_stays_sound() {
    let case = Case {
        starts: vec![rests((1, 1), [-1e-30, 2.5395243])],
        seed: 34713,
        tall: 1.2,
        cells: (0.25, 32),
        voids: 0.2436962321821958,
        missing: vec![],
        outside: vec![],
        dt: 1e-40,
        max_slope_degrees: 0.0,
    };
    stays_sound(&case).unwrap();
    let other = Case {
        starts: vec![rests((0, 1), [-1.4999999, 1.9999999])],
        seed: 30972,
        tall: 4.0,
        cells: (1.0, 8),
        voids: 0.224,
        ..case
    };
    stays_sound(&other).unwrap();
    let rim = Case {
        starts: vec![rests((0, -1), [1.8250802, -2.9999998])],
        seed: 65979,
        tall: 1.2,
        cells: (0.25, 32),
        voids: 0.11546969770981833,
        ..other
    };
    stays_sound(&rim).unwrap();
    let edge = Case {
        starts: vec![Start {
            sector: (-1, 1),
            at: [-1e-30, -1.0],
            velocity: [49.27786, -18.025023, 85.08787],
            walks: false,
            wish: [343.34476, 5.1688236e-5],
        }],
        seed: 49333,
        tall: 1.2,
        cells: (1.0, 8),
        voids: 0.0,
        missing: vec![],
        outside: vec![],
        dt: 0.25,
        max_slope_degrees: 68.25239921889826,
    };
    stays_sound(&edge).unwrap();
    let slips = Case {
        starts: vec![Start {
            sector: (1, 0),
            at: [0.50000006, -1e-30],
            velocity: [-68.805275, -27.700268, -40.361397],
            walks: false,
            wish: [-0.0, -1.7860375e-16],
        }],
        seed: 82463,
        cells: (0.25, 32),
        dt: 0.07218949,
        max_slope_degrees: 43.51224005891567,
        ..edge
    };
    stays_sound(&slips).unwrap();
}
