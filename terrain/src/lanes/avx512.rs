//! AVX-512: sixteen numbers are one register, a mask is one of the processor's own.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::backend::{Kernel, LANES, Lanes};
use super::each::each;
use super::plain::WHOLE;

/// Exists only where the processor has AVX-512 with the parts F, BW, DQ and VL.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

impl Avx512 {
    /// The backend, if it may run here.
    pub(super) fn detect() -> Option<Self> {
        let is_here = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("popcnt");
        is_here.then_some(Self(()))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
fn compiled<K: Kernel>(lanes: Avx512, kernel: K) -> K::Output {
    kernel.run(lanes)
}

/// Functions of the backend that are an expression of intrinsics.
macro_rules! operations {
    ($(fn $name:ident($($arg:ident: $of:ty),*) $(-> $to:ty)? { $body:expr })*) => {
        $(
            #[inline(always)]
            #[allow(unused_unsafe, reason = "some are plain numbers")]
            fn $name(self, $($arg: $of),*) $(-> $to)? {
                // SAFETY: `self` exists, so the processor has these instructions; what is read and written
                // lies in arrays of the size of a register.
                unsafe { $body }
            }
        )*
    };
}

type F = __m512;
type I = __m512i;
type M = __mmask16;

impl Lanes for Avx512 {
    type F32 = F;
    type I32 = I;
    type Mask = M;
    type Window = [I; 2];

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: `self` exists, so the processor has what the function needs; its body is safe code.
        unsafe { compiled(self, kernel) }
    }

    operations! {
        fn splat(value: f32) -> F { _mm512_set1_ps(value) }
        fn load(from: &[f32; LANES]) -> F { _mm512_loadu_ps(from.as_ptr()) }
        fn store(value: F, to: &mut [f32; LANES]) { _mm512_storeu_ps(to.as_mut_ptr(), value) }
        fn add(a: F, b: F) -> F { _mm512_add_ps(a, b) }
        fn sub(a: F, b: F) -> F { _mm512_sub_ps(a, b) }
        fn mul(a: F, b: F) -> F { _mm512_mul_ps(a, b) }
        fn div(a: F, b: F) -> F { _mm512_div_ps(a, b) }
        fn sqrt(a: F) -> F { _mm512_sqrt_ps(a) }
        fn floor(a: F) -> F {
            _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a)
        }
        fn lt(a: F, b: F) -> M { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b) }
        fn le(a: F, b: F) -> M { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b) }
        fn eq(a: F, b: F) -> M { _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b) }
        fn select(mask: M, yes: F, no: F) -> F { _mm512_mask_mov_ps(no, mask, yes) }
        fn bits(a: F) -> I { _mm512_castps_si512(a) }
        fn of_bits(a: I) -> F { _mm512_castsi512_ps(a) }
        fn truncate(a: F) -> I { _mm512_cvttps_epi32(a) }

        fn splat_int(value: i32) -> I { _mm512_set1_epi32(value) }
        fn load_int(from: &[i32; LANES]) -> I { _mm512_loadu_si512(from.as_ptr().cast()) }
        fn store_int(value: I, to: &mut [i32; LANES]) {
            _mm512_storeu_si512(to.as_mut_ptr().cast(), value)
        }
        fn add_int(a: I, b: I) -> I { _mm512_add_epi32(a, b) }
        fn sub_int(a: I, b: I) -> I { _mm512_sub_epi32(a, b) }
        fn mul_int(a: I, b: I) -> I { _mm512_mullo_epi32(a, b) }
        fn and(a: I, b: I) -> I { _mm512_and_si512(a, b) }
        fn or(a: I, b: I) -> I { _mm512_or_si512(a, b) }
        fn xor(a: I, b: I) -> I { _mm512_xor_si512(a, b) }
        fn up(a: I, bits: u32) -> I { _mm512_sll_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
        fn down(a: I, bits: u32) -> I { _mm512_srl_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
        fn eq_int(a: I, b: I) -> M { _mm512_cmpeq_epi32_mask(a, b) }
        fn gt_int(a: I, b: I) -> M { _mm512_cmpgt_epi32_mask(a, b) }
        fn le_unsigned(a: I, b: I) -> M { _mm512_cmple_epu32_mask(a, b) }
        fn select_int(mask: M, yes: I, no: I) -> I { _mm512_mask_mov_epi32(no, mask, yes) }
        fn to_f32(a: I) -> F { _mm512_cvtepi32_ps(a) }
        fn scaled(a: I, scale: &[f64; LANES]) -> I {{
            let low = (_mm512_castsi512_si256(a), scale.as_ptr());
            let high = (_mm512_extracti64x4_epi64::<1>(a), scale[8..].as_ptr());
            let [low, high] = each!([low, high], |(half, scale)| {
                let product = _mm512_mul_pd(_mm512_cvtepi32_pd(half), _mm512_loadu_pd(scale));
                let whole = _mm512_add_pd(product, _mm512_set1_pd(WHOLE));
                _mm512_cvtepi64_epi32(_mm512_castpd_si512(whole))
            });
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }}

        fn both(a: M, b: M) -> M { a & b }
        fn either(a: M, b: M) -> M { a | b }
        fn not(a: M) -> M { !a }
        fn mask_bits(a: M) -> u16 { a }
        fn of_mask_bits(bits: u16) -> M { bits }
        fn negative(a: I) -> M { _mm512_movepi32_mask(a) }

        fn window(from: &[i32; 2 * LANES]) -> [I; 2] {
            each!([0, LANES], |at| _mm512_loadu_si512(from[at..][..LANES].as_ptr().cast()))
        }
        fn look_up(window: [I; 2], at: I) -> I { _mm512_permutex2var_epi32(window[0], at, window[1]) }

        // Compressed in the register and written whole: compressing into memory is slow on some processors.
        fn pack(lanes: u16, a: I, to: &mut [i32; LANES]) {
            _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_maskz_compress_epi32(lanes, a))
        }
        fn unpack(lanes: u16, from: &[i32; LANES]) -> I {
            _mm512_maskz_expand_epi32(lanes, _mm512_loadu_si512(from.as_ptr().cast()))
        }
    }

    #[inline(always)]
    fn gather(self, from: &[i32], at: I, lanes: M) -> I {
        let len = from.len().min(i32::MAX as usize) as i32;
        // SAFETY: `self` exists; lanes that are read are at places within the slice.
        unsafe {
            let lanes = lanes & _mm512_cmplt_epu32_mask(at, _mm512_set1_epi32(len));
            let none = _mm512_setzero_si512();
            _mm512_mask_i32gather_epi32::<4>(none, lanes, at, from.as_ptr())
        }
    }

    operations! {
        fn running_sum(a: I) -> I {{
            let zero = _mm512_setzero_si512();
            let two = _mm512_add_epi32(a, _mm512_alignr_epi32::<15>(a, zero));
            let four = _mm512_add_epi32(two, _mm512_alignr_epi32::<14>(two, zero));
            let eight = _mm512_add_epi32(four, _mm512_alignr_epi32::<12>(four, zero));
            _mm512_add_epi32(eight, _mm512_alignr_epi32::<8>(eight, zero))
        }}
        fn unzip2(pairs: &[[i32; LANES]; 2]) -> [I; 2] {{
            let [low, high] = each!([&pairs[0], &pairs[1]], |some| indices(some));
            each!([&EVEN, &ODD], |order| _mm512_permutex2var_epi32(low, indices(order), high))
        }}
        // A part is first selected from the three registers, which any execution unit of the processor can do.
        // It is then put in order once, which only few can.
        fn unzip3(triples: &[[i32; LANES]; 3]) -> [I; 3] {{
            let all = each!([&triples[0], &triples[1], &triples[2]], |some| indices(some));
            each!([0, 1, 2], |part| {
                let two = _mm512_mask_mov_epi32(all[0], HOLDS[part][1], all[1]);
                let three = _mm512_mask_mov_epi32(two, HOLDS[part][2], all[2]);
                _mm512_permutexvar_epi32(indices(&APART[part]), three)
            })
        }}
        fn unzip4(rows: &[[i32; LANES]; 4]) -> [I; 4] {{
            let [a, b, c, d] = rows;
            let [a, b, c, d] = each!([a, b, c, d], |some| indices(some));
            let [first, last] = each!([&EIGHT_ROWS[0], &EIGHT_ROWS[1]], |order| {
                let low = _mm512_permutex2var_epi32(a, indices(order), b);
                let high = _mm512_permutex2var_epi32(c, indices(order), d);
                // The lower halves of both, and the upper halves.
                [
                    _mm512_shuffle_i32x4::<0b01_00_01_00>(low, high),
                    _mm512_shuffle_i32x4::<0b11_10_11_10>(low, high),
                ]
            });
            [first[0], first[1], last[0], last[1]]
        }}
        fn zip2(parts: [I; 2]) -> [I; 2] {{
            each!([&PAIRED[0], &PAIRED[1]], |order| {
                _mm512_permutex2var_epi32(parts[0], indices(order), parts[1])
            })
        }}
        fn zip3(parts: [I; 3]) -> [I; 3] {{
            let spread = each!([0, 1, 2], |part| {
                _mm512_permutexvar_epi32(indices(&TOGETHER[part]), parts[part])
            });
            each!([0, 1, 2], |some| {
                let two = _mm512_mask_mov_epi32(spread[0], HOLDS[1][some], spread[1]);
                _mm512_mask_mov_epi32(two, HOLDS[2][some], spread[2])
            })
        }}
        // Each quarter of the registers holds four rows then, one of each quarter of the parts: parts are put
        // in such an order before that these are the right ones.
        fn zip4(parts: [I; 4]) -> [I; 4] {{
            let [a, b, c, d] = parts;
            let order = indices(&BY_QUARTERS);
            let [a, b, c, d] =
                each!([a, b, c, d], |part| _mm512_permutexvar_epi32(order, part));
            let low = [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)];
            let high = [_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d)];
            [
                _mm512_unpacklo_epi64(low[0], high[0]),
                _mm512_unpackhi_epi64(low[0], high[0]),
                _mm512_unpacklo_epi64(low[1], high[1]),
                _mm512_unpackhi_epi64(low[1], high[1]),
            ]
        }}
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn indices(order: &[i32; LANES]) -> I {
    // SAFETY: sixteen numbers.
    unsafe { _mm512_loadu_si512(order.as_ptr().cast()) }
}

