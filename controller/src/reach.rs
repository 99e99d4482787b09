//! The sectors that have to be in memory before a unit moves.

use marchland_terrain::SectorCoord;
use marchland_terrain::limits::SKIN;

use crate::body::Body;
use crate::sectors::Sectors;
use crate::tick::{Tick, without_creep};
use crate::units::{Motion, Unit};
use crate::wish::Wish;

/// The sectors that a unit can reach in a tick, as offsets from its own, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    columns: (i32, i32),
    rows: (i32, i32),
}

impl Reach {
    /// The box of the body over the requested move, grown by the skin and half a millimetre. Half a
    /// millimetre covers what queries grow by for seams, and more than rounding.
    #[inline]
    pub(crate) fn new(tick: &Tick, body: &Body, from: [f32; 2], delta: [f32; 2]) -> Self {
        // The skin, and the small margin by which queries grow.
        let grown = f64::from(body.radius()) + f64::from(SKIN) + 5e-4;
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
        Self { columns: along(0), rows: along(1) }
    }

    /// The reach of a unit that may also be carried, or keep some of the velocity that it has.
    pub(crate) fn carried(tick: &Tick, unit: &Unit, body: &Body, wish: Wish, by: [f32; 2]) -> Self {
        let from = [unit.local.x, unit.local.z];
        let (_, delta) = request(tick, unit, wish);
        // A walking unit goes where it is asked to. Where it slips instead is checked when it gets there.
        let walks = unit.motion == Motion::Walking;
        let own = if walks { [0.0, 0.0] } else { [unit.velocity.x, unit.velocity.z] };
        let own = own.map(|speed| speed * tick.dt);
        let ends = [delta, own, by, [by[0] + delta[0], by[1] + delta[1]]];
        let span = |a: (i32, i32), b: (i32, i32)| {
            (if b.0 < a.0 { b.0 } else { a.0 }, if b.1 > a.1 { b.1 } else { a.1 })
        };
        let mut reach = Self::new(tick, body, from, [0.0, 0.0]);
        for end in ends {
            let other = Self::new(tick, body, from, end);
            reach.columns = span(reach.columns, other.columns);
            reach.rows = span(reach.rows, other.rows);
        }
        reach
    }

    /// The reach of a unit, as [following](crate::follow::follow) sees it.
    pub(crate) fn of(tick: &Tick, unit: &Unit, body: &Body, wish: Wish) -> Self {
        let (_, delta) = request(tick, unit, wish);
        Self::new(tick, body, [unit.local.x, unit.local.z], delta)
    }

    #[inline]
    pub(crate) fn is_home(self) -> bool {
        self == Self { columns: (0, 0), rows: (0, 0) }
    }

    pub(crate) fn any_missing(self, sectors: &mut Sectors<'_>, home: SectorCoord) -> bool {
        self.sectors(home).any(|coord| sectors.is_missing(coord))
    }

    /// The sectors, as far as 32 bits can name them.
    pub(crate) fn sectors(self, home: SectorCoord) -> impl Iterator<Item = SectorCoord> {
        let Self { columns, rows } = self;
        (columns.0..=columns.1)
            .flat_map(move |dx| (rows.0..=rows.1).filter_map(move |dz| home.offset(dx, dz)))
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
