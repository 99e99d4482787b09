//! Work is bounded: a unit with too much around it is held as it is, and told.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::sync::Arc;

use common::{Random, Scene, endless, grid, place};
use marchland_controller::limits::LOAD_MAX;
use marchland_controller::{EventKind, Motion, PathChoice, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_terrain::{LiveProp, LiveProps, LoadedMesh};

/// Triangles without any order, all in a box of a metre and a half.
fn tangle(triangles: u32) -> Arc<LoadedMesh> {
    let mut random = Random::new(triangles.into());
    let mut corner = || Vec3::from([(); 3].map(|()| random.within(0.0, 1.5)));
    let vertices = (0..3 * triangles).map(|_| corner()).collect();
    let triangles = (0..triangles).map(|first| [0, 1, 2].map(|at| 3 * first + at)).collect();
    let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap();
    Arc::new(LoadedMesh::new(mesh.encode()).unwrap())
}

#[test]
fn who_has_too_much_around_is_held_as_it_is_and_told_until_that_ends() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &|_, _| 0.0);
    let mut live = LiveProps::new(grid.sector_size());
    let mesh = tangle(LOAD_MAX + 1000);
    let mut over = None;
    let mut scenes = [PathChoice::Auto, PathChoice::Full].map(|path| {
        let mut scene = Scene::new(grid);
        scene.switches.path = path;
        let wish = Wish::walk(3.0, 0.0);
        scene.spawn(place(grid, (0, 0), [0.0, 0.0, 0.0]), Motion::Walking, Vec3::ZERO, wish);
        scene.spawn(place(grid, (0, 0), [0.0, 0.0, 9.0]), Motion::Walking, Vec3::ZERO, wish);
        scene
    });
    let mut told = Vec::new();
    for tick in 0..90 {
        // Put over it, and away again.
        if tick == 20 {
            let at = place(grid, (0, 0), [0.25, 0.0, -0.75]);
            over = Some(live.add(LiveProp::new(mesh.clone(), at)).unwrap());
        }
        if let Some(id) = over.filter(|_| tick == 60) {
            live.remove(id).unwrap();
        }
        let view = ground.view().with_live(&live);
        let mut hashes = Vec::new();
        for scene in &mut scenes {
            let before = scene.units.state_hash();
            let held = scene.tick(view).overloaded().to_vec();
            assert!(held.is_empty() || scene.units.is_overloaded(held[0]) == Some(true));
            hashes.push((scene.units.state_hash(), held.len()));
            assert_ne!(scene.units.state_hash(), before, "the other one goes on");
        }
        assert_eq!(hashes[0], hashes[1], "tick {tick}");
        told.extend(
            scenes[0].batch.events().iter().map(|event| (tick, event.unit.slot, event.kind)),
        );
        let at = [0, 1].map(|slot| scenes[0].units.iter().nth(slot).unwrap());
        let at = at.map(|id| scenes[0].local(id));
        assert!((at[1].x - 0.05 * (tick + 1) as f32).abs() < 1e-3, "{at:?}");
        let ticks = if tick < 20 {
            tick + 1
        } else if tick < 60 {
            20
        } else {
            tick - 39
        };
        assert!((at[0].x - 0.05 * ticks as f32).abs() < 1e-3 && at[0].y == 0.0, "{at:?} in {tick}");
    }
    assert_eq!(told, [(20, 0, EventKind::Overloaded), (60, 0, EventKind::OverloadEnded)]);
}
