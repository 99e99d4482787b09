//! The props of one sector, as they stand in its bytes.

use std::ops::Range;
use std::sync::Arc;

use super::mesh::{LoadedMesh, MeshView};
use super::record::PropRecord;
use crate::math::{Aabb, SectorCoord};

/// The props that reach into a sector, whichever sector their origin lies in.
#[derive(Clone, Copy, Debug, Default)]
pub struct SectorProps<'a> {
    records: &'a [PropRecord],
    meshes: &'a [Arc<LoadedMesh>],
}

impl<'a> SectorProps<'a> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.records.len() as u32
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// One of them, by its place in this sector; not its `index`, which is its number in the sector
    /// of its origin.
    #[must_use]
    #[inline]
    pub fn record(&self, at: u32) -> PropRecord {
        self.records[at as usize]
    }

    /// The mesh that a record names.
    #[must_use]
    #[inline]
    pub fn mesh(&self, record: &PropRecord) -> MeshView<'a> {
        self.meshes[record.mesh as usize].view()
    }

    /// Calls `visit` with ranges of props that hold all whose boxes touch `region`, metres from the
    /// centre of `sector`, the sector that this is of.
    #[inline]
    pub(crate) fn in_box(
        &self,
        _sector: SectorCoord,
        _region: &Aabb,
        mut visit: impl FnMut(Range<u32>),
    ) {
        visit(0..self.len());
    }
}
