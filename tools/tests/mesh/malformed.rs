//! Files that are wrong on purpose: each is refused, in words that say where and why.

use serde_json::{Value, json};

use crate::fixtures::*;

/// A change of the pyramid's JSON, and what the message must say.
type Row = (&'static str, Value, &'static [&'static str]);

#[test]
fn every_wrong_number_is_refused_by_its_place() {
    let table: Vec<Row> = vec![
        // Counts and lengths.
        (
            "/accessors/0/count",
            json!(1_u64 << 62),
            &["accessor 0", "4611686018427387904", "16777216"],
        ),
        ("/accessors/0/count", json!(u64::MAX), &["accessor 0", "18446744073709551615"]),
        ("/accessors/0/count", json!(4_000_000_000_u64), &["accessor 0", "4000000000", "16777216"]),
        ("/accessors/0/count", json!(5), &["accessor 0", "60 bytes", "view 0", "48"]),
        ("/accessors/1/count", json!(13), &["accessor 1", "26 bytes", "view 1", "24"]),
        ("/accessors/1/count", json!(1_u64 << 62), &["accessor 1", "at most 50331648"]),
        ("/accessors/0/count", json!(-1), &["accessors[0].count", "-1"]),
        ("/accessors/0/count", json!(1.5), &["accessors[0].count", "1.5"]),
        ("/accessors/0/count", json!("4"), &["accessors[0].count", "string"]),
        ("/accessors/0/count", json!(null), &["accessors[0]", "missing field `count`"]),
        // Types.
        ("/accessors/0/type", json!("SCALAR"), &["accessor 0", "SCALAR", "expected VEC3"]),
        ("/accessors/0/type", json!("VEC4"), &["accessor 0", "VEC4", "expected VEC3"]),
        ("/accessors/1/type", json!("VEC3"), &["accessor 1", "VEC3", "expected SCALAR"]),
        ("/accessors/1/componentType", json!(5126), &["accessor 1", "f32", "u8, u16 or u32"]),
        ("/accessors/1/componentType", json!(5122), &["accessor 1", "i16", "u8, u16 or u32"]),
        ("/accessors/1/normalized", json!(true), &["accessor 1", "normalized"]),
        ("/accessors/0/componentType", json!(5125), &["accessor 0", "u32", "expected f32"]),
        ("/accessors/0/componentType", json!(5130), &["accessor 0", "5130", "expected f32"]),
        // Places.
        ("/accessors/0/byteOffset", json!(4), &["accessor 0", "52 bytes", "view 0", "48"]),
        ("/accessors/0/byteOffset", json!(u64::MAX), &["accessor 0", "view 0", "48"]),
        ("/accessors/0/bufferView", json!(99), &["accessor 0", "buffer view 99", "has 2"]),
        ("/bufferViews/0/byteLength", json!(73), &["buffer view 0", "73 bytes", "72"]),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), &["buffer view 0", "72"]),
        ("/bufferViews/0/buffer", json!(3), &["buffer view 0", "buffer 3", "has 1"]),
        ("/bufferViews/0/byteStride", json!(252), &["accessor 0", "768 bytes", "48"]),
        ("/bufferViews/0/byteStride", json!(256), &["accessor 0", "stride 256", "12 to 252"]),
        ("/bufferViews/0/byteStride", json!(8), &["accessor 0", "stride 8", "12 to 252"]),
        ("/bufferViews/0/byteStride", json!(0), &["accessor 0", "stride 0", "12 to 252"]),
        ("/bufferViews/1/byteStride", json!(4), &["accessor 1", "stride 4", "without gaps"]),
        (
            "/buffers/0/byteLength",
            json!(1_u64 << 60),
            &["buffer 0", "72 bytes", "1152921504606846976"],
        ),
        ("/buffers/0/byteLength", json!(77), &["buffer 0", "72 bytes", "expected 77"]),
        ("/buffers", json!([]), &["buffer view 0", "buffer 0", "has 0"]),
        // Meshes.
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            json!(9),
            &["primitive 0 of mesh 0", "accessor 9", "has 2"],
        ),
        (
            "/meshes/0/primitives/0/indices",
            json!(9),
            &["primitive 0 of mesh 0", "accessor 9", "has 2"],
        ),
        ("/meshes/0/primitives/0/mode", json!(7), &["mesh 0, primitive 0", "mode 7", "0 to 6"]),
        ("/meshes/0/primitives/0/attributes", json!(null), &["primitives[0]", "attributes"]),
        ("/meshes/0/primitives", json!([]), &["no triangles"]),
        ("/meshes", json!({}), &["meshes", "map", "array"]),
        // Nodes.
        ("/nodes/0/mesh", json!(1), &["node 0", "mesh 1", "has 1"]),
        ("/scene", json!(1), &["scene 1", "has 1"]),
        ("/scenes/0/nodes", json!([4]), &["scene 0", "node 4", "has 1"]),
        ("/scenes/0/nodes", json!([0, 0]), &["node 0", "listed twice by scene 0"]),
        ("/nodes/0/children", json!([7]), &["node 0", "node 7", "has 1"]),
        ("/nodes/0/rotation", json!([0, 0, 0, 0]), &["node 0", "length 0", "expected 1"]),
        ("/nodes/0/rotation", json!([0, 0, 1, 1]), &["node 0", "length 1.41"]),
        ("/nodes/0/scale", json!([1e300, 1, 1]), &["node 0", "vertex 1", "finite"]),
        ("/nodes/0/translation", json!([0, 1e39, 0]), &["node 0", "vertex 0", "finite"]),
        (
            "/nodes/0/matrix",
            json!([1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
            &["node 0", "0.5, 0, 0, 1", "0, 0, 0, 1"],
        ),
        ("/nodes/0/matrix", json!([1, 0, 0]), &["nodes[0].matrix", "length 3"]),
        ("/nodes", json!([]), &["scene 0", "node 0", "has 0"]),
        // The file.
        ("/asset/version", json!("1.0"), &["version 1.0", "expected 2.0"]),
        ("/asset/version", json!("3"), &["version 3", "expected 2.0"]),
        ("/asset/minVersion", json!("2.1"), &["version 2.1", "expected 2.0"]),
        ("/asset", json!(null), &["asset.version"]),
        (
            "/extensionsRequired",
            json!(["KHR_draco_mesh_compression"]),
            &["KHR_draco_mesh_compression", "not supported"],
        ),
        ("/extensionsRequired", json!(["EXT_meshopt_compression"]), &["EXT_meshopt_compression"]),
        (
            "/extensionsRequired",
            json!(["KHR_materials_unlit", "X_new"]),
            &["requires the extension X_new"],
        ),
    ];
    for (pointer, value, parts) in table {
        let message = refusal(&pyramid().with(pointer, value.clone()));
        for part in parts {
            assert!(message.contains(part), "{pointer} = {value}: {part:?} in {message:?}");
        }
    }
}

#[test]
fn extensions_for_looks_alone_are_no_obstacle() {
    let names = json!(["KHR_materials_unlit", "KHR_texture_transform", "EXT_texture_webp"]);
    let parts = pyramid().with("/extensionsUsed", names.clone()).with("/extensionsRequired", names);
    let file = loaded(&parts);
    assert_eq!((corners(&file.mesh), file.notes), (pyramid_corners(), vec![]));
}

#[test]
fn an_old_file_is_refused_for_its_version_and_not_its_shape() {
    let json = json!({ "asset": { "version": "1.0" }, "meshes": { "a": {} }, "nodes": {} });
    let error = load("a.gltf", json.to_string().as_bytes()).unwrap_err();
    assert!(error.to_string().contains("glTF version 1.0, expected 2.0"), "{error}");
}

#[test]
fn compressed_shapes_are_refused_by_name_even_where_they_claim_to_be_optional() {
    let draco = json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": {} } });
    let parts = pyramid().with("/meshes/0/primitives/0/extensions", draco);
    assert_eq!(corners(&loaded(&parts).mesh), pyramid_corners(), "with a plain form beside it");
    let message = refusal(&parts.with("/accessors/0/bufferView", json!(null)));
    assert!(message.contains("KHR_draco_mesh_compression"), "{message}");
    let message = refusal(
        &pyramid()
            .with("/bufferViews/0/extensions", json!({ "EXT_meshopt_compression": {} }))
            .with("/bufferViews/0/buffer", json!(1))
            .with("/buffers/-", json!({ "byteLength": 48 })),
    );
    assert!(
        message.contains("buffer 1") && message.contains("EXT_meshopt_compression"),
        "{message}"
    );
}

#[test]
fn an_index_beyond_the_vertices_is_refused_by_its_place() {
    let at = |place: usize, index: u16| {
        let mut parts = pyramid();
        parts.binary[48 + 2 * place..][..2].copy_from_slice(&index.to_le_bytes());
        refusal(&parts)
    };
    let message = at(7, 60_000);
    assert!(message.contains("mesh 0, primitive 0: index 7 is 60000"), "{message}");
    assert!(message.contains("4 vertices"), "{message}");
    assert!(at(0, 4).contains("index 0 is 4"));
    assert!(at(11, 65_535).contains("restarts"));
}

#[test]
fn a_coordinate_that_is_no_number_is_refused_by_its_vertex() {
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut parts = pyramid();
        parts.binary[12 * 2 + 4..][..4].copy_from_slice(&wrong.to_le_bytes());
        let message = refusal(&parts);
        assert!(message.contains("accessor 0: element 2 is (0,"), "{message}");
    }
}

