//! Ground too steep to walk up, the world's edge, and holes.
#![allow(clippy::unwrap_used)]

mod common;

use common::{
    HEADINGS, Random, Scene, endless, grid, height_at, noise, painted_sector, place, sector, solid,
    world,
};
use marchland_controller::{
    Body, BodyBuilder, Motion, Shortcuts, SurfaceResponse, TickSettings, Wish,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::{CellKind, ResidentSectors, SectorCoord, SurfaceId};

fn tangent(degrees: f64) -> f64 {
    marchland_terrain::math::angle::tan_degrees(degrees)
}

/// Heights by sample of the world.
type Height<'a> = &'a dyn Fn(i64, i64) -> f64;

/// What a margin is at most in these tests' sectors of 32 m.
const NEAR: f32 = 1e-4;

/// How far from the foot of a steep face, of so many metres on one, the centre of the default body
/// stops: where its upper cylinder with the skin around it meets the face, or at the foot itself.
fn stop_before(rise: f64) -> f32 {
    let stop = 0.41 - 0.45 / rise;
    if stop > 0.0 { stop as f32 } else { 0.0 }
}

#[test]
fn steep_walls_along_the_grid_stop_every_heading_and_are_slid_along_at_full_speed() {
    let grid = grid(1.0, 32);
    for degrees in [46.0, 60.0, 89.0] {
        let rise = tangent(degrees);
        let stop = stop_before(rise);
        // A wall east of x = 0, seen from the west; and the same turned three times.
        let walls: [(Height<'_>, usize, f32); 4] = [
            (&|c, _| (c - 16).max(0) as f64 * rise, 0, 1.0),
            (&|c, _| (16 - c).max(0) as f64 * rise, 0, -1.0),
            (&|_, r| (r - 16).max(0) as f64 * rise, 2, 1.0),
            (&|_, r| (16 - r).max(0) as f64 * rise, 2, -1.0),
        ];
        for (height, axis, sign) in walls {
            let ground = world(grid, (0, 0), height, &solid);
            for heading in HEADINGS {
                for speed in [0.01, 5.0, 61.0_f32] {
                    let mut scene = Scene::new(grid);
                    let wish = Wish::walk(heading[0] * speed, heading[1] * speed);
                    let mut start = [0.0, 0.0, 0.0];
                    start[axis] = -(stop + 0.11) * sign;
                    let id = scene.walker(ground.view(), place(grid, (0, 0), start), wish);
                    let ticks = if speed > 60.0 { 12 } else { 120 };
                    let mut into = false;
                    for _ in 0..ticks {
                        into |= scene.tick(ground.view()).stopped_by_slope == 1;
                        let local = scene.local(id);
                        assert!(
                            local[axis] * sign < 1e-3 - stop,
                            "{degrees}° {heading:?} passed: {local}"
                        );
                        assert!(local[axis] * sign < 0.0);
                        assert_eq!(local.y, 0.0, "{degrees}° {heading:?} climbed: {local}");
                    }
                    let towards = heading[axis / 2] * sign * speed * ticks as f32 / 60.0;
                    assert_eq!(into, towards > 0.11, "{degrees}° {heading:?} at {speed}");
                    if into {
                        let local = scene.local(id);
                        assert!(local[axis] * sign > -stop - 1e-3 - NEAR, "too early: {local}");
                    }
                    let other = 2 - axis;
                    let along = heading[other / 2] * speed * ticks as f32 / 60.0;
                    let error = scene.local(id)[other] - along;
                    assert!(error.abs() < 1e-3, "{heading:?} slid {error} m too far or too little");
                }
            }
        }
    }
}

#[test]
fn a_wall_along_the_diagonals_is_slid_along_from_both_sides() {
    let grid = grid(1.0, 32);
    for side in [1.0, -1.0_f32] {
        // Rises across x − z, so that triangles on one side of a diagonal are flat.
        let height = |c: i64, r: i64| {
            if ((c - r) as f64) * f64::from(side) > 0.0 { (c - r).abs() as f64 * 2.0 } else { 0.0 }
        };
        let ground = world(grid, (0, 0), &height, &solid);
        for heading in HEADINGS {
            let mut scene = Scene::new(grid);
            let wish = Wish::walk(heading[0] * 5.0, heading[1] * 5.0);
            let start = [0.3 - 0.3 * side, 0.0, 0.3 + 0.3 * side];
            let id = scene.walker(ground.view(), place(grid, (0, 0), start), wish);
            let mut speeds = Vec::new();
            for _ in 0..120 {
                let before = scene.local(id);
                scene.tick(ground.view());
                let local = scene.local(id);
                let across = (local.x - local.z) * side;
                assert!(across <= 0.0 && local.y == 0.0, "{heading:?} climbed: {local}");
                speeds.push((local - before).length() * 60.0);
            }
            let into = (heading[0] - heading[1]) * side > 1e-6;
            let along = (heading[0] + heading[1]).abs() * 5.0 * std::f32::consts::FRAC_1_SQRT_2;
            let expected = if into { along } else { 5.0 };
            let last = *speeds.last().unwrap();
            assert!((last - expected).abs() < 2e-3, "{heading:?}: {last} m/s, expected {expected}");
        }
    }
}

#[test]
fn pushing_into_a_wall_or_a_corner_comes_to_rest_in_one_place() {
    let grid = grid(1.0, 32);
    type Shape = fn(i64, i64) -> f64;
    let shapes: [Shape; 4] = [
        |c, r| if c > 16 || r > 16 { 5.0 } else { 0.0 }, // a right corner
        |c, r| if c > 16 && c > r { 5.0 } else { 0.0 },  // a diagonal
        |c, r| if c > 16 || r > c { 5.0 } else { 0.0 },  // an acute corner
        |c, r| if (c + r) % 5 == 0 { 9.0 } else { 0.0 }, // teeth
    ];
    for (shape, height) in shapes.iter().enumerate() {
        let ground = world(grid, (0, 0), height, &solid);
        for heading in HEADINGS {
            let mut scene = Scene::new(grid);
            let wish = Wish::walk(heading[0] * 4.0, heading[1] * 4.0);
            let id = scene.walker(ground.view(), place(grid, (0, 0), [-1.4, 0.0, -1.6]), wish);
            let (mut travelled, mut late) = (0.0, Vec3::ZERO);
            for tick in 0..600 {
                let before = scene.local(id);
                if tick == 590 {
                    late = before;
                }
                scene.tick(ground.view());
                if tick >= 590 {
                    travelled += (scene.local(id) - before).length();
                }
            }
            // At the world's edge or in the corner it rests; or it still slides along something, straight.
            let local = scene.local(id);
            let shakes = travelled - (local - late).length();
            assert!(
                travelled == 0.0 || (travelled > 1e-3 && shakes < 1e-4),
                "shape {shape} {heading:?}: shakes by {shakes} of {travelled} m at {local}"
            );
        }
    }
}

/// Floors at 0 among teeth whose sides, and the gullies between them, are all too steep: whoever begins on the
/// floor stays on it. Level gullies are floors as well.
fn teeth(column: i64, row: i64, tall: f64) -> f64 {
    if noise(column, row) < 0.35 { tall } else { 0.0 }
}

#[test]
fn nobody_climbs_out_of_a_maze_of_teeth_in_a_million_steps() {
    let (mut unit_ticks, mut exact) = (0, 0);
    for (case, (cell, degrees, speed)) in [
        (1.0, 56.0, 5.0),
        (0.25, 60.0, 3.0),
        (4.0, 89.0, 60.0),
        (0.5, 57.0, 700.0),
        (16.0, 56.0, 8192.0),
    ]
    .into_iter()
    .enumerate()
    {
        let grid = grid(cell, 64);
        let tall = tangent(degrees) * cell;
        let ground = endless(grid, &|c, r| teeth(c, r, tall));
        let view = ground.view();
        let mut scene =
            Scene::with_body(grid, BodyBuilder { radius: 0.1, ..BodyBuilder::default() });
        let mut random = Random::from_state(1234 + case as u64);
        let half = grid.sector_size().half();
        let mut ids = Vec::new();
        while ids.len() < 200 {
            let mut coordinate = || {
                let x = random.within(-half, half * 0.999_99);
                // A quarter of them on a line of the grid.
                if random.below(4) == 0 { (x / cell as f32).floor() * cell as f32 } else { x }
            };
            let at = place(grid, (0, 0), [coordinate(), 0.0, coordinate()]);
            if height_at(view, at) == Some(0.0) && view.slope(at) == Some(0.0) {
                ids.push(scene.walker(view, at, Wish::STAND));
            }
        }
        let ticks = if speed > 100.0 { 150 } else { 1500 };
        let mut furthest = 0;
        for tick in 0..ticks {
            if tick % 20 == 0 {
                for id in &ids {
                    let heading = HEADINGS[random.below(16) as usize];
                    let speed = random.within(0.0, speed);
                    let tilt = if random.below(2) == 0 { 0.0 } else { random.within(-0.3, 0.3) };
                    scene.wishes[id.slot as usize] = Wish::walk(
                        (heading[0] + tilt * heading[1]) * speed * 0.9,
                        (heading[1] - tilt * heading[0]) * speed * 0.9,
                    );
                }
            }
            scene.tick(view);
            for &id in &ids {
                let position = scene.units.position(id).unwrap();
                // A gully's floor is a line: its sides begin beside it.
                let y = position.local().y;
                assert!(y < tall as f32 * 1e-3, "case {case}: {position:?} climbed");
                // Who is rounded to the steep side slides back.
                let motion = scene.units.motion(id).unwrap();
                let slides = y >= 0.0 && motion == Motion::Sliding;
                assert!(
                    motion == Motion::Walking || slides,
                    "case {case}: {motion:?} at {position:?}"
                );
                exact += usize::from(y == 0.0);
                furthest = furthest.max(position.sector().x.unsigned_abs());
            }
        }
        unit_ticks += ticks * ids.len();
        assert!(furthest > 0, "case {case}: nobody got anywhere");
    }
    assert!(unit_ticks >= 900_000, "{unit_ticks}");
    assert!(exact * 10 >= unit_ticks * 8, "only {exact} of {unit_ticks} exactly on the floor");
}

#[test]
fn straight_moves_on_rough_ground_never_go_up_a_steep_triangle() {
    // An independent look: along every move that went straight, whole or cut short, the ground is
    // sampled, and must not rise where it is too steep. And no move is longer than what was asked for.
    let grid = grid(1.0, 64);
    let ground = endless(grid, &|c, r| noise(c, r) * 2.0);
    let view = ground.view();
    let limit = tangent(45.0) as f32;
    // So thin that no ground here reaches its upper cylinder.
    let thin = BodyBuilder { radius: 0.02, ..BodyBuilder::default() };
    let mut scene = Scene::with_body(grid, thin);
    let mut random = Random::from_state(5);
    let (mut straight, mut deflected, mut gullies, mut seen) = (0, 0, 0, 0);
    for tick in 0..600 {
        // Most soon slide into pits: others take their places.
        if tick % 20 == 0 {
            let old: Vec<_> = scene.units.iter().collect();
            old.into_iter().for_each(|id| assert!(scene.units.despawn(id)));
            for _ in 0..300 {
                let at = [random.within(-32.0, 31.9), 0.0, random.within(-32.0, 31.9)];
                let wish = Wish::walk(random.within(-20.0, 20.0), random.within(-20.0, 20.0));
                scene.walker(view, place(grid, (0, 0), at), wish);
            }
        }
        let before: Vec<_> = scene
            .units
            .iter()
            .filter(|id| scene.units.motion(*id) == Some(Motion::Walking))
            .map(|id| (id, scene.units.position(id).unwrap()))
            // Not in ravines, which are walked though their sides are steep.
            .filter(|(_, from)| view.slope(*from).is_some_and(|slope| slope <= limit))
            .collect();
        scene.tick(view);
        for (id, from) in before {
            let wish = scene.wishes[id.slot as usize].velocity();
            let asked = Vec3::new(wish[0], 0.0, wish[1]) * scene.settings.dt;
            let to = scene.units.position(id).unwrap();
            let moved = to.relative_to(from, grid.sector_size());
            let flat = Vec3::new(moved.x, 0.0, moved.z);
            // A coordinate is rounded to 4e-6 here, and walls keep a margin of 1.5e-5.
            assert!(flat.length() <= asked.length() + 2e-5, "{moved} for {asked}");
            if flat.cross(asked).length() > 1e-5 * asked.length() {
                deflected += 1;
                continue;
            }
            // Nor along the floors of ravines, to both sides of which the ground rises.
            let across = Vec3::new(-asked.z, 0.0, asked.x).normalize() * 0.03;
            let is_gully = (1..=40).any(|part| {
                let middle =
                    from.moved_by(flat * (part as f32 / 40.0), grid.sector_size()).unwrap();
                let floor = height_at(view, middle).unwrap();
                let rises = |side: Vec3| {
                    let at = middle.moved_by(side, grid.sector_size()).unwrap();
                    height_at(view, at).unwrap() > floor
                };
                rises(across) && rises(-across)
            });
            if is_gully {
                gullies += 1;
                continue;
            }
            straight += 1;
            let mut last: Option<(f32, Option<f32>)> = None;
            for part in 0..=40 {
                let at = from.moved_by(flat * (part as f32 / 40.0), grid.sector_size()).unwrap();
                // Sums of the samples are rounded: a hair from a diagonal says nothing.
                let beside = |off: f32| {
                    let at = at.moved_by(Vec3::new(off, 0.0, -off), grid.sector_size()).unwrap();
                    view.slope(at)
                };
                let slope = view.slope(at).filter(|_| beside(2e-5) == beside(-2e-5));
                let sample = (height_at(view, at).unwrap(), slope);
                if let Some((height, slope)) = last
                    && slope == sample.1
                    && slope > Some(limit)
                {
                    seen += 1;
                    let rise = sample.0 - height;
                    assert!(rise < 2e-4, "{id:?} rose {rise} m on steep ground at {at:?}");
                }
                last = Some(sample);
            }
        }
    }
    assert!(
        straight > 20_000 && deflected > 5_000 && seen > 10_000 && gullies < straight / 5,
        "{straight} {deflected} {seen} {gullies}"
    );
}

#[test]
fn who_is_on_steep_ground_slides_down_or_across_but_not_up() {
    let grid = grid(1.0, 32);
    let rise = tangent(60.0);
    let ground = world(grid, (0, 0), &|c, _| c as f64 * rise, &solid);
    let view = ground.view();
    for heading in HEADINGS {
        let mut scene = Scene::new(grid);
        // The knee on the face, as far up as the skin keeps it.
        let y = (9.4 + 16.0) * rise + 0.41 * rise - 0.45;
        let start = place(grid, (0, 0), [9.4, y as f32, 0.1]);
        let wish = Wish::walk(heading[0] * 3.0, heading[1] * 3.0);
        let id = scene.spawn(start, Motion::Sliding, Vec3::ZERO, wish);
        scene.tick(view);
        let first = scene.local(id);
        let mut last = first;
        for _ in 0..60 {
            scene.tick(view);
            let next = scene.local(id);
            assert!(next.y <= last.y && next.x <= last.x, "{heading:?}: from {last} to {next}");
            assert_eq!(scene.units.motion(id), Some(Motion::Sliding), "{heading:?}");
            scene.assert_sound(view);
            last = next;
        }
        // A share of 0.3 of the request steers: all of it across, of what points downhill the part
        // along the face.
        let moved = last - first;
        assert!((moved.z - heading[1] * 0.9).abs() < 1e-3, "{heading:?}: {moved}");
        let downhill = if heading[0] < 0.0 { -heading[0] * 0.9 * 0.5 } else { 0.0 };
        let along = f64::from(moved.x * moved.x + moved.y * moved.y).sqrt();
        // 6 m/s at most, reached as 1 − 1/(1 + t·g·sin 60°/6)ⁿ does; and never more than falling.
        let most = 6.0 + f64::from(downhill) + 1e-3;
        assert!(along < most && along > 2.5, "{heading:?}: {along} m in a second");
        let angle = moved.y / moved.x;
        assert!((f64::from(angle) - rise).abs() < 2e-2, "{heading:?}: leaves the face: {moved}");
    }
}

#[test]
fn who_flies_into_a_steep_face_stops_there_and_gentle_ground_lifts() {
    let grid = grid(1.0, 32);
    for (degrees, lifted) in [(60.0, false), (40.0, true)] {
        let rise = tangent(degrees);
        let ground = world(grid, (0, 0), &|c, _| (c - 16).max(0) as f64 * rise, &solid);
        for (y, x_speed, z_speed) in
            [(0.5, 20.0, 0.0), (0.5, 20.0, 2.0), (1.7, 20.0, 1.0), (0.5, 57.0, 3.0)]
        {
            let mut scene = Scene::new(grid);
            let start = place(grid, (0, 0), [-0.5, y, 0.0]);
            let velocity = Vec3::new(x_speed, 0.0, z_speed);
            let id = scene.spawn(start, Motion::Falling, velocity, Wish::STAND);
            let mut highest = 0.0;
            for _ in 0..60 {
                scene.tick(ground.view());
                scene.assert_sound(ground.view());
                let up = scene.local(id).y;
                highest = if up > highest { up } else { highest };
            }
            if lifted {
                // Farther in than where the face is as high as it flew, and as much higher.
                let (up, x) = (highest - y, scene.local(id).x);
                let is_lifted = up > 0.05 && x > y / rise as f32 + 0.05;
                assert!(is_lifted, "{degrees} degrees: up {up} to {x} from {y} at {x_speed}");
                continue;
            }
            assert!(highest <= y + 1e-3, "thrown up to {highest} from {y}");
            assert!(scene.local(id).x < y / rise as f32 + 1e-3, "{}", scene.local(id));
        }
    }
}

#[test]
fn the_worlds_edge_stops_and_is_slid_along_by_walkers_and_fallers() {
    let grid = grid(1.0, 32);
    // Two by two sectors; the last three columns of the eastern ones are not of this world.
    let kind = |c: i64, _: i64| if c >= 61 { CellKind::Outside } else { CellKind::Solid };
    let ground = world(grid, (0, 1), &|_, _| 3.0, &kind);
    // Metres from the centre of sector (0, 0).
    let (low, east, south) = (-16.0, 45.0, 48.0);
    for motion in [Motion::Walking, Motion::Falling] {
        for heading in HEADINGS {
            for speed in [5.0, 100.0_f32] {
                let mut scene = Scene::new(grid);
                let velocity = Vec3::new(heading[0] * speed, 0.0, heading[1] * speed);
                let y = if motion == Motion::Walking { 3.0 } else { 2000.0 };
                let start = place(grid, (0, 0), [15.0, y, 15.5]);
                let wish = Wish::walk(velocity.x, velocity.z);
                let id = scene.spawn(start, motion, velocity, wish);
                let mut stopped = 0;
                for _ in 0..600 {
                    stopped += scene.tick(ground.view()).stopped_at_edge;
                    let [x, _, z] = scene.units.position(id).unwrap().to_metres(grid.sector_size());
                    assert!(low <= x && x < east && low <= z && z < south, "{heading:?}: {x} {z}");
                }
                assert!(stopped > 0);
                let [x, _, z] = scene.units.position(id).unwrap().to_metres(grid.sector_size());
                let near = |a: f64, b: f64| (a - b).abs() < 1e-3;
                let at_edge = near(x, low) || near(x, east) || near(z, low) || near(z, south);
                assert!(at_edge, "{heading:?}: rests at {x} {z}");
            }
        }
    }
}

#[test]
fn the_last_sector_that_has_a_number_ends_the_world() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    for (sector, heading) in [
        ((i32::MAX, 0), [1.0, 0.3]),
        ((i32::MIN, i32::MIN), [-1.0, -1.0]),
        ((4, i32::MAX), [0.2, 1.0]),
    ] {
        for speed in [5.0, 5000.0_f32] {
            let mut scene = Scene::new(grid);
            scene.settings.dt = 0.25;
            let wish = Wish::walk(heading[0] * speed, heading[1] * speed);
            let id = scene.walker(ground.view(), place(grid, sector, [0.0; 3]), wish);
            let mut stopped = 0;
            for _ in 0..100 {
                stopped += scene.tick(ground.view()).stopped_at_edge;
                scene.assert_sound(ground.view());
            }
            assert!(stopped > 0 && scene.units.motion(id) == Some(Motion::Walking));
        }
    }
}

#[test]
fn who_stands_outside_the_world_stays_there() {
    let grid = grid(1.0, 32);
    let kind = |c: i64, _: i64| if c >= 20 { CellKind::Outside } else { CellKind::Solid };
    let ground = world(grid, (0, 0), &|_, _| 0.0, &kind);
    let mut scene = Scene::new(grid);
    let places = [place(grid, (7, 7), [0.0; 3]), place(grid, (0, 0), [10.0, 5.0, 0.0])];
    let beyond =
        places.map(|at| scene.spawn(at, Motion::Falling, Vec3::ZERO, Wish::walk(1.0, 1.0)));
    let before = scene.units.state_hash();
    let report = scene.tick(ground.view());
    assert_eq!((report.outside(), report.ticked), (&beyond[..], 0));
    assert_eq!(scene.units.state_hash(), before);
    let inside = scene.walker(ground.view(), place(grid, (0, 0), [0.5; 3]), Wish::STAND);
    assert_eq!(scene.tick(ground.view()).outside(), beyond, "named in every tick");
    scene.units.teleport(ground.view(), beyond[0], place(grid, (0, 0), [1.0, 0.0, 1.0])).unwrap();
    scene.units.teleport(ground.view(), inside, place(grid, (-3, 2), [0.0; 3])).unwrap();
    let report = scene.tick(ground.view());
    assert_eq!((report.outside(), report.ticked), (&[beyond[1], inside][..], 1));
}

#[test]
fn who_walks_over_a_hole_falls_through_and_never_comes_up_its_rim() {
    let grid = grid(1.0, 32);
    let kind = |c: i64, r: i64| {
        if (16..18).contains(&c) && (14..18).contains(&r) {
            CellKind::Hole
        } else {
            CellKind::Solid
        }
    };
    // Level, and rising towards +X so that the far rim is above the near one.
    // So slow that nobody flies over it to where the rim is lower.
    for (rise, speeds) in [(0.0, [2.0, 4.0]), (0.3, [1.0, 2.0])] {
        let ground = world(grid, (0, 0), &|c, _| c as f64 * rise, &kind);
        for (heading, speed) in HEADINGS.iter().flat_map(|h| speeds.map(|speed| (h, speed))) {
            let mut scene = Scene::new(grid);
            let start = [1.0 - heading[0] * 2.6, 0.0, -heading[1] * 3.4];
            let wish = Wish::walk(heading[0] * speed, heading[1] * speed);
            let id = scene.walker(ground.view(), place(grid, (0, 0), start), wish);
            let mut left = 0;
            let mut rim = 0;
            for _ in 0..60 * 8 {
                let report = scene.tick(ground.view());
                left += report.left_ground;
                rim += report.stopped_by_slope;
                assert_eq!(report.landed, 0, "{heading:?} came up");
                scene.assert_sound(ground.view());
            }
            assert_eq!(left, 1, "{heading:?} at {speed}");
            assert!(rim > 0, "{heading:?} met no rim");
            let local = scene.local(id);
            assert!(local.y < -100.0 && (0.0..2.0).contains(&local.x), "{heading:?}: {local}");
            let velocity = scene.units.velocity(id).unwrap();
            assert_eq!((velocity.y, scene.units.motion(id)), (-55.0, Some(Motion::Falling)));
        }
    }
}

#[test]
fn a_wall_far_along_a_move_through_several_sectors_is_met() {
    let grid = grid(1.0, 8);
    // A wall one cell wide in the ninth sector east.
    let height = |c: i64, _: i64| if c == 67 { 30.0 } else { 0.0 };
    let mut ground = world(grid, (-1, 1), &height, &solid);
    for x in 2..40 {
        for z in -1..=1 {
            let coord = SectorCoord::new(x, z);
            ground.insert(coord, sector(grid, coord, &height, &solid)).unwrap();
        }
    }
    let mut scene = Scene::new(grid);
    scene.settings.dt = 0.25;
    let id =
        scene.walker(ground.view(), place(grid, (0, 0), [0.0, 0.0, 0.5]), Wish::walk(1000.0, 0.5));
    scene.tick(ground.view());
    let [x, y, z] = scene.units.position(id).unwrap().to_metres(grid.sector_size());
    let stop = 62.0 - f64::from(stop_before(30.0));
    assert!((x - stop).abs() < 1e-3 && y == 0.0 && (z - 0.625).abs() < 1e-3, "{x} {y} {z}");
}

#[test]
fn looking_twice_always_gives_the_same_bits() {
    let kind =
        |c: i64, r: i64| if noise(c * 3, r) < 0.02 { CellKind::Hole } else { CellKind::Solid };
    for (case, relief) in [0.4, 1.2, 3.0].into_iter().enumerate() {
        let grid = grid(0.5, 32);
        let height = |c: i64, r: i64| {
            noise(c.rem_euclid(40), r.rem_euclid(48)) * if (c / 11) % 2 == 0 { relief } else { 0.2 }
        };
        for kind in [&solid as &dyn Fn(i64, i64) -> CellKind, &kind] {
            let ground = world(grid, (-2, 2), &height, kind);
            let mut scenes = [Shortcuts::Use, Shortcuts::Ignore].map(|shortcuts| {
                let mut scene = Scene::new(grid);
                scene.switches.shortcuts = shortcuts;
                let mut random = Random::from_state(77 + case as u64);
                for _ in 0..400 {
                    let mut at = || random.within(-8.0, 7.99);
                    let start = place(grid, (0, 0), [at(), 0.0, at()]);
                    let wish = Wish::walk(random.within(-9.0, 9.0), random.within(-9.0, 9.0));
                    scene.walker(ground.view(), start, wish);
                    let start = place(grid, (0, 0), [start.local().x, 3.0, start.local().z]);
                    let velocity = Vec3::new(random.within(-9.0, 9.0), 2.0, 1.0);
                    scene.spawn(start, Motion::Falling, velocity, wish);
                }
                scene
            });
            for tick in 0..120 {
                let hashes = scenes.each_mut().map(|scene| {
                    scene.tick(ground.view());
                    scene.assert_sound(ground.view());
                    scene.units.state_hash()
                });
                assert_eq!(hashes[0], hashes[1], "tick {tick}");
                assert_eq!(scenes[0].batch.report(), scenes[1].batch.report());
            }
        }
    }
}

/// A belt takes who stands on it much farther in a tick than it could walk.
#[test]
fn a_belt_brings_nobody_into_a_steep_wall() {
    let grid = grid(1.0, 64);
    let rise = tangent(60.0);
    let stop = stop_before(rise);
    let height = |column: i64, _: i64| (column - 32).max(0) as f64 * rise;
    let belt = |_: i64, _: i64| 1;
    let coord = SectorCoord::new(0, 0);
    let mut ground = ResidentSectors::new(grid);
    ground.insert(coord, painted_sector(grid, coord, &height, &solid, Some(&belt))).unwrap();
    for rate in [4.0, 10.0, 60.0] {
        let mut scene = Scene::new(grid);
        scene.settings = TickSettings::at_rate(rate);
        let conveyor = Vec3::new(60.0, 0.0, 0.0);
        let surface = SurfaceResponse { conveyor, ..SurfaceResponse::PLAIN };
        scene.units.set_surface(SurfaceId(1), surface).unwrap();
        // A quarter of a second from where its centre would be before the wall, and its body in it.
        let at = place(grid, (0, 0), [-15.0 - stop / 2.0, 0.0, 0.3]);
        let id = scene.walker(ground.view(), at, Wish::STAND);
        for _ in 0..rate as usize {
            scene.tick(ground.view());
            let local = scene.local(id);
            // Who is pressed against a face by so much is eased along it by a little.
            assert!(local.x < 0.02 - stop, "{rate} Hz: {local}, not before {stop}");
        }
        let local = scene.local(id);
        assert!(local.x > -1.0, "{rate} Hz: {local}, only");
    }
}

/// Who becomes thin between steep walls sinks along their crease, over many ticks however short they are.
#[test]
fn who_sinks_between_steep_walls_goes_aside_by_no_more_than_its_radius_and_skin() {
    let grid = grid(1.0, 32);
    let ground = world(grid, (0, 0), &|c, r| noise(c, r) * 2.5, &solid);
    let mut scene = Scene::new(grid);
    let mut random = Random::from_state(1414);
    for _ in 0..400 {
        let at = [random.within(-14.0, 14.0), 4.0, random.within(-14.0, 14.0)];
        scene.spawn(place(grid, (0, 0), at), Motion::Falling, Vec3::ZERO, Wish::STAND);
    }
    for _ in 0..300 {
        scene.tick(ground.view());
    }
    let radius = 0.01;
    let thin = scene.units.add_body(BodyBuilder { radius, ..Body::builder() }.build().unwrap());
    let thin = thin.unwrap();
    let ids: Vec<_> = scene.units.iter().collect();
    ids.iter().for_each(|&id| assert!(scene.units.resize(ground.view(), id, thin).is_ok()));
    scene.settings.dt = 1e-4;
    let mut farthest = 0.0_f32;
    for tick in 0..60 {
        let before: Vec<_> = ids.iter().map(|&id| scene.local(id)).collect();
        scene.tick(ground.view());
        for (&id, from) in ids.iter().zip(&before) {
            let way = (scene.local(id) - *from).with_y(0.0).length();
            let most = radius + SKIN + 1e-4;
            assert!(way < most, "tick {tick}: {id:?} from {from} by {way}");
            farthest = if way > farthest { way } else { farthest };
        }
    }
    assert!(farthest > radius, "nobody sank: {farthest}");
}
