//! Memory that files are copied into: pieces of slabs in large pages, used again when a sector leaves memory. A
//! stream of sectors then asks the system for no more memory.
//!
//! ```text
//! slab  │ piece │ piece │ free │ piece │ free, never touched …  │
//! ```
//!
//! Pieces lie side by side, so what is in memory takes hardly more than its length. A slab without pieces is freed,
//! unless it is the only one. A slab in which a piece is left stays: what once was in memory at the same time is the
//! most that this takes.

use std::io;
use std::sync::{Arc, Mutex, Weak};

use bytes::{Bytes, BytesMut};

use crate::large_pages::{LARGE_PAGE_BYTES, advise};
use crate::math::{greater, lesser};
use crate::mutex::lock;

/// A slab is as long as all before it together, within these bounds, and holds at least what it is made for. So small
/// worlds take no large page.
const SLAB_BYTES_MIN: usize = LARGE_PAGE_BYTES / 8;
const SLAB_BYTES_MAX: usize = LARGE_PAGE_BYTES * 4;
/// Pieces begin at multiples of this, as sections do in a file: a cache line.
const PIECE_ALIGN_BYTES: usize = 64;

/// All slabs. A piece names its slab by its index, so a freed one leaves an empty entry.
#[derive(Debug, Default)]
pub(super) struct BufferPool {
    slabs: Mutex<Vec<Slab>>,
}

#[derive(Debug, Default)]
struct Slab {
    /// 0 if there is no memory.
    bytes: usize,
    /// Parts that are not in use, by address, none beside another. Bytes that were never written to are at the end
    /// of the last one, beyond its length.
    free: Vec<BytesMut>,
    pieces: usize,
}

/// A piece of a slab that returns to its pool when dropped.
#[derive(Debug)]
pub(super) struct PooledBytes {
    piece: BytesMut,
    length: usize,
    slab: usize,
    pool: Weak<BufferPool>,
}

impl BufferPool {
    /// A buffer of `length` bytes to be overwritten; its contents are unspecified.
    pub(super) fn take(self: &Arc<Self>, length: usize) -> io::Result<PooledBytes> {
        let whole = greater(length, 1).checked_next_multiple_of(PIECE_ALIGN_BYTES);
        let whole = whole.ok_or(io::ErrorKind::OutOfMemory)?;
        let mut slabs = lock(&self.slabs);
        let (slab, part) = match shortest(&slabs, whole) {
            Some(found) => found,
            None => (add(&mut slabs, whole)?, 0),
        };
        let mut piece = slabs[slab].take(part, whole);
        drop(slabs);
        piece.resize(whole, 0);
        Ok(PooledBytes { piece, length, slab, pool: Arc::downgrade(self) })
    }

    fn give_back(&self, at: usize, piece: BytesMut) {
        let mut slabs = lock(&self.slabs);
        slabs[at].give_back(piece);
        let is_used = |slab: &Slab| slab.pieces > 0;
        if !is_used(&slabs[at])
            && slabs.iter().filter(|slab| slab.bytes > 0 && !is_used(slab)).count() > 1
        {
            slabs[at] = Slab::default();
        }
    }
}

/// The slab and number of the shortest free part that is long enough: twice as little stays unused between sectors of
/// different lengths as in the first.
fn shortest(slabs: &[Slab], length: usize) -> Option<(usize, usize)> {
    let parts = slabs.iter().enumerate().flat_map(|(slab, Slab { free, .. })| {
        free.iter().enumerate().map(move |(at, part)| (part.capacity(), slab, at))
    });
    let long_enough = parts.filter(|(capacity, ..)| *capacity >= length);
    long_enough.min().map(|(_, slab, at)| (slab, at))
}

