//! What all units share in a tick: the time step, gravity, the grid; and what becomes of one unit in it: its outcome and
//! verdict. The tick itself is in `batch`.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{SectorCoord, TerrainView};

use crate::ground::frame::Frame;
use crate::limits::SPEED_MIN;
use crate::units::settings::TickSettings;
use crate::units::unit::{Motion, Unit};

/// The time step, gravity and the dimensions of the grid in a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tick {
    pub(crate) dt: f32,
    pub(crate) gravity: f32,
    /// Whether remembered cells, boxes and rests, and the coarse steepness map are not used.
    pub(crate) ignores_shortcuts: bool,
    pub(crate) frame: Frame,
    pub(crate) side: f32,
    pub(crate) half: f32,
    pub(crate) cell: f32,
    /// The square of the speed below which ways are [short](Self::is_short).
    pub(crate) short_squared: f32,
}

impl Tick {
    pub(crate) fn new(view: TerrainView<'_>, settings: &TickSettings) -> Self {
        let grid = view.grid();
        let side = grid.sector_size().metres();
        let short = side * SHORT / settings.dt;
        Self {
            dt: settings.dt,
            gravity: settings.gravity,
            ignores_shortcuts: false,
            frame: Frame::new(grid),
            side,
            half: grid.sector_size().half(),
            cell: grid.cell(),
            short_squared: short * short,
        }
    }

    /// Whether a unit that walks is asked to go so short a way in a tick that steps of position matter. Metres per
    /// second along X and Z, as wished.
    #[inline]
    pub(crate) fn is_short(&self, [x, z]: [f32; 2]) -> bool {
        is_short(x * x + z * z, self.short_squared)
    }

    /// Where a tick of walking at `velocity` leads with the wish `asked`, and the residue there. A short way goes on
    /// from where the unit is, beyond its position; any other leaves the residue as it is.
    #[inline]
    pub(crate) fn walk(
        &self,
        [x, z]: [f32; 2],
        (asked, velocity): ([f32; 2], [f32; 2]),
        residue: [f32; 2],
    ) -> ([f32; 2], [f32; 2]) {
        let [dx, dz] = velocity.map(|speed| speed * self.dt);
        if !self.is_short(asked) {
            return ([x + dx, z + dz], residue);
        }
        let (dx, dz) = (dx + residue[0], dz + residue[1]);
        let to = [x + dx, z + dz];
        (to, [dx - (to[0] - x), dz - (to[1] - z)])
    }
}

/// Ways in a tick below this part of a sector's side are short: 80 steps of a position at the border. A longer one is
/// wrong by at most 0.9 %, half a step along each axis. If it were larger, more units would leave the lanes.
const SHORT: f32 = 80.0 / 33_554_432.0;

/// Whether the square of a speed is that of a short way: not zero, and less than `short_squared`. Zero is the greatest
/// number here.
#[inline]
pub(crate) fn is_short(squared: f32, short_squared: f32) -> bool {
    squared.to_bits().wrapping_sub(1) < short_squared.to_bits().wrapping_sub(1)
}

/// Returns 0 for parts of a velocity that are too small to matter. 0 is never negative.
#[inline]
pub(crate) fn without_creep(speed: f32) -> f32 {
    if speed.abs() < SPEED_MIN { 0.0 } else { speed }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The new state; unchanged unless `verdict` is [`Verdict::Moved`].
    pub(crate) unit: Unit,
    pub(crate) verdict: Verdict,
    /// Began falling and ended walking.
    pub(crate) landed: bool,
    /// Fell and met the ground, whatever followed from it. Set only by following.
    pub(crate) touched_ground: bool,
    /// Speed downwards where it met the ground. Metres per second.
    pub(crate) landing_speed: f32,
    /// Began walking and ended falling.
    pub(crate) left_ground: bool,
    /// Met the world's edge.
    pub(crate) met_edge: bool,
    /// Met ground too steep, or a rim.
    pub(crate) met_slope: bool,
    /// The velocity has different bits from before.
    pub(crate) new_velocity: bool,
    /// Sector borders crossed.
    pub(crate) borders: u32,
    /// Followed the ground; its events are not reported yet.
    pub(crate) follows: bool,
}

impl Outcome {
    /// The contents of scratch memory before it is written.
    pub(crate) const NOTHING: Self = Self {
        unit: Unit {
            sector: SectorCoord::new(0, 0),
            local: Vec3::ZERO,
            velocity: Vec3::ZERO,
            motion: Motion::Walking,
            residue: [0.0; 2],
        },
        verdict: Verdict::Moved,
        landed: false,
        touched_ground: false,
        landing_speed: 0.0,
        left_ground: false,
        met_edge: false,
        met_slope: false,
        new_velocity: false,
        borders: 0,
        follows: false,
    };
}

/// Whether a unit moved, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It moved, or stood.
    Moved,
    /// Its reach touches sectors that are not in memory.
    Held,
    /// A slide beyond its reach met this sector, which is not in memory.
    HeldBy(SectorCoord),
    /// More is within its reach than a tick works on.
    Overloaded,
    /// Its wish is invalid.
    Invalid,
    /// It stands outside the world.
    Outside,
}

#[inline]
pub(crate) fn unmoved(unit: &Unit, verdict: Verdict) -> Outcome {
    Outcome { unit: *unit, verdict, ..Outcome::NOTHING }
}
