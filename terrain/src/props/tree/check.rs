//! Checks whether untrusted nodes are a valid tree.

use super::node::{CHILDREN, Child, Node, NodeRef};
use super::quantized_boxes::GridBox;
use super::{ITEMS_MAX, LEAF_ITEMS_MAX, LEVELS_MAX, Tree, WAITING_MAX};
use crate::math::Aabb;

/// A child yet to be checked, the nodes above it, and the box that its node gives it.
#[derive(Clone, Copy)]
struct WaitingChild {
    child: NodeRef,
    levels: usize,
    within: GridBox,
}

const ALL: GridBox = GridBox { low: [0; 3], high: [u16::MAX; 3] };

impl Tree<'_> {
    /// Whether the nodes name each item exactly once and no node twice, nodes and items ascend in
    /// the order of a walk, and the tree is no deeper than a walk supports. Then every walk ends
    /// and stays in range.
    pub(crate) fn check(&self) -> bool {
        self.check_with(|_, _| true)
    }

    /// As [`check`](Self::check), and whether each child's box lies within its parent's and
    /// contains those of its items. Then no walk misses an item.
    pub(crate) fn check_boxes(&self, box_of: impl Fn(u32) -> Aabb) -> bool {
        let (bounds, grid) = (self.bounds, self.grid());
        self.check_with(|within, child| match child {
            Child::Node(number) => self.nodes.get(number as usize).is_some_and(|node| {
                let node = Node::from_bytes(node);
                let there = |lane: &usize| !node.children[*lane].is_none();
                (0..CHILDREN).filter(there).all(|lane| holds(&within, &node.steps(lane)))
            }),
            Child::Items(mut items) => items.all(|item| {
                let of = box_of(item);
                bounds.union(of) == bounds && holds(&within, &grid.steps(&of))
            }),
        })
    }

    fn check_with(&self, mut accept: impl FnMut(GridBox, Child) -> bool) -> bool {
        let (bounds, nodes) = (self.bounds, self.nodes.len());
        let few = self.items <= LEAF_ITEMS_MAX;
        if self.items > ITEMS_MAX || few != self.nodes.is_empty() {
            return false;
        }
        let Some(root) = self.root() else { return true };
        if !(bounds.min.is_finite() && bounds.max.is_finite()) || bounds.is_empty() {
            return false;
        }
        let mut stack = [WaitingChild { child: root, levels: 0, within: ALL }; WAITING_MAX];
        let (mut waiting, mut next_node, mut next_item) = (1, 0, 0);
        while waiting > 0 {
            waiting -= 1;
            let WaitingChild { child, levels, within } = stack[waiting];
            match child.child() {
                Child::Items(items) => {
                    // Checked to be in range first: only then may `box_of` be called for these
                    // items.
                    let (start, end) = (items.start, items.end);
                    let in_range = start == next_item && end <= self.items;
                    if !in_range || !accept(within, Child::Items(items)) {
                        return false;
                    }
                    next_item = end;
                }
                Child::Node(number) => {
                    let Some(node) = self.nodes.get(number as usize) else { return false };
                    let in_order = number == next_node && levels < LEVELS_MAX;
                    if !in_order || !accept(within, Child::Node(number)) {
                        return false;
                    }
                    next_node += 1;
                    let node = Node::from_bytes(node);
                    let children = node.children.iter().take_while(|child| !child.is_none());
                    let count = children.count();
                    let is_empty = |lane: usize| {
                        node.children[lane].is_none() && node.steps(lane) == Node::EMPTY.steps(lane)
                    };
                    if count < 2 || !(count..CHILDREN).all(is_empty) {
                        return false;
                    }
                    for lane in (0..count).rev() {
                        let (child, within) = (node.children[lane], node.steps(lane));
                        stack[waiting] = WaitingChild { child, levels: levels + 1, within };
                        waiting += 1;
                    }
                }
            }
        }
        next_item == self.items && next_node as usize == nodes
    }
}

fn holds(outer: &GridBox, inner: &GridBox) -> bool {
    (0..3).all(|axis| {
        outer.low[axis] <= inner.low[axis]
            && inner.low[axis] <= inner.high[axis]
            && inner.high[axis] <= outer.high[axis]
    })
}
