//! The sectors that have to be in memory before a unit moves.

use marchland_terrain::SectorCoord;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};

use crate::ground::sectors::Sectors;
use crate::limits::REACH_MAX;
use crate::units::body::Body;
use crate::units::tick::{Tick, without_creep};
use crate::units::unit::{Motion, Unit};
use crate::units::wish::Wish;

/// The sectors that a straight move reaches, as offsets from the unit's own, both ends included. A move within
/// two sectors along each axis reaches all of that square; a longer one only the sectors along its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    columns: (i32, i32),
    rows: (i32, i32),
    way: Way,
}

/// A square that moves along a line. Metres.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    from: [f32; 2],
    delta: [f32; 2],
    /// Half the side of the square, and of a sector.
    grown: f64,
    half: f32,
}

impl Reach {
    /// The box of the body over the requested move, grown by the skin and half a millimetre. Half a
    /// millimetre covers what queries grow by for seams, and more than rounding.
    #[inline]
    pub(crate) fn new(tick: &Tick, body: &Body, from: [f32; 2], delta: [f32; 2]) -> Self {
        Self::wider(tick, body, from, delta, 0.0)
    }

    /// The same for a unit that may be pushed by so many metres in any direction.
    #[inline]
    fn wider(tick: &Tick, body: &Body, from: [f32; 2], delta: [f32; 2], push: f32) -> Self {
        // The skin, and the small margin by which queries grow.
        let grown = f64::from(body.radius()) + f64::from(SKIN) + 5e-4 + f64::from(push);
        let along = |axis: usize| {
            let start = f64::from(from[axis]);
            let end = start + f64::from(delta[axis]);
            let (low, high) = if start < end { (start, end) } else { (end, start) };
            let (low, high) = (low - grown, high + grown);
            let half = f64::from(tick.half);
            if -half <= low && high < half {
                return (0, 0);
            }
            let sector = |metres: f64| ((metres + half) / f64::from(tick.side)).floor() as i32;
            (sector(low), sector(high))
        };
        let way = Way { from, delta, grown, half: tick.half };
        Self { columns: along(0), rows: along(1), way }
    }

    /// The reach of a unit, as [following](crate::following::follow::follow) sees it.
    pub(crate) fn of(tick: &Tick, unit: &Unit, body: &Body, wish: Wish) -> Self {
        let (_, delta) = request(tick, unit, wish);
        Self::new(tick, body, [unit.local.x, unit.local.z], delta)
    }

    #[inline]
    pub(crate) fn is_home(self) -> bool {
        (self.columns, self.rows) == ((0, 0), (0, 0))
    }

    pub(crate) fn any_missing(self, sectors: &mut Sectors<'_>, home: SectorCoord) -> bool {
        self.sectors(home).any(|coord| sectors.is_missing(coord))
    }

    /// The sectors, as far as 32 bits can name them.
    pub(crate) fn sectors(self, home: SectorCoord) -> impl Iterator<Item = SectorCoord> {
        let rows = self.rows.0..=self.rows.1;
        rows.flat_map(move |dz| {
            let (first, last) = self.columns_in(dz);
            (first..=last).filter_map(move |dx| home.offset(dx, dz))
        })
    }

    /// Whether these are all sectors of the box around the move, not only those along its way.
    pub(crate) fn is_all_of_its_box(&self) -> bool {
        let is_square = self.columns.1 - self.columns.0 <= 1 && self.rows.1 - self.rows.0 <= 1;
        is_square || self.way.delta[1] == 0.0
    }

    /// The first and the last sector of a row that the move reaches.
    fn columns_in(&self, row: i32) -> (i32, i32) {
        let Self { columns, way: Way { from, delta, grown, half }, .. } = *self;
        let [x, z] = from.map(f64::from);
        let [dx, dz] = delta.map(f64::from);
        if self.is_all_of_its_box() {
            return columns;
        }
        // The parts of the way between which the square touches the row, with a little to spare.
        let (half, side) = (f64::from(half), 2.0 * f64::from(half));
        let centre = f64::from(row) * side - z;
        let far = half + grown;
        let (a, b) = ((centre - far) / dz, (centre + far) / dz);
        let (begin, end) = if a < b { (a - 1e-9, b + 1e-9) } else { (b - 1e-9, a + 1e-9) };
        let begin = greater(begin, 0.0);
        let end = lesser(end, 1.0);
        let (a, b) = (x + dx * begin, x + dx * end);
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let sector = |metres: f64| ((metres + half) / side).floor() as i32;
        let (first, last) = (sector(low - grown), sector(high + grown));
        (greater(first, columns.0), lesser(last, columns.1))
    }
}

/// The sectors that a unit can reach in a tick, on each of the straight ways that it may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reaches {
    each: [Reach; 4],
    /// How many of them count: the others are the same.
    count: usize,
}

impl Reaches {
    /// The reach of a unit that may also be carried, keep some of the velocity that it has, or be pushed by so
    /// many metres in any direction.
    pub(crate) fn carried(
        tick: &Tick,
        unit: &Unit,
        body: &Body,
        wish: Wish,
        (by, push): ([f32; 2], f32),
    ) -> Self {
        let from = [unit.local.x, unit.local.z];
        let (_, delta) = request(tick, unit, wish);
        // A walking unit goes where it is asked to. Where it slips instead is checked when it gets there.
        let walks = unit.motion == Motion::Walking;
        let own = if walks { [0.0, 0.0] } else { [unit.velocity.x, unit.velocity.z] };
        let own = own.map(|speed| speed * tick.dt);
        let there = [from[0] + by[0], from[1] + by[1]];
        let wider = |(from, delta)| Reach::wider(tick, body, from, delta, push);
        if by == [0.0, 0.0] && (walks || own == delta) {
            return Self { each: [wider((from, delta)); 4], count: 1 };
        }
        let each = [(from, delta), (there, delta), (from, by), (from, own)].map(wider);
        Self { each, count: each.len() }
    }

    /// Whether a way is longer than any valid one, or not a number.
    pub(crate) fn is_beyond(&self) -> bool {
        let fits = |metres: &f32| metres.abs() <= REACH_MAX;
        let is_valid = |reach: &Reach| reach.way.delta.iter().all(fits);
        !self.each.iter().all(is_valid)
    }

    pub(crate) fn any_missing(&self, sectors: &mut Sectors<'_>, home: SectorCoord) -> bool {
        self.each[..self.count].iter().any(|reach| reach.any_missing(sectors, home))
    }

    /// The sectors, as far as 32 bits can name them; some of them more than once.
    pub(crate) fn sectors(self, home: SectorCoord) -> impl Iterator<Item = SectorCoord> {
        self.each.into_iter().take(self.count).flat_map(move |reach| reach.sectors(home))
    }
}

/// The horizontal velocity of the tick, and the move that it requests in metres.
#[inline]
pub(crate) fn request(tick: &Tick, unit: &Unit, wish: Wish) -> ([f32; 2], [f32; 2]) {
    let asked = match unit.motion {
        Motion::Walking => wish.velocity(),
        Motion::Falling | Motion::Sliding | Motion::Climbing => [unit.velocity.x, unit.velocity.z],
    };
    let velocity = asked.map(without_creep);
    (velocity, velocity.map(|speed| speed * tick.dt))
}
