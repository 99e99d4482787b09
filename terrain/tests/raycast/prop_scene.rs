//! Small worlds with props in them, baked and live.

use std::sync::Arc;

use marchland_terrain::format::{MeshUse, encode, with_props};
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::{Rotation, clamp};
use marchland_terrain::props::{MeshSource, Placement, PreparedMesh};
use marchland_terrain::{
    Collision, Grid, LiveProp, LiveProps, LoadedMesh, LoadedSector, PropHit, PropId, PropRecord,
    Raycast, ResidentSectors, SectorCoord, SectorData, SurfaceId, TerrainView, WorldPos,
};

use crate::scene::{Random, rough_heights};

/// Sectors along a side of a scene. Props have their origins in the inner three by three, and reach
/// no farther than two sectors: where there is no sector, no baked prop is known.
pub(crate) const ALONG: i32 = 7;

pub(crate) fn grid() -> Grid {
    Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap()
}

/// A placed triangle, metres from the middle sector's centre.
pub(crate) struct Placed {
    pub(crate) prop: PropHit,
    pub(crate) corners: [DVec3; 3],
    pub(crate) layers: u32,
}

/// Ground, baked props and live ones.
pub(crate) struct PropScene {
    pub(crate) sectors: ResidentSectors,
    pub(crate) live: LiveProps,
    pub(crate) middle: SectorCoord,
    pub(crate) triangles: Vec<Placed>,
}

impl PropScene {
    /// Rough ground and `props` of each kind, anywhere in the sectors around the middle. `reversed`
    /// loads sectors and adds live props in the other order.
    pub(crate) fn new(middle: SectorCoord, seed: u64, props: u32, reversed: bool) -> Self {
        let mut numbers = Random::from_state(seed);
        let meshes = [crate_mesh(), soup(&mut numbers), slivers(&mut numbers)];
        let records: Vec<_> =
            (0..props).map(|n| record(&mut numbers, middle, n, &meshes)).collect();
        let live: Vec<_> = (0..props).map(|_| live_prop(&mut numbers, middle, &meshes)).collect();
        Self::of(middle, seed, &meshes, &records, &live, reversed)
    }

    pub(crate) fn of(
        middle: SectorCoord,
        seed: u64,
        meshes: &[Arc<LoadedMesh>],
        records: &[PropRecord],
        props: &[LiveProp],
        reversed: bool,
    ) -> Self {
        let size = grid().sector_size();
        let mut sectors = ResidentSectors::new(grid());
        let around = ALONG / 2;
        let mut places: Vec<_> =
            (-around..=around).flat_map(|z| (-around..=around).map(move |x| (x, z))).collect();
        if reversed {
            places.reverse();
        }
        for (x, z) in places {
            let coord = middle.offset(x, z).unwrap();
            let known = |record: &&PropRecord| {
                let bounds = meshes[record.mesh as usize].view().bounds();
                let (low, high) = record.sectors_reached(size, &bounds);
                record.sector == coord
                    || ((low.x..=high.x).contains(&coord.x) && (low.z..=high.z).contains(&coord.z))
            };
            let here: Vec<_> = records.iter().filter(known).copied().collect();
            sectors.insert(coord, Arc::new(sector(coord, (x, z), seed, &here, meshes))).unwrap();
        }
        let mut live = LiveProps::new(size);
        for prop in props {
            live.add(prop.clone()).unwrap();
        }
        let triangles = placed(&live, records, meshes, middle);
        Self { sectors, live, middle, triangles }
    }

