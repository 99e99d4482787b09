//! The course of a source: legs of some seconds with sharp turns between them, within a rectangle, at
//! one speed. Computed from numbers alone, the same on every machine.

use marchland_random::SplitMix;
use marchland_terrain::SectorSize;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::store::SectorBounds;

/// Most seconds of a leg along each axis.
const LEG_SECONDS: f64 = 12.0;
/// Parts of a sector to each side of the border that a shuttle covers.
const SHUTTLE: f64 = 0.75;
/// A leg must be at least this long. Metres.
const LEG_MIN: f64 = 1.0;

/// A rectangle of ground, low and high corner along X and Z. Metres from the centre of sector (0, 0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Field {
    low: [f64; 2],
    high: [f64; 2],
    /// X of a border of sectors near the middle.
    border: f64,
    sector: f64,
    /// Metres along every side of the world that do not belong to the field.
    margin: f64,
}

impl Field {
    /// All sectors, less `margin` metres along each side, or a quarter of a narrow world.
    pub(super) fn of(bounds: SectorBounds, size: SectorSize, margin: f64) -> Self {
        let (metres, half) = (f64::from(size.metres()), f64::from(size.half()));
        let sides = [[bounds.min.x, bounds.max.x], [bounds.min.z, bounds.max.z]];
        let ends = sides
            .map(|[min, max]| [f64::from(min) * metres - half, f64::from(max) * metres + half]);
        let margin =
            ends.into_iter().fold(margin, |margin, [low, high]| lesser(margin, (high - low) / 4.0));
        let ends = ends.map(|[low, high]| [low + margin, high - margin]);
        let [[west, east], [north, south]] = ends;
        let columns = f64::from(bounds.max.x) - f64::from(bounds.min.x) + 1.0;
        let border = (f64::from(bounds.min.x) + (columns / 2.0).floor()) * metres - half;
        Self { low: [west, north], high: [east, south], border, sector: metres, margin }
    }

    /// `spread` metres, or the distance from anywhere in the field to the edge of the world if that
    /// is less.
    pub(super) fn fitting(&self, spread: f64) -> f64 {
        lesser(spread, self.margin)
    }

    /// The nearest place of the field.
    fn nearest(&self, [x, z]: [f64; 2]) -> [f64; 2] {
        let within = |value: f64, low: f64, high: f64| greater(low, lesser(high, value));
        [within(x, self.low[0], self.high[0]), within(z, self.low[1], self.high[1])]
    }

    fn at(&self, [x, z]: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| {
            let part = if axis == 0 { x } else { z };
            self.low[axis] + (self.high[axis] - self.low[axis]) * part
        })
    }
}

/// One source under way.
#[derive(Clone, Debug)]
pub(super) struct Course {
    field: Field,
    speed: f64,
    is_shuttle: bool,
    random: SplitMix,
    leg: u64,
    from: [f64; 2],
    to: [f64; 2],
    place: [f64; 2],
}

impl Course {
    /// A course at its beginning; each `number` gives a different course.
    pub(super) fn new(field: Field, speed: f64, is_shuttle: bool, number: u64) -> Self {
        let mut course = Self {
            field,
            speed,
            is_shuttle,
            random: SplitMix::new(number),
            leg: 0,
            from: [0.0; 2],
            to: [0.0; 2],
            place: [0.0; 2],
        };
        // The first source starts in the middle of the world, the others anywhere in it.
        let start = match number {
            0 => [0.5, 0.5],
            _ => [course.random.part(), course.random.part()],
        };
        course.place = field.at(start);
        course.turn();
        if is_shuttle {
            course.place = course.to;
            course.turn();
        }
        course
    }

    /// Current place: X and Z, metres from the centre of sector (0, 0).
    pub(super) fn place(&self) -> [f64; 2] {
        self.place
    }

    /// Current velocity, metres per second along X and Z.
    pub(super) fn velocity(&self) -> [f64; 2] {
        let way = [self.to[0] - self.place[0], self.to[1] - self.place[1]];
        let length = length(way);
        if length > 0.0 { way.map(|part| part / length * self.speed) } else { [0.0; 2] }
    }

