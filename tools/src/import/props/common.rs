//! Keys shared by props, scenes and scatters: places, scales, surfaces, layers and how they block.

use marchland_terrain::bake::props::{PropHeight, PropKind};
use marchland_terrain::math::Rotation;
use marchland_terrain::{Collision, SurfaceId};

use super::error::PropFileError;
use super::library::MeshLibrary;
use crate::toml_tree::{Keys, TomlError, Value};

/// Greatest distance of a prop from the centre of sector (0, 0): the greatest number of sectors of
/// the greatest size. Metres.
pub(super) const PLACE_MAX: f64 = 35_184_372_088_832.0;
/// Greatest height of a prop above or below 0: the greatest height of ground. Metres.
pub(super) const HEIGHT_MAX: f64 = 524_288.0;
/// Least and greatest scale of a prop.
pub(super) const SCALES: [f64; 2] = [1.0 / 1024.0, 1024.0];
/// The same range for messages.
pub(super) const SCALES_TEXT: &str = "1/1024 (0.0009765625) to 1024";

/// Keys of every kind of table.
pub(super) const KIND_KEYS: [&str; 3] = ["surface", "layers", "collision"];

/// What all props of a table have in common, except their mesh.
#[derive(Clone, Copy)]
pub(super) struct Kind<'t> {
    surface: SurfaceId,
    layers: u32,
    collision: Option<Collision>,
    keys: Keys<'t>,
}

impl<'t> Kind<'t> {
    pub(super) fn read(keys: Keys<'t>, surfaces: &[String]) -> Result<Self, PropFileError> {
        let layers = keys.bits("layers")?.unwrap_or(u32::MAX);
        let collision = keys.get("collision").map_or(Ok(None), |value| collision(&value))?;
        let named = keys.get("surface").map(|value| surface(&value, surfaces)).transpose()?;
        let surface = named.unwrap_or_else(|| default_surface(surfaces));
        Ok(Self { surface, layers, collision, keys })
    }

    /// The kind with a mesh of the library.
    pub(super) fn of(&self, mesh: usize, library: &MeshLibrary) -> Result<PropKind, PropFileError> {
        let collision = library.collision(mesh, self.collision).map_err(|problem| {
            match self.keys.get("collision") {
                Some(value) => value.fault(problem),
                None => self.keys.error(problem),
            }
        })?;
        Ok(PropKind { mesh, surface: self.surface, collision, layers: self.layers })
    }
}

/// How props block; `None` as their meshes allow.
pub(crate) fn collision(value: &Value<'_>) -> Result<Option<Collision>, TomlError> {
    let [solid, soup] = [Collision::Solid, Collision::Soup].map(Some);
    value.choice(&[("auto", None), ("solid", solid), ("soup", soup)])
}

/// A surface by its name.
pub(super) fn surface(value: &Value<'_>, surfaces: &[String]) -> Result<SurfaceId, TomlError> {
    let known = surfaces.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let expected = format!("the name of a surface: {known}");
    let name = value.text(&expected)?;
    let place = surfaces.iter().position(|known| known == name);
    let id = place.and_then(|place| u8::try_from(place).ok());
    id.map(SurfaceId).ok_or_else(|| value.wrong(&expected))
}

/// `ground`, or the first surface if none has that name.
fn default_surface(surfaces: &[String]) -> SurfaceId {
    let place = surfaces.iter().position(|name| name == "ground").unwrap_or(0);
    SurfaceId(u8::try_from(place).unwrap_or(0))
}

/// The place of something: X and Z, and its height.
pub(super) fn position(keys: Keys<'_>) -> Result<([f64; 2], PropHeight), TomlError> {
    let expected = "[x, y, z] in metres, where y may be \"ground\"";
    let value = keys.need("position", expected)?;
    let [x, y, z] = value.array::<3>(expected)?;
    let range = [-PLACE_MAX, PLACE_MAX];
    let place = [x.number(range, "metres")?, z.number(range, "metres")?];
    let above = keys.get("above");
    let heights = [-HEIGHT_MAX, HEIGHT_MAX];
    let in_metres = "metres, -524288 to 524288";
    let standing = match y.as_text() {
        Some("ground") => {
            let above = above.map(|above| above.number(heights, in_metres)).transpose()?;
            PropHeight::AboveGround(above.unwrap_or(0.0))
        }
        _ => {
            let y = y.number(heights, "metres, -524288 to 524288, or \"ground\"")?;
            if let Some(above) = above {
                return Err(above.wrong("a position whose y is \"ground\""));
            }
            PropHeight::At(y)
        }
    };
    Ok((place, standing))
}

/// Degrees about X, Y and Z.
pub(crate) fn rotation(keys: Keys<'_>) -> Result<Rotation, TomlError> {
    let Some(value) = keys.get("rotation") else { return Ok(Rotation::IDENTITY) };
    let degrees = value.numbers::<3>(DEGREES, "[x, y, z] in degrees, each -36000 to 36000")?;
    Ok(Rotation::from_degrees(degrees))
}

/// Accepted degrees: a hundred turns; every angle is still exact to a millionth of a degree.
pub(super) const DEGREES: [f64; 2] = [-36_000.0, 36_000.0];

/// A uniform scale.
pub(crate) fn scale(keys: Keys<'_>) -> Result<f32, TomlError> {
    Ok(keys.number_or("scale", 1.0, SCALES, SCALES_TEXT)? as f32)
}
