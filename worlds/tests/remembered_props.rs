//! What units among props remember, of where none are and of how they rest, changes no bit: whatever
//! happens to the world or to them between two ticks, they go as those do that remember nothing, and as
//! those that ask for everything in every tick.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use marchland_controller::{
    Batch, Body, BodyBuilder, BodyId, Event, PathChoice, Report, Shortcuts, Spawn, SurfaceResponse,
    Switches, TickSettings, Units, UnitsSnapshot, Wish,
};
use marchland_random::Random;
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{LiveProp, LiveProps, LoadedMesh, MeshSource, PreparedMesh};
use marchland_terrain::query::ALL_LAYERS;
use marchland_terrain::{
    Grid, Ground, LoadedSector, ResidentSectors, SectorCoord, SectorData, SurfaceId, TerrainView,
    WorldPos, format,
};
use marchland_worlds::clutter::{self, Clutter};
use marchland_worlds::town::{self, Town};

/// A way to move units.
#[derive(Clone, Copy, Debug)]
struct Way {
    path: PathChoice,
    shortcuts: Shortcuts,
    threads: usize,
    chunk_units: usize,
}

const fn way(path: PathChoice, shortcuts: Shortcuts) -> Way {
    Way { path, shortcuts, threads: 1, chunk_units: 1024 }
}

/// By what they remember; as those who remember nothing, who moreover ask for everything, and who only
/// ask for everything; on several threads.
const WAYS: [Way; 5] = [
    way(PathChoice::Auto, Shortcuts::Use),
    way(PathChoice::Auto, Shortcuts::Ignore),
    way(PathChoice::Full, Shortcuts::Ignore),
    way(PathChoice::Full, Shortcuts::Use),
    Way { threads: 3, chunk_units: 16, ..way(PathChoice::Auto, Shortcuts::Use) },
];

/// The same units once for each way.
struct Crowds {
    each: Vec<(Units, Batch, rayon::ThreadPool)>,
    wishes: Vec<Wish>,
    bodies: Vec<BodyId>,
    settings: TickSettings,
    random: Random,
}

fn bodies() -> [Body; 4] {
    let town = BodyBuilder {
        knee: 0.4,
        step_up: 0.4,
        step_down: 0.3,
        max_slope_degrees: 50.0,
        ..BodyBuilder::default()
    };
    let slim = BodyBuilder { radius: 0.25, height: 1.2, ..BodyBuilder::default() };
    let wide = BodyBuilder { radius: 0.7, climb: 1.5, ..town };
    [BodyBuilder::default(), town, slim, wide].map(|body| body.build().unwrap())
}

impl Crowds {
    fn new(view: TerrainView<'_>, count: usize, low: f64, high: f64) -> Self {
        let size = view.grid().sector_size();
        let mut random = Random::from_state(7);
        let mut units = Units::new(size);
        let bodies = bodies().map(|body| units.add_body(body).unwrap()).to_vec();
        while units.len() < count {
            let [x, z] = [(); 2].map(|()| random.between(low, high));
            let on_plane = WorldPos::from_metres(x, 0.0, z, size).unwrap();
            if let Some(feet) = view.on_ground(on_plane) {
                let body = bodies[units.len() % 3];
                units.spawn(Spawn::standing(feet, body)).unwrap();
            }
        }
        let snapshot = units.snapshot();
        let crowd = |way: &Way| {
            let mut units = Units::new(size);
            units.restore(&snapshot);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(way.threads).build();
            (units, Batch::new(), pool.unwrap())
        };
        let each = WAYS.iter().map(crowd).collect();
        let wishes = vec![Wish::STAND; count];
        let settings = TickSettings::default();
        Self { each, wishes, bodies, settings, random }
    }

    /// Some ask for another way: most walk, some stand, creep or run.
    fn ask(&mut self) {
        for wish in &mut self.wishes {
            let random = &mut self.random;
            if random.between(0.0, 1.0) > 0.03 {
                *wish = wish.with_jump(false);
                continue;
            }
            let speed = match random.below(12) {
                0 | 1 => 0.0,
                2 => 3e-5,
                3 => 30.0,
                4 => 0.5,
                _ => 5.0,
            };
            let [x, z] = [(); 2].map(|()| random.between(-0.7, 0.7) * speed);
            let jump = random.below(20) == 0;
            *wish = Wish::walk(x as f32, z as f32).with_jump(jump);
        }
    }

