//! Start positions and directions of units.

use marchland_controller::{Body, Units, Wish};
use marchland_random::mixed;
use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::lesser;
use marchland_terrain::query::{Contacts, Cylinder};
use marchland_terrain::{SectorCoord, SectorSize, TerrainView, WorldPos};
use rayon::prelude::*;

use super::land::Land;
use crate::command::failure::Failure;
use crate::command::world;

/// Places tried for each unit.
const TRIES: u64 = 1024;
/// One unit in this many chooses its direction in a tick.
pub(super) const LOOK_EVERY: usize = 8;
/// Seconds after which a unit changes direction even if nothing stops it, so that few units stay in front of
/// a wall for long.
const TURN_SECONDS: f32 = 4.0;
/// Directions tried before a unit stands still until its next turn.
const TURNS: u64 = 12;
/// Metres kept between a unit's side and what it avoids, in addition to the distance to its next
/// turn.
const MARGIN: f32 = 0.5;
/// A unit this far below all ground has fallen out of the world through a hole. Metres.
const LOST: f32 = 64.0;
/// Units that one thread takes at a time.
const AT_A_TIME: usize = 1024;

/// Where a crowd is, and its body and speed.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    view: TerrainView<'a>,
    sectors: &'a [SectorCoord],
    size: SectorSize,
    /// The height below which a unit is lost. Metres.
    bottom: f32,
    pub(super) body: Body,
    pub(super) speed: f32,
    pub(super) rate: f32,
    pub(super) seed: u64,
}

impl<'a> Site<'a> {
    /// A site with the sectors in memory, units with one body at one speed in metres per second, and
    /// ticks per second.
    #[must_use]
    pub fn new(land: &'a Land, body: Body, speed: f32, rate: f32, seed: u64) -> Self {
        let (facts, range) = (&land.world().info().facts, land.world().info().height_range);
        let lowest = range.map_or(0.0, |(low, _)| low as f32 * facts.grid.quantum());
        let size = facts.grid.sector_size();
        let bottom = lowest - LOST;
        Self { view: land.view(), sectors: land.sectors(), size, bottom, body, speed, rate, seed }
    }

    pub(super) fn view(&self) -> TerrainView<'a> {
        self.view
    }

    /// Metres to each side of a unit's middle that must be ground.
    fn side(&self) -> f32 {
        self.body.radius() + MARGIN
    }

    /// Metres ahead that must be ground: the distance a unit covers before its next turn.
    fn clear(&self) -> f32 {
        let ticks = LOOK_EVERY as f32 + 1.0;
        self.side() + self.speed / self.rate * ticks
    }

    /// Whether there is ground across the whole width of a unit in a direction. The sampled points are so
    /// close together that nothing with a square corner fits between them.
    fn is_open(&self, here: WorldPos, [x, z]: [f32; 2]) -> bool {
        let clear = self.clear();
        [0.0, -1.0, 1.0, -0.5, 0.5].into_iter().all(|part| {
            let aside = part * self.side();
            self.ground_at(here, [x * clear - z * aside, z * clear + x * aside]).is_some()
        })
    }

    /// The ground at an offset from a place; `None` if no ground is in memory there.
    fn ground_at(&self, place: WorldPos, away: [f32; 2]) -> Option<WorldPos> {
        let there = place.moved_by(Vec3::new(away[0], 0.0, away[1]), self.size).ok()?;
        self.view.on_ground(there)
    }
}

/// `count` places on walkable ground without props. A larger count starts with the same places.
///
/// # Errors
/// If there are no such places, or hardly any.
pub fn places(site: &Site<'_>, count: u32) -> Result<Vec<WorldPos>, Failure> {
    let found: Option<Vec<WorldPos>> = (0..count)
        .into_par_iter()
        .with_min_len(AT_A_TIME)
        .map_init(|| Contacts::with_capacity(8), |contacts, number| place(site, number, contacts))
        .collect();
    found.ok_or_else(|| {
        let message = format!("no unit can stand at any of {TRIES} random positions");
        Failure::input(message).hint("check `--radius`, `--height` and `--max-slope`")
    })
}

