//! What a body that moves level meets first.

use glam::{DVec2, DVec3};

use super::face::{Face, Side};
use super::outline::{Cut, Meeting};
use super::types::{LevelImpact, Slab};
use crate::math::lesser;
use crate::query::solids::Solids;

/// How much nearer than it is already a motion may come to something. Metres: far more than rounding, so that a
/// motion along a wall is not stopped by it, and far less than the skin.
pub(super) const NEARER: f64 = 1e-7;

/// A motion, and its first impact as far as is known.
pub(super) struct LevelImpactSearch {
    pub(super) motion: DVec2,
    /// The radii of the body, with its skin, and how near the disc may come to what it does not overlap. Metres.
    pub(super) radius: f64,
    pub(super) skin: f64,
    pub(super) room: f64,
    pub(super) best: Option<LevelImpact>,
}

impl LevelImpactSearch {
    pub(super) fn of(motion: DVec2, slab: &Slab, room: f64) -> Self {
        Self { motion, radius: slab.radius, skin: slab.skin, room, best: None }
    }

    /// Looks at a face near the body: takes it, if it is in the way and met before everything else so far.
    #[inline]
    pub(super) fn look_at(&mut self, solids: &Solids<'_>, slab: &Slab, face: &Face) {
        let Some(side) = face.side(solids, slab, DVec3::ZERO, f64::INFINITY) else { return };
        let mut cut = Cut::NONE;
        if face.cut(slab, DVec3::ZERO, &mut cut) {
            self.meet(face, side, &cut);
        }
    }

    /// Takes a face, if it is met before everything else so far.
    #[inline]
    pub(super) fn meet(&mut self, face: &Face, side: Side, cut: &Cut) {
        let Cut { outline, nearest } = cut;
        if side == Side::Top || nearest.inside {
            return;
        }
        // What the body is in already, it may leave, and go along. Ground is kept out of the body, not of its skin.
        let distance = nearest.distance_squared.sqrt();
        let own = distance - NEARER;
        let is_ground = side == Side::Ground;
        let kept = if is_ground && distance < self.skin { self.radius } else { self.room };
        let radius = lesser(own, kept);
        if radius <= 0.0 {
            return;
        }
        // It comes nearer than that only if it goes far enough towards the nearest place: the rest of the outline, which
        // is convex, lies behind it.
        let nearer = nearest.point.dot(self.motion);
        if nearer < (distance - radius - NEARER) * distance {
            return;
        }
        let until = self.best.as_ref().map_or(1.0, |best| best.time);
        if let Some(meeting) = outline.meeting(radius, self.motion, until) {
            self.take(face, is_ground, meeting);
        }
    }

    fn take(&mut self, face: &Face, is_ground: bool, Meeting { time, normal }: Meeting) {
        let (triangle, surface) = (face.triangle, face.surface);
        let new = LevelImpact { time, normal, is_ground, triangle, surface };
        // A wall before ground that is met with it; then by geometry. Ids only name.
        let key =
            |hit: &LevelImpact| (hit.time, hit.is_ground, hit.normal.x, hit.normal.y, hit.triangle);
        if self.best.as_ref().is_none_or(|best| key(&new) < key(best)) {
            self.best = Some(new);
        }
    }
}
