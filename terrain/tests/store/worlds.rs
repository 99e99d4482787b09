//! Small worlds to write and read.

use std::sync::Arc;

use marchland_terrain::format::{EncodedSector, MeshUse, encode, with_props};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{MeshSource, Placement, PreparedMesh};
use marchland_terrain::store::{
    BakeRecord, PublishReport, SectorRecord, SourceHash, Storage, StoreError, World, WorldFacts,
    WorldWriter,
};
use marchland_terrain::{
    CellKind, Collision, Grid, Ground, LoadedMesh, PropRecord, SectorCoord, SectorData, SurfaceId,
    WorldPos, glam::Vec3,
};

/// Not a rectangle, not around the origin, across a border of blocks, and with a gap inside.
pub(crate) const PLACES: [(i32, i32); 7] =
    [(-1, 0), (0, 0), (1, 0), (-1, 1), (1, 1), (0, 2), (1, 2)];

pub(crate) fn grid() -> Grid {
    Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap()
}

pub(crate) fn facts() -> WorldFacts {
    WorldFacts { grid: grid(), surface_names: vec!["grass".to_owned(), "løs jord".to_owned()] }
}

pub(crate) fn record(bump: f64) -> BakeRecord {
    BakeRecord {
        bake_version: 3,
        sources: vec![SourceHash { name: "hills.png".to_owned(), hash: 7 << 100 | 5 }],
        settings: format!("bump {bump}"),
    }
}

/// Rolling ground, with a bump of a given height that lies within sector (0, 0) alone.
fn height(x: f64, z: f64, bump: f64) -> f64 {
    let near = 3.0 - x.abs() - z.abs();
    let lift = if near > 0.0 { near * bump } else { 0.0 };
    0.01 * x * z - 0.3 * x + 40.0 + lift
}

/// A sector of the world whose sectors are at `places`: its apron is outside where none is beside.
pub(crate) fn sector(at: (i32, i32), places: &[(i32, i32)], bump: f64) -> EncodedSector {
    let (east, south) = (f64::from(at.0) * 8.0, f64::from(at.1) * 8.0);
    let side = |index: i32| i32::from(index == 9) - i32::from(index == 0);
    let kinds = (0..100)
        .map(|index| {
            let place = (at.0 + side(index % 10), at.1 + side(index / 10));
            if places.contains(&place) { CellKind::Solid } else { CellKind::Outside }
        })
        .collect();
    let data = SectorData::from_fn(grid(), |x, z| height(x + east, z + south, bump)).unwrap();
    encode(SectorCoord::new(at.0, at.1), &data.with_kinds(kinds).unwrap())
}

pub(crate) fn bake_places(
    storage: &Arc<dyn Storage>,
    places: &[(i32, i32)],
    bump: f64,
) -> Result<PublishReport, StoreError> {
    let writer = WorldWriter::begin_on(Arc::clone(storage))?;
    for &at in places {
        writer.put(&sector(at, places, bump))?;
    }
    writer.finish(&facts(), &record(bump))
}

pub(crate) fn bake(storage: &Arc<dyn Storage>, bump: f64) -> Result<PublishReport, StoreError> {
    bake_places(storage, &PLACES, bump)
}

/// A bake of the small world of a given bump.
pub(crate) type Bake = fn(&Arc<dyn Storage>, f64) -> Result<PublishReport, StoreError>;

/// The file of a roof over a place beside its origin: two slopes of four triangles in all.
pub(crate) fn roof(height: f32) -> Vec<u8> {
    let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
    let source = MeshSource {
        vertices: vec![
            at(0.5, 0.0, 0.0),
            at(2.5, 0.0, 0.0),
            at(2.5, 0.0, 3.0),
            at(0.5, 0.0, 3.0),
            at(1.5, height, 0.0),
            at(1.5, height, 3.0),
        ],
        triangles: vec![[0, 3, 5], [0, 5, 4], [1, 4, 5], [1, 5, 2]],
    };
    PreparedMesh::new(&source).unwrap().0.encode()
}

/// The meshes of the town: one that stays, one that is another for each bump.
pub(crate) fn town_meshes(bump: f64) -> [Vec<u8>; 2] {
    [roof(1.0), roof(2.0 + bump as f32)]
}

pub(crate) fn town_uses(bump: f64) -> [MeshUse; 2] {
    town_meshes(bump).map(|bytes| {
        let mesh = LoadedMesh::new(bytes).unwrap();
        MeshUse { hash: mesh.hash(), bounds: mesh.view().bounds() }
    })
}

