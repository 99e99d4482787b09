//! Who is inside of something in the town is told so: the queries against a judge that shares only the trees
//! with them.

#![allow(clippy::unwrap_used)]

use marchland_random::Random;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::query::{ALL_LAYERS, Contacts, Cylinder};
use marchland_terrain::{PropId, SectorCoord, WorldPos};
use marchland_worlds::judge::{Culprit, Judge, JudgedBody};
use marchland_worlds::town::{LOW, Town};

const BODY: JudgedBody = JudgedBody { radius: 0.4, knee: 0.45, height: 1.8 };
/// What of it is judged, from the knee up.
const UPPER: Cylinder = Cylinder { radius: 0.4, height: 1.35 };

/// Metres along a sector.
const SIDE: f32 = 256.0;

fn around(random: &mut Random, place: Vec3) -> Vec3 {
    let most = 2.5;
    let mut off = |low| random.within(low, most);
    place + Vec3::new(off(-most), off(-1.5), off(-most))
}

/// Feet near things of the town; and where two triangles of one tilted edge once left the push to each
/// other: on ramps and a low wall.
fn places(town: &Town) -> Vec<(SectorCoord, Vec3)> {
    let mut random = Random::from_state(12_345);
    let mut places = vec![
        (SectorCoord::new(1, 0), Vec3::new(52.789_98, 0.243_417_74, -87.355_05)),
        (SectorCoord::new(1, 0), Vec3::new(15.243_888, -3.410_025_6, -16.036_97)),
    ];
    let placed = town.placements.props();
    for turn in 0..20_000 {
        let prop = &placed[turn * 7 % placed.len()];
        let owner = DVec3::new(f64::from(prop.sector.x), 0.0, f64::from(prop.sector.z));
        let origin = owner * f64::from(SIDE) + prop.position.as_dvec3();
        let at = around(&mut random, origin.as_vec3());
        let sector = |along: f32| ((along - LOW as f32) / SIDE).floor();
        let (x, z) = (sector(at.x), sector(at.z));
        if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&z) {
            let local = at - Vec3::new(x, 0.0, z) * SIDE;
            places.push((SectorCoord::new(x as i32, z as i32), local));
        }
    }
    places
}

#[test]
fn who_is_inside_of_something_in_the_town_is_told_so() {
    let town = Town::new().unwrap();
    let (view, size) = (town.sectors.view(), town.grid.sector_size());
    let mut judge = Judge::new();
    let mut contacts = Contacts::with_capacity(1024);
    let (mut deep, mut untold) = (0, 0);
    for (sector, local) in places(&town) {
        let feet = WorldPos::new(sector, local, size).unwrap();
        let verdict = judge.deepest(view, feet, BODY, ALL_LAYERS);
        if verdict.depth < 1e-3 {
            continue;
        }
        let knee = WorldPos::new(sector, local + Vec3::Y * BODY.knee, size).unwrap();
        if view.solids(ALL_LAYERS).overlap(UPPER, knee, &mut contacts).is_err() {
            continue; // over the rim of the town
        }
        deep += 1;
        assert!(!contacts.as_slice().is_empty(), "{verdict:?} at {local} in {sector}");
        let Culprit::Prop { prop, .. } = verdict.culprit else { continue };
        let of = |prop: PropId| contacts.as_slice().iter().any(|c| c.triangle.prop() == Some(prop));
        if !of(prop) {
            // Deep in a heap of flush crates, through a face that another one covers.
            assert!(verdict.depth > 0.4, "{verdict:?} at {local} in {sector}: {contacts:?}");
            untold += 1;
        }
    }
    assert!(deep > 5000, "{deep}");
    assert!(untold * 500 < deep, "{untold} of {deep}");
}
