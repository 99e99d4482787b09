//! Triangles gathered around units among props, kept from tick to tick.
//!
//! A walker at 5 m/s and 60 Hz stays for some ticks within a box that is half a metre larger. The triangles
//! in it are placed once and queried many times. A unit's slot determines a few places of the memory that it
//! may use, and a place takes the blocks that it needs from a pool that all share. A place stays the unit's own from tick
//! to tick, until a tick in which the unit does not use it.
//! Where other units have these places, or another thread is using them, everything is gathered again.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::SteepGround;
use marchland_terrain::kernel::{BlockPool, Gathered};
use marchland_terrain::math::{Aabb, clamp, lesser};
use marchland_terrain::query::Region;
use marchland_terrain::{SectorCoord, TerrainView};

use super::known_places::KnownPlaces;

/// Most units whose surroundings are kept at a time.
const PLACES: usize = 1536;

/// Places that a unit may use, and what spreads slots over them that share the first one.
const PROBES: u32 = 4;
const SCATTER: u32 = 0x9E37_79B9;

/// Most triangles that are kept for one unit. If there are more, none is kept.
pub(crate) const TRIANGLES: usize = 512;

/// Room that they share, in triangles: for each unit, and for all of them. A place takes what is around its unit, mostly a
/// few dozen, at times hundreds. More is faster, but everybody has its share of it: a walker of ten thousand takes 2 kB.
const TRIANGLES_EACH: usize = 768;
const TRIANGLES_MAX: usize = 120 * 1024;

/// How much more is gathered than is requested: metres to all sides, and seconds of the unit's move ahead, up
/// to a maximum in metres. Steps look that far ahead, and the next ticks move there.
const GATHER_MARGIN: f32 = 0.15;
const GATHER_AHEAD_SECONDS: f32 = 0.12;
const GATHER_AHEAD_MAX: f32 = 1.0;

/// The same where that is too much, and for all while little room is left. Metres.
const TIGHT_MARGIN: f32 = 0.1;

/// The greatest length of a requested box. Metres.
const LONGEST: f32 = 8.0;

/// Memory for what is gathered around units.
#[derive(Debug, Default)]
pub(crate) struct GatherCache {
    places: Vec<Mutex<Place>>,
    pool: BlockPool,
    /// Whether little room was left when this tick began.
    is_scarce: bool,
    /// Counts ticks.
    now: u64,
}

impl Clone for GatherCache {
    /// Nothing is kept for the units of another population.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What is known of the surroundings of a unit, as long as they do not change.
#[derive(Debug)]
pub(crate) struct KnownSurroundings {
    pub(crate) near: Gathered,
    pub(crate) known: KnownPlaces,
    pub(crate) slope: KnownSlope,
}

/// Whether there is ground around a unit that is steeper than a limit, for its next ticks.
#[derive(Debug, Default)]
pub(crate) struct KnownSlope {
    /// The region, the limit as the `y` of a unit normal, and whether all ground in it is gentler.
    known: Option<(Region, f64, bool)>,
    /// A place that makes any region which holds it steeper than a limit.
    steep: Option<(Region, f64)>,
}

/// How much farther than it needs a unit looks for steep ground. Metres.
const SLOPE_MARGIN: f64 = 1.0;

impl KnownSlope {
    /// Whether there may be ground in a region that is steeper, as [`TerrainView::has_ground_steeper_in`] says.
    #[inline]
    pub(crate) fn has_steeper(
        &mut self,
        view: TerrainView<'_>,
        region: &Region,
        upright: f64,
    ) -> bool {
        let size = view.grid().sector_size();
        let is_limit = |limit: f64| limit.to_bits() == upright.to_bits();
        if self.steep.is_some_and(|(at, limit)| is_limit(limit) && region.holds(&at, size)) {
            return true;
        }
        let known =
            self.known.filter(|(known, limit, _)| is_limit(*limit) && known.holds(region, size));
        let is_gentle = known.map_or_else(
            || {
                let wide = region.grown(SLOPE_MARGIN);
                let is_gentle = !view.has_ground_steeper_in(&wide, upright);
                self.known = Some((wide, upright, is_gentle));
                is_gentle
            },
            |(.., is_gentle)| is_gentle,
        );
        if is_gentle {
            return false;
        }
        let steep = view.steep_ground_in(region, upright);
        if let SteepGround::At(at) = steep {
            self.steep = Some((at, upright));
        }
        steep != SteepGround::None
    }
}

impl KnownSurroundings {
    /// Room for `triangles` triangles.
    pub(crate) fn with_capacity(triangles: usize) -> Self {
        Self::new(Gathered::with_capacity(triangles))
    }

