//! A baked world, open for reading.

use std::path::Path;
use std::sync::Arc;

use super::disk::DiskStorage;
use super::error::StoreError;
use super::files::{Access, WorldFiles};
use super::manifest::WorldInfo;
use super::manifest::index::SectorRecord;
#[cfg(feature = "memmap2")]
use super::mapped::Promise;
use super::storage::Storage;
use crate::math::{SectorBounds, SectorCoord, WorldPos};
use crate::resident::ResidentSectors;
use crate::view::TerrainView;

/// The result of loading one sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOutcome {
    /// It is in memory now.
    Loaded,
    /// It was already in memory.
    AlreadyResident,
    /// The world has no such sector.
    Outside,
}

/// The result of loading many sectors.
#[derive(Debug, Default)]
pub struct LoadReport {
    /// Sectors that were brought into memory.
    pub loaded: u64,
    /// Sectors that were already in memory.
    pub already_resident: u64,
    /// Sectors that could not be loaded, and why; they are not resident, the others are.
    pub failed: Vec<(SectorCoord, StoreError)>,
}

/// A world on disk, opened at its newest generation, with those of its sectors that are in memory.
///
/// A bake may publish newer generations meanwhile: this one stays as it was opened, and its files
/// are kept while it is open. Open the folder again to see the newer one.
///
/// Opening reads the manifest's root, however many sectors there are. From then on every place
/// beyond the bounding box of the world is outside. Inside the box, a place without a sector counts
/// as not resident until a sector beside it is loaded, or it is looked up with [`load`](Self::load)
/// or [`locate`](Self::locate).
///
/// ```no_run
/// use marchland_terrain::{SectorCoord, glam::Vec3, store::World, WorldPos};
/// let mut world = World::open("hills.world")?;
/// let size = world.info().facts.grid.sector_size();
/// let camp = WorldPos::new(SectorCoord::new(3, -1), Vec3::new(12.0, 0.0, -7.5), size)?;
/// world.load_around(camp, 500.0)?;
/// println!("{:?}", world.view().ground(camp));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World {
    pub(crate) files: Arc<WorldFiles>,
    pub(crate) sectors: ResidentSectors,
}

