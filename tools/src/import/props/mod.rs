//! Files of props: what stands in a world, in TOML. `tools/PROPS.md` lists every key with its range
//! and what is rejected; in short:
//!
//! ```toml
//! version = 1                          # optional
//!
//! [[prop]]                             # one prop
//! mesh = "crate.glb"                   # .glb, .gltf or .obj, in the folder of this file or below
//! position = [10.0, "ground", -4.0]    # metres in the world; y a number or "ground"
//! above = 0.5                          # metres above the ground; default 0
//! rotation = [0.0, 45.0, 0.0]          # degrees about x, y, z; the matrix is Ry · Rx · Rz
//! scale = 2.0                          # uniform, 1/1024 to 1024; default 1
//! surface = "wood"                     # default: "ground", or the first surface
//! layers = 4294967295                  # 32 bits; default all
//! collision = "auto"                   # auto | solid | soup
//!
//! [[scene]]                            # every node of a glTF that has a mesh; keys as above, and:
//! file = "town.glb"
//! position = [0.0, "ground", 0.0]      # of the scene's origin
//! ground = "origin"                    # or "each": every node on the ground under it, plus its own y
//!
//! [[scatter]]                          # many props by a rule
//! meshes = ["oak.glb", "birch.glb"]    # or mesh = "oak.glb"
//! density = 40.0                       # to a hectare; or count = 2000
//! seed = 7                             # default: made from the number of the rule
//! slope = [0, 30]                      # degrees; default any
//! height = [5, 400]                    # metres; default any
//! on = ["grass"]                       # surfaces of the ground; default any
//! area = [[-500, -500], [500, 500]]    # [x0, z0], [x1, z1]; default everywhere
//! yaw = "random"                       # or degrees
//! scale = [0.8, 1.3]                   # or a number
//! sink = 0.1                           # metres into the ground; default 0
//! ```
//!
//! ```text
//! text ─ toml_tree: values with lines ─ common, placed, scatter: PropSource, Scatter ─▶ PropInput
//! mesh files ─ library: each prepared once, kept once by content ───────────────────┘
//! ```

pub(crate) mod common;
mod error;
mod library;
mod placed;
mod scatter;

use std::path::{Path, PathBuf};

use marchland_terrain::bake::props::PropInput;

pub use self::error::{PropFileError, PropProblem};
use self::library::MeshLibrary;
pub use self::library::MeshReport;
use crate::toml_tree::{Keys, Text};

/// A file of props, with all its meshes.
#[derive(Clone, Debug)]
pub struct PropFile {
    /// The props and rules.
    pub input: PropInput,
    /// Every file that was read, this one first, in a fixed order.
    pub files: Vec<PathBuf>,
    /// Decisions made on the way, worth a line of output.
    pub notes: Vec<String>,
    /// Problems that the user probably did not expect.
    pub warnings: Vec<String>,
    /// The preparation report of each mesh, in the order of the input's meshes.
    pub meshes: Vec<MeshReport>,
}

/// Greatest length of a file of props. Bytes: 64 MiB.
pub const PROPS_BYTES_MAX: u64 = 1 << 26;

/// Reads a file of props and all meshes that it names. `surface_names` are those of the world, in
/// the order of their ids.
///
/// # Errors
/// If a key is unknown, missing, of the wrong type or out of range, a surface name is unknown, or a
/// mesh cannot be read; with the line.
pub fn load(path: &Path, surface_names: &[String]) -> Result<PropFile, PropFileError> {
    let text = Text::read(path, "a file of props", PROPS_BYTES_MAX)?;
    let root = text.parse()?;
    let top = ["version", "prop", "scene", "scatter"];
    let keys = Keys::root(&text, &root, "a file of props", &top)?;
    keys.get("version").map(|version| version.whole([1, 1], "1")).transpose()?;
    let mut library = MeshLibrary::new(path.parent().unwrap_or(Path::new("")));
    let mut input = PropInput::default();
    for keys in keys.tables("prop", "[[prop]]", &placed::PROP_KEYS)? {
        input.props.push(placed::prop(keys, surface_names, &mut library)?);
    }
    for keys in keys.tables("scene", "[[scene]]", &placed::SCENE_KEYS)? {
        input.props.extend(placed::scene(keys, surface_names, &mut library)?);
    }
    let rules = keys.tables("scatter", "[[scatter]]", &scatter::KEYS)?;
    for (number, keys) in (0..).zip(rules) {
        input.scatters.extend(scatter::scatter(keys, number, surface_names, &mut library)?);
    }
    let mut files = vec![path.to_owned()];
    files.append(&mut library.files);
    input.meshes = library.meshes;
    let (notes, mut warnings) = (library.notes, library.warnings);
    if input.props.is_empty() && input.scatters.is_empty() {
        warnings.push(format!("{}: nothing is placed", path.display()));
    }
    Ok(PropFile { input, files, notes, warnings, meshes: library.reports })
}
