//! Getting onto a moving prop between ticks: who is put on one rides on it from then on.

use marchland_terrain::limits::SKIN;
use marchland_terrain::query::{Cylinder, SupportBy};
use marchland_terrain::{PropId, ResidentSectors, TerrainView, WorldPos};

use crate::units::columns::Units;
use crate::units::contact_state::ContactState;
use crate::units::unit::{Motion, UnitId};

impl Units {
    /// Makes a unit that walks a rider of the live prop that it stands on, as `view` shows the props now: the
    /// prop carries it from its next step on, by as much as it moves in that step. Returns the prop, if there
    /// is one within the skin of the feet that can be stood on.
    ///
    /// Call it for units that were [spawned](Self::spawn) on props that may move; a
    /// [teleport](Self::teleport) does it by itself. Without it a unit is carried by whatever is under its feet
    /// when its first tick begins, which may have moved from under it.
    pub fn board(&mut self, view: TerrainView<'_>, id: UnitId) -> Option<PropId> {
        let index = self.index(id)?;
        let place = WorldPos::new(self.sectors[index], self.locals[index], self.size).ok()?;
        if self.motions[index] != Motion::Walking {
            return None;
        }
        let ridden = self.ride_at(view, index, place)?;
        let ContactState { contacts_last_tick, is_stuck, .. } = *self.contact_states[index];
        self.contact_states[index].put(ContactState { contacts_last_tick, is_stuck, ..ridden });
        self.cells.forget(index);
        ridden.support
    }

    /// The state of a unit that is put on a live prop with its feet at a place. `None` where there is none.
    pub(crate) fn ride_at(
        &self,
        view: TerrainView<'_>,
        index: usize,
        place: WorldPos,
    ) -> Option<ContactState> {
        let live = view.live().filter(|live| !live.is_empty())?;
        let body = &self.bodies[self.body_ids[index].index()];
        let cylinder = Cylinder { radius: body.radius(), height: body.height() };
        // The live props alone: what is in memory makes no difference.
        let nothing_else = ResidentSectors::new(view.grid());
        let solids = nothing_else.view().with_live(live).solids(self.masks[index]);
        let found = solids.support(cylinder, place, -SKIN, SKIN, SupportBy::Props).ok()??;
        let is_sticky =
            self.surfaces.get(usize::from(found.surface.0)).is_some_and(|surface| surface.sticky);
        let prop = found.triangle.prop()?;
        let is_walkable = body.can_stand_on(f64::from(found.normal.y)) || is_sticky;
        is_walkable.then(|| ContactState {
            support: Some(prop),
            support_put: live.get(prop).map_or(0, |prop| prop.times_put()),
            boarded: Some(live.steps()),
            normal: found.normal,
            ..ContactState::NONE
        })
    }
}
