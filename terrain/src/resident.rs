//! The sectors in memory, which a view borrows.

mod hasher;

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use crate::format::{KeptHeights, LoadedSector, SectorError, SectorView, next_stamp};
use crate::grid::Grid;
use crate::heightfield::CellCorners;
use crate::math::{SectorBounds, SectorCoord};
use hasher::CoordHasher;

/// Changes of single sectors that are told. Where there were more, all sectors may have changed.
const CHANGES_MAX: usize = 256;

/// What is known about a sector.
#[derive(Clone, Debug)]
enum Residency {
    Resident(Arc<LoadedSector>, SectorSlot),
    NotResident,
    /// Also not resident: its last load failed.
    Failed,
    Outside,
}

/// The sectors of a world that are in memory, and what is known about the others. It changes only between
/// ticks; a [`TerrainView`](crate::TerrainView) borrows it for one tick.
///
/// ```
/// use marchland_terrain::{Grid, Ground, LoadedSector, ResidentSectors, SectorCoord, SectorData};
/// use marchland_terrain::{WorldPos, format};
///
/// let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
/// let here = SectorCoord::new(0, 0);
/// let file = format::encode(here, &SectorData::from_fn(grid, |_, _| 2.0)?);
/// let mut sectors = ResidentSectors::new(grid);
/// let middle = WorldPos::from_metres(0.0, 0.0, 0.0, grid.sector_size())?;
/// assert_eq!(sectors.view().ground(middle), Ground::Outside);
/// sectors.insert(here, LoadedSector::new(file.bytes)?.into())?;
/// assert_eq!(sectors.view().ground(middle), Ground::Height(2.0));
/// sectors.unload(here);
/// assert_eq!(sectors.view().ground(middle), Ground::NotResident);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ResidentSectors {
    grid: Grid,
    /// The state of every sector that is not listed.
    unlisted: Residency,
    /// The bounds of a bounded world; everything beyond them is outside.
    corners: Option<SectorBounds>,
    /// Looked up, never iterated: the iteration order would differ between runs.
    listed: HashMap<SectorCoord, Residency, BuildHasherDefault<CoordHasher>>,
    /// The resident sectors in order of their coordinates.
    resident: Vec<SectorCoord>,
    /// A box around every sector ever listed.
    listed_box: Option<SectorBounds>,
    /// By slot. The heights of sectors in memory, side by side: whoever knows the slots reads those of thousands
    /// of sectors without looking for them.
    heights: Vec<Option<KeptHeights>>,
    /// Slots without a sector.
    free: Vec<SectorSlot>,
    /// A different number after every change.
    revision: u64,
    /// The last changes of single sectors, in order, each with the revision before it.
    changes: VecDeque<(u64, SectorCoord)>,
}

/// The place of a sector in memory among all of them, the same until it leaves memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectorSlot(u32);

impl SectorSlot {
    /// The place of no sector.
    pub const NONE: Self = Self(u32::MAX);
}

impl ResidentSectors {
    /// A world without sectors; every place is outside the world until its state is set.
    #[must_use]
    pub fn new(grid: Grid) -> Self {
        Self {
            grid,
            unlisted: Residency::Outside,
            corners: None,
            listed: HashMap::default(),
            resident: Vec::new(),
            listed_box: None,
            heights: Vec::new(),
            free: Vec::new(),
            revision: next_stamp(),
            changes: VecDeque::new(),
        }
    }

    /// A world without sectors; between the corners, both included, every place is not resident until its
    /// state is set. Without corners the world is empty.
    #[must_use]
    pub(crate) fn new_within(grid: Grid, corners: Option<SectorBounds>) -> Self {
        let unlisted = if corners.is_some() { Residency::NotResident } else { Residency::Outside };
        Self { unlisted, corners, ..Self::new(grid) }
    }

    /// The same sector everywhere, without bounds.
    #[must_use]
    pub fn endless(sector: Arc<LoadedSector>) -> Self {
        let mut world = Self::new(sector.layout().grid());
        let slot = world.add_slot(sector.heights().clone());
        world.unlisted = Residency::Resident(sector, slot);
        world
    }

    /// The grid that all sectors share.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Places a sector at a coordinate. The same sector may be placed at many coordinates.
    ///
    /// # Errors
    /// If its grid differs from that of this world. The world is then unchanged.
    pub fn insert(
        &mut self,
        coord: SectorCoord,
        sector: Arc<LoadedSector>,
    ) -> Result<(), SectorError> {
        let (found, expected) = (sector.layout().grid(), self.grid);
        if found != expected {
            return Err(SectorError::OtherGrid { found, expected });
        }
        self.put(coord, sector);
        Ok(())
    }