/// Adds a slab that is at least that long. Returns its index.
fn add(slabs: &mut Vec<Slab>, length: usize) -> io::Result<usize> {
    let all = slabs.iter().map(|slab| slab.bytes).sum::<usize>();
    let slab = Slab::new(greater(all.clamp(SLAB_BYTES_MIN, SLAB_BYTES_MAX), length))?;
    let at = slabs.iter().position(|slab| slab.bytes == 0).unwrap_or(slabs.len());
    if at == slabs.len() {
        slabs.push(Slab::default());
    }
    slabs[at] = slab;
    Ok(at)
}

impl Slab {
    /// Memory for so many bytes, in whole large pages if it is as long as one; not touched yet.
    fn new(bytes: usize) -> io::Result<Self> {
        let is_large = bytes >= LARGE_PAGE_BYTES;
        let align = if is_large { LARGE_PAGE_BYTES } else { PIECE_ALIGN_BYTES };
        let sizes = bytes.checked_next_multiple_of(align);
        let sizes = sizes.and_then(|bytes| Some((bytes, bytes.checked_add(align)?)));
        let (bytes, with_rim) = sizes.ok_or(io::ErrorKind::OutOfMemory)?;
        let mut memory = Vec::new();
        memory.try_reserve_exact(with_rim).map_err(|_| io::ErrorKind::OutOfMemory)?;
        advise(memory.spare_capacity_mut());
        let rim = lesser(memory.as_ptr().align_offset(align), align);
        // Copies nothing: a vector longer than what is in it becomes shared memory as it is.
        let mut free = BytesMut::from(Bytes::from(memory)).split_off(rim);
        drop(free.split_off(bytes));
        Ok(Self { bytes, free: vec![free], pieces: 0 })
    }

    /// Cuts a piece off a free part.
    fn take(&mut self, at: usize, length: usize) -> BytesMut {
        let rest = self.free[at].split_off(length);
        let piece = std::mem::replace(&mut self.free[at], rest);
        if self.free[at].capacity() == 0 {
            self.free.remove(at);
        }
        self.pieces += 1;
        piece
    }

    /// Joins a piece with the free parts beside it.
    fn give_back(&mut self, mut piece: BytesMut) {
        let end = |part: &BytesMut| part.as_ptr().wrapping_add(part.len());
        let mut at = self.free.partition_point(|part| part.as_ptr() < piece.as_ptr());
        if self.free.get(at).is_some_and(|next| end(&piece) == next.as_ptr()) {
            piece.unsplit(self.free.remove(at));
        }
        if at > 0 && end(&self.free[at - 1]) == piece.as_ptr() {
            at -= 1;
            let mut before = self.free.remove(at);
            before.unsplit(piece);
            piece = before;
        }
        self.free.insert(at, piece);
        self.pieces -= 1;
    }
}

impl PooledBytes {
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.piece[..self.length]
    }
}

impl AsRef<[u8]> for PooledBytes {
    fn as_ref(&self) -> &[u8] {
        &self.piece[..self.length]
    }
}

impl Drop for PooledBytes {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.give_back(self.slab, std::mem::take(&mut self.piece));
        }
    }
}

#[cfg(test)]
mod tests {
    use marchland_random::Random;

    use super::*;

    /// Takes a slab of its own, one large page longer than usual ones.
    const LARGE: usize = SLAB_BYTES_MAX + 1;
    const LARGE_SLAB: usize = SLAB_BYTES_MAX + LARGE_PAGE_BYTES;

    fn place(bytes: &PooledBytes) -> *const u8 {
        bytes.as_ref().as_ptr()
    }

    /// Bytes of all slabs.
    fn bytes(pool: &BufferPool) -> usize {
        lock(&pool.slabs).iter().map(|slab| slab.bytes).sum()
    }

