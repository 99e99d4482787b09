//! How a unit begins its tick: on the ground, by what carries it, and with what it may remember.

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::height_in_cell;
use marchland_terrain::math::Aabb;
use marchland_terrain::props::LiveProps;
use marchland_terrain::{Ground, PropId, SectorState, WorldPos};

use super::classify::Classifier;
use super::context::TickContext;
use super::notes::Notes;
use crate::ground::sectors::{ABOVE_EVERYTHING, UnitSector};
use crate::kinematic::farthest;
use crate::units::command::known_start;
use crate::units::contact_state::ContactState;
use crate::units::unit::{Motion, Unit};

/// How much further than a unit can reach to the sides a live prop still counts as near. Metres.
const LIVE_MARGIN: f32 = 1.0;

impl TickContext<'_> {
    /// The number of the surroundings of a sector's units, if they may remember anything.
    pub(super) fn around(&self, home: &UnitSector<'_>, notes: &mut Notes) -> Option<u64> {
        // No unit moves where no sector is in memory.
        if self.tick.ignores_shortcuts || !matches!(home.state, SectorState::Resident(_)) {
            return None;
        }
        let number = self.cache_keys.number(home.coord);
        if number.is_none() {
            notes.unseen.push(home.coord);
        }
        number
    }

    /// Whether a live prop may be anywhere that a unit can touch in this tick, at any height. If so, nothing
    /// about the unit is remembered, because the prop may be somewhere else in each tick.
    pub(super) fn is_near_live(
        &self,
        classifier: &Classifier<'_>,
        home: &UnitSector<'_>,
        slot: u32,
        (unit, state): (&Unit, &ContactState),
    ) -> bool {
        let index = slot as usize;
        if !home.has_live {
            return false;
        }
        if matches!(state.support, Some(PropId::Live { .. })) {
            return true; // wherever that prop is by now, and whether or not the unit meets it
        }
        if self.columns.masks[index] == 0 {
            return false;
        }
        let body = &self.columns.bodies[self.columns.body_ids[index].index()];
        let [x, z] = state.platform_velocity;
        let carried = (classifier.conveyor_speed + (x * x + z * z).sqrt()) * self.tick.dt;
        let far = farthest(self.tick, unit, body, self.wishes[index], carried);
        let far = far + body.radius() + body.height() + LIVE_MARGIN;
        // A unit below the ground is put on it, however high the ground is.
        let Vec3 { x, z, .. } = unit.local;
        let (low, high) = (
            Vec3::new(x - far, -ABOVE_EVERYTHING, z - far),
            Vec3::new(x + far, ABOVE_EVERYTHING, z + far),
        );
        classifier.has_live_in(unit.sector, &Aabb { min: low, max: high })
    }

    /// A unit at the start of its tick. A unit below the ground is put on it before anything near is queried.
    /// A unit that was put onto ground that was not in memory now stands or falls by the ground there, unless
    /// it was thrown since. Also returns whether the unit is below the ground, by less than its knee.
    pub(super) fn at_start(
        &self,
        classifier: &Classifier<'_>,
        home: &UnitSector<'_>,
        slot: u32,
        (unit, state): (Unit, &ContactState),
    ) -> (Unit, bool) {
        let SectorState::Resident(sector) = &home.state else { return (unit, false) };
        let index = slot as usize;
        let body = &self.columns.bodies[self.columns.body_ids[index].index()];
        let mut unit = unit;
        let ContactState { is_undecided, is_thrown, .. } = *state;
        if is_undecided
            && !is_thrown
            && let Ok(place) =
                WorldPos::new(unit.sector, unit.local, classifier.view.grid().sector_size())
        {
            let (view, mask) = (classifier.view, self.columns.masks[index]);
            let known = known_start(view, place, body, mask, classifier.sticky.as_ref());
            unit.motion = known.unwrap_or(Motion::Falling);
        }
        // Ground within the knee is stepped onto.
        let Vec3 { x, y, z } = unit.local;
        let place = self.tick.frame.place([x, z]);
        let corners = sector.field().corners(place.column, place.row);
        let below = height_in_cell(corners, place.u, place.v) - y;
        let mut is_low = false;
        if below > 0.0
            && let Ground::Height(ground) = sector.field().ground(x, z)
        {
            let is_within = below <= body.knee();
            // What is above it matters only where there are props.
            let is_bare =
                sector.props().is_empty() && classifier.view.live().is_none_or(LiveProps::is_empty);
            is_low = is_within && !is_bare;
            unit.local.y = if is_within { y } else { ground };
        }
        (unit, is_low)
    }

    /// The new contact state of a unit that no longer meets the live prop on which it stood: it is no longer
    /// carried. `None` for all other units.
    pub(super) fn let_go(&self, slot: u32, state: &ContactState) -> Option<ContactState> {
        let id = state.support.filter(|id| matches!(id, PropId::Live { .. }))?;
        let prop = self.view.live()?.get(id)?;
        let is_met = prop.is_met_by(self.columns.masks[slot as usize]);
        (!is_met).then_some(ContactState {
            support: None,
            support_put: 0,
            boarded: None,
            normal: Vec3::ZERO,
            ..*state
        })
    }
}
