//! What a follower of a large crowd takes of the heap, reserved or touched, with its wish.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../../controller/tests/common/counting.rs"]
mod counting;

use marchland_controller::{Batch, Body, Spawn, TickSettings, Units, Wish};
use marchland_random::Random;
use marchland_terrain::{Ground, WorldPos};
use marchland_worlds::terrain::rolling_world;

use self::counting::bytes_in_use;

/// Most bytes for each of a million.
const BYTES_MAX: i64 = 160;

const COUNT: usize = 1_000_000;

#[test]
fn a_follower_of_a_million_takes_160_bytes_at_most() {
    let world = rolling_world(2, 1.0, 256, 3).unwrap();
    let (view, mut random) = (world.view(), Random::from_state(31));
    let size = view.grid().sector_size();
    let before = bytes_in_use();
    let (mut units, mut batch) = (Units::new(size), Batch::new());
    let body = units.add_body(Body::default()).unwrap();
    let mut spawn = || {
        let [x, z] = [(); 2].map(|()| random.between(-120.0, 120.0));
        let at = |y| WorldPos::from_metres(x, y, z, size).unwrap();
        let Ground::Height(y) = view.ground(at(0.0)) else { panic!("no ground at {x}, {z}") };
        Spawn::standing(at(f64::from(y)), body)
    };
    let spawns: Vec<Spawn> = (0..COUNT).map(|_| spawn()).collect();
    units.spawn_all(&spawns).unwrap();
    drop(spawns);
    let mut speed = || random.between(-5.0, 5.0) as f32;
    let wishes: Vec<Wish> = (0..COUNT).map(|_| Wish::walk(speed(), speed())).collect();
    let each = |bytes: i64| (bytes - before) as f64 / COUNT as f64;
    let spawned = each(bytes_in_use());
    let settings = TickSettings::at_rate(60.0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for _ in 0..5 {
        let ticked =
            pool.install(|| batch.tick(view, &mut units, &wishes, &settings).unwrap().ticked);
        assert_eq!(ticked, COUNT);
    }
    let bytes = each(bytes_in_use());
    println!(
        "heap bytes of each of {COUNT} followers: {bytes:.1}, before the first tick {spawned:.1}"
    );
    assert!(bytes <= BYTES_MAX as f64, "{bytes}");
}
