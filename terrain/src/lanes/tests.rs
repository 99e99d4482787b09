//! Every operation of every backend gives the bits of the plain one, over special values and random ones.
#![allow(clippy::unwrap_used)]

use marchland_random::Random;

use super::*;

const FLOATS: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    0.999_999_94,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    8_388_607.5,
    -8_388_607.5,
    4_194_303.8,
    2_147_483_648.0,
    -2_147_483_648.0,
    16_777_216.0,
];

const INTS: [i32; 12] =
    [0, 1, -1, 2, 31, 32, 0xffff, 0x1_0000, i32::MAX, i32::MIN, i32::MAX - 1, -123_456_789];

/// What an operation does with two registers of numbers and two of whole numbers.
type Inputs = ([f32; LANES], [f32; LANES], [i32; LANES], [i32; LANES]);

/// Names and bits of all results.
struct All<'a>(&'a Inputs);

impl Kernel for All<'_> {
    type Output = Vec<(&'static str, Vec<u32>)>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let (a, b, m, n) = self.0;
        let (x, y) = (F32x16::load(lanes, a), F32x16::load(lanes, b));
        let (i, j) = (I32x16::load(lanes, m), I32x16::load(lanes, n));
        let real = |of: F32x16<L>| {
            of.array().map(|one| if one.is_nan() { 1 } else { one.to_bits() }).to_vec()
        };
        let whole = |of: I32x16<L>| of.array().map(|one| one as u32).to_vec();
        let mask = |of: Mask<L>| vec![u32::from(of.bits())];
        let wholes = |of: &[I32x16<L>]| {
            of.iter().flat_map(|one| one.array()).map(|one| one as u32).collect()
        };
        let bits = m[0] as u16;
        let lane = Mask::of_bits(lanes, bits);
        let column: Vec<i32> =
            (0..64).map(|at: i32| (at * 7).wrapping_sub(m[at as usize % LANES])).collect();
        let mut packed = vec![-7; 40];
        i.pack_at(bits, &mut packed, 11);
        let packed =
            packed[11..][..bits.count_ones() as usize].iter().map(|one| *one as u32).collect();
        let scale = a.map(|one| if one.abs() < 1e3 { f64::from(one) } else { 0.001 });
        let scaled = (i & I32x16::splat(lanes, 0x3fff_ffff)).scaled(&scale);
        vec![
            ("splat", real(F32x16::splat(lanes, a[0]))),
            ("add", real(x + y)),
            ("sub", real(x - y)),
            ("mul", real(x * y)),
            ("div", real(x / y)),
            ("sqrt", real(x.sqrt())),
            ("floor", real(x.floor())),
            ("abs", real(x.abs())),
            ("lt", mask(x.lt(y))),
            ("le", mask(x.le(y))),
            ("gt", mask(x.gt(y))),
            ("ge", mask(x.ge(y))),
            ("equals", mask(x.equals(y))),
            ("select", real(lane.select(x, y))),
            ("bits", whole(x.bits())),
            ("of_bits", real(i.of_bits())),
            ("truncate", whole(x.truncate())),
            ("splat_int", whole(I32x16::splat(lanes, m[0]))),
            ("order", whole(I32x16::order(lanes))),
            ("add_int", whole(i + j)),
            ("sub_int", whole(i - j)),
            ("mul_int", whole(i * j)),
            ("and", whole(i & j)),
            ("or", whole(i | j)),
            ("xor", whole(i ^ j)),
            ("up", whole(i.up(n[1] as u32 % 32))),
            ("down", whole(i.down(n[1] as u32 % 32))),
            ("equals_int", mask(i.equals(j))),
            ("gt_int", mask(i.gt(j))),
            ("le_unsigned", mask(i.le_unsigned(j))),
            ("is_zero", mask(i.is_zero())),
            ("is_negative", mask(i.is_negative())),
            ("select_int", whole(lane.select_int(i, j))),
            ("to_f32", real(i.to_f32())),
            ("scaled", whole(scaled)),
            ("both", mask(lane & x.lt(y))),
            ("either", mask(lane | x.lt(y))),
            ("not", mask(!lane)),
            ("window", whole(Window::load_at(lanes, &column, 5).look_up(i))),
            ("pack", packed),
            ("unpack", whole(I32x16::unpack_at(lanes, bits, &column, 3))),
            ("gather", whole(i.gather(&column, lane))),
            ("gather, near", whole((i & I32x16::splat(lanes, 127)).gather(&column, lane))),
            ("running_sum", whole(i.running_sum())),
            ("only", whole(i.only(lane))),
            ("unzip2", wholes(&I32x16::unzip2(lanes, &[*m, *n]))),
            ("unzip3", wholes(&I32x16::unzip3(lanes, &[*m, *n, *m]))),
            ("unzip4", wholes(&I32x16::unzip4(lanes, &[*m, *n, *n, *m]))),
            ("zip2", wholes(&I32x16::zip2([i, j]))),
            ("zip3", wholes(&I32x16::zip3([i, j, i - j]))),
            ("zip4", wholes(&I32x16::zip4([i, j, i - j, i + j]))),
        ]
    }
}

fn inputs(random: &mut Random) -> Inputs {
    let float = |random: &mut Random| match random.below(3) {
        0 => FLOATS[random.below(FLOATS.len() as u64) as usize],
        1 => f32::from_bits(random.bits() as u32),
        _ => random.between(-100.0, 100.0) as f32,
    };
    let int = |random: &mut Random| match random.below(3) {
        0 => INTS[random.below(INTS.len() as u64) as usize],
        1 => random.bits() as i32,
        _ => random.below(64) as i32,
    };
    (
        std::array::from_fn(|_| float(random)),
        std::array::from_fn(|_| float(random)),
        std::array::from_fn(|_| int(random)),
        std::array::from_fn(|_| int(random)),
    )
}

#[test]
fn every_operation_of_every_backend_gives_the_bits_of_the_plain_one() {
    let mut random = Random::new(7);
    let levels = Simd::ALL.into_iter().filter(|level| *level <= Simd::of_processor());
    for level in levels {
        for _ in 0..2000 {
            let inputs = inputs(&mut random);
            let expected = Simd::Plain.run(All(&inputs));
            for (found, expected) in level.run(All(&inputs)).iter().zip(&expected) {
                assert_eq!(found, expected, "{level:?} of {inputs:?}");
            }
        }
    }
}

#[test]
fn what_is_zipped_is_what_was_unzipped() {
    struct RoundTrip([[i32; LANES]; 4]);
    impl Kernel for RoundTrip {
        type Output = bool;

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> bool {
            let all = self.0;
            let back = |zipped: &[I32x16<L>]| {
                zipped.iter().zip(&all).all(|(one, was)| one.array() == *was)
            };
            let [two, three] = [[all[0], all[1], all[0]], [all[0], all[1], all[2]]];
            back(&I32x16::zip2(I32x16::unzip2(lanes, &[two[0], two[1]])))
                && back(&I32x16::zip3(I32x16::unzip3(lanes, &three)))
                && back(&I32x16::zip4(I32x16::unzip4(lanes, &all)))
        }
    }
    let all = std::array::from_fn(|part| std::array::from_fn(|lane| (part * LANES + lane) as i32));
    for level in Simd::ALL {
        assert!(level.run(RoundTrip(all)), "{level:?}");
    }
}
