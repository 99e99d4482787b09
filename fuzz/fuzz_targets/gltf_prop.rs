//! Any bytes as a glTF: rejected, or meshes whose every index and coordinate is valid, as one mesh and node
//! by node. Bytes also choose the numbers of an otherwise complete file.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use marchland_fuzz::{sound, written};
use marchland_tools::import::{mesh, props};

fuzz_target!(|data: &[u8]| {
    let Some((&how, data)) = data.split_first() else { return };
    let (name, bytes) = match how % 4 {
        0 => ("a.glb", data.to_vec()),
        1 => ("a.gltf", data.to_vec()),
        2 => match data.iter().position(|&byte| byte == 0) {
            Some(end) => ("a.glb", container(&data[..end], &data[end + 1..])),
            None => ("a.glb", container(data, &[])),
        },
        _ => ("a.glb", chosen(data)),
    };
    let path = written(name, &bytes);
    check(path.parent().expect("a folder"), name);
});

fn check(folder: &Path, name: &str) {
    match mesh::load_file(name, folder) {
        Ok(file) => sound(&file.mesh),
        // A name in the file may refer to a missing file; any other error is one of the contents.
        Err(error) => drop(error.to_string()),
    }
    let toml = format!("[[scene]]\nfile = \"{name}\"\nposition = [5, \"ground\", -7]\nscale = 2\n");
    match props::load(&written("props.toml", toml.as_bytes()), &["ground".to_owned()]) {
        Ok(file) => {
            for prop in &file.input.props {
                assert!(prop.kind.mesh < file.input.meshes.len());
                assert!(prop.position.iter().all(|metres| metres.is_finite()));
                assert!(prop.scale.is_finite() && prop.scale > 0.0);
            }
        }
        Err(error) => drop(error.to_string()),
    }
}

/// A file with two meshes, three nodes and every kind of accessor, with its numbers chosen by the data.
fn chosen(data: &[u8]) -> Vec<u8> {
    let (choices, binary) = data.split_at(data.len().min(48));
    let mut choices = choices.iter();
    let mut number = |usual: u64| match choices.next().copied().unwrap_or(0) {
        0..=99 => usual,
        byte @ 100..=199 => u64::from(byte - 100),
        byte @ 200..=219 => usual.wrapping_add(u64::from(byte)).wrapping_sub(210),
        byte @ 220..=229 => 5117 + u64::from(byte - 219),
        230..=239 => 1 << 62,
        240..=247 => u64::MAX,
        byte => 1 << (8 * (byte - 248)),
    };
    let mut n = |usual| number(usual);
    let kinds = ["SCALAR", "VEC3", "VEC2"];
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":{},"scenes":[{{"nodes":[0,{}]}}],
        "extensionsUsed":["KHR_mesh_quantization"],
        "nodes":[{{"children":[{}],"scale":[{},1,1]}},{{"mesh":{},"translation":[{},0,0]}},{{"mesh":{}}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":{}}},"indices":{},"mode":{}}}]}},
        {{"primitives":[{{"attributes":{{"POSITION":{}}},"mode":{}}}]}}],
        "accessors":[
        {{"bufferView":{},"byteOffset":{},"componentType":{},"count":{},"type":"{}","sparse":
        {{"count":{},"indices":{{"bufferView":{},"componentType":{}}},"values":{{"bufferView":{}}}}}}},
        {{"bufferView":{},"byteOffset":{},"componentType":{},"count":{},"type":"{}"}}],
        "bufferViews":[{{"buffer":{},"byteOffset":{},"byteLength":{},"byteStride":{}}},
        {{"buffer":0,"byteOffset":{},"byteLength":{}}}],"buffers":[{{"byteLength":{}}}]}}"#,
        n(0),
        n(2),
        n(1),
        n(1),
        n(0),
        n(3),
        n(1),
        n(0),
        n(1),
        n(4),
        n(0),
        n(5),
        n(0),
        n(0),
        n(5126),
        n(4),
        kinds[(n(1) % 3) as usize],
        n(0),
        n(1),
        n(5121),
        n(0),
        n(1),
        n(0),
        n(5121),
        n(6),
        kinds[(n(0) % 3) as usize],
        n(0),
        n(0),
        n(48),
        n(12),
        n(48),
        n(6),
        n(binary.len() as u64),
    );
    container(json.as_bytes(), binary)
}

fn container(json: &[u8], binary: &[u8]) -> Vec<u8> {
    let mut glb = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, bytes) in [(b"JSON", json), (b"BIN\0", binary)] {
        glb.extend((bytes.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(bytes);
    }
    let len = glb.len() as u32;
    glb[8..12].copy_from_slice(&len.to_le_bytes());
    glb
}
