//! A bounding volume tree over boxes, stored as bytes that are walked in place.
//!
//! ```text
//! boxes ─ build ─▶ BuiltTree: nodes, and the order in which the items must be stored
//! bytes ─ check ─▶ Tree ─ in_box, along, nearest ─▶ ranges of items
//!
//! a node, 64 bytes:   low x ×4   low y ×4   low z ×4   high x ×4   high y ×4   high z ×4   child ×4
//!                     u16 each, steps of the grid over the whole tree                      u32 each
//! ```
//!
//! A node has two to four children, each a node or a run of one to eight items. Nodes are numbered
//! in depth-first order, and items ascend in it. One such walk is therefore the complete check of
//! untrusted nodes, and needs no allocation.
//!
//! Boxes are stored as steps of one grid over the whole tree. The mapping of coordinates to the
//! grid is monotone, so boxes that touch have steps that touch: nothing needs to be rounded
//! outwards, and nothing is missed.
//!
//! Built by the binned surface area heuristic (Wald, "On fast Construction of SAH-based Bounding
//! Volume Hierarchies", 2007), four children at a time.

mod build;
mod check;
mod node;
mod quantized_boxes;
#[cfg(test)]
mod tests;
mod turned;
mod walk;

use crate::math::Aabb;
use node::{CHILDREN, NodeRef};
use quantized_boxes::Grid;

pub(crate) use node::{ITEMS_MAX, LEAF_ITEMS_MAX, NODE_BYTES};

/// Most nodes from the root down to a leaf, both the root and the last included. A balanced tree of
/// [`ITEMS_MAX`] items needs 13; the rest is margin for unfavourable shapes. More levels would cost
/// stack space in every walk.
pub(crate) const LEVELS_MAX: usize = 20;

/// Most references on a walk's stack: a node removes one and adds up to four.
const WAITING_MAX: usize = LEVELS_MAX * (CHILDREN - 1) + 1;

/// A tree as it is built.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BuiltTree {
    /// The box around all boxes.
    pub(crate) bounds: Aabb,
    /// Its nodes, little-endian.
    pub(crate) nodes: Vec<[u8; NODE_BYTES]>,
    /// The order in which the boxes must be stored: `order[new] = old`.
    pub(crate) order: Vec<u32>,
}

/// A tree as it is walked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<'a> {
    /// The box around all items.
    pub(crate) bounds: Aabb,
    nodes: &'a [[u8; NODE_BYTES]],
    items: u32,
}

impl<'a> Tree<'a> {
    /// A tree over `items` boxes, from nodes that [`check`](Self::check) accepts.
    pub(crate) fn new(bounds: Aabb, nodes: &'a [[u8; NODE_BYTES]], items: u32) -> Self {
        Self { bounds, nodes, items }
    }

    /// Bytes of all nodes.
    pub(crate) fn nodes_bytes(&self) -> usize {
        self.nodes.len() * NODE_BYTES
    }

    /// Where a walk begins: the first node, or all items where there is no node.
    fn root(&self) -> Option<NodeRef> {
        if self.nodes.is_empty() { NodeRef::items(0, self.items) } else { Some(NodeRef::node(0)) }
    }

    fn grid(&self) -> Grid {
        Grid::over(&self.bounds)
    }
}
