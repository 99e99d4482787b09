//! Standing, walking and falling on open ground.
#![allow(clippy::unwrap_used)]

mod common;

use common::{
    HEADINGS, Random, Scene, bits, endless, grid, height_at, hills, noise, place, solid, world,
};
use marchland_controller::{Body, BodyBuilder, Motion, Wish, start_motion};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::greater;

/// Rough ground that everybody may walk on: what is tested is the height, not the limit.
fn climber() -> BodyBuilder {
    BodyBuilder { max_slope_degrees: 89.0, step_down: 1.8, ..BodyBuilder::default() }
}

#[test]
fn nobody_is_below_the_ground_after_crossing_edges_corners_and_diagonals() {
    // 8 cells of half a metre: borders, corners and diagonals are met all the time. Rows are not
    // columns in the noise.
    let grid = grid(0.5, 16);
    let ground = endless(grid, &|c, r| noise(c, 3 * r + 1) * 4.0);
    let view = ground.view();
    for speed in [1e-3, 0.1, 1.0, 5.0, 29.9, 1e3_f32] {
        let mut scene = Scene::with_body(grid, climber());
        let mut random = Random::from_state(7 + u64::from(speed.to_bits()));
        for heading in HEADINGS {
            for start in 0..12 {
                // A third begins on a corner, a third on a diagonal.
                let corner = |r: &mut Random| r.below(16) as f32 * 0.5 - 4.0;
                let (x, z) = (corner(&mut random), corner(&mut random));
                let (x, z) = match start % 3 {
                    0 => (x, z),
                    1 => (x + 0.25, z + 0.25),
                    _ => (random.within(-4.0, 3.99), random.within(-4.0, 3.99)),
                };
                let wish = Wish::walk(heading[0] * speed, heading[1] * speed);
                scene.walker(view, place(grid, (-2, 5), [x, 0.0, z]), wish);
            }
        }
        for _ in 0..150 {
            scene.tick(view);
            scene.assert_sound(view);
        }
    }
}

#[test]
fn with_nothing_in_the_way_a_tick_ends_at_the_sum_of_position_and_move() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &hills);
    let mut scene = Scene::new(grid);
    let id =
        scene.walker(ground.view(), place(grid, (0, 0), [1.3, 0.0, -2.7]), Wish::walk(3.1, 4.2));
    for _ in 0..60 {
        let before = scene.local(id);
        scene.tick(ground.view());
        let dt = scene.settings.dt;
        let after = scene.local(id);
        assert_eq!([after.x, after.z], [before.x + 3.1 * dt, before.z + 4.2 * dt]);
        assert_eq!(scene.units.velocity(id).unwrap(), Vec3::new(3.1, 0.0, 4.2));
        let height = height_at(ground.view(), scene.units.position(id).unwrap()).unwrap();
        assert_eq!(after.y.to_bits(), height.to_bits());
    }
}

#[test]
fn who_stands_does_not_change_by_a_bit() {
    let grid = grid(0.5, 16);
    // Gentle ground; and ground with slopes above the limit, where units slide first, many into pits of
    // steep triangles that are narrower than they are.
    for (height, units, settling, ticks) in [(0.4, 200, 0, 10_000), (4.0, 40, 900, 2500)] {
        let ground = endless(grid, &|c, r| noise(c, 3 * r + 1) * height);
        let view = ground.view();
        let mut scene = Scene::new(grid);
        let mut random = Random::from_state(99);
        for _ in 0..units {
            let at = [random.within(-4.0, 3.99), 0.0, random.within(-4.0, 3.99)];
            scene.walker(view, place(grid, (0, 0), at), Wish::STAND);
        }
        for at in [
            [-4.0, 0.0, -4.0],
            [-4.0, 0.0, 1.0],
            [0.0; 3],
            [0.25, 0.0, 0.25],
            [3.999_999_8, 0.0, 0.0],
        ] {
            scene.walker(view, place(grid, (3, -3), at), Wish::STAND);
        }
        for _ in 0..settling {
            scene.tick(view);
        }
        for id in scene.units.iter() {
            assert_eq!(scene.units.motion(id), Some(Motion::Walking), "{}", scene.local(id));
            assert_eq!(scene.units.velocity(id), Some(Vec3::ZERO), "{}", scene.local(id));
        }
        let before = scene.units.state_hash();
        for tick in 0..ticks {
            scene.tick(view);
            assert_eq!(scene.units.state_hash(), before, "tick {tick} on {height} m");
        }
    }
}

