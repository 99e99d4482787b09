//! Who is inside of something is told so, and the way that is told leads out.
//!
//! How deep a body is in a prop is judged by looking at every triangle of it: by how much the body
//! would have to shrink to be free of them all. What judges shares no code with the library.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::kernel::Gathered;
use marchland_terrain::math::lesser;
use marchland_terrain::props::MeshSource;
use marchland_terrain::query::{ALL_LAYERS, Contact, Contacts, Cylinder, Region};
use marchland_terrain::{PropId, SectorCoord};

use super::brute::{Triangle, all_triangles, lacks};
use super::scene::{Random, Scene, block};

/// What counts as inside. Metres.
const INSIDE: f64 = 1e-3;

/// A ramp that rises along +X, its foot at the origin.
fn ramp(run: f32, rise: f32, width: f32) -> MeshSource {
    let half = width * 0.5;
    let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
    MeshSource {
        vertices: vec![
            at(0.0, 0.0, -half),
            at(0.0, 0.0, half),
            at(run, 0.0, -half),
            at(run, 0.0, half),
            at(run, rise, -half),
            at(run, rise, half),
        ],
        triangles: vec![
            [0, 1, 5],
            [0, 5, 4],
            [2, 4, 5],
            [2, 5, 3],
            [0, 2, 3],
            [0, 3, 1],
            [0, 4, 2],
            [1, 3, 5],
        ],
    }
}

/// Crates flush on each other, a ramp flush against them, low walls end to end, and what lies about
/// at any angle.
pub(crate) fn yard(seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let mut scene = Scene::new(SectorCoord::new(3, -8), |x, z| {
        0.15 * x + 0.1 * z + 0.05 * f64::from((x * 3.0 + z * 5.0) as i32 % 4)
    });
    let cube = block(Vec3::splat(-0.5), Vec3::splat(0.5));
    for (along, up) in [(-1.0, 0.5), (0.0, 0.5), (1.0, 0.5), (-0.5, 1.5), (0.5, 1.5)] {
        scene.put(&cube, Vec3::new(along, up, -6.0), [0.0; 3]);
    }
    scene.put(&ramp(2.0, 1.0, 1.0), Vec3::new(-3.5, 0.0, -6.0), [0.0; 3]);
    let low_wall = block(Vec3::new(-2.0, 0.0, -0.2), Vec3::new(2.0, 0.75, 0.2));
    for half in [-2.0, 2.0] {
        scene.put(&low_wall, Vec3::new(half, 0.5, 6.0), [0.0; 3]);
    }
    let thin = block(Vec3::new(-1.0, -0.6, -0.1), Vec3::new(1.0, 0.6, 0.1));
    let meshes = [cube, thin, low_wall, ramp(3.4, 2.0, 2.0), ramp(1.4, 2.0, 2.0)];
    for place in 0..9 {
        let (x, z) = ((place % 3) as f32 * 4.5 - 4.5, (place / 3) as f32 * 3.0 - 3.0);
        let (tilt, yaw) =
            (f64::from(random.within(-40.0, 40.0)), f64::from(random.within(0.0, 360.0)));
        let mesh = &meshes[random.bits() as usize % meshes.len()];
        let at = Vec3::new(x, random.within(-0.5, 1.0), z);
        scene.put(mesh, at, [tilt, yaw, 0.5 * tilt]);
    }
    scene
}

/// By how much a body must shrink to be free of the triangles of a prop, or of the ground, once it has
/// moved. Metres.
pub(crate) fn depth(
    all: &[Triangle],
    owner: Option<PropId>,
    body: Cylinder,
    feet: Vec3,
    moved: DVec3,
) -> f64 {
    let own = all.iter().filter(|triangle| triangle.id.prop() == owner);
    -own.map(|triangle| lacks(&triangle.from(feet), body, 0.0, moved)).fold(1.0, lesser)
}

/// The bodies of a seed's yard, and where they stand.
pub(crate) fn bodies(seed: u64, count: usize) -> Vec<(Cylinder, Vec3)> {
    let mut random = Random::new(seed ^ 77);
    let body = |random: &mut Random| Cylinder {
        radius: random.within(0.2, 0.6),
        height: random.within(0.5, 1.8),
    };
    (0..count)
        .map(|_| {
            let feet = Vec3::new(
                random.within(-7.0, 7.0),
                random.within(-1.0, 2.5),
                random.within(-7.5, 7.5),
            );
            (body(&mut random), feet)
        })
        .collect()
}

/// Whether a point is behind all faces of the only prop, which is convex.
fn holds(all: &[Triangle], point: Vec3) -> bool {
    all.iter().all(|triangle| {
        let [corner, ..] = triangle.from(point);
        triangle.normal().dot(corner) > 0.0
    })
}

