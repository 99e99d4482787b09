//! Builds a tree from boxes, from the top down. The same boxes give the same tree on every machine.

use std::ops::Range;

use super::node::{CHILDREN, Node, NodeRef};
use super::quantized_boxes::Grid;
use super::{BuiltTree, ITEMS_MAX, LEAF_ITEMS_MAX, LEVELS_MAX};
use crate::math::Aabb;

/// Target number of items of a leaf. If larger, a walk visits many needlessly; if smaller, nodes
/// take more memory than their items.
const LEAF_ITEMS: usize = 4;

/// One more than the number of places along an axis at which a part may be cut.
const BINS: usize = 16;

/// A box to be put into the tree, and its index in the input.
#[derive(Clone, Copy, Debug)]
struct Item {
    of: Aabb,
    old: u32,
}

/// Items that become a child of the node being built.
#[derive(Clone, Debug)]
struct Part {
    items: Range<usize>,
    bounds: Aabb,
}

struct Builder {
    items: Vec<Item>,
    scratch: Vec<Item>,
    grid: Grid,
    nodes: Vec<[u8; super::NODE_BYTES]>,
}

impl BuiltTree {
    /// A tree over boxes. No box may be empty, all must be finite, and there are at most 2²⁸.
    pub(crate) fn of(boxes: &[Aabb]) -> Self {
        debug_assert!(boxes.len() <= ITEMS_MAX as usize);
        let items: Vec<Item> = (0..).zip(boxes).map(|(old, &of)| Item { of, old }).collect();
        let bounds = union(&items);
        let mut builder =
            Builder { items, scratch: Vec::new(), grid: Grid::over(&bounds), nodes: Vec::new() };
        if boxes.len() > LEAF_ITEMS_MAX as usize {
            builder.node(&Part { items: 0..boxes.len(), bounds }, LEVELS_MAX);
        }
        let order = builder.items.iter().map(|item| item.old).collect();
        Self { bounds, nodes: builder.nodes, order }
    }
}

impl Builder {
    /// Builds a node, with `levels` from here to the deepest allowed, and returns its number.
    fn node(&mut self, whole: &Part, levels: usize) -> u32 {
        let number = self.nodes.len();
        self.nodes.push(Node::EMPTY.to_bytes());
        let mut node = Node::EMPTY;
        for (lane, part) in self.children(whole, levels).into_iter().enumerate() {
            let (first, count) = (part.items.start as u32, part.items.len());
            let leaf = NodeRef::items(first, count as u32).filter(|_| count <= LEAF_ITEMS);
            let steps = self.grid.steps(&part.bounds);
            let child = leaf.unwrap_or_else(|| NodeRef::node(self.node(&part, levels - 1)));
            node.set(lane, steps, child);
        }
        self.nodes[number] = node.to_bytes();
        number as u32
    }

    /// Cuts a part into two to four, always the largest that is not a leaf. If one of them would
    /// then have too many items for the remaining levels, they are cut into equal numbers.
    fn children(&mut self, whole: &Part, levels: usize) -> Vec<Part> {
        let mut parts = Vec::with_capacity(CHILDREN);
        parts.push(whole.clone());
        while parts.len() < CHILDREN {
            let open = parts.iter().enumerate().filter(|(_, part)| part.items.len() > LEAF_ITEMS);
            let size = |part: &Part| (half_area(&part.bounds), part.items.len());
            let largest = open.reduce(|a, b| if size(b.1) > size(a.1) { b } else { a });
            let Some((largest, part)) = largest else { break };
            let [low, high] = self.cut(&part.clone());
            parts[largest] = low;
            parts.insert(largest + 1, high);
        }
        // Most items that fit below a node that has one level less; a leaf has none.
        let room = LEAF_ITEMS.saturating_mul(CHILDREN.saturating_pow(levels as u32 - 1));
        if parts.iter().any(|part| part.items.len() > room) {
            return self.quarters(whole);
        }
        parts
    }

    /// Cuts a part where the binned surface area heuristic is cheapest; in the middle where all
    /// centres coincide.
    fn cut(&mut self, part: &Part) -> [Part; 2] {
        let items = &mut self.items[part.items.clone()];
        let centres = items.iter().fold(Aabb::EMPTY, |sum, i| sum.union(Aabb::at(centre(i))));
        let low_count = match best_cut(items, &centres) {
            Some(cut) => partition(items, &mut self.scratch, |item| {
                Binning::new(&centres, cut.axis).bin(item) <= cut.last_bin
            }),
            None => (items.len() / 2).next_multiple_of(LEAF_ITEMS),
        };
        let middle = part.items.start + low_count;
        [part.items.start..middle, middle..part.items.end].map(|items| self.part(items))
    }