#[test]
fn sparse_accessors_are_checked_like_others() {
    let mut parts = pyramid();
    [1_u16, 3].iter().for_each(|index| parts.binary.extend(index.to_le_bytes()));
    parts.binary.extend([0; 24]);
    let parts = parts
        .with("/bufferViews/-", json!({ "buffer": 0, "byteOffset": 72, "byteLength": 4 }))
        .with("/bufferViews/-", json!({ "buffer": 0, "byteOffset": 76, "byteLength": 24 }))
        .with("/buffers/0/byteLength", json!(100))
        .with(
            "/accessors/0/sparse",
            json!({ "count": 2,
            "indices": { "bufferView": 2, "componentType": 5123 },
            "values": { "bufferView": 3 } }),
        );
    loaded(&parts);
    let table: Vec<Row> = vec![
        (
            "/accessors/0/sparse/count",
            json!(5),
            &["accessor 0", "5 sparse elements, expected at most the 4"],
        ),
        ("/accessors/0/sparse/count", json!(1_u64 << 62), &["accessor 0", "4611686018427387904"]),
        ("/accessors/0/sparse/count", json!(3), &["accessor 0", "6 bytes", "view 2"]),
        (
            "/accessors/0/sparse/indices/componentType",
            json!(5126),
            &["accessor 0", "f32", "sparse"],
        ),
        ("/accessors/0/sparse/indices/bufferView", json!(9), &["accessor 0", "buffer view 9"]),
        ("/accessors/0/sparse/values/bufferView", json!(2), &["accessor 0", "24 bytes", "view 2"]),
        ("/accessors/0/sparse/values/byteOffset", json!(1), &["accessor 0", "25 bytes", "view 3"]),
        ("/accessors/0/count", json!(3), &["accessor 0", "sparse index 1 is 3", "below 3"]),
    ];
    for (pointer, value, words) in table {
        let message = refusal(&parts.clone().with(pointer, value.clone()));
        for word in words {
            assert!(message.contains(word), "{pointer} = {value}: {word:?} in {message:?}");
        }
    }
    let mut twice = parts;
    twice.binary[74..76].copy_from_slice(&1_u16.to_le_bytes());
    assert!(refusal(&twice).contains("sparse index 1 is 1, expected ascending"));
}