#[test]
fn who_is_inside_of_something_is_told_so_and_one_of_the_ways_leads_out() {
    let mut contacts = Contacts::with_capacity(256);
    let (mut deep, mut untold, mut shallow) = (0, 0, 0);
    for seed in 0..16 {
        let scene = yard(seed);
        let all = all_triangles(&scene);
        let props = scene.live.iter().map(|prop| Some(prop.id()));
        let owners: Vec<Option<PropId>> = props.chain([None]).collect();
        let solids = scene.view().solids(ALL_LAYERS);
        for (body, feet) in bodies(seed, 600) {
            solids.overlap(body, scene.at(feet), &mut contacts).unwrap();
            for &owner in &owners {
                let before = depth(&all, owner, body, feet, DVec3::ZERO);
                if before < INSIDE {
                    continue;
                }
                deep += 1;
                let of = |contact: &&Contact| contact.triangle.prop() == owner;
                let ways: Vec<_> = contacts.as_slice().iter().filter(of).collect();
                if ways.is_empty() {
                    // In a heap of flush crates, through a face that another one covers: those tell.
                    let most = contacts.deepest().map_or(0.0, |deepest| deepest.depth);
                    assert!(f64::from(most) > before, "{owner:?} of {body:?} at {feet}, {seed}");
                    untold += 1;
                } else if owner.is_some() && before < 0.25 * f64::from(body.radius) {
                    shallow += 1;
                    let lowers = |way: &&Contact| {
                        let moved = way.normal.as_dvec3() * (f64::from(way.depth) + 1e-4);
                        depth(&all, owner, body, feet, moved) < before - 1e-6
                    };
                    assert!(ways.iter().any(lowers), "{ways:?} of {body:?} at {feet}, {seed}");
                }
            }
        }
    }
    assert!(deep > 2000 && shallow > 500, "{deep}, {shallow}");
    assert!(untold < deep / 500, "{untold} of {deep}");
}

#[test]
fn following_the_best_of_the_ways_leads_out_of_any_lone_prop() {
    let mut random = Random::new(99);
    let mut contacts = Contacts::with_capacity(256);
    let mut deep = 0;
    for turn in 0..60 {
        let mut scene = Scene::without_ground(SectorCoord::new(-4, turn));
        let size = [random.within(0.1, 2.0), random.within(0.1, 2.0), random.within(0.1, 2.0)];
        let mesh = if turn % 2 == 0 {
            block(Vec3::from(size) * -0.5, Vec3::from(size) * 0.5)
        } else {
            ramp(size[0], size[1], size[2])
        };
        let level = if turn % 3 == 0 { 0.0 } else { 1.0 };
        let angle = [40.0, 180.0, 40.0].map(|reach: f32| f64::from(random.within(-reach, reach)));
        let prop = scene.put(&mesh, Vec3::ZERO, [angle[0] * level, angle[1], angle[2] * level]);
        let all = all_triangles(&scene);
        let all: Vec<_> = all.into_iter().filter(|one| one.id.prop() == Some(prop)).collect();
        let solids = scene.view().solids(ALL_LAYERS);
        for (body, place) in bodies(turn as u64, 200) {
            let inside = |feet: Vec3| {
                let depth = depth(&all, Some(prop), body, feet, DVec3::ZERO);
                let middle = feet + Vec3::Y * body.height * 0.5;
                if holds(&all, middle) { depth + 10.0 } else { depth }
            };
            let start = place * 0.3 - Vec3::Y * 0.3;
            let mut feet = start;
            deep += usize::from(inside(feet) > INSIDE);
            for _ in 0..4 {
                solids.overlap(body, scene.at(feet), &mut contacts).unwrap();
                let there = |way: &Contact| feet + way.normal * (way.depth + 1e-4);
                let places = contacts.as_slice().iter().map(there);
                let Some(best) = places.min_by(|a, b| inside(*a).total_cmp(&inside(*b))) else {
                    break;
                };
                feet = best;
            }
            assert!(inside(feet) < INSIDE, "{body:?} from {start} at {feet}, {turn}: {contacts:?}");
        }
    }
    assert!(deep > 1000, "{deep}");
}

#[test]
fn who_is_inside_of_a_heap_is_not_told_a_way_through_a_covered_face() {
    let mut scene = Scene::without_ground(SectorCoord::new(2, 2));
    let slab = block(Vec3::new(-1.5, 0.0, -1.5), Vec3::new(1.5, 1.0, 1.5));
    let lower = scene.put(&slab, Vec3::ZERO, [0.0; 3]);
    let upper = scene.put(&slab, Vec3::Y, [0.0; 3]);
    let body = Cylinder { radius: 0.3, height: 0.75 };
    let mut contacts = Contacts::with_capacity(64);
    let solids = scene.view().solids(ALL_LAYERS);
    // The head is through the joint, in the middle and beside the diagonal.
    for (x, z) in [(0.0, 0.0), (0.5, -0.75), (-0.9, 0.125)] {
        solids.overlap(body, scene.at(Vec3::new(x, 0.28, z)), &mut contacts).unwrap();
        let of = |prop| contacts.as_slice().iter().filter(move |c| c.triangle.prop() == Some(prop));
        assert!(of(lower).count() > 0, "{contacts:?}");
        assert!(of(upper).all(|way| way.normal.y > -0.5), "{contacts:?}");
    }
}

#[test]
fn what_is_printed_of_contacts_and_gathered_triangles_is_what_is_there() {
    let mut contacts = Contacts::with_capacity(256);
    assert_eq!(format!("{contacts:?}"), "Contacts { list: [], is_cut: false, .. }");
    let mut gathered = Gathered::with_capacity(2048);
    let nothing = "Gathered { region: None, sources: 0, triangles: 0, is_full: false, .. }";
    assert_eq!(format!("{gathered:?}"), nothing);

    let scene = yard(3);
    let body = Cylinder { radius: 2.0, height: 3.0 };
    scene.view().solids(ALL_LAYERS).overlap(body, scene.at(Vec3::ZERO), &mut contacts).unwrap();
    let count = contacts.as_slice().len();
    assert!(count > 1);
    assert_eq!(format!("{contacts:?}").matches("Contact {").count(), count);
    let region = Region::around(body, scene.at(Vec3::ZERO), 1.0).unwrap();
    scene.view().gather(&region, ALL_LAYERS, &mut gathered).unwrap();
    let triangles = format!("triangles: {}, ", gathered.len());
    assert!(!gathered.is_empty() && format!("{gathered:?}").contains(&triangles));
    assert!(format!("{gathered:?}").len() < 400);
}
