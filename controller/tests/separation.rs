//! Units that stand in each other go apart: by the same bits however it is worked out, and never off
//! what they stand on.
#![allow(clippy::unwrap_used)]

mod common;

use common::props::{cuboid, put};
use common::{Random, Scene, endless, grid, height_at, place, solid, world};
use marchland_controller::{
    Body, BodyBuilder, BodyId, Motion, Separation, SeparationSettings, Spawn, Switches, TickError,
    UnitId, Units, Wish,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{
    CellKind, Grid, LiveProps, ResidentSectors, SectorCoord, TerrainView, WorldPos,
};
use proptest::prelude::*;

const DT: f32 = 1.0 / 60.0;

fn flat(_: i64, _: i64) -> f64 {
    0.0
}

fn separation() -> Separation {
    Separation::new(SeparationSettings::default()).unwrap()
}

/// Every pair, in one loop after the other: what pushes each slot, as the text of [`Separation`] and
/// nothing else says. For crowds without heaps, far from all that a push may not lead over.
fn by_every_pair(units: &Units, settings: &SeparationSettings, dt: f32) -> Vec<[f32; 2]> {
    let side = f64::from(units.sector_size().metres());
    let quanta = |sector: i32, local: f32| {
        (f64::from(sector) * side * 4096.0) as i64 + (f64::from(local) * 4096.0) as i64
    };
    let rate = if settings.rate * dt < 0.5 { settings.rate } else { 0.5 / dt };
    let ids: Vec<UnitId> = units.iter().collect();
    let walks = |id: &UnitId| units.motion(*id) == Some(Motion::Walking);
    let mut pushes = vec![[0.0; 2]; units.slots()];
    for one in ids.iter().filter(|id| walks(id)) {
        let at = |id: &UnitId| {
            let (slot, body) = (id.slot as usize, units.body(*id).unwrap());
            let (sector, local) = (units.sectors()[slot], units.locals()[slot]);
            let (x, z) = (quanta(sector.x, local.x), quanta(sector.z, local.z));
            (x, z, local.y, local.y + body.height(), body.radius() * 4096.0)
        };
        let (x, z, feet, top, radius) = at(one);
        let (mut sum, mut met) = ([0_i64; 2], 0);
        // From the last slot to the first: the other way round.
        for other in ids.iter().rev().filter(|id| walks(id) && *id != one) {
            let (other_x, other_z, other_feet, other_top, other_radius) = at(other);
            let (dx, dz) = ((x - other_x) as f32, (z - other_z) as f32);
            let (squared, reach) = (dx * dx + dz * dz, radius + other_radius);
            let touches = squared < reach * reach
                && feet < other_top
                && other_feet < top
                && radius <= 4.0 * other_radius;
            if touches {
                assert!(squared > 0.0, "this is not for units at one place");
                let distance = squared.sqrt();
                let weight = (reach - distance) * other_radius / (distance * reach);
                let sixteenths = |part: f32| (f64::from(part) * 16.0).round_ties_even() as i64;
                sum = [sum[0] + sixteenths(dx * weight), sum[1] + sixteenths(dz * weight)];
                met += 1;
            }
        }
        if met == 0 {
            continue;
        }
        let each = 2.0 * rate * (1.0 / 65_536.0) / (met + 1) as f32;
        let [x, z] = sum.map(|sum| sum as f32 * each);
        let squared = x * x + z * z;
        pushes[one.slot as usize] = if squared <= settings.rest * settings.rest {
            [0.0; 2]
        } else if squared <= settings.push_max * settings.push_max {
            [x, z]
        } else {
            let less = settings.push_max * 0.999_999 / squared.sqrt();
            [x * less, z * less]
        };
    }
    pushes
}

fn bits_of(velocity: [f32; 2]) -> [u32; 2] {
    velocity.map(|part| (part + 0.0).to_bits())
}

/// Bodies on several levels of the grid.
const MIXED: [f32; 6] = [0.4, 0.35, 0.45, 0.9, 2.5, 0.1];

fn mixed(grid: Grid, count: usize, home: (i32, i32)) -> Units {
    crowd_of(&MIXED, grid, count, home)
}

/// Units of bodies with these radii on level ground over borders of sectors; at three heights, some
/// falling, and with slots that were left.
fn crowd_of(radii: &[f32], grid: Grid, count: usize, home: (i32, i32)) -> Units {
    let mut units = Units::new(grid.sector_size());
    let body = |radius: &f32| BodyBuilder { radius: *radius, ..Body::builder() }.build().unwrap();
    let bodies: Vec<_> = radii.iter().map(|radius| units.add_body(body(radius)).unwrap()).collect();
    let mut random = Random::from_state(77);
    let mut ids = Vec::new();
    for unit in 0..count {
        let at = [random.within(-15.9, 15.9), 0.0, random.within(-15.9, 15.9)];
        // Metres 0 are the middle of the border between four sectors of 32 m.
        let (x, z) = (at[0] < 0.0, at[2] < 0.0);
        let shift = |low: bool, at: f32| if low { at + 16.0 } else { at - 16.0 };
        let y = [0.0, 0.0, 1.5, 40.0][unit % 4];
        let local = [shift(x, at[0]), y, shift(z, at[2])];
        let sector = (home.0 - i32::from(x), home.1 - i32::from(z));
        let body = bodies[[0, 0, 1, 2, 0, 3, 5, 0, 1, 4][unit % 10] % bodies.len()];
        let motion = if unit % 11 == 0 { Motion::Falling } else { Motion::Walking };
        let position = place(grid, sector, local);
        let spawn = Spawn { motion, ..Spawn::standing(position, body) };
        ids.push(units.spawn(spawn).unwrap());
    }
    for id in ids.iter().skip(5).step_by(13) {
        units.despawn(*id);
    }
    units
}

fn ground() -> (Grid, ResidentSectors) {
    let grid = grid(1.0, 32);
    (grid, endless(grid, &flat))
}

#[test]
fn every_pair_one_after_the_other_gives_the_same_bits() {
    // Bodies of several levels, one alone, and two of one level.
    for radii in [&MIXED[..], &[0.4], &[0.45, 0.3]] {
        for (count, rate, push_max) in [(600, 8.0, 1.5), (900, 30.0, 0.3), (150, 900.0, 50.0)] {
            let settings = SeparationSettings { rate, push_max, ..SeparationSettings::default() };
            assert_every_pair(radii, count, settings);
        }
    }
}

fn assert_every_pair(radii: &[f32], count: usize, settings: SeparationSettings) {
    let (grid, ground) = ground();
    let units = crowd_of(radii, grid, count, (3, -2));
    let wishes = vec![Wish::STAND; units.slots()];
    let mut separation = Separation::new(settings).unwrap();
    let asked = separation.push(ground.view(), &units, &wishes, DT).unwrap();
    let pushes = by_every_pair(&units, &settings, DT);
    let mut pushed = 0;
    for id in units.iter() {
        let slot = id.slot as usize;
        let push = pushes[slot];
        // At the borders a look at the ground below keeps those in the air from any push.
        let in_the_air = units.locals()[slot].y > 0.0 && asked[slot] == Wish::STAND;
        if !in_the_air {
            assert_eq!(bits_of(asked[slot].velocity()), bits_of(push), "{radii:?}: {id:?}");
        }
        pushed += usize::from(push != [0.0; 2]);
    }
    assert!(pushed > count / 10, "only {pushed} of {count} were pushed");
}

/// The bits of what units are asked, by slot.
fn asked(units: &Units, view: TerrainView<'_>, chunk_units: usize) -> Vec<[u32; 2]> {
    let switches = Switches { chunk_units, ..Switches::default() };
    let wishes: Vec<_> = (0..units.slots())
        .map(|slot| Wish::walk((slot % 3) as f32 - 1.0, (slot % 5) as f32 * 0.5))
        .collect();
    let mut separation = Separation::new(SeparationSettings::default()).unwrap();
    let asked = separation.push_with(&switches, view, units, &wishes, DT).unwrap();
    let pushed = asked.iter().zip(&wishes).filter(|(asked, wish)| asked != wish).count();
    assert!(pushed > units.len() / 4, "only {pushed} of {} were pushed", units.len());
    asked.iter().map(|wish| bits_of(wish.velocity())).collect()
}

/// Crowds, and a heap of 300 at one place.
fn heaps(grid: Grid, home: (i32, i32)) -> Units {
    let mut units = mixed(grid, 1500, home);
    let body = units.body_id(units.iter().next().unwrap()).unwrap();
    for unit in 0..300 {
        let local = [-3.0, 0.0, 7.0 + (unit % 3) as f32 * 0.05];
        units.spawn(Spawn::standing(place(grid, home, local), body)).unwrap();
    }
    units
}

#[test]
fn no_bit_depends_on_chunks_or_threads() {
    let (grid, ground) = ground();
    let units = heaps(grid, (0, 0));
    let one = |chunk: usize| asked(&units, ground.view(), chunk);
    let expected = one(100_000);
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for chunk in [0, 1, 7, 64, 1024] {
            assert!(
                pool.install(|| one(chunk)) == expected,
                "{threads} threads, chunks of {chunk}"
            );
        }
    }
}

