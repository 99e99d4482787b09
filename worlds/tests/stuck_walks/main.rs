//! Nobody is stuck: at places by hand, in the clutter and over rough ground.
//!
//! `marchland_worlds::stuck` judges. What it finds is reported with its numbers, and the first of each sort as a
//! scenario file. `STUCK_SEEDS=3..9` walks other seeds, `STUCK_RATE=30` at another rate.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::print_stderr)]

mod caught;
mod caught_clutter;
mod places;
mod report;
mod rough;
mod watch;

use marchland_controller::{
    Batch, Body, Event, EventKind, Motion, Spawn, TickSettings, Units, Wish,
};
use marchland_terrain::glam::Vec3;
use marchland_worlds::clutter::Rate;
use marchland_worlds::stuck::{Cause, Tracks, trapped};

use self::places::Place;
use self::report::StuckReport;
use self::rough::{Incident, Sort};
use self::watch::Watch;

const RATES: [u16; 4] = [30, 60, 120, 240];

#[test]
fn nobody_is_stuck_at_the_end_of_a_v() {
    walk_place("v of slabs", &places::v_of_slabs(), 14.0);
}

#[test]
fn nobody_is_stuck_in_a_gorge() {
    walk_place("gorge", &places::gorge(), 20.0);
}

#[test]
fn nobody_is_stuck_at_the_side_of_a_ramp() {
    walk_place("ramp", &places::ramp(), 11.0);
}

#[test]
fn nobody_is_stuck_on_the_foot_of_a_leaning_pillar() {
    walk_place("leaning pillar", &places::leaning_pillars(), 2.1);
}

/// Edges that no neighbour shares know only the way up or down out of a face that is beside the body.
#[test]
fn who_falls_along_divided_stairs_is_told_as_stuck_nowhere() {
    let place = places::divided_stairs();
    let mut units = Units::new(place.view().grid().sector_size());
    let body = units.add_body(Body::default()).unwrap();
    for walk in &place.walks {
        let position = place.place(walk.at);
        let motion = Motion::Falling;
        let spawn = Spawn { position, velocity: Vec3::ZERO, motion, body, mask: u32::MAX };
        units.spawn(spawn).unwrap();
    }
    let wishes = vec![Wish::STAND; place.walks.len()];
    let mut batch = Batch::new();
    for tick in 0..60 {
        batch.tick(place.view(), &mut units, &wishes, &TickSettings::at_rate(60.0)).unwrap();
        let stuck = |event: &&Event| matches!(event.kind, EventKind::Stuck { .. });
        let stuck: Vec<_> = batch.events().iter().filter(stuck).collect();
        assert!(stuck.is_empty(), "tick {tick}: {stuck:?}");
    }
}

fn walk_place(what: &str, place: &Place, seconds: f64) {
    let mut found = StuckReport::default();
    for rate in RATES {
        let size = place.view().grid().sector_size();
        let mut units = Units::new(size);
        let body = units.add_body(Body::default()).unwrap();
        let mut wishes = vec![Wish::STAND; place.walks.len()];
        for walk in &place.walks {
            let position = place.place(walk.at);
            let motion = units.start_motion(place.view(), position, &Body::default(), u32::MAX);
            let motion = if walk.at[1] > 0.0 { Motion::Falling } else { motion };
            let spawn = Spawn { position, velocity: Vec3::ZERO, motion, body, mask: u32::MAX };
            units.spawn(spawn).unwrap();
        }
        let settings = TickSettings::at_rate(f32::from(rate));
        let (mut batch, mut watch) = (Batch::new(), Watch::new());
        for tick in 0..(seconds * f64::from(rate)) as u32 {
            let second = f64::from(tick) / f64::from(rate);
            for (wish, walk) in wishes.iter_mut().zip(&place.walks) {
                let known = walk.requests.iter().rev().find(|(from, _)| *from <= second + 1e-9);
                if let Some((_, [x, z])) = known {
                    *wish = Wish::walk(*x as f32, *z as f32);
                }
            }
            batch.tick(place.view(), &mut units, &wishes, &settings).unwrap();
            for stuck in watch.tick(place.view(), &units, &wishes, &settings) {
                let name = &place.walks[stuck.unit.slot as usize].name;
                let class = format!("{what} at {rate} Hz: {name}");
                found.put(&class, place.view(), &units, &wishes, (&stuck, second));
            }
        }
        found.judged(&watch);
    }
    found.report();
}

