//! The judgement of units that anybody moves: all that is known of them is a body, places and requests.

use marchland_controller::Body;
use marchland_terrain::{SectorSize, TerrainView, WorldPos};

use super::second::Second;
use super::why::{Cause, RESTS, has_mover, is_suspect, slow};

/// A unit that hardly moved in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pause {
    /// Its number in the crowd.
    pub unit: usize,
    /// Why it is stuck, if the reference goes on from the same place.
    pub why: Option<Cause>,
    /// Whether it rests. Whoever moves it can say whether any request moves it: [`trapped`](super::trapped) does
    /// of our units.
    pub rests: bool,
    /// Where it was a second ago.
    pub from: WorldPos,
}

/// Watches where the units of a crowd are, tick by tick.
#[derive(Clone, Debug)]
pub struct Tracks {
    size: SectorSize,
    body: Body,
    mask: u32,
    dt: f32,
    units: Vec<Track>,
    /// How many seconds were judged.
    pub judged: u64,
}

/// What is known of one unit.
#[derive(Clone, Copy, Debug)]
struct Track {
    place: Option<WorldPos>,
    second: Option<Second>,
}

impl Tracks {
    /// Begins before the first tick. The crowd has one body, meets props of the layers in `mask` and does ticks of
    /// `dt` seconds. Who is off the world is at `None`.
    #[must_use]
    pub fn new(
        size: SectorSize,
        (body, mask): (Body, u32),
        dt: f32,
        places: &[Option<WorldPos>],
    ) -> Self {
        let begin = |&place| Track { place, second: None };
        Self { size, body, mask, dt, units: places.iter().map(begin).collect(), judged: 0 }
    }

    /// To be called after each tick, with what it was asked and where it left units: x and z of velocities, metres
    /// a second. Reports who hardly moved, each second anew.
    pub fn tick(
        &mut self,
        view: TerrainView<'_>,
        requests: &[[f32; 2]],
        places: &[Option<WorldPos>],
    ) -> Vec<Pause> {
        let mut pauses = Vec::new();
        for (unit, (&request, &place)) in requests.iter().zip(places).enumerate() {
            let Some(second) = self.units[unit].pass(request, place, self.size, self.dt) else {
                continue;
            };
            let (asks, rests) = (is_suspect(&second), second.farthest < RESTS);
            if !(asks || rests) || has_mover(view, second.from, &self.body) {
                continue;
            }
            self.judged += u64::from(asks);
            let judge = || slow(view, (&self.body, self.mask), &second);
            let why = asks.then(judge).flatten();
            if why.is_some() || rests {
                pauses.push(Pause { unit, why, rests, from: second.from });
            }
        }
        pauses
    }
}

impl Track {
    /// The last second, if one ends with this tick and is judged. It begins where the request finds the unit.
    fn pass(
        &mut self,
        request: [f32; 2],
        place: Option<WorldPos>,
        size: SectorSize,
        dt: f32,
    ) -> Option<Second> {
        let before = std::mem::replace(&mut self.place, place);
        let known = self.second.take().filter(|second| second.request == request);
        let mut second = known.or_else(|| Some(Second::begin(before?, request)))?;
        second.pass(place?, size);
        if !second.is_over(dt) {
            self.second = Some(second);
            return None;
        }
        (!second.is_excused).then_some(second)
    }
}
