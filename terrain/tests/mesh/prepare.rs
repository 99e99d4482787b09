//! What preparing finds, and what it makes of it.

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{EdgeKind, MeshError, MeshSource, PrepareReport, PreparedMesh};
use proptest::prelude::*;

use super::shapes::{
    ball, block, loaded, prepared, scattered, sheet, source, together, turned, unwelded, volume,
};

const UNIT: (Vec3, Vec3) = (Vec3::new(-0.5, 2.0, 0.25), Vec3::new(0.5, 5.0, 0.75));

/// How many edges there are of each kind: flat, concave, convex, open. Each counts once a triangle.
fn kinds(mesh: &MeshSource) -> [u32; 4] {
    let mesh = loaded(mesh);
    let view = mesh.view();
    let mut counts = [0; 4];
    for triangle in 0..view.triangles() {
        for edge in 0..3 {
            counts[view.edge(triangle, edge) as usize] += 1;
        }
    }
    counts
}

#[test]
fn a_box_is_closed_with_flat_diagonals_and_ridges() {
    let mesh = block(UNIT.0, UNIT.1);
    let (prepared, report) = prepared(&mesh);
    let expected = PrepareReport {
        components: 1,
        closed_components: 1,
        faces: 6,
        closed: true,
        ..Default::default()
    };
    assert_eq!(report, expected);
    assert_eq!((prepared.triangles(), prepared.vertices()), (12, 8));
    assert_eq!((prepared.bounds().min, prepared.bounds().max), UNIT);
    assert_eq!(kinds(&mesh), [12, 0, 24, 0]);
}

#[test]
fn the_kind_of_an_edge_stands_at_its_place_in_turned_triangles_too() {
    // Two walls and a floor, bent along x = 0; every other triangle is turned in the file.
    let vertices = [
        [-1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 3.0],
        [-1.0, 0.0, 3.0],
        [0.5, 2.0, 0.0],
        [0.5, 2.0, 3.0],
    ];
    let straight = [[0, 3, 2], [0, 2, 1], [1, 2, 5], [1, 5, 4]];
    for mask in 0..16_u32 {
        let mut triangles = straight;
        for (index, triangle) in triangles.iter_mut().enumerate() {
            if mask >> index & 1 == 1 {
                triangle.swap(1, 2);
            }
            triangle.rotate_left((mask as usize + index) % 3);
        }
        let mesh = loaded(&source(&vertices, &triangles));
        let (view, report) = (mesh.view(), prepared(&source(&vertices, &triangles)).1);
        assert_eq!((report.components, report.open_edges, report.closed), (1, 6, false));
        let opposed = mask.count_ones();
        assert_eq!(report.turned, u64::from(if opposed > 2 { 4 - opposed } else { opposed }));
        let up = Vec3::Y;
        for triangle in 0..4 {
            let corners = view.triangle(triangle);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            for edge in 0..3 {
                let ends = [corners[edge], corners[(edge + 1) % 3]];
                let bent = ends.iter().all(|end| end.x == 0.0);
                let diagonal =
                    (ends[0].z - ends[1].z).abs() > 2.0 && !ends.iter().all(|e| e.x == ends[0].x);
                let expected = match (bent, diagonal) {
                    (true, _) if normal.dot(up) > 0.0 || normal.x < 0.0 => EdgeKind::Concave,
                    (true, _) => EdgeKind::Convex,
                    (_, true) => EdgeKind::Flat,
                    _ => EdgeKind::Open,
                };
                assert_eq!(view.edge(triangle, edge as u32), expected, "{mask:04b} {ends:?}");
            }
        }
    }
}

