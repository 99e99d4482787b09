//! Queries of an upright cylinder in the town, and the nearest equivalents of parry, at the same places in
//! the same run. Throughput is in queries per second. For the lines that begin with `ratio`, ours and the
//! peer's queries are measured in alternation, so that a machine that slows down slows both.
//!
//! | here | parry |
//! |---|---|
//! | `support`, ±0.45 m | a disc 1 cm high, cast down by 0.9 m |
//! | `overlap`, all contacts | `contact` with each part that the box touches: the deepest of each |
//! | `sweep` | `cast_shape` over the tree of parts |
//! | `raycast` | `cast_local_ray` over the tree of parts |
//! | `ceiling`, 3 m | the disc, cast up by 3 m |
//! | `gather`, then five queries | the same five, one by one |

#![allow(missing_docs, reason = "criterion's macros")]

mod peer;

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use marchland_benches::{Random, criterion, heading, is_measured, place, size, sure};
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::kernel::Gathered;
use marchland_terrain::math::greater;
use marchland_terrain::query::{ALL_LAYERS, Contacts, Cylinder, Region, Solids, SupportBy, Sweep};
use marchland_terrain::{Raycast, TerrainView, WorldPos};
use marchland_worlds::town::{self, Town};
use parry3d::math::Vector;
use parry3d::query::Contact;
use parry3d::shape;

use self::peer::Peer;

const BODY: Cylinder = Cylinder { radius: 0.4, height: 1.8 };
/// Half the height of the disc that represents a foot or a head in queries of parry.
const DISC: f32 = 0.005;
const KNEE: f32 = 0.45;
const SHORT: f32 = 0.1;
const LONG: f32 = 50.0;
const ABOVE: f32 = 3.0;

/// A body at a place where it stands free, and a direction to go.
#[derive(Clone, Copy)]
struct Stand {
    feet: WorldPos,
    heading: Vec3,
    /// A little lower and further forward, where most bodies overlap something.
    low: WorldPos,
    /// The middle of the foot disc at both places, for the peer.
    foot: Vector,
    low_foot: Vector,
}

struct Scene {
    town: Town,
    peer: Peer,
    stands: Vec<Stand>,
}

impl Scene {
    fn new() -> Self {
        let town = sure(Town::new());
        let along = (town::LOW + town::HIGH) / 2.0;
        let middle = sure(WorldPos::from_metres(along, 0.0, along, town.grid.sector_size()));
        let peer = Peer::new(&town, DVec3::new(along, 0.0, along));
        let stands = stands(&town, middle, size(4096, 16));
        Self { town, peer, stands }
    }

    fn view(&self) -> TerrainView<'_> {
        self.town.sectors.view()
    }
}

/// Seeded places at which a body stands on what is below it and overlaps nothing.
fn stands(town: &Town, middle: WorldPos, count: usize) -> Vec<Stand> {
    let view = town.sectors.view();
    let (solids, grid) = (view.solids(ALL_LAYERS), view.grid().sector_size());
    let mut random = Random::new(5);
    let mut contacts = Contacts::with_capacity(64);
    let mut found = Vec::with_capacity(count);
    let side = town::HIGH - town::LOW;
    while found.len() < count {
        let (x, z) = (random.between(60.0, side - 60.0), random.between(60.0, side - 60.0));
        let [east, south] = heading(&mut random);
        let ground = place(view, x, z, 0.0);
        let support = solids.support(BODY, ground, -KNEE, KNEE, SupportBy::All);
        let Ok(Some(support)) = support else { continue };
        let up = Vec3::new(0.0, support.point.y + 0.02, 0.0);
        let Ok(feet) = ground.moved_by(up, grid) else { continue };
        let free =
            solids.overlap(BODY, feet, &mut contacts).is_ok() && contacts.as_slice().is_empty();
        let down = Vec3::new(0.1 * east, -0.1, 0.1 * south);
        if let (true, Ok(low)) = (free, feet.moved_by(down, grid)) {
            let [foot, low_foot] = [feet, low].map(|at| at.relative_to(middle, grid));
            let heading = Vec3::new(east, 0.0, south);
            found.push(Stand { feet, heading, low, foot, low_foot });
        }
    }
    found
}

/// Sums of the results, so that nothing is optimised away and both sides can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    hits: u32,
    metres: f64,
}

impl Sums {
    fn add(&mut self, metres: Option<impl Into<f64>>) {
        if let Some(metres) = metres {
            self.hits += 1;
            self.metres += metres.into();
        }
    }
}

