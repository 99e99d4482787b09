//! The properties of a unit: an upright cylinder, how large it may be (`BodyBuilder::build`), and how it may move.

use bytemuck::NoUninit;
use marchland_terrain::limits::{BLOCK_CELLS, CELL_LOG2_MIN, SKIN};
use marchland_terrain::math::{angle, greater, lesser};

use crate::limits::{AIR_CONTROL_MAX, HEIGHT_MAX, RADIUS_MAX, SPEED_MAX};
use crate::units::error::BodyError;

/// A body's index among the bodies of its [`Units`](crate::Units).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, NoUninit)]
#[repr(transparent)]
pub struct BodyId(pub(crate) u16);

impl BodyId {
    /// The index: bodies count from 0 in the order in which they were added.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An upright cylinder, split at the knee: the lower part measures the ground, the upper part
/// blocks.
///
/// Checked when it is built. Angles are stored as cosines and tangents.
///
/// ```
/// use marchland_controller::{Body, BodyBuilder};
///
/// let scout = BodyBuilder { climb: 1.5, max_slope_degrees: 60.0, ..Body::builder() }.build()?;
/// assert_eq!((scout.climb(), scout.radius()), (1.5, Body::default().radius()));
/// assert!(BodyBuilder { radius: -1.0, ..Body::builder() }.build().is_err());
/// # Ok::<(), marchland_controller::BodyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// What it was built from, with the knee and the step as they count.
    set: BodyBuilder,
    max_slope_cos: f64,
    max_slope_tan: f64,
    resume_slope_cos: f64,
    /// Greatest steepness byte of a block in which no cell is steeper than `max_slope`.
    pub(crate) steepness_limit: u8,
    /// Greatest distance over blocks of that steepness, less than a block, over which the ground
    /// drops by no more than `step_down`. Metres.
    pub(crate) glance: f32,
    /// The same limit for ground that does not touch the body: it never reaches the knee either.
    pub(crate) open_limit: u8,
}

/// How a slope changes a requested velocity. With `w` the request, `n` the ground's normal,
/// `s = (w.x, −(n·w)/n.y, w.z)` the request laid on the slope and `q = w − n(n·w)` its projection, the
/// horizontal velocity is:
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum SlopeRule {
    /// `w`: the speed seen from above is the requested speed, as with `max(y, ground)`.
    #[default]
    KeepHorizontalSpeed,
    /// `w · |q| / |s|`: the heading of the request, the speed of its projection.
    KeepDirection,
    /// `w · |w| / |s|`: the speed along the slope is the requested speed.
    KeepPathSpeed,
    /// The horizontal part of `q`: turned downhill where the unit meets the slope at an angle.
    Project,
}

/// The share of a platform's velocity that a unit keeps when it leaves the platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum LeavePlatform {
    /// The unit keeps the platform's velocity while it falls; air control steers relative to it.
    #[default]
    Keep,
    /// None; who walks off the front of a platform faster than itself keeps it all the same, as it would only come to
    /// stand on that again.
    Drop,
    /// The platform's velocity is added to the unit's own velocity, once; air control may reduce
    /// it.
    Add,
}

