//! Simple objects: crates, barrels, pillars, walls, ramps, wells, tangles.

use marchland_random::Random;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::angle::tan_degrees;
use marchland_terrain::props::MeshSource;

use super::builder::{blocks, extruded, lathe};

/// A box of `x` × `y` × `z` metres: a crate, a slab, a wall. 12 triangles, closed.
#[must_use]
pub fn crate_box(x: f64, y: f64, z: f64) -> MeshSource {
    let (xs, ys, zs) = ([-x / 2.0, x / 2.0], [0.0, y], [-z / 2.0, z / 2.0]);
    blocks([1; 3], |_| true, |[i, j, k]| [xs[i], ys[j], zs[k]])
}

/// A barrel: 1.1 m high, 0.35 m in radius at its ends and 0.45 m at its belly, with 12 sides. Closed.
#[must_use]
pub fn barrel() -> MeshSource {
    lathe(&[[0.0, 0.0], [0.35, 0.0], [0.45, 0.4], [0.45, 0.7], [0.35, 1.1], [0.0, 1.1]], 12, false)
}

/// A round pillar with `sides` sides, `radius` and `height` in metres, with a foot and a head a
/// quarter wider and an eighth of the height each. Closed.
#[must_use]
pub fn pillar(radius: f64, height: f64, sides: u32) -> MeshSource {
    let (wide, plinth) = (radius * 1.25, height / 8.0);
    let profile = [
        [0.0, 0.0],
        [wide, 0.0],
        [wide, plinth],
        [radius, plinth],
        [radius, height - plinth],
        [wide, height - plinth],
        [wide, height],
        [0.0, height],
    ];
    lathe(&profile, sides, false)
}

/// A wedge that rises along +X at `degrees`, to `height` metres, `width` metres wide along Z. Its
/// run is `height` ÷ tan(`degrees`). 8 triangles, closed.
#[must_use]
pub fn ramp(degrees: f64, height: f64, width: f64) -> MeshSource {
    let half = height / tan_degrees(degrees) / 2.0;
    extruded(&[[half, 0.0], [half, height], [-half, 0.0]], width)
}

/// A wall along X with an arched doorway through its middle: `length` × `height` × `thickness`
/// metres. The doorway is `door_width` metres wide and `spring` metres high at its sides; its arch, of
/// eight straight pieces, rises above that by half its width. Closed.
#[must_use]
pub fn arch(length: f64, height: f64, thickness: f64, door_width: f64, spring: f64) -> MeshSource {
    const PIECES: usize = 8;
    let (half, radius) = (length / 2.0, door_width / 2.0);
    let x = |i: usize| match i {
        0 => -half,
        i if i == PIECES + 2 => half,
        i => radius * (2.0 * (i - 1) as f64 / PIECES as f64 - 1.0),
    };
    // The circle's height over a place; rounding must not make it negative.
    let rise = |x: f64| {
        let square = radius * radius - x * x;
        if square > 0.0 { square.sqrt() } else { 0.0 }
    };
    blocks(
        [PIECES + 2, 2, 1],
        |[i, j, _]| j == 1 || i == 0 || i == PIECES + 1,
        |[i, j, k]| {
            let under = if (1..PIECES + 2).contains(&i) { rise(x(i)) } else { 0.0 };
            let y = [0.0, spring + under, height][j];
            [x(i), y, thickness * (k as f64 - 0.5)]
        },
    )
}

/// A well: a ring of masonry 0.9 m high, 1.2 m in radius outside and 0.85 m inside, with 16 sides, open
/// down the middle. Closed.
#[must_use]
pub fn well() -> MeshSource {
    lathe(&[[1.2, 0.0], [1.2, 0.9], [0.85, 0.9], [0.85, 0.0]], 16, true)
}

/// Triangles without any order, their corners anywhere in a box of `size` metres: what no prop is, and a forged file
/// may hold. Not closed.
#[must_use]
pub fn tangle(triangles: u32, size: f32) -> MeshSource {
    let mut random = Random::new(triangles.into());
    let size = f64::from(size);
    let mut corner = || Vec3::from([0; 3].map(|_| random.between(0.0, size) as f32));
    let vertices = (0..3 * triangles).map(|_| corner()).collect();
    let triangles = (0..triangles).map(|first| [0, 1, 2].map(|at| 3 * first + at)).collect();
    MeshSource { vertices, triangles }
}

/// Divides every third triangle at the middle of a side, and not the neighbour there: what looks closed is a soup.
#[must_use]
pub fn torn(mut mesh: MeshSource) -> MeshSource {
    for triangle in (0..mesh.triangles.len()).step_by(3) {
        let [a, b, c] = mesh.triangles[triangle];
        let middle = mesh.vertices.len() as u32;
        mesh.vertices.push((mesh.vertices[a as usize] + mesh.vertices[b as usize]) / 2.0);
        mesh.triangles[triangle] = [a, middle, c];
        mesh.triangles.push([middle, b, c]);
    }
    mesh
}