fn place(site: &Site<'_>, number: u32, contacts: &mut Contacts) -> Option<WorldPos> {
    let half = site.size.half();
    (0..TRIES).find_map(|attempt| {
        let random = |part: u64| mix(site.seed, u64::from(number), attempt * 4 + part);
        let sector = site.sectors[(random(0) % site.sectors.len() as u64) as usize];
        let [x, z] =
            [fraction(random(1)), fraction(random(2))].map(|part| (part * 2.0 - 1.0) * half);
        let place = WorldPos::new(sector, Vec3::new(x, 0.0, z), site.size).ok()?;
        let place = site.ground_at(place, [0.0, 0.0])?;
        is_walkable(site, place, contacts).then_some(place)
    })
}

/// Whether the ground is not too steep, there is ground all around, and no prop stands there.
fn is_walkable(site: &Site<'_>, place: WorldPos, contacts: &mut Contacts) -> bool {
    let body = &site.body;
    let is_gentle =
        site.view.slope(place).is_some_and(|slope| f64::from(slope) <= body.max_slope_tan());
    let clear = site.side();
    let around = [[clear, 0.0], [-clear, 0.0], [0.0, clear], [0.0, -clear]];
    if !is_gentle || around.iter().any(|away| site.ground_at(place, *away).is_none()) {
        return false;
    }
    // Rises that the knee absorbs are no obstacles.
    let most = body.height() - SKIN;
    let lift = lesser(body.knee(), most);
    let upper = Cylinder { radius: body.radius() + SKIN, height: body.height() - lift };
    let Ok(feet) = place.moved_by(Vec3::new(0.0, lift, 0.0), site.size) else { return false };
    let asked = site.view.solids(u32::MAX).overlap(upper, feet, contacts);
    asked.is_ok() && contacts.as_slice().is_empty()
}

/// Sets the direction of a share of the units for the next tick. A unit goes straight on, unless the
/// edge of what is in memory or a hole is ahead, or it has kept its direction for long.
pub(super) fn steer(site: &Site<'_>, units: &Units, tick: u32, wishes: &mut [Wish]) {
    let turn = tick as usize % LOOK_EVERY;
    let looks_per_turn = (TURN_SECONDS * site.rate / LOOK_EVERY as f32) as usize + 1;
    let look = tick as usize / LOOK_EVERY;
    wishes
        .par_iter_mut()
        .enumerate()
        .with_min_len(AT_A_TIME)
        .filter(|(slot, _)| tick == 0 || slot % LOOK_EVERY == turn)
        .for_each(|(slot, wish)| {
            let Some(here) = units.id_at(slot).and_then(|id| units.position(id)) else { return };
            let [x, z] = wish.velocity().map(|part| part / site.speed);
            let is_bored = (slot / LOOK_EVERY + look).is_multiple_of(looks_per_turn);
            if *wish != Wish::STAND && !is_bored && site.is_open(here, [x, z]) {
                return;
            }
            let number = |attempt| mix(!site.seed, slot as u64, u64::from(tick) * TURNS + attempt);
            let mut headings = (0..TURNS).map(|attempt| heading(number(attempt)));
            let heading = headings.find(|heading| site.is_open(here, *heading));
            *wish =
                heading.map_or(Wish::STAND, |[x, z]| Wish::walk(x * site.speed, z * site.speed));
        });
}

/// Slots of the units that have fallen out of the world.
pub(super) fn lost(site: &Site<'_>, units: &Units) -> Vec<usize> {
    let locals = units.locals().par_iter().enumerate().with_min_len(AT_A_TIME);
    locals.filter(|(_, local)| local.y < site.bottom).map(|(slot, _)| slot).collect()
}

/// Counts units below the ground by querying the world, not the units. A unit over a hole, or where no ground
/// is known, is not counted.
pub(super) fn count_below(site: &Site<'_>, units: &Units) -> u64 {
    let is_below = |slot: usize| {
        let place = units.id_at(slot).and_then(|id| units.position(id));
        place.is_none_or(|place| world::is_below(site.view, place))
    };
    let slots = (0..units.slots()).into_par_iter().with_min_len(AT_A_TIME);
    slots.filter(|slot| is_below(*slot)).count() as u64
}