#[test]
fn a_scene_shifted_by_whole_sectors_is_pushed_by_the_same_bits() {
    let (grid, ground) = ground();
    let here = asked(&heaps(grid, (0, 0)), ground.view(), 64);
    for home in [(1, 0), (-1_000_000, 77), (i32::MAX - 3, i32::MIN + 3)] {
        assert!(asked(&heaps(grid, home), ground.view(), 64) == here, "{home:?}");
    }
}

#[test]
fn a_unit_elsewhere_changes_nothing_though_32_bits_do_not_tell_it_apart() {
    let (grid, ground) = ground();
    let mut units = mixed(grid, 500, (0, 0));
    let expected = asked(&units, ground.view(), 64);
    let ids: Vec<_> = units.iter().collect();
    // 2³² quanta of 2⁻¹² m are 32768 sectors of 32 m.
    for &id in &ids {
        let (at, body) = (units.position(id).unwrap(), units.body_id(id).unwrap());
        let (sector, local) = (at.sector(), at.local() + Vec3::new(0.1, 0.0, 0.0));
        let local = if local.x < 16.0 { local } else { at.local() };
        let far = (sector.x + 32_768, sector.z - 32_768);
        units.spawn(Spawn::standing(place(grid, far, local.into()), body)).unwrap();
    }
    let with_far = asked(&units, ground.view(), 64);
    for slot in ids.iter().map(|id| id.slot as usize) {
        assert_eq!(with_far[slot], expected[slot], "slot {slot}");
    }
}