/// The props of the town: none in sector (-1, 1), one that reaches three sectors and the gap, one
/// that reaches into (0, 0) alone and not its owner.
pub(crate) fn town_props() -> Vec<PropRecord> {
    let prop = |sector: (i32, i32), index, mesh, x, z, degrees, scale| PropRecord {
        sector: SectorCoord::new(sector.0, sector.1),
        index,
        mesh,
        position: Vec3::new(x, 41.0, z),
        placement: Placement::new(Rotation::from_degrees([0.0, degrees, 0.0]), scale).unwrap(),
        surface: SurfaceId((index % 2) as u8),
        collision: Collision::Soup,
        layers: 1 << mesh,
    };
    vec![
        prop((0, 0), 0, 0, -2.0, -3.0, 0.0, 1.0),
        prop((0, 0), 1, 1, -3.5, 1.0, -90.0, 1.0),
        prop((0, 0), 2, 0, 2.5, 2.5, 0.0, 1.5),
        prop((1, 0), 0, 0, -3.875, 0.0, 180.0, 1.0),
        prop((1, 2), 0, 1, 0.0, 0.0, 33.0, 0.5),
        prop((1, 2), 7, 1, 1.5, -2.0, 200.0, 0.25),
    ]
}

/// A sector of the town: what [`sector`] gives, with the props that are known there.
pub(crate) fn town_sector(at: (i32, i32), props: &[PropRecord], bump: f64) -> EncodedSector {
    town_sector_on(&sector(at, &PLACES, bump).bytes, at, props, bump)
}

fn town_sector_on(base: &[u8], at: (i32, i32), props: &[PropRecord], bump: f64) -> EncodedSector {
    let uses = town_uses(bump);
    let known = |record: &&PropRecord| {
        let bounds = &uses[record.mesh as usize].bounds;
        let (low, high) = record.sectors_reached(grid().sector_size(), bounds);
        let reaches = (low.x..=high.x).contains(&at.0) && (low.z..=high.z).contains(&at.1);
        reaches || record.sector == SectorCoord::new(at.0, at.1)
    };
    let known: Vec<_> = props.iter().filter(known).copied().collect();
    with_props(base, &known, &uses).unwrap()
}

/// As [`bake`], with props that are added to sectors that were spooled.
pub(crate) fn bake_town(
    storage: &Arc<dyn Storage>,
    bump: f64,
) -> Result<PublishReport, StoreError> {
    let writer = WorldWriter::begin_on(Arc::clone(storage))?;
    for at in PLACES {
        writer.spool(&sector(at, &PLACES, bump))?;
    }
    for mesh in town_meshes(bump) {
        writer.put_mesh(&mesh)?;
    }
    for at in PLACES {
        let base = writer.spooled(SectorCoord::new(at.0, at.1))?.unwrap();
        writer.put(&town_sector_on(&base, at, &town_props(), bump))?;
    }
    writer.finish(&facts(), &record(bump))
}

/// The records of the newest generation, all of whose sectors must load; nothing where no world was
/// published.
pub(crate) fn published(
    storage: &Arc<dyn Storage>,
) -> Result<Option<Vec<SectorRecord>>, StoreError> {
    let mut world = match World::open_on(Arc::clone(storage)) {
        Err(StoreError::NoManifest { .. }) => return Ok(None),
        other => other?,
    };
    let report = world.load_all()?;
    if let Some((_, error)) = report.failed.into_iter().next() {
        return Err(error);
    }
    world.records().collect::<Result<_, _>>().map(Some)
}

/// The records that a bake gives.
pub(crate) fn expected(bake: Bake, bump: f64) -> Option<Vec<SectorRecord>> {
    let storage: Arc<dyn Storage> = Arc::new(super::memory::MemoryStorage::default());
    bake(&storage, bump).unwrap();
    published(&storage).unwrap()
}

/// What a world answers on a lattice that crosses all borders, as bits.
pub(crate) fn answers(world: &World) -> Vec<(u32, u32)> {
    let size = grid().sector_size();
    let mut bits = Vec::new();
    for z in -30..70 {
        for x in -40..40 {
            let (x, z) = (f64::from(x) * 0.5, f64::from(z) * 0.5);
            let position = WorldPos::from_metres(x, 0.0, z, size).unwrap();
            bits.push(match world.view().ground(position) {
                Ground::Height(height) => (0, height.to_bits()),
                Ground::Hole => (1, 0),
                Ground::NotResident => (2, 0),
                Ground::Outside => (3, 0),
            });
            let normal = world.view().smooth_normal(position).unwrap_or(Vec3::ZERO);
            bits.push((normal.x.to_bits(), normal.z.to_bits()));
        }
    }
    bits
}
