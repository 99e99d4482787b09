//! Walks through a tree: what touches a box, what lies along a segment, what comes first.

use std::ops::Range;

use glam::DVec3;

use super::node::{CHILDREN, Child, Node};
use super::quantized_boxes::{GridBox, STEPS};
use super::turned::TurnedBox;
use super::{Tree, WAITING_MAX};
use crate::math::{Aabb, greater, lesser};

/// Bound on the rounding in what follows, relative to the inputs: a handful of operations of 2⁻⁵³
/// each. Sixteen times what they can lose together.
const WALK_ROUNDING: f64 = 1.0 / (1_u64 << 46) as f64;

/// A motion of fewer steps than this along an axis is treated as none, over its whole length. Its
/// inverse would be too large to multiply with.
const STILL_STEPS: f64 = 1.0 / (1_u64 << 30) as f64;

impl Tree<'_> {
    /// Calls `visit` with ascending ranges of items that include all whose boxes touch `region`;
    /// others may be included too.
    #[inline]
    pub(crate) fn in_box(&self, region: &Aabb, mut visit: impl FnMut(Range<u32>)) {
        self.any_in_box(region, |items| {
            visit(items);
            false
        });
    }

    /// As [`in_box`](Self::in_box), until `visit` returns true. Returns whether it did.
    #[inline]
    pub(crate) fn any_in_box(&self, region: &Aabb, visit: impl FnMut(Range<u32>) -> bool) -> bool {
        if !self.bounds.touches(region) {
            return false;
        }
        let region = self.grid().steps(region);
        self.walk(|node| touching(node, &region), visit)
    }

    /// As [`in_box`](Self::in_box), for a box of a frame to which `columns` turn this one: all items whose turned corners
    /// are in `of`, grown by `slack` metres. `region` is a box around it here.
    #[inline]
    pub(crate) fn in_turned_box(
        &self,
        region: &Aabb,
        (columns, of, slack): ([DVec3; 3], &Aabb, f64),
        mut visit: impl FnMut(Range<u32>),
    ) {
        if !self.bounds.touches(region) {
            return;
        }
        let (grid, region) = (self.grid(), self.grid().steps(region));
        let turned = TurnedBox::new(&grid, columns, of, slack);
        let enter = |node: &Node| {
            let (upright, turned) = (touching(node, &region), turned.touching(node));
            std::array::from_fn(|lane| upright[lane] & turned[lane])
        };
        self.walk(enter, |items| {
            visit(items);
            false
        });
    }

    /// Calls `visit` with ascending ranges of items that include all whose boxes, grown by `half`
    /// metres on each side, touch the segment from `from` to `from + motion`; others may be included
    /// too. Components of `half` are 0 or more, and all numbers finite.
    pub(crate) fn along(
        &self,
        from: DVec3,
        motion: DVec3,
        half: DVec3,
        mut visit: impl FnMut(Range<u32>),
    ) {
        if let Some(way) = Way::new(self, from, motion, half) {
            let enter = |node: &Node| way.entries(node, 1.0).map(|entry| entry < f64::INFINITY);
            self.walk(enter, |items| {
                visit(items);
                false
            });
        }
    }

    /// As [`along`](Self::along), but roughly in the order in which the segment meets them. `visit`
    /// receives the greatest fraction of the motion that is still of interest and returns the new
    /// one: items whose boxes begin beyond it are skipped. Returns the last fraction.
    pub(crate) fn nearest(
        &self,
        from: DVec3,
        motion: DVec3,
        half: DVec3,
        until: f64,
        mut visit: impl FnMut(Range<u32>, f64) -> f64,
    ) -> f64 {
        let mut until = until;
        let (Some(way), Some(root)) = (Way::new(self, from, motion, half), self.root()) else {
            return until;
        };
        let mut stack = [(0.0, root); WAITING_MAX];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (entry, child) = stack[waiting];
            if entry > until {
                continue;
            }
            match child.child() {
                Child::Items(items) => until = visit(items, until),
                Child::Node(number) => {
                    let node = Node::from_bytes(&self.nodes[number as usize]);
                    let entries = way.entries(&node, until);
                    let first = waiting;
                    // The farthest lies lowest on the stack; of two at equal distance, the later
                    // child.
                    for lane in (0..CHILDREN).rev() {
                        let entry = entries[lane];
                        if entry == f64::INFINITY {
                            continue;
                        }
                        let mut place = waiting;
                        while place > first && stack[place - 1].0 < entry {
                            stack[place] = stack[place - 1];
                            place -= 1;
                        }
                        stack[place] = (entry, node.children[lane]);
                        waiting += 1;
                    }
                }
            }
        }
        until
    }

    /// Visits, depth first, the items below children that `enter` accepts, until `visit` returns true. Returns
    /// whether it did.
    #[inline]
    fn walk(
        &self,
        enter: impl Fn(&Node) -> [bool; CHILDREN],
        mut visit: impl FnMut(Range<u32>) -> bool,
    ) -> bool {
        let Some(root) = self.root() else { return false };
        let mut stack = [root; WAITING_MAX];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            match stack[waiting].child() {
                Child::Items(items) => {
                    if visit(items) {
                        return true;
                    }
                }
                Child::Node(number) => {
                    let node = Node::from_bytes(&self.nodes[number as usize]);
                    let entered = enter(&node);
                    for lane in (0..CHILDREN).rev() {
                        if entered[lane] && !node.children[lane].is_none() {
                            stack[waiting] = node.children[lane];
                            waiting += 1;
                        }
                    }
                }
            }
        }
        false
    }
}