    /// Moves on by this many seconds, around as many corners as needed.
    pub(super) fn advance(&mut self, seconds: f64) {
        let mut left = self.speed * seconds;
        while left > 0.0 {
            let way = [self.to[0] - self.place[0], self.to[1] - self.place[1]];
            let length = length(way);
            if length > left {
                self.place = [0, 1].map(|axis| self.place[axis] + way[axis] / length * left);
                return;
            }
            self.place = self.to;
            left -= length;
            self.turn();
        }
    }

    /// Begins the next leg at the current place.
    fn turn(&mut self) {
        self.leg += 1;
        self.from = self.place;
        self.to = if self.is_shuttle { self.over_the_border() } else { self.somewhere() };
        if length([self.to[0] - self.from[0], self.to[1] - self.from[1]]) < LEG_MIN {
            // Too short, as a leg into the corner where the source already is: go to the opposite side.
            let is_west = self.from[0] < self.field.at([0.5, 0.5])[0];
            self.to = self.field.at(if is_west { [1.0, 0.5] } else { [0.0, 0.5] });
        }
    }

    fn somewhere(&mut self) -> [f64; 2] {
        let length = self.speed * LEG_SECONDS;
        let part = [self.random.part(), self.random.part()];
        let to = [0, 1].map(|axis| self.from[axis] + (part[axis] * 2.0 - 1.0) * length);
        self.field.nearest(to)
    }

    fn over_the_border(&self) -> [f64; 2] {
        let side = if self.leg.is_multiple_of(2) { 1.0 } else { -1.0 };
        let x = self.field.border + side * SHUTTLE * self.field.sector;
        self.field.nearest([x, self.from[1]])
    }
}

fn length([x, z]: [f64; 2]) -> f64 {
    (x * x + z * z).sqrt()
}

#[cfg(test)]
mod tests {
    use marchland_terrain::SectorCoord;

    use super::*;

    fn field() -> Field {
        let bounds = SectorBounds { min: SectorCoord::new(-3, 2), max: SectorCoord::new(8, 6) };
        Field::of(bounds, SectorSize::new(256.0).unwrap(), 100.0)
    }

    #[test]
    fn a_course_stays_within_its_field_and_keeps_its_speed_between_turns() {
        // Slow, and so fast that a tick passes several corners.
        for (number, speed) in [(0, 7.0), (1, 300.0), (5, 9000.0)] {
            let mut course = Course::new(field(), speed, false, number);
            let mut turns = 0;
            for _ in 0..20_000 {
                let (before, leg) = (course.place(), course.leg);
                course.advance(1.0 / 60.0);
                let [x, z] = course.place();
                assert!((-3.5 * 256.0 + 100.0..=8.5 * 256.0 - 100.0).contains(&x), "{x}");
                assert!((1.5 * 256.0 + 100.0..=6.5 * 256.0 - 100.0).contains(&z), "{z}");
                let gone = length([x - before[0], z - before[1]]) * 60.0;
                assert!(gone < speed * 1.000_001, "{gone}");
                assert!(course.leg != leg || gone > speed * 0.999_999, "{gone}");
                turns += u64::from(course.leg != leg);
            }
            assert!(turns > 15, "{turns}");
        }
    }

    #[test]
    fn a_shuttle_goes_back_and_forth_over_one_border() {
        let mut course = Course::new(field(), 50.0, true, 0);
        // Twelve columns from -3 on: the border between 2 and 3.
        let border = 2.5 * 256.0;
        let (mut sides, mut z) = (Vec::new(), Vec::new());
        for _ in 0..4000 {
            course.advance(1.0 / 60.0);
            let is_west = course.place()[0] < border;
            if sides.last() != Some(&is_west) {
                sides.push(is_west);
            }
            z.push(course.place()[1]);
            assert!((course.place()[0] - border).abs() <= 0.75 * 256.0 + 1e-6);
        }
        assert!(sides.len() > 5, "{sides:?}");
        assert!(z.iter().all(|other| *other == z[0]));
    }
}
