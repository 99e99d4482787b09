//! The town: walkers with a full controller among two thousand props, and what memory all of it takes.

use crate::checker::{Checker, Faults};
use crate::contenders::marchland::Marchland;
use crate::contenders::rapier;
use crate::rounds::{self, Runner};
use crate::scene::Scene;
use crate::{Effort, Failure, crowd, table, terrain};

/// Ticks in a round.
const TICKS: usize = 60;
/// Ticks in which every walker is timed.
const EACH_TICKS: usize = 30;
/// What the slow do a tenth of when the crowd is large.
const SLOW: usize = 10;

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
    for count in [1000, 10_000] {
        let count = count / effort.less;
        let starts = crowd::starts(&scene, &checker, count)?;
        let mut runners = runners(&scene, &starts)?;
        rounds::run(&mut runners, effort.rounds)?;
        for runner in &mut runners {
            let ticks = usize::min(EACH_TICKS, runner.ticks() / effort.rounds);
            runner.time_each(ticks)?;
        }
        print_times(&checker, &runners, count);
        same_on_all_threads(&runners)?;
        if count == 10_000 / effort.less {
            print_memory(&scene, &runners);
        }
    }
    terrain::not_built();
    Ok(())
}

/// Everybody with a controller.
fn runners<'a>(scene: &'a Scene, starts: &[[f64; 3]]) -> Result<Vec<Runner<'a>>, Failure> {
    let count = starts.len();
    let is_large = count > 1000;
    let slow = if is_large { TICKS / SLOW } else { TICKS };
    let mut all = vec![
        Runner::new(Box::new(Marchland::new(scene, starts, 1)?), count, TICKS),
        Runner::new(Box::new(Marchland::new(scene, starts, 2)?), count, TICKS),
        Runner::new(rapier::capsules(scene, starts)?, count, slow),
    ];
    if !is_large {
        all.push(Runner::new(rapier::cylinders(scene, starts)?, count, slow));
    }
    #[cfg(feature = "physx")]
    all.push(Runner::new(crate::contenders::physx::capsules(scene, starts)?, count, TICKS));
    #[cfg(feature = "box3d")]
    all.push(Runner::new(crate::contenders::box3d::capsules(scene, starts)?, count, TICKS));
    Ok(all.into_iter().map(Runner::recorded).collect())
}

fn print_times(checker: &Checker, runners: &[Runner<'_>], count: usize) {
    let title = format!("{} walkers", table::count(count));
    let heads = [
        title.as_str(),
        "µs per walker and tick",
        "p50",
        "p99",
        "units in 16.6 ms",
        "inside > 5 cm",
        "deepest, m",
        "below ground",
        "came, of what was asked",
        "ticks",
    ];
    let row = |runner: &Runner<'_>| {
        let Faults { inside, deepest, below } = checker.faults(&runner.contender.places());
        let mean = runner.nanoseconds();
        vec![
            runner.contender.name().into(),
            table::number(mean / 1000.0),
            table::number(runner.of_single(50) / 1000.0),
            table::number(runner.of_single(99) / 1000.0),
            table::count((1e9 / 60.0 / mean) as usize),
            table::count(inside),
            format!("{deepest:.3}"),
            table::count(below),
            format!("{:.0} %", 100.0 * runner.share_gone()),
            runner.ticks().to_string(),
        ]
    };
    table::print(&heads, &runners.iter().map(row).collect::<Vec<_>>());
}

/// The first two are ours, on one thread and on two: they must end in the same places.
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

fn print_memory(scene: &Scene, runners: &[Runner<'_>]) {
    let samples = scene.ground.heights.len();
    let triangles = scene.meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    let heads = ["heap bytes", "a height sample", "a unique triangle", "a placed prop", "a walker"];
    let row = |runner: &Runner<'_>| {
        let each = [samples, triangles, scene.props.len(), runner.units];
        let bytes = runner.contender.bytes()?;
        let mut row = vec![runner.contender.name().to_string()];
        row.extend(bytes.iter().zip(each).map(|(&all, of)| table::number(all as f64 / of as f64)));
        Some(row)
    };
    // Of ours and of Rapier one row is enough.
    let one_each = runners.iter().enumerate().filter(|&(place, _)| place != 1);
    table::print(&heads, &one_each.filter_map(|(_, runner)| row(runner)).collect::<Vec<_>>());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prop that is missing, turned or elsewhere for one of them would show: its walkers would be in
    /// a prop, or come elsewhere than ours.
    #[test]
    fn everybody_meets_the_same_props() {
        let scene = Scene::town().unwrap();
        let checker = Checker::new(&scene);
        let starts = crowd::starts(&scene, &checker, 300).unwrap();
        let mut runners = runners(&scene, &starts).unwrap();
        rounds::run(&mut runners, 1).unwrap();
        let ours = runners[0].contender.places();
        for runner in &runners {
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
            // And it meets something: who is let through comes all the way.
            assert!(runner.share_gone() < 0.98, "{name}: {}", runner.share_gone());
        }
    }
}
