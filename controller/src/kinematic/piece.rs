//! A unit on its way through the pieces of a tick in which something pushes, and what it meets in one.

use marchland_terrain::PropId;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::PropWay;

use super::movers::{MOVERS_MAX, Movers};
use super::part::Part;
use super::planes::Plane;

/// How far a motion along a plane is turned away from it, as a part of the ways that it is made of: more than
/// what they are exact to.
pub(super) const EASE: f64 = 1e-6;

/// Most things that are met in a piece.
pub(super) const MET_MAX: usize = 8;

/// What is met in a piece, and by whom it is held: by a mover, or by something fixed.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    pub(super) plane: Plane,
    /// The place that is touched, metres from the feet.
    pub(super) point: Vec3,
    pub(super) mover: Option<PropId>,
}

/// A unit on its way through a tick's pushes.
pub(super) struct Push<'v> {
    /// What carries the unit: its whole displacement, and the prop if that is a mover. Metres.
    pub(super) carried: DVec3,
    pub(super) carrier: Option<PropWay<'v>>,
    pub(super) part: Part,
    /// The movers that do not push: what carries the unit, and what it was inside of at the start.
    pub(super) ignored: [Option<PropId>; MOVERS_MAX],
    pub(super) met: [Option<Touch>; MET_MAX],
    /// The part of the tick that is over, and the one at which the piece ends.
    pub(super) time: f64,
    pub(super) end: f64,
    /// Whether the skin of what is fixed is used up: then the unit is pressed into it.
    pub(super) is_bare: bool,
}

impl<'v> Push<'v> {
    /// The movers that push, by id.
    pub(super) fn pushers<'a>(
        &self,
        movers: &'a Movers<'v>,
    ) -> impl Iterator<Item = (PropId, PropWay<'v>, f64)> + use<'a, 'v> {
        let ignored = self.ignored;
        movers.iter().filter(move |(id, ..)| !ignored.contains(&Some(*id)))
    }

    pub(super) fn ignore(&mut self, prop: PropId) {
        if let Some(free) = self.ignored.iter_mut().find(|known| known.is_none()) {
            *free = Some(prop);
        }
    }

    pub(super) fn meet(&mut self, met: Touch) {
        if let Some(free) = self.met.iter_mut().find(|known| known.is_none()) {
            *free = Some(met);
        }
    }

    /// A motion relative to a mover, or to what is fixed, turned away from the planes of it that have been met: where
    /// they were met it does not lead into them. It is the difference of ways of `whole` metres: along a plane mostly
    /// rounding is left of them, and the ways are those in the middle of the body.
    pub(super) fn eased(&self, motion: DVec3, mover: Option<PropId>, whole: f64) -> DVec3 {
        let ease = whole * EASE;
        let mut eased = motion;
        for met in self.met.iter().flatten().filter(|met| met.mover == mover) {
            let into = ease - motion.dot(met.plane.normal);
            if into > 0.0 {
                eased += met.plane.normal * into;
            }
        }
        eased
    }
}
