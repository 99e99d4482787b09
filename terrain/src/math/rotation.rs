//! Rotations with the same bits on every machine: plain arithmetic in a fixed order.

use glam::{DVec3, Vec3};

use super::angle::radians;

/// A rotation as a unit quaternion `x, y, z, w`. Conversion from degrees uses the `libm` crate;
/// everything after that uses only + − × ÷ and sqrt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation([f32; 4]);

impl Rotation {
    /// No rotation.
    pub const IDENTITY: Self = Self([0.0, 0.0, 0.0, 1.0]);

    /// From degrees about X, Y and Z. The matrix is Ry · Rx · Rz: first about Z, then X, then Y.
    /// Multiples of 90° are exact.
    #[must_use]
    pub fn from_degrees(degrees: [f64; 3]) -> Self {
        let half = |degrees: f64| sin_cos_degrees(degrees % 720.0 * 0.5);
        let [(sx, cx), (sy, cy), (sz, cz)] = degrees.map(half);
        let about_x = [sx, 0.0, 0.0, cx];
        let about_y = [0.0, sy, 0.0, cy];
        let about_z = [0.0, 0.0, sz, cz];
        Self::from_quaternion(product(product(about_y, about_x), about_z)).unwrap_or(Self::IDENTITY)
    }

    /// From a quaternion of any length except 0; `None` if its length is 0 or not finite. Of the two
    /// quaternions of a rotation, the one whose last component is not negative is kept.
    #[must_use]
    pub fn from_quaternion(components: [f64; 4]) -> Option<Self> {
        unit(components).map(|unit| FineRotation(unit).rounded())
    }

    /// The rotation that results from turning with `velocity` for `seconds`. The direction of `velocity` is
    /// the axis, right-handed, and its length is radians per second. The identity if the turn is not finite.
    /// Uses the `libm` crate: not called in a tick.
    #[must_use]
    pub fn about(velocity: Vec3, seconds: f64) -> Self {
        FineRotation::about(velocity, seconds).rounded()
    }

    /// From components that [`quaternion`](Self::quaternion) returned.
    pub(crate) const fn from_components(components: [f32; 4]) -> Self {
        Self(components)
    }

    /// The components `x, y, z, w`.
    #[must_use]
    pub const fn quaternion(self) -> [f32; 4] {
        self.0
    }

    /// This rotation applied after `first`, normalised.
    #[must_use]
    pub fn after(self, first: Self) -> Self {
        FineRotation::of(self).after(FineRotation::of(first)).rounded()
    }

    /// The inverse rotation.
    #[must_use]
    pub fn inverse(self) -> Self {
        let [x, y, z, w] = self.0;
        Self([-x + 0.0, -y + 0.0, -z + 0.0, w])
    }

    /// The columns of its matrix: the images of X, Y and Z.
    #[must_use]
    #[inline]
    pub fn columns(self) -> [DVec3; 3] {
        let [x, y, z, w] = self.0.map(f64::from);
        // Divided by the squared length, so that the rounding of the components causes no scaling.
        let s = 2.0 / (x * x + y * y + z * z + w * w);
        [
            DVec3::new(1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)),
            DVec3::new(s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)),
            DVec3::new(s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)),
        ]
    }

    /// The rotated vector.
    #[must_use]
    #[inline]
    pub fn apply(self, vector: Vec3) -> DVec3 {
        let [x, y, z] = self.columns();
        x * f64::from(vector.x) + y * f64::from(vector.y) + z * f64::from(vector.z)
    }
}

/// How often a rotation is halved to find a part of it: 256 pieces.
const HALVINGS: u32 = 8;

/// A rotation in `f64`. A rotation that changes in every tick is stored more finely than it is shown, so that
/// a turn of less than the last bit of a [`Rotation`] per tick is not lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FineRotation([f64; 4]);

impl FineRotation {
    /// No rotation.
    pub(crate) const IDENTITY: Self = Self([0.0, 0.0, 0.0, 1.0]);

    /// From a rotation, without rounding.
    pub(crate) fn of(rotation: Rotation) -> Self {
        Self(rotation.0.map(f64::from))
    }