    fn new(near: Gathered) -> Self {
        Self { near, known: KnownPlaces::default(), slope: KnownSlope::default() }
    }

    /// Forgets everything.
    pub(crate) fn forget(&mut self) {
        self.near.forget();
        (self.known, self.slope) = (KnownPlaces::default(), KnownSlope::default());
    }
}

/// What was gathered around one unit.
#[derive(Debug)]
pub(crate) struct Place {
    /// The slot of the unit that has this place, and the tick in which others may take it if that unit does
    /// not use it until then.
    slot: u32,
    free: u64,
    /// The number of the surroundings, and the layers.
    around: u64,
    mask: u32,
    at_hand: KnownSurroundings,
    /// Boxes with too many triangles: with what the next ticks need, and without.
    too_much: [Option<Aabb>; 2],
}

impl Place {
    fn new(pool: &BlockPool) -> Self {
        let at_hand = KnownSurroundings::new(Gathered::sharing(pool, TRIANGLES));
        Self { slot: 0, free: 0, around: 0, mask: 0, at_hand, too_much: [None; 2] }
    }
}

impl GatherCache {
    /// Starts a tick: makes room for a population.
    pub(crate) fn reserve(&mut self, units: usize) {
        self.now += 1;
        let places = lesser(units, PLACES);
        let kept = lesser(places, self.places.len());
        for place in self.places.drain(kept..) {
            place.into_inner().unwrap_or_else(PoisonError::into_inner).at_hand.near.give_back();
        }
        self.places.resize_with(places, || Mutex::new(Place::new(&self.pool)));
        self.pool.reserve(lesser(TRIANGLES_MAX, units.saturating_mul(TRIANGLES_EACH)));
        self.is_scarce = self.pool.is_scarce();
        if self.is_scarce {
            // What no unit has used in the last tick.
            for place in &mut self.places {
                let place = place.get_mut().unwrap_or_else(PoisonError::into_inner);
                if place.free <= self.now {
                    place.at_hand.near.give_back();
                }
            }
        }
    }

    /// The place of a unit: its own from the last tick, or one that no unit has used since.
    fn place_of(&self, slot: u32) -> Option<MutexGuard<'_, Place>> {
        let is_own = |place: &Place| place.slot == slot && place.free > self.now;
        let is_free = |place: &Place| place.free <= self.now;
        let mut place = self.find(slot, is_own).or_else(|| self.find(slot, is_free))?;
        (place.slot, place.free) = (slot, self.now + 2);
        Some(place)
    }

    /// Prefetches what is kept for a unit that is moved soon.
    #[inline]
    pub(crate) fn prefetch(&self, slot: u32) {
        let Some(at) = (slot as usize).checked_rem(self.places.len()) else { return };
        if let Ok(place) = self.places[at].try_lock()
            && (place.slot, place.free) == (slot, self.now + 1)
        {
            place.at_hand.near.prefetch();
        }
    }

