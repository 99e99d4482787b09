//! Names of the files and folders of a world. Paths are relative to the world's folder, with
//! forward slashes.
//!
//! ```text
//! bake.lock                                             held by the running bake
//! manifest-0000000007                                   one for each published generation
//! sectors/+000_-001/+003_-001-5f3a91c20b7de846.sector   block folder, coordinates, content
//! meshes/5f/5f3a91c20b7de8465f3a91c20b7de846.mesh       the hash, in a folder of its first byte
//! spool/+000_-001/+003_-001.sector.tmp                  only while a bake runs
//! sectors/+000_-001.pack, meshes/5f.pack                in a packed world: one file for each folder
//! ```
//!
//! A block folder holds 32 × 32 sectors, so that a million sectors spread over a thousand folders.

use super::manifest::index;
use super::pack::layout::{PackId, PackKind};
use crate::math::SectorCoord;
use crate::props::MeshHash;

/// The file that a bake holds an exclusive lock on: only one bake runs at a time.
pub const LOCK: &str = "bake.lock";
/// The folder of all sector files.
pub const SECTORS: &str = "sectors";
/// The folder of all mesh files.
pub const MESHES: &str = "meshes";
/// The folder of temporary files of a running bake.
pub const SPOOL: &str = "spool";
/// Suffix of the name of an unfinished file.
pub(crate) const TEMP_SUFFIX: &str = ".tmp";

/// Prefix of the name of a manifest; its generation follows.
pub const MANIFEST_PREFIX: &str = "manifest-";
const SECTOR_SUFFIX: &str = ".sector";
const MESH_SUFFIX: &str = ".mesh";
const SPOOL_SUFFIX: &str = ".sector.tmp";
const PACK_SUFFIX: &str = ".pack";
/// Sectors along a side of a block, as a power of two.
const BLOCK_LOG2: u32 = 5;

/// `manifest-0000000007`.
pub(crate) fn manifest(generation: u64) -> String {
    format!("{MANIFEST_PREFIX}{generation:010}")
}

/// The generation in a manifest's name; `None` for other files.
pub(crate) fn parse_manifest(name: &str) -> Option<u64> {
    let generation = name.strip_prefix(MANIFEST_PREFIX)?.parse().ok()?;
    (manifest(generation) == name).then_some(generation)
}

/// `sectors/+000_-001`: the folder of the block that holds a sector.
pub(crate) fn block_folder(coord: SectorCoord) -> String {
    format!("{SECTORS}/{}", block(coord))
}

/// `+000_-001`.
fn block(coord: SectorCoord) -> String {
    let (x, z) = (coord.x >> BLOCK_LOG2, coord.z >> BLOCK_LOG2);
    format!("{x:+04}_{z:+04}")
}

/// `+003_-001-5f3a91c20b7de846.sector`: the name contains the first half of the content hash.
pub(crate) fn sector_file(coord: SectorCoord, content_hash: u128) -> String {
    let hash = (content_hash >> 64) as u64;
    format!("{:+04}_{:+04}-{hash:016x}{SECTOR_SUFFIX}", coord.x, coord.z)
}

/// Whether a name has the form that [`block_folder`] gives.
pub(super) fn is_block_folder(name: &str) -> bool {
    let block = name.split_once('_').and_then(|(x, z)| Some((x.parse().ok()?, z.parse().ok()?)));
    block.is_some_and(|(x, z): (i32, i32)| format!("{x:+04}_{z:+04}") == name)
}

/// The path of a sector's file.
pub(crate) fn sector_path(coord: SectorCoord, content_hash: u128) -> String {
    format!("{}/{}", block_folder(coord), sector_file(coord, content_hash))
}

/// The coordinates and the first half of the content hash in a sector file's name; `None` for other
/// files.
pub(crate) fn parse_sector(name: &str) -> Option<(SectorCoord, u64)> {
    let stem = name.strip_suffix(SECTOR_SUFFIX)?;
    let (place, hash) = stem.rsplit_once('-')?;
    let (x, z) = place.split_once('_')?;
    let coord = SectorCoord::new(x.parse().ok()?, z.parse().ok()?);
    let hash = u64::from_str_radix(hash, 16).ok()?;
    (sector_file(coord, u128::from(hash) << 64) == name).then_some((coord, hash))
}

/// `meshes/5f`: the folder of the meshes whose hashes share the first byte.
pub(crate) fn mesh_folder(hash: MeshHash) -> String {
    format!("{MESHES}/{:02x}", hash.0 >> 120)
}

/// Whether a name has the form that [`mesh_folder`] gives.
fn is_mesh_folder(name: &str) -> bool {
    u8::from_str_radix(name, 16).is_ok_and(|byte| format!("{byte:02x}") == name)
}

/// Whether a name is that of a block folder in `sectors`, or of a folder of meshes in `meshes`.
pub(crate) fn is_inner_folder(within: &str, name: &str) -> bool {
    match within {
        SECTORS => is_block_folder(name),
        MESHES => is_mesh_folder(name),
        _ => false,
    }
}

