//! Queries allocate nothing, once the memory that they are given was made.
#![allow(unsafe_code, clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use marchland_terrain::format::encode;
use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::Gathered;
use marchland_terrain::props::{LiveProp, LiveProps, LoadedMesh, MeshSource, PreparedMesh};
use marchland_terrain::query::{ALL_LAYERS, Contacts, Cylinder, Region, Solids, SupportBy, Sweep};
use marchland_terrain::{Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, WorldPos};

/// The system's allocator, counting for each thread: what runs the tests allocates when it likes.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed to `System` unchanged; counting touches no memory that it gives out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A pyramid with a square foot, a metre high.
fn pyramid() -> Arc<LoadedMesh> {
    let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let source = MeshSource {
        vertices: vec![
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
            Vec3::Y,
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3], [1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]],
    };
    let (mesh, report) = PreparedMesh::new(&source).unwrap();
    assert!(report.closed);
    Arc::new(LoadedMesh::new(mesh.encode()).unwrap())
}

struct Asked {
    supports: usize,
    contacts: usize,
    hits: usize,
    ceilings: usize,
}

fn ask(solids: &Solids<'_>, at: WorldPos, contacts: &mut Contacts, asked: &mut Asked) {
    let body = Cylinder { radius: 0.4, height: 1.8 };
    let support = solids.support(body, at, -1.0, 1.0, SupportBy::All).unwrap();
    asked.supports += usize::from(support.is_some());
    solids.overlap(body, at, contacts).unwrap();
    asked.contacts += contacts.as_slice().len();
    let swept = solids.sweep(body, at, Vec3::new(3.0, -0.2, 1.0)).unwrap();
    asked.hits += usize::from(matches!(swept, Sweep::Hit(_)));
    asked.ceilings += usize::from(solids.ceiling(body, at, 9.0).unwrap().is_some());
}

#[test]
fn queries_do_not_allocate() {
    let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
    let mut sectors = ResidentSectors::new(grid);
    for (x, z) in (-1..=1).flat_map(|x| (-1..=1).map(move |z| (x, z))) {
        let data = SectorData::from_fn(grid, |x, _| x * 0.1).unwrap();
        let file = encode(SectorCoord::new(x, z), &data);
        sectors
            .insert(SectorCoord::new(x, z), Arc::new(LoadedSector::new(file.bytes).unwrap()))
            .unwrap();
    }
    let (size, mesh) = (grid.sector_size(), pyramid());
    let mut live = LiveProps::new(size);
    let place = |i: u16| {
        let part = |n: u16| f64::from(i.wrapping_mul(n) % 4001) / 4001.0 * 30.0 - 15.0;
        WorldPos::from_metres(part(7919), part(104) * 0.1, part(1301), size).unwrap()
    };
    for i in 0..200 {
        live.add(LiveProp::new(Arc::clone(&mesh), place(i * 13))).unwrap();
    }
    let view = sectors.view().with_live(&live);
    let (mut contacts, mut scratch) = (Contacts::with_capacity(32), Gathered::with_capacity(2048));
    let mut asked = Asked { supports: 0, contacts: 0, hits: 0, ceilings: 0 };
    let before = ALLOCATIONS.get();
    for i in 0..1000 {
        let at = place(i);
        ask(&view.solids(ALL_LAYERS), at, &mut contacts, &mut asked);
        let body = Cylinder { radius: 0.4, height: 1.8 };
        let region = Region::around(body, at, 1.0).unwrap();
        let gathered = view.gather(&region, ALL_LAYERS, &mut scratch).unwrap();
        ask(&gathered, at, &mut contacts, &mut asked);
    }
    let allocations = ALLOCATIONS.get() - before;
    let Asked { supports, contacts, hits, ceilings } = asked;
    assert!(supports > 500 && contacts > 2000 && hits > 100 && ceilings > 100);
    assert_eq!(allocations, 0, "allocations in 1000 places");
}
