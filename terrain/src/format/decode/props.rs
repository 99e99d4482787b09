//! The props of a sector, from bytes to checked records. Three sections belong together: records,
//! the tree over their boxes, and the hashes of their meshes.
#![deny(clippy::indexing_slicing, clippy::as_conversions, clippy::arithmetic_side_effects)]

use std::ops::Range;
use std::sync::Arc;

use super::header::value;
use crate::bytes::{array, vec3_at};
use crate::format::error::{Section, SectorError};
use crate::format::layout::{
    MESH_HASH_BYTES, PROP_BYTES, PROP_TREE_HEADER_BYTES, PROP_TREE_NODE_BYTES, prop, prop_tree,
};
use crate::grid::Grid;
use crate::limits::PROP_HEIGHT_MAX;
use crate::math::{Aabb, SectorCoord, SectorSize};
use crate::props::{
    Collision, LoadedMesh, MeshHash, ORIGIN_STEP, PROP_EXTENT_MAX, PROP_SECTORS_MAX, PropRecord,
    SCALE_MAX, SCALE_MIN, SectorProps, Tree, read_record,
};

/// How far the squared length of a stored rotation may be from 1: each of four components was rounded once,
/// by at most 2⁻²⁵ of 1. A smaller value would reject valid rotations; a larger one would accept components
/// that no rotation has.
const UNIT_SLACK: f64 = 1e-6;

/// The positions of a sector's props in its bytes, all checked.
#[derive(Clone, Debug)]
pub(crate) struct PropsLayout {
    records: Range<usize>,
    nodes: Range<usize>,
    meshes: Range<usize>,
    bounds: Aabb,
    count: u32,
}

impl PropsLayout {
    /// Number of records.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Checks the three sections at the given ranges; `None` where all three are absent.
    pub(crate) fn check(
        bytes: &[u8],
        sections: [Option<Range<usize>>; 3],
        coord: SectorCoord,
        grid: Grid,
    ) -> Result<Option<Self>, SectorError> {
        let (records, tree, meshes) = match sections {
            [None, None, None] => return Ok(None),
            [Some(records), Some(tree), Some(meshes)] => (records, tree, meshes),
            [None, ..] => return Err(SectorError::Missing { section: Section::Props }),
            [_, None, _] => return Err(SectorError::Missing { section: Section::PropTree }),
            [_, _, None] => return Err(SectorError::Missing { section: Section::Meshes }),
        };
        let props = entries(Section::Props, &records, PROP_BYTES)?;
        let hashes = entries(Section::Meshes, &meshes, MESH_HASH_BYTES)?;
        check_hashes(bytes.get(meshes.clone()).unwrap_or_default())?;
        let stored = bytes.get(records.clone()).unwrap_or_default().as_chunks().0;
        check_records(stored, coord, grid, hashes)?;
        let (bounds, nodes) = check_tree(bytes, tree, props)?;
        Ok(Some(Self { records, nodes, meshes, bounds, count: props }))
    }

    /// The props, as seen from a place; `None` if the bytes are too short or the meshes too few.
    pub(crate) fn view<'a>(
        &self,
        bytes: &'a [u8],
        meshes: &'a [Arc<LoadedMesh>],
        place: SectorCoord,
    ) -> Option<SectorProps<'a>> {
        let records = bytes.get(self.records.clone())?.as_chunks().0;
        let nodes = bytes.get(self.nodes.clone())?.as_chunks().0;
        let has_meshes = meshes.len() == self.meshes.len().checked_div(MESH_HASH_BYTES)?;
        let tree = Tree::new(self.bounds, nodes, self.count);
        has_meshes.then(|| SectorProps::new(place, records, tree, meshes))
    }

    /// The hashes of the meshes that records refer to, in their order.
    pub(crate) fn mesh_hashes<'a>(
        &self,
        bytes: &'a [u8],
    ) -> impl Iterator<Item = MeshHash> + use<'a> {
        let hashes = bytes.get(self.meshes.clone()).unwrap_or_default().as_chunks().0;
        hashes.iter().map(|hash| MeshHash(u128::from_le_bytes(*hash)))
    }
}