fn support(solids: &Solids<'_>, stand: &Stand) -> Option<f64> {
    let found = solids.support(BODY, stand.feet, -KNEE, KNEE, SupportBy::All);
    found.ok().flatten().map(|support| f64::from(KNEE - support.point.y))
}

fn sweep(solids: &Solids<'_>, stand: &Stand, metres: f32) -> Option<f64> {
    match solids.sweep(BODY, stand.feet, stand.heading * metres) {
        Ok(Sweep::Hit(impact)) => Some(impact.time * f64::from(metres)),
        Ok(Sweep::Overlapping(_)) => Some(0.0),
        _ => None,
    }
}

fn ceiling(solids: &Solids<'_>, stand: &Stand, metres: f32) -> Option<f32> {
    let found = solids.ceiling(BODY, stand.feet, metres);
    found.ok().flatten().map(|ceiling| ceiling.clearance)
}

fn overlap(solids: &Solids<'_>, stand: &Stand, contacts: &mut Contacts) -> Option<f32> {
    solids.overlap(BODY, stand.low, contacts).ok()?;
    contacts.deepest().map(|contact| contact.depth)
}

fn raycast(view: TerrainView<'_>, stand: &Stand) -> Option<f64> {
    let size = view.grid().sector_size();
    let eye = stand.feet.moved_by(Vec3::Y, size).ok()?;
    match view.raycast(eye, stand.heading, LONG) {
        Ok(Raycast::Hit(hit)) => Some(f64::from(hit.distance)),
        _ => None,
    }
}

/// The queries of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Support,
    Overlap,
    SweepShort,
    SweepLong,
    Raycast,
    Ceiling,
    /// Gathered once on our side, then support, overlap, ceiling and two short sweeps.
    Gathered,
}

const QUESTIONS: [(Question, &str); 7] = [
    (Question::Support, "support"),
    (Question::Overlap, "overlap"),
    (Question::SweepShort, "sweep_0.1_m"),
    (Question::SweepLong, "sweep_50_m"),
    (Question::Raycast, "raycast_50_m"),
    (Question::Ceiling, "ceiling_3_m"),
    (Question::Gathered, "gather_and_five"),
];

fn ours(scene: &Scene, question: Question, stands: &[Stand]) -> Sums {
    let view = scene.view();
    let solids = view.solids(ALL_LAYERS);
    let mut contacts = Contacts::with_capacity(64);
    let mut gathered = Gathered::with_capacity(4096);
    let mut found = Sums::default();
    for stand in stands {
        match question {
            Question::Support => found.add(support(&solids, stand)),
            Question::Overlap => found.add(overlap(&solids, stand, &mut contacts)),
            Question::SweepShort => found.add(sweep(&solids, stand, SHORT)),
            Question::SweepLong => found.add(sweep(&solids, stand, LONG)),
            Question::Raycast => found.add(raycast(view, stand)),
            Question::Ceiling => found.add(ceiling(&solids, stand, ABOVE)),
            Question::Gathered => {
                let region = Region::around(BODY, stand.feet, 0.5);
                let Ok(region) = region else { continue };
                let Ok(near) = view.gather(&region, ALL_LAYERS, &mut gathered) else { continue };
                found.add(support(&near, stand));
                found.add(overlap(&near, stand, &mut contacts));
                // As far up as the gathered region reaches.
                found.add(ceiling(&near, stand, BODY.height + KNEE));
                found.add(sweep(&near, stand, SHORT));
                found.add(sweep(&near, stand, -SHORT));
            }
        }
    }
    found
}

fn theirs(scene: &Scene, question: Question, stands: &[Stand]) -> Sums {
    let peer = &scene.peer;
    let body = shape::Cylinder::new(BODY.height / 2.0, BODY.radius);
    let disc = shape::Cylinder::new(DISC, BODY.radius);
    let mut contacts: Vec<Contact> = Vec::with_capacity(64);
    let mut found = Sums::default();
    let up = |metres: f32| Vector::new(0.0, metres, 0.0);
    let standing = up(BODY.height / 2.0);
    for stand in stands {
        let way = stand.heading;
        let foot_down = || peer.sweep(&disc, stand.foot + up(KNEE + DISC), up(-1.0), 2.0 * KNEE);
        let head_up = |most: f32| peer.sweep(&disc, stand.foot + up(DISC), up(1.0), most);
        let go = |way: Vector, metres: f32| peer.sweep(&body, stand.foot + standing, way, metres);
        let deepest = |contacts: &mut Vec<Contact>| {
            peer.overlap(&body, stand.low_foot + standing, contacts);
            let depths = contacts.iter().map(|contact| f64::from(-contact.dist));
            depths.reduce(|most, depth| greater(depth, most))
        };
        match question {
            Question::Support => found.add(foot_down()),
            Question::Overlap => found.add(deepest(&mut contacts)),
            Question::SweepShort => found.add(go(way, SHORT)),
            Question::SweepLong => found.add(go(way, LONG)),
            Question::Raycast => found.add(peer.ray(stand.foot + up(1.0), way, LONG)),
            Question::Ceiling => found.add(head_up(ABOVE)),
            Question::Gathered => {
                found.add(foot_down());
                found.add(deepest(&mut contacts));
                found.add(head_up(BODY.height + KNEE));
                found.add(go(way, SHORT));
                found.add(go(-way, SHORT));
            }
        }
    }
    found
}