    /// See [`Rotation::about`].
    pub(crate) fn about(velocity: Vec3, seconds: f64) -> Self {
        let [x, y, z] = velocity.to_array().map(f64::from);
        // The squares of the least and the greatest f32 are ordinary numbers in f64.
        let speed = (x * x + y * y + z * z).sqrt();
        let half = speed * seconds * 0.5;
        if speed == 0.0 || !half.is_finite() {
            return Self::IDENTITY;
        }
        let (sin, cos) = libm::sincos(half);
        let parts = [x / speed * sin, y / speed * sin, z / speed * sin, cos];
        unit(parts).map_or(Self::IDENTITY, Self)
    }

    /// This rotation applied after `first`, normalised.
    #[must_use]
    pub(crate) fn after(self, first: Self) -> Self {
        unit(product(self.0, first.0)).map_or(Self::IDENTITY, Self)
    }

    /// The angular velocity, in radians per second, of the shorter turn from `first` to this rotation in
    /// `seconds`. Uses the `libm` crate: called when a move is requested.
    pub(crate) fn velocity_from(self, first: Self, seconds: f64) -> DVec3 {
        let [x, y, z, w] = first.0;
        let [x, y, z, w] = product(self.0, [-x, -y, -z, w]);
        let sine = (x * x + y * y + z * z).sqrt();
        if sine == 0.0 {
            return DVec3::ZERO;
        }
        // Of the two quaternions of a turn, the one for the shorter turn.
        let (sign, cosine) = if w < 0.0 { (-1.0, -w) } else { (1.0, w) };
        let angle = 2.0 * libm::atan2(sine, cosine);
        DVec3::new(x, y, z) * (sign * angle / (sine * seconds))
    }

    /// The rotation that leads from one to another, by the shorter way.
    pub(crate) fn between(from: Rotation, to: Rotation) -> Self {
        if from == to { Self::IDENTITY } else { Self::of(to).after(Self::of(from.inverse())) }
    }

    /// A part of this rotation, 0 to 1, at a constant rate. Halved again and again, and by a straight line
    /// within the last piece, where that differs from the arc by less than a ten-millionth of a radian for
    /// turns of a quarter. Uses only arithmetic and square roots, so it may be called in a tick.
    pub(crate) fn power(self, part: f64) -> Self {
        let (mut whole, mut piece, mut rest) = (Self::IDENTITY, self, part);
        for _ in 0..HALVINGS {
            piece = piece.half();
            rest *= 2.0;
            if rest >= 1.0 {
                rest -= 1.0;
                whole = piece.after(whole);
            }
        }
        let [x, y, z, w] = piece.0;
        let last = [x * rest, y * rest, z * rest, 1.0 + (w - 1.0) * rest];
        unit(last).map_or(Self::IDENTITY, Self).after(whole)
    }

    /// Half of this rotation.
    fn half(self) -> Self {
        let [x, y, z, w] = self.0;
        unit([x, y, z, w + 1.0]).map_or(Self::IDENTITY, Self)
    }

    /// Its axis. A unit vector; 0 if it turns nothing.
    pub(crate) fn axis(self) -> DVec3 {
        let [x, y, z, _] = self.0;
        DVec3::new(x, y, z).normalize_or_zero()
    }

    /// The angle by which it turns, up to half a circle, and the part of it about an axis that is not
    /// upright. Radians, to a millionth of their size.
    pub(crate) fn angles(self) -> (f64, f64) {
        let piece = (0..HALVINGS).fold(self, |piece, _| piece.half());
        let [x, y, z, _] = piece.0;
        let sine = (x * x + y * y + z * z).sqrt();
        // The sine of half of a small angle, which differs from that by a sixth of its cube.
        let angle = 2.0 * (sine + sine * sine * sine / 6.0) * f64::from(1_u32 << HALVINGS);
        let tilt = if sine > 0.0 { (x * x + z * z).sqrt() / sine } else { 0.0 };
        (angle, angle * tilt)
    }

    /// How far the arc of a point that it turns leads beside the straight line, for a point at a distance of 1
    /// from the axis.
    pub(crate) fn sagitta(self) -> f64 {
        let [.., w] = self.0;
        if w < 1.0 { 1.0 - w } else { 0.0 }
    }

