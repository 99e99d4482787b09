//! Baked props answer as one world, wherever sectors end: the same bits on a border as in the middle of a
//! sector, baked as live, for whatever is in memory beside.

use std::sync::Arc;

use marchland_terrain::bake::props::{PropHeight, PropInput, PropKind, PropSource};
use marchland_terrain::bake::{Spread, place, spread};
use marchland_terrain::format::{EncodedSector, MeshUse, encode};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{Aabb, Rotation};
use marchland_terrain::props::{LiveProp, LiveProps, MeshSource, Placement, PreparedMesh};
use marchland_terrain::query::{
    ALL_LAYERS, Contacts, Cylinder, Gathered, QueryError, Region, Solids, SupportBy, Sweep,
    TriangleId,
};
use marchland_terrain::{
    Collision, Grid, LoadedMesh, LoadedSector, PropId, PropRecord, ResidentSectors, SectorCoord,
    SectorData, SectorState, SurfaceId, TerrainView, WorldPos,
};

use super::scene::{Random, Scene, Vectors, block, sheet};

const BODY: Cylinder = Cylinder { radius: 0.4, height: 1.8 };
const SIDE: f64 = 16.0;

fn grid() -> Grid {
    Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap()
}

/// One prop, from the middle of the scene.
struct Part {
    mesh: usize,
    at: Vec3,
    degrees: [f64; 3],
    scale: f32,
    layers: u32,
}

/// A crate, a turned one, a beam longer than two sectors, a slab turned over, a soup.
fn parts() -> (Vec<MeshSource>, Vec<Part>) {
    let meshes = vec![
        block(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0)),
        block(Vec3::new(-20.0, 0.0, -0.25), Vec3::new(20.0, 0.5, 0.25)),
        sheet(4, 3, &mut Random::new(21)),
    ];
    let part = |mesh, [x, y, z]: [f32; 3], degrees, scale, layers| Part {
        mesh,
        at: Vec3::new(x, y, z),
        degrees,
        scale,
        layers,
    };
    let parts = vec![
        part(0, [0.0, 0.25, 0.0], [0.0, 0.0, 0.0], 1.0, 1),
        part(0, [2.75, 0.5, -1.5], [10.0, 30.0, -20.0], 0.75, 2),
        part(1, [0.5, 2.625, 0.75], [0.0, 37.0, 4.0], 1.0, 4),
        part(1, [-1.5, 0.875, -3.25], [8.0, 90.0, 45.0], 1.0, 8),
        part(2, [-3.5, 1.375, 0.5], [12.0, 20.0, 3.0], 1.0, 16),
    ];
    (meshes, parts)
}

/// A world of 5 × 5 sectors with the parts around a place that is whole metres from its middle.
struct Baked {
    spread: Spread,
    sectors: ResidentSectors,
    /// Sector and metres in it of the scene's middle.
    middle: SectorCoord,
    off: [i32; 2],
    live: LiveProps,
}

/// Ground that moves with the scene: rough, and no two faces of it alike.
fn height(x: f64, z: f64) -> f64 {
    let mixed = (x as i64 * 7919 + z as i64 * 104_729).rem_euclid(1009);
    mixed as f64 / 1009.0 * 0.75 - 0.5
}

fn files(middle: SectorCoord, off: [i32; 2]) -> Vec<EncodedSector> {
    let around = (-2..=2).flat_map(|dz| (-2..=2).map(move |dx| (dx, dz)));
    let file = |(dx, dz): (i32, i32)| {
        let coord = middle.offset(dx, dz).unwrap();
        let (x, z) = (f64::from(dx) * SIDE, f64::from(dz) * SIDE);
        let off = off.map(f64::from);
        let data =
            SectorData::from_fn(grid(), |u, v| height(x + u - off[0], z + v - off[1])).unwrap();
        encode(coord, &data)
    };
    around.map(file).collect()
}

