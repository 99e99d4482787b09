//! The same scene answers the same, to the bit, wherever it stands and however it is asked.

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::{BlockPool, Gathered};
use marchland_terrain::query::{
    ALL_LAYERS, Contacts, Cylinder, Region, Solids, SupportBy, TriangleId,
};
use marchland_terrain::{PropId, SectorCoord};

use super::scene::{Random, Scene, Vectors, block, sheet};

fn scene(middle: SectorCoord) -> Scene {
    let mut random = Random::new(3);
    let mut scene =
        Scene::new(middle, |x, z| 0.3 * x + ((x * 7.0 + z * 3.0) as i64 % 5) as f64 * 0.1);
    for _ in 0..40 {
        let size =
            Vec3::new(random.within(0.3, 2.0), random.within(0.3, 2.0), random.within(0.3, 2.0));
        let degrees = [0, 1, 2].map(|_| f64::from(random.within(-180.0, 180.0)));
        let mut at = random.vector(20.0);
        at.y = at.x * 0.3 + random.within(-1.0, 3.0);
        scene.put(&block(-size, size), at, degrees);
    }
    scene.put(&sheet(6, 5, &mut random), Vec3::new(5.5, 2.0, 6.0), [30.0, 10.0, 0.0]);
    scene
}

/// All answers at a place, with triangles named without their sectors.
fn answers(solids: &Solids<'_>, scene: &Scene, feet: Vec3, motion: Vec3) -> String {
    let body = Cylinder { radius: 0.4, height: 1.8 };
    let at = scene.at(feet);
    let name = |triangle: TriangleId| match triangle {
        TriangleId::Terrain { sector, triangle } => {
            let (x, z) = (sector.x - scene.middle.x, sector.z - scene.middle.z);
            format!("ground {x} {z} {triangle}")
        }
        TriangleId::Prop { prop: PropId::Live { slot, .. }, triangle } => {
            format!("prop {slot} {triangle}")
        }
        TriangleId::Prop { prop, triangle } => format!("{prop:?} {triangle}"),
    };
    let support = solids.support(body, at, -5.0, 5.0, SupportBy::All).unwrap();
    let mut contacts = Contacts::with_capacity(64);
    solids.overlap(body, at, &mut contacts).unwrap();
    let swept = solids.sweep(body, at, motion).unwrap();
    let ceiling = solids.ceiling(body, at, 10.0).unwrap();
    let bits = |v: Vec3| v.to_array().map(f32::to_bits);
    let mut text = String::new();
    if let Some(found) = support {
        text +=
            &format!("{:?} {:?} {}\n", bits(found.point), bits(found.normal), name(found.triangle));
    }
    for contact in contacts.as_slice() {
        let depth = contact.depth.to_bits();
        text += &format!("{:?} {depth} {}\n", bits(contact.normal), name(contact.triangle));
    }
    match swept {
        marchland_terrain::query::Sweep::Hit(hit) => {
            text += &format!(
                "{:x} {:?} {}\n",
                hit.time.to_bits(),
                bits(hit.normal),
                name(hit.triangle)
            );
        }
        other => {
            text += if matches!(other, marchland_terrain::query::Sweep::Free) {
                "free\n"
            } else {
                "in\n"
            }
        }
    }
    if let Some(ceiling) = ceiling {
        text += &format!("{} {}\n", ceiling.clearance.to_bits(), name(ceiling.triangle));
    }
    text
}

fn places() -> impl Iterator<Item = (Vec3, Vec3)> {
    let mut random = Random::new(4);
    (0..2000).map(move |_| {
        let mut feet = random.vector(14.0);
        feet.y = feet.x * 0.3 + random.within(-1.0, 3.0);
        (feet, random.vector(6.0))
    })
}

#[test]
fn answers_are_the_same_to_the_bit_in_any_sector_of_the_world() {
    let here = scene(SectorCoord::new(0, 0));
    for far in [SectorCoord::new(-1_000_000, 7), SectorCoord::new(i32::MAX - 2, i32::MIN + 2)] {
        let there = scene(far);
        for (feet, motion) in places() {
            let (a, b) = (here.view().solids(ALL_LAYERS), there.view().solids(ALL_LAYERS));
            assert_eq!(
                answers(&a, &here, feet, motion),
                answers(&b, &there, feet, motion),
                "{feet}"
            );
        }
    }
}