    /// The first of the places that a unit may use which nobody else is using and `is_asked` for.
    fn find(&self, slot: u32, is_asked: impl Fn(&Place) -> bool) -> Option<MutexGuard<'_, Place>> {
        let count = self.places.len();
        let mut spread = slot;
        (0..PROBES).find_map(|probe| {
            let at = match probe {
                0 => slot as usize % count,
                _ => ((u64::from(spread) * count as u64) >> 32) as usize,
            };
            spread = spread.wrapping_mul(SCATTER).wrapping_add(probe);
            let place = match self.places.get(at)?.try_lock() {
                Ok(place) => place,
                // What a panic left behind is gathered again.
                Err(TryLockError::Poisoned(left)) => {
                    let mut place = left.into_inner();
                    place.around = 0;
                    place
                }
                Err(TryLockError::WouldBlock) => return None,
            };
            is_asked(&place).then_some(place)
        })
    }

    /// Calls `work` with the triangles gathered in a box of a unit's sector, for these surroundings. `None`
    /// if they cannot be kept. `ways` are the velocities at which the unit may go on.
    pub(crate) fn with<T>(
        &self,
        view: TerrainView<'_>,
        (slot, sector, mask): (u32, SectorCoord, u32),
        ways: [Vec3; 2],
        around: u64,
        within: &Aabb,
        work: impl FnOnce(&mut KnownSurroundings) -> T,
    ) -> Option<T> {
        let mut place = self.place_of(slot)?;
        let Place { around: known, mask: layers, at_hand, too_much, .. } = &mut *place;
        if (*known, *layers) != (around, mask) {
            (*known, *layers, *too_much) = (around, mask, [None; 2]);
            at_hand.forget();
        }
        let near = &mut at_hand.near;
        if !near.covers(view, &Region::of_box(sector, within)) {
            let is_known = |known: &Option<Aabb>| known.is_some_and(|known| holds(&known, within));
            if is_long(within) || is_known(&too_much[1]) {
                return None;
            }
            let wide = ways
                .into_iter()
                .fold(*within, |box_of, way| box_of.union(within.swept(ahead(way))));
            // Where that is too much, hardly more than this tick needs.
            let boxes = [wide.grown(GATHER_MARGIN), within.grown(TIGHT_MARGIN)];
            let mut tried = boxes.into_iter().zip(too_much).skip(usize::from(self.is_scarce));
            let fits = tried.any(|(gathered, too_much)| {
                if is_known(too_much) {
                    return false;
                }
                let region = Region::of_box(sector, &gathered);
                let fits = view.gather(&region, mask, near).is_ok() && !near.is_overfull();
                *too_much = (!fits).then_some(gathered);
                fits
            });
            if !fits {
                near.give_back();
                return None;
            }
        }
        Some(work(at_hand))
    }
}

/// Whether a box is too long for what is in it to be gathered in advance.
pub(crate) fn is_long(of: &Aabb) -> bool {
    (of.max - of.min).cmpgt(Vec3::splat(LONGEST)).any()
}

/// The way at a velocity for which more is gathered. Metres.
fn ahead(velocity: Vec3) -> Vec3 {
    let along =
        |speed: f32| clamp(speed * GATHER_AHEAD_SECONDS, -GATHER_AHEAD_MAX, GATHER_AHEAD_MAX);
    Vec3::new(along(velocity.x), 0.0, along(velocity.z))
}

fn holds(a: &Aabb, b: &Aabb) -> bool {
    a.min.cmple(b.min).all() && b.max.cmple(a.max).all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_its_units_until_it_does_without() {
        let mut cache = GatherCache::default();
        let mut tick = |slots: &[u32]| -> Vec<bool> {
            cache.reserve(1);
            slots.iter().map(|slot| cache.place_of(*slot).is_some()).collect()
        };
        assert_eq!(tick(&[5, 0, 5]), [true, false, true]);
        assert_eq!(tick(&[0, 5, 0]), [false, true, false]);
        assert!(tick(&[]).is_empty());
        assert_eq!(tick(&[0, 5]), [true, false]);
        assert_eq!(tick(&[5, 0]), [false, true]);
    }

    #[test]
    fn who_finds_its_place_taken_has_another_one() {
        let mut cache = GatherCache::default();
        let both = [3, 3 + 16];
        for _ in 0..3 {
            cache.reserve(16);
            let places = both
                .map(|slot| cache.place_of(slot).map(|place| std::ptr::from_ref(&*place) as usize));
            assert!(places[0].is_some() && places[1].is_some() && places[0] != places[1]);
        }
    }
}
