//! Metres to quanta: rounded to nearest, ties to even, from `f64`.

use super::error::BakeError;
use super::source::HeightRow;
use crate::grid::{Grid, power_of_two};
use crate::limits::{QUANTA_MAX, QUANTUM_LOG2_ASKED_MAX, QUANTUM_LOG2_MIN};

/// Marks a sample without a height in rows of quanta. No height has this value.
pub(crate) const VOID: i32 = i32::MIN;

/// Marks a sample outside the world in rows of quanta.
pub(crate) const OUTSIDE: i32 = VOID + 1;

/// Marks a height beyond the limit in rows of quanta, until the row is checked.
const BEYOND: i32 = i32::MAX;

/// How a sample without a height is treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VoidPolicy {
    /// The cells around it are holes.
    Hole,
    /// The bake ends with an error.
    Error,
    /// The sample gets this height. Metres.
    Height(f64),
}

/// Converts rows of a source into rows of quanta or of metres, with voids resolved.
pub(crate) struct Quantizer {
    grid: Grid,
    void: VoidPolicy,
    code_metres: Vec<f64>,
    code_quanta: Vec<i32>,
    /// Whether every code has a height within the limit: rows then need no check.
    codes_all_sound: bool,
}

impl Quantizer {
    pub(crate) fn new(
        grid: Grid,
        void: VoidPolicy,
        code_metres: Option<&[f64]>,
    ) -> Result<Self, BakeError> {
        if let VoidPolicy::Height(found) = void
            && !found.is_finite()
        {
            let expected = "a finite number of metres";
            return Err(BakeError::Setting { what: "void height", found, expected });
        }
        let mut quantizer = Self {
            grid,
            void,
            code_metres: Vec::new(),
            code_quanta: Vec::new(),
            codes_all_sound: false,
        };
        if let Some(table) = code_metres {
            if table.len() != 1 << 16 {
                return Err(BakeError::SourceContract {
                    found: format!("a table of {} heights", table.len()),
                    expected: "65536, one for each code".into(),
                });
            }
            quantizer.code_metres = table.iter().map(|&metres| quantizer.settle(metres)).collect();
            quantizer.code_quanta =
                quantizer.code_metres.iter().map(|&metres| quantizer.quanta(metres)).collect();
            quantizer.codes_all_sound =
                quantizer.code_quanta.iter().all(|&quanta| quanta != VOID && quanta != BEYOND);
        }
        Ok(quantizer)
    }

    /// A row in metres. Voids are not a number unless the policy gives them a height. `row` is used in
    /// errors.
    pub(crate) fn metres_row(
        &self,
        values: HeightRow<'_>,
        row: u32,
        out: &mut [f64],
    ) -> Result<(), BakeError> {
        self.check_length(values, out.len())?;
        match values {
            HeightRow::Codes(codes) => {
                for (out, &code) in out.iter_mut().zip(codes) {
                    *out = self.code_metres[usize::from(code)];
                }
            }
            HeightRow::Metres(metres) => {
                for (out, &metres) in out.iter_mut().zip(metres) {
                    *out = self.settle(metres);
                }
            }
        }
        if self.void == VoidPolicy::Error
            && let Some(column) = out.iter().position(|metres| metres.is_nan())
        {
            return Err(BakeError::Void { column: column as u32, row });
        }
        Ok(())
    }

    /// A row of this many columns in quanta, with [`VOID`] where there is no height, and whether the row has
    /// any void.
    pub(crate) fn quanta_row(
        &self,
        values: HeightRow<'_>,
        row: u32,
        columns: usize,
    ) -> Result<(Vec<i32>, bool), BakeError> {
        self.check_length(values, columns)?;
        let mut out = Vec::with_capacity(columns);
        match values {
            HeightRow::Codes(codes) => {
                // The table has exactly one entry for each code: no bounds checks.
                let Some(table) = self.code_quanta.first_chunk::<{ 1 << 16 }>() else {
                    return Ok((out, false)); // refused above
                };
                out.extend(codes.iter().map(|&code| table[usize::from(code)]));
                if self.codes_all_sound {
                    return Ok((out, false));
                }
            }
            HeightRow::Metres(metres) => {
                out.extend(metres.iter().map(|&metres| self.quanta(self.settle(metres))));
            }
        }
        if let Some(column) = Self::first_beyond(&out) {
            let metres = match values {
                HeightRow::Codes(codes) => self.code_metres[usize::from(codes[column])],
                HeightRow::Metres(metres) => self.settle(metres[column]),
            };
            return Err(self.beyond(metres, column as u32, row));
        }
        let void = out.iter().position(|&quanta| quanta == VOID);
        match void {
            Some(column) if self.void == VoidPolicy::Error => {
                Err(BakeError::Void { column: column as u32, row })
            }
            found => Ok((out, found.is_some())),
        }
    }

