//! Teeth and rough ground that nobody climbs, and shortcuts that change no bit there.

use marchland_controller::{BodyBuilder, Motion, Shortcuts, Wish};
use marchland_terrain::CellKind;
use marchland_terrain::glam::Vec3;

use crate::common::{
    HEADINGS, Random, Scene, endless, grid, height_at, noise, place, solid, world,
};
use crate::tangent;

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
