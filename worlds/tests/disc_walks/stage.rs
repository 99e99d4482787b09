//! Upright obstacles on level ground, as the libraries see them and as outlines.

use std::sync::Arc;

use marchland_terrain::bake::props::{PropHeight, PropInput, PropKind, PropSource};
use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::math::{Rotation, greater};
use marchland_terrain::props::{LiveProp, LoadedMesh, MeshSource, Placement, PreparedMesh};
use marchland_terrain::{
    Collision, Grid, LiveProps, ResidentSectors, SurfaceId, TerrainView, WorldPos,
};
use marchland_worlds::grid;
use marchland_worlds::terrain::{bake_with_props, endless, grid_of};

use crate::outline::Outline;

/// One prop: an outline drawn out along Y.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Seen from above, in its own frame.
    pub(crate) outline: Outline,
    /// Bottom and top. Metres.
    pub(crate) y: [f64; 2],
    /// Degrees about Y.
    pub(crate) yaw: f64,
    pub(crate) at: DVec2,
}

/// How the blocks are built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Build {
    /// Parts of each side along and up.
    pub(crate) parts: [usize; 2],
    pub(crate) is_soup: bool,
    pub(crate) is_baked: bool,
    /// Metres along a sector.
    pub(crate) sector: f64,
    /// Where the middle of the stage is, from a corner of four sectors. Metres.
    pub(crate) off_corner: DVec2,
}

impl Build {
    /// Sectors of a baked world along a side: a whole number of pairs.
    fn sectors(&self) -> f64 {
        greater(192.0 / self.sector, 2.0)
    }

    /// Where the middle of the stage is. Metres of the world.
    pub(crate) fn middle(&self) -> DVec2 {
        DVec2::splat((self.sectors() - 1.0) * self.sector / 2.0) + self.off_corner
    }
}

/// Obstacles, built.
pub(crate) struct Stage {
    pub(crate) blocks: Vec<Block>,
    pub(crate) build: Build,
    /// Seen from above, metres of the world.
    pub(crate) outlines: Vec<Outline>,
    sectors: ResidentSectors,
    live: LiveProps,
}

impl Block {
    pub(crate) fn new(outline: Outline, yaw: f64, at: DVec2) -> Self {
        Self { outline, y: [0.0, 3.0], yaw, at }
    }

    /// Its outline around the middle of the stage.
    pub(crate) fn placed(&self) -> Outline {
        self.outline.placed(self.yaw.to_radians(), self.at)
    }

    /// Its mesh, with faces outwards, in its own frame.
    pub(crate) fn mesh(&self, [along, up]: [usize; 2]) -> MeshSource {
        let corners = self.outline.corners();
        let ring: Vec<DVec2> = (0..corners.len())
            .flat_map(|i| {
                let (from, to) = (corners[i], corners[(i + 1) % corners.len()]);
                (0..along).map(move |part| from.lerp(to, part as f64 / along as f64))
            })
            .collect();
        let around = ring.len() as u32;
        let mut vertices = Vec::new();
        for level in 0..=up {
            let y = self.y[0] + (self.y[1] - self.y[0]) * level as f64 / up as f64;
            vertices.extend(ring.iter().map(|at| Vec3::new(at.x as f32, y as f32, at.y as f32)));
        }
        let middle = corners.iter().sum::<DVec2>() / corners.len() as f64;
        let ends = self.y.map(|y| {
            vertices.push(Vec3::new(middle.x as f32, y as f32, middle.y as f32));
            vertices.len() as u32 - 1
        });
        let mut triangles = Vec::new();
        for (level, at) in (0..up as u32).flat_map(|level| (0..around).map(move |at| (level, at))) {
            let next = (at + 1) % around;
            let [a, b] = [at, next].map(|at| level * around + at);
            let [c, d] = [b + around, a + around];
            // Diagonals both ways.
            if (level + at).is_multiple_of(2) {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
        for at in 0..around {
            let next = (at + 1) % around;
            let top = up as u32 * around;
            triangles.extend([[ends[0], next, at], [ends[1], top + at, top + next]]);
        }
        // Outlines are drawn from x to z, which seen from outside is clockwise, or the other way.
        let area: f64 =
            (0..corners.len()).map(|i| corners[i].perp_dot(corners[(i + 1) % corners.len()])).sum();
        if area > 0.0 {
            for triangle in &mut triangles {
                triangle.swap(1, 2);
            }
        }
        MeshSource { vertices, triangles }
    }
}

impl Stage {
    pub(crate) fn new(blocks: Vec<Block>, build: Build) -> Self {
        let grid = grid_of(build.sector / 16.0, 16).unwrap();
        let outlines = blocks.iter().map(|block| block.placed().placed(0.0, build.middle()));
        let outlines = outlines.collect();
        let meshes = blocks.iter().map(|block| prepared(block, &build));
        let live = LiveProps::new(grid.sector_size());
        let (sectors, live) = if build.is_baked {
            (baked(grid, &blocks, &build, meshes.collect()), live)
        } else {
            let flat = endless(build.sector / 16.0, 16, 1, 0.0, 1).unwrap();
            (flat, added(live, &blocks, &build, meshes))
        };
        Self { blocks, build, outlines, sectors, live }
    }

    pub(crate) fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }

    pub(crate) fn place(&self, at: DVec2) -> WorldPos {
        let size = self.sectors.grid().sector_size();
        WorldPos::from_metres(at.x, 0.0, at.y, size).unwrap()
    }
}

fn prepared(block: &Block, build: &Build) -> PreparedMesh {
    let (mesh, _) = PreparedMesh::new(&block.mesh(build.parts)).unwrap();
    assert!(mesh.is_closed());
    mesh
}

fn collision(build: &Build) -> Collision {
    if build.is_soup { Collision::Soup } else { Collision::Solid }
}

fn turn(block: &Block) -> Rotation {
    Rotation::from_degrees([0.0, block.yaw, 0.0])
}

fn baked(
    grid: Grid,
    blocks: &[Block],
    build: &Build,
    meshes: Vec<PreparedMesh>,
) -> ResidentSectors {
    let samples = (build.sectors() * 16.0) as usize + 1;
    let heights = grid::Grid::filled(samples, samples, 0.0);
    let kind = |mesh| PropKind {
        mesh,
        surface: SurfaceId(0),
        collision: collision(build),
        layers: u32::MAX,
    };
    let props = blocks.iter().enumerate().map(|(index, block)| PropSource {
        kind: kind(index),
        name: format!("block {index}"),
        position: (block.at + build.middle()).to_array(),
        height: PropHeight::At(0.0),
        rotation: turn(block),
        scale: 1.0,
    });
    let props = PropInput { meshes, props: props.collect(), scatters: Vec::new() };
    bake_with_props(heights, build.sector / 16.0, grid, &props).unwrap().1.sectors
}

fn added(
    mut live: LiveProps,
    blocks: &[Block],
    build: &Build,
    meshes: impl Iterator<Item = PreparedMesh>,
) -> LiveProps {
    for (block, mesh) in blocks.iter().zip(meshes) {
        let at = block.at + build.middle();
        let place = WorldPos::from_metres(at.x, 0.0, at.y, live.sector_size()).unwrap();
        let mesh = Arc::new(LoadedMesh::new(mesh.encode()).unwrap());
        let mut prop = LiveProp::new(mesh, place);
        prop.placement = Placement::new(turn(block), 1.0).unwrap();
        prop.collision = collision(build);
        live.add(prop).unwrap();
    }
    live
}
