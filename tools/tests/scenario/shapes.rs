//! Meshes from a few measures: what they hold, where they are, and that their faces point outwards.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_tools::command::scenario::{MeshSpec, Scenario};

use crate::fixtures::*;

fn mesh(line: &str) -> MeshSpec {
    read(&format!("[meshes.m]\n{line}\n")).meshes.remove(0)
}

/// A triangle's corners, in `f64`.
type Triangle = [DVec3; 3];

fn triangles(mesh: &MeshSpec) -> Vec<Triangle> {
    let view = mesh.mesh.view();
    (0..view.triangles()).map(|index| view.triangle(index).map(Vec3::as_dvec3)).collect()
}

/// Twice its area, along its normal.
fn across([a, b, c]: Triangle) -> DVec3 {
    (b - a).cross(c - a)
}

/// Metres cubed within: above 0 only if the faces point outwards.
fn volume(mesh: &MeshSpec) -> f64 {
    triangles(mesh).into_iter().map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

/// Metres squared of faces with this normal. Triangles that overlapped would count twice.
fn facing(mesh: &MeshSpec, normal: DVec3) -> f64 {
    let along = |triangle: Triangle| across(triangle).dot(normal);
    triangles(mesh).into_iter().map(|t| if along(t) > 0.0 { along(t) / 2.0 } else { 0.0 }).sum()
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "{what}: {found}");
}

/// Closed, outwards, and its caps as large as the outline, however they are cut.
fn assert_solid(line: &str, area: f64, height: f64, up: DVec3) {
    let mesh = mesh(line);
    assert_eq!(mesh.open_edges, 0, "{line}");
    assert!(mesh.mesh.view().is_closed(), "{line}");
    assert_near(volume(&mesh), area * height, line);
    for cap in [up, -up] {
        let caps = triangles(&mesh).into_iter().map(across);
        let caps = caps.filter(|along| along.cross(cap).length() < 1e-9 && along.dot(cap) > 0.0);
        assert_near(caps.map(DVec3::length).sum::<f64>() / 2.0, area, line);
    }
}

/// Twice the area within points, in either direction.
fn area(points: &[[f64; 2]]) -> f64 {
    let next = points.iter().cycle().skip(1);
    let twice: f64 = points.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum();
    twice.abs() / 2.0
}

/// Outlines that are awkward to cut: concave, with corners along straight sides, from any corner on.
fn awkward() -> Vec<Vec<[f64; 2]>> {
    let even = |points: &[[i32; 2]]| points.iter().map(|point| point.map(f64::from)).collect();
    let comb = (0..7).flat_map(|tooth| {
        let x = 2.0 * f64::from(tooth);
        [[x, 0.5], [x, 5.0 + x], [x + 1.0, 5.0 + x], [x + 1.0, 0.5]]
    });
    let star = (0..24).map(|ray| {
        let (angle, radius) = (f64::from(ray) * 0.261, if ray % 2 == 0 { 5.0 } else { 1.25 });
        [3.0 + radius * libm::cos(angle), radius * libm::sin(angle)]
    });
    vec![
        even(&[[0, 0], [3, 0], [1, 2]]),
        even(&[[0, 0], [1, 0], [2, 0], [3, 0], [3, 3], [0, 3], [0, 2], [0, 1]]),
        even(&[[0, 0], [6, 0], [6, 5], [5, 5], [5, 1], [1, 1], [1, 5], [0, 5]]),
        even(&[[0, 0], [8, 0], [8, 8], [2, 8], [2, 4], [4, 4], [4, 6], [6, 6], [6, 2], [0, 2]]),
        // A point in the middle of the foot: cut from the top, a triangle would have no area.
        even(&[[0, 0], [2, 0], [4, 0], [2, 7]]),
        [[-1.0, 0.0], [14.0, 0.0]]
            .into_iter()
            .chain(comb.collect::<Vec<_>>().into_iter().rev())
            .collect(),
        star.collect(),
    ]
}

#[test]
fn outlines_of_either_direction_and_from_any_corner_are_solids() {
    for outline in awkward() {
        for start in 0..outline.len() {
            let mut points = outline.clone();
            points.rotate_left(start);
            for _ in 0..2 {
                points.reverse();
                let profile = format!("profile = {{ outline = {points:?}, z = [-1.5, 2] }}");
                assert_solid(&profile, area(&points), 3.5, DVec3::Z);
                let prism = format!("prism = {{ outline = {points:?}, y = [-0.25, 0.5] }}");
                assert_solid(&prism, area(&points), 0.75, DVec3::Y);
            }
        }
    }
}

