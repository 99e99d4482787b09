//! The ground under props, read from several threads.

use std::error::Error;
use std::sync::Arc;

use super::place::error::PlaceError;
use crate::format::LoadedSector;
use crate::math::SectorCoord;

/// Returns the ground of a sector of the world; called from several threads at once. A sector is requested
/// once if a rule places anything, once more if a rule places a count, and once more if a listed prop stands
/// on its ground.
pub type GroundOf<'a> =
    dyn Fn(SectorCoord) -> Result<Arc<LoadedSector>, Box<dyn Error + Send + Sync>> + Sync + 'a;

/// The ground of a sector.
pub(super) fn ground_of(
    ground: &GroundOf<'_>,
    coord: SectorCoord,
) -> Result<Arc<LoadedSector>, PlaceError> {
    ground(coord).map_err(|source| PlaceError::Ground { sector: coord, source })
}
