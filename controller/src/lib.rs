//! Moves units over terrain.
//!
//! Right-handed, +Y up; metres, seconds, radians. A position is a sector and an offset in metres
//! from that sector's centre; `y` is absolute and is the height of the feet.
//!
//! # What a game needs
//!
//! | type | what it is for |
//! |---|---|
//! | [`Units`] | all units: bodies and surfaces are added, units [spawned](Units::spawn), changed by commands, and read as columns |
//! | [`Body`], [`BodyBuilder`] | what a unit can do: its size, steps, slopes, jumps |
//! | [`Spawn`], [`UnitId`] | where a unit starts, and how it is named from then on |
//! | [`Wish`] | what is asked of a unit in a tick |
//! | [`Batch`], [`TickSettings`] | moves all units by a tick over a [`TerrainView`](marchland_terrain::TerrainView) |
//! | [`Event`], [`Report`] | what happened in the tick |
//! | [`Separation`] | keeps units apart, if a game wants that |
//! | [`SurfaceResponse`] | ice, ladders, belts |
//! | [`Ledge`], [`has_room`], [`start_motion`] | questions between ticks |
//! | [`Executor`] | runs ticks on a game's own threads |
//!
//! # Words
//!
//! | word | meaning |
//! |---|---|
//! | unit | anything that moves: a position, a velocity, a motion and a body |
//! | body | an upright cylinder, split at the knee: the part below measures, the part above blocks |
//! | slot | a unit's place in every slice that is passed or read |
//! | wish | the request for a unit in a tick: a velocity, a jump |
//! | command | a change that a game makes to a unit between ticks: an impulse, a teleport, another body |
//! | follow | to move over open ground: `y = max(y, ground)` |
//! | full controller | `src/kinematic`, how all other units move: among props, including moving ones, and on steep ground |
//! | motion | walking, falling, sliding or climbing |
//! | held | not moved, because ground that the unit could reach is not in memory |
//! | reach | the box of the body over the requested move, grown by the skin |
//! | support | what a unit stands on: ground below its centre, props below its whole disc |
//! | skin | 0.01 m between a body and what blocks it; none below the feet |
//! | surface | a number that ground and props carry; its response is set in [`Units`] |
//! | event | what happened to a unit in a tick |
//!
//! # A tick
//!
//! ```text
//! LiveProps::advance ─▶ TerrainView::with_live ─┐       commands ─▶ Units
//!                                               ▼                     │
//! wishes ───────────────────────────▶ batch::Batch::tick ◀────────────┘
//!            chunks of slots, on any thread
//!              over open ground:   in the cell that they remember, sixteen at a time
//!              all others:         classify, unit by unit
//!                in the open:        follow ─▶ terrain_walls ─▶ triangle_walk
//!                among props:     kinematic ─▶ carry, get free, walk | wedge | slick | air | climb
//!            ─▶ outcomes ─▶ Units, Report, events
//! ```
//!
//! Follow and the full controller give the same bits wherever both apply. No bit depends on threads, on
//! the order of units or on where in the world a scene lies. `examples/game.rs` is the loop of a game,
//! with a lift.
//!
//! # Example
//!
//! ```
//! use marchland_controller::{Batch, Body, BodyBuilder, EventKind, Spawn, TickSettings, Units, Wish};
//! use marchland_terrain::props::{MeshSource, PreparedMesh};
//! use marchland_terrain::{Grid, LiveProp, LiveProps, ResidentSectors, SectorCoord, SectorData};
//! use marchland_terrain::{LoadedMesh, LoadedSector, WorldPos, format, glam::Vec3};
//!
//! // Endless level ground, and a wall of 1 m across the way: a game opens a world that it has baked.
//! let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
//! let size = grid.sector_size();
//! let ground = SectorData::from_fn(grid, |_, _| 0.0)?;
//! let bytes = format::encode(SectorCoord::new(0, 0), &ground).bytes;
//! let world = ResidentSectors::endless(LoadedSector::new(bytes)?.into());
//! let (west, east) = (-0.25, 0.25);
//! let corners = [[west, 0.0], [east, 0.0], [east, 1.0], [west, 1.0]];
//! let corners = [-4.0, 4.0].map(|z| corners.map(|[x, y]| Vec3::new(x, y, z)));
//! let sides = [[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
//! let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
//! let (wall, _) = PreparedMesh::new(&MeshSource { vertices: corners.concat(), triangles })?;
//! let wall = LoadedMesh::new(wall.encode())?;
//! let mut live = LiveProps::new(size);
//! live.add(LiveProp::new(wall.into(), WorldPos::from_metres(-25.0, 0.0, 0.0, size)?))?;
//!
//! // A soldier stops before it, a scout climbs over.
//! let mut units = Units::new(size);
//! let soldier = units.add_body(Body::default())?;
//! let scout = units.add_body(BodyBuilder { climb: 1.5, ..Body::builder() }.build()?)?;
//! let start = |z: f64| WorldPos::from_metres(-30.0, 0.0, z, size);
//! let waits = units.spawn(Spawn::standing(start(-2.0)?, soldier))?;
//! let climbs = units.spawn(Spawn::standing(start(2.0)?, scout))?;
//!
//! let mut batch = Batch::new();
//! let wishes = [Wish::walk(5.0, 0.0); 2];
//! let mut climbed = Vec::new();
//! for _ in 0..180 {
//!     let view = world.view().with_live(&live);
//!     batch.tick(view, &mut units, &wishes, &TickSettings::at_rate(60.0))?;
//!     let ends = batch.events().iter().filter(|event| event.kind == EventKind::ClimbEnded);
//!     climbed.extend(ends.map(|event| event.unit));
//! }
//! assert_eq!(climbed, [climbs]);
//! let x = |id| units.position(id).unwrap().local().x;
//! // The wall's face, the body's radius and the skin.
//! assert!((x(waits) - (-25.25 - 0.4 - 0.01)).abs() < 1e-3);
//! assert!(x(climbs) > -22.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// First, for the same order on the page of `Units`.
mod units;

mod batch;
mod following;
mod ground;
mod kinematic;
pub mod limits;
mod separation;

pub use batch::Batch;
pub use kinematic::climb::probe_ledge::{Ledge, probe_ledge};
pub use kinematic::planes::{PLANES_MAX, Plane, Planes};
pub use separation::{Separation, SeparationError, SeparationSettings};
pub use units::body::{Body, BodyBuilder, BodyId, LeavePlatform, SlopeRule};
pub use units::columns::Units;
pub use units::command::{has_room, start_motion};
pub use units::error::{
    BodyError, CommandError, SpawnAllError, SpawnError, SurfaceError, TickError,
};
pub use units::event::{Event, EventKind, LeftGround};
#[cfg(feature = "rayon")]
pub use units::executor::Rayon;
pub use units::executor::{Executor, SingleThread};
pub use units::report::Report;
pub use units::settings::{TickMode, TickSettings};
pub use units::spawn::Spawn;
pub use units::state::UnitsSnapshot;
pub use units::surface::SurfaceResponse;
#[doc(hidden)]
pub use units::switches::{PathChoice, Shortcuts, Switches};
pub use units::unit::{Motion, UnitId};
pub use units::wish::Wish;
