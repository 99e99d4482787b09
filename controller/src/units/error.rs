//! Errors of bodies, spawns, commands and the settings of a tick.

use marchland_terrain::SectorCoord;
use thiserror::Error;

use crate::limits::{DT_MAX, GRAVITY_MAX, SPEED_MAX};
use crate::units::unit::UnitId;

/// Why a body is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum BodyError {
    /// A value is not a number or out of range.
    #[error("{what} is {}, expected {} to {}", short(*found), short(*min), short(*max))]
    Range {
        /// Which value, with its unit.
        what: &'static str,
        /// The value found.
        found: f64,
        /// Least accepted value.
        min: f64,
        /// Greatest accepted value.
        max: f64,
    },
    /// There are already as many bodies as an index can distinguish.
    #[error("there are {} bodies already, the most possible", u16::MAX)]
    Full,
}

/// Why a surface response is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{what} is {}, expected {} to {}", short(*found), short(*min), short(*max))]
pub struct SurfaceError {
    /// Which value, with its unit.
    pub what: &'static str,
    /// The value found.
    pub found: f64,
    /// Least accepted value.
    pub min: f64,
    /// Greatest accepted value.
    pub max: f64,
}

/// The shortest decimal that identifies a value: as an `f32` if it was one.
fn short(value: f64) -> String {
    let single = value as f32;
    if f64::from(single) == value { single.to_string() } else { value.to_string() }
}

/// Why a unit was not changed between ticks. The unit is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum CommandError {
    /// The unit does not exist.
    #[error("no unit in slot {} with generation {}", id.slot, id.generation)]
    Unknown {
        /// The id that was given.
        id: UnitId,
    },
    /// The same errors as for a spawn.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// There is no room for the new body.
    #[error("the new body is {height} m high, but only {clearance} m above the feet are free")]
    NoRoom {
        /// Free height above the feet. Metres.
        clearance: f32,
        /// Height of the new body. Metres.
        height: f32,
    },
    /// There is no room for the new body between ground that is too steep for it.
    #[error("the new body would overlap ground that is too steep for it by {depth} m")]
    Steep {
        /// Depth of the overlap. Metres.
        depth: f32,
    },
    /// Ground that must be known is not resident.
    #[error("sector {sector} is not in memory")]
    NotResident {
        /// The sector.
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
        /// The value found. Metres.
        found: f32,
        /// Side of the units' sectors. Metres.
        side: f32,
    },
    /// The velocity is not a number, infinite or too fast.
    #[error("velocity is {found:?} m/s, expected finite and at most {SPEED_MAX} long")]
    Velocity {
        /// The velocity found. Metres per second.
        found: [f32; 3],
    },
    /// No such body was added.
    #[error("body {found} does not exist, {bodies} were added")]
    Body {
        /// The number of the body.
        found: u16,
        /// How many bodies there are.
        bodies: usize,
    },
    /// All 2³² slots are taken.
    #[error("all 2^32 slots are taken")]
    Full,
}

/// Why several units cannot be spawned. None of them has been spawned.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("spawn {index}: {error}")]
pub struct SpawnAllError {
    /// Index of the first spawn that was refused.
    pub index: usize,
    /// Why it was refused.
    #[source]
    pub error: SpawnError,
}

/// Why a tick did not run. The units are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TickError {
    /// The time step is negative, not a number or too long.
    #[error("dt is {found} s, expected 0 to {DT_MAX}")]
    Dt {
        /// The value found. Seconds.
        found: f32,
    },
    /// Gravity is negative, not a number or too strong.
    #[error("gravity is {found} m/s², expected 0 to {GRAVITY_MAX}")]
    Gravity {
        /// The value found. Metres per second squared.
        found: f32,
    },
    /// The number of wishes is not the number of slots.
    #[error("{found} wishes, expected one for each of the {slots} slots")]
    Wishes {
        /// How many wishes there are.
        found: usize,
        /// How many slots there are.
        slots: usize,
    },
    /// Units and world have sectors of different sizes.
    #[error("the units' sectors are {units} m wide, but the world's are {world} m")]
    SectorSize {
        /// Side of the units' sectors. Metres.
        units: f32,
        /// Side of the world's sectors. Metres.
        world: f32,
    },
    /// A live prop moved in the last [`LiveProps::advance`], which was for a tick of a different length:
    /// units would be carried by the wrong distance. Advance before every tick by the `dt` of that tick, or
    /// call [`LiveProps::settle`].
    ///
    /// [`LiveProps::advance`]: marchland_terrain::LiveProps::advance
    /// [`LiveProps::settle`]: marchland_terrain::LiveProps::settle
    #[error("live props were advanced by {props} s, but the tick takes {tick} s")]
    LiveDt {
        /// Length of the props' last step. Seconds.
        props: f32,
        /// Length of the requested tick. Seconds.
        tick: f32,
    },
    /// A strict tick needs sectors that are not resident; [`Report::missing`] lists them. The same tick may
    /// be requested again, without calling [`LiveProps::advance`] again.
    ///
    /// [`LiveProps::advance`]: marchland_terrain::LiveProps::advance
    /// [`Report::missing`]: crate::Report::missing
    #[error("{count} sectors within reach are not resident")]
    NotResident {
        /// How many sectors.
        count: usize,
    },
}
