//! The obstacle lanes: one walker walks straight into one obstacle, and its positions are reported.

use marchland_worlds::lanes::{BEGIN, OBSTACLES, SPEED};

use crate::contenders::Contender;
use crate::contenders::all::peers;
use crate::contenders::marchland::Marchland;
use crate::scene::{Scene, lane_start};
use crate::setup::{Failure, RATE};
use crate::table;

/// Times at which positions are reported. Seconds.
const TIMES: [f32; 3] = [1.2, 1.8, 4.0];

/// Runs all contenders through the lanes and prints the table.
pub(crate) fn compare() -> Result<(), Failure> {
    let scene = Scene::lanes()?;
    let starts: Vec<_> = (0..OBSTACLES.len()).map(lane_start).collect();
    let mut rows = walk(&mut Marchland::new(&scene, &starts, 1)?)?;
    for mut peer in peers(&scene, &starts)? {
        rows.extend(walk(&mut *peer)?);
    }
    println!(
        "### Lanes: what begins at {BEGIN} m, walked into at {SPEED} m/s; metres along and up\n"
    );
    let heads: Vec<String> = OBSTACLES.iter().map(|lane| lane.name()).collect();
    let heads: Vec<&str> = ["after"].into_iter().chain(heads.iter().map(String::as_str)).collect();
    table::print(&heads, &rows);
    Ok(())
}

/// A row for each of the times.
fn walk(contender: &mut dyn Contender) -> Result<Vec<Vec<String>>, Failure> {
    contender.steer(&[[SPEED, 0.0]; OBSTACLES.len()]);
    let (mut rows, mut ticks) = (Vec::new(), 0);
    for seconds in TIMES {
        let end = (seconds * RATE).round() as usize;
        contender.run(end - ticks)?;
        ticks = end;
        let mut row = vec![format!("{}, {seconds} s", contender.name())];
        for (lane, [x, y, _]) in contender.places().into_iter().enumerate() {
            row.push(format!("{:.2}, {y:.2}", x - lane_start(lane)[0]));
        }
        rows.push(row);
    }
    Ok(rows)
}
