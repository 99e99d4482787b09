//! Every shape is a closed solid of the size that it says.

use std::collections::BTreeMap;

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_worlds::shapes::{self, HouseSize, RockShape};

/// Name, mesh, extents along X, Y and Z, and triangles; 0 where the shape promises none.
type Shape = (&'static str, MeshSource, [f64; 3], usize);

const COTTAGE: HouseSize = HouseSize { width: 6.0, depth: 8.0, walls: 3.0, roof: 2.5 };

fn every_shape() -> Vec<Shape> {
    let rise = 0.5 * 3.0_f64.sqrt();
    vec![
        ("crate", shapes::crate_box(1.5, 1.0, 0.75), [1.5, 1.0, 0.75], 12),
        ("barrel", shapes::barrel(), [0.9, 1.1, 0.9], 0),
        ("pillar", shapes::pillar(0.5, 4.0, 8), [1.25, 4.0, 1.25], 0),
        ("ramp", shapes::ramp(30.0, rise, 3.0), [1.5, rise, 3.0], 8),
        ("arch", shapes::arch(6.0, 4.5, 0.8, 3.0, 2.5), [6.0, 4.5, 0.8], 0),
        ("well", shapes::well(), [2.4, 0.9, 2.4], 128),
        ("stairs", shapes::stairs(7, 0.25, 0.3, 1.25), [2.1, 1.75, 1.25], 60),
        ("one step", shapes::stairs(1, 0.25, 0.5, 2.0), [0.5, 0.25, 2.0], 12),
        ("walled stairs", shapes::walled_stairs(5, 0.25, 0.5, 2.0, 4), [2.5, 2.25, 2.5], 0),
        ("bridge", shapes::bridge(30.0, 4.0, 2.0), [30.0, 3.0, 4.5], 0),
        ("house", shapes::house(COTTAGE), [6.8, 5.7, 8.8], 0),
        ("tower", shapes::tower(5.0, 16, 0.375, 1.5), [6.5, 6.0, 5.0], 0),
        ("fir", shapes::fir(9.0, 2.0, 8), [4.0, 9.0, 4.0], 0),
        ("oak", shapes::oak(7.0, 3.0, 12), [6.0, 7.0, 6.0], 0),
        ("log", shapes::log(4.0, 0.3, 8), [4.0, 0.6, 0.6], 32 + 2 * 8 - 16),
        ("fence", shapes::fence(3, 2.0), [4.15, 1.2, 0.15], 0),
    ]
}

fn rocks() -> Vec<(RockShape, MeshSource)> {
    let shapes = (0..20).map(|seed| RockShape {
        seed,
        splits: 1 + (seed % 3) as u32,
        radii: [1.0 + seed as f64 * 0.1, 0.7, 1.3],
        roughness: 0.03 * seed as f64 / 2.0,
    });
    shapes.map(|shape| (shape, shapes::rock(shape))).collect()
}

fn corners(mesh: &MeshSource) -> impl Iterator<Item = [DVec3; 3]> + '_ {
    mesh.triangles.iter().map(|t| t.map(|i| mesh.vertices[i as usize].as_dvec3()))
}

/// Six times the volume, with a sign; the mesh must be closed.
fn volume(mesh: &MeshSource) -> f64 {
    corners(mesh).map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0
}

/// An edge that is not walked just once each way, if there is one.
fn open_edge(mesh: &MeshSource) -> Option<[u32; 2]> {
    let mut walked: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for [a, b, c] in &mesh.triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *walked.entry([*from, *to]).or_default() += 1;
        }
    }
    let odd =
        |[from, to]: &[u32; 2]| walked[&[*from, *to]] != 1 || !walked.contains_key(&[*to, *from]);
    walked.keys().copied().find(odd)
}

fn extents(mesh: &MeshSource) -> (Vec3, Vec3) {
    let around = marchland_terrain::math::Aabb::around(mesh.vertices.iter().copied());
    (around.min, around.max)
}

#[test]
fn every_shape_is_a_closed_solid_with_its_outside_out() {
    let rocks = rocks().into_iter().map(|(_, mesh)| ("rock", mesh));
    for (name, mesh) in every_shape().into_iter().map(|s| (s.0, s.1)).chain(rocks) {
        assert_eq!(open_edge(&mesh), None, "{name}");
        assert!(volume(&mesh) > 0.01, "{name}: {} m³", volume(&mesh));
        let mut places: Vec<_> =
            mesh.vertices.iter().map(|v| v.to_array().map(f32::to_bits)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), mesh.vertices.len(), "{name}: two vertices at one place");
    }
}

#[test]
fn no_triangle_is_without_area() {
    let rocks = rocks().into_iter().map(|(_, mesh)| ("rock", mesh));
    for (name, mesh) in every_shape().into_iter().map(|s| (s.0, s.1)).chain(rocks) {
        for [a, b, c] in corners(&mesh) {
            let area = (b - a).cross(c - a).length() / 2.0;
            assert!(area > 1e-5, "{name}: {area} m² at {a} {b} {c}");
        }
    }
}

#[test]
fn shapes_are_as_large_as_they_say_and_stand_on_the_middle_of_their_foot() {
    for (name, mesh, expected, triangles) in every_shape() {
        let (low, high) = extents(&mesh);
        assert_eq!(low.y, 0.0, "{name}");
        for (axis, metres) in expected.into_iter().enumerate() {
            let found = f64::from(high[axis] - low[axis]);
            assert!((found - metres).abs() < 1e-5, "{name}: {found} along {axis}, not {metres}");
        }
        for axis in [0, 2] {
            assert!((low[axis] + high[axis]).abs() < 1e-5, "{name} is not centred along {axis}");
        }
        assert!(
            triangles == 0 || mesh.triangles.len() == triangles,
            "{name}: {}",
            mesh.triangles.len()
        );
    }
}