fn input(middle: SectorCoord, off: [i32; 2]) -> PropInput {
    let (meshes, parts) = parts();
    let source = |part: &Part| PropSource {
        kind: PropKind {
            mesh: part.mesh,
            surface: SurfaceId(part.layers as u8),
            collision: if part.mesh == 2 { Collision::Soup } else { Collision::Solid },
            layers: part.layers,
        },
        name: String::new(),
        position: [
            f64::from(middle.x) * SIDE + f64::from(off[0]) + f64::from(part.at.x),
            f64::from(middle.z) * SIDE + f64::from(off[1]) + f64::from(part.at.z),
        ],
        height: PropHeight::At(f64::from(part.at.y)),
        rotation: Rotation::from_degrees(part.degrees),
        scale: part.scale,
    };
    let prepared = meshes.iter().map(|mesh| PreparedMesh::new(mesh).unwrap().0).collect();
    PropInput { meshes: prepared, props: parts.iter().map(source).collect(), scatters: Vec::new() }
}

impl Baked {
    fn new(middle: SectorCoord, off: [i32; 2]) -> Self {
        Self::from_files(middle, off, &files(middle, off))
    }

    fn from_files(middle: SectorCoord, off: [i32; 2], files: &[EncodedSector]) -> Self {
        let spread = spread(grid(), files, &input(middle, off)).unwrap();
        let sectors = spread.sectors.clone();
        Self { spread, sectors, middle, off, live: LiveProps::new(grid().sector_size()) }
    }

    /// The same with live props and none that are baked.
    fn live(middle: SectorCoord, off: [i32; 2]) -> Self {
        let empty = PropInput::default();
        let spread = spread(grid(), &files(middle, off), &empty).unwrap();
        let (sectors, live) = (spread.sectors.clone(), LiveProps::new(grid().sector_size()));
        let mut baked = Self { spread, sectors, middle, off, live };
        let (meshes, parts) = parts();
        let meshes: Vec<_> = meshes.iter().map(super::scene::loaded).collect();
        for part in &parts {
            let mut prop = LiveProp::new(Arc::clone(&meshes[part.mesh]), baked.at(part.at));
            prop.placement =
                Placement::new(Rotation::from_degrees(part.degrees), part.scale).unwrap();
            prop.layers = part.layers;
            prop.surface = SurfaceId(part.layers as u8);
            baked.live.add(prop).unwrap();
        }
        baked
    }

    fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }

    fn solids(&self, mask: u32) -> Solids<'_> {
        self.view().solids(mask)
    }

    fn at(&self, place: Vec3) -> WorldPos {
        let off = Vec3::new(self.off[0] as f32, 0.0, self.off[1] as f32);
        WorldPos::new(self.middle, place + off, grid().sector_size()).unwrap()
    }

    /// A triangle by what it is in the scene, whatever the sectors.
    fn name(&self, triangle: TriangleId) -> String {
        match triangle {
            TriangleId::Terrain { sector, triangle } => {
                let (cell, number) = (triangle as i32 / 16, triangle % 16);
                let x = (sector.x - self.middle.x) * 16 + cell % 16 - self.off[0];
                let z = (sector.z - self.middle.z) * 16 + cell / 16 - self.off[1];
                format!("ground {x} {z} {number}")
            }
            TriangleId::Prop { prop: PropId::Live { slot, .. }, triangle } => {
                format!("prop {} {triangle}", 1 << slot)
            }
            TriangleId::Prop { prop, triangle } => {
                let is_it = |record: &&PropRecord| record.id() == prop;
                let record = self.spread.placements.props().iter().find(is_it).unwrap();
                format!("prop {} {triangle}", record.layers)
            }
        }
    }

    fn answers(&self, solids: &Solids<'_>, feet: Vec3, motion: Vec3) -> Vec<String> {
        self.answers_of(BODY, solids, feet, motion)
    }

    /// All answers at a place, to the bit.
    fn answers_of(
        &self,
        body: Cylinder,
        solids: &Solids<'_>,
        feet: Vec3,
        motion: Vec3,
    ) -> Vec<String> {
        let at = self.at(feet);
        let bits = |v: Vec3| v.to_array().map(f32::to_bits);
        let mut contacts = Contacts::with_capacity(1024);
        solids.overlap(body, at, &mut contacts).unwrap();
        let mut lines: Vec<String> = contacts
            .as_slice()
            .iter()
            .map(|c| {
                let (point, normal, depth) = (bits(c.point), bits(c.normal), c.depth.to_bits());
                let (surface, inside) = (c.surface, c.inside);
                let name = self.name(c.triangle);
                format!("contact {name}: {point:?} {normal:?} {depth} {surface:?} {inside}")
            })
            .collect();
        // In which order they come is a matter of sectors.
        lines.sort_unstable();
        let named = lines.iter().map(|line| line.split(':').next());
        let mut names: Vec<_> = named.collect();
        names.dedup();
        assert_eq!(names.len(), lines.len(), "twice at {feet}: {lines:#?}");
        for by in [SupportBy::All, SupportBy::Props, SupportBy::Terrain] {
            let found = solids.support(body, at, -3.0, 1.5, by).unwrap();
            lines.extend(found.map(|found| {
                let (point, normal) = (bits(found.point), bits(found.normal));
                format!("support {}: {point:?} {normal:?}", self.name(found.triangle))
            }));
        }
        lines.push(match solids.sweep(body, at, motion).unwrap() {
            Sweep::Free => "free".to_owned(),
            Sweep::Hit(hit) => {
                let (time, point) = (hit.time.to_bits(), bits(hit.point));
                let (normal, face) = (bits(hit.normal), bits(hit.face));
                format!("hit {}: {time} {point:?} {normal:?} {face:?}", self.name(hit.triangle))
            }
            Sweep::Overlapping(in_it) => {
                format!("in {}: {:?}", self.name(in_it.triangle), bits(in_it.normal))
            }
        });
        let ceiling = solids.ceiling(body, at, 6.0).unwrap();
        lines.extend(ceiling.map(|found| {
            let (clearance, point) = (found.clearance.to_bits(), bits(found.point));
            format!("ceiling {}: {clearance} {point:?}", self.name(found.triangle))
        }));
        lines
    }
}

