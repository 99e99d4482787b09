//! Questions about what is steep alone, and what a gathered region is known to hold.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::kernel::Gathered;
use marchland_terrain::props::LiveProp;
use marchland_terrain::query::{
    ALL_LAYERS, Contacts, Cylinder, Region, Seams, Solids, SupportBy, Sweep, TriangleId,
};
use marchland_terrain::{SectorCoord, SurfaceId, SurfaceSet, WorldPos};

use super::brute::{Triangle, all_triangles};
use super::depths::{bodies, yard};
use super::scene::{Random, Scene, Vectors, block, loaded};

/// How upright a triangle is for who may stand on it: of a sheet, from either side.
fn upright(triangle: &Triangle) -> f64 {
    let y = triangle.normal().y;
    if triangle.solid { y } else { y.abs() }
}

/// The triangles that a body overlaps, but for what it is below or within.
fn met(solids: &Solids<'_>, body: Cylinder, at: WorldPos) -> Vec<TriangleId> {
    let mut contacts = Contacts::with_capacity(1024);
    solids.overlap(body, at, &mut contacts).unwrap();
    assert!(!contacts.is_cut());
    contacts.as_slice().iter().filter(|c| !c.inside).map(|c| c.triangle).collect()
}

/// A yard with sheets at all angles.
fn scene(seed: u64) -> Scene {
    let mut scene = yard(seed);
    let mut random = Random::new(seed ^ 5);
    for _ in 0..20 {
        let a = random.vector(6.0);
        let vertices = vec![a, a + random.vector(4.0), a + random.vector(4.0)];
        let mesh = marchland_terrain::props::MeshSource { vertices, triangles: vec![[0, 1, 2]] };
        scene.put(&mesh, Vec3::ZERO, [0.0; 3]);
    }
    scene
}

#[test]
fn what_is_steeper_is_met_and_nothing_else() {
    let limits = [(0.985, f64::INFINITY), (f64::INFINITY, 0.7), (0.98, 0.9), (0.0, 0.0)];
    let (mut kept, mut left) = (0, 0);
    for seed in 0..6 {
        let scene = scene(seed);
        let all = all_triangles(&scene);
        let raw = scene.view().solids(ALL_LAYERS).with_seams(Seams::Raw);
        for (body, feet) in bodies(seed, 300) {
            let at = scene.at(feet);
            let everything = met(&raw, body, at);
            for (ground, props) in limits {
                let counts = |id: &&TriangleId| {
                    let triangle = all.iter().find(|one| one.id == **id).unwrap();
                    upright(triangle) < if id.prop().is_none() { ground } else { props }
                };
                let expected: Vec<_> = everything.iter().filter(counts).copied().collect();
                let steeper = raw.with_ground_steeper(ground).with_props_steeper(props);
                assert_eq!(met(&steeper, body, at), expected, "{body:?} at {feet}, {seed}");
                kept += expected.len();
                left += everything.len() - expected.len();
            }
        }
    }
    assert!(kept > 500 && left > 500, "{kept}, {left}");
}

#[test]
fn ground_of_a_surface_that_is_never_steep_is_no_wall_and_bears_at_any_slope() {
    // All ground here is of the surface 0.
    let sets = [[SurfaceId(0), SurfaceId(200)], [SurfaceId(1), SurfaceId(64)]];
    let [own, others] = sets.map(SurfaceSet::from_iter);
    assert!(own.contains(SurfaceId(200)) && !own.contains(SurfaceId(72)) && !own.is_empty());
    let (mut met_less, mut borne) = (0, 0);
    for seed in 0..4 {
        let scene = scene(seed);
        let all = scene.view().solids(ALL_LAYERS).with_seams(Seams::Raw);
        let steep = all.with_ground_steeper(0.985);
        for (body, feet) in bodies(seed, 300) {
            let at = scene.at(feet);
            let walls = met(&steep, body, at);
            let of_props: Vec<_> = walls.iter().filter(|id| id.prop().is_some()).copied().collect();
            assert_eq!(met(&steep.with_ground_never_steep(Some(&own)), body, at), of_props);
            assert_eq!(met(&steep.with_ground_never_steep(Some(&others)), body, at), walls);
            met_less += walls.len() - of_props.len();
            let bears = |solids: Solids<'_>, upright| {
                let by = SupportBy::Terrain;
                solids.support_upright(body, at, -1.0, 1.0, by, upright).unwrap()
            };
            let any = bears(all, 0.0);
            assert_eq!(bears(all.with_ground_never_steep(Some(&own)), 2.0), any);
            assert_eq!(bears(all.with_ground_never_steep(Some(&others)), 2.0), None);
            borne += usize::from(any.is_some());
        }
    }
    assert!(met_less > 50 && borne > 50, "{met_less}, {borne}");
}

