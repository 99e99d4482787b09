//! SRTM tiles: big-endian signed 16-bit metres, north row first, −32768 a void.
//!
//! A tile covers one degree by one degree and shares its edge samples with its neighbours; its name specifies
//! the south-west corner (*SRTM Topography*, USGS, 2.1.2).

use std::path::Path;

use super::error::ImportError;
use super::geo::{SourceSpacing, srtm_corner};
use super::options::{Endian, ImportOptions};
use super::raster::{Raster, Samples, check_size, open_file};
use super::raw::{RawKind, RawRows};

/// The value of a void, unless a different value is given.
const VOID: f64 = -32_768.0;

/// Opens an SRTM tile.
pub(crate) fn open(path: &Path, options: &ImportOptions) -> Result<Raster, ImportError> {
    let (file, file_bytes) = open_file(path)?;
    let (columns, rows) = size(path, file_bytes, options)?;
    let (columns, rows) = check_size(path, columns, rows)?;
    let corner = path.file_name().and_then(|name| srtm_corner(&name.to_string_lossy()));
    let mut notes = Vec::new();
    let spacing = match corner {
        Some((_, latitude)) => Some(SourceSpacing::Degrees {
            lon_step: 1.0 / f64::from(columns - 1),
            lat_step: 1.0 / f64::from(rows - 1),
            centre_latitude: latitude as f64 + 0.5,
        }),
        None => {
            notes.push(
                "the file name gives no latitude, as N00E010 would: the spacing is unknown"
                    .to_owned(),
            );
            None
        }
    };
    let nodata = options.nodata.unwrap_or(VOID);
    let reader = RawRows::new(path, file, RawKind::Word, Endian::Big, columns, None);
    let raster = Raster::new((columns, rows), Samples::Signed16, reader);
    Ok(Raster { nodata: Some(nodata), spacing, notes, ..raster })
}

/// Columns and rows from the length of the file, or as given.
fn size(path: &Path, file_bytes: u64, options: &ImportOptions) -> Result<(u64, u64), ImportError> {
    let count = file_bytes / 2;
    let side = count.isqrt();
    let (columns, rows) = match (options.columns, options.rows) {
        (Some(columns), Some(rows)) => (columns.into(), rows.into()),
        _ => (side, side),
    };
    if file_bytes.is_multiple_of(2) && columns.checked_mul(rows) == Some(count) {
        return Ok((columns, rows));
    }
    let expected = "1201 × 1201 samples (2884802 bytes), 3601 × 3601 (25934402), or another square";
    let found = format!("{file_bytes} bytes");
    Err(ImportError::unsupported(path, found, expected))
}