/// A horizontal direction of length 1.
fn heading(random: u64) -> [f32; 2] {
    let turn = f64::from(fraction(random)) * std::f64::consts::TAU;
    [libm::cos(turn) as f32, libm::sin(turn) as f32]
}

/// In [0, 1), with as many digits as an `f32` has there.
fn fraction(random: u64) -> f32 {
    (random >> 40) as f32 / (1_u32 << 24) as f32
}

/// A random number for three numbers: SplitMix64 (Steele, Lea and Flood, 2014) over each in turn.
fn mix(seed: u64, unit: u64, part: u64) -> u64 {
    [unit, part].into_iter().fold(mixed(seed), |state, number| mixed(state ^ mixed(number)))
}

#[cfg(test)]
mod tests {
    use marchland_controller::Spawn;
    use marchland_terrain::Ground;
    use marchland_worlds::terrain;

    use super::*;

    /// A slope of one in four from 2 m on, four sectors of 64 m.
    fn on_a_slope<T>(look: impl Fn(&Site<'_>) -> T) -> T {
        let grid = terrain::grid_of(1.0, 64).unwrap();
        let world = terrain::world_from_fn(grid, 2, |x, _| 2.0 + x / 4.0).unwrap();
        let (view, sectors) = (world.view(), world.resident());
        let size = grid.sector_size();
        let (body, bottom) = (Body::default(), -10.0);
        look(&Site { view, sectors, size, bottom, body, speed: 5.0, rate: 60.0, seed: 3 })
    }

    #[test]
    fn few_begin_where_the_first_of_many_do_all_on_the_ground() {
        on_a_slope(|site| {
            let many = places(site, 2500).unwrap();
            assert_eq!(places(site, 7).unwrap(), many[..7]);
            for place in &many {
                assert_eq!(site.view.ground(*place), Ground::Height(place.local().y));
            }
            assert!(site.sectors.iter().all(|s| many.iter().any(|place| place.sector() == *s)));
        });
        let steep = |site: &Site<'_>| {
            let builder =
                marchland_controller::BodyBuilder { max_slope_degrees: 14.0, ..Body::builder() };
            places(&Site { body: builder.build().unwrap(), ..*site }, 1).is_err()
        };
        assert!(on_a_slope(steep), "one in four is 14.04 degrees");
    }

    #[test]
    fn who_is_below_the_ground_and_who_has_fallen_out_of_the_world_are_found() {
        on_a_slope(|site| {
            let mut units = Units::new(site.size);
            let body = units.add_body(site.body).unwrap();
            for (number, place) in places(site, 20).unwrap().into_iter().enumerate() {
                let down = [0.0, -0.001, -60.0][if number % 5 == 0 { number % 3 } else { 0 }];
                let place = place.moved_by(Vec3::new(0.0, down, 0.0), site.size).unwrap();
                units.spawn(Spawn::standing(place, body)).unwrap();
            }
            // Numbers 5 and 15 are told 2 and 0, number 10 is told 1.
            assert_eq!((count_below(site, &units), lost(site, &units)), (2, vec![5]));
        });
    }

    #[test]
    fn units_keep_their_way_until_there_is_an_edge_before_them() {
        on_a_slope(|site| {
            let mut units = Units::new(site.size);
            let body = units.add_body(site.body).unwrap();
            // Slots 0 and 8 look in ticks 0, 8, ...: one a metre from the eastern edge, one far from it.
            for number in 0..9 {
                let x = if number == 0 { 95.0 } else { 60.0 };
                let place = WorldPos::from_metres(x, 20.0, 8.0, site.size).unwrap();
                units.spawn(Spawn::standing(place, body)).unwrap();
            }
            let east = Wish::walk(5.0, 0.0);
            let mut wishes = vec![east; 9];
            steer(site, &units, 16, &mut wishes);
            assert!(wishes[0] != east && wishes[0] != Wish::STAND, "{wishes:?}");
            assert!(wishes[1..].iter().all(|wish| *wish == east), "{wishes:?}");
            let [x, z] = wishes[0].velocity();
            assert!((x * x + z * z - 25.0).abs() < 1e-4 && x < 4.0, "{wishes:?}");
        });
    }
}