#[test]
fn slots_say_nothing_of_places() {
    let (grid, ground) = ground();
    let mut units = Units::new(grid.sector_size());
    let body = units.add_body(Body::default()).unwrap();
    let mut random = Random::from_state(9);
    let places: Vec<_> = (0..400)
        .map(|_| [random.within(-8.0, 8.0), 0.0, random.within(-8.0, 8.0)])
        .map(|local| place(grid, (0, 0), local))
        .collect();
    let mut backwards = units.clone();
    for (from, to) in places.iter().zip(places.iter().rev()) {
        units.spawn(Spawn::standing(*from, body)).unwrap();
        backwards.spawn(Spawn::standing(*to, body)).unwrap();
    }
    let wishes = vec![Wish::STAND; 400];
    let (mut one, mut other) = (separation(), separation());
    let one = one.push(ground.view(), &units, &wishes, DT).unwrap();
    let other = other.push(ground.view(), &backwards, &wishes, DT).unwrap();
    for (one, other) in one.iter().zip(other.iter().rev()) {
        assert_eq!(bits_of(one.velocity()), bits_of(other.velocity()));
    }
    assert!(one.iter().filter(|wish| **wish != Wish::STAND).count() > 300);
}

/// Ticks with pushes.
struct Crowd {
    scene: Scene,
    separation: Separation,
}

impl Crowd {
    fn new(grid: Grid) -> Self {
        Self { scene: Scene::new(grid), separation: separation() }
    }

    fn tick(&mut self, view: TerrainView<'_>) {
        let Scene { units, wishes, batch, settings, .. } = &mut self.scene;
        let asked = self.separation.push(view, units, wishes, settings.dt).unwrap();
        batch.tick(view, units, asked, settings).unwrap();
    }

    /// The deepest overlap of two units, as if all were at one height. Metres.
    fn deepest(&self) -> f32 {
        let units = &self.scene.units;
        let ids: Vec<_> = units.iter().collect();
        let mut deepest = 0.0;
        for (index, a) in ids.iter().enumerate() {
            for b in &ids[..index] {
                let (at, seen) = (units.position(*a).unwrap(), units.position(*b).unwrap());
                let way = at.relative_to(seen, units.sector_size());
                let reach = units.body(*a).unwrap().radius() + units.body(*b).unwrap().radius();
                let depth = reach - (way.x * way.x + way.z * way.z).sqrt();
                deepest = if depth > deepest { depth } else { deepest };
            }
        }
        deepest
    }
}

