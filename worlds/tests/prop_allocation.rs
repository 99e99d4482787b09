//! Nothing allocates in a tick after the first one of a population, among props that were baked: who
//! walks there comes into other sectors, onto, under and against all that stands in them.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../../controller/tests/common/counting.rs"]
mod counting;
#[path = "known_states/scenes.rs"]
mod scenes;

use marchland_terrain::TerrainView;
use marchland_worlds::clutter::{self, Clutter};
use marchland_worlds::town::{self, Town};

use self::counting::allocations;
use self::scenes::Crowd;

const TICKS: u64 = 400;

/// What a crowd did.
#[derive(Debug, Default)]
struct Sums {
    allocations: usize,
    borders: u64,
    full: usize,
    /// The first tick in which something has allocated.
    first: Option<u64>,
}

fn tick(crowd: &mut Crowd, view: TerrainView<'_>, number: u64, sums: &mut Sums) {
    crowd.ask();
    let before = allocations();
    let report = crowd.tick(view);
    let (borders, full) = (report.borders_crossed, report.full);
    let came = allocations() - before;
    // The first tick makes room for this population.
    if number > 0 {
        sums.allocations += came;
        sums.first = sums.first.or((came > 0).then_some(number));
        sums.borders += borders;
        sums.full += full;
    }
}

impl Sums {
    fn check(&self, what: &str, borders: u64) {
        assert!(self.borders > borders, "{what}: too few came into other sectors: {self:?}");
        assert!(self.full > 10_000, "{what}: too few were among props: {self:?}");
        assert_eq!(self.allocations, 0, "{what}: {self:?}");
    }
}

fn in_the_clutter(crowd: impl Fn(Crowd) -> Crowd, what: &str) {
    let mut clutter = Clutter::new(7).unwrap();
    let square = [clutter::LOW + 8.0, clutter::HIGH - 8.0];
    let mut crowd = crowd(Crowd::new(clutter.view(), 300, square));
    let mut sums = Sums::default();
    for number in 0..TICKS {
        clutter.advance().unwrap();
        tick(&mut crowd, clutter.view(), number, &mut sums);
    }
    sums.check(what, 150);
}

fn in_the_town(crowd: impl Fn(Crowd) -> Crowd, what: &str) {
    let town = Town::new().unwrap();
    // About the corner of four sectors.
    let middle = 0.5 * (town::LOW + town::HIGH);
    let view = town.sectors.view();
    let mut crowd = crowd(Crowd::new(view, 450, [middle - 25.0, middle + 25.0]));
    let mut sums = Sums::default();
    for number in 0..TICKS {
        tick(&mut crowd, view, number, &mut sums);
    }
    sums.check(what, 20);
}

#[test]
fn a_tick_among_baked_props_does_not_allocate() {
    for threads in [1, 2] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            in_the_clutter(|crowd| crowd, "clutter");
            in_the_clutter(Crowd::on_full, "clutter, all on the full controller");
            in_the_clutter(Crowd::apart, "clutter, pushed apart");
            in_the_town(|crowd| crowd, "town");
            in_the_town(Crowd::on_full, "town, all on the full controller");
        });
    }
}
