//! The truth: loops over arrays, on any machine.

use std::array::from_fn;

use super::backend::{Kernel, LANES, Lanes};

/// Runs everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

/// Functions of the backend.
macro_rules! operations {
    ($(fn $name:ident($($arg:ident: $of:ty),*) $(-> $to:ty)? { $body:expr })*) => {
        $(
            #[inline(always)]
            fn $name(self, $($arg: $of),*) $(-> $to)? { $body }
        )*
    };
}

type F = [f32; LANES];
type I = [i32; LANES];
type M = [bool; LANES];

/// The same in each lane, of two registers.
#[inline(always)]
fn each<A: Copy, B: Copy, T>(a: [A; LANES], b: [B; LANES], of: impl Fn(A, B) -> T) -> [T; LANES] {
    from_fn(|lane| of(a[lane], b[lane]))
}

impl Lanes for Plain {
    type F32 = F;
    type I32 = I;
    type Mask = M;
    type Window = [i32; 2 * LANES];

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    operations! {
        fn splat(value: f32) -> F { [value; LANES] }
        fn load(from: &F) -> F { *from }
        fn store(value: F, to: &mut F) { *to = value }
        fn add(a: F, b: F) -> F { each(a, b, |a, b| a + b) }
        fn sub(a: F, b: F) -> F { each(a, b, |a, b| a - b) }
        fn mul(a: F, b: F) -> F { each(a, b, |a, b| a * b) }
        fn div(a: F, b: F) -> F { each(a, b, |a, b| a / b) }
        fn sqrt(a: F) -> F { a.map(f32::sqrt) }
        fn floor(a: F) -> F { a.map(f32::floor) }
        fn lt(a: F, b: F) -> M { each(a, b, |a, b| a < b) }
        fn le(a: F, b: F) -> M { each(a, b, |a, b| a <= b) }
        fn eq(a: F, b: F) -> M { each(a, b, |a, b| a == b) }
        fn select(mask: M, yes: F, no: F) -> F {
            from_fn(|lane| if mask[lane] { yes[lane] } else { no[lane] })
        }
        fn bits(a: F) -> I { a.map(|a| a.to_bits() as i32) }
        fn of_bits(a: I) -> F { a.map(|a| f32::from_bits(a as u32)) }
        fn truncate(a: F) -> I { a.map(|a| if (-END..END).contains(&a) { a as i32 } else { i32::MIN }) }
        fn splat_int(value: i32) -> I { [value; LANES] }
        fn load_int(from: &I) -> I { *from }
        fn store_int(value: I, to: &mut I) { *to = value }
        fn add_int(a: I, b: I) -> I { each(a, b, i32::wrapping_add) }
        fn sub_int(a: I, b: I) -> I { each(a, b, i32::wrapping_sub) }
        fn mul_int(a: I, b: I) -> I { each(a, b, i32::wrapping_mul) }
        fn and(a: I, b: I) -> I { each(a, b, |a, b| a & b) }
        fn or(a: I, b: I) -> I { each(a, b, |a, b| a | b) }
        fn xor(a: I, b: I) -> I { each(a, b, |a, b| a ^ b) }
        fn up(a: I, bits: u32) -> I { a.map(|a| a << bits) }
        fn down(a: I, bits: u32) -> I { a.map(|a| (a as u32 >> bits) as i32) }
        fn eq_int(a: I, b: I) -> M { each(a, b, |a, b| a == b) }
        fn gt_int(a: I, b: I) -> M { each(a, b, |a, b| a > b) }
        fn select_int(mask: M, yes: I, no: I) -> I {
            from_fn(|lane| if mask[lane] { yes[lane] } else { no[lane] })
        }
        fn to_f32(a: I) -> F { a.map(|a| a as f32) }
        fn scaled(a: I, scale: &[f64; LANES]) -> I {
            each(a, *scale, |a, scale| (f64::from(a) * scale + WHOLE).to_bits() as i32)
        }
        fn both(a: M, b: M) -> M { each(a, b, |a, b| a & b) }
        fn either(a: M, b: M) -> M { each(a, b, |a, b| a | b) }
        fn not(a: M) -> M { a.map(|a| !a) }
        fn mask_bits(a: M) -> u16 {
            (0..LANES).fold(0, |bits, lane| bits | u16::from(a[lane]) << lane)
        }
        fn of_mask_bits(bits: u16) -> M { from_fn(|lane| bits >> lane & 1 == 1) }
        fn negative(a: I) -> M { a.map(|a| a < 0) }
        fn window(from: &[i32; 2 * LANES]) -> Self::Window { *from }
        fn look_up(window: Self::Window, at: I) -> I {
            at.map(|at| window[at as usize % (2 * LANES)])
        }
    }
}

/// Adding it to an `f64` below 2⁵¹ leaves the nearest whole number in the low bits.
pub(super) const WHOLE: f64 = 6_755_399_441_055_744.0;

/// The least number that is too large for 32 bits.
const END: f32 = 2_147_483_648.0;
