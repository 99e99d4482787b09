//! Bytes with a stable address: sector and mesh files are read from them. And numbers in bytes.

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
