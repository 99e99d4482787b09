//! Registers of sixteen lanes: helpers that the AVX-512 kernels share.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use marchland_terrain::SectorCoord;
use marchland_terrain::glam::Vec3;

use crate::ground::limits::SPEED_MIN;
use crate::lanes::processor::{Widest, widest};
use crate::units::cells::LANES;
use crate::units::wish::Wish;

/// Numbers that are written from a register and then read one by one. They lie within one line of the cache.
/// Otherwise they could not be read before the line is written, and that may wait for other writes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Line<T>(pub(crate) T);

/// Whether this processor has everything that the kernels need, and may use it.
#[inline]
pub(crate) fn is_here() -> bool {
    widest() == Widest::Avx512
}

/// Prefetches what is soon read or written, line by line. A small amount stays in the nearest cache.
#[inline]
pub(crate) fn prefetch<T>(soon: &[T]) {
    let bytes = soon.as_ptr().cast::<i8>();
    for at in (0..size_of_val(soon)).step_by(64) {
        // SAFETY: a prefetch reads and writes nothing that a program can observe; the address is within the
        // slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.add(at)) };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn ints(from: &[i32], at: usize) -> __m512i {
    let from = &from[at..at + LANES];
    // SAFETY: sixteen integers.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn words(from: &[u32], at: usize) -> __m512i {
    let from = &from[at..at + LANES];
    // SAFETY: sixteen integers.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn floats(from: &[f32], at: usize) -> __m512 {
    let from = &from[at..at + LANES];
    // SAFETY: sixteen floats.
    unsafe { _mm512_loadu_ps(from.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn store_words(to: &mut [u32], at: usize, value: __m512i) {
    let to = &mut to[at..at + LANES];
    // SAFETY: sixteen integers.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), value) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn store_ints(to: &mut [i32], at: usize, value: __m512i) {
    let to = &mut to[at..at + LANES];
    // SAFETY: sixteen integers.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), value) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn store(to: &mut [f32], at: usize, value: __m512) {
    let to = &mut to[at..at + LANES];
    // SAFETY: sixteen floats.
    unsafe { _mm512_storeu_ps(to.as_mut_ptr(), value) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn bits(of: __m512) -> __m512i {
    _mm512_castps_si512(of)
}

/// The numbers 0 to 15.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn order() -> __m512i {
    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
}

/// The greatest whole numbers not above coordinates in cells: like [`floor`](crate::ground::frame::floor), which is
/// exact for them, so any other exact method gives the same result.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn floor(value: __m512) -> __m512 {
    _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(value)
}

/// Columns or rows of cells, counted from a sector's corner. The input is whole numbers counted from its
/// centre.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn index_of(cell: __m512, half_cells: __m512) -> __m512i {
    let whole = _mm512_set1_ps(crate::ground::frame::WHOLE);
    let sum = _mm512_add_ps(_mm512_add_ps(cell, half_cells), whole);
    _mm512_and_si512(bits(sum), _mm512_set1_epi32(0x003f_ffff))
}

/// Like [`without_creep`](crate::units::tick::without_creep).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn without_creep(speed: __m512) -> __m512 {
    let creeps = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_abs_ps(speed), _mm512_set1_ps(SPEED_MIN));
    _mm512_mask_mov_ps(speed, creeps, _mm512_setzero_ps())
}

/// Whether the magnitude of a number is less than a limit.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn is_within(value: __m512, most: __m512) -> __mmask16 {
    _mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_abs_ps(value), most)
}

/// The numbers at places below 64, out of 64 in four registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn of_64(all: [__m512i; 4], at: __m512i) -> __m512i {
    let low = _mm512_permutex2var_epi32(all[0], at, all[1]);
    let high = _mm512_permutex2var_epi32(all[2], at, all[3]);
    let is_high = _mm512_test_epi32_mask(at, _mm512_set1_epi32(2 * LANES as i32));
    _mm512_mask_mov_epi32(low, is_high, high)
}

/// Where one part of sixteen triples is in their three registers: part `axis` of triple `lane` is number
/// `3·lane + axis`, so no two are at the same place in two registers. Returns the place of each within its
/// register.
const fn apart(axis: usize) -> [i32; LANES] {
    let mut places = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        places[lane] = ((3 * lane + axis) % LANES) as i32;
        lane += 1;
    }
    places
}

/// For each place, the lane whose part is there, in whichever register.
const fn together(axis: usize) -> [i32; LANES] {
    let mut lanes = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        lanes[(3 * lane + axis) % LANES] = lane as i32;
        lane += 1;
    }
    lanes
}

/// A mask of the places in a register of triples that contain a part.
const fn holds(axis: usize, register: usize) -> u16 {
    let mut mask = 0;
    let mut place = 0;
    while place < LANES {
        if (LANES * register + place) % 3 == axis {
            mask |= 1 << place;
        }
        place += 1;
    }
    mask
}

