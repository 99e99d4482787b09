//! `[surfaces.NAME]`: the responses of surfaces.
//!
//! Read by hand, not through the controller's `serde`: faults name line, key and range, which it does not know.

use marchland_controller::SurfaceResponse;
use marchland_terrain::SurfaceId;

use super::common::{flag, named, number_of, velocity_of};
use crate::command::scenario::spec::SurfaceSpec;
use crate::toml_tree::{Keys, TomlError, TomlProblem, Value};

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
    let response = SurfaceResponse {
        friction: number_of(keys, "friction", 1.0, [0.0, 1.0], "0 to 1")?,
        sticky: flag(keys, "sticky")?,
        climbable: flag(keys, "climbable")?,
        bounce: number_of(keys, "bounce", 0.0, [0.0, 1.0], "0 to 1")?,
        bounce_friction: number_of(keys, "bounce_friction", 0.0, [0.0, 1.0], "0 to 1")?,
        conveyor: velocity_of(keys, "conveyor")?,
    };
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
    match keys.get("surface") {
        Some(value) => id(&value, surfaces),
        None => {
            let ground = surfaces.iter().position(|surface| surface.name == "ground");
            Ok(SurfaceId(ground.and_then(|place| u8::try_from(place).ok()).unwrap_or(0)))
        }
    }
}
