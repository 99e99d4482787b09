//! A bounding volume tree in which boxes change one at a time: when, is decided in `motion` and `live`.
//!
//! A new box descends from the root to where it adds the least surface (E. Catto, "Dynamic Bounding Volume
//! Hierarchies", GDC 2019, after the greedy descent of N. Presson's `btDbvt`). The rotations of G.
//! Adelson-Velsky and E. Landis, "An Algorithm for the Organization of Information", 1962, keep the tree
//! balanced. The rotations of D. Kopta and others, "Fast, Effective BVH Updates for Animated Scenes", I3D
//! 2012, keep its boxes small where they leave it balanced. The heights of two siblings differ by two at
//! most, so `n` boxes are never deeper than 1.82 log₂ n + 1, whatever their order of insertion. Leaves are
//! not ordered, so a single rotation is always enough.
//!
//! ```text
//!        a                up
//!       ╱ ╲              ╱  ╲
//!    keep  up    ─▶     a   stay      where `up` is three higher than `keep`
//!         ╱  ╲         ╱ ╲            and `stay` no lower than `given`
//!     given  stay   keep  given
//! ```

use super::world_box::WorldBox;
use crate::math::greater;

/// No node.
const NONE: u32 = u32::MAX;

/// The most by which the heights of two siblings may differ. With 1, a tree is a little flatter, but balance
/// overrules nearness more often: to find one of 100 000 boxes it tests 120 boxes, with 2 it tests 112.
const LEAN_MAX: u32 = 2;

/// Deeper than any tree of 2³¹ leaves that is balanced this way.
const DEPTH_MAX: usize = 64;

/// A tree over boxes; each leaf has a number.
#[derive(Clone, Debug)]
pub(crate) struct DynamicTree {
    nodes: Vec<Node>,
    root: u32,
    /// The first of the unused nodes. Each unused node has the next as its parent.
    free: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: WorldBox,
    parent: u32,
    height: u32,
    link: Link,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Link {
    /// Two nodes below.
    Inner([u32; 2]),
    /// The number that was inserted.
    Leaf(u32),
}

impl DynamicTree {
    /// An empty tree.
    pub(crate) const fn new() -> Self {
        Self { nodes: Vec::new(), root: NONE, free: NONE }
    }

    /// Becomes a copy of another tree, reusing memory.
    pub(crate) fn copy_from(&mut self, from: &Self) {
        self.nodes.clone_from(&from.nodes);
        (self.root, self.free) = (from.root, from.free);
    }

    /// Inserts a box and returns its leaf, which stays valid until it is removed.
    pub(crate) fn insert(&mut self, number: u32, bounds: WorldBox) -> u32 {
        let leaf = self.take(Node { bounds, parent: NONE, height: 0, link: Link::Leaf(number) });
        if self.root == NONE {
            self.root = leaf;
            return leaf;
        }
        let sibling = self.best_sibling(&bounds);
        let above = self.node(sibling).parent;
        let link = Link::Inner([sibling, leaf]);
        let parent = self.take(Node { bounds, parent: above, height: 1, link });
        self.replace_below(above, sibling, parent);
        self.node_mut(sibling).parent = parent;
        self.node_mut(leaf).parent = parent;
        self.mend_from(parent);
        leaf
    }

    /// Removes a leaf.
    pub(crate) fn remove(&mut self, leaf: u32) {
        let parent = self.node(leaf).parent;
        self.give_back(leaf);
        let Some([a, b]) = self.below(parent) else {
            self.root = NONE;
            return;
        };
        let sibling = if a == leaf { b } else { a };
        let above = self.node(parent).parent;
        self.replace_below(above, parent, sibling);
        self.node_mut(sibling).parent = above;
        self.give_back(parent);
        self.mend_from(above);
    }

    /// The box of a leaf, as it was inserted.
    pub(crate) fn bounds(&self, leaf: u32) -> &WorldBox {
        &self.node(leaf).bounds
    }

    /// Calls `visit` with the number of every leaf that `touches` accepts, in no particular order. `touches`
    /// must accept every box that contains a box that it accepts.
    #[inline]
    pub(crate) fn walk(
        &self,
        mut touches: impl FnMut(&WorldBox) -> bool,
        mut visit: impl FnMut(u32),
    ) {
        // The nodes still to be visited: one of each depth.
        let mut waiting = [NONE; DEPTH_MAX];
        let mut count = 0;
        let mut at = self.root;
        while at != NONE {
            let node = self.node(at);
            at = NONE;
            if touches(&node.bounds) {
                match node.link {
                    Link::Leaf(number) => visit(number),
                    Link::Inner([a, b]) => {
                        waiting[count] = b;
                        count += 1;
                        at = a;
                        continue;
                    }
                }
            }
            if count > 0 {
                count -= 1;
                at = waiting[count];
            }
        }
    }

    /// Number of edges from the root to the deepest leaf; 0 if the tree is empty.
    #[cfg(test)]
    pub(crate) fn height(&self) -> u32 {
        if self.root == NONE { 0 } else { self.node(self.root).height }
    }