/// Places on a lattice of 2⁻¹⁰ m, and motions: sixteen ways towards the middle, from near and from far,
/// and anywhere.
fn places() -> Vec<(Vec3, Vec3)> {
    let fine = |v: Vec3| (v * 1024.0).round() / 1024.0;
    // A sixteenth of a turn, again and again.
    let (cos, sin) = (0.923_879_5, 0.382_683_43);
    let turn = |v: &Vec3| Some(Vec3::new(v.x * cos - v.z * sin, 0.0, v.x * sin + v.z * cos));
    let turns = std::iter::successors(Some(Vec3::X), turn).take(16);
    let mut places = Vec::new();
    let mut random = Random::new(77);
    for way in turns {
        for (far, up) in [(0.5, 2.0), (1.375, 0.5), (1.5, 0.375), (4.0, 0.75), (11.0, 1.25)] {
            let feet = fine(way * far + Vec3::Y * up);
            places.push((feet, -way * (far + 4.0)));
            places.push((feet, -way * far - Vec3::Y * 0.5));
        }
    }
    for _ in 0..150 {
        let mut feet = random.vector(6.0);
        feet.y = random.within(-1.0, 3.5);
        places.push((fine(feet), random.vector(12.0)));
    }
    places
}

fn offs() -> impl Iterator<Item = [i32; 2]> {
    [-8, 0, 8].into_iter().flat_map(|x| [-8, 0, 8].map(|z| [x, z])).chain([[7, -9], [-7, 6]])
}

#[test]
fn on_every_border_and_corner_answers_are_those_of_the_middle_of_a_sector() {
    let here = Baked::new(SectorCoord::new(0, 0), [0, 0]);
    let mut lines = 0;
    let expected: Vec<_> = places()
        .into_iter()
        .map(|(feet, motion)| here.answers(&here.solids(ALL_LAYERS), feet, motion))
        .inspect(|answers| lines += answers.iter().filter(|line| line.contains("prop")).count())
        .collect();
    assert!(lines > 500, "only {lines} answers are of props");
    for off in offs() {
        let there = Baked::new(SectorCoord::new(0, 0), off);
        for ((feet, motion), expected) in places().into_iter().zip(&expected) {
            let found = there.answers(&there.solids(ALL_LAYERS), feet, motion);
            assert_eq!(found, *expected, "{off:?}: {feet} by {motion}");
        }
    }
}

