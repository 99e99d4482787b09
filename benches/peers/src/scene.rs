//! The scene of all contenders: one ground, sixteen meshes, two thousand props, made once and given
//! to each of them in its own form.
//!
//! Places are metres from the middle of the ground, where every contender's `f32` is most precise.

use marchland_terrain::bake::Placements;
use marchland_terrain::bake::props::{PropHeight, PropInput, PropKind, PropSource};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{LoadedMesh, MeshSource, PreparedMesh};
use marchland_terrain::{Collision, ResidentSectors, SectorSize, SurfaceId, WorldPos};
use marchland_worlds::{grid, lanes, scene, shapes, terrain, town};

use crate::memory::Meter;
use crate::movers::Movers;
use crate::setup::Failure;

/// Metres between samples, in all scenes.
const SPACING: f64 = 1.0;

/// A scene.
pub(crate) struct Scene {
    /// The ground.
    pub(crate) ground: Ground,
    /// The meshes, each once.
    pub(crate) meshes: Vec<MeshSource>,
    /// The placed props, all at scale 1.
    pub(crate) props: Vec<Prop>,
    /// Places near which units start, x and z; none if they start anywhere. The props' unless stated.
    pub(crate) near: Vec<[f64; 2]>,
    /// Props that move, which only ours meet.
    pub(crate) movers: Option<Movers>,
    /// The same scene as sectors in memory.
    pub(crate) sectors: ResidentSectors,
    /// Heap bytes of the sectors: the ground, the meshes, the placed props.
    pub(crate) bytes: [i64; 3],
}

/// A square of heights.
///
/// ```text
///   a ── b ─▶ +X, columns     two triangles a cell, the diagonal from a to e:
///   │ ╲  │                    a, b, e and a, e, c
///   c ── e
///   ▼ +Z, rows
/// ```
pub(crate) struct Ground {
    /// Samples along each side.
    pub(crate) samples: usize,
    /// Metres between samples.
    pub(crate) spacing: f32,
    /// Every height is a multiple of this. Metres.
    #[cfg_attr(not(any(feature = "physx", feature = "box3d")), allow(dead_code))]
    pub(crate) quantum: f32,
    /// Metres, row by row from the low corner.
    pub(crate) heights: Vec<f32>,
}

/// A mesh, rotated and moved.
#[derive(Clone, Copy)]
pub(crate) struct Prop {
    /// Which of the meshes.
    pub(crate) mesh: usize,
    /// Its origin. Metres.
    pub(crate) place: [f32; 3],
    /// Its rotation: x, y, z, w.
    pub(crate) turn: [f32; 4],
}

impl Scene {
    /// Rolling hills of 1024 m without props.
    pub(crate) fn terrain() -> Result<Self, Failure> {
        let heights = scene::rolling(1025, 1025, SPACING, 3);
        Self::new(&heights, 256, Vec::new(), Vec::new())
    }

    /// The town, with every prop at its full size: not every contender has scaled instances.
    pub(crate) fn town() -> Result<Self, Failure> {
        Self::town_of(town::MESHES.iter().map(|mesh| mesh.source()).collect())
    }

    /// The town with these in place of its meshes.
    pub(crate) fn town_of(meshes: Vec<MeshSource>) -> Result<Self, Failure> {
        let mut props = town::props()?.props;
        for prop in &mut props {
            prop.scale = 1.0;
        }
        Self::new(&town::heights(), 256, meshes, props)
    }

    /// The obstacle lanes, side by side on level ground; units start at [`lane_start`].
    pub(crate) fn lanes() -> Result<Self, Failure> {
        let (mut meshes, mut props) = (Vec::new(), Vec::new());
        let low = -f64::from(LANE_SECTOR) / 2.0;
        for (lane, obstacle) in lanes::OBSTACLES.into_iter().enumerate() {
            let [x, _, z] = lane_start(lane);
            for (mesh, along) in lanes::pieces(obstacle) {
                let middle = low + f64::from(LANE_SECTOR);
                let place = [middle + x + lanes::BEGIN + along, middle + z];
                let (at, turn) = (PropHeight::At(0.0), Rotation::IDENTITY);
                props.push(prop(meshes.len(), place, at, turn));
                meshes.push(mesh);
            }
        }
        let samples = 2 * LANE_SECTOR as usize + 1;
        Self::new(&grid::Grid::filled(samples, samples, 0.0), LANE_SECTOR, meshes, props)
    }

