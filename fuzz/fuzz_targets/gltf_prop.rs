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

/// The contents of a file with two meshes, three nodes and every kind of accessor, up to the last number, the length of
/// the binary part. `$5` is a number that is usually 5, and `$%1` a type, usually the one with this number.
const CONTENTS: &str = r#"{"asset":{"version":"2.0"},"scene":$0,"scenes":[{"nodes":[0,$2]}],
"extensionsUsed":["KHR_mesh_quantization"],
"nodes":[{"children":[$1],"scale":[$1,1,1]},{"mesh":$0,"translation":[$3,0,0]},{"mesh":$1}],
"meshes":[{"primitives":[{"attributes":{"POSITION":$0},"indices":$1,"mode":$4}]},
{"primitives":[{"attributes":{"POSITION":$0},"mode":$5}]}],
"accessors":[
{"bufferView":$0,"byteOffset":$0,"componentType":$5126,"count":$4,"type":"$%1","sparse":
{"count":$0,"indices":{"bufferView":$1,"componentType":$5121},"values":{"bufferView":$0}}},
{"bufferView":$1,"byteOffset":$0,"componentType":$5121,"count":$6,"type":"$%0"}],
"bufferViews":[{"buffer":$0,"byteOffset":$0,"byteLength":$48,"byteStride":$12},
{"buffer":0,"byteOffset":$48,"byteLength":$6}],"buffers":[{"byteLength":"#;
const TYPES: [&str; 3] = ["SCALAR", "VEC3", "VEC2"];

/// A file of these contents, with its numbers chosen by the data.
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
    let mut parts = CONTENTS.split('$');
    let mut json = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (is_type, part) = part.strip_prefix('%').map_or((false, part), |part| (true, part));
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let chosen = number(part[..end].parse().expect("a number"));
        json += &if is_type { TYPES[(chosen % 3) as usize].to_owned() } else { chosen.to_string() };
        json += &part[end..];
    }
    json += &format!("{}}}]}}", number(binary.len() as u64));
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
