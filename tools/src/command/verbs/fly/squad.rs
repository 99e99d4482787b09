//! Units that stay beneath the sources, spread over a disc, and step onto ground that was not in memory a
//! moment before.

use marchland_controller::{Batch, Body, Spawn, TickError, TickSettings, UnitId, Units, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{Ground, SectorCoord, SectorSize, TerrainView, WorldPos};

use crate::command::failure::Failure;
use crate::command::world::is_below;

/// How much faster than its source a unit may move to catch up: a factor, and metres per second.
const HURRY: [f32; 2] = [1.5, 10.0];
/// Places tried for a unit whose own place has no ground at the start.
const TRIES: u32 = 64;

/// Units and their places.
#[derive(Debug)]
pub(super) struct Squad {
    pub(super) units: Units,
    wishes: Vec<Wish>,
    ids: Vec<UnitId>,
    /// Source of each unit, and its offset from it along X and Z; by slot.
    posts: Vec<(usize, Vec3)>,
    /// Metres that a unit may be away from its place before it is put back.
    leash: f32,
    /// Sectors without known ground at places of units that are too far from them.
    pub(super) stranded: Vec<SectorCoord>,
    size: SectorSize,
}

impl Squad {
    /// Spreads `count` units over discs of `spread` metres around the sources. They meet the props whose
    /// layers share a bit with the mask.
    pub(super) fn begin(
        view: TerrainView<'_>,
        sources: &[WorldPos],
        count: u32,
        spread: f32,
        mask: u32,
    ) -> Result<Self, Failure> {
        let size = view.grid().sector_size();
        let mut squad = Self {
            units: Units::new(size),
            wishes: vec![Wish::STAND; count as usize],
            ids: Vec::new(),
            posts: Vec::new(),
            leash: spread,
            stranded: Vec::new(),
            size,
        };
        let body = squad.units.add_body(body()?).map_err(|error| fault(&error))?;
        for number in 0..count {
            let source = number as usize % sources.len();
            let found = (0..TRIES).find_map(|attempt| {
                let post = post(number / sources.len() as u32 + attempt * 7919, spread);
                let there = sources[source].moved_by(post, size).ok()?;
                Some((post, view.on_ground(there)?))
            });
            let Some((post, place)) = found else {
                return Err(Failure::input("there is no ground below the start of a source"));
            };
            let spawn = Spawn { mask, ..Spawn::standing(place, body) };
            let id = squad.units.spawn(spawn).map_err(|error| fault(&error))?;
            squad.ids.push(id);
            squad.posts.push((source, post));
        }
        Ok(squad)
    }

    /// Sets the wish of every unit to be at its place when the next tick ends, and puts back units that were
    /// kept from their places; returns how many. `sources` are the places at that time.
    pub(super) fn steer(
        &mut self,
        view: TerrainView<'_>,
        sources: &[(WorldPos, f32)],
        dt: f32,
    ) -> Result<u64, Failure> {
        let mut put_back = 0;
        self.stranded.clear();
        for slot in 0..self.posts.len() {
            let (source, post) = self.posts[slot];
            let (position, speed) = sources[source];
            let Ok(there) = position.moved_by(post, self.size) else { continue };
            let Some(here) = self.units.position(self.ids[slot]) else { continue };
            let way = there.relative_to(here, self.size);
            let far = (way.x * way.x + way.z * way.z).sqrt();
            if far > self.leash {
                // A unit that is put back starts to move in the tick after this one.
                self.wishes[slot] = Wish::STAND;
                match view.on_ground(there) {
                    Some(place) => {
                        let put = self.units.teleport(view, self.ids[slot], place);
                        put.map_err(|error| fault(&error))?;
                        put_back += 1;
                    }
                    None if view.ground(there) == Ground::NotResident => {
                        self.stranded.push(there.sector());
                    }
                    None => {}
                }
                continue;
            }
            let most = (speed * HURRY[0] + HURRY[1]) * dt;
            let part = if far > most { most / far } else { 1.0 };
            self.wishes[slot] = Wish::walk(way.x * part / dt, way.z * part / dt);
        }
        Ok(put_back)
    }

    /// Runs a tick.
    pub(super) fn tick(
        &mut self,
        view: TerrainView<'_>,
        batch: &mut Batch,
        settings: &TickSettings,
    ) -> Result<(), TickError> {
        batch.tick(view, &mut self.units, &self.wishes, settings).map(drop)
    }

    /// Counts units below the ground by querying the world, not the units. Where the ground is
    /// unknown, units are held and not counted.
    pub(super) fn count_below(&self, view: TerrainView<'_>) -> u64 {
        let places = self.ids.iter().filter_map(|&id| self.units.position(id));
        places.filter(|place| is_below(view, *place)).count() as u64
    }
}

/// Tall enough that a fast unit is not thrown off where the ground falls away beneath it.
fn body() -> Result<Body, Failure> {
    let builder = marchland_controller::BodyBuilder {
        height: 4.0,
        knee: 2.0,
        step_down: 4.0,
        max_slope_degrees: 65.0,
        ..Body::builder()
    };
    builder.build().map_err(|error| fault(&error))
}

/// The place of a unit in its disc: evenly spread, by the golden angle (Vogel, 1979).
fn post(number: u32, spread: f32) -> Vec3 {
    const AROUND: u32 = 4096;
    let turn = f64::from(number) * 2.399_963_229_728_653;
    let ring = f64::from(number % AROUND) + 0.5;
    let away = f64::from(spread) * 0.98 * (ring / f64::from(AROUND)).sqrt();
    Vec3::new((away * libm::cos(turn)) as f32, 0.0, (away * libm::sin(turn)) as f32)
}

pub(super) fn fault(error: &dyn std::error::Error) -> Failure {
    Failure::input(format!("flight: {error}"))
}
