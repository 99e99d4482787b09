//! The faces around a place, found and seen from it once, for all places near it.

use glam::{DVec2, DVec3, Vec3};

use super::cuts::FACES_MAX;
use super::face::Face;
use super::types::{LevelBody, Slab, check_level, region_of};
use crate::math::WorldPos;
use crate::query::columns::Column;
use crate::query::cylinder::Cylinder;
use crate::query::region::SEAM;
use crate::query::solids::{Solids, local};
use crate::query::types::QueryError;
use crate::query::visit::{Facet, Parts, Polygon, Source, Visit};

/// The faces around a place. Made once and reused.
#[derive(Debug)]
pub struct LevelFaces {
    /// Made once and filled again.
    list: Vec<NearbyFace>,
    len: usize,
    held: Option<HeldDisc>,
}

/// A face, and the square around it seen from above.
#[derive(Clone, Copy, Debug)]
struct NearbyFace {
    face: Face,
    /// Its number in its source; 0 of a triangle.
    number: u32,
    min: DVec2,
    max: DVec2,
}

impl NearbyFace {
    const NONE: Self = Self { face: Face::NONE, number: 0, min: DVec2::ZERO, max: DVec2::ZERO };
}

/// A disc, seen from a place, and heights above it. Metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldDisc {
    place: WorldPos,
    centre: DVec2,
    radius: f64,
    low: f64,
    high: f64,
    pub(super) has_ground: bool,
    /// Whether there were too many faces: none are kept.
    pub(super) is_cut: bool,
}

impl Default for LevelFaces {
    fn default() -> Self {
        Self::new()
    }
}

impl LevelFaces {
    /// No faces, and no room for any: the world is asked.
    #[must_use]
    pub const fn none() -> Self {
        Self { list: Vec::new(), len: 0, held: None }
    }

    /// Room for the faces around a place.
    #[must_use]
    pub fn new() -> Self {
        Self { list: vec![NearbyFace::NONE; FACES_MAX + 1], len: 0, held: None }
    }

    /// Forgets the faces.
    pub fn forget(&mut self) {
        self.held = None;
    }

    /// Whether all faces were [searched](Solids::level_faces) that a body with its feet at a place meets on a motion.
    /// Where there were too many of them, they need not be searched again.
    #[must_use]
    pub fn cover(&self, body: &LevelBody, feet: WorldPos, motion: DVec2) -> bool {
        self.held_at(&Slab::of(body, body.envelope().height), feet, motion).is_some()
    }

    /// The feet of a body for which all faces on a motion were searched, seen from the place.
    #[inline]
    pub(super) fn held_at(
        &self,
        slab: &Slab,
        feet: WorldPos,
        motion: DVec2,
    ) -> Option<(DVec3, &HeldDisc)> {
        let held = self.held.as_ref().filter(|held| held.place.sector() == feet.sector())?;
        let by = local(feet) - local(held.place);
        let begin = DVec2::new(by.x, by.z) - held.centre;
        let far = held.radius - slab.far;
        let is_near = |at: DVec2| far > 0.0 && at.length_squared() <= far * far;
        let is_held = slab.low + by.y >= held.low
            && slab.high + by.y <= held.high
            && is_near(begin)
            && is_near(begin + motion);
        is_held.then_some((by, held))
    }

    /// Whether nothing comes near a cylinder with its foot at two places, nor between them: no face of what
    /// [was found](Solids::level_faces), wherever it looks. Ground counts only where it was asked for. May return
    /// false too often.
    #[must_use]
    pub fn leave_free(&self, body: Cylinder, from: WorldPos, to: WorldPos) -> bool {
        self.leave_free_but(body, [from, to], |_| false)
    }

    /// Whether there is surely no prop face in a cylinder at a place that can be stood on: whose upward unit normal has a
    /// `y` of at least `upright`. May return false too often.
    #[must_use]
    pub fn hold_no_floor(&self, body: Cylinder, at: WorldPos, upright: f64) -> bool {
        self.leave_free_but(body, [at, at], |face| face.is_steeper(upright))
    }

    /// Whether surely no ground under a disc around a place is higher than `low` metres above it, of ground whose unit
    /// normal has a `y` of at least `upright`. May return false too often.
    #[must_use]
    pub fn hold_no_ground(&self, radius: f64, at: WorldPos, low: f64, upright: f64) -> bool {
        let held = self.held.filter(|held| !held.is_cut && held.has_ground);
        let Some(held) = held.filter(|held| held.place.sector() == at.sector()) else {
            return false;
        };
        let by = local(at) - local(held.place);
        let axis = DVec2::new(by.x, by.z);
        let (aside, far) = (axis - held.centre, held.radius - radius);
        let (min, max) = (axis - DVec2::splat(radius), axis + DVec2::splat(radius));
        far > 0.0
            && aside.length_squared() <= far * far
            && by.y + low >= held.low
            && self.faces().iter().all(|near| {
                let is_beside = near.min.cmpgt(max).any() || near.max.cmplt(min).any();
                is_beside || near.face.is_below(by + DVec3::Y * low, radius, upright)
            })
    }

