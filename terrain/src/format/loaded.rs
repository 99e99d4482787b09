//! A sector in memory: the checked bytes of its file, with the meshes of its props.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::decode::SectorLayout;
use super::decode_props::check_meshes;
use super::error::SectorError;
use super::view::SectorView;
use crate::bytes::KeptBytes;
use crate::heightfield::CellCorners;
use crate::math::SectorCoord;
use crate::props::{LoadedMesh, MeshHash, SectorProps};

/// Returns a number that it has never returned before.
pub(crate) fn next_stamp() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// A sector's checked bytes, with the positions of all parts in them.
pub struct LoadedSector {
    /// Different for every sector ever brought into memory.
    stamp: u64,
    bytes: KeptBytes,
    layout: SectorLayout,
    /// In the order of their numbers in the sector's records.
    meshes: Vec<Arc<LoadedMesh>>,
}

impl LoadedSector {
    /// Checks the bytes of a sector without props and keeps them.
    ///
    /// # Errors
    /// As [`decode`](super::decode()); for a sector with props the error lists the missing meshes.
    pub fn new(bytes: Vec<u8>) -> Result<Self, SectorError> {
        Self::with_meshes(bytes, &mut |_| None)
    }

    /// Checks bytes and keeps them, with the meshes of the sector's props. `find` is called once for each
    /// mesh.
    ///
    /// # Errors
    /// If the bytes are not a complete, undamaged sector of this version, a mesh is not found, or a mesh does
    /// not fit a prop: it must be small enough, and closed if the prop is solid.
    pub fn with_meshes(
        bytes: Vec<u8>,
        find: &mut dyn FnMut(MeshHash) -> Option<Arc<LoadedMesh>>,
    ) -> Result<Self, SectorError> {
        Self::from_bytes(Box::new(bytes), find)
    }

    pub(crate) fn from_bytes(
        bytes: KeptBytes,
        find: &mut dyn FnMut(MeshHash) -> Option<Arc<LoadedMesh>>,
    ) -> Result<Self, SectorError> {
        let layout = SectorLayout::check(&bytes)?;
        let (mut meshes, mut missing) = (Vec::new(), Vec::new());
        for hash in layout.mesh_hashes(&bytes) {
            match find(hash) {
                Some(mesh) if mesh.hash() == hash => meshes.push(mesh),
                _ => missing.push(hash),
            }
        }
        if !missing.is_empty() {
            return Err(SectorError::Meshes { missing });
        }
        let sector = Self { stamp: next_stamp(), bytes, layout, meshes };
        check_meshes(&sector.view().props(), sector.layout.grid().sector_size())?;
        Ok(sector)
    }

    /// The sector at the place in its header, borrowed.
    #[must_use]
    pub fn view(&self) -> SectorView<'_> {
        self.view_at(self.layout.coord())
    }

    /// The sector at the given place, borrowed.
    #[must_use]
    pub fn view_at(&self, place: SectorCoord) -> SectorView<'_> {
        let Some(field) = self.layout.field(&self.bytes) else {
            unreachable!("the layout was made from these bytes, and they do not change")
        };
        SectorView::new(self.layout.coord(), place, field, Some(self))
    }

    /// The props, as seen from a place.
    #[inline]
    pub(crate) fn props_at(&self, place: SectorCoord) -> SectorProps<'_> {
        self.layout.props_at(&self.bytes, &self.meshes, place)
    }

    /// The meshes of its props, each once. They are shared with other sectors and are freed with the last
    /// sector that uses them.
    #[must_use]
    pub fn meshes(&self) -> &[Arc<LoadedMesh>] {
        &self.meshes
    }

    /// The corners of its cells.
    #[inline]
    pub(crate) fn cell_corners(&self) -> Option<CellCorners<'_>> {
        self.layout.cell_corners(&self.bytes)
    }

    /// The number that identifies this sector in memory.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// The positions of all parts in the bytes.
    #[must_use]
    pub fn layout(&self) -> &SectorLayout {
        &self.layout
    }

    /// Length of the sector's bytes; the bytes of its meshes are not included.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        self.bytes.len()
    }
}

impl fmt::Debug for LoadedSector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedSector").field("layout", &self.layout).finish_non_exhaustive()
    }
}
