//! Sizes and tolerances of movement, with their units.

/// Greatest speed that may be asked for or spawned with. Metres per second.
pub const SPEED_MAX: f32 = 8192.0;

/// Parts of a velocity below this become 0: 2⁻²⁰ m/s. Smaller numbers could reach the range where
/// processors with flush-to-zero set give other bits; larger ones would stop what still moves.
pub const SPEED_MIN: f32 = 1.0 / 1_048_576.0;

/// Longest tick. Seconds.
pub const DT_MAX: f32 = 0.25;

/// Greatest gravity. Metres per second squared.
pub const GRAVITY_MAX: f32 = 1024.0;

/// Times that one move may meet a wall and go on along it.
pub const SLIDES_MAX: u32 = 5;

/// Distance that a centre keeps from the line of a wall, as a part of the sector's side: 61 µm at
/// 256 m. Eight steps of a coordinate at the border and two in the next sector's half, so that a
/// rounded move along the line never ends beyond it; larger and units would visibly float off walls
/// in sectors of 16 km, where it is 4 mm.
pub const WALL_MARGIN: f64 = 1.0 / 4_194_304.0;

/// Sine of the angle by which a move must point uphill to count as such. Smaller and a move that
/// was projected onto a contour counts as uphill again by rounding alone; larger and steep ground
/// is climbed by zigzags.
pub const UPHILL_SINE: f64 = 1e-9;

/// Higher above the feet than any ground. Metres.
pub(crate) const ABOVE_ALL_GROUND: f32 = 1e6;

/// More upright than any triangle can be.
pub(crate) const NONE_BUT_STICKY: f32 = 2.0;

const _: () = assert!(WALL_MARGIN * (1_u32 << 22) as f64 == 1.0);
