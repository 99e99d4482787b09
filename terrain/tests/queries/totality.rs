//! Every question has an answer or an error that says why not, whatever the geometry.

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::Gathered;
use marchland_terrain::math::{Aabb, Rotation};
use marchland_terrain::props::{LiveProp, MeshSource, Placement, PreparedMesh};
use marchland_terrain::query::{
    ALL_LAYERS, BODY_MAX, Contact, Contacts, Cylinder, MOTION_MAX, QueryError, Region, Seams,
    Solids, SupportBy, Sweep,
};
use marchland_terrain::{SectorCoord, WorldPos};

use super::scene::{Random, Scene, Vectors, block, loaded};

/// One of a few.
fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[(random.bits() % of.len() as u64) as usize]
}

/// Meshes of odd triangles: whole, thin as far as preparing allows, in one plane, one on the other.
fn odd_mesh(random: &mut Random) -> MeshSource {
    let mut mesh = MeshSource::default();
    for _ in 0..1 + random.bits() % 4 {
        let reach = pick(random, &[1e-5, 1e-3, 0.1, 1.0, 10.0, 3000.0]);
        let spread = pick(random, &[0.0, 1.0, 5.0]);
        let a = random.vector(spread).round();
        let (b, c) = match random.bits() % 5 {
            0 => (Vec3::X * reach, Vec3::Z * reach),
            1 => (Vec3::Y * reach, Vec3::Z * reach),
            2 => {
                let along = random.vector(reach);
                (along, along * 0.5 + random.vector(1e-5))
            }
            3 => (Vec3::X * reach, Vec3::new(reach, 1e-5, reach)),
            _ => (random.vector(reach), random.vector(reach)),
        };
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend([a, a + b, a + c]);
        mesh.triangles.push([first, first + 1, first + 2]);
        if random.bits() & 3 == 0 {
            // The same corners, looking the other way and ending elsewhere.
            mesh.vertices.push(a - c);
            mesh.triangles.push([first + 1, first, first + 3]);
        }
    }
    mesh
}

/// A scene of odd props at a height; some twice at one place, some shrunk until nothing is left of them.
fn odd_scene(random: &mut Random, height: f32) -> Scene {
    let ground = pick(random, &[0.0, 1.0, 4000.0]);
    let mut scene = Scene::new(SectorCoord::new(7, -7), move |x, z| {
        (x * 0.7).floor() * 0.001 * ground + z.rem_euclid(3.0) * 0.25
    });
    for _ in 0..8 {
        let solid = random.bits() & 3 == 0;
        let mesh = if solid {
            let half = Vec3::new(
                pick(random, &[1e-4, 0.5, 6.0]),
                pick(random, &[1e-4, 0.5, 6.0]),
                pick(random, &[1e-4, 0.5, 600.0]),
            );
            block(-half, half)
        } else {
            odd_mesh(random)
        };
        if PreparedMesh::new(&mesh).is_err() {
            continue;
        }
        let spread = pick(random, &[0.0, 0.5, 8.0]);
        let at = random.vector(spread) + Vec3::Y * height;
        let mut prop = LiveProp::new(loaded(&mesh), scene.at(at));
        let degrees = [0, 1, 2].map(|_| pick(random, &[0.0, 0.0, 90.0, 45.0, 1e-3]));
        let scale = pick(random, &[1.0, 1.0, 1.0, 0.000_976_562_5, 3.0]);
        prop.placement = Placement::new(Rotation::from_degrees(degrees), scale).unwrap();
        if random.bits() & 3 == 0 {
            scene.live.add(prop.clone()).unwrap();
        }
        scene.live.add(prop).unwrap();
    }
    scene
}

/// Places where rounding decides: on corners, edges and planes, on the last number of a sector.
fn odd_place(random: &mut Random, scene: &Scene, height: f32) -> Vec3 {
    let props: Vec<_> = scene.live.iter().collect();
    let last = 8.0_f32.next_down();
    match random.bits() % 5 {
        0 => Vec3::new(
            pick(random, &[-8.0, last, 0.0, -0.0, f32::MIN_POSITIVE]),
            pick(random, &[0.0, -0.0, 1e-30, height, 1e6, -1e6]),
            pick(random, &[-8.0, last, 0.0, 3.0]),
        ),
        1 | 2 if !props.is_empty() => {
            let prop = &props[(random.bits() % props.len() as u64) as usize];
            let triangle = (random.bits() % u64::from(prop.mesh().triangles())) as u32;
            let [a, b, c] = prop.mesh().triangle(triangle).map(|v| prop.placer().place(v));
            let at = match random.bits() % 3 {
                0 => a,
                1 => a + (b - a) * 0.5,
                _ => a + (b - a) * 0.25 + (c - a) * 0.25,
            };
            let from = prop.position().local() + at;
            if from.x.abs() < 23.0 && from.z.abs() < 23.0 { from } else { Vec3::Y * height }
        }
        _ => {
            let near = pick(random, &[0.0, 1e-6, 0.5, 5.0]);
            random.vector(near) + Vec3::Y * height
        }
    }
}

