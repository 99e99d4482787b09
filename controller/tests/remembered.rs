//! What units remember of the ground is forgotten as soon as it is no longer so: whatever happens to the
//! world or to them between two ticks, the bits are those of a walk that remembers nothing.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, put};
use common::{HEADINGS, Random, Scene, grid, height_at, hills, noise, place, sector, solid, world};
use marchland_controller::{Body, BodyBuilder, PathChoice, Shortcuts, SurfaceResponse, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{CellKind, Grid, LiveProp, LiveProps, SectorCoord, SurfaceId, TerrainView};

#[test]
fn nothing_is_remembered_longer_than_it_is_so() {
    let grid = grid(1.0, 32);
    let mut ground = world(grid, (-1, 1), &hills, &solid);
    let other = |c: i64, r: i64| hills(c, r) + 0.25;
    let mut live = LiveProps::new(grid.sector_size());
    let mut random = Random::from_state(9);
    let mut scenes = [Shortcuts::Use, Shortcuts::Ignore].map(|shortcuts| {
        let mut scene = Scene::new(grid);
        scene.switches.shortcuts = shortcuts;
        scene
    });
    for unit in 0..600 {
        let at = [random.within(-16.0, 15.99), 0.0, random.within(-16.0, 15.99)];
        let coord = (random.below(3) as i32 - 1, random.below(3) as i32 - 1);
        let [x, z] = HEADINGS[unit % 16];
        for scene in &mut scenes {
            scene.walker(ground.view(), place(grid, coord, at), Wish::walk(3.0 * x, 3.0 * z));
        }
    }
    for tick in 0..240_u32 {
        match tick {
            20 => ground.unload(SectorCoord::new(1, 0)),
            40 => ground
                .insert(
                    SectorCoord::new(1, 0),
                    sector(grid, SectorCoord::new(1, 0), &other, &solid),
                )
                .unwrap(),
            60 => ground.set_outside(SectorCoord::new(0, 1)),
            80 => ground
                .insert(
                    SectorCoord::new(0, 0),
                    sector(grid, SectorCoord::new(0, 0), &other, &solid),
                )
                .unwrap(),
            100 => {
                let at = place(grid, (-1, 0), [0.0, 1.0, 0.0]);
                let y = height_at(ground.view(), at).unwrap();
                put(&mut live, &cuboid([6.0, 3.0, 6.0]), place(grid, (-1, 0), [0.0, y, 0.0]));
            }
            _ => {}
        }
        let ids: Vec<_> = scenes[0].units.iter().filter(|id| id.slot % 7 == tick % 7).collect();
        for scene in &mut scenes {
            match tick {
                120 => ids.iter().for_each(|&id| {
                    scene.units.add_impulse(id, Vec3::new(1.0, 3.0, 0.0)).unwrap();
                }),
                140 => ids.iter().for_each(|&id| {
                    let to = place(grid, (0, 0), [1.0, 3.0, 2.0]);
                    scene.units.teleport(ground.view(), id, to).unwrap();
                }),
                160 => {
                    let ice = SurfaceResponse { friction: 0.0, ..SurfaceResponse::PLAIN };
                    scene.units.set_surface(SurfaceId(0), ice).unwrap();
                }
                _ => {}
            }
            scene.tick(ground.view().with_live(&live));
        }
        let [a, b] = &scenes;
        assert_eq!(a.units.state_hash(), b.units.state_hash(), "tick {tick}");
        assert_eq!(a.batch.report(), b.batch.report(), "tick {tick}");
    }
}

/// The same 400 units who stand: once with all that they remember, once with nothing remembered, once in the full
/// controller.
fn three_ways(grid: Grid, view: TerrainView<'_>, random: &mut Random) -> [Scene; 3] {
    let ways = [
        (Shortcuts::Use, PathChoice::Auto),
        (Shortcuts::Ignore, PathChoice::Auto),
        (Shortcuts::Use, PathChoice::Full),
    ];
    let mut scenes = ways.map(|(shortcuts, path)| {
        let mut scene = Scene::new(grid);
        (scene.switches.shortcuts, scene.switches.path) = (shortcuts, path);
        scene
    });
    for _ in 0..400 {
        let at = [random.within(-16.0, 15.99), 0.0, random.within(-16.0, 15.99)];
        let coord = (random.below(3) as i32 - 1, random.below(3) as i32 - 1);
        for scene in &mut scenes {
            scene.walker(view, place(grid, coord, at), Wish::STAND);
        }
    }
    scenes
}

/// Holes here and there, the end of the world within a sector, and bars that fly and turn low over the ground:
/// who walks between them has the bits of who remembers nothing, and of who takes the full controller.
#[test]
fn between_holes_and_moving_props_it_is_as_if_nothing_were_remembered() {
    let grid = grid(1.0, 32);
    let kind = |c: i64, r: i64| match (c, noise(c, r)) {
        (60.., _) => CellKind::Outside,
        (_, part) if part > 0.98 => CellKind::Hole,
        _ => CellKind::Solid,
    };
    let mut random = Random::from_state(77);
    let ground = world(grid, (-1, 1), &|c, r| 0.5 * hills(c, r), &kind);
    let mut live = LiveProps::new(grid.sector_size());
    let bar = cuboid([5.0, 1.0, 0.4]);
    let bars: Vec<_> = (0..24)
        .map(|_| {
            let coord = (random.below(3) as i32 - 1, random.below(3) as i32 - 1);
            let at = [random.within(-16.0, 15.9), 1.0, random.within(-16.0, 15.9)];
            live.add(LiveProp::new(bar.clone(), place(grid, coord, at))).unwrap()
        })
        .collect();
    let mut scenes = three_ways(grid, ground.view(), &mut random);
    let mut met = 0;
    for tick in 0..200_usize {
        if tick % 40 == 0 {
            for &bar in &bars {
                let fly = |random: &mut Random| random.within(-6.0, 6.0);
                let linear = Vec3::new(fly(&mut random), 0.0, fly(&mut random));
                let turn = Vec3::new(0.0, random.within(-2.0, 2.0), 0.0);
                let is_known = live.set_velocity(bar, linear, turn).is_ok();
                assert!(is_known || (bar == bars[0] && tick > 130));
            }
        }
        if tick == 130 {
            live.remove(bars[0]).unwrap();
        }
        for (unit, wish) in scenes[0].wishes.iter_mut().enumerate() {
            let [x, z] = HEADINGS[(unit + tick / 50) % 16];
            *wish = Wish::walk(4.0 * x, 4.0 * z);
        }
        let asked = scenes[0].wishes.clone();
        // Now and then there is no live prop at all.
        let is_there = !(100..110).contains(&tick);
        live.advance(scenes[0].settings.dt).unwrap();
        for scene in &mut scenes {
            scene.wishes.clone_from(&asked);
            let view = ground.view();
            scene.tick(if is_there { view.with_live(&live) } else { view });
        }
        let [a, b, c] = &scenes;
        assert_eq!(a.units.state_hash(), b.units.state_hash(), "tick {tick}");
        assert_eq!(a.units.state_hash(), c.units.state_hash(), "tick {tick}");
        assert_eq!(a.batch.report(), b.batch.report(), "tick {tick}");
        assert_eq!(a.batch.events(), b.batch.events(), "tick {tick}");
        met += a.batch.report().full;
    }
    // Some met something all the time, and most of them not.
    assert!((2000..40_000).contains(&met), "{met} of 80000");
}

/// Who stands now and then on rough ground, and wishes what it did before: it rests only where it rested, and only while
/// nothing has changed.
#[test]
fn who_rests_goes_on_as_if_nothing_were_remembered() {
    let grid = grid(1.0, 32);
    let kind = |c: i64, r: i64| if noise(c, r) > 0.98 { CellKind::Hole } else { CellKind::Solid };
    let rough = |c: i64, r: i64| if c < 10 { hills(c, r) } else { 0.1 * hills(c, r) };
    let mut ground = world(grid, (-1, 1), &rough, &kind);
    let mut live = LiveProps::new(grid.sector_size());
    let mut random = Random::from_state(12);
    let mut scenes = three_ways(grid, ground.view(), &mut random);
    let (middle, mut bar) = (SectorCoord::new(0, 0), None);
    for tick in 0..400_usize {
        match tick {
            150 => {
                let other = |c: i64, r: i64| rough(c, r) - 0.25;
                ground.insert(middle, sector(grid, middle, &other, &solid)).unwrap();
            }
            200 => {
                let at = place(grid, (0, 0), [0.0, 3.0, 0.0]);
                let added = live.add(LiveProp::new(cuboid([5.0, 9.0, 0.4]), at)).unwrap();
                live.set_velocity(added, Vec3::new(1.0, 0.0, 1.0), Vec3::Y).unwrap();
                bar = Some(added);
            }
            280 => drop(live.remove(bar.unwrap()).unwrap()),
            _ => {}
        }
        live.advance(scenes[0].settings.dt).unwrap();
        for scene in &mut scenes {
            for (unit, wish) in scene.wishes.iter_mut().enumerate() {
                let [x, z] = HEADINGS[unit % 16];
                *wish = match (tick + 3 * unit) % 60 {
                    0..20 | 28..48 => Wish::STAND,
                    20..28 => Wish::walk(2.0 * x, 2.0 * z),
                    _ => Wish::walk(-2.0 * x, 0.01 * z),
                };
            }
            if tick == 340 {
                let ice = SurfaceResponse { friction: 0.0, ..SurfaceResponse::PLAIN };
                scene.units.set_surface(SurfaceId(0), ice).unwrap();
            }
            scene.tick(ground.view().with_live(&live));
        }
        let [a, b, c] = &scenes;
        assert_eq!(a.units.state_hash(), b.units.state_hash(), "tick {tick}");
        assert_eq!(a.units.state_hash(), c.units.state_hash(), "tick {tick}");
        assert_eq!(a.batch.report(), b.batch.report(), "tick {tick}");
        assert_eq!(a.batch.events(), b.batch.events(), "tick {tick}");
    }
}

/// One batch by turns in two worlds whose sectors are not of one size, with a live prop in each.
#[test]
fn a_batch_that_comes_to_another_world_remembers_nothing_of_the_last_one() {
    let worlds = [16, 64].map(|cells| {
        let grid = grid(1.0, cells);
        let ground = world(grid, (-1, 1), &hills, &solid);
        let mut live = LiveProps::new(grid.sector_size());
        put(&mut live, &cuboid([3.0, 2.0, 1.0]), place(grid, (0, 0), [2.0, 0.0, 1.0]));
        (grid, ground, live)
    });
    let mut random = Random::from_state(5);
    let mut scenes = Vec::new();
    for (grid, ground, _) in &worlds {
        let mut pair = [Scene::new(*grid), Scene::new(*grid)];
        for unit in 0..100 {
            let at = [random.within(-8.0, 7.9), 0.0, random.within(-8.0, 7.9)];
            let [x, z] = HEADINGS[unit % 16];
            for scene in &mut pair {
                let wish = Wish::walk(3.0 * x, 3.0 * z);
                scene.walker(ground.view(), place(*grid, (0, 0), at), wish);
            }
        }
        scenes.push(pair);
    }
    for tick in 0..60 {
        for ((_, ground, live), pair) in worlds.iter().zip(&mut scenes) {
            for scene in &mut *pair {
                scene.tick(ground.view().with_live(live));
            }
            let [a, b] = &*pair;
            assert_eq!(a.units.state_hash(), b.units.state_hash(), "tick {tick}");
        }
        // The first of each pair share their batches.
        let [first, second] = &mut *scenes else { unreachable!() };
        std::mem::swap(&mut first[0].batch, &mut second[0].batch);
    }
}

/// Populations with other bodies by turns in one batch, at rims and beside a live prop: where one may follow the
/// other may not.
#[test]
fn populations_that_share_a_batch_have_their_own_bodies() {
    let grid = grid(1.0, 32);
    let kind = |c: i64, r: i64| if noise(c, r) > 0.97 { CellKind::Hole } else { CellKind::Solid };
    let ground = world(grid, (0, 0), &|c, r| 0.3 * hills(c, r), &kind);
    let mut live = LiveProps::new(grid.sector_size());
    put(&mut live, &cuboid([3.0, 2.0, 1.0]), place(grid, (0, 0), [2.0, 0.0, 1.0]));
    let slim = BodyBuilder { radius: 0.2, ..BodyBuilder::default() };
    let wide = BodyBuilder { radius: 1.2, ..BodyBuilder::default() };
    // The first has a body more than the second.
    let population = |bodies: &[BodyBuilder]| {
        let mut scene = Scene::with_body(grid, bodies[0]);
        for body in &bodies[1..] {
            scene.body = scene.units.add_body(body.build().unwrap()).unwrap();
        }
        let mut random = Random::from_state(31);
        for unit in 0..150 {
            let at = [random.within(-15.0, 15.0), 0.0, random.within(-15.0, 15.0)];
            let [x, z] = HEADINGS[unit % 16];
            scene.walker(ground.view(), place(grid, (0, 0), at), Wish::walk(3.0 * x, 3.0 * z));
        }
        scene
    };
    let mut shared = [population(&[wide, slim]), population(&[wide])];
    let mut others = [population(&[slim]), population(&[wide, wide])];
    let mut alone = [population(&[wide, slim]), population(&[wide])];
    let mut apart = [population(&[slim]), population(&[wide, wide])];
    for tick in 0..80 {
        for (own, one) in
            shared.iter_mut().chain(&mut others).zip(alone.iter_mut().chain(&mut apart))
        {
            own.tick(ground.view().with_live(&live));
            one.tick(ground.view().with_live(&live));
            assert_eq!(own.units.state_hash(), one.units.state_hash(), "tick {tick}");
        }
        // The batch goes round.
        let mut batch = std::mem::take(&mut others[1].batch);
        for scene in shared.iter_mut().chain(&mut others) {
            std::mem::swap(&mut batch, &mut scene.batch);
        }
    }
}

/// To whom next to no slope is gentle enough looks for a way aside as far as anybody, and no farther: what it cannot
/// reach in its tick does not decide whether it slides.
#[test]
fn what_is_farther_than_a_unit_reaches_does_not_decide_whether_it_slides() {
    let grid = grid(1.0, 32);
    let gentle = |column: i64, _: i64| (64 - column) as f64 / 256.0;
    let ground = world(grid, (-1, 1), &gentle, &solid);
    let view = ground.view();
    let body = BodyBuilder { knee: 1.8, max_slope_degrees: 1e-4, ..Body::builder() };
    let mut live = LiveProps::new(grid.sector_size());
    for z in -3..=3 {
        put(&mut live, &cuboid([1.0, 3.0, 3.0]), place(grid, (0, 0), [5.5, 0.0, 3.0 * z as f32]));
    }
    for dt in [1e-4, 1.0 / 60.0] {
        let mut scenes = [(); 2].map(|()| {
            let mut scene = Scene::with_body(grid, body);
            scene.settings.dt = dt;
            for (unit, [x, z]) in HEADINGS.iter().enumerate() {
                let at = [-0.3 * unit as f32 / 16.0, 0.0, 0.4 * unit as f32 - 3.0];
                scene.walker(view, place(grid, (0, 0), at), Wish::walk(2.0 * x, 2.0 * z));
            }
            scene
        });
        for tick in 0..30 {
            let [near, alone] = &mut scenes;
            near.tick(view.with_live(&live));
            alone.tick(view);
            assert_eq!(near.units.state_hash(), alone.units.state_hash(), "{dt} s, tick {tick}");
        }
    }
}
