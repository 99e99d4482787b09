//! Who gets on: a crowd once more, from its starts and as it was timed, and untimed looked at after every tick.
//!
//! ```text
//! stuck       hardly moved in a second in which the reference goes on from the same place, as the
//!             workspace's judge of stuck units has it, for everybody's; at rest where a body has a way and
//!             no request moves it, for those that can be copied and asked, ours; reported as stuck or
//!             overloaded
//! crushed     reported so: by ours alone, no other library does
//! overloaded  reported so, likewise
//! ```
//!
//! Each unit counts once, however often it is found.

use marchland_terrain::WorldPos;
use marchland_worlds::stuck::Tracks;

use crate::contenders::ours::{body, view};
use crate::contenders::{Contender, Trouble};
use crate::crowd::{Course, LEG_TICKS};
use crate::scene::Scene;
use crate::setup::{DT, Failure};
use crate::table;

/// What was seen of a crowd.
pub(crate) struct CrowdReport {
    /// Whether a unit was found stuck, by unit.
    is_stuck: Vec<bool>,
    /// Who was found so, in words.
    who: Vec<String>,
    /// Whether a unit was reported as crushed and as overloaded, if the library reports.
    reported: Option<[Vec<bool>; 2]>,
    /// Where units were at the end.
    pub(crate) places: Vec<[f64; 3]>,
}

/// Runs a new contender for as many ticks as it was timed, and for a second at least: no shorter time shows who is
/// stuck.
pub(crate) fn watch(
    scene: &Scene,
    contender: &mut dyn Contender,
    timed_ticks: usize,
) -> Result<CrowdReport, Failure> {
    watch_on(&Course::Squares, scene, contender, timed_ticks)
}

/// The same on another course.
pub(crate) fn watch_on(
    course: &Course,
    scene: &Scene,
    contender: &mut dyn Contender,
    timed_ticks: usize,
) -> Result<CrowdReport, Failure> {
    let size = scene.sectors.grid().sector_size();
    let mut seen = CrowdReport::new(contender.places());
    let mut tracks = Tracks::new(size, (body()?, u32::MAX), DT, &on_world(scene, &seen.places));
    let mut wishes = Vec::new();
    // What was reported while it was made.
    seen.note(contender, 0);
    for tick in 0..usize::max(timed_ticks, LEG_TICKS) {
        if tick.is_multiple_of(LEG_TICKS) {
            let wish = |(unit, &place)| course.wish(unit, tick, place);
            wishes = seen.places.iter().enumerate().map(wish).collect();
            contender.steer(&wishes);
        }
        contender.run(1)?;
        seen.places = contender.places();
        let view = view(scene, contender.movers());
        for pause in tracks.tick(view, &wishes, &on_world(scene, &seen.places)) {
            let is_stuck = pause.why.is_some() || pause.rests && contender.is_trapped(pause.unit);
            if is_stuck {
                let from = scene.place(pause.from);
                seen.stick(pause.unit, || format!("{:?} from {from:.3?}, tick {tick}", pause.why));
            }
        }
        seen.note(contender, tick);
    }
    Ok(seen)
}

impl CrowdReport {
    fn new(places: Vec<[f64; 3]>) -> Self {
        Self { is_stuck: vec![false; places.len()], who: Vec::new(), reported: None, places }
    }

    /// Notes what a contender reports of its last tick.
    fn note(&mut self, contender: &dyn Contender, tick: usize) {
        let Some(troubles) = contender.troubles() else { return };
        let none = || vec![false; self.is_stuck.len()];
        let mut reported = self.reported.take().unwrap_or_else(|| [none(), none()]);
        for (unit, trouble) in troubles {
            reported[0][unit] |= trouble == Trouble::Crushed;
            reported[1][unit] |= trouble == Trouble::Overloaded;
            if trouble != Trouble::Crushed {
                let place = self.places[unit];
                self.stick(unit, || format!("{trouble:?} at {place:.3?}, tick {tick}"));
            }
        }
        self.reported = Some(reported);
    }

    /// Notes a unit that is stuck, in words if it was not known.
    fn stick(&mut self, unit: usize, why: impl Fn() -> String) {
        if !std::mem::replace(&mut self.is_stuck[unit], true) {
            self.who.push(format!("{unit}: {}", why()));
        }
    }

    /// How many units are stuck.
    pub(crate) fn stuck(&self) -> usize {
        count(&self.is_stuck)
    }

    /// How many units were reported as crushed and as overloaded, if the library reports.
    pub(crate) fn reported(&self) -> Option<[usize; 2]> {
        self.reported.as_ref().map(|reported| reported.each_ref().map(|units| count(units)))
    }

    /// The cells of a table: stuck, crushed, overloaded.
    pub(crate) fn cells(&self) -> [String; 3] {
        let reported = self.reported().map(|reported| reported.map(table::count));
        let [crushed, overloaded] = reported.unwrap_or_else(|| ["–"; 2].map(Into::into));
        [table::count(self.stuck()), crushed, overloaded]
    }
}

/// The heads of those cells.
pub(crate) const HEADS: [&str; 3] = ["stuck", "crushed", "overloaded"];

/// None of ours may be in trouble.
pub(crate) fn nobody_of_ours(crowds: &[(&str, &CrowdReport)]) -> Result<(), Failure> {
    for (name, seen) in crowds {
        let Some([crushed, overloaded]) = seen.reported() else { continue };
        let stuck = seen.stuck();
        if stuck + crushed + overloaded > 0 {
            let found = format!("{stuck} stuck, {crushed} crushed, {overloaded} overloaded");
            seen.who.iter().for_each(|who| eprintln!("{name}: {who}"));
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
