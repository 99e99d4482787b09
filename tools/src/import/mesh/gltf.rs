//! An open glTF file: its meshes one by one, the transforms of its nodes, and the whole as one
//! mesh.

use std::path::{Path, PathBuf};

use marchland_terrain::props::MeshSource;

use super::buffers::{Buffers, Container};
use super::document::{self, Document};
use super::error::{MeshFileError, MeshProblem};
use super::limits::{TRIANGLES_MAX, VERTICES_MAX};
use super::nodes::{self, PlacedNode};
use super::primitive::{self, Notes};
use super::transform::Affine;

/// A glTF file whose JSON has been read. Its buffers are read as they are needed.
pub struct Gltf {
    path: PathBuf,
    document: Document,
    buffers: Buffers,
    notes: Notes,
}

impl Gltf {
    /// Reads a `.glb` or `.gltf` at `path` from its bytes; buffers lie beside it, inside `root`.
    pub(super) fn new(path: &Path, bytes: Vec<u8>, root: &Path) -> Result<Self, MeshFileError> {
        let parsed = Container::new(bytes).and_then(|container| {
            let document = document::parse(container.json())?;
            Ok((container, document))
        });
        let (container, document) = parsed.map_err(|problem| MeshFileError::new(path, problem))?;
        let beside = path.parent().unwrap_or(Path::new("."));
        let buffers = Buffers::new(container, root, beside);
        Ok(Self { path: path.to_owned(), document, buffers, notes: Notes::new() })
    }

    /// The nodes that have a mesh, and their transforms: those of the default scene, or of all
    /// scenes if none is the default, or all nodes if there is no scene.
    ///
    /// # Errors
    /// If nodes do not form trees, are nested too deep, refer to missing items, or have an invalid
    /// transform.
    pub fn nodes(&self) -> Result<Vec<PlacedNode>, MeshFileError> {
        nodes::placed(&self.document).map_err(|problem| self.error(problem))
    }

    /// A mesh as stored in the file, without any node's transform. It may be empty.
    ///
    /// # Errors
    /// If an index is out of range, or a coordinate is not finite.
    pub fn mesh(&mut self, index: usize) -> Result<MeshSource, MeshFileError> {
        let mesh = primitive::mesh(&self.document, &mut self.buffers, index, &mut self.notes);
        mesh.map_err(|problem| self.error(problem))
    }

    /// All meshes of the default scene, transformed by their nodes, as one mesh. For a file without nodes,
    /// all its meshes.
    ///
    /// # Errors
    /// As [`nodes`](Self::nodes) and [`mesh`](Self::mesh); also if there is no triangle, or too
    /// many.
    pub fn merged(&mut self) -> Result<MeshSource, MeshFileError> {
        let mut nodes = self.nodes()?;
        if self.document.nodes.is_empty() {
            let lying = |mesh| PlacedNode { node: 0, mesh, transform: Affine::IDENTITY };
            nodes = (0..self.document.meshes.len()).map(lying).collect();
        }
        // A mesh is read once for consecutive nodes that use it.
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|&at| (nodes.get(at).map(|node| node.mesh), at));
        let mut merged = MeshSource::default();
        let mut last: Option<(usize, MeshSource)> = None;
        for node in order.into_iter().filter_map(|at| nodes.get(at)) {
            if last.as_ref().is_none_or(|(mesh, _)| *mesh != node.mesh) {
                last = Some((node.mesh, self.mesh(node.mesh)?));
            }
            let Some((_, source)) = &last else { continue };
            self.check_sum(&merged, source)?;
            let placed = node.transform.append(source, &mut merged);
            placed.map_err(|fault| self.error(MeshProblem::node(node.node, fault)))?;
        }
        if merged.triangles.is_empty() {
            return Err(self.error(MeshProblem::Empty));
        }
        Ok(merged)
    }

    /// A mesh with a node's rotation and scale applied, about its own origin.
    ///
    /// # Errors
    /// If a vertex is not finite afterwards.
    pub fn baked(
        &self,
        node: &PlacedNode,
        source: &MeshSource,
    ) -> Result<MeshSource, MeshFileError> {
        let mut baked = MeshSource::default();
        let about_origin = Affine { origin: glam::DVec3::ZERO, ..node.transform };
        let done = about_origin.append(source, &mut baked);
        done.map_err(|fault| self.error(MeshProblem::node(node.node, fault)))?;
        Ok(baked)
    }

    /// The name of a mesh in messages.
    #[must_use]
    pub fn mesh_name(&self, index: usize) -> String {
        called("mesh", index, self.document.meshes.get(index).and_then(|mesh| mesh.name.as_ref()))
    }

    /// The name of a node in messages.
    #[must_use]
    pub fn node_name(&self, index: usize) -> String {
        called("node", index, self.document.nodes.get(index).and_then(|node| node.name.as_ref()))
    }

    /// The file itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files read so far: this one, then those of its buffers.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.path.clone()];
        for file in &self.buffers.files {
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
        files
    }

    /// What has been ignored so far.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> =
            self.notes.iter().map(|(what, count)| format!("{what}: {count}")).collect();
        if !self.document.animations.is_empty() {
            notes.push(format!("ignored animations: {}", self.document.animations.len()));
        }
        let skinned = self.document.nodes.iter().filter(|node| node.skin.is_some()).count();
        if skinned > 0 {
            notes.push(format!("nodes with a skin, read without it: {skinned}"));
        }
        let shapes = self
            .document
            .extensions_used
            .iter()
            .filter(|name| *name != document::QUANTIZATION && !document::only_looks(name));
        notes.extend(shapes.map(|name| format!("the extension {name} is ignored")));
        notes
    }

    fn check_sum(&self, merged: &MeshSource, more: &MeshSource) -> Result<(), MeshFileError> {
        let sums = [
            ("vertices", merged.vertices.len() + more.vertices.len(), VERTICES_MAX),
            ("triangles", merged.triangles.len() + more.triangles.len(), TRIANGLES_MAX),
        ];
        for (what, found, limit) in sums {
            let place = || "all nodes as one mesh".to_owned();
            MeshProblem::check_many(place, what, found as u64, limit)
                .map_err(|problem| self.error(problem))?;
        }
        Ok(())
    }

    fn error(&self, problem: MeshProblem) -> MeshFileError {
        MeshFileError::new(&self.path, problem)
    }
}

fn called(what: &str, index: usize, name: Option<&String>) -> String {
    let name = name.map(|name| format!(" ({name:?})")).unwrap_or_default();
    format!("{what} {index}{name}")
}

impl std::fmt::Debug for Gltf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gltf").field("path", &self.path).finish_non_exhaustive()
    }
}
