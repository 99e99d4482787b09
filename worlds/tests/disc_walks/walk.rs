//! Walks units past obstacles, and a disc beside each of them.

use marchland_controller::{Batch, Body, BodyBuilder, Motion, Spawn, TickSettings, Units, Wish};
use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::math::lesser;

use crate::disc::{Way, way};
use crate::planar;
use crate::stage::Stage;

/// What blocks a body is this much wider than the body. Metres.
const SKIN: f64 = 0.01;

/// The bodies that walk: their names and what differs from the default.
pub(crate) fn bodies() -> Vec<(&'static str, Body)> {
    let usual = Body::builder();
    let named = [
        ("default", usual),
        ("knee 0", BodyBuilder { knee: 0.0, ..usual }),
        ("r 0.2", BodyBuilder { radius: 0.2, height: 1.2, knee: 0.3, step_up: 0.3, ..usual }),
        ("r 1", BodyBuilder { radius: 1.0, ..usual }),
        ("r 4", BodyBuilder { radius: 4.0, height: 8.0, ..usual }),
        ("r 16", BodyBuilder { radius: 16.0, height: 32.0, knee: 1.0, step_up: 1.0, ..usual }),
    ];
    named.map(|(name, body)| (name, body.build().unwrap())).to_vec()
}

/// One unit: where it begins, around the middle of its stage, and what it is asked to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) body: usize,
    pub(crate) at: DVec2,
    /// Metres a second, unchanged.
    pub(crate) request: DVec2,
    pub(crate) seconds: f64,
    pub(crate) bound: Bound,
}

/// What is asked of its walk beside what is asked of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    /// Around one convex obstacle: along the way of the disc, and past it as soon.
    Along,
    /// Among several: it ends where the disc ends.
    End,
    /// A gap that lets it pass.
    Gap,
    /// A gap that does not; `x` and `z` of its middle.
    Narrow(DVec2),
}

/// A unit's walk, and the disc's.
pub(crate) struct WalkTrace {
    pub(crate) start: Start,
    /// Of the disc. Metres.
    pub(crate) radius: f64,
    pub(crate) disc: Way,
    /// After every tick; the first place is the start.
    pub(crate) places: Vec<DVec2>,
    pub(crate) dt: f64,
}

/// The disc of a start, unless a millimetre to either side decides where it ends.
pub(crate) fn disc_of(stage: &Stage, start: &Start) -> Option<Way> {
    let radius = f64::from(bodies()[start.body].1.radius()) + SKIN;
    let scale = radius / 0.41;
    // A part of the shortest tick, or the disc itself is late.
    let fine = lesser(start.request.length() / 5000.0, 0.002);
    let at = start.at + stage.build.middle();
    let run = |aside: f64, stride: f64| {
        let at = at + start.request.normalize().perp() * aside;
        let free = stage.outlines.iter().all(|outline| outline.nearest(at).distance > radius);
        free.then(|| way(&stage.outlines, at, radius, start.request, start.seconds, (stride, 8)))
    };
    let disc = run(0.0, fine)?;
    let [left, right] = [-0.001, 0.001].map(|aside| run(aside * scale, 4.0 * fine));
    let apart = [left?, right?].map(|other| other.end().distance(disc.end()));
    (apart[0] < 0.25 * radius && apart[1] < 0.25 * radius).then_some(disc)
}

/// The same walks of a plain walker in the plane, which keeps every bound.
pub(crate) fn plain_walk(stage: &Stage, starts: &[(Start, Way)], rate: u32) -> Vec<WalkTrace> {
    let dt = 1.0 / f64::from(rate);
    let mut walks = begun(stage, starts, dt);
    for walked in &mut walks {
        let ticks = (walked.start.seconds / dt + 1e-6) as usize;
        let mut place = walked.places[0];
        for _ in 0..ticks {
            let way = walked.start.request * dt;
            place = planar::ticked(&stage.outlines, place, walked.radius, way);
            walked.places.push(place);
        }
    }
    walks
}

fn begun(stage: &Stage, starts: &[(Start, Way)], dt: f64) -> Vec<WalkTrace> {
    let bodies = bodies();
    let begun = |(start, disc): &(Start, Way)| WalkTrace {
        start: *start,
        radius: f64::from(bodies[start.body].1.radius()) + SKIN,
        disc: disc.clone(),
        places: vec![start.at + stage.build.middle()],
        dt,
    };
    starts.iter().map(begun).collect()
}

/// Walks all of them at once; they do not notice each other.
pub(crate) fn walk(stage: &Stage, starts: &[(Start, Way)], rate: u32) -> Vec<WalkTrace> {
    let view = stage.view();
    let size = view.grid().sector_size();
    let mut units = Units::new(size);
    let bodies = bodies();
    let known: Vec<_> = bodies.iter().map(|(_, body)| units.add_body(*body).unwrap()).collect();
    let (mut ids, mut wishes) = (Vec::new(), Vec::new());
    for (start, _) in starts {
        let spawn = Spawn {
            position: stage.place(start.at + stage.build.middle()),
            velocity: Vec3::ZERO,
            motion: Motion::Walking,
            body: known[start.body],
            mask: u32::MAX,
        };
        ids.push(units.spawn(spawn).unwrap());
        wishes.push(Wish::walk(start.request.x as f32, start.request.y as f32));
    }
    let dt = 1.0 / f64::from(rate);
    let mut walked = begun(stage, starts, dt);
    let settings = TickSettings::at_rate(rate as f32);
    let mut batch = Batch::new();
    for tick in 1.. {
        let mut is_over = true;
        batch.tick(view, &mut units, &wishes, &settings).unwrap();
        for (index, walked) in walked.iter_mut().enumerate() {
            if f64::from(tick) * dt > walked.start.seconds + 1e-9 {
                wishes[ids[index].slot as usize] = Wish::STAND;
                continue;
            }
            is_over = false;
            let [x, _, z] = units.position(ids[index]).unwrap().to_metres(size);
            walked.places.push(DVec2::new(x, z));
        }
        if is_over {
            break;
        }
    }
    walked
}
