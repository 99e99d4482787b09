//! What carries a unit: the live prop that it stands on, for as long as it stands there.

use marchland_terrain::glam::DVec3;
use marchland_terrain::props::LivePropRef;
use marchland_terrain::{PropId, TerrainView, WorldPos};

use crate::limits::CARRY_SPEED_MAX;
use crate::units::contact_state::ContactState;

/// A part in a thousand to spare, so that a prop at the greatest speed carries however its way is rounded.
const SPARE: f64 = 1.001;

/// What carries a unit, and its way in the last step where the unit is. Metres.
pub(crate) struct Carrier<'v> {
    pub(crate) prop: LivePropRef<'v>,
    pub(crate) by: DVec3,
}

/// The live prop that carries a unit with its feet at `place` in a tick of `dt` seconds. `None` if there is
/// none: the prop was removed, was put elsewhere since the unit stood on it, or went too far in its step.
pub(crate) fn carrier<'v>(
    view: TerrainView<'v>,
    state: &ContactState,
    place: WorldPos,
    dt: f32,
) -> Option<Carrier<'v>> {
    let live = view.live()?;
    let prop = live.get(state.support?)?;
    if prop.times_put() != state.support_put || is_set(&prop) {
        return None;
    }
    // The step before the unit came was not its own.
    let is_new = state.boarded == Some(live.steps());
    let by = if is_new { DVec3::ZERO } else { prop.displacement_of(place) };
    let most = f64::from(CARRY_SPEED_MAX) * SPARE * f64::from(dt);
    (by.length() <= most).then_some(Carrier { prop, by })
}

/// Whether a prop went too far or turned too far in its last step for that to be a way: then it was only set
/// where it is, and carries nobody.
pub(crate) fn is_set(prop: &LivePropRef<'_>) -> bool {
    prop.before() != (prop.position(), prop.placement()) && prop.way().is_none()
}

/// Whether a unit stood on a live prop that [carries](carrier) it no more.
pub(crate) fn is_left_behind(
    view: TerrainView<'_>,
    state: &ContactState,
    place: WorldPos,
    dt: f32,
) -> bool {
    matches!(state.support, Some(PropId::Live { .. })) && carrier(view, state, place, dt).is_none()
}
