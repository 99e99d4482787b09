//! State that most units do not have. Units that take the full controller have it.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use marchland_terrain::glam::{Vec2, Vec3};
use marchland_terrain::{PropId, SectorCoord};

use super::mix::mix;

/// Most props in a unit's way that are remembered, to detect when contact begins and ends.
pub(crate) const CONTACTS_MAX: usize = 4;

/// How long a unit that has left a ladder by a jump or an impulse catches none in the air. Seconds.
pub(crate) const LADDER_PAUSE: f32 = 0.25;

/// State beside position, velocity and motion. Units on open ground have [`NONE`](Self::NONE).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ContactState {
    /// The prop that it stood on when the last tick ended.
    pub(crate) support: Option<PropId>,
    /// How often that prop had been put elsewhere when the unit stood on it; 0 unless it is a live prop.
    pub(crate) support_put: u32,
    /// The unit was put on that prop after this step of the live props, and has not moved since.
    pub(crate) boarded: Option<u32>,
    /// The normal of that prop, or of the steep ground under the unit. Zero where there is neither.
    pub(crate) normal: Vec3,
    /// Velocity of a platform that the unit has left, kept while it falls; included in the velocity. Metres
    /// per second along X and Z.
    pub(crate) platform_velocity: [f32; 2],
    /// The rest of the way up a ledge: up, then along. Metres.
    pub(crate) climb: Climb,
    /// How long no ladder is caught in the air. Seconds, up to [`LADDER_PAUSE`].
    pub(crate) ladder_pause: f32,
    /// Where its walk was led back.
    pub(crate) turned_back: Option<TurnedBack>,
    /// Where it began a tick in which it hardly got on.
    pub(crate) recurrence: Option<Recurrence>,
    /// Was thrown since the last tick.
    pub(crate) is_thrown: bool,
    /// Was thrown, and was not falling before.
    pub(crate) is_thrown_off: bool,
    /// Was put somewhere else since the last tick, and is in the air there.
    pub(crate) is_moved: bool,
    /// The ground there was not in memory. Whether the unit is in the air is decided once it is.
    pub(crate) is_undecided: bool,
    /// Stands between steep walls.
    pub(crate) is_wedged: bool,
    /// Stands on a sticky surface.
    pub(crate) is_on_sticky: bool,
    /// Overlaps something that it did not get out of.
    pub(crate) is_stuck: bool,
    /// Props in its way, in order.
    pub(crate) contacts_last_tick: [Option<PropId>; CONTACTS_MAX],
    /// The props that crush it, in order.
    pub(crate) crushers: Crushers,
}

/// Most props that crush a unit at a time and are remembered.
pub(crate) const CRUSHERS_MAX: usize = 4;

/// The props that crush a unit, in order; those beyond are not remembered.
pub(crate) type Crushers = [Option<Crusher>; CRUSHERS_MAX];

/// A prop that crushes a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crusher {
    pub(crate) prop: PropId,
    /// Where the unit is: the direction in which the prop moved when it began. It turns with the prop. A unit
    /// vector.
    pub(crate) side: Vec3,
}

/// A place where a walk was led back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TurnedBack {
    /// What was asked for there. Metres per second along X and Z.
    pub(crate) wish: Vec2,
    /// How far the unit has come from there. Metres.
    pub(crate) away: Vec3,
    /// How often it was led back, here and near here.
    pub(crate) count: u32,
    /// Whether it was in the last tick.
    pub(crate) goes_back: bool,
}

/// A place where a walk began a tick, to which it may come back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Recurrence {
    /// What was asked for there. Metres per second along X and Z.
    pub(crate) wish: Vec2,
    /// How far the unit has come from there. Metres.
    pub(crate) away: Vec3,
    /// How far it came in that tick. Metres.
    pub(crate) step: Vec3,
    /// The length of its whole way since. Metres.
    pub(crate) way: f32,
    /// The ticks since, and after how many another place is taken.
    pub(crate) ticks: u32,
    pub(crate) most: u32,
    /// How often it has come back.
    pub(crate) back: u32,
}

