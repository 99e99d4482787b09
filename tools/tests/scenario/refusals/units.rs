//! Props, bodies and units that are wrong.

use super::*;

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
