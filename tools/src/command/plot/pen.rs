//! The pens of a plot: boxes, bars and text, in a picture of pixels or of SVG elements.

use std::fmt::Write as _;

use crate::command::failure::{Failure, chain};
use crate::command::output_file::OutputFile;
use crate::command::render::{Canvas, Rgb, TextSize};

/// Draws. Pixels from the top left.
pub(crate) trait Pen {
    /// Fills a rectangle.
    fn fill(&mut self, x: i64, y: i64, width: u32, height: u32, colour: Rgb, opacity: f32);

    /// Fills columns of a pixel's width, each from its top to its bottom, both included.
    fn bars(&mut self, bars: &[Bar], colour: Rgb, opacity: f32);

    /// Writes ASCII text with its top left corner at a pixel.
    fn text(&mut self, x: i64, y: i64, text: &str, size: TextSize, colour: Rgb);

    /// Writes the picture.
    fn write(&self, out: OutputFile) -> Result<(), Failure>;
}

/// Part of a column of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) x: i64,
    pub(crate) top: i64,
    pub(crate) bottom: i64,
}

impl Pen for Canvas {
    fn fill(&mut self, x: i64, y: i64, width: u32, height: u32, colour: Rgb, opacity: f32) {
        Self::fill(self, x, y, width, height, colour, opacity);
    }

    fn bars(&mut self, bars: &[Bar], colour: Rgb, opacity: f32) {
        for bar in bars {
            let height = u32::try_from(bar.bottom - bar.top + 1).unwrap_or(0);
            Self::fill(self, bar.x, bar.top, 1, height, colour, opacity);
        }
    }

    fn text(&mut self, x: i64, y: i64, text: &str, size: TextSize, colour: Rgb) {
        Self::text(self, x, y, text, size, colour);
    }

    fn write(&self, out: OutputFile) -> Result<(), Failure> {
        let bytes = encoded(self)
            .map_err(|error| Failure::io(format!("{}: {}", out.name().display(), chain(&error))))?;
        out.write_whole(&bytes)
    }
}

/// A picture as PNG.
fn encoded(picture: &Canvas) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture.pixels.as_flattened())?;
    writer.finish()?;
    Ok(bytes)
}

/// A picture as SVG.
#[derive(Debug)]
pub(crate) struct Svg {
    width: u32,
    height: u32,
    elements: String,
}

impl Svg {
    pub(crate) fn new(width: u32, height: u32, paper: Rgb) -> Self {
        let mut svg = Self { width, height, elements: String::new() };
        Pen::fill(&mut svg, 0, 0, width, height, paper, 1.0);
        svg
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.elements, "{element}");
    }
}

impl Pen for Svg {
    fn fill(&mut self, x: i64, y: i64, width: u32, height: u32, colour: Rgb, opacity: f32) {
        let colour = hex(colour);
        self.push(format_args!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}" fill-opacity="{opacity}"/>"#
        ));
    }

    fn bars(&mut self, bars: &[Bar], colour: Rgb, opacity: f32) {
        let mut path = String::new();
        for Bar { x, top, bottom } in bars {
            let _ = write!(path, "M{x}.5 {top}V{}", bottom + 1);
        }
        let colour = hex(colour);
        self.push(format_args!(
            r#"<path d="{path}" stroke="{colour}" stroke-opacity="{opacity}" fill="none"/>"#
        ));
    }

    fn text(&mut self, x: i64, y: i64, text: &str, size: TextSize, colour: Rgb) {
        let (height, colour) = (if size == TextSize::Small { 14 } else { 17 }, hex(colour));
        let length = size.width(text);
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.push(format_args!(
            r#"<text x="{x}" y="{}" font-size="{height}" fill="{colour}" textLength="{length}">{text}</text>"#,
            y + height
        ));
    }

    fn write(&self, out: OutputFile) -> Result<(), Failure> {
        let Self { width, height, elements } = self;
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"monospace\">\n{elements}</svg>\n"
        );
        out.write_whole(text.as_bytes())
    }
}

fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
