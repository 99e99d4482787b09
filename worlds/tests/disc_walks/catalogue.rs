//! What is walked at: shapes, and where walks begin around them.

use marchland_random::Random;
use marchland_terrain::glam::DVec2;
use marchland_terrain::math::greater;

use crate::disc::Way;
use crate::outline::{Outline, turned};
use crate::stage::{Block, Build, Stage};
use crate::walk::{Bound, Start, bodies, disc_of};

/// A stage and the walks on it.
pub(crate) struct Scene {
    /// Its shape.
    pub(crate) name: String,
    /// How it is built.
    pub(crate) form: &'static str,
    pub(crate) stage: Stage,
    /// With the disc's way beside each.
    pub(crate) starts: Vec<(Start, Way)>,
}

/// Ways to build a stage.
const FORMS: [(&str, [usize; 2], bool, bool, f64); 6] = [
    ("live", [1, 1], false, false, 64.0),
    ("baked", [1, 1], false, true, 64.0),
    ("tessellated", [7, 4], false, false, 64.0),
    ("tessellated baked", [5, 3], false, true, 8.0),
    ("soup", [1, 1], true, false, 8.0),
    ("tessellated baked soup", [4, 2], true, true, 64.0),
];
const SPEEDS: [f64; 6] = [0.5, 1.0, 2.0, 3.0, 5.0, 8.0];
/// Beside the middle of what is met, for a disc of 0.41 m. Metres.
const BESIDE: [f64; 9] = [0.01, 0.015, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.35];

type Blocks = Vec<Block>;

/// Every scene with `count` walks; those of another seed differ.
pub(crate) fn scenes(count: usize, seed: u64) -> Vec<Scene> {
    let mut random = Random::new(seed);
    let mut scenes = Vec::new();
    for (name, size) in [("house, all sides", [10.0, 10.0]), ("wall, both ends", [0.4, 20.0])] {
        for form in [0, 1] {
            let mut scene = built(name, form, boxed(size, 0.0), &mut random);
            let sides = on_all_sides(&scene.stage, &mut random);
            scene.starts = sides.filter_map(|start| timed(&scene.stage, start)).collect();
            scenes.push(scene);
        }
    }
    for (name, blocks) in single() {
        for form in 0..FORMS.len() {
            let scene = built(&name, form, blocks(&mut random), &mut random);
            scenes.push(with_starts(scene, count, &mut random, around_one));
        }
    }
    for (name, make) in several() {
        for form in 0..FORMS.len() {
            let mut random = Random::new(random.bits());
            let body = random.pick(&[0, 0, 1, 2, 3]);
            let (blocks, starts) = make(&mut random, body, count);
            let mut scene = built(name, form, blocks, &mut random);
            scene.starts =
                starts.into_iter().filter_map(|start| timed(&scene.stage, start)).collect();
            scenes.push(scene);
        }
    }
    scenes
}

fn built(name: &str, form: usize, blocks: Blocks, random: &mut Random) -> Scene {
    let (form, parts, is_soup, is_baked, sector) = FORMS[form];
    // The corner of four sectors in the middle, at a corner of the house, or anywhere.
    let anywhere = [0; 2].map(|_| random.between(-6.0, 6.0));
    let off_corner = random.pick(&[DVec2::ZERO, DVec2::splat(5.0), DVec2::from(anywhere)]);
    let build = Build { parts, is_soup, is_baked, sector, off_corner };
    let stage = Stage::new(blocks, build);
    Scene { name: name.to_owned(), form, stage, starts: Vec::new() }
}

type BlockMaker = fn(&mut Random) -> Blocks;

/// Convex obstacles, of one prop or of flush ones, turned by odd angles.
fn single() -> Vec<(String, BlockMaker)> {
    let named: [(&str, BlockMaker); 9] = [
        ("house", |random| boxed([10.0, 10.0], yaw(random))),
        ("end of a wall", |random| boxed([0.4, 20.0], yaw(random))),
        ("post", |random| boxed([1.0, 1.0], yaw(random))),
        ("thin post", |random| boxed([0.2, 0.2], yaw(random))),
        ("round post", |random| {
            vec![Block::new(Outline::round(2.0, 16), yaw(random), DVec2::ZERO)]
        }),
        ("triangle", |random| vec![Block::new(Outline::round(3.0, 3), yaw(random), DVec2::ZERO)]),
        ("hexagon", |random| vec![Block::new(Outline::round(2.0, 6), yaw(random), DVec2::ZERO)]),
        ("four flush", |random| tiled([5.0, 5.0], [2, 2], yaw(random))),
        ("slices and layers", |random| {
            let mut blocks = tiled([2.0, 10.0], [5, 1], yaw(random));
            let upper = blocks.clone().into_iter().map(|block| Block { y: [1.0, 3.0], ..block });
            let upper: Blocks = upper.collect();
            for block in &mut blocks {
                block.y = [0.0, 1.0];
            }
            blocks.into_iter().chain(upper).collect()
        }),
    ];
    named.map(|(name, made)| (name.to_owned(), made)).to_vec()
}

