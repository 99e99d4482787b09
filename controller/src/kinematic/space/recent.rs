//! Answers at the places that were asked last: a tick comes back to a place again and again.

use marchland_terrain::WorldPos;

/// How many places are known.
const PLACES: usize = 4;

/// What was answered at some places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recent<T> {
    known: [Option<(WorldPos, T)>; PLACES],
    next: usize,
}

impl<T: Copy> Recent<T> {
    pub(crate) const fn new() -> Self {
        Self { known: [None; PLACES], next: 0 }
    }

    #[inline]
    pub(crate) fn get(&self, at: WorldPos) -> Option<T> {
        self.known.iter().flatten().find(|(place, _)| *place == at).map(|(_, answer)| *answer)
    }

    pub(crate) fn put(&mut self, at: WorldPos, answer: T) {
        self.known[self.next] = Some((at, answer));
        self.next = (self.next + 1) % PLACES;
    }
}
