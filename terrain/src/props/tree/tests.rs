//! Trees against brute force over their boxes, and damaged trees.

use std::ops::Range;

use glam::{DVec3, Vec3};
use marchland_random::Random;
use proptest::prelude::*;

use super::{BuiltTree, NODE_BYTES, Tree};
use crate::math::{Aabb, Rotation, greater, lesser};
use crate::props::placement::Placement;

/// A box from a corner and its extent.
fn sized(corner: [f32; 3], extent: [f32; 3]) -> Aabb {
    let min = Vec3::from_array(corner);
    Aabb { min, max: min + Vec3::from_array(extent) }
}

/// Numbers from 0 to 1, the same on every machine.
fn numbers(seed: u64) -> impl FnMut() -> f32 {
    let mut random = Random::from_state(seed);
    move || random.within(0.0, 1.0)
}

/// A tree and its boxes in the order of the tree.
fn built(boxes: &[Aabb]) -> (BuiltTree, Vec<Aabb>) {
    let tree = BuiltTree::of(boxes);
    let mut names = tree.order.clone();
    names.sort_unstable();
    assert!(names.iter().copied().eq(0..boxes.len() as u32), "each item once");
    let sorted = tree.order.iter().map(|&old| boxes[old as usize]).collect();
    (tree, sorted)
}

fn view(tree: &BuiltTree) -> Tree<'_> {
    Tree::new(tree.bounds, &tree.nodes, tree.order.len() as u32)
}

/// Marks the items of ranges, which must ascend without overlapping.
fn marked(items: usize, walk: impl FnOnce(&mut dyn FnMut(Range<u32>))) -> Vec<bool> {
    let (mut marks, mut last) = (vec![false; items], 0);
    walk(&mut |range: Range<u32>| {
        assert!(range.start >= last && range.start < range.end, "{range:?} after {last}");
        last = range.end;
        marks[range.start as usize..range.end as usize].fill(true);
    });
    marks
}

/// Whether a segment touches a box that is grown: accurate enough where neither is close to the
/// other.
fn touched(of: &Aabb, from: DVec3, motion: DVec3, half: DVec3) -> Option<f64> {
    let (low, high) = (of.min.as_dvec3() - half, of.max.as_dvec3() + half);
    let (mut begin, mut end) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let (from, motion) = (from[axis], motion[axis]);
        if motion == 0.0 {
            if !(low[axis] <= from && from <= high[axis]) {
                return None;
            }
            continue;
        }
        let (a, b) = ((low[axis] - from) / motion, (high[axis] - from) / motion);
        let (near, far) = if a < b { (a, b) } else { (b, a) };
        begin = greater(near, begin);
        end = lesser(far, end);
    }
    (begin <= end).then_some(begin)
}

