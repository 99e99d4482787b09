//! A crowd whose units separate: three hundred people appear at one spot, and a column of soldiers walks
//! through them.
//!
//! ```text
//! cargo run --release -p marchland-controller --example crowd
//! ```
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;

use marchland_controller::{
    Batch, Body, Separation, SeparationSettings, Spawn, TickSettings, Units, Wish,
};
use marchland_terrain::math::greater;
use marchland_terrain::{
    Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, WorldPos, format,
};

const RATE: f32 = 60.0;
const PEOPLE: usize = 300;
const SOLDIERS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    // Endless level ground. A game opens a world that it has baked.
    let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
    let size = grid.sector_size();
    let level = SectorData::from_fn(grid, |_, _| 0.0)?;
    let bytes = format::encode(SectorCoord::new(0, 0), &level).bytes;
    let world = ResidentSectors::endless(LoadedSector::new(bytes)?.into());

    let mut units = Units::new(size);
    let body = units.add_body(Body::default())?;
    let mut wishes = Vec::new();
    for _ in 0..PEOPLE {
        units.spawn(Spawn::standing(WorldPos::from_metres(0.0, 0.0, 0.0, size)?, body))?;
        wishes.push(Wish::STAND);
    }
    for soldier in 0..SOLDIERS {
        let at = WorldPos::from_metres(-14.0 - soldier as f64, 0.0, 0.0, size)?;
        units.spawn(Spawn::standing(at, body))?;
        wishes.push(Wish::walk(2.0, 0.0));
    }

    let settings = TickSettings::at_rate(RATE);
    let (mut batch, mut separation) =
        (Batch::new(), Separation::new(SeparationSettings::default())?);
    for tick in 0..=(30.0 * RATE) as u32 {
        if tick % (5.0 * RATE) as u32 == 0 {
            let seconds = tick as f32 / RATE;
            let (overlaps, deepest) = overlaps(&units);
            println!("{seconds:4.1} s: {overlaps} pairs overlap, at most {deepest:.2} m");
        }
        // The game's wishes stay unchanged; the tick gets them with the pushes added.
        let asked = separation.push(world.view(), &units, &wishes, settings.dt)?;
        batch.tick(world.view(), &mut units, asked, &settings)?;
    }
    let first = units.iter().nth(PEOPLE).and_then(|id| units.position(id));
    if let Some(first) = first {
        println!("the first soldier is at x = {:.1} m", first.to_metres(size)[0]);
    }
    println!("state hash {:#018x}", units.state_hash());
    Ok(())
}

/// How many pairs overlap by more than a hand's breadth, and the depth of the deepest. Metres.
fn overlaps(units: &Units) -> (usize, f32) {
    let places: Vec<_> = units.iter().filter_map(|id| units.position(id)).collect();
    let (mut count, mut deepest) = (0, 0.0);
    for (index, one) in places.iter().enumerate() {
        for other in &places[..index] {
            let way = one.relative_to(*other, units.sector_size());
            let depth = 0.8 - (way.x * way.x + way.z * way.z).sqrt();
            count += usize::from(depth > 0.1);
            deepest = greater(depth, deepest);
        }
    }
    (count, deepest)
}