    /// Converts metres to quanta, and not a number to [`VOID`]. Rows made with this must be checked with
    /// [`first_beyond`](Self::first_beyond).
    #[inline]
    pub(crate) fn quanta(&self, metres: f64) -> i32 {
        let steps = (metres / f64::from(self.grid.quantum())).round_ties_even();
        let limit = f64::from(QUANTA_MAX);
        if -limit <= steps && steps <= limit {
            steps as i32
        } else if metres.is_nan() {
            VOID
        } else {
            BEYOND
        }
    }

    /// Height of one quantum. Metres.
    pub(crate) fn quantum(&self) -> f64 {
        f64::from(self.grid.quantum())
    }

    /// The index of the first height beyond the limit in a row.
    pub(crate) fn first_beyond(row: &[i32]) -> Option<usize> {
        row.iter().position(|&quanta| quanta == BEYOND)
    }

    /// The error for a height beyond the limit.
    pub(crate) fn beyond(&self, metres: f64, column: u32, row: u32) -> BakeError {
        let limit = f64::from(QUANTA_MAX);
        let quantum = f64::from(self.grid.quantum());
        let quantum_needed = (QUANTUM_LOG2_MIN..=QUANTUM_LOG2_ASKED_MAX)
            .map(power_of_two)
            .find(|&quantum| (metres / quantum).abs() <= limit);
        let limit = limit * quantum;
        BakeError::Height { metres, column, row, limit, quantum, quantum_needed }
    }

    #[inline]
    fn settle(&self, metres: f64) -> f64 {
        match self.void {
            VoidPolicy::Height(height) if metres.is_nan() => height,
            _ => metres,
        }
    }

    fn check_length(&self, values: HeightRow<'_>, expected: usize) -> Result<(), BakeError> {
        let (found, table) = match values {
            HeightRow::Codes(codes) => (codes.len(), !self.code_quanta.is_empty()),
            HeightRow::Metres(metres) => (metres.len(), true),
        };
        if !table {
            return Err(BakeError::SourceContract {
                found: "codes without a table".into(),
                expected: "a table of heights by code".into(),
            });
        }
        if found != expected {
            return Err(BakeError::SourceContract {
                found: format!("a row of {found} samples"),
                expected: format!("{expected}, the source's columns"),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantizer(void: VoidPolicy) -> Quantizer {
        Quantizer::new(Grid::new(1.0, 256.0, 0.25).unwrap(), void, None).unwrap()
    }

    /// A row of metres, as row 7.
    fn row(quantizer: &Quantizer, metres: &[f64]) -> Result<(Vec<i32>, bool), BakeError> {
        quantizer.quanta_row(HeightRow::Metres(metres), 7, metres.len())
    }

    #[test]
    fn ties_go_to_even() {
        let metres = [0.125, 0.375, -0.125, -0.375, f64::NAN];
        let (quanta, has_void) = row(&quantizer(VoidPolicy::Hole), &metres).unwrap();
        assert_eq!(quanta, [0, 2, 0, -2, VOID]);
        assert!(has_void);
    }

    #[test]
    fn a_height_beyond_the_limit_names_the_quantum_that_would_do() {
        let limit = 0.25 * f64::from(QUANTA_MAX);
        let quantizer = quantizer(VoidPolicy::Hole);
        let (quanta, has_void) = row(&quantizer, &[limit, -limit]).unwrap();
        assert_eq!(quanta, [QUANTA_MAX, -QUANTA_MAX]);
        assert!(!has_void);
        let error = row(&quantizer, &[0.0, 3.0 * limit]).unwrap_err();
        assert!(matches!(
            error,
            BakeError::Height { column: 1, row: 7, quantum_needed: Some(1.0), .. }
        ));
        assert!(error.to_string().ends_with("a quantum of 1 m would be enough"), "{error}");
        for metres in [1e30, -f64::MAX, f64::INFINITY] {
            let error = row(&quantizer, &[0.0, metres]).unwrap_err();
            assert!(matches!(error, BakeError::Height { quantum_needed: None, .. }), "{error:?}");
            assert!(error.to_string().ends_with("it is too great for any quantum"), "{error}");
        }
    }

    #[test]
    fn voids_are_what_the_settings_say() {
        let metres = [1.0, f64::NAN];
        let error = row(&quantizer(VoidPolicy::Error), &metres).unwrap_err();
        assert!(matches!(error, BakeError::Void { column: 1, row: 7 }));
        let (quanta, has_void) = row(&quantizer(VoidPolicy::Height(-2.0)), &metres).unwrap();
        assert_eq!(quanta, [4, -8]);
        assert!(!has_void);
    }
}
