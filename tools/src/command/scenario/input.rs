//! The inputs of a tick: controls of units, motions of props, missing sectors.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;

use super::spec::{ControlEntry, Scenario};

impl ControlEntry {
    /// The input before the first entry: stand, with a body, and meet every prop.
    pub(super) fn idle(body: usize) -> Self {
        Self {
            tick: 0,
            walk: [0.0, 0.0],
            jump: false,
            impulse: None,
            teleport: None,
            body,
            mask: u32::MAX,
            line: 0,
        }
    }
}

impl Scenario {
    /// The input of a unit for tick `tick`: the last entry at or before it, with
    /// jump, impulse and teleport only in the entry's own tick. A unit that does not exist gets the
    /// input to stand.
    #[must_use]
    pub fn controls_at(&self, unit: usize, tick: u32) -> ControlEntry {
        let unit = self.units.get(unit);
        let entries = unit.map_or(&[][..], |unit| &unit.controls);
        let after = entries.partition_point(|entry| entry.tick <= tick);
        let entry = after.checked_sub(1).and_then(|at| entries.get(at)).copied();
        let entry = entry.unwrap_or(ControlEntry::idle(unit.map_or(0, |unit| unit.body)));
        let is_now = after > 0 && entry.tick == tick;
        ControlEntry {
            jump: is_now && entry.jump,
            impulse: entry.impulse.filter(|_| is_now),
            teleport: entry.teleport.filter(|_| is_now),
            ..entry
        }
    }

    /// The motion of a prop in tick `tick`: metres per second, and radians per
    /// second about its origin. Zero before the first entry of its motion.
    #[must_use]
    pub fn motion_at(&self, prop: usize, tick: u32) -> [Vec3; 2] {
        let entries = self.props.get(prop).map_or(&[][..], |prop| &prop.motion);
        let after = entries.partition_point(|entry| entry.tick <= tick);
        let entry = after.checked_sub(1).and_then(|at| entries.get(at));
        entry.map_or([Vec3::ZERO; 2], |entry| [entry.velocity, entry.angular_velocity])
    }

    /// The sectors that are missing in tick `tick`, in order, each once.
    #[must_use]
    pub fn missing_at(&self, tick: u32) -> Vec<SectorCoord> {
        let now = self.not_resident.iter().filter(|gone| gone.from <= tick && tick < gone.to);
        let mut missing: Vec<SectorCoord> = now.map(|gone| gone.sector).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// The ticks in which the set of missing sectors may change, in order, each once.
    #[must_use]
    pub fn residency_changes(&self) -> Vec<u32> {
        let ends = self.not_resident.iter().flat_map(|gone| [gone.from, gone.to]);
        let mut ticks: Vec<u32> = ends.collect();
        ticks.sort_unstable();
        ticks.dedup();
        ticks
    }
}
