//! A jump is as high on every slope, in every heading and at every tick rate, here and at the far end
//! of the world: `jump_speed² / 2g` above the place that it was asked for at.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, leaning, put};
use common::{Scene, grid, place, world};
use marchland_controller::{BodyBuilder, Motion, PathChoice, TickSettings, UnitId, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::Placement;
use marchland_terrain::{Grid, LiveProp, LiveProps, ResidentSectors};

const GRAVITY: f64 = 9.81;
const RATES: [f64; 5] = [30.0, 60.0, 120.0, 144.0, 240.0];
/// Degrees, and their tangents.
const SLOPES: [(u32, f64); 5] =
    [(0, 0.0), (10, 0.176_327), (20, 0.363_970), (30, 0.577_350), (40, 0.839_100)];
/// The second reaches its highest point on every slope, at every speed.
const JUMP_SPEEDS: [f64; 2] = [5.0, 9.0];
const SPEEDS: [f64; 3] = [0.0, 2.0, 5.0];
/// Uphill, downhill and across: slopes rise along X.
const HEADINGS: [[f64; 2]; 3] = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]];
/// What is left to rounding. Metres.
const ROUNDING: f64 = 0.001;
/// Before the jump. Seconds.
const RUN_UP: f64 = 0.2;

/// A slope that rises along X, of the terrain or of a prop.
struct Slope {
    grid: Grid,
    ground: ResidentSectors,
    live: LiveProps,
    sector: (i32, i32),
    tangent: f64,
    is_prop: bool,
}

impl Slope {
    fn new(tangent: f64, is_prop: bool, sector: (i32, i32)) -> Self {
        let grid = grid(1.0, 32);
        let height = |column: i64, _: i64| match is_prop {
            true => -40.0,
            false => (column - 16) as f64 * tangent,
        };
        let ground = world(grid, (-1, 1), &height, &common::solid);
        let ground = ground.shifted(sector.0, sector.1).unwrap();
        let mut live = LiveProps::new(grid.sector_size());
        if is_prop {
            let long = 48.0;
            let rise = long * tangent as f32;
            let ramp = leaning([long, 1.0, long], rise);
            put(&mut live, &ramp, place(grid, sector, [0.0, -1.0 - rise / 2.0, 0.0]));
        }
        Self { grid, ground, live, sector, tangent, is_prop }
    }

    /// Where feet are that stand at an X: on a prop the uphill rim of their disc.
    fn stand(&self, x: f64, radius: f64) -> f64 {
        let rim = if self.is_prop { radius } else { 0.0 };
        self.tangent * (x + rim)
    }

    fn spawn(&self, scene: &mut Scene, wish: Wish) -> UnitId {
        let at = [1.5, self.stand(1.5, 0.4) as f32, 0.25];
        scene.spawn(place(self.grid, self.sector, at), Motion::Walking, Vec3::ZERO, wish)
    }
}

/// Who jumps, and how fast the ground comes up to it on its way. Metres per second.
struct Jumper {
    id: UnitId,
    walk: [f32; 2],
    climbing: f64,
}

/// Puts one jumper for each speed and heading on a slope.
fn jumpers(slope: &Slope, scene: &mut Scene) -> Vec<Jumper> {
    let ways = SPEEDS.iter().flat_map(|speed| HEADINGS.map(|[x, z]| [x * speed, z * speed]));
    ways.map(|way| {
        let walk = way.map(|part| part as f32);
        let id = slope.spawn(scene, Wish::walk(walk[0], walk[1]));
        Jumper { id, walk, climbing: slope.tangent * way[0] }
    })
    .collect()
}

/// How high each jumper comes above the place of its jump. Metres.
fn highest(slope: &Slope, jump_speed: f64, rate: f64, path: PathChoice) -> Vec<(Jumper, f64)> {
    let body = BodyBuilder { jump_speed: jump_speed as f32, ..BodyBuilder::default() };
    let mut scene = Scene::with_body(slope.grid, body);
    scene.settings = TickSettings::at_rate(rate as f32);
    scene.switches.path = path;
    let jumpers = jumpers(slope, &mut scene);
    let view = slope.ground.view().with_live(&slope.live);
    for _ in 0..(RUN_UP * rate) as usize {
        let full = scene.tick(view).full;
        let expected = if slope.is_prop || path == PathChoice::Full { jumpers.len() } else { 0 };
        assert_eq!(full, expected, "which path was taken");
    }
    let height = |scene: &Scene, id: UnitId| f64::from(scene.local(id).y);
    let from: Vec<f64> = jumpers.iter().map(|jumper| height(&scene, jumper.id)).collect();
    for (jumper, wish) in jumpers.iter().zip(&mut scene.wishes) {
        *wish = Wish::walk(jumper.walk[0], jumper.walk[1]).jumping();
    }
    let mut highest = vec![0.0_f64; jumpers.len()];
    let mut is_down = vec![false; jumpers.len()];
    for _ in 0..(1.2 * jump_speed / GRAVITY * rate) as usize {
        scene.tick(view);
        for (number, jumper) in jumpers.iter().enumerate() {
            is_down[number] |= scene.units.motion(jumper.id) != Some(Motion::Falling);
            if !is_down[number] {
                let rise = height(&scene, jumper.id) - from[number];
                if rise > highest[number] {
                    highest[number] = rise;
                }
            }
            scene.wishes[number] = scene.wishes[number].with_jump(false);
        }
    }
    jumpers.into_iter().zip(highest).collect()
}

