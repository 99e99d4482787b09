//! What the targets share: damage laid over sound bytes, and checksums made right again, so that the
//! checks behind those are met.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// Lays damage over sound bytes, from a place at or behind `first` on that it names itself with its
/// first two bytes.
pub fn overlay(mut bytes: Vec<u8>, first: usize, data: &[u8]) -> Vec<u8> {
    let Some((place, data)) = data.split_at_checked(2) else { return bytes };
    let place = usize::from(u16::from_le_bytes([place[0], place[1]]));
    let begin = first + place % (bytes.len() - first);
    for (byte, over) in bytes[begin..].iter_mut().zip(data) {
        *byte ^= over;
    }
    bytes
}

/// Writes a field.
pub fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..][..value.len()].copy_from_slice(value);
}

/// A field of 32 bits.
pub fn u32_at(bytes: &[u8], at: usize) -> usize {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..][..4]);
    u32::from_le_bytes(number) as usize
}

/// A field of 64 bits; the greatest number where it is too large for this machine.
pub fn u64_at(bytes: &[u8], at: usize) -> usize {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..][..8]);
    usize::try_from(u64::from_le_bytes(number)).unwrap_or(usize::MAX)
}

/// Makes a checksum right that is stored outside of the part it is of, if that part is there.
pub fn seal_part(bytes: &mut [u8], checksum: usize, part: Range<usize>) {
    if let Some(stored) = bytes.get(part) {
        let computed = xxh3_64(stored).to_le_bytes();
        put(bytes, checksum, &computed);
    }
}

/// Makes a checksum right that is stored in the part it is of, the first `end` bytes, and counts there
/// as zeros, if that part is there.
pub fn seal_start(bytes: &mut [u8], checksum: usize, end: usize) {
    if let Some(part) = bytes.get_mut(..end) {
        part[checksum..][..8].fill(0);
        let computed = xxh3_64(part).to_le_bytes();
        put(part, checksum, &computed);
    }
}
