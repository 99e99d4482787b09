//! The outlines of faces at one place, each cut once.

use glam::DVec3;

use super::face::Face;
use super::outline::Cut;
use super::types::Slab;

/// Most faces that are kept around a place. If there are more, the world is asked.
pub(super) const FACES_MAX: usize = 64;

/// The outlines at one place, as far as they were asked.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    /// For each kept face, the number of its cut plus 2; 1 if it has none, 0 if it was not asked.
    of: [u8; FACES_MAX],
    cuts: [Cut; FACES_MAX],
    /// The first place that is free.
    pub(super) free: usize,
}

impl Cuts {
    pub(super) const fn new() -> Self {
        Self { of: [0; FACES_MAX], cuts: [Cut::NONE; FACES_MAX], free: 0 }
    }

    pub(super) fn clear(&mut self) {
        (self.of, self.free) = ([0; FACES_MAX], 0);
    }

    pub(super) fn at(&self, number: usize) -> &Cut {
        &self.cuts[number]
    }

    /// The number of the outline of a kept face that has a number, cut once.
    #[inline]
    pub(super) fn cut(
        &mut self,
        (number, face): (usize, &Face),
        slab: &Slab,
        by: DVec3,
    ) -> Option<usize> {
        if self.of[number] == 0 {
            self.of[number] = 1;
            if let Some(at) = self.try_cut(face, slab, by) {
                self.of[number] = at as u8 + 2;
                self.free += 1;
            }
        }
        usize::from(self.of[number]).checked_sub(2)
    }

    /// The number of the outline of a face, in a place that stays free.
    #[inline]
    pub(super) fn try_cut(&mut self, face: &Face, slab: &Slab, by: DVec3) -> Option<usize> {
        face.cut(slab, by, &mut self.cuts[self.free]).then_some(self.free)
    }
}
