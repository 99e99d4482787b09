//! The props of the demo world: a walled town, a bridge and a hamlet by the river, woods, rocks.
//!
//! | file | what |
//! |---|---|
//! | `kinds` | the meshes and their properties |
//! | `town` | the town: streets, houses, square, wall, gates |
//! | `country` | the bridge, the hamlet, paddocks, the watchtower |
//! | `woods` | woods on the plain, and the rules that scatter firs and rocks |
//!
//! All of them keep clear of the routes of the demo's groups. Places in this module are metres from
//! the north-west corner, as everywhere in this crate; [`props`] converts them for a bake.

mod country;
mod kinds;
mod town;
mod woods;

use marchland_terrain::bake::props::{PropHeight, PropInput, PropKind, PropSource};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::MeshError;
use marchland_terrain::{Collision, SurfaceId};

pub use self::kinds::{KINDS, Kind, Look};
pub use self::town::CENTRE as TOWN;
pub(crate) use self::town::street;
use crate::demo::SPACING;
use crate::recipe::SURFACE_NAMES;

/// Names of all surfaces of the demo: those of its ground, then those used only by props.
pub const ALL_SURFACE_NAMES: [&str; SURFACE_NAMES.len() + 2] = {
    let mut names = [""; SURFACE_NAMES.len() + 2];
    let mut at = 0;
    while at < SURFACE_NAMES.len() {
        names[at] = SURFACE_NAMES[at];
        at += 1;
    }
    names[at] = "timber";
    names[at + 1] = "masonry";
    names
};

/// Metres from the north-west corner to the centre of sector (0, 0), both ways: half a sector of 256
/// cells.
pub const CENTRE: f64 = 128.0 * SPACING;

/// All props of the demo.
///
/// # Errors
/// If a shape cannot be prepared, which is a fault of this project.
pub fn props() -> Result<PropInput, MeshError> {
    let mut stage = built();
    woods::plant(&mut stage);
    Ok(PropInput { meshes: kinds::prepared()?, props: stage.props, scatters: woods::rules() })
}

/// The props placed one by one: the town and the country around it.
fn built() -> Stage {
    let mut stage = Stage { props: Vec::new(), stands: Vec::new() };
    town::build(&mut stage);
    country::build(&mut stage);
    stage
}

/// The place of a building.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stands {
    pub(crate) kind: Kind,
    /// Metres from the north-west corner.
    pub(crate) place: [f64; 2],
    /// Degrees about Y.
    pub(crate) yaw: f64,
}

/// The places of all buildings.
pub(crate) fn buildings() -> Vec<Stands> {
    built().stands
}

/// What the props of a kind have in common.
fn prop_kind(kind: Kind) -> PropKind {
    PropKind {
        mesh: kind.number(),
        surface: SurfaceId(kind.surface()),
        collision: Collision::Solid,
        layers: 1,
    }
}

/// Where props are placed one by one.
struct Stage {
    props: Vec<PropSource>,
    stands: Vec<Stands>,
}

impl Stage {
    /// Places a prop upright `above` metres above the ground; `yaw` degrees about Y.
    fn stand(&mut self, kind: Kind, place: [f64; 2], above: f64, yaw: f64) {
        self.scaled(kind, place, above, yaw, 1.0);
    }

    fn scaled(&mut self, kind: Kind, place: [f64; 2], above: f64, yaw: f64, scale: f32) {
        self.stands.push(Stands { kind, place, yaw });
        self.props.push(PropSource {
            kind: prop_kind(kind),
            name: format!("{} {}", kind.name(), self.props.len()),
            position: place.map(|metres| metres - CENTRE),
            height: PropHeight::AboveGround(above),
            rotation: Rotation::from_degrees([0.0, yaw, 0.0]),
            scale,
        });
    }
}

/// Degrees about Y that rotate +X towards (east, south).
fn yaw_along(east: f64, south: f64) -> f64 {
    libm::atan2(-south, east) * (180.0 / std::f64::consts::PI)
}