fn yaw(random: &mut Random) -> f64 {
    random.pick(&[0.0, 0.0, 90.0, 23.7, 45.0, -61.3, 11.9])
}

fn boxed(size: [f64; 2], yaw: f64) -> Blocks {
    tiled(size, [1, 1], yaw)
}

/// Flush rectangles, `count` of them along each side.
fn tiled(size: [f64; 2], count: [u32; 2], yaw: f64) -> Blocks {
    let outline = Outline::rectangle(DVec2::from(size));
    let middle = |at: u32, count: u32| f64::from(at) - f64::from(count - 1) / 2.0;
    (0..count[1])
        .flat_map(|z| (0..count[0]).map(move |x| (x, z)))
        .map(|(x, z)| {
            let at = DVec2::new(middle(x, count[0]) * size[0], middle(z, count[1]) * size[1]);
            Block::new(outline.clone(), yaw, turned(at, yaw.to_radians()))
        })
        .collect()
}

fn with_starts(
    mut scene: Scene,
    count: usize,
    random: &mut Random,
    start: fn(&mut Random, &Stage) -> Start,
) -> Scene {
    for _ in 0..20 * count {
        if scene.starts.len() == count {
            break;
        }
        let start = start(random, &scene.stage);
        scene.starts.extend(timed(&scene.stage, start));
    }
    assert!(scene.starts.len() == count, "{}: {} walks", scene.name, scene.starts.len());
    scene
}

/// Beside the edges of a box along X and Z, from all sides and mirrored.
fn on_all_sides<'a>(stage: &'a Stage, random: &'a mut Random) -> impl Iterator<Item = Start> + 'a {
    let corners = stage.blocks[0].outline.corners();
    let ways = [DVec2::X, -DVec2::X, DVec2::Y, -DVec2::Y];
    let met = corners.iter().flat_map(move |&corner| ways.map(|way| (corner, way)));
    let met = met.filter(|(corner, way)| way.dot(*corner) < 0.0);
    let pairs = met.flat_map(|met| [0.012, 0.06, 0.14, 0.22].map(|aside| (met, aside)));
    pairs.map(|((corner, way), aside)| {
        let body = random.pick(&[0, 0, 0, 1]);
        // Beside the edge, away from the face that is met.
        let out = way.perp() * way.perp().dot(corner).signum();
        let at = corner - way * random.between(0.5, 1.0) + out * aside;
        let request = rounded(way * random.pick(&SPEEDS));
        Start { body, at, request, seconds: 0.0, bound: Bound::Along }
    })
}

/// Of any body, at a corner or a face of one convex obstacle.
fn around_one(random: &mut Random, stage: &Stage) -> Start {
    let body = random.pick(&[0, 0, 0, 0, 1, 1, 2, 3, 4, 5]);
    let radius = f64::from(bodies()[body].1.radius()) + 0.01;
    let block = &stage.blocks[random.below(stage.blocks.len() as u64) as usize];
    let placed = block.placed();
    let corner = random.pick(placed.corners());
    let middle = placed.corners().iter().sum::<DVec2>() / placed.corners().len() as f64;
    let inwards = (middle - corner).normalize();
    // Along the sides of what is square, or aslant to them.
    let heading = if random.once_in(2.0) {
        let along = turned(DVec2::X, block.yaw.to_radians());
        let ways = [along, -along, along.perp(), -along.perp()];
        let into = ways.into_iter().filter(|way| way.dot(inwards) > 0.1);
        random.pick(&into.collect::<Vec<_>>())
    } else {
        turned(inwards, random.between(-1.0, 1.0))
    };
    let aside = random.pick(&BESIDE) * radius / 0.41;
    let aside = if random.once_in(8.0) { aside * random.between(2.0, 12.0) } else { aside };
    let aside = if random.once_in(2.0) { aside } else { -aside };
    let before = radius + random.between(0.1, 0.8) + 0.3 * (radius - 0.41);
    let speed = random.pick(&SPEEDS) * if radius > 2.0 { radius / 2.0 } else { 1.0 };
    let at = corner - heading * before + heading.perp() * aside;
    Start { body, at, request: rounded(heading * speed), seconds: 0.0, bound: Bound::Along }
}

