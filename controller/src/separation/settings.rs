//! Settings of separation.

use thiserror::Error;

/// How strongly units separate. Checked by [`Separation::new`](crate::Separation::new).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SeparationSettings {
    /// The initial rate at which two units on their own reduce an overlap, as a part of it per
    /// second; never more than half of it in a tick. Per second, 0 to 1000. A higher rate separates
    /// units sooner, with stronger pushes. Default 8.
    pub rate: f32,
    /// Fastest push. Metres per second, 0 to 64. Below walking speed, a walking unit gets through a
    /// crowd. Default 1.5.
    pub push_max: f32,
    /// Pushes slower than this are zero, so that a crowd comes to rest: two units rest when they
    /// overlap by less than `2 · rest / rate`, 5 mm by default. Metres per second, 0 to 64. Default
    /// 0.02.
    pub rest: f32,
}

impl Default for SeparationSettings {
    fn default() -> Self {
        Self { rate: 8.0, push_max: 1.5, rest: 0.02 }
    }
}

/// Why separation settings are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{what} is {found}, expected {min} to {max}")]
pub struct SeparationError {
    /// The name of the value, with its unit.
    pub what: &'static str,
    /// The value found.
    pub found: f64,
    /// Least accepted value.
    pub min: f64,
    /// Greatest accepted value.
    pub max: f64,
}

impl SeparationSettings {
    /// Rejects values out of range.
    pub(crate) fn check(&self) -> Result<(), SeparationError> {
        let check = |what, found: f32, max: f32| {
            if (0.0..=max).contains(&found) {
                return Ok(());
            }
            let [found, max] = [found, max].map(f64::from);
            Err(SeparationError { what, found, min: 0.0, max })
        };
        check("rate per second", self.rate, 1000.0)?;
        check("push_max in metres per second", self.push_max, 64.0)?;
        check("rest in metres per second", self.rest, 64.0)
    }
}