    /// Does something to the units of each way.
    fn each(&mut self, mut what: impl FnMut(&mut Units)) {
        self.each.iter_mut().for_each(|(units, ..)| what(units));
    }

    fn tick(&mut self, view: TerrainView<'_>, when: &str) {
        let mut first: Option<(u64, Vec<Event>, Report)> = None;
        for (at, (units, batch, pool)) in self.each.iter_mut().enumerate() {
            let Way { path, shortcuts, chunk_units, .. } = WAYS[at];
            let switches = Switches { path, shortcuts, chunk_units, ..Switches::default() };
            let (wishes, settings) = (&self.wishes, &self.settings);
            let tick = || batch.tick_with(&switches, view, units, wishes, settings).cloned();
            let report = pool.install(tick).unwrap();
            let found = (units.state_hash(), batch.events().to_vec(), report);
            let Some(expected) = &first else {
                first = Some(found);
                continue;
            };
            let event = expected.1.iter().zip(&found.1).find(|(a, b)| a != b);
            assert!(event.is_none() && expected.1.len() == found.1.len(), "{when} {at}: {event:?}");
            assert_eq!(expected.0, found.0, "{when}: {:?} against {:?}", WAYS[at], WAYS[0]);
            if path == PathChoice::Auto {
                assert_eq!(expected.2, found.2, "{when}: {:?}", WAYS[at]);
            }
        }
    }
}

fn cuboid([x, y, z]: [f32; 3]) -> Arc<LoadedMesh> {
    let corner = |corner: usize| {
        let at = |axis: usize| (corner >> axis & 1) as f32;
        Vec3::new((at(0) - 0.5) * x, at(1) * y, (at(2) - 0.5) * z)
    };
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let source = MeshSource { vertices: (0..8).map(corner).collect(), triangles };
    Arc::new(LoadedMesh::new(PreparedMesh::new(&source).unwrap().0.encode()).unwrap())
}

/// Ground without any prop.
fn bare(grid: Grid, coord: SectorCoord) -> Arc<LoadedSector> {
    let data = SectorData::from_fn(grid, |_, _| 0.5).unwrap();
    Arc::new(LoadedSector::new(format::encode(coord, &data).bytes).unwrap())
}

#[test]
fn units_among_clutter_go_the_same_way_whatever_they_remember_of_it() {
    let [mut world, other] = [2, 3].map(|seed| Clutter::new(seed).unwrap().sectors);
    let whole = world.shifted(0, 0).unwrap();
    let grid = world.grid();
    let (low, high) = (clutter::LOW + 4.0, clutter::HIGH - 4.0);
    let mut crowds = Crowds::new(world.view(), 300, low, high);
    let mut live = LiveProps::new(grid.sector_size());
    let block = cuboid([3.0, 2.5, 3.0]);
    let mut put = Vec::new();
    let mut snapshot: Option<UnitsSnapshot> = None;
    for tick in 0..520_usize {
        crowds.ask();
        let slot = tick * 37 % 300;
        match tick {
            40 => world.unload(SectorCoord::new(0, 0)),
            60 => world = whole.shifted(0, 0).unwrap(),
            80 => world.insert(SectorCoord::new(0, 0), bare(grid, SectorCoord::new(0, 0))).unwrap(),
            100 => world = whole.shifted(0, 0).unwrap(),
            120 => world = other.shifted(0, 0).unwrap(),
            140 => world = whole.shifted(0, 0).unwrap(),
            160 => world.set_outside(SectorCoord::new(-1, 0)),
            180 => world = whole.shifted(0, 0).unwrap(),
            200..240 if tick % 4 == 0 => {
                let id = crowds.each[0].0.iter().nth(slot).unwrap();
                let at = crowds.each[0].0.position(id).unwrap();
                put.push(live.add(LiveProp::new(block.clone(), at)).unwrap());
            }
            250..260 => {
                let id = put[tick - 250];
                let at = live.get(id).unwrap().position();
                let by = at.moved_by(Vec3::new(0.5, 0.0, 0.25), grid.sector_size()).unwrap();
                let placement = live.get(id).unwrap().placement();
                live.set_pose(id, by, placement).unwrap();
            }
            270..280 => {
                live.remove(put[tick - 270]).unwrap();
            }
            290..320 => {
                let from = crowds.each[0].0.iter().nth(slot).unwrap();
                let to = crowds.each[0].0.iter().nth((slot + 111) % 300).unwrap();
                let to = crowds.each[0].0.position(to).unwrap();
                crowds.each(|units| units.teleport(world.view(), from, to).unwrap());
            }
            320..350 => {
                let id = crowds.each[0].0.iter().nth(slot).unwrap();
                let body = crowds.bodies[tick % 4];
                crowds.each(|units| {
                    let _ = units.resize(world.view(), id, body);
                });
            }
            350..380 => {
                let id = crowds.each[0].0.iter().nth(slot).unwrap();
                let mask = if tick % 2 == 0 { 0 } else { ALL_LAYERS };
                crowds.each(|units| assert!(units.set_mask(id, mask)));
            }
            380..400 => {
                let id = crowds.each[0].0.iter().nth(slot).unwrap();
                let by = Vec3::new(1.0, 3.0, -2.0);
                crowds.each(|units| units.add_impulse(id, by).unwrap());
            }
            400 => crowds.settings = TickSettings::at_rate(30.0),
            420 => crowds.settings = TickSettings { gravity: 4.0, ..TickSettings::default() },
            440 => crowds.settings = TickSettings::default(),
            450 => crowds.each(|units| {
                let ice = SurfaceResponse { friction: 0.1, ..SurfaceResponse::PLAIN };
                units.set_surface(SurfaceId(0), ice).unwrap();
            }),
            460 => {
                crowds
                    .each(|units| units.set_surface(SurfaceId(0), SurfaceResponse::PLAIN).unwrap());
                snapshot = Some(crowds.each[0].0.snapshot());
            }
            480 => {
                let snapshot = snapshot.take().unwrap();
                crowds.each(|units| units.restore(&snapshot));
            }
            500 => {
                // Another batch moves them for a while.
                for (_, batch, _) in &mut crowds.each {
                    *batch = Batch::new();
                }
            }
            _ => {}
        }
        crowds.tick(world.view().with_live(&live), &format!("tick {tick}"));
    }
}

