//! Walls at a place and the first on a way, where all that is met is among faces that were found before.

use glam::{DVec2, DVec3};

use super::near::LevelFaces;
use super::outline::Cut;
use super::sweep::LevelImpactSearch;
use super::types::{Envelope, LevelBody, LevelImpact, Slab};
use super::walls::Walls;
use crate::math::WorldPos;
use crate::props::PropId;
use crate::query::solids::Solids;

impl Solids<'_> {
    /// As [`level_walls`](Self::level_walls), where all that is met is among the faces. Returns whether it is.
    #[doc(hidden)]
    pub fn level_walls_among(
        &self,
        faces: &LevelFaces,
        body: &LevelBody,
        feet: WorldPos,
        walls: &mut Walls,
    ) -> bool {
        let envelope = body.envelope();
        let slab = Slab::of(body, envelope.height);
        let Some(by) = self.seen_among(faces, &slab, feet, DVec2::ZERO) else { return false };
        self.walls_below(faces, &slab, by, (envelope, walls));
        if walls.is_overhead {
            self.walls_lower(faces, body, by, walls);
        }
        true
    }

    /// Finds the walls anew where something is overhead.
    #[inline(never)]
    fn walls_lower(&self, faces: &LevelFaces, body: &LevelBody, by: DVec3, walls: &mut Walls) {
        let mut envelope = body.envelope();
        while walls.is_overhead {
            let has_moving = walls.has_moving();
            envelope.height = body.lower(envelope.height);
            self.walls_below(faces, &Slab::of(body, envelope.height), by, (envelope, walls));
            walls.has_moving |= has_moving;
        }
    }

    /// As [`sweep_level`](Self::sweep_level) in the envelope that walls leave which were found
    /// [among](Self::level_walls_among) these faces, for the same body at the same place. `None` if not
    /// all that is met is among them.
    #[doc(hidden)]
    pub fn sweep_level_among(
        &self,
        faces: &LevelFaces,
        body: &LevelBody,
        feet: WorldPos,
        motion: DVec2,
        walls: &mut Walls,
    ) -> Option<Option<LevelImpact>> {
        let envelope = walls.envelope();
        let slab = Slab::of(body, envelope.height);
        let by = self.seen_among(faces, &slab, feet, motion)?;
        let mut first = LevelImpactSearch::of(motion, &slab, envelope.radius);
        // No outline is met that is farther away than this.
        let far = slab.far + motion.length();
        faces.each_beside(by, motion, slab.far, |number, face| {
            if let Some(side) = face.side(self, &slab, by, far)
                && let Some(at) = walls.cuts.cut((number, face), &slab, by)
            {
                let cut = walls.cuts.at(at);
                if cut.nearest.distance_squared <= far * far {
                    first.meet(face, side, cut);
                }
            }
        });
        Some(first.best)
    }

    /// As [`sweep_level`](Self::sweep_level), where all that is met is among the faces. `None` if it may not be.
    #[doc(hidden)]
    #[must_use]
    pub fn sweep_level_past(
        &self,
        faces: &LevelFaces,
        body: &LevelBody,
        feet: WorldPos,
        motion: DVec2,
        envelope: Envelope,
    ) -> Option<Option<LevelImpact>> {
        let slab = Slab::of(body, envelope.height);
        let by = self.seen_among(faces, &slab, feet, motion)?;
        let mut first = LevelImpactSearch::of(motion, &slab, envelope.radius);
        let mut cut = Cut::NONE;
        let far = slab.far + motion.length();
        faces.each_beside(by, motion, slab.far, |_, face| {
            if let Some(side) = face.side(self, &slab, by, far)
                && face.cut(&slab, by, &mut cut)
            {
                first.meet(face, side, &cut);
            }
        });
        Some(first.best)
    }

    /// As [`has_beside`](Self::has_beside), where all of the prop that is near is among the faces. `None` if it may not
    /// be.
    #[doc(hidden)]
    #[must_use]
    pub fn has_beside_among(
        &self,
        faces: &LevelFaces,
        body: &LevelBody,
        feet: WorldPos,
        prop: PropId,
    ) -> Option<bool> {
        let slab = Slab::of(body, body.envelope().height);
        let by = self.seen_among(faces, &slab, feet, DVec2::ZERO)?;
        let mut is_found = false;
        faces.each_beside(by, DVec2::ZERO, slab.far, |_, face| {
            is_found =
                is_found || (face.triangle.prop() == Some(prop) && face.is_near(self, &slab, by));
        });
        Some(is_found)
    }

    fn seen_among(
        &self,
        faces: &LevelFaces,
        slab: &Slab,
        feet: WorldPos,
        motion: DVec2,
    ) -> Option<DVec3> {
        let (by, held) = faces.held_at(slab, feet, motion)?;
        let has_all = !held.is_cut && (held.has_ground || !self.meets_ground());
        has_all.then_some(by)
    }

    fn walls_below(
        &self,
        faces: &LevelFaces,
        slab: &Slab,
        by: DVec3,
        (envelope, walls): (Envelope, &mut Walls),
    ) {
        walls.clear(envelope);
        faces.each_beside(by, DVec2::ZERO, slab.far, |number, face| {
            if let Some(side) = face.side(self, slab, by, slab.far)
                && let Some(cut) = walls.cuts.cut((number, face), slab, by)
            {
                walls.take(face, side, cut, slab, by);
            }
        });
        walls.judge(slab.skin);
    }
}
