//! Any bytes as a sector file: rejected, or a sector that answers every query. Damaged bytes are also given
//! matching checksums, so that the checks after those run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marchland_fuzz::{overlay, put, seal_part, seal_start, u32_at, u64_at};
use marchland_terrain::format::{MeshUse, decode, encode, with_props};
use marchland_terrain::glam::Vec3;
use marchland_terrain::layout::sector::{
    HEADER_BYTES, MAGIC, SECTION_ALIGN_BYTES, SECTION_TAIL_BYTES, SECTIONS_MAX, TABLE_ROW_BYTES,
    VERSION, field, row,
};
use marchland_terrain::math::{Aabb, Rotation};
use marchland_terrain::props::{MeshSource, Placement, PreparedMesh, SectorProps};
use marchland_terrain::{
    Collision, Grid, Ground, LoadedMesh, LoadedSector, PropRecord, Raycast, ResidentSectors,
    SectorCoord, SectorData, SurfaceId, WorldPos,
};
use std::sync::{Arc, LazyLock};

fuzz_target!(|data: &[u8]| {
    ask(data.to_vec());
    ask(sealed(data.to_vec()));
    ask(sealed(overlaid(data)));
    for in_props in [false, true] {
        let bytes = sealed(crowded(data, in_props));
        ask(bytes.clone());
        let mut find = |hash| MESHES.iter().find(|mesh| mesh.hash() == hash).map(Arc::clone);
        if let Ok(sector) = LoadedSector::with_meshes(bytes, &mut find) {
            ask_props(sector.view().props());
            ask_props(sector.view_at(SectorCoord::new(i32::MAX, i32::MIN)).props());
        }
    }
});

/// A wedge and a slab, neither of them around its origin.
static MESHES: LazyLock<[Arc<LoadedMesh>; 2]> = LazyLock::new(|| {
    [1.0, 0.25].map(|height| {
        let vertices = vec![
            Vec3::new(0.5, 0.0, -1.0),
            Vec3::new(0.5, 0.0, 2.0),
            Vec3::new(3.5, height, 0.0),
            Vec3::new(2.0, -height, 0.5),
        ];
        let triangles = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles }).expect("a mesh");
        Arc::new(LoadedMesh::new(mesh.encode()).expect("a sound mesh"))
    })
});

/// Whatever the records and the tree contain, every prop is finite, has its mesh, and is found where it is.
fn ask_props(props: SectorProps<'_>) {
    let mut found = vec![false; props.len() as usize];
    props.in_box(&props.bounds(), |range| range.for_each(|at| found[at as usize] = true));
    assert!(found.iter().all(|&found| found));
    let everywhere = Aabb { min: Vec3::splat(f32::MIN), max: Vec3::splat(f32::MAX) };
    let mut count = 0;
    props.in_box(&everywhere, |range| count += range.len());
    assert_eq!(count, found.len());
    for at in 0..props.len() {
        let record = props.record(at);
        assert!(record.position.is_finite());
        let (mesh, placer) = (props.mesh(&record), record.placement.placer());
        for vertex in mesh.triangle(mesh.triangles() - 1) {
            assert!(placer.place(vertex).is_finite());
        }
        props.in_box(&Aabb::at(record.position), |range| assert!(range.end <= props.len()));
    }
}

/// The bytes written over a valid sector with props: over the whole file, or from its props on.
fn crowded(data: &[u8], in_props: bool) -> Vec<u8> {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).expect("a grid");
    let sound = SectorData::from_fn(grid, |x, z| x + z).expect("a sector");
    let base = encode(SectorCoord::new(1, -1), &sound).bytes;
    let uses =
        MESHES.each_ref().map(|mesh| MeshUse { hash: mesh.hash(), bounds: mesh.view().bounds() });
    let props: Vec<_> = (0..12_u8)
        .map(|number| PropRecord {
            sector: SectorCoord::new(1 + i32::from(number % 3 == 1), -1),
            index: u32::from(number),
            mesh: u32::from(number % 2),
            position: Vec3::new(f32::from(number) * 0.5 - 4.0, 1.5, f32::from(number % 4)),
            placement: Placement::new(
                Rotation::from_degrees([0.0, 30.0 * f64::from(number), 0.0]),
                0.5 + f32::from(number) / 8.0,
            )
            .expect("a scale within limits"),
            surface: SurfaceId(number),
            collision: Collision::Soup,
            layers: 1,
        })
        .collect();
    let bytes = with_props(&base, &props, &uses).expect("a sector with props").bytes;
    overlay(bytes, if in_props { base.len() } else { 0 }, data)
}

