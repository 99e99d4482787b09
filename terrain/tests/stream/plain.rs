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

/// A world of level sectors at these places, wherever they are.
pub(crate) fn level(places: &[SectorCoord]) -> Arc<MemoryStorage> {
    let storage = Arc::new(MemoryStorage::default());
    let data = SectorData::from_fn(grid(), |_, _| 0.5).unwrap();
    let writer = WorldWriter::begin_on(storage.clone()).unwrap();
    for &coord in places {
        writer.put(&encode(coord, &data)).unwrap();
    }
    writer.finish(&facts(), &record(0.0)).unwrap();
    storage
}

/// Places of a rectangle whose least corner is given.
pub(crate) fn rectangle(corner: (i32, i32), columns: i32, rows: i32) -> Vec<SectorCoord> {
    let all = (0..columns).flat_map(|x| (0..rows).map(move |z| (x, z)));
    all.map(|(x, z)| SectorCoord::new(corner.0 + x, corner.1 + z)).collect()
}

/// What a view answers on a lattice over all of a box of sectors, as bits.
pub(crate) fn answers(
    view: marchland_terrain::TerrainView<'_>,
    low: (i32, i32),
    high: (i32, i32),
) -> Vec<(u32, u32)> {
    let mut bits = Vec::new();
    for x in low.0 * 16..=high.0 * 16 {
        for z in low.1 * 16..=high.1 * 16 {
            let place = at(f64::from(x) * 0.5, f64::from(z) * 0.5);
            bits.push(match view.ground(place) {
                marchland_terrain::Ground::Height(height) => (0, height.to_bits()),
                marchland_terrain::Ground::Hole => (1, 0),
                marchland_terrain::Ground::NotResident => (2, 0),
                marchland_terrain::Ground::Outside => (3, 0),
            });
            let normal = view.smooth_normal(place).unwrap_or(Vec3::ZERO);
            bits.push((normal.x.to_bits(), normal.z.to_bits()));
        }
    }
    bits
}