#[test]
fn an_outline_lies_where_its_points_say() {
    let profile = mesh("profile = { outline = [[1, 2], [5, 2], [5, 3]], z = [-7, 11] }");
    let bounds = profile.mesh.view().bounds();
    assert_eq!((bounds.min, bounds.max), (Vec3::new(1.0, 2.0, -7.0), Vec3::new(5.0, 3.0, 11.0)));
    let prism = mesh("prism = { outline = [[1, 2], [5, 2], [5, 3]], y = [-7, 11] }");
    let bounds = prism.mesh.view().bounds();
    assert_eq!((bounds.min, bounds.max), (Vec3::new(1.0, -7.0, 2.0), Vec3::new(5.0, 11.0, 3.0)));
}

/// The corners and faces of a mesh, in an order of their own.
fn faces(mesh: &MeshSpec) -> Vec<[[u32; 3]; 3]> {
    let bits = |corner: DVec3| corner.as_vec3().to_array().map(f32::to_bits);
    let mut faces: Vec<_> = triangles(mesh)
        .into_iter()
        .map(|triangle| {
            let mut corners = triangle.map(bits);
            corners.sort_unstable();
            corners
        })
        .collect();
    faces.sort_unstable();
    faces
}

#[test]
fn ramps_and_stairs_are_profiles_to_the_bit() {
    // 0.1 and 0.3 are rounded once: three times 0.1 in f32 is not 0.3.
    let pairs = [
        ("ramp = { run = 16, rise = 9.237604, z = [-9, 9] }", "[[0, 0], [16, 0], [16, 9.237604]]"),
        (
            "ramp = { run = 3.1, rise = 0.7, landing = 0.2, z = [-9, 9] }",
            "[[0, 0], [3.3, 0], [3.3, 0.7], [3.1, 0.7]]",
        ),
        (
            "stairs = { steps = 1, run = 2, rise = 0.1, z = [-9, 9] }",
            "[[0,0],[2,0],[2,0.1],[0,0.1]]",
        ),
        (
            "stairs = { steps = 3, run = 0.1, rise = 0.3, landing = 4, z = [-9, 9] }",
            "[[0,0], [4.3,0], [4.3,0.9], [0.2,0.9], [0.2,0.6], [0.1,0.6], [0.1,0.3], [0,0.3]]",
        ),
    ];
    for (short, outline) in pairs {
        let profile = format!("profile = {{ outline = {outline}, z = [-9, 9] }}");
        let corners = |mesh: &MeshSpec| {
            let mut all: Vec<_> = faces(mesh).into_iter().flatten().collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (short, profile) = (mesh(short), mesh(&profile));
        assert_eq!(corners(&short), corners(&profile), "{outline}");
        assert_near(volume(&short), volume(&profile), outline);
        assert_eq!(short.open_edges, 0);
    }
}

#[test]
fn a_profile_of_a_rectangle_is_a_box() {
    let profile = mesh("profile = { outline = [[-1, -2], [-1, 2], [1, 2], [1, -2]], z = [-3, 3] }");
    let boxed = mesh("box = [2, 4, 6]");
    assert_eq!(volume(&profile), volume(&boxed));
    assert_eq!(profile.mesh.view().bounds(), boxed.mesh.view().bounds());
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        assert_eq!(facing(&profile, axis), facing(&boxed, axis));
        assert_eq!(facing(&profile, -axis), facing(&boxed, -axis));
    }
}

#[test]
fn a_cylinder_has_its_corners_on_the_circle_and_sixteen_sides() {
    let cylinder = mesh("cylinder = { radius = 0.7, y = [1, 4] }");
    assert_eq!(
        faces(&cylinder),
        faces(&mesh("cylinder = { radius = 0.7, y = [1, 4], sides = 16 }"))
    );
    let view = cylinder.mesh.view();
    assert_eq!((view.vertices().len(), cylinder.open_edges), (32, 0));
    // The axes meet corners exactly, so its reach is the radius.
    let (low, high) = (Vec3::new(-0.7, 1.0, -0.7), Vec3::new(0.7, 4.0, 0.7));
    assert_eq!((view.bounds().min, view.bounds().max), (low, high));
    for corner in view.vertices() {
        assert_near(libm::hypot(f64::from(corner.x), f64::from(corner.z)), 0.7, "radius");
    }
    let sixteenth = std::f64::consts::TAU / 16.0;
    assert_near(volume(&cylinder), 3.0 * 16.0 * 0.7 * 0.7 * libm::sin(sixteenth) / 2.0, "volume");
    let three = mesh("cylinder = { radius = 2, y = [0, 1], sides = 3 }");
    assert_eq!(three.mesh.view().bounds().max.x, 2.0);
    assert_near(volume(&three), 3.0 * 3.0_f64.sqrt(), "three sides");
}

