//! Meshes made of code, awkward on purpose.

use marchland_random::Random;
use marchland_terrain::LoadedMesh;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::{MeshSource, PrepareReport, PreparedMesh};

/// Numbers from 0 to 1, the same on every machine.
pub(crate) fn numbers(seed: u64) -> impl FnMut() -> f32 {
    let mut random = Random::from_state(seed);
    move || random.within(0.0, 1.0)
}

pub(crate) fn source(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> MeshSource {
    let vertices = vertices.iter().copied().map(Vec3::from_array).collect();
    MeshSource { vertices, triangles: triangles.to_vec() }
}

/// A closed box, twelve triangles, facing outwards.
pub(crate) fn block(min: Vec3, max: Vec3) -> MeshSource {
    let corner = |index: u32| {
        let pick = |bit: u32, low, high| if index >> bit & 1 == 0 { low } else { high };
        Vec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z))
    };
    let faces =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    MeshSource { vertices: (0..8).map(corner).collect(), triangles }
}

/// A closed ball of `2 · around · (rings - 1)` triangles, not quite round, off the origin.
pub(crate) fn ball(around: u32, rings: u32) -> MeshSource {
    let mut vertices = Vec::new();
    let angle = |part: u32, of: u32| std::f32::consts::PI * part as f32 / of as f32;
    let place = |ring: u32, step: u32| {
        let (up, side) = (libm::cosf(angle(ring, rings)), libm::sinf(angle(ring, rings)));
        let turn = 2.0 * angle(step, around);
        Vec3::new(
            3.0 + 2.0 * side * libm::cosf(turn),
            -1.0 + 1.5 * up,
            7.5 + 2.5 * side * libm::sinf(turn),
        )
    };
    vertices.push(place(0, 0));
    for ring in 1..rings {
        vertices.extend((0..around).map(|step| place(ring, step)));
    }
    vertices.push(place(rings, 0));
    let (last, below) = (vertices.len() as u32 - 1, 1 + (rings - 2) * around);
    let mut triangles = Vec::new();
    for step in 0..around {
        let next = (step + 1) % around;
        triangles.push([0, 1 + next, 1 + step]);
        for ring in 0..rings - 2 {
            let [a, b] = [step, next].map(|step| 1 + ring * around + step);
            let [c, d] = [a + around, b + around];
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        triangles.push([last, below + step, below + next]);
    }
    MeshSource { vertices, triangles }
}

/// Triangles that share nothing.
pub(crate) fn scattered(count: u32) -> MeshSource {
    let mut number = numbers(u64::from(count) + 3);
    let mut vertices = Vec::new();
    for _ in 0..count {
        let mut point = |size: f32| Vec3::new(number(), number() * 0.3, number()) * size;
        let (at, b, c) = (point(90.0), point(2.0), point(2.0));
        vertices.extend([at, at + b + Vec3::X, at + c + Vec3::Y]);
    }
    let triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    MeshSource { vertices, triangles }
}

/// A sheet of hills with open edges: an ordinary soup.
pub(crate) fn sheet(columns: u32, rows: u32) -> MeshSource {
    let mut number = numbers(17);
    let vertices = (0..=rows)
        .flat_map(|row| (0..=columns).map(move |column| (column, row)))
        .map(|(x, z)| Vec3::new(x as f32 * 0.5, number(), z as f32 * 0.25))
        .collect();
    let at = |column: u32, row: u32| row * (columns + 1) + column;
    let triangles = (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (column, row)))
        .flat_map(|(x, z)| {
            let [a, b, c, d] = [at(x, z), at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)];
            [[a, d, b], [a, c, d]]
        })
        .collect();
    MeshSource { vertices, triangles }
}

/// All of them, beside each other.
pub(crate) fn together(parts: &[MeshSource]) -> MeshSource {
    let mut whole = MeshSource::default();
    for part in parts {
        let begin = whole.vertices.len() as u32;
        whole.vertices.extend(&part.vertices);
        whole.triangles.extend(part.triangles.iter().map(|t| t.map(|corner| corner + begin)));
    }
    whole
}

/// Inside out.
pub(crate) fn turned(mut mesh: MeshSource) -> MeshSource {
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 2));
    mesh
}

/// Each triangle with corners of its own.
pub(crate) fn unwelded(mesh: &MeshSource) -> MeshSource {
    let corners = mesh.triangles.iter().flatten();
    let vertices = corners.map(|&corner| mesh.vertices[corner as usize]).collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    MeshSource { vertices, triangles: triangles.collect() }
}

pub(crate) fn prepared(mesh: &MeshSource) -> (PreparedMesh, PrepareReport) {
    PreparedMesh::new(mesh).unwrap()
}

pub(crate) fn loaded(mesh: &MeshSource) -> LoadedMesh {
    LoadedMesh::new(prepared(mesh).0.encode()).unwrap()
}

/// Six times the volume that a mesh's triangles bound.
pub(crate) fn volume(mesh: &LoadedMesh) -> f64 {
    let view = mesh.view();
    (0..view.triangles())
        .map(|triangle| {
            let [a, b, c] = view.triangle(triangle).map(Vec3::as_dvec3);
            a.dot(b.cross(c))
        })
        .sum()
}

/// How often the surface winds around a point, by the solid angles of its triangles (Van Oosterom,
/// Strackee, "The Solid Angle of a Plane Triangle", 1983).
pub(crate) fn winding(mesh: &LoadedMesh, point: DVec3) -> f64 {
    let view = mesh.view();
    let angles = (0..view.triangles()).map(|triangle| {
        let [a, b, c] = view.triangle(triangle).map(|corner| corner.as_dvec3() - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * libm::atan2(a.dot(b.cross(c)), below)
    });
    angles.sum::<f64>() / (4.0 * std::f64::consts::PI)
}
