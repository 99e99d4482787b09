//! NEON, which every 64-bit ARM processor has: four registers of four.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::backend::{Kernel, LANES, Lanes};
use super::each::each;
use super::parts::{lanes_in_parts, registers};
use super::plain::WHOLE;

#[derive(Clone, Copy, Debug)]
pub(super) struct Neon;

type F = float32x4_t;
type I = int32x4_t;

registers! { "neon"
    fn splat(value: f32) -> F { vdupq_n_f32(value) }
    fn load(from: &[f32; 4]) -> F {
        // SAFETY: four numbers.
        unsafe { vld1q_f32(from.as_ptr()) }
    }
    fn store(value: F, to: &mut [f32; 4]) {
        // SAFETY: four numbers.
        unsafe { vst1q_f32(to.as_mut_ptr(), value) }
    }
    fn add(a: F, b: F) -> F { vaddq_f32(a, b) }
    fn sub(a: F, b: F) -> F { vsubq_f32(a, b) }
    fn mul(a: F, b: F) -> F { vmulq_f32(a, b) }
    fn div(a: F, b: F) -> F { vdivq_f32(a, b) }
    fn sqrt(a: F) -> F { vsqrtq_f32(a) }
    fn floor(a: F) -> F { vrndmq_f32(a) }
    fn lt(a: F, b: F) -> I { vreinterpretq_s32_u32(vcltq_f32(a, b)) }
    fn le(a: F, b: F) -> I { vreinterpretq_s32_u32(vcleq_f32(a, b)) }
    fn eq(a: F, b: F) -> I { vreinterpretq_s32_u32(vceqq_f32(a, b)) }
    fn select(mask: I, yes: F, no: F) -> F { vbslq_f32(vreinterpretq_u32_s32(mask), yes, no) }
    fn bits(a: F) -> I { vreinterpretq_s32_f32(a) }
    fn of_bits(a: I) -> F { vreinterpretq_f32_s32(a) }
    fn truncate(a: F) -> I {
        // The processor saturates: all that does not fit is i32::MIN here.
        let fits = vcaltq_f32(a, vdupq_n_f32(2_147_483_648.0));
        vbslq_s32(fits, vcvtq_s32_f32(a), vdupq_n_s32(i32::MIN))
    }

    fn splat_int(value: i32) -> I { vdupq_n_s32(value) }
    fn load_int(from: &[i32; 4]) -> I {
        // SAFETY: four numbers.
        unsafe { vld1q_s32(from.as_ptr()) }
    }
    fn store_int(value: I, to: &mut [i32; 4]) {
        // SAFETY: four numbers.
        unsafe { vst1q_s32(to.as_mut_ptr(), value) }
    }
    fn add_int(a: I, b: I) -> I { vaddq_s32(a, b) }
    fn sub_int(a: I, b: I) -> I { vsubq_s32(a, b) }
    fn mul_int(a: I, b: I) -> I { vmulq_s32(a, b) }
    fn and(a: I, b: I) -> I { vandq_s32(a, b) }
    fn or(a: I, b: I) -> I { vorrq_s32(a, b) }
    fn xor(a: I, b: I) -> I { veorq_s32(a, b) }
    fn up(a: I, bits: u32) -> I { vshlq_s32(a, vdupq_n_s32(bits as i32)) }
    fn down(a: I, bits: u32) -> I {
        let down = vdupq_n_s32(-(bits as i32));
        vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(a), down))
    }
    fn eq_int(a: I, b: I) -> I { vreinterpretq_s32_u32(vceqq_s32(a, b)) }
    fn gt_int(a: I, b: I) -> I { vreinterpretq_s32_u32(vcgtq_s32(a, b)) }
    fn select_int(mask: I, yes: I, no: I) -> I { vbslq_s32(vreinterpretq_u32_s32(mask), yes, no) }
    fn to_f32(a: I) -> F { vcvtq_f32_s32(a) }
    fn scaled(a: I, scale: &[f64; 4]) -> I {
        // SAFETY: two numbers each.
        let scale = unsafe { [vld1q_f64(scale.as_ptr()), vld1q_f64(scale[2..].as_ptr())] };
        let whole = vdupq_n_f64(WHOLE);
        let low = vcvtq_f64_s64(vmovl_s32(vget_low_s32(a)));
        let high = vcvtq_f64_s64(vmovl_high_s32(a));
        let low = vaddq_f64(vmulq_f64(low, scale[0]), whole);
        let high = vaddq_f64(vmulq_f64(high, scale[1]), whole);
        vuzp1q_s32(vreinterpretq_s32_f64(low), vreinterpretq_s32_f64(high))
    }
    fn mask_bits(a: I) -> u16 {
        let own = load_int(&[1, 2, 4, 8]);
        vaddvq_s32(vandq_s32(a, own)) as u16
    }
    fn negative(a: I) -> I { vshrq_n_s32::<31>(a) }
}

/// Moves of some parts, which the processor takes apart and puts together between registers and memory.
macro_rules! moves {
    ($unzip:ident $zip:ident $parts:literal $load:ident $store:ident $of:ident, $($part:tt)*) => {
        #[inline(always)]
        fn $unzip(self, together: &[[i32; LANES]; $parts]) -> [Self::I32; $parts] {
            let from = together.as_flattened().as_ptr();
            // SAFETY: `self` exists; four times as many numbers as parts are read, from each of four places.
            let four = each!([0, 1, 2, 3], |four| unsafe { $load(from.add(4 * $parts * four)) });
            [$([four[0].$part, four[1].$part, four[2].$part, four[3].$part]),*]
        }
        #[inline(always)]
        fn $zip(self, parts: [Self::I32; $parts]) -> [Self::I32; $parts] {
            let mut to = [[0; LANES]; $parts];
            let all = to.as_flattened_mut().as_mut_ptr();
            for four in 0..4 {
                // SAFETY: as above, written.
                unsafe { $store(all.add(4 * $parts * four), $of($(parts[$part][four]),*)) };
            }
            [$(self.load_int(&to[$part])),*]
        }
    };
}

lanes_in_parts! { Neon, "neon", F, I, [i32; 2 * LANES], [0 1 2 3], {
    #[inline(always)]
    fn window(self, from: &[i32; 2 * LANES]) -> Self::Window {
        *from
    }
    #[inline(always)]
    fn look_up(self, window: Self::Window, at: Self::I32) -> Self::I32 {
        self.load_int(&self.array(at).map(|at| window[at as usize % (2 * LANES)]))
    }
    moves! { unzip2 zip2 2 vld2q_s32 vst2q_s32 int32x4x2_t, 0 1 }
    moves! { unzip3 zip3 3 vld3q_s32 vst3q_s32 int32x4x3_t, 0 1 2 }
    moves! { unzip4 zip4 4 vld4q_s32 vst4q_s32 int32x4x4_t, 0 1 2 3 }
} }
