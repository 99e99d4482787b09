//! Mixes the words of a state into a hash.

/// The finisher of `MurmurHash3` (Appleby, 2011) after each word.
pub(crate) fn mix(words: &[[u32; 2]]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for &[low, high] in words {
        hash ^= u64::from(low) | u64::from(high) << 32;
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        hash ^= hash >> 33;
    }
    hash
}
