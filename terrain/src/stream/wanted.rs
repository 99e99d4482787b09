//! Which sectors are wanted, and how soon: the union of what all sources reach.
//!
//! ```text
//!        . - ~ - .
//!      '           '      A source wants every sector within its radius of the way that it will
//!    :    radius     :    go in the seconds of look-ahead. Those nearest on the way are
//!    :      ●────────┼──▶ needed first. A little beyond, sectors are kept but not fetched.
//!      .           .
//! ```

use glam::Vec2;

use super::interest::{Crowd, Interest};
use crate::math::{SectorCoord, SectorSize, clamp, greater, lesser};

/// Speed at which a source is assumed to move in any direction, whatever its velocity, because it may turn.
/// Metres per second. If it were smaller, sectors beside a fast source would wait for ever; if larger, those
/// ahead of a slow one would not come first.
const WANDER: f64 = 2.0;

/// Steps of the search for the radius that the memory can hold: from 2⁴⁶ m down to a millimetre.
const HALVINGS: u32 = 56;

/// Seconds until the sector on which a source stands is needed. At 0, waiting sectors would never become as
/// urgent as those that sources enter, and would starve if every update brings such sectors.
const AT_ONCE: f64 = 0.5;

/// The priority of a sector: the derived order is the order in which sectors are evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// No source is near.
    Stale,
    /// Just beyond what is wanted.
    Kept,
    Wanted,
    Pinned,
}

/// What a sector means to the sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Want {
    pub(super) coord: SectorCoord,
    pub(super) rank: Rank,
    /// Seconds until it is needed plus [`AT_ONCE`], divided by the source's weight.
    pub(super) need: f32,
    /// Whether a source stands on it.
    pub(super) is_occupied: bool,
}

/// A moving box that wants what is near it. Metres from its sector's centre.
#[derive(Clone, Copy, Debug)]
struct Source {
    sector: SectorCoord,
    low: [f64; 2],
    high: [f64; 2],
    velocity: [f64; 2],
    radius: f64,
    weight: f64,
    /// Speed in every direction. Metres per second.
    wander: f64,
    rank: Rank,
}

/// Where sectors may be: the corners of the world, both included. Also about how many sectors a source may
/// want at most: this many around it, and as many again on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) size: SectorSize,
    pub(super) min: SectorCoord,
    pub(super) max: SectorCoord,
    /// Sectors that exceed the memory are not worth wanting: the radius of a source is limited by this.
    pub(super) sectors_max: u32,
    /// Seconds of look-ahead.
    pub(super) look_ahead: f64,
    /// Distance beyond what is wanted within which sectors are kept. Metres.
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

    /// Adds what a crowd wants: what its members may reach in the time of look-ahead in any direction.
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
                wander: greater(fastest, WANDER),
                rank: Rank::Wanted,
            },
            out,
        );
    }

    fn add(&self, source: &Source, out: &mut Vec<Want>) {
        let radius = self.affordable(source);
        let kept = radius + self.keep;
        let ahead = self.way(source, kept);
        let (s, half) = (f64::from(self.size.metres()), f64::from(self.size.half()));
        let (back, forth) = ends(ahead[0], (0.0, 1.0));
        let (x_low, x_high) = self.span(source, 0, back - kept, forth + kept);
        for x in x_low..=x_high {
            let centre_x = (x - i64::from(source.sector.x)) as f64 * s;
            let (west, east) = (centre_x - half - source.high[0], centre_x + half - source.low[0]);
            // Only the part of the way that passes near this column of sectors counts for it.
            let passing = part_between(ahead[0], west - kept, east + kept);
            let (back, forth) = ends(ahead[1], passing);
            let (z_low, z_high) = self.span(source, 1, back - kept, forth + kept);
            for z in z_low..=z_high {
                let centre_z = (z - i64::from(source.sector.z)) as f64 * s;
                // The square, grown by the box, relative to the box's low corner.
                let low = [west, centre_z - half - source.high[1]];
                let high = [east, centre_z + half - source.low[1]];
                let far = distance_from_way(ahead, low, high, radius);
                if far > kept {
                    continue;
                }
                let rank = if far > radius { Rank::Kept } else { source.rank };
                // The coordinates are between those of the world's corners.
                let coord = SectorCoord::new(x as i32, z as i32);
                let time = time_to(source, low, high);
                let need = ((time + AT_ONCE) / source.weight) as f32;
                out.push(Want { coord, rank, need, is_occupied: time == 0.0 });
            }
        }
    }

    /// The sectors of the world along an axis that a source's box touches when it is extended to both sides
    /// by these metres; ends saturate.
    fn span(&self, source: &Source, axis: usize, back: f64, forth: f64) -> (i64, i64) {
        let size = f64::from(self.size.metres());
        let [sector, min, max] = [source.sector, self.min, self.max]
            .map(|coord| i64::from(if axis == 0 { coord.x } else { coord.z }));
        let low = ((source.low[axis] + back) / size + 0.5).floor() as i64;
        let high = ((source.high[axis] + forth) / size + 0.5).floor() as i64;
        (sector.saturating_add(low).max(min), sector.saturating_add(high).min(max))
    }

    /// The radius of a source, or a smaller one within which there are only as many sectors as may be wanted.
    fn affordable(&self, source: &Source) -> f64 {
        let fits = |radius: f64| {
            let [columns, rows] = [0, 1].map(|axis| {
                let (low, high) = self.span(source, axis, -radius, radius);
                u128::from(high.saturating_sub(low).saturating_add(1).max(0).unsigned_abs())
            });
            columns * rows <= u128::from(self.sectors_max)
        };
        if fits(source.radius) {
            return source.radius;
        }
        let farthest = f64::from(u32::MAX) * f64::from(self.size.metres());
        let (mut low, mut high) = (0.0, lesser(farthest, source.radius));
        for _ in 0..HALVINGS {
            let middle = (low + high) * 0.5;
            *if fits(middle) { &mut low } else { &mut high } = middle;
        }
        low
    }

    /// Where a source will be at the end of the look-ahead. If it would pass more sectors than may be wanted,
    /// the place on the way up to which it passes that many.
    fn way(&self, source: &Source, kept: f64) -> [f64; 2] {
        let ahead = source.velocity.map(|v| v * self.look_ahead);
        let [x, z] = ahead.map(f64::abs);
        let (far, across) = if x > z { (x, 1) } else { (z, 0) };
        // The number of adjacent sectors that it passes, but no more than the world has.
        let (low, high) = match across {
            0 => (self.min.x, self.max.x),
            _ => (self.min.z, self.max.z),
        };
        let size = f64::from(self.size.metres());
        let (world, passed) = (f64::from(high) - f64::from(low) + 1.0, 2.0 * kept / size + 1.0);
        let abreast = lesser(passed, world);
        let most = f64::from(self.sectors_max) / abreast * size;
        if far > most { ahead.map(|v| v * (most / far)) } else { ahead }
    }
}

