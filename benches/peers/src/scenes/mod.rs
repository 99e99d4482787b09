//! Scenes one by one: where walkers touch things, where the ground is steep, where things move.
//!
//! Of ours there are two: one moves units as a game would, the other sends all of them through the full
//! controller; of its ticks of single units the 99th percentile is reported in cycles.

mod lands;

use crate::checker::{Checker, Faults};
use crate::contenders::all::peers;
use crate::contenders::marchland::Marchland;
use crate::crowd::{self, Course};
use crate::movers::Movers;
use crate::rounds::{self, Runner};
use crate::scene::Scene;
use crate::setup::{Effort, Failure};
use crate::table::{self, number};
use crate::terrain;
use crate::watch::{self, CrowdReport, watch_on};

/// Walkers of each scene.
const WALKERS: usize = 2000;
/// Ticks in a round; Rapier does fewer.
const TICKS: usize = 60;
const RAPIER_TICKS: usize = 6;

/// A scene and what is asked of its walkers.
struct Plan {
    name: &'static str,
    scene: fn() -> Result<Scene, Failure>,
    course: fn(&Scene, &[[f64; 3]]) -> Course,
}

#[rustfmt::skip]
const PLANS: [Plan; 9] = [
    Plan { name: "Into their own prop, half of the meshes with T-junctions", scene: lands::torn_town, course: Course::into_props },
    Plan { name: "Rocks", scene: lands::rocks, course: |_, _| Course::Squares },
    Plan { name: "Stairs and ramps", scene: lands::stairs, course: Course::into_props },
    Plan { name: "Through one gate", scene: lands::gate, course: |_, _| Course::Gate },
    Plan { name: "Bare, 40 % steeper than the limit", scene: || lands::steep(0.4), course: |_, _| Course::Squares },
    Plan { name: "Bare, 80 % steeper than the limit", scene: || lands::steep(0.8), course: |_, _| Course::Squares },
    Plan { name: "As steep as Terrain3D's demo", scene: || lands::mountains(false), course: |_, _| Course::Squares },
    Plan { name: "The same with props", scene: || lands::mountains(true), course: |_, _| Course::Squares },
    Plan { name: "Lifts, turntables, trains of walls", scene: lands::moving, course: |_, _| Course::Squares },
];

/// Runs all contenders through all scenes and prints a table for each.
pub(crate) fn compare(effort: Effort) -> Result<(), Failure> {
    let mut outcome = Ok(());
    for plan in &PLANS {
        outcome = outcome.and(plan.compare(effort));
    }
    terrain::not_built();
    outcome
}

impl Plan {
    fn compare(&self, effort: Effort) -> Result<(), Failure> {
        let scene = (self.scene)()?;
        let at_first = checker(&scene, scene.movers.as_ref());
        let starts = crowd::starts(&scene, &at_first, WALKERS / effort.less, effort.order)?;
        let course = (self.course)(&scene, &starts);
        let lifted: Vec<_> =
            starts.iter().map(|&[x, y, z]| [x, y + at_first.lift(x, z), z]).collect();
        let runners = || runners(&scene, &course, &starts, &lifted);
        let mut timed = runners()?;
        rounds::run(&mut timed, effort.rounds)?;
        let (mut rows, mut all_seen) = (Vec::new(), Vec::new());
        for (runner, mut again) in timed.iter_mut().zip(runners()?) {
            let ticks = runner.ticks();
            let gone = runner.share_gone();
            if runner.name().ends_with("full controller") {
                runner.count_cycles(TICKS)?;
            }
            let seen = watch_on(&course, &scene, &mut *again.contender, ticks)?;
            let faults = checker(&scene, again.contender.movers()).faults(&seen.places);
            rows.push(row(faults, runner, &seen, gone, ticks));
            all_seen.push((runner.name().to_string(), seen));
        }
        println!("### {}: {} walkers\n", self.name, table::count(starts.len()));
        let heads = ["", "µs", "p99, k cycles", "in the full controller"];
        let faults = ["inside > 5 cm", "deepest, m", "below ground"];
        let heads = heads.into_iter().chain(watch::HEADS).chain(faults).chain(["came", "ticks"]);
        table::print(&heads.collect::<Vec<_>>(), &rows);
        if scene.movers.is_some() {
            println!("The others are left out: their bodies are static in this bench.\n");
        }
        let named = all_seen.iter().map(|(name, seen)| (name.as_str(), seen));
        watch::nobody_of_ours(&named.collect::<Vec<_>>())
            .map_err(|found| format!("{}: {found}", self.name).into())
    }
}

