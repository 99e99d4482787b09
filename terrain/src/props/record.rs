//! A prop as a sector stores it.

use std::fmt;

use glam::Vec3;

use super::placement::Placement;
use crate::heightfield::SurfaceId;
use crate::math::SectorCoord;

/// XXH3-128 of a mesh file's bytes, which identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeshHash(pub u128);

impl fmt::Display for MeshHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// How a prop's triangles block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Collision {
    /// Triangles without an inside, met from both sides.
    #[default]
    Soup = 0,
    /// The boundary of a closed solid, met from outside; its inside is solid.
    Solid = 1,
}

/// Identifies a prop: baked ones by the sector of their origin and their index there, live ones by their
/// slot. Ordered: baked before live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropId {
    /// Part of the baked world.
    Baked {
        /// The sector of its origin.
        sector: SectorCoord,
        /// Its index among the props of that sector.
        index: u32,
    },
    /// Added at run time.
    Live {
        /// Its index in the table of live props.
        slot: u32,
        /// How often the slot was used before.
        generation: u32,
    },
}

/// A baked prop. The same record, except for `mesh`, is stored in every sector that the prop reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PropRecord {
    /// The sector of its origin.
    pub sector: SectorCoord,
    /// Its index among the props of that sector.
    pub index: u32,
    /// Its mesh, an index into the meshes of the sector that stores this record.
    pub mesh: u32,
    /// Metres from the centre of `sector`; `y` is absolute. Multiples of 2⁻¹⁶ m.
    pub position: Vec3,
    /// Rotation and scale.
    pub placement: Placement,
    /// Its surface.
    pub surface: SurfaceId,
    /// How it blocks.
    pub collision: Collision,
    /// A query meets it if its mask shares a bit with these.
    pub layers: u32,
}

impl PropRecord {
    /// The id of the prop.
    #[must_use]
    pub const fn id(&self) -> PropId {
        PropId::Baked { sector: self.sector, index: self.index }
    }
}
