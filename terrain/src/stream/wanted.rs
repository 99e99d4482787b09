//! Which sectors are wanted, and how soon: the union of what all sources reach.
//!
//! ```text
//!        . - ~ - .
//!      '           '      A source wants every sector within its radius of the way that it will
//!    :    radius     :    go in the seconds of look-ahead; what stands nearest on the way, it
//!    :      ●────────┼──▶ needs first. A little beyond, sectors are kept but not fetched.
//!      .           .
//! ```

use glam::Vec2;

use super::interest::{Crowd, Interest};
use crate::math::{SectorCoord, SectorSize};

/// Metres per second at which a source is taken to go in any direction, whatever its velocity says:
/// it may turn. Smaller, and sectors beside a fast source wait without end; larger, and those ahead of
/// a slow one do not come first.
const WANDER: f64 = 2.0;

/// How dear a sector is: the derived order is the order in which sectors have to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Nobody is near.
    Stale,
    /// Just beyond what is wanted.
    Kept,
    Wanted,
    Pinned,
}

/// What a sector is to the sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Want {
    pub(super) coord: SectorCoord,
    pub(super) rank: Rank,
    /// Seconds until it is needed, divided by the source's weight.
    pub(super) need: f32,
}

/// A box that moves, and wants what is near it. Metres from its sector's centre.
#[derive(Clone, Copy, Debug)]
struct Source {
    sector: SectorCoord,
    low: [f64; 2],
    high: [f64; 2],
    velocity: [f64; 2],
    radius: f64,
    weight: f64,
    /// Speed in every direction.
    wander: f64,
    rank: Rank,
}

/// Where sectors may be: the corners of the world, both included, and how many of them a source may
/// want at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) size: SectorSize,
    pub(super) min: SectorCoord,
    pub(super) max: SectorCoord,
    /// More than fit the memory are not worth wanting: the radius of a source ends with them.
    pub(super) sectors_max: u32,
    /// Seconds of look-ahead.
    pub(super) look_ahead: f64,
    /// Metres beyond what is wanted in which sectors are kept.
    pub(super) keep: f64,
}

impl Extent {
    /// Adds what a source wants, in order of coordinates.
    pub(super) fn add_interest(&self, interest: &Interest, out: &mut Vec<Want>) {
        let local = interest.position.local();
        let at = [f64::from(local.x), f64::from(local.z)];
        self.add(
            &Source {
                sector: interest.position.sector(),
                low: at,
                high: at,
                velocity: [f64::from(interest.velocity.x), f64::from(interest.velocity.z)],
                radius: f64::from(interest.radius),
                weight: f64::from(interest.weight),
                wander: WANDER,
                rank: if interest.pinned { Rank::Pinned } else { Rank::Wanted },
            },
            out,
        );
    }

    /// Adds what a crowd wants: what its members may reach in the time of look-ahead, wherever they
    /// turn.
    pub(super) fn add_crowd(&self, crowd: &Crowd, radius: f32, out: &mut Vec<Want>) {
        let pair = |v: Vec2| [f64::from(v.x), f64::from(v.y)];
        let fastest = if crowd.fastest > 0.0 { f64::from(crowd.fastest) } else { 0.0 };
        self.add(
            &Source {
                sector: crowd.sector,
                low: pair(crowd.low),
                high: pair(crowd.high),
                velocity: [0.0; 2],
                radius: f64::from(radius) + fastest * self.look_ahead,
                weight: 1.0,
                wander: if fastest > WANDER { fastest } else { WANDER },
                rank: Rank::Wanted,
            },
            out,
        );
    }