/// All queries, against all boxes. Returns how many items were visited, and how many had to be.
fn compare(boxes: &[Aabb], questions: usize, seed: u64) -> [usize; 2] {
    let (tree, boxes) = built(boxes);
    let tree = view(&tree);
    assert!(tree.check());
    assert!(tree.check_boxes(|item| boxes[item as usize]));
    let mut number = numbers(seed);
    let bounds = tree.bounds;
    let size = bounds.max - bounds.min;
    let mut point = |beyond: f32| {
        let part = Vec3::new(number(), number(), number());
        bounds.min - size * beyond + part * size * (1.0 + 2.0 * beyond)
    };
    let mut sums = [0, 0];
    for question in 0..questions {
        let (a, b) = (point(0.2), point(0.2));
        // Points, boxes, and boxes that end exactly where another begins.
        let exact = boxes[question % boxes.len()];
        let region = match question % 4 {
            0 => Aabb::at(a),
            1 => Aabb { min: exact.max, max: exact.max + (b - bounds.min).abs() * 0.1 },
            2 => Aabb::at(exact.min),
            _ => Aabb::around([a, a + (b - a) * 0.2]),
        };
        let marks = marked(boxes.len(), |visit| tree.in_box(&region, visit));
        for (of, mark) in boxes.iter().zip(&marks) {
            assert!(*mark || !of.touches(&region), "{of:?} not in {region:?}");
            sums[0] += usize::from(*mark);
            sums[1] += usize::from(of.touches(&region));
        }
        // Segments, among them ones along an axis, ones of no length, and ones along a side of a
        // box.
        let (mut from, mut motion) = (a.as_dvec3(), (b - a).as_dvec3());
        for axis in 0..3 {
            if question >> axis & 1 == 1 {
                motion[axis] = 0.0;
                from[axis] = f64::from(exact.max[axis]);
            }
        }
        let half = if question % 3 == 0 { DVec3::ZERO } else { size.as_dvec3() * 0.01 };
        // A segment along the side of a grown box touches it by less than the test's own rounding.
        let touching = |of: &Aabb| touched(of, from, motion, half * (1.0 - 1e-12));
        let marks = marked(boxes.len(), |visit| tree.along(from, motion, half, visit));
        for (of, mark) in boxes.iter().zip(&marks) {
            assert!(*mark || touching(of).is_none(), "{of:?}: {from} {motion}");
        }
        let entries = boxes.iter().filter_map(touching);
        let first = entries.fold(f64::INFINITY, lesser);
        let mut found = f64::INFINITY;
        let until = tree.nearest(from, motion, half, 1.0, |items, until| {
            for item in items {
                let entry = touching(&boxes[item as usize]).unwrap_or(f64::INFINITY);
                found = lesser(entry, found);
            }
            lesser(found, until)
        });
        assert_eq!(found, first, "{from} {motion}");
        assert_eq!(until, lesser(first, 1.0));
    }
    sums
}

#[test]
fn scattered_boxes_are_found_and_few_others() {
    let mut number = numbers(7);
    for count in [1, 2, 7, 8, 9, 10, 16, 17, 33, 100, 5003] {
        let boxes: Vec<Aabb> = (0..count)
            .map(|_| {
                let corner = [number() * 90.0 - 50.0, number() * 7.0, number() * 400.0];
                sized(corner, [number(), number() * number(), number() * 3.0])
            })
            .collect();
        let [visited, needed] = compare(&boxes, 200, count);
        assert!(count < 100 || visited < 6 * needed + 2000, "{count}: {visited} for {needed}");
    }
}

#[test]
fn boxes_of_any_shape_are_found() {
    let one = sized([3.0, -4.0, 5.5], [1.0, 2.0, 0.0]);
    compare(&[one; 1000], 100, 1);
    compare(&[Aabb::at(Vec3::splat(-0.0)); 77], 20, 2);
    // Flat along one axis, a line, the finest spacing of a number, and far from the origin.
    let grid = |f: fn(f32, f32) -> Aabb| -> Vec<Aabb> {
        (0..900_u16).map(|i| f(f32::from(i % 30), f32::from(i / 30))).collect()
    };
    compare(&grid(|x, z| sized([x, 1.5, z], [1.0, 0.0, 1.0])), 300, 3);
    compare(&grid(|x, z| sized([0.0, x + 30.0 * z, 2.0], [0.0, 1.0, 0.0])), 300, 4);
    compare(&grid(|x, z| Aabb::at(Vec3::new(x * 1e-45, z * 1e-44, 0.0))), 300, 5);
    compare(&grid(|x, z| sized([65_000.0 + x, -65_000.0, z * 0.004], [0.5; 3])), 300, 6);
    compare(&grid(|x, z| sized([x * 1e35, z * -1e36, 0.0], [1e34; 3])), 300, 7);
}

