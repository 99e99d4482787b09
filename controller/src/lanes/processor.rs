//! Selects the kernels for this processor: the widest that it has, or fewer lanes if the environment limits
//! them. All of them give the same bits; `MARCHLAND_SIMD` lets tests run each of them.

use marchland_terrain::math::lesser;
use std::sync::atomic::{AtomicU8, Ordering};

/// The instructions that the widest kernels use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Widest {
    /// What every processor of its architecture has.
    Plain = 1,
    Avx2,
    Avx512,
}

/// What was found; 0 before the first query.
static FOUND: AtomicU8 = AtomicU8::new(0);

/// The widest kernels that may run. The processor and the environment are queried once; afterwards this reads
/// a byte.
#[inline]
pub(crate) fn widest() -> Widest {
    match FOUND.load(Ordering::Relaxed) {
        0 => ask(),
        1 => Widest::Plain,
        2 => Widest::Avx2,
        _ => Widest::Avx512,
    }
}

#[cold]
fn ask() -> Widest {
    let (has, most) = (of_processor(), cap(std::env::var("MARCHLAND_SIMD").ok().as_deref()));
    let found = lesser(most, has);
    FOUND.store(found as u8, Ordering::Relaxed);
    found
}

fn of_processor() -> Widest {
    let has_avx2 = is_x86_feature_detected!("avx2");
    let has_avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("popcnt");
    match (has_avx512, has_avx2) {
        (true, _) => Widest::Avx512,
        (false, true) => Widest::Avx2,
        (false, false) => Widest::Plain,
    }
}

/// The widest kernels that the environment allows: all, unless it names fewer lanes.
fn cap(word: Option<&str>) -> Widest {
    match word {
        Some("plain") => Widest::Plain,
        Some("avx2") => Widest::Avx2,
        _ => Widest::Avx512,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Run again by the other test as a program of its own, where the environment says something else.
    #[test]
    fn no_more_is_taken_than_the_environment_allows() {
        let word = std::env::var("MARCHLAND_SIMD").ok();
        let (has, most) = (of_processor(), cap(word.as_deref()));
        assert_eq!(widest(), lesser(most, has));
        assert_eq!(crate::lanes::avx512::is_here(), widest() == Widest::Avx512);
        println!("takes {:?}", widest());
    }

    #[test]
    fn each_word_of_the_environment_caps_the_lanes() {
        for (word, most) in [("plain", Widest::Plain), ("avx2", Widest::Avx2), ("", Widest::Avx512)]
        {
            let has = of_processor();
            let expected = format!("takes {:?}", lesser(most, has));
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
