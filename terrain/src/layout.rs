//! The bytes of files, as `FORMAT.md` has them: offsets, sizes, magic numbers and versions, a module for each kind
//! of file. For what looks into files by itself: checks, fuzzing, tools. Worlds are read through
//! [`World`](crate::World), and sectors through [`LoadedSector`](crate::LoadedSector).

/// Sector files.
pub mod sector {
    pub use crate::format::layout::*;
}

/// Mesh files.
pub mod mesh {
    pub use crate::props::mesh_layout::*;
}

/// Manifests: the root, and blocks of records of sectors and meshes.
pub mod manifest {
    pub use crate::store::manifest::index::{
        BLOCK_BYTES, BLOCK_HEADER_BYTES, INNER_KEYS, LEAF_RECORDS, RECORD_BYTES, entry,
    };
    pub use crate::store::manifest::layout::*;
}

/// Packs: many files in one.
pub mod pack {
    pub use crate::store::pack::layout::*;
}
