//! Bytes with a stable address: sector and mesh files are read from them.

/// A buffer or a memory map, or a part of one; the last holder frees it. Where they are is read without a detour.
pub(crate) type KeptBytes = bytes::Bytes;
