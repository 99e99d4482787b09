//! The demo's march: groups, their starts, the rounds they walk, and the wish of each unit.
//!
//! Every group has a loop of stops across the map and one [`FlowField`] for each stop. A unit follows the
//! field of its group's current stop, in its own lane and at its own pace, gathers at its own spot around the
//! stop and is then sent to the next. Plain f32 arithmetic in a fixed order gives the same wishes on every
//! machine.

use marchland_terrain::math::greater;

use crate::cost::{CostGrid, CostRules};
use crate::demo::{self, DemoError, SPACING};
use crate::flow::FlowField;
use crate::grid::Grid;
use crate::recipe::noise::fraction;

/// Mean pace of the units. Metres per second.
pub const PACE: f32 = 5.0;

/// Greatest relative difference of a unit's pace from the mean.
const PACE_SPREAD: f32 = 0.16;

/// Farthest lane from the middle of a column. Metres.
const LANE_MAX: f32 = 20.0;

/// Distance from a stop at which units leave the field and walk to their own spots. Metres.
const GATHER: f32 = 64.0;

/// Greatest distance of spots from their stop. Metres.
const SPOTS: f32 = 44.0;

/// A unit this near to its spot has reached its stop. Metres: more than it walks in a tick.
const ARRIVED: f32 = 4.0;

/// The angle between consecutive seeds of a sunflower: a turn times (3 − √5) / 2. Radians.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// Places with open ground around them. Metres, [x, z].
const WEST: [f32; 2] = [180.0, 900.0];
const HILLS: [f32; 2] = [440.0, 640.0];
const NORTH: [f32; 2] = [1290.0, 110.0];
const FAR_EAST: [f32; 2] = [1900.0, 350.0];
const MIDDLE: [f32; 2] = [900.0, 840.0];
const MESA: [f32; 2] = [470.0, 1500.0];
const SOUTH_WEST: [f32; 2] = [130.0, 1920.0];
const SOUTH: [f32; 2] = [760.0, 1940.0];
const SOUTH_SHORE: [f32; 2] = [1370.0, 1930.0];
const MEADOW: [f32; 2] = [1560.0, 1130.0];
const UPLAND_NORTH: [f32; 2] = [1970.0, 1370.0];
const UPLAND_SOUTH: [f32; 2] = [1860.0, 1940.0];
const WEST_SHORE: [f32; 2] = [880.0, 1580.0];
const NORTH_WEST: [f32; 2] = [380.0, 130.0];

/// Units that march together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Its name.
    pub name: &'static str,
    /// Red, green, blue, for tracks in pictures.
    pub colour: [u8; 3],
    /// Middle of the disc it starts in. Metres, [x, z].
    pub start: [f32; 2],
    /// Radius of that disc. Metres.
    pub radius: f32,
    /// Its goals in order; after the last, the first again. Metres, [x, z].
    pub stops: &'static [[f32; 2]],
}

const fn group(
    name: &'static str,
    colour: [u8; 3],
    start: [f32; 2],
    stops: &'static [[f32; 2]],
) -> Group {
    Group { name, colour, start, radius: 62.0, stops }
}

const GROUPS: [Group; 12] = [
    group("larks", [230, 57, 70], WEST, &[UPLAND_NORTH, FAR_EAST, MIDDLE, WEST]),
    group("rooks", [29, 53, 187], FAR_EAST, &[SOUTH_WEST, WEST, NORTH, FAR_EAST]),
    group("kites", [255, 183, 3], NORTH, &[SOUTH, UPLAND_SOUTH, MEADOW, NORTH]),
    group("herons", [0, 150, 136], SOUTH_WEST, &[NORTH_WEST, NORTH, MEADOW, SOUTH_WEST]),
    group("swifts", [142, 36, 170], UPLAND_SOUTH, &[HILLS, MESA, SOUTH, UPLAND_SOUTH]),
    group("wrens", [251, 133, 0], NORTH_WEST, &[SOUTH_SHORE, MESA, WEST, NORTH_WEST]),
    group("terns", [0, 180, 216], SOUTH_SHORE, &[NORTH, HILLS, WEST_SHORE, SOUTH_SHORE]),
    group("owls", [88, 60, 40], UPLAND_NORTH, &[WEST, SOUTH, SOUTH_SHORE, UPLAND_NORTH]),
    group("finches", [214, 40, 130], MESA, &[FAR_EAST, MEADOW, WEST_SHORE, MESA]),
    group("plovers", [240, 240, 240], MEADOW, &[NORTH_WEST, MIDDLE, SOUTH_WEST, MEADOW]),
    group("ravens", [25, 25, 30], SOUTH, &[FAR_EAST, NORTH, HILLS, SOUTH]),
    group("doves", [170, 220, 80], HILLS, &[UPLAND_SOUTH, UPLAND_NORTH, MIDDLE, HILLS]),
];

