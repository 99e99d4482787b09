//! A sector's file with props added to it: its previous sections, byte for byte, and three more. The same
//! props give the same bytes, whatever their order.

use super::{EncodedSector, MeshCount, assemble, seal};
use crate::bytes::{u32_at, u64_at};
use crate::format::decode::SectorLayout;
use crate::format::decode::props::{check_extent, check_record};
use crate::format::error::{Section, SectorError};
use crate::format::layout::{
    FLAG_REQUIRED, HEADER_BYTES, PROP_BYTES, PROP_TREE_HEADER_BYTES, TABLE_ROW_BYTES, field, id_of,
    row,
};
use crate::math::Aabb;
use crate::props::{BuiltTree, MeshHash, PropRecord, write_record};

/// A mesh that records yet to be encoded refer to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshUse {
    /// The mesh.
    pub hash: MeshHash,
    /// A box around it.
    pub bounds: Aabb,
}

/// Makes the file of a sector with props from its file without props. `props` are all that reach into it, and
/// all whose origin lies in it. A record's `mesh` is an index into `meshes`; meshes that no record refers to
/// are left out.
///
/// # Errors
/// If `base` is not a valid sector or already has props, or a record is invalid: its values are checked as a
/// reader will check them.
pub fn with_props(
    base: &[u8],
    props: &[PropRecord],
    meshes: &[MeshUse],
) -> Result<EncodedSector, SectorError> {
    let layout = SectorLayout::check(base)?;
    let view = layout.view(base).ok_or(SectorError::Order { section: Section::Props })?;
    let range = view.field().pyramid().whole();
    let (coord, height_range) = (layout.coord(), range.map(|range| (range.min, range.max)));
    if props.is_empty() {
        let (bytes, content_hash) = (base.to_vec(), layout.content_hash());
        return Ok(EncodedSector { coord, bytes, content_hash, height_range, meshes: Vec::new() });
    }
    let parts = Parts::new(&layout, props, meshes)?;
    let mut sections = sections_of(base);
    for (section, payload) in [
        (Section::Props, parts.records),
        (Section::PropTree, parts.tree),
        (Section::Meshes, parts.hashes),
    ] {
        sections.push((id_of(section), FLAG_REQUIRED, payload));
    }
    sections.sort_by_key(|(id, ..)| *id);
    let rows: Vec<_> = sections.iter().map(|(id, flags, made)| (*id, *flags, made.len())).collect();
    let mut bytes = assemble(&base[..HEADER_BYTES], &rows, |index, bytes| {
        bytes.extend_from_slice(&sections[index].2);
    });
    let content_hash = seal(&mut bytes, sections.len());
    Ok(EncodedSector { coord, bytes, content_hash, height_range, meshes: parts.counts })
}

/// The three sections, and the data that they hold about each mesh.
struct Parts {
    records: Vec<u8>,
    tree: Vec<u8>,
    hashes: Vec<u8>,
    counts: Vec<MeshCount>,
}

impl Parts {
    fn new(
        layout: &SectorLayout,
        props: &[PropRecord],
        meshes: &[MeshUse],
    ) -> Result<Self, SectorError> {
        let (coord, grid) = (layout.coord(), layout.grid());
        let mesh_of = |(at, record): (u32, &PropRecord)| {
            let (found, expected) = (record.mesh.into(), "an index into the given list of meshes");
            let missing = SectorError::Prop { at, field: "mesh", found, expected };
            meshes.get(record.mesh as usize).ok_or(missing)
        };
        let used: Vec<&MeshUse> = (0..).zip(props).map(mesh_of).collect::<Result<_, _>>()?;
        let mut hashes: Vec<_> = used.iter().map(|mesh| mesh.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let mut made = Vec::with_capacity(props.len());
        for ((at, record), mesh) in (0..).zip(props).zip(&used) {
            let place = hashes.partition_point(|hash| *hash < mesh.hash) as u32;
            let record = PropRecord { mesh: place, ..*record };
            let bytes = write_record(&record, coord).map_err(|(field, found)| {
                let (found, expected) = (found.into(), "one within 32767 sectors");
                SectorError::Prop { at, field, found, expected }
            })?;
            let (key, _) = check_record(at, &bytes, coord, grid, hashes.len() as u32)?;
            check_extent(at, &record, &mesh.bounds, grid.sector_size())?;
            let bounds = record.box_in(coord, grid.sector_size(), &mesh.bounds);
            let is_own = record.sector == coord;
            made.push(EncodedRecord { key, at, bytes, bounds, is_own, mesh: place });
        }
        made.sort_unstable_by_key(|made| (made.key, made.at));
        if let Some(pair) = made.windows(2).find(|pair| pair[0].key == pair[1].key) {
            let (at, found) = (pair[1].at, f64::from(props[pair[1].at as usize].index));
            let expected = "a different one for each prop of a sector";
            return Err(SectorError::Prop { at, field: "index", found, expected });
        }
        let mut counts: Vec<_> = hashes.iter().map(|&hash| MeshCount { hash, props: 0 }).collect();
        made.iter().filter(|made| made.is_own).for_each(|made| {
            counts[made.mesh as usize].props += 1;
        });
        let boxes: Vec<_> = made.iter().map(|made| made.bounds).collect();
        let tree = BuiltTree::of(&boxes);
        Ok(Self {
            records: tree.order.iter().flat_map(|&at| made[at as usize].bytes).collect(),
            tree: tree_bytes(&tree),
            hashes: hashes.iter().flat_map(|hash| hash.0.to_le_bytes()).collect(),
            counts,
        })
    }
}

/// A record, encoded.
struct EncodedRecord {
    /// Owner and index.
    key: u64,
    /// Its index among those given.
    at: u32,
    bytes: [u8; PROP_BYTES],
    bounds: Aabb,
    is_own: bool,
    mesh: u32,
}

fn tree_bytes(tree: &BuiltTree) -> Vec<u8> {
    let corners = [tree.bounds.min.to_array(), tree.bounds.max.to_array()];
    let mut bytes: Vec<u8> = corners.iter().flatten().flat_map(|m| m.to_le_bytes()).collect();
    bytes.resize(PROP_TREE_HEADER_BYTES, 0);
    bytes.extend(tree.nodes.as_flattened());
    bytes
}

/// Number, flags and payload of each section of a file that has been checked.
fn sections_of(base: &[u8]) -> Vec<(u32, u32, Vec<u8>)> {
    let count = u32_at(base, field::SECTIONS) as usize;
    let rows = base[HEADER_BYTES..].chunks_exact(TABLE_ROW_BYTES).take(count);
    rows.map(|entry| {
        let (begin, length) = (u64_at(entry, row::OFFSET), u64_at(entry, row::LENGTH));
        let payload = base[begin as usize..][..length as usize].to_vec();
        (u32_at(entry, row::ID), u32_at(entry, row::FLAGS), payload)
    })
    .collect()
}
