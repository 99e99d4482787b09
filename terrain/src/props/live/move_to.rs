//! Moves a prop to a given pose, as an animation or another simulation requires.

use glam::DVec3;

use super::prop::{Course, StandingProp, apart, on_lattice};
use super::{LIVE_DT_MAX, LivePropError, LiveProps};
use crate::math::{FineRotation, SectorSize, WorldPos};
use crate::props::placement::Placement;
use crate::props::record::PropId;

impl LiveProps {
    /// Moves a prop to a pose by the next [`advance`](Self::advance), which should take `dt` seconds, above 0
    /// and at most a quarter. Units are carried and pushed on the way, as by velocities;
    /// [`set_pose`](Self::set_pose) does neither. For a prop that an animation or another simulation moves,
    /// call it before every `advance`.
    ///
    /// The velocities become those of the straight way and the shorter turn in `dt`. The prop arrives to the
    /// bit at the pose at which `set_pose` would put it, however long that `advance` takes. In the following
    /// `advance` the prop rests, with velocities of 0, unless it was moved again.
    /// [`set_velocity`](Self::set_velocity) and `set_pose` replace a pending move.
    ///
    /// # Errors
    /// If `dt` is out of range, the scale differs from the prop's, the way or the turn is too fast (see
    /// [`LiveProp`](super::LiveProp)), the position is invalid, or there is no such prop. The props are
    /// unchanged then.
    pub fn move_to(
        &mut self,
        id: PropId,
        position: WorldPos,
        placement: Placement,
        dt: f32,
    ) -> Result<(), LivePropError> {
        if !(dt > 0.0 && dt <= LIVE_DT_MAX) {
            return Err(LivePropError::MoveTime { found: dt });
        }
        let (size, tick) = (self.size, self.dt);
        let (slot, standing) = self.standing_mut(id)?;
        standing.move_to(on_lattice(position, size)?, placement, size, [dt, tick])?;
        self.reinsert(slot);
        self.moving.insert(slot);
        Ok(())
    }
}

impl StandingProp {
    /// Sets the course to a pose: in `dt` seconds. Ticks so far have taken `tick` seconds.
    fn move_to(
        &mut self,
        position: WorldPos,
        placement: Placement,
        size: SectorSize,
        [dt, tick]: [f32; 2],
    ) -> Result<(), LivePropError> {
        let (found, expected) = (placement.scale(), self.prop.placement.scale());
        if found != expected {
            return Err(LivePropError::Scale { found, expected });
        }
        let way = apart(self.prop.position, position, size);
        let linear = (way / f64::from(dt)).as_vec3();
        let turned = FineRotation::of(placement.rotation());
        let angular = turned.velocity_from(self.rotation, f64::from(dt)).as_vec3();
        self.set_velocity(linear, angular, tick)?;
        self.course = Course::To(position, placement);
        Ok(())
    }

    /// Moves to the end of its course.
    pub(super) fn arrive(&mut self, position: WorldPos, placement: Placement, size: SectorSize) {
        let has_turned = placement != self.prop.placement;
        (self.prop.position, self.prop.placement) = (position, placement);
        self.residual = DVec3::ZERO;
        self.rotation = FineRotation::of(placement.rotation());
        self.course = Course::Arrived;
        self.measure(has_turned, size);
    }

    /// Comes to rest if it has arrived.
    pub(super) fn rest_if_arrived(&mut self) {
        if self.course == Course::Arrived {
            self.drop_course();
        }
    }
}
