//! Baked props answer as one world, wherever sectors end: the same bits on a border as in the middle of a
//! sector, baked as live, for whatever is in memory beside.

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::Gathered;
use marchland_terrain::query::{ALL_LAYERS, Cylinder, Region, Sweep};

use super::baked_scene::{BODY, Baked, files, places};
use super::scene::Random;

fn offs() -> impl Iterator<Item = [i32; 2]> {
    [-8, 0, 8].into_iter().flat_map(|x| [-8, 0, 8].map(|z| [x, z])).chain([[7, -9], [-7, 6]])
}

#[test]
fn on_every_border_and_corner_answers_are_those_of_the_middle_of_a_sector() {
    let here = Baked::new(SectorCoord::new(0, 0), [0, 0]);
    let mut lines = 0;
    let expected: Vec<_> = places()
        .into_iter()
        .map(|(feet, motion)| here.answers(&here.solids(ALL_LAYERS), feet, motion))
        .inspect(|answers| lines += answers.iter().filter(|line| line.contains("prop")).count())
        .collect();
    assert!(lines > 500, "only {lines} answers are of props");
    for off in offs() {
        let there = Baked::new(SectorCoord::new(0, 0), off);
        for ((feet, motion), expected) in places().into_iter().zip(&expected) {
            let found = there.answers(&there.solids(ALL_LAYERS), feet, motion);
            assert_eq!(found, *expected, "{off:?}: {feet} by {motion}");
        }
    }
}

#[test]
fn far_from_the_origin_answers_are_the_same_to_the_bit() {
    for off in [[0, 0], [8, -8]] {
        let here = Baked::new(SectorCoord::new(0, 0), off);
        for middle in
            [SectorCoord::new(-1_000_000, 31), SectorCoord::new(i32::MAX - 2, i32::MIN + 2)]
        {
            let there = Baked::new(middle, off);
            for (feet, motion) in places() {
                let expected = here.answers(&here.solids(ALL_LAYERS), feet, motion);
                let found = there.answers(&there.solids(ALL_LAYERS), feet, motion);
                assert_eq!(found, expected, "{middle} {off:?}: {feet} by {motion}");
            }
        }
    }
}

#[test]
fn baked_props_answer_as_live_ones_at_the_same_place() {
    for off in [[0, 0], [8, 8], [-8, 3]] {
        let middle = SectorCoord::new(-5, 80);
        let (baked, live) = (Baked::new(middle, off), Baked::live(middle, off));
        for (feet, motion) in places() {
            for mask in [ALL_LAYERS, 0, 1, 2, 4 | 16, 8, 1 << 31] {
                let expected = baked.answers(&baked.solids(mask), feet, motion);
                let found = live.answers(&live.solids(mask), feet, motion);
                assert_eq!(found, expected, "mask {mask:b}, {off:?}: {feet} by {motion}");
                let seen = |line: &String| {
                    let layer = line.split("prop ").nth(1)?.split(' ').next()?.parse::<u32>();
                    layer.ok()
                };
                for layer in found.iter().filter_map(seen) {
                    assert!(layer & mask != 0, "{layer} is not in {mask:b}");
                }
            }
        }
    }
}

#[test]
fn each_triangle_is_met_once_by_bodies_that_span_sectors() {
    // `answers` refuses what comes twice.
    let (mut met, here) = (0, Baked::new(SectorCoord::new(3, 3), [0, 0]));
    let bodies = [(12.0, 4.0), (17.5, 1.0), (25.0, 6.0)];
    for (radius, height) in bodies {
        let body = Cylinder { radius, height };
        for off in [[8, 8], [-8, 0], [1, 2]] {
            let there = Baked::new(SectorCoord::new(3, 3), off);
            for (feet, motion) in places().into_iter().step_by(8) {
                let feet = feet + Vec3::Y;
                let expected = here.answers_of(body, &here.solids(!0), feet, motion);
                let found = there.answers_of(body, &there.solids(!0), feet, motion);
                met += found.len();
                // Ground ends elsewhere; props do not.
                let props = |lines: &[String]| -> Vec<String> {
                    let is_raw = |line: &&String| line.starts_with("contact prop");
                    lines.iter().filter(is_raw).cloned().collect()
                };
                assert_eq!(props(&found), props(&expected), "{body:?} at {feet}");
            }
        }
    }
    assert!(met > 5000, "{met}");
}

