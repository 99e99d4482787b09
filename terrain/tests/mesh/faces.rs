//! Triangles of one plane are one face, as far as that is convex.

use marchland_random::Random;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::MeshSource;

use super::shapes::{ball, block, loaded, prepared, sheet, source, together};

/// How many faces a mesh has, those of one triangle included.
fn faces(mesh: &MeshSource) -> u64 {
    prepared(mesh).1.faces
}

/// A level grid of unit squares without some of them, each cut along one of its diagonals.
fn grid(across: u32, along: u32, is_there: impl Fn(u32, u32) -> bool) -> MeshSource {
    let mut random = Random::new(7);
    let mut mesh = MeshSource::default();
    for z in 0..=along {
        mesh.vertices.extend((0..=across).map(|x| Vec3::new(x as f32, 0.5, z as f32)));
    }
    for (x, z) in (0..along).flat_map(|z| (0..across).map(move |x| (x, z))) {
        if is_there(x, z) {
            let a = z * (across + 1) + x;
            let (b, c, d) = (a + 1, a + across + 1, a + across + 2);
            mesh.triangles.extend(match random.below(2) {
                0 => [[a, c, b], [b, c, d]],
                _ => [[a, d, b], [a, c, d]],
            });
        }
    }
    mesh
}

#[test]
fn flat_sides_are_one_face_each_whatever_they_are_cut_into() {
    assert_eq!(faces(&block(Vec3::ZERO, Vec3::ONE)), 6);
    assert_eq!(faces(&grid(1, 1, |_, _| true)), 1);
    assert_eq!(faces(&grid(9, 6, |_, _| true)), 1);
    // A frame: four sides, of which two have the corners.
    assert_eq!(faces(&grid(5, 4, |x, z| x == 0 || x == 4 || z == 0 || z == 3)), 4);
    // An L.
    assert_eq!(faces(&grid(6, 6, |x, z| x < 2 || z < 3)), 2);
    // Twelve corners are more than a face may have.
    let round = |at: u32| {
        let [x, z] = [[4.0, 1.0], [3.0, 3.0], [1.0, 4.0]][at as usize % 3];
        match at / 3 {
            0 => Vec3::new(x, 0.0, z),
            1 => {
                Vec3::new(-[1.0, 3.0, 4.0][at as usize % 3], 0.0, [4.0, 3.0, 1.0][at as usize % 3])
            }
            2 => Vec3::new(-x, 0.0, -z),
            _ => {
                Vec3::new([1.0, 3.0, 4.0][at as usize % 3], 0.0, -[4.0, 3.0, 1.0][at as usize % 3])
            }
        }
    };
    let fan = MeshSource {
        vertices: std::iter::once(Vec3::ZERO).chain((0..12).map(round)).collect(),
        triangles: (0..12).map(|at| [0, (at + 1) % 12 + 1, at + 1]).collect(),
    };
    assert_eq!(faces(&fan), 2);
}

#[test]
fn what_is_not_flat_stays_as_it_is() {
    let hills = sheet(40, 23);
    assert_eq!(faces(&hills), hills.triangles.len() as u64);
    // Between its caps of triangles, it is made of flat pieces with four corners.
    assert_eq!(faces(&ball(30, 17)), 2 * 30 + 15 * 30);
    // A millimetre beside the plane.
    let square = |lifted: f32| {
        source(
            &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, lifted, 1.0]],
            &[[0, 2, 1], [1, 2, 3]],
        )
    };
    assert_eq!((faces(&square(0.0)), faces(&square(1e-3))), (1, 2));
}

#[test]
fn a_face_is_what_its_triangles_are() {
    let steps = |at: u32| {
        let low = Vec3::new(at as f32, 0.0, -1.0);
        block(low, low + Vec3::new(1.0, 0.5 * at as f32 + 0.5, 2.0))
    };
    let holes = grid(12, 9, |x, z| !(x * 7 + z * 5).is_multiple_of(6));
    for mesh in [together(&[steps(0), steps(1), steps(2)]), holes] {
        let mesh = loaded(&mesh);
        let view = mesh.view();
        let vertices: Vec<DVec3> = view.vertices().map(Vec3::as_dvec3).collect();
        let area = |corners: &[DVec3]| -> DVec3 {
            let fan = corners.windows(2).skip(1);
            fan.map(|pair| (pair[0] - corners[0]).cross(pair[1] - corners[0])).sum()
        };
        let mut left: Vec<DVec3> = (0..view.faces())
            .map(|face| {
                let corners: Vec<DVec3> =
                    view.face(face).map(|corner| vertices[corner as usize]).collect();
                assert!((3..=8).contains(&corners.len()), "{corners:?}");
                area(&corners)
            })
            .collect();
        assert!(left.len() > 5, "{}", left.len());
        for triangle in 0..view.triangles() {
            if let Some(face) = view.face_of(triangle) {
                left[face as usize] -= area(&view.triangle(triangle).map(Vec3::as_dvec3));
            }
        }
        assert!(left.iter().all(|left| left.length() < 1e-9), "{left:?}");
    }
}