/// Every jump that reaches its highest point, on slopes of a kind, with the path units take.
fn assert_equally_high(is_prop: bool, path: PathChoice, sector: (i32, i32), rates: &[f64]) {
    let mut reached = 0;
    for (degrees, tangent) in SLOPES {
        let slope = Slope::new(tangent, is_prop, sector);
        for (jump_speed, &rate) in
            JUMP_SPEEDS.iter().flat_map(|speed| rates.iter().map(move |rate| (*speed, rate)))
        {
            let expected = jump_speed * jump_speed / (2.0 * GRAVITY);
            // The highest tick is at most half a tick off the highest point of the parabola.
            let sampling = GRAVITY / (8.0 * rate * rate);
            for (jumper, found) in highest(&slope, jump_speed, rate, path) {
                // The ground comes up to it after 2 (jump_speed - climbing) / g; the highest point
                // is at jump_speed / g, and a tick is seen up to half a tick later.
                let lands = 2.0 * (jump_speed - jumper.climbing) / GRAVITY;
                if lands < jump_speed / GRAVITY + 0.5 / rate {
                    continue;
                }
                reached += 1;
                let off = found - expected;
                assert!(
                    -ROUNDING - sampling <= off && off <= ROUNDING,
                    "{off} m off on {degrees} degrees going {:?} at {rate} Hz with {jump_speed} m/s",
                    jumper.walk
                );
            }
        }
    }
    // Only 5 m/s up 30 and 40 degrees ends before the highest point of the lower jump.
    let all = SLOPES.len() * JUMP_SPEEDS.len() * rates.len() * SPEEDS.len() * HEADINGS.len();
    assert_eq!(reached, all - 2 * rates.len());
}

/// As far as sectors with neighbours go.
const FAR: (i32, i32) = (i32::MAX - 1, i32::MIN + 1);

#[test]
fn jumps_off_the_terrain_are_equally_high_on_every_slope_at_every_rate() {
    assert_equally_high(false, PathChoice::Auto, (0, 0), &RATES);
    assert_equally_high(false, PathChoice::Auto, FAR, &[30.0, 144.0]);
}

#[test]
fn the_full_controller_jumps_as_high_as_following() {
    assert_equally_high(false, PathChoice::Full, (0, 0), &RATES);
    assert_equally_high(false, PathChoice::Full, FAR, &[30.0, 144.0]);
}

#[test]
fn jumps_off_a_ramp_are_as_high_as_off_the_terrain() {
    assert_equally_high(true, PathChoice::Auto, (0, 0), &RATES);
    assert_equally_high(true, PathChoice::Full, FAR, &[30.0, 144.0]);
}

/// Adds a block whose upper face leans by so many degrees towards a bearing, through the place that its normal asks for.
fn add_face(
    grid: Grid,
    live: &mut LiveProps,
    lean: f64,
    bearing: f64,
    through: impl Fn(Vec3) -> Vec3,
) {
    let turned = Rotation::from_degrees([0.0, bearing, -lean]);
    let normal = turned.apply(Vec3::Y).as_vec3();
    let at = place(grid, (0, 0), (through(normal) - normal).to_array());
    let mut block = LiveProp::new(cuboid([12.0, 1.0, 12.0]), at);
    block.placement = Placement::new(turned, 1.0).unwrap();
    live.add(block).unwrap();
}

#[test]
fn nobody_is_led_up_between_a_steep_face_and_one_that_leans_over_it() {
    let grid = grid(1.0, 64);
    let ground = world(grid, (-1, 1), &|_, _| 0.0, &common::solid);
    let (feet, body) = (Vec3::new(0.0, 20.0, 0.0), BodyBuilder::default());
    for (rate, gap) in RATES.into_iter().flat_map(|rate| [0.005, 0.02].map(|gap| (rate, gap))) {
        let mut live = LiveProps::new(grid.sector_size());
        for (lean, bearing) in [(67.6, 180.7), (95.1, -26.1)] {
            add_face(grid, &mut live, lean, bearing, |normal| {
                let foot = if normal.y < 0.0 { normal.y * body.height } else { 0.0 };
                let lowest = foot - normal.with_y(0.0).length() * body.radius;
                feet + normal * (lowest - SKIN - gap)
            });
        }
        let mut scene = Scene::with_body(grid, body);
        scene.settings = TickSettings::at_rate(rate as f32);
        let at = place(grid, (0, 0), feet.to_array());
        let unit = scene.spawn(at, Motion::Falling, Vec3::new(0.056, 0.0, -4.79), Wish::STAND);
        for tick in 0..rate as u32 / 2 {
            live.advance(scene.settings.dt).unwrap();
            scene.tick(ground.view().with_live(&live));
            let at = scene.local(unit);
            assert!(at.y <= feet.y, "{rate} Hz, {gap} m off, tick {tick}: {at}");
        }
    }
}
