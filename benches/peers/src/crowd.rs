//! Starts and requested velocities of units: the same for every contender, because they depend only on a
//! unit's number and the tick.

use marchland_random::SplitMix;

use crate::checker::Checker;
use crate::contenders::ours;
use crate::scene::Scene;
use crate::setup::{Failure, Order};

/// Ticks for which a unit keeps its heading.
pub(crate) const LEG_TICKS: usize = 60;

/// Requested speed of units. Metres per second.
pub(crate) const SPEED: f32 = 5.0;

/// Metres from the sides of the ground within which no unit starts; more than any unit moves from
/// its start.
const MARGIN: f64 = 24.0;

/// Metres from a place of the scene, on both axes, within which units start, so that they meet
/// obstacles.
const NEAR: f64 = 4.0;

/// Metres that are free around a unit at its start, in addition to its own radius.
const FREE: f64 = 0.1;

/// The requested velocity of a unit in a tick, x and z in metres per second: around a square, its first side
/// in a random direction, and the next square in a different one. No unit moves far, whatever is in the way.
pub(crate) fn wish(unit: usize, tick: usize) -> [f32; 2] {
    let leg = tick / LEG_TICKS;
    let mut random = SplitMix::new(((unit as u64) << 20) ^ (leg / 4) as u64);
    let (x, z) = loop {
        let (x, z) = (random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let length = (x * x + z * z).sqrt();
        if (0.1..=1.0).contains(&length) {
            break ((x / length) as f32 * SPEED, (z / length) as f32 * SPEED);
        }
    };
    match leg % 4 {
        0 => [x, z],
        1 => [-z, x],
        2 => [-x, -z],
        _ => [z, -x],
    }
}

/// What a crowd is asked, leg by leg.
pub(crate) enum Course {
    /// Around squares: see [`wish`].
    Squares,
    /// In two legs of three into their own places, x and z by unit, from where they are; in the third as above.
    Into(Vec<[f64; 2]>),
    /// Through the gate in the middle, along Z to their own places behind it, and back.
    Gate,
}

impl Course {
    /// Into the nearest prop of each.
    pub(crate) fn into_props(scene: &Scene, starts: &[[f64; 3]]) -> Self {
        let props: Vec<_> =
            scene.props.iter().map(|prop| [prop.place[0], prop.place[2]].map(f64::from)).collect();
        let nearest = |&[x, _, z]: &[f64; 3]| {
            let apart = |to: &[f64; 2]| (to[0] - x) * (to[0] - x) + (to[1] - z) * (to[1] - z);
            let nearest = props.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)));
            nearest.copied().unwrap_or_default()
        };
        Self::Into(starts.iter().map(nearest).collect())
    }

    /// The requested velocity of a unit that is at a place in the first tick of a leg.
    pub(crate) fn wish(&self, unit: usize, tick: usize, [x, _, z]: [f64; 3]) -> [f32; 2] {
        let leg = tick / LEG_TICKS;
        match self {
            Self::Into(own) if (unit + leg) % 3 < 2 => {
                towards([own[unit][0] - x, own[unit][1] - z])
            }
            Self::Gate => {
                let side = if ((unit + leg) / 3).is_multiple_of(2) { 1.0 } else { -1.0 };
                let aside = f64::from(wish(unit, 0)[0]) * 1.5;
                let goal = if z * side > 0.0 { [aside, 5.0 * side] } else { [0.1 * aside, 0.0] };
                towards([goal[0] - x, goal[1] - z])
            }
            Self::Squares | Self::Into(_) => wish(unit, tick),
        }
    }
}

/// The velocity along a way, x and z; none where there is hardly a way.
fn towards([x, z]: [f64; 2]) -> [f32; 2] {
    let far = (x * x + z * z).sqrt();
    if far > 0.1 { [x, z].map(|part| (part / far) as f32 * SPEED) } else { [0.0; 2] }
}

/// The feet of `count` units on the ground, each near a place of the scene but clear of all props and of steep ground,
/// or anywhere if there is no such place, in the common order of the lists. Metres.
///
/// # Errors
/// If there is hardly any free ground.
pub(crate) fn starts(
    scene: &Scene,
    checker: &Checker,
    count: usize,
    order: Order,
) -> Result<Vec<[f64; 3]>, Failure> {
    let starts = any_starts(scene, checker, count)?;
    match order {
        Order::World => ours::in_order_of_world(scene, &starts),
        Order::Random => Ok(starts),
    }
}

fn any_starts(scene: &Scene, checker: &Checker, count: usize) -> Result<Vec<[f64; 3]>, Failure> {
    let mut random = SplitMix::new(2);
    let side = scene.ground.half() - MARGIN;
    let mut starts = Vec::with_capacity(count);
    for _ in 0..100 * count + 1000 {
        if starts.len() == count {
            return Ok(starts);
        }
        let (x, z) = match scene.near.as_slice() {
            [] => (random.between(-side, side), random.between(-side, side)),
            near => {
                let [x, z] = near[random.bits() as usize % near.len()];
                (x + random.between(-NEAR, NEAR), z + random.between(-NEAR, NEAR))
            }
        };
        let is_off_the_sides = x.abs() < side && z.abs() < side;
        let Some(height) = checker.height(x, z).filter(|_| is_off_the_sides) else { continue };
        if checker.is_gentle(x, z) && checker.is_free([x, height, z], FREE) {
            starts.push([x, height, z]);
        }
    }
    Err("there is hardly any free ground".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_the_order_of_the_world_the_same_units_are_nearer_to_the_next() {
        let scene = Scene::terrain().unwrap();
        let checker = Checker::new(&scene);
        let [world, random] = [Order::World, Order::Random]
            .map(|order| starts(&scene, &checker, 1000, order).unwrap());
        let apart = |starts: &[[f64; 3]]| -> f64 {
            let pairs = starts.windows(2);
            pairs
                .map(|pair| (pair[0][0] - pair[1][0]).abs() + (pair[0][2] - pair[1][2]).abs())
                .sum()
        };
        assert!(apart(&world) < apart(&random) / 5.0);
        let sorted = |mut starts: Vec<[f64; 3]>| {
            starts.sort_by(|a, b| a[0].total_cmp(&b[0]));
            starts
        };
        assert_eq!(sorted(world), sorted(random));
    }

    #[test]
    fn a_wish_has_the_speed_keeps_for_a_leg_and_four_legs_lead_back() {
        for unit in [0, 1, 77, 9_999, 999_999] {
            let legs = [0, 1, 2, 3].map(|leg| wish(unit, leg * LEG_TICKS));
            for (leg, first) in legs.into_iter().enumerate() {
                assert_eq!(first, wish(unit, leg * LEG_TICKS + LEG_TICKS - 1));
                let speed = (first[0] * first[0] + first[1] * first[1]).sqrt();
                assert!((speed - SPEED).abs() < 1e-5, "{speed}");
            }
            for leg in 0..2 {
                assert_eq!(legs[leg], legs[leg + 2].map(|part| -part));
            }
            assert_ne!(wish(unit, 0), wish(unit, 4 * LEG_TICKS), "the next square is another");
        }
        assert_ne!(wish(0, 0), wish(1, 0));
    }
}
