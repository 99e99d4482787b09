//! What a unit among props remembers of its last ticks: a box around it that is known to hold no prop, and a
//! wish under which nothing changes.
//!
//! ```text
//! around   ┊ which surroundings it is for: the number changes as soon as anything near changes
//! rest     ┊ a wish, and what the tick reported that left every bit as it was
//! bare     ┊ a box, metres from the sector's centre, that no triangle touches
//! ```
//!
//! None of it is state. Code that changes a unit from outside makes it forget. A unit at rest does not change
//! while it does not move, and whether a box is bare does not depend on the unit. All zeros mean that nothing
//! is remembered, and the memory of units that were never among props is never touched.

use bytemuck::{Pod, Zeroable};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Aabb;

use crate::units::wish::Wish;

/// A [`UnitMemory`] as it is stored, in five words.
pub(crate) type PackedMemory = [u64; 5];

/// Nothing remembered.
const NOTHING: PackedMemory = [0; 5];

/// The bits of the first word that the flags take, below the number of the surroundings.
const FLAG_BITS: u32 = 5;

/// The bits that are there for the number of the surroundings.
pub(crate) const AROUND_BITS: u32 = u64::BITS - FLAG_BITS;

/// There is a wish under which nothing changes.
const RESTS: u64 = 1;
/// A tick with that wish meets the edge of the world.
const MET_EDGE: u64 = 2;
/// A tick with that wish meets ground that is too steep.
const MET_SLOPE: u64 = 4;
/// It follows in that tick.
const FOLLOWS: u64 = 8;
/// That wish is to jump.
const JUMPS: u64 = 16;

const FLAGS: u64 = (1 << FLAG_BITS) - 1;

/// The memories of all units, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnitMemories {
    /// The key of the batch that the numbers of surroundings belong to; 0 for none.
    key: u64,
    pub(crate) list: Vec<PackedMemory>,
}

impl UnitMemories {
    /// Forgets what the unit in a slot remembers.
    #[inline]
    pub(crate) fn forget(&mut self, slot: usize) {
        if let Some(packed) = self.list.get_mut(slot) {
            *packed = NOTHING;
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.key = 0;
    }

    /// Makes room for `slots` slots, and forgets what was not remembered under `key`.
    pub(crate) fn prepare(&mut self, slots: usize, key: u64) {
        if self.key != key {
            self.key = key;
            self.list.iter_mut().filter(|one| **one != NOTHING).for_each(|one| *one = NOTHING);
        }
        if self.list.len() != slots {
            // The system provides zeroed pages when they are first written to.
            let mut list = vec![NOTHING; slots];
            for (new, old) in list.iter_mut().zip(&self.list).filter(|(_, old)| **old != NOTHING) {
                *new = *old;
            }
            self.list = list;
        }
    }
}

/// Forgets the wish under which nothing changes, whichever surroundings it was for.
#[inline]
pub(crate) fn forget_rest(packed: &mut PackedMemory) {
    // The memory of units that were never among props is not written to.
    if packed[0] & FLAGS != 0 {
        packed[0] &= !FLAGS;
    }
}

/// What one unit remembers.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct UnitMemory {
    /// The number of the surroundings that it is for, and flags below it.
    around_and_flags: u64,
    /// The least and the greatest corner of a bare box. No box is within that of zeros.
    bare: [Vec3; 2],
    /// What it wishes when it rests. Metres per second along X and Z.
    velocity: [f32; 2],
}

/// What a tick reports that changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rest {
    pub(crate) follows: bool,
    pub(crate) met_edge: bool,
    pub(crate) met_slope: bool,
}

impl UnitMemory {
    /// What a unit remembers, as far as it is for these surroundings, whose number has [`AROUND_BITS`] at most.
    #[inline]
    pub(crate) fn of(packed: &PackedMemory, around: u64) -> Self {
        let known: Self = bytemuck::cast(*packed);
        let around_and_flags = around << FLAG_BITS;
        if known.around() == around { known } else { Self { around_and_flags, ..Self::zeroed() } }
    }

    /// As five words.
    #[inline]
    pub(crate) fn pack(&self) -> PackedMemory {
        bytemuck::cast(*self)
    }