#[test]
fn a_sweep_meets_the_first_of_what_is_steeper() {
    let mut random = Random::new(8);
    let mut passed = 0;
    for seed in 0..6 {
        let scene = scene(seed);
        let all = all_triangles(&scene);
        let raw = scene.view().solids(ALL_LAYERS).with_seams(Seams::Raw);
        let steeper = raw.with_ground_steeper(0.98).with_props_steeper(0.8);
        for (body, feet) in bodies(seed, 400) {
            let (at, motion) = (scene.at(feet), random.vector(8.0));
            let Sweep::Hit(hit) = raw.sweep(body, at, motion).unwrap() else { continue };
            let triangle = all.iter().find(|one| one.id == hit.triangle).unwrap();
            let limit = if hit.triangle.prop().is_none() { 0.98 } else { 0.8 };
            match steeper.sweep(body, at, motion).unwrap() {
                found @ Sweep::Hit(other) => {
                    assert!(other.time >= hit.time, "{hit:?}, {other:?}");
                    if upright(triangle) < limit {
                        assert_eq!(found, Sweep::Hit(hit));
                    } else {
                        assert_ne!(other.triangle, hit.triangle);
                        passed += 1;
                    }
                }
                Sweep::Free => assert!(upright(triangle) >= limit, "{hit:?} passed"),
                other => panic!("{other:?} where {hit:?} came first"),
            }
        }
    }
    assert!(passed > 50, "{passed}");
}

#[test]
fn all_is_met_where_what_counts_as_steep_is_not_a_number() {
    let (mut contacts, mut grounds) = (0, 0);
    for seed in 0..3 {
        let scene = scene(seed);
        let all = scene.view().solids(ALL_LAYERS).with_seams(Seams::Raw);
        let odd = all.with_ground_steeper(f64::NAN).with_props_steeper(f64::NAN);
        let mut random = Random::new(seed);
        for (body, feet) in bodies(seed, 200) {
            let (at, motion) = (scene.at(feet), random.vector(8.0));
            let found = met(&odd, body, at);
            contacts += found.len();
            assert_eq!(found, met(&all, body, at));
            assert_eq!(odd.sweep(body, at, motion), all.sweep(body, at, motion));
            let region = Region::around(body, at, 0.25).unwrap();
            let has = |upright| scene.view().has_ground_steeper_in(&region, upright);
            assert_eq!(has(f64::NAN), has(f64::INFINITY));
            grounds += usize::from(has(f64::NAN));
        }
    }
    assert!(contacts > 100 && grounds > 100, "{contacts}, {grounds}");
}

/// Whether the box of a triangle touches the box around a body, larger by a margin. Ground is full
/// below, so that of it counts which is above.
fn is_near(triangle: &Triangle, body: Cylinder, feet: Vec3, margin: f64) -> bool {
    let [a, b, c] = triangle.from(feet);
    let reach = f64::from(body.radius) + margin;
    let top = f64::from(body.height) + margin;
    let top = if triangle.id.prop().is_none() { f64::INFINITY } else { top };
    let (low, high) = (DVec3::new(-reach, -margin, -reach), DVec3::new(reach, top, reach));
    a.min(b).min(c).cmple(high).all() && a.max(b).max(c).cmpge(low).all()
}

#[test]
fn what_was_gathered_knows_whether_it_holds_props_what_moves_and_steep_ground() {
    let mut scratch = Gathered::with_capacity(8192);
    let mut seen = [[0; 2]; 3];
    for seed in 0..6 {
        let mut scene = yard(seed);
        let cube = loaded(&block(Vec3::splat(-0.5), Vec3::splat(0.5)));
        let mut lift = LiveProp::new(cube, scene.at(Vec3::new(5.0, 1.0, -5.0)));
        lift.linear_velocity = Vec3::Y;
        let lift = scene.live.add(lift).unwrap();
        let all = all_triangles(&scene);
        for (body, feet) in bodies(seed, 300) {
            let margin = 0.25;
            let region = Region::around(body, scene.at(feet), margin).unwrap();
            let solids = scene.view().gather(&region, ALL_LAYERS, &mut scratch).unwrap();
            let near = |margin: f64| {
                let near = |one: &&Triangle| is_near(one, body, feet, margin);
                let ids = |one: &Triangle| one.id.prop();
                let steep = |one: &Triangle| ids(one).is_none() && one.normal().y < 0.98;
                [
                    all.iter().filter(near).any(|one| ids(one).is_some()),
                    all.iter().filter(near).any(|one| ids(one) == Some(lift)),
                    all.iter().filter(near).any(steep),
                ]
            };
            let found = [solids.has_props(), solids.has_moving(), solids.has_ground_steeper(0.98)];
            // Boxes of whole props may reach farther than any of their triangles.
            let (surely, maybe) = (near(f64::from(margin)), near(f64::from(margin) + 1.0));
            for which in 0..3 {
                assert!(found[which] || !surely[which], "{which}: {body:?} at {feet}, {seed}");
                assert!(!found[which] || maybe[which], "{which}: {body:?} at {feet}, {seed}");
                seen[which][usize::from(found[which])] += 1;
            }
        }
        let solids = scene.view().solids(ALL_LAYERS);
        assert!(solids.has_props() && solids.has_moving() && solids.has_ground_steeper(-1.0));
    }
    assert!(seen.iter().flatten().all(|&count| count > 20), "{seen:?}");
    let empty = Scene::without_ground(SectorCoord::new(0, 0));
    let region = Region::around(Cylinder { radius: 0.4, height: 1.8 }, empty.at(Vec3::ZERO), 1.0);
    let solids = empty.view().gather(&region.unwrap(), ALL_LAYERS, &mut scratch).unwrap();
    assert!(!solids.has_props() && !solids.has_moving() && !solids.has_ground_steeper(1.0));
}