/// The request as a unit gets it.
fn rounded(request: DVec2) -> DVec2 {
    request.as_vec2().as_dvec2()
}

/// Longest walk. Seconds.
const LONGEST: f64 = 7.0;

/// The same, as long as it takes, and the disc's way; `None` if it cannot begin there, or the way hangs on a
/// millimetre.
fn timed(stage: &Stage, start: Start) -> Option<(Start, Way)> {
    if start.bound != Bound::Along {
        return disc_of(stage, &start).map(|disc| (start, disc));
    }
    let mut disc = disc_of(stage, &Start { seconds: LONGEST, ..start })?;
    // Past the obstacle, or stopped by it: from then on it falls behind no more, or all the time.
    let speed = start.request.length();
    let velocity = |at: usize| (disc.places[at + 1] - disc.places[at]) / disc.interval;
    let last = disc.places.len() - 2;
    let change = (0..last).rev().find(|&at| velocity(at).distance(velocity(last)) > 1e-3 * speed);
    let seconds = ticked(change.map_or(0.0, |at| at as f64 * disc.interval) + 0.6);
    if seconds > LONGEST {
        return Some((Start { seconds: LONGEST, bound: Bound::End, ..start }, disc));
    }
    disc.places.truncate((seconds / disc.interval) as usize + 2);
    Some((Start { seconds, ..start }, disc))
}

type Scenery = fn(&mut Random, usize, usize) -> (Blocks, Vec<Start>);

