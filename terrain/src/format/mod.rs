//! The bytes of a sector file; `FORMAT.md` describes each of them.

mod blocks;
mod decode;
mod decode_header;
mod decode_props;
mod encode;
mod encode_props;
pub mod layout;

pub use decode::{SectorLayout, decode};
pub(crate) use decode_props::check_meshes;
pub(crate) use encode::encode_rows;
pub use encode::{EncodedSector, MeshCount, encode};
pub use encode_props::{MeshUse, with_props};
