//! Inside and outside, against solid angles.

use marchland_terrain::LoadedMesh;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::{MeshSource, winding_number};

use super::shapes::{ball, block, loaded, numbers, sheet, together, turned, winding};

fn whole_winding(mesh: &LoadedMesh, point: DVec3) -> i32 {
    let view = mesh.view();
    let triangles = (0..view.triangles()).map(|triangle| view.triangle(triangle));
    winding_number(triangles.map(|corners| corners.map(|corner| corner.as_dvec3() - point)))
}

/// Whether the surface is so near that either answer is right: the solid angle differs around it.
fn is_near(mesh: &LoadedMesh, point: DVec3) -> bool {
    let here = libm::round(winding(mesh, point + DVec3::splat(1e-6)));
    let around = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| [axis * 1e-6, axis * -1e-6]);
    around.into_iter().flatten().any(|to| (winding(mesh, point + to) - here).abs() > 1e-3)
}

fn compare(mesh: &LoadedMesh, point: DVec3) {
    let expected = libm::round(winding(mesh, point)) as i32;
    let found = (whole_winding(mesh, point), mesh.view().inside(point));
    assert!(found == (expected, expected > 0) || is_near(mesh, point), "{point}: {found:?}");
}

/// A cone of many slivers around a tip, so that many edges and faces lie above a point.
fn spikes() -> MeshSource {
    let mut mesh = ball(37, 12);
    let mut number = numbers(23);
    for vertex in &mut mesh.vertices {
        *vertex *= 0.4 + 1.3 * number();
    }
    mesh
}

fn solids() -> Vec<MeshSource> {
    let half = |half: f32| block(Vec3::splat(-half), Vec3::splat(half));
    vec![
        half(3.0),
        ball(9, 7),
        spikes(),
        // A hollow with a solid in it, and two that overlap.
        together(&[half(4.0), turned(half(3.0)), half(1.0)]),
        together(&[half(2.0), block(Vec3::new(0.5, -1.0, -1.5), Vec3::new(5.0, 1.0, 1.5))]),
    ]
}

#[test]
fn points_are_inside_where_the_solid_angle_says_so() {
    for solid in solids() {
        let mesh = loaded(&solid);
        assert!(mesh.view().is_closed());
        let bounds = mesh.view().bounds();
        let (mut number, mut inside) = (numbers(5), 0);
        for _ in 0..3000 {
            let part = Vec3::new(number(), number(), number()) * 1.2 - Vec3::splat(0.1);
            let point = (bounds.min + part * (bounds.max - bounds.min)).as_dvec3();
            compare(&mesh, point);
            inside += u32::from(mesh.view().inside(point));
        }
        assert!(inside > 100, "{inside}");
    }
}

#[test]
fn a_ray_through_vertices_and_edges_counts_once() {
    for solid in solids() {
        let mesh = loaded(&solid);
        let view = mesh.view();
        for triangle in 0..view.triangles() {
            let corners = view.triangle(triangle).map(Vec3::as_dvec3);
            let [a, b, c] = corners;
            // Just below and above corners, the middles of edges, and of faces.
            for on in [a, b, c, (a + b) * 0.5, (b + c) * 0.5, (a + b + c) / 3.0] {
                for down in [0.001, -0.001, 1.0, 17.0, -3.0] {
                    compare(&mesh, on - DVec3::Y * down);
                }
            }
            // In line with a side's end and with the plane of a wall.
            for to in [b, c] {
                compare(&mesh, a + (a - to) * 0.37);
            }
        }
    }
}

#[test]
fn walls_that_stand_next_to_upright_do_not_confuse() {
    // A tower whose walls lean by a few last bits.
    let mut tower = block(Vec3::new(-0.3, -10.0, -0.7), Vec3::new(0.3, 10.0, 0.7));
    for (index, vertex) in tower.vertices.iter_mut().enumerate() {
        let lean = [0_u32, 1, 3, 2, 5, 4, 7, 6][index];
        vertex.x = f32::from_bits(vertex.x.to_bits() + lean);
        vertex.z = f32::from_bits(vertex.z.to_bits() + 7 - lean);
    }
    let mesh = loaded(&tower);
    for corner in mesh.view().vertices() {
        for across in [-1e-6, -1e-9, 0.0, 1e-9, 1e-6] {
            for y in [-20.0, -9.999, 0.3, 9.999, 20.0] {
                for (dx, dz) in [(across, 0.0), (0.0, across), (across, -across)] {
                    let point = DVec3::new(f64::from(corner.x) + dx, y, f64::from(corner.z) + dz);
                    let winding = whole_winding(&mesh, point);
                    if y.abs() > 10.0 {
                        assert_eq!(winding, 0, "{point}");
                    }
                    assert!((0..=1).contains(&winding), "{point}: {winding}");
                }
            }
        }
    }
}

#[test]
fn what_is_not_closed_has_no_inside() {
    let mut holed = block(Vec3::splat(-1.0), Vec3::ONE);
    holed.triangles.truncate(11);
    assert!(!loaded(&holed).view().inside(DVec3::ZERO));
    let sheet = loaded(&sheet(6, 5));
    assert!(!sheet.view().inside(DVec3::new(1.0, -5.0, 0.5)));
}

#[test]
fn points_that_are_none_are_outside() {
    let mesh = loaded(&block(Vec3::splat(-1.0), Vec3::ONE));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        for point in [DVec3::new(bad, 0.0, 0.0), DVec3::new(0.0, bad, 0.0), DVec3::splat(bad)] {
            let below = bad == f64::NEG_INFINITY && point.x == 0.0;
            assert!(below || !mesh.view().inside(point), "{point}");
        }
    }
}
