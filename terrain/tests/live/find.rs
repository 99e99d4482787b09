//! What is near: against looking at every vertex.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::{LiveProp, LiveProps, PropId, SectorCoord, SectorSize, WorldPos};

use crate::scene::{
    Random, Vectors, at, busy, change, exact_box, flag, placement, size, spoke, vertices,
};

/// Least and greatest coordinates.
type Bounds = (DVec3, DVec3);

/// More than this beyond a region nothing is found: two steps of 2⁻⁷ m, and the slack of boxes.
const SLACK: f64 = 0.017;

fn found(live: &LiveProps, sector: SectorCoord, (min, max): Bounds) -> Vec<PropId> {
    let mut ids = Vec::new();
    live.in_box(sector, min, max, |prop| ids.push(prop.id()));
    ids
}

fn swept(live: &LiveProps, sector: SectorCoord, way: [DVec3; 3]) -> Vec<PropId> {
    let mut ids = Vec::new();
    live.along(sector, way[0], way[1], way[2], |prop| ids.push(prop.id()));
    ids
}

fn sorted(mut ids: Vec<PropId>) -> Vec<PropId> {
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "visited twice");
    ids
}

fn touch(a: Bounds, b: Bounds) -> bool {
    a.0.cmple(b.1).all() && b.0.cmple(a.1).all()
}

/// Whether a point that goes from `from` by `motion` comes into a box: the way is cut at every plane
/// of the box, and each cut and piece tried.
fn passes(from: DVec3, motion: DVec3, (min, max): Bounds) -> bool {
    let mut cuts = vec![0.0, 1.0];
    for axis in 0..3 {
        if motion[axis] != 0.0 {
            cuts.extend([min, max].map(|plane| (plane[axis] - from[axis]) / motion[axis]));
        }
    }
    cuts.retain(|cut| (0.0..=1.0).contains(cut));
    cuts.sort_by(f64::total_cmp);
    let middles = cuts.windows(2).map(|pair| (pair[0] + pair[1]) * 0.5);
    middles.chain(cuts.iter().copied()).any(|t| {
        let point = from + motion * t;
        let (low, high) = (min - DVec3::splat(1e-9), max + DVec3::splat(1e-9));
        low.cmple(point).all() && point.cmple(high).all()
    })
}

fn grown((min, max): Bounds, by: DVec3) -> Bounds {
    (min - by, max + by)
}

fn a_region(draw: &mut Random) -> Bounds {
    let middle = draw.vector(130.0).as_dvec3();
    let half = draw.vector(1.0).abs().as_dvec3() * [0.0, 9.0, 90.0][draw.below(3) as usize];
    (middle - half, middle + half)
}

/// From, motion, half sizes; some along an axis, some standing.
fn a_way(draw: &mut Random) -> [DVec3; 3] {
    let mut motion = draw.vector(300.0);
    for axis in 0..3 {
        if draw.below(4) == 0 {
            motion[axis] = 0.0;
        }
    }
    let half = draw.vector(1.0).abs() * [0.0, 9.0][draw.below(2) as usize];
    [draw.vector(130.0).as_dvec3(), motion.as_dvec3(), half.as_dvec3()]
}

#[test]
fn whatever_came_went_and_moved_all_that_touches_is_found_and_nothing_that_is_far() {
    let here = SectorCoord::new(3, -2);
    let mut draw = Random::from_state(0x1234_5678_9abc_def1);
    let meshes = [flag(), spoke(9.0)];
    let mut live = LiveProps::new(size());
    let mut ids = Vec::new();
    let (mut regions, mut ways) = (0, 0);
    for step in 0..6000 {
        change(&mut draw, &meshes, here, &mut live, &mut ids);
        if step % 20 != 0 {
            continue;
        }
        assert_eq!(live.len() as usize, ids.len());
        let region = a_region(&mut draw);
        let near = sorted(found(&live, here, region));
        let way = a_way(&mut draw);
        let passed = sorted(swept(&live, here, way));
        for &id in &ids {
            let around = exact_box(&live, id, here);
            let is_near = near.binary_search(&id).is_ok();
            assert!(is_near || !touch(around, region), "lost {id:?} in {region:?}");
            let far = !touch(grown(around, DVec3::splat(SLACK)), region);
            assert!(!(is_near && far && !turned(&live, id)), "{id:?} is far from {region:?}");
            let is_passed = passed.binary_search(&id).is_ok();
            assert!(is_passed || !passes(way[0], way[1], grown(around, way[2])), "lost {id:?}");
            let wide = grown(around, way[2] + DVec3::splat(SLACK));
            let far = !passes(way[0], way[1], wide);
            assert!(!(is_passed && far && !turned(&live, id)), "{id:?} is far from {way:?}");
        }
        regions += near.len();
        ways += passed.len();
    }
    assert!(ids.len() > 500 && regions > 1000 && ways > 300, "{} {regions} {ways}", ids.len());
}

