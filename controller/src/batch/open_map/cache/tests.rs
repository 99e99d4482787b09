use std::sync::Arc;

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_terrain::{
    Grid, LiveProp, LiveProps, LoadedMesh, LoadedSector, ResidentSectors, SectorCoord, SectorData,
    WorldPos, format,
};

use crate::units::body::BodyBuilder;
use crate::{Batch, Body, Spawn, TickSettings, Units, Wish};

/// Sectors along X and Z.
const ALONG: [i32; 2] = [7, 5];

fn grid() -> Grid {
    Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap()
}

fn flat(coord: SectorCoord) -> Arc<LoadedSector> {
    let data = SectorData::from_fn(grid(), |_, _| 0.0).unwrap();
    Arc::new(LoadedSector::new(format::encode(coord, &data).bytes).unwrap())
}

fn coords() -> impl Iterator<Item = SectorCoord> {
    (0..ALONG[1]).flat_map(|z| (0..ALONG[0]).map(move |x| SectorCoord::new(x, z)))
}

fn world() -> ResidentSectors {
    let mut world = ResidentSectors::new(grid());
    coords().for_each(|coord| world.insert(coord, flat(coord)).unwrap());
    world
}

/// A unit of each body in each sector, which walks to and fro within it.
fn crowd(bodies: &[Body]) -> Units {
    let size = grid().sector_size();
    let mut units = Units::new(size);
    for body in bodies {
        let body = units.add_body(*body).unwrap();
        for coord in coords() {
            let place = WorldPos::new(coord, Vec3::new(0.25, 0.0, -0.5), size).unwrap();
            units.spawn(Spawn::standing(place, body)).unwrap();
        }
    }
    units
}

fn wishes(units: &Units, tick: usize) -> Vec<Wish> {
    let speed = if tick % 40 < 20 { 5.0 } else { -5.0 };
    vec![Wish::walk(speed, 0.5 * speed); units.slots()]
}

/// Moves a crowd for some ticks, from one on, and another that remembers nothing: both the same. Returns the map
/// counts after each tick.
fn walk(
    batch: &mut Batch,
    [units, others]: [&mut Units; 2],
    world: &ResidentSectors,
    ticks: std::ops::Range<usize>,
) -> Vec<[usize; 2]> {
    let settings = TickSettings::default();
    ticks
        .map(|tick| {
            let wishes = wishes(units, tick);
            batch.tick(world.view(), units, &wishes, &settings).unwrap();
            Batch::new().tick(world.view(), others, &wishes, &settings).unwrap();
            assert_eq!(units.state_hash(), others.state_hash(), "tick {tick}");
            batch.open_maps.counts()
        })
        .collect()
}

#[test]
fn only_what_changed_is_looked_up() {
    let (mut world, mut units) = (world(), crowd(&[Body::default()]));
    let (mut batch, mut others) = (Batch::new(), units.clone());
    let all = (ALONG[0] * ALONG[1]) as usize;
    let mut ticks =
        |world: &ResidentSectors, ticks| walk(&mut batch, [&mut units, &mut others], world, ticks);
    let counts = ticks(&world, 0..60);
    assert_eq!(counts[0], [all, all], "all are new");
    assert!(counts[1..].iter().all(|counts| *counts == [all, 0]), "{counts:?}");
    // A sector and the eight around it: looked at, and drawn again.
    let edited = SectorCoord::new(3, 1);
    world.insert(edited, flat(edited)).unwrap();
    let counts = ticks(&world, 60..80);
    assert_eq!(counts[0], [all, 2 * 9], "the others are as they were");
    assert!(counts[1..].iter().all(|counts| *counts == [all, 0]), "{counts:?}");
    // In a corner only four are near.
    world.unload(SectorCoord::new(0, 0));
    let counts = ticks(&world, 80..100);
    assert_eq!(counts[0], [all - 1, 4 + 3]);
    assert!(counts[1..].iter().all(|counts| *counts == [all - 1, 0]), "{counts:?}");
    // Where more has changed than is told, each is looked at once, and kept where it is as it was.
    for _ in 0..400 {
        world.set_outside(SectorCoord::new(50, 50));
    }
    let counts = ticks(&world, 100..120);
    assert_eq!(counts[0], [all - 1, all - 1]);
    assert!(counts[1..].iter().all(|counts| *counts == [all - 1, 0]), "{counts:?}");
}

