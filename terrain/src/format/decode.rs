//! Bytes to a checked view, in the order magic, version, sizes, checksums, contents: nothing is
//! used before it is checked, and after this the type is the proof. Free of unsafe, indexing and
//! unchecked arithmetic.
#![deny(clippy::indexing_slicing, clippy::as_conversions, clippy::arithmetic_side_effects)]

use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_128};

use super::decode_props::PropsLayout;
use super::layout::{
    FLAG_REQUIRED, HEADER_BYTES, MAGIC, SECTION_ALIGN_BYTES, SECTION_TAIL_BYTES, SECTIONS_MAX,
    TABLE_ROW_BYTES, VERSION, field, row, section_bytes, section_of,
};
use crate::error::{Section, SectorError};
use crate::grid::Grid;
use crate::heightfield::{
    CellCorners, CellRect, HeightfieldView, Pyramid, Ranges, Samples, SurfaceId, Surfaces,
    blocks_along,
};
use crate::limits::QUANTA_MAX;
use crate::math::SectorCoord;
use crate::props::{LoadedMesh, MeshHash, SectorProps};
use crate::sector::SectorView;

/// Checks the bytes of a sector file without props and gives a view of them.
///
/// # Errors
/// If the bytes are not a whole, undamaged sector of this version, or if it holds props: what they
/// are made of stands in other files, see [`LoadedSector::with_meshes`](crate::LoadedSector::with_meshes).
/// Never panics, whatever the bytes.
///
/// ```
/// use marchland_terrain::{Grid, SectorCoord, SectorData, format};
/// let grid = Grid::new(1.0, 8.0, 1.0 / 256.0)?;
/// let hill = SectorData::from_fn(grid, |x, z| 10.0 - 0.1 * (x * x + z * z))?;
/// let file = format::encode(SectorCoord::new(2, -1), &hill);
/// let sector = format::decode(&file.bytes)?;
/// assert_eq!(sector.coord(), SectorCoord::new(2, -1));
/// assert!(format::decode(&file.bytes[..100]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<SectorView<'_>, SectorError> {
    let layout = SectorLayout::check(bytes)?;
    let missing = layout.mesh_hashes(bytes);
    if !missing.is_empty() {
        return Err(SectorError::Meshes { missing });
    }
    layout.view(bytes).ok_or(SectorError::Missing { section: Section::Heights })
}

/// Where everything stands in bytes that were checked once: kept beside them, it gives views
/// without checking again.
#[derive(Clone, Debug)]
pub struct SectorLayout {
    coord: SectorCoord,
    grid: Grid,
    wide: bool,
    base: i32,
    covered: CellRect,
    surface: SurfaceId,
    content_hash: u128,
    heights: Range<usize>,
    holes: Option<Range<usize>>,
    outside: Option<Range<usize>>,
    surfaces: Option<Range<usize>>,
    pyramid: Range<usize>,
    steepness: Range<usize>,
    props: Option<PropsLayout>,
}

/// A row of the section table that has been checked against the file.
struct TableRow {
    section: Section,
    payload: Range<usize>,
}

impl SectorLayout {
    /// Checks the bytes of a sector file.
    ///
    /// # Errors
    /// As [`decode`].
    pub fn check(bytes: &[u8]) -> Result<Self, SectorError> {
        check_magic_and_version(bytes)?;
        let header = Header::read(bytes)?;
        let rows = check_table(bytes, &header)?;
        let content_hash = content_hash_of(bytes, header.end);
        let grid = header.grid()?;
        let wide = header.wide()?;
        let covered = header.covered(grid)?;
        let base = header.base()?;
        let find = |section: Section| -> Result<Option<Range<usize>>, SectorError> {
            let Some(found) = rows.iter().find(|row| row.section == section) else {
                return Ok(None);
            };
            let need = section_bytes(section, grid.cells(), wide);
            if found.payload.len() == need {
                Ok(Some(found.payload.clone()))
            } else {
                Err(SectorError::Place {
                    section,
                    offset: widen(found.payload.start),
                    length: widen(found.payload.len()),
                    expected_offset: widen(found.payload.start),
                    expected_length: widen(need),
                })
            }
        };
        let place = |section: Section| {
            rows.iter().find(|row| row.section == section).map(|row| row.payload.clone())
        };
        let props = [Section::Props, Section::PropTree, Section::Meshes].map(place);
        let needed = |section| find(section)?.ok_or(SectorError::Missing { section });
        let layout = Self {
            coord: header.coord,
            grid,
            wide,
            base,
            covered,
            surface: SurfaceId(header.surface),
            content_hash,
            heights: needed(Section::Heights)?,
            holes: find(Section::Holes)?,
            outside: find(Section::Outside)?,
            surfaces: find(Section::Surfaces)?,
            pyramid: needed(Section::Pyramid)?,
            steepness: needed(Section::Steepness)?,
            props: PropsLayout::check(bytes, props, header.coord, grid)?,
        };
        layout.check_wide_values(bytes)?;
        Ok(layout)
    }

