//! Noise from integer hashes, and the small functions that blend shapes. The same bits on every
//! machine: only + − × ÷ and sqrt, in the order written.
//!
//! Gradient noise after Perlin, "Improving Noise" (2002), with gradients on the circle from a hash
//! instead of a table, so that no direction of the grid is favoured.

use marchland_terrain::math::{clamp, greater, lesser};

/// From `a` at `t` = 0 to `b` at `t` = 1.
pub(crate) fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

/// 0 at `from`, 1 at `to`, smooth at both ends; `from` may be the greater.
pub(crate) fn ramp(from: f64, to: f64, x: f64) -> f64 {
    let t = clamp((x - from) / (to - from), 0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The smaller of two heights, rounded off where they are within `round` of each other.
pub(crate) fn smooth_least(a: f64, b: f64, round: f64) -> f64 {
    let overlap = greater(round - (a - b).abs(), 0.0) / round;
    lesser(a, b) - overlap * overlap * round * 0.25
}

/// The greater of two heights, rounded off where they are within `round` of each other.
pub(crate) fn smooth_greatest(a: f64, b: f64, round: f64) -> f64 {
    -smooth_least(-a, -b, round)
}

/// 64 well mixed bits of a seed and a grid point (the finaliser of SplitMix64).
pub(crate) fn hash(seed: u64, column: i64, row: i64) -> u64 {
    let bits = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add((column as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9))
        .wrapping_add((row as u64).wrapping_mul(0x94d0_49bb_1331_11eb));
    marchland_random::finished(bits)
}

/// A number in [0, 1) for a seed and a grid point.
pub(crate) fn fraction(seed: u64, column: i64, row: i64) -> f64 {
    marchland_random::part(hash(seed, column, row))
}

/// Smooth noise with features one unit wide, about −1 to 1, 0 on the whole numbers.
pub(crate) fn gradient(seed: u64, x: f64, z: f64) -> f64 {
    let (column, row) = (x.floor(), z.floor());
    let (u, v) = (x - column, z - row);
    let (column, row) = (column as i64, row as i64);
    let north =
        mix(corner(seed, column, row, u, v), corner(seed, column + 1, row, u - 1.0, v), fade(u));
    let south = mix(
        corner(seed, column, row + 1, u, v - 1.0),
        corner(seed, column + 1, row + 1, u - 1.0, v - 1.0),
        fade(u),
    );
    mix(north, south, fade(v)) * 1.5
}

/// The contribution of one corner's gradient at the offset (x, z) from it.
fn corner(seed: u64, column: i64, row: i64, x: f64, z: f64) -> f64 {
    let bits = hash(seed, column, row);
    let east = (bits & 0xffff) as f64 - 32767.5;
    let south = ((bits >> 16) & 0xffff) as f64 - 32767.5;
    (east * x + south * z) / (east * east + south * south).sqrt()
}

fn fade(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// Sum of octaves: each half as wide as the one before, turned against it so that no axis shows,
/// and `gain` times as tall. About −1 to 1.
pub(crate) fn octaves(seed: u64, x: f64, z: f64, count: u32, gain: f64) -> f64 {
    let (mut x, mut z) = (x, z);
    let (mut sum, mut amplitude, mut total) = (0.0, 1.0, 0.0);
    for octave in 0..count {
        sum += amplitude * gradient(seed.wrapping_add(u64::from(octave)), x, z);
        total += amplitude;
        amplitude *= gain;
        (x, z) = turned(x, z);
    }
    sum / total * 1.35
}

/// Sum of octaves folded at zero, so that its crests are sharp: 0 in the valleys, 1 on the crests.
/// Crests carry more detail than valleys (Musgrave's ridged multifractal).
pub(crate) fn ridges(seed: u64, x: f64, z: f64, count: u32) -> f64 {
    let (mut x, mut z) = (x, z);
    let (mut sum, mut amplitude, mut total, mut weight) = (0.0, 1.0, 0.0, 1.0);
    for octave in 0..count {
        let fold =
            1.0 - clamp(gradient(seed.wrapping_add(u64::from(octave)), x, z).abs(), 0.0, 1.0);
        let crest = fold * fold;
        sum += amplitude * crest * weight;
        total += amplitude;
        weight = clamp(crest * 1.6, 0.0, 1.0);
        amplitude *= 0.5;
        (x, z) = turned(x, z);
    }
    sum / total
}

/// The place (x, z) moved about by noise `width` metres wide, by up to about `shift` metres.
pub(crate) fn warped(seed: u64, x: f64, z: f64, width: f64, shift: f64) -> [f64; 2] {
    let east = octaves(seed, x / width, z / width, 3, 0.5);
    let south = octaves(seed ^ 0x5bd1, x / width + 17.3, z / width - 8.1, 3, 0.5);
    [x + shift * east, z + shift * south]
}

/// Turned by the angle of the 3-4-5 triangle, made half as wide, moved off the whole numbers.
fn turned(x: f64, z: f64) -> (f64, f64) {
    ((0.8 * x - 0.6 * z) * 2.03 + 11.7, (0.6 * x + 0.8 * z) * 2.03 - 5.3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_continuous_across_its_grid_lines_and_on_both_sides_of_zero() {
        for i in -40..40 {
            let x = f64::from(i) * 0.25;
            let jump = gradient(7, x + 1e-9, -0.3) - gradient(7, x - 1e-9, -0.3);
            assert!(jump.abs() < 1e-7, "a jump of {jump} at {x}");
        }
    }

    #[test]
    fn noise_stays_near_its_range_and_has_no_bias() {
        let mut sum = 0.0;
        for i in 0..10_000 {
            let value = octaves(3, f64::from(i % 100) * 0.37, f64::from(i / 100) * 0.41, 4, 0.5);
            assert!(value.abs() < 1.6, "{value}");
            sum += value;
        }
        assert!((sum / 10_000.0).abs() < 0.05, "{sum}");
    }

    #[test]
    fn rounded_minima_and_maxima_meet_the_plain_ones_away_from_the_crossing() {
        assert_eq!(smooth_least(1.0, 9.0, 2.0), 1.0);
        assert_eq!(smooth_greatest(1.0, 9.0, 2.0), 9.0);
        assert!(smooth_least(4.0, 4.0, 2.0) < 4.0);
        assert_eq!(ramp(5.0, 1.0, 0.0), 1.0);
        assert_eq!(ramp(5.0, 1.0, 6.0), 0.0);
    }
}
