//! One file as rows of values, in its own units and row order; limits and checks that all formats share.

use std::fs::File;
use std::path::Path;

use super::error::{ImportError, Problem};
use super::geo::SourceSpacing;
use super::options::Channel;

/// Most samples along one side of a file: 2¹⁷, eight times the largest map that was ever requested.
pub(crate) const SIDE_SAMPLES_MAX: u64 = 1 << 17;

/// Most samples of a file whose format must be decoded whole.
pub(crate) const WHOLE_SAMPLES_MAX: u64 = 1 << 26;

/// One row as stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row<'a> {
    /// 8- and 16-bit whole numbers; signed ones by their bit pattern.
    Codes(&'a [u16]),
    /// All other values; NaN marks a void.
    Values(&'a [f64]),
}

/// Delivers the rows of a file, first row of the file first.
pub(crate) trait RowReader: Send {
    /// The next row; called once for each row. The last call also checks the end of the file.
    fn next_row(&mut self) -> Result<Row<'_>, ImportError>;
}

/// The meaning of the values of a raster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Samples {
    /// Unsigned whole numbers of at most 16 bits.
    Unsigned {
        /// Bits of a sample: 1, 2, 4, 8 or 16.
        bits: u8,
        /// Whether the values are metres without a given range.
        metres: bool,
    },
    /// Signed 16-bit metres.
    Signed16,
    /// Metres of any other kind.
    Real,
}

impl Samples {
    /// The name in messages.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Unsigned { bits, .. } => format!("{bits}-bit whole numbers"),
            Self::Signed16 => "signed 16-bit whole numbers".to_owned(),
            Self::Real => "numbers with fractions".to_owned(),
        }
    }
}

/// An open file.
pub(crate) struct Raster {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) samples: Samples,
    pub(crate) reader: Box<dyn RowReader>,
    /// The value of a void among codes; readers of values convert voids themselves.
    pub(crate) nodata: Option<f64>,
    pub(crate) spacing: Option<SourceSpacing>,
    /// The chosen channel, so that the file need not be scanned again.
    pub(crate) channel: Option<Channel>,
    pub(crate) notes: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl Raster {
    /// Columns and rows of samples, and nothing else known.
    pub(crate) fn new(
        (columns, rows): (u32, u32),
        samples: Samples,
        reader: impl RowReader + 'static,
    ) -> Self {
        let (reader, notes, warnings) = (Box::new(reader), Vec::new(), Vec::new());
        let (nodata, spacing, channel) = (None, None, None);
        Self { columns, rows, samples, reader, nodata, spacing, channel, notes, warnings }
    }
}

/// Opens a file and determines its length.
pub(crate) fn open_file(path: &Path) -> Result<(File, u64), ImportError> {
    let file = File::open(path).map_err(|e| ImportError::io(path, "open", e))?;
    let about = file.metadata().map_err(|e| ImportError::io(path, "open", e))?;
    Ok((file, about.len()))
}

/// Checks the size given by a header: at least 2 × 2, and within the limit.
pub(crate) fn check_size(path: &Path, columns: u64, rows: u64) -> Result<(u32, u32), ImportError> {
    if columns < 2 || rows < 2 {
        return Err(ImportError::new(path, Problem::TooSmall { columns, rows }));
    }
    match (u32::try_from(columns), u32::try_from(rows)) {
        (Ok(c), Ok(r)) if columns <= SIDE_SAMPLES_MAX && rows <= SIDE_SAMPLES_MAX => Ok((c, r)),
        _ => {
            let limit = format!("at most {SIDE_SAMPLES_MAX} along a side");
            Err(ImportError::new(path, Problem::TooLarge { columns, rows, limit }))
        }
    }
}

/// Checks that a file can hold what its header specifies: `need` of something of which each byte gives at most
/// `each_byte`.
pub(crate) fn check_plausible(
    path: &Path,
    (columns, rows): (u32, u32),
    file_bytes: u64,
    need: u64,
    each_byte: u64,
) -> Result<(), ImportError> {
    if need <= file_bytes.saturating_mul(each_byte) {
        return Ok(());
    }
    let (columns, rows) = (columns.into(), rows.into());
    Err(ImportError::new(path, Problem::Implausible { columns, rows, file_bytes }))
}

/// Checks that a format which is decoded whole does not need too much memory.
pub(crate) fn check_whole(
    path: &Path,
    columns: u32,
    rows: u32,
    kind: &str,
) -> Result<(), ImportError> {
    let (columns, rows) = (u64::from(columns), u64::from(rows));
    if columns * rows > WHOLE_SAMPLES_MAX {
        let limit =
            format!("at most {WHOLE_SAMPLES_MAX} samples in {kind}, which is decoded at once");
        return Err(ImportError::new(path, Problem::TooLarge { columns, rows, limit }));
    }
    Ok(())
}

/// Voids may be NaN; infinite heights are errors.
pub(crate) fn refuse_infinite(path: &Path, values: &[f64], row: u32) -> Result<(), ImportError> {
    let Some(column) = values.iter().position(|value| value.is_infinite()) else { return Ok(()) };
    let column = u32::try_from(column).unwrap_or(u32::MAX);
    Err(ImportError::new(path, Problem::Infinite { column, row }))
}
