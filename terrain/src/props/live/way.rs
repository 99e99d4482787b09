//! The way of a prop in the last tick: a rigid motion, linear with a rotation at a constant rate.
//!
//! ```text
//! before ──▶ pose(0.25) ──▶ pose(0.5) ──▶ … ──▶ now      advance, move_to: what is on the way is met
//! before ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄▶ now      set_pose, or too fast: the prop is only set there
//! ```

use glam::{DVec3, Vec3};

use super::prop::{Course, LivePropRef, StandingProp, apart, found_in};
use crate::math::{Aabb, FineRotation, SectorCoord, SectorSize};
use crate::props::Placement;

/// How much more than the limits still counts as within: rounding of a pose, of a velocity and of a tick's
/// length. A prop that is said to move at the limit must not be set in every other tick.
const SPARE: f64 = 1.001;

/// The greatest turn in a tick that is a way. Radians.
const TURN_MAX: f64 = std::f64::consts::FRAC_PI_2 * SPARE;

/// The greatest speed of any point of a prop on a way. Metres per second.
pub const LIVE_WAY_SPEED_MAX: f32 = 300.0;

/// The way of a prop in the last tick.
#[derive(Clone, Copy, Debug)]
pub struct PropWay<'a> {
    prop: LivePropRef<'a>,
    /// How far its origin has moved. Metres.
    by: DVec3,
    /// From the rotation before to the present one.
    turn: FineRotation,
}

/// A live prop at a moment of its way.
#[derive(Clone, Copy, Debug)]
pub struct PosedProp<'a> {
    prop: LivePropRef<'a>,
    /// From its present origin to the one at that moment. Metres.
    back: DVec3,
    placement: Placement,
    bounds: Aabb,
}

impl<'a> LivePropRef<'a> {
    /// The way of the last tick. `None` if it did not move, was put where it is, turned by more than 90°, or
    /// if any point of the box around its mesh was faster than [`LIVE_WAY_SPEED_MAX`]; 0.1 % more of either
    /// still counts.
    #[must_use]
    pub fn way(&self) -> Option<PropWay<'a>> {
        let standing = self.standing;
        if !standing.is_way || standing.before == standing.pose() {
            return None;
        }
        let (position, placement) = standing.before;
        let by = apart(position, self.position(), self.size);
        let turn = FineRotation::between(placement.rotation(), self.placement().rotation());
        Some(PropWay { prop: *self, by, turn })
    }

    /// The prop as it is now.
    #[must_use]
    pub const fn posed(&self) -> PosedProp<'a> {
        let (placement, bounds) = (self.placement(), self.bounds());
        PosedProp { prop: *self, back: DVec3::ZERO, placement, bounds }
    }

    /// The box by which it is found, metres from the centre of `sector`: around its whole way if it has one,
    /// and rounded outwards by up to 2⁻⁷ m.
    #[must_use]
    pub fn found_in(&self, sector: SectorCoord) -> (DVec3, DVec3) {
        self.standing.found_in.seen_from(sector, self.size)
    }
}

impl<'a> PropWay<'a> {
    /// The prop, as it is at the end.
    #[must_use]
    pub const fn prop(&self) -> LivePropRef<'a> {
        self.prop
    }

    /// The prop after a part of its way, 0 to 1.
    #[must_use]
    pub fn posed(&self, part: f64) -> PosedProp<'a> {
        let Self { prop, by, .. } = *self;
        let placement = self.placement(part);
        let bounds = if placement == prop.placement() {
            prop.bounds()
        } else {
            placement.placed_bounds(&prop.mesh().bounds())
        };
        let back = if part < 1.0 { by * (part - 1.0) } else { DVec3::ZERO };
        PosedProp { prop, back, placement, bounds }
    }

    /// How far a point that moves with the prop, and is at `point` after the part `from` of its way, moves up
    /// to the part `to`. `point` and the result are in metres, the former from the centre of `sector`.
    #[must_use]
    pub fn displacement(&self, sector: SectorCoord, point: DVec3, from: f64, to: f64) -> DVec3 {
        let origin = self.prop.origin_from(sector) + self.by * (from - 1.0);
        let swing = if self.turn == FineRotation::IDENTITY {
            DVec3::ZERO
        } else {
            let [from, to] = [from, to].map(|part| self.placement(part).rotation());
            FineRotation::swing(from, to, point - origin)
        };
        self.by * (to - from) + swing
    }

    /// The angle of its turn, and the part of it about an axis that is not upright. Radians.
    #[must_use]
    pub fn turns(&self) -> (f64, f64) {
        self.turn.angles()
    }

    fn placement(&self, part: f64) -> Placement {
        let (before, now) = (self.prop.before().1, self.prop.placement());
        if part >= 1.0 || self.turn == FineRotation::IDENTITY {
            return now;
        }
        let rotation = self.turn.power(part).after(FineRotation::of(before.rotation()));
        Placement::from_checked(rotation.rounded(), now.scale())
    }
}

