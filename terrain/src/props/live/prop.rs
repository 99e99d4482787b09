//! One live prop: as it is added, as it is stored, and as it is read.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::error::LivePropError;
use super::limits::{LIVE_HEIGHT_MAX, LIVE_SPEED_MAX, LIVE_TURN_MAX};
use super::world_box::WorldBox;
use crate::heightfield::SurfaceId;
use crate::math::{
    Aabb, FineRotation, SectorCoord, SectorSize, WorldPos, between, greater, lesser, pairs,
};
use crate::props::placement::{PROP_EXTENT_MAX, Placement, Placer, origin_on_lattice};
use crate::props::{Collision, LoadedMesh, MeshView, PropId};

/// Components of a velocity below this become 0: 2⁻²⁰ m/s or rad/s, as for units. Smaller numbers could reach
/// the range where processors with flush-to-zero set give different bits; with larger ones, slow lifts would
/// stop.
const VELOCITY_MIN: f32 = 1.0 / 1_048_576.0;

/// For how many ticks of its motion a moving prop's box in the tree has room. With fewer, it is inserted
/// again in more ticks; with more, it is found where it is not.
const TICKS_OF_ROOM: f64 = 8.0;

/// A prop to be added at run time.
#[derive(Clone, Debug)]
pub struct LiveProp {
    /// Its mesh.
    pub mesh: Arc<LoadedMesh>,
    /// The place of its origin.
    pub position: WorldPos,
    /// Rotation and scale about its origin.
    pub placement: Placement,
    /// Its surface.
    pub surface: SurfaceId,
    /// A query meets it if its mask has a bit in common with these.
    pub layers: u32,
    /// How it blocks.
    pub collision: Collision,
    /// Velocity of its origin. Metres per second, at most 8192 long.
    pub linear_velocity: Vec3,
    /// Angular velocity about its origin, right-handed about this vector. Radians per second, at most 1024.
    /// Its farthest part must not move faster than 8192 m/s because of it.
    pub angular_velocity: Vec3,
}

impl LiveProp {
    /// A mesh at a position, neither rotated nor scaled, at rest, in all layers, with surface 0. It is solid
    /// if the mesh is closed.
    #[must_use]
    pub fn new(mesh: Arc<LoadedMesh>, position: WorldPos) -> Self {
        let closed = mesh.view().is_closed();
        Self {
            mesh,
            position,
            placement: Placement::IDENTITY,
            surface: SurfaceId(0),
            layers: u32::MAX,
            collision: if closed { Collision::Solid } else { Collision::Soup },
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}

/// Where a prop moves in the next tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Course {
    /// As its velocities move it.
    Free,
    /// To this pose. Its position is on the lattice.
    To(WorldPos, Placement),
    /// Nowhere: the last tick brought it to the pose of such a move. Its velocities are still those of that
    /// tick.
    Arrived,
}

/// A live prop as it is stored in the table.
#[derive(Clone, Debug)]
pub(super) struct StandingProp {
    /// The prop as it is now. Its position is on the lattice.
    pub(super) prop: LiveProp,
    /// What its position lost by rounding to the lattice: the exact place minus the place on the lattice.
    /// Metres.
    pub(super) residual: DVec3,
    /// Its rotation before it was rounded.
    pub(super) rotation: FineRotation,
    /// Its pose before the last tick; the present pose if it was not there then.
    pub(super) before: (WorldPos, Placement),
    /// How often it was put somewhere else at once.
    pub(super) times_put: u32,
    /// Whether its last motion is a way that is swept.
    pub(super) is_way: bool,
    /// Where it moves in the next tick.
    pub(super) course: Course,
    /// Its rotation in one tick of the present tick length.
    pub(super) per_tick: FineRotation,
    /// A box around it, relative to its origin.
    pub(super) bounds: Aabb,
    /// Distance from its origin to the farthest corner of its mesh's box, in any rotation. Metres.
    pub(super) radius: f64,
    /// The box by which the tree finds it: around its way, where its last motion is one.
    pub(super) found_in: WorldBox,
    /// Its leaf in the tree.
    pub(super) leaf: u32,
}

impl StandingProp {
    /// A new prop. It gets its leaf later.
    pub(super) fn new(
        mut prop: LiveProp,
        size: SectorSize,
        dt: f32,
    ) -> Result<Self, LivePropError> {
        prop.position = on_lattice(prop.position, size)?;
        let mesh = prop.mesh.view();
        if prop.collision == Collision::Solid && !mesh.is_closed() {
            return Err(LivePropError::NotClosed { mesh: prop.mesh.hash() });
        }
        let bounds = mesh.bounds();
        let radius = radius(&bounds) * f64::from(prop.placement.scale());
        if !(0.0..=f64::from(PROP_EXTENT_MAX)).contains(&radius) {
            return Err(LivePropError::Extent { found: radius });
        }
        let bounds = prop.placement.placed_bounds(&bounds);
        let (linear, angular) = (prop.linear_velocity, prop.angular_velocity);
        let mut standing = Self {
            residual: DVec3::ZERO,
            rotation: FineRotation::of(prop.placement.rotation()),
            before: (prop.position, prop.placement),
            times_put: 0,
            is_way: false,
            course: Course::Free,
            per_tick: FineRotation::IDENTITY,
            found_in: found_in(prop.position, &bounds, size),
            bounds,
            radius,
            leaf: 0,
            prop,
        };
        standing.set_velocity(linear, angular, dt)?;
        Ok(standing)
    }

