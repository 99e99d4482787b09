//! Where the tower, its stairs, its lift and the bridge are, for rounds and platforms alike.

use crate::demo_props::CENTRE;

/// Height of the top of the tower in the square. Metres.
pub(super) const TOWER_TOP: f32 = 27.385;

/// A top that units stand on.
pub(super) struct Top {
    pub(super) middle: [f32; 2],
    pub(super) half: f32,
    /// Height. Metres.
    pub(super) top: f32,
}

/// The tower in the town's square.
pub(super) const TOWER: Top = Top { middle: [733.75, 1179.0], half: 4.0, top: TOWER_TOP };
/// The foot of its stairs, which climb to the north.
pub(super) const STAIRS: [f32; 2] = [729.0, 1183.0];
/// Where the lift stands beside the tower.
pub(super) const LIFT: [f32; 2] = [739.05, 1179.0];

pub(super) struct Span {
    pub(super) middle: [f32; 2],
    pub(super) half_width: f32,
    pub(super) half_length: f32,
    /// Height of its deck. Metres.
    pub(super) deck: f32,
}

/// The bridge, which lies north to south.
pub(super) const BRIDGE: Span =
    Span { middle: [2004.0, 109.0], half_width: 2.5, half_length: 16.0, deck: 45.4476 };

/// Converts metres from the north-west corner to metres from the centre of sector (0, 0).
pub(super) fn metres_from_centre([x, y, z]: [f32; 3]) -> [f64; 3] {
    [f64::from(x) - CENTRE, f64::from(y), f64::from(z) - CENTRE]
}