/// The settings that a [`Body`] is built from. Every value has a default, also in files (feature `serde`);
/// [`build`](Self::build) checks them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct BodyBuilder {
    /// Radius. Metres, from the skin to [`RADIUS_MAX`]. Default 0.4.
    pub radius: f32,
    /// Feet to top. Metres, from the skin to [`HEIGHT_MAX`]. Default 1.8.
    pub height: f32,
    /// Height of the split; the body absorbs rises up to it. Metres, 0 to `height`; 2⁻¹⁰ m below the top are never
    /// part of the knee. Default 0.45.
    pub knee: f32,
    /// Tallest rise climbed by a step: lift, move, drop. Rises up to the knee need no step. Metres,
    /// 0 to [`HEIGHT_MAX`]. Default 0.45.
    pub step_up: f32,
    /// Greatest drop over which the unit snaps to the ground. Metres, 0 to `height`. Default 0.45.
    pub step_down: f32,
    /// Tallest ledge climbed without a jump. Metres, 0 to [`HEIGHT_MAX`]; 0 disables climbing. Default 0.
    pub climb: f32,
    /// Steepest ground the unit walks up. It slides on ground that is steeper by more than a
    /// ten-thousandth of a degree. Degrees, 0 to 90. Default 45.
    pub max_slope_degrees: f64,
    /// How a slope changes the requested velocity. Default
    /// [`KeepHorizontalSpeed`](SlopeRule::KeepHorizontalSpeed).
    pub slope_rule: SlopeRule,
    /// Share of the requested velocity that steers the unit while it slides, 0 to 1. Default 0.3.
    pub slide_control: f32,
    /// Air control, in units of 20 m/s² · dt: the greatest change of the horizontal velocity
    /// towards the request in a tick of falling. 0 to [`AIR_CONTROL_MAX`]. Default 0.
    pub air_control: f32,
    /// The share of a platform's velocity that the unit keeps when it leaves the platform. Default
    /// [`Keep`](LeavePlatform::Keep).
    pub leave_platform: LeavePlatform,
    /// Upward speed of a jump. Metres per second, 0 to 8192. Default 5.
    pub jump_speed: f32,
    /// Greatest speed at which steep ground carries the unit downhill. Metres per second, 0 to 8192.
    /// Default 6.
    pub slide_speed: f32,
    /// Speed of a climb over a ledge, upwards and then forwards. Metres per second, 2⁻¹⁰ to 8192.
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
    /// Checks every value and builds the body.
    ///
    /// # Errors
    /// If a value is out of range; the error names the first such value.
    pub fn build(self) -> Result<Body, BodyError> {
        let check = |what, found: f64, min: f64, max: f64| {
            if min <= found && found <= max {
                Ok(())
            } else {
                Err(BodyError::Range { what, found, min, max })
            }
        };
        let (skin, speed) = (f64::from(SKIN), f64::from(SPEED_MAX));
        let (widest, tallest) = (f64::from(RADIUS_MAX), f64::from(HEIGHT_MAX));
        check("radius in metres", f64::from(self.radius), skin, widest)?;
        check("height in metres", f64::from(self.height), skin, tallest)?;
        let height = f64::from(self.height);
        check("knee in metres", f64::from(self.knee), 0.0, height)?;
        check("step_down in metres", f64::from(self.step_down), 0.0, height)?;
        check("step_up in metres", f64::from(self.step_up), 0.0, tallest)?;
        check("climb in metres", f64::from(self.climb), 0.0, tallest)?;
        check("max_slope in degrees", self.max_slope_degrees, 0.0, 90.0)?;
        check("slide_control", f64::from(self.slide_control), 0.0, 1.0)?;
        check("air_control", f64::from(self.air_control), 0.0, f64::from(AIR_CONTROL_MAX))?;
        check("jump_speed in metres per second", f64::from(self.jump_speed), 0.0, speed)?;
        check("slide_speed in metres per second", f64::from(self.slide_speed), 0.0, speed)?;
        let least = 1.0 / 1024.0;
        check("climb_speed in metres per second", f64::from(self.climb_speed), least, speed)?;
        check("terminal_speed in metres per second", f64::from(self.terminal_speed), 0.0, speed)?;
        let steepest = self.max_slope_degrees + SLOPE_HAIR_DEGREES;
        let steepest = if steepest < 90.0 { steepest } else { self.max_slope_degrees };
        // A sliding unit walks again on ground one degree less steep than the ground that made it slide.
        let resumes = greater(self.max_slope_degrees - 1.0, 0.0);
        let max_slope_tan = angle::tan_degrees(steepest);
        Ok(Body {
            set: Self {
                // Some of every body blocks; a rise as high as the body is taken as a step then.
                knee: lesser(self.knee, self.height - UPPER_MIN),
                // A rise that the knee absorbs needs no step.
                step_up: greater(self.step_up, self.knee),
                ..self
            },
            max_slope_cos: angle::cos_degrees(steepest),
            max_slope_tan,
            resume_slope_cos: angle::cos_degrees(resumes),
            steepness_limit: steepness_limit(max_slope_tan),
            glance: glance(self.step_down, steepness_limit(max_slope_tan)),
            open_limit: {
                let knee = f64::from(self.knee) / f64::from(self.radius);
                steepness_limit(lesser(knee, max_slope_tan))
            },
        })
    }
}

/// Least height of the part of a body above its knee. Metres: more than the rounding of placed vertices.
const UPPER_MIN: f32 = 1.0 / 1024.0;

/// Steeper than the limit by less than this counts as not steeper: rounding of heights, vertices and
/// rotations changes a slope by less than this. Degrees.
const SLOPE_HAIR_DEGREES: f64 = 1e-4;

/// A steepness byte is a slope in 32nds, rounded up; 255 means 255/32 or more.
fn steepness_limit(max_slope_tan: f64) -> u8 {
    let steps = max_slope_tan * 32.0; // exact
    if steps < 254.0 { steps as u8 } else { 254 }
}

