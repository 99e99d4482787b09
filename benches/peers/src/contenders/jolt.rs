//! Jolt: followers by rays, and its virtual character.

use marchland_terrain::glam::Vec3;

use super::followers::{Followers, RAY_ABOVE, RAY_LONG};
use super::jolt_world::{Character, World};
use super::{Contender, run_walkers, time_walkers, walkers};
use crate::memory::{Meter, c_heap};
use crate::scene::Scene;
use crate::setup::Failure;

/// Followers that cast a ray through the system.
pub(crate) fn by_ray(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    let world = World::new(scene)?;
    let height = move |[x, y, z]: [f32; 3]| {
        let top = y + RAY_ABOVE;
        let found = world.ray(Vec3::new(x, top, z), Vec3::NEG_Y * RAY_LONG);
        found.map(|share| top - share * RAY_LONG)
    };
    Ok(Box::new(Followers::new("Jolt 5.6, ray", starts, height)))
}

/// A character and its requested velocity.
struct Walker {
    character: Character,
    wish: [f32; 2],
}

/// Walkers with Jolt's virtual character; dropped before the world.
struct Walkers {
    walkers: Vec<Walker>,
    world: World,
    bytes: i64,
}

/// Walkers with a capsule.
pub(crate) fn capsules(scene: &Scene, starts: &[[f64; 3]]) -> Result<Box<dyn Contender>, Failure> {
    let world = World::new(scene)?;
    let begun = walkers(starts);
    let mut walkers = Vec::with_capacity(begun.len());
    let mut meter = Meter::with(c_heap);
    for (number, one) in (1..).zip(&begun) {
        let character = Character::new(&world, number, Vec3::from(one.feet))?;
        walkers.push(Walker { character, wish: one.wish });
    }
    // The first update of each allocates.
    walkers.iter_mut().for_each(|walker| tick(&world, walker));
    let bytes = meter.lap();
    Ok(Box::new(Walkers { walkers, world, bytes }))
}

fn tick(world: &World, walker: &mut Walker) {
    walker.character.tick(world, walker.wish);
}

impl Contender for Walkers {
    fn name(&self) -> &str {
        "Jolt 5.6, capsule"
    }

    fn steer(&mut self, wishes: &[[f32; 2]]) {
        for (walker, &wish) in self.walkers.iter_mut().zip(wishes) {
            walker.wish = wish;
        }
    }

    fn run(&mut self, ticks: usize) -> Result<(), Failure> {
        run_walkers(&mut self.walkers, ticks, |walker| tick(&self.world, walker));
        Ok(())
    }

    fn run_each(&mut self, ticks: usize, nanoseconds: &mut Vec<u32>) -> Result<(), Failure> {
        time_walkers(&mut self.walkers, ticks, nanoseconds, |walker| tick(&self.world, walker));
        Ok(())
    }

    fn places(&self) -> Vec<[f64; 3]> {
        self.walkers.iter().map(|walker| walker.character.feet()).collect()
    }

    fn bytes(&self) -> Option<[i64; 4]> {
        let [ground, meshes, props] = self.world.bytes;
        Some([ground, meshes, props, self.bytes])
    }
}