    /// Sets the velocities by which it moves from now on, and computes its rotation in a tick of `dt`
    /// seconds.
    pub(super) fn set_velocity(
        &mut self,
        linear: Vec3,
        angular: Vec3,
        dt: f32,
    ) -> Result<(), LivePropError> {
        let fits = |speed: f64, most: f32| speed <= f64::from(most);
        if !fits(linear.as_dvec3().length(), LIVE_SPEED_MAX) {
            return Err(LivePropError::LinearVelocity { found: linear });
        }
        let turn = angular.as_dvec3().length();
        if !fits(turn, LIVE_TURN_MAX) {
            return Err(LivePropError::AngularVelocity { found: angular });
        }
        if !fits(turn * self.radius, LIVE_SPEED_MAX) {
            return Err(LivePropError::RimSpeed { found: turn * self.radius });
        }
        self.prop.linear_velocity = without_traces(linear);
        self.prop.angular_velocity = without_traces(angular);
        self.course = Course::Free;
        self.make_per_tick(dt);
        Ok(())
    }

    /// Drops its course, and the velocities that served only to reach the end of it.
    pub(super) fn drop_course(&mut self) {
        if self.course != Course::Free {
            (self.prop.linear_velocity, self.prop.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
            self.per_tick = FineRotation::IDENTITY;
            self.course = Course::Free;
        }
    }

    /// Computes its rotation in a tick of `dt` seconds.
    pub(super) fn make_per_tick(&mut self, dt: f32) {
        self.per_tick = FineRotation::about(self.prop.angular_velocity, f64::from(dt));
    }

    /// Its position, and its rotation and scale.
    pub(super) const fn pose(&self) -> (WorldPos, Placement) {
        (self.prop.position, self.prop.placement)
    }

    /// Whether the next tick may move it.
    pub(super) fn moves(&self) -> bool {
        let has_velocity = self.prop.linear_velocity != Vec3::ZERO || self.turns();
        has_velocity || self.course != Course::Free
    }

    /// Whether it has an angular velocity.
    pub(super) fn turns(&self) -> bool {
        self.prop.angular_velocity != Vec3::ZERO
    }

    /// Computes its boxes again after it has moved.
    pub(super) fn measure(&mut self, has_turned: bool, size: SectorSize) {
        if has_turned {
            self.bounds = self.prop.placement.placed_bounds(&self.prop.mesh.view().bounds());
        }
        self.found_in = found_in(self.prop.position, &self.bounds, size);
    }

    /// The box by which it is found, with room for several more ticks of `dt` seconds.
    pub(super) fn roomy_box(&self, size: SectorSize, dt: f32) -> WorldBox {
        let ticks = f64::from(dt) * TICKS_OF_ROOM;
        let ahead = self.prop.linear_velocity.as_dvec3() * ticks;
        let swing = self.prop.angular_velocity.as_dvec3().length() * self.radius * ticks;
        let swing = lesser(swing, self.radius);
        let local = self.prop.position.local().as_dvec3();
        let (min, max) = (local + self.bounds.min.as_dvec3(), local + self.bounds.max.as_dvec3());
        let is_back = ahead.cmplt(DVec3::ZERO);
        let low = DVec3::select(is_back, ahead, DVec3::ZERO);
        let high = DVec3::select(is_back, DVec3::ZERO, ahead);
        let (low, high) = (low - DVec3::splat(swing), high + DVec3::splat(swing));
        WorldBox::around(self.prop.position.sector(), min + low, max + high, size)
            .union(&self.found_in)
    }
}

/// A live prop, for reading.
#[derive(Clone, Copy, Debug)]
pub struct LivePropRef<'a> {
    pub(super) id: PropId,
    pub(super) standing: &'a StandingProp,
    pub(super) size: SectorSize,
}

impl<'a> LivePropRef<'a> {
    /// Its id.
    #[must_use]
    pub const fn id(&self) -> PropId {
        self.id
    }

    /// The prop as it is now.
    #[must_use]
    pub const fn prop(&self) -> &'a LiveProp {
        &self.standing.prop
    }

    /// The place of its origin.
    #[must_use]
    pub const fn position(&self) -> WorldPos {
        self.standing.prop.position
    }

    /// Its origin, in metres from the centre of `sector`: exact up to 2³⁷ m away.
    #[must_use]
    #[inline]
    pub fn origin_from(&self, sector: SectorCoord) -> DVec3 {
        seen_from(sector, self.standing.prop.position, self.size)
    }