#[test]
fn a_tick_of_no_time_changes_nothing() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &hills);
    let mut scene = Scene::new(grid);
    scene.spawn(
        place(grid, (0, 0), [0.0, -5.0, 0.0]),
        Motion::Walking,
        Vec3::ZERO,
        Wish::walk(5.0, 1.0),
    );
    let falling = Vec3::new(1.0, -7.0, 1e-9);
    scene.spawn(place(grid, (0, 0), [0.0, 50.0, 0.0]), Motion::Falling, falling, Wish::STAND);
    for dt in [0.0, -0.0] {
        scene.settings.dt = dt;
        let before = scene.units.state_hash();
        assert_eq!(scene.tick(ground.view()).ticked, 0);
        assert_eq!(scene.units.state_hash(), before);
    }
}

#[test]
fn falling_is_the_parabola_and_does_not_depend_on_the_rate() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    for rate in [30.0, 60.0, 120.0, 240.0_f32] {
        let mut scene = Scene::new(grid);
        scene.settings.dt = 1.0 / rate;
        let start = place(grid, (0, 0), [0.0, 20.0, 0.0]);
        let id = scene.spawn(start, Motion::Falling, Vec3::new(2.0, 3.0, 0.0), Wish::STAND);
        for _ in 0..(rate as u32) {
            scene.tick(ground.view());
        }
        // After a second: 20 + 3 − 9.81 / 2, at 3 − 9.81.
        let (local, velocity) = (scene.local(id), scene.units.velocity(id).unwrap());
        assert!((local.y - 18.095).abs() < 1e-3, "at {rate} Hz: {}", local.y);
        assert!((velocity.y - -6.81).abs() < 1e-4 && (local.x - 2.0).abs() < 1e-4);
        assert_eq!(scene.units.motion(id), Some(Motion::Falling));
    }
}

#[test]
fn who_falls_lands_once_and_never_faster_than_the_terminal_speed() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &hills);
    let mut scene = Scene::new(grid);
    let start = place(grid, (0, 0), [0.0, 900.0, 0.0]);
    assert_eq!(start_motion(ground.view(), start, &Body::default(), u32::MAX), Motion::Falling);
    let id = scene.spawn(start, Motion::Falling, Vec3::ZERO, Wish::walk(1.0, 0.0));
    let (mut landings, mut fastest) = (0, 0.0);
    for _ in 0..60 * 30 {
        landings += scene.tick(ground.view()).landed;
        let down = -scene.units.velocity(id).unwrap().y;
        fastest = greater(down, fastest);
        scene.assert_sound(ground.view());
    }
    assert_eq!((landings, fastest), (1, 55.0));
    assert_eq!(scene.units.motion(id), Some(Motion::Walking));
}

#[test]
fn a_drop_up_to_step_down_is_followed_and_a_deeper_one_is_fallen() {
    // A cliff of one cell between columns 2 and 3, 60 cm and then 40 cm deep.
    for (depth, falls) in [(0.6, true), (0.4, false)] {
        let grid = grid(1.0 / 16.0, 128);
        let ground = world(grid, (0, 0), &|c, _| if c <= 66 { depth } else { 0.0 }, &solid);
        let mut scene = Scene::new(grid);
        let id = scene.walker(
            ground.view(),
            place(grid, (0, 0), [0.0, 0.0, 0.03]),
            Wish::walk(6.0, 0.0),
        );
        let (mut left, mut at_loss) = (0, None);
        for _ in 0..30 {
            let before = scene.local(id).y;
            let report = scene.tick(ground.view());
            let lost = report.left_ground;
            left += lost;
            if lost == 1 {
                at_loss = Some((before, scene.local(id).y, scene.units.velocity(id).unwrap()));
            }
            scene.assert_sound(ground.view());
        }
        assert_eq!(left, usize::from(falls), "a drop of {depth} m");
        if let Some((before, after, velocity)) = at_loss {
            assert_eq!(before, after, "height changes in the tick that loses support");
            assert_eq!(velocity, Vec3::new(6.0, 0.0, 0.0));
        }
        assert_eq!(scene.local(id).y, 0.0);
    }
}