#[test]
fn ways_that_just_touch_a_corner_find_its_box() {
    let mut number = numbers(41);
    for round in 0..400 {
        let scale = 0.01 + number() * 300.0;
        let boxes: Vec<Aabb> = (0..20)
            .map(|_| sized([number() * scale, number() - 2.0, number() * 7.0], [0.1; 3]))
            .collect();
        let (tree, boxes) = built(&boxes);
        let tree = view(&tree);
        for (item, of) in boxes.iter().enumerate() {
            for (corner, outward) in [(of.max, 1.0), (of.min, -1.0)] {
                let corner = corner.as_dvec3();
                // Whole eighths: the ends of segments are exact. One ends at the corner, one passes
                // along an edge, and one begins at it.
                let part = f64::from(round % 13 + 1) / 8.0;
                let out = DVec3::new(part, 3.0, 0.625) * outward;
                let along = DVec3::X * (2.0 * part);
                for (from, motion) in
                    [(corner + out, -out), (corner - along * 0.5, along), (corner, out)]
                {
                    let marks = marked(boxes.len(), |v| tree.along(from, motion, DVec3::ZERO, v));
                    assert!(marks[item], "round {round}: {of:?} from {from} by {motion}");
                }
            }
        }
    }
}

#[test]
fn the_nearest_come_first_and_little_behind_them() {
    // A row of 600 walls, and segments through all of them in both directions.
    let walls: Vec<Aabb> =
        (0..600_u16).map(|i| sized([f32::from(i), 0.0, 0.0], [0.25, 5.0, 5.0])).collect();
    let (tree, walls) = built(&walls);
    for (from, motion) in [(-10.0, 1000.0), (700.0, -1000.0), (300.5, 1000.0)] {
        let (from, motion) = (DVec3::new(from, 2.0, 2.5), DVec3::X * motion);
        let mut visited = 0;
        view(&tree).nearest(from, motion, DVec3::ZERO, 1.0, |items, until| {
            visited += items.len();
            let entries =
                items.filter_map(|i| touched(&walls[i as usize], from, motion, DVec3::ZERO));
            entries.fold(until, lesser)
        });
        assert!((1..=8).contains(&visited), "{visited} from {from}");
    }
}

#[test]
fn what_is_met_at_the_very_same_place_comes_as_well() {
    let boxes: Vec<_> = (0..40_u8).map(|i| sized([-f32::from(i); 3], [50.0; 3])).collect();
    let (tree, boxes) = built(&boxes);
    let mut met = vec![false; boxes.len()];
    view(&tree).nearest(DVec3::ONE, DVec3::X, DVec3::ZERO, 1.0, |items, _| {
        met[items.start as usize..items.end as usize].fill(true);
        0.0
    });
    assert!(met.iter().all(|&met| met), "{met:?}");
}

#[test]
fn boxes_that_shrink_without_end_stay_within_the_levels() {
    // Each half as large and half as far from the origin as the previous one, and each many times:
    // the heuristic alone splits them off a few at a time.
    let boxes: Vec<Aabb> = (0..4000)
        .map(|i| {
            let size = f32::from_bits(((i % 250) + 2) << 23);
            let turned = [[1.0, 2.0, 3.0], [-2.0, 1.0, 1.0], [1.0, -1.0, 2.0]][(i % 3) as usize];
            sized(turned.map(|part: f32| part * size * 0.1), [size * 0.05; 3])
        })
        .collect();
    compare(&boxes, 60, 8);
}

#[test]
fn a_million_boxes_are_a_tree() {
    let mut number = numbers(11);
    let boxes: Vec<Aabb> = (0..1_000_003)
        .map(|_| sized([number() * 1000.0, number() * 10.0, number() * 1000.0], [0.3; 3]))
        .collect();
    let (tree, boxes) = built(&boxes);
    let view = view(&tree);
    assert!(view.check() && view.check_boxes(|item| boxes[item as usize]));
    let bytes_per_box = tree.nodes.len() as f64 * NODE_BYTES as f64 / boxes.len() as f64;
    assert!(bytes_per_box < 10.0, "{bytes_per_box}");
    let mut visited = 0;
    view.in_box(&sized([500.0, 5.0, 500.0], [1.0; 3]), |range| visited += range.len());
    assert!(visited < 200, "{visited}");
}

