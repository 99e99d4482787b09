//! Bytes that stay where they are: what sector and mesh files lie in while they are read.

use std::ops::Deref;

/// A buffer or a memory map.
pub(crate) type KeptBytes = Box<dyn Deref<Target = [u8]> + Send + Sync>;
