//! What was gathered around units among props, kept from tick to tick.
//!
//! A walker at 5 m/s and 60 Hz is within a box of half a metre more for some ticks: the triangles in it are
//! placed once and asked again and again. Which place of the memory a unit uses its slot says; where another
//! unit has used it meanwhile, or another thread does just now, everything is gathered anew.

use std::sync::{Mutex, TryLockError};

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Aabb;
use marchland_terrain::query::{Cylinder, Gathered, Region};
use marchland_terrain::{SectorCoord, TerrainView, WorldPos};

/// Most units of which anything is kept at a time, and most that share these places: where more do, what is
/// kept is another unit's too often to pay.
const PLACES: usize = 512;
const UNITS_MAX: usize = 4 * PLACES;

/// Triangles that are kept of one: of more, nothing is.
const TRIANGLES: usize = 256;

/// How much more is gathered than is asked for: to all sides, and where a unit wants to go. Metres, and
/// seconds of its way, up to so many metres: steps look that far ahead, and the next ticks go there.
const MORE: f32 = 0.15;
const AHEAD: f32 = 0.12;
const AHEAD_MAX: f32 = 1.0;

/// The largest box that is kept, as asked for. Metres.
const LONGEST: f32 = 8.0;

/// Memory for what is gathered around units.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    places: Vec<Mutex<Place>>,
}

impl Clone for Kept {
    /// Nothing is kept of the units of another population.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What is known of the surroundings of a unit, as long as they are the same.
#[derive(Debug)]
pub(crate) struct AtHand {
    pub(crate) near: Gathered,
    /// A body at a place that nothing is in: it is asked at the end of a tick and at the beginning of the
    /// next one.
    pub(crate) clear: Option<(Cylinder, WorldPos)>,
}

impl AtHand {
    /// Room for so many triangles.
    pub(crate) fn with_capacity(triangles: usize) -> Self {
        Self { near: Gathered::with_capacity(triangles), clear: None }
    }

    /// Forgets all.
    pub(crate) fn forget(&mut self) {
        self.near.forget();
        self.clear = None;
    }
}

/// What was gathered around one unit.
#[derive(Debug)]
pub(crate) struct Place {
    /// Of which surroundings, and of which layers.
    around: u64,
    mask: u32,
    at_hand: AtHand,
    /// Where there was too much.
    too_much: Option<Aabb>,
}

impl Kept {
    /// Room for a population.
    pub(crate) fn make_room(&mut self, units: usize) {
        let places = match units {
            0..PLACES => units,
            PLACES..=UNITS_MAX => PLACES,
            _ => 0,
        };
        self.places.truncate(places);
        while self.places.len() < places {
            let at_hand = AtHand::with_capacity(TRIANGLES);
            self.places.push(Mutex::new(Place { around: 0, mask: 0, at_hand, too_much: None }));
        }
    }

    /// Calls with what is gathered in a box of a unit's sector, which is of these surroundings; nothing
    /// if it cannot be kept. The unit is on its way at a velocity.
    pub(crate) fn with<T>(
        &self,
        view: TerrainView<'_>,
        (slot, sector, mask): (u32, SectorCoord, u32),
        way: Vec3,
        around: u64,
        within: &Aabb,
        work: impl FnOnce(&mut AtHand) -> T,
    ) -> Option<T> {
        let places = self.places.len();
        let mut place = match self.places.get(slot as usize % places.max(1))?.try_lock() {
            Ok(place) => place,
            // What a panic left behind is gathered anew.
            Err(TryLockError::Poisoned(left)) => {
                let mut place = left.into_inner();
                place.around = 0;
                place
            }
            Err(TryLockError::WouldBlock) => return None,
        };
        let Place { around: known, mask: layers, at_hand, too_much } = &mut *place;
        if (*known, *layers) != (around, mask) {
            (*known, *layers, *too_much) = (around, mask, None);
            at_hand.forget();
        }
        let near = &mut at_hand.near;
        if !near.covers(view, &Region::of_box(sector, within)) {
            let is_long = (within.max - within.min).cmpgt(Vec3::splat(LONGEST)).any();
            if is_long || too_much.is_some_and(|known| holds(&known, within)) {
                return None;
            }
            let wide = ahead(within, way * AHEAD).grown(MORE);
            let gathered = view.gather(&Region::of_box(sector, &wide), mask, near);
            if gathered.is_err() || near.is_overfull() {
                near.forget();
                *too_much = Some(wide);
                return None;
            }
        }
        Some(work(at_hand))
    }
}

/// A box, and what is level with it in the direction of a way.
fn ahead(of: &Aabb, way: Vec3) -> Aabb {
    let within = |metres: f32| {
        let less = if metres > AHEAD_MAX { AHEAD_MAX } else { metres };
        if less < -AHEAD_MAX { -AHEAD_MAX } else { less }
    };
    let way = Vec3::new(within(way.x), 0.0, within(way.z));
    of.union(Aabb { min: of.min + way, max: of.max + way })
}

fn holds(a: &Aabb, b: &Aabb) -> bool {
    a.min.cmple(b.min).all() && b.max.cmple(a.max).all()
}
