//! Units that are held, or whose wish is none, on something that moves: they stay where they stand on it, or they would
//! fall when it has gone on.

use marchland_terrain::{PropId, TerrainView, WorldPos};

use super::context::WriteColumns;
use crate::kinematic::carrier;
use crate::units::tick::Tick;

/// Moves such a unit, which meets props of some layers, rigidly with the prop that carries it. Nothing else changes,
/// nothing is swept: what it overlaps then, it gets out of when it is released. A unit that was left behind stays
/// where it is.
pub(super) fn ride_on(
    view: TerrainView<'_>,
    tick: &Tick,
    units: &mut WriteColumns<'_>,
    index: usize,
    mask: u32,
) {
    let state = *units.contact_states[index];
    let Some(PropId::Live { .. }) = state.support else { return };
    let size = view.grid().sector_size();
    let Ok(place) = WorldPos::new(units.sectors[index], units.locals[index], size) else { return };
    let met = |id| view.live()?.get(id).map(|prop| prop.is_met_by(mask));
    let is_met = state.support.and_then(met).unwrap_or(false);
    let Some(carrier) = carrier(view, &state, place, tick.dt).filter(|_| is_met) else {
        let state = &mut units.contact_states[index];
        (state.support, state.support_put, state.boarded) = (None, 0, None);
        return;
    };
    units.contact_states[index].boarded = None;
    let to = (place.local().as_dvec3() + carrier.by).as_vec3();
    if let Ok(there) = WorldPos::new(place.sector(), to, size) {
        (units.sectors[index], units.locals[index]) = (there.sector(), there.local());
    }
}
