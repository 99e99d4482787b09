//! Surfaces, meshes and their shapes that are wrong.

use super::*;

#[test]
fn wrong_surfaces_and_meshes_are_refused_with_line_and_key() {
    check(&[
        ("[surfaces.ice]\n", "grip = 1", 1, &["unknown key `grip` in [surfaces.ice]", "friction"]),
        ("[surfaces.ice]\n", "friction = 1.5", 1, &["`surfaces.ice.friction` is 1.5", "0 to 1"]),
        ("[surfaces.ice]\n", "sticky = 1", 1, &["`surfaces.ice.sticky` is 1", "true or false"]),
        ("[surfaces.ice]\n", "climbable = \"no\"", 1, &["`surfaces.ice.climbable` is \"no\""]),
        ("[surfaces.ice]\n", "bounce = -0.1", 1, &["`surfaces.ice.bounce` is -0.1"]),
        ("[surfaces.ice]\n", "bounce_friction = 2", 1, &["`surfaces.ice.bounce_friction` is 2"]),
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
