//! Every way of writing the same shape gives the same shape.

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::MeshSource;
use marchland_tools::import::mesh::boxed;
use serde_json::json;

use crate::fixtures::*;

#[test]
fn a_shape_is_the_same_in_every_container() {
    let folder = Folder::new();
    let parts = pyramid();
    folder.file("a.glb", &parts.glb());
    folder.file("embedded.GLTF", &parts.embedded());
    folder.file("sub/beside.gltf", &parts.beside("my%20bytes.bin"));
    let bin = folder.file("sub/my bytes.bin", &parts.binary);
    let text = PYRAMID.map(|[x, y, z]| format!("v {x} {y} {z}\n")).concat()
        + &FACES.map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1)).concat();
    folder.file("a.obj", text.as_bytes());
    let glb = folder.load("a.glb").unwrap();
    assert_eq!(corners(&glb.mesh), pyramid_corners());
    for name in ["embedded.GLTF", "sub/beside.gltf", "./sub/./beside.gltf", "a.obj"] {
        let other = folder.load(name).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(other.mesh, glb.mesh, "{name}");
        assert_eq!(prepared(&other.mesh), prepared(&glb.mesh), "{name}");
    }
    let files = folder.load("sub/beside.gltf").unwrap().files;
    assert_eq!(files, [folder.path().join("sub/beside.gltf"), bin]);
}

#[test]
fn pictures_and_buffers_for_them_may_be_missing() {
    let parts = pyramid()
        .with("/images", json!([{ "uri": "../nowhere.png" }, { "bufferView": 2 }]))
        .with(
            "/materials",
            json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 7 } } }]),
        )
        .with("/meshes/0/primitives/0/material", json!(0))
        .with("/buffers/-", json!({ "byteLength": 1_000_000, "uri": "https://example.com/a.bin" }))
        .with("/bufferViews/-", json!({ "buffer": 1, "byteLength": 1_000_000 }));
    assert_eq!(corners(&loaded(&parts).mesh), pyramid_corners());
}

#[test]
fn indices_of_every_width_and_none_at_all_give_the_same_triangles() {
    let flat: Vec<u32> = FACES.into_iter().flatten().collect();
    for (component, width) in [(5121, 1), (5123, 2), (5125, 4)] {
        let mut parts = pyramid();
        parts.binary.truncate(48);
        flat.iter().for_each(|index| parts.binary.extend(&index.to_le_bytes()[..width]));
        let parts = parts
            .with("/accessors/1/componentType", json!(component))
            .with("/bufferViews/1/byteLength", json!(12 * width))
            .with("/buffers/0/byteLength", json!(48 + 12 * width));
        assert_eq!(corners(&loaded(&parts).mesh), pyramid_corners(), "{component}");
    }
    let mut parts = pyramid();
    parts.binary.clear();
    for metres in flat.iter().flat_map(|&i| PYRAMID[i as usize]) {
        parts.binary.extend(metres.to_le_bytes());
    }
    let parts = parts
        .with("/meshes/0/primitives/0/indices", json!(null))
        .with("/accessors/0/count", json!(12))
        .with("/bufferViews/0/byteLength", json!(144))
        .with("/buffers/0/byteLength", json!(144));
    assert_eq!(corners(&loaded(&parts).mesh), pyramid_corners(), "no indices");
}

#[test]
fn strips_and_fans_become_triangles_wound_alike() {
    let [a, b, c, d] = PYRAMID.map(Vec3::from_array);
    let with = |mode: u32| {
        let mut parts = pyramid();
        parts.binary.truncate(48);
        [0_u16, 1, 2, 3].iter().for_each(|index| parts.binary.extend(index.to_le_bytes()));
        let parts = parts
            .with("/meshes/0/primitives/0/mode", json!(mode))
            .with("/accessors/1/count", json!(4))
            .with("/bufferViews/1/byteLength", json!(8))
            .with("/buffers/0/byteLength", json!(56));
        loaded(&parts)
    };
    assert_eq!(corners(&with(5).mesh), [[a, b, c], [b, d, c]]);
    assert_eq!(corners(&with(6).mesh), [[b, c, a], [c, d, a]]);
    let list = with(4);
    assert_eq!(corners(&list.mesh), [[a, b, c]], "the fourth corner is half a triangle");
    assert!(list.notes[0].contains("incomplete triangle"), "{:?}", list.notes);
}

#[test]
fn strides_and_offsets_are_followed() {
    let mut parts = pyramid();
    // A byte in front, 7 words to a vertex: a normal and a number that is none lie between.
    parts.binary = vec![9];
    for vertex in PYRAMID {
        vertex.iter().for_each(|metres| parts.binary.extend(metres.to_le_bytes()));
        parts.binary.extend([0xff; 16]);
    }
    // The last vertex has nothing after it.
    parts.binary.truncate(1 + 3 * 28 + 12);
    let at = parts.binary.len();
    FACES.iter().flatten().for_each(|&index| parts.binary.extend((index as u16).to_le_bytes()));
    let parts = parts
        .with("/bufferViews/0/byteLength", json!(at))
        .with("/bufferViews/0/byteStride", json!(28))
        .with("/accessors/0/byteOffset", json!(1))
        .with("/bufferViews/1/byteOffset", json!(at))
        .with("/buffers/0/byteLength", json!(at + 24));
    assert_eq!(corners(&loaded(&parts).mesh), pyramid_corners());
}

