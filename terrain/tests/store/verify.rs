//! Verification finds what no checksum can: sectors that are whole and wrong.

use std::sync::Arc;

use marchland_terrain::format::{EncodedSector, encode};
use marchland_terrain::store::{Problem, Storage, VerifyReport, WorldWriter, verify_on};
use marchland_terrain::{CellKind, SectorCoord, SectorData, SurfaceId, SurfaceLayer};
use xxhash_rust::xxh3::xxh3_64;

use super::memory::MemoryStorage;
use super::worlds::{PLACES, bake, facts, grid, record, sector};

/// Verifies the small world with the sector at (0, 0) replaced.
fn with_sector(file: &EncodedSector) -> VerifyReport {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    for at in PLACES {
        let other = sector(at, &PLACES, 1.0);
        writer.put(if at == (0, 0) { file } else { &other }).unwrap();
    }
    writer.finish(&facts(), &record(1.0)).unwrap();
    verify_on(storage).unwrap()
}

fn messages(report: &VerifyReport) -> Vec<String> {
    report.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_world_as_baked_is_sound() {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    bake(&storage, 1.0).unwrap();
    let report = verify_on(storage).unwrap();
    assert!(report.is_sound(), "{:?}", messages(&report));
    // Pairs that touch: in rows 2 + 0 + 1, between rows 3 and 2 upright or slanted.
    assert_eq!((report.sectors, report.pairs), (7, 2 + 1 + 4 + 3), "{report:?}");
}

#[test]
fn a_missing_and_a_damaged_sector_are_listed_and_the_rest_is_checked() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    bake(&storage, 1.0).unwrap();
    let sectors: Vec<_> = disk.paths().into_iter().filter(|p| p.ends_with(".sector")).collect();
    disk.remove_file(&sectors[0]).unwrap();
    disk.tamper(&sectors[3], |bytes| bytes[300] ^= 4);
    let report = verify_on(storage).unwrap();
    assert_eq!((report.sectors, report.problem_count), (7, 2), "{:?}", messages(&report));
}

#[test]
fn a_step_between_neighbours_is_found_on_the_edge_and_in_the_apron() {
    let plane = |lift: f64| SectorData::from_fn(grid(), move |_, _| lift).unwrap();
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    for (at, lift) in [((0, 0), 5.0), ((1, 0), 5.0 + 1.0 / 256.0)] {
        let kinds = (0..100_i32)
            .map(|index| {
                let (column, row) = (index % 10, index / 10);
                let beside = if at == (0, 0) { column > 0 } else { column < 9 };
                if beside && (1..9).contains(&row) { CellKind::Solid } else { CellKind::Outside }
            })
            .collect();
        let data = plane(lift).with_kinds(kinds).unwrap();
        writer.put(&encode(SectorCoord::new(at.0, at.1), &data)).unwrap();
    }
    writer.finish(&facts(), &record(1.0)).unwrap();
    let report = verify_on(storage).unwrap();
    let [Problem::Samples { count, here, there, .. }] = report.problems.as_slice() else {
        panic!("{:?}", messages(&report))
    };
    // Three columns that both store, nine rows that bound ground.
    assert_eq!((*count, *here, *there), (27, 1280, 1281));
}

#[test]
fn an_apron_that_disagrees_about_cells_is_found() {
    // Holes that the neighbours do not know, in the apron and at the edge.
    let as_baked = sector((0, 0), &PLACES, 1.0);
    let whole = marchland_terrain::format::decode(&as_baked.bytes).unwrap().field();
    let mut kinds = Vec::new();
    let mut quanta = Vec::new();
    for row in -1..=9 {
        for column in -1..=9 {
            quanta.push(whole.quanta(column, row));
            if column < 9 && row < 9 {
                let kind = whole.cell_kind(column, row);
                let is_changed = (column, row) == (-1, 3) || (column, row) == (7, 2);
                kinds.push(if is_changed { CellKind::Hole } else { kind });
            }
        }
    }
    let surfaces = SurfaceLayer::Uniform(SurfaceId(0));
    let build = |kinds: Vec<CellKind>| {
        let data = SectorData::new(grid(), quanta.clone(), Some(kinds), surfaces.clone()).unwrap();
        encode(SectorCoord::new(0, 0), &data)
    };
    let report = with_sector(&build(kinds.clone()));
    assert_eq!(report.problem_count, 2, "{:?}", messages(&report));
    assert!(report.problems.iter().all(|p| matches!(p, Problem::Kinds { count: 1, .. })));
    // Ground in the apron towards the gap to the south.
    kinds.fill(CellKind::Solid);
    let report = with_sector(&build(kinds));
    let gaps = report.problems.iter().filter(|p| {
        matches!(p, Problem::Kinds { there: CellKind::Outside, here: CellKind::Solid, .. })
    });
    assert!(gaps.count() >= 2, "{:?}", messages(&report));
}

