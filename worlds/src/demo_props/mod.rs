//! The props of the demo world: a walled town, a bridge and a hamlet by the river, woods, rocks.
//!
//! | file | what |
//! |---|---|
//! | `kinds` | the meshes and their properties |
//! | `stage` | how they are placed |
//! | `town` | the town: streets, houses, square, wall, gates |
//! | `country` | the bridge, the hamlet, paddocks, the watchtower |
//! | `woods` | woods on the plain, and the rules that scatter firs and rocks |
//!
//! All of them keep clear of the routes of the demo's groups. Places in this module are metres from
//! the north-west corner, as everywhere in this crate; [`props`] converts them for a bake.

mod country;
mod kinds;
mod stage;
mod town;
mod woods;

use marchland_terrain::bake::props::PropInput;
use marchland_terrain::props::MeshError;

pub use self::kinds::{KINDS, Kind, Look};
pub(crate) use self::stage::BuildingPlace;
pub use self::stage::CENTRE;
use self::stage::Stage;
pub use self::town::CENTRE as TOWN;
pub(crate) use self::town::street;
use crate::recipe::SURFACE_NAMES;
use crate::shapes::prepared;

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

/// All props of the demo.
///
/// # Errors
/// If a shape cannot be prepared, which is a fault of this project.
pub fn props() -> Result<PropInput, MeshError> {
    let mut stage = built();
    woods::plant(&mut stage);
    let meshes = prepared(KINDS.iter().map(|kind| kind.source()))?;
    Ok(PropInput { meshes, props: stage.props, scatters: woods::rules() })
}

/// The props placed one by one: the town and the country around it.
fn built() -> Stage {
    let mut stage = Stage { props: Vec::new(), places: Vec::new() };
    town::build(&mut stage);
    country::build(&mut stage);
    stage
}

/// The places of all buildings.
pub(crate) fn buildings() -> Vec<BuildingPlace> {
    built().places
}
