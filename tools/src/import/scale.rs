//! From stored values to metres: a table for codes, a linear function for all others.

use std::path::Path;
use std::sync::Arc;

use marchland_terrain::bake::{HeightRow, HeightSource, RowOrder, SourceError};

use super::error::{ImportError, Problem};
use super::options::{HeightRange, ImportOptions};
use super::raster::{Raster, Row, RowReader, Samples};

/// Number of codes that 16 bits can hold.
const CODES: usize = 1 << 16;

/// How the values of a file become metres.
#[derive(Clone, Debug)]
pub(crate) enum Scaling {
    /// Metres by code; NaN for voids and for codes that the samples cannot hold.
    Table(Arc<[f64]>),
    /// Metres = value × scale + offset.
    Line { scale: f64, offset: f64 },
    /// The values are already metres.
    Metres,
}

impl Scaling {
    /// The scaling for a raster, or an error that names the missing setting.
    pub(crate) fn of(
        path: &Path,
        raster: &Raster,
        options: &ImportOptions,
    ) -> Result<Self, ImportError> {
        let metres = match (raster.samples, options.range) {
            (Samples::Unsigned { metres: false, bits }, None) => {
                return Err(ImportError::new(path, Problem::NeedsRange { bits }));
            }
            (kind @ (Samples::Signed16 | Samples::Real), Some(HeightRange::MinMax { .. })) => {
                let is_real = kind == Samples::Real;
                let samples = if is_real { "these values" } else { "signed whole numbers" };
                return Err(ImportError::new(path, Problem::RangeOnMetres { samples }));
            }
            (Samples::Real, None) => return Ok(Self::Metres),
            (Samples::Real, Some(HeightRange::ScaleOffset { scale, offset })) => {
                return Ok(Self::Line { scale, offset });
            }
            (Samples::Unsigned { bits, .. }, range) => table(range, raster.nodata, |code| {
                (u32::from(code) < 1 << bits).then_some((f64::from(code), full_scale(bits)))
            }),
            (Samples::Signed16, range) => table(range, raster.nodata, |code| {
                Some((f64::from(code.cast_signed()), f64::from(i16::MAX)))
            }),
        };
        Ok(Self::Table(metres))
    }

    /// Converts a row to metres, into `out`.
    pub(crate) fn metres(&self, row: Row<'_>, out: &mut Vec<f64>) {
        out.clear();
        match (self, row) {
            (Self::Table(table), Row::Codes(codes)) => {
                out.extend(codes.iter().map(|&code| table[usize::from(code)]));
            }
            (_, Row::Codes(codes)) => out.extend(codes.iter().map(|&code| f64::from(code))),
            (Self::Line { scale, offset }, Row::Values(values)) => {
                out.extend(values.iter().map(|value| value * scale + offset));
            }
            (_, Row::Values(values)) => out.extend_from_slice(values),
        }
    }
}

/// The greatest value of this many bits.
fn full_scale(bits: u8) -> f64 {
    f64::from((1_u32 << bits) - 1)
}

/// Metres for each code, given the value of each code and the full scale.
fn table(
    range: Option<HeightRange>,
    nodata: Option<f64>,
    value_of: impl Fn(u16) -> Option<(f64, f64)>,
) -> Arc<[f64]> {
    (0..CODES)
        .map(|index| {
            let code = u16::try_from(index).unwrap_or(u16::MAX);
            match value_of(code) {
                Some((value, full_scale)) if nodata != Some(value) => {
                    metres(range, value, full_scale)
                }
                _ => f64::NAN,
            }
        })
        .collect()
}

/// Metres of one value. Both ends of a range are exact.
fn metres(range: Option<HeightRange>, value: f64, full_scale: f64) -> f64 {
    match range {
        None => value,
        Some(HeightRange::ScaleOffset { scale, offset }) => value * scale + offset,
        Some(HeightRange::MinMax { max, .. }) if value == full_scale => max,
        Some(HeightRange::MinMax { min, max }) => min + (max - min) * value / full_scale,
    }
}

/// A warning if so few bits would form terraces.
pub(crate) fn terracing(samples: &Samples, options: &ImportOptions) -> Option<String> {
    let Samples::Unsigned { bits: bits @ 1..=8, .. } = *samples else { return None };
    let step = match options.range {
        Some(HeightRange::MinMax { min, max }) => (max - min) / full_scale(bits),
        Some(HeightRange::ScaleOffset { scale, .. }) => scale.abs(),
        None => 1.0,
    };
    Some(format!("{bits}-bit heights form terraces: one step is {step:.3} m"))
}

/// A raster as heights in metres, for a bake.
pub(crate) struct Heights {
    columns: u32,
    rows: u32,
    order: RowOrder,
    scaling: Scaling,
    reader: Box<dyn RowReader>,
    metres: Vec<f64>,
}

impl Heights {
    pub(crate) fn new(raster: Raster, scaling: Scaling, flip_y: bool) -> Self {
        Self {
            columns: raster.columns,
            rows: raster.rows,
            order: if flip_y { RowOrder::SouthFirst } else { RowOrder::NorthFirst },
            scaling,
            reader: raster.reader,
            metres: Vec::new(),
        }
    }
}

impl HeightSource for Heights {
    fn columns(&self) -> u32 {
        self.columns
    }

    fn rows(&self) -> u32 {
        self.rows
    }

    fn order(&self) -> RowOrder {
        self.order
    }

    fn code_metres(&self) -> Option<&[f64]> {
        match &self.scaling {
            Scaling::Table(table) => Some(table),
            _ => None,
        }
    }

    fn next_row(&mut self) -> Result<HeightRow<'_>, SourceError> {
        match (self.reader.next_row().map_err(SourceError::new)?, &self.scaling) {
            (Row::Codes(codes), Scaling::Table(_)) => Ok(HeightRow::Codes(codes)),
            (Row::Values(values), Scaling::Metres) => Ok(HeightRow::Metres(values)),
            (row, scaling) => {
                scaling.metres(row, &mut self.metres);
                Ok(HeightRow::Metres(&self.metres))
            }
        }
    }
}
