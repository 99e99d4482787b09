//! Any bytes as an OBJ: rejected with a line number, or a mesh whose every index and coordinate is valid.
//! Bytes also become words of the format, so that faces occur more often than by chance.
#![no_main]

use std::cell::RefCell;
use std::fs;

use libfuzzer_sys::fuzz_target;
use marchland_terrain::props::{LoadedMesh, PreparedMesh};
use marchland_tools::import::mesh::load_file;
use tempfile::TempDir;

thread_local! {
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

fuzz_target!(|data: &[u8]| {
    let Some((&how, data)) = data.split_first() else { return };
    let bytes = if how & 1 == 0 { data.to_vec() } else { spoken(data).into_bytes() };
    let loaded = FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| TempDir::new().expect("a folder")).path();
        fs::write(folder.join("a.obj"), bytes).expect("written");
        load_file("a.obj", folder)
    });
    match loaded {
        Ok(file) => {
            let mesh = file.mesh;
            assert!(!mesh.triangles.is_empty());
            assert!(mesh.vertices.iter().all(|vertex| vertex.is_finite()));
            assert!(mesh.triangles.iter().flatten().all(|&i| (i as usize) < mesh.vertices.len()));
            if let Ok((prepared, _)) = PreparedMesh::new(&mesh) {
                LoadedMesh::new(prepared.encode()).expect("what is written can be read");
            }
        }
        Err(error) => assert!(!error.is_io(), "{error}"),
    }
});

/// One word for each byte.
fn spoken(data: &[u8]) -> String {
    const WORDS: [&str; 24] = [
        "\nv",
        "\nv",
        "\nv",
        "\nf",
        "\nf",
        "\nl",
        "\n#",
        "\\\n",
        "/",
        "//",
        "0",
        "1",
        "2",
        "3",
        "-1",
        "-2",
        "-3",
        "1/1/1",
        "0.5",
        "-7e3",
        "1e-40",
        "1e39",
        "nan",
        "99999999999999999999",
    ];
    let words: Vec<_> = data.iter().map(|&byte| WORDS[usize::from(byte) % WORDS.len()]).collect();
    words.join(" ")
}
