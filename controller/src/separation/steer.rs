//! From pushes to wishes: adds the part of a push that the guard allows.

use std::sync::atomic::{AtomicU64, Ordering};

use super::guard::Guard;
use super::sorted::push_of;
#[cfg(target_arch = "x86_64")]
use super::steer_avx512::{self, Steps};
use super::strength::LESS;
#[cfg(target_arch = "x86_64")]
use crate::lanes::avx512;
#[cfg(target_arch = "x86_64")]
use crate::units::cells::LANES;
use crate::units::columns::Units;
use crate::units::tick::without_creep;
use crate::units::wish::Wish;

/// Pushes that are read at a time.
const TAKEN: usize = 64;

/// How many such parts ahead memory is prefetched.
#[cfg(target_arch = "x86_64")]
const PREFETCH_PARTS: usize = 3;

/// The fraction of a push straight against a unit's direction that turns it aside.
pub(super) const ASIDE: f32 = 0.5;

/// The inputs of steering that all units share.
pub(super) struct Steering<'a> {
    pub(super) units: &'a Units,
    /// Fastest push.
    pub(super) most: f32,
}

impl Steering<'_> {
    /// Turns the requests of the units from `first` on, and their pushes, into their wishes.
    pub(super) fn steer(
        &self,
        guard: &mut Guard<'_>,
        first: usize,
        pushes: &[AtomicU64],
        asked: &[Wish],
        wishes: &mut [Wish],
    ) {
        #[cfg(target_arch = "x86_64")]
        let steps = Steps::new(self, guard).filter(|_| avx512::is_here());
        let mut taken = [[0.0; 2]; TAKEN];
        let parts = wishes.chunks_mut(TAKEN).zip(asked.chunks(TAKEN)).zip(pushes.chunks(TAKEN));
        #[cfg(target_arch = "x86_64")]
        let all = (asked, pushes);
        for (index, ((wishes, asked), pushes)) in parts.enumerate() {
            #[cfg(target_arch = "x86_64")]
            {
                let soon = (index + PREFETCH_PARTS) * TAKEN..(index + PREFETCH_PARTS + 1) * TAKEN;
                avx512::prefetch(all.0.get(soon.clone()).unwrap_or_default());
                avx512::prefetch(all.1.get(soon).unwrap_or_default());
            }
            let first = first + index * TAKEN;
            for (taken, push) in taken.iter_mut().zip(pushes) {
                *taken = push_of(push.load(Ordering::Relaxed));
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(steps) = &steps
                && let Some(wishes) = wishes.as_mut_array::<TAKEN>()
                && let Some(asked) = asked.as_array::<TAKEN>()
            {
                self.steer_blocks(steps, guard, first, &taken, asked, wishes);
                continue;
            }
            wishes.copy_from_slice(asked);
            for (slot, (wish, push)) in (first..).zip(wishes.iter_mut().zip(&taken)) {
                self.steer_one(guard, slot, wish, *push);
            }
        }
    }

    /// Steers many units in blocks; those that need a closer look, one by one.
    #[cfg(target_arch = "x86_64")]
    fn steer_blocks(
        &self,
        steps: &Steps,
        guard: &mut Guard<'_>,
        first: usize,
        taken: &[[f32; 2]; TAKEN],
        asked: &[Wish; TAKEN],
        wishes: &mut [Wish; TAKEN],
    ) {
        let blocks = wishes.as_chunks_mut().0.iter_mut().zip(asked.as_chunks().0);
        let blocks = (first..).step_by(LANES).zip(blocks).zip(taken.as_chunks().0);
        for ((first, (wishes, asked)), taken) in blocks {
            #[allow(unsafe_code)]
            // SAFETY: there are steps only if the processor has what the function needs.
            let mut left =
                unsafe { steer_avx512::steer(steps, self, guard, first, taken, asked, wishes) };
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                self.steer_one(guard, first + lane, &mut wishes[lane], taken[lane]);
                left &= left - 1;
            }
        }
    }

    /// Steers one unit.
    #[inline]
    pub(super) fn steer_one(
        &self,
        guard: &mut Guard<'_>,
        slot: usize,
        wish: &mut Wish,
        push: [f32; 2],
    ) {
        if push != [0.0, 0.0] && !wish.jumps() && wish.is_valid() {
            let pushed = steered(*wish, push, self.most);
            *wish = allowed(guard, self.units, slot, *wish, pushed);
        }
    }
}

/// A wish with its push, or with the part of the push that the guard allows: along one axis, or none.
#[inline]
fn allowed(guard: &mut Guard<'_>, units: &Units, slot: usize, wish: Wish, pushed: Wish) -> Wish {
    let mut may = |velocity: [f32; 2]| {
        let wish = wish.at_velocity(velocity);
        wish.is_valid() && guard.allows(units, slot, velocity)
    };
    let ([x, z], [to_x, to_z]) = (wish.velocity(), pushed.velocity());
    let mut parts = [[to_x, to_z], [to_x, z], [x, to_z]];
    if (to_x - x).abs() < (to_z - z).abs() {
        parts.swap(1, 2);
    }
    let found = parts.into_iter().find(|part| may(*part));
    wish.at_velocity(found.unwrap_or(wish.velocity()))
}

/// A wish with a push of at most `most` metres per second. The part of the push straight against the
/// unit's direction also turns the unit aside.
#[inline]
fn steered(wish: Wish, [px, pz]: [f32; 2], most: f32) -> Wish {
    // A wish that the tick treats as standing has no direction that a push could oppose.
    let [x, z] = wish.velocity().map(without_creep);
    let against = -(x * px + z * pz);
    if against <= 0.0 {
        return wish.at_velocity([x + px, z + pz]);
    }
    // To the side of the push, or to the right: +z for a unit that walks along +x.
    let side = if x * pz - z * px >= 0.0 { ASIDE } else { -ASIDE };
    let aside = side * against / (x * x + z * z);
    let (px, pz) = (px - aside * z, pz + aside * x);
    let squared = px * px + pz * pz;
    let less = if squared > most * most { most * LESS / squared.sqrt() } else { 1.0 };
    wish.at_velocity([x + px * less, z + pz * less])
}
