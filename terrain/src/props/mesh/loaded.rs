//! A mesh in memory: the checked bytes of its file.

use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

use super::decode::MeshLayout;
use super::{MeshError, MeshView};
use crate::bytes::KeptBytes;
use crate::props::record::MeshHash;

/// A mesh's checked bytes, with the positions of all parts in them.
pub struct LoadedMesh {
    bytes: KeptBytes,
    layout: MeshLayout,
    hash: MeshHash,
}

impl LoadedMesh {
    /// Checks bytes and keeps them.
    ///
    /// # Errors
    /// [`MeshError::File`] if they are not a complete, undamaged mesh of this version. Never
    /// panics, whatever the bytes.
    pub fn new(bytes: Vec<u8>) -> Result<Self, MeshError> {
        Self::from_bytes(bytes.into())
    }

    pub(crate) fn from_bytes(bytes: KeptBytes) -> Result<Self, MeshError> {
        let layout = MeshLayout::check(&bytes)?;
        let hash = MeshHash(xxh3_128(&bytes));
        Ok(Self { bytes, layout, hash })
    }

    /// The hash of its bytes.
    #[must_use]
    pub fn hash(&self) -> MeshHash {
        self.hash
    }

    /// Length of the bytes.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn bytes(&self) -> &KeptBytes {
        &self.bytes
    }

    /// The mesh, borrowed.
    #[must_use]
    #[inline]
    pub fn view(&self) -> MeshView<'_> {
        let Some(view) = self.layout.view(&self.bytes) else {
            unreachable!("the layout was made from these bytes, and they do not change")
        };
        view
    }
}

impl fmt::Debug for LoadedMesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedMesh").field("hash", &self.hash).finish_non_exhaustive()
    }
}