    /// The sector's place in its world.
    #[must_use]
    pub fn coord(&self) -> SectorCoord {
        self.coord
    }

    /// The grid it was baked on.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// XXH3-128 of header and section table, which hold the checksums of everything else.
    #[must_use]
    pub fn content_hash(&self) -> u128 {
        self.content_hash
    }

    /// Number of props that the sector knows.
    #[must_use]
    pub fn props(&self) -> u32 {
        self.props.as_ref().map_or(0, PropsLayout::count)
    }

    /// The meshes that the sector's props are made of, each once, ascending; none where there are no
    /// props. `bytes` are those that this layout was checked against.
    #[must_use]
    pub fn mesh_hashes(&self, bytes: &[u8]) -> Vec<MeshHash> {
        self.props.iter().flat_map(|props| props.mesh_hashes(bytes)).collect()
    }

    /// The props of a sector with its meshes, given in the order of
    /// [`mesh_hashes`](Self::mesh_hashes), as seen from a place; none where there are none.
    #[inline]
    pub(crate) fn props_at<'a>(
        &self,
        bytes: &'a [u8],
        meshes: &'a [Arc<LoadedMesh>],
        place: SectorCoord,
    ) -> SectorProps<'a> {
        let props = self.props.as_ref().and_then(|props| props.view(bytes, meshes, place));
        props.unwrap_or_else(|| SectorProps::none(place))
    }

    /// A view of the bytes that this layout was checked against; nothing if they are others that
    /// are too short, or if the sector holds props.
    #[must_use]
    pub fn view<'a>(&self, bytes: &'a [u8]) -> Option<SectorView<'a>> {
        let field = self.field(bytes).filter(|_| self.props.is_none())?;
        Some(SectorView::new(self.coord, self.coord, field, None))
    }

    /// The heights, holes and surfaces; nothing if the bytes are others that are too short.
    #[must_use]
    pub fn field<'a>(&self, bytes: &'a [u8]) -> Option<HeightfieldView<'a>> {
        let optional = |range: &Option<Range<usize>>| match range {
            Some(range) => bytes.get(range.clone()).map(Some),
            None => Some(None),
        };
        let heights = bytes.get(self.heights.clone())?;
        let pairs = bytes.get(self.pyramid.clone())?;
        Some(HeightfieldView {
            grid: self.grid,
            cells_per_metre: 1.0 / self.grid.cell(),
            half_cells: self.grid.sector_size().half() / self.grid.cell(),
            quantum: self.grid.quantum(),
            base: self.base,
            samples: self.samples(heights),
            covered: self.covered,
            holes: optional(&self.holes)?,
            outside: optional(&self.outside)?,
            surfaces: match optional(&self.surfaces)? {
                Some(ids) => Surfaces::PerCell(ids),
                None => Surfaces::Uniform(self.surface),
            },
            pyramid: Pyramid {
                along: blocks_along(self.grid.cells()),
                base: self.base,
                ranges: if self.wide {
                    Ranges::Wide(pairs.as_chunks().0)
                } else {
                    Ranges::Narrow(pairs.as_chunks().0)
                },
            },
            steepness: bytes.get(self.steepness.clone())?,
        })
    }

    /// The corners of the cells alone, as [`HeightfieldView::cell_corners`]; nothing if the bytes are others
    /// that are too short.
    #[must_use]
    #[inline]
    pub(crate) fn cell_corners<'a>(&self, bytes: &'a [u8]) -> Option<CellCorners<'a>> {
        let samples = self.samples(bytes.get(self.heights.clone())?);
        Some(CellCorners::new(samples, self.grid, self.base))
    }

    #[inline]
    fn samples<'a>(&self, heights: &'a [u8]) -> Samples<'a> {
        if self.wide {
            Samples::Wide(heights.as_chunks().0)
        } else {
            Samples::Narrow(heights.as_chunks().0)
        }
    }

    /// 32-bit samples could lead out of the range in which heights are exact; 16-bit ones cannot.
    fn check_wide_values(&self, bytes: &[u8]) -> Result<(), SectorError> {
        if !self.wide {
            return Ok(());
        }
        let words = |range: &Range<usize>| {
            bytes.get(range.clone()).unwrap_or_default().as_chunks::<4>().0.iter()
        };
        let most = i64::from(QUANTA_MAX).saturating_sub(i64::from(self.base));
        for word in words(&self.heights) {
            let found = i64::from(u32::from_le_bytes(*word));
            if found > most {
                let expected = "at most 2^23 quanta above sea level, base included";
                return Err(value(Section::Heights, "sample", found, expected));
            }
        }
        for (index, word) in words(&self.pyramid).enumerate() {
            let found = i64::from(u32::from_le_bytes(*word));
            // A least value of u32::MAX marks a block without ground.
            let no_ground = index % 2 == 0 && found == i64::from(u32::MAX);
            if found > most && !no_ground {
                let expected = "at most 2^23 quanta above sea level, base included";
                return Err(value(Section::Pyramid, "range", found, expected));
            }
        }
        Ok(())
    }
}

