//! The bytes of a sector file; `FORMAT.md` describes each of them.
//!
//! ```text
//! written  encode          a finished sector ─▶ bytes; encode/props: the same file with props
//!            blocks          heights and slopes of its blocks
//! read     loaded          bytes ─▶ a sector in memory, with the meshes of its props
//!            decode          every byte, once, in this order; after that the type is the proof
//!              header          magic, version, sizes, the table of sections, checksums
//!              contents        props (decode/props: records, their tree, hashes of meshes), heights
//! both     layout, error   where each byte is; why bytes are invalid
//! ```

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
