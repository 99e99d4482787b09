//! How a walk over the world fills a [`Gathered`].

use super::blocks::{BlockPool, FACES, GatheredSource, ROWS};
use super::{Count, FACES_MAX, Gathered};
use crate::heightfield::HeightfieldView;
use crate::math::{Aabb, greater};
use crate::query::boxes::BOXES_AT_ONCE;
use crate::query::ground;
use crate::query::packet::{TRIANGLES_AT_ONCE, TrianglePacket};
use crate::query::region::SectorRegion;
use crate::query::visit::{Facet, Parts, Polygon, Source, Visit};

impl Gathered {
    /// Whether there is a block of this number: the last one, or the one after it.
    fn has_block(&mut self, number: usize) -> bool {
        if number == self.blocks.len() && number < self.blocks.capacity() {
            self.blocks.extend(self.shared.as_ref().and_then(BlockPool::take));
        }
        number < self.blocks.len()
    }

    /// The number of a face of the last source among all, plus 1; 0 if it is not there. The last ones are asked most.
    #[inline]
    fn number_of(&self, number: u32) -> u16 {
        if number > self.greatest_face {
            return 0;
        }
        let mut known = (self.last.first_face as usize..self.count.faces).rev();
        known.find(|at| self.face_at(*at).number == number).map_or(0, |at| at as u16 + 1)
    }
}

impl Visit for Gathered {
    fn asks_ground(&self) -> bool {
        false
    }

    fn ground(&mut self, field: &HeightfieldView<'_>, here: &SectorRegion<'_>) {
        // Many queries will follow: those above all ground do not search it.
        let highest = f64::from(ground::highest(field, here));
        self.ground_most = greater(highest, self.ground_most);
    }

    #[inline]
    fn source(&mut self, source: &Source) -> bool {
        self.end_source();
        self.is_full = self.is_full || !self.has_block(self.count.sources);
        if !self.is_full {
            let Count { rows, faces, .. } = self.count;
            let (first_row, first_face) = (rows as u32, faces as u32);
            self.last = GatheredSource { source: *source, first_row, triangles: 0, first_face };
            self.greatest_face = 0;
            self.count.sources += 1;
        }
        !self.is_full
    }

    #[inline]
    fn facet(&mut self, _: &Source, facet: &Facet) {
        let lane = self.last.triangles as usize % TRIANGLES_AT_ONCE;
        if lane == 0 && !self.is_full {
            self.is_full = !self.has_block(self.count.rows / ROWS);
            self.count.rows += usize::from(!self.is_full);
        }
        self.is_full |= self.count.triangles == self.most;
        if self.is_full {
            return;
        }
        let face = match facet.face {
            0 => 0,
            face => self.number_of(face),
        };
        let around = Aabb::around_three(facet.corners);
        let row = self.count.rows - 1;
        let group = &mut self.blocks[row / BOXES_AT_ONCE * (BOXES_AT_ONCE / ROWS)].group;
        if lane == 0 {
            group.put(row % BOXES_AT_ONCE, &around);
        } else {
            group.widen(row % BOXES_AT_ONCE, &around);
        }
        let (block, row) = (&mut self.blocks[row / ROWS], row % ROWS);
        if lane == 0 {
            block.packets[row] = TrianglePacket::NONE;
        }
        block.put((row, lane), facet, face);
        self.count.triangles += 1;
        let last = &mut self.last;
        last.triangles += 1;
        if last.source.is_terrain() {
            last.source.bounds = last.source.bounds.union(around);
        }
    }

    fn parts(&self) -> Parts {
        Parts::Both
    }

    fn wants_face(&self, number: u32) -> bool {
        !self.is_full && self.number_of(number) == 0
    }

    #[inline]
    fn face(&mut self, _: &Source, number: u32, polygon: &Polygon<'_>) {
        let mut at = self.count.faces;
        while at < FACES_MAX && self.has_block(at / FACES) {
            if self.blocks[at / FACES].put_face(at % FACES, number, polygon) {
                self.greatest_face = greater(number, self.greatest_face);
                self.count.faces = at + 1;
                return;
            }
            at = (at + 1).next_multiple_of(FACES);
        }
        self.is_full = true;
    }
}
