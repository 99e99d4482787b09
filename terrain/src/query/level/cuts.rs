//! The outlines of kept faces at one place, each cut once.

use glam::{DVec2, DVec3};

use super::face::Face;
use super::outline::{Nearest, Outline};
use super::types::Slab;

/// Most faces that are kept around a place. If there are more, the world is asked.
pub(super) const FACES_MAX: usize = 64;

/// The outlines of faces at one place, as far as they were asked.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    /// For each face, the number of its cut plus 2; 1 if it has none, 0 if it was not asked.
    of: [u8; FACES_MAX],
    cuts: [Cut; FACES_MAX],
    len: usize,
}

/// The outline of a face, and where that is nearest to the axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) outline: Outline,
    pub(super) nearest: Nearest,
}

impl Cuts {
    pub(super) const fn new() -> Self {
        let nearest =
            Nearest { point: DVec2::ZERO, distance_squared: f64::INFINITY, inside: false };
        let cut = Cut { outline: Outline::NONE, nearest };
        Self { of: [0; FACES_MAX], cuts: [cut; FACES_MAX], len: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.of = [0; FACES_MAX];
        self.len = 0;
    }

    /// The outline of a face that has a number, cut once.
    #[inline]
    pub(super) fn cut(
        &mut self,
        (number, face): (usize, &Face),
        slab: &Slab,
        by: DVec3,
    ) -> Option<&Cut> {
        if self.of[number] == 0 {
            self.of[number] = 1;
            if let Some((outline, nearest)) = face.outline(slab, by) {
                self.cuts[self.len] = Cut { outline, nearest };
                self.len += 1;
                self.of[number] = self.len as u8 + 1;
            }
        }
        usize::from(self.of[number]).checked_sub(2).map(|at| &self.cuts[at])
    }
}
