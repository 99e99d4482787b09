//! `[[prop]]` and `[[scene]]`: props at given places.

use glam::DVec3;
use marchland_terrain::bake::props::{PropHeight, PropSource};
use marchland_terrain::math::Rotation;
use marchland_terrain::props::Placement;

use super::common::{self, HEIGHT_MAX, KIND_KEYS, Kind, PLACE_MAX, SCALES_TEXT};
use super::error::{PropFileError, PropProblem};
use super::library::{MeshLibrary, Part};
use crate::toml_tree::{Keys, TomlError};

/// Keys of `[[prop]]`.
pub(super) const PROP_KEYS: [&str; 8] =
    ["mesh", "position", "above", "rotation", "scale", KIND_KEYS[0], KIND_KEYS[1], KIND_KEYS[2]];
/// Keys of `[[scene]]`.
pub(super) const SCENE_KEYS: [&str; 9] = [
    "file",
    "position",
    "above",
    "ground",
    "rotation",
    "scale",
    KIND_KEYS[0],
    KIND_KEYS[1],
    KIND_KEYS[2],
];

/// One prop.
pub(super) fn prop(
    keys: Keys<'_>,
    surfaces: &[String],
    library: &mut MeshLibrary,
) -> Result<PropSource, PropFileError> {
    let (position, height) = common::position(keys)?;
    let (rotation, scale) = (common::rotation(keys)?, common::scale(keys)?);
    let kind = Kind::read(keys, surfaces)?;
    let value = keys.need("mesh", "the name of a .glb, .gltf or .obj file")?;
    let name = value.text("the name of a .glb, .gltf or .obj file")?;
    let mesh = library.whole(name, 0.0).map_err(|problem| value.fault(problem))?;
    Ok(PropSource {
        kind: kind.of(mesh, library)?,
        name: keys.place(),
        position,
        height,
        rotation,
        scale,
    })
}

/// The nodes of a scene, one prop for each.
pub(super) fn scene(
    keys: Keys<'_>,
    surfaces: &[String],
    library: &mut MeshLibrary,
) -> Result<Vec<PropSource>, PropFileError> {
    let (place, standing) = common::position(keys)?;
    let each = stands_each(keys, standing)?;
    let (rotation, scale) = (common::rotation(keys)?, common::scale(keys)?);
    let kind = Kind::read(keys, surfaces)?;
    let value = keys.need("file", "the name of a .glb or .gltf file")?;
    let name = value.text("the name of a .glb or .gltf file")?;
    let parts = library.scene(name).map_err(|problem| value.fault(problem))?;
    let scene = Scene { place, standing, each, rotation, scale };
    let mut props = Vec::with_capacity(parts.len());
    for part in parts.iter() {
        let (position, height, placement) =
            scene.stand(part).map_err(|problem| keys.error(problem))?;
        props.push(PropSource {
            kind: kind.of(part.mesh, library)?,
            name: format!("{}, {}", keys.place(), part.name),
            position,
            height,
            rotation: placement.rotation(),
            scale: placement.scale(),
        });
    }
    Ok(props)
}

/// Whether every node stands on the ground below itself instead of the ground below the scene's origin.
fn stands_each(keys: Keys<'_>, standing: PropHeight) -> Result<bool, TomlError> {
    let Some(value) = keys.get("ground") else { return Ok(false) };
    let each = value.choice(&[("origin", false), ("each", true)])?;
    match standing {
        PropHeight::AboveGround(_) | PropHeight::AboveGroundAt { .. } => Ok(each),
        PropHeight::At(_) => Err(value.wrong("a position whose y is \"ground\"")),
    }
}

/// Where a scene stands.
struct Scene {
    place: [f64; 2],
    standing: PropHeight,
    each: bool,
    rotation: Rotation,
    scale: f32,
}

impl Scene {
    fn stand(&self, part: &Part) -> Result<([f64; 2], PropHeight, Placement), PropProblem> {
        let scale = self.scale * part.placement.scale();
        let rotation = self.rotation.after(part.placement.rotation());
        let placement = Placement::new(rotation, scale).map_err(|_| PropProblem::Place {
            node: part.name.clone(),
            found: format!("a scale of {scale}"),
            expected: SCALES_TEXT.to_owned(),
        })?;
        let offset = self.offset(part.origin);
        let [x, z] = [self.place[0] + offset.x, self.place[1] + offset.z];
        let height = match self.standing {
            PropHeight::At(y) => PropHeight::At(y + offset.y),
            PropHeight::AboveGround(above) if self.each => {
                PropHeight::AboveGround(above + offset.y)
            }
            PropHeight::AboveGround(above) | PropHeight::AboveGroundAt { metres: above, .. } => {
                PropHeight::AboveGroundAt { at: self.place, metres: above + offset.y }
            }
        };
        let y = match height {
            PropHeight::At(y) | PropHeight::AboveGround(y) => y,
            PropHeight::AboveGroundAt { metres, .. } => metres,
        };
        if !(x.abs() <= PLACE_MAX && z.abs() <= PLACE_MAX && y.abs() <= HEIGHT_MAX) {
            return Err(PropProblem::Place {
                node: part.name.clone(),
                found: format!("{x}, {y}, {z}"),
                expected: format!(
                    "a height within {HEIGHT_MAX} m, and x and z within {PLACE_MAX} m"
                ),
            });
        }
        Ok(([x, z], height, placement))
    }

    /// A place within the scene, after the scene's rotation and scale.
    fn offset(&self, origin: DVec3) -> DVec3 {
        let [x, y, z] = self.rotation.columns();
        (x * origin.x + y * origin.y + z * origin.z) * f64::from(self.scale)
    }
}
