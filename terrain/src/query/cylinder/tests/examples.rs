//! Cases a person can check, for a body of radius 0.5 m and height 2 m.

use glam::DVec3;

use super::super::{
    BlockingSides, Corners, Feature, Impact, column_bottom, column_top, exit, overlaps, pushes,
    sweep,
};
use super::cases::{Random, normal_of};

const RADIUS: f64 = 0.5;
const HEIGHT: f64 = 2.0;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A level triangle of 20 m around the body.
fn floor_at(y: f64) -> Corners {
    [v(-10.0, y, -10.0), v(0.0, y, 10.0), v(10.0, y, -10.0)]
}

/// An upright one, square to X.
fn wall_at(x: f64) -> Corners {
    [v(x, -5.0, -10.0), v(x, -5.0, 10.0), v(x, 9.0, 0.0)]
}

fn go(corners: &Corners, motion: DVec3) -> Option<Impact> {
    sweep(corners, normal_of(corners), RADIUS, HEIGHT, motion)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-7
}

#[test]
fn a_body_falls_onto_a_floor_and_stands() {
    let hit = go(&floor_at(-3.0), v(0.0, -4.0, 0.0)).unwrap();
    assert!(near(hit.time, 0.75) && hit.normal == DVec3::Y && hit.feature == Feature::Face);
    assert_eq!(hit.point, v(0.0, -3.0, 0.0));
}

#[test]
fn a_body_that_stands_on_a_floor_walks_along_it_and_leaves_it() {
    for motion in [v(3.0, 0.0, 1.0), v(0.0, 1.0, 0.0), v(1.0, 1e-9, 0.0), v(1e-3, 0.0, 0.0)] {
        assert!(go(&floor_at(0.0), motion).is_none(), "{motion}");
    }
    let hit = go(&floor_at(0.0), v(1.0, -0.001, 0.0)).unwrap();
    assert!(hit.time < 1e-12 && hit.normal == DVec3::Y, "{hit:?}");
}

#[test]
fn a_body_that_comes_down_on_level_floor_ahead_is_stopped_by_the_floor_not_by_its_edge() {
    // The edge of the floor is under the body already, at its foot's height to the bit.
    let ahead = [v(0.25, 0.0, -10.0), v(0.25, 0.0, 10.0), v(10.0, 0.0, 0.0)];
    for down in [-1.0, -1e-3, -1e-5] {
        let hit = go(&ahead, v(1.0, down, 0.0)).unwrap();
        assert!(hit.normal == DVec3::Y && hit.time < 1e-12, "{hit:?}");
    }
}

#[test]
fn a_floor_met_while_its_edge_is_within_the_slack_stops_the_body_at_the_floor() {
    // The foot comes to the floor's level after 0.5 m; 1e-4 m before that, 2e-9 m above it, the side
    // passes the floor's edge.
    let edge = 0.5 + 0.4999;
    let ahead = [v(edge, -1e-5, -10.0), v(edge, -1e-5, 10.0), v(20.0, -1e-5, 0.0)];
    let hit = go(&ahead, v(1.0, -2e-5, 0.0)).unwrap();
    assert!((hit.time - 0.5).abs() < 1e-6 && hit.normal == DVec3::Y, "{hit:?}");
}

#[test]
fn the_top_of_a_column_is_found_where_an_edge_only_touches_the_column_there() {
    // The highest point over the disc lies on an edge that is tangent to it: 0.24² + 0.32² = 0.4².
    let corners = [v(-0.4, -0.1, -0.8), v(0.4, 0.2, 0.8), v(-0.4, 0.2, 0.2)];
    let top = column_top(&corners, 0.4, f64::NEG_INFINITY, f64::INFINITY).unwrap();
    assert!((top - v(-0.24, 0.2, 0.32)).length() < 1e-6, "{top}");
}

#[test]
fn a_body_beside_a_wall_falls_along_it_and_goes_along_it() {
    for motion in [v(0.0, -3.0, 0.0), v(0.0, 3.0, 0.0), v(0.0, -1.0, 7.0), v(-1.0, 0.0, 0.0)] {
        assert!(go(&wall_at(0.5), motion).is_none(), "{motion}");
    }
    let hit = go(&wall_at(0.5), v(1e-3, 0.0, 1.0)).unwrap();
    assert!(hit.time < 1e-12 && hit.normal == DVec3::NEG_X, "{hit:?}");
}

#[test]
fn a_body_walks_into_a_wall() {
    let hit = go(&wall_at(2.5), v(4.0, 0.0, 0.0)).unwrap();
    assert!(near(hit.time, 0.5) && hit.normal == DVec3::NEG_X, "{hit:?}");
    assert!(near(hit.point.x, 2.5) && near(hit.point.z, 0.0));
}