/// The path of a mesh's file.
pub(crate) fn mesh_path(hash: MeshHash) -> String {
    format!("{}/{hash}{MESH_SUFFIX}", mesh_folder(hash))
}

/// The hash in a mesh file's name; `None` for other files.
pub(crate) fn parse_mesh(name: &str) -> Option<MeshHash> {
    let stem = name.strip_suffix(MESH_SUFFIX)?;
    let hash = MeshHash(u128::from_str_radix(stem, 16).ok()?);
    (hash.to_string() == stem).then_some(hash)
}

/// `spool/+000_-001`: the folder of the spooled sectors of a block.
pub(crate) fn spool_folder(coord: SectorCoord) -> String {
    format!("{SPOOL}/{}", block(coord))
}

/// The path of a spooled sector's file.
pub(crate) fn spool_path(coord: SectorCoord) -> String {
    format!("{}/{:+04}_{:+04}{SPOOL_SUFFIX}", spool_folder(coord), coord.x, coord.z)
}

/// Whether a name is that of a spooled sector's file.
pub(crate) fn is_spooled(name: &str) -> bool {
    let place = name.strip_suffix(SPOOL_SUFFIX).and_then(|place| place.split_once('_'));
    let coord = place.and_then(|(x, z)| Some(SectorCoord::new(x.parse().ok()?, z.parse().ok()?)));
    coord.is_some_and(|coord| spool_path(coord).ends_with(&format!("/{name}")))
}

/// The location of a file in a packed world.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PackPlace<'a> {
    /// The pack's path.
    pub(crate) pack: String,
    /// The file's key in the pack.
    pub(crate) key: u128,
    /// The file's bare name.
    pub(crate) name: &'a str,
}

/// The location in a packed world of the file with a path; `None` unless it is a sector or mesh in
/// its own folder.
pub(crate) fn in_pack(path: &str) -> Option<PackPlace<'_>> {
    let (folder, name) = path.rsplit_once('/')?;
    let (key, own_folder) = if let Some((coord, hash)) = parse_sector(name) {
        (sector_key(coord, hash), block_folder(coord))
    } else {
        let hash = parse_mesh(name)?;
        (hash.0, mesh_folder(hash))
    };
    (own_folder == folder).then(|| PackPlace { pack: pack_of(folder), key, name })
}

/// A sector's key in its pack: its key in the manifest's index, then the first half of its content
/// hash.
pub(crate) fn sector_key(coord: SectorCoord, hash: u64) -> u128 {
    u128::from(index::key(coord)) << 64 | u128::from(hash)
}

/// The name of the file with a key.
pub(crate) fn packed_file(kind: PackKind, key: u128) -> String {
    match kind {
        PackKind::Sectors => sector_file(index::coord_of_key((key >> 64) as u64), key << 64),
        PackKind::Meshes => format!("{}{MESH_SUFFIX}", MeshHash(key)),
    }
}

/// `sectors/+000_-001.pack`: the pack that replaces a folder.
pub(crate) fn pack_of(folder: &str) -> String {
    format!("{folder}{PACK_SUFFIX}")
}

/// The name of the folder that a pack in `sectors` or `meshes` replaces; `None` for other files.
pub(crate) fn folder_of_pack<'a>(within: &str, name: &'a str) -> Option<&'a str> {
    let folder = name.strip_suffix(PACK_SUFFIX)?;
    is_inner_folder(within, folder).then_some(folder)
}

