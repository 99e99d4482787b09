//! Who gets on: a crowd once more, from its starts and as it was timed, and untimed looked at after every tick.
//!
//! ```text
//! stuck       hardly moved in a second in which the reference goes on from the same place, as the
//!             workspace's judge of stuck units has it, for everybody's; at rest where a body has a way and
//!             no request moves it, for those that can be copied and asked, ours; told as stuck or
//!             overloaded
//! crushed     told so: by ours alone, no other library tells
//! overloaded  told so, likewise
//! ```
//!
//! Each unit counts once, however often it is found.

use marchland_terrain::WorldPos;
use marchland_worlds::stuck::Tracks;

use crate::contenders::marchland::body;
use crate::contenders::{Contender, DT, Trouble};
use crate::crowd::{self, LEG_TICKS};
use crate::scene::Scene;
use crate::setup::Failure;
use crate::table;

/// What was seen of a crowd.
pub(crate) struct Seen {
    /// Whether a unit was found stuck, by unit.
    is_stuck: Vec<bool>,
    /// Whether a unit was told as crushed and as overloaded, if the library tells.
    told: Option<[Vec<bool>; 2]>,
    /// Where units were at the end.
    pub(crate) places: Vec<[f64; 3]>,
}

/// Runs a new contender for as many ticks as it was timed, and for a second at least: no shorter time shows who is
/// stuck.
pub(crate) fn watch(
    scene: &Scene,
    contender: &mut dyn Contender,
    timed_ticks: usize,
) -> Result<Seen, Failure> {
    let view = scene.sectors.view();
    let size = scene.sectors.grid().sector_size();
    let mut seen = Seen::new(contender.places());
    let mut tracks = Tracks::new(size, (body()?, u32::MAX), DT, &on_world(scene, &seen.places));
    let (units, mut wishes) = (seen.places.len(), Vec::new());
    // What was told while it was made.
    seen.note(contender);
    for tick in 0..usize::max(timed_ticks, LEG_TICKS) {
        if tick.is_multiple_of(LEG_TICKS) {
            wishes = (0..units).map(|unit| crowd::wish(unit, tick)).collect();
            contender.steer(&wishes);
        }
        contender.run(1)?;
        seen.places = contender.places();
        for pause in tracks.tick(view, &wishes, &on_world(scene, &seen.places)) {
            let is_stuck = pause.why.is_some() || pause.rests && contender.is_trapped(pause.unit);
            seen.is_stuck[pause.unit] |= is_stuck;
        }
        seen.note(contender);
    }
    Ok(seen)
}

impl Seen {
    fn new(places: Vec<[f64; 3]>) -> Self {
        Self { is_stuck: vec![false; places.len()], told: None, places }
    }

    /// Notes what a contender tells of its last tick.
    fn note(&mut self, contender: &dyn Contender) {
        let Some(troubles) = contender.troubles() else { return };
        let none = || vec![false; self.is_stuck.len()];
        let [crushed, overloaded] = self.told.get_or_insert_with(|| [none(), none()]);
        for (unit, trouble) in troubles {
            crushed[unit] |= trouble == Trouble::Crushed;
            overloaded[unit] |= trouble == Trouble::Overloaded;
            self.is_stuck[unit] |= trouble != Trouble::Crushed;
        }
    }

    /// How many units are stuck.
    pub(crate) fn stuck(&self) -> usize {
        count(&self.is_stuck)
    }

    /// How many units were told as crushed and as overloaded, if the library tells.
    pub(crate) fn told(&self) -> Option<[usize; 2]> {
        self.told.as_ref().map(|told| told.each_ref().map(|units| count(units)))
    }

    /// The cells of a table: stuck, crushed, overloaded.
    pub(crate) fn cells(&self) -> [String; 3] {
        let told = self.told().map(|told| told.map(table::count));
        let [crushed, overloaded] = told.unwrap_or_else(|| ["–"; 2].map(Into::into));
        [table::count(self.stuck()), crushed, overloaded]
    }
}

/// The heads of those cells.
pub(crate) const HEADS: [&str; 3] = ["stuck", "crushed", "overloaded"];

/// None of ours may be in trouble.
pub(crate) fn nobody_of_ours(crowds: &[(&str, &Seen)]) -> Result<(), Failure> {
    for (name, seen) in crowds {
        let Some([crushed, overloaded]) = seen.told() else { continue };
        let stuck = seen.stuck();
        if stuck + crushed + overloaded > 0 {
            let found = format!("{stuck} stuck, {crushed} crushed, {overloaded} overloaded");
            return Err(format!("of {} {name} are {found}", seen.places.len()).into());
        }
    }
    Ok(())
}

/// Places as the judge takes them; `None` is off the world, or not a number.
fn on_world(scene: &Scene, places: &[[f64; 3]]) -> Vec<Option<WorldPos>> {
    places.iter().map(|&place| scene.world_pos(place).ok()).collect()
}

fn count(units: &[bool]) -> usize {
    units.iter().filter(|is_one| **is_one).count()
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