/// The least and the greatest coordinate of a part of a way, along an axis.
fn ends(ahead: f64, (begin, end): (f64, f64)) -> (f64, f64) {
    let (a, b) = (ahead * begin, ahead * end);
    if a < b { (a, b) } else { (b, a) }
}

/// The part of a way, within 0 to 1, that is between two places along an axis, or nearest to them.
fn part_between(ahead: f64, low: f64, high: f64) -> (f64, f64) {
    if ahead == 0.0 {
        return (0.0, 1.0);
    }
    let (a, b) = (clamp(low / ahead, 0.0, 1.0), clamp(high / ahead, 0.0, 1.0));
    if a < b { (a, b) } else { (b, a) }
}

/// Least distance of a rectangle from the points of the way from the origin to `ahead`. If a distance of at
/// most `enough` is found, that distance may be returned instead.
fn distance_from_way(ahead: [f64; 2], low: [f64; 2], high: [f64; 2], enough: f64) -> f64 {
    let at = |t: f64| length(gap(ahead.map(|ahead| ahead * t), low, high));
    let mut least = at(0.0);
    let squared = ahead[0] * ahead[0] + ahead[1] * ahead[1];
    if squared == 0.0 || least <= enough {
        return least;
    }
    // The distance from a convex set along a line is convex. Its least value is at an end, where the way
    // enters or leaves the slab of an axis, or where the way is nearest to a corner.
    let slab = |axis: usize| {
        let is_crossed = ahead[axis] != 0.0;
        let ends = [low[axis], high[axis]];
        ends.into_iter().filter(move |_| is_crossed).map(move |end| end / ahead[axis])
    };
    let corners = [[low[0], low[1]], [low[0], high[1]], [high[0], low[1]], [high[0], high[1]]];
    let corners = corners.into_iter().map(|[x, z]| (x * ahead[0] + z * ahead[1]) / squared);
    for t in [1.0].into_iter().chain(corners).chain(slab(0)).chain(slab(1)) {
        let far = at(clamp(t, 0.0, 1.0));
        least = lesser(far, least);
        if least <= enough {
            break;
        }
    }
    least
}

fn length([x, z]: [f64; 2]) -> f64 {
    (x * x + z * z).sqrt()
}

/// The vector from a point to the nearest point of a rectangle, by axis.
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

/// Seconds until a source at the origin is in a rectangle, if it moves there as fast as its velocity takes it
/// in that direction.
fn time_to(source: &Source, low: [f64; 2], high: [f64; 2]) -> f64 {
    let way = gap([0.0; 2], low, high);
    let length = length(way);
    if length == 0.0 {
        return 0.0;
    }
    let closing = (way[0] * source.velocity[0] + way[1] * source.velocity[1]) / length;
    length / greater(closing, source.wander)
}
