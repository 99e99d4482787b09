//! Bytes with a stable address: sector and mesh files are read from them.

use std::ops::Deref;

/// A buffer or a memory map.
pub(crate) type KeptBytes = Box<dyn Deref<Target = [u8]> + Send + Sync>;
