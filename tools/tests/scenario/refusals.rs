//! Scenario files that are wrong: the line, the key, what was found and what is accepted.

use marchland_tools::scenario::{Scenario, ScenarioError};

use crate::fixtures::*;

fn refused_in(folder: &Folder, toml: &str) -> ScenarioError {
    match folder.load(toml) {
        Err(error) => error,
        Ok(_) => panic!("accepted:\n{toml}"),
    }
}

/// Each row: what goes before, lines that are wrong, the line at fault counted from the first of
/// them, and what the message holds.
type Row<'a> = (&'a str, &'a str, u32, &'a [&'a str]);

fn check(table: &[Row<'_>]) {
    let folder = Folder::new();
    folder.image("hills.png");
    folder.file("bad.obj", b"v 0 0 0\nv nan 0 0\n");
    folder.file("flat.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    folder.file("bad.png", b"no picture at all");
    for (before, wrong, line, says) in table {
        let begin = format!("{LEAST}{before}");
        let error = refused_in(&folder, &format!("{begin}{wrong}\n"));
        let message = error.to_string();
        let expected = begin.lines().count() as u32 + line;
        assert_eq!(error.line, Some(expected), "{wrong}\n{message}");
        assert!(message.contains(&format!("run.toml, line {expected}: ")), "{message}");
        for part in *says {
            assert!(message.contains(part), "no {part} in: {message}");
        }
        assert!(!error.is_io(), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

const MESH: &str = "[meshes.box]\nbox = [1, 1, 1]\n\
    [meshes.leaf]\nvertices = [[0,0,0],[1,0,0],[0,1,0]]\ntriangles = [[0,1,2]]\n";
const PROP: &str = "[meshes.box]\nbox = [1, 1, 1]\n\
    [meshes.leaf]\nvertices = [[0,0,0],[1,0,0],[0,1,0]]\ntriangles = [[0,1,2]]\n\
    [[props]]\nmesh = \"box\"\nposition = [0, 0, 0]\n";
const UNIT: &str = "[bodies.soldier]\n[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n";
const EXPECT: &str = "[[units]]\nname = \"a\"\nposition = [0, 0, 0]\n[[expect]]\nunit = \"a\"\n";
const GONE: &str = "[[not_resident]]\nsector = [0, 0]\n";
const BODY: &str = "[bodies.b]\n";
const HEIGHTS: &str =
    "[terrain]\nheights = { columns = 3, rows = 2, spacing = 8, samples = [0,0,1, 0,0,1] }\n";

#[test]
fn the_file_itself_is_refused_with_line_and_key() {
    check(&[
        ("", "prop = 5", 1, &["unknown key `prop` in a scenario", "units, not_resident, expect"]),
        ("", "\n\nx = = 5", 3, &["not TOML"]),
        ("", "ticks = 5", 1, &["not TOML", "duplicate"]),
        ("", "tick_rate = 0", 1, &["`tick_rate` is 0", "4 to 100000 Hz"]),
        ("", "tick_rate = \"60\"", 1, &["`tick_rate` is \"60\""]),
        ("", "tick_rate = nan", 1, &["`tick_rate` is nan"]),
        ("", "gravity = -9.81", 1, &["`gravity` is -9.81", "0 to 1024"]),
        ("", "gravity = [0, -9.81, 0]", 1, &["`gravity` is [0, -9.81, 0]"]),
        ("", "sector_size = 100", 1, &["`sector_size` is 100", "power of two from 8 to 16384"]),
        ("", "sector_size = 4", 1, &["`sector_size` is 4"]),
        ("", "sector_size = 256.0000001", 1, &["`sector_size` is 256.0000001"]),
        ("", "origin_sector = [0, 0, 0]", 1, &["`origin_sector` is [0, 0, 0]", "[x, z]"]),
        ("", "origin_sector = [0.5, 0]", 1, &["`origin_sector[0]` is 0.5"]),
        ("", "origin_sector = [0, 2147483648]", 1, &["`origin_sector[1]` is 2147483648"]),
        ("", "units = 5", 1, &["`units` is 5", "[[units]]"]),
        ("", "bodies = 5", 1, &["`bodies` is 5", "[bodies.NAME]"]),
        ("", "[bodies]\nsoldier = 5", 2, &["`bodies.soldier` is 5", "[bodies.NAME]"]),
        ("", "[units]\nname = \"a\"", 1, &["`units` is a table", "[[units]]"]),
        ("", "[[expect]]\nunit = \"a\"", 2, &["`unit` is \"a\"", "a unit: none is defined"]),
    ]);
}

#[test]
fn what_every_scenario_must_say_is_missed() {
    let folder = Folder::new();
    let table: &[(&str, u32, &[&str])] = &[
        ("", 1, &["a scenario has no `version`", "expected 1"]),
        ("version = 2", 1, &["`version` is 2", "expected 1"]),
        ("version = 0", 1, &["`version` is 0"]),
        ("version = 1.0", 1, &["`version` is 1.0"]),
        ("version = 1", 1, &["a scenario has no `name`"]),
        ("version = 1\nname = \"\"", 2, &["`name` is \"\""]),
        ("version = 1\nname = 7", 2, &["`name` is 7"]),
        ("version = 1\nname = \"n\"", 1, &["a scenario has no `ticks`", "whole number of ticks"]),
        ("version = 1\nname = \"n\"\nticks = -1", 3, &["`ticks` is -1"]),
        ("version = 1\nname = \"n\"\nticks = 1.5", 3, &["`ticks` is 1.5"]),
        ("version = 1\nname = \"n\"\nticks = 4294967296", 3, &["`ticks` is 4294967296"]),
    ];
    for (toml, line, says) in table {
        let error = refused_in(&folder, toml);
        let message = error.to_string();
        assert_eq!(error.line, Some(*line), "{message}");
        assert!(says.iter().all(|part| message.contains(part)), "{says:?} in: {message}");
    }
}

#[test]
fn wrong_ground_is_refused_with_line_and_key() {
    check(&[
        ("", "terrain = 5", 1, &["`terrain` is 5", "[terrain]"]),
        ("[terrain]\n", "water = 0", 1, &["unknown key `water` in [terrain]", "flat, heights"]),
        ("[terrain]\nflat = 0\n", "world = \"w\"", 1, &["`world` together with `flat`"]),
        ("[terrain]\nflat = 0\n", "png = {}", 1, &["`png` together with `flat`"]),
        (HEIGHTS, "flat = 1", 1, &["`flat` together with `heights`"]),
        ("[terrain]\n", "flat = \"level\"", 1, &["`flat` is \"level\"", "metres"]),
        ("[terrain]\n", "flat = inf", 1, &["`flat` is inf"]),
        ("[terrain]\nflat = 0\n", "holes = [[0, 0]]", 1, &["`holes`", "`heights` or `png`"]),
        ("[terrain]\n", "surface = \"ground\"", 1, &["`surface` is \"ground\"", "beside it"]),
        ("[terrain]\nflat = 0\n", "surface = \"ice\"", 1, &["`surface` is \"ice\"", "\"ground\""]),
        ("[terrain]\n", "heights = 5", 1, &["`heights` is 5", "columns, rows, spacing"]),
        ("[terrain]\n", "world = 5", 1, &["`world` is 5", "a baked world"]),
        ("[terrain]\n", "world = \"none.world\"", 1, &["`world`: ", "none.world"]),
        ("[terrain]\n", "world = \"hills.png\"", 1, &["`world`: ", "hills.png"]),
        (HEIGHTS, "holes = [[0, 0], [2, 0]]", 1, &["`holes[1][0]` is 2", "below [2, 1]"]),
        (HEIGHTS, "holes = [[0, 1]]", 1, &["`holes[0][1]` is 1"]),
        (HEIGHTS, "holes = [[0, 0, 0]]", 1, &["`holes[0]` is [0, 0, 0]"]),
        (HEIGHTS, "holes = [[-1, 0]]", 1, &["`holes[0][0]` is -1"]),
    ]);
}

#[test]
fn wrong_heights_are_refused_with_line_and_key() {
    let wrong = |of: &str, to: &str, says: &[&str]| {
        assert!(HEIGHTS.contains(of), "{of}");
        check(&[("", &HEIGHTS.replace(of, to), 2, says)]);
    };
    wrong("columns = 3, ", "", &["heights has no `columns`"]);
    wrong("columns = 3", "columns = 1", &["`heights.columns` is 1", "2 to 65536"]);
    wrong("rows = 2", "rows = 65537", &["`heights.rows` is 65537"]);
    wrong("rows = 2", "lines = 2", &["unknown key `lines` in heights"]);
    wrong("spacing = 8, ", "", &["heights has no `spacing`"]);
    wrong(
        "spacing = 8",
        "spacing = 3",
        &["`heights.spacing` is 3", "power of two from 0.25 to 128"],
    );
    wrong("spacing = 8", "spacing = 0.125", &["`heights.spacing` is 0.125"]);
    wrong("spacing = 8", "spacing = 256", &["`heights.spacing` is 256"]);
    wrong("spacing = 8", "spacing = -8", &["`heights.spacing` is -8"]);
    wrong("rows = 2", "rows = 2, origin = [4, 0]", &["`heights.origin` is [4, 0]", "multiples of"]);
    wrong("rows = 2", "rows = 2, origin = [0, nan]", &["`heights.origin[1]` is nan"]);
    wrong("rows = 2", "rows = 2, origin = 8", &["`heights.origin` is 8"]);
    wrong(
        "1, 0,0,1]",
        "1, 0,0]",
        &["`heights.samples` is 5 numbers", "6, which is 3 columns of 2"],
    );
    wrong("1, 0,0,1]", "1, 0,0,1,1]", &["`heights.samples` is 7 numbers"]);
    wrong("1, 0,0,1]", "1, 0,0,9000]", &["`heights.samples[5]` is 9000", "-8192 to 8192"]);
    wrong("1, 0,0,1]", "1, 0,\"x\",1]", &["`heights.samples[4]` is \"x\""]);
    wrong(
        "rows = 2",
        "rows = 2, origin = [1e12, 0]",
        &["`heights` is an area of sectors", "within 2^31"],
    );
    // Two samples, but sectors of cells as fine as can be, far apart: none; and far too many.
    let far = "sector_size = 8\n[terrain]\nheights = { columns = 2000, rows = 2000, spacing = 4, \
               samples = [";
    let far = format!("{far}{}] }}\n", vec!["0"; 4_000_000].join(","));
    check(&[("", &far, 3, &["`heights` is an area of", "at most 65536", "sector_size"])]);
}

#[test]
fn wrong_images_are_refused_with_line_and_key() {
    let png =
        "[terrain]\npng = { file = \"hills.png\", spacing = 2, min_height = 0, max_height = 9 }\n";
    let wrong = |of: &str, to: &str, says: &[&str]| {
        assert!(png.contains(of), "{of}");
        check(&[("", &png.replace(of, to), 2, says)]);
    };
    wrong("file = \"hills.png\", ", "", &["png has no `file`"]);
    wrong("hills.png", "none.png", &["`png.file`: ", "none.png", "cannot open"]);
    wrong("hills.png", "bad.png", &["`png.file`: ", "bad.png"]);
    wrong("hills.png", ".", &["`png.file`: "]);
    wrong("spacing = 2", "spacing = 2.5", &["`png.spacing` is 2.5", "power of two"]);
    wrong("min_height = 0, ", "", &["png has no `min_height`"]);
    wrong("max_height = 9", "max_height = 0", &["`png.max_height` is 0", "above `min_height`"]);
    wrong("max_height = 9", "max_height = inf", &["`png.max_height` is inf"]);
    wrong("spacing = 2", "spacing = 2, origin = [0, 0]", &["unknown key `origin` in png"]);
}

#[test]
fn wrong_surfaces_and_meshes_are_refused_with_line_and_key() {
    check(&[
        ("[surfaces.ice]\n", "grip = 1", 1, &["unknown key `grip` in [surfaces.ice]", "friction"]),
        ("[surfaces.ice]\n", "friction = 1.5", 1, &["`surfaces.ice.friction` is 1.5", "0 to 1"]),
        ("[surfaces.ice]\n", "sticky = 1", 1, &["`surfaces.ice.sticky` is 1", "true or false"]),
        ("[surfaces.ice]\n", "climbable = \"no\"", 1, &["`surfaces.ice.climbable` is \"no\""]),
        ("[surfaces.ice]\n", "bounce = -0.1", 1, &["`surfaces.ice.bounce` is -0.1"]),
        ("[surfaces.ice]\n", "conveyor = [1, 2]", 1, &["`surfaces.ice.conveyor` is [1, 2]"]),
        ("[surfaces.ice]\n", "conveyor = [8000, 8000, 0]", 1, &["m/s, at most 8192 long"]),
        ("", "[meshes.m]", 1, &["[meshes.m] has no `vertices`", "`box` or a `file`"]),
        ("[meshes.m]\n", "sphere = 1", 1, &["unknown key `sphere` in [meshes.m]"]),
        ("[meshes.m]\nbox = [1, 1, 1]\n", "file = \"a.obj\"", 1, &["`file` together with `box`"]),
        ("[meshes.m]\nbox = [1, 1, 1]\n", "triangles = []", 1, &["`triangles` together with"]),
        ("[meshes.m]\n", "box = [1, 0, 1]", 1, &["`meshes.m.box[1]` is 0", "above 0"]),
        ("[meshes.m]\n", "box = [1, -1, 1]", 1, &["`meshes.m.box[1]` is -1"]),
        ("", "[meshes.m]\nvertices = [[0,0,0]]", 1, &["[meshes.m] has no `triangles`"]),
        ("[meshes.m]\ntriangles = []\n", "vertices = [[0,0]]", 1, &["`meshes.m.vertices[0]`"]),
        ("[meshes.m]\ntriangles = []\n", "vertices = [[0,0,1e6]]", 1, &["vertices[0][2]` is 1e6"]),
        (
            "[meshes.m]\nvertices = [[0,0,0],[1,0,0],[0,1,0]]\n",
            "triangles = [[0,1,2],\n[0,1,3]]",
            2,
            &["`meshes.m.triangles[1][2]` is 3", "0 to 2"],
        ),
        ("[meshes.m]\nvertices = []\n", "triangles = [[0,0,0]]", 1, &["there are no vertices"]),
        (
            "",
            "[meshes.m]\nvertices = [[0,0,0],[1,0,0],[2,0,0]]\ntriangles = [[0,1,2]]",
            1,
            &["mesh \"m\": no triangle is left"],
        ),
        ("[meshes.m]\n", "file = 5", 1, &["`meshes.m.file` is 5", ".glb, .gltf or .obj"]),
        ("[meshes.m]\n", "file = \"none.glb\"", 1, &["`meshes.m.file`: ", "none.glb"]),
        ("[meshes.m]\n", "file = \"bad.obj\"", 1, &["`meshes.m.file`: ", "bad.obj"]),
        ("[meshes.m]\n", "file = \"hills.png\"", 1, &["unknown mesh format"]),
        ("", "[meshes.m]\nfile = \"flat.obj\"", 1, &["mesh \"m\": no triangle is left of 1"]),
    ]);
}

#[test]
fn wrong_shapes_are_refused_with_line_and_key() {
    let shape = "[meshes.m]\n";
    check(&[
        (shape, "box = [1, 1, 1]\nramp = { }", 2, &["`ramp` together with `box`"]),
        (shape, "prism = { }\nprofile = { }", 2, &["`profile` together with `prism`"]),
        ("[meshes.m]\ncylinder = { }\n", "triangles = []", 1, &["`triangles` together with"]),
        (shape, "sphere = 1", 1, &["unknown key `sphere`", "file, profile, prism, ramp, stairs"]),
        (
            shape,
            "profile = [[0, 0]]",
            1,
            &["`meshes.m.profile` is [[0, 0]]", "{ outline, z, open }"],
        ),
        (shape, "profile = { y = [0, 1] }", 1, &["unknown key `y` in profile, expected one of"]),
        (shape, "prism = { y = [0, 1] }", 1, &["prism has no `outline`", "[x, z] in metres"]),
        (shape, "profile = { outline = [[0,0],[1,0],[0,1]] }", 1, &["profile has no `z`"]),
        (
            shape,
            "profile = { outline = [\n[0,0],\n[1,0,0],\n[0,1]], z = [0, 1] }",
            3,
            &["`profile.outline[1]` is [1, 0, 0]", "two coordinates"],
        ),
        (shape, "profile = { outline = [[0,0],[1,0],[0,1e6]] }", 1, &["outline[2][1]` is 1e6"]),
        (shape, "profile = { outline = [[0,0],[1,0],[0,1]], z = [1, 1] }", 1, &["`profile.z` is"]),
        (
            shape,
            "prism = { outline = [[0,0],[1,0],[0,1]], y = [1, 0] }",
            1,
            &["`prism.y` is [1, 0]"],
        ),
        (shape, "profile = { outline = 5, open = 1 }", 1, &["`profile.outline` is 5"]),
        (shape, "profile = { outline = [[0,0]], open = 1 }", 1, &["`profile.open` is 1"]),
        (
            shape,
            "profile = { outline = [[0,0]], open = true }",
            1,
            &["`profile.outline` is 1 points, expected 2 to 1024"],
        ),
        (
            shape,
            "prism = { outline = [[0,0],[1,0],[1,0]], open = true, y = [0, 1] }",
            1,
            &["with point 2 where the one before it is"],
        ),
        (shape, "ramp = { run = 0 }", 1, &["`ramp.run` is 0", "above 0"]),
        (shape, "ramp = { run = 5, rise = -1 }", 1, &["`ramp.rise` is -1"]),
        (shape, "ramp = { run = 5, rise = 1, landing = -1 }", 1, &["`ramp.landing` is -1"]),
        (
            shape,
            "ramp = { run = 5, rise = 1, landing = 65536, z = [0, 1] }",
            1,
            &["`meshes.m.ramp` is 65541 m long and 1 m high", "at most 65536 m of each"],
        ),
        (shape, "stairs = { run = 1 }", 1, &["stairs has no `steps`"]),
        (shape, "stairs = { steps = 0 }", 1, &["`stairs.steps` is 0", "1 to 500"]),
        (shape, "stairs = { steps = 501 }", 1, &["`stairs.steps` is 501"]),
        (shape, "stairs = { steps = 2.0 }", 1, &["`stairs.steps` is 2.0"]),
        (
            shape,
            "stairs = { steps = 500, run = 1, rise = 200, z = [0, 1] }",
            1,
            &["`meshes.m.stairs` is 500 m long and 100000 m high"],
        ),
        (shape, "cylinder = { y = [0, 1] }", 1, &["cylinder has no `radius`"]),
        (shape, "cylinder = { radius = 1 }", 1, &["cylinder has no `y`"]),
        (shape, "cylinder = { radius = 1, sides = 2 }", 1, &["`cylinder.sides` is 2", "3 to 256"]),
        // Too small for its corners to differ.
        (
            shape,
            "cylinder = { radius = 1e-300, y = [0, 1] }",
            1,
            &["`meshes.m.cylinder` is an outline with point 1 where"],
        ),
    ]);
}

#[test]
fn wrong_props_are_refused_with_line_and_key() {
    check(&[
        (PROP, "colour = 1", 1, &["unknown key `colour` in [[props]]", "rotation, scale"]),
        (MESH, "[[props]]\nposition = [0, 0, 0]", 1, &["[[props]] has no `mesh`"]),
        (MESH, "[[props]]\nmesh = \"box\"", 1, &["[[props]] has no `position`"]),
        (MESH, "[[props]]\nmesh = \"rock\"", 2, &["`mesh` is \"rock\"", "\"box\" or \"leaf\""]),
        (MESH, "[[props]]\nmesh = 1", 2, &["`mesh` is 1"]),
        (MESH, "[[props]]\nmesh = \"box\"\nposition = [0, nan, 0]", 3, &["`position[1]` is nan"]),
        (MESH, "[[props]]\nmesh = \"box\"\nposition = [0, 1e9, 0]", 3, &["`position[1]` is 1e9"]),
        (MESH, "[[props]]\nmesh = \"box\"\nposition = [1e15, 0, 0]", 3, &["within 2^31 sectors"]),
        (PROP, "rotation = 90", 1, &["`rotation` is 90", "degrees"]),
        (PROP, "rotation = [0, inf, 0]", 1, &["`rotation[1]` is inf"]),
        (PROP, "scale = 0", 1, &["`scale` is 0", "1/1024"]),
        (PROP, "scale = [1, 1, 1]", 1, &["`scale` is [1, 1, 1]"]),
        (PROP, "surface = \"ice\"", 1, &["`surface` is \"ice\"", "\"ground\""]),
        (PROP, "layers = 4294967296", 1, &["`layers` is 4294967296", "32-bit mask"]),
        (PROP, "layers = -1", 1, &["`layers` is -1"]),
        (PROP, "collision = \"hard\"", 1, &["`collision` is \"hard\"", "\"solid\" or \"soup\""]),
        (
            MESH,
            "[[props]]\nmesh = \"leaf\"\nposition = [0, 0, 0]\ncollision = \"solid\"",
            4,
            &["mesh \"leaf\" is not closed", "3 edges are open"],
        ),
        (PROP, "velocity = [0, 1]", 1, &["`velocity` is [0, 1]"]),
        (PROP, "velocity = [0, 9000, 0]", 1, &["`velocity[1]` is 9000", "8192"]),
        (PROP, "angular_velocity = [0, 60000, 0]", 1, &["`angular_velocity[1]` is 60000"]),
        (PROP, "velocity = [0, 1, 0]\nmotion = []", 2, &["`motion` together with `velocity`"]),
        (
            PROP,
            "motion = []\nangular_velocity = [0, 1, 0]",
            1,
            &["`motion` together with `angular_velocity`"],
        ),
        (PROP, "motion = 5", 1, &["`motion` is 5", "tick, velocity"]),
        (PROP, "motion = [{ tick = 0 }, 5]", 1, &["`motion[1]` is 5"]),
        (PROP, "motion = [{ velocity = [0, 1, 0] }]", 1, &["motion[0] has no `tick`"]),
        (PROP, "motion = [{ tick = 0, speed = 1 }]", 1, &["unknown key `speed` in motion[0]"]),
        (PROP, "motion = [{ tick = -1 }]", 1, &["`motion[0].tick` is -1"]),
        (
            PROP,
            "motion = [\n{ tick = 60 },\n{ tick = 30 },\n]",
            3,
            &["`motion[1].tick` is 30, after 60 on line 13", "ascending"],
        ),
        (PROP, "motion = [{ tick = 6 }, { tick = 6 }]", 1, &["`motion[1].tick` is 6, after 6"]),
        // Each alone would do: the rim of a scaled box is too fast.
        (
            PROP,
            "scale = 1000\nangular_velocity = [0, 50000, 0]",
            2,
            &["invalid prop: ", "8192 m/s"],
        ),
        (
            PROP,
            "scale = 1000\nmotion = [{ tick = 0 },\n{ tick = 5, angular_velocity = [0, 50000, 0] }]",
            3,
            &["invalid prop: "],
        ),
    ]);
}

#[test]
fn wrong_bodies_are_refused_with_line_and_key() {
    check(&[
        (BODY, "weight = 80", 1, &["unknown key `weight` in [bodies.b]", "radius, height"]),
        (BODY, "shape = \"capsule\"", 1, &["`bodies.b.shape` is \"capsule\"", "not supported yet"]),
        (
            BODY,
            "shape = \"ellipsoid\"",
            1,
            &["\"ellipsoid\", which is not supported yet", "cylinder"],
        ),
        (BODY, "shape = \"cube\"", 1, &["`bodies.b.shape` is \"cube\"", "\"capsule\" or"]),
        (BODY, "shape = 1", 1, &["`bodies.b.shape` is 1"]),
        (BODY, "radius = 0", 1, &["`bodies.b.radius` is 0", "0.01 to 64 m"]),
        (BODY, "radius = \"0.4\"", 1, &["`bodies.b.radius` is \"0.4\""]),
        (BODY, "height = -1.8", 1, &["`bodies.b.height` is -1.8"]),
        (BODY, "height = 513", 1, &["`bodies.b.height` is 513", "512"]),
        (BODY, "knee = -0.1", 1, &["`bodies.b.knee` is -0.1"]),
        (BODY, "height = 1\nknee = 1.5", 2, &["`bodies.b.knee` is 1.5", "`height`, which is 1 m"]),
        (BODY, "knee = 2", 1, &["`bodies.b.knee` is 2", "`height`, which is 1.8 m"]),
        (BODY, "step_up = 0.3", 1, &["`bodies.b.step_up` is 0.3", "`knee`, which is 0.45 m"]),
        (BODY, "step_up = 0.6\nknee = 0.7", 1, &["`bodies.b.step_up` is 0.6", "which is 0.7 m"]),
        (BODY, "step_down = 2", 1, &["`bodies.b.step_down` is 2", "`height`"]),
        (BODY, "climb = -1", 1, &["`bodies.b.climb` is -1"]),
        (BODY, "max_slope = 91", 1, &["`bodies.b.max_slope` is 91", "0 to 90 degrees"]),
        (BODY, "slope_rule = \"slow\"", 1, &["`bodies.b.slope_rule` is \"slow\"", "\"project\""]),
        (BODY, "slide_control = 1.5", 1, &["`bodies.b.slide_control` is 1.5"]),
        (BODY, "air_control = -1", 1, &["`bodies.b.air_control` is -1"]),
        (BODY, "leave_platform = true", 1, &["`bodies.b.leave_platform` is true", "\"add\""]),
        (BODY, "jump_speed = -5", 1, &["`bodies.b.jump_speed` is -5", "m/s"]),
        (BODY, "slide_speed = inf", 1, &["`bodies.b.slide_speed` is inf"]),
        (BODY, "terminal_speed = 9000", 1, &["`bodies.b.terminal_speed` is 9000"]),
    ]);
}

#[test]
fn wrong_units_are_refused_with_line_and_key() {
    check(&[
        (UNIT, "team = 1", 1, &["unknown key `team` in [[units]]"]),
        ("", "[[units]]\nposition = [0, 0, 0]", 1, &["[[units]] has no `name`"]),
        ("", "[[units]]\nname = \"a\"", 1, &["[[units]] has no `position`"]),
        ("", "[[units]]\nname = \"\"\nposition = [0, 0, 0]", 2, &["`name` is \"\""]),
        ("", "[[units]]\nname = \"a\\nb\"\nposition = [0, 0, 0]", 2, &["all on one line"]),
        (
            UNIT,
            "[[units]]\nposition = [0, 0, 0]\nname = \"a\"",
            3,
            &["`name` is \"a\", as on line 6", "a different name"],
        ),
        (UNIT, "body = \"ox\"", 1, &["`body` is \"ox\"", "the name of a body: \"soldier\""]),
        (UNIT, "body = 0", 1, &["`body` is 0"]),
        (UNIT, "velocity = [0, 0]", 1, &["`velocity` is [0, 0]"]),
        (UNIT, "velocity = [0, 0, 8193]", 1, &["`velocity[2]` is 8193"]),
        (UNIT, "controls = { tick = 0 }", 1, &["`controls` is a table", "tick, move, jump"]),
        (UNIT, "controls = [0]", 1, &["`controls[0]` is 0"]),
        (UNIT, "controls = [{}]", 1, &["controls[0] has no `tick`"]),
        (UNIT, "controls = [{ tick = 0, run = 1 }]", 1, &["unknown key `run` in controls[0]"]),
        (UNIT, "controls = [{ tick = 0.5 }]", 1, &["`controls[0].tick` is 0.5"]),
        (
            UNIT,
            "controls = [{ tick = 0, move = [5, 0, 0] }]",
            1,
            &["`controls[0].move` is [5, 0, 0]"],
        ),
        (
            UNIT,
            "controls = [{ tick = 0, move = [8000, 8000] }]",
            1,
            &["`controls[0].move`", "8192"],
        ),
        (UNIT, "controls = [{ tick = 0, jump = 1 }]", 1, &["`controls[0].jump` is 1"]),
        (UNIT, "controls = [{ tick = 0, impulse = 4 }]", 1, &["`controls[0].impulse` is 4"]),
        (UNIT, "controls = [{ tick = 0, teleport = [0, 0] }]", 1, &["`controls[0].teleport`"]),
        (UNIT, "controls = [{ tick = 0, body = \"ox\" }]", 1, &["`controls[0].body` is \"ox\""]),
        (
            UNIT,
            "controls = [{ tick = 0, mask = 4294967296 }]",
            1,
            &["`controls[0].mask`", "32-bit mask"],
        ),
        (
            UNIT,
            "controls = [\n{ tick = 90, jump = true },\n{ tick = 0 },\n]",
            3,
            &["`controls[1].tick` is 0, after 90 on line 9", "ascending"],
        ),
        (UNIT, "controls = [{ tick = 5 }, { tick = 5 }]", 1, &["`controls[1].tick` is 5, after 5"]),
    ]);
}

#[test]
fn wrong_absences_and_expectations_are_refused_with_line_and_key() {
    check(&[
        ("", "[[not_resident]]\nsector = [0, 0]\nfrom = 5", 1, &["[[not_resident]] has no `to`"]),
        ("", "[[not_resident]]\nto = 5", 1, &["[[not_resident]] has no `sector`"]),
        ("", "[[not_resident]]\nsector = [0, 0]", 1, &["[[not_resident]] has no `from`"]),
        (GONE, "from = 5\nto = 5", 2, &["`to` is 5", "after `from`, which is 5"]),
        (GONE, "from = 5\nto = 3", 2, &["`to` is 3"]),
        ("", "[[not_resident]]\nsector = [0]\nfrom = 0\nto = 1", 2, &["`sector` is [0]"]),
        ("", "separation = true", 1, &["`separation` is true", "{ rate, push_max, rest }"]),
        ("[separation]\n", "radius = 1", 1, &["unknown key `radius` in separation"]),
        ("[separation]\n", "rate = -1", 1, &["`separation.rate` is -1", "0 to 1000 per second"]),
        ("[separation]\n", "push_max = 65", 1, &["`separation.push_max` is 65", "0 to 64 m/s"]),
        ("[separation]\n", "rest = nan", 1, &["`separation.rest` is nan"]),
        (GONE, "until = 5", 1, &["unknown key `until` in [[not_resident]]"]),
        (EXPECT, "where = 1", 1, &["unknown key `where` in [[expect]]"]),
        ("", "[[expect]]\ntick = 5", 1, &["[[expect]] has no `unit`"]),
        (EXPECT, "[[expect]]\nunit = \"b\"", 2, &["`unit` is \"b\"", "a unit: \"a\""]),
        (EXPECT, "tick = 101", 1, &["`tick` is 101", "at most `ticks`, which is 100"]),
        (EXPECT, "tick = -1", 1, &["`tick` is -1"]),
        (EXPECT, "tick = 5\nevery = [1, 2]", 2, &["`every` together with `tick`"]),
        (EXPECT, "every = [1, 2]\ntick = 5", 2, &["`tick` together with `every`"]),
        (EXPECT, "every = 5", 1, &["`every` is 5", "[from, to] or [from, to, step]"]),
        (EXPECT, "every = [5]", 1, &["`every` is [5]"]),
        (EXPECT, "every = [5, 5]", 1, &["`every` is [5, 5]", "the first is below the second"]),
        (EXPECT, "every = [5, 101]", 1, &["`every[1]` is 101", "`ticks`, which is 100"]),
        (EXPECT, "every = [1, 9, 0]", 1, &["`every[2]` is 0", "a divisor of the 8 ticks"]),
        (EXPECT, "every = [1, 9, 3]", 1, &["`every[2]` is 3", "a divisor of the 8 ticks"]),
        (EXPECT, "at = []", 1, &["`at` is []", "at least one"]),
        (EXPECT, "at = [5]", 1, &["`at[0]` is 5"]),
        (EXPECT, "at = [{ at = [] }]", 1, &["unknown key `at` in at[0]"]),
        (EXPECT, "at = [{ tick = 5 },\n{ tick = 101 }]", 2, &["`at[1].tick` is 101"]),
        (EXPECT, "at = [{ tick = 5, every = [1, 2] }]", 1, &["together with"]),
        (EXPECT, "tick = 5\nevery = [1, 2]\nat = [{ tick = 5 }]", 2, &["`every` together with"]),
        (EXPECT, "min = [1, 1, 1]\nat = [{ max = [2, 0, 2] }]", 2, &["`at[0].max` is", "in `min`"]),
        ("", "[[expect]]\nat = [{ tick = 5 }]", 2, &["at[0] has no `unit`"]),
        ("", "[[expect]]\nunit = []", 2, &["`unit` is []", "one name of a unit, or several"]),
        (
            "",
            "[[units]]\nname = \"a\"\nposition = [0,0,0]\n[[expect]]\nunit = [\"a\", \"b\"]",
            5,
            &["`unit[1]` is \"b\""],
        ),
        (EXPECT, "position = [1, 2]", 1, &["`position` is [1, 2]", "\"any\""]),
        (EXPECT, "position = [1, \"all\", 2]", 1, &["`position[1]` is \"all\"", "\"any\""]),
        (EXPECT, "position = \"any\"", 1, &["`position` is \"any\""]),
        (EXPECT, "tolerance = 0", 1, &["`tolerance` is 0", "above 0"]),
        (EXPECT, "tolerance = -0.1", 1, &["`tolerance` is -0.1"]),
        (EXPECT, "mode = \"flying\"", 1, &["`mode` is \"flying\"", "\"climbing\" or \"held\""]),
        (EXPECT, "min = [0, 0, inf]", 1, &["`min[2]` is inf"]),
        (EXPECT, "min = [0, 1, 0]\nmax = [\"any\", 0, 5]", 2, &["`max` is", "in `min`"]),
        (EXPECT, "speed = -5", 1, &["`speed` is -5", "at least 0"]),
        (EXPECT, "speed_tolerance = 0", 1, &["`speed_tolerance` is 0"]),
    ]);
}

#[test]
fn a_shift_that_leaves_no_number_for_a_sector_is_refused() {
    let shift = "origin_sector = [2147483647, 0]\n";
    let box_at = |x: f64| format!("{MESH}[[props]]\nmesh = \"box\"\nposition = [{x}, 0, 0]");
    check(&[
        (
            shift,
            &box_at(200.0),
            8,
            &["`position` is [200, 0, 0]", "after the shift by `origin_sector`"],
        ),
        (shift, &GONE.replace("[0,", "[1,"), 2, &["`sector` is [1, 0]", "origin_sector"]),
        (
            shift,
            &format!("{UNIT}controls = [{{ tick = 0, teleport = [300, 0, 0] }}]"),
            5,
            &["`controls[0].teleport`", "origin_sector"],
        ),
        (
            shift,
            "[terrain]\nheights = { columns = 33, rows = 2, spacing = 8, samples = [0,0,0,0,0,0,0,0,\
             0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,\
             0,0,0,0,0,0,0,0,0,0,0,0,0] }",
            2,
            &["`heights` is an area of sectors 0 to 1", "origin_sector"],
        ),
    ]);
    assert!(Folder::new().load(&format!("{LEAST}{shift}{}", box_at(100.0))).is_ok());
}

#[test]
fn a_size_of_sectors_beside_a_world_is_refused() {
    let folder = Folder::new();
    folder.world("a.world");
    let wrong = |top: &str, last: &str, line: u32, says: &str| {
        let toml = format!("{LEAST}{top}[terrain]\nworld = \"a.world\"\n{last}");
        let error = refused_in(&folder, &toml);
        assert!(error.line == Some(line) && error.to_string().contains(says), "{error}");
    };
    wrong("sector_size = 32\n", "", 4, "`sector_size` together with `world`");
    wrong("", "surface = \"grass\"\n", 6, "`surface` together with `world`");
    wrong("", "holes = [[0, 0]]\n", 6, "`holes` is [[0, 0]]");
}

#[test]
fn a_file_that_cannot_be_read_is_no_fault_of_the_scenario() {
    let folder = Folder::new();
    let error = Scenario::load(&folder.path().join("none.toml")).unwrap_err();
    assert!(error.is_io() && error.line.is_none(), "{error}");
    assert!(error.to_string().contains("none.toml: cannot open"), "{error}");
    let path = folder.file("bytes.toml", b"version = 1\n# \xff\n");
    let error = Scenario::load(&path).unwrap_err();
    assert!(!error.is_io() && error.to_string().contains("not UTF-8"), "{error}");
}
