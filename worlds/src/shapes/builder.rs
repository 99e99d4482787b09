//! Builds meshes in four ways: boxes of a bent grid, extruded profiles, revolved profiles, and
//! single faces.
//!
//! ```text
//!  blocks                     extruded                      lathe
//!  ┌──┬─────┬──┐  cells of    profile in x, y, drawn   y ^    profile in radius, y,
//!  │▓▓│     │▓▓│  a grid,     out along z; a fan of      |╲   turned about Y
//!  │▓▓├─────┤▓▓│  full or     triangles from its first   | ╲
//!  │▓▓│     │▓▓│  empty       corner fills it            └──▶ radius
//!  └──┴─────┴──┘
//! ```
//!
//! All of them share corners between neighbouring faces, so solids are closed. Everything is
//! computed in `f64` and rounded once, with only + − × ÷, square roots and the `libm` crate's sine
//! and cosine.

use std::collections::BTreeMap;

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::angle::radians;
use marchland_terrain::props::MeshSource;

/// A mesh under construction; corners at the same place are one vertex.
#[derive(Default)]
pub(super) struct Builder {
    mesh: MeshSource,
    known: BTreeMap<[u32; 3], u32>,
}

impl Builder {
    /// The vertex at a place.
    fn vertex(&mut self, place: [f64; 3]) -> u32 {
        // Adding 0 maps −0 to 0.
        let place = place.map(|metres| metres as f32 + 0.0);
        let next = self.mesh.vertices.len() as u32;
        let vertex = *self.known.entry(place.map(f32::to_bits)).or_insert(next);
        if vertex == next {
            self.mesh.vertices.push(Vec3::from_array(place));
        }
        vertex
    }

    /// A triangle, counter-clockwise seen from outside.
    pub(super) fn triangle(&mut self, corners: [[f64; 3]; 3]) {
        let corners = corners.map(|corner| self.vertex(corner));
        self.mesh.triangles.push(corners);
    }

    /// A face with corners counter-clockwise seen from outside, all of them visible from the first.
    pub(super) fn face(&mut self, corners: &[[f64; 3]]) {
        let Some((&hub, rim)) = corners.split_first() else { return };
        for pair in rim.windows(2) {
            self.triangle([hub, pair[0], pair[1]]);
        }
    }

    /// The finished mesh.
    pub(super) fn finish(self) -> MeshSource {
        self.mesh
    }
}

/// The full cells of a grid of `cells` cells as one solid; grid point (i, j, k) stands at `place`.
/// Cells that share only an edge or a corner would not make a closed solid.
pub(super) fn blocks(
    cells: [usize; 3],
    full: impl Fn([usize; 3]) -> bool,
    place: impl Fn([usize; 3]) -> [f64; 3],
) -> MeshSource {
    let mut builder = Builder::default();
    let everywhere = (0..cells[2]).flat_map(|k| (0..cells[1]).map(move |j| (j, k)));
    for [i, j, k] in everywhere.flat_map(|(j, k)| (0..cells[0]).map(move |i| [i, j, k])) {
        if !full([i, j, k]) {
            continue;
        }
        for (axis, high) in [(0, false), (0, true), (1, false), (1, true), (2, false), (2, true)] {
            let mut beside = [i, j, k];
            // Below the first cell there is nothing: the wrapped index exceeds any count.
            beside[axis] = beside[axis].wrapping_add(if high { 1 } else { usize::MAX });
            if beside[axis] < cells[axis] && full(beside) {
                continue;
            }
            let mut corner = [i, j, k];
            corner[axis] += usize::from(high);
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut face = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[along_u, along_v]| {
                let mut corner = corner;
                corner[u] += along_u;
                corner[v] += along_v;
                place(corner)
            });
            if !high {
                face.reverse();
            }
            builder.face(&face);
        }
    }
    builder.finish()
}

/// A profile in x and y, counter-clockwise, all of it visible from its first corner, extruded along Z
/// from −`width` / 2 to `width` / 2.
pub(super) fn extruded(profile: &[[f64; 2]], width: f64) -> MeshSource {
    let mut builder = Builder::default();
    let (back, front) = (-width / 2.0, width / 2.0);
    let at = |z: f64| profile.iter().map(move |[x, y]| [*x, *y, z]).collect::<Vec<_>>();
    builder.face(&at(front));
    for triangle in profile.get(1..).unwrap_or_default().windows(2) {
        let [p, q] = [triangle[0], triangle[1]].map(|[x, y]| [x, y, back]);
        builder.triangle([[profile[0][0], profile[0][1], back], q, p]);
    }
    for (p, q) in profile.iter().zip(profile.iter().cycle().skip(1)) {
        let side = |[x, y]: [f64; 2], z| [x, y, z];
        builder.face(&[side(*p, back), side(*q, back), side(*q, front), side(*p, front)]);
    }
    builder.finish()
}

/// A profile of [radius, y], revolved about Y with `sides` sides. An open profile goes from the
/// axis upwards outside and back to the axis; a `ring` is a loop that does not touch the axis,
/// upwards outside and down inside.
pub(super) fn lathe(profile: &[[f64; 2]], sides: u32, ring: bool) -> MeshSource {
    let mut builder = Builder::default();
    let turned: Vec<(f64, f64)> = (0..sides)
        .map(|side| radians(360.0 * f64::from(side) / f64::from(sides)))
        .map(|angle| (libm::cos(angle), libm::sin(angle)))
        .collect();
    let segments = profile.len() - usize::from(!ring);
    for (here, next) in turned.iter().zip(turned.iter().cycle().skip(1)) {
        for (low, high) in profile.iter().zip(profile.iter().cycle().skip(1)).take(segments) {
            let at =
                |[radius, y]: [f64; 2], (cos, sin): (f64, f64)| [radius * cos, y, radius * sin];
            let corners = [at(*low, *here), at(*high, *here), at(*high, *next), at(*low, *next)];
            match (low[0] > 0.0, high[0] > 0.0) {
                (true, true) => builder.face(&corners),
                (false, true) => builder.face(&corners[..3]),
                (true, false) => builder.face(&[corners[0], corners[1], corners[3]]),
                (false, false) => {}
            }
        }
    }
    builder.finish()
}

/// The mesh with every vertex moved by `bend`, which must not turn it inside out.
pub(super) fn bent(mut mesh: MeshSource, bend: impl Fn([f64; 3]) -> [f64; 3]) -> MeshSource {
    for vertex in &mut mesh.vertices {
        let moved = bend(vertex.to_array().map(f64::from));
        *vertex = Vec3::from_array(moved.map(|metres| metres as f32 + 0.0));
    }
    mesh
}
