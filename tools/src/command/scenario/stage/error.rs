//! Why a scenario cannot be staged.

use marchland_terrain::error::{GridError, SectorError};
use marchland_terrain::props::LivePropError;
use marchland_terrain::store::StoreError;
use marchland_terrain::{SectorCoord, SectorDataError};

/// Why a checked scenario has no world: a baked world that does not load, or a fault of this
/// project.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// Invalid grid measures.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A height does not fit.
    #[error(transparent)]
    Heights(#[from] SectorDataError),
    /// Encoded data does not decode.
    #[error(transparent)]
    Sector(#[from] SectorError),
    /// The baked world cannot be read.
    #[error(transparent)]
    World(#[from] StoreError),
    /// A sector of the baked world cannot be loaded.
    #[error("sector {sector}: {source}")]
    Load {
        /// The sector, before the shift.
        sector: SectorCoord,
        /// The reason.
        source: StoreError,
    },
    /// The shift exceeds the range of sector indices.
    #[error("shifted by {origin} sectors, the world exceeds sector 2^31")]
    Shift {
        /// `origin_sector`.
        origin: SectorCoord,
    },
    /// A prop cannot stand or move in the given way.
    #[error("line {line}: prop: {fault}")]
    Prop {
        /// Its line, or that of its motion.
        line: u32,
        /// What is wrong with it.
        fault: LivePropError,
    },
}