#[test]
fn far_from_the_origin_answers_are_the_same_to_the_bit() {
    for off in [[0, 0], [8, -8]] {
        let here = Baked::new(SectorCoord::new(0, 0), off);
        for middle in
            [SectorCoord::new(-1_000_000, 31), SectorCoord::new(i32::MAX - 2, i32::MIN + 2)]
        {
            let there = Baked::new(middle, off);
            for (feet, motion) in places() {
                let expected = here.answers(&here.solids(ALL_LAYERS), feet, motion);
                let found = there.answers(&there.solids(ALL_LAYERS), feet, motion);
                assert_eq!(found, expected, "{middle} {off:?}: {feet} by {motion}");
            }
        }
    }
}

#[test]
fn baked_props_answer_as_live_ones_at_the_same_place() {
    for off in [[0, 0], [8, 8], [-8, 3]] {
        let middle = SectorCoord::new(-5, 80);
        let (baked, live) = (Baked::new(middle, off), Baked::live(middle, off));
        for (feet, motion) in places() {
            for mask in [ALL_LAYERS, 0, 1, 2, 4 | 16, 8, 1 << 31] {
                let expected = baked.answers(&baked.solids(mask), feet, motion);
                let found = live.answers(&live.solids(mask), feet, motion);
                assert_eq!(found, expected, "mask {mask:b}, {off:?}: {feet} by {motion}");
                let seen = |line: &String| {
                    let layer = line.split("prop ").nth(1)?.split(' ').next()?.parse::<u32>();
                    layer.ok()
                };
                for layer in found.iter().filter_map(seen) {
                    assert!(layer & mask != 0, "{layer} is not in {mask:b}");
                }
            }
        }
    }
}

#[test]
fn each_triangle_is_met_once_by_bodies_that_span_sectors() {
    // `answers` refuses what comes twice.
    let (mut met, here) = (0, Baked::new(SectorCoord::new(3, 3), [0, 0]));
    let bodies = [(12.0, 4.0), (17.5, 1.0), (25.0, 6.0)];
    for (radius, height) in bodies {
        let body = Cylinder { radius, height };
        for off in [[8, 8], [-8, 0], [1, 2]] {
            let there = Baked::new(SectorCoord::new(3, 3), off);
            for (feet, motion) in places().into_iter().step_by(8) {
                let feet = feet + Vec3::Y;
                let expected = here.answers_of(body, &here.solids(!0), feet, motion);
                let found = there.answers_of(body, &there.solids(!0), feet, motion);
                met += found.len();
                // Ground ends elsewhere; props do not.
                let props = |lines: &[String]| -> Vec<String> {
                    let is_raw = |line: &&String| line.starts_with("contact prop");
                    lines.iter().filter(is_raw).cloned().collect()
                };
                assert_eq!(props(&found), props(&expected), "{body:?} at {feet}");
            }
        }
    }
    assert!(met > 5000, "{met}");
}

#[test]
fn a_gathered_region_over_borders_answers_as_the_world_does() {
    for off in [[8, 8], [-8, 0], [0, 0]] {
        let world = Baked::new(SectorCoord::new(9, -9), off);
        let (mut scratch, mut full) = (Gathered::with_capacity(8192), 0);
        for (feet, motion) in places() {
            let region = Region::around(BODY, world.at(feet), 3.0).unwrap();
            let solids = world.view().gather(&region, ALL_LAYERS, &mut scratch).unwrap();
            for aside in [Vec3::ZERO, Vec3::new(1.5, -0.25, -2.0)] {
                let (feet, motion) = (feet + aside, motion * 0.0625);
                let expected = world.answers(&world.solids(ALL_LAYERS), feet, motion);
                assert_eq!(world.answers(&solids, feet, motion), expected, "{off:?}: {feet}");
            }
            assert!(!scratch.is_overfull());
            full += usize::from(!scratch.is_empty());
        }
        assert!(full > 100, "{full}");
    }
}

