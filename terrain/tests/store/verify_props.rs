//! Verification finds props that sectors do not agree about, and mesh files that are not as named.

use std::sync::Arc;

use marchland_terrain::glam::Vec3;
use marchland_terrain::store::{Problem, Storage, VerifyReport, WorldWriter, verify_on};
use marchland_terrain::{PropRecord, SectorCoord, SurfaceId};

use super::memory::MemoryStorage;
use super::worlds::{
    PLACES, bake_town, facts, record, roof, town_meshes, town_props, town_sector, town_uses,
};

/// Verifies the town with the props of one sector changed.
fn with_props_at(at: (i32, i32), change: impl FnOnce(&mut Vec<PropRecord>)) -> VerifyReport {
    let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::default());
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    let mut changed = town_props();
    change(&mut changed);
    for mesh in town_meshes(1.0) {
        writer.put_mesh(&mesh).unwrap();
    }
    for place in PLACES {
        let props = if place == at { changed.clone() } else { town_props() };
        writer.put(&town_sector(place, &props, 1.0)).unwrap();
    }
    writer.finish(&facts(), &record(1.0)).unwrap();
    verify_on(storage).unwrap()
}

fn messages(report: &VerifyReport) -> Vec<String> {
    report.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_town_as_baked_is_sound() {
    let report = with_props_at((0, 0), |_| {});
    assert!(report.is_sound(), "{:?}", messages(&report));
    assert_eq!((report.meshes, report.props), (2, 6));
}

#[test]
fn a_prop_that_a_sector_it_reaches_does_not_know_is_found() {
    // The third reaches from (0, 0) into (1, 0) and (1, 1).
    for at in [(1, 0), (1, 1)] {
        let report = with_props_at(at, |props| _ = props.remove(2));
        let [Problem::PropUnknown { prop, coord }] = &report.problems[..] else {
            panic!("{:?}", messages(&report))
        };
        assert_eq!((prop.index, *coord), (2, SectorCoord::new(at.0, at.1)));
        let text = &messages(&report)[0];
        assert!(text.ends_with("has no record of prop 2 of sector (0, 0), which reaches into it"));
    }
}

#[test]
fn a_prop_that_its_owner_does_not_know_is_found_in_every_sector_that_knows_it() {
    let report = with_props_at((0, 0), |props| _ = props.remove(2));
    assert_eq!(report.problem_count, 2, "{:?}", messages(&report));
    let is_it = |problem: &Problem| matches!(problem, Problem::PropWithoutOwner { .. });
    assert!(report.problems.iter().all(is_it), "{:?}", messages(&report));
    // An owner outside the world: the gap at (0, 1).
    let report = with_props_at((0, 0), |props| {
        props.push(PropRecord {
            sector: SectorCoord::new(0, 1),
            position: Vec3::new(0.0, 41.0, -4.0),
            index: 50,
            ..props[0]
        });
        props.last_mut().unwrap().placement = props[3].placement;
    });
    let found = matches!(&report.problems[..], [Problem::PropWithoutOwner { prop, .. }] if prop.index == 50);
    assert!(found, "{:?}", messages(&report));
}

#[test]
fn a_prop_that_is_another_elsewhere_is_found() {
    let changes: [fn(&mut PropRecord); 4] = [
        |prop| prop.layers ^= 1 << 9,
        |prop| prop.surface = SurfaceId(1),
        |prop| prop.position.y += 0.5,
        |prop| prop.mesh = 1,
    ];
    for change in changes {
        let report = with_props_at((1, 1), |props| change(&mut props[2]));
        let [Problem::PropDiffers { coord, .. }] = &report.problems[..] else {
            panic!("{:?}", messages(&report))
        };
        assert_eq!(*coord, SectorCoord::new(1, 1));
    }
    // As its owner knows it, it does not reach there.
    let report = with_props_at((0, 0), |props| props[2].position.x = -3.0);
    assert_eq!(report.problem_count, 2, "{:?}", messages(&report));
    let is_it = |problem: &Problem| matches!(problem, Problem::PropDiffers { .. });
    assert!(report.problems.iter().all(is_it), "{:?}", messages(&report));
}

#[test]
fn a_surface_without_a_name_is_found() {
    let report = with_props_at((1, 2), |props| props[4].surface = SurfaceId(2));
    assert_eq!(
        messages(&report),
        [
            "sector (1, 2): surface of prop 0 of sector (1, 2) is 2, expected one of the 2 named surfaces"
        ]
    );
}

#[test]
fn mesh_files_that_are_missing_damaged_wrong_or_stray_are_found() {
    let disk = MemoryStorage::default();
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    bake_town(&storage, 1.0).unwrap();
    let sound = disk.settled();
    let [shared, own] = town_uses(1.0).map(|mesh| {
        let name = mesh.hash.to_string();
        format!("meshes/{}/{name}.mesh", &name[..2])
    });
    let verify = |change: &dyn Fn(&MemoryStorage)| {
        let disk = sound.settled();
        change(&disk);
        verify_on(Arc::new(disk)).unwrap()
    };
    // Of the four sectors with props three know the one mesh and three the other.
    for (path, sectors) in [(&shared, 3), (&own, 3)] {
        for change in [
            &|disk: &MemoryStorage| disk.remove_file(path).unwrap(),
            &|disk: &MemoryStorage| disk.tamper(path, |bytes| bytes[90] ^= 8),
            &|disk: &MemoryStorage| disk.tamper(path, |bytes| bytes.truncate(64)),
            &|disk: &MemoryStorage| disk.tamper(path, |bytes| *bytes = roof(7.5)),
        ] as [&dyn Fn(&MemoryStorage); 4]
        {
            let report = verify(change);
            let of_mesh = |p: &&Problem| matches!(p, Problem::Mesh { .. });
            assert_eq!(
                report.problems.iter().filter(of_mesh).count(),
                1,
                "{:?}",
                messages(&report)
            );
            let of_sector = |p: &&Problem| matches!(p, Problem::Sector { .. });
            let count = report.problems.iter().filter(of_sector).count();
            assert_eq!(count, sectors, "{:?}", messages(&report));
            assert_eq!(report.problem_count as usize, 1 + sectors, "{:?}", messages(&report));
        }
    }
    let stray = "meshes/00/00000000000000000000000000000001.mesh";
    let add_stray = |disk: &MemoryStorage| {
        disk.create_folder("meshes/00").unwrap();
        disk.write_new(stray, &roof(1.0)).unwrap();
        disk.write_new("meshes/00/notes.txt", b"mine").unwrap();
    };
    let report = verify(&add_stray);
    let expected = format!("memory/{stray}: not listed by any manifest, the next bake removes it");
    assert_eq!(messages(&report), [expected]);
    // What an older generation names is no stray; while a bake runs nobody can tell.
    bake_town(&storage, 2.0).unwrap();
    assert!(verify_on(Arc::clone(&storage)).unwrap().is_sound());
    add_stray(&disk);
    let writer = WorldWriter::begin_on(Arc::clone(&storage)).unwrap();
    assert!(verify_on(Arc::clone(&storage)).unwrap().is_sound());
    drop(writer);
    assert!(!verify_on(Arc::clone(&storage)).unwrap().is_sound());
    bake_town(&storage, 3.0).unwrap();
    assert!(verify_on(storage).unwrap().is_sound());
}
