//! A bounding volume tree over boxes, as bytes that are walked where they lie.

use std::ops::Range;

use crate::math::Aabb;

/// Bytes of a node.
pub(crate) const NODE_BYTES: usize = 64;

/// A tree as it is made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BuiltTree {
    /// Around all boxes.
    pub(crate) bounds: Aabb,
    /// Its nodes, little-endian.
    pub(crate) nodes: Vec<[u8; NODE_BYTES]>,
    /// The order in which the boxes must be stored: `order[new] = old`.
    pub(crate) order: Vec<u32>,
}

impl BuiltTree {
    /// A tree over boxes, none of them empty.
    pub(crate) fn of(boxes: &[Aabb]) -> Self {
        let bounds = boxes.iter().fold(Aabb::EMPTY, |sum, one| sum.union(*one));
        Self { bounds, nodes: Vec::new(), order: (0..boxes.len() as u32).collect() }
    }
}

/// A tree as it is walked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<'a> {
    bounds: Aabb,
    nodes: &'a [[u8; NODE_BYTES]],
    items: u32,
}

impl<'a> Tree<'a> {
    /// A tree over `items` boxes, from nodes that [`check`](Self::check) accepts.
    pub(crate) fn new(bounds: Aabb, nodes: &'a [[u8; NODE_BYTES]], items: u32) -> Self {
        Self { bounds, nodes, items }
    }

    /// Whether the nodes name each item just once and no node twice, so that a walk ends.
    pub(crate) fn check(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Around everything.
    pub(crate) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Calls `visit` with ranges of items that hold all whose boxes touch `region`, ascending where
    /// no two overlap; others may come too.
    pub(crate) fn in_box(&self, region: &Aabb, mut visit: impl FnMut(Range<u32>)) {
        if self.bounds.touches(region) {
            visit(0..self.items);
        }
    }
}