#[test]
fn a_long_motion_aslant_finds_what_a_look_at_everything_finds() {
    let world = Baked::new(SectorCoord::new(9, -9), [8, 8]);
    let (mut scratch, mut hits) = (Gathered::with_capacity(1 << 16), 0);
    let mut random = Random::new(6);
    for (feet, motion) in places().into_iter().step_by(2) {
        let region = Region::around(BODY, world.at(feet), 20.0).unwrap();
        let gathered = world.view().gather(&region, ALL_LAYERS, &mut scratch).unwrap();
        for _ in 0..4 {
            // Nearly level, and long.
            let turned = Vec3::new(motion.z, 0.0, random.within(-16.0, 16.0));
            let motion = motion + turned * random.within(-0.5, 0.5);
            let way = Vec3::new(motion.x, random.within(-2.0, 0.5), motion.z);
            let at = world.at(feet + Vec3::Y * random.within(0.0, 2.0));
            let expected = gathered.sweep(BODY, at, way).unwrap();
            assert_eq!(world.solids(!0).sweep(BODY, at, way), Ok(expected), "{feet} by {way}");
            hits += usize::from(matches!(expected, Sweep::Hit(_)));
        }
        assert!(!scratch.is_overfull());
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn neither_the_order_of_loading_nor_other_sectors_change_an_answer() {
    let (middle, off) = (SectorCoord::new(2, 1), [8, -8]);
    let whole = Baked::new(middle, off);
    let mut order = files(middle, off);
    order.reverse();
    order.swap(3, 17);
    order.rotate_left(7);
    let mut other = Baked::from_files(middle, off, &order);
    for (feet, motion) in places() {
        let expected = whole.answers(&whole.solids(ALL_LAYERS), feet, motion);
        assert_eq!(other.answers(&other.solids(ALL_LAYERS), feet, motion), expected);
        // In and out of memory, but for what is asked of.
        let (ends, reach) = ([feet, feet + motion], BODY.radius + 0.01);
        for &sector in whole.spread.sectors.resident() {
            let (x, z) = ((sector.x - middle.x) as f32 * 16.0, (sector.z - middle.z) as f32 * 16.0);
            let (x, z) = (x - off[0] as f32, z - off[1] as f32);
            let apart = |low: f32, at: [f32; 2]| {
                at.iter().all(|at| at + reach < low - 8.0)
                    || at.iter().all(|at| at - reach > low + 8.0)
            };
            if apart(x, ends.map(|end| end.x)) || apart(z, ends.map(|end| end.z)) {
                other.sectors.unload(sector);
            }
        }
        assert_eq!(other.answers(&other.solids(ALL_LAYERS), feet, motion), expected, "{feet}");
        other.sectors = other.spread.sectors.clone();
    }
}

#[test]
fn a_missing_sector_within_reach_is_named_and_one_outside_the_world_is_no_obstacle() {
    let middle = SectorCoord::new(-3, 4);
    let mut world = Baked::new(middle, [8, 8]);
    let sector = |x: i32, z: i32| middle.offset(x, z).unwrap();
    let mut contacts = Contacts::with_capacity(64);
    let corner = world.at(Vec3::Y * 0.5);
    // Both of a row, and of two rows the northern one.
    for (missing, named) in [
        (vec![(1, 1)], (1, 1)),
        (vec![(1, 1), (0, 1)], (0, 1)),
        (vec![(0, 1), (1, 0)], (1, 0)),
        (vec![(0, 0), (1, 1), (1, 0)], (0, 0)),
    ] {
        for (x, z) in missing {
            world.sectors.unload(sector(x, z));
        }
        let refused = QueryError::NotResident { sector: sector(named.0, named.1) };
        let solids = world.solids(ALL_LAYERS);
        contacts = Contacts::with_capacity(64);
        assert_eq!(solids.overlap(BODY, corner, &mut contacts), Err(refused));
        assert!(contacts.as_slice().is_empty() && !contacts.is_cut());
        assert_eq!(solids.support(BODY, corner, -1.0, 1.0, SupportBy::Props), Err(refused));
        assert_eq!(solids.ceiling(BODY, corner, 1.0), Err(refused));
        assert_eq!(solids.sweep(BODY, corner, Vec3::X), Err(refused));
        let region = Region::around(BODY, corner, 0.0).unwrap();
        let mut scratch = Gathered::with_capacity(64);
        assert_eq!(world.view().gather(&region, 1, &mut scratch).err(), Some(refused));
        world.sectors = world.spread.sectors.clone();
    }
    // Not in the way of a question that only comes near, nor of a motion that passes beside.
    world.sectors.unload(sector(1, 1));
    let solids = world.solids(ALL_LAYERS);
    let near = world.at(Vec3::new(-0.41, 3.0, -0.41));
    assert_eq!(solids.overlap(BODY, near, &mut contacts), Ok(()));
    // Nearer than what is one place, what lies beyond decides what is an edge.
    let seam = world.at(Vec3::new(-0.400_05, 3.0, 1.0));
    let refused = Err(QueryError::NotResident { sector: sector(1, 1) });
    assert_eq!(solids.overlap(BODY, seam, &mut contacts), refused);
    let past =
        solids.sweep(BODY, world.at(Vec3::new(-8.0, 30.0, 4.0)), Vec3::new(12.0, 0.0, -12.0));
    assert_eq!(past, Ok(Sweep::Free));
    let into = solids.sweep(BODY, world.at(Vec3::new(-8.0, 30.0, 4.0)), Vec3::new(12.0, 0.0, 0.0));
    assert_eq!(into, Err(QueryError::NotResident { sector: sector(1, 1) }));
    // Outside the world there is no ground; what others know of a prop stays.
    world.sectors.set_outside(sector(1, 1));
    let solids = world.solids(ALL_LAYERS);
    let beyond = world.at(Vec3::new(4.0, -3.0, 4.0));
    solids.overlap(BODY, beyond, &mut contacts).unwrap();
    assert!(contacts.as_slice().is_empty(), "{contacts:?}");
    assert_eq!(solids.sweep(BODY, beyond, Vec3::new(0.0, -900.0, 0.0)), Ok(Sweep::Free));
    assert_eq!(solids.support(BODY, beyond, -9.0, 9.0, SupportBy::Terrain), Ok(None));
    solids.overlap(BODY, corner, &mut contacts).unwrap();
    assert!(contacts.as_slice().iter().any(|contact| contact.triangle.prop().is_some()));
}

#[test]
fn every_copy_of_a_sector_that_repeats_without_end_has_its_props() {
    let home = SectorCoord::new(0, 0);
    let bare = files(home, [0, 0]).swap_remove(12);
    assert_eq!(bare.coord, home);
    let mut input = input(home, [0, 0]);
    input.props.retain(|prop| prop.kind.mesh != 1);
    let prepared: Vec<Arc<LoadedMesh>> =
        input.meshes.iter().map(|mesh| Arc::new(LoadedMesh::new(mesh.encode()).unwrap())).collect();
    let loaded = Arc::new(LoadedSector::new(bare.bytes.clone()).unwrap());
    let placements = place(grid(), &[home], &input, &|_| Ok(Arc::clone(&loaded))).unwrap();
    let uses: Vec<MeshUse> = prepared
        .iter()
        .map(|mesh| MeshUse { hash: mesh.hash(), bounds: mesh.view().bounds() })
        .collect();
    let furnished = placements.furnish(home, &bare.bytes, &uses).unwrap();
    let find = &mut |hash| prepared.iter().find(|mesh| mesh.hash() == hash).cloned();
    let sector = Arc::new(LoadedSector::with_meshes(furnished.bytes, find).unwrap());
    let mut world = Baked::new(home, [0, 0]);
    world.sectors = ResidentSectors::endless(sector);
    let mut copies = Vec::new();
    for place in [(0, 0), (1, 0), (-1, 2), (-70_000, 1_000_000), (i32::MAX, i32::MIN)] {
        let coord = SectorCoord::new(place.0, place.1);
        let mut found = Vec::new();
        for (feet, motion) in places() {
            let inner = |feet: Vec3| feet.x.abs() < 7.0 && feet.z.abs() < 7.0;
            if !(inner(feet) && inner(feet + motion)) {
                continue;
            }
            let mut contacts = Contacts::with_capacity(64);
            let at = WorldPos::new(coord, feet, grid().sector_size()).unwrap();
            let solids = world.solids(ALL_LAYERS);
            solids.overlap(BODY, at, &mut contacts).unwrap();
            for contact in contacts.as_slice() {
                let in_it = |sector: SectorCoord| assert_eq!(sector, coord, "{contact:?}");
                let name = match contact.triangle {
                    TriangleId::Terrain { sector, triangle } => {
                        in_it(sector);
                        (u32::MAX, triangle)
                    }
                    TriangleId::Prop { prop: PropId::Baked { sector, index }, triangle } => {
                        in_it(sector);
                        (index, triangle)
                    }
                    other => panic!("{other:?}"),
                };
                found.push((name, contact.normal.to_array().map(f32::to_bits), 0));
            }
            if let Sweep::Hit(hit) = solids.sweep(BODY, at, motion).unwrap() {
                found.push(((0, 0), [0; 3], hit.time.to_bits()));
            }
        }
        assert!(found.iter().filter(|((index, _), ..)| *index < 5).count() > 100);
        copies.push(found);
    }
    for copy in &copies {
        assert_eq!(*copy, copies[0]);
    }
}

#[test]
fn a_box_has_a_prop_where_the_box_around_one_touches_it_not_around_its_neighbours() {
    let middle = SectorCoord::new(-3, 4);
    let world = Baked::new(middle, [5, 3]);
    let size = grid().sector_size();
    let mut random = Random::new(71);
    let (mut some, mut none, mut only_near) = (0, 0, 0);
    for (dx, dz) in (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (dx, dz))) {
        let coord = middle.offset(dx, dz).unwrap();
        let SectorState::Resident(sector) = world.view().sector(coord) else { continue };
        let props = sector.props();
        for n in 0..2000 {
            let (at, half) = (random.vector(9.0), random.vector(1.0).abs());
            let within = Aabb { min: at - half, max: at + half };
            let mask = [ALL_LAYERS, 0b0101, 0b1000, 0][n % 4];
            let is_met = |record: &PropRecord| {
                let bounds = props.mesh(record).bounds();
                record.layers & mask != 0 && record.box_in(coord, size, &bounds).touches(&within)
            };
            let met = (0..props.len()).map(|at| props.record(at)).filter(is_met);
            let met: Vec<_> = met
                .map(|record| record.box_in(coord, size, &props.mesh(&record).bounds()))
                .collect();
            let exactly = !met.is_empty();
            assert_eq!(props.has_any_in(&within, mask, size), exactly, "{within:?} in {coord}");
            let mut boxes = Vec::new();
            props.boxes_in(&within, mask, size, |bounds| boxes.push(*bounds));
            assert_eq!(boxes, met, "{within:?} in {coord}");
            let mut comes = false;
            props.in_box(&within, |range| comes |= !range.is_empty());
            some += i32::from(exactly);
            none += i32::from(!exactly);
            only_near += i32::from(comes && !exactly && mask == ALL_LAYERS);
        }
    }
    assert!(some > 300 && none > 300 && only_near > 20, "{some} {none} {only_near}");
}

#[test]
fn who_is_deep_inside_is_told_the_nearest_face_however_far_it_is() {
    let mut scene = Scene::without_ground(SectorCoord::new(0, 0));
    scene.put(&block(Vec3::splat(-40.0), Vec3::splat(40.0)), Vec3::ZERO, [0.0; 3]);
    let solids = scene.view().solids(ALL_LAYERS);
    let mut contacts = Contacts::with_capacity(16);
    let middle = 0.5 * BODY.height;
    for (feet, normal, depth) in [
        (Vec3::new(3.0, 1.0, -2.0), Vec3::X, 37.0 + BODY.radius),
        (Vec3::new(-1.0, 20.0, 2.0), Vec3::Y, 20.0),
        (Vec3::new(1.0, -12.0, -22.0), Vec3::NEG_Z, 18.0 + BODY.radius),
        (Vec3::new(0.5, -30.0, 4.0), Vec3::NEG_Y, 10.0 + BODY.height),
        (Vec3::new(36.5, 0.0 - middle, 0.0), Vec3::X, 3.5 + BODY.radius),
    ] {
        solids.overlap(BODY, scene.at(feet), &mut contacts).unwrap();
        let [way] = contacts.as_slice() else { panic!("{contacts:?} at {feet}") };
        assert!(way.inside && way.normal.distance(normal) < 1e-6, "{way:?} at {feet}");
        assert!((way.depth - depth).abs() < 1e-4, "{way:?} at {feet}");
    }
}
