//! rapier3d: a query pipeline over one height field and two thousand triangle meshes, and its
//! kinematic character controller.

use parry3d::shape::SharedShape;
use rapier3d::control::{CharacterAutostep, CharacterLength, KinematicCharacterController};
use rapier3d::prelude::*;

use super::followers::{Followers, RAY_ABOVE, RAY_LONG};
use super::parry::{height_field, pose, triangle_mesh};
use super::{Contender, Walker, fallen, places, run_walkers, steer, time_walkers, walkers};
use crate::memory::Meter;
use crate::scene::Scene;
use crate::setup::{DT, Failure, HEIGHT, RADIUS, SLOPE_DEGREES, SNAP, STEP};

/// A scene for Rapier.
struct World {
    bodies: RigidBodySet,
    colliders: ColliderSet,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    /// Heap bytes of the ground, the meshes and the placed props.
    bytes: [i64; 3],
}

impl World {
    fn new(scene: &Scene) -> Result<Self, Failure> {
        let mut meter = Meter::of_heap();
        let ground = SharedShape::new(height_field(&scene.ground));
        let ground_bytes = meter.lap();
        let meshes = scene.meshes.iter().map(triangle_mesh).collect::<Result<Vec<_>, Failure>>()?;
        let mesh_bytes = meter.lap();
        let mut colliders = ColliderSet::new();
        colliders.insert(ColliderBuilder::new(ground));
        for prop in &scene.props {
            let shape = meshes[prop.mesh].clone();
            colliders.insert(ColliderBuilder::new(shape).position(pose(prop)));
        }
        let (mut bodies, mut islands) = (RigidBodySet::new(), IslandManager::new());
        let (mut broad_phase, mut narrow_phase) = (BroadPhaseBvh::new(), NarrowPhase::new());
        // A step adds the colliders to the tree that queries use. Its other data is dropped.
        PhysicsPipeline::new().step(
            Vector::ZERO,
            &IntegrationParameters::default(),
            &mut islands,
            &mut broad_phase,
            &mut narrow_phase,
            &mut bodies,
            &mut colliders,
            &mut ImpulseJointSet::new(),
            &mut MultibodyJointSet::new(),
            &mut SoftBodySet::new(),
            &mut CCDSolver::new(),
            &(),
            &(),
        );
        drop(meshes);
        let bytes = [ground_bytes, mesh_bytes, meter.lap()];
        Ok(Self { bodies, colliders, broad_phase, narrow_phase, bytes })
    }

    fn queries(&self) -> QueryPipeline<'_> {
        let dispatcher = self.narrow_phase.query_dispatcher();
        let filter = QueryFilter::default();
        self.broad_phase.as_query_pipeline(dispatcher, &self.bodies, &self.colliders, filter)
    }
}

/// Followers that cast a ray through the pipeline.
pub(crate) fn by_ray(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    let world = World::new(scene)?;
    let height = move |[x, y, z]: [f32; 3]| {
        let top = y + RAY_ABOVE;
        let ray = Ray::new(Vector::new(x, top, z), -Vector::Y);
        world.queries().cast_ray(&ray, RAY_LONG, true).map(|(_, along)| top - along)
    };
    Ok(Box::new(Followers::new("Rapier 0.36, ray", starts, height)))
}

/// Walkers with Rapier's character controller.
struct Walkers {
    name: &'static str,
    world: World,
    walkers: Vec<Walker>,
    controller: KinematicCharacterController,
    shape: SharedShape,
}

/// Walkers with a capsule.
pub(crate) fn capsules(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    let shape = SharedShape::capsule_y(HEIGHT / 2.0 - RADIUS, RADIUS);
    with_shape("Rapier 0.36, capsule", shape, scene, starts)
}

/// Walkers with a cylinder.
pub(crate) fn cylinders(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    let shape = SharedShape::cylinder(HEIGHT / 2.0, RADIUS);
    with_shape("Rapier 0.36, cylinder", shape, scene, starts)
}

fn with_shape(
    name: &'static str,
    shape: SharedShape,
    scene: &Scene,
    starts: &[[f64; 3]],
) -> Result<Box<dyn Contender>, Failure> {
    let slope = marchland_terrain::math::angle::radians(SLOPE_DEGREES) as f32;
    let controller = KinematicCharacterController {
        offset: CharacterLength::Absolute(0.01),
        autostep: Some(CharacterAutostep {
            max_height: CharacterLength::Absolute(STEP),
            min_width: CharacterLength::Absolute(RADIUS / 2.0),
            include_dynamic_bodies: false,
        }),
        max_slope_climb_angle: slope,
        min_slope_slide_angle: slope,
        snap_to_ground: Some(CharacterLength::Absolute(SNAP)),
        ..KinematicCharacterController::default()
    };
    let world = World::new(scene)?;
    Ok(Box::new(Walkers { name, world, walkers: walkers(starts), controller, shape }))
}

/// A tick of one walker.
fn tick(
    controller: &KinematicCharacterController,
    queries: &QueryPipeline<'_>,
    shape: &dyn Shape,
    walker: &mut Walker,
) {
    let fall = fallen(walker);
    let way = Vector::new(walker.wish[0], -fall, walker.wish[1]) * DT;
    let [x, y, z] = walker.feet;
    let pose = Pose::from_translation(Vector::new(x, y + HEIGHT / 2.0, z));
    let moved = controller.move_shape(DT, queries, shape, &pose, way, |_| {});
    let by = moved.translation;
    walker.feet = [x + by.x, y + by.y, z + by.z];
    walker.fall = fall;
    walker.stands = moved.grounded;
}

impl Contender for Walkers {
    fn name(&self) -> &str {
        self.name
    }

    fn steer(&mut self, wishes: &[[f32; 2]]) {
        steer(&mut self.walkers, wishes);
    }

    fn run(&mut self, ticks: usize) -> Result<(), Failure> {
        let queries = self.world.queries();
        let one = |walker: &mut Walker| tick(&self.controller, &queries, &*self.shape, walker);
        run_walkers(&mut self.walkers, ticks, one);
        Ok(())
    }

    fn run_each(&mut self, ticks: usize, nanoseconds: &mut Vec<u32>) -> Result<(), Failure> {
        let queries = self.world.queries();
        let one = |walker: &mut Walker| tick(&self.controller, &queries, &*self.shape, walker);
        time_walkers(&mut self.walkers, ticks, nanoseconds, one);
        Ok(())
    }

    fn places(&self) -> Vec<[f64; 3]> {
        places(&self.walkers)
    }

    fn bytes(&self) -> Option<[i64; 4]> {
        // The library stores nothing for a walker.
        let [ground, meshes, props] = self.world.bytes;
        Some([ground, meshes, props, 0])
    }
}
