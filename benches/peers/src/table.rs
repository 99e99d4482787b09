//! Tables in Markdown.

/// Prints a table.
pub(crate) fn print(heads: &[&str], rows: &[Vec<String>]) {
    let line = |cells: &[String]| println!("| {} |", cells.join(" | "));
    line(&heads.iter().map(ToString::to_string).collect::<Vec<_>>());
    println!("|{}", "---|".repeat(heads.len()));
    for row in rows {
        line(row);
    }
    println!();
}

/// A number with a meaningful number of digits.
pub(crate) fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "–".into(),
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A count with thin groups of thousands.
pub(crate) fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_counts_are_grouped() {
        assert_eq!([number(1.234), number(12.34), number(123.4)], ["1.23", "12.3", "123"]);
        assert_eq!([count(7), count(1000), count(1_234_567)], ["7", "1 000", "1 234 567"]);
    }
}
