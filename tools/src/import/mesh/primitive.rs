//! Converts the primitives of a glTF mesh to one list of triangles.

use std::collections::BTreeMap;

use marchland_terrain::props::MeshSource;

use super::accessor::{self, Component};
use super::buffers::Buffers;
use super::document::{Document, Primitive};
use super::error::MeshProblem;
use super::limits::{TRIANGLES_MAX, VERTICES_MAX};

/// What was ignored, with counts.
pub(super) type Notes = BTreeMap<&'static str, u64>;

/// All triangles of a mesh, in the order of its primitives. Primitives that share their positions
/// share them here too.
pub(super) fn mesh(
    document: &Document,
    buffers: &mut Buffers,
    index: usize,
    notes: &mut Notes,
) -> Result<MeshSource, MeshProblem> {
    let mut builder =
        MeshBuilder { mesh: index, source: MeshSource::default(), placed: BTreeMap::new() };
    let primitives = document.meshes.get(index).map_or(&[][..], |mesh| &mesh.primitives);
    for (number, primitive) in primitives.iter().enumerate() {
        builder.add(document, buffers, number, primitive, notes)?;
    }
    Ok(builder.source)
}

struct MeshBuilder {
    mesh: usize,
    source: MeshSource,
    /// First vertex and number of vertices of every accessor of positions that was read.
    placed: BTreeMap<usize, (u32, u32)>,
}

impl MeshBuilder {
    fn add(
        &mut self,
        document: &Document,
        buffers: &mut Buffers,
        number: usize,
        primitive: &Primitive,
        notes: &mut Notes,
    ) -> Result<(), MeshProblem> {
        let mesh = self.mesh;
        let fault = |what| MeshProblem::Primitive { mesh, primitive: number, what };
        let mut note = |what| *notes.entry(what).or_default() += 1;
        let mode = match primitive.mode {
            0..=3 => {
                note("ignored primitives of points or lines");
                return Ok(());
            }
            4 => Mode::List,
            5 => Mode::Strip,
            6 => Mode::Fan,
            mode => return Err(fault(format!("mode {mode}, expected 0 to 6"))),
        };
        let Some(position) = primitive.attributes.position else {
            note("ignored primitives without positions");
            return Ok(());
        };
        if primitive.targets.is_some() {
            note("primitives with morph targets, read in their base shape");
        }
        check_draco(document, primitive, position)?;
        let from = || format!("primitive {number} of mesh {mesh}");
        let (base, vertices) = self.positions(document, buffers, position, &from())?;
        let corners = match primitive.indices {
            Some(index) => {
                let (corners, kind) = accessor::indices(document, buffers, index, &from())?;
                check_corners(&corners, kind, vertices).map_err(fault)?;
                CornerVertices::Listed(corners)
            }
            None => CornerVertices::Counted(vertices),
        };
        if mode == Mode::List && corners.len() % 3 != 0 {
            note("primitives that end in an incomplete triangle, which is ignored");
        }
        let triangles = mode.triangles(corners.len());
        let found = self.source.triangles.len() as u64 + triangles as u64;
        check_many(self.mesh, "triangles", found, TRIANGLES_MAX)?;
        let triangle = |i| mode.corners(i).map(|corner| base + corners.vertex(corner));
        self.source.triangles.extend((0..triangles).map(triangle));
        Ok(())
    }

    /// The first of a primitive's vertices, and how many there are.
    fn positions(
        &mut self,
        document: &Document,
        buffers: &mut Buffers,
        position: usize,
        from: &str,
    ) -> Result<(u32, u32), MeshProblem> {
        if let Some(&placed) = self.placed.get(&position) {
            return Ok(placed);
        }
        let have = self.source.vertices.len() as u64;
        if let Some(accessor) = document.accessors.get(position) {
            let found = have.saturating_add(accessor.count);
            // A single accessor that is too large is rejected under its own name.
            if accessor.count <= VERTICES_MAX {
                check_many(self.mesh, "vertices", found, VERTICES_MAX)?;
            }
        }
        let vertices = accessor::positions(document, buffers, position, from)?;
        let placed = (have as u32, vertices.len() as u32);
        self.source.vertices.extend(vertices);
        self.placed.insert(position, placed);
        Ok(placed)
    }
}

/// Rejects positions that exist only in compressed form: without decompression they would all be 0.
fn check_draco(
    document: &Document,
    primitive: &Primitive,
    position: usize,
) -> Result<(), MeshProblem> {
    let accessor = document.accessors.get(position);
    let bare = accessor.is_some_and(|accessor| accessor.buffer_view.is_none());
    if bare && primitive.extensions.draco.is_some() {
        return Err(MeshProblem::Extension { name: "KHR_draco_mesh_compression".to_owned() });
    }
    Ok(())
}

fn check_corners(corners: &[u32], kind: Component, vertices: u32) -> Result<(), String> {
    let is_restart = |corner| corner == kind.restart();
    let is_wrong = |&(_, &corner): &(usize, &u32)| is_restart(corner) || corner >= vertices;
    let Some((at, &corner)) = corners.iter().enumerate().find(is_wrong) else { return Ok(()) };
    let reserved = if is_restart(corner) { ", the value reserved for restarts" } else { "" };
    Err(format!("index {at} is {corner}{reserved}, expected one of {vertices} vertices"))
}

fn check_many(mesh: usize, what: &'static str, found: u64, limit: u64) -> Result<(), MeshProblem> {
    MeshProblem::check_many(|| format!("mesh {mesh}"), what, found, limit)
}

/// A corner's vertex: from a list, or the corner itself.
enum CornerVertices {
    Listed(Vec<u32>),
    Counted(u32),
}

impl CornerVertices {
    fn len(&self) -> usize {
        match self {
            Self::Listed(list) => list.len(),
            Self::Counted(count) => *count as usize,
        }
    }

    fn vertex(&self, corner: usize) -> u32 {
        match self {
            Self::Listed(list) => list.get(corner).copied().unwrap_or_default(),
            Self::Counted(_) => corner as u32,
        }
    }
}

/// How corners form triangles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    List,
    Strip,
    Fan,
}

impl Mode {
    fn triangles(self, corners: usize) -> usize {
        match self {
            Self::List => corners / 3,
            Self::Strip | Self::Fan => corners.saturating_sub(2),
        }
    }

    /// The corners of a triangle, with uniform winding: every second one of a strip is reversed.
    fn corners(self, triangle: usize) -> [usize; 3] {
        let i = triangle;
        match self {
            Self::List => [3 * i, 3 * i + 1, 3 * i + 2],
            Self::Strip if i.is_multiple_of(2) => [i, i + 1, i + 2],
            Self::Strip => [i, i + 2, i + 1],
            Self::Fan => [i + 1, i + 2, 0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_keep_their_winding() {
        let all = |mode: Mode, corners| {
            (0..mode.triangles(corners)).map(|i| mode.corners(i)).collect::<Vec<_>>()
        };
        assert_eq!(all(Mode::List, 7), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(all(Mode::Strip, 5), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
        assert_eq!(all(Mode::Fan, 5), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
        assert!(all(Mode::Strip, 1).is_empty() && all(Mode::Fan, 0).is_empty());
    }
}