    /// As [`insert`](Self::insert), for a sector whose grid has already been compared with the world's.
    pub(crate) fn put(&mut self, coord: SectorCoord, sector: Arc<LoadedSector>) {
        debug_assert_eq!(sector.layout().grid(), self.grid);
        self.leave_slot(coord);
        if let Err(at) = self.resident.binary_search(&coord) {
            self.resident.insert(at, coord);
        }
        let slot = self.add_slot(sector.heights().clone());
        self.list(coord, Residency::Resident(sector, slot));
    }

    /// Removes a sector from memory; its place stays part of the world.
    pub fn unload(&mut self, coord: SectorCoord) {
        self.forget(coord);
        self.list(coord, Residency::NotResident);
    }

    /// Marks a place as not part of the world.
    pub fn set_outside(&mut self, coord: SectorCoord) {
        self.forget(coord);
        self.list(coord, Residency::Outside);
    }

    /// Marks a sector as not resident because it could not be loaded.
    pub(crate) fn set_failed(&mut self, coord: SectorCoord) {
        self.forget(coord);
        self.list(coord, Residency::Failed);
    }

    /// Removes the listed state of a place.
    pub(crate) fn unlist(&mut self, coord: SectorCoord) {
        self.forget(coord);
        self.listed.remove(&coord);
        self.note_change(coord);
    }

    /// Sets the bounds: between the corners, both included, every unlisted place is not resident.
    pub(crate) fn set_corners(&mut self, corners: Option<SectorBounds>) {
        self.note_change_of_all();
        self.corners = corners;
        self.unlisted = if corners.is_some() { Residency::NotResident } else { Residency::Outside };
    }

    /// Reserves room for this many sectors, so that adding them does not allocate.
    pub(crate) fn reserve(&mut self, sectors: usize) {
        self.listed.reserve(sectors);
        self.resident.reserve(sectors);
        self.changes.reserve(CHANGES_MAX);
        self.heights.reserve(sectors);
        self.free.reserve(sectors);
    }

    /// The sector at a place, if one was placed there.
    pub(crate) fn sector(&self, coord: SectorCoord) -> Option<&Arc<LoadedSector>> {
        match self.listed.get(&coord) {
            Some(Residency::Resident(sector, _)) => Some(sector),
            _ => None,
        }
    }

    /// Whether the last load of a sector failed.
    pub(crate) fn has_failed(&self, coord: SectorCoord) -> bool {
        matches!(self.listed.get(&coord), Some(Residency::Failed))
    }

    /// Marks every unlisted place as not part of the world.
    pub(crate) fn set_rest_outside(&mut self) {
        self.note_change_of_all();
        self.unlisted = Residency::Outside;
    }

    /// Whether a sector is in memory; the endless sector does not count.
    #[must_use]
    pub(crate) fn contains(&self, coord: SectorCoord) -> bool {
        matches!(self.listed.get(&coord), Some(Residency::Resident(..)))
    }

    /// The sectors in memory, in order of their coordinates; the endless sector is not included.
    #[must_use]
    pub fn resident(&self) -> &[SectorCoord] {
        &self.resident
    }

    /// The same world, moved by `dx` and `dz` sectors along X and Z: only the sector numbers change. `None`
    /// if one of them would not fit in 32 bits.
    #[must_use]
    pub fn shifted(&self, dx: i32, dz: i32) -> Option<Self> {
        let shift = |coord: SectorCoord| coord.offset(dx, dz);
        let both =
            |SectorBounds { min, max }| Some(SectorBounds { min: shift(min)?, max: shift(max)? });
        let shifted = |bounds: Option<SectorBounds>| {
            bounds.map_or(Some(None), |bounds| both(bounds).map(Some))
        };
        // Iterated, but only to fill another table that is itself only looked up.
        let listed = self.listed.iter().map(|(coord, state)| Some((shift(*coord)?, state.clone())));
        Some(Self {
            grid: self.grid,
            unlisted: self.unlisted.clone(),
            corners: shifted(self.corners)?,
            listed: listed.collect::<Option<_>>()?,
            resident: self.resident.iter().map(|coord| shift(*coord)).collect::<Option<_>>()?,
            listed_box: shifted(self.listed_box)?,
            heights: self.heights.clone(),
            free: self.free.clone(),
            revision: next_stamp(),
            changes: VecDeque::new(),
        })
    }