fn odd_motion(random: &mut Random) -> Vec3 {
    let size = pick(random, &[0.0, 1e-30, 1e-9, 1e-5, 1.0, 30.0, MOTION_MAX]);
    let way = match random.bits() % 4 {
        0 => Vec3::NEG_Y,
        1 => Vec3::X,
        2 => Vec3::new(1.0, 1e-12, -1.0),
        _ => random.vector(1.0),
    };
    way * size
}

pub(crate) fn assert_unit(vector: Vec3, said: &str) {
    assert!((vector.length() - 1.0).abs() < 1e-5, "{vector}: {said}");
}

fn assert_sound(contact: &Contact, said: &str) {
    assert_unit(contact.normal, said);
    assert!(contact.depth.is_finite() && contact.depth >= 0.0, "{contact:?}: {said}");
    assert!(contact.point.is_finite() && contact.velocity.is_finite(), "{contact:?}: {said}");
}

/// Asks everything, and looks at every number that comes back.
fn ask(solids: &Solids<'_>, body: Cylinder, at: WorldPos, motion: Vec3) -> usize {
    let said = format!("{body:?} at {at:?} by {motion}");
    let mut contacts = Contacts::with_capacity(64);
    solids.overlap(body, at, &mut contacts).unwrap();
    contacts.as_slice().iter().for_each(|contact| assert_sound(contact, &said));
    let mut met = contacts.as_slice().len();
    for (low, high) in [(-1.0, 0.5), (0.0, 0.0), (-1e7, 1e7)] {
        for by in [SupportBy::All, SupportBy::Props, SupportBy::Terrain] {
            let Some(found) = solids.support(body, at, low, high, by).unwrap() else { continue };
            met += 1;
            assert_unit(found.normal, &said);
            assert!(found.normal.y >= 0.0 && found.point.is_finite(), "{found:?}: {said}");
            assert!(low <= found.point.y && found.point.y <= high, "{found:?}: {said}");
        }
    }
    for most in [0.0, 3.0, 1e7] {
        let Some(found) = solids.ceiling(body, at, most).unwrap() else { continue };
        met += 1;
        assert!((0.0..=most).contains(&found.clearance), "{found:?}: {said}");
        assert!(found.point.is_finite(), "{found:?}: {said}");
    }
    match solids.sweep(body, at, motion).unwrap() {
        Sweep::Free => {}
        Sweep::Hit(hit) => {
            met += 1;
            assert_unit(hit.normal, &said);
            assert_unit(hit.face, &said);
            assert!((0.0..=1.0).contains(&hit.time), "{hit:?}: {said}");
            assert!(hit.point.is_finite(), "{hit:?}: {said}");
            let against = hit.normal.as_dvec3().dot(motion.as_dvec3());
            assert!(against < 0.0, "along the motion: {hit:?}: {said}");
        }
        Sweep::Overlapping(contact) => {
            met += 1;
            assert_sound(&contact, &said);
        }
    }
    met
}

#[test]
fn odd_geometry_gives_no_panic_no_nan_and_no_normal_without_length() {
    let mut random = Random::new(31);
    let mut met = 0;
    for _ in 0..100 {
        let height = pick(&mut random, &[0.0, 0.0, 2.0, 1000.0, 1e6, -1e6]);
        let scene = odd_scene(&mut random, height);
        let mut scratch = Gathered::with_capacity(2048);
        for _ in 0..40 {
            let radii = [1e-3, 1e-3, 0.1, 0.1, 0.4, 0.4, 1.8, 1.8, 1.8, 1.8, 30.0, BODY_MAX];
            let heights = [1e-3, 0.4, 1.8, 30.0, BODY_MAX];
            let body =
                Cylinder { radius: pick(&mut random, &radii), height: pick(&mut random, &heights) };
            let at = scene.at(odd_place(&mut random, &scene, height));
            let motion = odd_motion(&mut random);
            let solids = scene.view().solids(ALL_LAYERS);
            met += ask(&solids.with_seams(Seams::Raw), body, at, motion);
            // The seams of a whole town at once are no question of a game.
            if body.radius > 2.0 {
                continue;
            }
            met += ask(&solids, body, at, motion);
            let region = Region::around(body, at, 1.0).unwrap();
            let solids = scene.view().gather(&region, ALL_LAYERS, &mut scratch).unwrap();
            met += ask(&solids, body, at, motion);
        }
    }
    assert!(met > 50_000, "only {met} answers were looked at");
}