/// A climb in progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Climb {
    /// The rest of the way: along X, up, along Z. Metres.
    pub(crate) left: Vec3,
    /// The whole way: the sum of the ways up and along. Metres; 0 where there is no climb.
    pub(crate) total: f32,
}

impl TurnedBack {
    fn words(&self) -> [[u32; 2]; 4] {
        let Self { wish, away, count, goes_back } = *self;
        let bits = |value: f32| value.to_bits();
        let last = [count, u32::from(goes_back)];
        [[bits(wish.x), bits(wish.y)], [bits(away.x), bits(away.y)], [bits(away.z), 0], last]
    }
}

impl Recurrence {
    fn words(&self) -> [[u32; 2]; 6] {
        let Self { wish, away, step, way, ticks, most, back } = *self;
        let bits = |value: f32| value.to_bits();
        let [a, s] = [away, step].map(|of| of.to_array().map(bits));
        let asked = [bits(wish.x), bits(wish.y)];
        [asked, [a[0], a[1]], [a[2], s[0]], [s[1], s[2]], [bits(way), ticks], [most, back]]
    }
}

impl Climb {
    pub(crate) const NONE: Self = Self { left: Vec3::ZERO, total: 0.0 };
}

impl ContactState {
    pub(crate) const NONE: Self = Self {
        support: None,
        support_put: 0,
        boarded: None,
        normal: Vec3::ZERO,
        platform_velocity: [0.0, 0.0],
        climb: Climb::NONE,
        ladder_pause: 0.0,
        turned_back: None,
        recurrence: None,
        is_thrown: false,
        is_thrown_off: false,
        is_moved: false,
        is_undecided: false,
        is_wedged: false,
        is_on_sticky: false,
        is_stuck: false,
        contacts_last_tick: [None; CONTACTS_MAX],
        crushers: [None; CRUSHERS_MAX],
    };

    /// Whether it touched a prop in the last tick, or stands on one.
    #[inline]
    pub(crate) fn touches_prop(&self) -> bool {
        self.contacts_last_tick[0].is_some() || self.support.is_some()
    }

    /// Whether two states are equal in every bit.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let turned = |of: &Self| of.turned_back.map(|turned| turned.words());
        let recurs = |of: &Self| of.recurrence.map(|recurrence| recurrence.words());
        let floats = |of: &Self| {
            let Self { normal, platform_velocity: carried, climb, .. } = *of;
            let (n, left) = (normal, climb.left);
            [n.x, n.y, n.z, carried[0], carried[1], left.x, left.y, left.z, climb.total]
                .map(f32::to_bits)
        };
        self == other
            && floats(self) == floats(other)
            && turned(self) == turned(other)
            && recurs(self) == recurs(other)
    }

    /// A hash of every bit, with sectors counted from `origin`.
    pub(crate) fn hash(&self, origin: SectorCoord) -> u64 {
        let bits = |value: f32| value.to_bits();
        let flags = u32::from(self.is_thrown)
            | u32::from(self.is_wedged) << 1
            | u32::from(self.is_stuck) << 2
            | u32::from(self.is_on_sticky) << 3
            | u32::from(self.is_moved) << 4
            | u32::from(self.is_undecided) << 5
            | u32::from(self.is_thrown_off) << 6;
        let mut words = [[0_u32; 2]; 6 + 2 * (CONTACTS_MAX + 1)];
        words[0] = [flags, bits(self.climb.total)];
        words[1] = [bits(self.normal.x), bits(self.normal.y)];
        words[2] = [bits(self.normal.z), bits(self.platform_velocity[0])];
        words[3] = [bits(self.platform_velocity[1]), bits(self.climb.left.x)];
        words[4] = [bits(self.climb.left.y), bits(self.climb.left.z)];
        let props = std::iter::once(&self.support).chain(&self.contacts_last_tick);
        for (words, prop) in words[6..].chunks_exact_mut(2).zip(props) {
            words.copy_from_slice(&hash_words(*prop, origin));
        }
        let mut hash = mix(&words);
        // Hardly ever anything else: the hash of all other units is as it was without these.
        if self.ladder_pause != 0.0 {
            hash ^= mix(&[[bits(self.ladder_pause), 1]]);
        }
        if let Some(turned) = self.turned_back {
            hash ^= mix(&turned.words());
        }
        if let Some(recurrence) = self.recurrence {
            hash ^= mix(&recurrence.words());
        }
        if self.crushers != Self::NONE.crushers {
            hash ^= self.hash_crushers(origin);
        }
        if self.support_put == 0 && self.boarded.is_none() {
            return hash;
        }
        let [low, high] = [hash as u32, (hash >> 32) as u32];
        let boarded = self.boarded.map_or([0, 0], |step| [1, step]);
        mix(&[[low, high], [self.support_put, 0], boarded])
    }

    fn hash_crushers(&self, origin: SectorCoord) -> u64 {
        let mut words = [[0_u32; 2]; 4 * CRUSHERS_MAX];
        for (words, crusher) in words.chunks_exact_mut(4).zip(&self.crushers) {
            words[..2].copy_from_slice(&hash_words(crusher.map(|crusher| crusher.prop), origin));
            let side = crusher.map_or(Vec3::ZERO, |crusher| crusher.side);
            words[2] = [side.x.to_bits(), side.y.to_bits()];
            words[3] = [side.z.to_bits(), 0];
        }
        mix(&words)
    }
}

