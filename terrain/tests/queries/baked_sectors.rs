//! Props in sectors that are missing or repeat, what is near a box, and who is deep inside.

use std::sync::Arc;

use marchland_terrain::bake::place;
use marchland_terrain::format::MeshUse;
use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::Gathered;
use marchland_terrain::math::Aabb;
use marchland_terrain::query::{
    ALL_LAYERS, Contacts, QueryError, Region, SupportBy, Sweep, TriangleId,
};
use marchland_terrain::{
    LoadedMesh, LoadedSector, PropId, PropRecord, ResidentSectors, SectorCoord, SectorState,
    WorldPos,
};

use super::baked_scene::{BODY, Baked, files, grid, input, places};
use super::scene::{Random, Scene, Vectors, block};

#[test]
fn a_missing_sector_within_reach_is_named_and_one_outside_the_world_is_no_obstacle() {
    let middle = SectorCoord::new(-3, 4);
    let mut world = Baked::new(middle, [8, 8]);
    let sector = |x: i32, z: i32| middle.offset(x, z).unwrap();
    let mut contacts = Contacts::with_capacity(64);
    let corner = world.at(Vec3::Y * 0.5);
    // Both of a row, and of two rows the northern one.
    for (missing, named) in [
        (vec![(1, 1)], (1, 1)),
        (vec![(1, 1), (0, 1)], (0, 1)),
        (vec![(0, 1), (1, 0)], (1, 0)),
        (vec![(0, 0), (1, 1), (1, 0)], (0, 0)),
    ] {
        for (x, z) in missing {
            world.sectors.unload(sector(x, z));
        }
        let refused = QueryError::NotResident { sector: sector(named.0, named.1) };
        let solids = world.solids(ALL_LAYERS);
        contacts = Contacts::with_capacity(64);
        assert_eq!(solids.overlap(BODY, corner, &mut contacts), Err(refused));
        assert!(contacts.as_slice().is_empty() && !contacts.is_cut());
        assert_eq!(solids.support(BODY, corner, -1.0, 1.0, SupportBy::Props), Err(refused));
        assert_eq!(solids.ceiling(BODY, corner, 1.0), Err(refused));
        assert_eq!(solids.sweep(BODY, corner, Vec3::X), Err(refused));
        let region = Region::around(BODY, corner, 0.0).unwrap();
        let mut scratch = Gathered::with_capacity(64);
        assert_eq!(world.view().gather(&region, 1, &mut scratch).err(), Some(refused));
        world.sectors = world.spread.sectors.clone();
    }
    // Not in the way of a question that only comes near, nor of a motion that passes beside.
    world.sectors.unload(sector(1, 1));
    let solids = world.solids(ALL_LAYERS);
    let near = world.at(Vec3::new(-0.41, 3.0, -0.41));
    assert_eq!(solids.overlap(BODY, near, &mut contacts), Ok(()));
    // Nearer than what is one place, what lies beyond decides what is an edge.
    let seam = world.at(Vec3::new(-0.400_05, 3.0, 1.0));
    let refused = Err(QueryError::NotResident { sector: sector(1, 1) });
    assert_eq!(solids.overlap(BODY, seam, &mut contacts), refused);
    let past =
        solids.sweep(BODY, world.at(Vec3::new(-8.0, 30.0, 4.0)), Vec3::new(12.0, 0.0, -12.0));
    assert_eq!(past, Ok(Sweep::Free));
    let into = solids.sweep(BODY, world.at(Vec3::new(-8.0, 30.0, 4.0)), Vec3::new(12.0, 0.0, 0.0));
    assert_eq!(into, Err(QueryError::NotResident { sector: sector(1, 1) }));
    // Outside the world there is no ground; what others know of a prop stays.
    world.sectors.set_outside(sector(1, 1));
    let solids = world.solids(ALL_LAYERS);
    let beyond = world.at(Vec3::new(4.0, -3.0, 4.0));
    solids.overlap(BODY, beyond, &mut contacts).unwrap();
    assert!(contacts.as_slice().is_empty(), "{contacts:?}");
    assert_eq!(solids.sweep(BODY, beyond, Vec3::new(0.0, -900.0, 0.0)), Ok(Sweep::Free));
    assert_eq!(solids.support(BODY, beyond, -9.0, 9.0, SupportBy::Terrain), Ok(None));
    solids.overlap(BODY, corner, &mut contacts).unwrap();
    assert!(contacts.as_slice().iter().any(|contact| contact.triangle.prop().is_some()));
}

