//! Units that stand in each other go apart: by the same bits however it is worked out, and never off
//! what they stand on.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod going_apart;
mod same_bits;
mod staying_on;

use common::{Random, Scene, endless, grid, place};
use marchland_controller::{
    Body, BodyBuilder, Motion, Separation, SeparationSettings, Spawn, Units,
};
use marchland_terrain::math::greater;
use marchland_terrain::{Grid, ResidentSectors, TerrainView};

const DT: f32 = 1.0 / 60.0;

fn flat(_: i64, _: i64) -> f64 {
    0.0
}

fn separation() -> Separation {
    Separation::new(SeparationSettings::default()).unwrap()
}

fn bits_of(velocity: [f32; 2]) -> [u32; 2] {
    velocity.map(|part| (part + 0.0).to_bits())
}

/// Bodies on several levels of the grid.
const MIXED: [f32; 6] = [0.4, 0.35, 0.45, 0.9, 2.5, 0.1];

fn mixed(grid: Grid, count: usize, home: (i32, i32)) -> Units {
    crowd_of(&MIXED, grid, count, home)
}

/// Units of bodies with these radii on level ground over borders of sectors; at three heights, some
/// falling, and with slots that were left.
fn crowd_of(radii: &[f32], grid: Grid, count: usize, home: (i32, i32)) -> Units {
    let mut units = Units::new(grid.sector_size());
    let body = |radius: &f32| BodyBuilder { radius: *radius, ..Body::builder() }.build().unwrap();
    let bodies: Vec<_> = radii.iter().map(|radius| units.add_body(body(radius)).unwrap()).collect();
    let mut random = Random::from_state(77);
    let mut ids = Vec::new();
    for unit in 0..count {
        let at = [random.within(-15.9, 15.9), 0.0, random.within(-15.9, 15.9)];
        // Metres 0 are the middle of the border between four sectors of 32 m.
        let (x, z) = (at[0] < 0.0, at[2] < 0.0);
        let shift = |low: bool, at: f32| if low { at + 16.0 } else { at - 16.0 };
        let y = [0.0, 0.0, 1.5, 40.0][unit % 4];
        let local = [shift(x, at[0]), y, shift(z, at[2])];
        let sector = (home.0 - i32::from(x), home.1 - i32::from(z));
        let body = bodies[[0, 0, 1, 2, 0, 3, 5, 0, 1, 4][unit % 10] % bodies.len()];
        let motion = if unit % 11 == 0 { Motion::Falling } else { Motion::Walking };
        let position = place(grid, sector, local);
        let spawn = Spawn { motion, ..Spawn::standing(position, body) };
        ids.push(units.spawn(spawn).unwrap());
    }
    for id in ids.iter().skip(5).step_by(13) {
        units.despawn(*id);
    }
    units
}

fn ground() -> (Grid, ResidentSectors) {
    let grid = grid(1.0, 32);
    (grid, endless(grid, &flat))
}

/// Ticks with pushes.
struct Crowd {
    scene: Scene,
    separation: Separation,
}

impl Crowd {
    fn new(grid: Grid) -> Self {
        Self { scene: Scene::new(grid), separation: separation() }
    }

    fn tick(&mut self, view: TerrainView<'_>) {
        let Scene { units, wishes, batch, settings, .. } = &mut self.scene;
        let asked = self.separation.push(view, units, wishes, settings.dt).unwrap();
        batch.tick(view, units, asked, settings).unwrap();
    }

    /// The deepest overlap of two units, as if all were at one height. Metres.
    fn deepest(&self) -> f32 {
        let units = &self.scene.units;
        let ids: Vec<_> = units.iter().collect();
        let mut deepest = 0.0;
        for (index, a) in ids.iter().enumerate() {
            for b in &ids[..index] {
                let (at, seen) = (units.position(*a).unwrap(), units.position(*b).unwrap());
                let way = at.relative_to(seen, units.sector_size());
                let reach = units.body(*a).unwrap().radius() + units.body(*b).unwrap().radius();
                let depth = reach - (way.x * way.x + way.z * way.z).sqrt();
                deepest = greater(depth, deepest);
            }
        }
        deepest
    }
}
