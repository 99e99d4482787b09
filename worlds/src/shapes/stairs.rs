//! Stairs, plain and between walls, and the bridge.

use marchland_terrain::math::{greater, lesser};
use marchland_terrain::props::MeshSource;

use super::builder::{blocks, extruded};

/// Solid stairs that climb along +X: `steps` steps of `rise` and `tread` metres, `width` metres wide
/// along Z. `8 × steps + 4` triangles, closed.
#[must_use]
pub fn stairs(steps: u32, rise: f64, tread: f64, width: f64) -> MeshSource {
    extruded(&profile(steps, rise, tread), width)
}

/// From the foot of the back, from which every corner is visible, over the back's top and down the
/// steps.
fn profile(steps: u32, rise: f64, tread: f64) -> Vec<[f64; 2]> {
    let x = |step: u32| tread * (f64::from(step) - f64::from(steps) / 2.0);
    let mut profile = vec![[x(steps), 0.0]];
    for step in (0..steps).rev() {
        let top = rise * f64::from(step + 1);
        profile.extend([[x(step + 1), top], [x(step), top]]);
    }
    profile.push([x(0), 0.0]);
    profile
}

/// As [`stairs`], with a wall 0.25 m thick on either side, each as high above the steps as `wall_steps`
/// steps, rising with them. Wider than `width` by 0.5 m; higher than the last step by `wall_steps` of
/// `rise`. Closed.
#[must_use]
pub fn walled_stairs(steps: u32, rise: f64, tread: f64, width: f64, wall_steps: u32) -> MeshSource {
    let (steps, wall_steps) = (steps as usize, wall_steps as usize);
    let half = width / 2.0;
    let z = [-half - 0.25, -half, half, half + 0.25];
    blocks(
        [steps, steps + wall_steps, 3],
        |[i, j, k]| j <= i + if k == 1 { 0 } else { wall_steps },
        |[i, j, k]| [tread * (i as f64 - steps as f64 / 2.0), rise * j as f64, z[k]],
    )
}

/// A humped bridge along X: `length` metres long and `width` metres wide between railings 0.25 m thick
/// and 1 m high. Ramps at both ends, each a fifth of the length, lead up to a deck `rise` metres high;
/// an arch is open below it. Its ends are lips of 0.1 m. Its whole height is `rise` + 1 m. Closed.
#[must_use]
pub fn bridge(length: f64, width: f64, rise: f64) -> MeshSource {
    const PIECES: usize = 20;
    const LIP: f64 = 0.1;
    let half = width / 2.0;
    let z = [-half - 0.25, -half, half, half + 0.25];
    // 0 at an end of a ramp, 1 on the deck; u runs from −1 to 1 along the bridge.
    let climbed = |u: f64| lesser((1.0 - u.abs()) / 0.4, 1.0);
    let arched = |u: f64| greater(1.0 - u * u / (0.8 * 0.8), 0.0);
    blocks(
        [PIECES, 2, 3],
        |[_, j, k]| j == 0 || k != 1,
        |[i, j, k]| {
            let u = 2.0 * i as f64 / PIECES as f64 - 1.0;
            let deck = LIP + (rise - LIP) * climbed(u);
            let y = [(rise - 0.4) * arched(u), deck, deck + 1.0][j];
            [length / 2.0 * u, y, z[k]]
        },
    )
}
