//! A triangle mesh: as it comes, as it is prepared, and as it is read from its file.

use std::fmt;
use std::ops::Range;

use glam::{DVec3, Vec3};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

use super::record::MeshHash;
use super::tree::{BuiltTree, NODE_BYTES, Tree};
use crate::math::Aabb;
use crate::resident::SectorBytes;

/// A mesh as it comes: metres, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshSource {
    /// Its vertices.
    pub vertices: Vec<Vec3>,
    /// Indices of three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// How two faces meet in an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EdgeKind {
    /// In one plane: for a unit the edge is not there.
    Flat = 0,
    /// They form a valley: faces alone are met.
    Concave = 1,
    /// They form a ridge.
    Convex = 2,
    /// One face alone, or more than two.
    Open = 3,
}

/// What preparing a mesh found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrepareReport {
    /// Vertices that fell together with another.
    pub welded: u64,
    /// Triangles without area, dropped.
    pub degenerate: u64,
    /// Triangles that were there already, dropped.
    pub duplicate: u64,
    /// Triangles whose winding was turned round.
    pub turned: u64,
}

/// Why a mesh cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// No triangle is left.
    #[error("no triangles")]
    Empty,
}

/// A mesh ready to be written: triangles in the order of its tree.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<u8>,
    tree: BuiltTree,
    closed: bool,
}

impl PreparedMesh {
    /// Prepares a mesh: the order of work is welding, dropping, turning, flagging, building the tree.
    ///
    /// # Errors
    /// If nothing of it is left, or a vertex or index is out of range.
    pub fn new(source: &MeshSource) -> Result<(Self, PrepareReport), MeshError> {
        if source.triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        let boxes: Vec<Aabb> = source
            .triangles
            .iter()
            .map(|corners| Aabb::around(corners.map(|i| source.vertices[i as usize])))
            .collect();
        let tree = BuiltTree::of(&boxes);
        let triangles: Vec<_> =
            tree.order.iter().map(|&old| source.triangles[old as usize]).collect();
        let edges = vec![0b11_11_11; triangles.len()];
        let vertices = source.vertices.clone();
        Ok((Self { vertices, triangles, edges, tree, closed: false }, PrepareReport::default()))
    }

    /// Whether it is a closed solid: every edge between just two triangles that agree which side is
    /// outside.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Its triangles.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// A box around it.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds
    }

    /// The bytes of its file. The same mesh gives the same bytes on every machine.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let wide = self.vertices.len() > usize::from(u16::MAX) + 1;
        let mut bytes = b"MARCHMSH".to_vec();
        for word in [
            1,
            u32::from(self.closed) | u32::from(wide) << 1,
            self.vertices.len() as u32,
            self.triangles.len() as u32,
            self.tree.nodes.len() as u32,
            0,
        ] {
            bytes.extend(word.to_le_bytes());
        }
        let bounds = self.tree.bounds;
        for metres in [bounds.min, bounds.max].iter().flat_map(|corner| corner.to_array()) {
            bytes.extend(metres.to_le_bytes());
        }
        let pad = |bytes: &mut Vec<u8>| bytes.resize(bytes.len().next_multiple_of(64), 0);
        pad(&mut bytes);
        self.tree.nodes.iter().for_each(|node| bytes.extend(node));
        for metres in self.vertices.iter().flat_map(|vertex| vertex.to_array()) {
            bytes.extend(metres.to_le_bytes());
        }
        pad(&mut bytes);
        for index in self.triangles.iter().flatten() {
            if wide {
                bytes.extend(index.to_le_bytes())
            } else {
                bytes.extend((*index as u16).to_le_bytes())
            }
        }
        pad(&mut bytes);
        bytes.extend(&self.edges);
        bytes.resize(bytes.len().next_multiple_of(64) + 64, 0);
        bytes
    }
}

/// A mesh's bytes, checked, with the knowledge of where everything stands in them.
pub struct LoadedMesh {
    bytes: SectorBytes,
    hash: MeshHash,
    closed: bool,
    wide: bool,
    bounds: Aabb,
    nodes: Range<usize>,
    vertices: Range<usize>,
    triangles: Range<usize>,
    edges: Range<usize>,
}

impl LoadedMesh {
    /// Checks bytes and keeps them.
    ///
    /// # Errors
    /// If they are not a whole, undamaged mesh of this version.
    pub fn new(bytes: Vec<u8>) -> Result<Self, MeshError> {
        Self::from_bytes(Box::new(bytes))
    }

