//! An independent check of the positions of units: no body inside anything, no feet below the
//! ground.

use std::path::Path;

use marchland_controller::{Body, Units, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{TerrainView, WorldPos};
use marchland_worlds::clutter::{Moment, scenario};
use marchland_worlds::judge::{Judge, JudgedBody, Verdict};
use rayon::prelude::*;

/// Of the marching units, one in this many is checked each time; walkers are always checked.
const ONE_IN: usize = 64;
/// Metres that a body may overlap something.
const DEPTH_MAX: f64 = 1e-3;
/// Metres that feet may be below the ground.
const BELOW_MAX: f64 = 1e-4;
/// Violations reported one by one.
const REPORTED: usize = 20;
/// Ticks in the scenario of a violation.
const SCENARIO_TICKS: u32 = 2;

/// The results of the check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Number of unit checks.
    pub looks: u64,
    /// Number of checks that found a unit at an invalid position.
    pub violations: u64,
    /// The first violations, a line each.
    pub lines: Vec<String>,
    /// The same violations as scenarios: a name and the text of a file.
    pub scenarios: Vec<(String, String)>,
}

/// Checks units at intervals.
pub(super) struct Check {
    judged: JudgedBody,
    body: Body,
    walkers: usize,
    /// Units to be checked after this tick, with their state before it.
    watched: Vec<StartState>,
    turn: usize,
    findings: Findings,
}

#[derive(Clone, Copy)]
struct StartState {
    slot: usize,
    position: WorldPos,
    velocity: Vec3,
}

impl Check {
    /// Checks every walker (the first slots), and some of the others.
    pub(super) fn new(body: Body, walkers: usize) -> Self {
        let judged = JudgedBody::from(&body);
        let (watched, findings) = (Vec::new(), Findings::default());
        Self { judged, body, walkers, watched, turn: 0, findings }
    }

    /// Chooses the units to check after the next tick.
    pub(super) fn choose(&mut self, units: &Units) {
        self.watched.clear();
        let marchers = (self.walkers..units.slots()).skip(self.turn).step_by(ONE_IN);
        for slot in (0..self.walkers).chain(marchers) {
            let position = units.id_at(slot).and_then(|id| units.position(id));
            let (Some(position), velocity) = (position, units.velocities()[slot]) else { continue };
            self.watched.push(StartState { slot, position, velocity });
        }
        self.turn = (self.turn + 1) % ONE_IN;
    }

    /// Checks the chosen units after the tick.
    pub(super) fn look(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        tick: u32,
        about: impl Fn(usize) -> String,
    ) {
        self.findings.looks += self.watched.len() as u64;
        let judged = self.judged;
        let found: Vec<(StartState, Verdict, f64)> = self
            .watched
            .par_iter()
            .map_init(Judge::new, |judge, before| {
                let feet = units.position(units.id_at(before.slot)?)?;
                let verdict = judge.deepest(view, feet, judged, u32::MAX);
                let below = judge.below_ground(view, feet);
                (verdict.depth > DEPTH_MAX || below > BELOW_MAX)
                    .then_some((*before, verdict, below))
            })
            .flatten()
            .collect();
        self.findings.violations += found.len() as u64;
        let room = REPORTED.saturating_sub(self.findings.lines.len());
        for violation in found.into_iter().take(room) {
            self.record(view, units, wishes[violation.0.slot], tick, violation, &about);
        }
    }

    /// The results.
    pub(super) fn into_findings(self) -> Findings {
        self.findings
    }

    fn record(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        wish: Wish,
        tick: u32,
        (before, verdict, below): (StartState, Verdict, f64),
        about: &impl Fn(usize) -> String,
    ) {
        let StartState { slot, position, velocity } = before;
        let size = units.sector_size();
        let after = units.id_at(slot).and_then(|id| units.position(id));
        let after = after.map(|place| place.to_metres(size));
        let line = format!(
            "unit {slot} ({}) in tick {tick}: {:.6} m inside {:?}, {below:.6} m below the ground, at {:?}, \
             {:?}",
            about(slot),
            verdict.depth,
            verdict.culprit,
            after.unwrap_or_default(),
            units.motions()[slot]
        );
        self.findings.lines.push(line);
        let moment = Moment { position, velocity, body: &self.body, mask: u32::MAX, wish };
        let name = format!("violation-{tick}-{slot}");
        let text = scenario(view, &moment, &name, SCENARIO_TICKS);
        self.findings.scenarios.push((name, text));
    }
}

impl Findings {
    /// Writes the scenarios into a folder.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        self.scenarios
            .iter()
            .try_for_each(|(name, text)| std::fs::write(folder.join(format!("{name}.toml")), text))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use marchland_controller::Spawn;
    use marchland_terrain::props::{LiveProp, LiveProps, LoadedMesh, PreparedMesh};
    use marchland_worlds::{shapes, terrain};

    use super::*;

    /// Checks three units once on flat ground at 2 m: in a crate, free, and this far below the ground.
    fn look(below: f32) -> Findings {
        let grid = terrain::grid_of(1.0, 64).unwrap();
        let world = terrain::world_from_fn(grid, 1, |_, _| 2.0).unwrap();
        let size = grid.sector_size();
        let at = |x: f64, y: f64| WorldPos::from_metres(x, y, 3.0, size).unwrap();
        let mesh = PreparedMesh::new(&shapes::crate_box(2.0, 2.0, 2.0)).unwrap().0.encode();
        let mesh = Arc::new(LoadedMesh::new(mesh).unwrap());
        let mut live = LiveProps::new(size);
        live.add(LiveProp::new(mesh, at(-5.0, 2.0))).unwrap();
        let mut units = Units::new(size);
        let body = units.add_body(Body::default()).unwrap();
        for place in [at(-4.5, 2.0), at(4.0, 2.0), at(9.0, 2.0 - f64::from(below))] {
            units.spawn(Spawn::standing(place, body)).unwrap();
        }
        let view = world.view().with_live(&live);
        let mut check = Check::new(Body::default(), 3);
        check.choose(&units);
        check.look(view, &units, &[Wish::STAND; 3], 7, |slot| format!("number {slot}"));
        check.into_findings()
    }

    #[test]
    fn who_is_inside_something_or_below_the_ground_is_told() {
        let findings = look(0.01);
        assert_eq!((findings.looks, findings.violations), (3, 2));
        assert!(findings.lines[0].starts_with("unit 0 (number 0) in tick 7: 0.9"), "{findings:?}");
        assert!(findings.lines[1].starts_with("unit 2"), "{findings:?}");
        assert!(findings.scenarios[0].1.contains("[[units]]"));
        assert_eq!(look(0.0).violations, 1, "feet on the ground are not below it");
    }

    #[test]
    fn every_marching_unit_has_its_turn() {
        let size = terrain::grid_of(1.0, 64).unwrap().sector_size();
        let mut units = Units::new(size);
        let body = units.add_body(Body::default()).unwrap();
        let place = WorldPos::from_metres(0.0, 0.0, 0.0, size).unwrap();
        for _ in 0..200 {
            units.spawn(Spawn::standing(place, body)).unwrap();
        }
        let mut check = Check::new(Body::default(), 11);
        let mut seen = [0; 200];
        for _ in 0..ONE_IN {
            check.choose(&units);
            check.watched.iter().for_each(|before| seen[before.slot] += 1);
        }
        assert!(seen[..11].iter().all(|times| *times == ONE_IN), "{seen:?}");
        assert!(seen[11..].iter().all(|times| *times == 1), "{seen:?}");
    }
}
