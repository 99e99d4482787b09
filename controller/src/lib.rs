//! Moves units over terrain.
//!
//! Right-handed, +Y up; metres, seconds, radians. A position is a sector and metres from that
//! sector's centre; `y` is absolute and is where the feet are.
//!
//! | word | meaning |
//! |---|---|
//! | unit | what moves: a position, a velocity, a mode and a body |
//! | body | an upright cylinder, split at the knee |
//! | slot | a unit's place in every slice that is passed or read |
//! | wish | what a unit is asked to do in a tick |
//! | follow | to move over open ground: `y = max(y, ground)` |
//! | held | not moved, because ground that the unit could reach is not in memory |
//! | reach | the box of the body over the requested move, grown by the skin |
//!
//! The road of a tick:
//!
//! ```text
//! Units + wishes -> batch::bins (by sector) -> follow (one unit) -> outcomes -> Units
//!                                                └ slide -> crossing (walls) -> sectors (look-up)
//! ```
//!
//! ```
//! use marchland_controller::{Batch, Body, Spawn, TickSettings, Units, Wish};
//! use marchland_terrain::{Grid, ResidentSectors, SectorCoord, SectorData, WorldPos};
//! use marchland_terrain::{LoadedSector, format, glam::Vec3};
//!
//! let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
//! let ground = SectorData::from_fn(grid, |x, _| if x > 0.0 { 2.0 } else { 0.0 })?;
//! let bytes = format::encode(SectorCoord::new(0, 0), &ground).bytes;
//! let world = ResidentSectors::endless(LoadedSector::new(bytes)?.into());
//!
//! let mut units = Units::new(grid.sector_size());
//! let soldier = units.add_body(Body::default())?;
//! let start = WorldPos::new(SectorCoord::new(0, 0), Vec3::new(-30.0, 0.0, 0.0), grid.sector_size())?;
//! let id = units.spawn(Spawn::standing(start, soldier))?;
//!
//! let mut batch = Batch::new();
//! let wishes = [Wish::walk(5.0, 0.0)];
//! for _ in 0..60 {
//!     batch.tick(world.view(), &mut units, &wishes, &TickSettings::at_rate(60.0))?;
//! }
//! assert!((units.position(id).unwrap().local().x - -25.0).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod body;
mod command;
mod crossing;
mod error;
mod event;
mod extra;
mod follow;
mod frame;
mod kinematic;
mod ledge;
pub mod limits;
mod normal;
mod report;
mod sectors;
mod settings;
mod slide;
mod state;
mod surface;
mod units;
mod wish;

pub use batch::Batch;
pub use body::{Body, BodyBuilder, BodyId, LeavePlatform, SlopeRule};
pub use command::start_motion;
pub use error::{BodyError, CommandError, SpawnError, SurfaceError, TickError};
pub use event::{Event, EventKind, LeftGround};
pub use ledge::{Ledge, probe_ledge};
pub use report::Report;
pub use settings::{PathChoice, SecondLook, TickMode, TickSettings};
pub use state::UnitsSnapshot;
pub use surface::SurfaceResponse;
pub use units::{Mode, Motion, Spawn, UnitId, Units};
pub use wish::Wish;
