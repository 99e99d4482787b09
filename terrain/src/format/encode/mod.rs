//! Encodes a finished sector as the bytes of its file. The same sector gives the same bytes on
//! every machine.

pub(super) mod props;

use xxhash_rust::xxh3::xxh3_64;

use super::blocks::Blocks;
use super::decode::header::content_hash_of;
use super::error::Section;
use super::layout::{
    FLAG_REQUIRED, HEADER_BYTES, MAGIC, SECTION_TAIL_BYTES, TABLE_ROW_BYTES, VERSION, aligned,
    field, id_of, row, section_bytes,
};
use crate::bytes::checksum_but;
use crate::heightfield::{CellKind, CellRect, cell_bits_stride};
use crate::math::SectorCoord;
use crate::props::MeshHash;
use crate::sector::{SectorData, SectorRows, SurfaceLayer};

/// A sector's file, and the data that the manifest stores about it.
#[derive(Clone, Debug)]
pub struct EncodedSector {
    /// The sector's coordinates.
    pub coord: SectorCoord,
    /// The file.
    pub bytes: Vec<u8>,
    /// XXH3-128 of the header and section table, which hold the checksums of everything else.
    pub content_hash: u128,
    /// Lowest and highest ground, in quanta; `None` where every cell is a hole.
    pub height_range: Option<(i32, i32)>,
    /// The meshes of its props, in ascending order.
    pub meshes: Vec<MeshCount>,
}

/// How often a sector uses a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshCount {
    /// The mesh.
    pub hash: MeshHash,
    /// Number of props with this mesh whose origin lies in the sector; 0 if they only reach into it.
    pub props: u64,
}

/// Encodes a sector as the bytes of its file.
#[must_use]
pub fn encode(coord: SectorCoord, sector: &SectorData) -> EncodedSector {
    encode_rows(coord, &sector.rows())
}

/// As [`encode`], for rows that need not be contiguous.
pub(crate) fn encode_rows(coord: SectorCoord, sector: &SectorRows<'_>) -> EncodedSector {
    let blocks = Blocks::of(sector);
    let (low, high) = blocks.range_with_apron(sector).unwrap_or((0, 0));
    let wide = high - low > i32::from(u16::MAX);
    let covered = covered_rect(sector);
    // The heights are most of a file: they are written directly into it.
    let mut sections = vec![(Section::Heights, None)];
    let mut push = |section, bytes| sections.push((section, Some(bytes)));
    if let Some(bits) = cell_bits(sector, |kind, _, _| kind == CellKind::Hole) {
        push(Section::Holes, bits);
    }
    let outside_in_rect =
        |kind, column, row| kind == CellKind::Outside && covered.contains(column, row);
    if let Some(bits) = cell_bits(sector, outside_in_rect) {
        push(Section::Outside, bits);
    }
    let surface = match sector.surfaces() {
        SurfaceLayer::Uniform(surface) => surface.0,
        SurfaceLayer::PerCell(ids) => {
            push(Section::Surfaces, ids.clone());
            0
        }
    };
    push(Section::Pyramid, pyramid(&blocks, low, wide));
    let height_range = blocks.range();
    push(Section::Steepness, blocks.steepness);

    let grid = sector.grid;
    let heights_bytes = section_bytes(Section::Heights, grid.cells(), wide);
    let row = |(section, made): &(Section, Option<Vec<u8>>)| {
        (id_of(*section), FLAG_REQUIRED, made.as_ref().map_or(heights_bytes, Vec::len))
    };
    let rows: Vec<_> = sections.iter().map(row).collect();
    let mut bytes = assemble(&[], &rows, |index, bytes| match &sections[index].1 {
        Some(made) => bytes.extend_from_slice(made),
        None => push_heights(sector, (low, high), wide, bytes),
    });
    bytes[field::MAGIC..][..8].copy_from_slice(&MAGIC);
    put_u32(&mut bytes, field::VERSION, VERSION);
    put_u32(&mut bytes, field::SECTOR_X, coord.x as u32);
    put_u32(&mut bytes, field::SECTOR_Z, coord.z as u32);
    bytes[field::CELL_LOG2] = grid.cell_log2() as u8;
    bytes[field::CELLS_LOG2] = grid.cells_log2() as u8;
    bytes[field::QUANTUM_LOG2] = grid.quantum_log2() as u8;
    bytes[field::ENCODING] = u8::from(wide);
    put_u32(&mut bytes, field::BASE, low as u32);
    let edges = [covered.column0, covered.row0, covered.column1, covered.row1];
    bytes[field::COVERED..][..8].copy_from_slice(edges.map(u16::to_le_bytes).as_flattened());
    bytes[field::SURFACE] = surface;
    let content_hash = seal(&mut bytes, sections.len());
    EncodedSector { coord, bytes, content_hash, height_range, meshes: Vec::new() }
}

fn header_end(sections: usize) -> usize {
    aligned(HEADER_BYTES + sections * TABLE_ROW_BYTES)
}