    /// A number that is different after every change.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The places where sectors have changed since the world had a revision, in order, some more than once. `None`
    /// where any may have changed.
    pub(crate) fn changed_since(
        &self,
        revision: u64,
    ) -> Option<impl Iterator<Item = SectorCoord> + use<'_>> {
        let is_first = |(before, _): &(u64, SectorCoord)| *before == revision;
        let first = if revision == self.revision {
            self.changes.len()
        } else {
            self.changes.iter().position(is_first)?
        };
        Some(self.changes.range(first..).map(|(_, coord)| *coord))
    }

    /// The stamp of the sector at a place, if one is in memory.
    pub(crate) fn stamp(&self, coord: SectorCoord) -> Option<u64> {
        let Residency::Resident(sector, _) = self.residency(coord) else { return None };
        Some(sector.stamp())
    }

    /// The state of a sector.
    #[inline]
    pub(crate) fn state(&self, coord: SectorCoord) -> SectorState<'_> {
        match self.residency(coord) {
            Residency::Resident(sector, _) => SectorState::Resident(sector.view_at(coord)),
            Residency::NotResident | Residency::Failed => SectorState::NotResident,
            Residency::Outside => SectorState::Outside,
        }
    }

    /// The slot of the sector at a place, if one is in memory.
    pub(crate) fn slot(&self, coord: SectorCoord) -> Option<SectorSlot> {
        let Residency::Resident(_, slot) = self.residency(coord) else { return None };
        Some(*slot)
    }

    /// The corners of the cells of the sector in a slot, if there is one.
    #[inline]
    pub(crate) fn cell_corners(&self, slot: SectorSlot) -> Option<CellCorners<'_>> {
        Some(self.heights.get(slot.0 as usize)?.as_ref()?.cell_corners(self.grid))
    }

    #[inline]
    fn residency(&self, coord: SectorCoord) -> &Residency {
        self.listed.get(&coord).unwrap_or_else(|| self.unlisted_at(coord))
    }

    fn unlisted_at(&self, coord: SectorCoord) -> &Residency {
        let is_beyond = self.corners.is_some_and(|corners| !corners.contains(coord));
        if is_beyond { &Residency::Outside } else { &self.unlisted }
    }

    /// A box, both corners included, beyond which all sectors are in the same state; `None` if all sectors
    /// are in the same state. The box never shrinks.
    pub(crate) fn alike_beyond(&self) -> Option<SectorBounds> {
        [self.listed_box, self.corners].into_iter().flatten().reduce(SectorBounds::union)
    }

    fn list(&mut self, coord: SectorCoord, residency: Residency) {
        self.note_change(coord);
        let here = SectorBounds { min: coord, max: coord };
        self.listed_box = Some(self.listed_box.map_or(here, |listed| listed.union(here)));
        self.listed.insert(coord, residency);
    }

    /// Takes a sector off the list of those in memory, before another state is listed for its place.
    fn forget(&mut self, coord: SectorCoord) {
        if let Ok(at) = self.resident.binary_search(&coord) {
            self.resident.remove(at);
        }
        self.leave_slot(coord);
    }

    fn leave_slot(&mut self, coord: SectorCoord) {
        if let Some(Residency::Resident(_, slot)) = self.listed.get(&coord) {
            self.heights[slot.0 as usize] = None;
            self.free.push(*slot);
        }
    }

    fn add_slot(&mut self, heights: KeptHeights) -> SectorSlot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.heights.push(None);
            SectorSlot(self.heights.len() as u32 - 1)
        });
        self.heights[slot.0 as usize] = Some(heights);
        slot
    }

    fn note_change(&mut self, coord: SectorCoord) {
        if self.changes.len() == CHANGES_MAX {
            self.changes.pop_front();
        }
        self.changes.push_back((self.revision, coord));
        self.revision = next_stamp();
    }

    fn note_change_of_all(&mut self) {
        self.changes.clear();
        self.revision = next_stamp();
    }
}

/// The state of a sector in a view.
#[derive(Clone, Copy, Debug)]
pub enum SectorState<'a> {
    /// In memory.
    Resident(SectorView<'a>),
    /// Part of the world, but not in memory.
    NotResident,
    /// Not part of the world.
    Outside,
}