/// The longest move judged by block steepness alone. Metres: such a move reaches at most one
/// neighbouring block of cells.
const GLANCE_MAX: f32 = 0.49;
const _: () =
    assert!(BLOCK_CELLS == 8 && CELL_LOG2_MIN == -4, "blocks are half a metre long at least");

/// The distance over ground of a given steepness within which nothing drops by more than `step_down`,
/// less a small margin. On level ground it is the maximum, also where `step_down` is 0 and the quotient
/// is NaN.
fn glance(step_down: f32, steepness_limit: u8) -> f32 {
    let metres = step_down * 0.999 * 32.0 / f32::from(steepness_limit);
    lesser(metres, GLANCE_MAX)
}

impl Body {
    /// A builder with every default.
    #[must_use]
    pub fn builder() -> BodyBuilder {
        BodyBuilder::default()
    }

    /// Radius. Metres.
    #[must_use]
    pub const fn radius(&self) -> f32 {
        self.set.radius
    }

    /// Feet to top. Metres.
    #[must_use]
    pub const fn height(&self) -> f32 {
        self.set.height
    }

    /// Height of the split, the knee. Metres.
    #[must_use]
    pub const fn knee(&self) -> f32 {
        self.set.knee
    }

    /// Tallest rise climbed by a step; at least the knee. Metres.
    #[must_use]
    pub const fn step_up(&self) -> f32 {
        self.set.step_up
    }

    /// Greatest drop over which the unit snaps to the ground. Metres.
    #[must_use]
    pub const fn step_down(&self) -> f32 {
        self.set.step_down
    }

    /// Tallest ledge climbed without a jump; 0 if the body does not climb. Metres.
    #[must_use]
    pub const fn climb(&self) -> f32 {
        self.set.climb
    }

    /// Cosine of the steepest slope the unit walks up: a ten-thousandth of a degree more than the
    /// requested limit.
    #[must_use]
    pub const fn max_slope_cos(&self) -> f64 {
        self.max_slope_cos
    }

    /// Rise over run of the steepest slope the unit walks up, for the same angle.
    #[must_use]
    pub const fn max_slope_tan(&self) -> f64 {
        self.max_slope_tan
    }

    /// Whether a normal with this `y` is of a slope that the unit can stand on.
    #[inline]
    pub(crate) fn can_stand_on(&self, normal_y: f64) -> bool {
        normal_y >= self.max_slope_cos
    }

    /// Whether a normal with this `y` is of a slope that is too steep to stand on.
    #[inline]
    pub(crate) fn is_too_steep(&self, normal_y: f64) -> bool {
        normal_y < self.max_slope_cos
    }

    /// Cosine of the steepest slope on which a sliding unit walks again: one degree less than
    /// [`max_slope_cos`](Self::max_slope_cos).
    #[must_use]
    pub const fn resume_slope_cos(&self) -> f64 {
        self.resume_slope_cos
    }

    /// How a slope changes the requested velocity.
    #[must_use]
    pub const fn slope_rule(&self) -> SlopeRule {
        self.set.slope_rule
    }

    /// Share of the requested velocity that steers the unit while it slides.
    #[must_use]
    pub const fn slide_control(&self) -> f32 {
        self.set.slide_control
    }

    /// Air control, in units of 20 m/s² · dt: the greatest change of the horizontal velocity
    /// towards the request in a tick of falling.
    #[must_use]
    pub const fn air_control(&self) -> f32 {
        self.set.air_control
    }

    /// The share of a platform's velocity that the unit keeps when it leaves the platform.
    #[must_use]
    pub const fn leave_platform(&self) -> LeavePlatform {
        self.set.leave_platform
    }

    /// Greatest speed at which steep ground carries the unit downhill. Metres per second.
    #[must_use]
    pub const fn slide_speed(&self) -> f32 {
        self.set.slide_speed
    }

    /// Speed of a climb over a ledge. Metres per second.
    #[must_use]
    pub const fn climb_speed(&self) -> f32 {
        self.set.climb_speed
    }

    /// Upward speed of a jump. Metres per second.
    #[must_use]
    pub const fn jump_speed(&self) -> f32 {
        self.set.jump_speed
    }

    /// Greatest falling speed. Metres per second.
    #[must_use]
    pub const fn terminal_speed(&self) -> f32 {
        self.set.terminal_speed
    }
}

impl Default for Body {
    fn default() -> Self {
        BodyBuilder::default().build().unwrap_or_else(|_| unreachable!("the defaults are in range"))
    }
}

#[cfg(test)]
mod tests;
