//! Who stands on a steep face, flies into one, or sinks between several.

use marchland_controller::{Body, BodyBuilder, Motion, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::greater;

use crate::common::{HEADINGS, Random, Scene, grid, noise, place, solid, world};
use crate::tangent;

#[test]
fn who_is_on_steep_ground_slides_down_or_across_but_not_up() {
    let grid = grid(1.0, 32);
    let rise = tangent(60.0);
    let ground = world(grid, (0, 0), &|c, _| c as f64 * rise, &solid);
    let view = ground.view();
    for heading in HEADINGS {
        let mut scene = Scene::new(grid);
        // The knee on the face, as far up as the skin keeps it.
        let y = (9.4 + 16.0) * rise + 0.41 * rise - 0.45;
        let start = place(grid, (0, 0), [9.4, y as f32, 0.1]);
        let wish = Wish::walk(heading[0] * 3.0, heading[1] * 3.0);
        let id = scene.spawn(start, Motion::Sliding, Vec3::ZERO, wish);
        scene.tick(view);
        let first = scene.local(id);
        let mut last = first;
        for _ in 0..60 {
            scene.tick(view);
            let next = scene.local(id);
            assert!(next.y <= last.y && next.x <= last.x, "{heading:?}: from {last} to {next}");
            assert_eq!(scene.units.motion(id), Some(Motion::Sliding), "{heading:?}");
            scene.assert_sound(view);
            last = next;
        }
        // A share of 0.3 of the request steers: all of it across, of what points downhill the part
        // along the face.
        let moved = last - first;
        assert!((moved.z - heading[1] * 0.9).abs() < 1e-3, "{heading:?}: {moved}");
        let downhill = if heading[0] < 0.0 { -heading[0] * 0.9 * 0.5 } else { 0.0 };
        let along = f64::from(moved.x * moved.x + moved.y * moved.y).sqrt();
        // 6 m/s at most, reached as 1 − 1/(1 + t·g·sin 60°/6)ⁿ does; and never more than falling.
        let most = 6.0 + f64::from(downhill) + 1e-3;
        assert!(along < most && along > 2.5, "{heading:?}: {along} m in a second");
        let angle = moved.y / moved.x;
        assert!((f64::from(angle) - rise).abs() < 2e-2, "{heading:?}: leaves the face: {moved}");
    }
}

#[test]
fn who_flies_into_a_steep_face_stops_there_and_gentle_ground_lifts() {
    let grid = grid(1.0, 32);
    for (degrees, lifted) in [(60.0, false), (40.0, true)] {
        let rise = tangent(degrees);
        let ground = world(grid, (0, 0), &|c, _| (c - 16).max(0) as f64 * rise, &solid);
        for (y, x_speed, z_speed) in
            [(0.5, 20.0, 0.0), (0.5, 20.0, 2.0), (1.7, 20.0, 1.0), (0.5, 57.0, 3.0)]
        {
            let mut scene = Scene::new(grid);
            let start = place(grid, (0, 0), [-0.5, y, 0.0]);
            let velocity = Vec3::new(x_speed, 0.0, z_speed);
            let id = scene.spawn(start, Motion::Falling, velocity, Wish::STAND);
            let mut highest = 0.0;
            for _ in 0..60 {
                scene.tick(ground.view());
                scene.assert_sound(ground.view());
                let up = scene.local(id).y;
                highest = greater(up, highest);
            }
            if lifted {
                // Farther in than where the face is as high as it flew, and as much higher.
                let (up, x) = (highest - y, scene.local(id).x);
                let is_lifted = up > 0.05 && x > y / rise as f32 + 0.05;
                assert!(is_lifted, "{degrees} degrees: up {up} to {x} from {y} at {x_speed}");
                continue;
            }
            assert!(highest <= y + 1e-3, "thrown up to {highest} from {y}");
            assert!(scene.local(id).x < y / rise as f32 + 1e-3, "{}", scene.local(id));
        }
    }
}

/// Who becomes thin between steep walls sinks along their crease, over many ticks however short they are.
#[test]
fn who_sinks_between_steep_walls_goes_aside_by_no_more_than_its_radius_and_skin() {
    let grid = grid(1.0, 32);
    let ground = world(grid, (0, 0), &|c, r| noise(c, r) * 2.5, &solid);
    let mut scene = Scene::new(grid);
    let mut random = Random::from_state(1414);
    for _ in 0..400 {
        let at = [random.within(-14.0, 14.0), 4.0, random.within(-14.0, 14.0)];
        scene.spawn(place(grid, (0, 0), at), Motion::Falling, Vec3::ZERO, Wish::STAND);
    }
    for _ in 0..300 {
        scene.tick(ground.view());
    }
    let radius = 0.01;
    let thin = scene.units.add_body(BodyBuilder { radius, ..Body::builder() }.build().unwrap());
    let thin = thin.unwrap();
    let ids: Vec<_> = scene.units.iter().collect();
    ids.iter().for_each(|&id| assert!(scene.units.resize(ground.view(), id, thin).is_ok()));
    scene.settings.dt = 1e-4;
    let mut farthest = 0.0_f32;
    for tick in 0..60 {
        let before: Vec<_> = ids.iter().map(|&id| scene.local(id)).collect();
        scene.tick(ground.view());
        for (&id, from) in ids.iter().zip(&before) {
            let way = (scene.local(id) - *from).with_y(0.0).length();
            let most = radius + SKIN + 1e-4;
            assert!(way < most, "tick {tick}: {id:?} from {from} by {way}");
            farthest = greater(way, farthest);
        }
    }
    assert!(farthest > radius, "nobody sank: {farthest}");
}