/// Which files belong in the pack with a path; `None` for other files.
pub(crate) fn pack_id(path: &str) -> Option<PackId> {
    let (within, name) = path.split_once('/')?;
    let folder = folder_of_pack(within, name)?;
    let Some((x, z)) = folder.split_once('_') else {
        let first = u128::from_str_radix(folder, 16).ok()?;
        return Some(PackId::of(PackKind::Meshes, first << 120));
    };
    let corner = |block: &str| block.parse::<i32>().ok()?.checked_mul(1 << BLOCK_LOG2);
    let coord = SectorCoord::new(corner(x)?, corner(z)?);
    Some(PackId::of(PackKind::Sectors, sector_key(coord, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let hash = 0x5f3a_91c2_0b7d_e846_u128 << 64 | 7;
        let coord = SectorCoord::new(3, -1);
        let path = sector_path(coord, hash);
        assert_eq!(path, "sectors/+000_-001/+003_-001-5f3a91c20b7de846.sector");
        let far = SectorCoord::new(i32::MIN, i32::MAX);
        for coord in [coord, far, SectorCoord::new(-1, -33), SectorCoord::new(0, 1000)] {
            let name = sector_file(coord, hash);
            assert_eq!(parse_sector(&name), Some((coord, (hash >> 64) as u64)), "{name}");
            let folder = block_folder(coord);
            assert!(is_block_folder(folder.strip_prefix("sectors/").unwrap()), "{folder}");
        }
        for coord in [coord, far, SectorCoord::new(-1, -33)] {
            let path = spool_path(coord);
            let (folder, name) = path.rsplit_once('/').unwrap();
            assert_eq!(folder, spool_folder(coord));
            assert!(is_spooled(name) && parse_sector(name).is_none(), "{name}");
        }
        assert_eq!(spool_path(coord), "spool/+000_-001/+003_-001.sector.tmp");
        for hash in [0, 5, 0x05_u128 << 120, u128::MAX].map(MeshHash) {
            let path = mesh_path(hash);
            let (folder, name) = path.rsplit_once('/').unwrap();
            assert_eq!(folder, mesh_folder(hash));
            assert!(is_mesh_folder(folder.strip_prefix("meshes/").unwrap()), "{folder}");
            assert_eq!(parse_mesh(name), Some(hash), "{name}");
        }
        let path = mesh_path(MeshHash(0x5f3a_91c2_0b7d_e846 << 64 | 7));
        assert_eq!(path, "meshes/5f/5f3a91c20b7de8460000000000000007.mesh");
        assert_eq!(manifest(7), "manifest-0000000007");
        for generation in [1, 7, 9_999_999_999, u64::MAX] {
            assert_eq!(parse_manifest(&manifest(generation)), Some(generation));
        }
    }

    #[test]
    fn every_file_has_its_pack_and_is_named_by_its_key() {
        let hash = 0x5f3a_91c2_0b7d_e846_u128 << 64;
        let far = SectorCoord::new(i32::MIN, i32::MAX);
        for coord in [SectorCoord::new(3, -1), far, SectorCoord::new(-33, 4000)] {
            let path = sector_path(coord, hash);
            let at = in_pack(&path).unwrap();
            assert_eq!(at.pack, format!("{}.pack", block_folder(coord)));
            assert_eq!(packed_file(PackKind::Sectors, at.key), at.name);
            assert_eq!(pack_id(&at.pack), Some(PackId::of(PackKind::Sectors, at.key)));
            // The last sector of its block is in the same pack, the next sector is not.
            let last = SectorCoord::new(coord.x | 31, coord.z | 31);
            assert_eq!(in_pack(&sector_path(last, hash)).unwrap().pack, at.pack);
            assert_eq!(pack_id(&at.pack), Some(PackId::of(PackKind::Sectors, sector_key(last, 1))));
            if let Some(next) = last.offset(1, 0) {
                let next = PackId::of(PackKind::Sectors, sector_key(next, 0));
                assert_ne!(pack_id(&at.pack), Some(next));
            }
        }
        for hash in [0, 5, 0x05_u128 << 120 | 9, u128::MAX].map(MeshHash) {
            let path = mesh_path(hash);
            let at = in_pack(&path).unwrap();
            assert_eq!(at.pack, format!("{}.pack", mesh_folder(hash)));
            assert_eq!(packed_file(PackKind::Meshes, at.key), at.name);
            assert_eq!(pack_id(&at.pack), Some(PackId::of(PackKind::Meshes, hash.0)));
        }
        for path in [
            "sectors/+001_-001/+003_-001-5f3a91c20b7de846.sector",
            "+003_-001-5f3a91c20b7de846.sector",
            "meshes/5e/5f3a91c20b7de8465f3a91c20b7de846.mesh",
            "spool/+000_-001/+003_-001.sector.tmp",
            "manifest-0000000007",
        ] {
            assert_eq!(in_pack(path), None, "{path}");
        }
        for path in [
            "sectors/+000_-001.pack.tmp",
            "sectors/0_-1.pack",
            "sectors/+999999999_+000.pack",
            "meshes/+000_-001.pack",
            "meshes/5F.pack",
            "5f.pack",
        ] {
            assert_eq!(pack_id(path), None, "{path}");
        }
    }

    #[test]
    fn names_of_other_files_are_not_taken_for_ours() {
        for name in
            ["", "manifest-", "manifest-7", "manifest-0000000007.tmp", "manifest-+000000007"]
        {
            assert_eq!(parse_manifest(name), None, "{name}");
        }
        for name in [
            "5f3a91c20b7de8465f3a91c20b7de84.mesh",
            "5F3A91C20B7DE8465F3A91C20B7DE846.mesh",
            "+f3a91c20b7de8465f3a91c20b7de846.mesh",
            "5f3a91c20b7de8465f3a91c20b7de846.mesh.tmp",
        ] {
            assert_eq!(parse_mesh(name), None, "{name}");
        }
        assert!(!["5F", "5", "+5", "05f", ""].into_iter().any(is_mesh_folder));
        assert!(!["+3_-001.sector.tmp", "+003_-001.sector", "x"].into_iter().any(is_spooled));
        for name in [
            "+003_-001-5f3a91c20b7de846.sector.tmp",
            "3_-1-5f3a91c20b7de846.sector",
            "+003_-001-5F3A91C20B7DE846.sector",
            "+003_-001-5f3a91c2.sector",
            "+003-001.sector",
            "+99999999999_+000-5f3a91c20b7de846.sector",
        ] {
            assert_eq!(parse_sector(name), None, "{name}");
        }
    }
}