/// The contact state of a unit: of most units [`ContactState::NONE`], which takes no memory.
#[derive(Debug, Default)]
pub(crate) struct KeptContactState(Option<Box<ContactState>>);

/// Memory for the contact state of units that have none yet.
pub(crate) type SpareContactStates = Mutex<Vec<Box<ContactState>>>;

impl KeptContactState {
    /// Replaces the state.
    pub(crate) fn put(&mut self, state: ContactState) {
        if state.is_same(&ContactState::NONE) {
            self.0 = None;
        } else {
            **self = state;
        }
    }

    /// As [`put`](Self::put), in a tick: memory is taken of the spares, and given back to them.
    pub(crate) fn put_in(&mut self, spares: &SpareContactStates, state: &ContactState) {
        let spares = || spares.lock().unwrap_or_else(PoisonError::into_inner);
        match (&mut self.0, state.is_same(&ContactState::NONE)) {
            (None, true) => {}
            (Some(kept), false) => **kept = *state,
            (None, false) => {
                let mut kept = spares().pop().unwrap_or_else(|| Box::new(ContactState::NONE));
                *kept = *state;
                self.0 = Some(kept);
            }
            (Some(_), true) => {
                let mut spares = spares();
                if spares.len() < spares.capacity() {
                    spares.extend(self.0.take());
                }
                self.0 = None;
            }
        }
    }
}

impl Deref for KeptContactState {
    type Target = ContactState;

    #[inline]
    fn deref(&self) -> &ContactState {
        const NONE: &ContactState = &ContactState::NONE;
        self.0.as_deref().unwrap_or(NONE)
    }
}

impl DerefMut for KeptContactState {
    fn deref_mut(&mut self) -> &mut ContactState {
        self.0.get_or_insert_with(|| Box::new(ContactState::NONE))
    }
}

impl Clone for KeptContactState {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Reuses memory.
    fn clone_from(&mut self, from: &Self) {
        self.0.clone_from(&from.0);
    }
}

fn hash_words(prop: Option<PropId>, origin: SectorCoord) -> [[u32; 2]; 2] {
    match prop {
        None => [[0, 0], [0, 0]],
        Some(PropId::Baked { sector, index }) => {
            let x = sector.x.wrapping_sub(origin.x) as u32;
            [[1, x], [sector.z.wrapping_sub(origin.z) as u32, index]]
        }
        Some(PropId::Live { slot, generation }) => [[2, 0], [slot, generation]],
    }
}
