//! Scenes placed node by node: what is shared, what becomes a mesh of its own, and that everything
//! comes to stand where the file puts it.

use marchland_terrain::bake::props::{PropHeight, PropSource};
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::{LoadedMesh, Placement};
use marchland_tools::import::props::{PropFile, load};
use serde_json::{Value, json};

use crate::fixtures::*;

fn scene(parts: &Parts, toml: &str) -> PropFile {
    let folder = Folder::new();
    folder.file("town.glb", &parts.glb());
    let path = folder.file("props.toml", toml.as_bytes());
    load(&path, &["ground".to_owned()]).unwrap_or_else(|e| panic!("{e}"))
}

const AT_ORIGIN: &str = "[[scene]]\nfile = \"town.glb\"\nposition = [0, 0, 0]\n";

fn nodes(nodes: &[Value]) -> Parts {
    let roots = json!((0..nodes.len()).collect::<Vec<_>>());
    pyramid().with("/nodes", json!(nodes)).with("/scenes/0/nodes", roots)
}

/// Where the vertices of a prop come to lie in the world.
fn lying(file: &PropFile, prop: &PropSource) -> Vec<DVec3> {
    let mesh = LoadedMesh::new(file.input.meshes[prop.kind.mesh].encode()).unwrap();
    let view = mesh.view();
    let placer = Placement::new(prop.rotation, prop.scale).unwrap().placer();
    let PropHeight::At(y) = prop.height else { panic!("{:?}", prop.height) };
    let origin = DVec3::new(prop.position[0], y, prop.position[1]);
    let corners = (0..view.triangles()).flat_map(|triangle| view.triangle(triangle));
    corners.map(|corner| placer.place(corner).as_dvec3() + origin).collect()
}

/// Whether both have the same points, whatever their order.
fn alike(a: &[DVec3], b: &[DVec3], within: f64) -> bool {
    let near =
        |a: &[DVec3], b: &[DVec3]| a.iter().all(|p| b.iter().any(|q| (*p - *q).length() <= within));
    near(a, b) && near(b, a)
}