#[test]
fn volumes_are_what_the_measures_say() {
    for (name, found, expected) in [
        ("crate", volume(&shapes::crate_box(1.5, 1.0, 0.75)), 1.5 * 0.75),
        ("ramp", volume(&shapes::ramp(45.0, 2.0, 3.0)), 6.0),
        // 1 + 2 + … + 7 blocks of a step.
        ("stairs", volume(&shapes::stairs(7, 0.25, 0.5, 2.0)), 28.0 * 0.25),
        // A tower of 4 m, and 1 + 2 + … + 8 blocks of 0.5 × 0.5 × 2 m.
        ("tower", volume(&shapes::tower(4.0, 8, 0.5, 2.0)), 64.0 + 36.0 * 0.5),
        // Two walls 7, 6, 5, 4 and 3 steps high around 5, 4, 3, 2 and 1.
        ("walled stairs", volume(&shapes::walled_stairs(5, 0.25, 0.5, 2.0, 2)), {
            15.0 * 0.25 + 2.0 * 25.0 * 0.25 * 0.5 * 0.25
        }),
    ] {
        assert!((found - expected).abs() < 1e-5, "{name}: {found} m³, not {expected}");
    }
}

#[test]
fn a_house_has_a_room_and_a_door_to_it() {
    let mesh = shapes::house(COTTAGE);
    // A ray through the door's middle, along −Z, at 1.1 m: it meets the back wall and nothing before.
    let through: Vec<f64> = hits_along_z(&mesh, 0.3, 1.1);
    assert_eq!(through.len(), 2, "{through:?}");
    assert!(through.iter().all(|z| *z < -3.6), "{through:?}");
    // Beside the door: front wall and back wall, and the room between them.
    let beside = hits_along_z(&mesh, 1.6, 1.1);
    let expected = [-4.0, -3.7, 3.7, 4.0];
    assert_eq!(beside.len(), 4, "{beside:?}");
    assert!(beside.iter().zip(expected).all(|(z, e)| (z - e).abs() < 1e-5), "{beside:?}");
    // Above the door there is a lintel.
    assert_eq!(hits_along_z(&mesh, 0.3, 2.7).len(), 4);
}

#[test]
fn an_arch_is_open_below_its_curve_alone() {
    let mesh = shapes::arch(6.0, 4.5, 0.8, 3.0, 2.5);
    for (x, y, hits) in [(0.1, 3.9, 0), (0.1, 4.1, 2), (1.3, 2.4, 0), (1.3, 3.4, 2), (1.6, 0.1, 2)]
    {
        assert_eq!(hits_along_z(&mesh, x, y).len(), hits, "at {x}, {y}");
    }
}

#[test]
fn rocks_differ_by_seed_and_have_a_flat_foot_to_stand_on() {
    let smooth =
        |seed| shapes::rock(RockShape { seed, splits: 1, radii: [1.0; 3], roughness: 0.0 });
    assert_ne!(smooth(1), smooth(2), "the cuts differ too");
    let rocks = rocks();
    for (i, (shape, mesh)) in rocks.iter().enumerate() {
        assert_eq!(mesh.triangles.len(), 20 << (2 * shape.splits));
        let (low, high) = extents(mesh);
        assert_eq!(low.y, 0.0);
        let foot = mesh.vertices.iter().filter(|vertex| vertex.y == 0.0).count();
        assert!(foot >= 3, "rock {i}: {foot} vertices in its foot");
        for axis in 0..3 {
            let half = (high[axis] - low[axis]) / 2.0;
            let radius = shape.radii[axis] as f32;
            assert!(half > 0.4 * radius && half < 1.25 * radius, "rock {i}: {half} of {radius}");
        }
        let again = shapes::rock(*shape);
        assert_eq!(mesh, &again);
        assert!(rocks[..i].iter().all(|(_, other)| other != mesh));
    }
}

/// Where a line along Z at (x, y) meets the mesh, from the least z. Not through any vertex or edge.
fn hits_along_z(mesh: &MeshSource, x: f64, y: f64) -> Vec<f64> {
    let mut hits = Vec::new();
    for [a, b, c] in corners(mesh) {
        let side = |p: DVec3, q: DVec3| (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
        let (ab, bc, ca) = (side(a, b), side(b, c), side(c, a));
        let whole = ab + bc + ca;
        if (ab > 0.0 && bc > 0.0 && ca > 0.0) || (ab < 0.0 && bc < 0.0 && ca < 0.0) {
            hits.push((a.z * bc + b.z * ca + c.z * ab) / whole);
        }
    }
    hits.sort_unstable_by(f64::total_cmp);
    hits
}

#[test]
fn flat_sides_are_few_faces() {
    let known = [("crate", 6), ("ramp", 5), ("log", 10), ("stairs", 30), ("house", 31)];
    let shapes = every_shape();
    for (name, faces) in known {
        let (_, mesh, ..) = shapes.iter().find(|shape| shape.0 == name).unwrap();
        let (prepared, report) = PreparedMesh::new(mesh).unwrap();
        assert!(report.faces < prepared.triangles() as u64, "{name}");
        assert_eq!(report.faces, faces, "{name}");
    }
}