    /// The number of the surroundings that it is for.
    #[inline]
    pub(crate) fn around(&self) -> u64 {
        self.around_and_flags >> FLAG_BITS
    }

    /// Whether a box is known to be bare.
    #[inline]
    pub(crate) fn is_bare(&self, near: &Aabb) -> bool {
        near.min.cmpgt(self.bare[0]).all() && near.max.cmplt(self.bare[1]).all()
    }

    /// Remembers that this box is bare.
    pub(crate) fn set_bare(&mut self, bare: Aabb) {
        self.bare = [bare.min, bare.max];
    }

    /// What a tick with this wish reports if it changes nothing. `None` where it may change something.
    #[inline]
    pub(crate) fn rest(&self, wish: Wish) -> Option<Rest> {
        let bits = |velocity: [f32; 2]| velocity.map(f32::to_bits);
        let flags = self.around_and_flags & FLAGS;
        let is_same = flags & RESTS != 0
            && bits(wish.velocity()) == bits(self.velocity)
            && wish.jumps() == (flags & JUMPS != 0);
        is_same.then_some(Rest {
            follows: flags & FOLLOWS != 0,
            met_edge: flags & MET_EDGE != 0,
            met_slope: flags & MET_SLOPE != 0,
        })
    }

    /// Remembers that a tick with this wish changes nothing, and what it reports.
    pub(crate) fn set_rest(&mut self, wish: Wish, rest: Rest) {
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        self.velocity = wish.velocity();
        self.around_and_flags = (self.around_and_flags & !FLAGS)
            | RESTS
            | flag(wish.jumps(), JUMPS)
            | flag(rest.follows, FOLLOWS)
            | flag(rest.met_edge, MET_EDGE)
            | flag(rest.met_slope, MET_SLOPE);
    }

    /// The next tick may change something, whatever the wish is.
    pub(crate) fn forget_rest(&mut self) {
        self.around_and_flags &= !FLAGS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_again_and_of_other_surroundings_nothing_is() {
        let mut memory = UnitMemory::of(&NOTHING, 7);
        let near = Aabb { min: Vec3::new(-1.0, 2.0, -3.0), max: Vec3::new(4.0, 5.0, 6.0) };
        let wish = Wish::walk(0.5, -0.0).jumping();
        assert!(!memory.is_bare(&near) && memory.rest(wish).is_none());
        memory.set_bare(near.grown(0.5));
        let rest = Rest { follows: true, met_edge: false, met_slope: true };
        memory.set_rest(wish, rest);
        let again = UnitMemory::of(&memory.pack(), 7);
        assert_eq!(again, memory);
        assert!(again.is_bare(&near) && !again.is_bare(&near.grown(0.5)));
        assert_eq!(again.rest(wish), Some(rest));
        for other in [[0.5, 0.0], [0.25, -0.0]] {
            assert_eq!(again.rest(Wish::STAND.at_velocity(other).jumping()), None);
        }
        assert_eq!(again.rest(Wish::STAND.at_velocity(wish.velocity())), None);
        let elsewhere = UnitMemory::of(&memory.pack(), 8);
        assert!(!elsewhere.is_bare(&near) && elsewhere.rest(wish).is_none());
        let mut packed = memory.pack();
        forget_rest(&mut packed);
        let tired = UnitMemory::of(&packed, 7);
        assert!(tired.is_bare(&near) && tired.rest(wish).is_none());
        memory.forget_rest();
        assert_eq!(memory, tired);
        let last = (1 << AROUND_BITS) - 1;
        assert_eq!(UnitMemory::of(&NOTHING, last).around(), last);
    }

    #[test]
    fn each_slot_keeps_its_own_until_another_batch_comes() {
        let mut memories = UnitMemories::default();
        memories.prepare(3, 9);
        memories.list[1] = [5; 5];
        memories.prepare(5, 9);
        assert_eq!(memories.list, [NOTHING, [5; 5], NOTHING, NOTHING, NOTHING]);
        memories.forget(1);
        memories.list[2] = [6; 5];
        memories.clear();
        memories.prepare(5, 9);
        assert_eq!(memories.list, [NOTHING; 5]);
    }
}