#[test]
fn an_empty_tree_has_nothing() {
    let (tree, _) = built(&[]);
    let tree = view(&tree);
    assert!(tree.check() && tree.check_boxes(|_| Aabb::EMPTY));
    let all = Aabb { min: Vec3::splat(f32::NEG_INFINITY), max: Vec3::splat(f32::INFINITY) };
    tree.in_box(&all, |_| panic!("there is nothing"));
    tree.along(DVec3::ZERO, DVec3::ONE, DVec3::ONE, |_| panic!("there is nothing"));
    assert_eq!(tree.nearest(DVec3::ZERO, DVec3::ONE, DVec3::ONE, 0.5, |_, _| panic!()), 0.5);
}

#[test]
fn numbers_that_are_none_end_a_walk_as_well() {
    let boxes: Vec<_> = (0..50_u8).map(|i| sized([f32::from(i); 3], [1.5; 3])).collect();
    let (tree, _) = built(&boxes);
    let tree = view(&tree);
    for bad in [f64::NAN, f64::INFINITY, -1e300] {
        let bad = DVec3::new(0.5, bad, 0.0);
        tree.along(bad, DVec3::ONE, DVec3::ZERO, |_| ());
        tree.along(DVec3::ONE, bad, DVec3::ZERO, |_| ());
        tree.nearest(DVec3::ONE, DVec3::ONE, bad, 1.0, |_, _| f64::NAN);
        tree.in_box(&Aabb::at(bad.as_vec3()), |_| ());
    }
}

/// A tree of 150 items, 2 levels and more.
fn sound() -> (BuiltTree, Vec<Aabb>) {
    let mut number = numbers(5);
    let boxes: Vec<Aabb> =
        (0..150).map(|_| sized([number() * 9.0, number(), number() * 7.0], [0.4; 3])).collect();
    built(&boxes)
}

#[test]
fn a_tree_with_a_bit_turned_is_refused_or_still_finds_everything() {
    let (sound, boxes) = sound();
    let mut refused = 0;
    for bit in 0..sound.nodes.len() * NODE_BYTES * 8 {
        let mut tree = sound.clone();
        tree.nodes[bit / 8 / NODE_BYTES][bit / 8 % NODE_BYTES] ^= 1 << (bit % 8);
        let view = view(&tree);
        // References are exact; a box may only have grown.
        let in_references = bit / 8 % NODE_BYTES >= 48;
        assert!(!(in_references && view.check()), "bit {bit}");
        if !view.check_boxes(|item| boxes[item as usize]) {
            refused += 1;
            continue;
        }
        for of in &boxes {
            let marks = marked(boxes.len(), |visit| view.in_box(of, visit));
            for (other, mark) in boxes.iter().zip(marks) {
                assert!(mark || !of.touches(other), "bit {bit}");
            }
        }
    }
    assert!(refused > sound.nodes.len() * 16 * 8, "{refused}");
}

#[test]
fn nodes_of_another_number_of_items_are_refused() {
    let (sound, boxes) = sound();
    for items in [0, 1, 8, 149, 151, 1 << 28, u32::MAX] {
        assert!(!Tree::new(sound.bounds, &sound.nodes, items).check(), "{items}");
    }
    assert!(!Tree::new(sound.bounds, &[], 9).check());
    assert!(!Tree::new(sound.bounds, &sound.nodes[..sound.nodes.len() - 1], 150).check());
    let more: Vec<_> = sound.nodes.iter().copied().chain([sound.nodes[0]]).collect();
    assert!(!Tree::new(sound.bounds, &more, 150).check());
    let mut bounds = sound.bounds;
    bounds.max.x = f32::NAN;
    assert!(!Tree::new(bounds, &sound.nodes, 150).check());
    assert!(!Tree::new(Aabb::EMPTY, &[], 3).check());
    bounds.max.x = sound.bounds.max.x * 0.9;
    assert!(!Tree::new(bounds, &sound.nodes, 150).check_boxes(|item| boxes[item as usize]));
}