    /// Its rotation and scale.
    #[must_use]
    pub const fn placement(&self) -> Placement {
        self.standing.prop.placement
    }

    /// Places its vertices about its origin.
    #[must_use]
    #[inline]
    pub fn placer(&self) -> Placer {
        self.standing.prop.placement.placer()
    }

    /// Its mesh.
    #[must_use]
    #[inline]
    pub fn mesh(&self) -> MeshView<'a> {
        self.standing.prop.mesh.view()
    }

    /// A box around its placed vertices, relative to its origin.
    #[must_use]
    pub const fn bounds(&self) -> Aabb {
        self.standing.bounds
    }

    /// Its surface.
    #[must_use]
    pub const fn surface(&self) -> SurfaceId {
        self.standing.prop.surface
    }

    /// Its layers.
    #[must_use]
    pub const fn layers(&self) -> u32 {
        self.standing.prop.layers
    }

    /// Whether a query or a unit with this mask meets it: they share a layer.
    #[must_use]
    pub const fn is_met_by(&self, mask: u32) -> bool {
        self.layers() & mask != 0
    }

    /// How it blocks.
    #[must_use]
    pub const fn collision(&self) -> Collision {
        self.standing.prop.collision
    }

    /// Velocity of its origin. Metres per second.
    #[must_use]
    pub const fn linear_velocity(&self) -> Vec3 {
        self.standing.prop.linear_velocity
    }

    /// Angular velocity about its origin. Radians per second.
    #[must_use]
    pub const fn angular_velocity(&self) -> Vec3 {
        self.standing.prop.angular_velocity
    }

    /// Its pose before the last tick; its present pose if it was added or put there since.
    #[must_use]
    pub const fn before(&self) -> (WorldPos, Placement) {
        self.standing.before
    }

    /// How often [`set_pose`](super::LiveProps::set_pose) put it somewhere else, modulo 2³². What stood on it
    /// before does not stand on it any more.
    #[doc(hidden)]
    #[must_use]
    pub const fn times_put(&self) -> u32 {
        self.standing.times_put
    }

    /// The velocity of a point that moves with it: `v + ω × (p − origin)`. Metres per second.
    #[must_use]
    pub fn velocity_at(&self, point: WorldPos) -> Vec3 {
        let arm = point.local().as_dvec3() - self.origin_from(point.sector());
        let turning = self.angular_velocity().as_dvec3().cross(arm);
        (self.linear_velocity().as_dvec3() + turning).as_vec3()
    }

    /// How far the last tick moved a point that moves with it and was at `point` before the tick. Metres; 0
    /// if the prop was added or put elsewhere since. It follows the triangles as they were placed, so a point
    /// on a face stays on the face.
    #[must_use]
    pub fn displacement_of(&self, point: WorldPos) -> DVec3 {
        let (position, placement) = self.standing.before;
        let from = seen_from(point.sector(), position, self.size);
        let arm = point.local().as_dvec3() - from;
        let swing = FineRotation::swing(placement.rotation(), self.placement().rotation(), arm);
        (self.origin_from(point.sector()) - from) + swing
    }
}

/// A place in metres from the centre of `sector`: sectors are first subtracted as integers.
fn seen_from(sector: SectorCoord, place: WorldPos, size: SectorSize) -> DVec3 {
    place.local().as_dvec3() + between(sector, place.sector(), size)
}

/// The vector from one place to another. Metres.
pub(super) fn apart(from: WorldPos, to: WorldPos, size: SectorSize) -> DVec3 {
    seen_from(from.sector(), to, size) - from.local().as_dvec3()
}

/// The nearest place where an origin may be.
pub(super) fn on_lattice(place: WorldPos, size: SectorSize) -> Result<WorldPos, LivePropError> {
    let local = place.local();
    if !(-LIVE_HEIGHT_MAX..=LIVE_HEIGHT_MAX).contains(&local.y) {
        return Err(LivePropError::Height { found: local.y });
    }
    // Canonical even if it was expressed for sectors of a different size.
    Ok(WorldPos::new(place.sector(), origin_on_lattice(local), size)?)
}

/// The box by which a prop is found.
pub(super) fn found_in(position: WorldPos, bounds: &Aabb, size: SectorSize) -> WorldBox {
    let local = position.local().as_dvec3();
    let (min, max) = (local + bounds.min.as_dvec3(), local + bounds.max.as_dvec3());
    WorldBox::around(position.sector(), min, max, size)
}

/// Distance from the origin to the farthest corner of a box.
fn radius(bounds: &Aabb) -> f64 {
    let (low, high) = (bounds.min.as_dvec3().abs(), bounds.max.as_dvec3().abs());
    pairs(low, high, greater).length()
}

fn without_traces(velocity: Vec3) -> Vec3 {
    velocity.map(|part| if part.abs() < VELOCITY_MIN { 0.0 } else { part })
}
