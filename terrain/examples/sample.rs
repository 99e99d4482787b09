//! Opens a baked world and queries a place: its height, slope and surface, and what a ray from above
//! hits.
//!
//! ```text
//! cargo run --release -p marchland-terrain --example sample -- hills.world 120 -7.5
//! ```
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::env;
use std::error::Error;

use marchland_terrain::glam::Vec3;
use marchland_terrain::{Ground, Raycast, World, WorldPos};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [folder, x, z] = &args[..] else {
        return Err("usage: sample DIR.world X Z (metres)".into());
    };

    // Opening reads little, however large the world; sectors are loaded on demand.
    let mut world = World::open(folder)?;
    let size = world.info().facts.grid.sector_size();
    let place = WorldPos::from_metres(x.parse()?, 0.0, z.parse()?, size)?;
    let loaded = world.load_around(place, 500.0)?;
    println!("{} sectors, {} loaded", world.info().sectors, loaded.loaded);
    for (coord, error) in &loaded.failed {
        println!("sector {coord} is missing: {error}");
    }

    let view = world.view();
    let height = match view.ground(place) {
        Ground::Height(height) => height,
        other => {
            println!("{other:?}: no ground there");
            return Ok(());
        }
    };
    println!("height {height} m");
    if let (Some(slope), Some(surface)) = (view.slope(place), view.surface(place)) {
        let name = world.info().facts.surface_names.get(usize::from(surface.0));
        println!("slope {slope} (rise over run), surface {}", name.map_or("?", String::as_str));
    }

    // From 100 m above, to the north-east and down.
    let eye = place.moved_by(Vec3::new(0.0, height + 100.0, 0.0), size)?;
    match view.raycast(eye, Vec3::new(1.0, -0.7, -1.0), 400.0)? {
        Raycast::Hit(hit) => println!("a ray meets the ground after {} m", hit.distance),
        Raycast::Miss => println!("a ray meets nothing within 400 m"),
        Raycast::Unknown { from } => println!("a ray leaves what is in memory after {from} m"),
    }
    Ok(())
}
