//! A scene of a few props on rough ground, baked or live, wherever sectors end; and all answers in it.

use std::sync::Arc;

use marchland_terrain::bake::props::{PropHeight, PropInput, PropKind, PropSource};
use marchland_terrain::bake::{Spread, spread};
use marchland_terrain::format::{EncodedSector, encode};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{LiveProp, LiveProps, MeshSource, Placement, PreparedMesh};
use marchland_terrain::query::{Contacts, Cylinder, Solids, SupportBy, Sweep, TriangleId};
use marchland_terrain::{
    Collision, Grid, PropId, PropRecord, ResidentSectors, SectorCoord, SectorData, SurfaceId,
    TerrainView, WorldPos,
};

use super::scene::{Random, Vectors, block, sheet};

pub(crate) const BODY: Cylinder = Cylinder { radius: 0.4, height: 1.8 };
const SIDE: f64 = 16.0;

pub(crate) fn grid() -> Grid {
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
pub(crate) struct Baked {
    pub(crate) spread: Spread,
    pub(crate) sectors: ResidentSectors,
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

pub(crate) fn files(middle: SectorCoord, off: [i32; 2]) -> Vec<EncodedSector> {
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

pub(crate) fn input(middle: SectorCoord, off: [i32; 2]) -> PropInput {
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
    pub(crate) fn new(middle: SectorCoord, off: [i32; 2]) -> Self {
        Self::from_files(middle, off, &files(middle, off))
    }

    pub(crate) fn from_files(middle: SectorCoord, off: [i32; 2], files: &[EncodedSector]) -> Self {
        let spread = spread(grid(), files, &input(middle, off)).unwrap();
        let sectors = spread.sectors.clone();
        Self { spread, sectors, middle, off, live: LiveProps::new(grid().sector_size()) }
    }

    /// The same with live props and none that are baked.
    pub(crate) fn live(middle: SectorCoord, off: [i32; 2]) -> Self {
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

    pub(crate) fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }

    pub(crate) fn solids(&self, mask: u32) -> Solids<'_> {
        self.view().solids(mask)
    }

    pub(crate) fn at(&self, place: Vec3) -> WorldPos {
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

    pub(crate) fn answers(&self, solids: &Solids<'_>, feet: Vec3, motion: Vec3) -> Vec<String> {
        self.answers_of(BODY, solids, feet, motion)
    }

    /// All answers at a place, to the bit.
    pub(crate) fn answers_of(
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
pub(crate) fn places() -> Vec<(Vec3, Vec3)> {
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
