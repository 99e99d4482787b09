//! What a unit is made of: an upright cylinder and how it may move.

use marchland_terrain::limits::{BLOCK_CELLS, CELL_LOG2_MIN, SKIN};
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
    step_up: f32,
    step_down: f32,
    climb: f32,
    max_slope_cos: f64,
    max_slope_tan: f64,
    resume_slope_cos: f64,
    slope_rule: SlopeRule,
    slide_control: f32,
    air_control: f32,
    leave_platform: LeavePlatform,
    jump_speed: f32,
    slide_speed: f32,
    climb_speed: f32,
    terminal_speed: f32,
    /// Greatest steepness byte of a block that holds nothing steeper than `max_slope`.
    pub(crate) steepness_limit: u8,
    /// So far over blocks of that steepness, and less than a block, nothing goes further down than
    /// `step_down`. Metres.
    pub(crate) glance: f32,
    /// The same for ground that leaves the body alone: it never reaches the knee either.
    pub(crate) open_limit: u8,
}

/// What becomes of a requested velocity on a slope. With `w` the request, `n` the ground's normal,
/// `s = (w.x, −(n·w)/n.y, w.z)` the request laid on the slope and `q = w − n(n·w)` its projection, the
/// horizontal velocity is:
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlopeRule {
    /// `w`: the speed seen from above is that of the request. What `max(y, ground)` does.
    #[default]
    KeepHorizontalSpeed,
    /// `w · |q| / |s|`: the heading of the request, the speed of its projection.
    KeepDirection,
    /// `w · |w| / |s|`: the speed along the slope is that of the request.
    KeepPathSpeed,
    /// The horizontal part of `q`: turned downhill where the slope is met at an angle.
    Project,
}

/// What of a platform's velocity a unit takes along when it leaves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeavePlatform {
    /// It goes on with the platform's velocity while it falls: air control steers relative to it.
    #[default]
    Keep,
    /// Nothing.
    Drop,
    /// It is added to the unit's own velocity, once: air control may take it away.
    Add,
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
    /// Greatest rise that is climbed by a step: lift, move, drop. Metres, 0 to 512; what the knee
    /// absorbs needs none. Default 0.45.
    pub step_up: f32,
    /// Greatest drop that is followed by snapping to the ground. Metres, 0 to `height`. Default 0.45.
    pub step_down: f32,
    /// Greatest ledge that is climbed without a jump. Metres, 0 to 512; 0 climbs none. Default 0.
    pub climb: f32,
    /// Steepest ground that is walked up; steeper ground, by more than a ten-thousandth of a degree, makes
    /// the unit slide. Degrees, 0 to 90. Default 45.
    pub max_slope_degrees: f64,
    /// What becomes of the requested velocity on a slope. Default
    /// [`KeepHorizontalSpeed`](SlopeRule::KeepHorizontalSpeed).
    pub slope_rule: SlopeRule,
    /// Share of the requested velocity that steers while sliding, 0 to 1. Default 0.3.
    pub slide_control: f32,
    /// While falling, the horizontal velocity approaches the request by at most so many times
    /// 20 m/s² · dt; 0 to 1000. Default 0.
    pub air_control: f32,
    /// What of a platform's velocity is taken along by who leaves it. Default
    /// [`Keep`](LeavePlatform::Keep).
    pub leave_platform: LeavePlatform,
    /// Upward speed of a jump. Metres per second, 0 to 8192. Default 5.
    pub jump_speed: f32,
    /// Greatest speed at which steep ground carries the unit downhill. Metres per second, 0 to 8192.
    /// Default 6.
    pub slide_speed: f32,
    /// Speed at which a ledge is climbed, upwards and then forwards. Metres per second, 2⁻¹⁰ to 8192.
    /// Default 2.
    pub climb_speed: f32,
    /// Greatest falling speed. Metres per second, 0 to 8192. Default 55.
    pub terminal_speed: f32,
}

