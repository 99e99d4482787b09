//! Limits of live props.

/// Greatest speed of a live prop's origin, and of its parts by turning. Metres per second.
pub const LIVE_SPEED_MAX: f32 = 8192.0;
/// Greatest angular velocity. Radians per second.
pub const LIVE_TURN_MAX: f32 = 1024.0;
/// Greatest height of a live prop's origin, above or below 0: that of terrain. Metres.
pub const LIVE_HEIGHT_MAX: f32 = 134_217_728.0;
/// Longest tick. Seconds.
pub const LIVE_DT_MAX: f32 = 0.25;
/// Most live props at a time.
pub const LIVE_PROPS_MAX: u32 = 1 << 24;
