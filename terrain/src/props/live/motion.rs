//! Props in motion: a tick. How a point moves with a prop: `velocity_at` and `displacement_of` in `prop`.
//!
//! The position of a prop is on the lattice, but its motion continues from the unrounded pose: position and
//! rotation are kept in `f64` beside the visible ones. So a lift of 1 mm/s, which moves by about one step of
//! the lattice (15 µm) in a tick of a 60th of a second, never deviates from its speed by more than half a
//! step, or half of what `f32` can resolve there (0.25 mm at the border of a sector of 16 km). A platform
//! turns evenly however slowly. Only the rounding of `f64` accumulates: less than 10⁻¹² m a tick. A velocity
//! times `dt` is a straight motion and the rotation of a tick is exact, so neither depends on the tick rate.

use glam::{DVec3, Vec3};

use super::prop::{Course, StandingProp};
use super::{LIVE_DT_MAX, LIVE_HEIGHT_MAX, LivePropError, LiveProps, Slot};
use crate::math::{SectorSize, WorldPos};
use crate::props::placement::{Placement, nearest_origin};
use crate::props::record::PropId;

impl LiveProps {
    /// Moves every prop that has a velocity to its place at the end of a tick of `dt` seconds, 0 to a
    /// quarter. A tick of 0 changes nothing. A prop that would leave the world stays where it is, and its
    /// linear velocity becomes 0.
    ///
    /// Call it once before every tick of units, with the `dt` of that tick, even if nothing moves. Units are
    /// carried by the last motion in every tick until the next call, so a prop that has stopped but is not
    /// advanced keeps carrying. For a pause in which units tick and props do not, call
    /// [`settle`](Self::settle).
    ///
    /// Ticks of one length only add, multiply, divide and take square roots: the rotations of a tick are
    /// computed when a velocity is set, and again when `dt` differs from that of the last tick.
    ///
    /// # Errors
    /// If `dt` is negative, above a quarter of a second or not a number. The props are unchanged then.
    pub fn advance(&mut self, dt: f32) -> Result<(), LivePropError> {
        if !(0.0..=LIVE_DT_MAX).contains(&dt) {
            return Err(LivePropError::Dt { found: dt });
        }
        if dt == 0.0 {
            return Ok(());
        }
        if dt != self.dt {
            self.set_dt(dt);
        }
        self.steps = self.steps.wrapping_add(1);
        let Self { slots, moving, tree, size, .. } = self;
        moving.retain(|&slot| {
            let Some(standing) = standing_at(slots, slot) else { return false };
            standing.forget_motion(*size);
            standing.rest_if_arrived();
            if !standing.moves() {
                return false;
            }
            let (course, bounds) =
                ((standing.course, standing.prop.angular_velocity), standing.bounds);
            standing.advance(*size, dt);
            standing.end_tick(course, &bounds, *size, dt);
            if !tree.bounds(standing.leaf).holds(&standing.found_in) {
                tree.remove(standing.leaf);
                standing.leaf = tree.insert(slot, standing.roomy_box(*size, dt));
            }
            true
        });
        Ok(())
    }

    /// Sets every prop's last motion to 0: until the next [`advance`](Self::advance) no prop carries a unit.
    /// Poses and velocities stay, but props that [`move_to`](Self::move_to) has brought to their poses rest.
    /// For a pause in which units tick and props do not.
    pub fn settle(&mut self) {
        let Self { slots, moving, size, .. } = self;
        moving.retain(|&slot| {
            let Some(standing) = standing_at(slots, slot) else { return false };
            standing.forget_motion(*size);
            standing.rest_if_arrived();
            standing.moves()
        });
    }

    /// Length of the last [`advance`](Self::advance), in seconds, if a prop moved in it and may still carry
    /// by that motion. `None` if no prop did, or all have settled since. A tick of a different length is
    /// refused.
    #[must_use]
    pub fn step_dt(&self) -> Option<f32> {
        let has_moved = |&slot: &u32| {
            let standing = self.slots[slot as usize].standing.as_ref();
            standing.is_some_and(|standing| standing.before != standing.pose())
        };
        self.moving.iter().any(has_moved).then_some(self.dt)
    }

    /// The velocity of a point that moves with a prop: `v + ω × (p − origin)`. Metres per second; `None` if
    /// there is no such prop.
    #[must_use]
    pub fn velocity_at(&self, id: PropId, point: WorldPos) -> Option<Vec3> {
        Some(self.get(id)?.velocity_at(point))
    }

    /// How far the last tick moved a point that moves with a prop and was at `point` before the tick; `None`
    /// if there is no such prop. See [`LivePropRef::displacement_of`](super::LivePropRef::displacement_of).
    #[must_use]
    pub fn displacement_of(&self, id: PropId, point: WorldPos) -> Option<DVec3> {
        Some(self.get(id)?.displacement_of(point))
    }

    fn set_dt(&mut self, dt: f32) {
        self.dt = dt;
        for &slot in &self.moving {
            if let Some(standing) = standing_at(&mut self.slots, slot) {
                standing.make_per_tick(dt);
            }
        }
    }
}

fn standing_at(slots: &mut [Slot], slot: u32) -> Option<&mut StandingProp> {
    slots.get_mut(slot as usize)?.standing.as_mut()
}

impl StandingProp {
    /// Moves the prop by a tick.
    fn advance(&mut self, size: SectorSize, dt: f32) {
        if let Course::To(position, placement) = self.course {
            return self.arrive(position, placement, size);
        }
        let turns = self.turns();
        if turns {
            self.rotation = self.per_tick.after(self.rotation);
            let scale = self.prop.placement.scale();
            self.prop.placement = Placement::from_checked(self.rotation.rounded(), scale);
        }
        let here = self.prop.position;
        // The product is exact: 24 bits times 24 bits.
        let by = self.prop.linear_velocity.as_dvec3() * f64::from(dt);
        let exact = (here.local().as_dvec3() + self.residual) + by;
        let shown = Vec3::from_array(exact.to_array().map(nearest_origin));
        match WorldPos::new(here.sector(), shown, size) {
            Ok(there) if shown.y.abs() <= LIVE_HEIGHT_MAX => {
                self.prop.position = there;
                self.residual = exact - shown.as_dvec3();
            }
            _ => self.prop.linear_velocity = Vec3::ZERO,
        }
        self.measure(turns, size);
    }
}
