//! Reads mesh files as lists of triangles: glTF (`.glb`, `.gltf`) and OBJ.
//!
//! [`load_file`] returns a whole file as one mesh; [`open_gltf`] provides its meshes one by one and the
//! transforms of its nodes. Materials, textures, animations and skins are ignored. Files are untrusted: every
//! count, offset, index and coordinate is checked before it is used, and nothing outside the folder is
//! opened.
//!
//! ```text
//! .glb ─ buffers: split ─┐
//! .gltf ─────────────────┴─ document: JSON ─ nodes: their transforms ─┬─ gltf: meshes, or one mesh
//! .bin, data: ─ buffers ─ accessor: checked ─ primitive: triangles ───┘
//! .obj ─ obj: v and f
//! ```
//!
//! ```
//! use marchland_terrain::LoadedMesh;
//! use marchland_terrain::props::PreparedMesh;
//! use marchland_tools::import::mesh;
//!
//! # let folder = std::env::temp_dir().join(format!("marchland-mesh-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! std::fs::write(folder.join("ramp.obj"), "v 0 0 0\nv 0 0 4\nv 4 1 4\nv 4 1 0\nf 1 2 3 4\n")?;
//! let file = mesh::load_file("ramp.obj", &folder)?;
//! assert_eq!(file.mesh.triangles.len(), 2);
//!
//! // As a bake and live props take it.
//! let (prepared, report) = PreparedMesh::new(&file.mesh)?;
//! let loaded = LoadedMesh::new(prepared.encode())?;
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accessor;
mod buffers;
mod document;
mod error;
mod gltf;
mod inside;
pub mod limits;
mod nodes;
mod obj;
mod primitive;
mod transform;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use glam::Vec3;
use marchland_terrain::props::MeshSource;

use self::buffers::GLB_MAGIC;
pub use self::error::{AccessorFault, BufferFault, MeshFileError, MeshProblem, NodeFault};
pub use self::gltf::Gltf;
pub(crate) use self::inside::{InnerFile, read as read_bytes};
pub use self::nodes::PlacedNode;
pub use self::transform::Affine;

/// A mesh file after reading.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// The whole file as one mesh. It has at least one triangle.
    pub mesh: MeshSource,
    /// The files that were read: the mesh's own first, then those of its buffers.
    pub files: Vec<PathBuf>,
    /// What was ignored, worth a line of output.
    pub notes: Vec<String>,
}

/// Reads a mesh file as one mesh: a glTF's default scene with every node's transform applied, or
/// the faces of an OBJ. `name` is a plain relative name inside `folder`.
///
/// # Errors
/// If the name leads out of the folder, the file is not a mesh, damaged or too large, or has no
/// triangle.
pub fn load_file(name: &str, folder: &Path) -> Result<MeshFile, MeshFileError> {
    match open(name, folder)? {
        OpenFile::Gltf(mut gltf) => {
            let mesh = gltf.merged()?;
            Ok(MeshFile { mesh, files: gltf.files(), notes: gltf.notes() })
        }
        OpenFile::Obj(file) => Ok(file),
    }
}

/// Opens a glTF file, for access to its meshes and nodes one by one.
///
/// # Errors
/// If the name leads out of the folder, or the file is not a glTF, damaged or too large.
pub fn open_gltf(name: &str, folder: &Path) -> Result<Gltf, MeshFileError> {
    match open(name, folder)? {
        OpenFile::Gltf(gltf) => Ok(*gltf),
        OpenFile::Obj(_) => Err(MeshFileError::new(
            &folder.join(name),
            MeshProblem::Json("an OBJ file has no nodes".to_owned()),
        )),
    }
}

/// A box around the origin, with these full extents along X, Y and Z. Metres.
#[must_use]
pub fn boxed(extents: [f64; 3]) -> MeshSource {
    let half = extents.map(|extent| (extent * 0.5) as f32);
    let side = |corner: usize, axis: usize| {
        if corner >> axis & 1 == 0 { -half[axis] } else { half[axis] }
    };
    // Bit 0 of a corner's index selects the side of X, bit 1 of Y, bit 2 of Z.
    MeshSource {
        vertices: (0..8).map(|i| Vec3::new(side(i, 0), side(i, 1), side(i, 2))).collect(),
        triangles: vec![
            [0, 4, 6],
            [0, 6, 2], // -X
            [1, 3, 7],
            [1, 7, 5], // +X
            [0, 1, 5],
            [0, 5, 4], // -Y
            [2, 6, 7],
            [2, 7, 3], // +Y
            [0, 2, 3],
            [0, 3, 1], // -Z
            [4, 5, 7],
            [4, 7, 6], // +Z
        ],
    }
}

/// The file with a name, checked to lie inside the folder.
pub(crate) fn find(name: &str, folder: &Path) -> Result<InnerFile, MeshFileError> {
    inside::resolve(folder, folder, name)
        .map_err(|problem| MeshFileError::new(&folder.join(name), problem))
}

enum OpenFile {
    Gltf(Box<Gltf>),
    Obj(MeshFile),
}

fn open(name: &str, folder: &Path) -> Result<OpenFile, MeshFileError> {
    let InnerFile { shown: path, real } = find(name, folder)?;
    let fault = |problem| MeshFileError::new(&path, problem);
    let read = || read_bytes(&real, "a file", limits::FILE_BYTES_MAX).map_err(fault);
    let extension = path.extension().map(OsStr::to_ascii_lowercase).unwrap_or_default();
    match extension.to_str() {
        Some(extension @ ("glb" | "gltf")) => {
            let bytes = read()?;
            if extension == "glb" && !bytes.starts_with(GLB_MAGIC) {
                return Err(fault(MeshProblem::Glb("it does not start with `glTF`".to_owned())));
            }
            Ok(OpenFile::Gltf(Box::new(Gltf::new(&path, bytes, folder)?)))
        }
        Some("obj") => {
            let (mesh, notes) = obj::read(&read()?).map_err(fault)?;
            Ok(OpenFile::Obj(MeshFile { mesh, files: vec![path], notes }))
        }
        _ => Err(fault(MeshProblem::UnknownFormat)),
    }
}