#[test]
fn a_heap_at_one_point_spreads_and_then_rests_bit_by_bit() {
    let (grid, ground) = ground();
    let view = ground.view();
    for (count, limit) in [(2, 0.0051), (3, 0.011), (200, 0.16)] {
        let mut crowd = Crowd::new(grid);
        for _ in 0..count {
            // The corner of four sectors.
            crowd.scene.walker(view, place(grid, (1, 1), [-16.0, 0.0, -16.0]), Wish::STAND);
        }
        let mut rested = 0;
        for tick in 0..3000 {
            let before = crowd.scene.units.state_hash();
            crowd.tick(view);
            rested = if crowd.scene.units.state_hash() == before { rested + 1 } else { 0 };
            if rested == 100 {
                println!("{count} rest after {} ticks, {} m deep", tick - 99, crowd.deepest());
                break;
            }
        }
        assert_eq!(rested, 100, "{count} never rest, overlap {}", crowd.deepest());
        assert!(crowd.deepest() < limit, "{count} rest {} m deep", crowd.deepest());
    }
}

#[test]
fn who_walks_head_on_passes_and_goes_on_as_before() {
    let (grid, ground) = ground();
    let view = ground.view();
    let mut crowd = Crowd::new(grid);
    let east =
        crowd.scene.walker(view, place(grid, (0, 0), [-3.0, 0.0, 1.0]), Wish::walk(2.0, 0.0));
    let west =
        crowd.scene.walker(view, place(grid, (0, 0), [3.0, 0.0, 1.0]), Wish::walk(-2.0, 0.0));
    for _ in 0..300 {
        crowd.tick(view);
    }
    let (a, b) = (crowd.scene.local(east), crowd.scene.local(west));
    assert!(a.x > 3.0 && b.x < -3.0, "{a} {b}");
    // Each to its right: +z for who goes along +x.
    assert!(a.z > 1.05 && b.z < 0.95, "{a} {b}");
    assert_eq!(crowd.scene.units.velocity(east).unwrap(), Vec3::new(2.0, 0.0, 0.0));
}

#[test]
fn the_wider_yields_less_and_the_tiny_do_not_push_at_all() {
    let (grid, ground) = ground();
    for (small, wide_moves) in [(0.3, true), (0.2, false)] {
        let mut units = Units::new(grid.sector_size());
        let bodies = [1.0, small].map(|radius| {
            let body = BodyBuilder { radius, ..Body::builder() }.build().unwrap();
            units.add_body(body).unwrap()
        });
        for (body, x) in bodies.into_iter().zip([0.0, 0.5]) {
            units.spawn(Spawn::standing(place(grid, (0, 0), [x, 0.0, 0.0]), body)).unwrap();
        }
        let mut separation = separation();
        let asked =
            separation.push(ground.view(), &units, &[Wish::STAND; 2], 0.25).unwrap().to_vec();
        let [wide, small] = [0, 1].map(|slot| asked[slot].velocity()[0]);
        assert!(small > 0.1, "{asked:?}");
        assert_eq!(wide < 0.0, wide_moves, "{asked:?}");
        assert!(wide.abs() < small * 0.5, "{asked:?}");
    }
}

/// A platform of level ground at 0, 24 m wide, with a cliff, a pit of holes, walls and a prop that
/// stands out over the edge.
fn fortress(grid: Grid) -> ResidentSectors {
    // Samples are metres from −32: ground between 20 and 44, a wall at its west and its north, a cliff
    // of 8 m at its east and its south.
    let height = |column: i64, row: i64| {
        if column < 20 || row < 20 {
            6.0
        } else if column > 44 || row > 44 {
            -8.0
        } else {
            0.0
        }
    };
    let kind = |column: i64, row: i64| {
        let pit = (28..31).contains(&column) && (28..31).contains(&row);
        if pit { CellKind::Hole } else { CellKind::Solid }
    };
    world(grid, (0, 1), &height, &kind)
}

