//! The town is what it says it is.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use marchland_terrain::format::MeshUse;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::{Aabb, greater};
use marchland_terrain::{LoadedMesh, PropId, PropRecord, SectorCoord, SectorState};
use marchland_worlds::terrain;
use marchland_worlds::town::{self, MESHES, Town, TownMesh};

/// Of everything placed, together.
const TRIANGLES: usize = 440_484;

static TOWN: LazyLock<Town> = LazyLock::new(|| Town::new().unwrap());
/// In the order of [`MESHES`].
static LOADED: LazyLock<Vec<LoadedMesh>> = LazyLock::new(|| {
    TOWN.props.meshes.iter().map(|mesh| LoadedMesh::new(mesh.encode()).unwrap()).collect()
});
/// In the order of owner sectors and indices.
static PLACED: LazyLock<Vec<PlacedProp>> =
    LazyLock::new(|| TOWN.placements.props().iter().map(placed).collect());

/// A prop with every triangle in place.
struct PlacedProp {
    id: PropId,
    mesh: TownMesh,
    /// Its origin. Metres from the centre of sector (0, 0).
    origin: DVec3,
    /// Its triangles in the order of its mesh, from its origin: exactly what queries use. Metres.
    triangles: Vec<[Vec3; 3]>,
}

fn placed(prop: &PropRecord) -> PlacedProp {
    let side = f64::from(TOWN.grid.sector_size().metres());
    let sector = DVec3::new(f64::from(prop.sector.x), 0.0, f64::from(prop.sector.z)) * side;
    let mesh = LOADED[prop.mesh as usize].view();
    let placer = prop.placement.placer();
    let triangle = |index| mesh.triangle(index).map(|corner| placer.place(corner));
    PlacedProp {
        id: prop.id(),
        mesh: MESHES[prop.mesh as usize],
        origin: sector + prop.position.as_dvec3(),
        triangles: (0..mesh.triangles()).map(triangle).collect(),
    }
}

#[test]
fn two_thousand_props_of_sixteen_meshes_come_to_about_440_thousand_triangles() {
    assert_eq!(PLACED.len(), town::PROPS);
    let mut uses = BTreeMap::new();
    for prop in PLACED.iter() {
        let triangles = prop.triangles.len();
        let entry = uses.entry(prop.mesh.number()).or_insert((0, triangles));
        entry.0 += 1;
        assert_eq!(entry.1, triangles);
    }
    assert_eq!(uses.len(), MESHES.len(), "{uses:?}");
    let triangles: usize = PLACED.iter().map(|prop| prop.triangles.len()).sum();
    assert_eq!(triangles, TRIANGLES, "{uses:?}");
}

/// Low and high corner of everything of a prop. Metres from the centre of sector (0, 0).
fn bounds(prop: &PlacedProp) -> [DVec3; 2] {
    let around = Aabb::around(prop.triangles.iter().flatten().copied());
    [prop.origin + around.min.as_dvec3(), prop.origin + around.max.as_dvec3()]
}

#[test]
fn the_ground_is_gentle_and_every_prop_touches_it_or_stands_on_another() {
    let heights = town::heights();
    assert_eq!((heights.columns, heights.rows), (513, 513));
    for row in 0..512 {
        for column in 0..512 {
            let rise = [heights.at(column + 1, row), heights.at(column, row + 1)];
            let rise = rise.map(|beside| (beside - heights.at(column, row)).abs());
            assert!(rise[0] < 0.2 && rise[1] < 0.2, "{rise:?} at {column}, {row}");
        }
    }
    let all: Vec<_> = PLACED.iter().map(bounds).collect();
    for (prop, [low, high]) in PLACED.iter().zip(&all) {
        let lowest = [low.x, high.x].into_iter().flat_map(|x| [low.z, high.z].map(|z| (x, z)));
        let ground = lowest
            .map(|(x, z)| town::height(x, z))
            .fold(f64::NEG_INFINITY, |most, y| greater(y, most));
        let on_another = all.iter().any(|[below, top]| {
            top.y == low.y && below.x < high.x && low.x < top.x && below.z < high.z && low.z < top.z
        });
        assert!(low.y < ground || on_another, "{:?} {:?} floats at {low}", prop.mesh, prop.id);
    }
}