    fn add(&self, source: &Source, out: &mut Vec<Want>) {
        let radius = self.affordable(source);
        let reach = radius + self.keep;
        let ahead = source.velocity.map(|v| v * self.look_ahead);
        let (s, half) = (f64::from(self.size.metres()), f64::from(self.size.half()));
        // Sectors along an axis within reach, relative to the source's own; ends saturate.
        let span = |axis: usize| {
            let (back, forth) =
                if ahead[axis] < 0.0 { (ahead[axis], 0.0) } else { (0.0, ahead[axis]) };
            let low = ((source.low[axis] + back - reach) / s + 0.5).floor();
            let high = ((source.high[axis] + forth + reach) / s + 0.5).floor();
            (low as i64, high as i64)
        };
        let within = |sector: i32, (low, high): (i64, i64), min: i32, max: i32| {
            let sector = i64::from(sector);
            let low = sector.saturating_add(low);
            let high = sector.saturating_add(high);
            (low.max(i64::from(min)), high.min(i64::from(max)))
        };
        let (x_low, x_high) = within(source.sector.x, span(0), self.min.x, self.max.x);
        let (z_low, z_high) = within(source.sector.z, span(1), self.min.z, self.max.z);
        for x in x_low..=x_high {
            for z in z_low..=z_high {
                let centre = [
                    (x - i64::from(source.sector.x)) as f64 * s,
                    (z - i64::from(source.sector.z)) as f64 * s,
                ];
                // The square, grown by the box, as seen from the box's low corner.
                let low = [0, 1].map(|a| centre[a] - half - source.high[a]);
                let high = [0, 1].map(|a| centre[a] + half - source.low[a]);
                let far = distance_from_way(ahead, low, high);
                if far > reach {
                    continue;
                }
                let rank = if far > radius { Rank::Kept } else { source.rank };
                // The coordinates lie between those of the world's corners.
                let coord = SectorCoord::new(x as i32, z as i32);
                let need = (time_to(source, low, high) / source.weight) as f32;
                out.push(Want { coord, rank, need });
            }
        }
    }

    /// The radius of a source, or a smaller one within which as many sectors lie as may be wanted.
    fn affordable(&self, source: &Source) -> f64 {
        let size = f64::from(self.size.metres());
        let most = f64::from(self.sectors_max).sqrt() * size * 0.5;
        if source.radius > most { most } else { source.radius }
    }
}

/// Least distance of a rectangle from the points of the way from the origin to `ahead`.
fn distance_from_way(ahead: [f64; 2], low: [f64; 2], high: [f64; 2]) -> f64 {
    let at = |t: f64| distance([ahead[0] * t, ahead[1] * t], low, high);
    let mut least = at(0.0);
    let squared = ahead[0] * ahead[0] + ahead[1] * ahead[1];
    if squared == 0.0 || least == 0.0 {
        return least;
    }
    // The distance from a convex set along a line is convex; its least value is at an end, where the
    // way enters or leaves the slab of an axis, or where it is nearest to a corner.
    let mut consider = |t: f64| {
        let far = at(if t < 0.0 {
            0.0
        } else if t > 1.0 {
            1.0
        } else {
            t
        });
        least = if far < least { far } else { least };
    };
    consider(1.0);
    for axis in [0, 1] {
        if ahead[axis] != 0.0 {
            consider(low[axis] / ahead[axis]);
            consider(high[axis] / ahead[axis]);
        }
    }
    for x in [low[0], high[0]] {
        for z in [low[1], high[1]] {
            consider((x * ahead[0] + z * ahead[1]) / squared);
        }
    }
    least
}

/// From a point to the nearest of a rectangle.
fn distance(point: [f64; 2], low: [f64; 2], high: [f64; 2]) -> f64 {
    let [x, z] = gap(point, low, high);
    (x * x + z * z).sqrt()
}

/// The way from a point to the nearest of a rectangle, by axis.
fn gap(point: [f64; 2], low: [f64; 2], high: [f64; 2]) -> [f64; 2] {
    [0, 1].map(|axis| {
        if point[axis] < low[axis] {
            low[axis] - point[axis]
        } else if point[axis] > high[axis] {
            high[axis] - point[axis]
        } else {
            0.0
        }
    })
}

/// Seconds until a source that stands in the origin is in a rectangle, if it goes there as fast as its
/// velocity takes it that way.
fn time_to(source: &Source, low: [f64; 2], high: [f64; 2]) -> f64 {
    let way = gap([0.0; 2], low, high);
    let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
    if length == 0.0 {
        return 0.0;
    }
    let closing = (way[0] * source.velocity[0] + way[1] * source.velocity[1]) / length;
    length / if closing > source.wander { closing } else { source.wander }
}
