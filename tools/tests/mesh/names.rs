//! Names of files lead nowhere but into the folder.

use marchland_tools::import::mesh::{BufferFault, MeshProblem};

use crate::fixtures::*;

/// Names that must be refused before anything is looked for.
const OUTSIDE: [&str; 20] = [
    "",
    "..",
    "../secret.bin",
    "../inside/../secret.bin",
    "sub/../../secret.bin",
    "sub/..",
    "/etc/passwd",
    "//server/share",
    "\\secret.bin",
    "..\\secret.bin",
    "sub\\..\\..\\secret.bin",
    "C:\\secret.bin",
    "c:secret.bin",
    "file:///etc/passwd",
    "FILE:secret.bin",
    "http://a.b/c",
    "secret\0.bin",
    "sub//secret.bin",
    ".",
    "sub/",
];

#[test]
fn a_mesh_is_only_taken_from_inside_the_folder() {
    let folder = Folder::new();
    folder.file("secret.glb", &pyramid().glb());
    folder.file("inside/sub/a.glb", &pyramid().glb());
    let inside = folder.path().join("inside");
    let load = |name: &str| marchland_tools::import::mesh::load_file(name, &inside);
    assert!(load("sub/a.glb").is_ok());
    for name in OUTSIDE.map(|name| name.replace(".bin", ".glb")) {
        let error = load(&name).expect_err(&name);
        assert!(matches!(error.problem, MeshProblem::Outside { .. }), "{name:?}: {error}");
        assert!(!error.is_io());
    }
    let error = load("absent.glb").unwrap_err();
    assert!(error.is_io(), "{error}");
    let error = load("sub").unwrap_err();
    assert!(matches!(error.problem, MeshProblem::NotAFile), "{error}");
    // In a file of props a % is a %.
    let error = load("%2e%2e/secret.glb").unwrap_err();
    assert!(error.is_io(), "{error}");
}

#[test]
fn a_buffer_is_only_taken_from_inside_the_folder_whatever_its_uri_hides() {
    let folder = Folder::new();
    folder.file("secret.bin", &pyramid().binary);
    folder.file("inside/sub/a b.bin", &pyramid().binary);
    let inside = folder.path().join("inside");
    let load = |uri: &str| {
        folder.file("inside/a.gltf", &pyramid().beside(uri));
        marchland_tools::import::mesh::load_file("a.gltf", &inside)
    };
    for uri in ["sub/a b.bin", "sub/a%20b.bin", "./%73ub/a%20b.bin"] {
        load(uri).unwrap_or_else(|e| panic!("{uri}: {e}"));
    }
    let hidden = [
        "%2e%2e/secret.bin",
        "%2E%2E%2Fsecret.bin",
        ".%2e/secret.bin",
        "sub/%2e%2e/%2e%2e/secret.bin",
        "%2Fetc/passwd",
        "..%5Csecret.bin",
        "%66ile:secret.bin",
        "C%3Asecret.bin",
        "a%00.bin",
        "%zz.bin",
        "a%2",
        "%ff.bin",
    ];
    for uri in OUTSIDE.into_iter().chain(hidden) {
        let error = load(uri).expect_err(uri);
        let named = match &error.problem {
            MeshProblem::Buffer { buffer: 0, fault: BufferFault::Name(problem) } => {
                matches!(**problem, MeshProblem::Outside { .. })
            }
            _ => false,
        };
        assert!(named && !error.is_io(), "{uri:?}: {error}");
        assert!(error.hint().is_some());
    }
    // Decoded once, and no more.
    let error = load("%252e%252e/secret.bin").unwrap_err();
    assert!(error.is_io() && error.to_string().contains("%2e%2e/secret.bin"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_may_lead_about_inside_the_folder_and_not_out_of_it() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    folder.file("secret.glb", &pyramid().glb());
    folder.file("inside/real/a.glb", &pyramid().glb());
    let inside = folder.path().join("inside");
    symlink("real", inside.join("near")).unwrap();
    symlink("../secret.glb", inside.join("out.glb")).unwrap();
    symlink("..", inside.join("up")).unwrap();
    symlink("/dev/zero", inside.join("zero.glb")).unwrap();
    symlink("loop.glb", inside.join("loop.glb")).unwrap();
    let load = |name: &str| marchland_tools::import::mesh::load_file(name, &inside);
    assert!(load("near/a.glb").is_ok());
    for name in ["out.glb", "up/secret.glb", "zero.glb"] {
        let error = load(name).expect_err(name);
        assert!(matches!(error.problem, MeshProblem::Outside { .. }), "{name}: {error}");
    }
    assert!(load("loop.glb").is_err());
    // The folder may be a link itself.
    symlink("inside", folder.path().join("by_link")).unwrap();
    let by_link = folder.path().join("by_link");
    assert!(marchland_tools::import::mesh::load_file("real/a.glb", &by_link).is_ok());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let folder = Folder::new();
    let pipe = folder.path().join("a.glb");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let error = folder.load("a.glb").unwrap_err();
    assert!(matches!(error.problem, MeshProblem::NotAFile), "{error}");
}

#[test]
fn other_kinds_of_files_are_named_for_what_they_are_not() {
    let error = load("a.fbx", b"Kaydara").unwrap_err();
    assert!(error.to_string().ends_with("expected .glb, .gltf or .obj"), "{error}");
    assert!(load("mesh", b"").is_err());
}

#[test]
fn a_file_that_is_too_long_is_refused_before_it_is_read() {
    let folder = Folder::new();
    for name in ["a.glb", "a.obj"] {
        let path = folder.file(name, b"");
        std::fs::File::options().write(true).open(path).unwrap().set_len((1 << 30) + 1).unwrap();
        let error = folder.load(name).unwrap_err();
        assert!(
            error.to_string().contains("1073741825 bytes, expected at most 1073741824"),
            "{error}"
        );
    }
    let path = folder.file("a.gltf", b"");
    std::fs::File::options().write(true).open(path).unwrap().set_len((1 << 28) + 1).unwrap();
    let error = folder.load("a.gltf").unwrap_err();
    assert!(error.to_string().contains("JSON of 268435457 bytes"), "{error}");
}
