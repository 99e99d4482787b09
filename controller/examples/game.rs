//! The core of a game: a world with a wall in it, two kinds of units, a lift, and a loop that ticks,
//! handles events and draws from the camera's position.
//!
//! ```text
//! cargo run --release -p marchland-controller --example game
//! ```
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::error::Error;
use std::sync::Arc;

use marchland_controller::{Batch, Body, BodyBuilder, EventKind, Spawn, TickSettings, Units, Wish};
use marchland_terrain::bake::props::{PropHeight, PropInput, PropKind, PropSource};
use marchland_terrain::bake::spread;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_terrain::{
    Collision, Grid, LiveProp, LiveProps, LoadedMesh, SectorCoord, SectorData, SurfaceId, WorldPos,
    format,
};

const RATE: f32 = 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    // The world. A game bakes it once, `marchland bake` or `marchland_terrain::bake`, and opens it with
    // `World::open`; here it is made in memory: nine sectors of 64 m of level ground, and a wall of
    // 8 m × 1.25 m × 1 m across the way.
    let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
    let size = grid.sector_size();
    let level = SectorData::from_fn(grid, |_, _| 0.0)?;
    let sectors = (-1..=1).flat_map(|x| (-1..=1).map(move |z| SectorCoord::new(x, z)));
    let sectors: Vec<_> = sectors.map(|at| format::encode(at, &level)).collect();
    let (wall, _) = PreparedMesh::new(&cuboid(Vec3::new(1.0, 1.25, 8.0)))?;
    let kind =
        PropKind { mesh: 0, surface: SurfaceId(0), collision: Collision::Solid, layers: u32::MAX };
    let wall_at = PropSource {
        kind,
        name: "the wall".into(),
        position: [10.0, 0.0], // metres from the middle of sector (0, 0)
        height: PropHeight::AboveGround(0.0),
        rotation: Rotation::IDENTITY,
        scale: 1.0,
    };
    let input = PropInput { meshes: vec![wall], props: vec![wall_at], scatters: Vec::new() };
    let world = spread(grid, &sectors, &input)?.sectors;

    // Moving props: a lift, 3 m square, that goes up and down beyond the wall.
    let mut live = LiveProps::new(size);
    let (floor, _) = PreparedMesh::new(&cuboid(Vec3::new(3.0, 0.25, 3.0)))?;
    let floor = Arc::new(LoadedMesh::new(floor.encode())?);
    let bottom = WorldPos::from_metres(20.0, 0.0, 0.0, size)?;
    let lift = live.add(LiveProp::new(floor, bottom))?;

    // Units. A scout climbs the wall; an ogre is wide and tall, and walks round its end.
    let mut units = Units::new(size);
    let scout = units.add_body(BodyBuilder { climb: 1.5, ..Body::builder() }.build()?)?;
    let ogre = BodyBuilder { radius: 0.9, height: 3.0, knee: 0.75, ..Body::builder() };
    let ogre = units.add_body(ogre.build()?)?;
    for (body, z) in [(scout, 0.0), (scout, 0.75), (ogre, -12.0)] {
        let feet = WorldPos::from_metres(2.0, 0.0, z, size)?;
        units.spawn(Spawn::standing(feet, body))?;
    }

    // The loop, for fourteen seconds.
    let settings = TickSettings::at_rate(RATE);
    let mut batch = Batch::new();
    let mut wishes = vec![Wish::STAND; units.slots()];
    for tick in 0..(14.0 * RATE) as u32 {
        // 1. The wish of every unit, from the player, the network or a behaviour: here, to go to the
        //    lift and wait on it.
        for id in units.iter() {
            let Some(position) = units.position(id) else { continue };
            let way = bottom.relative_to(position, size);
            let far = (way.x * way.x + way.z * way.z).sqrt();
            let speed = if far > 0.5 { 3.0 / far } else { 0.0 };
            wishes[id.slot as usize] = Wish::walk(way.x * speed, way.z * speed);
        }
        // 2. Moving props reach their places at the end of the tick.
        let up = tick >= (9.0 * RATE) as u32 && tick < (12.0 * RATE) as u32;
        let speed = if up { Vec3::Y } else { Vec3::ZERO };
        live.set_velocity(lift, speed, Vec3::ZERO)?;
        live.advance(settings.dt)?;
        // 3. All units at once, on all threads.
        batch.tick(world.view().with_live(&live), &mut units, &wishes, &settings)?;
        // 4. What happened, for sounds and animations.
        for event in batch.events() {
            let seconds = tick as f32 / RATE;
            match event.kind {
                EventKind::ClimbBegan { rise } => {
                    println!("{seconds:5.2} s: unit {} climbs {rise:.2} m", event.unit.slot);
                }
                EventKind::Landed { speed } => {
                    println!("{seconds:5.2} s: unit {} lands at {speed:.1} m/s", event.unit.slot);
                }
                _ => {}
            }
        }
    }

    // 5. Drawing: small numbers relative to the camera, wherever in the world that is.
    let camera = WorldPos::from_metres(18.0, 6.0, 12.0, size)?;
    for id in units.iter() {
        let (Some(position), Some(motion)) = (units.position(id), units.motion(id)) else {
            continue;
        };
        let seen = position.relative_to(camera, size);
        println!("unit {} at {:.2} {:.2} {:.2}, {motion:?}", id.slot, seen.x, seen.y, seen.z);
    }
    println!("state hash {:#018x}", units.state_hash());
    Ok(())
}

/// A box that stands on its origin, its triangles counter-clockwise seen from outside.
fn cuboid(size: Vec3) -> MeshSource {
    let part = |corner: u32, axis: u32| (corner >> axis & 1) as f32;
    let corner = |at: u32| Vec3::new(part(at, 0) - 0.5, part(at, 1), part(at, 2) - 0.5) * size;
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    MeshSource { vertices: (0..8).map(corner).collect(), triangles }
}
