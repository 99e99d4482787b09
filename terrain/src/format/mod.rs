//! The bytes of a sector file; `FORMAT.md` describes each of them.

mod blocks;
mod decode;
mod encode;
pub(crate) mod error;
pub(crate) mod layout;
pub(crate) mod loaded;

pub(crate) use decode::KeptHeights;
#[doc(hidden)]
pub use decode::SectorLayout;
pub(crate) use encode::encode_rows;
pub use encode::props::{MeshUse, with_props};
pub use encode::{EncodedSector, MeshCount, encode};
pub(crate) use error::SectorError;
pub use loaded::decode;
pub(crate) use loaded::{LoadedSector, SectorView, next_stamp};
