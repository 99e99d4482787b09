//! The furniture of a map: a scale bar, and a legend beside it.

use super::canvas::{Canvas, Rgb, TextSize};
use super::palette::height_tint;

pub(crate) const INK: Rgb = [38, 42, 48];
pub(crate) const PAPER: Rgb = [248, 248, 246];
const FAINT: Rgb = [120, 124, 130];

/// The greatest of 1, 2 or 5 times a power of ten that is not above `most`.
#[must_use]
pub fn nice_length(most: f64) -> f64 {
    let mut unit = 1e-3;
    while unit * 10.0 <= most {
        unit *= 10.0;
    }
    let lengths = [5.0, 2.0, 1.0].map(|part| part * unit);
    lengths.into_iter().find(|&length| length <= most).unwrap_or(unit)
}

fn length_text(metres: f64) -> String {
    if metres >= 1000.0 { format!("{} km", metres / 1000.0) } else { format!("{metres} m") }
}

/// A height on a scale that spans `span`, with enough digits to distinguish its ends.
#[must_use]
pub fn height_text(metres: f32, span: f32) -> String {
    match span {
        10.0.. => format!("{metres:.0} m"),
        1.0.. => format!("{metres:.1} m"),
        _ => format!("{metres:.3} m"),
    }
}

/// Draws a scale bar in the lower left corner of a map, if it fits.
pub fn draw_scale_bar(canvas: &mut Canvas, metres_per_pixel: f64) {
    if canvas.width() < 64 || canvas.height() < 52 {
        return;
    }
    let metres = nice_length(f64::from(canvas.width()) / 4.0 * metres_per_pixel);
    let length = (metres / metres_per_pixel).round() as u32;
    let text = length_text(metres);
    let (x, y) = (14_i64, i64::from(canvas.height()) - 44);
    let box_width = i64::from(length).max(TextSize::Small.width(&text)) as u32 + 20;
    canvas.fill(x - 8, y - 6, box_width, 40, PAPER, 0.82);
    canvas.text(x + 2, y - 4, &text, TextSize::Small, INK);
    let half = length / 2;
    canvas.fill(x, y + 18, half, 8, INK, 1.0);
    canvas.fill(x + i64::from(half), y + 18, length - half, 8, [255; 3], 1.0);
    for (dx, dy, width, height) in [(0, 18, length, 1), (0, 25, length, 1), (length - 1, 18, 1, 8)]
    {
        canvas.fill(x + i64::from(dx), y + dy, width, height, INK, 1.0);
    }
}

/// A line of a legend.
#[derive(Clone, Debug)]
pub enum Line {
    /// Large letters.
    Title(String),
    /// A remark.
    Text(String),
    /// A coloured square and its meaning.
    Swatch(Rgb, String),
    /// The tints of heights with the lowest and the highest height beside them. Metres.
    Ramp([f32; 2]),
    /// A gap.
    Space,
}

/// The width of a legend in pixels.
const LEGEND_WIDTH: u32 = 230;

/// A map with a column to its right that explains its colours.
#[must_use]
pub fn with_legend(map: &Canvas, lines: &[Line]) -> Canvas {
    let needed = lines.iter().map(Line::height).sum::<i64>() + 32;
    let height = map.height().max(needed as u32);
    let mut out = Canvas::new(map.width() + LEGEND_WIDTH, height, PAPER);
    out.paste(0, 0, map);
    let x = i64::from(map.width()) + 18;
    let mut y = 16;
    for line in lines {
        line.draw(&mut out, x, y);
        y += line.height();
    }
    out
}

impl Line {
    fn height(&self) -> i64 {
        match self {
            Self::Title(_) => 28,
            Self::Text(_) | Self::Swatch(..) => 22,
            Self::Ramp(_) => 150,
            Self::Space => 14,
        }
    }

    fn draw(&self, canvas: &mut Canvas, x: i64, y: i64) {
        match self {
            Self::Title(text) => canvas.text(x, y, text, TextSize::Large, INK),
            Self::Text(text) => canvas.text(x, y, text, TextSize::Small, FAINT),
            Self::Swatch(colour, text) => {
                canvas.fill(x, y + 1, 16, 16, INK, 0.6);
                canvas.fill(x + 1, y + 2, 14, 14, *colour, 1.0);
                canvas.text(x + 26, y, text, TextSize::Small, INK);
            }
            Self::Ramp([low, high]) => {
                const TALL: i64 = 132;
                for row in 0..TALL {
                    let part = 1.0 - row as f32 / (TALL - 1) as f32;
                    canvas.fill(x, y + 4 + row, 16, 1, height_tint(part), 1.0);
                }
                let middle = (low + high) / 2.0;
                for (row, height) in [(0, *high), (TALL / 2, middle), (TALL, *low)] {
                    let text = height_text(height, high - low);
                    canvas.text(x + 26, y + 4 + row - 8, &text, TextSize::Small, INK);
                }
            }
            Self::Space => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_bars_have_round_lengths() {
        for (most, nice) in [(1.0, 1.0), (4.9, 2.0), (5.0, 5.0), (99.0, 50.0), (2500.0, 2000.0)] {
            assert!((nice_length(most) - nice).abs() < 1e-9, "{most}");
        }
    }
}
