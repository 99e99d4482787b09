//! What can be wrong with a body, a spawn or the settings of a tick.

use marchland_terrain::SectorCoord;
use thiserror::Error;

use crate::limits::{DT_MAX, GRAVITY_MAX, SPEED_MAX};
use crate::units::UnitId;

/// Why a body cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum BodyError {
    /// A value is not a number or out of range.
    #[error("{what} is {}, expected {} to {}", short(*found), short(*min), short(*max))]
    Range {
        /// Which value, with its unit.
        what: &'static str,
        /// What was asked for.
        found: f64,
        /// Least accepted.
        min: f64,
        /// Greatest accepted.
        max: f64,
    },
    /// There are as many bodies as can be told apart.
    #[error("there are {} bodies already, the most possible", u16::MAX)]
    Full,
}

/// Why a surface cannot respond so.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{what} is {}, expected {} to {}", short(*found), short(*min), short(*max))]
pub struct SurfaceError {
    /// Which value, with its unit.
    pub what: &'static str,
    /// What was asked for.
    pub found: f64,
    /// Least accepted.
    pub min: f64,
    /// Greatest accepted.
    pub max: f64,
}

/// A value as the shortest decimal that names it: as an `f32` where it was one.
fn short(value: f64) -> String {
    let single = value as f32;
    if f64::from(single) == value { single.to_string() } else { value.to_string() }
}

/// Why a unit was not changed between ticks. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum CommandError {
    /// The unit is not there.
    #[error("no unit in slot {} with generation {}", id.slot, id.generation)]
    Unknown {
        /// What it was called.
        id: UnitId,
    },
    /// As for a spawn.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// There is no room for the other body.
    #[error("the new body is {height} m high, but only {clearance} m above the feet are free")]
    NoRoom {
        /// Free height above the feet. Metres.
        clearance: f32,
        /// Height of the body that was asked for. Metres.
        height: f32,
    },
    /// There is no room for the other body between ground that is too steep for it.
    #[error("the new body would overlap ground that is too steep for it by {depth} m")]
    Steep {
        /// How deep. Metres.
        depth: f32,
    },
    /// Ground that has to be known is not resident.
    #[error("sector {sector} is not in memory")]
    NotResident {
        /// Where.
        sector: SectorCoord,
    },
}

/// Why a unit cannot be spawned.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SpawnError {
    /// The position was made for sectors of another size.
    #[error("local {axis} is {found} m, expected within half a sector of {side} m")]
    Position {
        /// Which coordinate: `x` or `z`.
        axis: char,
        /// What was found.
        found: f32,
        /// Side of the units' sectors.
        side: f32,
    },
    /// The velocity is not a number, infinite or too fast.
    #[error("velocity is {found:?} m/s, expected finite and at most {SPEED_MAX} long")]
    Velocity {
        /// What was found.
        found: [f32; 3],
    },
    /// Nobody added this body.
    #[error("body {found} does not exist, {bodies} were added")]
    Body {
        /// Its number.
        found: u16,
        /// How many there are.
        bodies: usize,
    },
    /// All 2³² slots are taken.
    #[error("all 2^32 slots are taken")]
    Full,
}

/// Why many units cannot be spawned. None of them has been.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("spawn {index}: {error}")]
pub struct SpawnAllError {
    /// Which of them is refused: the first one.
    pub index: usize,
    /// Why.
    #[source]
    pub error: SpawnError,
}

/// Why a tick did not run. Nothing about the units has changed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TickError {
    /// The time step is negative, not a number or too long.
    #[error("dt is {found} s, expected 0 to {DT_MAX}")]
    Dt {
        /// What was asked for.
        found: f32,
    },
    /// Gravity is negative, not a number or too strong.
    #[error("gravity is {found} m/s², expected 0 to {GRAVITY_MAX}")]
    Gravity {
        /// What was asked for.
        found: f32,
    },
    /// There is not a wish for each slot.
    #[error("{found} wishes, expected one for each of the {slots} slots")]
    Wishes {
        /// How many there are.
        found: usize,
        /// How many slots there are.
        slots: usize,
    },
    /// Units and world have sectors of different sizes.
    #[error("the units' sectors are {units} m wide, but the world's are {world} m")]
    SectorSize {
        /// Side of the units' sectors.
        units: f32,
        /// Side of the world's sectors.
        world: f32,
    },
    /// A live prop moved in the last [`LiveProps::advance`], and that was for a tick of another length:
    /// units would be carried by the wrong distance. Advance before every tick, by that tick's `dt`, or
    /// call [`LiveProps::settle`].
    ///
    /// [`LiveProps::advance`]: marchland_terrain::LiveProps::advance
    /// [`LiveProps::settle`]: marchland_terrain::LiveProps::settle
    #[error("live props were advanced by {props} s, but the tick takes {tick} s")]
    LiveDt {
        /// Length of the props' last step. Seconds.
        props: f32,
        /// Length of the tick that was asked for. Seconds.
        tick: f32,
    },
    /// A strict tick needs sectors that are not resident; [`Report::missing`] names them. The same tick may
    /// be asked for again, without another [`LiveProps::advance`].
    ///
    /// [`LiveProps::advance`]: marchland_terrain::LiveProps::advance
    /// [`Report::missing`]: crate::Report::missing
    #[error("{count} sectors within reach are not resident")]
    NotResident {
        /// How many sectors.
        count: usize,
    },
}
