//! Whether there is room at a place agrees with what becomes of a unit that is put there.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, leaning, put};
use common::{Random, Scene, endless, grid, height_at, hills, place, solid, world};
use marchland_controller::{Body, BodyBuilder, EventKind, Motion, Wish, has_room, start_motion};
use marchland_terrain::glam::Vec3;
use marchland_terrain::query::QueryError;
use marchland_terrain::{CellKind, Grid, LiveProps, TerrainView};

fn room(view: TerrainView<'_>, grid: Grid, at: [f32; 3]) -> bool {
    has_room(view, place(grid, (0, 0), at), &Body::default(), u32::MAX).unwrap()
}

#[test]
fn on_slopes_and_roofs_there_is_room_and_in_walls_and_the_ground_there_is_none() {
    let grid = grid(1.0, 32);
    // 22° for x below 0, level from 0 to 8 and 76° beyond.
    let height = |column: i64, _: i64| match column {
        ..=15 => (16 - column) as f64 * 0.4,
        16..=24 => 0.0,
        _ => (column - 24) as f64 * 4.0,
    };
    let ground = world(grid, (0, 0), &height, &solid);
    let mut live = LiveProps::new(grid.sector_size());
    put(&mut live, &cuboid([2.0, 3.0, 2.0]), place(grid, (0, 0), [4.0, 0.0, -6.0]));
    put(&mut live, &cuboid([2.0, 0.4, 2.0]), place(grid, (0, 0), [4.0, 0.0, 6.0]));
    put(&mut live, &cuboid([2.0, 1.0, 2.0]), place(grid, (0, 0), [4.0, 1.805, 0.0]));
    let view = ground.view().with_live(&live);
    for (at, expected, what) in [
        ([-5.0, 2.0, 3.0], true, "on a slope"),
        ([-5.0, 1.8, 3.0], true, "in a slope up to below the knee"),
        ([-5.0, 1.1, 3.0], false, "half in a slope"),
        ([2.0, 0.0, 8.0], true, "on the level"),
        ([2.0, -0.9, 8.0], false, "half in the ground"),
        ([2.0, -9.0, 8.0], false, "below the ground"),
        ([2.0, 5.0, 8.0], true, "in the air"),
        ([7.8, 0.0, 8.0], false, "beside a slope that is too steep"),
        ([7.4, 0.0, 8.0], true, "a little away from it"),
        ([4.0, 0.0, -6.0], false, "inside a closed prop"),
        ([2.7, 0.0, -6.0], false, "in its wall"),
        ([2.5, 0.0, -6.0], true, "beside its wall"),
        ([4.0, 3.0, -6.0], true, "on its roof"),
        ([4.0, 2.8, -6.0], false, "falling into its roof"),
        ([4.0, 0.0, 6.0], true, "on the ground in what the knee takes"),
        ([4.0, 0.4, 6.0], true, "on it"),
        ([4.0, 0.0, 0.0], false, "within the skin below a beam"),
    ] {
        assert_eq!(room(view, grid, at), expected, "{what}");
    }
    assert!(has_room(view, place(grid, (0, 0), [4.0, 0.0, -6.0]), &Body::default(), 0).unwrap());
    let low = BodyBuilder { height: 1.7, ..BodyBuilder::default() }.build().unwrap();
    assert!(has_room(view, place(grid, (0, 0), [4.0, 0.0, 0.0]), &low, u32::MAX).unwrap());
    assert!(!room(ground.view(), grid, [-5.0, -3.0, 3.0]));
}

#[test]
fn room_is_told_over_holes_beyond_the_world_and_of_what_is_not_resident() {
    let grid = grid(1.0, 32);
    let kind = |c: i64, _: i64| match c {
        4..8 => CellKind::Hole,
        20.. => CellKind::Outside,
        _ => CellKind::Solid,
    };
    let mut ground = world(grid, (0, 0), &|_, _| 0.0, &kind);
    assert!(room(ground.view(), grid, [-10.0, 0.0, 0.0]), "over a hole");
    assert!(!room(ground.view(), grid, [10.0, 0.0, 0.0]), "outside");
    let here = marchland_terrain::SectorCoord::new(0, 0);
    ground.unload(here);
    let at = place(grid, (0, 0), [0.0; 3]);
    let refused = has_room(ground.view(), at, &Body::default(), u32::MAX);
    assert_eq!(refused, Err(QueryError::NotResident { sector: here }));
}

#[test]
fn where_there_is_room_nobody_is_pushed_and_where_there_is_none_something_is_amiss() {
    let grid = grid(1.0, 64);
    let ground = endless(grid, &hills);
    let mut random = Random::from_state(11);
    let mut live = LiveProps::new(grid.sector_size());
    let meshes = [cuboid([3.0, 2.5, 2.0]), leaning([4.0, 0.5, 3.0], 1.5), cuboid([6.0, 0.7, 0.5])];
    for prop in 0..60 {
        let at = [random.within(-31.0, 31.0), random.within(0.0, 4.0), random.within(-31.0, 31.0)];
        put(&mut live, &meshes[prop % 3], place(grid, (0, 0), at));
    }
    let view = ground.view().with_live(&live);
    let mut scene = Scene::new(grid);
    // Where not even this has room it is not the skin alone.
    let slim =
        BodyBuilder { radius: 0.39, height: 1.78, ..BodyBuilder::default() }.build().unwrap();
    let (mut free, mut full) = (0, 0);
    for _ in 0..2000 {
        let [x, z] = [(); 2].map(|()| random.within(-31.0, 31.0));
        let y = height_at(view, place(grid, (0, 0), [x, 0.0, z])).unwrap();
        let at = place(grid, (0, 0), [x, y, z]);
        if start_motion(view, at, &Body::default(), u32::MAX) != Motion::Walking {
            continue;
        }
        let id = scene.spawn(at, Motion::Walking, Vec3::ZERO, Wish::STAND);
        scene.tick(view);
        let level = |at: Vec3| Vec3::new(at.x, 0.0, at.z);
        let moved = (level(scene.local(id)) - level(at.local())).length() > 1e-3;
        let told = scene.batch.events().iter().any(|event| {
            event.unit == id && matches!(event.kind, EventKind::Stuck { .. } | EventKind::Freed)
        });
        if room(view, grid, at.local().to_array()) {
            free += 1;
            assert!(!told, "stuck at {at:?}");
        } else if !has_room(view, at, &slim, u32::MAX).unwrap() {
            full += 1;
            let higher = scene.local(id).y > y;
            assert!(moved || told || higher || scene.units.is_stuck(id).unwrap(), "free at {at:?}");
        }
        scene.units.despawn(id);
    }
    assert!(free > 200 && full > 200, "{free} {full}");
}
