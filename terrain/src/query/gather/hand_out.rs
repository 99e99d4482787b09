//! What is gathered, handed out again: boxes eight at a time, and triangle by triangle or face by face.

use super::blocks::{Block, FACES, GatheredFace, GatheredSource, ROWS};
use super::{FACES_MAX, Gathered};
use crate::math::{Aabb, between, lesser, outward};
use crate::props::PropId;
use crate::query::boxes::BOXES_AT_ONCE;
use crate::query::each_triangle::each_ground_triangle;
use crate::query::region::{Region, SEAM};
use crate::query::types::PropMotion;
use crate::query::visit::{Parts, Source, Visit};
use crate::view::TerrainView;

/// Sources with up to this many rows are tested row by row: testing their groups first takes as long.
const FEW_ROWS: usize = 2;

impl Gathered {
    #[inline]
    fn sources(&self, count: usize) -> impl Iterator<Item = &GatheredSource> {
        self.blocks[..count].iter().map(|block| &block.source)
    }

    #[inline]
    fn of_props(&self) -> impl Iterator<Item = &GatheredSource> {
        self.sources(self.props)
    }

    #[inline]
    pub(super) fn face_at(&self, at: usize) -> &GatheredFace {
        &self.blocks[at / FACES].faces[at % FACES]
    }