#[test]
fn who_runs_off_a_cliff_keeps_the_height_for_the_rest_of_the_tick() {
    // Twelve parts in the tick, the first of them already over the edge.
    let grid = grid(1.0 / 16.0, 128);
    let ground = world(grid, (0, 0), &|c, _| if c <= 64 { 30.0 } else { 0.0 }, &solid);
    let mut scene = Scene::new(grid);
    scene.settings.dt = 0.25;
    let start = place(grid, (0, 0), [-0.2, 0.0, 0.0]);
    let id = scene.walker(ground.view(), start, Wish::walk(12.0, 0.0));
    assert_eq!(scene.tick(ground.view()).left_ground, 1);
    assert_eq!(scene.local(id).y, 30.0);
    assert_eq!(scene.units.velocity(id), Some(Vec3::new(12.0, 0.0, 0.0)));
    scene.tick(ground.view());
    let fallen = 30.0 - 0.5 * 9.81 * 0.25 * 0.25;
    assert!((scene.local(id).y - fallen).abs() < 1e-4, "{}", scene.local(id));
}

#[test]
fn long_moves_are_cut_so_that_no_hill_is_run_through() {
    // 1000 m/s at 4 Hz: 250 m a tick over waves of 16 m. The unit sticks to the ground at the end
    // of each part, so it ends on the ground; one leap would end in the air behind a crest.
    let grid = grid(1.0, 32);
    let ground = endless(grid, &hills);
    let mut scene = Scene::new(grid);
    scene.settings.dt = 0.25;
    let id =
        scene.walker(ground.view(), place(grid, (0, 0), [0.5, 0.0, 0.5]), Wish::walk(1000.0, 77.0));
    for _ in 0..200 {
        let borders = scene.tick(ground.view()).borders_crossed;
        assert!(borders >= 7, "{borders} borders in 250 m of sectors of 32 m");
        assert_eq!(scene.units.motion(id), Some(Motion::Walking));
        scene.assert_sound(ground.view());
    }
    let [x, _, z] = scene.units.position(id).unwrap().to_metres(grid.sector_size());
    assert!((x - 50_000.5).abs() < 0.5 && (z - 3850.5).abs() < 0.5, "{x} {z}");
}

#[test]
fn a_march_of_a_thousand_kilometres_is_the_same_a_million_sectors_away() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &hills);
    let starts = [(0, 0), (1_000_000, -1_000_000), (i32::MIN + 7, i32::MAX - 60_000)];
    let mut scenes: Vec<(Scene, _, _)> = starts
        .iter()
        .map(|&sector| {
            let mut scene = Scene::new(grid);
            scene.settings.dt = 0.25;
            let [fast, slow] = [Wish::walk(4000.0, 17.0), Wish::walk(11.0, -3.3)].map(|wish| {
                scene.walker(ground.view(), place(grid, sector, [-3.3, 0.0, 7.7]), wish)
            });
            (scene, fast, slow)
        })
        .collect();
    for tick in 0..1000 {
        for (scene, ..) in &mut scenes {
            scene.tick(ground.view());
        }
        let (near, fast, slow) = &scenes[0];
        for (far, ..) in &scenes[1..] {
            assert_eq!(bits(near, *fast), bits(far, *fast), "tick {tick}");
            assert_eq!(bits(near, *slow), bits(far, *slow), "tick {tick}");
        }
    }
    let (near, fast, _) = &scenes[0];
    let marched = near.units.position(*fast).unwrap().to_metres(grid.sector_size())[0];
    assert!(marched > 999_000.0, "only {marched} m");
}
