//! The sixteen meshes of the town.

use marchland_terrain::props::MeshSource;

use crate::shapes::{self, RockShape};

/// One of the town's meshes; its index is that in [`MESHES`] and in the scene's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum TownMesh {
    /// A cube of 1 m.
    Crate,
    /// 1.5 × 0.75 × 1 m.
    Chest,
    /// A platform of 4 × 4 m, 2 m high.
    Platform,
    /// 1.1 m high.
    Barrel,
    /// Eight steps of 0.25 m, 2 m wide, run of 2.5 m.
    Stairs,
    /// The same between walls.
    WalledStairs,
    /// A ramp at 30°, 2 m high and wide.
    Ramp30,
    /// A ramp at 55°, 2 m high and wide.
    Ramp55,
    /// 4 m long, 2.5 m high, 0.5 m thick.
    Wall,
    /// 4 m long, 3.5 m high, 0.5 m thick, with a doorway of 2 m.
    Arch,
    /// 4 m long, 0.75 m high, 0.375 m thick.
    LowWall,
    /// 3 m high.
    Pillar,
    /// A boulder of 1280 triangles.
    Boulder,
    /// A flat rock of 1280 triangles.
    Ledge,
    /// A tall rock of 1280 triangles.
    Spire,
    /// A rock of 320 triangles.
    Stone,
}

/// All of them, in the order of their indices.
pub const MESHES: [TownMesh; 16] = [
    TownMesh::Crate,
    TownMesh::Chest,
    TownMesh::Platform,
    TownMesh::Barrel,
    TownMesh::Stairs,
    TownMesh::WalledStairs,
    TownMesh::Ramp30,
    TownMesh::Ramp55,
    TownMesh::Wall,
    TownMesh::Arch,
    TownMesh::LowWall,
    TownMesh::Pillar,
    TownMesh::Boulder,
    TownMesh::Ledge,
    TownMesh::Spire,
    TownMesh::Stone,
];

impl TownMesh {
    /// Its index.
    #[must_use]
    pub const fn number(self) -> usize {
        self as usize
    }

    /// The mesh itself.
    #[must_use]
    pub fn source(self) -> MeshSource {
        let rock = |seed, splits, radii, roughness| {
            shapes::rock(RockShape { seed, splits, radii, roughness })
        };
        match self {
            Self::Crate => shapes::crate_box(1.0, 1.0, 1.0),
            Self::Chest => shapes::crate_box(1.5, 0.75, 1.0),
            Self::Platform => shapes::crate_box(4.0, 2.0, 4.0),
            Self::Barrel => shapes::barrel(),
            Self::Stairs => shapes::stairs(8, 0.25, 0.3125, 2.0),
            Self::WalledStairs => shapes::walled_stairs(8, 0.25, 0.3125, 2.0, 2),
            Self::Ramp30 => shapes::ramp(30.0, 2.0, 2.0),
            Self::Ramp55 => shapes::ramp(55.0, 2.0, 2.0),
            Self::Wall => shapes::crate_box(4.0, 2.5, 0.5),
            Self::Arch => shapes::arch(4.0, 3.5, 0.5, 2.0, 2.0),
            Self::LowWall => shapes::crate_box(4.0, 0.75, 0.375),
            Self::Pillar => shapes::pillar(0.4, 3.0, 12),
            Self::Boulder => rock(1, 3, [1.2, 1.0, 1.1], 0.12),
            Self::Ledge => rock(2, 3, [2.0, 0.6, 1.4], 0.08),
            Self::Spire => rock(3, 3, [0.9, 2.2, 0.8], 0.10),
            Self::Stone => rock(4, 2, [0.8, 0.5, 0.6], 0.05),
        }
    }
}
