//! The boxes of a tree, quantized: as steps of a grid of 65536 along each axis.

use glam::{DVec3, Vec3};

use crate::math::Aabb;

pub(super) const STEPS: f64 = 65_536.0;

/// A box as steps, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GridBox {
    pub(super) low: [u16; 3],
    pub(super) high: [u16; 3],
}

/// Maps coordinates to the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    origin: DVec3,
    /// Steps per metre; 0 along an axis without extent, where every coordinate is step 0.
    scale: DVec3,
}

impl Grid {
    /// The grid over a box.
    pub(super) fn over(bounds: &Aabb) -> Self {
        let origin = bounds.min.as_dvec3();
        let extent = bounds.max.as_dvec3() - origin;
        let scale = extent.map(|metres| if metres > 0.0 { STEPS / metres } else { 0.0 });
        Self { origin, scale }
    }

    /// Where its first step begins. Metres.
    pub(super) fn origin(&self) -> DVec3 {
        self.origin
    }

    /// How long a step is along each axis. Metres.
    pub(super) fn metres(&self) -> DVec3 {
        self.scale.map(|scale| if scale > 0.0 { 1.0 / scale } else { 0.0 })
    }

    /// A point in steps; not rounded, and not clamped to the grid.
    pub(super) fn point(&self, metres: DVec3) -> DVec3 {
        self.vector(metres - self.origin)
    }

    /// A difference of points, in steps.
    pub(super) fn vector(&self, metres: DVec3) -> DVec3 {
        metres * self.scale
    }

    /// The steps of a box; what lies beyond the grid is moved to the nearest step. Each operation
    /// preserves order, so boxes that touch still touch as steps.
    pub(super) fn steps(&self, of: &Aabb) -> GridBox {
        GridBox { low: self.step(of.min), high: self.step(of.max) }
    }

    fn step(&self, point: Vec3) -> [u16; 3] {
        // The conversion truncates and saturates at 0 and 65535.
        self.point(point.as_dvec3()).to_array().map(|steps| steps as u16)
    }
}
