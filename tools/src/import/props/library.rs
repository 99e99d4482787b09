//! The meshes of props: each read once, prepared once and stored once, whatever file it comes from.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use glam::DVec3;
use marchland_terrain::Collision;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{
    EdgeKind, LoadedMesh, MeshError, MeshSource, Placement, PrepareReport, PreparedMesh,
};
use xxhash_rust::xxh3::xxh3_128;

use super::error::PropProblem;
use crate::import::mesh::limits::TOTAL_MAX;
use crate::import::mesh::{self, Affine, Gltf, PlacedNode};

/// The preparation report of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshReport {
    /// The file, and the mesh or node in it if it has several. For equal meshes, the first of them.
    pub name: String,
    /// Triangles that remain.
    pub triangles: usize,
    /// Whether it is a closed solid.
    pub closed: bool,
    /// What was welded, dropped and reversed.
    pub prepared: PrepareReport,
}

/// All meshes so far.
#[derive(Default)]
pub(super) struct MeshLibrary {
    folder: PathBuf,
    pub(super) meshes: Vec<PreparedMesh>,
    pub(super) reports: Vec<MeshReport>,
    /// Files that were read, in the order of reading.
    pub(super) files: Vec<PathBuf>,
    pub(super) notes: Vec<String>,
    pub(super) warnings: Vec<String>,
    /// By the hash of the encoded mesh.
    by_content: BTreeMap<u128, usize>,
    /// Whole files, by path and the bits of their yaw.
    whole: BTreeMap<(PathBuf, u64), usize>,
    scenes: BTreeMap<PathBuf, Rc<[Part]>>,
    vertices: u64,
    triangles: u64,
}

/// One node of a scene.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    /// Its name in messages.
    pub(super) name: String,
    /// Which mesh of the library.
    pub(super) mesh: usize,
    /// Its rotation and scale within the scene.
    pub(super) placement: Placement,
    /// Its position within the scene. Metres.
    pub(super) origin: DVec3,
}

