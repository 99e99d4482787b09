//! Any bytes as an OBJ: rejected with a line number, or a mesh whose every index and coordinate is valid.
//! Bytes also become words of the format, so that faces occur more often than by chance.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marchland_fuzz::{sound, written};
use marchland_tools::import::mesh::load_file;

fuzz_target!(|data: &[u8]| {
    let Some((&how, data)) = data.split_first() else { return };
    let bytes = if how & 1 == 0 { data.to_vec() } else { spoken(data).into_bytes() };
    let path = written("a.obj", &bytes);
    match load_file("a.obj", path.parent().expect("a folder")) {
        Ok(file) => sound(&file.mesh),
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