    /// Number of gathered triangles of props.
    #[must_use]
    pub fn len(&self) -> usize {
        self.of_props().map(|one| one.triangles as usize).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn has_props(&self) -> bool {
        self.region.is_none() || self.props > 0
    }

    pub(crate) fn has_moving(&self) -> bool {
        self.region.is_none()
            || self.of_props().any(|one| one.source.moving != PropMotion::default())
    }

    /// Whether only the triangles of one prop would be handed out for a region without motion that is in the
    /// frame of what is gathered. May return false too often.
    #[inline]
    pub(crate) fn has_surely_only(&self, own: Option<PropId>, region: &Region) -> bool {
        let is_held = |gathered: &Region| {
            gathered.sector == region.sector
                && region.min.cmpge(gathered.min).all()
                && region.max.cmple(gathered.max).all()
        };
        self.region.as_ref().is_some_and(is_held)
            && region.min.y > self.ground_most
            && self.of_props().all(|one| {
                let Source { origin, bounds, .. } = &one.source;
                one.source.triangle(0).prop() == own
                    || !(bounds.min.as_dvec3().cmple(region.max - *origin).all()
                        && bounds.max.as_dvec3().cmpge(region.min - *origin).all())
            })
    }

    /// Hands out what touches `region`, except some props. Returns false if not all of that was gathered.
    pub(crate) fn hand_out(
        &self,
        view: TerrainView<'_>,
        absent: &[PropId],
        region: &Region,
        visit: &mut impl Visit,
    ) -> bool {
        let Some(gathered) = self.holding(view, region) else { return false };
        let (low, high) = region.bounds();
        let shift = between(region.sector, gathered.sector, view.grid().sector_size());
        let asks_ground = visit.asks_ground() && low.y <= self.ground_most;
        if asks_ground && !self.has_ground {
            each_ground_triangle(view, region, visit);
        }
        let column = visit.column();
        let by_faces = visit.parts() == Parts::Faces;
        let mut told = [0_u64; FACES_MAX / 64];
        for one in self.sources(if asks_ground { self.count.sources } else { self.props }) {
            let origin = one.source.origin + shift;
            // Ground is solid downwards: above it there is no end.
            let top = if one.source.is_terrain() { f64::INFINITY } else { high.y };
            let (low, high) = (low - origin, high.with_y(top) - origin);
            let (min, max) = (one.source.bounds.min.as_dvec3(), one.source.bounds.max.as_dvec3());
            if !(min.cmple(high).all() && max.cmpge(low).all()) {
                continue;
            }
            let source = Source { origin, ..one.source };
            if source.is_among(absent) || !visit.source(&source) {
                continue;
            }
            let near = outward(low, high);
            let column = column.map(|column| column.seen_from(origin, &one.source.bounds));
            self.rows_near(one, &near, |block, row| {
                let packet = &block.packets[row];
                let mut touching = packet.touching(&near);
                if let Some(column) = &column
                    && touching != 0
                {
                    touching = packet.near(touching, column);
                }
                while touching != 0 {
                    let lane = touching.trailing_zeros() as usize;
                    touching &= touching - 1;
                    let facet = block.facet(row, lane);
                    let Some(face) = (facet.face as usize).checked_sub(1).filter(|_| by_faces)
                    else {
                        visit.facet(&source, &facet);
                        continue;
                    };
                    let (word, bit) = (&mut told[face / 64], 1 << (face % 64));
                    if *word & bit == 0 {
                        *word |= bit;
                        let polygon = self.blocks[face / FACES].polygon(face % FACES);
                        visit.face(&source, self.face_at(face).number, &polygon);
                    }
                }
            });
        }
        true
    }

    /// Whether a region without motion is known to hold at most so many triangles of props, none of which moves:
    /// those whose boxes touch it. May return false too often.
    #[doc(hidden)]
    #[must_use]
    pub fn has_at_most(&self, view: TerrainView<'_>, region: &Region, most: u32) -> bool {
        let Some(gathered) = self.holding(view, region) else { return false };
        let shift = between(region.sector, gathered.sector, view.grid().sector_size());
        let (low, high) = region.grown_by(SEAM).bounds();
        let mut count = 0;
        for one in self.of_props() {
            let origin = one.source.origin + shift;
            let near = outward(low - origin, high - origin);
            self.rows_near(one, &near, |block, row| {
                count += block.packets[row].touching(&near).count_ones();
            });
            if count > most || one.source.moving != PropMotion::default() {
                return false;
            }
        }
        true
    }

    /// Calls `visit` with the rows of a source that may touch a box, in order: a block, and the number there.
    #[inline]
    fn rows_near(&self, of: &GatheredSource, near: &Aabb, mut visit: impl FnMut(&Block, usize)) {
        let (first, rows) = (of.first_row as usize, of.rows());
        let end = first + rows;
        for group in first / BOXES_AT_ONCE..end.div_ceil(BOXES_AT_ONCE) {
            let begin = group * BOXES_AT_ONCE;
            let (from, to) = (first.saturating_sub(begin), lesser(end - begin, BOXES_AT_ONCE));
            let mut near_rows = (1_u32 << to) - (1 << from);
            if rows > FEW_ROWS {
                near_rows &= self.blocks[begin / ROWS].group.touching(near);
            }
            while near_rows != 0 {
                let row = begin + near_rows.trailing_zeros() as usize;
                visit(&self.blocks[row / ROWS], row % ROWS);
                near_rows &= near_rows - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use marchland_random::Random;

    use glam::{DVec3, Vec3};

    use super::*;
    use crate::heightfield::SurfaceId;
    use crate::props::PropId;

    use crate::query::visit::Facet;
    use crate::query::visit::SourceId;

    #[test]
    fn the_rows_of_groups_are_all_that_hold_anything_near() {
        let mut random = Random::new(13);
        let mut part = || random.within(0.0, 1.0);
        let (mut told, mut left_out) = (0, 0);
        for round in 0..300 {
            let mut gathered = Gathered::with_capacity(1024);
            for slot in 0..3 {
                let source = Source {
                    id: SourceId::Live(PropId::Live { slot, generation: 1 }),
                    origin: DVec3::ZERO,
                    solid: true,
                    moving: PropMotion::default(),
                    bounds: Aabb::EMPTY,
                };
                assert!(gathered.source(&source));
                for triangle in 0..[7, 8, 9, 16, 17, 24, 63, 64, 65, 150][round % 10] {
                    // One after the other along a way, as in a mesh.
                    let middle = Vec3::new(triangle as f32 * 0.1, part(), part());
                    let corners = [(); 3].map(|()| middle + Vec3::new(part(), part(), part()));
                    let facet =
                        Facet { corners, triangle, edges: 0, surface: SurfaceId(0), face: 0 };
                    gathered.facet(&source, &facet);
                }
            }
            assert!(!gathered.is_overfull());
            gathered.props = gathered.count.sources;
            for _ in 0..50 {
                let corner = Vec3::new(part() * 16.0, part() * 2.0, part() * 2.0);
                let near = Aabb { min: corner, max: corner + Vec3::splat(part()) };
                for one in gathered.of_props() {
                    let mut found = Vec::new();
                    gathered.rows_near(one, &near, |block, row| {
                        let lanes = block.packets[row].touching(&near);
                        let lanes = (0..BOXES_AT_ONCE).filter(|lane| lanes >> lane & 1 == 1);
                        found.extend(lanes.map(|lane| block.facet(row, lane).triangle));
                        told += 1;
                    });
                    let first = one.first_row as usize;
                    let facets: Vec<Facet> = (first..first + one.rows())
                        .flat_map(|row| {
                            let block = &gathered.blocks[row / ROWS];
                            [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| block.facet(row % ROWS, lane))
                        })
                        .take(one.triangles as usize)
                        .collect();
                    let touches = |facet: &&Facet| Aabb::around_three(facet.corners).touches(&near);
                    let plain = facets.iter().filter(touches).map(|facet| facet.triangle);
                    let plain: Vec<u32> = plain.collect();
                    assert_eq!(found, plain);
                    left_out += facets.len().div_ceil(BOXES_AT_ONCE);
                }
            }
        }
        assert!(told * 2 < left_out, "{told} of {left_out} rows are asked");
    }
}
