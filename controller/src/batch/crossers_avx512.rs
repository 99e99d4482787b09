//! The ground that units enter, with AVX-512: operation by operation the same as
//! [`Heights`](super::crossers::Heights). A test verifies that no bit differs.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::ops::Range;

use super::crossers::Crossers;
use super::lanes_avx512::{columns, height_in_cells};
use crate::lanes::avx512::{floats, store};
use crate::units::cells::LANES;

/// See [`Crossers::find_heights`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
pub(crate) fn find_heights(crossers: &mut Crossers, which: Range<usize>, quantum: f32) {
    let Crossers { u, v, quanta, corners, height, .. } = crossers;
    let quantum = _mm512_set1_ps(quantum);
    for first in which.step_by(LANES) {
        let from = quanta[first..first + LANES].as_ptr().cast::<i32>();
        let to = &mut corners[first..first + LANES];
        for four in 0..4 {
            // SAFETY: sixteen of sixteen times four numbers; each list was just cut to exactly that many.
            unsafe {
                let quanta = _mm512_loadu_si512(from.add(four * LANES).cast());
                let metres = _mm512_mul_ps(_mm512_cvtepi32_ps(quanta), quantum);
                _mm512_storeu_ps(to.as_mut_ptr().cast::<f32>().add(four * LANES), metres);
            }
        }
        if let Some(corners) = to.as_array() {
            let height_there =
                height_in_cells(columns(corners), [floats(u, first), floats(v, first)]);
            store(height, first, height_there);
        }
    }
}
