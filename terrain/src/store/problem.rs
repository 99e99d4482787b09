//! What a check of a world reports, and what can be wrong even if all its files can be read.

use std::fmt::Debug;
use std::path::PathBuf;

use thiserror::Error;

use super::error::StoreError;
use crate::heightfield::{CellKind, HeightRange, SurfaceId};
use crate::math::SectorCoord;
use crate::props::PropRecord;

/// Most problems listed; more are only counted.
const PROBLEMS_MAX: usize = 1000;

/// The result of checking a world.
#[derive(Debug, Default)]
pub struct VerifyReport {
    /// Sectors checked, invalid ones included.
    pub sectors: u64,
    /// Bytes of the valid sectors.
    pub bytes: u64,
    /// Pairs of neighbours compared, diagonal ones included.
    pub pairs: u64,
    /// Mesh files checked, invalid ones included.
    pub meshes: u64,
    /// Props checked, each counted in the sector of its origin.
    pub props: u64,
    /// Problems found.
    pub problem_count: u64,
    /// The first thousand of them.
    pub problems: Vec<Problem>,
    /// Sectors that could not be read, and damaged parts of the manifest.
    pub(super) unread: u64,
}

impl VerifyReport {
    /// Whether no problem was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.problem_count == 0
    }

    pub(super) fn add(&mut self, problem: Problem) {
        if matches!(problem, Problem::Sector { .. } | Problem::Manifest { .. }) {
            self.unread += 1;
        }
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }

    /// Adds a total of the manifest's root that differs from the total of its records.
    pub(super) fn compare<T: PartialEq + Debug>(
        &mut self,
        what: &'static str,
        found: T,
        expected: T,
    ) {
        if found != expected {
            let [found, expected] = [found, expected].map(|total| format!("{total:?}"));
            self.add(Problem::Total { what, found, expected });
        }
    }
}

