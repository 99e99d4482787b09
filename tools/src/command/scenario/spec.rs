//! A scenario ready to run: every value checked, every name resolved, every place given as a sector
//! and metres from its centre.

use std::path::PathBuf;
use std::sync::Arc;

use marchland_controller::{BodyBuilder, SeparationSettings, SurfaceResponse};
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::Placement;
use marchland_terrain::{Collision, LoadedMesh, SectorCoord, SectorSize, SurfaceId, WorldPos};

use super::expect::Expectation;

/// A short run: the ground, the props, the units, their inputs, and the expected results.
///
/// Every [`WorldPos`] and [`SectorCoord`] in it already includes the shift by
/// [`origin_sector`](Self::origin_sector); expectations are in metres of the file.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The file, for messages.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// Ticks in a second, 4 to 100 000. Default 60.
    pub tick_rate: f64,
    /// Number of ticks to run.
    pub ticks: u32,
    /// The line of `ticks`.
    pub ticks_line: u32,
    /// Metres per second squared, downwards. Default 9.81.
    pub gravity: f32,
    /// Side of a sector: the world's, or `sector_size`. Default 256 m.
    pub sector_size: SectorSize,
    /// Shift of the whole scene, in sectors. Default (0, 0).
    pub origin_sector: SectorCoord,
    /// The ground.
    pub terrain: Terrain,
    /// The responses of surfaces, by [`SurfaceId`].
    pub surfaces: Vec<SurfaceSpec>,
    /// The meshes, in the order of the file.
    pub meshes: Vec<MeshSpec>,
    /// The props, in the order of the file.
    pub props: Vec<PropSpec>,
    /// The bodies: the one with all defaults, then those of the file in order.
    pub bodies: Vec<BodySpec>,
    /// The units, in the order of the file.
    pub units: Vec<UnitSpec>,
    /// How units that overlap move apart. Off unless given.
    pub separation: Option<SeparationSettings>,
    /// Sectors that are missing for some time.
    pub not_resident: Vec<Absence>,
    /// The expectations, in the order of the file.
    pub expects: Vec<Expectation>,
    /// Every file that was read, and the folder of the world.
    pub files: Vec<PathBuf>,
    /// Decisions made on the way, worth a line of output.
    pub notes: Vec<String>,
}

/// The ground of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Terrain {
    /// Holes everywhere.
    None,
    /// One height everywhere.
    Flat {
        /// Metres.
        height: f64,
        /// Its surface.
        surface: SurfaceId,
    },
    /// Samples on a grid, from the file or from an image; holes beyond.
    Samples(Samples),
    /// A world that was baked.
    World {
        /// Its folder.
        folder: PathBuf,
    },
}

/// Heights on a grid. `columns` run along +X, `rows` along +Z.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Samples along X, at least 2.
    pub columns: u32,
    /// Samples along Z, at least 2.
    pub rows: u32,
    /// Metres between samples: a power of two, the cell of the grid.
    pub spacing: f64,
    /// X and Z of the first sample: multiples of the spacing, before the shift. Metres.
    pub origin: [f64; 2],
    /// Metres of one height step: 2⁻¹⁰, more only if an image is too high for that.
    pub quantum: f64,
    /// Heights in quanta, row by row; `None` where an image has none.
    pub quanta: Vec<Option<i32>>,
    /// Cells that are cut out, column and row, in the order of the file.
    pub holes: Vec<[u32; 2]>,
    /// The surface of all cells.
    pub surface: SurfaceId,
}

/// A surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceSpec {
    /// Its name.
    pub name: String,
    /// How it responds. [Plain](SurfaceResponse::PLAIN) where the file says nothing.
    pub response: SurfaceResponse,
}

impl SurfaceSpec {
    /// A surface with all defaults.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        Self { name: name.to_owned(), response: SurfaceResponse::PLAIN }
    }
}

/// A mesh, prepared.
#[derive(Clone, Debug)]
pub struct MeshSpec {
    /// Its name.
    pub name: String,
    /// Its triangles.
    pub mesh: Arc<LoadedMesh>,
    /// Sides of triangles that meet no other triangle, or more than one.
    pub open_edges: u64,
}

/// A prop at its place at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct PropSpec {
    /// Index of its mesh.
    pub mesh: usize,
    /// Its origin.
    pub position: WorldPos,
    /// Rotation and scale.
    pub placement: Placement,
    /// Its surface.
    pub surface: SurfaceId,
    /// Its layers.
    pub layers: u32,
    /// How it blocks: as the file specifies, or as its mesh allows.
    pub collision: Collision,
    /// Its motion: one entry at tick 0 if the file has velocities instead of a motion. Ticks are
    /// ascending.
    pub motion: Vec<MotionEntry>,
    /// Its line.
    pub line: u32,
}

/// The motion of a prop from a tick on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionEntry {
    /// Applies from here to the next entry.
    pub tick: u32,
    /// Metres per second.
    pub velocity: Vec3,
    /// Radians per second about its origin, right-handed about this vector.
    pub angular_velocity: Vec3,
    /// Its line.
    pub line: u32,
}

/// The body of a unit, an upright cylinder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodySpec {
    /// Its name; empty for the body with all defaults.
    pub name: String,
    /// Its values. Where the file says nothing they are the controller's defaults, as far as they agree with what
    /// it says: `knee` and `step_down` at most `height`, `step_up` at least `knee`. The format has no key for the
    /// speed of climbing a ledge.
    pub values: BodyBuilder,
}

/// A unit at the start, and its inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitSpec {
    /// Its unique name.
    pub name: String,
    /// Index of its body.
    pub body: usize,
    /// The feet.
    pub position: WorldPos,
    /// Metres per second.
    pub velocity: Vec3,
    /// Its inputs. Ticks are ascending.
    pub controls: Vec<ControlEntry>,
    /// Its line.
    pub line: u32,
}

/// The input of a unit from a tick on. Values omitted in the file are taken from the entry before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlEntry {
    /// The first tick it acts in.
    pub tick: u32,
    /// Requested horizontal velocity, X and Z; stays. Metres per second.
    pub walk: [f32; 2],
    /// Whether it jumps in this one tick.
    pub jump: bool,
    /// Added to the velocity in this one tick. Metres per second.
    pub impulse: Option<Vec3>,
    /// Where it is teleported in this one tick.
    pub teleport: Option<WorldPos>,
    /// Its body; stays.
    pub body: usize,
    /// Which layers of props it meets; stays.
    pub mask: u32,
    /// Its line.
    pub line: u32,
}

/// A sector that is missing for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absence {
    /// The sector.
    pub sector: SectorCoord,
    /// The first tick in which it is missing.
    pub from: u32,
    /// The first later tick in which it is present again.
    pub to: u32,
    /// The lines of the two ticks.
    pub lines: [u32; 2],
}

impl Scenario {
    /// Duration of a tick. Seconds.
    #[must_use]
    pub fn dt(&self) -> f32 {
        1.0 / self.tick_rate as f32
    }

    /// A place in metres of the file: the shift by `origin_sector` is removed. Sectors subtract as
    /// integers, so the shift changes no bit.
    #[must_use]
    pub fn position_of(&self, place: WorldPos) -> [f64; 3] {
        let side = f64::from(self.sector_size.metres());
        let (sector, origin, local) = (place.sector(), self.origin_sector, place.local());
        let metres = |sector: i32, origin: i32, local: f32| {
            (i64::from(sector) - i64::from(origin)) as f64 * side + f64::from(local)
        };
        let x = metres(sector.x, origin.x, local.x);
        [x, f64::from(local.y), metres(sector.z, origin.z, local.z)]
    }
}