#[test]
fn nodes_deeper_than_a_walk_has_room_for_are_refused() {
    use super::node::{Node, NodeRef};
    // A chain: each node has a leaf and the next node, the last one two leaves.
    let chain = |nodes: u32| -> Vec<[u8; NODE_BYTES]> {
        (0..nodes)
            .map(|number| {
                let mut node = Node::EMPTY;
                let steps = super::quantized_boxes::GridBox { low: [0; 3], high: [u16::MAX; 3] };
                let last = NodeRef::items(8 * number + 8, 8).unwrap();
                let rest = if number + 1 == nodes { last } else { NodeRef::node(number + 1) };
                node.set(0, steps, NodeRef::items(8 * number, 8).unwrap());
                node.set(1, steps, rest);
                node.to_bytes()
            })
            .collect()
    };
    let bounds = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    let levels = super::LEVELS_MAX as u32;
    let tree = chain(levels);
    let tree = Tree::new(bounds, &tree, 8 * levels + 8);
    assert!(tree.check());
    let mut visited = 0;
    tree.in_box(&bounds, |items| visited += items.len());
    assert_eq!(visited, 8 * super::LEVELS_MAX + 8);
    assert!(!Tree::new(bounds, &chain(levels + 1), 8 * levels + 16).check());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_boxes_are_found(
        corners in prop::collection::vec(prop::array::uniform3(-8_i8..8), 1..120),
        extent in prop::array::uniform3(0_u8..4),
        scale in prop::sample::select(vec![1.0_f32, 0.1, 1e-30, 4321.7]),
        seed in 1_u64..u64::MAX,
    ) {
        // Whole numbers: many boxes that touch in a face, an edge or a corner, and many equal ones.
        let boxes: Vec<Aabb> = corners
            .into_iter()
            .map(|corner| {
                let corner = corner.map(|part| f32::from(part) * scale);
                sized(corner, extent.map(|part| f32::from(part) * scale))
            })
            .collect();
        compare(&boxes, 40, seed);
    }
}

#[test]
fn a_turned_box_is_told_all_that_it_touches_and_a_third_less_than_an_upright_one_around_it() {
    let mut number = numbers(31);
    let [mut turned_told, mut upright_told, mut touched] = [0; 3];
    for round in 0..400 {
        let mut point = |size: f32| Vec3::new(number(), number(), number()) * size;
        // Of flat trees all steps along an axis are one.
        let flat = if round % 8 == 0 { Vec3::new(1.0, 0.0, 1.0) } else { Vec3::ONE };
        let boxes: Vec<_> = (0..1000)
            .map(|_| sized((point(20.0) * flat).to_array(), (point(0.5) * flat).to_array()))
            .collect();
        let (built, boxes) = built(&boxes);
        let tree = view(&built);
        let rotation = Rotation::from_degrees((point(360.0)).to_array().map(f64::from));
        let scale = [1.0, 0.01, 3.7, 250.0][round % 4];
        let placement = Placement::new(rotation, scale).unwrap();
        let columns = placement.placer().columns();
        let middle = point(20.0).as_dvec3();
        let middle = columns[0] * middle.x + columns[1] * middle.y + columns[2] * middle.z;
        let of = Aabb::at(middle.as_vec3()).grown(3.0 * scale);
        let region = placement.unplaced(&of);
        let marks = marked(boxes.len(), |visit| {
            tree.in_turned_box(&region, (columns, &of, 0.0), visit);
        });
        for (item, mark) in boxes.iter().zip(&marks) {
            let around = Aabb::around(item.corners().map(|corner| {
                let [x, y, z] = corner.as_dvec3().to_array();
                (columns[0] * x + columns[1] * y + columns[2] * z).as_vec3()
            }));
            let touches = around.touches(&of) && item.touches(&region);
            assert!(*mark || !touches, "{item:?} {placement:?} {of:?}");
            touched += usize::from(touches);
        }
        turned_told += marks.iter().filter(|mark| **mark).count();
        tree.in_box(&region, |items| upright_told += items.len());
    }
    assert!(touched > 2000, "{touched}");
    assert!(
        3 * turned_told < 2 * upright_told,
        "{turned_told} of {upright_told}, {touched} touched"
    );
}
