//! The edge of the world turns a fast walk aside.

use marchland_controller::{
    Batch, Body, Motion, PathChoice, Spawn, Switches, TickSettings, Units, Wish,
};
use marchland_terrain::WorldPos;
use marchland_terrain::glam::Vec3;
use marchland_worlds::terrain::{grid_of, world_from_fn};

/// A walk of 25 m, nearly all of it over the edge, leads 6 m along the edge instead, into a sector that is not
/// on its straight way. The face there is as high as the knee 0.3 m behind its foot, and stops a body a radius
/// and the skin before that.
#[test]
fn a_fast_walk_turned_aside_by_the_edge_of_the_world_ends_at_a_steep_face() {
    let grid = grid_of(1.0, 16).unwrap();
    // Heights are by metres from the low corner, which is at -8.
    let rise = |z: f64| if z > 34.0 { 1.5 * (z - 34.0) } else { 0.0 };
    let sectors = world_from_fn(grid, 4, |_, z| rise(z)).unwrap();
    let size = grid.sector_size();
    for path in [PathChoice::Auto, PathChoice::Full] {
        let mut units = Units::new(size);
        let position = WorldPos::from_metres(-7.9, 0.0, 22.7, size).unwrap();
        let motion = Motion::Walking;
        let (velocity, body, mask) =
            (Vec3::ZERO, units.add_body(Body::default()).unwrap(), u32::MAX);
        let id = units.spawn(Spawn { position, velocity, motion, body, mask }).unwrap();
        let wishes = vec![Wish::walk(-97.0, 24.0); units.slots()];
        let settings = TickSettings { dt: 0.25, ..TickSettings::default() };
        let switches = Switches::path(path);
        Batch::new().tick_with(&switches, sectors.view(), &mut units, &wishes, &settings).unwrap();
        let [x, y, z] = units.position(id).unwrap().to_metres(size);
        assert_eq!(units.motion(id), Some(Motion::Walking));
        assert!(x < -7.99 && y == 0.0 && (25.85..25.9).contains(&z), "{path:?}: {x} {y} {z}");
    }
}