const APART: [[i32; LANES]; 3] = [apart(0), apart(1), apart(2)];
const TOGETHER: [[i32; LANES]; 3] = [together(0), together(1), together(2)];
/// The masks of `holds`, by axis and register.
const HOLDS: [[u16; 3]; 3] = [
    [holds(0, 0), holds(0, 1), holds(0, 2)],
    [holds(1, 0), holds(1, 1), holds(1, 2)],
    [holds(2, 0), holds(2, 1), holds(2, 2)],
];

/// One part of sixteen triples. It is first selected from the three registers, which any execution unit of
/// the processor can do. It is then put in order once, which only few can.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn part(triples: [__m512; 3], axis: usize) -> __m512 {
    let two = _mm512_mask_mov_ps(triples[0], HOLDS[axis][1], triples[1]);
    let all = _mm512_mask_mov_ps(two, HOLDS[axis][2], triples[2]);
    _mm512_permutexvar_ps(ints(&APART[axis], 0), all)
}

/// Builds sixteen triples from their parts.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn triples(parts: [__m512; 3]) -> [__m512; 3] {
    let [x, y, z] =
        [0, 1, 2].map(|axis| _mm512_permutexvar_ps(ints(&TOGETHER[axis], 0), parts[axis]));
    [0, 1, 2].map(|register| {
        let x_and_y = _mm512_mask_mov_ps(x, HOLDS[1][register], y);
        _mm512_mask_mov_ps(x_and_y, HOLDS[2][register], z)
    })
}

/// Sixteen places or velocities, as triples.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn places(from: &[Vec3], at: usize) -> [__m512; 3] {
    const { assert!(size_of::<Vec3>() == 12) }
    let from = from[at..at + LANES].as_ptr().cast::<f32>();
    // SAFETY: three registers are sixteen triples of floats, exactly what there is.
    [0, 1, 2].map(|register| unsafe { _mm512_loadu_ps(from.add(register * LANES)) })
}

/// Sixteen wishes as triples: the velocity along X, bits that are all 0 if the unit is not to jump, and the
/// velocity along Z.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn wishes(from: &[Wish; LANES]) -> [__m512; 3] {
    const { assert!(size_of::<Wish>() == 12) }
    let from = from.as_ptr().cast::<f32>();
    // SAFETY: three registers are sixteen times three words, exactly what there is. A wish is three words
    // without padding (`repr(C)`), and any bits of a word are a float.
    [0, 1, 2].map(|register| unsafe { _mm512_loadu_ps(from.add(register * LANES)) })
}

/// Writes sixteen wishes from the parts that [`wishes`] reads.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn store_wishes(to: &mut [Wish; LANES], parts: [__m512; 3]) {
    const { assert!(size_of::<Wish>() == 12) }
    for (register, words) in triples(parts).into_iter().enumerate() {
        // SAFETY: the same bounds as when they are read; any bits are a wish.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr().cast::<f32>().add(register * LANES), words) }
    }
}

/// The places of the first numbers of sixteen pairs in two registers, and of the second numbers.
const EVEN: [i32; LANES] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
const ODD: [i32; LANES] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31];

/// Sixteen sectors: along X and along Z.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn sectors(from: &[SectorCoord], at: usize) -> [__m512i; 2] {
    const { assert!(size_of::<SectorCoord>() == 8) }
    const { assert!(std::mem::offset_of!(SectorCoord, x) == 0) }
    const { assert!(std::mem::offset_of!(SectorCoord, z) == 4) }
    let from = from[at..at + LANES].as_ptr().cast::<i32>();
    // SAFETY: two registers are sixteen pairs of integers, exactly what there is.
    let both = [0, 1].map(|half| unsafe { _mm512_loadu_si512(from.add(half * LANES).cast()) });
    [EVEN, ODD].map(|order| _mm512_permutex2var_epi32(both[0], ints(&order, 0), both[1]))
}

/// The source of the parts of eight pairs: first numbers are below 16, second numbers above.
const PAIRED: [[i32; LANES]; 2] = [
    [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23],
    [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31],
];

/// Writes sixteen pairs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn store_pairs(to: &mut [[f32; 2]; LANES], [first, second]: [__m512; 2]) {
    for (half, order) in PAIRED.iter().enumerate() {
        let pairs = _mm512_permutex2var_ps(first, ints(order, 0), second);
        store(to.as_flattened_mut(), half * LANES, pairs);
    }
}

/// The parts of sixteen pairs in two registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(crate) fn pairs_apart(both: [__m512; 2]) -> [__m512; 2] {
    [EVEN, ODD].map(|order| _mm512_permutex2var_ps(both[0], ints(&order, 0), both[1]))
}
