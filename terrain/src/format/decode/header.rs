//! The container around a sector's sections: magic and version, header, section table and checksums, read and
//! checked in this order. Free of unsafe code, indexing and unchecked arithmetic.
#![deny(clippy::indexing_slicing, clippy::as_conversions, clippy::arithmetic_side_effects)]

use std::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::bytes::{array, checksum_but, widen};
use crate::format::error::{Section, SectorError};
use crate::format::layout::{
    FLAG_REQUIRED, HEADER_BYTES, MAGIC, SECTION_ALIGN_BYTES, SECTION_TAIL_BYTES, SECTIONS_MAX,
    TABLE_ROW_BYTES, VERSION, field, row, section_of,
};
use crate::grid::Grid;
use crate::heightfield::CellRect;
use crate::limits::QUANTA_MAX;
use crate::math::SectorCoord;

/// A row of the section table that has been checked against the file.
pub(crate) struct TableRow {
    pub(crate) section: Section,
    pub(crate) payload: Range<usize>,
}

/// The header's fields as read; sizes are not yet verified.
pub(crate) struct Header {
    pub(crate) coord: SectorCoord,
    sections: u32,
    /// Where the header, its table and the zeros after it end: the offset of the first section.
    pub(crate) end: usize,
    cell_log2: i8,
    cells_log2: u8,
    quantum_log2: i8,
    encoding: u8,
    base: i32,
    covered: CellRect,
    pub(crate) surface: u8,
}

impl Header {
    /// Reads the header and checks the file's length, the table's length and the checksum of both.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, SectorError> {
        let have_bytes = widen(bytes.len());
        if bytes.len() < HEADER_BYTES {
            return Err(truncated(HEADER_BYTES, bytes));
        }
        let file_bytes = u64::from_le_bytes(array(bytes, field::FILE_BYTES));
        if file_bytes != have_bytes {
            return Err(SectorError::Length { need_bytes: file_bytes, have_bytes });
        }
        let sections = u32::from_le_bytes(array(bytes, field::SECTIONS));
        if sections > SECTIONS_MAX {
            let expected = "at most 64 sections";
            return Err(value(Section::Header, "section count", i64::from(sections), expected));
        }
        let table_end = usize::try_from(sections)
            .unwrap_or(usize::MAX)
            .saturating_mul(TABLE_ROW_BYTES)
            .saturating_add(HEADER_BYTES);
        let end = table_end.next_multiple_of(SECTION_ALIGN_BYTES);
        let region = bytes.get(..end).ok_or_else(|| truncated(end, bytes))?;
        let found = u64::from_le_bytes(array(bytes, field::CHECKSUM));
        let computed = checksum_but(region, field::CHECKSUM);
        if found != computed {
            return Err(SectorError::Checksum { section: Section::Header, found, computed });
        }
        let reserved = region.get(field::RESERVED..HEADER_BYTES).unwrap_or_default();
        let padding = region.get(table_end..).unwrap_or_default();
        if let Some(&bad) = reserved.iter().chain(padding).find(|&&byte| byte != 0) {
            return Err(value(Section::Header, "reserved byte", i64::from(bad), "0"));
        }
        let u16_at = |offset| u16::from_le_bytes(array(bytes, offset));
        let [cell_log2, cells_log2, quantum_log2, encoding] = array(bytes, field::CELL_LOG2);
        Ok(Self {
            coord: SectorCoord::new(
                i32::from_le_bytes(array(bytes, field::SECTOR_X)),
                i32::from_le_bytes(array(bytes, field::SECTOR_Z)),
            ),
            sections,
            end,
            cell_log2: i8::from_le_bytes([cell_log2]),
            cells_log2,
            quantum_log2: i8::from_le_bytes([quantum_log2]),
            encoding,
            base: i32::from_le_bytes(array(bytes, field::BASE)),
            covered: CellRect {
                column0: u16_at(field::COVERED),
                row0: u16_at(field::COVERED.saturating_add(2)),
                column1: u16_at(field::COVERED.saturating_add(4)),
                row1: u16_at(field::COVERED.saturating_add(6)),
            },
            surface: u8::from_le_bytes(array(bytes, field::SURFACE)),
        })
    }

    pub(crate) fn grid(&self) -> Result<Grid, SectorError> {
        let Self { cell_log2, cells_log2, quantum_log2, .. } = *self;
        Grid::from_log2(cell_log2.into(), cells_log2.into(), quantum_log2.into())
            .map_err(|why| SectorError::Grid { cell_log2, cells_log2, quantum_log2, why })
    }

    pub(crate) fn wide(&self) -> Result<bool, SectorError> {
        match self.encoding {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(value(Section::Header, "encoding", i64::from(other), "0 or 1")),
        }
    }

    pub(crate) fn base(&self) -> Result<i32, SectorError> {
        if (QUANTA_MAX.saturating_neg()..=QUANTA_MAX).contains(&self.base) {
            Ok(self.base)
        } else {
            Err(value(Section::Header, "base", i64::from(self.base), "within 2^23 quanta of 0"))
        }
    }

    pub(crate) fn covered(&self, grid: Grid) -> Result<CellRect, SectorError> {
        let rect = self.covered;
        let most = grid.cells().saturating_add(2);
        for (field, low, high) in [
            ("covered columns", rect.column0, rect.column1),
            ("covered rows", rect.row0, rect.row1),
        ] {
            if low > high || u32::from(high) > most {
                let expected = "a range within the cells and the apron";
                return Err(value(Section::Header, field, i64::from(high), expected));
            }
        }
        Ok(rect)
    }
}