/// Builds the file under what is known of its header: the complete table, and the sections, each with its number, its
/// flags and its length. `write` appends one of them, by its index.
fn assemble(
    header: &[u8],
    sections: &[(u32, u32, usize)],
    write: impl Fn(usize, &mut Vec<u8>),
) -> Vec<u8> {
    let stored = |length: usize| aligned(length + SECTION_TAIL_BYTES);
    let header_end = header_end(sections.len());
    let sections_bytes = sections.iter().map(|(.., length)| stored(*length)).sum::<usize>();
    let mut bytes = Vec::with_capacity(header_end + sections_bytes);
    bytes.extend_from_slice(header);
    bytes.resize(header_end, 0);
    for (index, &(id, flags, length)) in sections.iter().enumerate() {
        let begin = bytes.len();
        write(index, &mut bytes);
        bytes.resize(begin + stored(length), 0);
        let checksum = xxh3_64(&bytes[begin..]);
        let entry = &mut bytes[HEADER_BYTES + index * TABLE_ROW_BYTES..][..TABLE_ROW_BYTES];
        put_u32(entry, row::ID, id);
        put_u32(entry, row::FLAGS, flags);
        entry[row::OFFSET..][..8].copy_from_slice(&(begin as u64).to_le_bytes());
        entry[row::LENGTH..][..8].copy_from_slice(&(length as u64).to_le_bytes());
        entry[row::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

/// Writes what the header holds about the whole file, last of all. Returns the content hash.
fn seal(bytes: &mut [u8], sections: usize) -> u128 {
    put_u32(bytes, field::SECTIONS, sections as u32);
    let file_bytes = bytes.len() as u64;
    bytes[field::FILE_BYTES..][..8].copy_from_slice(&file_bytes.to_le_bytes());
    let header_end = header_end(sections);
    let checksum = checksum_but(&bytes[..header_end], field::CHECKSUM);
    bytes[field::CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
    content_hash_of(bytes, header_end)
}

/// Writes the heights as quanta above the base. Samples that bound no ground may lie outside the range of
/// those that do: they are stored as the nearest value in the range.
fn push_heights(
    sector: &SectorRows<'_>,
    (base, high): (i32, i32),
    wide: bool,
    bytes: &mut Vec<u8>,
) {
    for quanta in &sector.quanta {
        // Row by row: the zeros are still in the nearest cache when they are overwritten.
        let begin = bytes.len();
        bytes.resize(begin + quanta.len() * if wide { 4 } else { 2 }, 0);
        let out = &mut bytes[begin..];
        if wide {
            for (&quanta, out) in quanta.iter().zip(out.as_chunks_mut::<4>().0) {
                *out = (quanta.clamp(base, high) - base).to_le_bytes();
            }
        } else if sector.kinds().is_some() {
            for (&quanta, out) in quanta.iter().zip(out.as_chunks_mut::<2>().0) {
                *out = ((quanta.clamp(base, high) - base) as u16).to_le_bytes();
            }
        } else {
            for (&quanta, out) in quanta.iter().zip(out.as_chunks_mut::<2>().0) {
                *out = ((quanta - base) as u16).to_le_bytes();
            }
        }
    }
}

/// One bit for each cell, apron included; `None` where no bit is set.
fn cell_bits(
    sector: &SectorRows<'_>,
    is_set: impl Fn(CellKind, u32, u32) -> bool,
) -> Option<Vec<u8>> {
    let kinds = sector.kinds()?;
    let along = sector.grid.cells() as usize + 2;
    let stride = cell_bits_stride(sector.grid.cells());
    let mut bits = vec![0_u8; stride * along];
    let mut any = false;
    for (row, cells) in kinds.chunks_exact(along).enumerate() {
        for (column, &kind) in cells.iter().enumerate() {
            if is_set(kind, column as u32, row as u32) {
                bits[row * stride + column / 8] |= 1 << (column % 8);
                any = true;
            }
        }
    }
    any.then_some(bits)
}

/// The smallest rectangle around all cells, apron included, that belong to the world.
fn covered_rect(sector: &SectorRows<'_>) -> CellRect {
    let along = sector.grid.cells() as u16 + 2;
    let Some(kinds) = sector.kinds() else {
        return CellRect { column0: 0, row0: 0, column1: along, row1: along };
    };
    let mut rect = CellRect { column0: along, row0: along, column1: 0, row1: 0 };
    for (row, cells) in (0_u16..).zip(kinds.chunks_exact(usize::from(along))) {
        let covered = |&kind: &CellKind| kind != CellKind::Outside;
        let (Some(first), Some(last)) =
            (cells.iter().position(covered), cells.iter().rposition(covered))
        else {
            continue;
        };
        rect.column0 = rect.column0.min(first as u16);
        rect.column1 = rect.column1.max(last as u16 + 1);
        rect.row0 = rect.row0.min(row);
        rect.row1 = row + 1;
    }
    if rect.row1 == 0 { CellRect::default() } else { rect }
}

fn pyramid(blocks: &Blocks, base: i32, wide: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(blocks.ranges.len() * if wide { 8 } else { 4 });
    for range in &blocks.ranges {
        let above_base = |(min, max)| ((min - base) as u32, (max - base) as u32);
        let (min, max) = range.map_or((u32::MAX, 0), above_base);
        if wide {
            bytes.extend_from_slice(&min.to_le_bytes());
            bytes.extend_from_slice(&max.to_le_bytes());
        } else {
            let ([a, b], [c, d]) = ((min as u16).to_le_bytes(), (max as u16).to_le_bytes());
            bytes.extend_from_slice(&[a, b, c, d]);
        }
    }
    bytes
}

fn put_u32(bytes: &mut [u8], offset: usize, value: u32) {
    bytes[offset..][..4].copy_from_slice(&value.to_le_bytes());
}
