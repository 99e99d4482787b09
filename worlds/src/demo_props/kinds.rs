//! The meshes of the demo's props, each with its surface and its look in a picture.

use marchland_terrain::bake::props::PropKind;
use marchland_terrain::props::MeshSource;

use crate::recipe::SURFACE_NAMES;
use crate::shapes::{self, HouseSize, RockShape};

/// How a picture shows a prop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Something built, in this colour.
    Built([u8; 3]),
    /// A tree, in this colour.
    Tree([u8; 3]),
    /// A rock.
    Rock,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $name:literal, $look:expr;)*) => {
        /// A kind of prop; its index is that of its mesh in the demo's input.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        /// Every kind, in the order of their indices.
        pub const KINDS: &[Kind] = &[$(Kind::$kind,)*];

        impl Kind {
            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// How a picture shows it.
            #[must_use]
            pub const fn look(self) -> Look {
                match self {
                    $(Self::$kind => $look,)*
                }
            }
        }
    };
}

const TILE: Look = Look::Built([186, 84, 58]);
const OLD_TILE: Look = Look::Built([158, 74, 58]);
const THATCH: Look = Look::Built([190, 158, 98]);
const SLATE: Look = Look::Built([96, 104, 120]);
const STONE: Look = Look::Built([200, 192, 176]);
const WOOD: Look = Look::Built([140, 104, 66]);

kinds! {
    /// 7 × 9 m, one storey.
    Cottage, "cottage", THATCH;
    /// 8 × 10 m.
    House, "house", TILE;
    /// 7 × 12 m.
    LongHouse, "long house", OLD_TILE;
    /// 6.5 × 9 m, two storeys.
    TownHouse, "town house", SLATE;
    /// 12 × 22 m.
    Hall, "hall", OLD_TILE;
    /// 8 m square below, 9 m high, with stairs up its side.
    Tower, "tower", STONE;
    /// A round tower of the wall: 7 m across, 8 m high.
    Turret, "turret", STONE;
    /// A piece of the town's wall: 6 m long, 5 m high, 1.5 m thick.
    TownWall, "town wall", STONE;
    /// A gate of the town: 12 m long, 8 m high, with a way of 5 m through it.
    Gate, "gate", STONE;
    /// Leads up onto the wall: 4.5 m high, 2 m wide.
    WallStairs, "wall stairs", STONE;
    /// A low garden wall, 4 m long.
    GardenWall, "garden wall", STONE;
    /// 2.4 m across.
    Well, "well", STONE;
    /// 32 m long, 5 m wide.
    Bridge, "bridge", STONE;
    /// 1 m.
    Crate, "crate", WOOD;
    /// 1.1 m high.
    Barrel, "barrel", WOOD;
    /// A market stall: 3 × 1.2 m.
    Stall, "stall", Look::Built([206, 190, 150]);
    /// 10 m long.
    Fence, "fence", WOOD;
    /// A trunk of 5 m.
    Log, "log", WOOD;
    /// 11 m high.
    Fir, "fir", Look::Tree([40, 74, 52]);
    /// 8 m high.
    Oak, "oak", Look::Tree([70, 104, 48]);
    /// About 3 m across.
    Boulder, "boulder", Look::Rock;
    /// About 4 m across, flat.
    Slab, "slab", Look::Rock;
    /// About 1.5 m across.
    Stone, "stone", Look::Rock;
}

impl Kind {
    /// Its index.
    #[must_use]
    pub const fn number(self) -> usize {
        self as usize
    }

    /// Its surface, as its place in [`super::ALL_SURFACE_NAMES`].
    #[must_use]
    pub fn surface(self) -> u8 {
        let timber = SURFACE_NAMES.len() as u8;
        match self.look() {
            Look::Rock => 2,
            Look::Tree(_) => timber,
            Look::Built(_) => match self {
                Self::Crate | Self::Barrel | Self::Stall | Self::Fence | Self::Log => timber,
                _ => timber + 1,
            },
        }
    }

    /// What its props have in common.
    pub(super) fn prop_kind(self) -> PropKind {
        shapes::solid(self.number(), self.surface())
    }

    /// Its mesh.
    #[must_use]
    pub fn source(self) -> MeshSource {
        let house =
            |width, depth, walls, roof| shapes::house(HouseSize { width, depth, walls, roof });
        let rock =
            |seed, radii, roughness| shapes::rock(RockShape { seed, splits: 2, radii, roughness });
        match self {
            Self::Cottage => house(7.0, 9.0, 3.0, 3.2),
            Self::House => house(8.0, 10.0, 3.6, 4.0),
            Self::LongHouse => house(7.0, 12.0, 3.6, 3.4),
            Self::TownHouse => house(6.5, 9.0, 6.0, 4.0),
            Self::Hall => house(12.0, 22.0, 7.0, 7.0),
            Self::Tower => shapes::tower(8.0, 30, 0.3, 1.5),
            Self::Turret => shapes::pillar(2.8, 8.0, 16),
            Self::TownWall => shapes::crate_box(6.0, 5.0, 1.5),
            Self::Gate => shapes::arch(12.0, 8.0, 3.0, 5.0, 4.0),
            Self::WallStairs => shapes::stairs(18, 0.25, 0.3, 2.0),
            Self::GardenWall => shapes::crate_box(4.0, 1.25, 0.5),
            Self::Well => shapes::well(),
            Self::Bridge => shapes::bridge(32.0, 5.0, 2.6),
            Self::Crate => shapes::crate_box(1.0, 1.0, 1.0),
            Self::Barrel => shapes::barrel(),
            Self::Stall => shapes::crate_box(3.0, 1.0, 1.25),
            Self::Fence => shapes::fence(6, 2.0),
            Self::Log => shapes::log(5.0, 0.35, 8),
            Self::Fir => shapes::fir(11.0, 2.2, 8),
            Self::Oak => shapes::oak(8.0, 3.0, 10),
            Self::Boulder => rock(11, [1.6, 1.3, 1.4], 0.12),
            Self::Slab => rock(12, [2.4, 0.8, 1.7], 0.08),
            Self::Stone => rock(13, [0.8, 0.6, 0.7], 0.10),
        }
    }
}
