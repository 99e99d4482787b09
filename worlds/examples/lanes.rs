//! Where a unit that walks at 5 m/s gets in each obstacle lane:
//!
//! ```text
//! cargo run --release -p marchland-worlds --example lanes
//! ```
#![allow(clippy::print_stdout)]

use marchland_controller::{Body, BodyBuilder, TickSettings};
use marchland_worlds::lanes::{BEGIN, Lanes, OBSTACLES};
use marchland_worlds::terrain::SceneError;

const RATE: u32 = 60;
/// Ticks after which positions are printed: 1.2, 1.8 and 4 s.
const REPORTED_TICKS: [u32; 3] = [72, 108, 240];

fn main() -> Result<(), SceneError> {
    let lanes = Lanes::new()?;
    println!("Obstacles begin at {BEGIN} m. Metres along the lane and up, after seconds.\n");
    for step_up in [0.45, 0.7] {
        print_table(&lanes, step_up)?;
    }
    Ok(())
}

fn print_table(lanes: &Lanes, step_up: f32) -> Result<(), SceneError> {
    let body = BodyBuilder { step_up, ..Body::builder() }.build()?;
    let mut walk = lanes.walk(body)?;
    let mut places = Vec::new();
    for tick in 1..=REPORTED_TICKS[2] {
        walk.tick(&TickSettings::at_rate(RATE as f32))?;
        if REPORTED_TICKS.contains(&tick) {
            places.push(walk.places().collect::<Vec<_>>());
        }
    }
    let heads = REPORTED_TICKS.map(|ticks| format!("{:.1} s", f64::from(ticks) / f64::from(RATE)));
    println!("| step_up {step_up} | {} | {} | {} |", heads[0], heads[1], heads[2]);
    println!("|---|---|---|---|");
    for (lane, obstacle) in OBSTACLES.into_iter().enumerate() {
        let cell = |at: &Vec<[f64; 2]>| format!("{:.3}, {:.3}", at[lane][0], at[lane][1]);
        let cells: Vec<_> = places.iter().map(cell).collect();
        println!("| {} | {} |", obstacle.name(), cells.join(" | "));
    }
    println!();
    Ok(())
}