/// All contenders; round ends start from where they are free of the ground.
fn runners<'a>(
    scene: &'a Scene,
    course: &'a Course,
    starts: &[[f64; 3]],
    lifted: &[[f64; 3]],
) -> Result<Vec<Runner<'a>>, Failure> {
    let ours = || Marchland::new(scene, starts, 1);
    let mut all = vec![
        Runner::new(Box::new(ours()?), starts.len(), TICKS),
        Runner::new(Box::new(ours()?.all_full()), starts.len(), TICKS),
    ];
    if scene.movers.is_none() {
        for peer in peers(scene, lifted)? {
            let ticks = if peer.name().starts_with("Rapier") { RAPIER_TICKS } else { TICKS };
            all.push(Runner::new(peer, starts.len(), ticks));
        }
    }
    Ok(all.into_iter().map(|runner| runner.on(course).recorded()).collect())
}

/// A checker of a scene and of what moves in it, where that is now.
fn checker(scene: &Scene, movers: Option<&Movers>) -> Checker {
    let mut checker = Checker::new(scene);
    if let Some(movers) = movers {
        let (meshes, props) = scene.placed(movers);
        checker.add_props(&meshes, &props);
    }
    checker
}

fn row(
    faults: Faults,
    runner: &Runner<'_>,
    seen: &CrowdReport,
    gone: f64,
    ticks: usize,
) -> Vec<String> {
    let percent =
        |share: f64| if share.is_nan() { "–".into() } else { format!("{:.0} %", 100.0 * share) };
    let mut row = vec![
        runner.name().into(),
        number(runner.nanoseconds() / 1000.0),
        number(runner.of_single(99) / 1000.0),
        percent(runner.contender.share_full()),
    ];
    row.extend(seen.cells());
    row.push(table::count(faults.inside));
    row.push(format!("{:.3}", faults.deepest));
    row.push(table::count(faults.below));
    row.extend([percent(gone), ticks.to_string()]);
    row
}

#[cfg(test)]
mod tests {
    use marchland_terrain::math::angle::tan_degrees;
    use marchland_terrain::math::greater;
    use marchland_terrain::props::PreparedMesh;
    use marchland_worlds::town::MESHES;

    use super::*;

    #[test]
    fn a_torn_mesh_is_not_closed_and_has_its_old_bounds() {
        for mesh in MESHES {
            let torn = PreparedMesh::new(&marchland_worlds::shapes::torn(mesh.source())).unwrap().0;
            let whole = PreparedMesh::new(&mesh.source()).unwrap().0;
            assert!(whole.is_closed() && !torn.is_closed(), "{mesh:?}");
            assert_eq!(torn.bounds(), whole.bounds());
        }
    }

    #[test]
    fn ground_is_as_steep_as_it_should_be_and_fits_what_the_others_store() {
        for (degrees, share) in [(50.0, 0.4), (50.0, 0.8), (45.0, 0.37)] {
            let scene = if degrees > 45.0 { lands::steep(share) } else { lands::mountains(false) };
            let ground = scene.unwrap().ground;
            let heights = ground.heights.iter().map(|&height| f64::from(height)).collect();
            let grid = marchland_worlds::grid::Grid { columns: 513, rows: 513, values: heights };
            let slopes = lands::slopes(&grid);
            let part = |degrees: f64| {
                let steeper = slopes.iter().filter(|slope| **slope > tan_degrees(degrees)).count();
                steeper as f64 / slopes.len() as f64
            };
            let parts = [20.0, 45.0, 50.0, 60.0].map(part);
            assert!((part(degrees) - share).abs() < 0.005, "{parts:?}");
            let tallest = grid.values.iter().fold(0.0, |a: f64, b| greater(a, b.abs()));
            assert!(tallest < 32767.0 * f64::from(ground.quantum), "{tallest}");
        }
    }
}