/// Whether its box is that of a turned box around its mesh, and so larger than need be.
fn turned(live: &LiveProps, id: PropId) -> bool {
    let prop = live.get(id).unwrap();
    prop.placement().rotation() != marchland_terrain::math::Rotation::IDENTITY
}

#[test]
fn what_is_not_turned_is_found_only_where_it_is() {
    // The test above says little of props that are turned; this one has none.
    let here = SectorCoord::new(-1, 0);
    let mut draw = Random::from_state(77);
    let mut live = LiveProps::new(size());
    let mut ids = Vec::new();
    for _ in 0..300 {
        let mut prop = LiveProp::new(flag(), at(here, draw.vector(60.0)));
        prop.linear_velocity = Vec3::X * 5.0;
        ids.push(live.add(prop).unwrap());
    }
    for _ in 0..100 {
        live.advance(0.02).unwrap();
        let region = a_region(&mut draw);
        let near = sorted(found(&live, here, region));
        for id in near {
            let around = grown(exact_box(&live, id, here), DVec3::splat(SLACK));
            assert!(touch(around, region), "{id:?} is far from {region:?}");
        }
    }
}

#[test]
fn the_very_corners_of_a_prop_are_found_at_every_end_of_the_world() {
    // The largest sectors: at their ends a metre of the world's frame has 7 bits behind the point.
    let wide = SectorSize::new(16_384.0).unwrap();
    let ends = [i32::MIN, -1, 0, 12_345, i32::MAX];
    let mut draw = Random::from_state(0x0bad_cafe);
    for (x, z) in ends.iter().flat_map(|&x| ends.map(|z| (x, z))) {
        let sector = SectorCoord::new(x, z);
        let mut live = LiveProps::new(wide);
        for _ in 0..20 {
            // Not turned: its box is no larger than it is.
            let local = draw.vector(8000.0);
            let position = WorldPos::new(sector, local, wide).unwrap();
            let id = live.add(LiveProp::new(flag(), position)).unwrap();
            for vertex in vertices(&live, id, sector) {
                let at_vertex = found(&live, sector, (vertex, vertex));
                assert!(at_vertex.contains(&id), "{vertex} in {sector}");
                let way = [vertex, DVec3::ZERO, DVec3::ZERO];
                assert!(swept(&live, sector, way).contains(&id), "{vertex} in {sector}");
            }
            let (min, max) = exact_box(&live, id, sector);
            for off in [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * (max - min + SLACK)) {
                assert!(!found(&live, sector, (min + off, max + off)).contains(&id));
                assert!(!found(&live, sector, (min - off, max - off)).contains(&id));
            }
            live.remove(id).unwrap();
        }
    }
}

