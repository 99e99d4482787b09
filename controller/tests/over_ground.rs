//! Over bare ground a tick is short, however steep the ground is: it leads where the way in space does.
#![allow(clippy::unwrap_used)]

mod common;

use common::{HEADINGS, Random, Scene, endless, grid, noise, place};
use marchland_controller::{
    BodyBuilder, Motion, PathChoice, Shortcuts, SurfaceResponse, UnitId, Wish,
};
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::query::{ALL_LAYERS, Cylinder};
use marchland_terrain::{ResidentSectors, SurfaceId, TerrainView};

/// Ground that is not plain, though nobody bounces on it: it is met in space.
const MET_IN_SPACE: SurfaceResponse = SurfaceResponse { bounce: 1e-6, ..SurfaceResponse::PLAIN };

/// Steep here and gentle there, with ridges, ravines and cliffs.
fn rough(cell: f64, tall: f64) -> ResidentSectors {
    endless(grid(cell, 64), &move |column, row| {
        let hill = |along: i64, wide: i64| {
            let part = along.rem_euclid(2 * wide);
            (if part < wide { part } else { 2 * wide - part }) as f64
        };
        tall * (noise(column, row) + 0.5 * hill(column + row / 2, 16) + 0.3 * hill(row, 8))
    })
}

/// Walkers and fallers all over some ground, the same in each scene.
fn scenes<const N: usize>(view: TerrainView<'_>, count: usize, speed: f32) -> [Scene; N] {
    let half = view.grid().sector_size().half();
    [(); N].map(|()| {
        let mut scene = Scene::with_body(view.grid(), BodyBuilder::default());
        let mut random = Random::from_state(7);
        for unit in 0..count {
            let mut at = || random.within(-half, half * 0.999);
            let start = place(view.grid(), (0, 0), [at(), 0.0, at()]);
            let [x, z] = HEADINGS[unit % 16].map(|part| part * speed);
            if unit % 4 == 0 {
                let [east, south] = [start.local().x, start.local().z];
                let above = place(view.grid(), (0, 0), [east, 40.0, south]);
                scene.spawn(above, Motion::Falling, Vec3::new(x, 1.0, z), Wish::walk(x, z));
            } else {
                scene.walker(view, start, Wish::walk(x, z));
            }
        }
        scene
    })
}

/// Whether ground is in a unit above its knee, and it does not say so.
fn is_in_ground(view: TerrainView<'_>, scene: &Scene, id: UnitId) -> bool {
    let body = BodyBuilder::default();
    let feet = scene.units.position(id).unwrap();
    let upper = Cylinder { radius: body.radius, height: body.height - body.knee };
    let above = feet.moved_by(Vec3::Y * (body.knee + 1e-3), view.grid().sector_size()).unwrap();
    let is_told = scene.units.is_stuck(id).unwrap();
    !is_told && view.solids(ALL_LAYERS).has_ground_deeper(upper, above, 1e-3).unwrap()
}

/// Where a slide down a plane towards the east leads in a tick, seen from above, and its velocity then.
fn descent(scene: &Scene, tall: f64, velocity: Vec3, wish: Wish) -> (DVec3, DVec3) {
    let body = BodyBuilder::default();
    let (dt, gravity) = (f64::from(scene.settings.dt), f64::from(scene.settings.gravity));
    let cosine = 1.0 / (1.0 + tall * tall).sqrt();
    let sine = tall * cosine;
    let (down, normal) = (DVec3::new(cosine, -sine, 0.0), DVec3::new(sine, cosine, 0.0));
    let off = |way: DVec3| way - normal * lesser(way.dot(normal), 0.0);
    let pull = gravity * sine;
    let after = (off(velocity.as_dvec3()) + down * pull * dt)
        / (1.0 + dt * pull / f64::from(body.slide_speed));
    let [x, z] = wish.velocity().map(|speed| f64::from(speed * body.slide_control));
    // The request steers along the slope, not up it.
    let downhill = greater(x * cosine, 0.0);
    let steered = DVec3::new(downhill * cosine, -downhill * sine, z);
    ((after + steered) * dt, after)
}

#[test]
fn a_slide_down_an_even_slope_is_that_of_its_formula() {
    let body = BodyBuilder::default();
    for tall in [1.125, 1.5, 2.75, 11.5] {
        // Down towards the east, from crest to crest of a sector: 48 to 85°.
        let ground = endless(grid(1.0, 64), &move |column, _| tall * (64 - column) as f64);
        let view = ground.view();
        let mut scene = Scene::new(view.grid());
        for (unit, [x, z]) in HEADINGS.into_iter().enumerate() {
            let start = place(view.grid(), (0, 0), [-25.0, 0.0, 3.0 * unit as f32 - 24.0]);
            scene.walker(view, start, Wish::walk(3.0 * x, 3.0 * z));
        }
        let state = |scene: &Scene, slot: usize| {
            let units = &scene.units;
            (units.locals()[slot], units.velocities()[slot], units.motions()[slot])
        };
        let mut slides = 0;
        for tick in 0..90 {
            let before: Vec<_> = (0..HEADINGS.len()).map(|slot| state(&scene, slot)).collect();
            scene.tick(view);
            for (slot, before) in before.into_iter().enumerate() {
                let now = state(&scene, slot);
                // At first its rim comes onto the slope.
                if tick < 5 || (before.2, now.2) != (Motion::Sliding, Motion::Sliding) {
                    continue;
                }
                slides += 1;
                let (way, velocity) = descent(&scene, tall, before.1, scene.wishes[slot]);
                let went = (now.0 - before.0).as_dvec3();
                let aside = (went - way).with_y(0.0).length();
                let faster = (now.1.as_dvec3() - velocity).length();
                // Its rim is on the slope, or its middle.
                let under = tall * (32.0 - f64::from(now.0.x));
                let rim = f64::from(body.radius + SKIN) * tall - f64::from(body.knee);
                let above = f64::from(now.0.y) - under - greater(rim, 0.0);
                let is_so = aside < 1e-5 && faster < 1e-5 && above.abs() < 2e-4;
                assert!(is_so, "{tall}: tick {tick}, {slot}: {aside}, {faster}, {above}");
            }
        }
        assert!(slides > 600, "{tall}: {slides}");
    }
}

