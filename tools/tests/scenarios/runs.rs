//! The runs of one scenario, and what does not hold in them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use marchland_controller::PathChoice;
use marchland_tools::command::scenario::{Overrides, RunResult, Scenario, ScenarioError};

use crate::whole::run;
use crate::{files, overlap};

/// Where the scene is when it is far away.
const FAR: [i32; 2] = [1_000_000, -1_000_000];

/// What does not hold in a file, at any of its rates. A panic is a finding like any other.
pub(crate) fn findings(file: &Path) -> Vec<String> {
    at_all_rates(file).unwrap_or_else(|fault| vec![fault])
}

fn at_all_rates(file: &Path) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let scenario = Scenario::load(file).map_err(|error| error.to_string())?;
    let far = far_away(&scenario, &text).map_err(|error| format!("far away: {error}"))?;
    let rates = files::rates(&text, scenario.tick_rate)?;
    let may_overlap = files::may_overlap(&text)?;
    let found = rates.into_iter().flat_map(|rate| at_rate(&scenario, &far, rate, may_overlap));
    Ok(found.collect())
}

/// The scenario of a text, as far away from where the text says.
fn far_away(scenario: &Scenario, text: &str) -> Result<Scenario, ScenarioError> {
    let origin = scenario.origin_sector;
    let far = origin.offset(FAR[0], FAR[1]).unwrap_or(origin);
    let rest: Vec<_> = text.lines().filter(|line| !line.starts_with("origin_sector")).collect();
    let moved = format!("origin_sector = [{}, {}]\n{}", far.x, far.z, rest.join("\n"));
    Scenario::from_text(&scenario.path, &moved)
}

fn at_rate(scenario: &Scenario, far: &Scenario, rate: f64, may_overlap: bool) -> Vec<String> {
    if let Err(error) = scenario.at_rate(rate) {
        return vec![format!("at {rate} Hz: {error}")];
    }
    // Overlaps are measured here, at every rate; the other ways must end in the same bits.
    let here = Overrides { rate: Some(rate), measure: true, ..Overrides::default() };
    let ways = [
        ("here", scenario, here),
        ("far away", far, Overrides { measure: false, ..here }),
        ("path full", scenario, Overrides { path: PathChoice::Full, measure: false, ..here }),
    ];
    let mut found = Violations::default();
    let mut first = None;
    for (way, scenario, overrides) in ways {
        let result = match try_run(scenario, &overrides) {
            Ok(result) => result,
            Err(fault) => {
                found.add(way, fault);
                continue;
            }
        };
        result.failures.iter().for_each(|failure| found.add(way, failure.clone()));
        endless(&result).for_each(|what| found.add(way, what));
        overlap::told_again(&result).for_each(|what| found.add(way, what));
        if overrides.measure && !may_overlap {
            overlap::overlaps(scenario, &result).for_each(|what| found.add(way, what));
        }
        match &first {
            None => first = Some(result),
            Some(first) => differences(first, &result).for_each(|what| found.add(way, what)),
        }
    }
    found.lines(rate)
}

/// What does not hold, each with the ways in which it does not, in order.
#[derive(Default)]
struct Violations(Vec<(String, Vec<&'static str>)>);

impl Violations {
    fn add(&mut self, way: &'static str, what: String) {
        match self.0.iter_mut().find(|(known, _)| *known == what) {
            Some((_, ways)) if ways.last() == Some(&way) => {} // expected twice
            Some((_, ways)) => ways.push(way),
            None => self.0.push((what, vec![way])),
        }
    }

    fn lines(self, rate: f64) -> Vec<String> {
        let line = |(what, ways): (String, Vec<&str>)| match ways.len() {
            3 => format!("at {rate} Hz: {what}"),
            _ => format!("at {rate} Hz, {}: {what}", ways.join(" and ")),
        };
        self.0.into_iter().map(line).collect()
    }
}

fn try_run(scenario: &Scenario, overrides: &Overrides) -> Result<RunResult, String> {
    let told = || run(scenario, overrides).map_err(|error| error.to_string());
    match catch_unwind(AssertUnwindSafe(told)) {
        Ok(ran) => ran,
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(format!("panicked: {}", said.unwrap_or("without a word")))
        }
    }
}

/// Who ends nowhere.
fn endless(result: &RunResult) -> impl Iterator<Item = String> {
    let is_finite = |numbers: [f64; 3]| numbers.iter().all(|number| number.is_finite());
    let lost = result.units.iter().filter(move |unit| {
        !is_finite(unit.position) || !is_finite(unit.velocity) || !unit.tally.lowest.is_finite()
    });
    lost.map(|unit| format!("unit {} is not finite", unit.name))
}

/// In what a run differs from another of the same seconds. Neither the path nor the place may change a
/// bit.
fn differences(first: &RunResult, other: &RunResult) -> impl Iterator<Item = String> {
    let hashes = (first.state_hash, other.state_hash);
    let hash = (hashes.0 != hashes.1)
        .then(|| format!("state hash {:016x}, expected {:016x}", hashes.1, hashes.0));
    let unit = first.units.iter().zip(&other.units).find(|(first, other)| {
        let bits = |local: [f64; 3]| local.map(f64::to_bits);
        bits(first.local) != bits(other.local)
            || bits(first.velocity) != bits(other.velocity)
            || first.mode != other.mode
    });
    let unit = unit.map(|(first, other)| {
        let line = |unit: &marchland_tools::command::scenario::UnitResult| {
            format!("{:?} {:?} {}", unit.position, unit.velocity, unit.mode.word())
        };
        format!("unit {} ends at {}, expected {}", first.name, line(other), line(first))
    });
    let events = |result: &RunResult| {
        let name = |event: &marchland_tools::command::scenario::EventRecord| {
            (event.tick, event.unit.clone(), event.event.clone())
        };
        result.events.iter().map(name).collect::<Vec<_>>()
    };
    let (first, other) = (events(first), events(other));
    let event = (first != other).then(|| {
        let at = first.iter().zip(&other).take_while(|(first, other)| first == other).count();
        format!("event {at} is {:?}, expected {:?}", other.get(at), first.get(at))
    });
    hash.into_iter().chain(unit).chain(event)
}
