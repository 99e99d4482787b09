//! PhysX 5: its height query, its rays, its capsule controller.

use super::followers::{Followers, RAY_ABOVE, RAY_LONG};
use super::physx_sdk::{Controller, World};
use super::{Contender, run_walkers, time_walkers, walkers};
use crate::memory::Meter;
use crate::scene::Scene;
use crate::setup::{DT, Failure, GRAVITY, SLOPE_DEGREES, SNAP};

/// Followers that query the height field.
pub(crate) fn by_height(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    let world = World::new(scene)?;
    let height = move |[x, _, z]: [f32; 3]| Some(world.height(x, z));
    Ok(Box::new(Followers::new("PhysX 5, getHeight", starts, height)))
}

/// Followers that cast a ray through the scene.
pub(crate) fn by_ray(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    let world = World::new(scene)?;
    let height = move |[x, y, z]: [f32; 3]| {
        let top = y + RAY_ABOVE;
        world.ray_down([x, top, z], RAY_LONG).map(|along| top - along)
    };
    Ok(Box::new(Followers::new("PhysX 5, ray", starts, height)))
}

/// A controller and its requested velocity.
struct Walker {
    controller: Controller,
    wish: [f32; 2],
    fall: f32,
    stands: bool,
}

/// Walkers with PhysX's controller; dropped before the world.
struct Walkers {
    walkers: Vec<Walker>,
    world: World,
    bytes: i64,
}

/// Walkers with a capsule.
pub(crate) fn capsules(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    let world = World::new(scene)?;
    let slope = marchland_terrain::math::angle::cos_degrees(SLOPE_DEGREES) as f32;
    let begun = walkers(starts);
    let mut walkers = Vec::with_capacity(begun.len());
    let mut meter = Meter::of_heap();
    for one in &begun {
        let controller = Controller::new(&world, one.feet, slope)?;
        walkers.push(Walker { controller, wish: one.wish, fall: 0.0, stands: true });
    }
    // The first move of each allocates.
    walkers.iter_mut().for_each(tick);
    let bytes = meter.lap();
    Ok(Box::new(Walkers { walkers, world, bytes }))
}

/// A tick of one walker. PhysX has no snap: a standing walker is moved down by the snap distance.
fn tick(walker: &mut Walker) {
    walker.fall = if walker.stands { 0.0 } else { walker.fall + GRAVITY * DT };
    let down = if walker.stands { SNAP } else { walker.fall * DT };
    let [x, z] = walker.wish;
    walker.stands = walker.controller.go([x * DT, -down, z * DT]);
}

impl Contender for Walkers {
    fn name(&self) -> &str {
        "PhysX 5, capsule"
    }

    fn steer(&mut self, wishes: &[[f32; 2]]) {
        for (walker, &wish) in self.walkers.iter_mut().zip(wishes) {
            walker.wish = wish;
        }
    }

    fn run(&mut self, ticks: usize) -> Result<(), Failure> {
        run_walkers(&mut self.walkers, ticks, tick);
        Ok(())
    }

    fn run_each(&mut self, ticks: usize, nanoseconds: &mut Vec<u32>) -> Result<(), Failure> {
        time_walkers(&mut self.walkers, ticks, nanoseconds, tick);
        Ok(())
    }

    fn places(&self) -> Vec<[f64; 3]> {
        self.walkers.iter().map(|walker| walker.controller.feet()).collect()
    }

    fn bytes(&self) -> Option<[i64; 4]> {
        let [ground, meshes, props] = self.world.bytes;
        Some([ground, meshes, props, self.bytes])
    }
}
