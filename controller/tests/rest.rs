//! Who has come to rest stays there, and not a bit of its state changes.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, leaning, put};
use common::{Random, Scene, endless, grid, noise, place, solid, world};
use marchland_controller::{BodyBuilder, EventKind, Motion, UnitId, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{Grid, LiveProps, ResidentSectors, TerrainView};

/// Ticks for which nothing changes; a tenth of them where many shapes are tried.
const TICKS: usize = 10_000;

/// Ticks after which everybody is at rest.
const SETTLING: usize = 900;

/// Ground 32 m wide per sector, with props.
struct Yard {
    grid: Grid,
    ground: ResidentSectors,
    live: LiveProps,
}

impl Yard {
    fn new(height: &dyn Fn(i64, i64) -> f64) -> Self {
        let grid = grid(1.0, 32);
        let ground = world(grid, (-1, 1), height, &solid);
        Self { grid, ground, live: LiveProps::new(grid.sector_size()) }
    }

    fn view(&self) -> TerrainView<'_> {
        self.ground.view().with_live(&self.live)
    }

    /// A unit that falls from a little above.
    fn drop(&self, scene: &mut Scene, at: [f32; 3], wish: Wish) -> UnitId {
        scene.spawn(place(self.grid, (0, 0), at), Motion::Falling, Vec3::ZERO, wish)
    }
}

fn tangent(degrees: f64) -> f64 {
    marchland_terrain::math::angle::tan_degrees(degrees)
}

/// Lets everybody go where its wish leads, then wish for nothing, and come to rest; from there on
/// nothing happens any more and no bit changes.
fn assert_rests(name: &str, scene: &mut Scene, view: TerrainView<'_>, pushing: usize) {
    assert_rests_for(TICKS, name, scene, view, pushing);
}

fn assert_rests_for(
    ticks: usize,
    name: &str,
    scene: &mut Scene,
    view: TerrainView<'_>,
    pushing: usize,
) {
    for _ in 0..pushing {
        scene.tick(view);
    }
    scene.wishes.fill(Wish::STAND);
    for _ in 0..SETTLING {
        scene.tick(view);
    }
    for id in scene.units.iter() {
        let (at, motion) = (scene.local(id), scene.units.motion(id).unwrap());
        assert_eq!(motion, Motion::Walking, "{name}: {id:?} at {at}");
        assert_eq!(scene.units.velocity(id), Some(Vec3::ZERO), "{name}: {id:?} at {at}");
    }
    let before = scene.units.state_hash();
    for tick in 0..ticks {
        scene.tick(view);
        assert_eq!(scene.units.state_hash(), before, "{name}: tick {tick}");
        let event = scene.batch.events().first();
        assert!(event.is_none(), "{name}: tick {tick}: {event:?}");
    }
}

#[test]
fn on_a_slope_just_below_the_limit() {
    for degrees in [44.0, 44.9, 44.99] {
        let rise = tangent(degrees);
        let slope = Yard::new(&|c, r| c as f64 * rise * 0.6 + r as f64 * rise * 0.8);
        let mut scene = Scene::new(slope.grid);
        for x in -3..3 {
            let at = place(slope.grid, (0, 0), [x as f32 * 1.7, 0.0, 0.3]);
            scene.walker(slope.view(), at, Wish::walk(x as f32, 1.0));
        }
        assert_rests(&format!("{degrees} degrees"), &mut scene, slope.view(), 30);
    }
}

#[test]
fn on_the_edge_of_a_prop_and_on_a_leaning_one() {
    let mut yard = Yard::new(&|_, _| 0.0);
    put(&mut yard.live, &cuboid([4.0, 2.0, 4.0]), place(yard.grid, (0, 0), [0.0; 3]));
    put(&mut yard.live, &cuboid([4.0, 0.3, 4.0]), place(yard.grid, (0, 0), [8.0, 0.0, 0.0]));
    put(&mut yard.live, &leaning([4.0, 1.0, 4.0], 3.8), place(yard.grid, (0, 0), [-8.0, 0.0, 0.0]));
    let mut scene = Scene::new(yard.grid);
    for beyond in [-0.1, 0.0, 0.1, 0.3, 0.399, 0.4, 0.41, 0.45] {
        for [x, y] in [[0.0, 2.2], [8.0, 0.5], [-8.0, 6.0]] {
            yard.drop(&mut scene, [x + 2.0 + beyond, y, 0.1], Wish::STAND);
            yard.drop(&mut scene, [x + 2.0 + beyond, y, 2.0 + beyond], Wish::STAND);
        }
    }
    assert_rests("edge", &mut scene, yard.view(), 0);
}

#[test]
fn on_the_seams_of_sectors() {
    let rough = |c: i64, r: i64| noise(c, r) * 0.7;
    let mut yard = Yard::new(&rough);
    put(&mut yard.live, &cuboid([2.0, 3.0, 2.0]), place(yard.grid, (0, 0), [15.5, 0.0, 0.0]));
    let mut scene = Scene::new(yard.grid);
    for along in [-16.0, -1.3, 0.0, 4.0, 15.999_999] {
        for across in [-16.0, -15.999_999, 15.999_999, 15.8] {
            for [x, z] in [[along, across], [across, along]] {
                yard.drop(&mut scene, [x, 4.0, z], Wish::STAND);
            }
        }
    }
    assert_rests("seam", &mut scene, yard.view(), 0);
}

