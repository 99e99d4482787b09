//! `[surfaces.NAME]`: the responses of surfaces.

use marchland_controller::SurfaceResponse;
use marchland_terrain::SurfaceId;

use super::common::{VELOCITY, VELOCITY_RANGE, named, velocity};
use crate::command::scenario::spec::SurfaceSpec;
use crate::toml_tree::{Field, Keys, TomlError, TomlProblem, Value};

const KEYS: [&str; 6] =
    ["friction", "sticky", "climbable", "bounce", "bounce_friction", "conveyor"];

/// Most surfaces that 8-bit ids can distinguish.
const SURFACES_MAX: usize = 256;

/// The table of surfaces by id: those of the world first, or `ground`, then those added by the file.
pub(super) fn read(keys: Keys<'_>, known_names: &[String]) -> Result<Vec<SurfaceSpec>, TomlError> {
    let mut surfaces: Vec<_> = known_names.iter().map(|name| SurfaceSpec::plain(name)).collect();
    if !known_names.iter().any(|name| name == "ground") && surfaces.len() < SURFACES_MAX {
        surfaces.push(SurfaceSpec::plain("ground"));
    }
    for (name, keys) in keys.named("surfaces", &KEYS)? {
        let surface = surface(name, keys)?;
        match surfaces.iter().position(|known| known.name == name) {
            Some(known) => surfaces[known] = surface,
            None if surfaces.len() < SURFACES_MAX => surfaces.push(surface),
            None => {
                let (key, expected) = (format!("surfaces.{name}"), "at most 256 in all".to_owned());
                let found = "one surface too many".to_owned();
                return Err(keys.error(TomlProblem::Value { key, found, expected }));
            }
        }
    }
    Ok(surfaces)
}

fn surface(name: &str, keys: Keys<'_>) -> Result<SurfaceSpec, TomlError> {
    let part = |key| Field::number(key, [0.0, 1.0], "0 to 1");
    let response: SurfaceResponse = keys.read(&[
        part("friction"),
        Field::plain("sticky"),
        Field::plain("climbable"),
        part("bounce"),
        part("bounce_friction"),
        Field::vector("conveyor", VELOCITY_RANGE, VELOCITY),
    ])?;
    if let Some(value) = keys.get("conveyor") {
        velocity(&value)?; // nor longer in all
    }
    Ok(SurfaceSpec { name: name.to_owned(), response })
}

/// The surface that a value names.
pub(super) fn id(value: &Value<'_>, surfaces: &[SurfaceSpec]) -> Result<SurfaceId, TomlError> {
    let names = surfaces.iter().map(|surface| surface.name.as_str());
    let place = named(value, "a surface", names)?;
    Ok(SurfaceId(u8::try_from(place).unwrap_or(u8::MAX)))
}

/// The surface of the key `surface`, or the one called `ground`.
pub(super) fn of(keys: Keys<'_>, surfaces: &[SurfaceSpec]) -> Result<SurfaceId, TomlError> {
    if let Some(value) = keys.get("surface") {
        return id(&value, surfaces);
    }
    let ground = surfaces.iter().position(|surface| surface.name == "ground");
    Ok(SurfaceId(ground.and_then(|place| u8::try_from(place).ok()).unwrap_or(0)))
}