    /// As [`leave_free`](Self::leave_free), but for faces that do not count.
    #[inline]
    fn leave_free_but(
        &self,
        body: Cylinder,
        [from, to]: [WorldPos; 2],
        is_let: impl Fn(&Face) -> bool,
    ) -> bool {
        let Some(held) = self.held.filter(|held| !held.is_cut) else { return false };
        let (sector, place) = (held.place.sector(), local(held.place));
        if from.sector() != sector || to.sector() != sector {
            return false;
        }
        let ends = [from, to].map(|at| local(at) - place);
        let radius = f64::from(body.radius) + SEAM;
        let (low, high) = (-SEAM, f64::from(body.height) + SEAM);
        let far = held.radius - radius;
        let is_held = far > 0.0
            && ends.iter().all(|at| {
                let aside = DVec2::new(at.x, at.z) - held.centre;
                aside.length_squared() <= far * far
                    && at.y + low >= held.low
                    && at.y + high <= held.high
            });
        let [from, to] = ends.map(|at| DVec2::new(at.x, at.z));
        let (min, max) = around(from, to);
        let (min, max) = (min - DVec2::splat(radius), max + DVec2::splat(radius));
        is_held
            && self.faces().iter().all(|near| {
                let is_beside = near.min.cmpgt(max).any() || near.max.cmplt(min).any();
                is_beside || is_let(&near.face) || near.face.is_beside(ends, radius, (low, high))
            })
    }

    #[inline]
    fn faces(&self) -> &[NearbyFace] {
        &self.list[..self.len]
    }

    /// Calls `visit` with the faces that come near the square around a disc on a motion, and their numbers.
    #[inline]
    pub(super) fn each_beside(
        &self,
        from: DVec3,
        motion: DVec2,
        radius: f64,
        mut visit: impl FnMut(usize, &Face),
    ) {
        let from = DVec2::new(from.x, from.z);
        let (to, by) = (from + motion, DVec2::splat(radius));
        let (min, max) = around(from, to);
        let (min, max) = (min - by, max + by);
        for (number, near) in self.faces().iter().enumerate() {
            if near.min.cmple(max).all() && near.max.cmpge(min).all() {
                visit(number, &near.face);
            }
        }
    }
}

impl Solids<'_> {
    /// Keeps all faces that a body meets whose feet are no farther than half of `ahead` and `aside` metres from
    /// the middle of that motion, as far as they are between two heights above the feet. Where there are too many,
    /// none are kept.
    ///
    /// # Errors
    /// If the body has no size, the motion is too long, or a sector is not in memory.
    #[doc(hidden)]
    pub fn level_faces(
        &self,
        body: &LevelBody,
        feet: WorldPos,
        (ahead, aside): (DVec2, f64),
        (low, high): (f64, f64),
        faces: &mut LevelFaces,
    ) -> Result<(), QueryError> {
        (faces.len, faces.held) = (0, None);
        let slab = Slab::of(body, body.envelope().height);
        let centre = 0.5 * ahead;
        let held = HeldDisc {
            place: feet,
            centre,
            radius: slab.far + centre.length() + aside,
            low,
            high,
            has_ground: self.meets_ground(),
            is_cut: false,
        };
        check_level(body, ahead)?;
        let middle = local(feet) + DVec3::new(centre.x, 0.0, centre.y);
        let region = region_of(feet.sector(), middle, held.radius, (held.low, held.high));
        let feet = local(feet);
        let mut finder = Finder { held: &held, feet, middle, faces, first: 0, is_cut: false };
        self.each(&region, &mut finder).map_err(|sector| QueryError::NotResident { sector })?;
        let is_cut = finder.is_cut;
        faces.held = Some(HeldDisc { is_cut, ..held });
        Ok(())
    }
}

struct Finder<'a> {
    held: &'a HeldDisc,
    feet: DVec3,
    middle: DVec3,
    faces: &'a mut LevelFaces,
    /// How many faces there are of the sources before this one.
    first: usize,
    is_cut: bool,
}

impl Visit for Finder<'_> {
    fn asks_ground(&self) -> bool {
        self.held.has_ground
    }

    fn column(&self) -> Option<Column> {
        Some(Column { at: self.middle, radius: self.held.radius + SEAM, motion: DVec3::ZERO })
    }

    fn source(&mut self, _: &Source) -> bool {
        self.first = self.faces.len;
        !self.is_cut
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        if let Some(face) = self.add(source, 0, &facet.corners) {
            face.set_triangle(source, facet);
        }
    }

    fn parts(&self) -> Parts {
        Parts::Faces
    }

    fn wants_face(&self, number: u32) -> bool {
        self.faces.faces()[self.first..].iter().all(|known| known.number != number)
    }

    fn face(&mut self, source: &Source, number: u32, polygon: &Polygon<'_>) {
        if let Some(face) = self.add(source, number, polygon.corners) {
            face.set_polygon(source, polygon);
        }
    }
}

impl Finder<'_> {
    /// Adds a face with these corners, if it is near and there is room for it. By geometry alone: how many there are
    /// must not depend on who found them.
    #[inline]
    fn add(&mut self, source: &Source, number: u32, corners: &[Vec3]) -> Option<&mut Face> {
        let LevelFaces { list, len, .. } = &mut *self.faces;
        let held = self.held;
        let Some(near) = list.get_mut(*len) else {
            self.is_cut = true;
            return None;
        };
        let (min, max) = near.face.set_corners(corners, source.origin - self.feet);
        let flat = |corner: DVec3| DVec2::new(corner.x, corner.z);
        (near.min, near.max) = (flat(min), flat(max));
        let radius = DVec2::splat(held.radius);
        if near.min.cmpgt(held.centre + radius).any()
            || near.max.cmplt(held.centre - radius).any()
            || max.y < held.low
            || (min.y > held.high && !source.is_terrain())
        {
            return None;
        }
        if *len == FACES_MAX {
            self.is_cut = true;
            return None;
        }
        near.number = number;
        *len += 1;
        Some(&mut near.face)
    }
}

/// The corners of the square around two places.
#[inline]
fn around(a: DVec2, b: DVec2) -> (DVec2, DVec2) {
    (DVec2::select(b.cmplt(a), b, a), DVec2::select(b.cmpgt(a), b, a))
}