    pub(crate) fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }

    /// The place at metres from the middle sector's centre.
    pub(crate) fn at(&self, metres: DVec3) -> WorldPos {
        WorldPos::new(self.middle, metres.as_vec3(), grid().sector_size()).unwrap()
    }

    /// Metres from the middle sector's centre, exactly.
    pub(crate) fn metres(&self, place: WorldPos) -> DVec3 {
        let side = f64::from(grid().sector_size().metres());
        let apart = |there: i32, here: i32| (i64::from(there) - i64::from(here)) as f64 * side;
        let sectors = DVec3::new(
            apart(place.sector().x, self.middle.x),
            0.0,
            apart(place.sector().z, self.middle.z),
        );
        sectors + place.local().as_dvec3()
    }

    pub(crate) fn cast(&self, from: WorldPos, direction: Vec3, max: f32, mask: u32) -> Raycast {
        self.view().raycast_masked(from, direction, max, mask).unwrap()
    }

    /// A ray that may meet much: from somewhere, towards a corner, an edge or a face of a prop, or
    /// anywhere.
    pub(crate) fn ray(&self, numbers: &mut Random) -> (WorldPos, Vec3) {
        let half = f64::from(grid().sector_size().metres()) * 3.5 - 1.0;
        let from = DVec3::new(
            numbers.between(-30.0, 30.0),
            numbers.between(-3.0, 14.0),
            numbers.between(-30.0, 30.0),
        );
        let some = &self.triangles[(numbers.bits() >> 20) as usize % self.triangles.len()];
        let [a, b, c] = some.corners;
        let (u, v) = (numbers.part(), numbers.part());
        let aim = match numbers.whole(0, 5) {
            0 => a,
            1 => a + (b - a) * u,
            2 | 3 => a + (b - a) * u * (1.0 - v) + (c - a) * v,
            _ => from + DVec3::new(u - 0.5, numbers.part() * 0.4 - 0.3, v - 0.5),
        };
        let from = match numbers.whole(0, 7) {
            // Along an axis, or along an edge.
            0 => aim + [DVec3::X, DVec3::Y, DVec3::Z][numbers.whole(0, 2) as usize] * 9.0,
            1 => aim + (c - b),
            _ => from,
        };
        let within = |metres: f64| clamp(metres, -half, half);
        let from = DVec3::new(within(from.x), from.y, within(from.z));
        let place = self.at(from);
        let towards = (aim - self.metres(place)).as_vec3();
        (place, if towards == Vec3::ZERO { Vec3::Y } else { towards })
    }
}

pub(crate) fn sector(
    coord: SectorCoord,
    (x, z): (i32, i32),
    seed: u64,
    props: &[PropRecord],
    meshes: &[Arc<LoadedMesh>],
) -> LoadedSector {
    let cells = grid().cells() as i32;
    let height = rough_heights(200, seed);
    let quanta = (-1..=cells + 1)
        .flat_map(|row| (-1..=cells + 1).map(move |column| (column, row)))
        .map(|(column, row)| height(x * cells + column, z * cells + row))
        .collect();
    let surfaces = marchland_terrain::SurfaceLayer::Uniform(SurfaceId(3));
    let data = SectorData::new(grid(), quanta, None, surfaces).unwrap();
    let uses: Vec<_> = meshes
        .iter()
        .map(|mesh| MeshUse { hash: mesh.hash(), bounds: mesh.view().bounds() })
        .collect();
    let bytes = with_props(&encode(coord, &data).bytes, props, &uses).unwrap().bytes;
    let find = |hash| meshes.iter().find(|mesh| mesh.hash() == hash).cloned();
    LoadedSector::with_meshes(bytes, &mut { find }).unwrap()
}

/// Every triangle of every prop, one by one.
fn placed(
    live: &LiveProps,
    records: &[PropRecord],
    meshes: &[Arc<LoadedMesh>],
    middle: SectorCoord,
) -> Vec<Placed> {
    let mut triangles = Vec::new();
    let mut add = |id: PropId, mesh: &LoadedMesh, origin: DVec3, placement: Placement, layers| {
        let placer = placement.placer();
        for triangle in 0..mesh.view().triangles() {
            let corners = mesh.view().triangle(triangle);
            let corners = corners.map(|corner| origin + placer.place(corner).as_dvec3());
            triangles.push(Placed { prop: PropHit { id, triangle }, corners, layers });
        }
    };
    for record in records {
        let side = f64::from(grid().sector_size().metres());
        let apart = |there: i32, here: i32| (i64::from(there) - i64::from(here)) as f64 * side;
        let (there, local) = (record.sector, record.position.as_dvec3());
        let origin = local + DVec3::new(apart(there.x, middle.x), 0.0, apart(there.z, middle.z));
        let mesh = &meshes[record.mesh as usize];
        add(record.id(), mesh, origin, record.placement, record.layers);
    }
    for prop in live.iter() {
        let origin = prop.origin_from(middle);
        add(prop.id(), &prop.prop().mesh, origin, prop.placement(), prop.layers());
    }
    triangles
}