/// Whether a unit stands on the fortress's level ground, at a place counted from its low corner.
fn assert_stands(crowd: &Crowd, view: TerrainView<'_>, id: UnitId, tick: u32) {
    let units = &crowd.scene.units;
    let at = units.position(id).unwrap();
    let [x, y, z] = at.to_metres(units.sector_size()).map(|metres| metres as f32);
    let (x, z) = (x + 16.0, z + 16.0);
    let what = format!("tick {tick}: {id:?} at {x} {y} {z}, {:?}", units.motion(id));
    assert_eq!(units.motion(id), Some(Motion::Walking), "{what}");
    assert_eq!(y, 0.0, "{what}");
    assert_eq!(height_at(view, at), Some(0.0), "{what}");
    assert!((20.0..=44.0).contains(&x) && (20.0..=44.0).contains(&z), "{what}");
    // Not in the walls: those begin half a cell before the sample, and the radius keeps off more.
    assert!(x > 20.0 && z > 20.0, "{what}");
}

#[test]
fn a_crowd_is_never_pushed_off_a_ledge_into_a_hole_or_a_wall() {
    let grid = grid(1.0, 32);
    let ground = fortress(grid);
    let view = ground.view();
    let size = grid.sector_size();
    let mut random = Random::from_state(21);
    // Far more than there is room for, around the pit and at the edges; some press into the corner of
    // the walls.
    let corners = [(22.0, 22.0), (43.0, 43.0), (27.0, 29.5), (43.5, 30.0)];
    for (corner, (x, z)) in corners.into_iter().enumerate() {
        let mut crowd = Crowd::new(grid);
        let mut ids = Vec::new();
        while ids.len() < 500 {
            let [x, z] = [x, z].map(|at| f64::from(at + random.within(-4.0, 4.0)));
            let hole = (27.5..31.5).contains(&x) && (27.5..31.5).contains(&z);
            let inside = |at: f64| (20.5..43.9).contains(&at);
            if hole || !inside(x) || !inside(z) {
                continue;
            }
            let at = WorldPos::from_metres(x - 16.0, 0.0, z - 16.0, size).unwrap();
            let wish = if corner == 0 { Wish::walk(-2.0, -1.5) } else { Wish::STAND };
            ids.push(crowd.scene.walker(view, at, wish));
        }
        for tick in 0..240 {
            crowd.tick(view);
            for id in &ids {
                assert_stands(&crowd, view, *id, tick);
            }
        }
        crowd.scene.assert_sound(view);
    }
}

#[test]
fn nobody_is_pushed_off_a_bridge_nor_by_those_below_it() {
    let grid = grid(1.0, 32);
    let ground = endless(grid, &flat);
    let mut live = LiveProps::new(grid.sector_size());
    put(&mut live, &cuboid([20.0, 4.0, 2.0]), place(grid, (0, 0), [0.0; 3]));
    let view = ground.view().with_live(&live);
    let mut crowd = Crowd::new(grid);
    let mut random = Random::from_state(4);
    let mut above = Vec::new();
    for _ in 0..60 {
        let at = [random.within(-5.0, 5.0), 4.0, random.within(-0.6, 0.6)];
        let at = place(grid, (0, 0), at);
        above.push(crowd.scene.spawn(at, Motion::Walking, Vec3::ZERO, Wish::STAND));
    }
    let alone = crowd.scene.walker(view, place(grid, (0, 0), [0.0, 0.0, 6.0]), Wish::STAND);
    let before = common::bits(&crowd.scene, alone);
    for tick in 0..400 {
        crowd.tick(view);
        for id in &above {
            let local = crowd.scene.local(*id);
            assert!(local.y == 4.0 && local.z.abs() <= 1.4, "tick {tick}: {id:?} at {local}");
        }
    }
    assert_eq!(common::bits(&crowd.scene, alone), before);
    // One in the middle above another's head.
    let mut units = Units::new(grid.sector_size());
    let body = units.add_body(Body::default()).unwrap();
    for (x, y) in [(0.0, 0.0), (0.1, 1.8)] {
        units.spawn(Spawn::standing(place(grid, (0, 0), [x, y, 0.0]), body)).unwrap();
    }
    let mut separation = separation();
    let asked = separation.push(ground.view(), &units, &[Wish::STAND; 2], DT).unwrap();
    assert_eq!(asked, [Wish::STAND; 2]);
}