/// The first numbers of sixteen pairs in two registers, and the second ones.
const EVEN: [i32; LANES] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
const ODD: [i32; LANES] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31];

/// The sources of eight pairs: first numbers are below 16, second numbers above.
const PAIRED: [[i32; LANES]; 2] = [
    [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23],
    [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31],
];

/// The first and second numbers of eight rows in two registers, and the third and fourth ones.
const EIGHT_ROWS: [[i32; LANES]; 2] = [
    [0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29],
    [2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31],
];

/// The first of each quarter, the second of each, and so on.
const BY_QUARTERS: [i32; LANES] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// Where one part of sixteen triples is in their three registers: part `p` of triple `lane` is number
/// `3·lane + p`, so no two are at the same place in two registers. Returns the place of each within its
/// register.
const fn apart(part: usize) -> [i32; LANES] {
    let mut places = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        places[lane] = ((3 * lane + part) % LANES) as i32;
        lane += 1;
    }
    places
}

/// For each place, the lane whose part is there, in whichever register.
const fn together(part: usize) -> [i32; LANES] {
    let mut lanes = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        lanes[(3 * lane + part) % LANES] = lane as i32;
        lane += 1;
    }
    lanes
}

/// The places in a register of triples that contain a part.
const fn holds(part: usize, register: usize) -> u16 {
    let mut mask = 0;
    let mut place = 0;
    while place < LANES {
        if (LANES * register + place) % 3 == part {
            mask |= 1 << place;
        }
        place += 1;
    }
    mask
}

const APART: [[i32; LANES]; 3] = [apart(0), apart(1), apart(2)];
const TOGETHER: [[i32; LANES]; 3] = [together(0), together(1), together(2)];
/// The masks of [`holds`], by part and register.
const HOLDS: [[u16; 3]; 3] = [
    [holds(0, 0), holds(0, 1), holds(0, 2)],
    [holds(1, 0), holds(1, 1), holds(1, 2)],
    [holds(2, 0), holds(2, 1), holds(2, 2)],
];
