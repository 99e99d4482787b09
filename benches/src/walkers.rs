//! Walkers among the props of the town, 5 m/s: each walks to a place beside a prop near it, and after a
//! second or two to the next.

use marchland_controller::{Body, BodyBuilder, Spawn, Units, Wish};
use marchland_terrain::math::clamp;
use marchland_terrain::query::{ALL_LAYERS, Contacts, Cylinder};
use marchland_terrain::{Ground, WorldPos};
use marchland_worlds::town::{HIGH, LOW, Town};

use crate::{Random, sure};

/// Metres per second.
const SPEED: f64 = 5.0;
/// Distance that walkers keep from the edge of the town. Metres.
const MARGIN: f64 = 6.0;
/// Greatest distance of the next prop, and of the goal beside it. Metres.
const NEXT: f64 = 30.0;
const BESIDE: f64 = 3.0;

fn body() -> Body {
    let body = BodyBuilder {
        knee: 0.4,
        step_up: 0.4,
        step_down: 0.3,
        max_slope_degrees: 50.0,
        ..BodyBuilder::default()
    };
    sure(body.build())
}

/// Walkers, and the goal of each with its end time.
#[derive(Debug)]
pub struct Walkers {
    /// One slot each.
    pub units: Units,
    /// By slot.
    wishes: Vec<Wish>,
    goals: Vec<([f64; 2], usize)>,
    props: Vec<[f64; 2]>,
    random: Random,
}

impl Walkers {
    /// Places walkers at random free places. Walkers with a mask of 0 meet no prop.
    #[must_use]
    pub fn new(town: &Town, count: usize, mask: u32) -> Self {
        let size = town.grid.sector_size();
        let side = f64::from(size.metres());
        let props = town.placements.props().iter().map(|prop| {
            let place = prop.position.as_dvec3();
            [f64::from(prop.sector.x) * side + place.x, f64::from(prop.sector.z) * side + place.z]
        });
        let mut random = Random::new(12);
        let mut units = Units::new(size);
        let body = sure(units.add_body(body()));
        let mut contacts = Contacts::with_capacity(8);
        while units.len() < count {
            let [x, z] = [0; 2].map(|_| random.between(LOW + MARGIN, HIGH - MARGIN));
            if let Some(place) = free_place(town, x, z, &mut contacts) {
                sure(units.spawn(Spawn { mask, ..Spawn::standing(place, body) }));
            }
        }
        let goals = vec![([f64::INFINITY; 2], 0); count];
        Self { units, wishes: vec![Wish::STAND; count], goals, props: props.collect(), random }
    }

    /// The walkers, and their wishes in a tick, which is the next.
    pub fn steer(&mut self, tick: usize) -> (&mut Units, &[Wish]) {
        let side = f64::from(self.units.sector_size().metres());
        for slot in 0..self.units.slots() {
            let (sector, local) = (self.units.sectors()[slot], self.units.locals()[slot]);
            let x = f64::from(sector.x) * side + f64::from(local.x);
            let z = f64::from(sector.z) * side + f64::from(local.z);
            let (goal, until) = self.goals[slot];
            if tick >= until || apart(goal, [x, z]) < 1.0 {
                let until = tick + self.random.between(60.0, 180.0) as usize;
                self.goals[slot] = (self.next_goal([x, z]), until);
            }
            let (goal, _) = self.goals[slot];
            let away = apart(goal, [x, z]) + 1e-3;
            let [east, south] = [goal[0] - x, goal[1] - z].map(|along| SPEED * along / away);
            self.wishes[slot] = Wish::walk(east as f32, south as f32);
        }
        (&mut self.units, &self.wishes)
    }

    /// A copy of one walker in its own population, at its current place.
    #[must_use]
    pub fn alone(&self, slot: usize) -> Units {
        let mut units = Units::new(self.units.sector_size());
        let body = sure(units.add_body(body()));
        let id = self.units.iter().nth(slot);
        if let Some((id, position)) = id.and_then(|id| Some((id, self.units.position(id)?))) {
            let mask = self.units.mask(id).unwrap_or(ALL_LAYERS);
            sure(units.spawn(Spawn { mask, ..Spawn::standing(position, body) }));
        }
        units
    }

    /// A place beside one of the props near `from`.
    fn next_goal(&mut self, from: [f64; 2]) -> [f64; 2] {
        let (random, mut near, mut next) = (&mut self.random, 0.0, from);
        for &prop in self.props.iter().filter(|prop| apart(**prop, from) < NEXT) {
            near += 1.0;
            if random.part() * near < 1.0 {
                next = prop;
            }
        }
        next.map(|along| {
            clamp(along + random.between(-BESIDE, BESIDE), LOW + MARGIN, HIGH - MARGIN)
        })
    }
}

fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (x, z) = (a[0] - b[0], a[1] - b[1]);
    (x * x + z * z).sqrt()
}

/// The ground at a place; `None` if a unit standing on it would overlap something.
fn free_place(town: &Town, x: f64, z: f64, contacts: &mut Contacts) -> Option<WorldPos> {
    let (size, view, body) = (town.grid.sector_size(), town.sectors.view(), body());
    let Ground::Height(y) = view.ground(WorldPos::from_metres(x, 0.0, z, size).ok()?) else {
        return None;
    };
    let at = |above: f32| WorldPos::from_metres(x, f64::from(y + above), z, size).ok();
    let upper = Cylinder { radius: body.radius(), height: body.height() - body.knee() };
    let solids = view.solids(ALL_LAYERS);
    solids.overlap(upper, at(body.knee())?, contacts).ok()?;
    let above = solids.ceiling(upper, at(body.knee())?, upper.height).ok()?;
    if contacts.as_slice().is_empty() && above.is_none() { at(0.0) } else { None }
}