    /// Cuts a part into equal numbers along its longest side.
    fn quarters(&mut self, whole: &Part) -> Vec<Part> {
        let items = &mut self.items[whole.items.clone()];
        let extent = (whole.bounds.max - whole.bounds.min).to_array();
        let longest = (0..3).reduce(|a, b| if extent[b] > extent[a] { b } else { a }).unwrap_or(0);
        items.sort_unstable_by(|a, b| {
            centre(a)[longest].total_cmp(&centre(b)[longest]).then(a.old.cmp(&b.old))
        });
        let quarter = whole.items.len().div_ceil(CHILDREN);
        let starts = whole.items.clone().step_by(quarter);
        let end = |start: usize| (start + quarter).min(whole.items.end);
        starts.map(|start| self.part(start..end(start))).collect()
    }

    fn part(&self, items: Range<usize>) -> Part {
        let bounds = union(&self.items[items.clone()]);
        Part { items, bounds }
    }
}

/// A cut behind a bin.
struct Cut {
    axis: usize,
    last_bin: usize,
}

/// The contents of one bin or several.
#[derive(Clone, Copy)]
struct Bin {
    bounds: Aabb,
    count: usize,
}

impl Bin {
    const EMPTY: Self = Self { bounds: Aabb::EMPTY, count: 0 };

    fn with(self, other: &Self) -> Self {
        Self { bounds: self.bounds.union(other.bounds), count: self.count + other.count }
    }

    /// Area times leaves: a leaf costs the same however full it is, so cuts fill them.
    fn cost(&self) -> f64 {
        half_area(&self.bounds) * self.count.div_ceil(LEAF_ITEMS) as f64
    }
}

/// Maps an item to a bin along an axis, by its centre.
struct Binning {
    axis: usize,
    low: f32,
    bins_per_metre: f32,
}

impl Binning {
    fn new(centres: &Aabb, axis: usize) -> Self {
        let (low, high) = (centres.min[axis], centres.max[axis]);
        Self { axis, low, bins_per_metre: BINS as f32 / (high - low) }
    }

    fn bin(&self, item: &Item) -> usize {
        let bin = ((centre(item)[self.axis] - self.low) * self.bins_per_metre) as usize;
        bin.min(BINS - 1)
    }
}

/// The cheapest cut; among equal ones the one with more equal numbers, then the first. `None` where
/// all centres coincide.
fn best_cut(items: &[Item], centres: &Aabb) -> Option<Cut> {
    let mut best: Option<((f64, usize), Cut)> = None;
    for axis in 0..3 {
        let binning = Binning::new(centres, axis);
        if !binning.bins_per_metre.is_finite() {
            continue;
        }
        let mut bins = [Bin::EMPTY; BINS];
        for item in items {
            let bin = &mut bins[binning.bin(item)];
            *bin = bin.with(&Bin { bounds: item.of, count: 1 });
        }
        let mut above = [Bin::EMPTY; BINS];
        for bin in (1..BINS).rev() {
            above[bin - 1] = bins[bin].with(&above[bin]);
        }
        let mut below = Bin::EMPTY;
        for last_bin in 0..BINS - 1 {
            below = below.with(&bins[last_bin]);
            let above = &above[last_bin];
            if below.count == 0 || above.count == 0 {
                continue;
            }
            let key = (below.cost() + above.cost(), below.count.abs_diff(above.count));
            if best.as_ref().is_none_or(|(least, _)| key < *least) {
                best = Some((key, Cut { axis, last_bin }));
            }
        }
    }
    best.map(|(_, cut)| cut)
}

/// Moves items that are `low` before the others, keeping the order of both, and returns their
/// number.
fn partition(items: &mut [Item], scratch: &mut Vec<Item>, low: impl Fn(&Item) -> bool) -> usize {
    scratch.clear();
    let mut low_count = 0;
    for at in 0..items.len() {
        let item = items[at];
        if low(&item) {
            items[low_count] = item;
            low_count += 1;
        } else {
            scratch.push(item);
        }
    }
    items[low_count..].copy_from_slice(scratch);
    low_count
}

fn centre(item: &Item) -> glam::Vec3 {
    // Halved before adding: the sum of two large coordinates could be infinite.
    item.of.min * 0.5 + item.of.max * 0.5
}

fn union(items: &[Item]) -> Aabb {
    items.iter().fold(Aabb::EMPTY, |sum, item| sum.union(item.of))
}

/// Half the surface of a box, square metres.
fn half_area(of: &Aabb) -> f64 {
    let size = of.max.as_dvec3() - of.min.as_dvec3();
    size.x * size.y + size.y * size.z + size.z * size.x
}
