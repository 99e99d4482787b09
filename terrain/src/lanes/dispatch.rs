//! Which backend runs: the widest that the processor has, or a narrower one that the environment names. All
//! give the same bits; `MARCHLAND_SIMD` lets tests run each of them.

use std::sync::atomic::{AtomicU8, Ordering};

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::backend::{Kernel, Lanes};
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::plain::Plain;
#[cfg(target_arch = "x86_64")]
use super::sse2::Sse2;
use crate::math::lesser;

/// The backends, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Simd {
    /// Any processor.
    Plain = 1,
    /// Every 64-bit ARM processor.
    Neon,
    /// Every x86-64 processor.
    Sse2,
    /// Most x86-64 processors.
    Avx2,
    /// Some x86-64 processors.
    Avx512,
}

impl Simd {
    /// All that there are.
    pub const ALL: [Self; 5] = [Self::Plain, Self::Neon, Self::Sse2, Self::Avx2, Self::Avx512];

    /// The word for it in `MARCHLAND_SIMD`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Neon => "neon",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The level that runs. The processor and the environment are asked once; afterwards this reads a byte.
    #[must_use]
    #[inline]
    pub fn current() -> Self {
        match FOUND.load(Ordering::Relaxed) {
            0 => ask(),
            found => Self::ALL[usize::from(found) - 1],
        }
    }

    /// The widest level of this processor.
    #[must_use]
    pub fn of_processor() -> Self {
        #[cfg(target_arch = "x86_64")]
        return match (Avx512::detect(), Avx2::detect()) {
            (Some(_), _) => Self::Avx512,
            (None, Some(_)) => Self::Avx2,
            (None, None) => Self::Sse2,
        };
        #[cfg(target_arch = "aarch64")]
        return Self::Neon;
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        Self::Plain
    }

    /// Runs a kernel on this level, or on the plain one if the processor has no such level.
    #[inline(always)]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => match Avx512::detect() {
                Some(lanes) => lanes.call(kernel),
                None => Plain.call(kernel),
            },
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => match Avx2::detect() {
                Some(lanes) => lanes.call(kernel),
                None => Plain.call(kernel),
            },
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => Sse2.call(kernel),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => Neon.call(kernel),
            _ => Plain.call(kernel),
        }
    }
}

/// What was found; 0 before the first query.
static FOUND: AtomicU8 = AtomicU8::new(0);

/// Runs a kernel on the widest backend that may run.
#[inline(always)]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    Simd::current().run(kernel)
}

#[cold]
fn ask() -> Simd {
    let word = std::env::var("MARCHLAND_SIMD").ok();
    let found = capped(Simd::of_processor(), word.as_deref());
    FOUND.store(found as u8, Ordering::Relaxed);
    found
}

/// What the environment allows of what the processor has: all, unless it names something narrower.
fn capped(has: Simd, word: Option<&str>) -> Simd {
    let named = Simd::ALL.into_iter().find(|level| Some(level.name()) == word);
    named.map_or(has, |most| lesser(most, has))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Run again by the other test as a program of its own, where the environment says something else.
    #[test]
    fn no_more_is_taken_than_the_environment_allows() {
        let word = std::env::var("MARCHLAND_SIMD").ok();
        assert_eq!(Simd::current(), capped(Simd::of_processor(), word.as_deref()));
        println!("takes {:?}", Simd::current());
    }

    #[test]
    fn each_word_of_the_environment_caps_the_lanes() {
        let has = Simd::of_processor();
        let named = Simd::ALL.map(|level| (level.name(), lesser(level, has)));
        for (word, level) in named.into_iter().chain([("", has)]) {
            let expected = format!("takes {level:?}");
            let output = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["no_more_is_taken_than_the_environment_allows", "--nocapture"])
                .env("MARCHLAND_SIMD", word)
                .output();
            let output = output.unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && said.contains(&expected), "{word}: {said}");
        }
    }
}
