//! Bare ground: units that follow it.

use crate::checker::Checker;
use crate::contenders::marchland::Marchland;
use crate::contenders::{Contender, parry, rapier};
use crate::rounds::{self, Runner};
use crate::scene::Scene;
use crate::setup::{Effort, Failure};
use crate::watch::{CrowdReport, watch};
use crate::{crowd, table, watch};

/// Sizes of the crowd, and ticks in a round.
const SIZES: [(usize, usize); 3] = [(10_000, 60), (100_000, 20), (1_000_000, 6)];

/// The results of a contender for one size.
struct SizeResults {
    name: String,
    nanoseconds: f64,
    below: usize,
    seen: CrowdReport,
    ticks: usize,
}

/// Runs all contenders and prints the table.
pub(crate) fn compare(effort: Effort) -> Result<(), Failure> {
    let scene = Scene::terrain()?;
    let checker = Checker::new(&scene);
    let mut sizes = Vec::new();
    for (count, ticks) in SIZES {
        let count = count / effort.less;
        let starts = crowd::starts(&scene, &checker, count, effort.order)?;
        let mut runners: Vec<_> = contenders(&scene, &starts)?
            .into_iter()
            .map(|contender| Runner::new(contender, count, ticks))
            .collect();
        rounds::run(&mut runners, effort.rounds)?;
        // Once more from their starts, when nothing is timed any more.
        let again = contenders(&scene, &starts)?.into_iter().zip(&runners);
        let found = again.map(|(mut again, runner)| {
            Ok(found(&checker, runner, watch(&scene, &mut *again, runner.ticks())?))
        });
        sizes.push(found.collect::<Result<Vec<_>, Failure>>()?);
    }
    println!("### Bare ground: 1025 × 1025 samples, ns per unit and tick\n");
    let counts = SIZES.map(|(count, ..)| table::count(count / effort.less));
    let heads: Vec<&str> = ["on bare ground"]
        .into_iter()
        .chain(counts.iter().map(String::as_str))
        .chain(["units in 16.6 ms", "below ground"])
        .chain(watch::HEADS)
        .chain(["ticks"])
        .collect();
    table::print(&heads, &rows(&sizes));
    not_built();
    let all = sizes.iter().flatten();
    watch::nobody_of_ours(&all.map(|one| (one.name.as_str(), &one.seen)).collect::<Vec<_>>())
}

fn found(checker: &Checker, runner: &Runner<'_>, seen: CrowdReport) -> SizeResults {
    SizeResults {
        name: runner.contender.name().into(),
        nanoseconds: runner.nanoseconds(),
        below: checker.faults(&runner.contender.places()).below,
        seen,
        ticks: runner.ticks(),
    }
}

/// A row for each contender: its times by size, then the results of the largest crowd.
fn rows(sizes: &[Vec<SizeResults>]) -> Vec<Vec<String>> {
    let Some(largest) = sizes.last() else { return Vec::new() };
    let row = |(place, last): (usize, &SizeResults)| {
        let below = sizes.iter().map(|size| table::count(size[place].below));
        let ticks = sizes.iter().map(|size| size[place].ticks.to_string());
        let mut row = vec![last.name.clone()];
        row.extend(sizes.iter().map(|size| table::number(size[place].nanoseconds)));
        row.push(table::count((1e9 / 60.0 / last.nanoseconds) as usize));
        row.push(below.collect::<Vec<_>>().join(", "));
        for cell in 0..watch::HEADS.len() {
            let cells = sizes.iter().map(|size| size[place].seen.cells()[cell].clone());
            row.push(cells.collect::<Vec<_>>().join(", "));
        }
        row.push(ticks.collect::<Vec<_>>().join(", "));
        row
    };
    largest.iter().enumerate().map(row).collect()
}

/// All contenders.
fn contenders<'a>(
    scene: &'a Scene,
    starts: &[[f64; 3]],
) -> Result<Vec<Box<dyn Contender + 'a>>, Failure> {
    #[cfg_attr(not(any(feature = "physx", feature = "box3d", feature = "jolt")), allow(unused_mut))]
    let mut all: Vec<Box<dyn Contender + 'a>> = vec![
        Box::new(Marchland::new(scene, starts, 1)?),
        Box::new(Marchland::new(scene, starts, 2)?),
        parry::by_cell(&scene.ground, starts),
        parry::by_ray(&scene.ground, starts),
        rapier::by_ray(scene, starts)?,
    ];
    #[cfg(feature = "physx")]
    {
        use crate::contenders::physx;
        all.push(physx::by_height(scene, starts)?);
        all.push(physx::by_ray(scene, starts)?);
    }
    #[cfg(feature = "box3d")]
    all.push(crate::contenders::box3d::by_ray(scene, starts)?);
    #[cfg(feature = "jolt")]
    all.push(crate::contenders::jolt::by_ray(scene, starts)?);
    Ok(all)
}

/// Reports the contenders that are missing.
pub(crate) fn not_built() {
    let all = [
        ("PhysX", cfg!(feature = "physx")),
        ("Box3D", cfg!(feature = "box3d")),
        ("Jolt", cfg!(feature = "jolt")),
    ];
    for (name, is_built) in all {
        if !is_built {
            println!("{name} is not built: its feature is off.\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::{SPEED, wish};
    use crate::setup::DT;
    use crate::setup::Order;

    /// Different diagonals, a rotated field or one that is off by a sample would be detected.
    #[test]
    fn everybody_stands_on_the_same_ground() {
        let scene = Scene::terrain().unwrap();
        let checker = Checker::new(&scene);
        let starts = crowd::starts(&scene, &checker, 2000, Order::World).unwrap();
        let wishes: Vec<_> = (0..starts.len()).map(|unit| wish(unit, 0)).collect();
        for mut contender in contenders(&scene, &starts).unwrap() {
            contender.steer(&wishes);
            contender.run(30).unwrap();
            let places = contender.places();
            let mut off = 0;
            for ((&[x, y, z], start), wish) in places.iter().zip(&starts).zip(&wishes) {
                let east = start[0] + f64::from(30.0 * DT * wish[0]);
                let south = start[2] + f64::from(30.0 * DT * wish[1]);
                assert!((east - x).abs() < 1e-3 && (south - z).abs() < 1e-3, "{SPEED} m/s");
                let height = checker.height(x, z).unwrap();
                off += usize::from((y - height).abs() > 2e-3);
            }
            // A ray down a line of the grid may pass through (parry #165): once in a thousand at
            // most.
            assert!(off <= 2, "{}: {off} units are not on the ground", contender.name());
        }
    }
}