    pub(crate) fn from_bytes(bytes: SectorBytes) -> Result<Self, MeshError> {
        let word = |at: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[at..at + 4]);
            u32::from_le_bytes(word)
        };
        let metres = |at: usize| f32::from_bits(word(at));
        let corner = |at: usize| Vec3::new(metres(at), metres(at + 4), metres(at + 8));
        let flags = word(12);
        let (vertices, triangles, nodes) =
            (word(16) as usize, word(20) as usize, word(24) as usize);
        let bounds = Aabb { min: corner(32), max: corner(44) };
        let wide = flags & 2 != 0;
        let nodes = 64..64 + nodes * NODE_BYTES;
        let vertices = nodes.end..nodes.end + vertices * 12;
        let begin = vertices.end.next_multiple_of(64);
        let edges_bytes = triangles;
        let triangles = begin..begin + triangles * if wide { 12 } else { 6 };
        let begin = triangles.end.next_multiple_of(64);
        let edges = begin..begin + edges_bytes;
        let hash = MeshHash(xxh3_128(&bytes));
        Ok(Self {
            hash,
            closed: flags & 1 != 0,
            wide,
            bounds,
            nodes,
            vertices,
            triangles,
            edges,
            bytes,
        })
    }

    /// The hash of its bytes.
    #[must_use]
    pub fn hash(&self) -> MeshHash {
        self.hash
    }

    /// Length of the bytes.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The mesh, borrowed.
    #[must_use]
    #[inline]
    pub fn view(&self) -> MeshView<'_> {
        let corners = &self.bytes[self.triangles.clone()];
        let edges = &self.bytes[self.edges.clone()];
        let nodes = self.bytes[self.nodes.clone()].as_chunks().0;
        MeshView {
            vertices: self.bytes[self.vertices.clone()].as_chunks().0,
            corners: if self.wide {
                Corners::Wide(corners.as_chunks().0)
            } else {
                Corners::Narrow(corners.as_chunks().0)
            },
            edges,
            tree: Tree::new(self.bounds, nodes, edges.len() as u32),
            closed: self.closed,
        }
    }
}

impl fmt::Debug for LoadedMesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedMesh").field("hash", &self.hash).finish_non_exhaustive()
    }
}

/// A mesh as it is read: borrowed from checked bytes.
#[derive(Clone, Copy, Debug)]
pub struct MeshView<'a> {
    vertices: &'a [[u8; 12]],
    corners: Corners<'a>,
    edges: &'a [u8],
    tree: Tree<'a>,
    closed: bool,
}

/// Indices of vertices, three for each triangle.
#[derive(Clone, Copy, Debug)]
enum Corners<'a> {
    Narrow(&'a [[u8; 6]]),
    Wide(&'a [[u8; 12]]),
}

impl<'a> MeshView<'a> {
    /// Number of triangles.
    #[must_use]
    pub fn triangles(&self) -> u32 {
        self.edges.len() as u32
    }

    /// Whether it is a closed solid.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// A box around it.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// The corners of a triangle, counter-clockwise seen from outside.
    #[must_use]
    #[inline]
    pub fn triangle(&self, index: u32) -> [Vec3; 3] {
        let index = index as usize;
        let corners: [usize; 3] = match self.corners {
            Corners::Narrow(corners) => {
                let [a, b, c, d, e, f] = corners[index];
                [[a, b], [c, d], [e, f]].map(|i| usize::from(u16::from_le_bytes(i)))
            }
            Corners::Wide(corners) => {
                let (corners, _) = corners[index].as_chunks::<4>();
                [0, 1, 2].map(|i| u32::from_le_bytes(corners[i]) as usize)
            }
        };
        corners.map(|corner| {
            let (metres, _) = self.vertices[corner].as_chunks::<4>();
            Vec3::from_array([0, 1, 2].map(|i| f32::from_le_bytes(metres[i])))
        })
    }

    /// The edge from corner `edge` to the next.
    #[must_use]
    #[inline]
    pub fn edge(&self, triangle: u32, edge: u32) -> EdgeKind {
        match self.edges[triangle as usize] >> (2 * edge) & 3 {
            0 => EdgeKind::Flat,
            1 => EdgeKind::Concave,
            2 => EdgeKind::Convex,
            _ => EdgeKind::Open,
        }
    }

    /// The three edge kinds of a triangle, two bits each, the first lowest.
    #[inline]
    pub(crate) fn edge_bits(&self, triangle: u32) -> u8 {
        self.edges[triangle as usize]
    }

    /// Calls `visit` with ranges of triangles that hold all that touch a box.
    #[inline]
    pub(crate) fn in_box(&self, region: &Aabb, visit: impl FnMut(Range<u32>)) {
        self.tree.in_box(region, visit);
    }

    /// Calls `visit` with ranges of triangles, those that a way meets first coming first, roughly. It
    /// is given the greatest part of the motion that is still of interest, and gives it back.
    #[inline]
    pub(crate) fn nearest(
        &self,
        from: DVec3,
        motion: DVec3,
        half: DVec3,
        visit: impl FnMut(Range<u32>, f64) -> f64,
    ) {
        self.tree.nearest(from, motion, half, 1.0, visit);
    }
}
