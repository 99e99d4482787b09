//! Pseudo-random numbers that depend only on their key and their index.
//!
//! The generator is `SplitMix64` (Steele, Lea and Flood, 2014), whose n-th number is computed without the
//! previous ones, so that whether one place suits does not affect the next.

use crate::math::SectorCoord;

/// A stream of numbers for one rule in one sector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    key: u64,
}

impl Stream {
    /// A stream; different arguments give a different stream.
    pub(super) fn new(seed: u64, rule: u64, sector: SectorCoord) -> Self {
        let place = u64::from(sector.x as u32) << 32 | u64::from(sector.z as u32);
        let key = [seed, rule, place].into_iter().fold(0, |key, word| mixed(key ^ word));
        Self { key }
    }

    /// The number at an index, at least 0 and less than 1: a multiple of 2⁻⁵³.
    pub(super) fn part(&self, at: u64) -> f64 {
        let bits = mixed(self.key.wrapping_add(GOLDEN.wrapping_mul(at)));
        (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }
}

/// 2⁶⁴ over the golden ratio, made odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(GOLDEN);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// The n-th point of a fixed pattern that fills the unit square evenly and lies on no grid: Kronecker steps
/// of the plastic number (Roberts, 2018). Each coordinate is at least 0 and less than 1.
pub(super) fn even_point(n: u32) -> [f64; 2] {
    // 2³² over the plastic number and over its square.
    const STEPS: [u32; 2] = [3_242_174_889, 2_447_445_414];
    STEPS.map(|step| f64::from(step.wrapping_mul(n).wrapping_add(1 << 31)) / 4_294_967_296.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_every_word_of_their_key() {
        let first = |seed, rule, x, z| Stream::new(seed, rule, SectorCoord::new(x, z)).part(0);
        let all = [
            first(0, 0, 0, 0),
            first(1, 0, 0, 0),
            first(0, 1, 0, 0),
            first(0, 0, 1, 0),
            first(0, 0, 0, 1),
            first(0, 0, -1, 0),
            first(0, 0, 0, -1),
            first(1, 1, 0, 0),
            first(0, 0, 1, 1),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{all:?}");
        }
    }

    #[test]
    fn parts_fill_the_unit_interval_evenly() {
        let stream = Stream::new(7, 0, SectorCoord::new(3, -2));
        let mut tenths = [0_u32; 10];
        for at in 0..100_000 {
            tenths[(stream.part(at) * 10.0) as usize] += 1;
        }
        assert!(tenths.iter().all(|count| (9_500..10_500).contains(count)), "{tenths:?}");
    }

    #[test]
    fn the_pattern_is_even_in_every_sixteenth() {
        let mut boxes = [0_u32; 16];
        for n in 0..1024 {
            let [x, z] = even_point(n);
            boxes[(z * 4.0) as usize * 4 + (x * 4.0) as usize] += 1;
        }
        assert!(boxes.iter().all(|count| (58..=70).contains(count)), "{boxes:?}");
    }
}