#[test]
fn sparse_values_replace_some_and_nothing_means_zero() {
    let mut parts = pyramid();
    [1_u16, 3].iter().for_each(|index| parts.binary.extend(index.to_le_bytes()));
    for metres in [[7.0_f32, 8.0, 9.0], [-1.0, -2.0, -3.0]].into_iter().flatten() {
        parts.binary.extend(metres.to_le_bytes());
    }
    let sparse = json!({ "count": 2,
        "indices": { "bufferView": 2, "componentType": 5123 },
        "values": { "bufferView": 3 } });
    let parts = parts
        .with("/bufferViews/-", json!({ "buffer": 0, "byteOffset": 72, "byteLength": 4 }))
        .with("/bufferViews/-", json!({ "buffer": 0, "byteOffset": 76, "byteLength": 24 }))
        .with("/buffers/0/byteLength", json!(100))
        .with("/accessors/0/sparse", sparse);
    let changed = |rest: fn(usize) -> [f32; 3]| {
        [rest(0), [7.0, 8.0, 9.0], rest(2), [-1.0, -2.0, -3.0]].map(Vec3::from_array)
    };
    assert_eq!(loaded(&parts).mesh.vertices, changed(|i| PYRAMID[i]));
    let parts = parts.with("/accessors/0/bufferView", json!(null));
    assert_eq!(loaded(&parts).mesh.vertices, changed(|_| [0.0; 3]));
}

#[test]
fn quantized_positions_are_read_where_the_extension_is_named() {
    let mut parts = pyramid();
    parts.binary.truncate(24);
    parts.binary.drain(..);
    for vertex in [[0_i16, 0, 0], [32767, 0, 0], [0, 0, -32768], [16384, 1, -1]] {
        vertex.iter().for_each(|part| parts.binary.extend(part.to_le_bytes()));
        parts.binary.extend([0; 2]);
    }
    FACES.iter().flatten().for_each(|&index| parts.binary.extend((index as u16).to_le_bytes()));
    let parts = parts
        .with("/accessors/0/componentType", json!(5122))
        .with("/bufferViews/0/byteLength", json!(32))
        .with("/bufferViews/0/byteStride", json!(8))
        .with("/bufferViews/1/byteOffset", json!(32))
        .with("/buffers/0/byteLength", json!(56));
    let message = refusal(&parts);
    assert!(message.contains("accessor 0: component type 5122 (i16), expected f32"), "{message}");
    let parts = parts
        .with("/extensionsUsed", json!(["KHR_mesh_quantization"]))
        .with("/extensionsRequired", json!(["KHR_mesh_quantization"]));
    assert_eq!(loaded(&parts).mesh.vertices[2], Vec3::new(0.0, 0.0, -32768.0));
    let parts = parts.with("/accessors/0/normalized", json!(true));
    let mesh = loaded(&parts).mesh;
    assert_eq!(mesh.vertices[1], Vec3::X);
    assert_eq!(mesh.vertices[2], Vec3::NEG_Z, "no further than 1");
    assert_eq!(mesh.vertices[3].x, 16384.0 / 32767.0);
}

#[test]
fn what_blocks_nothing_is_left_out_with_a_note() {
    let primitive = |mode: u32| json!({ "attributes": { "POSITION": 0 }, "mode": mode });
    let parts = pyramid()
        .with("/meshes/0/primitives/-", primitive(0))
        .with("/meshes/0/primitives/-", primitive(3))
        .with("/meshes/0/primitives/-", json!({ "attributes": { "NORMAL": 0 } }))
        .with("/meshes/0/primitives/0/targets", json!([{ "POSITION": 0 }]))
        .with("/animations", json!([{ "channels": [], "samplers": [] }]))
        .with("/skins", json!([{ "joints": [0] }]))
        .with("/nodes/0/skin", json!(0))
        .with("/extensionsUsed", json!(["EXT_mesh_gpu_instancing", "KHR_materials_unlit"]));
    let file = loaded(&parts);
    assert_eq!(corners(&file.mesh), pyramid_corners());
    let notes = file.notes.join("\n");
    for part in ["points or lines: 2", "without positions", "morph", "animations: 1", "skin"] {
        assert!(notes.contains(part), "{part} in {notes}");
    }
    assert!(notes.contains("EXT_mesh_gpu_instancing") && !notes.contains("unlit"), "{notes}");
    let parts = pyramid().with("/meshes/0/primitives/0/mode", json!(1));
    assert_eq!(refusal(&parts), "no triangles");
}

#[test]
fn primitives_that_share_positions_share_vertices() {
    let parts = pyramid()
        .with("/meshes/0/primitives/-", json!({ "attributes": { "POSITION": 0 }, "indices": 1 }));
    let mesh = loaded(&parts).mesh;
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 8));
}

#[test]
fn a_box_is_a_box_seen_from_outside() {
    let mesh: MeshSource = boxed([1.0, 2.5, 4.0]);
    let mut volume = 0.0;
    for [a, b, c] in corners(&mesh) {
        assert_eq!(a.abs(), Vec3::new(0.5, 1.25, 2.0));
        volume += a.dot(b.cross(c)) / 6.0;
        assert!((b - a).cross(c - a).dot(a + b + c) > 0.0, "wound the wrong way: {a} {b} {c}");
    }
    assert!((volume - 10.0).abs() < 1e-5, "{volume}");
    let mut edges: Vec<_> =
        mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
    edges.sort_unstable();
    assert!(edges.iter().all(|&(a, b)| edges.binary_search(&(b, a)).is_ok()), "it is closed");
    edges.dedup();
    assert_eq!(edges.len(), 36);
}
