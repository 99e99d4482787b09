//! A scenario ready to run: every value checked, every name resolved, every place given as a sector
//! and metres from its centre.

use std::path::PathBuf;
use std::sync::Arc;

use marchland_controller::SeparationSettings;
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::Placement;
use marchland_terrain::{Collision, LoadedMesh, SectorCoord, SectorSize, SurfaceId, WorldPos};

use super::expect::Expect;

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
    pub expects: Vec<Expect>,
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

/// How a surface responds.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceSpec {
    /// Its name.
    pub name: String,
    /// Friction, 0 to 1; 1 is normal walking. Below 1, the horizontal velocity approaches the
    /// request by at most this many times 20 m/s² · dt. Default 1.
    pub friction: f32,
    /// Whether units never slide on it, and never leave it by snapping off. Default false.
    pub sticky: bool,
    /// Whether it is a ladder. Default false.
    pub climbable: bool,
    /// Share of the normal velocity that is returned, 0 to 1. Default 0.
    pub bounce: f32,
    /// Share of the velocity along it that a bounce takes, 0 to 1. Default 0.
    pub bounce_friction: f32,
    /// Velocity given to a unit standing on it, surface-local. Metres per second. Default 0.
    pub conveyor: Vec3,
}

impl SurfaceSpec {
    /// A surface with all defaults.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            friction: 1.0,
            sticky: false,
            climbable: false,
            bounce: 0.0,
            bounce_friction: 0.0,
            conveyor: Vec3::ZERO,
        }
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

/// The body of a unit. Lengths in metres, speeds in metres per second.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    /// Its name; empty for the body with all defaults.
    pub name: String,
    /// Its shape. Default a cylinder.
    pub shape: Shape,
    /// From the skin to 64. Default 0.4.
    pub radius: f32,
    /// Feet to top, from the skin to 512. Default 1.8.
    pub height: f32,
    /// Height up to which rises are absorbed; 0 to `height`. Default 0.45, or `height` if that is
    /// less.
    pub knee: f32,
    /// Tallest rise climbed by stepping; `knee` to 512. Default 0.45, or `knee` if that is more.
    pub step_up: f32,
    /// Greatest drop that it follows; 0 to `height`. Default 0.45, or `height` if that is less.
    pub step_down: f32,
    /// Tallest ledge that it climbs, 0 to 512; 0 disables climbing. Default 0.
    pub climb: f32,
    /// Steepest ground on which it does not slide. Degrees, 0 to 90. Default 45.
    pub max_slope_degrees: f64,
    /// How a slope changes the request.
    pub slope_rule: SlopeRule,
    /// Share of the request that steers while sliding, 0 to 1. Default 0.3.
    pub slide_control: f32,
    /// While falling, the velocity approaches the request by at most this many times 20 m/s² · dt;
    /// 0 to 1000. Default 0.
    pub air_control: f32,
    /// The share of a platform's velocity that it keeps.
    pub leave_platform: LeavePlatform,
    /// Upward speed of a jump, 0 to 8192. Default 5.
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

/// The shape of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// Upright, split at the knee.
    Cylinder,
}

/// How a slope changes a request.
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

/// The share of a platform's velocity that a unit keeps when it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeavePlatform {
    /// It is kept while the unit falls.
    Keep,
    /// None.
    Drop,
    /// It is added to the unit's own velocity.
    Add,
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
    /// Acts on the step from this tick to the next.
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
    /// The first step in which it is missing.
    pub from: u32,
    /// The first later step in which it is present again.
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

    /// The unit with this name.
    #[must_use]
    pub fn unit(&self, name: &str) -> Option<usize> {
        self.units.iter().position(|unit| unit.name == name)
    }
}