fn queries(c: &mut Criterion) {
    let scene = Scene::new();
    for (question, name) in QUESTIONS {
        let mut group = c.benchmark_group(format!("queries/{name}"));
        group.throughput(Throughput::Elements(scene.stands.len() as u64));
        group.bench_function("marchland", |b| {
            b.iter(|| ours(&scene, question, black_box(&scene.stands)));
        });
        group.bench_function("parry3d", |b| {
            b.iter(|| theirs(&scene, question, black_box(&scene.stands)));
        });
        group.finish();
    }
    ratios(&scene);
    if is_measured() {
        disagreements(&scene);
    }
}

/// Both sides in alternation, in chunks; the median time of a chunk, and the total results.
fn ratios(scene: &Scene) {
    let turns = size(5, 1);
    for (question, name) in QUESTIONS {
        let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
        let mut found = [Sums::default(); 2];
        for chunk in (0..turns).flat_map(|_| scene.stands.chunks(128)) {
            for (way, ask) in [ours, theirs].into_iter().enumerate() {
                let began = Instant::now();
                let here = black_box(ask(scene, question, black_box(chunk)));
                times[way].push(began.elapsed());
                found[way].hits += here.hits;
                found[way].metres += here.metres;
            }
        }
        let asked = scene.stands.chunks(128).next().map_or(1, <[Stand]>::len) as f64;
        let [our, their] = times.map(|mut times| {
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64() * 1e9 / asked
        });
        let [our_hits, their_hits] = found.map(|found| found.hits / turns);
        let [our_mean, their_mean] = found.map(|found| found.metres / f64::from(found.hits.max(1)));
        if is_measured() {
            let _ = writeln!(
                std::io::stdout(),
                "ratio {name}: {our:.0} ns, parry {their:.0} ns, {:.2} times faster; \
                 {our_hits} and {their_hits} hits, mean {our_mean:.4} and {their_mean:.4} m",
                their / our
            );
        }
    }
}

/// Where the two disagree on a long sweep, parry itself decides: whether a body 5 cm beyond the
/// place that one side hit and the other passed has any contact.
fn disagreements(scene: &Scene) {
    let body = shape::Cylinder::new(BODY.height / 2.0, BODY.radius);
    let up = Vector::new(0.0, BODY.height / 2.0, 0.0);
    let (mut passed, mut confirmed) = ([0; 2], [0; 2]);
    let mut contacts = Vec::new();
    for stand in &scene.stands {
        let one = std::slice::from_ref(stand);
        let ask = |way: fn(&Scene, Question, &[Stand]) -> Sums| {
            let found = way(scene, Question::SweepLong, one);
            if found.hits > 0 { found.metres } else { f64::from(LONG) }
        };
        let (our, their) = (ask(ours), ask(theirs));
        let (who, first, last) = if our < their { (0, our, their) } else { (1, their, our) };
        if last - first > 0.1 {
            let beyond = stand.foot + up + stand.heading * (first as f32 + 0.05);
            passed[who] += 1;
            scene.peer.overlap(&body, beyond, &mut contacts);
            let is_blocked = contacts.iter().any(|contact| contact.dist < 0.0);
            confirmed[who] += u32::from(is_blocked);
        }
    }
    let _ = writeln!(
        std::io::stdout(),
        "sweep_50_m: parry goes past {} hits of ours, {} of which its own contacts confirm; \
         we go past {} of parry's, {} of which they confirm",
        passed[0],
        confirmed[0],
        passed[1],
        confirmed[1]
    );
}

criterion_group! { name = benches; config = criterion(); targets = queries }
criterion_main!(benches);
