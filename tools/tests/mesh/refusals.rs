//! Files of props that are wrong: the line, the key, what was found and what is accepted.

use marchland_tools::import::props::{PropFileError, PropProblem, load};

use crate::fixtures::*;

fn refused(toml: &str) -> PropFileError {
    let folder = Folder::new();
    folder.file("a.glb", &pyramid().glb());
    folder.file("open.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.file("bad.obj", b"v 0 0 0\nv nan 0 0\n");
    let path = folder.file("props.toml", toml.as_bytes());
    let surfaces = ["grass", "rock"].map(str::to_owned);
    match load(&path, &surfaces) {
        Err(error) => error,
        Ok(_) => panic!("accepted:\n{toml}"),
    }
}

const PROP: &str = "[[prop]]\nmesh = \"a.glb\"\nposition = [0, 0, 0]\n";
const SCENE: &str = "[[scene]]\nfile = \"a.glb\"\nposition = [0, \"ground\", 0]\n";
const SCATTER: &str = "[[scatter]]\nmesh = \"a.glb\"\ncount = 5\n";

#[test]
fn every_wrong_key_is_refused_with_its_line_and_what_is_accepted() {
    let table: &[(&str, &str, u32, &[&str])] = &[
        // Wherever it is.
        ("", "props = 5", 1, &["unknown key `props`", "version, prop, scene, scatter"]),
        ("", "version = 2", 1, &["`version` is 2", "expected 1"]),
        ("", "version = \"1\"", 1, &["`version` is \"1\"", "expected 1"]),
        ("", "prop = 5", 1, &["`prop` is 5", "[[prop]]"]),
        ("", "[prop]\nmesh = \"a.glb\"", 1, &["`prop` is a table", "[[prop]]"]),
        ("", "scatter = [5]", 1, &["`scatter` is [5]", "[[scatter]]"]),
        ("", "\n\nx = = 5", 3, &["not TOML"]),
        ("", "[[prop]]\nmesh = \"a\"\nmesh = \"b\"", 3, &["not TOML", "duplicate"]),
        // Props.
        (PROP, "colour = 1", 4, &["unknown key `colour` in [[prop]]", "rotation, scale, surface"]),
        (PROP, "\n\nz = 1\ny = 1", 6, &["unknown key `z`"]),
        (PROP, "scale = 0", 4, &["`scale` is 0", "1/1024", "to 1024"]),
        (PROP, "scale = -1.5", 4, &["`scale` is -1.5"]),
        (PROP, "scale = 1025", 4, &["`scale` is 1025"]),
        (PROP, "scale = nan", 4, &["`scale` is nan"]),
        (PROP, "scale = [1, 2, 1]", 4, &["`scale` is [1, 2, 1]"]),
        (PROP, "rotation = 90", 4, &["`rotation` is 90", "[x, y, z] in degrees"]),
        (PROP, "rotation = [0, 90]", 4, &["`rotation` is [0, 90]"]),
        (PROP, "rotation = [0,\n90,\n\"b\"]", 6, &["`rotation[2]` is \"b\""]),
        (PROP, "rotation = [0, inf, 0]", 4, &["`rotation[1]` is inf"]),
        (PROP, "layers = -1", 4, &["`layers` is -1", "0 to 4294967295"]),
        (PROP, "layers = 4294967296", 4, &["`layers` is 4294967296"]),
        (PROP, "layers = 1.0", 4, &["`layers` is 1.0"]),
        (
            PROP,
            "collision = \"hard\"",
            4,
            &["`collision` is \"hard\"", "\"auto\", \"solid\" or \"soup\""],
        ),
        (PROP, "collision = true", 4, &["`collision` is true"]),
        (PROP, "surface = \"snow\"", 4, &["`surface` is \"snow\"", "\"grass\", \"rock\""]),
        (PROP, "surface = 1", 4, &["`surface` is 1", "\"grass\", \"rock\""]),
        (PROP, "above = 1", 4, &["`above` is 1", "y is \"ground\""]),
        (
            "",
            "[[prop]]\nposition = [0, 0, 0]",
            1,
            &["[[prop]] has no `mesh`", ".glb, .gltf or .obj"],
        ),
        ("", "[[prop]]\nmesh = 1\nposition = [0, 0, 0]", 2, &["`mesh` is 1"]),
        ("", "\n[[prop]]\nmesh = \"a.glb\"", 2, &["[[prop]] has no `position`", "[x, y, z]"]),
        (
            "[[prop]]\nmesh = \"a.glb\"\n",
            "position = [0, 0]",
            3,
            &["`position` is [0, 0]", "\"ground\""],
        ),
        (
            "[[prop]]\nmesh = \"a.glb\"\n",
            "position = [0, \"floor\", 0]",
            3,
            &["`position[1]` is \"floor\"", "\"ground\""],
        ),
        (
            "[[prop]]\nmesh = \"a.glb\"\n",
            "position = [\"ground\", 0, 0]",
            3,
            &["`position[0]` is \"ground\""],
        ),
        (
            "[[prop]]\nmesh = \"a.glb\"\n",
            "position = [0, 1e9, 0]",
            3,
            &["`position[1]` is 1e9", "-524288 to 524288"],
        ),
        ("[[prop]]\nmesh = \"a.glb\"\n", "position = [1e14, 0, 0]", 3, &["`position[0]` is 1e14"]),
        ("[[prop]]\nmesh = \"a.glb\"\n", "position = [nan, 0, 0]", 3, &["`position[0]` is nan"]),
        // Scenes.
        (SCENE, "mesh = \"a.glb\"", 4, &["unknown key `mesh` in [[scene]]", "file"]),
        (SCENE, "ground = \"all\"", 4, &["`ground` is \"all\"", "\"origin\" or \"each\""]),
        (SCENE, "scale = 1e9", 4, &["`scale` is 1e9"]),
        (
            "[[scene]]\nfile = \"a.glb\"\nposition = [0, 0, 0]\n",
            "ground = \"each\"",
            4,
            &["`ground` is \"each\"", "y is \"ground\""],
        ),
        ("[[scene]]\nposition = [0, 0, 0]\n", "file = \"open.obj\"", 3, &["open.obj", "no nodes"]),
        // Scatters.
        (SCATTER, "position = [0, 0, 0]", 4, &["unknown key `position` in [[scatter]]"]),
        (SCATTER, "meshes = [\"a.glb\"]", 4, &["`meshes` together with `mesh`"]),
        (SCATTER, "density = 5", 4, &["`density` together with `count`"]),
        (SCATTER, "seed = -1", 4, &["`seed` is -1"]),
        (SCATTER, "slope = [30, 10]", 4, &["`slope` is [30, 10]", "0 to 90"]),
        (SCATTER, "slope = [0, 91]", 4, &["`slope[1]` is 91", "0 to 90"]),
        (SCATTER, "slope = 30", 4, &["`slope` is 30", "[least, greatest]"]),
        (SCATTER, "height = [5, 1]", 4, &["`height` is [5, 1]"]),
        (SCATTER, "on = \"grass\"", 4, &["`on` is \"grass\""]),
        (SCATTER, "on = []", 4, &["`on` is []"]),
        (SCATTER, "on = [\"grass\", \"sand\"]", 4, &["`on[1]` is \"sand\"", "\"grass\", \"rock\""]),
        (SCATTER, "area = [[0, 0], [0, 5]]", 4, &["`area`", "the first corner below the second"]),
        (SCATTER, "area = [0, 0, 5, 5]", 4, &["`area` is [0, 0, 5, 5]"]),
        (SCATTER, "area = [[0], [1, 1]]", 4, &["`area[0]` is [0]"]),
        (SCATTER, "yaw = \"any\"", 4, &["`yaw` is \"any\"", "\"random\", or degrees"]),
        (SCATTER, "scale = [2, 1]", 4, &["`scale` is [2, 1]"]),
        (SCATTER, "scale = [0, 1]", 4, &["`scale[0]` is 0"]),
        (SCATTER, "scale = \"big\"", 4, &["`scale` is \"big\"", "[least, greatest]"]),
        (SCATTER, "sink = inf", 4, &["`sink` is inf"]),
        ("", "[[scatter]]\nmesh = \"a.glb\"\ncount = 1.5", 3, &["`count` is 1.5"]),
        (
            "",
            "[[scatter]]\nmesh = \"a.glb\"\ncount = 99999999",
            3,
            &["`count` is 99999999", "16777216"],
        ),
        (
            "",
            "[[scatter]]\nmesh = \"a.glb\"\ndensity = -1",
            3,
            &["`density` is -1", "0 to 1000000"],
        ),
        ("", "[[scatter]]\nmesh = \"a.glb\"", 1, &["[[scatter]] has no `count`", "`density`"]),
        ("", "[[scatter]]\ncount = 5", 1, &["[[scatter]] has no `mesh`", "`meshes`"]),
        ("", "[[scatter]]\ncount = 5\nmeshes = []", 3, &["`meshes` is []"]),
        ("", "[[scatter]]\ncount = 5\nmeshes = [\"a.glb\", 5]", 3, &["`meshes[1]`", "is 5"]),
    ];
    for (before, wrong, line, words) in table {
        let error = refused(&format!("{before}{wrong}\n"));
        let message = error.to_string();
        assert_eq!(error.line, Some(*line), "{wrong}: {message}");
        assert!(!error.is_io(), "{message}");
        assert!(message.contains(&format!("props.toml, line {line}: ")), "{message}");
        for word in *words {
            assert!(message.contains(word), "{wrong}: {word:?} in {message:?}");
        }
    }
}

#[test]
fn a_mesh_that_is_wrong_is_named_with_the_line_that_names_it() {
    let with = |name: &str| refused(&PROP.replace("a.glb", name));
    let error = with("bad.obj");
    let message = error.to_string();
    assert!(
        message.contains("line 2: ") && message.contains("bad.obj: line 2: x is `nan`"),
        "{message}"
    );
    assert!(!error.is_io());
    let error = with("absent.glb");
    assert!(error.is_io() && error.line == Some(2), "{error}");
    let error = with("../a.glb");
    assert!(error.to_string().contains("leads upwards") && error.hint().is_some(), "{error}");
    assert!(with("a.fbx").is_io());
}

#[test]
fn a_solid_that_is_not_closed_is_refused_with_its_open_edges() {
    let toml = PROP.replace("a.glb", "open.obj") + "collision = \"solid\"\n";
    let error = refused(&toml);
    assert!(error.to_string().contains("open.obj is not closed: 3 edges are open"), "{error}");
    assert_eq!(error.line, Some(4));
    assert!(matches!(error.problem, PropProblem::NotClosed { open_edges: 3, .. }));
    assert!(error.hint().is_some());
}

#[test]
fn unknown_surfaces_come_with_the_flag_that_names_them() {
    let error = refused(&format!("{PROP}surface = \"snow\"\n"));
    assert!(error.hint().unwrap().contains("--surface-names"), "{error}");
    assert!(refused(&format!("{PROP}scale = 0\n")).hint().is_none());
}

#[test]
fn a_file_that_is_no_text_or_not_there_is_refused() {
    let folder = Folder::new();
    let path = folder.file("props.toml", b"[[prop]]\n# caf\xe9\n");
    let error = load(&path, &[]).unwrap_err();
    assert!(error.to_string().contains("a byte at 14 that is not UTF-8"), "{error}");
    let error = load(&folder.path().join("absent.toml"), &[]).unwrap_err();
    assert!(error.is_io(), "{error}");
    let deep = format!("x = {}", "[".repeat(100_000));
    let path = folder.file("deep.toml", deep.as_bytes());
    assert!(!load(&path, &[]).unwrap_err().is_io(), "no overflow");
}
