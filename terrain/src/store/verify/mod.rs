//! Checks the files of a world against each other.

pub(super) mod props;
pub(super) mod sectors;

use std::path::Path;
use std::sync::Arc;

use self::sectors::{RecentSectors, check_blocks, check_neighbours, check_surfaces};
use super::disk::DiskStorage;
use super::error::StoreError;
use super::manifest::index::SectorRecord;
use super::pack;
use super::problem::{Problem, VerifyReport};
use super::storage::Storage;
use super::world::World;
use crate::math::SectorBounds;

/// Checks the newest generation of a world: that every sector and mesh exists and is whole, that what a
/// sector stores about its samples is right, and that surfaces have names. Neighbours must agree about all
/// data that both store. Each prop must be known, and the same, wherever it reaches. Packs must hold nothing
/// but files and zeros.
///
/// # Errors
/// If the world cannot be opened or its folders cannot be listed. All other problems are in the
/// report.
pub fn verify(folder: impl AsRef<Path>) -> Result<VerifyReport, StoreError> {
    verify_on(Arc::new(DiskStorage::new(folder)))
}

/// As [`verify`], on storage other than a disk.
///
/// # Errors
/// As [`verify`].
pub fn verify_on(storage: Arc<dyn Storage>) -> Result<VerifyReport, StoreError> {
    let world = World::open_on(storage)?;
    let mut report = VerifyReport::default();
    let mut kept = RecentSectors::default();
    let mut totals = Totals::default();
    let mut solids = props::check_meshes(&world, &mut report);
    for record in world.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                report.add(Problem::Manifest { error });
                continue;
            }
        };
        report.sectors += 1;
        totals.add(&record);
        match kept.get(&world, &record) {
            Ok(sector) => {
                report.bytes += record.file_bytes;
                check_blocks(&sector, &record, &mut report);
                check_surfaces(&world, &sector, &mut report);
                check_neighbours(&world, &mut kept, &sector, &mut report);
                props::check_props(&world, &mut kept, &sector, &mut report);
                solids.add(&sector);
            }
            Err(error) => report.add(Problem::Sector { coord: record.coord, error }),
        }
    }
    totals.check(&world, &mut report);
    solids.check(&world, &mut report);
    props::check_strays(&world, &mut report)?;
    pack::verify::check_packs(&world, &mut report)?;
    Ok(report)
}

/// The totals of the records.
#[derive(Default)]
struct Totals {
    sectors: u64,
    bytes: u64,
    bounds: Option<SectorBounds>,
    height_range: Option<(i32, i32)>,
}

impl Totals {
    fn add(&mut self, record: &SectorRecord) {
        self.sectors += 1;
        self.bytes = self.bytes.saturating_add(record.file_bytes);
        let corners = self.bounds.into_iter().flat_map(|bounds| [bounds.min, bounds.max]);
        self.bounds = SectorBounds::around(corners.chain([record.coord]));
        let ranges = self.height_range.into_iter().chain(record.height_range);
        self.height_range = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    }

    fn check(&self, world: &World, report: &mut VerifyReport) {
        let info = world.info();
        report.compare("number of sectors", info.sectors, self.sectors);
        report.compare("bytes of sectors", info.sector_bytes, self.bytes);
        report.compare("bounding box", info.bounds, self.bounds);
        report.compare("height range", info.height_range, self.height_range);
    }
}
