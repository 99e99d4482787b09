//! The same bits as by every pair in turn, and whatever the chunks, the threads, the place and the slots.

use marchland_controller::{
    Body, Motion, Separation, SeparationSettings, Spawn, Switches, UnitId, Units, Wish,
};
use marchland_terrain::glam::Vec3;
use marchland_terrain::{Grid, TerrainView};

use crate::common::{Random, place};
use crate::{DT, MIXED, bits_of, crowd_of, ground, mixed, separation};

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
