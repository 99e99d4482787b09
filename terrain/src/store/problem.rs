//! What can be wrong with a world whose files can all be read.

use std::fmt;
use std::path::PathBuf;

use super::error::StoreError;
use crate::heightfield::{CellKind, HeightRange, SurfaceId};
use crate::math::SectorCoord;
use crate::props::PropRecord;

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
    /// The manifest is damaged, and the sectors or meshes named there were not checked.
    Manifest {
        /// What is wrong with it.
        error: StoreError,
    },
    /// A mesh's file is missing, damaged, or not the one that its name says. Every sector that needs
    /// it is listed too.
    Mesh {
        /// What is wrong with it.
        error: StoreError,
    },
    /// A mesh's file that no manifest names; the next bake removes it.
    StrayMesh {
        /// The file.
        path: PathBuf,
    },
    /// A pack is damaged: its directory, or what stands between its files. Every sector and mesh that
    /// cannot be read for it is listed too.
    Pack {
        /// What is wrong with it.
        error: StoreError,
    },
    /// A prop reaches into a sector that does not know it.
    PropUnknown {
        /// The prop.
        prop: PropRecord,
        /// The sector.
        coord: SectorCoord,
    },
    /// A sector knows a prop otherwise than the sector of its origin does.
    PropDiffers {
        /// The prop as one of the two knows it.
        prop: PropRecord,
        /// The sector that is not that of its origin.
        coord: SectorCoord,
    },
    /// A sector knows a prop that the sector of its origin does not know, or that has no such sector.
    PropWithoutOwner {
        /// The prop as the sector knows it.
        prop: PropRecord,
        /// The sector.
        coord: SectorCoord,
    },
    /// A prop's surface has no name.
    PropSurface {
        /// The prop.
        prop: PropRecord,
        /// The sector.
        coord: SectorCoord,
        /// Names that there are.
        names: usize,
    },
    /// Cells' surface has no name.
    CellSurface {
        /// Their sector.
        coord: SectorCoord,
        /// How many cells have a surface without a name.
        count: u64,
        /// Column and row of the first of them; nothing where the sector has one surface for all.
        cell: Option<(u32, u32)>,
        /// That one's surface.
        surface: SurfaceId,
        /// Names that there are.
        names: usize,
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
            Self::Mesh { error } | Self::Pack { error } => error.fmt(f),
            Self::StrayMesh { path } => {
                write!(f, "{}: no manifest names it, the next bake removes it", path.display())
            }
            Self::PropUnknown { prop, coord } => write!(
                f,
                "sector {coord}: does not know prop {} of sector {}, which reaches into it",
                prop.index, prop.sector
            ),
            Self::PropDiffers { prop, coord } => write!(
                f,
                "sector {coord}: knows prop {} of sector {} otherwise than that sector does",
                prop.index, prop.sector
            ),
            Self::PropWithoutOwner { prop, coord } => write!(
                f,
                "sector {coord}: knows prop {} of sector {}, which has no such prop",
                prop.index, prop.sector
            ),
            Self::PropSurface { prop, coord, names } => write!(
                f,
                "sector {coord}: surface of prop {} of sector {} is {}, expected one of the {names} \
                 that have names",
                prop.index, prop.sector, prop.surface.0
            ),
            Self::CellSurface { coord, count, cell, surface, names } => {
                match cell {
                    Some((column, row)) => write!(
                        f,
                        "sector {coord}: surfaces of {count} cells, first column {column}, row {row}, \
                         which"
                    )?,
                    None => write!(f, "sector {coord}: surface of all cells")?,
                }
                write!(f, " is {}, expected one of the {names} that have names", surface.0)
            }
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