impl Default for BodyBuilder {
    fn default() -> Self {
        Self {
            radius: 0.4,
            height: 1.8,
            knee: 0.45,
            step_up: 0.45,
            step_down: 0.45,
            climb: 0.0,
            max_slope_degrees: 45.0,
            slope_rule: SlopeRule::KeepHorizontalSpeed,
            slide_control: 0.3,
            air_control: 0.0,
            leave_platform: LeavePlatform::Keep,
            jump_speed: 5.0,
            slide_speed: 6.0,
            climb_speed: 2.0,
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
        check("step_up in metres", f64::from(self.step_up), 0.0, 512.0)?;
        check("climb in metres", f64::from(self.climb), 0.0, 512.0)?;
        check("max_slope in degrees", self.max_slope_degrees, 0.0, 90.0)?;
        check("slide_control", f64::from(self.slide_control), 0.0, 1.0)?;
        check("air_control", f64::from(self.air_control), 0.0, 1000.0)?;
        check("jump_speed in metres per second", f64::from(self.jump_speed), 0.0, speed)?;
        check("slide_speed in metres per second", f64::from(self.slide_speed), 0.0, speed)?;
        let least = 1.0 / 1024.0;
        check("climb_speed in metres per second", f64::from(self.climb_speed), least, speed)?;
        check("terminal_speed in metres per second", f64::from(self.terminal_speed), 0.0, speed)?;
        let steepest = steepest_degrees(self.max_slope_degrees);
        let max_slope_tan = angle::tan_degrees(steepest);
        Ok(Body {
            radius: self.radius,
            height: self.height,
            knee: self.knee,
            // A step of what the knee absorbs is none.
            step_up: if self.step_up > self.knee { self.step_up } else { self.knee },
            step_down: self.step_down,
            climb: self.climb,
            max_slope_cos: angle::cos_degrees(steepest),
            max_slope_tan,
            resume_slope_cos: angle::cos_degrees(resume_slope_degrees(self.max_slope_degrees)),
            slope_rule: self.slope_rule,
            slide_control: self.slide_control,
            air_control: self.air_control,
            leave_platform: self.leave_platform,
            jump_speed: self.jump_speed,
            slide_speed: self.slide_speed,
            climb_speed: self.climb_speed,
            terminal_speed: self.terminal_speed,
            steepness_limit: steepness_limit(max_slope_tan),
            glance: glance(self.step_down, steepness_limit(max_slope_tan)),
            open_limit: {
                let knee = f64::from(self.knee) / f64::from(self.radius);
                steepness_limit(if knee < max_slope_tan { knee } else { max_slope_tan })
            },
        })
    }
}

/// What is told as steep as the limit is no steeper: heights, vertices and rotations are rounded by less than
/// this part of a degree.
const SLOPE_HAIR_DEGREES: f64 = 1e-4;

/// The slope that counts as the steepest one.
fn steepest_degrees(max_slope_degrees: f64) -> f64 {
    let degrees = max_slope_degrees + SLOPE_HAIR_DEGREES;
    if degrees < 90.0 { degrees } else { max_slope_degrees }
}

/// Who slides walks again on ground a degree less steep than what made it slide.
fn resume_slope_degrees(max_slope_degrees: f64) -> f64 {
    let degrees = max_slope_degrees - 1.0;
    if degrees > 0.0 { degrees } else { 0.0 }
}

/// A steepness byte is a slope in 32nds, rounded up; 255 says only that it is 255/32 or more.
fn steepness_limit(max_slope_tan: f64) -> u8 {
    let steps = max_slope_tan * 32.0; // exact
    if steps < 254.0 { steps as u8 } else { 254 }
}

/// The longest way that is judged at a glance. Metres: it leads from a block of cells into one beside it.
const GLANCE_MAX: f32 = 0.49;
const _: () =
    assert!(BLOCK_CELLS == 8 && CELL_LOG2_MIN == -4, "blocks are half a metre long at least");

/// How far over ground of a steepness nothing comes further down than so, less a hair. Over level ground as far
/// as can be, also where `step_down` is 0 and the quotient is no number.
fn glance(step_down: f32, steepness_limit: u8) -> f32 {
    let metres = step_down * 0.999 * 32.0 / f32::from(steepness_limit);
    if metres < GLANCE_MAX { metres } else { GLANCE_MAX }
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

    /// Greatest rise that is climbed by a step; at least the knee. Metres.
    #[must_use]
    pub const fn step_up(&self) -> f32 {
        self.step_up
    }

    /// Greatest drop that is followed by snapping to the ground. Metres.
    #[must_use]
    pub const fn step_down(&self) -> f32 {
        self.step_down
    }

    /// Greatest ledge that is climbed without a jump; 0 for none. Metres.
    #[must_use]
    pub const fn climb(&self) -> f32 {
        self.climb
    }

    /// Cosine of the steepest slope that is walked up: a ten-thousandth of a degree more than was asked for.
    #[must_use]
    pub const fn max_slope_cos(&self) -> f64 {
        self.max_slope_cos
    }

    /// Rise over run of the steepest slope that is walked up: that of the same angle.
    #[must_use]
    pub const fn max_slope_tan(&self) -> f64 {
        self.max_slope_tan
    }

    /// Cosine of the steepest slope on which who slides walks again: a degree less than
    /// [`max_slope_cos`](Self::max_slope_cos).
    #[must_use]
    pub const fn resume_slope_cos(&self) -> f64 {
        self.resume_slope_cos
    }

    /// What becomes of the requested velocity on a slope.
    #[must_use]
    pub const fn slope_rule(&self) -> SlopeRule {
        self.slope_rule
    }

    /// Share of the requested velocity that steers while sliding.
    #[must_use]
    pub const fn slide_control(&self) -> f32 {
        self.slide_control
    }

    /// While falling, the horizontal velocity approaches the request by at most so many times
    /// 20 m/s² · dt.
    #[must_use]
    pub const fn air_control(&self) -> f32 {
        self.air_control
    }

    /// What of a platform's velocity is taken along by who leaves it.
    #[must_use]
    pub const fn leave_platform(&self) -> LeavePlatform {
        self.leave_platform
    }

    /// Greatest speed at which steep ground carries the unit downhill. Metres per second.
    #[must_use]
    pub const fn slide_speed(&self) -> f32 {
        self.slide_speed
    }

    /// Speed at which a ledge is climbed. Metres per second.
    #[must_use]
    pub const fn climb_speed(&self) -> f32 {
        self.climb_speed
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
        let fields: [Spoil; 13] = [
            |b, v| b.radius = v,
            |b, v| b.height = v,
            |b, v| b.knee = v,
            |b, v| b.step_up = v,
            |b, v| b.step_down = v,
            |b, v| b.climb = v,
            |b, v| b.slide_control = v,
            |b, v| b.air_control = v,
            |b, v| b.slide_speed = v,
            |b, v| b.climb_speed = v,
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