#[test]
fn every_copy_of_a_sector_that_repeats_without_end_has_its_props() {
    let home = SectorCoord::new(0, 0);
    let bare = files(home, [0, 0]).swap_remove(12);
    assert_eq!(bare.coord, home);
    let mut input = input(home, [0, 0]);
    input.props.retain(|prop| prop.kind.mesh != 1);
    let prepared: Vec<Arc<LoadedMesh>> =
        input.meshes.iter().map(|mesh| Arc::new(LoadedMesh::new(mesh.encode()).unwrap())).collect();
    let loaded = Arc::new(LoadedSector::new(bare.bytes.clone()).unwrap());
    let placements = place(grid(), &[home], &input, &|_| Ok(Arc::clone(&loaded))).unwrap();
    let uses: Vec<MeshUse> = prepared
        .iter()
        .map(|mesh| MeshUse { hash: mesh.hash(), bounds: mesh.view().bounds() })
        .collect();
    let furnished = placements.furnish(home, &bare.bytes, &uses).unwrap();
    let find = &mut |hash| prepared.iter().find(|mesh| mesh.hash() == hash).cloned();
    let sector = Arc::new(LoadedSector::with_meshes(furnished.bytes, find).unwrap());
    let mut world = Baked::new(home, [0, 0]);
    world.sectors = ResidentSectors::endless(sector);
    let mut copies = Vec::new();
    for place in [(0, 0), (1, 0), (-1, 2), (-70_000, 1_000_000), (i32::MAX, i32::MIN)] {
        let coord = SectorCoord::new(place.0, place.1);
        let mut found = Vec::new();
        for (feet, motion) in places() {
            let inner = |feet: Vec3| feet.x.abs() < 7.0 && feet.z.abs() < 7.0;
            if !(inner(feet) && inner(feet + motion)) {
                continue;
            }
            let mut contacts = Contacts::with_capacity(64);
            let at = WorldPos::new(coord, feet, grid().sector_size()).unwrap();
            let solids = world.solids(ALL_LAYERS);
            solids.overlap(BODY, at, &mut contacts).unwrap();
            for contact in contacts.as_slice() {
                let in_it = |sector: SectorCoord| assert_eq!(sector, coord, "{contact:?}");
                let name = match contact.triangle {
                    TriangleId::Terrain { sector, triangle } => {
                        in_it(sector);
                        (u32::MAX, triangle)
                    }
                    TriangleId::Prop { prop: PropId::Baked { sector, index }, triangle } => {
                        in_it(sector);
                        (index, triangle)
                    }
                    other => panic!("{other:?}"),
                };
                found.push((name, contact.normal.to_array().map(f32::to_bits), 0));
            }
            if let Sweep::Hit(hit) = solids.sweep(BODY, at, motion).unwrap() {
                found.push(((0, 0), [0; 3], hit.time.to_bits()));
            }
        }
        assert!(found.iter().filter(|((index, _), ..)| *index < 5).count() > 100);
        copies.push(found);
    }
    for copy in &copies {
        assert_eq!(*copy, copies[0]);
    }
}

#[test]
fn a_box_has_a_prop_where_the_box_around_one_touches_it_not_around_its_neighbours() {
    let middle = SectorCoord::new(-3, 4);
    let world = Baked::new(middle, [5, 3]);
    let size = grid().sector_size();
    let mut random = Random::new(71);
    let (mut some, mut none, mut only_near) = (0, 0, 0);
    for (dx, dz) in (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (dx, dz))) {
        let coord = middle.offset(dx, dz).unwrap();
        let SectorState::Resident(sector) = world.view().sector(coord) else { continue };
        let props = sector.props();
        for n in 0..2000 {
            let (at, half) = (random.vector(9.0), random.vector(1.0).abs());
            let within = Aabb { min: at - half, max: at + half };
            let mask = [ALL_LAYERS, 0b0101, 0b1000, 0][n % 4];
            let is_met = |record: &PropRecord| {
                let bounds = props.mesh(record).bounds();
                record.layers & mask != 0 && record.box_in(coord, size, &bounds).touches(&within)
            };
            let met = (0..props.len()).map(|at| props.record(at)).filter(is_met);
            let met: Vec<_> = met
                .map(|record| record.box_in(coord, size, &props.mesh(&record).bounds()))
                .collect();
            let exactly = !met.is_empty();
            assert_eq!(props.has_any_in(&within, mask, size), exactly, "{within:?} in {coord}");
            let mut boxes = Vec::new();
            props.boxes_in(&within, mask, size, |bounds| boxes.push(*bounds));
            assert_eq!(boxes, met, "{within:?} in {coord}");
            let mut comes = false;
            props.in_box(&within, |range| comes |= !range.is_empty());
            some += i32::from(exactly);
            none += i32::from(!exactly);
            only_near += i32::from(comes && !exactly && mask == ALL_LAYERS);
        }
    }
    assert!(some > 300 && none > 300 && only_near > 20, "{some} {none} {only_near}");
}

#[test]
fn who_is_deep_inside_is_told_the_nearest_face_however_far_it_is() {
    let mut scene = Scene::without_ground(SectorCoord::new(0, 0));
    scene.put(&block(Vec3::splat(-40.0), Vec3::splat(40.0)), Vec3::ZERO, [0.0; 3]);
    let solids = scene.view().solids(ALL_LAYERS);
    let mut contacts = Contacts::with_capacity(16);
    let middle = 0.5 * BODY.height;
    for (feet, normal, depth) in [
        (Vec3::new(3.0, 1.0, -2.0), Vec3::X, 37.0 + BODY.radius),
        (Vec3::new(-1.0, 20.0, 2.0), Vec3::Y, 20.0),
        (Vec3::new(1.0, -12.0, -22.0), Vec3::NEG_Z, 18.0 + BODY.radius),
        (Vec3::new(0.5, -30.0, 4.0), Vec3::NEG_Y, 10.0 + BODY.height),
        (Vec3::new(36.5, 0.0 - middle, 0.0), Vec3::X, 3.5 + BODY.radius),
    ] {
        solids.overlap(BODY, scene.at(feet), &mut contacts).unwrap();
        let [way] = contacts.as_slice() else { panic!("{contacts:?} at {feet}") };
        assert!(way.inside && way.normal.distance(normal) < 1e-6, "{way:?} at {feet}");
        assert!((way.depth - depth).abs() < 1e-4, "{way:?} at {feet}");
    }
}
