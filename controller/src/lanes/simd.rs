//! Code that is written for arrays, compiled for the lanes that this processor has.

#[cfg(target_arch = "x86_64")]
use crate::lanes::avx512;
#[cfg(target_arch = "x86_64")]
use crate::lanes::processor::{Widest, widest};

/// Work that is written for arrays. Only code that is inlined into it is compiled for wider lanes. It is not
/// a closure, because the compiler may leave a closure as a function of its own.
pub(crate) trait Lanewise {
    /// The result.
    type Output;

    /// Does the work. Must always be inlined.
    fn run(self) -> Self::Output;
}

/// Does work that is written for arrays, compiled for the widest lanes that this processor has.
#[inline(always)]
pub(crate) fn with_widest<W: Lanewise>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if avx512::is_here() {
            #[allow(unsafe_code)]
            // SAFETY: the processor was checked for what the function needs, and its body is safe code.
            return unsafe { with_avx512(work) };
        }
        if widest() == Widest::Avx2 {
            #[allow(unsafe_code)]
            // SAFETY: as above.
            return unsafe { with_avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn with_avx512<W: Lanewise>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: Lanewise>(work: W) -> W::Output {
    work.run()
}
