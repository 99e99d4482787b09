//! Transforms of nodes: columns and an origin, in `f64`, in a fixed order of operations.

use glam::{DVec3, Vec3};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{MeshSource, Placement};

use super::error::NodeFault;

/// How far, as a fraction of its length, a column of a transform may be from that of a rotation with uniform
/// scale. Files hold `f32`, or six decimals of them, and products of a few such matrices are off by some
/// 1e-6. Ten times that is a tenth of a millimetre on a prop of ten metres, below the resolution of any
/// query. A larger value would move props. A smaller one would copy meshes because of rounding alone, which
/// is costly but never wrong.
const UNIFORM_TOLERANCE: f64 = 1e-5;

/// Maps a point `p` to `columns · p + origin`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Images of X, Y and Z.
    pub columns: [DVec3; 3],
    /// Image of 0. Metres.
    pub origin: DVec3,
}

impl Affine {
    /// The identity.
    pub const IDENTITY: Self =
        Self { columns: [DVec3::X, DVec3::Y, DVec3::Z], origin: DVec3::ZERO };

    /// A scale along the axes, then a rotation, then a shift.
    #[must_use]
    pub fn from_parts(translation: [f64; 3], quaternion: [f64; 4], scale: [f64; 3]) -> Self {
        let [sx, sy, sz] = scale;
        let [x, y, z] = rotation_columns(quaternion);
        Self { columns: [x * sx, y * sy, z * sz], origin: DVec3::from_array(translation) }
    }

    /// A transformed point.
    #[must_use]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.turn(point) + self.origin
    }

    /// A direction, rotated and scaled.
    #[must_use]
    pub fn turn(&self, direction: DVec3) -> DVec3 {
        let [x, y, z] = self.columns;
        x * direction.x + y * direction.y + z * direction.z
    }

    /// The composition: `first`, then this.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        Self {
            columns: first.columns.map(|column| self.turn(column)),
            origin: self.apply(first.origin),
        }
    }

    /// This transform as a rotation and uniform scale, if it is one within 1e-5 and the scale is
    /// valid for props.
    #[must_use]
    pub fn placement(&self) -> Option<Placement> {
        let [x, y, z] = self.columns;
        let scale = (x.length() + y.length() + z.length()) / 3.0;
        if !(scale > 0.0 && scale < f64::INFINITY) {
            return None;
        }
        let rotation = Rotation::from_quaternion(quaternion(self.columns.map(|c| c / scale)))?;
        let placement = Placement::new(rotation, scale as f32).ok()?;
        // Shear, mirrors and non-uniform scales show as columns that are not reproduced.
        let back = rotation.columns();
        let near = |column: DVec3, back: DVec3| {
            let off = column / scale - back;
            off.length() <= UNIFORM_TOLERANCE
        };
        let [bx, by, bz] = back;
        (near(x, bx) && near(y, by) && near(z, bz)).then_some(placement)
    }

    /// Whether it mirrors, which turns meshes inside out.
    #[must_use]
    pub fn mirrors(&self) -> bool {
        let [x, y, z] = self.columns;
        x.cross(y).dot(z) < 0.0
    }

    /// Appends a mesh with every vertex transformed. Mirrored triangles get the reverse winding, so that
    /// their outside stays outside.
    pub(super) fn append(&self, source: &MeshSource, to: &mut MeshSource) -> Result<(), NodeFault> {
        let base = to.vertices.len() as u32;
        for (number, vertex) in source.vertices.iter().enumerate() {
            let moved = self.apply(vertex.as_dvec3());
            let narrow: Vec3 = moved.as_vec3();
            if !narrow.is_finite() {
                let found = format!("{}, {}, {}", moved.x, moved.y, moved.z);
                return Err(NodeFault::NotFinite { vertex: number, found });
            }
            to.vertices.push(narrow);
        }
        let mirrors = self.mirrors();
        to.triangles.extend(source.triangles.iter().map(|&[a, b, c]| {
            let [b, c] = if mirrors { [c, b] } else { [b, c] };
            [a + base, b + base, c + base]
        }));
        Ok(())
    }
}

