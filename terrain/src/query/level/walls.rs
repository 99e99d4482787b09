//! The walls around a body at a place: the outlines of everything within its skin, without the seams between
//! them.
//!
//! An outline whose nearest place lies on an outline that is nearer is not a wall of its own. Outlines are
//! convex: who stays a distance from one stays as far from each of its places. So an edge between two faces of
//! a flat wall, or a wall's end that another prop continues, holds nobody up. Nor is an outline a wall that is seen
//! only through a nearer one: the far side of a mesh that is not closed.

use glam::{DVec2, DVec3};

use super::cuts::Cuts;
use super::face::{Face, Side};
use super::sweep::NEARER;
use super::types::{Envelope, Slab, Wall};
use crate::query::region::SEAM;
use crate::query::solids::Solids;
use crate::query::types::TriangleId;

/// Most outlines that are judged at a place. If there are more, the nearest: only nearer ones make an outline
/// a seam.
pub(super) const OUTLINES_MAX: usize = 48;

/// Nearer to the axis than this, an outline has no side on which the body is. Metres.
const ON_AXIS: f64 = 1e-9;

/// The walls around a place, reused for others.
#[derive(Clone, Debug)]
pub struct Walls {
    found: [FoundWall; OUTLINES_MAX],
    len: usize,
    walls: [Wall; OUTLINES_MAX],
    wall_count: usize,
    envelope: Envelope,
    /// Whether something is only in the skin above the head, or in so little of the head as rounding makes up.
    pub(super) is_overhead: bool,
    depth: f64,
    /// Whether something crosses the body's axis.
    is_crossed: bool,
    pub(super) has_moving: bool,
    pub(super) cuts: Cuts,
}

/// An outline near a body.
#[derive(Clone, Copy, Debug)]
struct FoundWall {
    /// The number of its outline.
    outline: usize,
    wall: Wall,
    distance_squared: f64,
}

impl Walls {
    /// Memory for the walls of a place.
    #[must_use]
    pub const fn new() -> Self {
        let found = FoundWall { outline: 0, wall: Wall::NONE, distance_squared: 0.0 };
        Self {
            found: [found; OUTLINES_MAX],
            len: 0,
            walls: [Wall::NONE; OUTLINES_MAX],
            wall_count: 0,
            envelope: Envelope { radius: 0.0, height: 0.0 },
            is_overhead: false,
            depth: f64::NEG_INFINITY,
            is_crossed: false,
            has_moving: false,
            cuts: Cuts::new(),
        }
    }

    /// The walls, nearest first.
    #[must_use]
    pub fn as_slice(&self) -> &[Wall] {
        &self.walls[..self.wall_count]
    }

    /// How deep the body itself is in what is nearest to its axis. Metres; below 0 where it is in nothing, and
    /// infinite where something crosses its axis.
    #[must_use]
    pub fn depth(&self) -> f64 {
        if self.is_crossed { f64::INFINITY } else { self.depth }
    }

    /// Whether anything around the body belongs to a prop that moves.
    #[must_use]
    pub fn has_moving(&self) -> bool {
        self.has_moving
    }

    /// What a motion that begins here has to keep free.
    #[must_use]
    pub fn envelope(&self) -> Envelope {
        self.envelope
    }

    /// Forgets the walls: there is nothing around a body that has to keep this much free.
    pub fn clear(&mut self, envelope: Envelope) {
        (self.len, self.wall_count) = (0, 0);
        (self.is_crossed, self.is_overhead, self.has_moving) = (false, false, false);
        self.depth = f64::NEG_INFINITY;
        self.envelope = envelope;
        self.cuts.clear();
    }

