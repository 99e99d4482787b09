//! What is said of a file.

use serde_json::Value;

/// The description: for programs, and for people.
pub(super) struct About {
    pub(super) json: Value,
    pub(super) lines: Vec<String>,
}

/// The line of a range of heights.
pub(super) fn heights_line(heights: Option<[f64; 2]>) -> String {
    match heights {
        Some([low, high]) => format!("heights: {low:.3} to {high:.3} m"),
        None => "heights: none".into(),
    }
}

/// So many bytes, in the unit that reads best.
pub(super) fn bytes_in_words(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