    /// By how much it changes a vector.
    pub(crate) fn swing_of(self, arm: DVec3) -> DVec3 {
        let [x, y, z, w] = self.0;
        let axis = DVec3::new(x, y, z);
        let twice = axis.cross(arm) * 2.0;
        twice * w + axis.cross(twice)
    }

    /// The nearest [`Rotation`].
    pub(crate) fn rounded(self) -> Rotation {
        Rotation(self.0.map(|part| part as f32 + 0.0))
    }

    /// The components `x, y, z, w`.
    pub(crate) const fn quaternion(self) -> [f64; 4] {
        self.0
    }

    /// The displacement of `arm` when it is turned from `before` to `now`. Avoids the cancellation of turning
    /// and then subtracting, and is 0 if nothing turns.
    pub(crate) fn swing(before: Rotation, now: Rotation, arm: DVec3) -> DVec3 {
        if before == now {
            return DVec3::ZERO;
        }
        let wide = |rotation: Rotation| rotation.0.map(f64::from);
        let [x, y, z, w] = product(wide(now), wide(before.inverse()));
        let axis = DVec3::new(x, y, z);
        // Divided by the squared length: the components are rounded, so the length is not exactly
        // 1.
        let twice = axis.cross(arm) * (2.0 / (x * x + y * y + z * z + w * w));
        twice * w + axis.cross(twice)
    }
}

/// A quaternion of length 1, its last component not negative; `None` if its length is 0 or not finite.
fn unit(q: [f64; 4]) -> Option<[f64; 4]> {
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if !(length > 0.0 && length < f64::INFINITY) {
        return None;
    }
    let sign = if q[3] < 0.0 { -1.0 } else { 1.0 };
    Some(q.map(|part| part / length * sign + 0.0))
}

/// Sine and cosine of degrees, exact for multiples of 90°.
fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let turned = degrees.rem_euclid(360.0);
    match turned {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => (libm::sin(radians(turned)), libm::cos(radians(turned))),
    }
}

