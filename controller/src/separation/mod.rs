//! Unit against unit: those that stand in each other are asked to go apart.
//!
//! ```text
//! Units ─▶ grid   (who is near whom: a counting sort)
//!            └─▶ pairs  (overlaps to pushes)  ─▶ steer  (pushes to wishes) ─▶ Batch::tick
//!                                                  └ guard  (does it still stand there?)
//! ```
//!
//! Nobody is moved here: a push is part of what a unit is asked to do, and the tick then moves it by the
//! same rules as ever. So nobody is pushed through a wall.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod grid;
mod guard;
mod pairs;
#[cfg(target_arch = "x86_64")]
mod pairs_avx512;
mod settings;
mod sort;
#[cfg(target_arch = "x86_64")]
mod sort_avx512;
mod threads;

use std::sync::atomic::{AtomicU32, Ordering};

use marchland_terrain::TerrainView;

use crate::batch::check;
use crate::error::TickError;
use crate::follow::Tick;
use crate::settings::TickSettings;
use crate::units::Units;
use crate::wish::Wish;
use grid::Sorted;
use guard::Guard;
use pairs::{LESS, Strength};
use threads::each_chunk;
pub use settings::{SeparationError, SeparationSettings};

/// Pushes that are brought into the order of slots at a time.
const TAKEN: usize = 64;

/// Of a push straight against the way that a unit goes, the part that turns it aside.
const ASIDE: f32 = 0.5;

/// Keeps units from standing in each other, softly: each is asked to go away from those that it touches,
/// beside what it is asked to do anyway.
///
/// - Who walks or stands takes part; who falls, slides, climbs or is about to jump is left alone.
/// - Bodies touch where their circles overlap and their heights do: who is on a bridge does not push
///   those below. The wider of two yields less, in the ratio of the radii, and who is less than a
///   quarter as wide as another does not push it at all.
/// - A push is the mean over all that touch, so crowds come apart without shaking; it has a
///   [limit](SeparationSettings::push_max), and slow ones are [none](SeparationSettings::rest), so a
///   crowd comes to rest. Nothing is kept from tick to tick: who is no longer touched is no longer
///   pushed.
/// - Who walks against another is turned aside, to the right if it meets it head-on.
/// - Nobody is pushed to where it would not stand: over a hole, down more than its `step_down`, onto
///   ground too steep for it, out of the world or to sectors that are not in memory. On slippery ground
///   a unit may glide on by itself.
/// - Units at the very same place part in directions that their slots tell.
///
/// The same units and wishes give the same bits for any number of threads, and anywhere in the world.
/// Of more than 32 units in a row of three cells, each as wide as the widest body, a unit looks at 32:
/// so the time grows with the number of units alone, also in a heap at one place.
#[derive(Debug)]
pub struct Separation {
    settings: SeparationSettings,
    sorted: Sorted,
    /// In the order in which units are sorted. Metres per second.
    pushes: Vec<[f32; 2]>,
    wishes: Vec<Wish>,
}

