//! The tick that is counted, in a file of its own: all scenes call it.

use marchland_controller::{Batch, Switches, TickSettings, Units, Wish};
use marchland_terrain::TerrainView;
use marchland_worlds::terrain::SceneError;

/// The counted function. Its name is passed to the counting tool. No other function may contain it in its
/// name, so there are no closures inside.
#[inline(never)]
pub(crate) fn counted_tick(
    batch: &mut Batch,
    view: TerrainView<'_>,
    units: &mut Units,
    wishes: &[Wish],
    switches: &Switches<'_>,
    settings: &TickSettings,
) -> Result<(), SceneError> {
    batch.tick_with(switches, view, units, wishes, settings)?;
    Ok(())
}