#[test]
fn edges_are_flat_up_to_one_degree() {
    // A roof of two triangles; its ridge rises by what the angle asks for.
    for (degrees, up, expected) in [
        (0.9_f64, 1.0, EdgeKind::Flat),
        (0.9, -1.0, EdgeKind::Flat),
        (1.1, 1.0, EdgeKind::Convex),
        (1.1, -1.0, EdgeKind::Concave),
        (179.5, 1.0, EdgeKind::Convex),
        (170.0, -1.0, EdgeKind::Concave),
    ] {
        // Both faces rise by half of the angle.
        let rise = (up * libm::tan(degrees * std::f64::consts::PI / 360.0)) as f32;
        let mesh = source(
            &[[0.0, rise, -4.0], [0.0, rise, 4.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
            &[[0, 1, 2], [1, 0, 3]],
        );
        let mesh = loaded(&mesh);
        let found: Vec<_> =
            (0..3).map(|edge| mesh.view().edge(0, edge)).filter(|k| *k != EdgeKind::Open).collect();
        assert_eq!(found, [expected], "{degrees} {up}");
    }
}

#[test]
fn vertices_weld_within_the_tolerance_and_no_farther() {
    // 8 m out the tolerance is 2⁻¹⁷ m.
    let tolerance = 8.0 / 1_048_576.0;
    let report = |apart: f32| {
        let mut mesh = unwelded(&block(Vec3::new(-8.0, -2.0, -2.0), Vec3::splat(2.0)));
        let places = mesh.vertices.clone();
        for (index, vertex) in mesh.vertices.iter_mut().enumerate() {
            // The first that stands at a place moves up, all others down.
            let sign = if places[..index].contains(vertex) { -1.0 } else { 1.0 };
            vertex.y += 0.5 * sign * apart;
            vertex.z = if vertex.z == 0.0 { -0.0 } else { vertex.z };
        }
        prepared(&mesh)
    };
    let (mesh, close) = report(0.9 * tolerance);
    assert_eq!((close.welded, mesh.vertices(), close.closed), (28, 8, true));
    let (mesh, far) = report(2.5 * tolerance);
    assert_eq!((mesh.vertices(), far.closed), (16, false));
}

#[test]
fn a_chain_of_close_vertices_does_not_draw_far_ones_together() {
    // A row of slim triangles, their corners 0.6 tolerances apart: kept ones lie a tolerance apart.
    let tolerance = 1.0 / 1_048_576.0;
    let count = 400_u32;
    let mut vertices: Vec<[f32; 3]> =
        (0..count).map(|i| [i as f32 * 0.6 * tolerance, 0.0, 0.0]).collect();
    vertices.push([0.0, 1.0, 0.0]);
    let triangles: Vec<_> = (0..count - 20).map(|i| [i, i + 20, count]).collect();
    let mesh = loaded(&source(&vertices, &triangles));
    let mut places: Vec<f32> = mesh.view().vertices().filter(|v| v.y == 0.0).map(|v| v.x).collect();
    places.sort_by(f32::total_cmp);
    assert!(places.windows(2).all(|pair| pair[1] - pair[0] > tolerance), "{places:?}");
    assert!(places.len() > 150, "{}", places.len());
}

#[test]
fn useless_triangles_are_dropped_and_counted() {
    let mut mesh = block(UNIT.0, UNIT.1);
    mesh.vertices.push(Vec3::new(-0.5, 3.0, 0.25));
    mesh.vertices.push(Vec3::new(60_000.0, 0.0, 0.0));
    // One corner twice; three in a line; again, rotated; again, the other way round; and again.
    mesh.triangles.extend([[1, 1, 2], [0, 8, 2], [4, 6, 0], [4, 0, 6], [6, 4, 0]]);
    let (prepared, report) = prepared(&mesh);
    assert_eq!((report.degenerate, report.duplicate, report.turned), (2, 3, 0));
    assert_eq!((report.unused, report.welded), (2, 0));
    assert_eq!((prepared.triangles(), prepared.vertices(), report.closed), (12, 8, true));
}

#[test]
fn windings_are_made_to_agree_and_to_face_outwards() {
    let straight = ball(12, 9);
    let mut mixed = straight.clone();
    let mut opposed = 0;
    for (index, triangle) in mixed.triangles.iter_mut().enumerate() {
        if index * 7 % 5 < 2 {
            triangle.swap(0, 1);
            opposed += 1;
        }
    }
    let all = straight.triangles.len() as u64;
    for (mesh, expected) in [
        (straight.clone(), 0),
        (turned(straight), all),
        (mixed.clone(), opposed),
        (turned(mixed), all - opposed),
    ] {
        let report = prepared(&mesh).1;
        assert_eq!((report.turned, report.closed), (expected, true));
        let mesh = loaded(&mesh);
        assert!(volume(&mesh) > 0.0);
        let open = (0..mesh.view().triangles()).map(|t| mesh.view().edge_bits(t));
        assert!(open.into_iter().all(|bits| bits & bits >> 1 & 0b01_01_01 == 0));
    }
}

#[test]
fn a_cavity_stays_one_and_what_lies_in_it_is_solid() {
    let nest = |half: f32| block(Vec3::splat(-half), Vec3::splat(half));
    let eight = |half: f32| 6.0 * f64::from(8.0 * half * half * half);
    let beside = block(Vec3::new(20.0, 0.0, 0.0), Vec3::new(21.0, 1.0, 1.0));
    for (parts, expected, flipped) in [
        // A shell with a solid in its hollow.
        (vec![nest(4.0), turned(nest(3.0)), nest(2.0)], eight(4.0) - eight(3.0) + eight(2.0), 0),
        // The same, wound the other way round throughout.
        (
            vec![turned(nest(4.0)), nest(3.0), turned(nest(2.0))],
            eight(4.0) - eight(3.0) + eight(2.0),
            36,
        ),
        // Inside out within nothing: turned.
        (vec![nest(4.0), turned(beside.clone())], eight(4.0) + 6.0, 12),
        // Inside out within two: turned.
        (vec![nest(4.0), nest(3.0), turned(nest(2.0))], eight(4.0) + eight(3.0) + eight(2.0), 12),
    ] {
        let mesh = together(&parts);
        let report = prepared(&mesh).1;
        assert_eq!((report.turned, report.closed), (flipped, true));
        assert_eq!(
            (report.components, report.closed_components),
            (parts.len() as u64, parts.len() as u64)
        );
        let found = volume(&loaded(&mesh));
        assert!((found - expected).abs() < 1e-6 * expected, "{found} {expected}");
    }
    // Not wound as one: no cavity is meant.
    let mut unclear = turned(nest(3.0));
    unclear.triangles[4].swap(0, 1);
    let report = prepared(&together(&[nest(4.0), unclear])).1;
    assert_eq!((report.turned, report.closed), (11, true));
}

#[test]
fn a_moebius_strip_has_an_edge_that_cannot_agree() {
    let steps = 10_u32;
    let mut vertices = Vec::new();
    for step in 0..steps {
        let turn = 2.0 * std::f32::consts::PI * step as f32 / steps as f32;
        let (out, up) = (libm::cosf(turn / 2.0), libm::sinf(turn / 2.0));
        for side in [-1.0, 1.0] {
            let radius = 4.0 + side * out;
            vertices.push([radius * libm::cosf(turn), side * up, radius * libm::sinf(turn)]);
        }
    }
    let mut triangles = Vec::new();
    for step in 0..steps {
        let [a, b] = [2 * step, 2 * step + 1];
        // Behind the last step the strip's sides have changed places.
        let [c, d] = if step + 1 < steps { [a + 2, b + 2] } else { [1, 0] };
        triangles.extend([[a, b, c], [b, d, c]]);
    }
    let mesh = source(&vertices, &triangles);
    let (prepared, report) = prepared(&mesh);
    assert_eq!((report.disagreeing_edges, report.open_edges, report.components), (1, 20, 1));
    assert!(!report.closed && !prepared.is_closed());
    assert_eq!(kinds(&mesh)[EdgeKind::Open as usize], 20 + 2);
}

#[test]
fn an_edge_of_three_faces_is_open_and_the_mesh_is_no_solid() {
    let fin = source(&[[-0.5, 5.0, 0.25], [0.5, 5.0, 0.25], [0.0, 6.0, 0.25]], &[[0, 1, 2]]);
    let mesh = together(&[block(UNIT.0, UNIT.1), fin]);
    let (_, report) = prepared(&mesh);
    assert_eq!((report.non_manifold_edges, report.open_edges, report.welded), (1, 2, 2));
    assert_eq!((report.closed, report.components), (false, 2));
    assert_eq!(kinds(&mesh), [12, 0, 22, 5]);
    // A solid with a hole in it is none either.
    let mut holed = block(UNIT.0, UNIT.1);
    holed.triangles.pop();
    let report = prepared(&holed).1;
    assert_eq!((report.open_edges, report.closed, report.closed_components), (3, false, 0));
}

#[test]
fn what_cannot_be_a_mesh_is_refused_by_name() {
    let refused = |mesh: &MeshSource| PreparedMesh::new(mesh).unwrap_err();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut mesh = block(UNIT.0, UNIT.1);
        mesh.vertices[5].z = bad;
        assert!(matches!(refused(&mesh), MeshError::NotFinite { vertex: 5, .. }));
    }
    for bad in [65_537.0, -1e38] {
        let mut mesh = block(UNIT.0, UNIT.1);
        mesh.vertices[7].x = bad;
        assert!(matches!(refused(&mesh), MeshError::TooFar { vertex: 7, .. }), "{bad}");
    }
    let mut mesh = block(UNIT.0, UNIT.1);
    mesh.triangles[9][1] = 8;
    assert_eq!(refused(&mesh), MeshError::Index { triangle: 9, found: 8, vertices: 8 });
    let nothing = MeshError::Empty { triangles: 0, degenerate: 0 };
    assert_eq!(refused(&MeshSource::default()), nothing);
    let mut tiny = block(UNIT.0, UNIT.1);
    tiny.vertices.iter_mut().for_each(|vertex| *vertex *= 1e-8);
    assert_eq!(refused(&tiny), MeshError::Empty { triangles: 12, degenerate: 12 });
    let line = source(&[[0.0; 3], [1.0; 3], [3.0; 3]], &[[0, 1, 2]]);
    assert_eq!(refused(&line), MeshError::Empty { triangles: 1, degenerate: 1 });
}

#[test]
fn meshes_as_large_as_they_may_be_are_prepared() {
    let far = 65_536.0;
    let mesh = block(Vec3::splat(-far), Vec3::splat(far));
    let report = prepared(&unwelded(&mesh)).1;
    assert_eq!((report.welded, report.closed), (28, true));
}

#[test]
fn a_second_preparation_changes_nothing() {
    for mesh in [ball(20, 11), sheet(13, 7), scattered(50), block(UNIT.0, UNIT.1)] {
        let (first, _) = prepared(&unwelded(&mesh));
        let file = loaded(&unwelded(&mesh));
        let view = file.view();
        let again = MeshSource {
            vertices: view.vertices().collect(),
            triangles: (0..view.triangles()).map(|triangle| view.indices(triangle)).collect(),
        };
        let (second, report) = prepared(&again);
        assert_eq!(
            (report.welded, report.degenerate, report.duplicate, report.turned),
            (0, 0, 0, 0)
        );
        assert_eq!((second.triangles(), second.vertices()), (first.triangles(), first.vertices()));
    }
}

#[test]
fn a_flat_double_sheet_is_closed_but_no_solid() {
    // Four corners of a plane: the two diagonals of a square, with both pairs of triangles.
    let flat = |scale: f32| {
        let corners = [[-3.0, -2.0, -1.0], [2.0, 2.0, 0.0], [-2.0, -1.0, -1.0], [-3.0, -3.0, 0.0]];
        let corners = corners.map(|corner: [f32; 3]| corner.map(|part| part * scale));
        source(&corners, &[[2, 0, 1], [1, 0, 3], [0, 3, 2], [1, 2, 3]])
    };
    for scale in [1.0, 0.3, 0.1, 7.7] {
        for mesh in [flat(scale), turned(flat(scale))] {
            let report = prepared(&mesh).1;
            assert_eq!((report.closed_components, report.closed), (1, false), "{scale}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_triangles_are_prepared_or_refused(
        vertices in prop::collection::vec(prop::array::uniform3(-3_i8..3), 1..30),
        picks in prop::collection::vec(prop::array::uniform3(0_u32..30), 0..60),
        scale in prop::sample::select(vec![1.0_f32, 0.3, 1e-6, 2e4]),
    ) {
        let count = vertices.len() as u32;
        let vertices: Vec<_> =
            vertices.into_iter().map(|v| v.map(|part| f32::from(part) * scale)).collect();
        let triangles: Vec<_> = picks.into_iter().map(|t| t.map(|corner| corner % count)).collect();
        let mesh = source(&vertices, &triangles);
        match PreparedMesh::new(&mesh) {
            Ok((prepared, report)) => {
                let dropped = report.degenerate + report.duplicate;
                prop_assert_eq!(prepared.triangles() as u64 + dropped, triangles.len() as u64);
                let gone = report.welded + report.unused;
                prop_assert_eq!(prepared.vertices() as u64 + gone, vertices.len() as u64);
                let loaded = loaded(&mesh);
                prop_assert_eq!(loaded.view().is_closed(), report.closed);
                if report.closed {
                    prop_assert!(volume(&loaded) > 0.0);
                    prop_assert_eq!(report.open_edges + report.non_manifold_edges, 0);
                }
            }
            Err(MeshError::Empty { triangles: all, degenerate }) => {
                prop_assert_eq!((all, degenerate), (triangles.len() as u64, all));
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