#[test]
fn rotations_with_uniform_scale_share_their_mesh_and_other_transforms_do_not() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let file = scene(
        &nodes(&[
            json!({ "mesh": 0 }),
            json!({ "mesh": 0, "translation": [10, 0, 0], "rotation": [0, half, 0, half] }),
            json!({ "mesh": 0, "translation": [20, 0, 0], "scale": [2, 2, 2] }),
            json!({ "mesh": 0, "translation": [30, 0, 0], "scale": [-1, 1, 1] }),
            json!({ "mesh": 0, "translation": [40, 0, 0], "scale": [1, 2, 1] }),
            json!({ "mesh": 0, "matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 50, 0, 0, 1] }),
            json!({ "mesh": 0, "translation": [60, 0, 0], "scale": [-1, 1, 1] }),
            json!({ "mesh": 0, "translation": [70, 0, 0], "scale": [-1, -1, 1] }),
            json!({ "mesh": 0, "translation": [80, 0, 0], "scale": [2000, 2000, 2000] }),
            json!({ "mesh": 0, "translation": [90, 0, 0], "scale": [1.000001, 1, 0.999999] }),
        ]),
        AT_ORIGIN,
    );
    let meshes: Vec<_> = file.input.props.iter().map(|prop| prop.kind.mesh).collect();
    // A mirror, a stretch, a shear, the mirror again, half a turn, too large for a scale, rounding.
    assert_eq!(meshes, [0, 0, 0, 1, 2, 3, 1, 0, 4, 0]);
    assert_eq!(file.meshes.len(), 5);
    assert_eq!(file.meshes[0].name, "town.glb, mesh 0 (\"pyramid\")");
    assert_eq!(file.meshes[1].name, "town.glb, node 3");
    assert_eq!(file.input.props[2].scale, 2.0);
    assert_eq!(file.input.props[3].scale, 1.0);
    assert!(file.input.props[4].name.ends_with("props.toml, line 1, node 4"));
}

#[test]
fn every_node_stands_where_the_file_as_one_mesh_has_it() {
    let (half, turn) = (std::f64::consts::FRAC_1_SQRT_2, [0.1, 0.2, 0.3, 0.927_361_849_549_570_4]);
    let parts = pyramid().with("/scenes/0/nodes", json!([0])).with(
        "/nodes",
        json!([
            { "children": [1, 3], "translation": [5, -3, 2], "rotation": turn, "scale": [2, 2, 2] },
            { "children": [2], "scale": [1, 1.5, -1], "translation": [0, 1, 0], "mesh": 0 },
            { "mesh": 0, "rotation": [half, 0, 0, half], "translation": [7, 0, 1] },
            { "mesh": 0, "rotation": [0, 0, -half, half], "scale": [0.3, 0.3, 0.3] },
        ]),
    );
    let toml = AT_ORIGIN.replace("[0, 0, 0]", "[100, 7, -50]")
        + "rotation = [10, 200, -30]\nscale = 1.5\n";
    let file = scene(&parts, &toml);
    assert_eq!(file.input.props.len(), 3);
    let got: Vec<_> = file.input.props.iter().flat_map(|prop| lying(&file, prop)).collect();
    let rotation = marchland_terrain::math::Rotation::from_degrees([10.0, 200.0, -30.0]);
    let whole = loaded(&parts).mesh;
    let placed = whole
        .vertices
        .iter()
        .map(|vertex| rotation.apply(*vertex) * 1.5 + DVec3::new(100.0, 7.0, -50.0));
    let expected: Vec<_> = placed.collect();
    assert!(alike(&got, &expected, 1e-4), "{got:?}\n{expected:?}");
    assert!(!alike(&got, &expected, 1e-12), "the test can tell");
}

#[test]
fn a_scene_stands_on_the_ground_as_a_whole_or_each_for_itself() {
    let parts = nodes(&[
        json!({ "mesh": 0, "translation": [4, 0.5, 0] }),
        json!({ "mesh": 0, "translation": [0, 2, -6] }),
    ]);
    let toml = |more: &str| {
        format!(
            "[[scene]]\nfile = \"town.glb\"\nposition = [10, \"ground\", 20]\nscale = 2\n{more}"
        )
    };
    let whole = scene(&parts, &toml("above = 0.25"));
    let at = [10.0, 20.0];
    let heights = |file: &PropFile| file.input.props.iter().map(|p| p.height).collect::<Vec<_>>();
    assert_eq!(
        heights(&whole),
        [1.25, 4.25].map(|metres| PropHeight::AboveGroundAt { at, metres })
    );
    assert_eq!(whole.input.props[0].position, [18.0, 20.0]);
    assert_eq!(whole.input.props[1].position, [10.0, 8.0]);
    let each = scene(&parts, &toml("above = 0.25\nground = \"each\""));
    assert_eq!(heights(&each), [1.25, 4.25].map(PropHeight::AboveGround));
    assert_eq!(
        heights(&scene(&parts, &toml("above = 0.25\nground = \"origin\""))),
        heights(&whole)
    );
}

#[test]
fn equal_meshes_are_one_whatever_they_came_from() {
    let folder = Folder::new();
    folder.file("a.glb", &pyramid().glb());
    folder.file("b.gltf", &pyramid().with("/meshes/0/name", json!("other")).embedded());
    // Two meshes with the same content in one file.
    let copy = pyramid().json["meshes"][0].clone();
    let two = nodes(&[json!({ "mesh": 0 }), json!({ "mesh": 1 })]).with("/meshes/-", copy);
    folder.file("sub/town.glb", &two.glb());
    let toml = "[[prop]]\nmesh = \"a.glb\"\nposition = [0, 0, 0]\n\
        [[prop]]\nmesh = \"./a.glb\"\nposition = [9, 0, 0]\n\
        [[prop]]\nmesh = \"b.gltf\"\nposition = [18, 0, 0]\n\
        [[scene]]\nfile = \"sub/town.glb\"\nposition = [27, 0, 0]\n\
        [[scene]]\nfile = \"sub/town.glb\"\nposition = [36, 0, 0]\nrotation = [0, 90, 0]\n";
    let path = folder.file("props.toml", toml.as_bytes());
    let file = load(&path, &[]).unwrap();
    assert_eq!(file.input.props.len(), 7);
    assert!(file.input.props.iter().all(|prop| prop.kind.mesh == 0));
    assert_eq!((file.input.meshes.len(), file.meshes.len()), (1, 1));
    assert_eq!((file.meshes[0].name.as_str(), file.meshes[0].triangles), ("a.glb", 4));
    let names = ["props.toml", "a.glb", "b.gltf", "sub/town.glb"];
    assert_eq!(file.files, names.map(|name| folder.path().join(name)));
}

#[test]
fn a_node_whose_mesh_has_no_triangle_is_left_out_with_a_warning() {
    let lines = json!({ "primitives": [{ "attributes": { "POSITION": 0 }, "mode": 1 }] });
    let parts = nodes(&[json!({ "mesh": 1 }), json!({ "mesh": 0 }), json!({})])
        .with("/meshes/-", lines.clone());
    let file = scene(&parts, AT_ORIGIN);
    assert_eq!(file.input.props.len(), 1);
    assert!(file.warnings[0].contains("mesh 1: no triangle"), "{:?}", file.warnings);
    assert!(
        file.notes[0].contains("town.glb: ignored primitives of points or lines: 1"),
        "{:?}",
        file.notes
    );
    let file = scene(&parts.with("/scenes/0/nodes", json!([2])), AT_ORIGIN);
    assert!(file.warnings[0].contains("town.glb: no node has a mesh"), "{:?}", file.warnings);
}

#[test]
fn a_node_that_no_prop_can_follow_is_refused_with_its_line() {
    let folder = Folder::new();
    let refused = |node: Value, more: &str| {
        folder.file("town.glb", &nodes(&[node]).glb());
        let path = folder.file("props.toml", format!("\n{AT_ORIGIN}{more}").as_bytes());
        load(&path, &[]).unwrap_err().to_string()
    };
    let message = refused(json!({ "mesh": 0, "translation": [0, 1e30, 0] }), "");
    assert!(message.contains("line 2: node 0 is placed at 0, 1"), "{message}");
    let message = refused(json!({ "mesh": 0, "scale": [0.01, 0.01, 0.01] }), "scale = 0.01");
    assert!(message.contains("node 0 is placed at a scale of 0.0001"), "{message}");
    let message = refused(json!({ "mesh": 5 }), "");
    assert!(
        message.contains("line 3: ") && message.contains("node 0 refers to mesh 5"),
        "{message}"
    );
}

#[test]
fn vertices_of_a_mirrored_node_are_mirrored_and_still_face_outwards() {
    let file = scene(&nodes(&[json!({ "mesh": 0, "scale": [1, 1, -1] })]), AT_ORIGIN);
    let mesh = LoadedMesh::new(file.input.meshes[0].encode()).unwrap();
    let volume: f32 = (0..4)
        .map(|i| {
            let [a, b, c] = mesh.view().triangle(i);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    assert!((volume - 5.0).abs() < 1e-4, "outwards, so {volume} is positive");
    let corners: Vec<Vec3> = (0..4).flat_map(|i| mesh.view().triangle(i)).collect();
    assert!(corners.contains(&Vec3::new(0.0, 0.0, 2.0)), "{corners:?}");
}
