use marchland_random::Random;
use proptest::prelude::*;

use super::*;

fn sizes() -> impl Strategy<Value = SectorSize> {
    (3_i32..=14).prop_map(|log2| SectorSize::new((1_u32 << log2) as f32).unwrap())
}

fn pos(x: f32, z: f32, size: SectorSize) -> WorldPos {
    WorldPos::new(SectorCoord::new(0, 0), Vec3::new(x, 0.0, z), size).unwrap()
}

#[test]
fn a_place_far_away_is_rounded_once_as_its_own_sector_sees_it() {
    let size = SectorSize::new(16_384.0).unwrap();
    let far = 100_000.0_f32;
    let moved = pos(0.1, -0.1, size).moved_by(Vec3::new(far, 0.0, -far), size).unwrap();
    let metres = f64::from(0.1_f32) + f64::from(far);
    assert_eq!(moved, WorldPos::from_metres(metres, 0.0, -metres, size).unwrap());
    // As near as `f32` comes, where the sum would first have been rounded to 1/128 m.
    assert_eq!(f64::from(moved.local().x), f64::from((metres - 6.0 * 16_384.0) as f32));
    assert_ne!(moved.local().x, (0.1 + far) - 6.0 * 16_384.0);
}

#[test]
fn a_million_crossings_of_borders_and_corners_lose_no_bit() {
    // A million crossings must not take proptest's bookkeeping.
    let mut random = Random::new(1);
    for crossing in 0..1_000_000_u32 {
        let size = SectorSize::new((8_u32 << (crossing % 12)) as f32).unwrap();
        let (side, half) = (size.metres(), size.half());
        // A place just outside, any distance up to a sector, on any side or corner.
        let out = |bits: u64| {
            let fraction = (bits & 0x00ff_ffff) as f32 / 16_777_216.0;
            let depth = fraction * side / (1_u32 << (bits >> 24 & 15)) as f32;
            match bits >> 40 & 3 {
                0 => half + depth,
                1 => -half - depth,
                _ => fraction * side - half,
            }
        };
        let (x, z) = (out(random.bits()), out(random.bits()));
        let there = pos(x, z, size);
        assert!(-half <= there.local().x && there.local().x < half);
        assert!(-half <= there.local().z && there.local().z < half);
        // Back in the first sector's frame: the same bits.
        let back_x = there.local().x + there.sector().x as f32 * side;
        let back_z = there.local().z + there.sector().z as f32 * side;
        assert_eq!(back_x.to_bits(), x.to_bits(), "x of {x} at {side}");
        assert_eq!(back_z.to_bits(), z.to_bits(), "z of {z} at {side}");
    }
}

#[test]
fn one_ulp_around_a_border_is_the_right_side_of_it() {
    for log2 in 3..=14 {
        let size = SectorSize::new((1_u32 << log2) as f32).unwrap();
        let half = size.half();
        assert_eq!(pos(half, 0.0, size).sector().x, 1);
        assert_eq!(pos(half, 0.0, size).local().x, -half);
        assert_eq!(pos(half.next_down(), 0.0, size).sector().x, 0);
        assert_eq!(pos(-half, 0.0, size).sector().x, 0);
        let below = pos((-half).next_down(), 0.0, size);
        assert_eq!(below.sector().x, -1);
        assert_eq!(below.local().x, (-half).next_down() + size.metres());
        assert!(below.local().x < half);
    }
}

#[test]
fn metres_that_round_up_to_a_border_belong_beyond_it() {
    for log2 in 3..=14 {
        let size = SectorSize::new((1_u32 << log2) as f32).unwrap();
        let half = f64::from(size.half());
        for sector in [-1_000_000.0, -1.0, 0.0, 1.0, 1_000_000.0] {
            let middle = sector * f64::from(size.metres());
            // Nearer to the border than half of the spacing of `f32` there.
            let below = WorldPos::from_metres(middle + half * (1.0 - 1e-9), 0.0, 0.0, size);
            assert_eq!(f64::from(below.unwrap().sector().x), sector + 1.0);
            assert_eq!(below.unwrap().local().x, -size.half());
            let nearest = WorldPos::from_metres((middle + half).next_down(), 0.0, 0.0, size);
            assert_eq!(nearest.unwrap(), below.unwrap());
            let clear = WorldPos::from_metres(middle + half * (1.0 - 1e-6), 0.0, 0.0, size);
            assert_eq!(f64::from(clear.unwrap().sector().x), sector);
        }
    }
}

#[test]
fn zero_is_never_negative() {
    let size = SectorSize::new(64.0).unwrap();
    let minus = Vec3::splat(-0.0);
    let (_, local) = canonical(SectorCoord::default(), minus, size).unwrap();
    for place in [
        local,
        WorldPos::new(SectorCoord::default(), minus, size).unwrap().local(),
        WorldPos::from_metres(-0.0, -0.0, -0.0, size).unwrap().local(),
        WorldPos::from_metres(-64.0, 0.0, 64.0, size).unwrap().local(),
    ] {
        assert_eq!(place.to_array().map(f32::to_bits), [0; 3]);
    }
}