#[test]
fn the_reference_is_only_where_a_body_may_be() {
    rough::check_reference(Sort::Crags, 1);
    rough::check_reference(Sort::Clutter, 1);
}

/// A place over crags from which the reference walks.
fn caught(by: &'static str, seed: u64, body: usize, at: [f64; 3], request: [f32; 2]) -> Incident {
    let (sort, rate, motion) = (Sort::Crags, Rate::Hz60, Motion::Walking);
    Incident { by, sort, seed, rate, second: 0, body, at, motion, request }
}

/// Beside a face that is hardly too steep, in corners of steep ground, and at its foot: there a unit stays, or goes
/// a decimetre.
#[test]
fn the_reference_goes_up_nothing_steep_nor_along_it() {
    for caught in [
        caught(
            "beside a face of 45.1 degrees",
            33,
            4,
            [11.211_344_718_933_105, 2.232_529_401_779_175, 27.156_739_234_924_316],
            [-2.261_767_4, -0.045_923_1],
        ),
        caught(
            "before a cliff, on a diagonal",
            50,
            3,
            [16.181_126_594_543_457, 1.411_581_039_428_711, 38.181_118_011_474_61],
            [-2.316_989_2, 1.337_098_2],
        ),
        caught(
            "in a fold under a cliff",
            59,
            0,
            [20.782_400_131_225_586, 2.372_858_524_322_509_8, 32.999_355_256_557_465],
            [0.232_468_37, 2.317_84],
        ),
        caught(
            "between a cliff and the edge of steep ground, both down a gentle slope",
            73,
            3,
            [-4.369_950_294_494_629, 1.734_358_191_490_173_3, 19.605_865_478_515_625],
            [-0.505_329_25, 0.486_346_13],
        ),
        caught(
            "on steep ground above its foot",
            72,
            0,
            [17.838_044_166_564_94, 1.197_792_768_478_393_6, 36.808_156_013_488_77],
            [2.572_924, -2.501_766_4],
        ),
        caught(
            "nearly head-on along the line of steep ground, beside a wall that is nearer farther down",
            748,
            0,
            [22.928_060_531_616_21, 0.660_088_539_123_535_2, -2.149_287_700_653_076],
            [3.577_846_5, 0.050_785_44],
        ),
    ] {
        let went = rough::reference_goes(&caught);
        assert!(went < 0.15, "{}: {went} m", caught.by);
    }
}

/// Off a floor between walls and along the steep one, to where another holds it. With all of its request it would come
/// over to gentle ground.
#[test]
fn the_reference_steers_a_slide_by_no_more_than_a_unit() {
    let at = [28.311_670_303_344_727, 1.229_510_545_730_590_8, 12.209_756_851_196_289];
    let went =
        rough::reference_goes(&caught("along a steep wall", 757, 0, at, [-2.128_676_2, 2.762_18]));
    assert!(went < 0.3, "{went} m");
}

#[test]
fn nobody_is_stuck_over_rough_ground() {
    rough::walk_all(&[Sort::Crags], 1..4);
}

#[test]
fn nobody_is_stuck_in_the_clutter() {
    rough::walk_all(&[Sort::Clutter], 1..3);
}

#[test]
#[ignore = "takes minutes: .ci/deep walks"]
fn nobody_is_stuck_in_long_walks() {
    let seeds = std::env::var("STUCK_SEEDS").unwrap_or_else(|_| "5..89".to_owned());
    let (first, end) = seeds.split_once("..").expect("STUCK_SEEDS is first..end");
    let seeds = first.parse().unwrap()..end.parse().unwrap();
    rough::walk_all(&[Sort::Crags, Sort::Clutter], seeds);
}

