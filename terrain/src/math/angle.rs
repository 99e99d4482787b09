//! The only conversions of angles to cosines and of slopes to angles. They use the `libm` crate, so the bits
//! are the same on every machine. Nothing in a tick calls them.

/// Cosine of an angle in degrees.
#[must_use]
pub fn cos_degrees(degrees: f64) -> f64 {
    libm::cos(radians(degrees))
}

/// Tangent of an angle in degrees.
#[must_use]
pub fn tan_degrees(degrees: f64) -> f64 {
    libm::tan(radians(degrees))
}

/// The angle in degrees whose tangent (rise over run) is `slope`.
#[must_use]
pub fn degrees_of_slope(slope: f64) -> f64 {
    libm::atan(slope) * (180.0 / std::f64::consts::PI)
}

/// Degrees to radians.
#[must_use]
pub fn radians(degrees: f64) -> f64 {
    degrees * (std::f64::consts::PI / 180.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_angles_are_inverse() {
        for degrees in [0.0, 10.0, 45.0, 60.0, 89.0] {
            assert!((degrees_of_slope(tan_degrees(degrees)) - degrees).abs() < 1e-12);
        }
        assert_eq!(cos_degrees(0.0), 1.0);
    }
}
