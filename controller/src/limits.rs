//! Sizes and tolerances of movement, with their units.

/// Greatest radius of a body. Metres.
pub const RADIUS_MAX: f32 = 64.0;

/// Greatest height of a body, and of what it steps or climbs. Metres.
pub const HEIGHT_MAX: f32 = 512.0;

/// Greatest air control.
pub const AIR_CONTROL_MAX: f32 = 1000.0;

/// Greatest speed of a wish or a spawn. Metres per second.
pub const SPEED_MAX: f32 = 8192.0;

/// Components of a velocity below this become 0: 2⁻²⁰ m/s. Smaller numbers could reach the range where
/// processors with flush-to-zero set give different bits; with larger ones, units that still move would stop.
pub const SPEED_MIN: f32 = 1.0 / 1_048_576.0;

/// Greatest speed at which a moving prop carries a unit, and that a unit keeps of a prop that it leaves: a
/// prop that moves faster where the unit stands counts as put elsewhere at once. Metres per second.
pub const CARRY_SPEED_MAX: f32 = 300.0;

/// The farthest that a unit may be asked to reach in a tick, along an axis. Metres: more than the greatest
/// speed, the fastest platform and the fastest belt together lead in the longest tick.
pub(crate) const REACH_MAX: f32 = 8192.0;

/// Longest tick. Seconds.
pub const DT_MAX: f32 = 0.25;

/// Greatest gravity. Metres per second squared.
pub const GRAVITY_MAX: f32 = 1024.0;

/// The most that a tick works on for one unit: triangles of props, cells of ground and moving props whose
/// boxes touch what the unit reaches in the tick, together. Cells count where any of them is steep. Beyond that
/// the unit does not move, which is [told](crate::EventKind::Overloaded). Nobody is overloaded on open ground.
pub const LOAD_MAX: u32 = 4096;

/// How many pairs of those triangles may be near each other, about, where they are more than 256: what is judged by
/// what is around it takes so long. A finely divided rock has hundreds, a tangle that fills its box with more
/// triangles than that has more.
pub const LOAD_PAIRS_MAX: u64 = 10_000;

/// How many times one move may meet a wall and continue along it.
pub const SLIDES_MAX: u32 = 5;

/// Distance that a centre keeps from the line of a wall, as a part of the sector's side: 61 µm at 256 m. It
/// is eight steps of a coordinate at the border and two in the half of the next sector, so that a rounded
/// move along the line never ends beyond it. If it were larger, units would visibly float off walls in
/// sectors of 16 km, where it is 4 mm.
pub const WALL_MARGIN: f64 = 1.0 / 4_194_304.0;

/// Sine of the angle by which a move must point uphill to count as uphill. If it were smaller, a move that
/// was projected onto a contour would count as uphill again by rounding alone; if larger, steep ground would
/// be climbed in zigzags.
pub const UPHILL_SINE: f64 = 1e-9;

/// Sine of the angle by which a move may at most point downhill to count as level: what easing and the rounding of
/// normals turn a move along a wall away from it, a few times over. If it were larger, units that may go down a steep
/// slope would be stopped at its top.
pub(crate) const LEVEL_SINE: f64 = 1e-5;

/// Higher above the feet than any ground. Metres.
pub(crate) const ABOVE_ALL_GROUND: f32 = 1e6;

/// More upright than any triangle.
pub(crate) const NONE_BUT_STICKY: f32 = 2.0;

const _: () = assert!(REACH_MAX > 3.0 * SPEED_MAX * DT_MAX + CARRY_SPEED_MAX * DT_MAX);
const _: () = assert!(WALL_MARGIN * (1_u32 << 22) as f64 == 1.0);
