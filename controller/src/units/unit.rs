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

/// How a unit moves: part of its state, which a unit that is [held](crate::Units::is_held) keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit)]
#[repr(u8)]
pub enum Motion {
    /// Stands or walks: it was supported when the last tick ended.
    #[default]
    Walking = 0,
    /// Not supported.
    Falling = 1,
    /// On ground that is too steep to stand on.
    Sliding = 2,
    /// On a ladder, or on its way up a ledge.
    Climbing = 3,
}

/// Why the last tick did not move a unit. Not part of its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It did, or had no other cause to wait.
    #[default]
    None,
    /// Ground within its reach is not in memory.
    Held,
    /// More is around it than a tick works on.
    Overloaded,
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