pub(crate) fn check_magic_and_version(bytes: &[u8]) -> Result<(), SectorError> {
    if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) {
        let found = bytes.iter().copied().take(MAGIC.len()).collect();
        return Err(SectorError::Magic { found });
    }
    let version = bytes.get(field::VERSION..field::SECTIONS);
    let version = version.ok_or_else(|| truncated(HEADER_BYTES, bytes))?;
    let found = u32::from_le_bytes(array(version, 0));
    if found == VERSION { Ok(()) } else { Err(SectorError::Version { found, supported: VERSION }) }
}

/// Checks that the sections follow each other without gaps to the end of the file, each with the zeros after
/// it. Each section must be in ascending order, known or optional, and undamaged.
pub(crate) fn check_table(bytes: &[u8], header: &Header) -> Result<Vec<TableRow>, SectorError> {
    let have_bytes = widen(bytes.len());
    let mut rows: Vec<TableRow> = Vec::new();
    let mut last_id = 0;
    let mut begin = header.end;
    let table = bytes.get(HEADER_BYTES..header.end).unwrap_or_default();
    let count = usize::try_from(header.sections).unwrap_or(usize::MAX);
    for entry in table.chunks_exact(TABLE_ROW_BYTES).take(count) {
        let id = u32::from_le_bytes(array(entry, row::ID));
        let flags = u32::from_le_bytes(array(entry, row::FLAGS));
        let offset = u64::from_le_bytes(array(entry, row::OFFSET));
        let length = u64::from_le_bytes(array(entry, row::LENGTH));
        let found = u64::from_le_bytes(array(entry, row::CHECKSUM));
        let section = section_of(id);
        if id <= last_id {
            return Err(SectorError::Order { section });
        }
        last_id = id;
        if flags > FLAG_REQUIRED {
            return Err(value(section, "flags", i64::from(flags), "0 or 1"));
        }
        if flags == FLAG_REQUIRED && matches!(section, Section::Unknown(_)) {
            return Err(SectorError::UnknownRequired { id });
        }
        if offset != widen(begin) {
            let (expected_offset, expected_length) = (widen(begin), length);
            return Err(SectorError::Place {
                section,
                offset,
                length,
                expected_offset,
                expected_length,
            });
        }
        let truncated = || SectorError::Truncated {
            section,
            need_bytes: offset.saturating_add(length).saturating_add(widen(SECTION_TAIL_BYTES)),
            have_bytes,
        };
        let payload_bytes = usize::try_from(length).map_err(|_| truncated())?;
        let payload_end = begin.checked_add(payload_bytes).ok_or_else(truncated)?;
        let end = payload_end
            .checked_add(SECTION_TAIL_BYTES)
            .and_then(|end| end.checked_next_multiple_of(SECTION_ALIGN_BYTES))
            .ok_or_else(truncated)?;
        let stored = bytes.get(begin..end).ok_or_else(truncated)?;
        let computed = xxh3_64(stored);
        if found != computed {
            return Err(SectorError::Checksum { section, found, computed });
        }
        let tail = stored.get(payload_bytes..).unwrap_or_default();
        if let Some(&bad) = tail.iter().find(|&&byte| byte != 0) {
            return Err(value(section, "byte after the section", i64::from(bad), "0"));
        }
        rows.push(TableRow { section, payload: begin..payload_end });
        begin = end;
    }
    if begin == bytes.len() {
        Ok(rows)
    } else {
        Err(SectorError::Length { need_bytes: widen(begin), have_bytes })
    }
}

/// XXH3-128 of the header region, which holds the checksums of all sections.
pub(crate) fn content_hash_of(bytes: &[u8], header_end: usize) -> u128 {
    xxh3_128(bytes.get(..header_end).unwrap_or_default())
}

pub(crate) fn value(
    section: Section,
    field: &'static str,
    found: i64,
    expected: &'static str,
) -> SectorError {
    SectorError::Value { section, field, found, expected }
}

/// A header, or its table, that needs more bytes than there are.
fn truncated(need_bytes: usize, bytes: &[u8]) -> SectorError {
    let (need_bytes, have_bytes) = (widen(need_bytes), widen(bytes.len()));
    SectorError::Truncated { section: Section::Header, need_bytes, have_bytes }
}
