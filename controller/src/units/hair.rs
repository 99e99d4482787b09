//! The hair by which a rise may exceed the knee or a step: what rounding makes of placed vertices and of feet.

use crate::units::body::Body;
use marchland_terrain::math::lesser;

/// The hair near height 0: 2⁻¹³ m. If it were smaller, a rise of exactly the knee would be a wall wherever its
/// vertices were rounded up; if it were larger, units would be seen to walk up what they may not.
const LEAST: f32 = 1.0 / 8192.0;

/// The hair at a height of the feet: 2⁻¹³ m and the distance to the next number. Metres.
pub(crate) fn hair(y: f32) -> f32 {
    let y = y.abs();
    LEAST + (y.next_up() - y)
}

/// How far above the feet the part of a body begins that blocks, with its feet at a height: a hair above the
/// knee, so that what it may stand on never blocks it. Metres.
pub(crate) fn blocks_from(body: &Body, y: f32) -> f32 {
    let half = 0.5 * (body.height() - body.knee());
    let hair = hair(y);
    // Some of the body is left at every height.
    body.knee() + lesser(hair, half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BodyBuilder;

    #[test]
    fn a_hair_is_longer_where_numbers_are_coarser() {
        assert_eq!(hair(1.5), LEAST + f32::EPSILON);
        assert_eq!(hair(-1500.0), 2.0 * LEAST);
        assert_eq!(hair(1.0e6), LEAST + 0.0625);
    }

    #[test]
    fn some_of_a_body_blocks_at_every_height() {
        for knee in [0.0, 0.45, 1.8] {
            let body = BodyBuilder { knee, ..Body::builder() }.build().unwrap();
            let knee = body.knee();
            for y in [0.0, 77.7, -1.0e4, 1.0e8] {
                let low = blocks_from(&body, y);
                assert!(knee <= low && low <= 0.5 * (knee + 1.8) && low < 1.8, "{knee} {y} {low}");
            }
        }
    }
}
