//! What a strict tick that may not run takes back.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;

use crate::units::columns::Units;
use crate::units::contact_state::ContactState;
use crate::units::unit::{Motion, Wait};

/// The state of all units before a strict tick, but for their contact state.
#[derive(Debug, Default)]
pub(super) struct Backup {
    sectors: Vec<SectorCoord>,
    locals: Vec<Vec3>,
    residues: Vec<[f32; 2]>,
    velocities: Vec<Vec3>,
    motions: Vec<Motion>,
    waits: Vec<Wait>,
}

impl Backup {
    pub(super) fn keep(&mut self, units: &Units) {
        self.sectors.clone_from(&units.sectors);
        self.locals.clone_from(&units.locals);
        self.residues.clone_from(&units.residues);
        self.velocities.clone_from(&units.velocities);
        self.motions.clone_from(&units.motions);
        self.waits.clone_from(&units.waits);
    }

    /// Makes units as they were, with the contact state of those in which it changed.
    pub(super) fn restore(&self, units: &mut Units, contact_states: &[(u32, ContactState)]) {
        units.sectors.clone_from(&self.sectors);
        units.locals.clone_from(&self.locals);
        units.residues.clone_from(&self.residues);
        units.velocities.clone_from(&self.velocities);
        units.motions.clone_from(&self.motions);
        units.waits.clone_from(&self.waits);
        for (slot, state) in contact_states {
            units.contact_states[*slot as usize].put(*state);
        }
        units.cells.clear();
    }
}
