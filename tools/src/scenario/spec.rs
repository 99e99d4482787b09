//! A scenario as it is run: every value checked, every name looked up, every place a sector and
//! metres from its centre.

use std::path::PathBuf;
use std::sync::Arc;

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::Placement;
use marchland_terrain::{Collision, LoadedMesh, SectorCoord, SectorSize, SurfaceId, WorldPos};

/// A run of some seconds: the ground, the props, the units, what they are told, what must come out.
///
/// Every [`WorldPos`] and [`SectorCoord`] in it is shifted by [`origin_sector`](Self::origin_sector)
/// already; expectations are in metres of the file.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The file, for messages.
    pub path: PathBuf,
    /// What it is called.
    pub name: String,
    /// Ticks in a second, 4 to 100 000. Default 60.
    pub tick_rate: f64,
    /// How many ticks are run.
    pub ticks: u32,
    /// The line that says so.
    pub ticks_line: u32,
    /// Metres per second squared, downwards. Default 9.81.
    pub gravity: f32,
    /// Side of a sector: the world's, or `sector_size`. Default 256 m.
    pub sector_size: SectorSize,
    /// By so many sectors everything is shifted. Default (0, 0).
    pub origin_sector: SectorCoord,
    /// The ground.
    pub terrain: Terrain,
    /// How surfaces respond, by [`SurfaceId`].
    pub surfaces: Vec<SurfaceSpec>,
    /// The meshes, in the order of the file.
    pub meshes: Vec<MeshSpec>,
    /// The props, in the order of the file.
    pub props: Vec<PropSpec>,
    /// The bodies: the one with every default, then those of the file in its order.
    pub bodies: Vec<BodySpec>,
    /// The units, in the order of the file.
    pub units: Vec<UnitSpec>,
    /// Sectors that are missing for a while.
    pub not_resident: Vec<Absence>,
    /// What must come out, in the order of the file.
    pub expects: Vec<Expect>,
    /// Every file that was read, and the folder of the world.
    pub files: Vec<PathBuf>,
    /// What was decided on the way, worth a line of output.
    pub notes: Vec<String>,
}

/// The ground of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Terrain {
    /// A hole everywhere.
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
    /// Metres of one step of height: 2⁻¹⁰, more only where an image is too high for that.
    pub quantum: f64,
    /// Heights in quanta, row by row; nothing where an image has none.
    pub quanta: Vec<Option<i32>>,
    /// Cells that are cut out, column and row, in the order of the file.
    pub holes: Vec<[u32; 2]>,
    /// The surface of all cells.
    pub surface: SurfaceId,
}

/// How a surface responds.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceSpec {
    /// What it is called.
    pub name: String,
    /// 0 to 1; 1 is normal walking. Below, the horizontal velocity approaches the request by at most
    /// so many times 20 m/s² · dt. Default 1.
    pub friction: f32,
    /// Never slides, never leaves by snapping off. Default no.
    pub sticky: bool,
    /// A ladder. Default no.
    pub climbable: bool,
    /// Share of the normal velocity given back, 0 to 1. Default 0.
    pub bounce: f32,
    /// Velocity carried over to a unit standing on it, surface-local. Metres per second. Default 0.
    pub conveyor: Vec3,
}

impl SurfaceSpec {
    /// Every default.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        let (friction, bounce, conveyor) = (1.0, 0.0, Vec3::ZERO);
        let name = name.to_owned();
        Self { name, friction, sticky: false, climbable: false, bounce, conveyor }
    }
}

/// A mesh, prepared.
#[derive(Clone, Debug)]
pub struct MeshSpec {
    /// What it is called.
    pub name: String,
    /// Its triangles.
    pub mesh: Arc<LoadedMesh>,
    /// Sides of triangles that meet no other, or more than one.
    pub open_edges: u64,
}

/// A prop where it stands at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct PropSpec {
    /// Which mesh.
    pub mesh: usize,
    /// Its origin.
    pub position: WorldPos,
    /// Rotation and scale.
    pub placement: Placement,
    /// Its surface.
    pub surface: SurfaceId,
    /// Its layers.
    pub layers: u32,
    /// How it blocks: as the file says, or as its mesh can.
    pub collision: Collision,
    /// How it moves: one entry at tick 0 where the file has velocities instead of a motion. Ticks
    /// rise.
    pub motion: Vec<MotionEntry>,
    /// Its line.
    pub line: u32,
}

/// How a prop moves from a tick on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionEntry {
    /// From here to the next entry's.
    pub tick: u32,
    /// Metres per second.
    pub velocity: Vec3,
    /// Radians per second about its origin, right-handed about this vector.
    pub angular_velocity: Vec3,
    /// Its line.
    pub line: u32,
}

