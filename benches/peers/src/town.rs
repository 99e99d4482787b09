//! The town: walkers with a full controller among two thousand props, and the memory of all of it.

use crate::checker::{Checker, Faults};
use crate::contenders::marchland::Marchland;
use crate::contenders::{parry, rapier};
use crate::rounds::{self, Runner};
use crate::scene::Scene;
use crate::setup::{Effort, Failure};
use crate::watch::{CrowdReport, watch};
use crate::{crowd, table, terrain, watch};

/// Ticks in a round.
const TICKS: usize = 60;
/// Ticks in which every walker is timed.
const EACH_TICKS: usize = 30;
/// Divisor of the ticks of the slow contenders when the crowd is large; ours runs once more with as few
/// ticks.
const SLOW: usize = 10;
/// Sizes of the crowd; the last is large.
const SIZES: [usize; 2] = [1000, 10_000];

/// Runs all contenders and prints the tables.
pub(crate) fn compare(effort: Effort) -> Result<(), Failure> {
    let scene = Scene::town()?;
    let checker = Checker::new(&scene);
    println!(
        "### The town: {} props of {} meshes, {} placed triangles, 513 × 513 samples\n",
        table::count(scene.props.len()),
        scene.meshes.len(),
        table::count(checker.triangles()),
    );
    let mut outcome = Ok(());
    for size in SIZES {
        let (count, is_large) = (size / effort.less, size == SIZES[1]);
        let starts = crowd::starts(&scene, &checker, count, effort.order)?;
        let mut runners = runners(&scene, &starts, is_large)?;
        rounds::run(&mut runners, effort.rounds)?;
        for runner in &mut runners {
            let ticks = usize::min(EACH_TICKS, runner.ticks() / effort.rounds);
            runner.time_each(ticks)?;
        }
        let seen = watch_again(&scene, &starts, &runners, is_large)?;
        print_times(&checker, &runners, &seen, count);
        same_on_all_threads(&runners)?;
        if is_large {
            print_memory(&scene, &runners)?;
        }
        let names = runners.iter().map(Runner::name);
        outcome = outcome.and(watch::nobody_of_ours(&names.zip(&seen).collect::<Vec<_>>()));
    }
    terrain::not_built();
    outcome
}

/// All contenders with a controller.
fn runners<'a>(
    scene: &'a Scene,
    starts: &[[f64; 3]],
    is_large: bool,
) -> Result<Vec<Runner<'a>>, Failure> {
    let count = starts.len();
    let slow = if is_large { TICKS / SLOW } else { TICKS };
    let ours = |threads| Ok::<_, Failure>(Box::new(Marchland::new(scene, starts, threads)?));
    let mut all = vec![Runner::new(ours(1)?, count, TICKS), Runner::new(ours(2)?, count, TICKS)];
    if is_large {
        all.push(Runner::new(ours(1)?, count, slow).named("**Marchland**, ticks as Rapier"));
    }
    all.push(Runner::new(rapier::capsules(scene, starts)?, count, slow));
    if !is_large {
        all.push(Runner::new(rapier::cylinders(scene, starts)?, count, slow));
    }
    #[cfg(feature = "physx")]
    all.push(Runner::new(crate::contenders::physx::capsules(scene, starts)?, count, TICKS));
    #[cfg(feature = "box3d")]
    all.push(Runner::new(crate::contenders::box3d::capsules(scene, starts)?, count, TICKS));
    #[cfg(feature = "jolt")]
    all.push(Runner::new(crate::contenders::jolt::capsules(scene, starts)?, count, TICKS));
    Ok(all.into_iter().map(Runner::recorded).collect())
}

