//! A unit on its way through the pieces of a tick in which something pushes, and what it meets in one.

use marchland_terrain::PropId;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::PropWay;

use super::{MOVING_PROPS_MAX, MovingProps};
use crate::kinematic::planes::Plane;
use crate::kinematic::space::part::Part;

/// How far a motion along a plane is turned away from it, as a part of the ways that it is made of: more than
/// what they are exact to.
pub(crate) const EASE: f64 = 1e-6;

/// Most things that are met in a piece.
pub(crate) const MET_MAX: usize = 8;

/// What is met in a piece, and by whom it is held: by a mover, or by something fixed.
#[derive(Clone, Copy)]
pub(crate) struct Touch {
    pub(crate) plane: Plane,
    /// The place that is touched, metres from the feet.
    pub(crate) point: Vec3,
    pub(crate) mover: Option<PropId>,
}

pub(crate) struct Push<'v> {
    /// What carries the unit: its whole displacement, and the prop if that is a mover. Metres.
    pub(crate) carried: DVec3,
    pub(crate) carrier: Option<PropWay<'v>>,
    pub(crate) part: Part,
    /// The moving props that do not push: what carries the unit, and what it was inside of at the start.
    pub(crate) ignored: [Option<PropId>; MOVING_PROPS_MAX],
    pub(crate) met: [Option<Touch>; MET_MAX],
    /// The part of the tick that is over, and the one at which the piece ends.
    pub(crate) time: f64,
    pub(crate) end: f64,
    /// Whether the skin of what is fixed is used up: then the unit is pressed into it.
    pub(crate) is_bare: bool,
}

impl<'v> Push<'v> {
    /// The moving props that push, by id.
    pub(crate) fn pushers<'a>(
        &self,
        moving_props: &'a MovingProps<'v>,
    ) -> impl Iterator<Item = (PropId, PropWay<'v>, f64)> + use<'a, 'v> {
        let ignored = self.ignored;
        moving_props.iter().filter(move |(id, ..)| !ignored.contains(&Some(*id)))
    }

    /// A motion relative to a mover, or to what is fixed, turned away from the planes of it that have been met: where
    /// they were met it does not lead into them. It is the difference of ways of `whole` metres: along a plane mostly
    /// rounding is left of them, and the ways are those in the middle of the body.
    pub(crate) fn eased(&self, motion: DVec3, mover: Option<PropId>, whole: f64) -> DVec3 {
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

/// Puts something at the first free place of a list, if there is one.
pub(crate) fn put<T>(list: &mut [Option<T>], one: T) {
    if let Some(free) = list.iter_mut().find(|place| place.is_none()) {
        *free = Some(one);
    }
}
