//! What a body that moves level meets first.

use glam::{DVec2, DVec3};

use super::face::Face;
use super::outline::Meeting;
use super::types::{LevelImpact, Slab};
use crate::query::columns::Column;
use crate::query::solids::Solids;
use crate::query::visit::{Facet, Source, Visit};

/// How much nearer than it is already a motion may come to something. Metres: far more than rounding, so that a
/// motion along a wall is not stopped by it, and far less than the skin.
pub(super) const NEARER: f64 = 1e-7;

/// Finds the first impact.
pub(super) struct FirstImpact<'a, 'w> {
    pub(super) solids: &'a Solids<'w>,
    pub(super) feet: DVec3,
    pub(super) slab: Slab,
    pub(super) motion: DVec2,
    /// How near the disc may come to what it does not overlap. Metres.
    pub(super) radius: f64,
    pub(super) best: Option<LevelImpact>,
}

impl Visit for FirstImpact<'_, '_> {
    fn asks_ground(&self) -> bool {
        self.solids.meets_ground()
    }

    fn column(&self) -> Option<Column> {
        let motion = DVec3::new(self.motion.x, 0.0, self.motion.y);
        Some(Column { at: self.feet, radius: self.slab.reach, motion })
    }

    fn source(&mut self, _: &Source) -> bool {
        true
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let Self { solids, feet, slab, .. } = self;
        let Some(face) = Face::of(solids, source, facet, *feet, slab) else { return };
        if face.is_top {
            return;
        }
        let Some((outline, nearest)) = face.outline(slab) else { return };
        if nearest.inside {
            return;
        }
        // What the body is in already, it may leave, and go along. Ground is kept out of the body, not of its skin.
        let distance = nearest.distance_squared.sqrt();
        let own = distance - NEARER;
        let kept = if face.is_ground && distance < slab.skin { slab.radius } else { self.radius };
        let radius = if own < kept { own } else { kept };
        if radius <= 0.0 {
            return;
        }
        let until = self.best.as_ref().map_or(1.0, |best| best.time);
        if let Some(meeting) = outline.meeting(radius, self.motion, until) {
            self.take(&face, meeting);
        }
    }
}

impl FirstImpact<'_, '_> {
    fn take(&mut self, face: &Face, meeting: Meeting) {
        let Meeting { time, normal } = meeting;
        let new = LevelImpact {
            time,
            normal,
            is_ground: face.is_ground,
            triangle: face.triangle,
            surface: face.surface,
        };
        // A wall before ground that is met with it; then by geometry. Ids only name.
        let key =
            |hit: &LevelImpact| (hit.time, hit.is_ground, hit.normal.x, hit.normal.y, hit.triangle);
        if self.best.as_ref().is_none_or(|best| key(&new) < key(best)) {
            self.best = Some(new);
        }
    }
}
