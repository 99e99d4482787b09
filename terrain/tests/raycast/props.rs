//! Rays among props.

use std::sync::Arc;

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::Placement;
use marchland_terrain::{
    Collision, LiveProp, LiveProps, PropHit, PropId, PropRecord, RayHit, Raycast, ResidentSectors,
    SectorCoord, SurfaceId, WorldPos,
};

use crate::prop_brute::judge;
use crate::prop_scene::{PropScene, crate_mesh, grid, loaded};
use crate::scene::{Random, bits_of};

const MIDDLE: SectorCoord = SectorCoord::new(-7, 4000);

#[test]
fn rays_agree_with_asking_every_triangle() {
    let mut numbers = Random::from_state(0x0dd0_beef);
    let (mut on_props, mut on_ground) = (0, 0);
    for seed in 1..=6 {
        let scene = PropScene::new(MIDDLE, seed * 1001, 12 * seed as u32, false);
        for cast in 0..8000 {
            let (place, direction) = scene.ray(&mut numbers);
            let max = [f32::INFINITY, f32::INFINITY, 3.0, 20.0][cast % 4];
            let mask = [u32::MAX, u32::MAX, 0b1010, 1 << 4][cast / 4 % 4];
            let ground = scene.sectors.view().raycast_masked(place, direction, max, 0).unwrap();
            let answer = scene.cast(place, direction, max, mask);
            let (from, towards) = (scene.metres(place), direction.as_dvec3());
            judge(&scene, from, towards, f64::from(max), mask, ground, answer).unwrap_or_else(
                |wrong| panic!("seed {seed} from {from} towards {direction} mask {mask}: {wrong}"),
            );
            let Raycast::Hit(hit) = answer else { continue };
            on_props += u32::from(hit.prop.is_some());
            on_ground += u32::from(hit.prop.is_none());
        }
    }
    assert!(on_props > 10_000 && on_ground > 5000, "{on_props} {on_ground}");
}

#[test]
fn far_is_near_and_the_order_of_loading_does_not_matter_to_the_bit() {
    let near = PropScene::new(SectorCoord::new(0, 0), 5, 40, false);
    let others = [
        PropScene::new(SectorCoord::new(0, 0), 5, 40, true),
        PropScene::new(SectorCoord::new(i32::MAX - 4, i32::MIN + 4), 5, 40, false),
        PropScene::new(SectorCoord::new(i32::MIN + 4, 1 << 24), 5, 40, true),
    ];
    let mut numbers = Random::from_state(0xfa12);
    let mut hits = 0;
    for _ in 0..10_000 {
        let (place, direction) = near.ray(&mut numbers);
        let answer = near.cast(place, direction, f32::INFINITY, u32::MAX);
        let bits = bits_of(answer, near.middle);
        for other in &others {
            let (x, z) = (place.sector().x, place.sector().z);
            let sector = other.middle.offset(x, z).unwrap();
            let there = WorldPos::new(sector, place.local(), grid().sector_size()).unwrap();
            let answer = other.cast(there, direction, f32::INFINITY, u32::MAX);
            assert_eq!(bits_of(answer, other.middle), bits, "{place:?} {direction}");
        }
        hits += usize::from(matches!(answer, Raycast::Hit(RayHit { prop: Some(_), .. })));
    }
    assert!(hits > 2000, "{hits}");
}

/// A record at a place in the middle sector.
fn record(index: u32, position: Vec3, placement: Placement) -> PropRecord {
    PropRecord {
        sector: MIDDLE,
        index,
        mesh: 0,
        position,
        placement,
        surface: SurfaceId(9),
        collision: Collision::Soup,
        layers: 1,
    }
}

fn turned(degrees: [f64; 3], scale: f32) -> Placement {
    Placement::new(Rotation::from_degrees(degrees), scale).unwrap()
}

