//! The 64 bytes of a node.

use std::ops::Range;

use super::quantized_boxes::GridBox;

/// Most items of a tree.
pub(crate) const ITEMS_MAX: u32 = 1 << 28;

/// Most items of a leaf. A tree with no more has no node at all.
pub(crate) const LEAF_ITEMS_MAX: u32 = 8;

pub(crate) const NODE_BYTES: usize = 64;

/// Most children of a node.
pub(super) const CHILDREN: usize = 4;

/// No child. As a leaf it would name items beyond the last possible one.
const EMPTY: u32 = u32::MAX;
/// Flag bit of a reference to items: the three bits below it hold their number minus one, the rest
/// the index of the first.
const LEAF: u32 = 1 << 31;
const COUNT_SHIFT: u32 = 28;

const _: () = assert!(ITEMS_MAX == 1 << COUNT_SHIFT);
const _: () = assert!(LEAF_ITEMS_MAX == 1 << (31 - COUNT_SHIFT));
const _: () = assert!(CHILDREN * (6 * 2 + 4) == NODE_BYTES);

/// A reference to a child, packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeRef(u32);

/// What a child is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Child {
    /// Another node, by its number.
    Node(u32),
    /// Items.
    Items(Range<u32>),
}

impl NodeRef {
    pub(super) const NONE: Self = Self(EMPTY);

    /// A node, by its number.
    pub(super) fn node(number: u32) -> Self {
        Self(number & !LEAF)
    }

    /// One to eight items; `None` for any other number.
    pub(super) fn items(first: u32, count: u32) -> Option<Self> {
        let fits = (1..=LEAF_ITEMS_MAX).contains(&count) && first < ITEMS_MAX;
        fits.then(|| Self(LEAF | (count - 1) << COUNT_SHIFT | first))
    }

    pub(super) fn is_none(self) -> bool {
        self.0 == EMPTY
    }

    /// The child that it refers to. Must not be called on [`NONE`](Self::NONE).
    #[inline]
    pub(super) fn child(self) -> Child {
        if self.0 & LEAF == 0 {
            Child::Node(self.0)
        } else {
            let first = self.0 & (ITEMS_MAX - 1);
            Child::Items(first..first + (self.0 >> COUNT_SHIFT & (LEAF_ITEMS_MAX - 1)) + 1)
        }
    }
}

/// A node, unpacked. Arrays are indexed by axis, then by child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) low: [[u16; CHILDREN]; 3],
    pub(super) high: [[u16; CHILDREN]; 3],
    pub(super) children: [NodeRef; CHILDREN],
}

impl Node {
    /// No children: boxes that contain nothing.
    pub(super) const EMPTY: Self = Self {
        low: [[u16::MAX; CHILDREN]; 3],
        high: [[0; CHILDREN]; 3],
        children: [NodeRef::NONE; CHILDREN],
    };

    /// Sets a child.
    pub(super) fn set(&mut self, lane: usize, of: GridBox, child: NodeRef) {
        for axis in 0..3 {
            self.low[axis][lane] = of.low[axis];
            self.high[axis][lane] = of.high[axis];
        }
        self.children[lane] = child;
    }

    /// The box of a child.
    pub(super) fn steps(&self, lane: usize) -> GridBox {
        GridBox { low: self.low.map(|row| row[lane]), high: self.high.map(|row| row[lane]) }
    }

    pub(super) fn to_bytes(self) -> [u8; NODE_BYTES] {
        let mut bytes = [0; NODE_BYTES];
        let (boxes, children) = bytes.split_at_mut(6 * 2 * CHILDREN);
        let steps = self.low.iter().chain(&self.high).flatten();
        for (out, step) in boxes.as_chunks_mut::<2>().0.iter_mut().zip(steps) {
            *out = step.to_le_bytes();
        }
        for (out, child) in children.as_chunks_mut::<4>().0.iter_mut().zip(self.children) {
            *out = child.0.to_le_bytes();
        }
        bytes
    }

    #[inline]
    pub(super) fn from_bytes(bytes: &[u8; NODE_BYTES]) -> Self {
        let rows = bytes.as_chunks::<8>().0;
        let steps = |row: usize| {
            let [a, b, c, d, e, f, g, h] = rows[row];
            [[a, b], [c, d], [e, f], [g, h]].map(u16::from_le_bytes)
        };
        let pair = |row: usize| {
            let [a, b, c, d, e, f, g, h] = rows[row];
            [[a, b, c, d], [e, f, g, h]].map(|child| NodeRef(u32::from_le_bytes(child)))
        };
        let ([first, second], [third, fourth]) = (pair(6), pair(7));
        Self {
            low: [steps(0), steps(1), steps(2)],
            high: [steps(3), steps(4), steps(5)],
            children: [first, second, third, fourth],
        }
    }
}
