//! The meshes of the clutter.

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::MeshSource;

use crate::shapes::{self, RockShape};

/// Heights of steps, some slightly above or below the limits of bodies. Metres.
pub(super) const STEPS: [f64; 11] = [0.1, 0.2, 0.3, 0.44, 0.45, 0.46, 0.6, 0.7, 0.8, 1.0, 1.2];
/// Slopes of ramps. Degrees.
pub(super) const RAMPS: [f64; 9] = [10.0, 20.0, 30.0, 40.0, 44.5, 46.0, 50.0, 60.0, 70.0];
/// Height of a ramp, and of the block behind it. Metres.
pub(super) const RAMP_HEIGHT: f64 = 1.5;
/// Rise and tread of stairs of six steps. Metres.
pub(super) const STAIRS: [[f64; 2]; 4] = [[0.2, 0.3], [0.25, 0.2], [0.4, 0.4], [0.55, 0.5]];

/// One of the meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mesh {
    /// 2.5 m square and as high as one of [`STEPS`].
    Step(usize),
    /// At one of [`RAMPS`], 2 m wide.
    Ramp(usize),
    /// Of [`STAIRS`], 2 m wide.
    Stairs(usize),
    /// 2 m square, as high as a ramp.
    Block,
    /// A cube of 1 m.
    Crate,
    /// 4 × 2.5 × 0.3 m.
    Wall,
    /// 4 × 2.5 × 0.03 m.
    Board,
    /// 3 × 0.3 × 3 m.
    Slab,
    /// 8 × 1 × 8 m.
    Floor,
    Barrel,
    Pillar,
    Well,
    Arch,
    /// Four that are nearly convex, four that are rough.
    Rock(usize),
    /// Two triangles, 3 × 3 m, without an inside.
    Sheet,
}

const ROCKS: usize = 8;

/// All of them, in the order of their indices.
pub(super) fn all() -> Vec<Mesh> {
    use Mesh::{Arch, Barrel, Block, Board, Crate, Floor, Pillar, Sheet, Slab, Wall, Well};
    let mut all = Vec::new();
    all.extend((0..STEPS.len()).map(Mesh::Step));
    all.extend((0..RAMPS.len()).map(Mesh::Ramp));
    all.extend((0..STAIRS.len()).map(Mesh::Stairs));
    all.extend((0..ROCKS).map(Mesh::Rock));
    all.extend([Block, Crate, Wall, Board, Slab, Floor, Barrel, Pillar, Well, Arch, Sheet]);
    all
}

impl Mesh {
    /// The mesh itself.
    pub(super) fn source(self) -> MeshSource {
        match self {
            Self::Step(which) => shapes::crate_box(2.5, STEPS[which], 2.5),
            Self::Ramp(which) => shapes::ramp(RAMPS[which], RAMP_HEIGHT, 2.0),
            Self::Stairs(which) => {
                let [rise, tread] = STAIRS[which];
                shapes::stairs(6, rise, tread, 2.0)
            }
            Self::Block => shapes::crate_box(2.0, RAMP_HEIGHT, 2.0),
            Self::Crate => shapes::crate_box(1.0, 1.0, 1.0),
            Self::Wall => shapes::crate_box(4.0, 2.5, 0.3),
            Self::Board => shapes::crate_box(4.0, 2.5, 0.03),
            Self::Slab => shapes::crate_box(3.0, 0.3, 3.0),
            Self::Floor => shapes::crate_box(8.0, 1.0, 8.0),
            Self::Barrel => shapes::barrel(),
            Self::Pillar => shapes::pillar(0.3, 2.5, 10),
            Self::Well => shapes::well(),
            Self::Arch => shapes::arch(4.0, 3.0, 0.5, 1.2, 1.5),
            Self::Rock(which) => {
                let roughness = if which < ROCKS / 2 { 0.0 } else { 0.15 };
                let radii =
                    [[1.0, 0.7, 0.9], [1.6, 0.5, 1.2], [0.6, 1.4, 0.7], [0.7, 0.4, 0.5]][which % 4];
                shapes::rock(RockShape { seed: 11 + which as u64, splits: 2, radii, roughness })
            }
            Self::Sheet => MeshSource {
                vertices: [[-1.5, -1.5], [1.5, -1.5], [-1.5, 1.5], [1.5, 1.5]]
                    .map(|[x, z]| Vec3::new(x, 0.0, z))
                    .to_vec(),
                triangles: vec![[0, 2, 1], [1, 2, 3]],
            },
        }
    }
}