#[test]
fn what_is_no_body_no_motion_or_no_height_is_refused_with_what_was_found() {
    let scene = Scene::new(SectorCoord::new(0, 0), |_, _| 0.0);
    let (solids, at) = (scene.view().solids(ALL_LAYERS), scene.at(Vec3::ZERO));
    let good = Cylinder { radius: 0.4, height: 1.8 };
    let mut contacts = Contacts::with_capacity(4);
    let bad = [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, BODY_MAX.next_up()];
    for bad in bad {
        for body in [Cylinder { radius: bad, ..good }, Cylinder { height: bad, ..good }] {
            // Not equal to itself where it is not a number: its words are.
            let refused = QueryError::Body { found: body }.to_string();
            let is_refused = |error: Option<QueryError>| {
                assert_eq!(error.map(|error| error.to_string()).as_ref(), Some(&refused));
            };
            solids.overlap(good, scene.at(-Vec3::Y), &mut contacts).unwrap();
            assert!(!contacts.as_slice().is_empty());
            is_refused(solids.overlap(body, at, &mut contacts).err());
            assert!(contacts.as_slice().is_empty(), "contacts of the question before");
            is_refused(solids.sweep(body, at, Vec3::X).err());
            is_refused(solids.support(body, at, -1.0, 1.0, SupportBy::All).err());
            is_refused(solids.ceiling(body, at, 1.0).err());
            is_refused(Region::around(body, at, 1.0).err());
            is_refused(Region::swept(body, at, Vec3::X).err());
        }
    }
    let far = MOTION_MAX.next_up();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, far, -far] {
        for motion in [Vec3::new(bad, 0.0, 0.0), Vec3::new(0.0, bad, 1.0), Vec3::Z * bad] {
            let refused = QueryError::Motion { found: motion }.to_string();
            let found = solids.sweep(good, at, motion).unwrap_err();
            assert_eq!(found.to_string(), refused);
            assert_eq!(Region::swept(good, at, motion).unwrap_err().to_string(), refused);
        }
        assert!(matches!(Region::around(good, at, bad), Err(QueryError::Margin { .. })), "{bad}");
    }
    assert!(matches!(Region::around(good, at, -0.1), Err(QueryError::Margin { found: -0.1 })));
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for (low, high) in [(nan, 1.0), (0.0, nan), (-inf, 0.0), (0.0, inf), (1.0, 0.0), (nan, nan)] {
        let found = solids.support(good, at, low, high, SupportBy::All);
        assert!(matches!(found, Err(QueryError::Heights { .. })), "{low} {high}");
    }
    let upright = solids.support_upright(good, at, -1.0, 1.0, SupportBy::All, nan);
    assert!(matches!(upright, Err(QueryError::Upright { .. })));
    for most in [nan, inf, -inf, -1e-6] {
        let found = solids.ceiling(good, at, most);
        assert!(matches!(found, Err(QueryError::Heights { .. })), "{most}");
    }
    assert_eq!(solids.sweep(good, at, Vec3::Y * MOTION_MAX), Ok(Sweep::Free));
}

pub(crate) const BODY: Cylinder = Cylinder { radius: 0.5, height: 1.0 };

#[test]
fn a_region_grows_no_farther_than_can_be_gone_over() {
    let scene = Scene::new(SectorCoord::new(3, -2), |_, _| 0.0);
    let region = Region::around(BODY, scene.at(Vec3::new(1.0, 0.0, -2.0)), 1.0).unwrap();
    let most = f64::from(MOTION_MAX);
    for far in [most.next_up(), 1e9, 1e300, f64::MAX, f64::INFINITY] {
        assert_eq!(region.grown(far), region.grown(most), "{far}");
        assert_eq!(region.grown(-far), region.grown(-most), "{far}");
        assert_eq!(region.taller(far, 0.5), region.taller(most, 0.5), "{far}");
        assert_eq!(region.taller(0.5, -far), region.taller(0.5, -most), "{far}");
    }
    assert_eq!(region.grown(f64::NAN), region);
    assert_eq!(region.taller(f64::NAN, f64::NAN), region);
    // Nor by growing often: only its heights are others then, which cost nothing where nothing is.
    let large = (0..100).fold(region, |region, _| region.grown(most));
    assert_eq!(large.grown(most).taller(-most, -most), large);
    let square = |metres: f32| {
        let (min, max) = (Vec3::new(-metres, 0.0, -metres), Vec3::new(metres, 1.0, metres));
        Region::of_box(SectorCoord::new(3, -2), &Aabb { min, max })
    };
    assert_ne!(square(24_575.0), square(24_576.0));
    for far in [24_577.0, 1e30, f32::INFINITY] {
        assert_eq!(square(far), square(24_576.0), "{far}");
    }
    // And asking there ends.
    let view = scene.view();
    assert!(!view.has_props_in(&large, ALL_LAYERS));
    assert!(!view.has_ground_steeper_in(&square(f32::INFINITY), 0.5));
    let within = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    let bare = view.bare_around(SectorCoord::new(3, -2), &within, ALL_LAYERS, f32::INFINITY);
    assert!(bare.is_some_and(|bare| bare.min.x <= -8000.0));
}