/// Obstacles of several, and walks of one body at them.
fn several() -> [(&'static str, Scenery); 6] {
    [
        ("gap", |random, body, count| gap(random, body, count, 0.05)),
        ("narrow gap", |random, body, count| gap(random, body, count, -0.05)),
        ("funnel", funnel),
        ("closed funnel", closed_funnel),
        ("inner corner", inner_corner),
        ("zig-zag", zig_zag),
    ]
}

/// Turns all of a scene.
fn turned_scene((blocks, starts): (Blocks, Vec<Start>), yaw: f64) -> (Blocks, Vec<Start>) {
    let turn = |vector: DVec2| turned(vector, yaw.to_radians());
    let blocks = blocks
        .into_iter()
        .map(|block| Block { yaw: block.yaw + yaw, at: turn(block.at), ..block })
        .collect();
    let starts = starts.into_iter().map(|start| {
        let bound = match start.bound {
            Bound::Narrow(middle) => Bound::Narrow(turn(middle)),
            bound => bound,
        };
        Start { at: turn(start.at), request: rounded(turn(start.request)), bound, ..start }
    });
    (blocks, starts.collect())
}

fn radius_of(body: usize) -> f64 {
    f64::from(bodies()[body].1.radius())
}

/// A wall with a gap of 2r + `more` metres, walked at along +X.
fn gap(random: &mut Random, body: usize, count: usize, more: f64) -> (Blocks, Vec<Start>) {
    let radius = radius_of(body);
    let thick = random.pick(&[0.4, 1.0, 4.0]);
    let half = radius + more / 2.0;
    let wall = Outline::rectangle(DVec2::new(thick, 6.0));
    let blocks = [-1.0, 1.0]
        .map(|side| Block::new(wall.clone(), 0.0, DVec2::new(0.0, side * (half + 3.0))))
        .to_vec();
    let starts = (0..count).map(|_| {
        let speed = random.pick(&SPEEDS[1..]);
        // Farther aside, the disc alone loses more than its radius.
        let aside = (half - 0.3 * radius) * random.between(-1.0, 1.0);
        let run = radius + thick / 2.0 + random.between(0.2, 0.6);
        let through = 2.0 * run + 2.0 * radius + 0.3;
        let bound = if more > 0.0 { Bound::Gap } else { Bound::Narrow(DVec2::ZERO) };
        Start {
            body,
            at: DVec2::new(-run, aside),
            request: DVec2::new(speed, 0.0),
            seconds: ticked(through / speed + 0.8),
            bound,
        }
    });
    let starts = starts.collect();
    turned_scene((blocks, starts), yaw(random))
}

/// At the end of a tick at every rate.
fn ticked(seconds: f64) -> f64 {
    (seconds * 30.0).ceil() / 30.0
}

/// Two walls that lead into a gap.
fn funnel(random: &mut Random, body: usize, count: usize) -> (Blocks, Vec<Start>) {
    narrowing(random, body, count, radius_of(body) + 0.1)
}

/// Two walls that lead into nothing.
fn closed_funnel(random: &mut Random, body: usize, count: usize) -> (Blocks, Vec<Start>) {
    let half = radius_of(body) * random.between(0.2, 0.9);
    narrowing(random, body, count, half)
}

fn narrowing(random: &mut Random, body: usize, count: usize, half: f64) -> (Blocks, Vec<Start>) {
    let angle = random.between(15.0, 65.0);
    let long = 5.0 + 2.0 * radius_of(body);
    let wall = Outline::new(
        [[0.0, 0.0], [-long, 0.0], [-long, 0.3], [0.0, 0.3]].map(DVec2::from).to_vec(),
    );
    let other = Outline::new(
        [[0.0, 0.0], [-long, 0.0], [-long, -0.3], [0.0, -0.3]].map(DVec2::from).to_vec(),
    );
    let blocks = vec![
        Block::new(wall, angle, DVec2::new(0.0, half)),
        Block::new(other, -angle, DVec2::new(0.0, -half)),
    ];
    let radius = radius_of(body);
    let starts = (0..count).map(|_| {
        let speed = random.pick(&SPEEDS[1..]);
        let back = radius / libm::sin(angle.to_radians()) + random.between(0.5, 2.5);
        let room = half + back * libm::tan(angle.to_radians())
            - (radius + 0.02) / libm::cos(angle.to_radians());
        let room = greater(room, 0.0);
        let at = DVec2::new(-back, room * random.between(-1.0, 1.0));
        let request = turned(DVec2::new(speed, 0.0), random.between(-0.2, 0.2));
        let seconds = ticked((back + 2.0) / speed + 1.0);
        Start { body, at, request, seconds, bound: Bound::End }
    });
    let starts = starts.collect();
    turned_scene((blocks, starts), yaw(random))
}

/// Two walls that meet at 45 to 150 degrees.
fn inner_corner(random: &mut Random, body: usize, count: usize) -> (Blocks, Vec<Start>) {
    let angle = random.pick(&[45.0, 60.0, 89.0, 90.0, 91.0, 120.0, 135.0, 150.0]);
    let radius = radius_of(body);
    let long = 6.0 + 4.0 * radius;
    let wall = |thick: f64| {
        let corners = [[0.0, 0.0], [-long, 0.0], [-long, thick], [0.0, thick]];
        Outline::new(corners.map(DVec2::from).to_vec())
    };
    let half = angle / 2.0;
    let blocks =
        vec![Block::new(wall(0.4), half, DVec2::ZERO), Block::new(wall(-0.4), -half, DVec2::ZERO)];
    let starts = (0..count).map(|_| {
        let speed = random.pick(&SPEEDS[1..]);
        let back = radius / libm::sin(half.to_radians()) + random.between(0.3, 2.0);
        let request = turned(DVec2::new(speed, 0.0), random.between(-1.4, 1.4));
        let aside = random.between(-0.2, 0.2);
        let at = DVec2::new(-back, aside);
        Start { body, at, request, seconds: ticked(3.0 / speed + 1.5), bound: Bound::End }
    });
    let starts = starts.collect();
    turned_scene((blocks, starts), yaw(random))
}

/// A wall that goes in and out, walked along.
fn zig_zag(random: &mut Random, body: usize, count: usize) -> (Blocks, Vec<Start>) {
    let angle = random.between(10.0, 50.0);
    let (sin, cos) = libm::sincos(angle.to_radians());
    let long = random.between(0.6, 2.0) + radius_of(body);
    let outline = Outline::rectangle(DVec2::new(long, 0.4));
    let blocks: Blocks = (0..8)
        .map(|at| {
            let turn = if at % 2 == 0 { angle } else { -angle };
            let x = (f64::from(at) - 3.5) * long * cos;
            Block::new(outline.clone(), turn, DVec2::new(x, 0.0))
        })
        .collect();
    let radius = radius_of(body);
    let starts = (0..count).map(|_| {
        let speed = random.pick(&SPEEDS[1..]);
        let side = if random.once_in(2.0) { 1.0 } else { -1.0 };
        let off = long * sin / 2.0 + 0.3 / cos + radius + random.between(0.1, 0.4);
        let x = random.between(-3.0, -1.0) * long * cos;
        let request = turned(DVec2::new(speed, 0.0), side * random.between(0.1, 1.2));
        let seconds = ticked(4.0 / speed + 1.0);
        Start { body, at: DVec2::new(x, side * off), request, seconds, bound: Bound::End }
    });
    let starts = starts.collect();
    turned_scene((blocks, starts), yaw(random))
}
