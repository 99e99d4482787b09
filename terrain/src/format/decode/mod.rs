//! Checks bytes and makes a view of them, in the order magic, version, sizes, checksums, contents. Nothing is
//! used before it is checked; after decoding, the type proves that the bytes are valid. Free of unsafe code,
//! indexing and unchecked arithmetic.

#![deny(clippy::indexing_slicing, clippy::as_conversions, clippy::arithmetic_side_effects)]

pub(super) mod header;
pub(super) mod props;

use std::ops::Range;
use std::sync::Arc;

use self::header::{Header, check_magic_and_version, check_table, content_hash_of, value};
use self::props::PropsLayout;
use super::error::{Section, SectorError};
use super::layout::section_bytes;
use crate::bytes::{KeptBytes, widen};
use crate::grid::Grid;
use crate::heightfield::{
    CellCorners, CellRect, HeightfieldView, Pyramid, Ranges, Samples, SurfaceId, Surfaces,
    blocks_along,
};
use crate::limits::QUANTA_MAX;
use crate::math::SectorCoord;
use crate::props::{LoadedMesh, MeshHash, SectorProps};

/// The positions of all parts in bytes that were checked once. Kept with the bytes, it gives views of them
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
    pub(super) props: Option<PropsLayout>,
}

impl SectorLayout {
    /// Checks the bytes of a sector file.
    ///
    /// # Errors
    /// As [`decode`](super::decode()).
    pub fn check(bytes: &[u8]) -> Result<Self, SectorError> {
        check_magic_and_version(bytes)?;
        let header = Header::read(bytes)?;
        let rows = check_table(bytes, &header)?;
        let content_hash = content_hash_of(bytes, header.end);
        let grid = header.grid()?;
        let wide = header.wide()?;
        let covered = header.covered(grid)?;
        let base = header.base()?;
        let place = |section: Section| {
            rows.iter().find(|row| row.section == section).map(|row| row.payload.clone())
        };
        let find = |section: Section| -> Result<Option<Range<usize>>, SectorError> {
            let (found, need) = (place(section), section_bytes(section, grid.cells(), wide));
            match found {
                Some(found) if found.len() != need => Err(SectorError::Place {
                    section,
                    offset: widen(found.start),
                    length: widen(found.len()),
                    expected_offset: widen(found.start),
                    expected_length: widen(need),
                }),
                found => Ok(found),
            }
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
        layout.check_heights(bytes)?;
        Ok(layout)
    }

    /// The sector's coordinates in its world.
    #[must_use]
    pub fn coord(&self) -> SectorCoord {
        self.coord
    }

    /// The grid it was baked on.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// XXH3-128 of the header and section table, which hold the checksums of everything else.
    #[must_use]
    pub fn content_hash(&self) -> u128 {
        self.content_hash
    }

    /// Number of props that the sector knows.
    #[must_use]
    pub fn props(&self) -> u32 {
        self.props.as_ref().map_or(0, PropsLayout::count)
    }

    /// The meshes of the sector's props, each once, in ascending order; empty if there are no props. `bytes`
    /// must be those that this layout was checked against.
    #[must_use]
    pub fn mesh_hashes(&self, bytes: &[u8]) -> Vec<MeshHash> {
        self.props.iter().flat_map(|props| props.mesh_hashes(bytes)).collect()
    }

    /// The props of a sector with its meshes, given in the order of [`mesh_hashes`](Self::mesh_hashes), as
    /// seen from a place; empty if there are none.
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

    /// The heights, holes and surfaces; `None` if other bytes are given that are too short.
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
            samples: samples(heights, self.wide),
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

    /// The heights alone, in bytes that this layout was checked against.
    pub(super) fn kept_heights(&self, bytes: &KeptBytes) -> KeptHeights {
        KeptHeights { bytes: bytes.slice(self.heights.clone()), wide: self.wide, base: self.base }
    }

    /// Checks that no height exceeds the limit: 32-bit samples could, and so could 16-bit samples above a
    /// base close to it.
    fn check_heights(&self, bytes: &[u8]) -> Result<(), SectorError> {
        let most = i64::from(QUANTA_MAX).saturating_sub(i64::from(self.base));
        if self.wide {
            self.check_values(bytes, most, u32::MAX.into(), |word: &[u8; 4]| {
                u32::from_le_bytes(*word).into()
            })
        } else if most < i64::from(u16::MAX) {
            self.check_values(bytes, most, u16::MAX.into(), |word: &[u8; 2]| {
                u16::from_le_bytes(*word).into()
            })
        } else {
            Ok(())
        }
    }

    /// Checks heights and pyramid against the greatest value that a sample may have. A least value of
    /// `all_ones` marks a block without ground.
    fn check_values<const N: usize>(
        &self,
        bytes: &[u8],
        most: i64,
        all_ones: i64,
        number: impl Fn(&[u8; N]) -> i64,
    ) -> Result<(), SectorError> {
        let expected = "at most 2^23 quanta above sea level, base included";
        let words = |range: &Range<usize>| {
            bytes.get(range.clone()).unwrap_or_default().as_chunks::<N>().0.iter().map(&number)
        };
        if let Some(found) = words(&self.heights).find(|&found| found > most) {
            return Err(value(Section::Heights, "sample", found, expected));
        }
        let is_wrong = |index: usize, found: i64| {
            found > most && !(index.is_multiple_of(2) && found == all_ones)
        };
        let mut ranges = words(&self.pyramid).enumerate();
        match ranges.find(|&(index, found)| is_wrong(index, found)) {
            Some((_, found)) => Err(value(Section::Pyramid, "range", found, expected)),
            None => Ok(()),
        }
    }
}

/// The heights of a sector, which keep its bytes: all that a tick reads of most sectors.
#[derive(Clone, Debug)]
pub(crate) struct KeptHeights {
    bytes: KeptBytes,
    wide: bool,
    base: i32,
}

impl KeptHeights {
    /// The corners of the cells, in a sector of this grid.
    #[inline(always)]
    pub(crate) fn cell_corners(&self, grid: Grid) -> CellCorners<'_> {
        CellCorners::new(samples(&self.bytes, self.wide), grid, self.base)
    }
}

#[inline(always)]
fn samples(heights: &[u8], wide: bool) -> Samples<'_> {
    if wide { Samples::Wide(heights.as_chunks().0) } else { Samples::Narrow(heights.as_chunks().0) }
}
