//! The bytes of a sector file; `FORMAT.md` describes each of them.

mod blocks;
mod decode;
mod encode;
pub mod layout;

pub use decode::{SectorLayout, decode};
pub(crate) use encode::encode_rows;
pub use encode::{EncodedSector, encode};