/// Changes a section's payload and makes its checksum, and the header's, fit.
fn forged(section: usize, change: impl FnOnce(&mut [u8])) -> EncodedSector {
    let mut file = sector((0, 0), &PLACES, 1.0);
    let u64_at = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
    };
    let row = 64 + 32 * section;
    let (begin, length) = (u64_at(&file.bytes, row + 8), u64_at(&file.bytes, row + 16));
    change(&mut file.bytes[begin..begin + length]);
    let end = (begin + length + 64).next_multiple_of(64);
    let checksum = xxh3_64(&file.bytes[begin..end]);
    file.bytes[row + 24..row + 32].copy_from_slice(&checksum.to_le_bytes());
    rehashed(&mut file);
    file
}

/// Makes the header's checksum and the content hash fit a sector that was changed.
fn rehashed(file: &mut EncodedSector) {
    let header_end = u64::from_le_bytes(file.bytes[72..80].try_into().unwrap()) as usize;
    file.bytes[24..32].fill(0);
    let checksum = xxh3_64(&file.bytes[..header_end]);
    file.bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
    let loaded = marchland_terrain::LoadedSector::new(file.bytes.clone()).unwrap();
    file.content_hash = loaded.layout().content_hash();
}

#[test]
fn a_pyramid_and_a_steepness_that_are_not_those_of_the_samples_are_found() {
    let sections =
        |file: &EncodedSector| u32::from_le_bytes(file.bytes[12..16].try_into().unwrap());
    let last = sections(&sector((0, 0), &PLACES, 1.0)) as usize - 1;
    let report = with_sector(&forged(last - 1, |ranges| ranges[0] += 1));
    assert!(matches!(report.problems[..], [Problem::Ranges { .. }]), "{:?}", messages(&report));
    let report = with_sector(&forged(last, |steepness| steepness[0] -= 1));
    assert!(matches!(report.problems[..], [Problem::Steepness { .. }]), "{:?}", messages(&report));
    let mut wrong_record = sector((0, 0), &PLACES, 1.0);
    wrong_record.height_range = Some((0, 1));
    let report = with_sector(&wrong_record);
    let [Problem::Ranges { block: None, .. }] = report.problems[..] else {
        panic!("{:?}", messages(&report))
    };
}

#[test]
fn a_cell_and_a_whole_sector_on_a_surface_without_a_name_are_found() {
    // The small world names two surfaces. All cells at once, by the byte in the header.
    let of_all = |surface: u8| {
        let mut file = sector((0, 0), &PLACES, 1.0);
        file.bytes[56] = surface;
        rehashed(&mut file);
        with_sector(&file)
    };
    assert!(of_all(1).is_sound());
    let report = of_all(2);
    let [Problem::CellSurface { coord, count: 64, cell: None, surface, names: 2 }] =
        report.problems[..]
    else {
        panic!("{:?}", messages(&report))
    };
    assert_eq!((coord, surface), (SectorCoord::new(0, 0), SurfaceId(2)));
    let expected =
        "sector (0, 0): the surface of all cells is 2, expected one of the 2 named surfaces";
    assert_eq!(messages(&report), [expected]);
    // Of cells with surfaces of their own, three: two in a row that is not the first.
    let with_ids = |last: u8| {
        let whole = sector((0, 0), &PLACES, 1.0);
        let view = marchland_terrain::format::decode(&whole.bytes).unwrap().field();
        let square = |last| (-1..=last).flat_map(move |row| (-1..=last).map(move |c| (c, row)));
        let quanta = square(9).map(|(column, row)| view.quanta(column, row)).collect();
        let kinds = square(8).map(|(column, row)| view.cell_kind(column, row)).collect();
        let mut ids = vec![0; 64];
        (ids[8 * 3 + 5], ids[8 * 3 + 6], ids[63]) = (last, last, last);
        let surfaces = SurfaceLayer::PerCell(ids);
        let data = SectorData::new(grid(), quanta, Some(kinds), surfaces).unwrap();
        with_sector(&encode(SectorCoord::new(0, 0), &data))
    };
    assert!(with_ids(1).is_sound());
    let report = with_ids(255);
    let expected = "sector (0, 0): 3 cells with an unnamed surface, the first at column 5, row 3: it is \
                    255, expected one of the 2 named surfaces";
    assert_eq!(messages(&report), [expected]);
}
