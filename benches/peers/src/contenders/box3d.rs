//! Box3D: followers by rays, and walkers with a mover composed of its primitives in `box3d_mover`.

use marchland_terrain::glam::Vec3;

use super::box3d_mover::tick;
use super::box3d_world::World;
use super::followers::{Followers, RAY_ABOVE, RAY_LONG};
use super::{Contender, Walker, places, run_walkers, steer, time_walkers, walkers};
use crate::scene::Scene;
use crate::setup::Failure;

/// Followers that cast a ray through the world.
pub(crate) fn by_ray(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    let world = World::new(scene)?;
    let height = move |[x, y, z]: [f32; 3]| {
        let top = y + RAY_ABOVE;
        let found = world.ray(Vec3::new(x, top, z), Vec3::NEG_Y * RAY_LONG);
        found.map(|(share, _)| top - share * RAY_LONG)
    };
    Ok(Box::new(Followers::new("Box3D 0.1, ray", starts, height)))
}

/// Walkers with Box3D's mover.
struct Walkers {
    world: World,
    walkers: Vec<Walker>,
}

/// Walkers with a capsule.
pub(crate) fn capsules(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    Ok(Box::new(Walkers { world: World::new(scene)?, walkers: walkers(starts) }))
}

impl Contender for Walkers {
    fn name(&self) -> &str {
        "Box3D 0.1 mover, capsule"
    }

    fn steer(&mut self, wishes: &[[f32; 2]]) {
        steer(&mut self.walkers, wishes);
    }

    fn run(&mut self, ticks: usize) -> Result<(), Failure> {
        run_walkers(&mut self.walkers, ticks, |walker| tick(&self.world, walker));
        Ok(())
    }

    fn run_each(&mut self, ticks: usize, nanoseconds: &mut Vec<u32>) -> Result<(), Failure> {
        let one = |walker: &mut Walker| tick(&self.world, walker);
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