#[test]
fn a_damaged_container_is_refused() {
    let whole = pyramid().glb();
    let json_len = u32::from_le_bytes(whole[12..16].try_into().unwrap());
    let patched = |at: usize, word: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        load("a.glb", &bytes).unwrap_err().problem.to_string()
    };
    assert!(patched(4, 1).contains("version 1"));
    assert!(patched(8, 5).contains("the header specifies 5 bytes"));
    assert!(patched(12, json_len + 1000).contains("byte 12"));
    assert!(patched(12, u32::MAX).contains("byte 12"));
    assert!(patched(16, 0).contains("expected JSON"));
    let refused = |bytes: &[u8]| load("a.glb", bytes).unwrap_err().problem.to_string();
    assert!(refused(b"").contains("does not start"));
    assert!(refused(b"glTF").contains("header"));
    assert!(refused(b"{}").contains("does not start"));
    // Cut short anywhere, with the header's length made to agree.
    for len in 12..whole.len() {
        let mut bytes = whole[..len].to_vec();
        bytes[8..12].copy_from_slice(&(len as u32).to_le_bytes());
        let error = load("a.glb", &bytes).expect_err("is refused");
        assert!(!error.is_io(), "{len} bytes: {error}");
    }
    let no_chunk = container(pyramid().json.to_string().as_bytes(), None);
    assert!(refused(&no_chunk).contains("buffer 0: neither a uri nor a binary chunk"));
}

