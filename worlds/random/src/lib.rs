//! Random numbers that are the same in every run and on every machine, for tests, benches and made-up
//! worlds.
//!
//! | | algorithm | for |
//! |---|---|---|
//! | [`Random`] | xorshift64: Marsaglia, *Xorshift RNGs*, 2003 | a stream of numbers: tests and benches |
//! | [`SplitMix`], [`mixed`] | SplitMix64: Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014 | numbers for numbers: any seed is as good as any other |
//!
//! Recorded hashes, counts of instructions and figures depend on these streams. So no method may ever give
//! another number than it does; the tests below hold them.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

/// A stream of random numbers: xorshift64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed; any seed will do.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(INCREMENT) | 1)
    }

    /// The stream from a state as it is. The first numbers from a small state are small. A state of 0
    /// would never change, and is taken as 1.
    #[must_use]
    pub const fn from_state(state: u64) -> Self {
        Self(if state == 0 { 1 } else { state })
    }

    /// 64 random bits, never all 0.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number in `[0, 1)`, a multiple of 2⁻⁵³.
    pub fn part(&mut self) -> f64 {
        part(self.bits())
    }

    /// A number in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.part()
    }

    /// As [`between`](Self::between), of an `f32`: one of 2²⁴ values, and `high` where that is rounded to.
    pub fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / 16_777_216.0)
    }

    /// A whole number less than `end`, which is far below 2⁴⁸.
    ///
    /// # Panics
    /// If `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.bits() >> 16) % end
    }

    /// A whole number from `low` to `high`, both included.
    ///
    /// # Panics
    /// If there are none or too many.
    pub fn whole(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as u64) as i32
    }

    /// One of them.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// Whether something happens that does once in `times`.
    pub fn once_in(&mut self, times: f64) -> bool {
        self.part() * times < 1.0
    }
}

/// A stream of random numbers: SplitMix64. Streams of seeds that are near each other have nothing in common
/// unless the seeds are multiples of its increment apart.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The stream of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let bits = mixed(self.0);
        self.0 = self.0.wrapping_add(INCREMENT);
        bits
    }

    /// A number in `[0, 1)`, a multiple of 2⁻⁵³.
    pub fn part(&mut self) -> f64 {
        part(self.bits())
    }

    /// A number in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.part()
    }
}

/// 64 random bits for a number, the same each time: the first of its [`SplitMix`].
#[must_use]
pub const fn mixed(number: u64) -> u64 {
    finished(number.wrapping_add(INCREMENT))
}

/// Mixes bits so that each depends on all of them: how SplitMix64 makes a number of its state.
#[must_use]
pub const fn finished(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The number in `[0, 1)` of random bits, a multiple of 2⁻⁵³.
#[must_use]
pub const fn part(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// 2⁶⁴ over the golden ratio, made odd.
const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_streams_are_those_of_other_programs() {
        let mut random = Random::from_state(1);
        let bits = [0x4082_2041, 0x1000_4106_0c01_1441, 0x9b1e_842f_6e86_2629];
        assert_eq!([(); 3].map(|()| random.bits()), bits);
        let mut split_mix = SplitMix::new(1_234_567);
        let bits =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([(); 3].map(|()| split_mix.bits()), bits);
        assert_eq!(mixed(1_234_567), bits[0]);
    }

    #[test]
    fn what_recorded_hashes_were_made_of_stays() {
        let from = || Random::new(77);
        assert_eq!(from().bits(), 0x55e4_40da_3d01_28b5);
        assert_eq!(from().part(), 0.335_514_119_416_079_2);
        assert_eq!(from().between(-2.0, 6.0), 0.335_514_119_416_079_2 * 8.0 - 2.0);
        assert_eq!(from().within(-2.0, 6.0), 5_628_992.0 / 16_777_216.0 * 8.0 - 2.0);
        assert_eq!(from().below(10), 7);
        assert_eq!(from().whole(-3, 6), 4);
        assert_eq!(from().pick(b"0123456789"), b'7');
        assert!(from().once_in(2.9) && !from().once_in(3.0));
        let halves = SplitMix::new(1_234_567).between(-1.0, 1.0);
        assert_eq!(halves, part(6_457_827_717_110_365_317) * 2.0 - 1.0);
    }

    #[test]
    fn no_seed_gives_only_zeros() {
        for seed in [0, 1, u64::MAX] {
            assert_ne!(Random::new(seed).bits(), 0);
            assert_ne!(Random::from_state(seed).bits(), 0);
        }
        assert_eq!(Random::from_state(0).bits(), Random::from_state(1).bits());
    }
}