/// A difference between a world and what a bake leaves.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A sector's file is missing, damaged, or not the one that the manifest names.
    #[error("sector {coord}: {error}")]
    Sector {
        /// Coordinates of the sector.
        coord: SectorCoord,
        /// Why it is invalid.
        error: StoreError,
    },
    /// The manifest is damaged; the sectors or meshes named in the damaged part were not checked.
    #[error("{error}")]
    Manifest {
        /// Why it is invalid.
        error: StoreError,
    },
    /// A mesh's file is missing, damaged, or not the one that its name states. Every sector that
    /// needs it is listed too.
    #[error("{error}")]
    Mesh {
        /// Why it is invalid.
        error: StoreError,
    },
    /// A mesh file that no manifest names; the next bake removes it.
    #[error("{}: not listed by any manifest, the next bake removes it", path.display())]
    StrayMesh {
        /// The file.
        path: PathBuf,
    },
    /// A pack is damaged: its directory, or the bytes between its files. Every sector and mesh that
    /// cannot be read because of it is listed too.
    #[error("{error}")]
    Pack {
        /// Why it is invalid.
        error: StoreError,
    },
    /// A prop reaches into a sector that does not know it.
    #[error(
        "sector {coord}: has no record of prop {} of sector {}, which reaches into it",
        prop.index,
        prop.sector
    )]
    PropUnknown {
        /// The prop.
        prop: PropRecord,
        /// The sector.
        coord: SectorCoord,
    },
    /// A sector's record of a prop differs from that of the sector of the prop's origin.
    #[error(
        "sector {coord}: its record of prop {} of sector {} differs from that sector's own",
        prop.index,
        prop.sector
    )]
    PropDiffers {
        /// The prop as one of the two knows it.
        prop: PropRecord,
        /// The sector that is not the owner.
        coord: SectorCoord,
    },
    /// A sector knows a prop that the sector of its origin does not know, or whose sector of origin
    /// does not exist.
    #[error(
        "sector {coord}: has a record of prop {} of sector {}, which has no such prop",
        prop.index,
        prop.sector
    )]
    PropWithoutOwner {
        /// The prop as the sector knows it.
        prop: PropRecord,
        /// The sector.
        coord: SectorCoord,
    },
    /// A prop's surface has no name.
    #[error(
        "sector {coord}: surface of prop {} of sector {} is {}, expected one of the {names} named surfaces",
        prop.index,
        prop.sector,
        prop.surface.0
    )]
    PropSurface {
        /// The prop.
        prop: PropRecord,
        /// The sector.
        coord: SectorCoord,
        /// Number of surface names.
        names: usize,
    },
    /// Cells have a surface without a name.
    #[error(
        "sector {coord}: {} is {}, expected one of the {names} named surfaces",
        unnamed(*count, *cell),
        surface.0
    )]
    CellSurface {
        /// Their sector.
        coord: SectorCoord,
        /// How many cells have a surface without a name.
        count: u64,
        /// Column and row of the first of them; `None` where the sector has one surface for all
        /// cells.
        cell: Option<(u32, u32)>,
        /// Surface of that cell.
        surface: SurfaceId,
        /// Number of surface names.
        names: usize,
    },
    /// A total in the manifest's root differs from the total of its records.
    #[error("manifest: {what} is {found}, but its records give {expected}")]
    Total {
        /// What differs.
        what: &'static str,
        /// The value in the root.
        found: String,
        /// The value from the records.
        expected: String,
    },
    /// A sector holds heights that a bake does not accept.
    #[error("sector {coord}: a height is beyond 2^23 quanta")]
    TooHigh {
        /// Coordinates of the sector.
        coord: SectorCoord,
    },
    /// A sector's stored height ranges are not those of its samples.
    #[error(
        "sector {coord}: range {} is {}, but its samples give {}",
        block.map_or_else(
            || "in the manifest".to_owned(),
            |(level, column, row)| format!("of block {column}, {row} of level {level}")
        ),
        shown(*found),
        shown(*expected)
    )]
    Ranges {
        /// Coordinates of the sector.
        coord: SectorCoord,
        /// Level, column and row of the first such block; `None` where it is the manifest's range.
        block: Option<(u32, u32, u32)>,
        /// The stored range.
        found: Option<HeightRange>,
        /// The range of the samples.
        expected: Option<HeightRange>,
    },
    /// A sector's stored greatest slopes are not those of its samples.
    #[error(
        "sector {coord}: steepness of block {block} is {found}/32, but its samples give {expected}/32"
    )]
    Steepness {
        /// Coordinates of the sector.
        coord: SectorCoord,
        /// The first such block, row by row.
        block: usize,
        /// The stored slope, in 32nds.
        found: u8,
        /// The slope from the samples, in 32nds.
        expected: u8,
    },
    /// Two neighbours disagree about samples that both store.
    #[error(
        "sectors {coord} and {neighbour}: {count} shared samples differ, the first at column \
         {column}, row {row}: {here} and {there} quanta"
    )]
    Samples {
        /// One sector.
        coord: SectorCoord,
        /// The other.
        neighbour: SectorCoord,
        /// How many samples differ.
        count: u64,
        /// Column of the first of them in the first sector; −1 is the apron.
        column: i32,
        /// Its row.
        row: i32,
        /// Its height in the first sector. Quanta.
        here: i32,
        /// Its height in the other. Quanta.
        there: i32,
    },
    /// Two neighbours disagree about the kinds of cells, or a sector's apron claims cells where
    /// there is no neighbour.
    #[error(
        "sectors {coord} and {neighbour}: {count} shared cells differ, the first at column \
         {column}, row {row}: {here:?} and {there:?}"
    )]
    Kinds {
        /// One sector.
        coord: SectorCoord,
        /// The other.
        neighbour: SectorCoord,
        /// How many cells differ.
        count: u64,
        /// Column of the first of them in the first sector; −1 is the apron.
        column: i32,
        /// Its row.
        row: i32,
        /// Its kind in the first sector.
        here: CellKind,
        /// Its kind in the other; outside if there is no such sector.
        there: CellKind,
    },
}

/// Cells with a surface without a name, the first of them at a column and row.
fn unnamed(count: u64, first: Option<(u32, u32)>) -> String {
    match first {
        Some((column, row)) => format!(
            "{count} cells with an unnamed surface, the first at column {column}, row {row}: it"
        ),
        None => "the surface of all cells".to_owned(),
    }
}

fn shown(range: Option<HeightRange>) -> String {
    match range {
        Some(range) => format!("{} to {} quanta", range.min, range.max),
        None => "no ground".to_owned(),
    }
}