impl Separation {
    /// # Errors
    /// Naming the first setting that is out of range.
    pub fn new(settings: SeparationSettings) -> Result<Self, SeparationError> {
        settings.check()?;
        let (sorted, pushes, wishes) = (Sorted::default(), Vec::new(), Vec::new());
        Ok(Self { settings, sorted, pushes, wishes })
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &SeparationSettings {
        &self.settings
    }

    /// The wishes with the pushes added, by slot, for the tick of `dt` seconds that comes next. `view` is
    /// the one of that tick. What units wish has to be asked anew in each tick: pass what the game
    /// wishes, not what came from here.
    ///
    /// Does not allocate after it has seen a population. Threads are those of the current `rayon` pool.
    ///
    /// # Errors
    /// As for a tick: if `dt` is out of range, there is not a wish for each slot, or the world's sectors
    /// have another size.
    pub fn push(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        dt: f32,
    ) -> Result<&[Wish], TickError> {
        let settings = TickSettings { dt, ..TickSettings::default() };
        check(view, units, wishes, &settings)?;
        self.wishes.clear();
        self.wishes.extend_from_slice(&wishes[..units.slots()]);
        if dt > 0.0 {
            self.sorted.sort(units, self.settings.chunk_units);
            self.find_pushes(units, dt);
            self.steer(&Tick::new(view, &settings), view, units);
        }
        Ok(&self.wishes)
    }

    fn find_pushes(&mut self, units: &Units, dt: f32) {
        let (sorted, strength) = (&self.sorted, Strength::new(&self.settings, dt));
        self.pushes.resize(sorted.len(), [0.0; 2]);
        each_chunk(&mut self.pushes, self.settings.chunk_units, |first, pushes| {
            pairs::push(units, sorted, &strength, first, pushes);
        });
    }

    fn steer(&mut self, tick: &Tick, view: TerrainView<'_>, units: &Units) {
        let (places, pushes) = (&self.sorted.places, &self.pushes);
        let most = self.settings.push_max;
        each_chunk(&mut self.wishes, self.settings.chunk_units, |first, wishes| {
            let mut guard = Guard::new(view, tick);
            let mut taken = [[0.0; 2]; TAKEN];
            let places = &places[first..first + wishes.len()];
            let parts = wishes.chunks_mut(TAKEN).zip(places.chunks(TAKEN));
            for (first, (wishes, places)) in (first..).step_by(TAKEN).zip(parts) {
                take(pushes, places, &mut taken);
                for (slot, (wish, push)) in (first..).zip(wishes.iter_mut().zip(&taken)) {
                    if *push != [0.0, 0.0] && !wish.jump && wish.is_valid() {
                        let pushed = steered(*wish, *push, most);
                        *wish = allowed(&mut guard, units, slot, *wish, pushed);
                    }
                }
            }
        });
    }
}

/// Brings the pushes at places into order. A loop of nothing else: so many of these far looks are under
/// way at a time.
fn take(pushes: &[[f32; 2]], places: &[AtomicU32], taken: &mut [[f32; 2]; TAKEN]) {
    for (place, taken) in places.iter().zip(taken) {
        // Who takes no part has no place.
        *taken = pushes.get(place.load(Ordering::Relaxed) as usize).copied().unwrap_or_default();
    }
}

/// A wish as pushed, or with what of the push leads nowhere bad: along one axis, or nothing.
#[inline]
fn allowed(guard: &mut Guard<'_>, units: &Units, slot: usize, wish: Wish, pushed: Wish) -> Wish {
    let mut may = |velocity: [f32; 2]| {
        let wish = Wish { velocity, ..wish };
        wish.is_valid() && guard.allows(units, slot, velocity)
    };
    let ([x, z], [to_x, to_z]) = (wish.velocity, pushed.velocity);
    let mut parts = [[to_x, to_z], [to_x, z], [x, to_z]];
    if (to_x - x).abs() < (to_z - z).abs() {
        parts.swap(1, 2);
    }
    let found = parts.into_iter().find(|part| may(*part));
    Wish { velocity: found.unwrap_or(wish.velocity), ..wish }
}

/// A wish with a push of at most `most` metres per second. What of the push is straight against the way
/// turns the unit aside as well.
#[inline]
fn steered(wish: Wish, [px, pz]: [f32; 2], most: f32) -> Wish {
    let [x, z] = wish.velocity;
    let against = -(x * px + z * pz);
    if against <= 0.0 {
        return Wish { velocity: [x + px, z + pz], ..wish };
    }
    // To the side that the push is on, or to the right: +z for who goes along +x.
    let side = if x * pz - z * px >= 0.0 { ASIDE } else { -ASIDE };
    let aside = side * against / (x * x + z * z);
    let (px, pz) = (px - aside * z, pz + aside * x);
    let squared = px * px + pz * pz;
    let less = if squared > most * most { most * LESS / squared.sqrt() } else { 1.0 };
    Wish { velocity: [x + px * less, z + pz * less], ..wish }
}
