//! The stage: where the props of the demo are placed one by one.

use marchland_terrain::bake::props::{PropHeight, PropSource};
use marchland_terrain::math::Rotation;

use super::kinds::Kind;
use crate::demo::SPACING;

/// Metres from the north-west corner to the centre of sector (0, 0), both ways: half a sector of 256
/// cells.
pub const CENTRE: f64 = 128.0 * SPACING;

/// The place of a building.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuildingPlace {
    pub(crate) kind: Kind,
    /// Metres from the north-west corner.
    pub(crate) place: [f64; 2],
    /// Degrees about Y.
    pub(crate) yaw: f64,
}

/// Where props are placed one by one.
pub(super) struct Stage {
    pub(super) props: Vec<PropSource>,
    pub(super) places: Vec<BuildingPlace>,
}

impl Stage {
    /// Places a prop upright `above` metres above the ground; `yaw` degrees about Y.
    pub(super) fn stand(&mut self, kind: Kind, place: [f64; 2], above: f64, yaw: f64) {
        self.scaled(kind, place, above, yaw, 1.0);
    }

    pub(super) fn scaled(&mut self, kind: Kind, place: [f64; 2], above: f64, yaw: f64, scale: f32) {
        self.places.push(BuildingPlace { kind, place, yaw });
        self.props.push(PropSource {
            kind: kind.prop_kind(),
            name: format!("{} {}", kind.name(), self.props.len()),
            position: place.map(|metres| metres - CENTRE),
            height: PropHeight::AboveGround(above),
            rotation: Rotation::from_degrees([0.0, yaw, 0.0]),
            scale,
        });
    }
}

/// Degrees about Y that rotate +X towards (east, south).
pub(super) fn yaw_along(east: f64, south: f64) -> f64 {
    libm::atan2(-south, east) * (180.0 / std::f64::consts::PI)
}
