//! A prop as a sector stores it.

use std::fmt;

use bytemuck::CheckedBitPattern;
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
///
/// Four words in memory, the first of which is the kind: `[1, x, z, index]` and `[2, slot, generation, _]`. The
/// last word of a live prop is not written, so bytes are made by [`to_words`](Self::to_words); words that are
/// checked come back by `bytemuck::checked`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, CheckedBitPattern)]
#[repr(C, u32)]
pub enum PropId {
    /// Part of the baked world.
    Baked {
        /// The sector of its origin.
        sector: SectorCoord,
        /// Its index among the props of that sector.
        index: u32,
    } = 1,
    /// Added at run time.
    Live {
        /// Its index in the table of live props.
        slot: u32,
        /// How often the slot was used before.
        generation: u32,
    } = 2,
}

// The kind has room for `None`.
const _: () = assert!(size_of::<PropId>() == 16 && size_of::<Option<PropId>>() == 16);

impl PropId {
    /// The words in memory; 0 where a live prop has none. No id is four zeros.
    #[must_use]
    pub const fn to_words(self) -> [u32; 4] {
        match self {
            Self::Baked { sector, index } => [1, sector.x as u32, sector.z as u32, index],
            Self::Live { slot, generation } => [2, slot, generation, 0],
        }
    }

    /// The id with these [words](Self::to_words); `None` unless the first one is a kind.
    #[must_use]
    pub fn from_words(words: [u32; 4]) -> Option<Self> {
        bytemuck::checked::try_cast(words).ok()
    }
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
    /// Whether a query or a unit with this mask meets it: they share a layer.
    #[must_use]
    pub const fn is_met_by(&self, mask: u32) -> bool {
        self.layers & mask != 0
    }

    /// The id of the prop.
    #[must_use]
    pub const fn id(&self) -> PropId {
        PropId::Baked { sector: self.sector, index: self.index }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_lies_in_memory_as_its_words_say() {
        // `from_words` reads them as memory.
        let baked = PropId::Baked { sector: SectorCoord::new(-7, 9), index: 11 };
        assert_eq!(baked.to_words(), [1, -7_i32 as u32, 9, 11]);
        assert_eq!(PropId::from_words([1, -7_i32 as u32, 9, 11]), Some(baked));
        let live = PropId::Live { slot: 5, generation: 3 };
        assert_eq!(live.to_words(), [2, 5, 3, 0]);
        assert_eq!(PropId::from_words([2, 5, 3, 0xdead]), Some(live));
        for kind in [0, 3, u32::MAX] {
            assert_eq!(PropId::from_words([kind, 1, 2, 3]), None);
        }
    }
}
