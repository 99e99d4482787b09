//! The parts of a glTF's JSON that are read: shapes and their places. The rest is ignored.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};

use super::error::MeshProblem;
use super::limits::ENTRIES_MAX;

/// The JSON of a glTF 2.0.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Document {
    pub(super) asset: Asset,
    pub(super) scene: Option<usize>,
    #[serde(deserialize_with = "bounded")]
    pub(super) scenes: Vec<Scene>,
    #[serde(deserialize_with = "bounded")]
    pub(super) nodes: Vec<Node>,
    #[serde(deserialize_with = "bounded")]
    pub(super) meshes: Vec<Mesh>,
    #[serde(deserialize_with = "bounded")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(deserialize_with = "bounded")]
    pub(super) buffer_views: Vec<View>,
    #[serde(deserialize_with = "bounded")]
    pub(super) buffers: Vec<Buffer>,
    #[serde(deserialize_with = "bounded")]
    pub(super) animations: Vec<IgnoredAny>,
    #[serde(deserialize_with = "bounded")]
    pub(super) extensions_used: Vec<String>,
    #[serde(deserialize_with = "bounded")]
    pub(super) extensions_required: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub(super) version: String,
    pub(super) min_version: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default, deserialize_with = "bounded")]
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    #[serde(default, deserialize_with = "bounded")]
    pub(super) children: Vec<usize>,
    /// Column by column.
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    pub(super) name: Option<String>,
    #[serde(deserialize_with = "bounded")]
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<usize>,
    #[serde(default = "triangles")]
    pub(super) mode: u64,
    pub(super) targets: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

#[derive(Debug, Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u64,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<Box<Sparse>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
    #[serde(default)]
    pub(super) extensions: ViewExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    pub(super) meshopt: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: u64,
}

fn triangles() -> u64 {
    4
}

/// Parses the JSON and rejects everything except a supported glTF 2.0.
pub(super) fn parse(json: &[u8]) -> Result<Document, MeshProblem> {
    let document = read(json).map_err(|e| version_first(json, e))?;
    let asset = &document.asset;
    for version in [Some(&asset.version), asset.min_version.as_ref()].into_iter().flatten() {
        check_version(version)?;
    }
    if asset.min_version.as_ref().is_some_and(|version| version != "2.0") {
        return Err(MeshProblem::Version { found: asset.min_version.clone().unwrap_or_default() });
    }
    let unknown = document.extensions_required.iter().find(|name| !understood(name));
    match unknown {
        Some(name) => Err(MeshProblem::Extension { name: name.clone() }),
        None => Ok(document),
    }
}

fn read(json: &[u8]) -> Result<Document, String> {
    // Editors on Windows put a byte order mark at the start of texts.
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let mut reader = serde_json::Deserializer::from_slice(json);
    let document: Document = serde_path_to_error::deserialize(&mut reader)
        .map_err(|e| format!("{}: {}", e.path(), e.inner()))?;
    // A GLB pads its JSON with spaces.
    reader.end().map_err(|e| e.to_string())?;
    if document.asset.version.is_empty() {
        return Err("no asset.version, expected \"2.0\"".to_owned());
    }
    Ok(document)
}

/// The parse error, unless the file has an unsupported version, which is then the error.
fn version_first(json: &[u8], fault: String) -> MeshProblem {
    #[derive(Deserialize)]
    struct Header {
        asset: Asset,
    }
    let versioned = serde_json::from_slice::<Header>(json);
    match versioned.map(|document| check_version(&document.asset.version)) {
        Ok(Err(problem)) => problem,
        _ => MeshProblem::Json(fault),
    }
}

fn check_version(version: &str) -> Result<(), MeshProblem> {
    match version.split_once('.') {
        Some(("2", minor)) if minor.parse::<u32>().is_ok() => Ok(()),
        _ => Err(MeshProblem::Version { found: version.to_owned() }),
    }
}

/// Whether a file that needs this extension can be read without losing any of its shape.
fn understood(name: &str) -> bool {
    name == QUANTIZATION || only_looks(name)
}

/// Vertices as whole numbers.
pub(super) const QUANTIZATION: &str = "KHR_mesh_quantization";

/// Extensions that change only the appearance of a mesh, not its shape.
pub(super) fn only_looks(name: &str) -> bool {
    const KINDS: [&str; 6] = [
        "KHR_materials_",
        "EXT_materials_",
        "KHR_texture_",
        "EXT_texture_",
        "KHR_lights_",
        "KHR_xmp",
    ];
    KINDS.iter().any(|kind| name.starts_with(kind))
}

/// An array of at most [`ENTRIES_MAX`] entries: `{}` is small in JSON, but its decoded value is
/// not.
fn bounded<'de, D: Deserializer<'de>, T: Deserialize<'de>>(reader: D) -> Result<Vec<T>, D::Error> {
    struct Entries<T>(std::marker::PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Vec<T>, A::Error> {
            let mut taken = Vec::new();
            while let Some(entry) = entries.next_element()? {
                if taken.len() == ENTRIES_MAX {
                    return Err(A::Error::custom(format!("more than {ENTRIES_MAX} entries")));
                }
                taken.push(entry);
            }
            Ok(taken)
        }
    }
    reader.deserialize_seq(Entries(std::marker::PhantomData))
}
