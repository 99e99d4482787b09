//! How units go apart, and by how much they are pushed at most.

use marchland_controller::{
    Body, BodyBuilder, BodyId, Separation, SeparationSettings, Spawn, TickError, Units, Wish,
};
use marchland_terrain::Grid;
use marchland_terrain::glam::Vec3;
use proptest::prelude::*;

use crate::common::place;
use crate::{Crowd, DT, bits_of, ground, mixed, separation};

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
