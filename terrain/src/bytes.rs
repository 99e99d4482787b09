//! Bytes with a stable address: sector and mesh files are read from them. And numbers and checksums in bytes.

use glam::Vec3;
use xxhash_rust::xxh3::Xxh3;

/// A buffer or a memory map, or a part of one; the last holder frees it. Where they are is read without a detour.
pub(crate) type KeptBytes = bytes::Bytes;

/// `N` bytes at an offset that the caller has checked; zeros where it is out of range.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

/// The number there, lowest byte first.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

/// The number there, lowest byte first.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// Three numbers there, one after the other.
pub(crate) fn vec3_at(bytes: &[u8], at: usize) -> Vec3 {
    let number = |more: usize| f32::from_le_bytes(array(bytes, at.saturating_add(more)));
    Vec3::new(number(0), number(4), number(8))
}

/// A number of bytes, as files store it.
pub(crate) fn widen(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// XXH3-64 of all bytes, with those of the checksum itself, the eight at `at`, as zeros.
pub(crate) fn checksum_but(bytes: &[u8], at: usize) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(bytes.get(..at).unwrap_or_default());
    hash.update(&[0; 8]);
    hash.update(bytes.get(at.saturating_add(8)..).unwrap_or_default());
    hash.digest()
}