#[test]
fn what_is_found_and_in_which_order_is_the_same_in_every_part_of_the_world() {
    let near = SectorCoord::new(0, 0);
    let (live, _) = busy(42, near, 2500);
    let corners = [
        SectorCoord::new(i32::MAX - 4, i32::MIN + 4),
        SectorCoord::new(i32::MIN + 4, i32::MAX - 4),
        SectorCoord::new(1_000_000, 17),
    ];
    for far in corners {
        let (there, _) = busy(42, far, 2500);
        assert_eq!(there.state_hash_from(far), live.state_hash());
        let mut draw = Random::from_state(9);
        let mut count = 0;
        for _ in 0..500 {
            let (region, way) = (a_region(&mut draw), a_way(&mut draw));
            let ids = found(&live, near, region);
            assert_eq!(found(&there, far, region), ids);
            assert_eq!(swept(&there, far, way), swept(&live, near, way));
            count += ids.len();
            // The same region, seen from the neighbour.
            let aside = SectorCoord::new(far.x + 1, far.z - 2);
            let shift = DVec3::new(-64.0, 0.0, 128.0);
            let shifted = (region.0 + shift, region.1 + shift);
            if shifted.0 - shift == region.0 && shifted.1 - shift == region.1 {
                assert_eq!(found(&there, aside, shifted), ids);
            }
        }
        assert!(count > 2000, "{count}");
    }
}

#[test]
fn what_is_found_does_not_depend_on_how_the_tree_grew() {
    let here = SectorCoord::new(0, 0);
    let (mut live, _) = busy(7, here, 3000);
    live.settle(); // what has moved is found on its whole way
    // The same props again: at once, backwards, and without anything that was there before.
    let mut again = LiveProps::new(size());
    let props: Vec<_> = live.iter().collect();
    let ids: Vec<_> = props
        .iter()
        .rev()
        .map(|prop| (again.add(prop.prop().clone()).unwrap(), prop.id()))
        .collect();
    let mut draw = Random::from_state(5);
    for _ in 0..500 {
        let (region, way) = (a_region(&mut draw), a_way(&mut draw));
        let named = |some: Vec<PropId>| {
            sorted(some.iter().map(|id| ids.iter().find(|(new, _)| new == id).unwrap().1).collect())
        };
        assert_eq!(named(found(&again, here, region)), sorted(found(&live, here, region)));
        assert_eq!(named(swept(&again, here, way)), sorted(swept(&live, here, way)));
    }
}

#[test]
fn a_prop_over_a_corner_of_sectors_is_found_from_all_of_them() {
    let mut live = LiveProps::new(size());
    let corner = at(SectorCoord::new(4, 4), Vec3::new(31.5, 0.0, 31.5));
    let mut wide = LiveProp::new(spoke(9.0), corner);
    wide.placement = placement(&mut Random::from_state(3));
    let id = live.add(wide).unwrap();
    for (x, z) in [(4, 4), (5, 4), (4, 5), (5, 5)] {
        let sector = SectorCoord::new(x, z);
        let (min, max) = exact_box(&live, id, sector);
        for point in [min, max, DVec3::new(min.x, max.y, max.z)] {
            assert_eq!(found(&live, sector, (point, point)), [id]);
        }
    }
}

#[test]
fn odd_regions_are_answered_and_not_feared() {
    let (live, ids) = busy(1, SectorCoord::new(0, 0), 400);
    let here = SectorCoord::new(0, 0);
    let all = DVec3::splat(f64::INFINITY);
    assert_eq!(found(&live, here, (-all, all)).len(), ids.len());
    assert_eq!(found(&live, here, (DVec3::NAN, DVec3::NAN)).len(), ids.len());
    assert_eq!(found(&live, here, (all, -all)), []);
    assert_eq!(found(&live, here, (DVec3::splat(1e300), all)), []);
    let far = SectorCoord::new(i32::MAX, i32::MIN);
    assert_eq!(found(&live, far, (-all, all)).len(), ids.len());
    for bad in [f64::NAN, f64::INFINITY] {
        let bad = DVec3::splat(bad);
        for way in [[bad, DVec3::X, DVec3::ZERO], [DVec3::ZERO, bad, DVec3::ZERO]] {
            assert_eq!(swept(&live, here, way), []);
        }
        assert_eq!(swept(&live, here, [DVec3::ZERO, DVec3::X, bad]), []);
    }
    assert_eq!(swept(&live, here, [DVec3::ZERO, DVec3::X, -DVec3::ONE]), []);
    let through = [DVec3::splat(-1e30), DVec3::splat(2e30), DVec3::ZERO];
    assert!(swept(&live, here, through).len() <= ids.len());
}