impl MeshLibrary {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ..Self::default() }
    }

    /// A whole file as one mesh, rotated about Y by `yaw_degrees`.
    pub(super) fn whole(&mut self, name: &str, yaw_degrees: f64) -> Result<usize, PropProblem> {
        let key = (mesh::find(name, &self.folder)?.real, yaw_degrees.to_bits());
        if let Some(&mesh) = self.whole.get(&key) {
            return Ok(mesh);
        }
        let file = mesh::load_file(name, &self.folder)?;
        self.read_from(name, file.files, file.notes);
        let (mut called, mut source) = (name.to_owned(), file.mesh);
        if yaw_degrees != 0.0 {
            called = format!("{name} turned by {yaw_degrees}°");
            for vertex in &mut source.vertices {
                let turn = Rotation::from_degrees([0.0, yaw_degrees, 0.0]);
                *vertex = turn.apply(*vertex).as_vec3();
            }
        }
        let mesh = self.prepare(&source, &called)?;
        self.whole.insert(key, mesh);
        Ok(mesh)
    }

    /// The nodes of a glTF scene. Nodes whose transform is a rotation with uniform scale share their
    /// mesh; any other transform needs its own mesh.
    pub(super) fn scene(&mut self, name: &str) -> Result<Rc<[Part]>, PropProblem> {
        let path = mesh::find(name, &self.folder)?.real;
        if let Some(parts) = self.scenes.get(&path) {
            return Ok(Rc::clone(parts));
        }
        let mut gltf = mesh::open_gltf(name, &self.folder)?;
        let parts: Rc<[Part]> = self.parts(&mut gltf, name)?.into();
        self.read_from(name, gltf.files(), gltf.notes());
        if parts.is_empty() {
            self.warnings.push(format!("{name}: no node has a mesh, so nothing is placed"));
        }
        self.scenes.insert(path, Rc::clone(&parts));
        Ok(parts)
    }

    fn parts(&mut self, gltf: &mut Gltf, name: &str) -> Result<Vec<Part>, PropProblem> {
        let nodes = gltf.nodes()?;
        // By mesh, so that each is read once and only one is held.
        let mut order: Vec<(usize, &PlacedNode)> = nodes.iter().enumerate().collect();
        order.sort_by_key(|(at, node)| (node.mesh, *at));
        let mut parts = Vec::new();
        for nodes in order.chunk_by(|(_, a), (_, b)| a.mesh == b.mesh) {
            let Some((_, first)) = nodes.first() else { continue };
            let source = gltf.mesh(first.mesh)?;
            let mut made: BTreeMap<Option<[u64; 9]>, Option<usize>> = BTreeMap::new();
            for &(at, node) in nodes {
                let placement = node.transform.placement();
                // Equal baked transforms give equal meshes.
                let key = placement.is_none().then(|| bits(&node.transform));
                if let Entry::Vacant(new) = made.entry(key) {
                    new.insert(match placement {
                        Some(_) => self.part(&source, name, &gltf.mesh_name(node.mesh))?,
                        None => {
                            let baked = gltf.baked(node, &source)?;
                            self.part(&baked, name, &gltf.node_name(node.node))?
                        }
                    });
                }
                let Some(&Some(mesh)) = made.get(&key) else { continue };
                let placement = placement.unwrap_or(Placement::IDENTITY);
                let (name, origin) = (gltf.node_name(node.node), node.transform.origin);
                parts.push((at, Part { name, mesh, placement, origin }));
            }
        }
        parts.sort_by_key(|(at, _)| *at);
        Ok(parts.into_iter().map(|(_, part)| part).collect())
    }

    /// A mesh of a scene, if it has any triangles. It is called by its file and by what it is there.
    fn part(
        &mut self,
        source: &MeshSource,
        file: &str,
        name: &str,
    ) -> Result<Option<usize>, PropProblem> {
        let called = format!("{file}, {name}");
        match self.prepare(source, &called) {
            Ok(mesh) => Ok(Some(mesh)),
            Err(PropProblem::Unfit { fault, .. }) if is_empty(&fault) => {
                self.warnings.push(format!("{called}: no triangle has an area, so it is ignored"));
                Ok(None)
            }
            Err(problem) => Err(problem),
        }
    }

    fn prepare(&mut self, source: &MeshSource, called: &str) -> Result<usize, PropProblem> {
        self.vertices += source.vertices.len() as u64;
        self.triangles += source.triangles.len() as u64;
        for (what, found) in [("vertices", self.vertices), ("triangles", self.triangles)] {
            if found > TOTAL_MAX {
                return Err(PropProblem::TooMuch { what, found, limit: TOTAL_MAX });
            }
        }
        let (prepared, report) = PreparedMesh::new(source)
            .map_err(|fault| PropProblem::Unfit { mesh: called.to_owned(), fault })?;
        let content = xxh3_128(&prepared.encode());
        let next = self.meshes.len();
        let mesh = *self.by_content.entry(content).or_insert(next);
        if mesh == next {
            self.reports.push(MeshReport {
                name: called.to_owned(),
                triangles: prepared.triangles(),
                closed: prepared.is_closed(),
                prepared: report,
            });
            self.meshes.push(prepared);
        }
        Ok(mesh)
    }

    /// How a mesh blocks, if it supports the requested way; the mesh decides if none was requested.
    pub(super) fn collision(
        &self,
        mesh: usize,
        asked: Option<Collision>,
    ) -> Result<Collision, PropProblem> {
        let prepared = self.meshes.get(mesh);
        let closed = prepared.is_some_and(PreparedMesh::is_closed);
        match asked {
            Some(Collision::Soup) => Ok(Collision::Soup),
            None if !closed => Ok(Collision::Soup),
            _ if closed => Ok(Collision::Solid),
            _ => {
                let name = self.reports.get(mesh).map(|report| report.name.clone());
                let open_edges = prepared.map_or(0, open_edges);
                Err(PropProblem::NotClosed { mesh: name.unwrap_or_default(), open_edges })
            }
        }
    }

    fn read_from(&mut self, name: &str, files: Vec<PathBuf>, notes: Vec<String>) {
        for file in files {
            if !self.files.contains(&file) {
                self.files.push(file);
            }
        }
        for note in notes {
            let note = format!("{name}: {note}");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }
}

/// Whether nothing remained after preparation, which is not an error in a scene.
#[allow(clippy::unneeded_struct_pattern)] // holds for a variant with figures too
fn is_empty(fault: &MeshError) -> bool {
    matches!(fault, MeshError::Empty { .. })
}

fn bits(transform: &Affine) -> [u64; 9] {
    let [x, y, z] = transform.columns.map(|column| column.to_array().map(f64::to_bits));
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
}

/// Sides of triangles that do not have exactly one neighbour.
fn open_edges(prepared: &PreparedMesh) -> u64 {
    let Ok(loaded) = LoadedMesh::new(prepared.encode()) else { return 0 };
    let view = loaded.view();
    let open =
        |triangle| (0..3).filter(|&edge| view.edge(triangle, edge) == EdgeKind::Open).count();
    (0..view.triangles()).map(|triangle| open(triangle) as u64).sum()
}
