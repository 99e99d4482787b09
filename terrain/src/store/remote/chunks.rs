//! A remote file that is read in parts: chunks are fetched when they are first needed and kept in
//! memory until data read from them fails a check.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};

use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt};

use super::waiter::{Waiter, plain};
use crate::mutex::lock;
use crate::store::storage::StoredFile;

/// Bytes of a chunk: 16 blocks of a manifest's index, some 1600 sectors that lie together. If smaller,
/// a flight makes more requests; if larger, it waits longer for what it does not need.
const CHUNK_BYTES: u64 = 64 << 10;
/// Chunks kept, 32 MiB. When there are more, all are dropped and fetched again on use.
const CHUNKS_MAX: usize = 512;

type Chunk = Arc<[u8]>;

/// A file in a store.
pub(super) struct ChunkedFile {
    store: Arc<dyn ObjectStore>,
    object: ObjectPath,
    len_bytes: u64,
    waiter: Arc<Waiter>,
    chunks: Mutex<BTreeMap<u64, Chunk>>,
}

impl ChunkedFile {
    pub(super) fn new(
        store: Arc<dyn ObjectStore>,
        object: ObjectPath,
        len_bytes: u64,
        waiter: Arc<Waiter>,
    ) -> Self {
        Self { store, object, len_bytes, waiter, chunks: Mutex::default() }
    }

    /// A chunk; no lock is held while it is fetched, so two threads may fetch the same one.
    fn chunk(&self, number: u64) -> io::Result<Chunk> {
        if let Some(chunk) = lock(&self.chunks).get(&number) {
            return Ok(Arc::clone(chunk));
        }
        let begin = number * CHUNK_BYTES;
        let end = self.len_bytes.min(begin + CHUNK_BYTES);
        let (store, object) = (Arc::clone(&self.store), self.object.clone());
        let fetch = async move { store.get_range(&object, begin..end).await };
        let bytes = self.waiter.wait(fetch)?.map_err(plain)?;
        if bytes.len() as u64 != end - begin {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let chunk: Chunk = Arc::from(&bytes[..]);
        let mut table = lock(&self.chunks);
        if table.len() >= CHUNKS_MAX {
            table.clear();
        }
        table.insert(number, Arc::clone(&chunk));
        Ok(chunk)
    }
}

impl StoredFile for ChunkedFile {
    fn len_bytes(&self) -> io::Result<u64> {
        Ok(self.len_bytes)
    }

    fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(out.len() as u64);
        if end.is_none_or(|end| end > self.len_bytes) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (mut at, mut out) = (offset, out);
        while !out.is_empty() {
            let chunk = self.chunk(at / CHUNK_BYTES)?;
            // Smaller than a chunk.
            let from = (at % CHUNK_BYTES) as usize;
            let count = out.len().min(chunk.len() - from);
            let (now, later) = out.split_at_mut(count);
            now.copy_from_slice(&chunk[from..from + count]);
            (at, out) = (at + count as u64, later);
        }
        Ok(())
    }

    /// Drops all chunks, because it is unknown which is damaged.
    fn distrust(&self) {
        lock(&self.chunks).clear();
    }
}

impl fmt::Debug for ChunkedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkedFile").field("object", &self.object).finish_non_exhaustive()
    }
}
