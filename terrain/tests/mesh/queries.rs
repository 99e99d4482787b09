//! What touches what, against all triangles.

use std::ops::Range;

use marchland_terrain::MeshView;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::{Aabb, lesser};

use super::shapes::{ball, block, loaded, numbers, scattered, sheet};

fn marked(view: MeshView<'_>, walk: impl FnOnce(&mut dyn FnMut(Range<u32>))) -> Vec<bool> {
    let (mut marks, mut last) = (vec![false; view.triangles() as usize], 0);
    walk(&mut |range: Range<u32>| {
        assert!(last <= range.start && range.start < range.end);
        last = range.end;
        marks[range.start as usize..range.end as usize].fill(true);
    });
    marks
}

/// Where a ray meets a triangle, as a fraction of its motion.
fn hit([a, b, c]: [Vec3; 3], from: DVec3, motion: DVec3) -> Option<f64> {
    let [a, b, c] = [a, b, c].map(|corner| corner.as_dvec3() - from);
    let normal = (b - a).cross(c - a);
    let along = normal.dot(motion);
    let volumes = [a.cross(b), b.cross(c), c.cross(a)].map(|side| side.dot(motion));
    let inside = volumes.iter().all(|&v| v >= 0.0) || volumes.iter().all(|&v| v <= 0.0);
    let at = normal.dot(a) / along;
    (along != 0.0 && inside && (0.0..=1.0).contains(&at)).then_some(at)
}

#[test]
fn boxes_and_ways_find_every_triangle_that_they_touch() {
    let slab = block(Vec3::new(-4.0, 0.0, 1.0), Vec3::new(9.0, 0.25, 3.0));
    for mesh in [ball(40, 21), sheet(31, 17), scattered(700), slab] {
        let mesh = loaded(&mesh);
        let (view, mut number) = (mesh.view(), numbers(77));
        let (low, size) = (view.bounds().min, view.bounds().max - view.bounds().min);
        let mut hits = 0;
        for round in 0..300 {
            let mut point = || low + (Vec3::new(number(), number(), number()) * 1.4 - 0.2) * size;
            let (a, b) = (point(), point());
            let region = Aabb::around([a, a + (b - a) * 0.3]);
            let marks = marked(view, |visit| view.in_box(&region, visit));
            for (triangle, mark) in (0..).zip(marks) {
                assert!(mark || !Aabb::around(view.triangle(triangle)).touches(&region));
            }
            // Straight down every other time.
            let mut motion = (b - a).as_dvec3() * 1.5;
            if round % 2 == 0 {
                motion = DVec3::new(0.0, -100.0, 0.0);
            }
            let from = a.as_dvec3();
            let marks = marked(view, |visit| view.along(from, motion, DVec3::ZERO, visit));
            let mut first = f64::INFINITY;
            for (triangle, mark) in (0..).zip(&marks) {
                if let Some(at) = hit(view.triangle(triangle), from, motion) {
                    assert!(*mark);
                    first = lesser(at, first);
                }
            }
            let (mut visited, mut found) = (0, f64::INFINITY);
            view.nearest(from, motion, DVec3::ZERO, 1.0, |triangles, reach| {
                visited += triangles.len();
                for triangle in triangles {
                    let at = hit(view.triangle(triangle), from, motion).unwrap_or(f64::INFINITY);
                    found = lesser(at, found);
                }
                lesser(found, reach)
            });
            assert_eq!(found, first);
            assert!(visited <= marks.iter().filter(|mark| **mark).count());
            hits += u32::from(first < 1.0);
        }
        assert!(hits > 20, "{hits}");
    }
}
