//! Node graphs: trees of any breadth, no deeper than they should be, and nothing but trees.

use marchland_terrain::glam::Vec3;
use serde_json::{Value, json};

use crate::fixtures::*;

fn with_nodes(nodes: &[Value]) -> Parts {
    pyramid().with("/nodes", json!(nodes))
}

/// A chain of so many nodes, the last with the mesh, each one metre along X from its parent.
fn chain(nodes: usize) -> Parts {
    let link = |i: usize| match i + 1 == nodes {
        true => json!({ "mesh": 0, "translation": [1, 0, 0] }),
        false => json!({ "children": [i + 1], "translation": [1, 0, 0] }),
    };
    with_nodes(&(0..nodes).map(link).collect::<Vec<_>>())
}

#[test]
fn a_chain_is_followed_to_the_deepest_that_is_allowed() {
    // A root, and a thousand below it.
    let file = loaded(&chain(1001));
    assert_eq!(file.mesh.vertices[0], Vec3::new(1001.0, 0.0, 0.0));
    let message = refusal(&chain(1002));
    assert_eq!(message, "node 1001: is more than 1000 levels below its root");
}

#[test]
fn a_chain_of_two_hundred_thousand_does_not_overflow_the_stack() {
    // In a thread with little stack, so that recursion would show.
    let refused = std::thread::Builder::new().stack_size(256 * 1024);
    let refused = refused.spawn(|| refusal(&chain(200_000))).unwrap().join().unwrap();
    assert!(refused.contains("more than 1000"), "{refused}");
}

#[test]
fn a_hundred_thousand_nodes_side_by_side_are_fine() {
    let mut nodes = vec![json!({ "children": (1..=100_000).collect::<Vec<_>>() })];
    nodes.extend((0..100_000).map(|_| json!({})));
    nodes[77_777] = json!({ "mesh": 0 });
    assert_eq!(corners(&loaded(&with_nodes(&nodes)).mesh), pyramid_corners());
}

#[test]
fn whatever_is_not_a_tree_is_refused_by_its_node() {
    let table = [
        (vec![json!({ "mesh": 0, "children": [0] })], "node 0: is its own ancestor"),
        (vec![json!({ "mesh": 0 }), json!({ "children": [1] })], "node 1: is its own ancestor"),
        (
            vec![json!({ "mesh": 0 }), json!({ "children": [2] }), json!({ "children": [1] })],
            "node 1: is its own ancestor",
        ),
        (
            vec![
                json!({ "children": [1, 2] }),
                json!({ "children": [3] }),
                json!({ "children": [3] }),
                json!({ "mesh": 0 }),
            ],
            "node 3: is a child of node 1 and of node 2",
        ),
        (
            vec![json!({ "children": [1, 1] }), json!({ "mesh": 0 })],
            "node 1: is a child of node 0 and of node 0",
        ),
        (
            vec![json!({ "mesh": 0 }), json!({ "children": [0] })],
            "node 0: is a root of scene 0 and a child of node 1",
        ),
    ];
    for (nodes, expected) in table {
        let message = refusal(&with_nodes(&nodes));
        assert!(message.starts_with(expected), "{message:?}, expected {expected:?}");
    }
    let both = json!({ "mesh": 0, "scale": [1, 1, 1],
        "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] });
    assert!(refusal(&with_nodes(&[both])).contains("a matrix and also"));
}

#[test]
fn a_whole_file_is_its_default_scene_else_all_scenes_else_all_nodes_else_all_meshes() {
    let at = |x: i32| json!({ "mesh": 0, "translation": [x, 0, 0] });
    let scenes = json!([{ "nodes": [2] }, { "nodes": [1, 2] }]);
    let parts = with_nodes(&[at(10), at(20), at(30)]).with("/scenes", scenes);
    let places = |parts: &Parts| {
        loaded(parts).mesh.vertices.iter().step_by(4).map(|v| v.x).collect::<Vec<_>>()
    };
    assert_eq!(places(&parts), [30.0], "scene 0");
    assert_eq!(places(&parts.clone().with("/scene", json!(1))), [20.0, 30.0]);
    let parts = parts.with("/scene", json!(null));
    assert_eq!(places(&parts), [30.0, 20.0], "both, and nothing twice");
    let parts = parts.with("/scenes", json!(null));
    assert_eq!(places(&parts), [10.0, 20.0, 30.0]);
    let parts = parts.with("/nodes", json!(null));
    assert_eq!(places(&parts), [0.0], "the meshes as they lie");
}

#[test]
fn transforms_apply_from_the_mesh_up_to_the_root() {
    // Half the size, then a quarter turn about Y, then a shift; and a mirror above them all.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let parts = with_nodes(&[
        json!({ "children": [1], "scale": [-1, 1, 1] }),
        json!({ "mesh": 0, "translation": [1, 2, 3], "rotation": [0, half, 0, half],
            "scale": [0.5, 0.5, 0.5] }),
    ]);
    let mesh = loaded(&parts).mesh;
    // (3, 0, 0) → (1.5, 0, 0) → (0, 0, −1.5) → (1, 2, 1.5) → (−1, 2, 1.5)
    assert!((mesh.vertices[1] - Vec3::new(-1.0, 2.0, 1.5)).length() < 1e-6, "{}", mesh.vertices[1]);
    assert_eq!(mesh.triangles[0], [0, 1, 2], "mirrored, so wound the other way: [0, 2, 1] before");
    let matrix = json!([0, 0, -0.5, 0, 0, 0.5, 0, 0, 0.5, 0, 0, 0, 1, 2, 3, 1]);
    let same = parts.with("/nodes/1", json!({ "mesh": 0, "matrix": matrix }));
    for (a, b) in mesh.vertices.iter().zip(&loaded(&same).mesh.vertices) {
        assert!((*a - *b).length() < 1e-6, "{a} {b}");
    }
}
