//! Sizes and tolerances, with units. Relations between them are checked at compile time.

/// Shortest and longest side of a sector. Metres, powers of two.
pub const SECTOR_SIZE_MIN: f32 = 8.0;
/// See [`SECTOR_SIZE_MIN`]. A longer side would leave less than half a millimetre of resolution.
pub const SECTOR_SIZE_MAX: f32 = 16_384.0;

/// Finest and coarsest cell, as powers of two: 2⁻⁴ m to 2¹⁰ m.
pub const CELL_LOG2_MIN: i32 = -4;
/// See [`CELL_LOG2_MIN`].
pub const CELL_LOG2_MAX: i32 = 10;

/// Maximum number of cells along one side of a sector.
pub const CELLS_MAX: u32 = 1024;

/// Finest quantum and coarsest default quantum, as powers of two: 2⁻¹⁰ m and 2⁻⁴ m.
pub const QUANTUM_LOG2_MIN: i32 = -10;
/// See [`QUANTUM_LOG2_MIN`].
pub const QUANTUM_LOG2_MAX: i32 = -4;

/// Coarsest quantum that can be requested. Metres, as a power of two.
pub const QUANTUM_LOG2_ASKED_MAX: i32 = 4;

/// Greatest height, in quanta, above or below zero. Sums and differences of two such heights are
/// exact in `f32`; with one more bit they would not be.
pub const QUANTA_MAX: i32 = 1 << 23;

/// Greatest height of a prop's origin, above or below zero. Metres: the greatest height of ground at
/// the coarsest quantum.
pub const PROP_HEIGHT_MAX: f64 = 134_217_728.0;

/// Maximum number of world samples along X or Z that a bake accepts: 4194 km with cells of 1 m. With more,
/// the rows that a bake holds at one time would take tens of gigabytes.
pub const BAKE_SAMPLES_MAX: u32 = 1 << 22;

/// Cells along one side of a block of the pyramid and of the steepness map.
pub const BLOCK_CELLS: u32 = 8;

/// The small distance kept between a body and what blocks it. Metres. If it were smaller, rounding at the far
/// end of a 16 km sector (0.5 mm) would consume it; if larger, units would visibly float off walls.
pub const SKIN: f32 = 0.01;

const _: () = assert!(SECTOR_SIZE_MIN as u32 as f32 == SECTOR_SIZE_MIN);
const _: () = assert!((SECTOR_SIZE_MIN as u32).is_power_of_two());
const _: () = assert!((SECTOR_SIZE_MAX as u32).is_power_of_two());
// A sector of one cell must be possible at both ends, and the finest cell must fit in the shortest side.
const _: () = assert!(SECTOR_SIZE_MAX as u32 >= 1 << CELL_LOG2_MAX);
const _: () = assert!(CELLS_MAX.is_power_of_two());
// The difference of two heights is exact in f32 (24 bits of significand).
const _: () = assert!(2 * QUANTA_MAX as i64 <= 1 << 24);
const _: () = assert!((QUANTA_MAX as i64) << QUANTUM_LOG2_ASKED_MAX == PROP_HEIGHT_MAX as i64);
// A 16-bit sample on top of the greatest base is still exact in f32.
const _: () = assert!(QUANTA_MAX as i64 + u16::MAX as i64 <= 1 << 24);
