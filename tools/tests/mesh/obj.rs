//! OBJ files as people write them, and as they should not.

use marchland_terrain::glam::Vec3;

use crate::fixtures::*;

fn obj(text: &str) -> Vec<[Vec3; 3]> {
    corners(&load("a.obj", text.as_bytes()).unwrap_or_else(|e| panic!("{e}")).mesh)
}

fn refused(text: &str) -> String {
    let error = load("a.obj", text.as_bytes()).expect_err("is refused");
    assert!(!error.is_io());
    error.problem.to_string()
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn faces_name_vertices_in_every_way_there_is() {
    let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    let two = [[a, b, c], [a, c, d]];
    for faces in [
        "f 1 2 3 4",
        "f 1/1 2/2 3/3 4/4",
        "f 1//1 2//1 3//1 4//1",
        "f 1/7/9 2/7/9 3/7/9 4/7/9",
        "f -4 -3 -2 -1",
        "  f\t1  2 3\t4   # a square",
        "f 1 2 3\r\nf 1 3 4\r",
        "f 1 2 \\\n 3 4",
        "f 1 2 3 4 \\",
    ] {
        assert_eq!(obj(&format!("{SQUARE}{faces}")), two, "{faces}");
    }
    // Vertices may come after the face.
    assert_eq!(obj(&format!("f 1 2 3 4\n{SQUARE}")), two);
    // A pentagon is a fan of three.
    let more = obj(&format!("{SQUARE}v -1 0.5 0\nf 1 2 3 4 5"));
    assert_eq!(more, [[a, b, c], [a, c, d], [a, d, Vec3::new(-1.0, 0.5, 0.0)]]);
    // Negative numbers count back from where they stand.
    assert_eq!(obj(&format!("{SQUARE}f -4 -3 -2\nv 9 9 9\nf -5 -3 -2")), two);
}

#[test]
fn other_lines_are_passed_over_whatever_they_hold() {
    let text = format!(
        "# caf\u{e9}\nmtllib ../../etc/passwd\no a\ng b c\ns off\nusemtl x\nvn nan nan nan\nvt 1e999\n\
         {SQUARE}\nl 1 2\np 1\nf 1 2 3\nnonsense\n\n"
    );
    let mut bytes = text.into_bytes();
    bytes.extend(b"# \xff\xfe not UTF-8\nusemtl \xe9\n");
    let file = load("a.obj", &bytes).unwrap();
    assert_eq!(file.mesh.triangles, [[0, 1, 2]]);
    assert_eq!(file.notes, ["ignored lines, points and curves: 2"]);
    // A weight or a colour after the coordinates.
    assert_eq!(obj("v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0\nf 1 2 3").len(), 1);
}

#[test]
fn what_is_wrong_is_refused_with_its_line() {
    let table = [
        ("v 0 0 0\nv nan 0 0", "line 2: x is `nan`, expected a finite number"),
        ("v 0 0 0\n\nv 0 -inf 0", "line 3: y is `-inf`, expected a finite number"),
        ("v 0 0 1e39", "line 1: z is `1e39`, expected a finite number"),
        ("v 0 0 zero", "line 1: z is `zero`, expected a finite number"),
        ("v 0 0", "line 1: no z, expected three coordinates"),
        ("v 0 0 \\\n", "line 2: no z, expected three coordinates"),
        ("v 0 0 0\nf 1 1", "line 2: a face of 2 corners, expected at least 3"),
        ("v 0 0 0\nf", "line 2: a face of 0 corners, expected at least 3"),
        ("v 0 0 0\nf 1 1 0", "line 2: corner `0`, expected a vertex number"),
        ("v 0 0 0\nf 1 1 one", "line 2: corner `one`, expected a vertex number"),
        ("v 0 0 0\nf 1 1 /2/3", "line 2: corner `/2/3`, expected a vertex number"),
        ("v 0 0 0\nf 1 1 1.0", "line 2: corner `1.0`, expected a vertex number"),
        ("v 0 0 0\nf -1 -1 -2", "line 2: vertex -2, but only 1 precede it"),
        ("v 0 0 0\nf 1 1 1\nf 1 60000 1\nf 2 1 1", "line 3: vertex 60000, but the file has 1"),
        (
            "f 1 1 -9223372036854775808",
            "line 1: vertex -9223372036854775808, but only 0 precede it",
        ),
        (
            "v 0 0 0\nf 1 1 9223372036854775807",
            "line 2: vertex 9223372036854775807, expected at most 16777216",
        ),
        (
            "v 0 0 0\nf 1 1 99999999999999999999",
            "line 2: corner `99999999999999999999`, expected a vertex number",
        ),
        ("", "no triangles"),
        ("v 0 0 0\nl 1 1", "no triangles"),
    ];
    for (text, expected) in table {
        assert_eq!(refused(text), expected, "{text:?}");
    }
    assert_eq!(refused("v 0 0 \u{1b}[31m"), "line 1: z is `\\u{1b}[31m`, expected a finite number");
}

#[test]
fn bytes_of_any_kind_are_refused_or_read() {
    for byte in 0..=255_u8 {
        let mut text = format!("{SQUARE}f 1 2 3\n").into_bytes();
        for at in 0..text.len() {
            let kept = std::mem::replace(&mut text[at], byte);
            if at % 7 == usize::from(byte) % 7
                && let Ok(file) = load("a.obj", &text)
            {
                assert!(file.mesh.vertices.iter().all(|vertex| vertex.is_finite()));
            }
            text[at] = kept;
        }
    }
}
