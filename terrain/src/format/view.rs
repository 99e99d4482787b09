//! A sector as it is read, and the size of its props in its file.

use super::layout::{
    MESH_HASH_BYTES, PROP_BYTES, PROP_TREE_HEADER_BYTES, SECTION_TAIL_BYTES, TABLE_ROW_BYTES,
    aligned,
};
use super::loaded::LoadedSector;
use crate::heightfield::HeightfieldView;
use crate::math::SectorCoord;
use crate::props::SectorProps;

/// A sector as it is read: borrowed from checked bytes.
#[derive(Clone, Copy, Debug)]
pub struct SectorView<'a> {
    coord: SectorCoord,
    place: SectorCoord,
    field: HeightfieldView<'a>,
    /// Holds the props. A reference, because a view is copied often and its props are seldom read.
    loaded: Option<&'a LoadedSector>,
}

impl<'a> SectorView<'a> {
    pub(crate) fn new(
        coord: SectorCoord,
        place: SectorCoord,
        field: HeightfieldView<'a>,
        loaded: Option<&'a LoadedSector>,
    ) -> Self {
        Self { coord, place, field, loaded }
    }

    /// The place where it was found. The same sector may be placed at many coordinates.
    #[must_use]
    pub fn place(&self) -> SectorCoord {
        self.place
    }

    /// The props that reach into it; the sectors of their origins are relative to its place.
    #[must_use]
    #[inline]
    pub fn props(&self) -> SectorProps<'a> {
        match self.loaded {
            Some(sector) => sector.props_at(self.place),
            None => SectorProps::none(self.place),
        }
    }

    /// The coordinates in the sector's own header.
    #[must_use]
    pub fn coord(&self) -> SectorCoord {
        self.coord
    }

    /// Its heights, holes and surfaces.
    #[must_use]
    pub fn field(&self) -> HeightfieldView<'a> {
        self.field
    }
}

impl SectorProps<'_> {
    /// Bytes that the props take in the sector's file, each record as often as it occurs there. The
    /// meshes are not included.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        let stored = |payload: usize| match payload {
            0 => 0,
            _ => TABLE_ROW_BYTES + aligned(payload + SECTION_TAIL_BYTES),
        };
        let tree = PROP_TREE_HEADER_BYTES + self.tree_nodes_bytes();
        match self.len() as usize {
            0 => 0,
            count => {
                stored(count * PROP_BYTES)
                    + stored(tree)
                    + stored(self.meshes().len() * MESH_HASH_BYTES)
            }
        }
    }
}
