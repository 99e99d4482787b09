//! Units among props that move: whatever goes against them, nobody is inside of anything without being told
//! so, below the ground, or flung; and events that last begin once and end once.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::sync::Arc;

use marchland_controller::{
    Batch, BodyBuilder, BodyId, EventKind, PathChoice, Shortcuts, Spawn, Switches, TickSettings,
    UnitId, Units, Wish,
};
use marchland_random::Random;
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{LiveProp, LiveProps, LoadedMesh, MeshSource, PreparedMesh};
use marchland_terrain::{
    Grid, LoadedSector, PropId, ResidentSectors, SectorCoord, SectorData, WorldPos, format,
};
use marchland_worlds::judge::{Judge, JudgedBody};

/// Half the width of the land in which everything is. Metres.
const HALF: f64 = 14.0;

/// Units and props of a run.
const UNITS: usize = 60;
const PROPS: usize = 24;

/// Deeper in something than rounding explains. Metres.
const DEEP: f64 = 2e-3;

fn mesh(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Arc<LoadedMesh> {
    let source = MeshSource { vertices, triangles };
    Arc::new(LoadedMesh::new(PreparedMesh::new(&source).unwrap().0.encode()).unwrap())
}

fn cuboid([x, y, z]: [f32; 3], lean: f32) -> Arc<LoadedMesh> {
    let corner = |corner: usize| {
        let at = |axis: usize| (corner >> axis & 1) as f32;
        Vec3::new((at(0) - 0.5) * x, (at(1) - 0.5) * y + at(0) * at(1) * lean, (at(2) - 0.5) * z)
    };
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    mesh((0..8).map(corner).collect(), triangles)
}

fn sheet() -> Arc<LoadedMesh> {
    let corners = [[0.0, -1.0, -2.0], [0.0, 2.0, -2.0], [0.0, 2.0, 2.0], [0.0, -1.0, 2.0]];
    mesh(corners.map(Vec3::from).to_vec(), vec![[0, 1, 2], [0, 2, 3]])
}

fn ground() -> ResidentSectors {
    let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
    // Humps of 4 m, up to 0.25 m high.
    let hump = |at: f64| {
        let part = (at * 0.25).rem_euclid(1.0);
        0.5 * part * (1.0 - part)
    };
    let height = |x: f64, z: f64| hump(x) + hump(z + 1.0);
    let mut world = ResidentSectors::new(grid);
    for (x, z) in (-2..=2).flat_map(|x| (-2..=2).map(move |z| (x, z))) {
        let coord = SectorCoord::new(x, z);
        let side = 16.0;
        let (x0, z0) = (f64::from(x) * side, f64::from(z) * side);
        let data = SectorData::from_fn(grid, |x, z| height(x0 + x, z0 + z)).unwrap();
        let file = format::encode(coord, &data);
        world.insert(coord, Arc::new(LoadedSector::new(file.bytes).unwrap())).unwrap();
    }
    world
}

struct Run {
    world: ResidentSectors,
    live: LiveProps,
    props: Vec<PropId>,
    units: Units,
    wishes: Vec<Wish>,
    settings: TickSettings,
    random: Random,
    /// Whom which prop crushes, as told.
    crushed: BTreeSet<(u32, PropId)>,
    /// How often anyone began to be crushed, and to be stuck.
    counts: [u32; 2],
}

impl Run {
    fn new(seed: u64, rate: f32) -> Self {
        let world = ground();
        let size = world.grid().sector_size();
        let mut random = Random::from_state(seed);
        let mut live = LiveProps::new(size);
        let meshes = [
            cuboid([3.0, 0.4, 3.0], 0.0),
            cuboid([0.3, 3.0, 4.0], 0.0),
            cuboid([4.0, 1.0, 2.0], 1.5),
            cuboid([1.0, 2.5, 1.0], 0.0),
            sheet(),
        ];
        let props = (0..PROPS)
            .map(|index| {
                let [x, z] = [(); 2].map(|()| random.between(-HALF, HALF));
                let at = WorldPos::from_metres(x, random.between(0.0, 3.0), z, size).unwrap();
                live.add(LiveProp::new(meshes[index % meshes.len()].clone(), at)).unwrap()
            })
            .collect();
        let mut units = Units::new(size);
        let shapes = [
            BodyBuilder::default(),
            BodyBuilder { radius: 0.15, height: 0.6, ..BodyBuilder::default() },
            BodyBuilder { radius: 0.9, height: 3.0, ..BodyBuilder::default() },
            BodyBuilder { knee: 0.0, step_up: 0.0, ..BodyBuilder::default() },
        ];
        let bodies: Vec<BodyId> =
            shapes.iter().map(|body| units.add_body(body.build().unwrap()).unwrap()).collect();
        while units.len() < UNITS {
            let [x, z] = [(); 2].map(|()| random.between(-HALF, HALF));
            let feet = WorldPos::from_metres(x, 0.0, z, size).unwrap();
            let feet = world.view().on_ground(feet).unwrap();
            units.spawn(Spawn::standing(feet, bodies[units.len() % 4])).unwrap();
        }
        let settings = TickSettings::at_rate(rate);
        let wishes = vec![Wish::STAND; UNITS];
        let crushed = BTreeSet::new();
        Self { world, live, props, units, wishes, settings, random, crushed, counts: [0; 2] }
    }

    /// Other velocities of some props and other requests of some units. Props turn back at the land's end.
    fn ask(&mut self) {
        let random = &mut self.random;
        for &id in &self.props {
            let prop = self.live.get(id).unwrap();
            let (x, _, z) = metres(prop.position(), &self.world);
            let y = f64::from(prop.position().local().y);
            let (mut linear, angular) = (prop.linear_velocity(), prop.angular_velocity());
            let mut is_new = false;
            let inward = |at: f64, speed: f32, low: f64, high: f64| {
                (at < low && speed < 0.0) || (at > high && speed > 0.0)
            };
            if inward(x, linear.x, -HALF, HALF) {
                (linear.x, is_new) = (-linear.x, true);
            }
            if inward(y, linear.y, -0.5, 3.5) {
                (linear.y, is_new) = (-linear.y, true);
            }
            if inward(z, linear.z, -HALF, HALF) {
                (linear.z, is_new) = (-linear.z, true);
            }
            if is_new {
                self.live.set_velocity(id, linear, angular).unwrap();
            } else if random.below(60) == 0 {
                let speed = [0.0, 0.3, 2.0, 8.0, 40.0, 250.0][random.below(6) as usize];
                let turn = [0.0, 0.0, 0.5, 3.0][random.below(4) as usize];
                let mut way = [(); 6].map(|()| random.between(-0.57, 0.57) as f32);
                if random.below(2) == 0 {
                    (way[3], way[5]) = (0.0, 0.0);
                }
                let linear = Vec3::new(way[0], way[1] * 0.3, way[2]) * speed;
                let angular = Vec3::new(way[3], way[4], way[5]) * turn;
                self.live.set_velocity(id, linear, angular).unwrap();
            }
        }
        for wish in &mut self.wishes {
            if random.below(40) == 0 {
                let speed = [0.0, 0.0, 1.0, 5.0][random.below(4) as usize];
                let [x, z] = [(); 2].map(|()| random.between(-0.7, 0.7) as f32 * speed);
                *wish = Wish::walk(x, z);
            }
            *wish = wish.with_jump(random.below(100) == 0);
        }
    }

    /// A tick, and what is wrong after it.
    fn tick(&mut self, batch: &mut Batch, judge: &mut Judge) -> Vec<String> {
        let dt = self.settings.dt;
        self.live.advance(dt).unwrap();
        let view = self.world.view().with_live(&self.live);
        let before: Vec<(UnitId, WorldPos)> =
            self.units.iter().map(|id| (id, self.units.position(id).unwrap())).collect();
        let speeds: Vec<f32> =
            before.iter().map(|(id, ..)| self.units.velocity(*id).unwrap().length()).collect();
        batch.tick(view, &mut self.units, &self.wishes, &self.settings).unwrap();
        let mut wrong = Vec::new();
        for event in batch.events() {
            let slot = event.unit.slot;
            match event.kind {
                EventKind::Stuck { .. } => self.counts[1] += 1,
                EventKind::Crushed { prop, depth } => {
                    self.counts[0] += 1;
                    if !self.crushed.insert((slot, prop)) {
                        wrong.push(format!("unit {slot} is crushed by {prop:?} again"));
                    }
                    if !(0.0..100.0).contains(&depth) {
                        wrong.push(format!("unit {slot} is crushed {depth} m deep"));
                    }
                }
                EventKind::CrushEnded { prop } if !self.crushed.remove(&(slot, prop)) => {
                    wrong.push(format!("unit {slot} was not crushed by {prop:?}"));
                }
                _ => {}
            }
        }
        let ways: f32 = self
            .props
            .iter()
            .map(|id| {
                let prop = self.live.get(*id).unwrap();
                (prop.linear_velocity().length() + prop.angular_velocity().length() * 6.0) * dt
            })
            .fold(0.0, |sum, way| sum + way);
        for (at, (id, from)) in before.into_iter().enumerate() {
            let place = self.units.position(id).unwrap();
            let (slot, body) = (id.slot, *self.units.body(id).unwrap());
            let depth = judge.penetration(view, place, JudgedBody::from(&body), u32::MAX);
            let is_told = self.crushed.iter().any(|(unit, _)| *unit == slot);
            let is_stuck = self.units.is_stuck(id).unwrap();
            if depth > DEEP && !is_told && !is_stuck {
                wrong.push(format!("unit {slot} is {depth:.4} m inside of something at {place:?}"));
            }
            let ground = view.on_ground(place).unwrap();
            if place.local().y < ground.local().y {
                wrong.push(format!("unit {slot} is below the ground at {place:?}"));
            }
            let moved = place.relative_to(from, self.world.grid().sector_size()).length();
            let [x, z] = self.wishes[slot as usize].velocity();
            let own =
                ((x * x + z * z).sqrt() + speeds[at] + 6.0) * dt + body.knee() + body.step_up();
            if moved > own + 2.0 * ways + body.radius() + 0.02 {
                wrong.push(format!("unit {slot} is flung by {moved} m"));
            }
            if is_told && self.units.velocity(id).unwrap() != Vec3::ZERO {
                wrong.push(format!("unit {slot} is crushed and moves"));
            }
        }
        wrong
    }
}

fn metres(at: WorldPos, world: &ResidentSectors) -> (f64, f64, f64) {
    let side = f64::from(world.grid().sector_size().metres());
    let local = at.local().as_dvec3();
    let (x, z) = (f64::from(at.sector().x) * side, f64::from(at.sector().z) * side);
    (x + local.x, local.y, z + local.z)
}

fn walk(seed: u64, rate: f32, ticks: u32) -> [u32; 2] {
    let mut run = Run::new(seed, rate);
    let start = run.units.snapshot();
    let (mut batch, mut other) = (Batch::new(), Batch::new());
    let mut judge = Judge::new();
    let mut units = Units::new(run.world.grid().sector_size());
    units.restore(&start);
    for tick in 0..ticks {
        run.ask();
        let wrong = run.tick(&mut batch, &mut judge);
        assert!(wrong.is_empty(), "seed {seed} at {rate} Hz, tick {tick}: {wrong:#?}");
        let switches =
            Switches { shortcuts: Shortcuts::Ignore, ..Switches::path(PathChoice::Full) };
        let view = run.world.view().with_live(&run.live);
        other.tick_with(&switches, view, &mut units, &run.wishes, &run.settings).unwrap();
        assert_eq!(units.state_hash(), run.units.state_hash(), "seed {seed}, tick {tick}");
    }
    run.counts
}

#[test]
fn nobody_is_inside_of_what_moves_without_being_told() {
    let seeds = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(2);
    let ticks = std::env::var("TICKS").ok().and_then(|ticks| ticks.parse().ok()).unwrap_or(300);
    let first = std::env::var("FIRST").ok().and_then(|first| first.parse().ok()).unwrap_or(1);
    for seed in first..first + seeds {
        for rate in [60.0, 30.0, 240.0] {
            let [crushed, stuck] = walk(seed, rate, ticks);
            println!("seed {seed} at {rate} Hz: crushed {crushed} times, stuck {stuck} times");
            assert!(crushed > 0, "nobody was crushed");
        }
    }
}