pub(crate) fn loaded(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Arc<LoadedMesh> {
    let (mesh, _) = PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap();
    Arc::new(LoadedMesh::new(mesh.encode()).unwrap())
}

/// A box of one metre, not around its origin, wound outward.
pub(crate) fn crate_mesh() -> Arc<LoadedMesh> {
    let vertices = (0..8)
        .map(|corner| {
            let at = |axis: i32| (corner >> axis & 1) as f32;
            Vec3::new(at(0) - 0.25, at(1), at(2) + 0.5)
        })
        .collect();
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    loaded(vertices, triangles)
}

/// Triangles any which way, some sharing corners.
fn soup(numbers: &mut Random) -> Arc<LoadedMesh> {
    let mut part = |most: f64| numbers.between(-most, most) as f32;
    let vertices = (0..40).map(|_| Vec3::new(part(2.5), part(1.5), part(2.5))).collect();
    let triangles = (0..36).map(|n| [n, n + 1, n + 3]).collect();
    loaded(vertices, triangles)
}

/// Long and thin, near to one plane.
fn slivers(numbers: &mut Random) -> Arc<LoadedMesh> {
    let mut part = |most: f64| numbers.between(-most, most) as f32;
    let vertices = (0..24_u8)
        .map(|n| Vec3::new(part(7.0), f32::from(n % 3) * 1e-3, part(0.01) + f32::from(n % 2)))
        .collect();
    let triangles = (0..8).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
    loaded(vertices, triangles)
}

fn placement(numbers: &mut Random) -> Placement {
    let mut degrees = || numbers.between(-180.0, 180.0);
    let rotation = match degrees() {
        d if d < -60.0 => Rotation::IDENTITY,
        d if d < 60.0 => Rotation::from_degrees([0.0, degrees(), 0.0]),
        _ => Rotation::from_degrees([degrees(), degrees(), degrees()]),
    };
    Placement::new(rotation, [0.5, 1.0, 1.0, 2.7][numbers.whole(0, 3) as usize]).unwrap()
}

fn record(
    numbers: &mut Random,
    middle: SectorCoord,
    index: u32,
    meshes: &[Arc<LoadedMesh>],
) -> PropRecord {
    let placement = placement(numbers);
    let lattice = |metres: f64| (metres * 65_536.0).round_ties_even() as f32 / 65_536.0;
    let (x, z) = (numbers.whole(-1, 1), numbers.whole(-1, 1));
    let mut along = |most: f64| lattice(numbers.between(-most, most));
    PropRecord {
        sector: middle.offset(x, z).unwrap(),
        index,
        mesh: index % meshes.len() as u32,
        position: Vec3::new(along(7.99), along(3.0) + 2.0, along(7.99)),
        placement,
        surface: SurfaceId(10 + (index % 7) as u8),
        collision: Collision::Soup,
        layers: 1 << (index % 5),
    }
}

fn live_prop(numbers: &mut Random, middle: SectorCoord, meshes: &[Arc<LoadedMesh>]) -> LiveProp {
    let mut along = |most: f64| numbers.between(-most, most) as f32;
    let local = Vec3::new(along(23.0), along(3.0) + 2.0, along(23.0));
    let position = WorldPos::new(middle, local, grid().sector_size()).unwrap();
    let mesh = Arc::clone(&meshes[numbers.whole(0, meshes.len() as i32 - 1) as usize]);
    let mut prop = LiveProp::new(mesh, position);
    prop.placement = placement(numbers);
    prop.surface = SurfaceId(20);
    prop.layers = 1 << numbers.whole(3, 8);
    prop
}