/// Decodes and, if that succeeds, queries everything.
fn ask(bytes: Vec<u8>) {
    let Ok(sector) = decode(&bytes) else { return };
    let (coord, field) = (sector.coord(), sector.field());
    let grid = field.grid();
    let (cells, half) = (field.cells(), grid.sector_size().half());
    let last = cells as i32 + 1;
    for (column, row) in [(-1, -1), (last, last), (-1, last), (cells as i32 / 2, 0)] {
        assert!(field.sample(column, row).is_finite());
    }
    let step = 2.0 * half / 13.0;
    for index in 0..169_u16 {
        let (x, z) = (f32::from(index % 13) * step - half, f32::from(index / 13) * step - half);
        if let Ground::Height(height) = field.ground(x, z) {
            assert!(height.is_finite());
            let normal = field.smooth_normal(x, z);
            assert!(normal.is_some_and(|normal| normal.is_finite() && normal.y > 0.0));
            assert!(field.face_normal(x, z).is_some() && field.surface(x, z).is_some());
        }
    }
    for column in 0..cells {
        let _ = field.cell_steepness(column, cells - 1);
    }
    rays(bytes, coord, grid);
}

/// Whatever the pyramid contains, a ray ends, and what it hits is the ground.
fn rays(bytes: Vec<u8>, coord: SectorCoord, grid: Grid) {
    let Ok(loaded) = LoadedSector::new(bytes) else { unreachable!("it was decoded before") };
    let mut world = ResidentSectors::new(grid);
    world.insert(coord, loaded.into()).expect("the grid is its own");
    let (view, half) = (world.view(), grid.sector_size().half());
    for (x, z, direction) in [
        (-half, -half, Vec3::new(1.0, -0.01, 1.0)),
        (0.0, 0.0, Vec3::NEG_Y),
        (0.3 * half, -0.9 * half, Vec3::new(-0.2, -0.3, 1.0)),
    ] {
        let origin = WorldPos::new(coord, Vec3::new(x, 50.0, z), grid.sector_size());
        let Ok(origin) = origin else { continue };
        match view.raycast(origin, direction, f32::INFINITY) {
            Ok(Raycast::Hit(hit)) => assert!(hit.distance >= 0.0 && hit.normal.is_finite()),
            Ok(_) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// The bytes written over a valid sector, from an offset that they choose themselves.
fn overlaid(data: &[u8]) -> Vec<u8> {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).expect("a grid");
    let relief = if data.len() % 2 == 0 { 1.0 } else { 100.0 };
    let sound = SectorData::from_fn(grid, |x, z| relief * (x + z * z)).expect("a sector");
    overlay(encode(SectorCoord::new(1, -1), &sound).bytes, 0, data)
}

/// The bytes with valid magic, version, length and checksums, as far as possible.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() < HEADER_BYTES {
        return bytes;
    }
    let length = bytes.len() as u64;
    put(&mut bytes, field::MAGIC, &MAGIC);
    put(&mut bytes, field::VERSION, &VERSION.to_le_bytes());
    put(&mut bytes, field::FILE_BYTES, &length.to_le_bytes());
    let sections = u32_at(&bytes, field::SECTIONS).min(SECTIONS_MAX as usize);
    for section in 0..sections {
        let entry = HEADER_BYTES + section * TABLE_ROW_BYTES;
        if entry + TABLE_ROW_BYTES > bytes.len() {
            return bytes;
        }
        let begin = u64_at(&bytes, entry + row::OFFSET);
        let end = begin
            .checked_add(u64_at(&bytes, entry + row::LENGTH))
            .and_then(|end| end.checked_add(SECTION_TAIL_BYTES))
            .and_then(|end| end.checked_next_multiple_of(SECTION_ALIGN_BYTES));
        if let Some(end) = end {
            seal_part(&mut bytes, entry + row::CHECKSUM, begin..end);
        }
    }
    let end = (HEADER_BYTES + sections * TABLE_ROW_BYTES).next_multiple_of(SECTION_ALIGN_BYTES);
    seal_start(&mut bytes, field::CHECKSUM, end);
    bytes
}