/// The groups of the demo.
pub fn groups() -> &'static [Group] {
    &GROUPS
}

/// The start of a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spawn {
    /// Its group, as its place in [`groups`].
    pub group: usize,
    /// Metres from the first sample, east.
    pub x: f32,
    /// Metres from the first sample, south.
    pub z: f32,
}

/// The wish of a unit in this tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wish {
    /// Metres per second, [x, z]; (0, 0) where there is no path.
    pub velocity: [f32; 2],
    /// Whether it has reached its stop: send it to the next.
    pub reached: bool,
}

/// The ways of all groups over the demo's ground.
pub struct Plan {
    costs: CostGrid,
    /// By group, then by stop; `None` if a unit cannot stand at the stop.
    fields: Vec<Vec<Option<FlowField>>>,
}

impl Plan {
    /// The plan over the embedded demo world. Takes about a quarter of a second.
    ///
    /// # Errors
    /// If the embedded images are damaged, which is a fault of the build.
    pub fn new() -> Result<Self, DemoError> {
        Ok(Self::over(&demo::heights()?, &demo::holes()?))
    }

    /// The plan over the demo's ground given as grids: metres at samples, holes in cells.
    pub fn over(heights: &Grid<f64>, holes: &Grid<u8>) -> Self {
        let rules = CostRules { water_height: demo::SHORE - 2.0, ..CostRules::default() };
        let costs = CostGrid::from_ground(heights, holes, SPACING, rules);
        let ways = |index: usize| -> Vec<Option<FlowField>> {
            let goal = |stop: &[f32; 2]| [f64::from(stop[0]), f64::from(stop[1])];
            let braid = 1000 + index as u64;
            let stops = GROUPS[index].stops.iter();
            stops.map(|stop| FlowField::towards(&costs, goal(stop), braid)).collect()
        };
        // Two halves side by side; each field depends on its group alone.
        let half = GROUPS.len() / 2;
        let fields = std::thread::scope(|scope| {
            let late = scope.spawn(|| (half..GROUPS.len()).map(ways).collect::<Vec<_>>());
            let mut fields: Vec<_> = (0..half).map(ways).collect();
            fields.extend(late.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            fields
        });
        Self { costs, fields }
    }

    /// Starts of `count` units, one for each group in turn, each group spread evenly over its disc: unit `i`
    /// is in group `i % groups().len()`. No start is on a hole, in water or where it is too steep to walk.
    pub fn spawn_points(&self, count: usize) -> Vec<Spawn> {
        let discs: Vec<Vec<[f32; 2]>> = (0..GROUPS.len())
            .map(|group| self.disc(group, (count + GROUPS.len() - 1 - group) / GROUPS.len()))
            .collect();
        let spawn = |i: usize| {
            let group = i % GROUPS.len();
            let [x, z] = discs[group][i / GROUPS.len()];
            Spawn { group, x, z }
        };
        (0..count).map(spawn).collect()
    }

    /// `count` places of a sunflower in a group's disc; where seeds fall on bad ground, more are
    /// placed around it.
    fn disc(&self, index: usize, count: usize) -> Vec<[f32; 2]> {
        let group = &GROUPS[index];
        let mut places = Vec::with_capacity(count);
        let mut seed = 0u64;
        while places.len() < count {
            if seed > 64 * count as u64 + 4096 {
                // No open ground is left, as after a change of the ground: the rest start at the middle.
                places.resize(count, group.start);
                break;
            }
            let away = f64::from(group.radius) * ((seed as f64 + 0.5) / count as f64).sqrt();
            let angle = GOLDEN_ANGLE * seed as f64;
            // Slightly off the spirals, which would otherwise be visible.
            let jitter = |k| 0.6 * (fraction(index as u64, seed as i64, k) - 0.5);
            let x = f64::from(group.start[0]) + away * libm::cos(angle) + jitter(0);
            let z = f64::from(group.start[1]) + away * libm::sin(angle) + jitter(1);
            if self.costs.is_open(x, z) {
                places.push([x as f32, z as f32]);
            }
            seed += 1;
        }
        places
    }

    /// The wish of the unit numbered `unit` of a group at (x, z), heading for the group's stop number
    /// `waypoint`, counted from 0 without reset across rounds. Metres from the first sample.
    pub fn wish(&self, group: usize, waypoint: usize, x: f32, z: f32, unit: u32) -> Wish {
        let stop_index = waypoint % GROUPS[group].stops.len();
        let stop = GROUPS[group].stops[stop_index];
        let traits = Traits::of(unit);
        let (east, south) = (stop[0] - x, stop[1] - z);
        if east * east + south * south < GATHER * GATHER {
            return traits.gather(east, south);
        }
        let way =
            self.fields[group][stop_index].as_ref().and_then(|field| lane(field, x, z, traits));
        let [east, south] = way.unwrap_or([0.0, 0.0]);
        Wish { velocity: [east * traits.pace, south * traits.pace], reached: false }
    }
}

/// What distinguishes a unit from the others.
#[derive(Clone, Copy)]
struct Traits {
    /// Metres per second.
    pace: f32,
    /// Metres to the right of the middle of the column.
    lane: f32,
    /// Its spot around every stop. Metres, [x, z].
    spot: [f32; 2],
}

impl Traits {
    fn of(unit: u32) -> Self {
        let chance = |k: i64| fraction(77, i64::from(unit), k) as f32;
        let both_sides = |k: i64| 2.0 * chance(k) - 1.0;
        // A point of the square, moved into the disc along its ray.
        let (east, south) = (both_sides(2), both_sides(3));
        let square = greater(east.abs(), south.abs());
        let round = (east * east + south * south).sqrt() + 1e-6;
        let scale = SPOTS * square / round;
        Self {
            pace: PACE * (1.0 + PACE_SPREAD * both_sides(0)),
            lane: LANE_MAX * both_sides(1),
            spot: [east * scale, south * scale],
        }
    }

