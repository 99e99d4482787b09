//! One unit: its id, how it moves, and its state in a tick.

use bytemuck::{NoUninit, Pod, Zeroable};
use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;

/// Identifies a unit. A slot is used again after a despawn; the generation distinguishes its units. Two words,
/// the slot first; words that name no unit are merely unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct UnitId {
    /// Index into every slice that is indexed by slot.
    pub slot: u32,
    /// How many units have left this slot.
    pub generation: u32,
}

/// How a unit moves: part of its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit)]
#[repr(u8)]
pub enum Motion {
    /// Supported by the ground when the last tick ended.
    #[default]
    Walking = 0,
    /// Not supported.
    Falling = 1,
    /// On ground that is too steep to stand on.
    Sliding = 2,
    /// On a ladder, or on its way up a ledge.
    Climbing = 3,
}

/// What a unit did in the last tick, as it is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// It walks or stands.
    #[default]
    Walking = 0,
    /// It falls.
    Falling = 1,
    /// It slides down steep ground.
    Sliding = 2,
    /// It climbs a ladder or a ledge.
    Climbing = 3,
    /// It waits for ground that is not in memory, and keeps its whole state.
    Held = 4,
    /// More is around it than a tick works on: it does not move, and keeps its whole state.
    Overloaded = 5,
}

impl From<Motion> for Mode {
    fn from(motion: Motion) -> Self {
        match motion {
            Motion::Walking => Self::Walking,
            Motion::Falling => Self::Falling,
            Motion::Sliding => Self::Sliding,
            Motion::Climbing => Self::Climbing,
        }
    }
}

/// A unit's state as a tick reads and writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) sector: SectorCoord,
    pub(crate) local: Vec3,
    pub(crate) velocity: Vec3,
    pub(crate) motion: Motion,
    /// How far beyond `local` it has come along X and Z, by [short ways](crate::units::tick::Tick::is_short): less
    /// than a step of position. Metres.
    pub(crate) residue: [f32; 2],
}
