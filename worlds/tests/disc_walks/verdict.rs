//! What is wrong with a walk, in numbers.

use marchland_terrain::glam::DVec2;
use marchland_terrain::math::greater;

use crate::outline::slide;
use crate::stage::Stage;
use crate::walk::{Bound, WalkTrace};

/// One number of a walk that is too great.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) what: FaultKind,
    /// The tick in which it is seen.
    pub(crate) tick: usize,
    pub(crate) amount: f64,
    pub(crate) may: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FaultKind {
    /// Nearer to an obstacle than its radius. Metres.
    Inside,
    /// It stands, where the disc could go at this part of the request.
    Stands,
    /// Its place is this far from the disc's path. Metres.
    OffWay,
    /// It is past the obstacle so much later. Seconds.
    Late,
    /// It has lost so much of its way in a gap. Metres.
    Lost,
    /// It has passed a gap narrower than itself by so much. Metres.
    Through,
    /// It ends so far from where the disc ends. Metres.
    Elsewhere,
}

/// How near to an obstacle it may be: the library's promise to keep out by its radius. Metres.
const ROUNDING: f64 = 1e-3;
/// How long nobody stands. Seconds.
const STANDS: f64 = 0.6;
/// Who goes slower than this part of its request stands.
const STANDING: f64 = 0.006;
/// Who could go faster than this part of its request is not to stand.
const SLIDES: f64 = 0.06;
/// Everything so near stops who stands. Metres.
const STOPS: f64 = 0.02;

/// All faults of a walk.
pub(crate) fn faults(stage: &Stage, walked: &WalkTrace) -> Vec<Fault> {
    let end = walked.places.len() - 1;
    let mut found = Vec::new();
    let mut put = |what, tick, amount: f64, may: f64| {
        // What is no number is too great.
        if amount > may || amount.is_nan() {
            found.push(Fault { what, tick, amount, may });
        }
    };
    let (tick, depth) = deepest(stage, walked);
    put(FaultKind::Inside, tick, depth, ROUNDING);
    let (tick, part) = stands(stage, walked);
    put(FaultKind::Stands, tick, part, SLIDES);
    let speed = walked.start.request.length();
    let length = walked.disc.length();
    let apart = walked.places[end].distance(walked.disc.end());
    match walked.start.bound {
        Bound::Along => {
            let (tick, off) = farthest_off(walked);
            let hop = speed * walked.dt;
            put(FaultKind::OffWay, tick, off, 0.02 + hop * hop / (2.0 * walked.radius));
            put(FaultKind::Late, end, behind(walked) / speed, 3.0 * walked.dt + 1e-3);
        }
        Bound::End => {
            put(FaultKind::Elsewhere, end, apart, may_be_apart(length, speed * walked.dt));
        }
        Bound::Gap => {
            let way = speed * walked.dt * end as f64;
            let heading = walked.start.request / speed;
            let lost = way - (walked.places[end] - walked.places[0]).dot(heading);
            put(FaultKind::Lost, end, lost, walked.radius - 0.01 + 0.15);
        }
        Bound::Narrow(middle) => {
            put(FaultKind::Elsewhere, end, apart, may_be_apart(length, speed * walked.dt));
            let heading = walked.start.request / speed;
            let through = walked
                .places
                .iter()
                .map(|place| (*place - stage.build.middle() - middle).dot(heading));
            put(FaultKind::Through, end, through.fold(f64::NEG_INFINITY, greater), 0.0);
        }
    }
    found
}

fn may_be_apart(length: f64, hop: f64) -> f64 {
    0.15 + 0.02 * length + hop
}

fn deepest(stage: &Stage, walked: &WalkTrace) -> (usize, f64) {
    let radius = walked.radius - 0.01;
    let depth = |place: DVec2| {
        let near = stage.outlines.iter().filter(|outline| outline.at_least(place) < radius);
        near.map(|outline| radius - outline.nearest(place).distance).fold(0.0, greater)
    };
    most_of(walked.places.iter().map(|&place| depth(place)))
}

/// The greatest part of its request at which the disc could go where the unit stands.
fn stands(stage: &Stage, walked: &WalkTrace) -> (usize, f64) {
    let ticks = (STANDS / walked.dt).ceil() as usize;
    let speed = walked.start.request.length();
    let may = STANDING * speed * STANDS;
    most_of((0..walked.places.len()).map(|tick| {
        let place = walked.places[tick];
        if tick < ticks || place.distance(walked.places[tick - ticks]) > may {
            return 0.0;
        }
        let radius = walked.radius - 0.01 + STOPS;
        slide(&stage.outlines, place, radius, walked.start.request).length() / speed
    }))
}

fn farthest_off(walked: &WalkTrace) -> (usize, f64) {
    most_of(walked.places.iter().map(|&place| walked.disc.distance(place)))
}

/// How far behind the disc it is at the end, along the request. Metres.
fn behind(walked: &WalkTrace) -> f64 {
    let heading = walked.start.request.normalize();
    let end = walked.places[walked.places.len() - 1];
    let seconds = walked.dt * (walked.places.len() - 1) as f64;
    (walked.disc.at(seconds) - end).dot(heading)
}

/// The greatest of the numbers, and where it is first.
fn most_of(numbers: impl Iterator<Item = f64>) -> (usize, f64) {
    numbers.enumerate().fold((0, f64::NEG_INFINITY), |best, next| {
        if next.1 > best.1 || next.1.is_nan() { next } else { best }
    })
}
