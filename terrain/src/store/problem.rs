//! What can be wrong with a world whose files can all be read.

use std::fmt;

use super::error::StoreError;
use crate::heightfield::{CellKind, HeightRange};
use crate::math::SectorCoord;

/// Something that is not as a bake leaves it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// A sector's file is missing, damaged, or not the one that the manifest names.
    Sector {
        /// Its place.
        coord: SectorCoord,
        /// What is wrong with it.
        error: StoreError,
    },
    /// The manifest is damaged, and the sectors named there were not checked.
    Manifest {
        /// What is wrong with it.
        error: StoreError,
    },
    /// What the manifest says of all sectors is not what its records give.
    Total {
        /// What differs.
        what: &'static str,
        /// What its root says.
        found: String,
        /// What its records give.
        expected: String,
    },
    /// A sector holds heights that no bake takes.
    TooHigh {
        /// Its place.
        coord: SectorCoord,
    },
    /// A sector's stored ranges of heights are not those of its samples.
    Ranges {
        /// Its place.
        coord: SectorCoord,
        /// Level, column and row of the first such block; nothing where it is the manifest's range.
        block: Option<(u32, u32, u32)>,
        /// What is stored.
        found: Option<HeightRange>,
        /// What the samples give.
        expected: Option<HeightRange>,
    },
    /// A sector's stored greatest slopes are not those of its samples.
    Steepness {
        /// Its place.
        coord: SectorCoord,
        /// The first such block, row by row.
        block: usize,
        /// What is stored, in 32nds.
        found: u8,
        /// What the samples give.
        expected: u8,
    },
    /// Two neighbours disagree about samples that both store.
    Samples {
        /// One sector.
        coord: SectorCoord,
        /// The other.
        neighbour: SectorCoord,
        /// How many samples differ.
        count: u64,
        /// The first of them, in the first sector; −1 is the apron.
        column: i32,
        /// Its row.
        row: i32,
        /// Its height in the first sector. Quanta.
        here: i32,
        /// Its height in the other. Quanta.
        there: i32,
    },
    /// Two neighbours disagree about what cells are, or a sector's apron claims cells where there
    /// is no neighbour.
    Kinds {
        /// One sector.
        coord: SectorCoord,
        /// The other.
        neighbour: SectorCoord,
        /// How many cells differ.
        count: u64,
        /// The first of them, in the first sector; −1 is the apron.
        column: i32,
        /// Its row.
        row: i32,
        /// What it is in the first sector.
        here: CellKind,
        /// What it is in the other; outside if there is no such sector.
        there: CellKind,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sector { coord, error } => write!(f, "sector {coord}: {error}"),
            Self::Manifest { error } => error.fmt(f),
            Self::Total { what, found, expected } => {
                write!(f, "manifest: {what} is {found}, its records give {expected}")
            }
            Self::TooHigh { coord } => {
                write!(f, "sector {coord}: a height is beyond 2^23 quanta, expected within")
            }
            Self::Ranges { coord, block, found, expected } => {
                match block {
                    Some((level, column, row)) => {
                        write!(
                            f,
                            "sector {coord}: range of block {column}, {row} of level {level}"
                        )?;
                    }
                    None => write!(f, "sector {coord}: range in the manifest")?,
                }
                let show = |range: &Option<HeightRange>| match range {
                    Some(range) => format!("{} to {} quanta", range.min, range.max),
                    None => "no ground".to_owned(),
                };
                write!(f, " is {}, its samples give {}", show(found), show(expected))
            }
            Self::Steepness { coord, block, found, expected } => write!(
                f,
                "sector {coord}: steepness of block {block} is {found}/32, its samples give \
                 {expected}/32"
            ),
            Self::Samples { coord, neighbour, count, column, row, here, there } => write!(
                f,
                "sectors {coord} and {neighbour}: {count} shared samples differ, first column \
                 {column}, row {row}: {here} and {there} quanta"
            ),
            Self::Kinds { coord, neighbour, count, column, row, here, there } => write!(
                f,
                "sectors {coord} and {neighbour}: {count} shared cells differ, first column \
                 {column}, row {row}: {here:?} and {there:?}"
            ),
        }
    }
}
