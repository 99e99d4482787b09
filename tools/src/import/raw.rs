//! Raw samples without a header: the size is given by flags, or the grid is square.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use super::error::{ImportError, Problem};
use super::options::{Endian, Format, ImportOptions};
use super::raster::{
    Raster, Row, RowReader, SIDE_SAMPLES_MAX, Samples, check_size, open_file, refuse_infinite,
};

/// The type of a raw sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawKind {
    /// 16 bits, signed or not: the bit pattern is the code.
    Word,
    /// 32-bit float.
    Float,
}

impl RawKind {
    fn sample_bytes(self) -> u64 {
        match self {
            Self::Word => 2,
            Self::Float => 4,
        }
    }
}

/// Opens a raw file.
pub(crate) fn open(
    path: &Path,
    format: Format,
    options: &ImportOptions,
) -> Result<Raster, ImportError> {
    let (kind, samples, name) = match format {
        Format::R32 => (RawKind::Float, Samples::Real, "32-bit floats"),
        _ => {
            let samples = Samples::Unsigned { bits: 16, metres: false };
            (RawKind::Word, samples, "16-bit samples")
        }
    };
    let endian = options.endian.unwrap_or(Endian::Little);
    let (file, file_bytes) = open_file(path)?;
    let (columns, rows) = size(path, file_bytes, kind, options)?;
    let (columns, rows) = check_size(path, columns, rows)?;
    let order = match endian {
        Endian::Little => "little-endian",
        Endian::Big => "big-endian",
    };
    let reader = RawRows::new(path, file, kind, endian, columns, options.nodata);
    let notes = vec![format!("read as {columns} × {rows} {order} {name}")];
    let raster = Raster::new((columns, rows), samples, reader);
    Ok(Raster { nodata: options.nodata, notes, ..raster })
}

/// Columns and rows: as given, or from the length of the file.
fn size(
    path: &Path,
    file_bytes: u64,
    kind: RawKind,
    options: &ImportOptions,
) -> Result<(u64, u64), ImportError> {
    let sample_bytes = kind.sample_bytes();
    let count = file_bytes / sample_bytes;
    let whole = file_bytes.is_multiple_of(sample_bytes) && count > 0;
    let given = (options.columns.map(u64::from), options.rows.map(u64::from));
    let (wanted, size) = match given {
        (Some(columns), Some(rows)) => {
            let fits = columns * rows == count;
            (format!("{columns} × {rows}"), fits.then_some((columns, rows)))
        }
        (Some(columns), None) => {
            let fits = count.is_multiple_of(columns);
            (format!("rows of {columns}"), fits.then_some((columns, count / columns)))
        }
        (None, Some(rows)) => {
            let fits = count.is_multiple_of(rows);
            (format!("{rows} rows"), fits.then_some((count / rows, rows)))
        }
        (None, None) => {
            let side = count.isqrt();
            ("a square".to_owned(), (side * side == count).then_some((side, side)))
        }
    };
    size.filter(|_| whole).ok_or_else(|| {
        let wanted = format!("{wanted} of {sample_bytes}-byte samples");
        let candidates = candidates(file_bytes);
        ImportError::new(path, Problem::RawSize { file_bytes, wanted, candidates })
    })
}

/// Sizes that the length of a file allows, as text: for both types, those nearest to a square.
fn candidates(file_bytes: u64) -> String {
    let mut parts = Vec::new();
    for (sample_bytes, name) in [(2, "r16"), (4, "r32")] {
        if !file_bytes.is_multiple_of(sample_bytes) {
            continue;
        }
        let sizes = factors_near_square(file_bytes / sample_bytes);
        if !sizes.is_empty() {
            let sizes: Vec<_> = sizes.iter().map(|(c, r)| format!("{c} × {r}")).collect();
            parts.push(format!("as {name}: {}", sizes.join(", ")));
        }
    }
    if parts.is_empty() {
        return "no size fits as r16 or r32".to_owned();
    }
    format!("sizes that fit {} (columns and rows may be swapped)", parts.join("; "))
}

/// Pairs of factors, columns first and at least as many as rows, nearest to a square first.
fn factors_near_square(count: u64) -> Vec<(u64, u64)> {
    // Larger sides are not accepted, so the search is short for any length.
    let start = count.isqrt().min(SIDE_SAMPLES_MAX);
    (2..=start)
        .rev()
        .filter(|rows| count.is_multiple_of(*rows))
        .map(|rows| (count / rows, rows))
        .filter(|(columns, _)| *columns <= SIDE_SAMPLES_MAX)
        .take(CANDIDATES_MAX)
        .collect()
}

/// Candidates shown for each type of sample.
const CANDIDATES_MAX: usize = 4;

/// Rows of raw samples.
pub(crate) struct RawRows {
    path: PathBuf,
    input: BufReader<File>,
    kind: RawKind,
    endian: Endian,
    nodata: Option<f32>,
    columns: usize,
    rows_read: u32,
    bytes: Vec<u8>,
    codes: Vec<u16>,
    values: Vec<f64>,
}

impl RawRows {
    pub(crate) fn new(
        path: &Path,
        file: File,
        kind: RawKind,
        endian: Endian,
        columns: u32,
        nodata: Option<f64>,
    ) -> Self {
        let row_bytes = columns as usize * usize::try_from(kind.sample_bytes()).unwrap_or(4);
        Self {
            path: path.to_owned(),
            input: BufReader::with_capacity(128 << 10, file),
            kind,
            endian,
            // Compared as the samples are stored: a decimal like 1e-3 equals no stored value as
            // `f64`.
            nodata: nodata.map(|value| value as f32),
            columns: columns as usize,
            rows_read: 0,
            bytes: vec![0; row_bytes],
            codes: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl RowReader for RawRows {
    fn next_row(&mut self) -> Result<Row<'_>, ImportError> {
        self.input
            .read_exact(&mut self.bytes)
            .map_err(|e| ImportError::read(&self.path, "raw", e))?;
        let row = self.rows_read;
        self.rows_read += 1;
        match self.kind {
            RawKind::Word => {
                let decode = match self.endian {
                    Endian::Little => u16::from_le_bytes,
                    Endian::Big => u16::from_be_bytes,
                };
                self.codes.clear();
                let words = self.bytes.chunks_exact(2);
                self.codes.extend(words.map(|word| decode([word[0], word[1]])));
                Ok(Row::Codes(&self.codes))
            }
            RawKind::Float => {
                let decode = match self.endian {
                    Endian::Little => f32::from_le_bytes,
                    Endian::Big => f32::from_be_bytes,
                };
                let nodata = self.nodata;
                self.values.clear();
                self.values.extend(self.bytes.chunks_exact(4).map(|bytes| {
                    let value = decode([bytes[0], bytes[1], bytes[2], bytes[3]]);
                    if nodata == Some(value) { f64::NAN } else { value.into() }
                }));
                debug_assert_eq!(self.values.len(), self.columns);
                refuse_infinite(&self.path, &self.values, row)?;
                Ok(Row::Values(&self.values))
            }
        }
    }
}
