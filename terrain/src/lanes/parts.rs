//! Backends whose registers hold fewer than sixteen numbers: a number of registers side by side.

/// Functions for one register, compiled for the instructions named.
macro_rules! registers {
    ($features:literal $($(#[$doc:meta])* fn $name:ident($($args:tt)*) $(-> $to:ty)? $body:block)*) => {
        $(
            $(#[$doc])*
            #[inline]
            #[target_feature(enable = $features)]
            fn $name($($args)*) $(-> $to)? $body
        )*
    };
}

/// Implements [`Lanes`](super::backend::Lanes) for a backend from functions for one register. `$at` lists the
/// registers. A mask is a register of whole numbers that are −1 or 0. What follows overrides the moves that
/// every backend has.
macro_rules! lanes_in_parts {
    ($backend:ident, $features:literal, $f:ty, $i:ty, $window:ty, [$($at:tt)*], { $($more:tt)* }) => {
        /// Calls a function for one register.
        macro_rules! call {
            ($call:expr) => {
                // SAFETY: there is a value of the backend, so the processor has what the function needs.
                unsafe { $call }
            };
        }

        const COUNT: usize = [$($at),*].len();
        const WIDTH: usize = LANES / COUNT;

        #[target_feature(enable = $features)]
        fn compiled<K: Kernel>(lanes: $backend, kernel: K) -> K::Output {
            kernel.run(lanes)
        }

        impl Lanes for $backend {
            type F32 = [$f; COUNT];
            type I32 = [$i; COUNT];
            type Mask = [$i; COUNT];
            type Window = $window;

            #[inline(always)]
            fn call<K: Kernel>(self, kernel: K) -> K::Output {
                // SAFETY: `self` exists, so the processor has what the function needs; its body is safe code.
                unsafe { compiled(self, kernel) }
            }

            lanes_in_parts! { @each [$($at)*]
                fn add(a: F32, b: F32) -> F32;
                fn sub(a: F32, b: F32) -> F32;
                fn mul(a: F32, b: F32) -> F32;
                fn div(a: F32, b: F32) -> F32;
                fn sqrt(a: F32) -> F32;
                fn floor(a: F32) -> F32;
                fn lt(a: F32, b: F32) -> Mask;
                fn le(a: F32, b: F32) -> Mask;
                fn eq(a: F32, b: F32) -> Mask;
                fn select(mask: Mask, yes: F32, no: F32) -> F32;
                fn bits(a: F32) -> I32;
                fn of_bits(a: I32) -> F32;
                fn truncate(a: F32) -> I32;
                fn add_int(a: I32, b: I32) -> I32;
                fn sub_int(a: I32, b: I32) -> I32;
                fn mul_int(a: I32, b: I32) -> I32;
                fn and(a: I32, b: I32) -> I32;
                fn or(a: I32, b: I32) -> I32;
                fn xor(a: I32, b: I32) -> I32;
                fn eq_int(a: I32, b: I32) -> Mask;
                fn gt_int(a: I32, b: I32) -> Mask;
                fn select_int(mask: Mask, yes: I32, no: I32) -> I32;
                fn to_f32(a: I32) -> F32;
                fn negative(a: I32) -> Mask;
            }

            #[inline(always)]
            fn splat(self, value: f32) -> Self::F32 {
                [call!(splat(value)); COUNT]
            }
            #[inline(always)]
            fn load(self, from: &[f32; LANES]) -> Self::F32 {
                let parts = from.as_chunks::<WIDTH>().0;
                [$(call!(load(&parts[$at]))),*]
            }
            #[inline(always)]
            fn store(self, value: Self::F32, to: &mut [f32; LANES]) {
                let parts = to.as_chunks_mut::<WIDTH>().0;
                $(call!(store(value[$at], &mut parts[$at]));)*
            }
            #[inline(always)]
            fn splat_int(self, value: i32) -> Self::I32 {
                [call!(splat_int(value)); COUNT]
            }
            #[inline(always)]
            fn load_int(self, from: &[i32; LANES]) -> Self::I32 {
                let parts = from.as_chunks::<WIDTH>().0;
                [$(call!(load_int(&parts[$at]))),*]
            }
            #[inline(always)]
            fn store_int(self, value: Self::I32, to: &mut [i32; LANES]) {
                let parts = to.as_chunks_mut::<WIDTH>().0;
                $(call!(store_int(value[$at], &mut parts[$at]));)*
            }
            #[inline(always)]
            fn up(self, a: Self::I32, bits: u32) -> Self::I32 {
                [$(call!(up(a[$at], bits))),*]
            }
            #[inline(always)]
            fn down(self, a: Self::I32, bits: u32) -> Self::I32 {
                [$(call!(down(a[$at], bits))),*]
            }
            #[inline(always)]
            fn scaled(self, a: Self::I32, scale: &[f64; LANES]) -> Self::I32 {
                let scale = scale.as_chunks::<WIDTH>().0;
                [$(call!(scaled(a[$at], &scale[$at]))),*]
            }
            #[inline(always)]
            fn both(self, a: Self::Mask, b: Self::Mask) -> Self::Mask {
                self.and(a, b)
            }
            #[inline(always)]
            fn either(self, a: Self::Mask, b: Self::Mask) -> Self::Mask {
                self.or(a, b)
            }
            #[inline(always)]
            fn not(self, a: Self::Mask) -> Self::Mask {
                self.xor(a, self.splat_int(-1))
            }
            #[inline(always)]
            fn mask_bits(self, a: Self::Mask) -> u16 {
                0 $(| call!(mask_bits(a[$at])) << (WIDTH * $at))*
            }
            #[inline(always)]
            fn of_mask_bits(self, bits: u16) -> Self::Mask {
                let bits = self.splat_int(i32::from(bits));
                let own = self.load_int(&[
                    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768,
                ]);
                self.eq_int(self.and(bits, own), own)
            }

            $($more)*
        }
    };

    (@each $all:tt $(fn $name:ident($($arg:ident: $of:ident),*) -> $to:ident;)*) => {
        $(lanes_in_parts! { @one $all $name ($($arg: $of),*) $to })*
    };
    (@one [$($at:tt)*] $name:ident $args:tt $to:ident) => {
        lanes_in_parts! { @fn $name $args $to [$($at $args)*] }
    };
    (@fn $name:ident ($($arg:ident: $of:ident),*) $to:ident [$($at:tt ($($one:ident: $_of:ident),*))*]) => {
        #[inline(always)]
        fn $name(self, $($arg: Self::$of),*) -> Self::$to {
            [$(call!($name($($one[$at]),*))),*]
        }
    };
}

pub(super) use {lanes_in_parts, registers};
