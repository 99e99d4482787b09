//! The demo's walkers get round, and are nowhere where a body may not be.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "common/demo.rs"]
mod demo_world;

use std::sync::LazyLock;

use marchland_controller::{Batch, Body, PathChoice, Spawn, Switches, TickSettings, Units, Wish};
use marchland_terrain::bake::Spread;
use marchland_terrain::props::LiveProps;
use marchland_terrain::{Ground, SectorCoord, TerrainView, WorldPos};
use marchland_worlds::demo_props::{CENTRE, KINDS, Kind};
use marchland_worlds::demo_walks::{
    Feats, Follower, Movers, Round, Walker, platforms, rounds, walkers,
};
use marchland_worlds::judge::{Judge, JudgedBody};

static WORLD: LazyLock<Spread> = LazyLock::new(demo_world::world);

/// Walkers over the demo's world, and the platforms they wait for.
struct Walk {
    view: TerrainView<'static>,
    rounds: Vec<Round>,
    walkers: Vec<Walker>,
    followers: Vec<Follower>,
    units: Units,
    live: LiveProps,
    movers: Movers,
    batch: Batch,
    path: PathChoice,
}

impl Walk {
    fn begin(count: u32, path: PathChoice) -> Self {
        let view = WORLD.sectors.view();
        let size = view.grid().sector_size();
        let mut units = Units::new(size);
        let body = units.add_body(Body::default()).unwrap();
        let mut live = LiveProps::new(size);
        let movers = Movers::add(&mut live).unwrap();
        let rounds = rounds();
        let (walkers, starts): (Vec<_>, Vec<_>) = walkers(&rounds, count).into_iter().unzip();
        for [x, z] in starts {
            let height = ground(view, [x, z]);
            let [x, z] = [x, z].map(|metres| f64::from(metres) - CENTRE);
            let feet = WorldPos::from_metres(x, f64::from(height), z, size).unwrap();
            units.spawn(Spawn::standing(feet, body)).unwrap();
        }
        let followers = vec![Follower::default(); walkers.len()];
        let batch = Batch::new();
        Self { view, rounds, walkers, followers, units, live, movers, batch, path }
    }

    /// Feet of a walker; metres from the north-west corner, and height.
    fn feet(&self, slot: usize) -> [f32; 3] {
        let size = self.units.sector_size();
        let corner = WorldPos::from_metres(-CENTRE, 0.0, -CENTRE, size).unwrap();
        self.place(slot).relative_to(corner, size).to_array()
    }

    fn place(&self, slot: usize) -> WorldPos {
        let size = self.units.sector_size();
        WorldPos::new(self.units.sectors()[slot], self.units.locals()[slot], size).unwrap()
    }

    fn tick(&mut self, tick: u64) {
        let wishes: Vec<Wish> = (0..self.walkers.len())
            .map(|slot| {
                let [x, _, z] = self.feet(slot);
                let wish = self.walkers[slot].next_wish(&self.rounds, [x, z], tick);
                wish.map_or(Wish::STAND, |[east, south]| Wish::walk(east, south))
            })
            .collect();
        let (settings, switches) = (TickSettings::default(), Switches::path(self.path));
        self.movers.steer(&mut self.live, tick).unwrap();
        self.live.advance(settings.dt).unwrap();
        let view = self.view.with_live(&self.live);
        self.batch.tick_with(&switches, view, &mut self.units, &wishes, &settings).unwrap();
        for slot in 0..self.walkers.len() {
            let feet = self.feet(slot);
            self.followers[slot].see(feet, tick);
        }
    }

    fn name(&self, slot: usize) -> &'static str {
        self.rounds[self.walkers[slot].round].name
    }
}

fn ground(view: TerrainView<'_>, place: [f32; 2]) -> f32 {
    let [x, z] = place.map(|metres| f64::from(metres) - CENTRE);
    let place = WorldPos::from_metres(x, 0.0, z, view.grid().sector_size()).unwrap();
    match view.ground(place) {
        Ground::Height(height) => height,
        none => unreachable!("{none:?} at {place:?}"),
    }
}

