//! `[meshes.NAME]`: triangles in the file, a box, a mesh file, or a shape from a few measures (`shapes`).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use marchland_terrain::LoadedMesh;
use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{MeshError, MeshSource, PROP_EXTENT_MAX, PreparedMesh};

use super::shapes;
use crate::command::scenario::error::{ScenarioError, ScenarioProblem};
use crate::command::scenario::spec::MeshSpec;
use crate::import::mesh::limits::TOTAL_MAX;
use crate::import::mesh::{self, boxed};
use crate::toml_tree::{Keys, TomlError, TomlProblem, Value};

const KEYS: [&str; 9] =
    ["vertices", "triangles", "box", "file", "profile", "prism", "ramp", "stairs", "cylinder"];
/// Keys of which a mesh has exactly one.
const FORMS: [&str; 8] =
    ["vertices", "box", "file", "profile", "prism", "ramp", "stairs", "cylinder"];

/// All meshes, prepared.
pub(super) fn read(
    keys: Keys<'_>,
    folder: &Path,
    files: &mut Vec<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<Vec<MeshSpec>, ScenarioError> {
    let mut meshes = Vec::new();
    let (mut vertices, mut triangles) = (0, 0);
    for (name, keys) in keys.named("meshes", &KEYS)? {
        let source = source(name, keys, folder, files, notes)?;
        vertices += source.vertices.len() as u64;
        triangles += source.triangles.len() as u64;
        if vertices > TOTAL_MAX || triangles > TOTAL_MAX {
            let found = format!("{vertices} vertices and {triangles} triangles in all");
            let (key, expected) = (format!("meshes.{name}"), format!("at most {TOTAL_MAX} each"));
            return Err(keys.error(TomlProblem::Value { key, found, expected }).into());
        }
        let fault = |fault| {
            keys.error(ScenarioProblem::Mesh { mesh: name.to_owned(), fault: Box::new(fault) })
        };
        meshes.push(prepared(name, &source).map_err(fault)?);
    }
    Ok(meshes)
}

fn prepared(name: &str, source: &MeshSource) -> Result<MeshSpec, MeshError> {
    let (prepared, report) = PreparedMesh::new(source)?;
    let mesh = Arc::new(LoadedMesh::new(prepared.encode())?);
    Ok(MeshSpec { name: name.to_owned(), mesh, open_edges: report.open_edges })
}

fn source(
    name: &str,
    keys: Keys<'_>,
    folder: &Path,
    files: &mut Vec<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<MeshSource, ScenarioError> {
    let Some((form, value)) = keys.one_of(&FORMS)? else {
        let expected = "`vertices` and `triangles`, or a `box` or a `file`, or a `profile`, \
                        `prism`, `ramp`, `stairs` or `cylinder`";
        return Err(keys.missing("vertices", expected).into());
    };
    if form != "vertices"
        && let Some(triangles) = keys.get("triangles")
    {
        return Err(triangles.fault(TomlProblem::Both { key: "triangles", other: form }).into());
    }
    match form {
        "box" => {
            let expected = "[x, y, z], full extents in metres, each above 0 and at most 131072";
            let extent = f64::from(PROP_EXTENT_MAX) * 2.0;
            let extents = value.numbers::<3>([f64::MIN_POSITIVE, extent], expected)?;
            Ok(boxed(extents))
        }
        "file" => file(name, &value, folder, files, notes),
        "profile" => Ok(shapes::profile(&value)?),
        "prism" => Ok(shapes::prism(&value)?),
        "ramp" => Ok(shapes::ramp(&value)?),
        "stairs" => Ok(shapes::stairs(&value)?),
        "cylinder" => Ok(shapes::cylinder(&value)?),
        _ => Ok(triangles(keys, &value)?),
    }
}

fn triangles(keys: Keys<'_>, value: &Value<'_>) -> Result<MeshSource, TomlError> {
    let expected = "vertices, each [x, y, z] in metres, -65536 to 65536";
    let extent = [-f64::from(PROP_EXTENT_MAX), f64::from(PROP_EXTENT_MAX)];
    let corner = |corner: &Value<'_>| {
        let parts = corner.numbers::<3>(extent, "[x, y, z] in metres, each -65536 to 65536")?;
        Ok(Vec3::from_array(parts.map(|part| part as f32)))
    };
    let corners = value.entries().ok_or_else(|| value.wrong(expected))?;
    let vertices: Vec<Vec3> = corners.iter().map(corner).collect::<Result<_, TomlError>>()?;

    let expected = "triangles, each three vertex numbers, counted from 0";
    let value = keys.need("triangles", expected)?;
    let last = (vertices.len() as u64).checked_sub(1);
    let index = |index: &Value<'_>| match last {
        Some(last) => {
            let expected = format!("a vertex number, 0 to {last}");
            Ok(index.whole([0, last], &expected)? as u32)
        }
        None => Err(index.wrong("no triangles, because there are no vertices")),
    };
    let triangle = |triangle: &Value<'_>| {
        let [a, b, c] = triangle.array::<3>("three vertex numbers")?;
        Ok([index(&a)?, index(&b)?, index(&c)?])
    };
    let entries = value.entries().ok_or_else(|| value.wrong(expected))?;
    let triangles = entries.iter().map(triangle).collect::<Result<_, TomlError>>()?;
    Ok(MeshSource { vertices, triangles })
}

/// A mesh file, relative to the scenario's folder. The user names it, as on a command line, so it
/// may lie anywhere; the files that it names must lie beside it or below.
fn file(
    mesh: &str,
    value: &Value<'_>,
    folder: &Path,
    files: &mut Vec<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<MeshSource, ScenarioError> {
    let expected = "the name of a .glb, .gltf or .obj file";
    let path = folder.join(value.text(expected)?);
    let (Some(beside), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str))
    else {
        return Err(value.wrong(expected).into());
    };
    let file = mesh::load_file(name, beside).map_err(|fault| {
        let (key, fault) = (value.key.clone(), Box::new(fault));
        value.fault(ScenarioProblem::MeshFile { key, fault })
    })?;
    files.extend(file.files.iter().cloned());
    notes.extend(file.notes.iter().map(|note| format!("mesh {mesh:?}: {note}")));
    Ok(file.mesh)
}
