//! A building that is put on top of a unit does not trap it: where the nearest face leads into the
//! ground, the unit leaves by another one.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::props::{cuboid, put};
use common::{Scene, endless, grid, hills, place};
use marchland_controller::{BodyBuilder, Motion, Shortcuts, UnitId, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::query::Cylinder;
use marchland_terrain::{Grid, LiveProps, LoadedMesh, TerrainView};

/// Ticks within which a unit is out, for each metre that the way out may be long.
const TICKS_EACH: f32 = 4.0;

/// What a push is longer than its budget by rounding. Metres.
const ROUNDING: f32 = 1e-4;

fn cells() -> Grid {
    grid(1.0, 64)
}

/// Whether nothing is in the upper part of a unit.
fn is_free(view: TerrainView<'_>, scene: &Scene, id: UnitId) -> bool {
    let body = scene.units.body(id).unwrap();
    let feet = scene.units.position(id).unwrap();
    let local = feet.local() + Vec3::Y * (body.knee() + 0.01);
    let knee = place(view.grid(), (feet.sector().x, feet.sector().z), local.into());
    let height = body.height() - body.knee() - 0.02;
    let upper = Cylinder { radius: body.radius() - 0.01, height };
    view.solids(u32::MAX).ceiling(upper, knee, height).unwrap().is_none()
}

/// Where units end that stand where something has been put: all of them out. None of them goes further in a
/// tick than it may be pushed.
fn leave(view: TerrainView<'_>, starts: &[[f32; 3]], start: Motion, longest: f32) -> Vec<Vec3> {
    let mut ends = [Shortcuts::Use, Shortcuts::Ignore].map(|shortcuts| {
        let mut scene = Scene::with_body(view.grid(), BodyBuilder::default());
        scene.switches.shortcuts = shortcuts;
        let ids: Vec<UnitId> = starts
            .iter()
            .map(|at| scene.spawn(place(view.grid(), (0, 0), *at), start, Vec3::ZERO, Wish::STAND))
            .collect();
        for tick in 0..(longest * TICKS_EACH) as usize {
            let before: Vec<Vec3> = ids.iter().map(|id| scene.local(*id)).collect();
            scene.tick(view);
            for (id, before) in ids.iter().zip(before) {
                let body = scene.units.body(*id).unwrap();
                let way = (scene.local(*id) - before).length();
                let fall = scene.units.velocity(*id).unwrap().length() * scene.settings.dt;
                // Out on a roof the knee takes the rest.
                let most = body.radius() + SKIN + body.knee() + fall + ROUNDING;
                assert!(way <= most, "{before} goes {way} m in tick {tick}");
            }
        }
        for (id, start) in ids.iter().zip(starts) {
            assert!(is_free(view, &scene, *id), "{start:?} is at {}", scene.local(*id));
        }
        ids.iter().map(|id| scene.local(*id)).collect::<Vec<_>>()
    });
    let [with, without] = &ends;
    assert_eq!(with, without, "what is remembered changes nothing");
    std::mem::take(&mut ends[0])
}

/// Starts at several depths in a building of so many metres, aside and straight in.
fn depths(side: f32, y: f32) -> Vec<[f32; 3]> {
    let half = side * 0.5;
    let parts = [0.02, 0.3, 0.5, 0.7, 0.9, 0.97, 1.0];
    let mut starts: Vec<[f32; 3]> =
        parts.iter().map(|part| [-half * (1.0 - part), y, 0.13]).collect();
    starts.extend(parts.map(|part| [0.31 * half, y, half * (1.0 - part)]));
    starts.push([0.0, y, 0.0]);
    starts
}

fn put_at(live: &mut LiveProps, mesh: &Arc<LoadedMesh>, at: [f32; 3]) {
    put(live, mesh, place(cells(), (0, 0), at));
}

#[test]
fn who_is_built_over_gets_out_however_deep_the_building_stands_in_the_ground() {
    let ground = endless(cells(), &|_, _| 0.0);
    for (side, height) in [(20.0_f32, 4.0_f32), (3.0, 3.0), (2.2, 9.0), (20.0, 50.0)] {
        for foundation in [0.0_f32, 0.5, 2.0] {
            let mut live = LiveProps::new(cells().sector_size());
            put_at(&mut live, &cuboid([side, height + foundation, side]), [0.0, -foundation, 0.0]);
            let view = ground.view().with_live(&live);
            for (start, y) in
                [(Motion::Walking, 0.0), (Motion::Falling, 0.0), (Motion::Falling, 0.7)]
            {
                let ends = leave(view, &depths(side, y), start, 15.0);
                assert!(ends.iter().all(|end| end.y >= 0.0), "{ends:?}");
            }
        }
    }
}

#[test]
fn who_is_built_over_on_a_slab_or_on_hills_gets_out() {
    let (flat, hilly) = (endless(cells(), &|_, _| 0.0), endless(cells(), &hills));
    let mut live = LiveProps::new(cells().sector_size());
    put_at(&mut live, &cuboid([30.0, 1.0, 30.0]), [0.0, 0.5, 0.0]);
    put_at(&mut live, &cuboid([9.0, 4.0, 9.0]), [0.0, 1.5, 0.0]);
    leave(flat.view().with_live(&live), &depths(9.0, 1.5), Motion::Walking, 15.0);
    let mut live = LiveProps::new(cells().sector_size());
    put_at(&mut live, &cuboid([9.0, 7.0, 9.0]), [0.0, -1.0, 0.0]);
    let view = hilly.view().with_live(&live);
    let starts = depths(9.0, 0.0).into_iter().map(|[x, _, z]| {
        let at = place(cells(), (0, 0), [x, 0.0, z]);
        [x, common::height_at(view, at).unwrap(), z]
    });
    leave(view, &starts.collect::<Vec<_>>(), Motion::Walking, 15.0);
}

#[test]
fn who_is_built_over_between_neighbours_goes_through_none_of_them() {
    let ground = endless(cells(), &|_, _| 0.0);
    let mut live = LiveProps::new(cells().sector_size());
    put_at(&mut live, &cuboid([6.0, 8.0, 10.0]), [0.0; 3]);
    // 0.3 m beside it, flush with it, and into it.
    put_at(&mut live, &cuboid([6.0, 8.0, 30.0]), [6.3, 0.0, 0.0]);
    put_at(&mut live, &cuboid([6.0, 8.0, 30.0]), [-6.0, 0.0, 0.0]);
    put_at(&mut live, &cuboid([12.0, 8.0, 6.0]), [0.0, 0.0, -7.5]);
    let view = ground.view().with_live(&live);
    let starts = [[2.5, 0.0, 0.0], [-2.5, 0.0, -2.0], [0.0, 0.0, -4.5], [0.1, 0.0, 1.0]];
    let ends = leave(view, &starts, Motion::Walking, 20.0);
    for end in ends {
        assert!(end.y == 8.0 || (end.x.abs() < 3.3 && end.z > 5.0), "out at {end}");
    }
}