/// The header's fields, read but for sizes not yet believed.
struct Header {
    coord: SectorCoord,
    sections: u32,
    /// Where the header, its table and the zeros behind it end: the first section's place.
    end: usize,
    cell_log2: i8,
    cells_log2: u8,
    quantum_log2: i8,
    encoding: u8,
    base: i32,
    covered: CellRect,
    surface: u8,
}

impl Header {
    /// Reads the header and checks the file's length, the table's length and the checksum of both.
    fn read(bytes: &[u8]) -> Result<Self, SectorError> {
        let have_bytes = widen(bytes.len());
        if bytes.len() < HEADER_BYTES {
            let need_bytes = widen(HEADER_BYTES);
            return Err(SectorError::Truncated {
                section: Section::Header,
                need_bytes,
                have_bytes,
            });
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
        let Some(region) = bytes.get(..end) else {
            let need_bytes = widen(end);
            return Err(SectorError::Truncated {
                section: Section::Header,
                need_bytes,
                have_bytes,
            });
        };
        let found = u64::from_le_bytes(array(bytes, field::CHECKSUM));
        let computed = header_checksum(region);
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

    fn grid(&self) -> Result<Grid, SectorError> {
        let [cell, cells, quantum] =
            [i32::from(self.cell_log2), i32::from(self.cells_log2), i32::from(self.quantum_log2)];
        Grid::from_log2(cell, cells, quantum).map_err(|_| {
            let packed = i64::from(cell)
                .saturating_mul(1_000_000)
                .saturating_add(i64::from(cells).saturating_mul(1000))
                .saturating_add(i64::from(quantum));
            value(Section::Header, "cell, cells and quantum", packed, "a grid within the limits")
        })
    }

    fn wide(&self) -> Result<bool, SectorError> {
        match self.encoding {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(value(Section::Header, "encoding", i64::from(other), "0 or 1")),
        }
    }

    fn base(&self) -> Result<i32, SectorError> {
        if (QUANTA_MAX.saturating_neg()..=QUANTA_MAX).contains(&self.base) {
            Ok(self.base)
        } else {
            Err(value(Section::Header, "base", i64::from(self.base), "within 2^23 quanta of 0"))
        }
    }

    fn covered(&self, grid: Grid) -> Result<CellRect, SectorError> {
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

fn check_magic_and_version(bytes: &[u8]) -> Result<(), SectorError> {
    if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) {
        let found = bytes.iter().copied().take(MAGIC.len()).collect();
        return Err(SectorError::Magic { found });
    }
    let Some(version) = bytes.get(field::VERSION..field::SECTIONS) else {
        let (need_bytes, have_bytes) = (widen(HEADER_BYTES), widen(bytes.len()));
        return Err(SectorError::Truncated { section: Section::Header, need_bytes, have_bytes });
    };
    let found = u32::from_le_bytes(array(version, 0));
    if found == VERSION { Ok(()) } else { Err(SectorError::Version { found, supported: VERSION }) }
}

/// Checks that the sections follow each other without gaps to the end of the file, each with its
/// zeros behind it, ascending, known or optional, and undamaged.
fn check_table(bytes: &[u8], header: &Header) -> Result<Vec<TableRow>, SectorError> {
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
            return Err(value(section, "byte behind the section", i64::from(bad), "0"));
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

/// XXH3-64 of the header region with the checksum's own field as zeros.
pub(super) fn header_checksum(region: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(region.get(..field::CHECKSUM).unwrap_or_default());
    hash.update(&[0; 8]);
    hash.update(region.get(field::SECTOR_X..).unwrap_or_default());
    hash.digest()
}

/// XXH3-128 of the header region, which holds the checksums of all sections.
pub(super) fn content_hash_of(bytes: &[u8], header_end: usize) -> u128 {
    xxh3_128(bytes.get(..header_end).unwrap_or_default())
}

/// `N` bytes at an offset that the caller has checked; zeros where it has not.
pub(super) fn array<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    offset
        .checked_add(N)
        .and_then(|end| bytes.get(offset..end))
        .and_then(|slice| slice.try_into().ok())
        .unwrap_or([0; N])
}

fn value(section: Section, field: &'static str, found: i64, expected: &'static str) -> SectorError {
    SectorError::Value { section, field, found, expected }
}

fn widen(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
