//! Small worlds for questions: ground from a function, and props of simple meshes.

use std::sync::Arc;

pub(crate) use marchland_random::Random;
use marchland_terrain::format::encode;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{
    LiveProp, LiveProps, LoadedMesh, MeshSource, Placement, PreparedMesh,
};
use marchland_terrain::{
    Collision, Grid, LoadedSector, PropId, ResidentSectors, SectorCoord, SectorData, TerrainView,
    WorldPos,
};

/// Vectors at random.
pub(crate) trait Vectors {
    /// No longer than `reach` along any axis.
    fn vector(&mut self, reach: f32) -> Vec3;
}

impl Vectors for Random {
    fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::new(
            self.within(-reach, reach),
            self.within(-reach, reach),
            self.within(-reach, reach),
        )
    }
}

/// A world of 16 m sectors of 1 m cells, 3 × 3 of them around `middle`, and live props.
pub(crate) struct Scene {
    pub(crate) middle: SectorCoord,
    pub(crate) sectors: ResidentSectors,
    pub(crate) live: LiveProps,
}

impl Scene {
    /// Ground whose height at `(x, z)` metres from the middle of the world is `height(x, z)`.
    pub(crate) fn new(middle: SectorCoord, height: impl Fn(f64, f64) -> f64) -> Self {
        let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
        let mut sectors = ResidentSectors::new(grid);
        for (dx, dz) in (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (dx, dz))) {
            let coord = middle.offset(dx, dz).unwrap();
            let (east, south) = (f64::from(dx) * 16.0, f64::from(dz) * 16.0);
            let data = SectorData::from_fn(grid, |x, z| height(east + x, south + z)).unwrap();
            let sector = LoadedSector::new(encode(coord, &data).bytes).unwrap();
            sectors.insert(coord, Arc::new(sector)).unwrap();
        }
        Self { middle, sectors, live: LiveProps::new(grid.sector_size()) }
    }

    /// Ground a kilometre below everything.
    pub(crate) fn without_ground(middle: SectorCoord) -> Self {
        Self::new(middle, |_, _| -1000.0)
    }

    pub(crate) fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }

    /// A place, metres from the middle of the world.
    pub(crate) fn at(&self, place: Vec3) -> WorldPos {
        WorldPos::new(self.middle, place, self.sectors.grid().sector_size()).unwrap()
    }

    /// Puts a prop; turned by degrees.
    pub(crate) fn put(&mut self, mesh: &MeshSource, at: Vec3, degrees: [f64; 3]) -> PropId {
        let mesh = loaded(mesh);
        let collision = if mesh.view().is_closed() { Collision::Solid } else { Collision::Soup };
        let mut prop = LiveProp::new(mesh, self.at(at));
        prop.placement = Placement::new(Rotation::from_degrees(degrees), 1.0).unwrap();
        prop.collision = collision;
        self.live.add(prop).unwrap()
    }
}

pub(crate) fn loaded(mesh: &MeshSource) -> Arc<LoadedMesh> {
    let (prepared, _) = PreparedMesh::new(mesh).unwrap();
    Arc::new(LoadedMesh::new(prepared.encode()).unwrap())
}

/// A box from one corner to the other.
pub(crate) fn block(low: Vec3, high: Vec3) -> MeshSource {
    let corner = |i: u32| {
        Vec3::new(
            if i & 1 == 0 { low.x } else { high.x },
            if i & 2 == 0 { low.y } else { high.y },
            if i & 4 == 0 { low.z } else { high.z },
        )
    };
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    MeshSource {
        vertices: (0..8).map(corner).collect(),
        triangles: quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect(),
    }
}

/// A level sheet of `columns` × `rows` quads a metre wide, its corners inside moved about, seen from
/// above.
pub(crate) fn sheet(columns: u32, rows: u32, random: &mut Random) -> MeshSource {
    let mut mesh = MeshSource::default();
    for row in 0..=rows {
        for column in 0..=columns {
            let inner = 0 < row && row < rows && 0 < column && column < columns;
            let off = if inner { random.vector(0.35) } else { Vec3::ZERO };
            mesh.vertices.push(Vec3::new(column as f32 + off.x, 0.0, row as f32 + off.z));
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let a = row * (columns + 1) + column;
            let (b, c, e) = (a + 1, a + columns + 1, a + columns + 2);
            mesh.triangles.extend([[a, e, b], [a, c, e]]);
        }
    }
    mesh
}
