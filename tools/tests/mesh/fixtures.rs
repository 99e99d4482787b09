//! Mesh files for the tests, made from JSON and bytes.

use std::path::{Path, PathBuf};

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_tools::import::mesh::{MeshFile, MeshFileError, load_file};
use serde_json::{Value, json};

/// A glTF file in parts, to be changed before it is written.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) json: Value,
    pub(crate) binary: Vec<u8>,
}

/// A pyramid of four corners that is alike in no direction: positions in accessor 0, 12 indices of
/// 16 bits in accessor 1, one mesh, one node, one scene.
pub(crate) fn pyramid() -> Parts {
    let mut binary = Vec::new();
    PYRAMID.iter().flatten().for_each(|metres| binary.extend(metres.to_le_bytes()));
    FACES.iter().flatten().for_each(|&index| binary.extend((index as u16).to_le_bytes()));
    let json = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "name": "top" }],
        "meshes": [{ "name": "pyramid", "primitives": [
            { "attributes": { "POSITION": 0 }, "indices": 1 },
        ] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 24 },
        ],
        "buffers": [{ "byteLength": 72 }],
    });
    Parts { json, binary }
}

pub(crate) const PYRAMID: [[f32; 3]; 4] =
    [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, -2.0], [0.5, 5.0, -0.25]];
pub(crate) const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

impl Parts {
    /// The same with one value of the JSON changed; `null` takes it away.
    pub(crate) fn with(mut self, pointer: &str, value: Value) -> Self {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match self.json.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}")) {
            Value::Object(map) if value.is_null() => drop(map.remove(key)),
            Value::Object(map) => drop(map.insert(key.to_owned(), value)),
            Value::Array(list) if key == "-" => list.push(value),
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            other => panic!("{parent} is {other}"),
        }
        self
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        container(self.json.to_string().as_bytes(), Some(&self.binary))
    }

    /// JSON with the buffer embedded.
    pub(crate) fn embedded(&self) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", base64(&self.binary));
        self.clone().with("/buffers/0/uri", json!(uri)).json.to_string().into_bytes()
    }

    /// JSON that names a file for its buffer.
    pub(crate) fn beside(&self, uri: &str) -> Vec<u8> {
        self.clone().with("/buffers/0/uri", json!(uri)).json.to_string().into_bytes()
    }
}

/// A GLB around JSON and a binary chunk.
pub(crate) fn container(json: &[u8], binary: Option<&[u8]>) -> Vec<u8> {
    let mut chunks = Vec::new();
    let mut chunk = |kind: &[u8; 4], bytes: &[u8], filler: u8| {
        let len = bytes.len().next_multiple_of(4);
        chunks.extend((len as u32).to_le_bytes());
        chunks.extend(kind);
        chunks.extend(bytes);
        chunks.resize(chunks.len() + len - bytes.len(), filler);
    };
    chunk(b"JSON", json, b' ');
    if let Some(binary) = binary {
        chunk(b"BIN\0", binary, 0);
    }
    let mut glb = b"glTF".to_vec();
    glb.extend(2_u32.to_le_bytes());
    glb.extend((12 + chunks.len() as u32).to_le_bytes());
    glb.extend(chunks);
    glb
}

/// Base64, written here so that the reader's is not tested with itself.
fn base64(bytes: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte));
        let word = word << (8 * (3 - group.len()));
        for letter in 0..=group.len() {
            text.push(char::from(letters[(word >> (18 - 6 * letter) & 63) as usize]));
        }
        text.extend(std::iter::repeat_n('=', 3 - group.len()));
    }
    text
}

/// A folder that is removed when the test ends.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn load(&self, name: &str) -> Result<MeshFile, MeshFileError> {
        load_file(name, self.path())
    }
}

/// What a file of these bytes gives.
pub(crate) fn load(name: &str, bytes: &[u8]) -> Result<MeshFile, MeshFileError> {
    let folder = Folder::new();
    folder.file(name, bytes);
    folder.load(name)
}

pub(crate) fn loaded(parts: &Parts) -> MeshFile {
    load("mesh.glb", &parts.glb()).unwrap_or_else(|e| panic!("{e}"))
}

/// The message for a file that is refused, without its path.
pub(crate) fn refusal(parts: &Parts) -> String {
    let error = load("mesh.glb", &parts.glb()).expect_err("is refused");
    assert!(error.path.ends_with("mesh.glb"), "{error} names its file");
    assert!(!error.is_io(), "damage is no failure of the disk: {error}");
    error.problem.to_string()
}

/// The corners of all triangles.
pub(crate) fn corners(mesh: &MeshSource) -> Vec<[Vec3; 3]> {
    let vertex = |i: u32| mesh.vertices[i as usize];
    mesh.triangles.iter().map(|triangle| triangle.map(vertex)).collect()
}

/// What a mesh is once prepared.
pub(crate) fn prepared(mesh: &MeshSource) -> Vec<u8> {
    PreparedMesh::new(mesh).unwrap_or_else(|e| panic!("{e}")).0.encode()
}

pub(crate) fn pyramid_corners() -> Vec<[Vec3; 3]> {
    FACES.iter().map(|face| face.map(|i| Vec3::from_array(PYRAMID[i as usize]))).collect()
}