    /// The node beside which a box adds the least surface. Descends to the child where it adds less, as long
    /// as that costs less than a new parent here. High up it always descends: a leaf beside a tall node would
    /// be too unbalanced for one rotation.
    fn best_sibling(&self, bounds: &WorldBox) -> u32 {
        let mut at = self.root;
        while let Some(children) = self.below(at) {
            let here = &self.node(at).bounds;
            let grown = here.union(bounds).half_surface();
            let inherited = grown - here.half_surface();
            let [first, second] = children.map(|child| {
                let node = self.node(child);
                let grown = node.bounds.union(bounds).half_surface();
                let new = match node.link {
                    Link::Leaf(_) => grown,
                    Link::Inner(_) => grown - node.bounds.half_surface(),
                };
                new + inherited
            });
            if self.node(at).height <= LEAN_MAX && grown < first && grown < second {
                break;
            }
            at = children[usize::from(second < first)];
        }
        at
    }

    /// Balances and measures the nodes again, from a node up to the root.
    fn mend_from(&mut self, from: u32) {
        let mut at = from;
        while let Some(children) = self.below(at) {
            let [left, right] = children.map(|child| self.node(child).height);
            let top = if left > right + LEAN_MAX {
                self.rotate(at, children[0], children[1])
            } else if right > left + LEAN_MAX {
                self.rotate(at, children[1], children[0])
            } else {
                self.measure(at);
                at
            };
            self.improve(top);
            at = self.node(top).parent;
        }
    }

    /// Swaps a child of a node with a grandchild below the other child, if that makes the boxes smaller and
    /// changes no height here or above. Balance alone would mix far and near boxes.
    fn improve(&mut self, at: u32) {
        let Some([left, right]) = self.below(at) else { return };
        let height = self.node(at).height;
        let mut best = (0.0, None);
        for (child, beside) in [(left, right), (right, left)] {
            let Some([first, second]) = self.below(beside) else { continue };
            for (up, stay) in [(first, second), (second, first)] {
                let [down_height, up_height, stay_height] =
                    [child, up, stay].map(|node| self.node(node).height);
                let beside_height = greater(down_height, stay_height) + 1;
                if down_height.abs_diff(stay_height) > LEAN_MAX
                    || beside_height.abs_diff(up_height) > LEAN_MAX
                    || greater(beside_height, up_height) + 1 != height
                {
                    continue;
                }
                let new = self.node(child).bounds.union(&self.node(stay).bounds);
                let gain = self.node(beside).bounds.half_surface() - new.half_surface();
                if gain > best.0 {
                    best = (gain, Some([child, beside, up, stay]));
                }
            }
        }
        if let Some([down, beside, up, stay]) = best.1 {
            self.node_mut(at).link = Link::Inner([up, beside]);
            self.node_mut(beside).link = Link::Inner([down, stay]);
            self.node_mut(up).parent = at;
            self.node_mut(down).parent = beside;
            self.measure(beside);
        }
    }

    /// Puts `up`, a child of `at`, in the place of `at`, and `at` below it; see the drawing. Returns the node
    /// on top.
    fn rotate(&mut self, at: u32, up: u32, keep: u32) -> u32 {
        let Some([first, second]) = self.below(up) else { return at };
        let [high, low] = [first, second].map(|child| self.node(child).height);
        // The higher one stays. Of two equally high ones, the one that would add more surface beside `keep`
        // stays.
        let beside_keep =
            |child: u32| self.node(keep).bounds.union(&self.node(child).bounds).half_surface();
        let first_stays = high > low || (high == low && beside_keep(first) >= beside_keep(second));
        let (stay, given) = if first_stays { (first, second) } else { (second, first) };
        let above = self.node(at).parent;
        self.replace_below(above, at, up);
        *self.node_mut(up) =
            Node { parent: above, link: Link::Inner([at, stay]), ..*self.node(up) };
        *self.node_mut(at) =
            Node { parent: up, link: Link::Inner([keep, given]), ..*self.node(at) };
        self.node_mut(given).parent = at;
        self.measure(at);
        self.measure(up);
        up
    }

    /// Computes the box and height of a node from those of its children.
    fn measure(&mut self, at: u32) {
        let Some([a, b]) = self.below(at) else { return };
        let (a, b) = (self.node(a), self.node(b));
        let height = 1 + greater(a.height, b.height);
        let bounds = a.bounds.union(&b.bounds);
        *self.node_mut(at) = Node { bounds, height, ..*self.node(at) };
    }

    /// Puts `new` where `old` was below `above`; if `above` is no node, `new` becomes the root.
    fn replace_below(&mut self, above: u32, old: u32, new: u32) {
        match self.below(above) {
            None => self.root = new,
            Some(children) => {
                let link =
                    Link::Inner(children.map(|child| if child == old { new } else { child }));
                self.node_mut(above).link = link;
            }
        }
    }

    /// The two nodes below; `None` for a leaf or no node.
    #[inline]
    fn below(&self, at: u32) -> Option<[u32; 2]> {
        match self.nodes.get(at as usize)?.link {
            Link::Inner(children) => Some(children),
            Link::Leaf(_) => None,
        }
    }

    #[inline]
    fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    fn node_mut(&mut self, at: u32) -> &mut Node {
        &mut self.nodes[at as usize]
    }

    fn take(&mut self, node: Node) -> u32 {
        let at = self.free;
        if at == NONE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        self.free = self.node(at).parent;
        *self.node_mut(at) = node;
        at
    }

    fn give_back(&mut self, at: u32) {
        self.node_mut(at).parent = self.free;
        self.free = at;
    }
}

#[cfg(test)]
mod tests;