fn prop_of(answer: Raycast) -> PropHit {
    match answer {
        Raycast::Hit(RayHit { prop: Some(prop), .. }) => prop,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_ray_gets_through_the_edges_and_corners_of_a_closed_box() {
    let meshes = [crate_mesh()];
    for (n, placement) in [
        turned([0.0; 3], 1.0),
        turned([0.0, 90.0, 0.0], 2.0),
        turned([0.0, 45.0, 0.0], 0.3),
        turned([31.0, 77.0, -12.0], 1.7),
    ]
    .into_iter()
    .enumerate()
    {
        let boxes = [record(0, Vec3::new(7.5, 6.0, -7.75), placement)];
        let scene = PropScene::of(MIDDLE, 1, &meshes, &boxes, &[], false);
        let corners: Vec<_> = scene.triangles.iter().flat_map(|t| t.corners).collect();
        let inside = corners.iter().copied().sum::<DVec3>() / corners.len() as f64;
        let mut numbers = Random::from_state(n as u64 + 17);
        for cast in 0..20_000 {
            let [a, b, c] = scene.triangles[cast % 12].corners;
            let aim = match cast / 12 % 3 {
                0 => a + (b - a) * numbers.part(),
                1 => b + (c - b) * numbers.part(),
                _ => a,
            };
            // From within it must come out; from beyond the middle of the box it must go in.
            let within = scene.at(inside + (aim - inside) * numbers.between(0.0, 0.9));
            let towards = (aim - scene.metres(within)).as_vec3();
            let out = scene.cast(within, towards, 10.0, 1);
            assert!(matches!(out, Raycast::Hit(hit) if hit.prop.is_some() && hit.from_below));
            let outside = scene.at(inside + (aim - inside) * numbers.between(1.5, 4.0));
            let towards = (inside - scene.metres(outside)).as_vec3();
            let inward = scene.cast(outside, towards, 10.0, 1);
            assert!(matches!(inward, Raycast::Hit(hit) if hit.prop.is_some() && !hit.from_below));
        }
    }
}

#[test]
fn no_ray_gets_through_the_seam_between_flush_props_in_two_sectors() {
    // Two boxes side by side over the border of the middle sector and the next.
    let meshes = [crate_mesh()];
    let west = record(0, Vec3::new(7.25, 6.0, 0.0), Placement::IDENTITY);
    let east = PropRecord {
        sector: MIDDLE.offset(1, 0).unwrap(),
        position: Vec3::new(-7.75, 6.0, 0.0),
        ..west
    };
    let scene = PropScene::of(MIDDLE, 1, &meshes, &[west, east], &[], false);
    for n in 0..=1000 {
        let aim = DVec3::new(8.0, 7.0, 0.5 + f64::from(n) / 1000.0);
        for from in [DVec3::Y * 4.0, DVec3::new(1.0, 3.0, 0.3), DVec3::new(-2.0, 1.0, 0.0)] {
            let place = scene.at(aim + from);
            let towards = (aim - scene.metres(place)).as_vec3();
            let hit = scene.cast(place, towards, 20.0, 1);
            assert!(matches!(hit, Raycast::Hit(hit) if hit.prop.is_some()), "{aim} from {from}");
        }
    }
}

#[test]
fn of_things_at_one_distance_the_ground_comes_first_and_then_the_least_id() {
    let floor = loaded(
        vec![Vec3::new(-1.0, 0.0, -1.0), Vec3::new(-1.0, 0.0, 3.0), Vec3::new(3.0, 0.0, -1.0)],
        vec![[0, 1, 2]],
    );
    let meshes = [Arc::clone(&floor)];
    let here = |height: f32| Vec3::new(2.0, height, 2.0);
    let at = |height: f32| WorldPos::new(MIDDLE, here(height), grid().sector_size()).unwrap();
    let scene = PropScene::of(MIDDLE, 1, &meshes, &[], &[], false);
    let Raycast::Hit(ground) = scene.cast(at(9.0), Vec3::NEG_Y, 20.0, 1) else {
        panic!("no ground")
    };
    let level = ground.position.local().y;

    // Same mesh, same place, four times over; the last baked ones have the lesser numbers.
    let records = [5, 3, 4].map(|index| record(index, here(5.0), Placement::IDENTITY));
    let live = LiveProp::new(Arc::clone(&floor), at(5.0));
    let live = [live.clone(), live];
    let scene = PropScene::of(MIDDLE, 1, &meshes, &records, &live, false);
    let first = prop_of(scene.cast(at(9.0), Vec3::NEG_Y, 20.0, u32::MAX));
    assert_eq!(first.id, PropId::Baked { sector: MIDDLE, index: 3 });
    let first = prop_of(scene.cast(at(9.0), Vec3::NEG_Y, 20.0, 2));
    assert_eq!(first.id, PropId::Live { slot: 0, generation: 0 });

    // At the height of the ground itself the ground is met; a step of the lattice higher, the prop.
    for (above, is_prop) in [(0.0, false), (1.0 / 65_536.0, true), (-0.25, false)] {
        let records = [record(0, here(level + above), Placement::IDENTITY)];
        let scene = PropScene::of(MIDDLE, 1, &meshes, &records, &[], false);
        let Raycast::Hit(hit) = scene.cast(at(9.0), Vec3::NEG_Y, 20.0, 1) else { panic!("a miss") };
        assert_eq!(hit.prop.is_some(), is_prop, "{above} above the ground");
        let surface = if is_prop { SurfaceId(9) } else { SurfaceId(3) };
        assert_eq!(hit.surface, surface);
    }
}

#[test]
fn a_ray_begins_on_a_prop_ends_on_it_and_sees_its_layers() {
    let meshes = [crate_mesh()];
    let records = [record(0, Vec3::new(0.0, 6.0, 0.0), Placement::IDENTITY)];
    let scene = PropScene::of(MIDDLE, 1, &meshes, &records, &[], false);
    let at = |y: f64| scene.at(DVec3::new(0.125, y, 1.125));
    let distance = |answer| match answer {
        Raycast::Hit(hit @ RayHit { prop: Some(_), .. }) => Some(hit.distance),
        _ => None,
    };
    assert_eq!(distance(scene.cast(at(7.0), Vec3::NEG_Y, 5.0, 1)), Some(0.0));
    assert_eq!(distance(scene.cast(at(7.0), Vec3::NEG_Y, 0.0, 1)), Some(0.0));
    assert_eq!(distance(scene.cast(at(9.0), Vec3::NEG_Y, 2.0, 1)), Some(2.0));
    assert_eq!(distance(scene.cast(at(9.0), Vec3::NEG_Y, 2.0_f32.next_down(), 1)), None);
    assert_eq!(distance(scene.cast(at(5.0), Vec3::Y, f32::INFINITY, 1)), Some(1.0));
    assert_eq!(distance(scene.cast(at(6.5), Vec3::Y, f32::INFINITY, 1)), Some(0.5));
    for mask in [0, 2, u32::MAX - 1] {
        assert_eq!(distance(scene.cast(at(9.0), Vec3::NEG_Y, 20.0, mask)), None);
    }
    // Every layer is what a ray without a mask sees.
    let all = scene.view().raycast(at(9.0), Vec3::NEG_Y, 20.0).unwrap();
    assert_eq!(distance(all), Some(2.0));
}

#[test]
fn what_lies_behind_a_sector_that_is_not_in_memory_stays_unknown() {
    let meshes = [crate_mesh()];
    let size = grid().sector_size();
    let live = |x: f32| {
        let local = Vec3::new(x, 6.0, -1.0);
        LiveProp::new(crate_mesh(), WorldPos::new(MIDDLE, local, size).unwrap())
    };
    let mut scene = PropScene::of(MIDDLE, 1, &meshes, &[], &[live(10.0), live(4.0)], false);
    scene.sectors.unload(MIDDLE.offset(1, 0).unwrap());
    let from = WorldPos::new(MIDDLE, Vec3::new(0.0, 6.5, 0.0), size).unwrap();
    let cast = |scene: &PropScene| scene.cast(from, Vec3::X, f32::INFINITY, u32::MAX);
    let second = PropId::Live { slot: 1, generation: 0 };
    assert_eq!(prop_of(cast(&scene)).id, second);
    assert!(scene.live.remove(second).is_some());
    assert_eq!(cast(&scene), Raycast::Unknown { from: 8.0 });
    // Just at the border is still known.
    scene.live.add(live(8.25)).unwrap();
    assert_eq!(prop_of(cast(&scene)).id, PropId::Live { slot: 1, generation: 1 });
}

#[test]
fn live_props_stand_where_no_sector_is_and_far_away() {
    let sectors = ResidentSectors::new(grid());
    let mut live = LiveProps::new(grid().sector_size());
    let size = grid().sector_size();
    let far = WorldPos::new(SectorCoord::new(1 << 20, 0), Vec3::new(0.0, 0.0, 0.0), size).unwrap();
    let mut large = LiveProp::new(crate_mesh(), far);
    large.placement = turned([0.0; 3], 1000.0);
    let id = live.add(large).unwrap();
    let view = sectors.view().with_live(&live);
    let from = WorldPos::new(SectorCoord::new(0, 0), Vec3::new(0.0, 500.0, 0.0), size).unwrap();
    let towards = far.relative_to(from, size) + Vec3::new(0.0, 1000.0, 1000.0);
    let Raycast::Hit(hit) = view.raycast(from, towards, f32::INFINITY).unwrap() else {
        panic!("a miss")
    };
    assert_eq!(hit.prop.map(|prop| prop.id), Some(id));
    // 16 777 km away, in a distance that `f32` rounds to whole metres.
    assert!((f64::from(hit.distance) - (16_777_216.0 - 250.0)).abs() < 2.0, "{}", hit.distance);
    assert_eq!(hit.normal, Vec3::NEG_X);
    assert!((f64::from(hit.position.local().x) - (-250.0 + 256.0)).abs() < 1e-3);
    assert_eq!(hit.position.sector().x, (1 << 20) - 16);
}

#[test]
fn a_ray_from_far_outside_the_world_meets_the_props_in_it() {
    let meshes = [crate_mesh()];
    let west = PropRecord {
        sector: MIDDLE.offset(-1, 1).unwrap(),
        ..record(4, Vec3::new(3.0, 6.0, 0.0), turned([0.0, 30.0, 0.0], 1.0))
    };
    let scene = PropScene::of(MIDDLE, 1, &meshes, &[west], &[], false);
    let size = grid().sector_size();
    let aim = WorldPos::new(west.sector, Vec3::new(3.1, 6.5, 0.9), size).unwrap();
    for (x, z) in [(-1000, 0), (-1000, 3000), (500, -70), (0, 40), (1, 20_000)] {
        let sector = MIDDLE.offset(x, z).unwrap();
        let from = WorldPos::new(sector, Vec3::new(0.5, 9.0, -3.0), size).unwrap();
        let towards = aim.relative_to(from, size);
        let answer = scene.cast(from, towards, f32::INFINITY, 1);
        assert_eq!(prop_of(answer).id, west.id(), "from {sector}");
    }
}

#[test]
fn an_endless_world_repeats_its_props_and_ends_its_rays() {
    let meshes = [crate_mesh()];
    let records = [record(0, Vec3::new(5.0, 6.0, 0.0), Placement::IDENTITY)];
    let scene = PropScene::of(MIDDLE, 1, &meshes, &records, &[], false);
    let sector = scene.sectors.clone();
    let bytes = match sector.view().sector(MIDDLE) {
        marchland_terrain::SectorState::Resident(_) => endless_sector(&records),
        other => panic!("{other:?}"),
    };
    let world = ResidentSectors::endless(bytes);
    let from = SectorCoord::new(100, 100);
    let at =
        |y: f32, z: f32| WorldPos::new(from, Vec3::new(6.5, y, z), grid().sector_size()).unwrap();
    // The one in this sector lies behind; the next is a sector on.
    let east = world.view().raycast(at(6.5, 1.0), Vec3::X, f32::INFINITY).unwrap();
    assert_eq!(prop_of(east).id, PropId::Baked { sector: SectorCoord::new(101, 100), index: 0 });
    // Between the rows it passes all of them, and is not asked to pass them without end.
    let row = world.view().raycast(at(6.5, -3.0), Vec3::X, f32::INFINITY).unwrap();
    assert!(
        matches!(row, Raycast::Unknown { from } if (1.04e6..1.05e6).contains(&from)),
        "{row:?}"
    );
    // Straight up there is but one sector.
    let up = world.view().raycast(at(9.0, 1.0), Vec3::Y, f32::INFINITY).unwrap();
    assert_eq!(up, Raycast::Miss);
    // As far as it is asked to.
    let row = world.view().raycast(at(6.5, -3.0), Vec3::X, 1000.0).unwrap();
    assert_eq!(row, Raycast::Miss);
}

fn endless_sector(records: &[PropRecord]) -> Arc<marchland_terrain::LoadedSector> {
    let meshes = [crate_mesh()];
    Arc::new(crate::prop_scene::sector(MIDDLE, (0, 0), 1, records, &meshes))
}

#[test]
fn no_ray_falls_through_the_inner_edges_of_a_wide_floor() {
    // Placed vertices are rounded the more, the farther they lie from the prop's origin.
    let cells = 16_u32;
    let vertex = |column: u32, row: u32| row * (cells + 1) + column;
    for (half, rays) in
        [(12.0_f32, 2000), (24.0, 4000), (60.0, 4000), (512.0, 4000), (8192.0, 4000)]
    {
        let step = 2.0 * half / cells as f32;
        let corner = |n: u32| {
            let (column, row) = (n % (cells + 1), n / (cells + 1));
            Vec3::new(column as f32 * step - half, 0.0, row as f32 * step - half)
        };
        let triangles: Vec<[u32; 3]> = (0..cells * cells)
            .flat_map(|cell| {
                let (column, row) = (cell % cells, cell / cells);
                let [a, b] = [vertex(column, row), vertex(column + 1, row)];
                let [c, d] = [vertex(column, row + 1), vertex(column + 1, row + 1)];
                [[a, c, b], [b, c, d]]
            })
            .collect();
        let floor = loaded((0..(cells + 1) * (cells + 1)).map(corner).collect(), triangles);
        let placement = turned([0.0, 30.0, 0.0], 1.0);
        let size = grid().sector_size();
        let at = WorldPos::new(MIDDLE, Vec3::new(0.0, 3.0, 0.0), size).unwrap();
        let (sectors, mut live) = (ResidentSectors::new(grid()), LiveProps::new(size));
        let mut prop = LiveProp::new(Arc::clone(&floor), at);
        prop.placement = placement;
        live.add(prop).unwrap();
        let view = sectors.view().with_live(&live);
        let placed = |n: u32| placement.placer().place(corner(n)).as_dvec3();
        let mut numbers = Random::from_state(u64::from(half.to_bits()));
        for _ in 0..rays {
            // An edge between two cells, or the one across a cell.
            let [column, row] = [(); 2].map(|()| numbers.whole(1, cells as i32 - 1) as u32);
            let (from, to) = match numbers.whole(0, 2) {
                0 => (vertex(column, row), vertex(column + 1, row)),
                1 => (vertex(column, row), vertex(column, row + 1)),
                _ => (vertex(column + 1, row), vertex(column, row + 1)),
            };
            let aim = placed(from) + (placed(to) - placed(from)) * numbers.part();
            let above = at.moved_by(aim.as_vec3() + Vec3::Y * 7.0, size).unwrap();
            let hit = view.raycast(above, Vec3::NEG_Y, 100.0).unwrap();
            assert!(matches!(hit, Raycast::Hit(_)), "half {half}, at {aim}: {hit:?}");
        }
    }
}