#[test]
fn damaged_json_is_refused_with_its_line() {
    let refused = |text: &[u8]| load("a.gltf", text).unwrap_err().problem.to_string();
    assert!(refused(b"{\"asset\": {\"version\": \"2.0\"},\n \"nodes\": 5}").contains("line 2"));
    assert!(refused(b"").contains("not a valid glTF"));
    assert!(refused(b"[]").contains("not a valid glTF"));
    assert!(refused(b"{\"asset\":{\"version\":\"2.0\"}} x").contains("trailing"));
    assert!(refused("[".repeat(1_000_000).as_bytes()).contains("not a valid glTF"), "no overflow");
    let deep = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"extras\":{}", "[".repeat(1_000_000));
    assert!(refused(deep.as_bytes()).contains("not a valid glTF"), "no overflow");
    let many = format!("{{\"nodes\":[{}{{}}]}}", "{},".repeat(1 << 20));
    assert!(refused(many.as_bytes()).contains("more than 1048576"), "bounded while it is read");
    let mut mark = b"\xef\xbb\xbf".to_vec();
    mark.extend(pyramid().embedded());
    assert!(load("a.gltf", &mark).is_ok(), "a byte order mark is harmless");
}

#[test]
fn damaged_data_uris_are_refused() {
    let with = |uri: &str| load("a.gltf", &pyramid().beside(uri)).unwrap_err().problem.to_string();
    assert!(with("data:application/octet-stream;base64").contains("no comma"));
    assert!(with("data:,abc").contains("not in base64"));
    assert!(with("data:;base64,AAA$").contains("buffer 0: invalid data uri"));
    assert!(with("data:;base64,AAAA").contains("buffer 0: 3 bytes, expected 72"));
}

#[test]
fn placing_a_mesh_very_often_stops_before_memory_does() {
    // 2^20 nodes of a mesh of 4 triangles are few; 70 000 of one of 300 vertices are too many.
    let count = 300_u64;
    let mut parts = pyramid();
    parts.binary = vec![0; 12 * count as usize];
    let nodes: Vec<Value> = (0..70_000).map(|_| json!({ "mesh": 0 })).collect();
    let parts = parts
        .with("/meshes/0/primitives/0/indices", json!(null))
        .with("/accessors/0/count", json!(count))
        .with("/bufferViews/0/byteLength", json!(12 * count))
        .with("/buffers/0/byteLength", json!(12 * count))
        .with("/nodes", json!(nodes))
        .with("/scenes/0/nodes", json!((0..70_000).collect::<Vec<_>>()));
    let message = refusal(&parts);
    assert!(message.contains("vertices, expected at most 16777216"), "{message}");
}

#[test]
fn no_bit_flipped_in_a_file_makes_it_panic_or_blames_the_disk() {
    let whole = pyramid().glb();
    let (mut refused, mut taken) = (0, 0);
    let folder = Folder::new();
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        folder.file("a.glb", &bytes);
        match folder.load("a.glb") {
            Err(error) => {
                assert!(!error.is_io(), "bit {bit}: {error}");
                refused += 1;
            }
            Ok(file) => {
                assert!(file.mesh.vertices.iter().all(|vertex| vertex.is_finite()));
                let count = file.mesh.vertices.len() as u32;
                assert!(file.mesh.triangles.iter().flatten().all(|&index| index < count));
                taken += 1;
            }
        }
    }
    // Names, coordinates and unknown keys may change without being wrong.
    assert!(refused > taken, "{refused} refused, {taken} taken");
}