/// The columns of the rotation of a quaternion of any length but 0.
fn rotation_columns([x, y, z, w]: [f64; 4]) -> [DVec3; 3] {
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    [
        DVec3::new(1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)),
        DVec3::new(s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)),
        DVec3::new(s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)),
    ]
}

/// The quaternion of a rotation's columns, after Shepperd, *Quaternion from Rotation Matrix* (1978):
/// the greatest component first, so that no divisor is small. Meaningless for other columns, and not
/// always finite.
fn quaternion([x, y, z]: [DVec3; 3]) -> [f64; 4] {
    let trace = x.x + y.y + z.z;
    if trace >= x.x && trace >= y.y && trace >= z.z {
        let w = 1.0 + trace;
        [y.z - z.y, z.x - x.z, x.y - y.x, w]
    } else if x.x >= y.y && x.x >= z.z {
        [1.0 + x.x - y.y - z.z, y.x + x.y, z.x + x.z, y.z - z.y]
    } else if y.y >= z.z {
        [y.x + x.y, 1.0 - x.x + y.y - z.z, z.y + y.z, z.x - x.z]
    } else {
        [z.x + x.z, z.y + y.z, 1.0 - x.x - y.y + z.z, x.y - y.x]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(degrees: [f64; 3], scale: f64) -> Affine {
        let columns = Rotation::from_degrees(degrees).columns().map(|column| column * scale);
        Affine { columns, origin: DVec3::new(5.0, -1.0, 2.0) }
    }

    #[test]
    fn every_rotation_with_uniform_scale_is_found_again() {
        for degrees in [
            [0.0, 0.0, 0.0],
            [90.0, 0.0, 0.0],
            [0.0, 180.0, 0.0],
            [180.0, 0.0, 0.0],
            [0.0, 0.0, 180.0],
            [0.0, 179.9, 0.0],
            [33.0, -120.0, 71.0],
            [-91.0, 200.0, 170.0],
        ] {
            for scale in [1.0, 0.01, 39.37] {
                let affine = turned(degrees, scale);
                let placement = affine.placement().expect("a placement");
                assert!((f64::from(placement.scale()) / scale - 1.0).abs() < 1e-6);
                let back = placement.rotation().columns();
                for (a, b) in affine.columns.into_iter().zip(back) {
                    assert!((a / scale - b).length() < 1e-6, "{degrees:?}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn rounding_is_forgiven_and_other_shapes_are_not() {
        let change = |by: f64| {
            let mut affine = turned([20.0, 50.0, -10.0], 2.0);
            affine.columns[1] += DVec3::new(0.3, -0.2, 0.7) * by;
            affine.placement()
        };
        assert!(change(1e-6).is_some(), "six decimals");
        assert!(change(1e-4).is_none(), "a millimetre on ten metres");
        let with = |columns| Affine { columns, origin: DVec3::ZERO }.placement();
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
        assert!(with([x, y, z]).is_some());
        assert!(with([-x, y, z]).is_none(), "a mirror");
        assert!(with([-x, -y, -z]).is_none(), "a mirror through a point");
        assert!(with([-x, y, -z]).is_some(), "half a turn");
        assert!(with([x, y * 2.0, z]).is_none(), "stretched");
        assert!(with([x, y, z + x * 0.5]).is_none(), "sheared");
        assert!(with([x, x, x]).is_none() && with([DVec3::ZERO; 3]).is_none(), "flattened");
        assert!(with([x * 5000.0, y * 5000.0, z * 5000.0]).is_none(), "larger than props are");
        assert!(with([x * f64::MAX, y * f64::MAX, z]).is_none(), "beyond numbers");
    }

    #[test]
    fn a_mirrored_triangle_keeps_its_outside() {
        let source =
            MeshSource { vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
        let mirror = Affine { columns: [-DVec3::X, DVec3::Y, DVec3::Z], origin: DVec3::Z };
        let mut merged = source.clone();
        mirror.append(&source, &mut merged).unwrap();
        assert_eq!(merged.triangles, [[0, 1, 2], [3, 5, 4]]);
        assert_eq!(merged.vertices[4], Vec3::new(-1.0, 0.0, 1.0));
    }
}
