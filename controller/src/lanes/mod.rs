//! Registers of sixteen, and the widest that may run.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod processor;
pub(crate) mod simd;
