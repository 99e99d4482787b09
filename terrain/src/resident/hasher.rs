//! Coordinates of sectors, spread over the places of a table.

use std::hash::Hasher;

/// Spreads two 32-bit coordinates over 64 bits (the finisher of `MurmurHash3`, Appleby, 2011).
#[derive(Default)]
pub(super) struct CoordHasher(u64);

impl Hasher for CoordHasher {
    fn finish(&self) -> u64 {
        let mut hash = self.0;
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^ (hash >> 33)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_i32(&mut self, value: i32) {
        self.0 = self.0.rotate_left(32) ^ u64::from(value as u32);
    }
}