impl<'a> PosedProp<'a> {
    /// The prop, as it is now.
    #[must_use]
    pub const fn prop(&self) -> LivePropRef<'a> {
        self.prop
    }

    pub(crate) fn origin_from(&self, sector: SectorCoord) -> DVec3 {
        self.prop.origin_from(sector) + self.back
    }

    pub(crate) const fn placement(&self) -> Placement {
        self.placement
    }

    pub(crate) const fn bounds(&self) -> Aabb {
        self.bounds
    }
}

impl StandingProp {
    /// Forgets the motion of the last tick: from now on the prop was always where it is.
    pub(super) fn forget_motion(&mut self, size: SectorSize) {
        self.before = self.pose();
        if self.is_way {
            self.is_way = false;
            self.found_in = found_in(self.prop.position, &self.bounds, size);
        }
    }

    /// After a tick of `dt` seconds: whether its motion is a way, and the box around it. `course` and `angular` are
    /// those of the tick, `bounds` is the box around the prop before it.
    pub(super) fn end_tick(
        &mut self,
        (course, angular): (Course, Vec3),
        bounds: &Aabb,
        size: SectorSize,
        dt: f32,
    ) {
        let (position, placement) = self.before;
        if self.before == self.pose() {
            return;
        }
        let by = apart(position, self.prop.position, size);
        let turn = FineRotation::between(placement.rotation(), self.prop.placement.rotation());
        let angle = match course {
            // A turn by more than half a circle looks like a shorter one in the other direction.
            Course::Free => angular.as_dvec3().length() * f64::from(dt),
            Course::To(..) | Course::Arrived => turn.angles().0,
        };
        let fastest = f64::from(LIVE_WAY_SPEED_MAX) * SPARE * f64::from(dt);
        self.is_way = angle <= TURN_MAX && self.is_slower(&turn, by, fastest);
        if self.is_way {
            let swell = turn.sagitta() * self.radius;
            let begin = found_in(position, bounds, size);
            self.found_in = begin.union(&self.found_in).grown(swell);
        }
    }

    /// Whether no corner of the box around its mesh moves faster than `most` metres a tick, anywhere on its
    /// way. In a tick of a constant turn and a linear motion by `by` metres.
    fn is_slower(&self, turn: &FineRotation, by: DVec3, most: f64) -> bool {
        let (angle, _) = turn.angles();
        let axis = turn.axis();
        if angle == 0.0 || axis == DVec3::ZERO {
            return by.length() <= most;
        }
        let along = by.dot(axis);
        let level = by - axis * along;
        let bounds = self.prop.mesh.view().bounds();
        let placer = self.before.1.placer();
        bounds.corners().all(|corner| {
            let arm = placer.place(corner).as_dvec3();
            let begin = axis.cross(arm) * angle;
            let end = begin + turn.swing_of(begin);
            // Both motions are level to the axis. Where the turning one comes to point along the linear one
            // on the way, they add up.
            let passes = begin.cross(level).dot(axis) >= 0.0
                && level.cross(end).dot(axis) >= 0.0
                && level.dot(begin + end) > 0.0;
            let most_squared = most * most - along * along;
            let sum = if passes { level.length() + begin.length() } else { 0.0 };
            [(level + begin).length(), (level + end).length(), sum]
                .iter()
                .all(|speed| speed * speed <= most_squared)
        })
    }
}