/// Blocks and bars go through a crowd of which many stand: whoever is near one of them remembers nothing for
/// as long, and what it remembered before is good again when that is gone.
#[test]
fn units_near_moving_props_go_the_same_way_whatever_they_remember() {
    let world = Clutter::new(2).unwrap().sectors;
    let size = world.grid().sector_size();
    let (low, high) = (clutter::LOW + 4.0, clutter::HIGH - 4.0);
    let mut crowds = Crowds::new(world.view(), 300, low, high);
    let mut random = Random::from_state(31);
    let mut live = LiveProps::new(size);
    let meshes = [cuboid([2.0, 2.5, 2.0]), cuboid([9.0, 1.2, 0.5]), cuboid([4.0, 0.3, 4.0])];
    let ids: Vec<_> = (0..24_usize)
        .map(|index| {
            let [x, z] = [(); 2].map(|()| random.between(low, high));
            let on_plane = WorldPos::from_metres(x, 0.0, z, size).unwrap();
            let Ground::Height(y) = world.view().ground(on_plane) else { panic!("ground") };
            let at = WorldPos::from_metres(x, f64::from(y) + 0.2, z, size).unwrap();
            live.add(LiveProp::new(meshes[index % 3].clone(), at)).unwrap()
        })
        .collect();
    for tick in 0..300_usize {
        // Half of all that were asked to go stop after a while, and rest.
        crowds.ask();
        for slot in (tick % 8..300).step_by(8) {
            if slot % 2 == 0 {
                crowds.wishes[slot] = Wish::STAND;
            }
        }
        // Some meet no prop for a while, also while one carries them.
        let slot = tick * 37 % 300;
        let whose = crowds.each[0].0.iter().nth(slot).unwrap();
        let mask = if tick % 3 == 0 { 0 } else { ALL_LAYERS };
        crowds.each(|units| assert!(units.set_mask(whose, mask)));
        if tick == 150 {
            // What they stand on goes on under them.
            let belt =
                SurfaceResponse { conveyor: Vec3::new(150.0, 0.0, 60.0), ..SurfaceResponse::PLAIN };
            crowds.each(|units| units.set_surface(SurfaceId(0), belt).unwrap());
            crowds.settings = TickSettings::at_rate(10.0);
        }
        let id = ids[tick * 7 % ids.len()];
        let speed = [0.0, 1.0, 6.0, 40.0][tick % 4];
        let [x, z, turn] = [(); 3].map(|()| random.between(-1.0, 1.0) as f32);
        let way = Vec3::new(x, 0.1 * turn, z) * speed;
        live.set_velocity(id, way, Vec3::Y * turn).unwrap();
        live.advance(crowds.settings.dt).unwrap();
        crowds.tick(world.view().with_live(&live), &format!("tick {tick}"));
    }
}

