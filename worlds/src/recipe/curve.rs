//! Smooth lines through a few points: the axes of ranges, rivers, passes and cliffs.

use marchland_terrain::math::clamp;

/// Straight pieces between two points of the plan.
const PIECES: usize = 12;

/// Square of the distance, m², below which points of a curve count alike in [`Nearest::along`]. If it is
/// smaller, single points show as ribs; if larger, the ends are blurred.
const BLEND_SQUARE: f64 = 900.0;

/// A line through points, rounded by Catmull and Rom's spline (1974).
pub(crate) struct Curve {
    /// Corners of the rounded line, metres, [x, z].
    points: Vec<[f64; 2]>,
}

/// The nearest place of a curve.
#[derive(Clone, Copy)]
pub(crate) struct NearestPoint {
    /// Metres from it.
    pub(crate) distance: f64,
    /// 0 at the first point of the curve, 1 at the last; smooth everywhere, also where two bends
    /// are equally near.
    pub(crate) along: f64,
    /// Whether the query point is on the right of the curve, seen with north up and walking along
    /// it.
    pub(crate) right: bool,
}

impl Curve {
    /// A curve through `plan`, metres, [x, z]; at least two points.
    pub(crate) fn through(plan: &[[f64; 2]]) -> Self {
        let last = plan.len() - 1;
        let mut points = vec![plan[0]];
        for i in 0..last {
            let before = plan[i.saturating_sub(1)];
            let after = plan[(i + 2).min(last)];
            for piece in 1..=PIECES {
                let t = piece as f64 / PIECES as f64;
                let axis = |k: usize| spline(before[k], plan[i][k], plan[i + 1][k], after[k], t);
                points.push([axis(0), axis(1)]);
            }
        }
        Self { points }
    }

    /// The nearest place to (x, z).
    pub(crate) fn nearest(&self, x: f64, z: f64) -> NearestPoint {
        let mut best = (f64::INFINITY, false);
        let (mut weights, mut weighed) = (0.0, 0.0);
        for (i, ends) in self.points.windows(2).enumerate() {
            let (east, south) = (ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]);
            let (px, pz) = (x - ends[0][0], z - ends[0][1]);
            let t = clamp((px * east + pz * south) / (east * east + south * south), 0.0, 1.0);
            let (dx, dz) = (px - east * t, pz - south * t);
            let square = dx * dx + dz * dz;
            let nearness = 1.0 / (px * px + pz * pz + BLEND_SQUARE);
            let weight = nearness * nearness * nearness;
            weights += weight;
            weighed += weight * i as f64;
            if square < best.0 {
                best = (square, east * pz - south * px > 0.0);
            }
        }
        let pieces = (self.points.len() - 1) as f64;
        NearestPoint { distance: best.0.sqrt(), along: weighed / (weights * pieces), right: best.1 }
    }
}

fn spline(before: f64, from: f64, to: f64, after: f64, t: f64) -> f64 {
    let linear = to - before;
    let square = 2.0 * before - 5.0 * from + 4.0 * to - after;
    let cube = 3.0 * (from - to) + after - before;
    0.5 * (2.0 * from + t * (linear + t * (square + t * cube)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_passes_through_its_points_and_knows_its_sides() {
        let curve = Curve::through(&[[0.0, 0.0], [10.0, 3.0], [20.0, 0.0]]);
        let middle = curve.nearest(10.0, 3.0);
        assert!(middle.distance < 1e-12);
        assert!((middle.along - 0.5).abs() < 0.04);
        // Walking east, south (+Z) is on the right.
        assert!(curve.nearest(5.0, 9.0).right);
        assert!(!curve.nearest(5.0, -9.0).right);
        assert_eq!(curve.nearest(-4.0, 0.0).distance, 4.0);
    }
}