#[test]
fn a_body_walks_into_a_ramp_with_its_rim() {
    // Rises by 1 for 1 along X from x = 1: the rim at (0.5, 0, 0) reaches the face at x = 1.
    let ramp = [v(0.0, -1.0, -9.0), v(0.0, -1.0, 9.0), v(8.0, 7.0, 0.0)];
    let hit = go(&ramp, v(1.0, 0.0, 0.0)).unwrap();
    let half = 0.5f64.sqrt();
    assert!((hit.time - 0.5).abs() < 1e-6, "{hit:?}");
    assert!((hit.normal - v(-half, half, 0.0)).length() < 1e-9, "{hit:?}");
    assert!((hit.point - v(1.0, 0.0, 0.0)).length() < 1e-6, "{hit:?}");
}

#[test]
fn a_rim_on_an_edge_gives_the_direction_square_to_both() {
    // An edge along (0, 1, 1), met at its middle by the rim point (0.5, 0, 0) from above.
    let edge = [v(0.4, -2.0, -1.0), v(0.4, 0.0, 1.0), v(9.0, -40.0, 0.0)];
    let hit = go(&edge, v(0.0, -3.0, 0.0)).unwrap();
    assert_eq!(hit.feature, Feature::Edge(0));
    // The edge leaves the disc at z = 0.3, where it is at y = -0.7.
    assert!((hit.point - v(0.4, -0.7, 0.3)).length() < 1e-6, "{hit:?}");
    let tangent = v(-0.3, 0.0, 0.4) / 0.5;
    assert!(hit.normal.dot(tangent).abs() < 1e-6 && hit.normal.y > 0.0, "{hit:?}");
    assert!(hit.normal.dot(v(0.0, 1.0, 1.0)).abs() < 1e-6, "{hit:?}");
}

#[test]
fn a_long_motion_ends_as_exactly_as_a_short_one() {
    for far in [2.0, 2000.0, 20_000.0] {
        let hit = go(&wall_at(far + 0.5), v(far * 1.5, 0.0, 0.0)).unwrap();
        assert!(near(hit.time * far * 1.5, far), "{hit:?}");
        let hit = go(&floor_at(-far), v(0.0, -far * 1.5, 0.0)).unwrap();
        assert!(near(hit.time * far * 1.5, far), "{hit:?}");
    }
}

#[test]
fn a_sweep_that_starts_inside_meets_nothing() {
    for motion in [v(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0), DVec3::ZERO] {
        assert!(go(&floor_at(0.1), motion).is_none(), "{motion}");
    }
    assert!(go(&floor_at(0.0), DVec3::ZERO).is_none());
    assert!(go(&floor_at(0.0), v(0.0, -1.0, 0.0)).is_some());
}

#[test]
fn touching_is_not_overlapping() {
    for y in [0.0, 2.0, -1e-9, 2.0 + 1e-9] {
        assert!(!overlaps(&floor_at(y), RADIUS, HEIGHT), "{y}");
    }
    assert!(!overlaps(&wall_at(0.5), RADIUS, HEIGHT));
    assert!(!overlaps(&wall_at(-0.5), RADIUS, HEIGHT));
    for y in [1e-6, 1.0, 2.0 - 1e-6] {
        assert!(overlaps(&floor_at(y), RADIUS, HEIGHT), "{y}");
    }
    assert!(overlaps(&wall_at(0.5 - 1e-6), RADIUS, HEIGHT));
}

#[test]
fn a_floor_through_the_body_pushes_it_up_by_its_height() {
    let floor = floor_at(0.25);
    let both = pushes(&floor, normal_of(&floor), BlockingSides::Both, RADIUS, HEIGHT).unwrap();
    let (up, down, face) = (both.up.unwrap(), both.down.unwrap(), both.face.unwrap());
    assert!(near(up.depth, 0.25) && near(down.depth, 1.75) && near(face.depth, 0.25));
    assert_eq!((up.direction, down.direction, face.direction), (DVec3::Y, DVec3::NEG_Y, DVec3::Y));
    // Out over the nearest edge: 20 / √500 along it, 10 m · 20 / √500 less 0 m off it.
    assert!(near(both.side.depth, 0.5 + 10.0 / 5.0f64.sqrt()), "{:?}", both.side);
    let above = pushes(&floor, Some(DVec3::Y), BlockingSides::Front, RADIUS, HEIGHT).unwrap();
    assert!(above.up.is_some() && above.down.is_none());
    assert!(near(above.face.unwrap().depth, 0.25));
}