#[test]
fn every_walker_gets_round_and_none_is_inside_anything() {
    let mut walk = Walk::begin(3 * rounds().len() as u32, PathChoice::Auto);
    let body = JudgedBody::from(&Body::default());
    let mut judge = Judge::new();
    for tick in 0..7200 {
        walk.tick(tick);
        for slot in (0..walk.walkers.len()).filter(|slot| (slot + tick as usize).is_multiple_of(16))
        {
            let view = walk.view.with_live(&walk.live);
            let verdict = judge.deepest(view, walk.place(slot), body, u32::MAX);
            let below = judge.below_ground(view, walk.place(slot));
            let who =
                format!("tick {tick}, unit {slot}, {}: {:?}", walk.name(slot), walk.feet(slot));
            assert!(verdict.depth <= 1e-3 && below <= 1e-4, "{verdict:?}, {below}: {who}");
        }
    }
    let mut feats = Feats::default();
    walk.followers.iter().for_each(|follower| feats.add(follower.feats));
    for (slot, walker) in walk.walkers.iter().enumerate() {
        let points = walk.rounds[walker.round].points.len();
        let (name, feet) = (walk.name(slot), walk.feet(slot));
        // The high street is long; nobody stands still there either.
        assert!(walker.point > points.min(12), "{name}, point {} at {feet:?}", walker.point);
    }
    println!("{feats:?}");
    assert!(feats.stairs_climbed >= 3 && feats.stairs_descended >= 3, "{feats:?}");
    assert!(feats.bridges_crossed >= 6 && feats.platforms_ridden >= 12, "{feats:?}");
}

#[test]
fn walkers_are_the_same_whether_or_not_all_take_the_full_controller() {
    let [mut one, mut other] =
        [PathChoice::Auto, PathChoice::Full].map(|path| Walk::begin(33, path));
    let mut followed = 0;
    for tick in 0..1500 {
        one.tick(tick);
        other.tick(tick);
        assert_eq!(one.units.state_hash(), other.units.state_hash(), "tick {tick}");
        let report = one.batch.report();
        followed += report.ticked - report.full;
    }
    assert!(followed > 10_000, "only {followed} times did anyone follow the ground");
}

#[test]
fn there_are_rounds_of_every_kind_between_houses_too() {
    let rounds = rounds();
    let houses = rounds.iter().filter(|round| round.name == "round a house").count();
    assert!(houses >= 4, "{houses}");
    assert!(rounds.iter().all(|round| round.open_legs > 0 && round.open_legs < round.points.len()));
}

#[test]
fn platforms_end_where_one_can_walk_on() {
    let tower = WORLD.placements.props().iter().find(|prop| {
        KINDS[prop.mesh as usize] == Kind::Tower && prop.sector == SectorCoord::new(1, 2)
    });
    let tower = tower.unwrap();
    let [lift, ferry] = platforms();
    let top = |end| lift.at_end(end)[1] + lift.size[1];
    // The tower is 9 m high. A finger's breadth up or down is no step.
    assert!((top(1) - tower.position.y - 9.0).abs() < 0.01, "{} {}", top(1), tower.position.y);
    let view = WORLD.sectors.view();
    for (platform, ends, out) in [(lift, 0..1, [2.0, 0.0]), (ferry, 0..2, [0.0, 2.5])] {
        for end in ends {
            let [x, y, z] = platform.at_end(end);
            let top = y + platform.size[1];
            // Out of the way, where one comes from.
            let side = if end == 0 && platform == ferry { -1.0 } else { 1.0 };
            let height = ground(view, [x + side * out[0], z + side * out[1]]);
            assert!(
                (0.02..0.4).contains(&(top - height)),
                "{} {end}: {top} {height}",
                platform.name
            );
        }
    }
}