    #[test]
    fn pieces_lie_side_by_side_and_what_is_free_is_joined_and_used_again() {
        let pool = Arc::new(BufferPool::default());
        let [a, b, c, d] = [1000, 64, 1, 700].map(|length| pool.take(length).unwrap());
        let first = place(&a);
        let offset = |piece: &PooledBytes| place(piece).addr() - first.addr();
        assert_eq!([&b, &c, &d].map(offset), [1024, 1088, 1152]);
        assert!(first.addr().is_multiple_of(PIECE_ALIGN_BYTES));
        // Too short alone, in either order of leaving, and from both sides at once.
        drop(a);
        drop(c);
        drop(b);
        let again = pool.take(1152).unwrap();
        assert_eq!((offset(&again), again.as_ref().len()), (0, 1152));
        drop(d);
        drop(again);
        let slabs = lock(&pool.slabs);
        assert_eq!((slabs[0].free.len(), slabs[0].free[0].capacity()), (1, slabs[0].bytes));
    }

    #[test]
    fn what_is_written_to_a_piece_stays_in_it() {
        let pool = Arc::new(BufferPool::default());
        let mut random = Random::new(7);
        let mut there: Vec<(u8, PooledBytes)> = Vec::new();
        for turn in 0..3000_u32 {
            if there.len() > 40 {
                let (mark, gone) = there.swap_remove(random.below(40) as usize);
                assert!(gone.as_ref().iter().all(|byte| *byte == mark));
            }
            let mut piece = pool.take(random.below(9000) as usize).unwrap();
            piece.bytes_mut().fill(turn as u8);
            there.push((turn as u8, piece));
        }
        assert!(there.iter().all(|(mark, piece)| piece.as_ref().iter().all(|byte| byte == mark)));
    }

    #[test]
    fn a_stream_of_sectors_of_one_length_takes_their_bytes_and_no_more() {
        let pool = Arc::new(BufferPool::default());
        let mut there: Vec<_> = (0..500).map(|_| pool.take(141_120).unwrap()).collect();
        let taken = bytes(&pool);
        assert!(taken - 500 * 141_120 < SLAB_BYTES_MAX, "{taken}");
        for turn in 0..5000 {
            drop(there.swap_remove(turn * 7919 % 500));
            there.push(pool.take(141_120).unwrap());
        }
        assert_eq!(bytes(&pool), taken);
    }

    #[test]
    fn a_stream_of_sectors_of_many_lengths_takes_little_more_than_their_bytes() {
        let pool = Arc::new(BufferPool::default());
        let mut random = Random::new(3);
        let mut there = std::collections::VecDeque::new();
        let (mut held, most) = (0, 64 << 20);
        for _ in 0..5000 {
            let length = random.whole(100_000, 300_000) as usize;
            while held + length > most {
                let at = random.below(there.len() as u64) as usize;
                let gone: PooledBytes = there.swap_remove_back(at).unwrap();
                held -= gone.length;
            }
            held += length;
            there.push_back(pool.take(length).unwrap());
        }
        assert!(bytes(&pool) <= most + most / 8 + SLAB_BYTES_MAX, "{}", bytes(&pool));
    }

    #[test]
    fn one_slab_without_pieces_is_kept_and_what_outlives_the_pool_is_freed() {
        let pool = Arc::new(BufferPool::default());
        let [a, b, c] = [LARGE; 3].map(|length| pool.take(length).unwrap());
        assert_eq!(bytes(&pool), 3 * LARGE_SLAB);
        drop(a);
        drop(b);
        assert_eq!(bytes(&pool), 2 * LARGE_SLAB);
        let again = pool.take(LARGE).unwrap();
        assert!(place(&again).addr().is_multiple_of(LARGE_PAGE_BYTES));
        assert_eq!(bytes(&pool), 2 * LARGE_SLAB);
        drop(pool);
        assert_eq!((again.as_ref().len(), c.as_ref().len()), (LARGE, LARGE));
    }

    #[test]
    fn more_than_there_is_memory_for_is_refused() {
        let pool = Arc::new(BufferPool::default());
        for length in [usize::MAX, usize::MAX - 63, usize::MAX / 2, isize::MAX as usize] {
            assert_eq!(pool.take(length).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
        }
        assert_eq!(bytes(&pool), 0);
    }
}
