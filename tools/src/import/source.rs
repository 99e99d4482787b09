//! What an open source is: its heights, what is known about it, and how its tiles fit together.

use std::fmt;
use std::path::PathBuf;

use marchland_terrain::bake::HeightSource;

use super::geo::SourceSpacing;

/// An open source: its heights, and what is known about it.
pub struct Source {
    /// The heights, row by row.
    pub heights: Box<dyn HeightSource>,
    /// A description of its values.
    pub samples: String,
    /// The distance between samples, if the source specifies it.
    pub spacing: Option<SourceSpacing>,
    /// Decisions made on the way, worth a line of output.
    pub notes: Vec<String>,
    /// Problems that the user probably did not expect.
    pub warnings: Vec<String>,
    /// The files that are read, in a fixed order: tiles row by row from the north-west.
    pub files: Vec<PathBuf>,
    /// How the tiles fit together, if the source is a folder.
    pub tiles: Option<TileReport>,
    /// Cells without ground because their tile is missing; rectangles may overlap.
    pub outside: Vec<CellRect>,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("columns", &self.heights.columns())
            .field("rows", &self.heights.rows())
            .field("samples", &self.samples)
            .finish_non_exhaustive()
    }
}

/// How the tiles of a set fit together.
#[derive(Clone, Debug, PartialEq)]
pub struct TileReport {
    /// Tiles along a row.
    pub tile_columns: u32,
    /// Rows of tiles.
    pub tile_rows: u32,
    /// Samples along a row of one tile.
    pub columns: u32,
    /// Rows of one tile.
    pub rows: u32,
    /// Samples that neighbours share: 0 or 1.
    pub overlap: u32,
    /// Names or places of missing tiles.
    pub missing: Vec<String>,
    /// Every border between two tiles, row by row: the step across it and the steps inside.
    pub borders: Vec<Border>,
}

/// A range of cells, from `column` up to `column_end`, from `row` up to `row_end`, the ends
/// excluded. Row 0 is north.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRect {
    /// First column.
    pub column: u32,
    /// First row.
    pub row: u32,
    /// Column after the last.
    pub column_end: u32,
    /// Row after the last.
    pub row_end: u32,
}

/// Two neighbouring tiles and the samples at their common border.
#[derive(Clone, Debug, PartialEq)]
pub struct Border {
    /// The western or northern tile.
    pub first: String,
    /// The eastern or southern tile.
    pub second: String,
    /// On which side of the first tile the second lies.
    pub side: BorderSide,
    /// Greatest difference between facing samples, metres; voids are left out.
    pub greatest: f64,
    /// Which sample along the border has it: a row of an eastern border, a column of a southern one.
    pub greatest_at: u32,
    /// Facing samples of which exactly one is a void.
    pub half_voids: u32,
    /// Greatest difference between neighbouring samples inside either tile, metres.
    pub greatest_inside: f64,
}

/// On which side a neighbour lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BorderSide {
    /// To the right in the picture.
    East,
    /// Below in the picture.
    South,
}

impl Border {
    /// Whether all facing samples are equal, voids included.
    pub fn is_equal(&self) -> bool {
        self.greatest == 0.0 && self.half_voids == 0
    }
}

impl fmt::Display for Border {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let along = match self.side {
            BorderSide::East => "row",
            BorderSide::South => "column",
        };
        let Self { first, second, greatest, greatest_at, .. } = self;
        write!(f, "{first} and {second}: up to {greatest:.3} m, at {along} {greatest_at}")?;
        if self.half_voids > 0 {
            write!(f, "; {} voids in only one of them", self.half_voids)?;
        }
        Ok(())
    }
}