/// What a unit's body is. Lengths in metres, speeds in metres per second.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    /// What it is called; empty for the one with every default.
    pub name: String,
    /// What it looks like. Default a cylinder.
    pub shape: Shape,
    /// From the skin to 64. Default 0.4.
    pub radius: f32,
    /// Feet to top, from the skin to 512. Default 1.8.
    pub height: f32,
    /// Rises up to here are absorbed; 0 to `height`. Default 0.45, or `height` if that is less.
    pub knee: f32,
    /// Greatest rise climbed by stepping; `knee` to 512. Default 0.45, or `knee` if that is more.
    pub step_up: f32,
    /// Greatest drop that is followed; 0 to `height`. Default 0.45, or `height` if that is less.
    pub step_down: f32,
    /// Greatest ledge that is climbed, 0 to 512; 0 for none. Default 0.
    pub climb: f32,
    /// Steepest ground that does not make it slide. Degrees, 0 to 90. Default 45.
    pub max_slope_degrees: f64,
    /// What becomes of the request on a slope.
    pub slope_rule: SlopeRule,
    /// Share of the request that steers while sliding, 0 to 1. Default 0.3.
    pub slide_control: f32,
    /// While falling, the velocity approaches the request by at most so many times 20 m/s² · dt;
    /// 0 to 1000. Default 0.
    pub air_control: f32,
    /// What of a platform's velocity it takes along.
    pub leave_platform: LeavePlatform,
    /// 0 to 8192. Default 5.
    pub jump_speed: f32,
    /// Greatest speed downhill on steep ground, 0 to 8192. Default 6.
    pub slide_speed: f32,
    /// Greatest falling speed, 0 to 8192. Default 55.
    pub terminal_speed: f32,
}

impl Default for BodySpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            shape: Shape::Cylinder,
            radius: 0.4,
            height: 1.8,
            knee: 0.45,
            step_up: 0.45,
            step_down: 0.45,
            climb: 0.0,
            max_slope_degrees: 45.0,
            slope_rule: SlopeRule::KeepHorizontalSpeed,
            slide_control: 0.3,
            air_control: 0.0,
            leave_platform: LeavePlatform::Keep,
            jump_speed: 5.0,
            slide_speed: 6.0,
            terminal_speed: 55.0,
        }
    }
}

/// What a body looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// Upright, split at the knee.
    Cylinder,
}

/// What becomes of a request on a slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlopeRule {
    /// The horizontal speed is that of the request.
    KeepHorizontalSpeed,
    /// The heading is that of the request, the speed that of its projection.
    KeepDirection,
    /// The speed along the slope is that of the request.
    KeepPathSpeed,
    /// The request is projected on the slope.
    Project,
}

/// What of a platform's velocity a unit takes along when it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeavePlatform {
    /// It is kept while the unit falls.
    Keep,
    /// Nothing.
    Drop,
    /// It is added to the unit's own velocity.
    Add,
}

/// A unit as it starts, and what it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitSpec {
    /// Unique.
    pub name: String,
    /// Which body.
    pub body: usize,
    /// The feet.
    pub position: WorldPos,
    /// Metres per second.
    pub velocity: Vec3,
    /// What it is told. Ticks rise.
    pub controls: Vec<ControlEntry>,
    /// Its line.
    pub line: u32,
}

/// What a unit is told from a tick on. What the file leaves out is filled in from before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlEntry {
    /// Acts on the step from this tick to the next.
    pub tick: u32,
    /// Requested horizontal velocity, X and Z; stays. Metres per second.
    pub walk: [f32; 2],
    /// Whether it jumps in this one tick.
    pub jump: bool,
    /// Added to the velocity in this one tick. Metres per second.
    pub impulse: Option<Vec3>,
    /// Where it is put in this one tick.
    pub teleport: Option<WorldPos>,
    /// Its body; stays.
    pub body: usize,
    /// Which layers of props it meets; stays.
    pub mask: u32,
    /// Its line.
    pub line: u32,
}

/// A sector that is missing for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absence {
    /// Which.
    pub sector: SectorCoord,
    /// The first step in which it is missing.
    pub from: u32,
    /// The first step after that in which it is there again.
    pub to: u32,
    /// The lines that say so.
    pub lines: [u32; 2],
}

/// How a unit moves, as it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Supported.
    Walking,
    /// Not supported.
    Falling,
    /// On steep ground.
    Sliding,
    /// On a ledge or a ladder.
    Climbing,
    /// It waits for ground that is not resident.
    Held,
}

impl Mode {
    /// Its word in files, in JSON and in a trace.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Walking => "walking",
            Self::Falling => "falling",
            Self::Sliding => "sliding",
            Self::Climbing => "climbing",
            Self::Held => "held",
        }
    }
}

/// What a unit must be like after some ticks. Positions are metres of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// Which unit.
    pub unit: usize,
    /// After so many ticks.
    pub tick: u32,
    /// The line that says so, or that of the whole where none does.
    pub tick_line: u32,
    /// X, Y, Z; nothing where any will do.
    pub position: [Option<f64>; 3],
    /// How far off each of them may be. Metres, above 0. Default 0.01.
    pub tolerance: f64,
    /// How it moves.
    pub mode: Option<Mode>,
    /// Least X, Y, Z.
    pub min: [Option<f64>; 3],
    /// Greatest X, Y, Z.
    pub max: [Option<f64>; 3],
    /// In all three dimensions. Metres per second.
    pub speed: Option<f64>,
    /// How far off the speed may be. Metres per second, above 0. Default 0.05.
    pub speed_tolerance: f64,
    /// Its line.
    pub line: u32,
}

impl Scenario {
    /// Seconds of a tick.
    #[must_use]
    pub fn dt(&self) -> f32 {
        1.0 / self.tick_rate as f32
    }

    /// A place in metres of the file: the shift by `origin_sector` is taken back. Sectors subtract
    /// as integers, so the shift changes no bit.
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

    /// The unit of that name.
    #[must_use]
    pub fn unit(&self, name: &str) -> Option<usize> {
        self.units.iter().position(|unit| unit.name == name)
    }
}