/// All of them once more from their starts, one after the other, when nothing is timed any more.
fn watch_again(
    scene: &Scene,
    starts: &[[f64; 3]],
    timed: &[Runner<'_>],
    is_large: bool,
) -> Result<Vec<CrowdReport>, Failure> {
    let again = runners(scene, starts, is_large)?.into_iter().zip(timed);
    again.map(|(mut again, timed)| watch(scene, &mut *again.contender, timed.ticks())).collect()
}

fn print_times(checker: &Checker, runners: &[Runner<'_>], seen: &[CrowdReport], count: usize) {
    let title = format!("{} walkers", table::count(count));
    let times = [title.as_str(), "µs per walker and tick", "p50", "p99", "units in 16.6 ms"];
    let faults = ["inside > 5 cm", "deepest, m", "below ground"];
    let came = ["came, of what was asked", "ticks"];
    let heads = [&times[..], &faults, &watch::HEADS, &came].concat();
    let row = |(runner, seen): (&Runner<'_>, &CrowdReport)| {
        let Faults { inside, deepest, below } = checker.faults(&runner.contender.places());
        let mean = runner.nanoseconds();
        let mut row = vec![
            runner.name().into(),
            table::number(mean / 1000.0),
            table::number(runner.of_single(50) / 1000.0),
            table::number(runner.of_single(99) / 1000.0),
            table::count((1e9 / 60.0 / mean) as usize),
            table::count(inside),
            format!("{deepest:.3}"),
            table::count(below),
        ];
        row.extend(seen.cells());
        row.push(format!("{:.0} %", 100.0 * runner.share_gone()));
        row.push(runner.ticks().to_string());
        row
    };
    table::print(&heads, &runners.iter().zip(seen).map(row).collect::<Vec<_>>());
}

/// The first two runners are ours, on one thread and on two: they must end in the same places.
fn same_on_all_threads(runners: &[Runner<'_>]) -> Result<(), Failure> {
    let places: Vec<_> = runners.iter().take(2).map(|runner| runner.contender.places()).collect();
    let bits =
        |places: &[[f64; 3]]| places.concat().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    if bits(&places[0]) == bits(&places[1]) {
        Ok(())
    } else {
        Err("Marchland came elsewhere on two threads".into())
    }
}

fn print_memory(scene: &Scene, runners: &[Runner<'_>]) -> Result<(), Failure> {
    let samples = scene.ground.heights.len();
    let triangles = scene.meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    let heads = ["heap bytes", "a height sample", "a unique triangle", "a placed prop", "a walker"];
    let row = |name: &str, bytes: &[i64], units: usize| {
        let each = [samples, triangles, scene.props.len(), units];
        let mut row = vec![name.to_string()];
        row.extend(bytes.iter().zip(each).map(|(&all, of)| table::number(all as f64 / of as f64)));
        row.resize(heads.len(), "–".into());
        row
    };
    // One row is enough for ours.
    let ours = runners[0].name();
    let is_again = |runner: &&Runner<'_>| runner.name() != ours && runner.name().starts_with(ours);
    let mut rows = Vec::new();
    for runner in runners.iter().filter(|runner| !is_again(runner)) {
        if let Some(bytes) = runner.contender.bytes() {
            rows.push(row(runner.name(), &bytes, runner.units));
        }
    }
    let bytes = parry::bytes(scene)?;
    rows.push(row("parry 0.31, shapes and a tree", &bytes, 0));
    table::print(&heads, &rows);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Order;

    /// A prop that is missing, rotated or misplaced in one of them would be detected: its walkers
    /// would be inside a prop, or end at different places from ours.
    #[test]
    fn everybody_meets_the_same_props() {
        let scene = Scene::town().unwrap();
        let checker = Checker::new(&scene);
        let starts = crowd::starts(&scene, &checker, 300, Order::World).unwrap();
        let again = runners(&scene, &starts, false).unwrap();
        let mut runners = runners(&scene, &starts, false).unwrap();
        rounds::run(&mut runners, 1).unwrap();
        let ours = runners[0].contender.places();
        for (runner, mut again) in runners.iter().zip(again) {
            let name = runner.contender.name();
            let places = runner.contender.places();
            let Faults { inside, below, .. } = checker.faults(&places);
            assert_eq!((inside, below), (0, 0), "{name}");
            let is_apart = |(a, b): &(&[f64; 3], &[f64; 3])| {
                let (x, z) = (a[0] - b[0], a[2] - b[2]);
                (x * x + z * z).sqrt() > 0.5
            };
            // Round ends climb edges that flat ones do not; most ways are the same.
            let apart = places.iter().zip(&ours).filter(is_apart).count();
            assert!(apart < places.len() / 5, "{name}: {apart} came elsewhere");
            // What is watched is what was timed.
            let seen = watch(&scene, &mut *again.contender, runner.ticks()).unwrap();
            assert_eq!(seen.places, places, "{name}");
            // And it meets obstacles: a walker without any would cover the whole distance.
            assert!(runner.share_gone() < 0.98, "{name}: {}", runner.share_gone());
        }
    }
}
