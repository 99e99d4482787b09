//! What a unit is made of: an upright cylinder and how it may move.

use marchland_terrain::limits::SKIN;
use marchland_terrain::math::angle;

use crate::error::BodyError;
use crate::limits::SPEED_MAX;

/// A body's number among those of its [`Units`](crate::Units).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u16);

impl BodyId {
    /// The number: bodies count from 0 in the order in which they were added.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An upright cylinder, split at the knee: the lower part measures the ground, the upper blocks.
///
/// Checked when it is built; angles are cosines and tangents from then on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    radius: f32,
    height: f32,
    knee: f32,
    step_down: f32,
    max_slope_cos: f64,
    max_slope_tan: f64,
    jump_speed: f32,
    terminal_speed: f32,
    /// Greatest steepness byte of a block that holds nothing steeper than `max_slope`.
    pub(crate) steepness_limit: u8,
}

/// What a [`Body`] is built from. Every value has a default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyBuilder {
    /// Metres, from the skin to 64. Default 0.4.
    pub radius: f32,
    /// Feet to top. Metres, from the skin to 512. Default 1.8.
    pub height: f32,
    /// Height of the split; rises up to here are absorbed. Metres, 0 to `height`. Default 0.45.
    pub knee: f32,
    /// Greatest drop that is followed by snapping to the ground. Metres, 0 to `height`. Default 0.45.
    pub step_down: f32,
    /// Steepest ground that is walked up. Degrees, 0 to 90. Default 45.
    pub max_slope_degrees: f64,
    /// Upward speed of a jump. Metres per second, 0 to 8192. Default 5.
    pub jump_speed: f32,
    /// Greatest falling speed. Metres per second, 0 to 8192. Default 55.
    pub terminal_speed: f32,
}

impl Default for BodyBuilder {
    fn default() -> Self {
        Self {
            radius: 0.4,
            height: 1.8,
            knee: 0.45,
            step_down: 0.45,
            max_slope_degrees: 45.0,
            jump_speed: 5.0,
            terminal_speed: 55.0,
        }
    }
}

impl BodyBuilder {
    /// The body, if every value is within its range.
    ///
    /// # Errors
    /// Naming the first value that is not.
    pub fn build(self) -> Result<Body, BodyError> {
        let check = |what, found: f64, min: f64, max: f64| {
            if min <= found && found <= max {
                Ok(())
            } else {
                Err(BodyError::Range { what, found, min, max })
            }
        };
        let (skin, speed) = (f64::from(SKIN), f64::from(SPEED_MAX));
        check("radius in metres", f64::from(self.radius), skin, 64.0)?;
        check("height in metres", f64::from(self.height), skin, 512.0)?;
        let height = f64::from(self.height);
        check("knee in metres", f64::from(self.knee), 0.0, height)?;
        check("step_down in metres", f64::from(self.step_down), 0.0, height)?;
        check("max_slope in degrees", self.max_slope_degrees, 0.0, 90.0)?;
        check("jump_speed in metres per second", f64::from(self.jump_speed), 0.0, speed)?;
        check("terminal_speed in metres per second", f64::from(self.terminal_speed), 0.0, speed)?;
        let max_slope_tan = angle::tan_degrees(self.max_slope_degrees);
        Ok(Body {
            radius: self.radius,
            height: self.height,
            knee: self.knee,
            step_down: self.step_down,
            max_slope_cos: angle::cos_degrees(self.max_slope_degrees),
            max_slope_tan,
            jump_speed: self.jump_speed,
            terminal_speed: self.terminal_speed,
            steepness_limit: steepness_limit(max_slope_tan),
        })
    }
}

/// A steepness byte is a slope in 32nds, rounded up; 255 says only that it is 255/32 or more.
fn steepness_limit(max_slope_tan: f64) -> u8 {
    let steps = max_slope_tan * 32.0; // exact
    if steps < 254.0 { steps as u8 } else { 254 }
}

impl Body {
    /// Begins a body with every default.
    #[must_use]
    pub fn builder() -> BodyBuilder {
        BodyBuilder::default()
    }

    /// Metres.
    #[must_use]
    pub const fn radius(&self) -> f32 {
        self.radius
    }

    /// Feet to top. Metres.
    #[must_use]
    pub const fn height(&self) -> f32 {
        self.height
    }

    /// Height of the split. Metres.
    #[must_use]
    pub const fn knee(&self) -> f32 {
        self.knee
    }

    /// Greatest drop that is followed by snapping to the ground. Metres.
    #[must_use]
    pub const fn step_down(&self) -> f32 {
        self.step_down
    }

    /// Cosine of the steepest slope that is walked up.
    #[must_use]
    pub const fn max_slope_cos(&self) -> f64 {
        self.max_slope_cos
    }

    /// Rise over run of the steepest slope that is walked up.
    #[must_use]
    pub const fn max_slope_tan(&self) -> f64 {
        self.max_slope_tan
    }

    /// Upward speed of a jump. Metres per second.
    #[must_use]
    pub const fn jump_speed(&self) -> f32 {
        self.jump_speed
    }

    /// Greatest falling speed. Metres per second.
    #[must_use]
    pub const fn terminal_speed(&self) -> f32 {
        self.terminal_speed
    }
}

impl Default for Body {
    fn default() -> Self {
        BodyBuilder::default().build().unwrap_or_else(|_| unreachable!("the defaults are in range"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_of_zero_size_or_without_numbers_is_refused() {
        type Spoil = fn(&mut BodyBuilder, f32);
        let fields: [Spoil; 7] = [
            |b, v| b.radius = v,
            |b, v| b.height = v,
            |b, v| b.knee = v,
            |b, v| b.step_down = v,
            |b, v| b.max_slope_degrees = f64::from(v),
            |b, v| b.jump_speed = v,
            |b, v| b.terminal_speed = v,
        ];
        for (field, spoil) in fields.iter().enumerate() {
            for bad in [f32::NAN, f32::INFINITY, -1.0, 1e30] {
                let mut builder = Body::builder();
                spoil(&mut builder, bad);
                assert!(builder.build().is_err(), "field {field} took {bad}");
            }
        }
        assert!(BodyBuilder { radius: 0.0, ..Body::builder() }.build().is_err());
        assert!(BodyBuilder { height: 0.0, ..Body::builder() }.build().is_err());
        assert!(BodyBuilder { knee: 1.9, ..Body::builder() }.build().is_err());
    }

    #[test]
    fn the_steepness_limit_never_lets_steeper_ground_pass() {
        for degrees in 0..=90 {
            let builder = BodyBuilder { max_slope_degrees: f64::from(degrees), ..Body::builder() };
            let body = builder.build().unwrap();
            let limit = f64::from(body.steepness_limit);
            assert!(limit / 32.0 <= body.max_slope_tan(), "{degrees}");
            assert!(limit == 254.0 || (limit + 1.0) / 32.0 > body.max_slope_tan(), "{degrees}");
        }
    }
}
