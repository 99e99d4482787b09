//! Trees and wooden objects: logs, fences.

use marchland_terrain::props::MeshSource;

use super::builder::{bent, blocks, lathe};

/// A fir: a trunk and three skirts of branches, `height` metres high, its crown `radius` metres wide at
/// its widest, with `sides` sides. The trunk is bare for a fifth of the height. Closed.
#[must_use]
pub fn fir(height: f64, radius: f64, sides: u32) -> MeshSource {
    let trunk = radius * 0.16;
    let profile = [
        [0.0, 0.0],
        [trunk, 0.0],
        [trunk, 0.20],
        [radius, 0.22],
        [radius * 0.45, 0.48],
        [radius * 0.75, 0.49],
        [radius * 0.28, 0.73],
        [radius * 0.50, 0.74],
        [0.0, 1.0],
    ];
    lathe(&profile.map(|[radius, share]| [radius, share * height]), sides, false)
}

/// A broad-leaved tree: a trunk that is bare for a third of the height and a round crown, `height`
/// metres high, its crown `radius` metres in radius, with `sides` sides. Closed.
#[must_use]
pub fn oak(height: f64, radius: f64, sides: u32) -> MeshSource {
    let (trunk, bare) = (radius * 0.15, height / 3.0);
    let crown = height - bare;
    let profile = [
        [0.0, 0.0],
        [trunk * 1.4, 0.0],
        [trunk, 0.08 * height],
        [trunk, bare],
        [radius * 0.75, bare + 0.12 * crown],
        [radius, bare + 0.42 * crown],
        [radius * 0.82, bare + 0.72 * crown],
        [radius * 0.45, bare + 0.93 * crown],
        [0.0, height],
    ];
    lathe(&profile, sides, false)
}

/// A felled trunk that lies along X: `length` metres long, `radius` metres in radius, with `sides`
/// sides. Its lowest line lies at the foot. Closed.
#[must_use]
pub fn log(length: f64, radius: f64, sides: u32) -> MeshSource {
    let half = length / 2.0;
    let upright =
        lathe(&[[0.0, -half], [radius, -half], [radius, half], [0.0, half]], sides, false);
    // Rounded as the vertices are, so that the lowest lie at 0.
    let radius = f64::from(radius as f32);
    // X to −Y, Y to X: a corner of the many-sided ends points straight down.
    bent(upright, |[x, y, z]| [y, radius - x, z])
}

/// A fence along X: `posts` posts of 0.15 m, 1.2 m high, their middles `gap` metres apart, with two
/// rails between them. Closed.
#[must_use]
pub fn fence(posts: usize, gap: f64) -> MeshSource {
    let y = [0.0, 0.35, 0.5, 0.85, 1.0, 1.2];
    let z = [-0.075, -0.03, 0.03, 0.075];
    blocks(
        [2 * posts - 1, 5, 3],
        |[i, j, k]| i % 2 == 0 || (k == 1 && (j == 1 || j == 3)),
        |[i, j, k]| {
            let middle = gap * ((i / 2) as f64 - (posts - 1) as f64 / 2.0);
            [middle + if i % 2 == 0 { -0.075 } else { 0.075 }, y[j], z[k]]
        },
    )
}
