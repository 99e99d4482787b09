//! Rounds of ticks, to find unused entries: a used entry is marked with the round, and removed when some
//! rounds have passed without use.

use std::ops::Range;

/// Ticks in a round. Odd, and not a multiple of three: where one batch moves two or three populations in
/// turn, all parts of each are checked within as many rounds.
const TICKS: u32 = 127;

/// Rounds after which an unused entry is removed.
const UNUSED: u32 = 4;

/// The current round, and the tick within it.
#[derive(Debug, Default)]
pub(crate) struct CacheExpiry {
    /// The round, as a mark for the entries used in it.
    pub(crate) now: u32,
    tick: u32,
}

impl CacheExpiry {
    /// The part of `count` entries that is checked in this tick; a round checks all of them.
    pub(crate) fn part(&self, count: usize) -> Range<usize> {
        let until = |tick: u32| (count as u64 * u64::from(tick) / u64::from(TICKS)) as usize;
        until(self.tick)..until(self.tick + 1)
    }

    /// Advances by one tick. Returns whether a round begins with it.
    pub(crate) fn advance(&mut self) -> bool {
        if self.tick + 1 < TICKS {
            self.tick += 1;
            return false;
        }
        (self.tick, self.now) = (0, self.now.wrapping_add(1));
        true
    }

    /// Whether an entry that was last marked in the round `marked` is to be removed.
    pub(crate) fn is_unused(&self, marked: u32) -> bool {
        self.now.wrapping_sub(marked) >= UNUSED
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use marchland_terrain::glam::Vec3;
    use marchland_terrain::{
        Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, WorldPos, format,
    };

    use super::*;
    use crate::{Batch, Body, Spawn, TickSettings, Units, Wish};

    #[test]
    fn in_a_round_everything_is_looked_at_once() {
        for count in [0, 1, 126, 127, 128, 1003] {
            let mut expiry = CacheExpiry::default();
            let mut next = 0;
            loop {
                let part = expiry.part(count);
                assert_eq!(part.start, next, "of {count}");
                next = part.end;
                if expiry.advance() {
                    break;
                }
            }
            assert_eq!((next, expiry.now), (count, 1));
        }
    }

    #[test]
    fn what_is_marked_is_kept_for_some_rounds_also_when_they_are_counted_from_0_again() {
        let mut expiry = CacheExpiry { now: u32::MAX - 1, tick: 0 };
        let marked = expiry.now;
        for _ in 0..UNUSED {
            assert!(!expiry.is_unused(marked));
            while !expiry.advance() {}
        }
        assert!(expiry.is_unused(marked));
    }

    /// Some units that walk fast, and one that stands, in small sectors without end.
    fn walkers(grid: Grid) -> (Units, Vec<Wish>) {
        let mut units = Units::new(grid.sector_size());
        let body = units.add_body(Body::default()).unwrap();
        let speeds = [[150.0, 0.0], [0.0, -150.0], [-90.0, 110.0], [0.0, 0.0]];
        for unit in 0..4 {
            let coord = SectorCoord::new(unit * 100, 7);
            let place = WorldPos::new(coord, Vec3::new(0.25, 0.0, 0.5), grid.sector_size());
            units.spawn(Spawn::standing(place.unwrap(), body)).unwrap();
        }
        (units, speeds.map(|[x, z]| Wish::walk(x, z)).to_vec())
    }

    #[test]
    fn who_walks_far_leaves_nothing_behind_and_does_the_same() {
        let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
        let data = SectorData::from_fn(grid, |_, _| 0.0).unwrap();
        let bytes = format::encode(SectorCoord::new(0, 0), &data).bytes;
        let world = ResidentSectors::endless(Arc::new(LoadedSector::new(bytes).unwrap()));
        let (mut units, wishes) = walkers(grid);
        let (mut others, _) = walkers(grid);
        let (mut batch, mut fresh) = (Batch::new(), Batch::new());
        let settings = TickSettings::default();
        let mut most = [0; 2];
        let mut first_map_id = None;
        for tick in 0..6000 {
            batch.tick(world.view(), &mut units, &wishes, &settings).unwrap();
            if tick % 50 == 0 {
                fresh = Batch::new();
            }
            fresh.tick(world.view(), &mut others, &wishes, &settings).unwrap();
            assert_eq!(units.state_hash(), others.state_hash(), "tick {tick}");
            let counts = [batch.open_maps.len(), batch.cache_keys.len()];
            for (most, now) in most.iter_mut().zip(counts) {
                *most = now.max(*most);
            }
            // A standing unit keeps its data.
            assert!(!units.cells.corners[3][0].is_nan() || tick == 0);
            let map_id = units.cells.map_ids[3];
            assert!(tick == 0 || *first_map_id.get_or_insert(map_id) == map_id, "tick {tick}");
        }
        // Over 5000 sectors were entered; of each path no more are kept than it crosses in five rounds.
        assert!(most.iter().all(|most| (10..1000).contains(most)), "{most:?}");
    }
}