#[test]
fn gathered_triangles_answer_as_the_world_does_to_the_bit() {
    let scene = scene(SectorCoord::new(5, 5));
    let body = Cylinder { radius: 0.4, height: 1.8 };
    let mut scratch = Gathered::with_capacity(4096);
    let mut small = Gathered::with_capacity(6);
    let mut overfull = 0;
    for (at, motion) in places() {
        let region = Region::around(body, scene.at(at), 2.0).unwrap();
        let view = scene.view();
        for scratch in [&mut scratch, &mut small] {
            let solids = view.gather(&region, ALL_LAYERS, scratch).unwrap();
            for off in [Vec3::ZERO, Vec3::new(1.3, -0.7, -1.9), Vec3::new(5.0, 0.0, 0.0)] {
                assert_eq!(
                    answers(&solids, &scene, at + off, motion * 0.2),
                    answers(&view.solids(ALL_LAYERS), &scene, at + off, motion * 0.2),
                );
            }
        }
        overfull += usize::from(small.is_overfull());
        assert!(!scratch.is_overfull());
    }
    assert!(overfull > 1000);
}

#[test]
fn what_is_gathered_in_addition_fits_wherever_it_would_alone() {
    let scene = scene(SectorCoord::new(5, 5));
    let view = scene.view();
    let body = Cylinder { radius: 0.4, height: 1.8 };
    let (mut more, mut alone) = (Gathered::with_capacity(24), Gathered::with_capacity(24));
    let mut seen = [0, 0];
    for (at, motion) in places() {
        // Wide, in that, and beside it.
        for (off, margin) in [(Vec3::ZERO, 2.0), (motion * 0.1, 0.5), (motion * 0.3, 0.5)] {
            let region = Region::around(body, scene.at(at + off), margin).unwrap();
            let solids = view.gather_more(&region, ALL_LAYERS, &mut more);
            assert_eq!(
                answers(&solids, &scene, at + off, motion * 0.02),
                answers(&view.solids(ALL_LAYERS), &scene, at + off, motion * 0.02),
            );
            view.gather(&region, ALL_LAYERS, &mut alone).unwrap();
            assert_eq!(more.is_overfull(), alone.is_overfull(), "{at} {off} {margin}");
            seen[usize::from(alone.is_overfull())] += 1;
        }
    }
    assert!(seen.iter().all(|seen| *seen > 300), "{seen:?}");
}

#[test]
fn ground_that_does_not_fit_leaves_the_props_as_they_are() {
    let scene = scene(SectorCoord::new(5, 5));
    let view = scene.view();
    let body = Cylinder { radius: 0.4, height: 1.8 };
    for room in [12, 24, 48] {
        let mut gathered = Gathered::with_capacity(room);
        for (at, motion) in places() {
            let region = Region::around(body, scene.at(at), 2.0).unwrap();
            view.gather(&region, ALL_LAYERS, &mut gathered).unwrap();
            // As often as it is asked for.
            for _ in 0..2 {
                gathered.keep_ground(view, true);
                let solids = view.solids_with(ALL_LAYERS, &gathered);
                assert_eq!(
                    answers(&solids, &scene, at, motion * 0.2),
                    answers(&view.solids(ALL_LAYERS), &scene, at, motion * 0.2),
                );
            }
            gathered.keep_ground(view, false);
        }
    }
}

#[test]
fn who_shares_room_answers_the_same_and_gives_back_all_of_it() {
    let scene = scene(SectorCoord::new(5, 5));
    let view = scene.view();
    let body = Cylinder { radius: 0.4, height: 1.8 };
    let room = BlockPool::default();
    room.reserve(96);
    let mut each = [(); 3].map(|()| Gathered::sharing(&room, 512));
    let (mut overfull, mut fitted) = (0, 0);
    for (number, (at, motion)) in places().enumerate() {
        let gathered = &mut each[number % 3];
        let region = Region::around(body, scene.at(at), 2.0).unwrap();
        let solids = view.gather(&region, ALL_LAYERS, gathered).unwrap();
        assert_eq!(
            answers(&solids, &scene, at, motion * 0.2),
            answers(&view.solids(ALL_LAYERS), &scene, at, motion * 0.2),
        );
        fitted += usize::from(!gathered.is_overfull() && !gathered.is_empty());
        if !gathered.is_overfull() {
            continue;
        }
        overfull += 1;
        assert!(room.is_scarce());
        each.iter_mut().for_each(Gathered::give_back);
        assert_eq!(format!("{room:?}"), "BlockPool { free: 3, blocks: 3 }");
    }
    assert!(overfull > 100 && fitted > 100, "{overfull} {fitted}");
}

/// FNV-1a (Fowler, Noll, Vo) of all answers in a scene.
const ANSWERS_HASH: u64 = 0x475f_9e5e_883e_cfba;

#[test]
fn answers_are_the_same_bits_on_every_machine() {
    let scene = scene(SectorCoord::new(12, -7));
    let solids = scene.view().solids(ALL_LAYERS);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (feet, motion) in places() {
        for byte in answers(&solids, &scene, feet, motion).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(
        hash, ANSWERS_HASH,
        "got {hash:#018x}; if answers were meant to change, say so in CHANGELOG.md"
    );
}
