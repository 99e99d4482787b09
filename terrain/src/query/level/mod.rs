//! Level motion: an upright cylinder that neither rises nor sinks, as a disc among outlines.
//!
//! The part of a triangle between the heights of the body's foot and head, seen from above, is a convex
//! polygon. A level motion of the body meets the triangle exactly when the disc meets that polygon: one
//! question in the plane in place of one in space.
//!
//! | file | what it holds |
//! |---|---|
//! | `outline.rs` | a triangle in a slab of heights: nearest place, first meeting with a disc |
//! | `face.rs` | which triangles are in the way at all |
//! | `each_face.rs` | every face near a body |
//! | `walls.rs` | all outlines around a place, without the seams between them |
//! | `types.rs` | bodies, walls, impacts |
//! | `sweep.rs` | the first outline on a way |
//! | `cuts.rs` | the outlines of such faces at one place |
//! | `near.rs` | faces that are found once for many places |
//! | `among.rs` | walls and ways among them |

mod among;
mod cuts;
mod each_face;
mod face;
mod near;
mod outline;
mod sweep;
#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests")]
mod tests;
mod types;
mod walls;

use glam::{DVec2, DVec3};

use self::face::{Face, Part};
pub use self::near::LevelFaces;
use self::sweep::LevelImpactSearch;
pub use self::types::{Envelope, LevelBody, LevelImpact, Wall};
use self::types::{Slab, check_level};
pub use self::walls::Walls;
use super::solids::{Solids, local};
use super::types::QueryError;
use crate::math::WorldPos;
use crate::props::PropId;

impl Solids<'_> {
    /// The walls around a body with its feet at a place, nearest first: everything nearer than its radius, its
    /// skin and the margin. What lies in several triangles is one wall: no edge within a surface is one, not
    /// even between triangles of different props that are flush.
    ///
    /// # Errors
    /// If the body has no size, or a sector is not in memory.
    #[doc(hidden)]
    pub fn level_walls(
        &self,
        body: &LevelBody,
        feet: WorldPos,
        walls: &mut Walls,
    ) -> Result<(), QueryError> {
        let mut envelope = body.envelope();
        self.level_walls_below(body, feet, envelope, walls)?;
        while walls.is_overhead {
            let has_moving = walls.has_moving();
            // What is only above the head is in nobody's way, and the edges of its triangles are not either.
            envelope.height = body.lower(envelope.height);
            self.level_walls_below(body, feet, envelope, walls)?;
            walls.has_moving |= has_moving;
        }
        Ok(())
    }

    fn level_walls_below(
        &self,
        body: &LevelBody,
        feet: WorldPos,
        envelope: Envelope,
        walls: &mut Walls,
    ) -> Result<(), QueryError> {
        let slab = Slab::of(body, envelope.height);
        walls.clear(envelope);
        check_level(body, DVec2::ZERO)?;
        let (sector, feet) = (feet.sector(), local(feet));
        let found = self.each_face((sector, feet), &slab, DVec2::ZERO, None, |source, part| {
            let is_known =
                matches!(part, Part::Polygon(of) if walls.has(source.triangle(of.triangle)));
            if !is_known {
                walls.look_at(self, &slab, &Face::of(source, part, feet));
            }
            false
        });
        walls.judge(slab.skin);
        found
    }

    /// Whether a prop comes nearer to a body with its feet at a place than its skin and the margin, with more than what
    /// the body is above and can stand on.
    ///
    /// # Errors
    /// If the body has no size, or a sector is not in memory.
    #[doc(hidden)]
    pub fn has_beside(
        &self,
        body: &LevelBody,
        feet: WorldPos,
        prop: PropId,
    ) -> Result<bool, QueryError> {
        check_level(body, DVec2::ZERO)?;
        let slab = Slab::of(body, body.envelope().height);
        let (sector, feet) = (feet.sector(), local(feet));
        let mut is_found = false;
        self.each_face((sector, feet), &slab, DVec2::ZERO, Some(prop), |source, part| {
            is_found |= Face::of(source, part, feet).is_near(self, &slab, DVec3::ZERO);
            is_found
        })?;
        Ok(is_found)
    }

    /// The first thing on a level way along X and Z that comes into the envelope that a body keeps free: its own
    /// [with the skin](LevelBody::envelope), or what [walls](Walls::envelope) leave of that. From what is nearer
    /// already it may go away, and along it, but not come nearer. Ground is kept out of the body alone once it is in
    /// the skin.
    ///
    /// # Errors
    /// If the body has no size, the motion is too long, or a sector is not in memory.
    #[doc(hidden)]
    pub fn sweep_level(
        &self,
        body: &LevelBody,
        feet: WorldPos,
        motion: DVec2,
        envelope: Envelope,
    ) -> Result<Option<LevelImpact>, QueryError> {
        check_level(body, motion)?;
        let slab = Slab::of(body, envelope.height);
        let (sector, feet) = (feet.sector(), local(feet));
        let mut first = LevelImpactSearch::of(motion, &slab, envelope.radius);
        self.each_face((sector, feet), &slab, motion, None, |source, part| {
            first.look_at(self, &slab, &Face::of(source, part, feet));
            false
        })?;
        Ok(first.best)
    }
}