    /// The wish towards its own spot around a stop that lies (east, south) of it.
    fn gather(self, east: f32, south: f32) -> Wish {
        let (east, south) = (east + self.spot[0], south + self.spot[1]);
        let away = (east * east + south * south).sqrt();
        if away < ARRIVED {
            return Wish { velocity: [0.0, 0.0], reached: true };
        }
        let speed = self.pace / away;
        Wish { velocity: [east * speed, south * speed], reached: false }
    }
}

/// The direction in a unit's lane: that of the field at the place where the unit would be if its column were
/// narrow. If that place is not open ground, as in narrow passages, half the distance is tried, then none.
fn lane(field: &FlowField, x: f32, z: f32, traits: Traits) -> Option<[f32; 2]> {
    let own = field.direction_at(x, z)?;
    if !field.is_open(x, z) {
        return Some(own);
    }
    for share in [1.0, 0.5] {
        let aside = traits.lane * share;
        let (column_x, column_z) = (x + own[1] * aside, z - own[0] * aside);
        if !field.is_open(column_x, column_z) {
            continue;
        }
        let Some(way) = field.direction_at(column_x, column_z) else { continue };
        let ahead = field.is_open(x + way[0] * 10.0, z + way[1] * 10.0);
        if ahead && way[0] * own[0] + way[1] * own[1] > 0.0 {
            return Some(way);
        }
    }
    Some(own)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    impl Plan {
        /// Length of the path, in metres of level ground, between a place and a group's stop number
        /// `waypoint`.
        fn distance(&self, group: usize, waypoint: usize, x: f32, z: f32) -> Option<f32> {
            let stop = waypoint % GROUPS[group].stops.len();
            self.fields[group][stop].as_ref()?.distance_at(x, z)
        }
    }

    static PLAN: LazyLock<Plan> = LazyLock::new(|| Plan::new().unwrap());

    #[test]
    fn every_stop_has_open_ground_around_it_and_a_way_from_every_other() {
        for (index, group) in GROUPS.iter().enumerate() {
            for (waypoint, stop) in group.stops.iter().enumerate() {
                let from = if waypoint == 0 { group.start } else { group.stops[waypoint - 1] };
                let name = group.name;
                assert!(
                    PLAN.distance(index, waypoint, from[0], from[1]).is_some(),
                    "{name}: no way from {from:?} to {stop:?}"
                );
                for i in 0..400 {
                    let (east, south) = ((i % 20) as f32 - 9.5, (i / 20) as f32 - 9.5);
                    let (x, z) = (stop[0] + east * 6.7, stop[1] + south * 6.7);
                    let inside = east * east + south * south < 9.5 * 9.5;
                    assert!(
                        !inside || PLAN.costs.is_open(f64::from(x), f64::from(z)),
                        "{name}: {stop:?} has no open ground at ({x}, {z})"
                    );
                }
            }
        }
    }

    #[test]
    fn starts_are_apart_in_their_discs_and_the_same_every_time() {
        // Not a multiple of the number of groups.
        let spawns = PLAN.spawn_points(5003);
        assert_eq!(spawns, PLAN.spawn_points(5003));
        for (i, spawn) in spawns.iter().enumerate() {
            let group = &GROUPS[spawn.group];
            let (east, south) = (spawn.x - group.start[0], spawn.z - group.start[1]);
            let away = (east * east + south * south).sqrt();
            assert!(away < group.radius * 1.1, "unit {i} starts {away} m off");
            assert!(PLAN.costs.is_open(f64::from(spawn.x), f64::from(spawn.z)));
        }
        for a in 0..240 {
            for b in 0..a {
                let (east, south) = (spawns[a].x - spawns[b].x, spawns[a].z - spawns[b].z);
                assert!(east * east + south * south > 1.0, "{a} and {b}");
            }
        }
        assert!(PLAN.spawn_points(0).is_empty());
    }

    #[test]
    fn on_ground_without_a_place_to_stand_there_are_still_starts_and_wishes() {
        let plan = Plan::over(&Grid::filled(1025, 1025, 0.0), &Grid::filled(1024, 1024, 255));
        assert_eq!(plan.spawn_points(25).len(), 25);
        assert_eq!(plan.wish(0, 0, 600.0, 1100.0, 9).velocity, [0.0, 0.0]);
        assert_eq!(plan.distance(0, 0, 600.0, 1100.0), None);
    }

    #[test]
    fn units_that_get_what_they_wish_go_round_all_their_stops() {
        for (unit, spawn) in PLAN.spawn_points(48).into_iter().enumerate() {
            let (mut x, mut z, mut waypoint) = (spawn.x, spawn.z, 0);
            let (mut ticks, mut astray) = (0, 0);
            while waypoint < 4 && ticks < 20_000 {
                let wish = PLAN.wish(spawn.group, waypoint, x, z, unit as u32);
                waypoint += usize::from(wish.reached);
                x += wish.velocity[0] * 0.2;
                z += wish.velocity[1] * 0.2;
                astray += usize::from(!PLAN.costs.is_open(f64::from(x), f64::from(z)));
                ticks += 1;
            }
            let name = GROUPS[spawn.group].name;
            assert_eq!(waypoint, 4, "unit {unit} of {name} stands at ({x}, {z})");
            assert!(astray * 50 < ticks, "unit {unit} of {name}: {astray} of {ticks} ticks astray");
        }
    }

    #[test]
    fn paces_stay_near_the_mean_and_differ() {
        let pace = |unit| {
            let wish = PLAN.wish(0, 0, 600.0, 1100.0, unit);
            (wish.velocity[0] * wish.velocity[0] + wish.velocity[1] * wish.velocity[1]).sqrt()
        };
        for unit in 0..50 {
            assert!((pace(unit) - PACE).abs() < PACE * 0.17, "{}", pace(unit));
        }
        assert!((pace(3) - pace(4)).abs() > 0.001);
    }
}
