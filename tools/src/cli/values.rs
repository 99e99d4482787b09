//! How values on the command line are read.

pub(super) fn parse_numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
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
pub(super) fn parse_whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// A coordinate, which may be negative, so text that looks like a flag is also parsed here.
pub(super) fn parse_metres(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| match text.strip_prefix("--") {
        Some(_) => "neither a number nor a flag of this command".to_owned(),
        None => "not a number".to_owned(),
    })
}

pub(super) fn parse_finite(text: &str) -> Result<f64, String> {
    parse_numbers(text).map(|[number]| number)
}

/// 32 bits, in decimal or, after `0x`, in hexadecimal.
pub(super) fn parse_mask(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "expected a 32-bit mask, such as 5 or 0xff".to_owned())
}

pub(super) fn parse_pair(text: &str) -> Result<[f64; 2], String> {
    parse_numbers(text)
}

pub(super) fn parse_triple(text: &str) -> Result<[f64; 3], String> {
    parse_numbers(text)
}

/// One number for both axes, or one for each.
pub(super) fn parse_spacing(text: &str) -> Result<[f64; 2], String> {
    if text.contains(',') {
        parse_numbers(text)
    } else {
        parse_numbers::<1>(text).map(|[both]| [both, both])
    }
}
