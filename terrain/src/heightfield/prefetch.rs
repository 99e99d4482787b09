//! Asking for samples before they are needed.

use super::{HeightfieldView, Samples};

impl HeightfieldView<'_> {
    /// Asks the processor to fetch the corners of a cell: whoever looks at many cells at random asks for
    /// some before it looks at the first. Changes nothing but time. Cells that are not there are left
    /// out.
    #[inline]
    pub fn prefetch(&self, column: u32, row: u32) {
        let stride = self.cells() as usize + 3;
        let north = (row as usize + 1) * stride + column as usize + 1;
        match self.samples {
            Samples::Narrow(samples) => prefetch_pair(samples, north, stride),
            Samples::Wide(samples) => prefetch_pair(samples, north, stride),
        }
    }
}

#[inline]
fn prefetch_pair<T>(samples: &[T], north: usize, stride: usize) {
    for at in [north, north + stride] {
        if let Some(sample) = samples.get(at) {
            hint(sample);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn hint<T>(at: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    #[allow(unsafe_code)]
    // SAFETY: a prefetch reads and writes nothing that a program can see, whatever the address; this one
    // is a reference's. SSE, of which it is, is part of every x86-64 processor.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(at).cast());
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn hint<T>(_at: &T) {}
