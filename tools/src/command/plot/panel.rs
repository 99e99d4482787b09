//! A frame with a scale along Y; along X it takes the width of the plot.

use marchland_terrain::math::{greater, lesser};

use super::{FAINT, GRID, INK, Pen};
use crate::command::render::{Rgb, TextSize, nice_length};

/// Where panels begin and end along X.
pub(crate) const LEFT: i64 = 92;
pub(crate) const RIGHT: i64 = 1256;

/// The power of ten of a value.
pub(crate) fn decade(value: f64) -> f64 {
    libm::log10(value)
}

/// Writes a text centred on a column of pixels.
pub(crate) fn centred(pen: &mut dyn Pen, x: i64, y: i64, text: &str, colour: Rgb) {
    pen.text(x - TextSize::Small.width(text) / 2, y, text, TextSize::Small, colour);
}

/// Writes what an axis along X shows, below its numbers under the last panel.
pub(crate) fn axis_title(pen: &mut dyn Pen, (top, height): (i64, i64), text: &str) {
    let left = (LEFT + RIGHT - TextSize::Small.width(text)) / 2;
    pen.text(left, top + height + 30, text, TextSize::Small, FAINT);
}

/// A frame with a scale.
pub(crate) struct Panel {
    /// Top and height.
    pub(crate) at: (i64, i64),
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Panel {
    pub(crate) fn linear(at: (i64, i64), most: f64) -> Self {
        Self { at, low: 0.0, high: most }
    }

    /// Whole decades around two values above 0; values are shown by their [`decade`].
    fn decades(at: (i64, i64), lowest: f64, highest: f64) -> Self {
        let (low, high) = (decade(lowest).floor(), decade(highest).ceil());
        Self { at, low, high: if high > low { high } else { low + 1.0 } }
    }

    /// Whole decades, drawn with their frame and a line for each, which `text` names by its value.
    pub(crate) fn draw_decades(
        pen: &mut dyn Pen,
        at: (i64, i64),
        [lowest, highest]: [f64; 2],
        text: impl Fn(f64) -> String,
    ) -> Self {
        let panel = Self::decades(at, lowest, highest);
        panel.frame(pen);
        for power in panel.low as i32..=panel.high as i32 {
            let power = f64::from(power);
            panel.line(pen, power, &text(libm::pow(10.0, power)));
        }
        panel
    }

    pub(crate) fn y(&self, value: f64) -> i64 {
        let (top, height) = self.at;
        let part = greater((value - self.low) / (self.high - self.low), 0.0);
        top + height - 1 - ((height - 1) as f64 * lesser(part, 1.0)) as i64
    }

    pub(crate) fn frame(&self, pen: &mut dyn Pen) {
        let (top, height) = self.at;
        pen.fill(LEFT - 1, top, 1, height as u32, FAINT, 1.0);
        pen.fill(LEFT - 1, top + height, (RIGHT - LEFT + 1) as u32, 1, FAINT, 1.0);
    }

    /// A grid line and its label.
    pub(crate) fn line(&self, pen: &mut dyn Pen, value: f64, text: &str) {
        let y = self.y(value);
        pen.fill(LEFT, y, (RIGHT - LEFT) as u32, 1, GRID, 1.0);
        pen.text(LEFT - 8 - TextSize::Small.width(text), y - 8, text, TextSize::Small, INK);
    }

    /// Lines at round values.
    pub(crate) fn lines(&self, pen: &mut dyn Pen, unit: &str) {
        let spacing = nice_length(self.high / 2.0);
        let mut value = 0.0;
        while value <= self.high {
            self.line(pen, value, &format!("{}{unit}", (value * 1e3).round() / 1e3));
            value += spacing;
        }
    }

    /// Title and keys, above the panel.
    pub(crate) fn keys<T: AsRef<str>>(&self, pen: &mut dyn Pen, title: &str, keys: &[(Rgb, T)]) {
        let y = self.at.0 - 26;
        pen.text(LEFT, y, title, TextSize::Small, INK);
        let mut x = LEFT + 150;
        for (colour, text) in keys {
            let text = text.as_ref();
            pen.fill(x, y + 3, 11, 11, *colour, 1.0);
            pen.text(x + 18, y, text, TextSize::Small, INK);
            x += 18 + TextSize::Small.width(text) + 28;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_are_whole_and_have_room_for_one_value_alone() {
        let panel = Panel::decades((10, 101), 0.3, 250.0);
        assert_eq!((panel.low, panel.high), (-1.0, 3.0));
        assert_eq!([-1.0, 1.0, 3.0, 9.0].map(|power| panel.y(power)), [110, 60, 10, 10]);
        let alone = Panel::decades((0, 100), 10.0, 10.0);
        assert_eq!((alone.low, alone.high), (1.0, 2.0));
    }
}