/// Fails unless each prop's mesh is as the prop's record requires, and the tree leads to the prop.
pub(crate) fn check_meshes(props: &SectorProps<'_>, size: SectorSize) -> Result<(), SectorError> {
    for at in 0..props.len() {
        let record = props.record(at);
        let mesh = props.mesh(&record);
        if record.collision == Collision::Solid && !mesh.is_closed() {
            let expected = "0 (triangles only), because its mesh is not closed";
            return Err(SectorError::Prop { at, field: "collision", found: 1.0, expected });
        }
        check_extent(at, &record, &mesh.bounds(), size)?;
    }
    if props.is_empty() || props.is_tree_sound(size) {
        return Ok(());
    }
    let (found, expected) = (props.len().into(), "all within the tree's boxes");
    Err(value(Section::PropTree, "number of props", found, expected))
}

/// Fails if a box around a prop exceeds what positions of vertices can represent, or reaches into more
/// sectors than are searched for one prop.
pub(crate) fn check_extent(
    at: u32,
    record: &PropRecord,
    mesh: &Aabb,
    size: SectorSize,
) -> Result<(), SectorError> {
    let placed = record.placement.placed_bounds(mesh);
    for metres in [placed.min.to_array(), placed.max.to_array()].into_iter().flatten() {
        if !(-PROP_EXTENT_MAX..=PROP_EXTENT_MAX).contains(&metres) {
            let (field, expected) = ("reach from its origin", "at most 65536 m");
            return Err(SectorError::Prop { at, field, found: f64::from(metres), expected });
        }
    }
    let sectors = record.sector_count(size, mesh);
    if sectors > PROP_SECTORS_MAX {
        let (field, expected) = ("number of sectors that it reaches", "at most 4096");
        // Beyond `u32` the exact number does not matter.
        let found = f64::from(u32::try_from(sectors).unwrap_or(u32::MAX));
        return Err(SectorError::Prop { at, field, found, expected });
    }
    Ok(())
}

/// Number of entries in a section, which must have at least one.
fn entries(section: Section, range: &Range<usize>, entry_bytes: usize) -> Result<u32, SectorError> {
    let length = range.len();
    let is_whole = length > 0 && length.checked_rem(entry_bytes) == Some(0);
    let count = length.checked_div(entry_bytes).filter(|_| is_whole);
    count.and_then(|count| u32::try_from(count).ok()).ok_or_else(|| {
        let found = i64::try_from(length).unwrap_or(i64::MAX);
        value(section, "bytes", found, "one or more whole entries")
    })
}

fn check_hashes(hashes: &[u8]) -> Result<(), SectorError> {
    let hash = |bytes: &[u8; MESH_HASH_BYTES]| u128::from_le_bytes(*bytes);
    let hashes = hashes.as_chunks().0;
    let mut pairs = hashes.iter().zip(hashes.iter().skip(1));
    let Some(at) = pairs.position(|(a, b)| hash(a) >= hash(b)) else { return Ok(()) };
    let found = i64::try_from(at).unwrap_or(i64::MAX);
    Err(value(Section::Meshes, "hash number", found, "less than the next one"))
}

/// Checks each record, that none occurs twice, and that each mesh is used.
fn check_records(
    records: &[[u8; PROP_BYTES]],
    coord: SectorCoord,
    grid: Grid,
    meshes: u32,
) -> Result<(), SectorError> {
    let mut used = vec![false; usize::try_from(meshes).unwrap_or_default()];
    let mut ids = Vec::with_capacity(records.len());
    for (at, record) in (0_u32..).zip(records) {
        ids.push(check_record(at, record, coord, grid, meshes)?);
        let mesh = u32::from_le_bytes(array(record, prop::MESH));
        if let Some(used) = usize::try_from(mesh).ok().and_then(|mesh| used.get_mut(mesh)) {
            *used = true;
        }
    }
    ids.sort_unstable();
    let pairs = ids.iter().zip(ids.iter().skip(1));
    if let Some(twice) = pairs.filter(|(a, b)| a.0 == b.0).map(|(_, b)| b.1).next() {
        let index = records.get(usize::try_from(twice).unwrap_or_default());
        let index = index.map_or(0, |record| u32::from_le_bytes(array(record, prop::INDEX)));
        let expected = "a different one for each prop of a sector";
        return Err(SectorError::Prop { at: twice, field: "index", found: index.into(), expected });
    }
    if let Some(unused) = used.iter().position(|used| !used) {
        let found = i64::try_from(unused).unwrap_or(i64::MAX);
        return Err(value(Section::Meshes, "hash number", found, "one that a prop refers to"));
    }
    Ok(())
}

