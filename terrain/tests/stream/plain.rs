//! A square world of small sectors on nearly level ground.

use std::sync::Arc;

use marchland_terrain::format::{EncodedSector, encode};
use marchland_terrain::store::{Storage, WorldWriter};
use marchland_terrain::{SectorCoord, SectorData, SectorSize, World, WorldPos, glam::Vec3};

use crate::memory::MemoryStorage;
use crate::worlds::{facts, grid, record};

/// Bytes of each sector's file.
pub(crate) fn sector_bytes() -> u64 {
    sector(SectorCoord::new(0, 0), 0.0).bytes.len() as u64
}

pub(crate) fn size() -> SectorSize {
    grid().sector_size()
}

fn sector(coord: SectorCoord, lift: f64) -> EncodedSector {
    let (east, south) = (f64::from(coord.x) * 8.0, f64::from(coord.z) * 8.0);
    let height = |x: f64, z: f64| (x + east) * 0.125 - (z + south) * 0.0625 + lift;
    encode(coord, &SectorData::from_fn(grid(), height).unwrap())
}

/// Bakes sectors at these places, each lifted by its number of metres.
pub(crate) fn bake(storage: &Arc<dyn Storage>, places: &[(SectorCoord, f64)]) {
    let writer = WorldWriter::begin_on(Arc::clone(storage)).unwrap();
    for &(coord, lift) in places {
        writer.put(&sector(coord, lift)).unwrap();
    }
    writer.finish(&facts(), &record(0.0)).unwrap();
}

/// A world of `side` × `side` sectors around the origin.
pub(crate) fn square(side: i32) -> (Arc<dyn Storage>, World) {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let half = side / 2;
    let all = (-half..side - half).flat_map(|x| (-half..side - half).map(move |z| (x, z)));
    let places: Vec<_> = all.map(|(x, z)| (SectorCoord::new(x, z), 0.0)).collect();
    bake(&storage, &places);
    let world = World::open_on(Arc::clone(&storage)).unwrap();
    (storage, world)
}

/// A place so many metres east and south of the origin's sector's centre.
pub(crate) fn at(x: f64, z: f64) -> WorldPos {
    WorldPos::from_metres(x, 0.0, z, size()).unwrap()
}

/// Along X and Z.
pub(crate) fn velocity(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}