/// Two batches that move the same units by turns, in worlds that are not the same.
#[test]
fn what_one_batch_has_learnt_is_nothing_to_another() {
    let [one, other] = [2, 3].map(|seed| Clutter::new(seed).unwrap().sectors);
    let mut crowds = Crowds::new(one.view(), 200, clutter::LOW + 4.0, clutter::HIGH - 4.0);
    let mut batches: Vec<Batch> = WAYS.iter().map(|_| Batch::new()).collect();
    for tick in 0..200 {
        crowds.ask();
        let is_other = tick % 7 > 4;
        if tick % 7 == 5 || tick % 7 == 0 {
            for (batch, (_, other, _)) in batches.iter_mut().zip(&mut crowds.each) {
                std::mem::swap(batch, other);
            }
        }
        let world = if is_other { &other } else { &one };
        crowds.tick(world.view(), &format!("tick {tick}"));
    }
}

#[test]
fn units_in_town_go_the_same_way_whatever_they_remember_of_it() {
    let town = Town::new().unwrap();
    let world: &ResidentSectors = &town.sectors;
    let mut crowds = Crowds::new(world.view(), 700, town::LOW + 6.0, town::HIGH - 6.0);
    for tick in 0..240 {
        crowds.ask();
        crowds.tick(world.view(), &format!("tick {tick}"));
    }
}

/// Who has come to rest goes away while nothing may be remembered, as a live prop is near or because everything
/// is to be looked at twice, and then asks for the same as when it rested.
#[test]
fn a_rest_is_not_remembered_through_ticks_that_remember_nothing() {
    let town = Town::new().unwrap();
    let size = town.grid.sector_size();
    let view = town.sectors.view();
    let mut live = LiveProps::new(size);
    // All over the town: near enough to be reckoned with, and met by nobody.
    for at in 0..64 {
        let metres = |number: i32| town::LOW + f64::from(number) / 7.0 * (town::HIGH - town::LOW);
        let place = WorldPos::from_metres(metres(at % 8), -50.0, metres(at / 8), size).unwrap();
        live.add(LiveProp { layers: 2, ..LiveProp::new(cuboid([80.0, 150.0, 80.0]), place) })
            .unwrap();
    }
    for is_live in [false, true] {
        let crowd = || {
            let mut crowd = Crowds::new(view, 400, town::LOW, town::HIGH);
            crowd.each(|units| {
                for id in units.iter().collect::<Vec<_>>() {
                    assert!(units.set_mask(id, 1));
                }
            });
            let (units, batch, _) = crowd.each.swap_remove(0);
            (units, batch)
        };
        let (mut some, mut none) = (crowd(), crowd());
        let mut random = Random::from_state(3);
        let ahead: Vec<Wish> = (0..400)
            .map(|_| {
                let [x, z] = [(); 2].map(|()| random.between(-4.0, 4.0) as f32);
                Wish::walk(x, z)
            })
            .collect();
        let back: Vec<Wish> = ahead
            .iter()
            .map(|wish| {
                let [x, z] = wish.velocity();
                Wish::walk(-x, -z)
            })
            .collect();
        for tick in 0..260 {
            let goes_back = (200..215).contains(&tick);
            let wishes = if goes_back { &back } else { &ahead };
            let view = if goes_back && is_live { view.with_live(&live) } else { view };
            let ignored = Shortcuts::Ignore;
            let shortcuts = if goes_back && !is_live { ignored } else { Shortcuts::Use };
            for ((units, batch), shortcuts) in [(&mut some, shortcuts), (&mut none, ignored)] {
                let switches = Switches { shortcuts, ..Switches::default() };
                batch.tick_with(&switches, view, units, wishes, &TickSettings::default()).unwrap();
            }
            assert_eq!(some.0.state_hash(), none.0.state_hash(), "tick {tick}, live {is_live}");
        }
    }
}
