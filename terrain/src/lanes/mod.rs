//! Sixteen numbers at a time: one source for each kernel, with the widest registers that the processor has.
//!
//! ```text
//! kernel    written once, over a backend `L`: F32x16<L>, I32x16<L>, Mask<L>
//!   └ vector    operators and moves of sixteen numbers
//!       └ Lanes     what a backend does: avx512 · avx2 · sse2 · neon · plain
//! dispatch  which backend runs: what the processor has, at most what `MARCHLAND_SIMD` names
//! ```
//!
//! Every backend gives the same bits. Each operation rounds alike on all processors, none is fused, and
//! whole numbers wrap around. Only the payload of a NaN may differ. The plain backend is the truth: loops
//! over arrays. A test compares every operation of all others with it.
//!
//! Only code that is inlined into [`Lanes::call`] is compiled for a backend's instructions: functions over
//! `L` are `#[inline(always)]`, and a part that should stay a call is a [`Kernel`] of its own.

mod backend;
mod dispatch;
mod each;
mod plain;
mod prefetch;
mod real;
mod vector;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod parts;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;

pub use backend::{Kernel, LANES, Lanes};
pub use dispatch::{Simd, run};
pub use each::each;
pub use prefetch::{prefetch, prefetch_ahead};
pub use real::Real;
pub use vector::{F32x16, I32x16, Mask, Window};
