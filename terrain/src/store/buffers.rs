//! Buffers that files are copied into, reused when a sector leaves memory: a stream of sectors of
//! one size then allocates no more memory.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Most bytes of unused buffers that are kept. Beyond them, returned buffers are freed.
const SPARE_BYTES_MAX: usize = 16 << 20;
/// A buffer is used for a file only if at most this share of it, 1/4, stays empty: actual memory
/// must not be much more than what is counted.
const WASTE_SHARE: usize = 4;

/// Buffers that are currently unused.
#[derive(Debug, Default)]
pub(super) struct BufferPool {
    spare: Mutex<Vec<Vec<u8>>>,
}

/// A buffer that returns to its pool when dropped.
#[derive(Debug)]
pub(super) struct PooledBytes {
    bytes: Vec<u8>,
    pool: Weak<BufferPool>,
}

impl BufferPool {
    /// A buffer of `length` bytes to be overwritten; its contents are unspecified.
    pub(super) fn take(self: &Arc<Self>, length: usize) -> io::Result<PooledBytes> {
        let mut bytes = self.find(length).unwrap_or_default();
        if bytes.capacity() < length {
            bytes.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        }
        bytes.resize(length, 0);
        Ok(PooledBytes { bytes, pool: Arc::downgrade(self) })
    }

    fn find(&self, length: usize) -> Option<Vec<u8>> {
        let mut spare = self.spare();
        let fits = |buffer: &Vec<u8>| {
            let capacity = buffer.capacity();
            capacity >= length && capacity - length <= capacity / WASTE_SHARE
        };
        let at = spare.iter().position(fits)?;
        Some(spare.swap_remove(at))
    }

    fn give_back(&self, bytes: Vec<u8>) {
        let mut spare = self.spare();
        let have_bytes: usize = spare.iter().map(Vec::capacity).sum();
        if have_bytes + bytes.capacity() <= SPARE_BYTES_MAX {
            spare.push(bytes);
        }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PooledBytes {
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl AsRef<[u8]> for PooledBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for PooledBytes {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.give_back(std::mem::take(&mut self.bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_for_a_file_of_about_its_size_and_no_other() {
        let pool = Arc::new(BufferPool::default());
        let place = |bytes: &PooledBytes| bytes.as_ref().as_ptr();
        let first = pool.take(1000).unwrap();
        let at = place(&first);
        drop(first);
        let (small, large) = (pool.take(700).unwrap(), pool.take(1001).unwrap());
        assert!(place(&small) != at && place(&large) != at);
        let again = pool.take(760).unwrap();
        assert_eq!((place(&again), again.as_ref().len()), (at, 760));
        assert!(pool.spare().is_empty());
    }

    #[test]
    fn what_waits_for_use_is_bounded_and_what_outlives_the_pool_is_freed() {
        let pool = Arc::new(BufferPool::default());
        let all: Vec<_> = (0..5).map(|_| pool.take(SPARE_BYTES_MAX / 3).unwrap()).collect();
        drop(all);
        assert_eq!(pool.spare().len(), 3);
        let last = pool.take(10).unwrap();
        drop(pool);
        assert_eq!(last.as_ref().len(), 10);
    }
}