#[test]
fn a_gathered_region_over_borders_answers_as_the_world_does() {
    for off in [[8, 8], [-8, 0], [0, 0]] {
        let world = Baked::new(SectorCoord::new(9, -9), off);
        let (mut scratch, mut full) = (Gathered::with_capacity(8192), 0);
        for (feet, motion) in places() {
            let region = Region::around(BODY, world.at(feet), 3.0).unwrap();
            let solids = world.view().gather(&region, ALL_LAYERS, &mut scratch).unwrap();
            for aside in [Vec3::ZERO, Vec3::new(1.5, -0.25, -2.0)] {
                let (feet, motion) = (feet + aside, motion * 0.0625);
                let expected = world.answers(&world.solids(ALL_LAYERS), feet, motion);
                assert_eq!(world.answers(&solids, feet, motion), expected, "{off:?}: {feet}");
            }
            assert!(!scratch.is_overfull());
            full += usize::from(!scratch.is_empty());
        }
        assert!(full > 100, "{full}");
    }
}

#[test]
fn a_long_motion_aslant_finds_what_a_look_at_everything_finds() {
    let world = Baked::new(SectorCoord::new(9, -9), [8, 8]);
    let (mut scratch, mut hits) = (Gathered::with_capacity(1 << 16), 0);
    let mut random = Random::new(6);
    for (feet, motion) in places().into_iter().step_by(2) {
        let region = Region::around(BODY, world.at(feet), 20.0).unwrap();
        let gathered = world.view().gather(&region, ALL_LAYERS, &mut scratch).unwrap();
        for _ in 0..4 {
            // Nearly level, and long.
            let turned = Vec3::new(motion.z, 0.0, random.within(-16.0, 16.0));
            let motion = motion + turned * random.within(-0.5, 0.5);
            let way = Vec3::new(motion.x, random.within(-2.0, 0.5), motion.z);
            let at = world.at(feet + Vec3::Y * random.within(0.0, 2.0));
            let expected = gathered.sweep(BODY, at, way).unwrap();
            assert_eq!(world.solids(!0).sweep(BODY, at, way), Ok(expected), "{feet} by {way}");
            hits += usize::from(matches!(expected, Sweep::Hit(_)));
        }
        assert!(!scratch.is_overfull());
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn neither_the_order_of_loading_nor_other_sectors_change_an_answer() {
    let (middle, off) = (SectorCoord::new(2, 1), [8, -8]);
    let whole = Baked::new(middle, off);
    let mut order = files(middle, off);
    order.reverse();
    order.swap(3, 17);
    order.rotate_left(7);
    let mut other = Baked::from_files(middle, off, &order);
    for (feet, motion) in places() {
        let expected = whole.answers(&whole.solids(ALL_LAYERS), feet, motion);
        assert_eq!(other.answers(&other.solids(ALL_LAYERS), feet, motion), expected);
        // In and out of memory, but for what is asked of.
        let (ends, reach) = ([feet, feet + motion], BODY.radius + 0.01);
        for &sector in whole.spread.sectors.resident() {
            let (x, z) = ((sector.x - middle.x) as f32 * 16.0, (sector.z - middle.z) as f32 * 16.0);
            let (x, z) = (x - off[0] as f32, z - off[1] as f32);
            let apart = |low: f32, at: [f32; 2]| {
                at.iter().all(|at| at + reach < low - 8.0)
                    || at.iter().all(|at| at - reach > low + 8.0)
            };
            if apart(x, ends.map(|end| end.x)) || apart(z, ends.map(|end| end.z)) {
                other.sectors.unload(sector);
            }
        }
        assert_eq!(other.answers(&other.solids(ALL_LAYERS), feet, motion), expected, "{feet}");
        other.sectors = other.spread.sectors.clone();
    }
}
