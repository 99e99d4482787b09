//! The queries of `height_rule.rs` for slices of points: the same answers, to the bit.

use glam::Vec3;

use super::{Ground, HeightfieldView, SurfaceId};

/// All slices must have the same length; otherwise the functions panic, because that is a bug in the caller.
impl HeightfieldView<'_> {
    /// The ground at each point.
    pub fn grounds(&self, x: &[f32], z: &[f32], out: &mut [Ground]) {
        fill(x, z, out, |x, z| self.ground(x, z));
    }

    /// The unit normal of the triangle at each point; `None` where there is no ground.
    pub fn face_normals(&self, x: &[f32], z: &[f32], out: &mut [Option<Vec3>]) {
        fill(x, z, out, |x, z| self.face_normal(x, z));
    }

    /// A normal that changes smoothly, at each point; `None` where there is no ground.
    pub fn smooth_normals(&self, x: &[f32], z: &[f32], out: &mut [Option<Vec3>]) {
        fill(x, z, out, |x, z| self.smooth_normal(x, z));
    }

    /// Rise over run of the triangle at each point; `None` where there is no ground.
    pub fn slopes(&self, x: &[f32], z: &[f32], out: &mut [Option<f32>]) {
        fill(x, z, out, |x, z| self.slope(x, z));
    }

    /// The surface at each point; `None` where there is no ground.
    pub fn surfaces(&self, x: &[f32], z: &[f32], out: &mut [Option<SurfaceId>]) {
        fill(x, z, out, |x, z| self.surface(x, z));
    }
}

#[inline]
fn fill<T>(x: &[f32], z: &[f32], out: &mut [T], ask: impl Fn(f32, f32) -> T) {
    assert!(x.len() == z.len() && x.len() == out.len(), "slices of different lengths");
    for ((&x, &z), out) in x.iter().zip(z).zip(out) {
        *out = ask(x, z);
    }
}