#[test]
fn a_walk_along_an_even_wall_is_that_in_space() {
    for (rise, up) in [(3.0, 0.0), (1.5, 0.0), (8.0, 0.0), (3.0, 0.4), (3.0, -0.3)] {
        // Towards the east ground that rises or falls, then a wall.
        let ground = endless(grid(1.0, 64), &move |column, _| {
            let beyond = (column - 32) as f64;
            100.0 + beyond * if beyond > 0.0 { rise } else { up }
        });
        let view = ground.view();
        let [mut short, mut whole] = [(); 2].map(|()| Scene::new(view.grid()));
        whole.units.set_surface(SurfaceId(0), MET_IN_SPACE).unwrap();
        let east = HEADINGS.into_iter().filter(|[x, _]| *x > 0.05);
        for (unit, [x, z]) in east.enumerate() {
            let start = place(view.grid(), (0, 0), [-1.5, 0.0, 3.0 * unit as f32 - 9.0]);
            for scene in [&mut short, &mut whole] {
                scene.walker(view, start, Wish::walk(4.0 * x, 4.0 * z));
            }
        }
        for tick in 0..120 {
            short.tick(view);
            whole.tick(view);
            for slot in 0..short.units.slots() {
                let [a, b] = [&short, &whole]
                    .map(|scene| (scene.units.locals()[slot], scene.units.velocities()[slot]));
                // In space it comes nearer by what is touched, or stops short of it.
                let is_near = (a.0 - b.0).length() < 1e-2 && (a.0.z - b.0.z).abs() < 1e-4;
                let is_alike = is_near && (tick < 100 || (a.1 - b.1).length() < 1e-4);
                assert!(is_alike, "{rise}, {up}: tick {tick}, {slot}: {a:?} instead of {b:?}");
            }
        }
    }
}

#[test]
fn on_rough_ground_nobody_is_in_it_and_all_get_as_far_as_in_space() {
    for (cell, tall) in [(1.0, 1.0), (1.0, 2.5), (0.5, 0.8), (4.0, 6.0)] {
        let ground = rough(cell, tall);
        let view = ground.view();
        let [mut short, mut whole] = scenes::<2>(view, 200, 5.0);
        whole.units.set_surface(SurfaceId(0), MET_IN_SPACE).unwrap();
        let mut ways = [0.0_f64; 2];
        for tick in 0..240 {
            for (scene, way) in [&mut short, &mut whole].into_iter().zip(&mut ways) {
                let before: Vec<_> =
                    scene.units.iter().map(|id| scene.units.position(id).unwrap()).collect();
                scene.tick(view);
                scene.assert_sound(view);
                for (id, from) in scene.units.iter().zip(before) {
                    let to = scene.units.position(id).unwrap();
                    let went = to.relative_to(from, view.grid().sector_size());
                    let [x, z] = scene.wishes[id.slot as usize].velocity();
                    *way += f64::from(went.x * x + went.z * z);
                }
            }
            if tick % 8 == 7 {
                let ids = short.units.iter();
                let within = ids.filter(|id| is_in_ground(view, &short, *id)).count();
                assert_eq!(within, 0, "{cell}, {tall}: tick {tick}");
            }
        }
        let part = ways[0] / ways[1];
        assert!((0.98..1.05).contains(&part), "{cell}, {tall}: {part} of {ways:?}");
    }
}

#[test]
fn whatever_is_remembered_and_whichever_way_is_asked_for_the_bits_are_the_same() {
    for (cell, tall) in [(1.0, 1.0), (0.5, 0.8)] {
        let ground = rough(cell, tall);
        let view = ground.view();
        let mut all = scenes::<3>(view, 300, 6.0);
        all[1].switches.path = PathChoice::Full;
        all[2].switches.shortcuts = Shortcuts::Ignore;
        for tick in 0..180 {
            let hashes = all.each_mut().map(|scene| {
                scene.tick(view);
                scene.units.state_hash()
            });
            assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{cell}: tick {tick}");
        }
        let slide = all[0].units.motions().iter().filter(|motion| **motion == Motion::Sliding);
        assert!(slide.count() > 5, "{cell}");
    }
}
