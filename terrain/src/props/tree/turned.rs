//! A box that stands aslant to the tree: only the boxes that touch it, not all that touch the upright box around it.

use glam::DVec3;

use super::node::{CHILDREN, Node};
use super::quantized_boxes::{Grid, STEPS};
use crate::math::Aabb;

/// The effect of rounding to `f32` on everything computed here, as a part of the largest number: eight operations of
/// 2⁻²⁴ each, with a margin.
const ROUNDING: f64 = 16.0 / 16_777_216.0;

/// A box in a frame of its own, in which boxes of a tree are tested: along each of its axes, where the box around
/// the turned child is.
pub(super) struct TurnedBox {
    axes: [Axis; 3],
}

/// Twice all lengths: the sum and the difference of two steps are exact.
#[derive(Clone, Copy)]
struct Axis {
    /// What a step along each axis of the tree comes to here.
    by: [f32; 3],
    /// Where the tree's first corner is, seen from the middle of the box.
    from: f32,
    /// Half of the box.
    half: f32,
}

impl TurnedBox {
    /// A box `of` grown by `slack`, both in metres of a frame to which `columns` turn the axes of the tree's.
    pub(super) fn new(grid: &Grid, columns: [DVec3; 3], of: &Aabb, slack: f64) -> Self {
        let (min, max) = (of.min.as_dvec3(), of.max.as_dvec3());
        let [x, y, z] = columns;
        let corner = x * grid.origin().x + y * grid.origin().y + z * grid.origin().z;
        let step = grid.metres();
        let axis = |axis: usize| {
            let by = [x[axis] * step.x, y[axis] * step.y, z[axis] * step.z];
            let from = 2.0 * corner[axis] - (min[axis] + max[axis]);
            let widest = by.iter().map(|by| by.abs()).sum::<f64>() * (2.0 * STEPS + 2.0);
            let rounding = (widest + from.abs() + (max[axis] - min[axis])) * ROUNDING;
            let half = max[axis] - min[axis] + 2.0 * slack + rounding;
            Axis { by: by.map(|by| by as f32), from: from as f32, half: half as f32 }
        };
        Self { axes: [axis(0), axis(1), axis(2)] }
    }

    /// Which children of a node may touch it.
    #[inline]
    pub(super) fn touching(&self, node: &Node) -> [bool; CHILDREN] {
        let mut touching = [true; CHILDREN];
        let (mut middle, mut wide) = ([[0.0; CHILDREN]; 3], [[0.0; CHILDREN]; 3]);
        for axis in 0..3 {
            for lane in 0..CHILDREN {
                // The end of a step is the beginning of the next.
                let (low, high) =
                    (i32::from(node.low[axis][lane]), i32::from(node.high[axis][lane]) + 1);
                (middle[axis][lane], wide[axis][lane]) = ((low + high) as f32, (high - low) as f32);
            }
        }
        for Axis { by, from, half } in self.axes {
            for (lane, touching) in touching.iter_mut().enumerate() {
                let (mut at, mut reach) = (from, half);
                for axis in 0..3 {
                    at += by[axis] * middle[axis][lane];
                    reach += by[axis].abs() * wide[axis][lane];
                }
                *touching &= at.abs() <= reach;
            }
        }
        touching
    }
}