    /// A scene with sectors of this many cells. Props whose meshes are not closed are soups.
    pub(crate) fn new(
        heights: &grid::Grid<f64>,
        cells: u32,
        meshes: Vec<MeshSource>,
        mut props: Vec<PropSource>,
    ) -> Result<Self, Failure> {
        let grid = terrain::grid_of(SPACING, cells)?;
        let prepared = shapes::prepared(meshes.iter().cloned())?;
        for prop in props.iter_mut().filter(|prop| !prepared[prop.kind.mesh].is_closed()) {
            prop.kind.collision = Collision::Soup;
        }
        // A first bake for the threads' own memory, which would otherwise be counted.
        drop(terrain::bake_heights(heights.clone(), SPACING, grid)?);
        let mut meter = Meter::of_heap();
        let bare = terrain::bake_heights(heights.clone(), SPACING, grid)?;
        let ground_bytes = meter.lap();
        drop(bare);
        meter.lap();
        // The bake keeps meshes in oversized buffers; those read from a file are exact.
        let as_baked = load(&prepared, |_| {})?;
        let as_baked_bytes = meter.lap();
        drop(as_baked);
        meter.lap();
        let exact = load(&prepared, Vec::shrink_to_fit)?;
        let mesh_bytes = meter.lap();
        drop(exact);
        let input = PropInput { meshes: prepared, props, scatters: Vec::new() };
        drop(terrain::bake_with_props(heights.clone(), SPACING, grid, &input)?);
        let for_bake = heights.clone();
        meter.lap();
        let (files, spread) = terrain::bake_with_props(for_bake, SPACING, grid, &input)?;
        drop(files);
        let ground = Ground::new(heights, grid.quantum());
        let props = placed(&spread.placements, grid.sector_size(), ground.half());
        drop(spread.placements);
        let made = (heights.values.len() * size_of::<f64>()) as i64
            - (ground.heights.capacity() * size_of::<f32>() + props.capacity() * size_of::<Prop>())
                as i64;
        let all_bytes = meter.lap() + made;
        let bytes = [ground_bytes, mesh_bytes, all_bytes - ground_bytes - as_baked_bytes];
        let near = props.iter().map(|prop| [prop.place[0], prop.place[2]].map(f64::from)).collect();
        let sectors = spread.sectors;
        Ok(Self { ground, meshes, props, near, movers: None, sectors, bytes })
    }

    /// A place as Marchland's type.
    pub(crate) fn world_pos(&self, [x, y, z]: [f64; 3]) -> Result<WorldPos, Failure> {
        let size = self.sectors.grid().sector_size();
        let middle = middle(size, self.ground.half());
        Ok(WorldPos::from_metres(middle + x, y, middle + z, size)?)
    }

    /// A place of Marchland in the form that all others use.
    pub(crate) fn place(&self, position: WorldPos) -> [f64; 3] {
        let size = self.sectors.grid().sector_size();
        let middle = middle(size, self.ground.half());
        let [x, y, z] = position.to_metres(size);
        [x - middle, y, z - middle]
    }

    /// The meshes of what moves, and where all of that is now.
    pub(crate) fn placed(&self, movers: &Movers) -> (Vec<MeshSource>, Vec<Prop>) {
        let props = movers.each().map(|(mesh, prop)| {
            let place = self.place(prop.position()).map(|metres| metres as f32);
            Prop { mesh, place, turn: prop.placement().rotation().quaternion() }
        });
        (movers.meshes().cloned().collect(), props.collect())
    }
}

impl Ground {
    fn new(heights: &grid::Grid<f64>, quantum: f32) -> Self {
        let unit = f64::from(quantum);
        let rounded = |metres: &f64| ((metres / unit).round_ties_even() * unit) as f32;
        Self {
            samples: heights.columns,
            spacing: SPACING as f32,
            quantum,
            heights: heights.values.iter().map(rounded).collect(),
        }
    }

    /// Metres from the middle to each side.
    pub(crate) fn half(&self) -> f64 {
        (self.samples - 1) as f64 * f64::from(self.spacing) / 2.0
    }

    /// The height of a sample. Metres.
    pub(crate) fn sample(&self, column: usize, row: usize) -> f32 {
        self.heights[row * self.samples + column]
    }
}

/// Cells along a sector of the lanes.
const LANE_SECTOR: u32 = 64;

/// Where a unit starts to walk along +X. Metres.
pub(crate) fn lane_start(lane: usize) -> [f64; 3] {
    [-30.0, 0.0, (lane as f64 - 2.5) * lanes::APART]
}

/// The middle of the ground, on both axes, in metres from the centre of sector (0, 0), whose low corner is
/// also the ground's.
fn middle(size: SectorSize, half: f64) -> f64 {
    half - f64::from(size.half())
}

/// Meshes as held in memory, after `fit` has adjusted the capacity of their bytes.
fn load(meshes: &[PreparedMesh], fit: fn(&mut Vec<u8>)) -> Result<Vec<LoadedMesh>, Failure> {
    let one = |mesh: &PreparedMesh| {
        let mut bytes = mesh.encode();
        fit(&mut bytes);
        Ok(LoadedMesh::new(bytes)?)
    };
    meshes.iter().map(one).collect()
}

/// A prop at a place, x and z in metres from the centre of sector (0, 0).
pub(crate) fn prop(
    mesh: usize,
    position: [f64; 2],
    height: PropHeight,
    rotation: Rotation,
) -> PropSource {
    let kind =
        PropKind { mesh, surface: SurfaceId(0), collision: Collision::Solid, layers: u32::MAX };
    let name = format!("piece {mesh}");
    PropSource { kind, name, position, height, rotation, scale: 1.0 }
}

/// The places of all props in the bake.
fn placed(placements: &Placements, size: SectorSize, half: f64) -> Vec<Prop> {
    let side = f64::from(size.metres());
    let middle = middle(size, half);
    let one = |prop: &marchland_terrain::PropRecord| {
        let [x, y, z] = prop.position.to_array().map(f64::from);
        let x = f64::from(prop.sector.x) * side + x - middle;
        let z = f64::from(prop.sector.z) * side + z - middle;
        let turn = prop.placement.rotation().quaternion();
        Prop { mesh: prop.mesh as usize, place: [x, y, z].map(|metres| metres as f32), turn }
    };
    placements.props().iter().map(one).collect()
}