#[inline]
fn touching(node: &Node, region: &GridBox) -> [bool; CHILDREN] {
    let mut touching = [true; CHILDREN];
    for axis in 0..3 {
        let (low, high) = (region.low[axis], region.high[axis]);
        for (lane, touching) in touching.iter_mut().enumerate() {
            *touching &= (node.low[axis][lane] <= high) & (low <= node.high[axis][lane]);
        }
    }
    touching
}

/// A segment in grid steps.
struct Way {
    from: [f64; 3],
    /// The inverse of the motion; 0 along an axis where there is almost none.
    inverse: [f64; 3],
    /// How far boxes are grown on each side: what was requested, plus what rounding may lose.
    grow: [f64; 3],
    /// Where the segment enters the box around everything, and where it leaves it.
    inside: (f64, f64),
}

impl Way {
    /// `None` if the segment misses everything.
    fn new(tree: &Tree<'_>, from: DVec3, motion: DVec3, half: DVec3) -> Option<Self> {
        let grid = tree.grid();
        let (low, high) = (tree.bounds.min.as_dvec3(), tree.bounds.max.as_dvec3());
        let mut inside = (0.0, 1.0);
        for axis in 0..3 {
            let (from, motion, half) = (from[axis], motion[axis], half[axis]);
            let size = from.abs() + motion.abs() + low[axis].abs() + high[axis].abs() + half;
            let grow = half + size * WALK_ROUNDING;
            // In metres: a tree without extent along an axis has only one step there.
            let still = motion.abs() <= size * WALK_ROUNDING;
            let inverse = if still { 0.0 } else { 1.0 / motion };
            let grow = if still { grow + motion.abs() } else { grow };
            inside = cut(inside, from, inverse, low[axis] - grow, high[axis] + grow);
        }
        if inside.0 > inside.1 {
            return None;
        }
        let steps = [grid.point(from), grid.vector(motion), grid.vector(half)];
        let (mut inverse, mut grow) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let [from, motion, half] = steps.map(|part| part[axis]);
            grow[axis] = half + (from.abs() + motion.abs() + half + 2.0 * STEPS) * WALK_ROUNDING;
            if motion.abs() > STILL_STEPS {
                inverse[axis] = 1.0 / motion;
            } else {
                grow[axis] += motion.abs();
            }
        }
        Some(Self { from: steps[0].to_array(), inverse, grow, inside })
    }

    /// The fraction of the motion at which each child's box is entered; infinite where that is not
    /// before `until`.
    fn entries(&self, node: &Node, until: f64) -> [f64; CHILDREN] {
        let (begin, end) = self.inside;
        let end = lesser(end, until);
        let mut entries = [f64::INFINITY; CHILDREN];
        for (lane, entry) in entries.iter_mut().enumerate() {
            let mut inside = (begin, end);
            for axis in 0..3 {
                let grow = self.grow[axis];
                let low = f64::from(node.low[axis][lane]) - grow;
                let high = f64::from(node.high[axis][lane]) + 1.0 + grow;
                inside = cut(inside, self.from[axis], self.inverse[axis], low, high);
            }
            if inside.0 <= inside.1 && !node.children[lane].is_none() {
                *entry = inside.0;
            }
        }
        entries
    }
}

/// The part of a segment between two planes. It ends before it begins if there is none.
#[inline]
fn cut(inside: (f64, f64), from: f64, inverse: f64, low: f64, high: f64) -> (f64, f64) {
    let (begin, end) = inside;
    if inverse == 0.0 {
        return if low <= from && from <= high { inside } else { (f64::INFINITY, end) };
    }
    let (low, high) = ((low - from) * inverse, (high - from) * inverse);
    let (near, far) = if inverse > 0.0 { (low, high) } else { (high, low) };
    (greater(near, begin), lesser(far, end))
}