/// Sectors that leave memory and come back between two ticks, as they were, may be elsewhere in it.
#[test]
fn sectors_that_come_back_elsewhere_in_memory_are_found_there() {
    let raised = |coord: SectorCoord| {
        let height = f64::from(coord.x + ALONG[0] * coord.z);
        let data = SectorData::from_fn(grid(), |_, _| height).unwrap();
        Arc::new(LoadedSector::new(format::encode(coord, &data).bytes).unwrap())
    };
    let sectors: Vec<_> = coords().map(|coord| (coord, raised(coord))).collect();
    let mut world = ResidentSectors::new(grid());
    let load = |world: &mut ResidentSectors, backwards: bool| {
        let mut sectors = sectors.clone();
        if backwards {
            sectors.reverse();
        }
        sectors.iter().for_each(|(coord, _)| world.unload(*coord));
        for (coord, sector) in sectors {
            world.insert(coord, sector).unwrap();
        }
    };
    load(&mut world, false);
    let mut units = crowd(&[Body::default()]);
    let (mut batch, mut others) = (Batch::new(), units.clone());
    let mut ticks =
        |world: &ResidentSectors, ticks| walk(&mut batch, [&mut units, &mut others], world, ticks);
    ticks(&world, 0..20);
    load(&mut world, false);
    ticks(&world, 20..40);
    let mut other_world = ResidentSectors::new(grid());
    load(&mut other_world, true);
    ticks(&other_world, 40..60);
    ticks(&world, 60..80);
}

#[test]
fn bodies_that_walk_alike_share_maps() {
    let body = |at: usize| {
        let part = at as f32 * 0.01;
        let body = BodyBuilder { height: 1.5 + part, step_down: 0.4 + part, ..Default::default() };
        BodyBuilder { jump_speed: 3.0 + part, ..body }.build().unwrap()
    };
    let mut bodies: Vec<Body> = (0..16).map(body).collect();
    let all = (ALONG[0] * ALONG[1]) as usize;
    let counts = |bodies: &[Body]| {
        let (mut batch, mut units) = (Batch::new(), crowd(bodies));
        let mut others = units.clone();
        walk(&mut batch, [&mut units, &mut others], &world(), 0..3)[0]
    };
    assert_eq!(counts(&bodies), [all; 2]);
    bodies.push(BodyBuilder { radius: 0.5, ..Default::default() }.build().unwrap());
    assert_eq!(counts(&bodies), [2 * all; 2], "a wider one has its own");
    bodies.push(BodyBuilder { max_slope_degrees: 20.0, ..Default::default() }.build().unwrap());
    assert_eq!(counts(&bodies), [3 * all; 2], "so has one for which ground is too steep sooner");
}

/// A box of `size` metres that stands on its origin.
fn cuboid(size: [f32; 3]) -> Arc<LoadedMesh> {
    let vertices = (0..8)
        .map(|corner| {
            let at = |axis: usize| (corner >> axis & 1) as f32 * size[axis];
            Vec3::new(at(0) - size[0] / 2.0, at(1), at(2) - size[2] / 2.0)
        })
        .collect();
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap();
    Arc::new(LoadedMesh::new(mesh.encode()).unwrap())
}

#[test]
fn a_live_prop_closes_the_maps_near_it_and_no_other_is_looked_at() {
    let (world, mut units) = (world(), crowd(&[Body::default()]));
    let (mut batch, mut others) = (Batch::new(), units.clone());
    let settings = TickSettings::default();
    let size = grid().sector_size();
    let mut live = LiveProps::new(size);
    let prop = |mesh, coord, x, velocity| {
        let place = WorldPos::new(coord, Vec3::new(x, 0.0, 0.0), size).unwrap();
        LiveProp { linear_velocity: velocity, ..LiveProp::new(mesh, place) }
    };
    let (small, wide) = (cuboid([1.0, 1.0, 1.0]), cuboid([20.0, 0.3, 9.0]));
    let fast = prop(small, SectorCoord::new(0, 1), -3.0, Vec3::new(12.0, 0.0, 0.0));
    let slow = prop(wide.clone(), SectorCoord::new(5, 3), 3.9, Vec3::new(-2.0, 0.0, -1.0));
    let all = (ALONG[0] * ALONG[1]) as usize;
    let mut slow_id = None;
    for tick in 0..260 {
        match tick {
            2 => _ = live.add(fast.clone()).unwrap(),
            60 => slow_id = Some(live.add(slow.clone()).unwrap()),
            150 => _ = live.remove(slow_id.unwrap()).unwrap(),
            // More props than maps: all are looked at.
            200 => (0..all).for_each(|_| _ = live.add(slow.clone()).unwrap()),
            _ => {}
        }
        live.advance(settings.dt).unwrap();
        let (view, wishes) = (world.view().with_live(&live), wishes(&units, tick));
        batch.tick(view, &mut units, &wishes, &settings).unwrap();
        Batch::new().tick(view, &mut others, &wishes, &settings).unwrap();
        assert_eq!(units.state_hash(), others.state_hash(), "tick {tick}");
        // Beside the border of a sector, those of the next one too; the wide one is near twelve at most.
        let near = batch.open_maps.near_live.len();
        let most = [0, 2, 2 + 12, 2, 4 * 3 + 2];
        let stage = [2, 60, 150, 200].iter().filter(|at| **at <= tick).count();
        assert!(near <= most[stage] && (stage == 0 || near > 0), "{near} in tick {tick}");
    }
    drop(live);
    let wishes = wishes(&units, 0);
    batch.tick(world.view(), &mut units, &wishes, &settings).unwrap();
    assert!(batch.open_maps.near_live.is_empty());
}
