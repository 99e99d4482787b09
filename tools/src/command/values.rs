//! How values on the command line are read.

use clap::ValueEnum;
use marchland_controller::PathChoice;
use serde::Serialize;

/// Which controller moves units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum PathArg {
    /// Units on open ground follow it; all others take the full controller.
    Auto,
    /// Every unit takes the full controller.
    Full,
}

impl From<PathArg> for PathChoice {
    fn from(path: PathArg) -> Self {
        match path {
            PathArg::Auto => Self::Auto,
            PathArg::Full => Self::Full,
        }
    }
}

pub(crate) fn parse_numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|part| part.trim().parse().map_err(|_| format!("`{part}` is not a number")))
        .collect::<Result<_, _>>()?;
    let found = numbers.len();
    if let Some(bad) = numbers.iter().find(|number| !number.is_finite()) {
        return Err(format!("{bad} is not a finite number"));
    }
    numbers
        .try_into()
        .map_err(|_| format!("found {found} numbers, expected {N} separated by commas"))
}

/// A whole number of 64 bits.
pub(crate) fn parse_whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// A coordinate, which may be negative, so text that looks like a flag is also parsed here.
pub(crate) fn parse_metres(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| match text.strip_prefix("--") {
        Some(_) => "neither a number nor a flag of this command".to_owned(),
        None => "not a number".to_owned(),
    })
}

pub(crate) fn parse_finite(text: &str) -> Result<f64, String> {
    parse_numbers(text).map(|[number]| number)
}

/// 32 bits, in decimal or, after `0x`, in hexadecimal.
pub(crate) fn parse_mask(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "expected a 32-bit mask, such as 5 or 0xff".to_owned())
}

/// One number for both axes, or one for each.
pub(crate) fn parse_spacing(text: &str) -> Result<[f64; 2], String> {
    if text.contains(',') {
        parse_numbers(text)
    } else {
        parse_numbers::<1>(text).map(|[both]| [both, both])
    }
}

pub(crate) fn above_zero(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "expected a finite number above 0".to_owned())
}

/// Bytes, in units of 1, 2^10, 2^20 or 2^30.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let scaled = units.iter().find_map(|(unit, log2)| Some((text.strip_suffix(unit)?, *log2)));
    let (number, log2) = scaled.unwrap_or((text, 0));
    let number: Option<u64> = number.trim().parse().ok();
    let bytes = number.and_then(|number| number.checked_mul(1 << log2));
    bytes.ok_or_else(|| "expected bytes, such as 128MiB, 1GiB or 1000000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_have_units_of_two_to_the_ten() {
        for (text, bytes) in
            [("1000", 1000), ("3KiB", 3072), ("128MiB", 1 << 27), ("1 GiB", 1 << 30)]
        {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "MiB", "1.5GiB", "-1", "1MB", "99999999999GiB"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
