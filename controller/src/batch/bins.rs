//! The order in which a batch takes its units: by sector, then by slot. Kept from tick to tick; few
//! units change their sector in one.

use marchland_terrain::SectorCoord;

use crate::units::Units;

/// A unit in the order: the derived comparison is the order, and total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) sector: SectorCoord,
    pub(crate) slot: u32,
}

/// All live units in order.
#[derive(Debug, Default)]
pub(crate) struct Bins {
    entries: Vec<Entry>,
    /// Units that are no longer where they were.
    moved: Vec<Entry>,
    merged: Vec<Entry>,
}

impl Bins {
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Brings the order up to date, whatever has happened to the units.
    pub(crate) fn refresh(&mut self, units: &Units) {
        self.moved.clear();
        let moved = &mut self.moved;
        self.entries.retain(|entry| {
            let slot = entry.slot as usize;
            if !units.live.get(slot).copied().unwrap_or(false) {
                return false;
            }
            let sector = units.sectors[slot];
            if sector != entry.sector {
                moved.push(Entry { sector, ..*entry });
            }
            sector == entry.sector
        });
        // A slot stands in the order at most once: equal counts are equal sets.
        if self.entries.len() + self.moved.len() == units.len() {
            self.merge();
        } else {
            self.rebuild(units);
        }
    }

    fn merge(&mut self) {
        if self.moved.is_empty() {
            return;
        }
        self.moved.sort_unstable();
        self.merged.clear();
        // At once, so that crossing borders does not allocate later.
        self.merged.reserve(self.entries.len() + self.moved.len());
        let mut kept = self.entries.iter().copied().peekable();
        for &entry in &self.moved {
            while let Some(before) = kept.next_if(|kept| *kept < entry) {
                self.merged.push(before);
            }
            self.merged.push(entry);
        }
        self.merged.extend(kept);
        std::mem::swap(&mut self.entries, &mut self.merged);
    }

    fn rebuild(&mut self, units: &Units) {
        self.entries.clear();
        let live = (0_u32..).zip(&units.live).filter(|(_, live)| **live);
        let sectors = &units.sectors;
        self.entries.extend(live.map(|(slot, _)| Entry { sector: sectors[slot as usize], slot }));
        self.entries.sort_unstable();
        let count = self.entries.len();
        self.moved.clear();
        self.moved.reserve(count);
        self.merged.clear();
        self.merged.reserve(count);
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::glam::Vec3;
    use marchland_terrain::{SectorSize, WorldPos};

    use super::*;
    use crate::{Body, Spawn};

    fn units(count: i32) -> Units {
        let size = SectorSize::new(64.0).unwrap();
        let mut units = Units::new(size);
        let body = units.add_body(Body::default()).unwrap();
        for unit in 0..count {
            let sector = SectorCoord::new(unit * 5 % 7 - 3, unit % 3);
            let position = WorldPos::new(sector, Vec3::ZERO, size).unwrap();
            units.spawn(Spawn::standing(position, body)).unwrap();
        }
        units
    }

    fn assert_in_order(bins: &Bins, units: &Units) {
        assert!(bins.entries().is_sorted_by(|a, b| a < b), "not strictly ascending");
        assert_eq!(bins.entries().len(), units.len());
        for entry in bins.entries() {
            assert!(units.live[entry.slot as usize]);
            assert_eq!(units.sectors[entry.slot as usize], entry.sector);
        }
    }

    #[test]
    fn the_order_survives_whatever_happens_to_the_units() {
        let mut units = units(53);
        let mut bins = Bins::default();
        bins.refresh(&units);
        assert_in_order(&bins, &units);
        for slot in [3, 17, 40] {
            units.sectors[slot].x += 1; // walks
        }
        bins.refresh(&units);
        assert_in_order(&bins, &units);
        let snapshot = units.snapshot();
        for id in units.iter().filter(|id| id.slot % 4 == 1).collect::<Vec<_>>() {
            units.despawn(id);
        }
        bins.refresh(&units);
        assert_in_order(&bins, &units);
        units.restore(&snapshot);
        bins.refresh(&units);
        assert_in_order(&bins, &units);
        let others = self::units(11);
        bins.refresh(&others);
        assert_in_order(&bins, &others);
    }

    #[test]
    fn other_units_with_as_many_in_other_slots_are_found_too() {
        let (mut a, mut b) = (units(6), units(6));
        let ids: Vec<_> = a.iter().collect();
        a.despawn(ids[0]);
        b.despawn(ids[5]);
        let mut bins = Bins::default();
        bins.refresh(&a);
        bins.refresh(&b);
        assert_in_order(&bins, &b);
    }
}