/// The quaternion product `a · b`.
fn product([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: DVec3, b: DVec3) {
        assert!((a - b).length() < 1e-6, "{a} and {b}");
    }

    #[test]
    fn degrees_turn_about_z_then_x_then_y() {
        close(Rotation::from_degrees([0.0, 90.0, 0.0]).apply(Vec3::X), DVec3::NEG_Z);
        close(Rotation::from_degrees([90.0, 0.0, 0.0]).apply(Vec3::Y), DVec3::Z);
        close(Rotation::from_degrees([0.0, 0.0, 90.0]).apply(Vec3::X), DVec3::Y);
        // X becomes Y by Z, Z by X, X by Y.
        close(Rotation::from_degrees([90.0, 90.0, 90.0]).apply(Vec3::X), DVec3::X);
        let turned = Rotation::from_degrees([20.0, 0.0, 0.0])
            .after(Rotation::from_degrees([0.0, 0.0, 35.0]));
        close(turned.apply(Vec3::ONE), Rotation::from_degrees([20.0, 0.0, 35.0]).apply(Vec3::ONE));
    }

    #[test]
    fn quarter_and_half_turns_are_exact_enough_to_keep_boxes_flush() {
        for degrees in [-270.0, -90.0, 90.0, 180.0, 270.0, 360.0, 450.0] {
            for vector in [Vec3::X, Vec3::Z, Vec3::new(3.0, -2.0, 7.0)] {
                let turned = Rotation::from_degrees([0.0, degrees, 0.0]).apply(vector);
                let rounded = turned.round();
                assert!((turned - rounded).length() < 1e-12, "{turned} after {degrees}");
            }
        }
    }

    #[test]
    fn turning_for_a_while_is_right_handed_and_any_number_of_times_round() {
        close(Rotation::about(Vec3::Y * 0.5, std::f64::consts::PI).apply(Vec3::X), DVec3::NEG_Z);
        close(Rotation::about(Vec3::X, std::f64::consts::FRAC_PI_2).apply(Vec3::Y), DVec3::Z);
        let many = Rotation::about(Vec3::Z * 8.0, std::f64::consts::PI * 2.0625);
        close(many.apply(Vec3::X), DVec3::Y);
        let skew = Vec3::new(0.3, -2.0, 1.1);
        let [first, second] = [0.2, 0.7].map(|seconds| Rotation::about(skew, seconds));
        close(second.after(first).apply(Vec3::ONE), Rotation::about(skew, 0.9).apply(Vec3::ONE));
        for nothing in [Vec3::ZERO, Vec3::splat(f32::NAN), Vec3::X * f32::INFINITY] {
            assert_eq!(Rotation::about(nothing, 1.0), Rotation::IDENTITY);
        }
        assert_eq!(Rotation::about(Vec3::X, f64::NAN), Rotation::IDENTITY);
    }

    #[test]
    fn the_velocity_between_two_rotations_turns_one_into_the_other_by_the_shorter_way() {
        let first = FineRotation::of(Rotation::from_degrees([31.0, -77.0, 12.0]));
        for velocity in [Vec3::new(1.0, -2.0, 0.5), Vec3::Y * 1e-4, Vec3::Z * 3.1, Vec3::ZERO] {
            let then = FineRotation::about(velocity, 1.0).after(first);
            let found = then.velocity_from(first, 0.25);
            assert!((found - velocity.as_dvec3() * 4.0).length() < 1e-12, "{found}");
            assert_eq!(first.velocity_from(first, 0.25), DVec3::ZERO);
        }
        let beyond = FineRotation::about(Vec3::X * 4.0, 1.0);
        let found = beyond.velocity_from(FineRotation::IDENTITY, 1.0);
        assert!((found.x - (4.0 - std::f64::consts::TAU)).abs() < 1e-12, "{found}");
    }

    #[test]
    fn a_swing_is_the_difference_of_the_turned_arms() {
        let before = Rotation::from_degrees([31.0, -77.0, 12.0]);
        let arm = DVec3::new(10.0, -3.0, 0.25);
        for (velocity, seconds) in [(Vec3::new(1.0, 2.0, -0.5), 1.0), (Vec3::Y, 1e-5)] {
            let now = Rotation::about(velocity, seconds).after(before);
            let own = before.inverse().columns();
            let own = own[0] * arm.x + own[1] * arm.y + own[2] * arm.z;
            let turned = now.columns();
            let turned = turned[0] * own.x + turned[1] * own.y + turned[2] * own.z;
            let swing = FineRotation::swing(before, now, arm);
            assert!((swing - (turned - arm)).length() < 1e-14 * 100.0, "{swing}");
        }
        assert_eq!(FineRotation::swing(before, before, arm), DVec3::ZERO);
    }

    #[test]
    fn a_part_of_a_rotation_turns_by_that_part_of_its_angle() {
        let first = Rotation::from_degrees([31.0, -77.0, 12.0]);
        for degrees in [90.0, 33.0, 1e-3, 0.0] {
            let radians = degrees * std::f64::consts::PI / 180.0;
            let axis = Vec3::new(0.6, 0.0, -0.8);
            let turn = FineRotation::about(axis, radians);
            let (angle, tilt) = turn.angles();
            assert!((angle - radians).abs() <= 2e-6 * radians, "{angle} of {radians}");
            assert!((tilt - radians).abs() <= 2e-6 * radians, "{tilt} of {radians}");
            for part in [0.0, 0.1, 0.5, 0.737, 1.0] {
                let now = turn.power(part).after(FineRotation::of(first)).rounded();
                let due = FineRotation::about(axis, radians * part);
                let due = due.after(FineRotation::of(first)).rounded();
                let apart = FineRotation::swing(now, due, DVec3::new(10.0, -3.0, 0.25));
                assert!(apart.length() < 3e-6, "{apart} after {part} of {degrees}");
            }
            let both = FineRotation::between(first, turn.after(FineRotation::of(first)).rounded());
            assert!((both.angles().0 - radians).abs() < 1e-6);
        }
    }

    #[test]
    fn the_inverse_turns_back() {
        let rotation = Rotation::from_degrees([31.0, -77.0, 12.0]);
        let there = rotation.apply(Vec3::new(1.0, 2.0, 3.0)).as_vec3();
        close(rotation.inverse().apply(there), DVec3::new(1.0, 2.0, 3.0));
        assert!(Rotation::from_quaternion([0.0; 4]).is_none());
        assert!(Rotation::from_quaternion([f64::NAN, 0.0, 0.0, 1.0]).is_none());
    }
}
