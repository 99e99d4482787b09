//! Units march over a world that is streamed, from storage that is slow, fails or vanishes: nobody is
//! ever below the ground, and where the result may not depend on a disk it does not, to the bit.
#![allow(clippy::unwrap_used, clippy::panic, unsafe_code)]

mod alike;
mod bad_storage;
mod late;
mod march;
mod wide;