#[test]
fn in_corners_of_props_and_of_ground_after_pushing_into_them() {
    let mut yard = Yard::new(&|c, r| if c > 24 || r > c + 8 { 5.0 } else { 0.0 });
    let wall = cuboid([6.0, 3.0, 1.0]);
    put(&mut yard.live, &wall, place(yard.grid, (0, 0), [0.0; 3]));
    put(&mut yard.live, &cuboid([1.0, 3.0, 6.0]), place(yard.grid, (0, 0), [3.0, 0.0, -3.0]));
    // A second wall in the skin of the first, and one as low as a knee is high.
    put(&mut yard.live, &wall, place(yard.grid, (0, 0), [-5.0, 0.0, -0.004]));
    put(&mut yard.live, &cuboid([1.0, 0.6, 6.0]), place(yard.grid, (0, 0), [-7.0, 0.0, -3.0]));
    let mut scene = Scene::new(yard.grid);
    for heading in common::HEADINGS.into_iter().step_by(2) {
        for [x, z] in [[1.0, -2.0], [-5.0, -2.0], [7.0, 13.0]] {
            let wish = Wish::walk(heading[0] * 2.9, heading[1] * 2.9);
            yard.drop(&mut scene, [x, 0.2, z], wish);
        }
    }
    assert_rests("corner", &mut scene, yard.view(), 180);
}

/// What ground is called, and its height at each sample.
type Pit<'a> = (&'a str, &'a dyn Fn(i64, i64) -> f64);

#[test]
fn in_a_ravine_and_in_pits_narrower_than_the_body() {
    let pits: [Pit<'_>; 5] = [
        ("a ravine along the grid", &|c, _| (c - 16).abs() as f64 * 3.0),
        ("a ravine along the diagonals", &|c, r| (c - r).abs() as f64 * 2.0),
        ("a ravine that leads down", &|c, r| (c - 16).abs() as f64 * 3.0 + r as f64 * 0.2),
        ("a pit", &|c, r| if (c, r) == (16, 16) { 0.0 } else { 4.0 }),
        ("a crooked pit", &|c, r| if (c, r) == (16, 16) { 0.0 } else { 3.0 + noise(c, r) * 2.0 }),
    ];
    for (name, height) in pits {
        let yard = Yard::new(height);
        for radius in [0.1, 0.4, 0.7] {
            let body = BodyBuilder { radius, ..BodyBuilder::default() };
            let mut scene = Scene::with_body(yard.grid, body);
            for [x, z] in [[0.0, 0.0], [0.2, 0.0], [-0.1, 0.3], [0.02, -0.4], [-0.3, -0.3]] {
                yard.drop(&mut scene, [x, 7.0, z], Wish::STAND);
                yard.drop(&mut scene, [x, 7.0, z], Wish::walk(x * 5.0, -z * 9.0));
            }
            let name = format!("{name}, radius {radius}");
            assert_rests_for(TICKS / 10, &name, &mut scene, yard.view(), 60);
        }
        let mut scene = Scene::new(yard.grid);
        yard.drop(&mut scene, [0.05, 7.0, -0.1], Wish::STAND);
        assert_rests(name, &mut scene, yard.view(), 0);
    }
}

#[test]
fn among_pits_of_steep_triangles_everybody_comes_to_rest() {
    let grid = grid(0.5, 16);
    let ground = endless(grid, &|c, r| noise(c, 3 * r + 1) * 4.0);
    let mut scene = Scene::new(grid);
    let mut random = Random::from_state(5);
    for _ in 0..100 {
        let at = [random.within(-4.0, 3.99), 0.0, random.within(-4.0, 3.99)];
        let wish = Wish::walk(random.within(-5.0, 5.0), random.within(-5.0, 5.0));
        scene.walker(ground.view(), place(grid, (0, 0), at), wish);
    }
    assert_rests_for(TICKS / 10, "pits", &mut scene, ground.view(), 300);
}

#[test]
fn who_is_wedged_in_a_pit_jumps() {
    let yard = Yard::new(&|c, r| if (c, r) == (16, 16) { 0.0 } else { 4.0 });
    let mut scene = Scene::new(yard.grid);
    let id = yard.drop(&mut scene, [0.05, 6.0, 0.1], Wish::STAND);
    for _ in 0..SETTLING {
        scene.tick(yard.view());
    }
    let deep = scene.local(id).y;
    scene.wishes[id.slot as usize] = Wish::STAND.jumping();
    scene.tick(yard.view());
    let jumped = |kind: &EventKind| matches!(kind, EventKind::LeftGround { .. });
    assert!(scene.batch.events().iter().any(|event| jumped(&event.kind)));
    assert!(scene.local(id).y > deep && scene.units.motion(id) == Some(Motion::Falling));
}

#[test]
fn on_a_platform_that_stands_still() {
    let mut yard = Yard::new(&|_, _| 0.0);
    let at = place(yard.grid, (0, 0), [0.3, 1.0, 0.7]);
    let deck = marchland_terrain::LiveProp::new(cuboid([5.0, 0.5, 5.0]), at);
    let deck = yard.live.add(deck).unwrap();
    let mut scene = Scene::new(yard.grid);
    for x in [-2.4, -1.0, 0.0, 0.7, 2.75] {
        yard.drop(&mut scene, [x, 2.0, 0.1 * x], Wish::walk(0.2, x));
    }
    yard.live.set_velocity(deck, Vec3::new(0.8, 0.7, -0.5), Vec3::ZERO).unwrap();
    yard.live.advance(scene.settings.dt).unwrap();
    for _ in 0..60 {
        scene.tick(yard.view());
        yard.live.advance(scene.settings.dt).unwrap();
    }
    yard.live.set_velocity(deck, Vec3::ZERO, Vec3::ZERO).unwrap();
    yard.live.advance(scene.settings.dt).unwrap();
    assert_rests("deck", &mut scene, yard.view(), 0);
}
