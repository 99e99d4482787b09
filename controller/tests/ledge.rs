//! What the probe says of a ledge is what a unit that walks into it does.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, leaning, put};
use common::{Scene, endless, grid, place};
use marchland_controller::{
    Body, BodyBuilder, EventKind, Ledge, Motion, SurfaceResponse, Wish, probe_ledge,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::greater;
use marchland_terrain::query::QueryError;
use marchland_terrain::{
    Grid, LiveProp, LiveProps, LoadedMesh, PropId, ResidentSectors, SectorCoord, SurfaceId,
};
use std::sync::Arc;

const SPEED: f32 = 3.0;

fn climber() -> BodyBuilder {
    BodyBuilder { climb: 1.5, ..Body::builder() }
}

/// Level ground and what stands on it.
struct Yard {
    grid: Grid,
    ground: ResidentSectors,
    live: LiveProps,
}

impl Yard {
    fn new() -> Self {
        let grid = grid(1.0, 16);
        Self { grid, ground: endless(grid, &|_, _| 0.0), live: LiveProps::new(grid.sector_size()) }
    }

    fn put(mut self, mesh: &Arc<LoadedMesh>, at: [f32; 3]) -> Self {
        put(&mut self.live, mesh, place(self.grid, (0, 0), at));
        self
    }

    /// What the probe says, and where a unit is that has walked on until it stood on something
    /// higher, or for two seconds; it must be one and the same.
    fn probed(&self, body: BodyBuilder, at: [f32; 3], direction: [f32; 2]) -> Option<Ledge> {
        let view = self.ground.view().with_live(&self.live);
        let from = place(self.grid, (0, 0), at);
        let built = body.build().unwrap();
        let found = probe_ledge(view, &built, u32::MAX, from, direction).unwrap();
        let wish = Wish::walk(direction[0] * SPEED, direction[1] * SPEED);
        let mut scene = Scene::with_body(self.grid, body);
        let id = scene.spawn(from, Motion::Walking, Vec3::ZERO, wish);
        assert_eq!(scene.units.ledge_before(view, id, direction).unwrap(), found);
        assert_eq!(scene.units.climb_progress(id), None);
        let mut climbed = None;
        let (mut ticks, mut progress) = (0, 0.0);
        for _ in 0..120 {
            scene.tick(view);
            for event in scene.batch.events() {
                match event.kind {
                    EventKind::ClimbBegan { rise } => climbed = Some((rise, scene.local(id))),
                    EventKind::ClimbEnded => {
                        scene.wishes[0] = Wish::STAND;
                        assert_eq!(scene.units.climb_progress(id), None);
                    }
                    _ => {}
                }
            }
            if scene.units.motion(id) == Some(Motion::Climbing) {
                let next = scene.units.climb_progress(id).unwrap();
                assert!(if ticks == 0 { next == 0.0 } else { next > progress }, "{next}");
                assert!(next < 1.0);
                (ticks, progress) = (ticks + 1, next);
            }
        }
        let Some(ledge) = found else {
            // Whatever it met later, from here it was none: within a radius.
            let near = climbed.filter(|(_, to)| to.distance(from.local()) < built.radius());
            assert_eq!(
                near, None,
                "a ledge that the probe did not see from {at:?} towards {direction:?}"
            );
            return None;
        };
        let (rise, start) = climbed.expect("nobody climbed");
        assert!((rise - ledge.rise).abs() < 1e-5);
        assert!(start.distance(ledge.start.local()) < 1e-4, "{start} {ledge:?}");
        let end = scene.local(id);
        assert!(end.distance(ledge.top.local()) < 1e-4, "{end} {ledge:?}");
        assert_eq!(scene.units.motion(id), Some(Motion::Walking));
        let seconds = ticks as f32 * scene.settings.dt;
        assert!((seconds - ledge.seconds).abs() <= 1.01 * scene.settings.dt, "{seconds}");
        assert!((ledge.top.local().y - ledge.start.local().y - ledge.rise).abs() < 1e-5);
        Some(ledge)
    }
}

const EAST: [f32; 2] = [1.0, 0.0];

/// Before the wall of a box of 2 m around the middle, a little off its skin.
const BEFORE: [f32; 3] = [-1.5, 0.0, 0.125];

#[test]
fn a_ledge_is_found_and_climbed_to_where_the_probe_said() {
    let yard = Yard::new().put(&cuboid([2.0, 1.25, 2.0]), [0.0, 0.0, 0.0]);
    let ledge = yard.probed(climber(), BEFORE, EAST).expect("a ledge of 1.25 m");
    assert!((ledge.rise - 1.25).abs() < 1e-5);
    assert!((ledge.start.local().x - -1.41).abs() < 1e-3);
    // The disc stands on it by its radius.
    assert!((ledge.top.local() - Vec3::new(-0.99, 1.25, 0.125)).length() < 0.02, "{ledge:?}");
    // The length of the direction says nothing.
    let view = yard.ground.view().with_live(&yard.live);
    let from = place(yard.grid, (0, 0), BEFORE);
    let body = climber().build().unwrap();
    for direction in [[1e-6, 0.0], [1e6, 0.0]] {
        assert_eq!(probe_ledge(view, &body, u32::MAX, from, direction), Ok(Some(ledge)));
    }
}

#[test]
fn a_ledge_is_met_at_an_angle_from_every_side_and_across_a_border() {
    let yard = Yard::new().put(&cuboid([2.0, 0.75, 2.0]), [-7.5, 0.0, 7.0]);
    let mut found = 0;
    for [x, z] in common::HEADINGS {
        for off in [-0.25_f32, 0.125] {
            let far = 1.6 / greater(x.abs(), z.abs());
            let at = [-7.5 - x * far - z * off, 0.0, 7.0 - z * far + x * off];
            let Some(at) = inside(at) else { continue };
            found += usize::from(yard.probed(climber(), at, [x, z]).is_some());
        }
    }
    assert!(found > 10, "{found}");
}

/// The sector's own part of the plane.
fn inside(at: [f32; 3]) -> Option<[f32; 3]> {
    at.iter().all(|metres| (-8.0..8.0).contains(metres)).then_some(at)
}

#[test]
fn what_is_too_high_or_can_be_stepped_on_is_no_ledge() {
    for (height, is_ledge) in
        [(0.4, false), (0.46, true), (1.0, true), (1.49, true), (1.51, false), (4.0, false)]
    {
        let yard = Yard::new().put(&cuboid([2.0, height, 2.0]), [0.0, 0.0, 0.0]);
        assert_eq!(yard.probed(climber(), BEFORE, EAST).is_some(), is_ledge, "{height} m");
    }
    let yard = Yard::new().put(&cuboid([2.0, 0.9, 2.0]), [0.0, 0.0, 0.0]);
    let steps = BodyBuilder { step_up: 1.0, ..climber() };
    assert_eq!(yard.probed(steps, BEFORE, EAST), None, "a step");
    assert_eq!(yard.probed(Body::builder(), BEFORE, EAST), None, "of who does not climb");
}

#[test]
fn a_ledge_wants_head_room_on_the_way_up_and_on_top() {
    // A slab whose underside is so high, over the unit or over the ledge.
    for (x, low, is_ledge) in
        [(-1.5, 2.9, false), (-1.5, 3.2, true), (0.5, 2.5, false), (0.5, 3.2, true)]
    {
        let yard = Yard::new()
            .put(&cuboid([2.0, 1.25, 2.0]), [0.0, 0.0, 0.0])
            .put(&cuboid([1.0, 0.25, 2.0]), [x - if x > 0.0 { 0.75 } else { 0.0 }, low, 0.0]);
        assert_eq!(yard.probed(climber(), BEFORE, EAST).is_some(), is_ledge, "{low} m at {x}");
    }
}

#[test]
fn a_steep_top_is_no_ledge() {
    for (rise, is_ledge) in [(0.5, true), (4.0, false)] {
        let yard = Yard::new().put(&leaning([2.0, 0.75, 2.0], rise), [0.0, 0.0, 0.0]);
        assert_eq!(yard.probed(climber(), BEFORE, EAST).is_some(), is_ledge, "up by {rise} m");
    }
}

#[test]
fn a_free_way_a_glancing_one_and_a_way_through_the_air_meet_no_ledge() {
    let yard = Yard::new().put(&cuboid([2.0, 1.25, 2.0]), [0.0, 0.0, 0.0]);
    assert_eq!(yard.probed(climber(), BEFORE, [-1.0, 0.0]), None, "away from it");
    assert_eq!(yard.probed(climber(), BEFORE, [0.0, 0.0]), None, "nowhere");
    assert_eq!(yard.probed(climber(), [-2.25, 0.0, 0.0], EAST), None, "farther than a radius");
    assert_eq!(yard.probed(climber(), [-1.41, 0.0, 0.0], [0.4, 0.9]), None, "66° off head-on");
    let view = yard.ground.view().with_live(&yard.live);
    let body = climber().build().unwrap();
    let above = place(yard.grid, (0, 0), [-1.5, 0.5, 0.0]);
    assert_eq!(probe_ledge(view, &body, u32::MAX, above, EAST), Ok(None), "in the air");
}

#[test]
fn layers_ladders_and_names_that_are_gone_are_minded() {
    let mut yard = Yard::new();
    let at = place(yard.grid, (0, 0), [0.0, 0.0, 0.0]);
    let prop = LiveProp::new(cuboid([2.0, 1.25, 2.0]), at);
    let id = yard.live.add(LiveProp { layers: 2, surface: SurfaceId(3), ..prop }).unwrap();
    assert!(matches!(id, PropId::Live { .. }));
    let view = yard.ground.view().with_live(&yard.live);
    let from = place(yard.grid, (0, 0), BEFORE);
    let body = climber().build().unwrap();
    assert_eq!(probe_ledge(view, &body, 1, from, EAST), Ok(None), "another layer");
    assert!(probe_ledge(view, &body, 2, from, EAST).unwrap().is_some());
    let mut scene = Scene::with_body(yard.grid, climber());
    let unit = scene.spawn(from, Motion::Walking, Vec3::ZERO, Wish::STAND);
    assert!(scene.units.ledge_before(view, unit, EAST).unwrap().is_some());
    let ladder = SurfaceResponse { climbable: true, ..SurfaceResponse::PLAIN };
    scene.units.set_surface(SurfaceId(3), ladder).unwrap();
    assert_eq!(scene.units.ledge_before(view, unit, EAST), Ok(None), "a ladder");
    scene.units.despawn(unit);
    assert_eq!(scene.units.ledge_before(view, unit, EAST), Ok(None));
    assert_eq!(scene.units.climb_progress(unit), None);
}

#[test]
fn bad_directions_and_late_sectors_are_errors() {
    let mut yard = Yard::new();
    let body = climber().build().unwrap();
    let edge = place(yard.grid, (0, 0), [7.75, 0.0, 0.0]);
    for bad in [[f32::NAN, 0.0], [0.0, f32::INFINITY]] {
        let found = probe_ledge(yard.ground.view(), &body, u32::MAX, edge, bad);
        assert!(matches!(found, Err(QueryError::Motion { .. })), "{found:?}");
    }
    let late = SectorCoord::new(1, 0);
    yard.ground.unload(late);
    let found = probe_ledge(yard.ground.view(), &body, u32::MAX, edge, EAST);
    assert_eq!(found, Err(QueryError::NotResident { sector: late }));
}
