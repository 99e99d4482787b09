//! The tick that is counted, in a file of its own: all scenes call it.

use std::error::Error;

use marchland_controller::{Batch, Switches, TickSettings, Units, Wish};
use marchland_terrain::TerrainView;

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
) -> Result<(), String> {
    match batch.tick_with(switches, view, units, wishes, settings) {
        Ok(_) => Ok(()),
        Err(error) => Err(text(error)),
    }
}

pub(crate) fn text(error: impl Into<Box<dyn Error + Send + Sync>>) -> String {
    error.into().to_string()
}
