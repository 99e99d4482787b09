//! Why props cannot be placed.

use std::error::Error;

use thiserror::Error;

use crate::bake::props::PROPS_MAX;
use crate::format::SectorError;
use crate::limits::PROP_HEIGHT_MAX;
use crate::math::{PositionError, SectorCoord};
use crate::props::{MeshError, PROP_EXTENT_MAX, PROP_SECTORS_MAX, PlacementError};

/// Why a prop or a rule cannot be placed. `name` is its name in the input.
#[derive(Debug, Error)]
pub enum PlaceError {
    /// It refers to a mesh that is not in the input.
    #[error("{name}: mesh number {found}, but there are {meshes}")]
    Mesh {
        /// Name of the prop or rule.
        name: String,
        /// The mesh number given.
        found: usize,
        /// How many meshes there are.
        meshes: usize,
    },
    /// It must be solid, but its mesh is not closed.
    #[error("{name}: its mesh is set to be solid, but it is not closed")]
    NotClosed {
        /// Name of the prop or rule.
        name: String,
    },
    /// Its position is invalid.
    #[error("{name}: {source}")]
    Position {
        /// Name of the prop.
        name: String,
        /// The cause.
        source: PositionError,
    },
    /// Its origin lies outside every sector of the world.
    #[error("{name}: ({x}, {z}) is in sector {sector}, outside the world")]
    OutsideWorld {
        /// Name of the prop.
        name: String,
        /// X. Metres.
        x: f64,
        /// Z. Metres.
        z: f64,
        /// The sector that would hold it.
        sector: SectorCoord,
    },
    /// It must stand on the ground, but there is no ground.
    #[error("{name}: no ground at ({x}, {z}): {found}")]
    NoGround {
        /// Name of the prop.
        name: String,
        /// X. Metres.
        x: f64,
        /// Z. Metres.
        z: f64,
        /// `a hole` or `outside the world`.
        found: &'static str,
    },
    /// It stands too high or too low.
    #[error("{name}: a height of {found} m, expected within {PROP_HEIGHT_MAX} m of 0")]
    Height {
        /// Name of the prop or rule.
        name: String,
        /// The height found. Metres.
        found: f64,
    },
    /// Its scale is beyond the limits.
    #[error("{name}: {source}")]
    Scale {
        /// Name of the prop or rule.
        name: String,
        /// The cause.
        source: PlacementError,
    },
    /// A number of a rule is invalid.
    #[error("{name}: {what} is {found}, expected {expected}")]
    Setting {
        /// Name of the rule.
        name: String,
        /// The number that is invalid.
        what: &'static str,
        /// The value found.
        found: f64,
        /// The accepted values.
        expected: &'static str,
    },
    /// The two ends of a range are in the wrong order, or not numbers.
    #[error("{name}: {what} from {low} to {high}, expected two numbers, the lower one first")]
    Range {
        /// Name of the rule.
        name: String,
        /// The range that is invalid.
        what: &'static str,
        /// Its low end.
        low: f64,
        /// Its high end.
        high: f64,
    },
    /// There would be too many props.
    #[error("{name}: more than {PROPS_MAX} props, the most that a world can have")]
    TooMany {
        /// Name of the rule, or `all rules together`.
        name: String,
    },
    /// It is so large that the positions of its vertices cannot be represented.
    #[error("{name}: reaches {found} m from its origin, expected at most {PROP_EXTENT_MAX}")]
    Extent {
        /// Name of the prop or rule.
        name: String,
        /// How far it reaches. Metres.
        found: f32,
    },
    /// It reaches into too many sectors.
    #[error(
        "{name}: reaches into {found} sectors of {sector_size} m, expected at most \
         {PROP_SECTORS_MAX}; use larger sectors or a smaller mesh"
    )]
    Sectors {
        /// Name of the prop or rule.
        name: String,
        /// Number of sectors.
        found: u64,
        /// Side of a sector. Metres.
        sector_size: f32,
    },
    /// A baked sector could not be read.
    #[error("sector {sector}: {source}")]
    Ground {
        /// The sector.
        sector: SectorCoord,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A mesh's file cannot be read back.
    #[error("mesh number {mesh}: {source}")]
    MeshFile {
        /// Index of the mesh in the input.
        mesh: usize,
        /// The cause.
        source: MeshError,
    },
    /// A sector cannot hold its props.
    #[error("sector {sector}: {source}")]
    Sector {
        /// The sector.
        sector: SectorCoord,
        /// The cause.
        source: SectorError,
    },
}