/// A unit that is never ticked is slow on open ground, and excused between walls that leave it no way.
#[test]
fn the_judge_finds_who_does_not_move_and_only_where_there_is_a_way() {
    let place = places::v_of_slabs();
    let size = place.view().grid().sector_size();
    let mut units = Units::new(size);
    let body = units.add_body(Body::default()).unwrap();
    let starts = [[20.0, 0.0, 5.0], [0.0, 0.4068, 0.0]];
    let requests = [Wish::walk(2.0, 0.0), Wish::walk(2.0, 0.0)];
    for at in starts {
        units.spawn(Spawn::standing(place.place(at), body)).unwrap();
    }
    let settings = TickSettings::default();
    let mut watch = Watch::new();
    let mut found = Vec::new();
    for _ in 0..62 {
        found.extend(watch.tick(place.view(), &units, &requests, &settings));
    }
    let slots: Vec<u32> = found.iter().map(|stuck| stuck.unit.slot).collect();
    assert_eq!(slots, [0], "{found:?}");
    assert!(matches!(found[0].why, Cause::Slow { moved, could } if moved == 0.0 && could > 0.1));
}

/// Of places that nobody need move, in a single second of a request: who stays on open ground is slow, who walks or
/// stands in the V is not, and who was lifted is in the air.
#[test]
fn of_places_alone_the_judge_finds_who_does_not_move_and_only_where_there_is_a_way() {
    let place = places::v_of_slabs();
    let size = place.view().grid().sector_size();
    let request = [2.0, 0.0];
    let starts = [[20.0, 0.0, 5.0], [0.0, 0.4068, 0.0], [10.0, 0.0, 9.0], [20.0, 0.0, -9.0]];
    let at = |tick: f64| {
        let [stays, held, [x, y, z], [u, v, w]] = starts;
        let (walks, lifted) = ([x + 0.01 * tick, y, z], [u, v + 0.02 * tick, w]);
        [stays, held, walks, lifted].map(|at| Some(place.place(at)))
    };
    let mut tracks = Tracks::new(size, (Body::default(), u32::MAX), 1.0 / 60.0, &at(0.0));
    let mut found = Vec::new();
    for tick in 1..=60_u32 {
        found.push(tracks.tick(place.view(), &[request; 4], &at(f64::from(tick))));
    }
    let last = found.pop().unwrap();
    assert!(found.iter().all(Vec::is_empty), "a second is 60 ticks: {found:?}");
    let reported: Vec<_> = last.iter().map(|pause| (pause.unit, pause.rests)).collect();
    assert_eq!(reported, [(0, true), (1, true)], "{last:?}");
    assert!(matches!(last[0].why, Some(Cause::Slow { moved: 0.0, could }) if could > 0.1));
    assert_eq!((last[1].why, tracks.judged), (None, 2));
    // Another request begins another second, and so does a place after none.
    for tick in 0..119 {
        let off = if tick == 59 { None } else { at(0.0)[0] };
        let pauses = tracks.tick(place.view(), &[[0.0, 2.0]], &[off]);
        assert!(pauses.is_empty(), "tick {tick}: {pauses:?}");
    }
    assert_eq!(tracks.tick(place.view(), &[[0.0, 2.0]], &[at(0.0)[0]]), []);
    assert_eq!(tracks.tick(place.view(), &[[0.0, 2.0]], &[at(0.0)[0]]).len(), 1);
}

#[test]
fn nobody_who_can_walk_is_trapped() {
    let place = places::v_of_slabs();
    let mut units = Units::new(place.view().grid().sector_size());
    let body = units.add_body(Body::default()).unwrap();
    let unit = units.spawn(Spawn::standing(place.place([20.0, 0.0, 5.0]), body)).unwrap();
    let settings = TickSettings::default();
    assert_eq!(trapped(place.view(), &units, unit, &settings), None);
}

#[test]
fn who_gets_nowhere_stands_still() {
    let (creep, stand) = rough::count_still(0..60);
    assert!(stand > 30 * creep, "{creep} creep, {stand} stand");
}
