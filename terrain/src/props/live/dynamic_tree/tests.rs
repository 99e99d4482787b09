use std::collections::BTreeMap;

use glam::DVec3;
use marchland_random::Random;

use super::*;
use crate::math::{SectorCoord, SectorSize, greater};

fn cube(x: f64, y: f64, z: f64, half: f64) -> WorldBox {
    let (middle, half) = (DVec3::new(x, y, z), DVec3::splat(half));
    let size = SectorSize::new(64.0).unwrap();
    WorldBox::around(SectorCoord::new(0, 0), middle - half, middle + half, size)
}

/// Checks everything that must hold below a node; counts leaves.
fn check(tree: &DynamicTree, at: u32, parent: u32) -> (u32, u32) {
    let node = tree.node(at);
    assert_eq!(node.parent, parent);
    let Link::Inner(children) = node.link else {
        assert_eq!(node.height, 0);
        return (0, 1);
    };
    let [(left, some), (right, others)] = children.map(|child| check(tree, child, at));
    let [a, b] = children.map(|child| tree.node(child).bounds);
    assert!(left.abs_diff(right) <= LEAN_MAX, "{left} beside {right}");
    assert_eq!((node.height, node.bounds), (1 + left.max(right), a.union(&b)));
    (node.height, some + others)
}

fn check_all(tree: &DynamicTree, leaves: u32) {
    if tree.root == NONE {
        assert_eq!(leaves, 0);
    } else {
        assert_eq!(check(tree, tree.root, NONE).1, leaves);
        // A tree of height h with the fewest leaves has one of h − 1 and one of h − 3 below it: x³ =
        // x² + 1 gives their growth, 1.4656, by which the heights grow.
        let most = 1.8132 * libm::log2(f64::from(leaves)) + 1.0;
        assert!(f64::from(tree.height()) <= most, "{} of {most}", tree.height());
    }
}

#[test]
fn boxes_in_sorted_order_or_all_in_one_place_make_no_deep_tree() {
    let orders: [fn(u32) -> WorldBox; 4] = [
        |i| cube(f64::from(i), 0.0, 0.0, 0.4),
        |i| cube(-f64::from(i), f64::from(i), 0.0, 30.0),
        |_| cube(1.0, 2.0, 3.0, 0.5),
        |i| cube(0.0, 0.0, 0.0, f64::from(i)), // each around all before it
    ];
    for order in orders {
        let mut tree = DynamicTree::new();
        for i in 0..10_000 {
            tree.insert(i, order(i));
        }
        check_all(&tree, 10_000);
    }
}

#[test]
fn boxes_that_come_and_go_leave_a_balanced_tree_and_no_lost_node() {
    let mut tree = DynamicTree::new();
    let mut leaves = BTreeMap::new();
    let mut random = Random::from_state(0x2545_f491_4f6c_dd1d);
    let mut most = 0;
    for step in 0..30_000_u32 {
        let state = random.bits();
        // A tide: many come, many go, down to none.
        let coming = if step / 3000 % 2 == 0 { 900 } else { 80 };
        if state % 1000 < coming {
            let part = |shift: u32| (state >> shift & 0x3ff) as f64 - 512.0;
            leaves.insert(step, tree.insert(step, cube(part(10), part(20), part(30), 2.0)));
        } else if let Some((&number, &leaf)) =
            leaves.range((state >> 40) as u32 % (step + 1)..).next()
        {
            tree.remove(leaf);
            leaves.remove(&number);
        }
        most = greater(leaves.len(), most);
        if step % 100 == 0 {
            check_all(&tree, leaves.len() as u32);
            let mut all = Vec::new();
            tree.walk(|_| true, |number| all.push(number));
            all.sort_unstable();
            assert!(all.iter().eq(leaves.keys()));
        }
    }
    for leaf in leaves.into_values() {
        tree.remove(leaf);
    }
    check_all(&tree, 0);
    assert!(most > 2000 && tree.nodes.len() <= 2 * most, "{} for {most}", tree.nodes.len());
}

#[test]
fn finding_among_many_looks_at_few() {
    let mut tree = DynamicTree::new();
    let mut random = Random::from_state(0x9e37_79b9_7f4a_7c15);
    let mut place = || {
        let state = random.bits();
        [state >> 20, state >> 42].map(|bits| (bits & 0x3f_ffff) as f64 / 1024.0)
    };
    for i in 0..100_000 {
        let [x, z] = place();
        tree.insert(i, cube(x, 0.0, z, 2.0));
    }
    let mut looked = 0_u32;
    for _ in 0..1000 {
        let [x, z] = place();
        let region = cube(x, 0.0, z, 1.0);
        let look = |bounds: &WorldBox| {
            looked += 1;
            bounds.touches(&region)
        };
        tree.walk(look, |_| {});
    }
    // 112 each; without the rotations for smaller boxes 137, and 417 if it may lean by one only.
    assert!(looked < 118 * 1000, "{looked}");
}
