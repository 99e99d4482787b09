//! An independent check of the positions of bodies: how deep the upper cylinder of a body is inside
//! something, and how far its feet are below the ground.
//!
//! It shares no code with the controller. From the terrain it shares only the trees by which queries find
//! what is near. One body in 64 is therefore judged a second time by every prop and triangle of the sectors
//! around it, without a tree, and both results must agree. It visits every triangle near, in `f64`, and is
//! written to be verifiable, not fast:
//!
//! - `cylinder` judges one triangle, or the ground below one, against one cylinder;
//! - `ground` and `props` find the triangles, and what is solid behind them.
//!
//! The depth of a triangle is the least of the pushes that free the body from it: along the triangle's normal
//! to either side, sideways, up and down. No push of a triangle is greater than the push out of the whole
//! surface. What lies *behind* the triangles is found at the body's axis. Below the ground, it counts by the
//! height above it; in a closed solid, by the shortest way out up, down or sideways.

mod cylinder;
mod ground;
mod props;
#[cfg(test)]
mod tests;
mod verdict;

use marchland_terrain::glam::DVec3;
use marchland_terrain::{TerrainView, WorldPos};

use self::cylinder::UprightCylinder;
use self::props::PropJudge;
pub use self::verdict::{Culprit, JudgedBody, Verdict};

/// Judges bodies one by one; keeps memory between them.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    props: PropJudge,
    /// How many bodies were judged.
    looks: u64,
}

/// One body in this many is judged in both ways.
const PLAIN: u64 = 64;
/// Rounding difference accepted between two computations of the same depth. Metres.
const ALIKE: f64 = 1e-6;

impl Judge {
    /// A judge without history.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The greatest depth of a body's upper cylinder at `feet` in the ground or in a prop whose layers share
    /// a bit with `mask`. Metres; 0 if it is free, and 0 where nothing is in memory.
    pub fn penetration(
        &mut self,
        view: TerrainView<'_>,
        feet: WorldPos,
        body: JudgedBody,
        mask: u32,
    ) -> f64 {
        self.deepest(view, feet, body, mask).depth
    }

    /// As [`penetration`](Self::penetration), but also returns what the body overlaps.
    ///
    /// # Panics
    /// If a tree has missed what the body is inside, which is a fault of this project.
    pub fn deepest(
        &mut self,
        view: TerrainView<'_>,
        feet: WorldPos,
        body: JudgedBody,
        mask: u32,
    ) -> Verdict {
        let knee = f64::from(body.knee);
        let base = feet.local().as_dvec3() + DVec3::Y * knee;
        let upper = UprightCylinder {
            radius: f64::from(body.radius),
            height: f64::from(body.height) - knee,
        };
        let mut verdict = Verdict::default();
        ground::judge(view, feet.sector(), base, upper, &mut verdict);
        let ground = verdict;
        let at = (feet.sector(), base);
        self.props.judge(view, at, upper, mask, false, &mut verdict);
        self.looks += 1;
        if self.looks.is_multiple_of(PLAIN) {
            let mut plain = ground;
            self.props.judge(view, at, upper, mask, true, &mut plain);
            let apart = (plain.depth - verdict.depth).abs();
            assert!(apart <= ALIKE, "{verdict:?} of what is near, {plain:?} of all, at {feet:?}");
        }
        verdict
    }

    /// How far `feet` are below the ground at their place. Metres; 0 if they are not below it or if there is
    /// no ground.
    #[must_use]
    pub fn below_ground(&self, view: TerrainView<'_>, feet: WorldPos) -> f64 {
        let local = feet.local().as_dvec3();
        let height = ground::height(view, feet.sector(), local);
        height.map_or(0.0, |height| if height > local.y { height - local.y } else { 0.0 })
    }
}