impl World {
    /// Opens a world whose sectors are copied into memory: safe whatever other programs do to its
    /// files.
    ///
    /// # Errors
    /// If there is no world, its manifest is damaged or of another version, or it cannot be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_on(Arc::new(DiskStorage::new(folder)))
    }

    /// As [`open`](Self::open), on storage other than a disk.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_on(storage: Arc<dyn Storage>) -> Result<Self, StoreError> {
        Self::open_with(storage, Access::Copied)
    }

    fn open_with(storage: Arc<dyn Storage>, access: Access) -> Result<Self, StoreError> {
        let files = Arc::new(WorldFiles::open(storage, access)?);
        let WorldInfo { facts, bounds, .. } = files.info();
        let sectors = ResidentSectors::new_within(facts.grid, *bounds);
        Ok(Self { files, sectors })
    }

    /// Data about the whole world.
    #[must_use]
    pub fn info(&self) -> &WorldInfo {
        self.files.info()
    }

    /// The generation that was opened; bakes number them from 1.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.files.generation()
    }

    /// The files that the world is read from.
    #[must_use]
    pub fn files(&self) -> &Arc<WorldFiles> {
        &self.files
    }

    /// The sectors in memory.
    #[must_use]
    pub fn resident(&self) -> &ResidentSectors {
        &self.sectors
    }

    /// The view that a tick or a query borrows.
    #[must_use]
    pub fn view(&self) -> TerrainView<'_> {
        self.sectors.view()
    }

    /// The records of all sectors, those of neighbours near each other.
    pub fn records(&self) -> impl Iterator<Item = Result<SectorRecord, StoreError>> + '_ {
        self.files.manifest.records()
    }

    /// Looks a sector up in the manifest, without loading it. If the world has no such sector, its
    /// place is outside from then on.
    ///
    /// # Errors
    /// If the manifest cannot be read, or is damaged there.
    pub fn locate(&mut self, coord: SectorCoord) -> Result<Option<SectorRecord>, StoreError> {
        let found = self.files.find(coord)?;
        let in_box = self.info().bounds.is_some_and(|bounds| bounds.contains(coord));
        if found.is_none() && in_box {
            self.sectors.set_outside(coord);
        }
        Ok(found)
    }

    /// Brings a sector into memory, with the meshes that its props are made of; meshes of other
    /// resident sectors are shared.
    ///
    /// # Errors
    /// If its file or a mesh's is missing, damaged, not the one named, or cannot be read. The sector
    /// is then not resident, and everything else is unchanged.
    pub fn load(&mut self, coord: SectorCoord) -> Result<LoadOutcome, StoreError> {
        if self.sectors.contains(coord) {
            return Ok(LoadOutcome::AlreadyResident);
        }
        let Some(record) = self.locate(coord)? else { return Ok(LoadOutcome::Outside) };
        let sector = self.files.read(&record).inspect_err(|_| self.sectors.set_failed(coord))?;
        self.sectors.put(coord, Arc::new(sector));
        self.mark_border(coord);
        Ok(LoadOutcome::Loaded)
    }

    /// Removes a sector from memory. Returns whether it was there.
    pub fn unload(&mut self, coord: SectorCoord) -> bool {
        let was_resident = self.sectors.contains(coord);
        if was_resident {
            self.sectors.unload(coord);
        }
        was_resident
    }

    /// Brings all sectors into memory. From then on every place that is not resident is one whose
    /// sector failed to load or was unloaded.
    ///
    /// # Errors
    /// If the manifest cannot be read, or is damaged.
    pub fn load_all(&mut self) -> Result<LoadReport, StoreError> {
        let mut report = LoadReport::default();
        for record in self.files.manifest.records() {
            let record = record?;
            if self.sectors.contains(record.coord) {
                report.already_resident += 1;
                continue;
            }
            match self.files.read(&record) {
                Ok(sector) => {
                    self.sectors.put(record.coord, Arc::new(sector));
                    report.loaded += 1;
                }
                Err(error) => {
                    self.sectors.set_failed(record.coord);
                    report.failed.push((record.coord, error));
                }
            }
        }
        self.sectors.set_rest_outside();
        Ok(report)
    }

    /// Brings the sectors of a rectangle into memory, both corners included.
    ///
    /// # Errors
    /// If the manifest cannot be read, or is damaged there.
    pub fn load_box(&mut self, corners: SectorBounds) -> Result<LoadReport, StoreError> {
        let mut report = LoadReport::default();
        let part = self.info().bounds.and_then(|bounds| corners.within(bounds));
        let Some(part) = part else { return Ok(report) };
        // In a world of few sectors far apart, iterating over its records is faster than over
        // places.
        if part.area() > 4 * u128::from(self.info().sectors) {
            let coords = self.records().map(|record| record.map(|record| record.coord));
            let within =
                coords.filter(|coord| coord.as_ref().map_or(true, |&at| part.contains(at)));
            for coord in within.collect::<Result<Vec<_>, _>>()? {
                self.load_into(coord, &mut report)?;
            }
            return Ok(report);
        }
        for z in part.min.z..=part.max.z {
            for x in part.min.x..=part.max.x {
                self.load_into(SectorCoord::new(x, z), &mut report)?;
            }
        }
        Ok(report)
    }

    /// Loads a sector and records the result. Only an error of the manifest ends a load of many.
    fn load_into(&mut self, coord: SectorCoord, report: &mut LoadReport) -> Result<(), StoreError> {
        match self.load(coord) {
            Ok(LoadOutcome::Loaded) => report.loaded += 1,
            Ok(LoadOutcome::AlreadyResident) => report.already_resident += 1,
            Ok(LoadOutcome::Outside) => {}
            Err(error @ StoreError::Manifest { .. }) => return Err(error),
            Err(error) => report.failed.push((coord, error)),
        }
        Ok(())
    }

    /// Brings into memory the sectors that a square around a position touches: `radius` metres to
    /// each side.
    ///
    /// # Errors
    /// As [`load_box`](Self::load_box), and if the radius is negative or not a number.
    pub fn load_around(
        &mut self,
        position: WorldPos,
        radius: f64,
    ) -> Result<LoadReport, StoreError> {
        if radius.is_nan() || radius < 0.0 {
            return Err(StoreError::Radius { found: radius });
        }
        let size = self.info().facts.grid.sector_size();
        self.load_box(SectorBounds::near(position, radius, size))
    }

    /// Determines which of the eight places around a sector are outside the world, so that a unit
    /// there meets the edge and is not held. A place that cannot be looked up stays unknown: that
    /// must not prevent the sector itself from being loaded.
    fn mark_border(&mut self, coord: SectorCoord) {
        if self.info().is_dense() {
            return;
        }
        for (dx, dz) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
            if let Some(neighbour) = coord.offset(dx, dz)
                && !self.sectors.contains(neighbour)
            {
                let _ = self.locate(neighbour);
            }
        }
    }
}

#[cfg(feature = "memmap2")]
#[allow(unsafe_code)]
impl World {
    /// Opens a world whose sectors and meshes are mapped into memory instead of copied. Answers are
    /// the same to the bit, and all pages are in memory before a sector counts as loaded.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    ///
    /// # Safety
    /// While this world, or anything that came from it, lives, its sector, mesh and pack files must not be
    /// written to or shortened by anyone. What came from it are its [`files`](Self::files), sectors and
    /// meshes that were read ([`LoadedSector`](crate::LoadedSector), [`LoadedMesh`](crate::LoadedMesh)) and
    /// whatever holds those: a copy of [`resident`](Self::resident), a [`Streamer`](crate::stream::Streamer).
    /// A bake may run: it only adds files, and removes the names of those that are no longer needed.
    pub unsafe fn open_mapped(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        let storage = Arc::new(DiskStorage::new(folder));
        // SAFETY: the caller promises the same.
        unsafe { Self::open_mapped_on(storage) }
    }

    /// As [`open_mapped`](Self::open_mapped), on storage other than a folder. Files without a place
    /// on a disk are copied.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    ///
    /// # Safety
    /// While this world, or anything that came from it, lives, the files that [`Storage::place`] names must
    /// not be written to or shortened by anyone. [`open_mapped`](Self::open_mapped) lists what came from it.
    pub unsafe fn open_mapped_on(storage: Arc<dyn Storage>) -> Result<Self, StoreError> {
        // SAFETY: the caller promises the same.
        let promise = unsafe { Promise::new() };
        Self::open_with(storage, Access::Mapped(promise))
    }
}
