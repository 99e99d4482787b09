//! A sector in memory: the checked bytes of its file, with the meshes of its props; and as it is read.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::decode::props::check_meshes;
use super::decode::{KeptHeights, SectorLayout};
use super::error::{Section, SectorError};
use super::layout::{
    MESH_HASH_BYTES, PROP_BYTES, PROP_TREE_HEADER_BYTES, SECTION_TAIL_BYTES, TABLE_ROW_BYTES,
    aligned,
};
use crate::bytes::KeptBytes;
use crate::heightfield::HeightfieldView;
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
    heights: KeptHeights,
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
        Self::from_bytes(bytes.into(), find)
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
        let heights = layout.kept_heights(&bytes);
        let sector = Self { stamp: next_stamp(), bytes, heights, layout, meshes };
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
        SectorView { coord: self.layout.coord(), place, field, loaded: Some(self) }
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

    /// Its heights.
    pub(crate) fn heights(&self) -> &KeptHeights {
        &self.heights
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

impl SectorLayout {
    /// A view of the bytes that this layout was checked against; `None` if other bytes are given that are too
    /// short, or if the sector holds props.
    #[must_use]
    pub fn view<'a>(&self, bytes: &'a [u8]) -> Option<SectorView<'a>> {
        let field = self.field(bytes).filter(|_| self.props.is_none())?;
        Some(SectorView { coord: self.coord(), place: self.coord(), field, loaded: None })
    }
}

/// Checks the bytes of a sector file without props and returns a view of them.
///
/// # Errors
/// If the bytes are not a complete, undamaged sector of this version, or if the sector holds props, whose
/// meshes are in other files: see [`LoadedSector::with_meshes`]. Never
/// panics, whatever the bytes.
///
/// ```
/// use marchland_terrain::{Grid, SectorCoord, SectorData, format};
/// let grid = Grid::new(1.0, 8.0, 1.0 / 256.0)?;
/// let hill = SectorData::from_fn(grid, |x, z| 10.0 - 0.1 * (x * x + z * z))?;
/// let file = format::encode(SectorCoord::new(2, -1), &hill);
/// let sector = format::decode(&file.bytes)?;
/// assert_eq!(sector.coord(), SectorCoord::new(2, -1));
/// assert!(format::decode(&file.bytes[..100]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<SectorView<'_>, SectorError> {
    let layout = SectorLayout::check(bytes)?;
    let missing = layout.mesh_hashes(bytes);
    if !missing.is_empty() {
        return Err(SectorError::Meshes { missing });
    }
    layout.view(bytes).ok_or(SectorError::Missing { section: Section::Heights })
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
        let tree = PROP_TREE_HEADER_BYTES + self.tree.nodes_bytes();
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
