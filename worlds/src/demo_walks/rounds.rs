//! The rounds of walkers: along the streets and through the gates, up and down the tower, over the
//! river, and around single houses of the town.

use marchland_terrain::math::greater;

use crate::demo_props::{BuildingPlace, Kind, TOWN, buildings, street};
use crate::shapes::HouseSize;

use super::places::{BRIDGE, LIFT, STAIRS, TOWER};

/// A point of a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Metres from the north-west corner, east and south.
    pub at: [f32; 2],
    /// The greatest distance of walkers' spots from it, on both axes. Metres.
    pub room: f32,
    /// The platform, and its end, for which a walker waits before it sets out for this point.
    pub gate: Option<(usize, usize)>,
}

/// A round: from point to point, and from the last to the first again.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Its name.
    pub name: &'static str,
    /// Its points.
    pub points: Vec<Point>,
    /// The number of legs from its first point on that lie on open ground; walkers start there.
    pub open_legs: usize,
}

impl Round {
    /// Metres from a point to the next.
    pub(super) fn leg_metres(&self, leg: usize) -> f32 {
        let (from, to) = (self.points[leg].at, self.points[(leg + 1) % self.points.len()].at);
        let (east, south) = (to[0] - from[0], to[1] - from[1]);
        (east * east + south * south).sqrt()
    }

    /// Metres of the legs on open ground.
    pub(super) fn open_metres(&self) -> f32 {
        (0..self.open_legs).map(|leg| self.leg_metres(leg)).sum()
    }
}

const LIFT_NUMBER: usize = 0;
const FERRY_NUMBER: usize = 1;
/// Houses with a round.
const HOUSES: usize = 8;
/// Metres between a house's walls and the walkers around it.
const BESIDE: f64 = 1.0;

/// All rounds.
#[must_use]
pub fn rounds() -> Vec<Round> {
    let mut rounds = vec![
        up_the_stairs(),
        up_the_lift(),
        over_the_bridge(),
        by_the_ferry(),
        high_street(),
        north_gate(),
        lane("north lane", -1.0),
        lane("south lane", 1.0),
    ];
    rounds.extend(round_houses());
    rounds
}

fn point(x: f32, z: f32, room: f32) -> Point {
    Point { at: [x, z], room, gate: None }
}

fn gated(x: f32, z: f32, room: f32, platform: usize, end: usize) -> Point {
    Point { gate: Some((platform, end)), ..point(x, z, room) }
}

/// Up the tower's stairs, and down by the lift.
fn up_the_stairs() -> Round {
    let [stairs, foot] = [STAIRS[0], STAIRS[1] + 0.95];
    let [lift, middle] = LIFT;
    let points = vec![
        gated(lift + 3.9, middle, 0.5, LIFT_NUMBER, 0),
        point(lift + 2.9, foot, 0.15),
        point(stairs, foot, 0.15),
        point(stairs, STAIRS[1] - 7.7, 0.2),
        point(TOWER.middle[0] - 0.75, TOWER.middle[1] - 2.0, 0.8),
        point(lift - 3.5, middle, 0.4),
        gated(lift, middle, 0.6, LIFT_NUMBER, 1),
    ];
    Round { name: "up the stairs", points, open_legs: 2 }
}

/// Up by the lift, and down the tower's stairs.
fn up_the_lift() -> Round {
    let [stairs, foot] = [STAIRS[0], STAIRS[1] + 0.95];
    let [lift, middle] = LIFT;
    let points = vec![
        point(stairs, foot, 0.15),
        point(lift + 2.9, foot, 0.15),
        point(lift + 3.9, middle, 0.5),
        gated(lift, middle, 0.6, LIFT_NUMBER, 0),
        gated(lift - 3.5, middle, 0.4, LIFT_NUMBER, 1),
        point(TOWER.middle[0] - 0.75, TOWER.middle[1] - 2.0, 0.8),
        point(stairs, STAIRS[1] - 7.7, 0.2),
    ];
    Round { name: "up the lift", points, open_legs: 2 }
}

/// South over the bridge, back by the ferry.
fn over_the_bridge() -> Round {
    let [x, z] = BRIDGE.middle;
    let points = vec![
        gated(x + 8.0, z - 14.5, 0.8, FERRY_NUMBER, 0),
        point(x, z - 19.0, 1.0),
        point(x, z - 15.0, 1.2),
        point(x, z + 15.0, 1.2),
        point(x, z + 21.0, 1.0),
        point(x + 8.5, z + 19.5, 0.8),
        gated(x + 9.0, z + 15.5, 1.2, FERRY_NUMBER, 1),
    ];
    Round { name: "over the bridge", points, open_legs: 1 }
}

/// South by the ferry, back over the bridge.
fn by_the_ferry() -> Round {
    let [x, z] = BRIDGE.middle;
    let points = vec![
        gated(x + 8.5, z + 19.5, 0.8, FERRY_NUMBER, 1),
        point(x, z + 21.0, 1.0),
        point(x, z + 15.0, 1.2),
        point(x, z - 15.0, 1.2),
        point(x, z - 19.0, 1.0),
        point(x + 8.0, z - 14.5, 0.8),
        gated(x + 9.0, z - 9.5, 1.2, FERRY_NUMBER, 0),
    ];
    Round { name: "by the ferry", points, open_legs: 1 }
}

/// A point of a street.
fn on_street(along: f64, across: f64, room: f32) -> Point {
    let ([x, z], _) = street(along, across);
    point(x as f32, z as f32, room)
}

/// A place in the square or before a gate, metres from the middle of the square.
fn near_square((east, south): (f64, f64)) -> Point {
    point((TOWN[0] + east) as f32, (TOWN[1] + south) as f32, 0.4)
}