/// Checks a record. Returns owner and index as a key, with the record's number.
pub(crate) fn check_record(
    at: u32,
    bytes: &[u8; PROP_BYTES],
    coord: SectorCoord,
    grid: Grid,
    meshes: u32,
) -> Result<(u64, u32), SectorError> {
    let wrong = |field, found: f64, expected| Err(SectorError::Prop { at, field, found, expected });
    let offset = |at| i16::from_le_bytes(array(bytes, at));
    let (x, z) = (offset(prop::OWNER_X), offset(prop::OWNER_Z));
    for (field, by, offset) in
        [("owner x", x, coord.offset(x.into(), 0)), ("owner z", z, coord.offset(0, z.into()))]
    {
        if offset.is_none() {
            return wrong(field, by.into(), "an offset to a sector with 32-bit coordinates");
        }
    }
    let record = read_record(bytes, coord);
    if record.mesh >= meshes {
        return wrong("mesh", record.mesh.into(), "an index into the sector's list of meshes");
    }
    let half = f64::from(grid.sector_size().half());
    let [x_metres, y_metres, z_metres] = record.position.to_array().map(f64::from);
    for (field, metres, is_within) in [
        ("x", x_metres, -half <= x_metres && x_metres < half),
        // The greatest height of ground is allowed.
        ("y", y_metres, (-PROP_HEIGHT_MAX..=PROP_HEIGHT_MAX).contains(&y_metres)),
        ("z", z_metres, -half <= z_metres && z_metres < half),
    ] {
        if !is_within {
            return wrong(field, metres, "metres within its sector, or a height within 2^27 m");
        }
        let steps = metres / ORIGIN_STEP;
        if steps.fract() != 0.0 {
            return wrong(field, metres, "a multiple of 2^-16 m");
        }
    }
    let rotation = record.placement.rotation().quaternion().map(f64::from);
    let off = rotation.iter().fold(-1.0, |sum, part| sum + part * part);
    let [.., w] = rotation;
    if !(-UNIT_SLACK..=UNIT_SLACK).contains(&off) || w < 0.0 {
        return wrong(
            "rotation's squared length less 1, or w",
            if w < 0.0 { w } else { off },
            "0, and w not negative",
        );
    }
    let scale = record.placement.scale();
    if !(SCALE_MIN..=SCALE_MAX).contains(&scale) {
        return wrong("scale", scale.into(), "1/1024 to 1024");
    }
    let [collision, spare @ ..]: [u8; 3] = array(bytes, prop::COLLISION);
    if collision > 1 {
        return wrong("collision", collision.into(), "0 or 1");
    }
    if let Some(&bad) = spare.iter().find(|&&byte| byte != 0) {
        return wrong("reserved byte", bad.into(), "0");
    }
    let [[a, b], [c, d]] = [z.to_le_bytes(), x.to_le_bytes()];
    let [e, f, g, h] = record.index.to_le_bytes();
    Ok((u64::from_le_bytes([e, f, g, h, c, d, a, b]), at))
}

/// Checks the tree; returns the box around it and the range of its nodes.
fn check_tree(
    bytes: &[u8],
    tree: Range<usize>,
    props: u32,
) -> Result<(Aabb, Range<usize>), SectorError> {
    let wrong = |field, found, expected| Err(value(Section::PropTree, field, found, expected));
    let length = i64::try_from(tree.len()).unwrap_or(i64::MAX);
    let begin = tree.start.saturating_add(PROP_TREE_HEADER_BYTES);
    let nodes = begin..tree.end;
    let is_whole = nodes.len().checked_rem(PROP_TREE_NODE_BYTES) == Some(0);
    let head = bytes.get(tree.start..begin).filter(|_| begin <= tree.end && is_whole);
    let Some(head) = head else {
        return wrong("bytes", length, "64 bytes and then whole nodes of 64 bytes");
    };
    if let Some(&bad) = head.iter().skip(prop_tree::RESERVED).find(|&&byte| byte != 0) {
        return wrong("reserved byte", bad.into(), "0");
    }
    let bounds = Aabb { min: vec3_at(head, prop_tree::MIN), max: vec3_at(head, prop_tree::MAX) };
    if bounds.is_empty() || !bounds.min.is_finite() || !bounds.max.is_finite() {
        return wrong("box", 0, "finite, and not empty");
    }
    let stored = bytes.get(nodes.clone()).unwrap_or_default().as_chunks().0;
    if Tree::new(bounds, stored, props).check() {
        Ok((bounds, nodes))
    } else {
        wrong("nodes", i64::try_from(stored.len()).unwrap_or(i64::MAX), "a tree over all props")
    }
}