#[test]
fn nobody_is_held_because_of_a_push() {
    let grid = grid(1.0, 32);
    let mut ground = world(grid, (0, 0), &flat, &solid);
    ground.unload(SectorCoord::new(1, 0));
    let view = ground.view();
    let mut crowd = Crowd::new(grid);
    for _ in 0..12 {
        // As near to the border as a body may be that touches nothing beyond it.
        crowd.scene.walker(view, place(grid, (0, 0), [15.58, 0.0, 2.0]), Wish::STAND);
    }
    for _ in 0..600 {
        crowd.tick(view);
        let held = crowd.scene.batch.report().held();
        assert!(held.is_empty(), "{held:?} at {}", crowd.scene.local(held[0]));
    }
    // They went along the border and away from it.
    assert!(crowd.deepest() < 0.4, "{}", crowd.deepest());
}

#[test]
fn wrong_settings_and_slices_are_refused() {
    for bad in [f32::NAN, f32::INFINITY, -1.0, 1e9] {
        let default = SeparationSettings::default();
        for settings in [
            SeparationSettings { rate: bad, ..default },
            SeparationSettings { push_max: bad, ..default },
            SeparationSettings { rest: bad, ..default },
        ] {
            assert!(Separation::new(settings).is_err(), "{settings:?}");
        }
    }
    let (grid, ground) = ground();
    let units = mixed(grid, 20, (0, 0));
    let wishes = vec![Wish::STAND; units.slots()];
    let mut separation = separation();
    let mut push = |wishes: &[Wish], dt| separation.push(ground.view(), &units, wishes, dt).err();
    assert!(matches!(push(&wishes[1..], DT), Some(TickError::Wishes { .. })));
    assert!(matches!(push(&wishes, f32::NAN), Some(TickError::Dt { .. })));
    assert!(push(&wishes, 0.0).is_none());
    let other = Units::new(marchland_terrain::SectorSize::new(64.0).unwrap());
    let wrong = separation.push(ground.view(), &other, &[], DT);
    assert!(matches!(wrong, Err(TickError::SectorSize { .. })));
}

fn spawn_all(units: &mut Units, grid: Grid, bodies: &[BodyId], places: &[(f32, f32, usize)]) {
    for &(x, z, body) in places {
        let at = place(grid, (0, 0), [x, 0.0, z]);
        units.spawn(Spawn::standing(at, bodies[body % bodies.len()])).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn pushes_are_numbers_and_within_the_limit(
        places in prop::collection::vec((-3.0_f32..3.0, -3.0_f32..3.0, 0_usize..4), 2..120),
        radii in prop::array::uniform4(0.01_f32..64.0),
        wish in prop::array::uniform2(prop_oneof![
            Just(0.0), Just(f32::NAN), Just(8192.0), Just(-1e38), Just(1e-40), -9.0_f32..9.0,
        ]),
        (rate, push_max, dt) in (0.0_f32..1000.0, 0.0_f32..64.0, 1e-6_f32..0.25),
        squeezed in any::<bool>(),
    ) {
        let (grid, ground) = ground();
        let settings = SeparationSettings { rate, push_max, ..SeparationSettings::default() };
        let mut units = Units::new(grid.sector_size());
        let bodies = radii.map(|radius| {
            let body = BodyBuilder { radius, ..Body::builder() }.build().unwrap();
            units.add_body(body).unwrap()
        });
        let places: Vec<_> = places
            .into_iter()
            .map(|(x, z, body)| if squeezed { (x * 1e-4, z * 1e-4, body) } else { (x, z, body) })
            .collect();
        spawn_all(&mut units, grid, &bodies, &places);
        let wish = Wish::STAND.at_velocity(wish);
        let wishes = vec![wish; units.slots()];
        let mut separation = Separation::new(settings).unwrap();
        for asked in separation.push(ground.view(), &units, &wishes, dt).unwrap() {
            if !wish.is_valid() {
                prop_assert_eq!(bits_of(asked.velocity()), bits_of(wish.velocity()));
                continue;
            }
            prop_assert!(asked.is_valid(), "{:?}", asked);
            let [x, z] = [0, 1].map(|axis| {
                f64::from(asked.velocity()[axis]) - f64::from(wish.velocity()[axis])
            });
            // A sum of wish and push is rounded to what an f32 of that size can say.
            let rounding = 1e-6 * (f64::from(wish.velocity()[0]).abs() + f64::from(wish.velocity()[1]).abs());
            prop_assert!((x * x + z * z).sqrt() <= f64::from(push_max) + rounding, "{} {}", x, z);
        }
    }
}