#[test]
fn stairs_and_crates_are_flush_to_the_bit_with_what_they_stand_against() {
    let all: Vec<_> = PLACED.iter().map(|prop| (prop, bounds(prop))).collect();
    let of = |mesh: TownMesh| all.iter().filter(move |(prop, _)| prop.mesh == mesh);
    let mut flush_stairs = 0;
    for (_, [low, high]) in of(TownMesh::Platform) {
        for (_, [from, to]) in of(TownMesh::Stairs).chain(of(TownMesh::WalledStairs)) {
            let beside = to.x == low.x || from.x == high.x || to.z == low.z || from.z == high.z;
            flush_stairs += usize::from(beside && from.y == low.y);
        }
    }
    assert_eq!(flush_stairs, 100);
    let mut stacked = 0;
    for (_, [low, high]) in of(TownMesh::Crate) {
        for (_, [from, to]) in of(TownMesh::Crate) {
            let above = from.y == high.y && from.x < high.x && low.x < to.x;
            stacked += usize::from(above && from.z < high.z && low.z < to.z);
        }
    }
    // Two rows of joints in each of 55 stacks: four, and two.
    assert_eq!(stacked, 55 * 6);
    let mut joined = 0;
    for (_, [low, high]) in of(TownMesh::Wall).chain(of(TownMesh::Arch)) {
        for (_, [from, to]) in of(TownMesh::Wall).chain(of(TownMesh::Arch)) {
            let along_x = from.x == high.x && from.z == low.z && to.z <= high.z;
            let along_z = from.z == high.z && from.x == low.x && to.x <= high.x;
            joined += usize::from((along_x || along_z) && from.y == low.y);
        }
    }
    assert_eq!(joined, 50 * 4);
}

#[test]
fn props_lie_across_every_border_and_streets_are_free() {
    let across = |prop: &PlacedProp, axis: usize| {
        let [low, high] = bounds(prop);
        low[axis] < 128.0 && high[axis] > 128.0
    };
    for axis in [0, 2] {
        let count = PLACED.iter().filter(|prop| across(prop, axis)).count();
        assert!(count >= 12, "{count} across");
    }
    assert!(PLACED.iter().any(|prop| across(prop, 0) && across(prop, 2)));
    let all: Vec<_> = PLACED.iter().map(bounds).collect();
    // The middles of the streets, but for those along the borders; 2 m to each side.
    for street in (1..16).filter(|street| *street != 8) {
        let middle = town::LOW + 32.0 * f64::from(street);
        for [low, high] in &all {
            let along_x = low.z < middle + 2.0 && high.z > middle - 2.0;
            let along_z = low.x < middle + 2.0 && high.x > middle - 2.0;
            let border = [[low.x, high.x], [low.z, high.z]];
            let border = border.iter().any(|[low, high]| *low < 128.5 && *high > 127.5);
            assert!(border || !(along_x || along_z), "{low} to {high} blocks street {street}");
        }
    }
}

#[test]
fn every_prop_is_known_to_each_sector_that_it_reaches_and_to_no_other() {
    let view = TOWN.sectors.view();
    let mut known = BTreeMap::new();
    for (x, z) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let coord = SectorCoord::new(x, z);
        let SectorState::Resident(sector) = view.sector(coord) else { panic!("{coord:?}") };
        let props = sector.props();
        for record in (0..props.len()).map(|at| props.record(at)) {
            assert_eq!(props.mesh(&record).triangles() as usize, triangles_of(record.id()));
            known.entry(record.id()).or_insert_with(Vec::new).push([x, z]);
        }
    }
    assert_eq!(known.len(), town::PROPS);
    for prop in PLACED.iter() {
        let [low, high] = bounds(prop);
        for sector in [[0, 0], [1, 0], [0, 1], [1, 1]] {
            let reaches = |axis: usize, at: i32, spare: f64| {
                if at == 0 { low[axis] < 128.0 + spare } else { high[axis] > 128.0 - spare }
            };
            let within = |spare| reaches(0, sector[0], spare) && reaches(2, sector[1], spare);
            let is_known = known[&prop.id].contains(&sector);
            // What is known by is the box of a turned box, which may be larger than what is in it.
            let spare = if within(0.0) { 0.0 } else { 0.5 * (high - low).length() };
            assert!(is_known || !within(0.0), "{:?} in {sector:?}", prop.id);
            assert!(!is_known || within(spare), "{:?} in {sector:?}", prop.id);
        }
    }
}

fn triangles_of(id: PropId) -> usize {
    PLACED.iter().find(|prop| prop.id == id).map_or(0, |prop| prop.triangles.len())
}

#[test]
fn meshes_and_props_take_few_bytes() {
    let (mut bytes, mut triangles) = (0, 0);
    for mesh in LOADED.iter() {
        bytes += mesh.len_bytes();
        triangles += mesh.view().triangles() as usize;
    }
    let (mut bare, mut furnished) = (0, 0);
    let uses: Vec<MeshUse> = LOADED
        .iter()
        .map(|mesh| MeshUse { hash: mesh.hash(), bounds: mesh.view().bounds() })
        .collect();
    let (files, _) =
        terrain::bake_with_props(town::heights(), town::SPACING, TOWN.grid, &TOWN.props).unwrap();
    for file in &files {
        bare += file.bytes.len();
        let with = TOWN.placements.furnish(file.coord, &file.bytes, &uses).unwrap();
        furnished += with.bytes.len();
    }
    let (each_triangle, each_prop) =
        (bytes as f64 / triangles as f64, (furnished - bare) as f64 / town::PROPS as f64);
    println!("{bytes} bytes for {triangles} unique triangles: {each_triangle:.1} each");
    println!("{} bytes for {} props: {each_prop:.1} each", furnished - bare, town::PROPS);
    assert!(each_triangle <= 40.0, "{each_triangle}");
    assert!(each_prop <= 80.0, "{each_prop}");
}