#[test]
fn an_open_outline_is_a_sheet_with_its_front_on_the_left() {
    let sheet = mesh("profile = { outline = [[0, 0], [4, 0], [4, 3]], z = [-1, 1], open = true }");
    assert_eq!((sheet.mesh.view().triangles(), sheet.open_edges), (4, 6));
    assert!(!sheet.mesh.view().is_closed());
    assert_eq!((facing(&sheet, DVec3::Y), facing(&sheet, DVec3::NEG_X)), (8.0, 6.0));
    // On a map, with Z down: going along +X, the left is -Z.
    let wall = mesh("prism = { outline = [[0, 0], [4, 0]], y = [0, 3], open = true }");
    assert_eq!((facing(&wall, DVec3::NEG_Z), facing(&wall, DVec3::Z)), (12.0, 0.0));
    assert_eq!(wall.mesh.view().bounds().max, Vec3::new(4.0, 3.0, 0.0));
}

#[test]
fn the_most_points_are_cut_in_time() {
    let stairs = mesh("stairs = { steps = 500, run = 0.25, rise = 0.125, z = [0, 1] }");
    assert_near(volume(&stairs), 0.25 * 0.125 * 500.0 * 501.0 / 2.0, "500 steps");
    let tooth = |tooth: u32| {
        let x = f64::from(tooth);
        [[x, 0.0], [x + 0.5, 50.0 + x]]
    };
    let mut saw: Vec<_> = (0..511).flat_map(tooth).collect();
    saw.extend([[512.0, 0.0], [512.0, -1.0]]);
    let line = format!("profile = {{ outline = {saw:?}, z = [0, 1] }}");
    assert_near(volume(&mesh(&line)), area(&saw), "a saw of 1024 points");
}

/// The message for a mesh that is refused.
fn refused(line: &str) -> String {
    let text = format!("{LEAST}[meshes.m]\n{line}\n");
    let error = Scenario::from_text(std::path::Path::new("run.toml"), &text).unwrap_err();
    assert_eq!(error.line, Some(5), "{error}");
    error.to_string()
}

#[test]
fn outlines_that_are_none_are_refused() {
    let table = [
        ("[[0, 0], [1, 0]]", "2 points, expected 3 to 1024 of them"),
        ("[[0, 0], [1, 0], [1, 0], [0, 1]]", "with point 2 where the one before it is"),
        ("[[0, 0], [1, 0], [0, 1], [0, 0]]", "with point 0 where the one before it is"),
        // Equal as f32.
        ("[[0, 0], [1, 0], [1.00000001, 0], [0, 1]]", "with point 2 where"),
        ("[[0, 0], [2, 2], [2, 0], [0, 2]]", "sides from point 0 and from point 2 meet"),
        // A corner on a side, and a side on a side.
        ("[[0, 0], [4, 0], [4, 4], [2, 0], [0, 4]]", "from point 0 and from point 2 meet"),
        ("[[0, 0], [4, 0], [4, 2], [3, 0], [1, 0], [0, 2]]", "from point 0 and from point 2 meet"),
        // There and back.
        ("[[0, 0], [4, 0], [2, 0], [2, 4]]", "from point 0 and from point 1 meet"),
        ("[[2, 0], [4, 0], [4, 4], [6, 0]]", "from point 0 and from point 3 meet"),
        ("[[0, 0], [1, 1], [2, 2]]", "from point 0 and from point 2 meet"),
    ];
    for (outline, says) in table {
        for (form, axis) in [("profile", "z"), ("prism", "y")] {
            let message = refused(&format!("{form} = {{ outline = {outline}, {axis} = [0, 1] }}"));
            assert!(message.contains(&format!("`{form}.outline` is ")), "{message}");
            assert!(message.contains(says), "no {says} in: {message}");
        }
    }
}

/// The inner corners of stairs are on a line but for rounding.
#[test]
fn stairs_of_all_measures_are_closed() {
    for (run, rise) in [(0.25, 0.1), (0.25, 0.4), (0.28, 0.17), (0.3, 0.2), (0.333, 0.123)] {
        for steps in [1, 2, 3, 5, 8, 9, 12, 50] {
            for landing in [0.0, 1.2, 2.0] {
                let shape = format!(
                    "stairs = {{ steps = {steps}, run = {run}, rise = {rise}, z = [-1, 1], landing = {landing} }}"
                );
                assert_eq!(mesh(&shape).open_edges, 0, "{shape}");
            }
        }
    }
}
