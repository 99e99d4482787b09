//! The order in which a batch takes its units: by sector, then by slot. Kept from tick to tick,
//! because few units change their sector in one tick.

use marchland_terrain::SectorCoord;

use crate::units::columns::Units;

/// A unit in the order. The derived comparison is the order, and total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) sector: SectorCoord,
    pub(crate) slot: u32,
}

/// All live units in order.
#[derive(Debug, Default)]
pub(crate) struct Bins {
    entries: Vec<Entry>,
    /// The sectors by slot for which the entries are up to date.
    sectors: Vec<SectorCoord>,
    /// The live slots for which the entries are up to date.
    live: Vec<bool>,
    /// Units that changed their sector, and the indices of their old entries.
    moved: Vec<Entry>,
    gaps: Vec<usize>,
    merged: Vec<Entry>,
}

impl Bins {
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Updates the order, whatever has happened to the units.
    pub(crate) fn refresh(&mut self, units: &Units) {
        if self.live != units.live {
            self.rebuild(units);
            return;
        }
        self.moved.clear();
        self.gaps.clear();
        // Both are by slot: a linear scan, with hardly ever anything to do.
        let pairs = self.sectors.iter_mut().zip(&units.sectors).zip(&units.live);
        for (slot, ((known, &sector), &live)) in (0_u32..).zip(pairs) {
            if *known == sector || !live {
                continue;
            }
            if let Ok(gap) = self.entries.binary_search(&Entry { sector: *known, slot }) {
                self.gaps.push(gap);
            }
            self.moved.push(Entry { sector, slot });
            *known = sector;
        }
        if !self.moved.is_empty() {
            self.merge();
        }
    }

    /// Moves the entries of units that changed their sector to where they belong now.
    fn merge(&mut self) {
        self.moved.sort_unstable();
        self.gaps.sort_unstable();
        self.merged.clear();
        let mut done = 0; // entries that were copied or left out
        let mut gaps = self.gaps.iter().copied().peekable();
        for &entry in &self.moved {
            let to = done + self.entries[done..].partition_point(|kept| *kept < entry);
            while let Some(gap) = gaps.next_if(|&gap| gap < to) {
                self.merged.extend_from_slice(&self.entries[done..gap]);
                done = gap + 1;
            }
            self.merged.extend_from_slice(&self.entries[done..to]);
            self.merged.push(entry);
            done = to;
        }
        for gap in gaps {
            self.merged.extend_from_slice(&self.entries[done..gap]);
            done = gap + 1;
        }
        self.merged.extend_from_slice(&self.entries[done..]);
        std::mem::swap(&mut self.entries, &mut self.merged);
    }

    fn rebuild(&mut self, units: &Units) {
        self.sectors.clone_from(&units.sectors);
        self.live.clone_from(&units.live);
        self.entries.clear();
        let live = (0_u32..).zip(&units.live).filter(|(_, live)| **live);
        let sectors = &units.sectors;
        self.entries.extend(live.map(|(slot, _)| Entry { sector: sectors[slot as usize], slot }));
        self.entries.sort_unstable();
        // Reserved at once, so that crossing borders does not allocate later.
        let count = self.entries.len();
        self.moved.clear();
        self.moved.reserve(count);
        self.gaps.clear();
        self.gaps.reserve(count);
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
        for round in 0..50 {
            for slot in 0..53 {
                let step = slot as i32 * 7 + round * 13;
                if step % 5 < 2 {
                    units.sectors[slot].x += step % 3 - 1; // walks
                    units.sectors[slot].z -= step % 2;
                }
            }
            bins.refresh(&units);
            assert_in_order(&bins, &units);
        }
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