    /// Takes a face with the number of its outline, for a body with its feet `by` metres beside where the face is
    /// seen from. Returns the number of the outline that makes room for it, if one does.
    #[inline]
    pub(super) fn take(
        &mut self,
        face: &Face,
        side: Side,
        outline: usize,
        slab: &Slab,
        by: DVec3,
    ) -> Option<usize> {
        let nearest = &self.cuts.at(outline).nearest;
        let distance_squared = nearest.distance_squared;
        if !(nearest.inside || distance_squared < slab.far * slab.far) {
            return None;
        }
        self.has_moving |= face.is_moving;
        if slab.overlaps(nearest) && face.is_overhead(slab, by) {
            self.is_overhead = true;
            return None;
        }
        if nearest.inside {
            self.is_crossed = true;
            return None;
        }
        let distance = distance_squared.sqrt();
        if slab.radius - distance > self.depth {
            self.depth = slab.radius - distance;
        }
        if side == Side::Top {
            return None;
        }
        let is_ground = side == Side::Ground;
        if !is_ground && distance >= slab.radius && distance < self.envelope.radius {
            self.envelope.radius = distance;
        }
        if distance <= ON_AXIS {
            self.is_crossed = true;
            return None;
        }
        let (point, triangle, surface) = (nearest.point, face.triangle, face.surface);
        let normal = DVec2::new(-point.x / distance, -point.y / distance);
        let wall = Wall { point, normal, distance, is_ground, triangle, surface };
        self.put(FoundWall { outline, distance_squared, wall })
    }

    /// Looks at a face around a body: keeps its outline, if it is near and in the way.
    #[inline]
    pub(super) fn look_at(&mut self, solids: &Solids<'_>, slab: &Slab, face: &Face) {
        let Some(side) = face.side(solids, slab, DVec3::ZERO, f64::INFINITY) else { return };
        if let Some(cut) = self.cuts.try_cut(face, slab, DVec3::ZERO) {
            let before = self.len;
            let replaced = self.take(face, side, cut, slab, DVec3::ZERO);
            if self.len > before || replaced.is_some() {
                self.cuts.free = replaced.unwrap_or(cut + 1);
            }
        }
    }

    /// Whether a face is on the list.
    pub(super) fn has(&self, triangle: TriangleId) -> bool {
        self.found[..self.len].iter().any(|found| found.wall.triangle == triangle)
    }

    fn put(&mut self, new: FoundWall) -> Option<usize> {
        let is_before = |a: &FoundWall, b: &FoundWall| order(a) < order(b);
        let (mut at, mut replaced) = (self.len, None);
        if at == OUTLINES_MAX {
            if !is_before(&new, &self.found[at - 1]) {
                return None;
            }
            at -= 1;
            replaced = Some(self.found[at].outline);
        } else {
            self.len += 1;
        }
        while at > 0 && is_before(&new, &self.found[at - 1]) {
            self.found[at] = self.found[at - 1];
            at -= 1;
        }
        self.found[at] = new;
        replaced
    }

    /// Keeps those that are no seams.
    pub(super) fn judge(&mut self, skin: f64) {
        if self.envelope.radius < skin {
            self.envelope.radius -= NEARER;
        }
        for at in 0..self.len {
            let wall = self.found[at].wall;
            let is_seam = self.found[..at].iter().any(|nearer| {
                let outline = &self.cuts.at(nearer.outline).outline;
                let nearest = outline.nearest(wall.point);
                nearest.inside
                    || nearest.distance_squared < SEAM * SEAM
                    || outline.hides(wall.point)
            });
            if !is_seam {
                self.walls[self.wall_count] = wall;
                self.wall_count += 1;
            }
        }
    }
}

impl Default for Walls {
    fn default() -> Self {
        Self::new()
    }
}

/// Nearest first; ties by place, not by the order of triangles. Ids only name what is in the same place.
fn order(of: &FoundWall) -> (f64, f64, f64, bool, TriangleId) {
    let FoundWall { wall, distance_squared, .. } = of;
    (*distance_squared, wall.point.x, wall.point.y, wall.is_ground, wall.triangle)
}