#[test]
fn the_last_sectors_are_reached_and_not_passed() {
    let size = SectorSize::new(256.0).unwrap();
    let last = SectorCoord::new(i32::MAX, i32::MIN);
    let edge = WorldPos::new(last, Vec3::new(127.0, 0.0, -128.0), size).unwrap();
    assert_eq!(edge.sector(), last);
    assert!(matches!(
        WorldPos::new(last, Vec3::new(128.0, 0.0, 0.0), size),
        Err(PositionError::BeyondSectors { axis: 'x', .. })
    ));
    assert!(matches!(
        WorldPos::new(last, Vec3::new(0.0, 0.0, -128.1), size),
        Err(PositionError::BeyondSectors { axis: 'z', .. })
    ));
    let far = WorldPos::new(SectorCoord::new(i32::MIN, 0), Vec3::ZERO, size).unwrap();
    assert_eq!(edge.relative_to(far, size).x, (4_294_967_295.0 * 256.0 + 127.0) as f32);
}

#[test]
fn a_place_at_another_height_keeps_the_rest_to_the_bit() {
    let size = SectorSize::new(64.0).unwrap();
    let place = WorldPos::from_metres(1e6 + 0.3, 7.0, -31.7, size).unwrap();
    for y in [-0.0, 3.25, -1e30] {
        let there = place.at_height(y).unwrap();
        assert_eq!(there.sector(), place.sector());
        let expected = [place.local().x, y + 0.0, place.local().z];
        assert_eq!(there.local().to_array().map(f32::to_bits), expected.map(f32::to_bits));
    }
    for y in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(place.at_height(y), Err(PositionError::NotFinite { axis: 'y', .. })));
    }
}

#[test]
fn nothing_that_is_not_finite_gets_in() {
    let size = SectorSize::new(64.0).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut local = Vec3::ZERO;
            local[axis] = bad;
            assert!(matches!(
                WorldPos::new(SectorCoord::default(), local, size),
                Err(PositionError::NotFinite { .. })
            ));
            let m: Vec<f64> = local.to_array().map(f64::from).to_vec();
            assert!(WorldPos::from_metres(m[0], m[1], m[2], size).is_err());
        }
        assert!(canonical(SectorCoord::default(), Vec3::new(bad, 0.0, 0.0), size).is_err());
    }
    assert!(WorldPos::from_metres(0.0, 1e300, 0.0, size).is_err());
    assert!(WorldPos::from_metres(1e300, 0.0, 0.0, size).is_err());
}

#[test]
fn a_sector_size_is_a_power_of_two_within_limits() {
    for bad in [0.0, -8.0, 4.0, 12.0, 8.5, 32_768.0, f32::NAN, f32::INFINITY] {
        assert!(SectorSize::new(bad).is_err(), "{bad}");
    }
}

proptest! {
    #[test]
    fn metres_come_back_within_rounding_and_names_are_unique(
        size in sizes(), x in -1e9_f64..1e9, z in -1e9_f64..1e9, y in -1e4_f64..1e4,
    ) {
        let p = WorldPos::from_metres(x, y, z, size).unwrap();
        let half = size.half();
        prop_assert!(-half <= p.local().x && p.local().x < half);
        prop_assert!(-half <= p.local().z && p.local().z < half);
        let ulp = f64::from(size.metres()) / f64::from(1 << 25);
        let [bx, by, bz] = p.to_metres(size);
        prop_assert!((bx - x).abs() <= ulp && (bz - z).abs() <= ulp);
        prop_assert!((by - y).abs() <= 1e-3);
        // The same place named from a neighbouring sector is the same name.
        let west = SectorCoord::new(p.sector().x - 1, p.sector().z + 1);
        let shifted = p.local() + Vec3::new(size.metres(), 0.0, -size.metres());
        let exact = shifted.x - size.metres() == p.local().x
            && shifted.z + size.metres() == p.local().z;
        if exact {
            let again = WorldPos::new(west, shifted, size).unwrap();
            prop_assert_eq!(again, p);
        }
    }

    #[test]
    fn seen_from_any_sector_a_vector_is_the_same(
        size in sizes(), dx in -3.0_f32..3.0, dz in -3.0_f32..3.0,
        shift_x in -1_000_000_i32..1_000_000, shift_z in -1_000_000_i32..1_000_000,
    ) {
        let a = pos(0.1, -0.3, size);
        let b = pos(dx * size.metres(), dz * size.metres(), size);
        let moved = |p: WorldPos| WorldPos::new(
            p.sector().offset(shift_x, shift_z).unwrap(), p.local(), size).unwrap();
        let here = b.relative_to(a, size);
        let there = moved(b).relative_to(moved(a), size);
        prop_assert_eq!(here.to_array().map(f32::to_bits), there.to_array().map(f32::to_bits));
    }
}