#[test]
fn a_wall_through_the_body_pushes_it_to_its_front_or_to_the_nearer_side() {
    let wall = wall_at(-0.25);
    let both = pushes(&wall, Some(DVec3::NEG_X), BlockingSides::Both, RADIUS, HEIGHT).unwrap();
    assert!(near(both.side.depth, 0.25) && both.side.direction == DVec3::X, "{:?}", both.side);
    assert!(near(both.face.unwrap().depth, 0.25));
    let front = pushes(&wall, Some(DVec3::NEG_X), BlockingSides::Front, RADIUS, HEIGHT).unwrap();
    assert!(near(front.side.depth, 0.75) && front.side.direction == DVec3::NEG_X);
    assert!(near(front.face.unwrap().depth, 0.75));
    assert!(front.up.is_some() && front.down.is_some());
}

#[test]
fn a_wall_through_the_axis_pushes_square_to_itself() {
    let wall = wall_at(0.0);
    let found = pushes(&wall, normal_of(&wall), BlockingSides::Both, RADIUS, HEIGHT).unwrap();
    assert!(near(found.side.depth, 0.5) && found.side.direction.z == 0.0, "{:?}", found.side);
}

#[test]
fn a_push_frees_of_the_triangle_not_of_its_plane() {
    // A corner reaches 0.01 m up into the foot; its plane leans far into the body.
    let spike = [v(0.0, 0.01, 0.0), v(1.0, -2.0, -0.2), v(1.0, -2.0, 0.2)];
    let normal = normal_of(&spike).unwrap();
    let found = pushes(&spike, Some(normal), BlockingSides::Both, RADIUS, HEIGHT).unwrap();
    assert!(near(found.up.unwrap().depth, 0.01));
    let face = found.face.unwrap();
    assert!(face.depth < 0.03 && face.feature == Feature::Corner(0), "{face:?}");
}

#[test]
fn the_column_knows_its_floor_and_its_ceiling() {
    let ramp = [v(-4.0, -4.0, -9.0), v(-4.0, -4.0, 9.0), v(8.0, 8.0, 0.0)];
    let top = |floor, ceiling| column_top(&ramp, RADIUS, floor, ceiling);
    let bound = f64::INFINITY;
    assert!((top(-bound, bound).unwrap() - v(0.5, 0.5, 0.0)).length() < 1e-12);
    assert!((top(-bound, 0.25).unwrap() - v(0.25, 0.25, 0.0)).length() < 1e-12);
    assert!(top(0.6, bound).is_none() && top(-bound, -0.6).is_none());
    let bottom = column_bottom(&ramp, RADIUS, 0.0).unwrap();
    assert!(bottom.length() < 1e-12, "{bottom}");
    assert!(column_bottom(&ramp, RADIUS, 0.6).is_none());
    // Of a level surface the point nearest to the axis.
    assert_eq!(column_top(&floor_at(0.5), RADIUS, -bound, bound), Some(v(0.0, 0.5, 0.0)));
}

#[test]
fn nothing_is_nan_or_zero_whatever_the_triangle() {
    let parts = [0.0, -0.0, 1e-300, -1e-160, 1e-20, 0.5, -0.5, 1.0, 2.0, 1e4, -1e4, 1e9, -1e9];
    let mut chance = Random::new(10);
    for _ in 0..200_000 {
        let corner =
            |chance: &mut Random| v(chance.pick(&parts), chance.pick(&parts), chance.pick(&parts));
        let corners = [corner(&mut chance), corner(&mut chance), corner(&mut chance)];
        let normal = normal_of(&corners);
        let motion = corner(&mut chance);
        if let Some(hit) = go(&corners, motion) {
            assert!((hit.normal.length() - 1.0).abs() < 1e-9, "{hit:?} {corners:?} {motion}");
            assert!(hit.time >= 0.0 && hit.time <= 1.0 && hit.point.is_finite(), "{hit:?}");
        }
        for sided in [BlockingSides::Both, BlockingSides::Front] {
            let Some(found) = pushes(&corners, normal, sided, RADIUS, HEIGHT) else { continue };
            for push in [found.up, found.down, Some(found.side), found.face].into_iter().flatten() {
                assert!((push.direction.length() - 1.0).abs() < 1e-9, "{push:?} {corners:?}");
                assert!(push.depth.is_finite() && push.point.is_finite(), "{push:?} {corners:?}");
            }
        }
        assert!(exit(&corners, RADIUS, HEIGHT, DVec3::X).is_finite());
        for point in [
            column_top(&corners, RADIUS, f64::NEG_INFINITY, f64::INFINITY),
            column_bottom(&corners, RADIUS, 0.0),
        ] {
            assert!(point.is_none_or(DVec3::is_finite), "{point:?} {corners:?}");
        }
    }
    // Not finite: refused long before; here only no panic.
    let broken = [v(f64::NAN, 0.0, 0.0), v(f64::INFINITY, 1.0, 0.0), DVec3::ZERO];
    let _ = (go(&broken, DVec3::X), overlaps(&broken, RADIUS, HEIGHT));
    let _ =
        (pushes(&broken, None, BlockingSides::Both, RADIUS, HEIGHT), go(&floor_at(0.0), broken[0]));
}
