//! Ground made in memory, a column of units marching over it, and their places as a renderer needs them:
//! metres from the camera, which are small numbers however far away the scene is.
//!
//! ```text
//! cargo run --release -p marchland-controller --example march
//! ```
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;

use marchland_controller::{Batch, Body, BodyBuilder, Spawn, TickSettings, Units, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{
    Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, WorldPos, format,
};

fn main() -> Result<(), Box<dyn Error>> {
    // Cells of 1 m, sectors of 64 m, heights in steps of 1/256 m; a ridge along Z in every sector,
    // which ends at 0 m on each border so that sectors fit together.
    let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
    let ridge = SectorData::from_fn(grid, |x, _| (32.0 - x.abs()) * 0.2)?;
    let file = format::encode(SectorCoord::new(0, 0), &ridge);
    let world = ResidentSectors::endless(LoadedSector::new(file.bytes)?.into());

    // A million sectors from the origin, to show that it does not matter.
    let camp = SectorCoord::new(1_000_000, -1_000_000);
    let size = grid.sector_size();
    let mut units = Units::new(size);
    let soldier = units.add_body(Body::default())?;
    let rider =
        BodyBuilder { radius: 0.9, height: 2.4, max_slope_degrees: 35.0, ..Body::builder() };
    let rider = units.add_body(rider.build()?)?;
    let mut ids = Vec::new();
    for number in 0..8_u8 {
        let spot = Vec3::new(-30.0, 0.0, f32::from(number) * 2.0);
        let on_plane = WorldPos::new(camp, spot, size)?;
        // There may be none: a hole, ground that is not in memory, or the end of the world.
        let Some(feet) = world.view().on_ground(on_plane) else { continue };
        let body = if number < 6 { soldier } else { rider };
        ids.push(units.spawn(Spawn::standing(feet, body))?);
    }

    // Each tick, a wish for every slot: the velocity of the unit if nothing is in its way.
    let mut wishes = vec![Wish::STAND; units.slots()];
    for id in &ids {
        wishes[id.slot as usize] = Wish::walk(5.0, 0.5);
    }
    let settings = TickSettings::at_rate(60.0);
    let mut batch = Batch::new();
    let mut borders = 0;
    for _ in 0..60 * 20 {
        let report = batch.tick(world.view(), &mut units, &wishes, &settings)?;
        borders += report.borders_crossed;
    }

    let camera = WorldPos::new(camp.offset(1, 0).ok_or("no such sector")?, Vec3::ZERO, size)?;
    println!("after 20 s, {borders} borders crossed; metres from the camera:");
    for id in ids {
        let (Some(position), Some(motion)) = (units.position(id), units.motion(id)) else {
            continue;
        };
        let seen = position.relative_to(camera, size);
        println!("unit {}: {:7.2} {:6.2} {:7.2}  {motion:?}", id.slot, seen.x, seen.y, seen.z);
    }
    println!("state hash {:#018x}", units.state_hash());
    Ok(())
}