/// From gate to gate, north of the well and back south of it.
fn high_street() -> Round {
    let going = |along| on_street(along, -1.5, 0.4);
    let back = |along| on_street(along, 1.5, 0.4);
    let mut points = [-66.0, -48.0, -30.0].map(going).to_vec();
    points.extend([(-19.0, -2.7), (14.0, -2.7)].map(near_square));
    points.extend([30.0, 48.0, 66.0].map(going));
    points.extend([(76.0, -0.7), (100.0, -0.7), (100.0, 0.8), (76.0, 0.8)].map(near_square));
    points.extend([66.0, 48.0, 30.0].map(back));
    points.extend([(18.0, 2.8), (-14.0, 2.8)].map(near_square));
    points.extend([-30.0, -48.0, -66.0].map(back));
    points.extend([(-76.0, 0.5), (-98.0, 0.5), (-98.0, -1.2), (-76.0, -1.2)].map(near_square));
    let open_legs = points.len() - 1;
    Round { name: "high street", points, open_legs }
}

/// From the square out through the north gate, and back.
fn north_gate() -> Round {
    let points = [
        (2.5, -20.0),
        (1.0, -32.0),
        (0.8, -56.0),
        (0.8, -82.0),
        (-0.8, -82.0),
        (-0.8, -56.0),
        (-1.5, -32.0),
        (-1.0, -20.0),
    ];
    Round { name: "north gate", points: points.map(near_square).to_vec(), open_legs: 7 }
}

/// From the square into the outer lane on one side, along it both ways, and back.
fn lane(name: &'static str, side: f64) -> Round {
    let across = 45.75 * side;
    let near = if side < 0.0 { 18.0 } else { 9.0 };
    let mut points = vec![near_square((-2.5, near * side)), on_street(-2.5, across, 0.15)];
    for along in [-12.0, -24.0, -36.0, -24.0, -12.0, 0.0, 12.0, 24.0, 36.0, 24.0, 12.0] {
        points.push(on_street(along, across, 0.15));
    }
    points.push(on_street(0.5, across, 0.15));
    let open_legs = points.len() - 1;
    Round { name, points, open_legs }
}

/// Around houses of the town with room on all sides.
fn round_houses() -> Vec<Round> {
    let all: Vec<Footprint> = buildings().iter().map(Footprint::of).collect();
    let is_near = |footprint: &Footprint| {
        let [x, z] = footprint.middle;
        footprint.is_house && (x - TOWN[0]).abs() < 90.0 && (z - TOWN[1]).abs() < 75.0
    };
    let rounds = all.iter().filter(|footprint| is_near(footprint));
    let free = rounds.filter(|house| house.is_free(&all)).collect::<Vec<_>>();
    // Spread over the town.
    let every = free.len().div_ceil(HOUSES).max(1);
    free.iter().step_by(every).map(|house| house.round()).collect()
}

/// The ground covered by a building: a rotated rectangle.
struct Footprint {
    middle: [f64; 2],
    half: [f64; 2],
    sin_cos: (f64, f64),
    is_house: bool,
}

impl Footprint {
    fn of(place: &BuildingPlace) -> Self {
        use Kind::{Cottage, Hall, House, LongHouse, TownHouse};
        let is_house = matches!(place.kind, Cottage | House | LongHouse | TownHouse | Hall);
        let vertices = place.kind.source().vertices;
        let widest = |axis: usize| {
            let extents = vertices.iter().map(|vertex| f64::from(vertex[axis].abs()));
            extents.fold(0.0, |a, b| greater(b, a))
        };
        // A walker below the eaves does not touch them.
        let eaves = if is_house { HouseSize::OVERHANG } else { 0.0 };
        let angle = place.yaw * (std::f64::consts::PI / 180.0);
        Self {
            middle: place.place,
            half: [widest(0) - eaves, widest(2) - eaves],
            sin_cos: (libm::sin(angle), libm::cos(angle)),
            is_house,
        }
    }

    /// Its corners, moved outwards by `beside` metres.
    fn corners(&self, beside: f64) -> [[f64; 2]; 4] {
        let (sin, cos) = self.sin_cos;
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[u, v]| {
            let (x, z) = (u * (self.half[0] + beside), v * (self.half[1] + beside));
            [self.middle[0] + x * cos + z * sin, self.middle[1] - x * sin + z * cos]
        })
    }

    /// Metres to a place; 0 inside.
    fn distance(&self, [x, z]: [f64; 2]) -> f64 {
        let (sin, cos) = self.sin_cos;
        let (east, south) = (x - self.middle[0], z - self.middle[1]);
        let outside = |along: f64, half: f64| greater(along.abs() - half, 0.0);
        let across = outside(east * cos - south * sin, self.half[0]);
        let along = outside(east * sin + south * cos, self.half[1]);
        (across * across + along * along).sqrt()
    }

    /// Whether a body can walk around it.
    fn is_free(&self, all: &[Self]) -> bool {
        let corners = self.corners(BESIDE);
        let mut places = (0..4).flat_map(|side| {
            let (from, to) = (corners[side], corners[(side + 1) % 4]);
            (0..32).map(move |part| {
                let share = f64::from(part) / 32.0;
                [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]))
            })
        });
        // Room for its lane, its body and a margin.
        places.all(|place| {
            let others = all.iter().filter(|other| !std::ptr::eq(*other, self));
            others.map(|other| other.distance(place)).all(|away| away > 0.8)
        })
    }

    fn round(&self) -> Round {
        let points = self.corners(BESIDE).map(|[x, z]| point(x as f32, z as f32, 0.25));
        Round { name: "round a house", points: points.to_vec(), open_legs: 3 }
    }
}
