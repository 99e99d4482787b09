//! Nobody is pushed off a ledge or a bridge, into a hole or a wall, or over to where no ground is known.

use marchland_controller::{Body, Motion, Spawn, UnitId, Units, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{
    CellKind, Grid, LiveProps, ResidentSectors, SectorCoord, TerrainView, WorldPos,
};

use crate::common::props::{cuboid, put};
use crate::common::{self, Random, endless, grid, height_at, place, solid, world};
use crate::{Crowd, DT, flat, separation};

/// A platform of level ground at 0, 24 m wide, with a cliff, a pit of holes, walls and a prop that
/// stands out over the edge.
fn fortress(grid: Grid) -> ResidentSectors {
    // Samples are metres from −32: ground between 20 and 44, a wall at its west and its north, a cliff
    // of 8 m at its east and its south.
    let height = |column: i64, row: i64| {
        if column < 20 || row < 20 {
            6.0
        } else if column > 44 || row > 44 {
            -8.0
        } else {
            0.0
        }
    };
    let kind = |column: i64, row: i64| {
        let pit = (28..31).contains(&column) && (28..31).contains(&row);
        if pit { CellKind::Hole } else { CellKind::Solid }
    };
    world(grid, (0, 1), &height, &kind)
}

/// Whether a unit stands on the fortress's level ground, at a place counted from its low corner.
fn assert_stands(crowd: &Crowd, view: TerrainView<'_>, id: UnitId, tick: u32) {
    let units = &crowd.scene.units;
    let at = units.position(id).unwrap();
    let [x, y, z] = at.to_metres(units.sector_size()).map(|metres| metres as f32);
    let (x, z) = (x + 16.0, z + 16.0);
    let what = format!("tick {tick}: {id:?} at {x} {y} {z}, {:?}", units.motion(id));
    assert_eq!(units.motion(id), Some(Motion::Walking), "{what}");
    assert_eq!(y, 0.0, "{what}");
    assert_eq!(height_at(view, at), Some(0.0), "{what}");
    assert!((20.0..=44.0).contains(&x) && (20.0..=44.0).contains(&z), "{what}");
    // Not in the walls: those begin half a cell before the sample, and the radius keeps off more.
    assert!(x > 20.0 && z > 20.0, "{what}");
}

#[test]
fn a_crowd_is_never_pushed_off_a_ledge_into_a_hole_or_a_wall() {
    let grid = grid(1.0, 32);
    let ground = fortress(grid);
    let view = ground.view();
    let size = grid.sector_size();
    let mut random = Random::from_state(21);
    // Far more than there is room for, around the pit and at the edges; some press into the corner of
    // the walls.
    let corners = [(22.0, 22.0), (43.0, 43.0), (27.0, 29.5), (43.5, 30.0)];
    for (corner, (x, z)) in corners.into_iter().enumerate() {
        let mut crowd = Crowd::new(grid);
        let mut ids = Vec::new();
        while ids.len() < 500 {
            let [x, z] = [x, z].map(|at| f64::from(at + random.within(-4.0, 4.0)));
            let hole = (27.5..31.5).contains(&x) && (27.5..31.5).contains(&z);
            let inside = |at: f64| (20.5..43.9).contains(&at);
            if hole || !inside(x) || !inside(z) {
                continue;
            }
            let at = WorldPos::from_metres(x - 16.0, 0.0, z - 16.0, size).unwrap();
            let wish = if corner == 0 { Wish::walk(-2.0, -1.5) } else { Wish::STAND };
            ids.push(crowd.scene.walker(view, at, wish));
        }
        for tick in 0..240 {
            crowd.tick(view);
            for id in &ids {
                assert_stands(&crowd, view, *id, tick);
            }
        }
        crowd.scene.assert_sound(view);
    }
}

#[test]
fn nobody_is_pushed_off_a_bridge_nor_by_those_below_it() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &flat);
    let mut live = LiveProps::new(grid.sector_size());
    put(&mut live, &cuboid([20.0, 4.0, 2.0]), place(grid, (0, 0), [0.0; 3]));
    let view = ground.view().with_live(&live);
    let mut crowd = Crowd::new(grid);
    let mut random = Random::from_state(4);
    let mut above = Vec::new();
    for _ in 0..60 {
        let at = [random.within(-5.0, 5.0), 4.0, random.within(-0.6, 0.6)];
        let at = place(grid, (0, 0), at);
        above.push(crowd.scene.spawn(at, Motion::Walking, Vec3::ZERO, Wish::STAND));
    }
    let alone = crowd.scene.walker(view, place(grid, (0, 0), [0.0, 0.0, 6.0]), Wish::STAND);
    let before = common::bits(&crowd.scene, alone);
    for tick in 0..400 {
        crowd.tick(view);
        for id in &above {
            let local = crowd.scene.local(*id);
            assert!(local.y == 4.0 && local.z.abs() <= 1.4, "tick {tick}: {id:?} at {local}");
        }
    }
    assert_eq!(common::bits(&crowd.scene, alone), before);
    // One in the middle above another's head.
    let mut units = Units::new(grid.sector_size());
    let body = units.add_body(Body::default()).unwrap();
    for (x, y) in [(0.0, 0.0), (0.1, 1.8)] {
        units.spawn(Spawn::standing(place(grid, (0, 0), [x, y, 0.0]), body)).unwrap();
    }
    let mut separation = separation();
    let asked = separation.push(ground.view(), &units, &[Wish::STAND; 2], DT).unwrap();
    assert_eq!(asked, [Wish::STAND; 2]);
}

#[test]
fn nobody_is_held_because_of_a_push() {
    let grid = grid(1.0, 32);
    let mut ground = world(grid, (0, 0), &flat, &solid);
    ground.unload(SectorCoord::new(1, 0));
    let view = ground.view();
    let mut crowd = Crowd::new(grid);
    for _ in 0..12 {
        // As near to the border as a body may be that touches nothing beyond it.
        crowd.scene.walker(view, place(grid, (0, 0), [15.58, 0.0, 2.0]), Wish::STAND);
    }
    for _ in 0..600 {
        crowd.tick(view);
        let held = crowd.scene.batch.report().held();
        assert!(held.is_empty(), "{held:?} at {}", crowd.scene.local(held[0]));
    }
    // They went along the border and away from it.
    assert!(crowd.deepest() < 0.4, "{}", crowd.deepest());
}
