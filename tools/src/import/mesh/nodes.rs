//! The node graph of a glTF, traversed without recursion.

use glam::DVec3;

use super::document::{Document, Node};
use super::error::{MeshProblem, NodeFault};
use super::limits::DEPTH_MAX;
use super::transform::Affine;

/// A node that has a mesh, and its transform.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedNode {
    /// Its index in the file.
    pub node: usize,
    /// The index of its mesh.
    pub mesh: usize,
    /// From the mesh to the scene.
    pub transform: Affine,
}

/// Greatest difference of a rotation's length from 1: more than rounding to three decimals causes.
const LENGTH_TOLERANCE: f64 = 0.01;

/// The nodes with a mesh, of the default scene, or of all scenes if none is the default, or of all
/// nodes if there is no scene. Parents before children, both in the order of the file.
pub(super) fn placed(document: &Document) -> Result<Vec<PlacedNode>, MeshProblem> {
    let parents = parents(document)?;
    check_depth(document, &parents)?;
    let roots = roots(document, &parents)?;
    let mut placed = Vec::new();
    let mut waiting: Vec<(usize, Affine)> =
        roots.into_iter().rev().map(|root| (root, Affine::IDENTITY)).collect();
    while let Some((index, above)) = waiting.pop() {
        let Some(node) = document.nodes.get(index) else { continue };
        let own = transform(node).map_err(|fault| MeshProblem::node(index, fault))?;
        let transform = above.after(&own);
        if let Some(mesh) = node.mesh {
            MeshProblem::find(&document.meshes, "mesh", mesh, || format!("node {index}"))?;
            placed.push(PlacedNode { node: index, mesh, transform });
        }
        waiting.extend(node.children.iter().rev().map(|&child| (child, transform)));
    }
    Ok(placed)
}

/// The parent of every node.
fn parents(document: &Document) -> Result<Vec<Option<usize>>, MeshProblem> {
    let mut parents = vec![None; document.nodes.len()];
    for (index, node) in document.nodes.iter().enumerate() {
        for &child in &node.children {
            MeshProblem::find(&document.nodes, "node", child, || format!("node {index}"))?;
            if child == index {
                return Err(MeshProblem::node(child, NodeFault::Cycle));
            }
            if let Some(first) = parents[child].replace(index) {
                let fault = NodeFault::Shared { first, second: index };
                return Err(MeshProblem::node(child, fault));
            }
        }
    }
    Ok(parents)
}

/// Traverses the tree from every root. A node with a parent that is never reached is its own
/// ancestor.
fn check_depth(document: &Document, parents: &[Option<usize>]) -> Result<(), MeshProblem> {
    let mut met = vec![false; parents.len()];
    let is_root = |&index: &usize| parents.get(index).is_some_and(Option::is_none);
    let mut waiting: Vec<_> =
        (0..parents.len()).filter(is_root).map(|root| (root, 0_u32)).collect();
    while let Some((index, depth)) = waiting.pop() {
        if depth > DEPTH_MAX {
            return Err(MeshProblem::node(index, NodeFault::TooDeep));
        }
        if let Some(met) = met.get_mut(index) {
            *met = true;
        }
        let children = document.nodes.get(index).map_or(&[][..], |node| &node.children);
        waiting.extend(children.iter().map(|&child| (child, depth + 1)));
    }
    match met.iter().position(|met| !met) {
        Some(index) => Err(MeshProblem::node(index, NodeFault::Cycle)),
        None => Ok(()),
    }
}

fn roots(document: &Document, parents: &[Option<usize>]) -> Result<Vec<usize>, MeshProblem> {
    let count = document.scenes.len();
    let scenes = match document.scene {
        Some(index) if index >= count => {
            let from = "the file".to_owned();
            return Err(MeshProblem::Reference { from, what: "scene", index, count });
        }
        Some(index) => index..index + 1,
        None if count > 0 => 0..count,
        None => return Ok((0..parents.len()).filter(|&i| parents[i].is_none()).collect()),
    };
    let mut roots = Vec::new();
    let mut last_seen: Vec<Option<usize>> = vec![None; parents.len()];
    for scene in scenes {
        for &node in &document.scenes[scene].nodes {
            let parent = MeshProblem::find(parents, "node", node, || format!("scene {scene}"))?;
            if let Some(parent) = *parent {
                return Err(MeshProblem::node(node, NodeFault::RootWithParent { scene, parent }));
            }
            match last_seen[node].replace(scene) {
                Some(last) if last == scene => {
                    return Err(MeshProblem::node(node, NodeFault::RootTwice { scene }));
                }
                // Several scenes may contain the same node, which is placed once.
                Some(_) => {}
                None => roots.push(node),
            }
        }
    }
    Ok(roots)
}

fn transform(node: &Node) -> Result<Affine, NodeFault> {
    let parts = (node.translation, node.rotation, node.scale);
    let Some(matrix) = node.matrix.as_deref() else {
        let rotation = parts.1.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        check_rotation(rotation)?;
        let (translation, scale) = (parts.0.unwrap_or([0.0; 3]), parts.2.unwrap_or([1.0; 3]));
        return Ok(Affine::from_parts(translation, rotation, scale));
    };
    if parts != (None, None, None) {
        return Err(NodeFault::BothTransforms);
    }
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *matrix;
    if [d, h, l, p] != [0.0, 0.0, 0.0, 1.0] {
        return Err(NodeFault::Projective { found: format!("{d}, {h}, {l}, {p}") });
    }
    let columns = [DVec3::new(a, b, c), DVec3::new(e, f, g), DVec3::new(i, j, k)];
    Ok(Affine { columns, origin: DVec3::new(m, n, o) })
}

fn check_rotation([x, y, z, w]: [f64; 4]) -> Result<(), NodeFault> {
    let found = (x * x + y * y + z * z + w * w).sqrt();
    if (found - 1.0).abs() <= LENGTH_TOLERANCE {
        Ok(())
    } else {
        Err(NodeFault::Rotation { found })
    }
}
