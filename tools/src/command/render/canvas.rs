//! A picture in memory: pixels, blends, lines, text.

use marchland_terrain::math::{greater, lesser};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// A colour, 8 bits a channel.
pub type Rgb = [u8; 3];

/// A picture, row by row from the top left.
#[derive(Clone, Debug)]
pub struct Canvas {
    width: u32,
    height: u32,
    pub(crate) pixels: Vec<Rgb>,
}

impl Canvas {
    /// A picture of one colour.
    #[must_use]
    pub fn new(width: u32, height: u32, colour: Rgb) -> Self {
        Self { width, height, pixels: vec![colour; width as usize * height as usize] }
    }

    /// Pixels along a row.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// A pixel's colour; black outside the picture.
    #[must_use]
    pub fn get(&self, x: i64, y: i64) -> Rgb {
        self.index(x, y).map_or([0; 3], |index| self.pixels[index])
    }

    /// Sets a pixel; has no effect outside the picture.
    pub fn set(&mut self, x: i64, y: i64, colour: Rgb) {
        if let Some(index) = self.index(x, y) {
            self.pixels[index] = colour;
        }
    }

    /// Mixes a colour into a pixel: `opacity` 0 leaves it, 1 covers it.
    pub fn blend(&mut self, x: i64, y: i64, colour: Rgb, opacity: f32) {
        if let Some(index) = self.index(x, y) {
            self.pixels[index] = mix(self.pixels[index], colour, opacity);
        }
    }

    /// Fills a rectangle.
    pub fn fill(&mut self, x: i64, y: i64, width: u32, height: u32, colour: Rgb, opacity: f32) {
        for row in y..y + i64::from(height) {
            for column in x..x + i64::from(width) {
                self.blend(column, row, colour, opacity);
            }
        }
    }

    /// Draws a round spot with a soft edge; centre and radius in pixels.
    pub fn spot(&mut self, x: f32, y: f32, radius: f32, colour: Rgb, opacity: f32) {
        let far = radius.ceil() as i64 + 1;
        for row in y as i64 - far..=y as i64 + far {
            for column in x as i64 - far..=x as i64 + far {
                let (dx, dy) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
                let inside = radius + 0.5 - (dx * dx + dy * dy).sqrt();
                let cover = greater(0.0, lesser(1.0, inside));
                if cover > 0.0 {
                    self.blend(column, row, colour, opacity * cover);
                }
            }
        }
    }

    /// Writes ASCII text with its top left corner at a pixel.
    pub fn text(&mut self, x: i64, y: i64, text: &str, size: TextSize, colour: Rgb) {
        let (raster, advance) = size.raster();
        let mut left = x;
        for letter in text.chars() {
            let glyph = get_raster(letter, FontWeight::Regular, raster)
                .or_else(|| get_raster('?', FontWeight::Regular, raster));
            if let Some(glyph) = glyph {
                for (row, line) in (y..).zip(glyph.rows()) {
                    for (column, &cover) in (left..).zip(line.iter()) {
                        if cover > 0 {
                            self.blend(column, row, colour, f32::from(cover) / 255.0);
                        }
                    }
                }
            }
            left += advance;
        }
    }

    /// Copies another picture onto this one.
    pub fn paste(&mut self, x: i64, y: i64, other: &Self) {
        for row in 0..i64::from(other.height) {
            for column in 0..i64::from(other.width) {
                self.set(x + column, y + row, other.get(column, row));
            }
        }
    }

    fn index(&self, x: i64, y: i64) -> Option<usize> {
        let inside = x >= 0 && y >= 0 && x < i64::from(self.width) && y < i64::from(self.height);
        inside.then(|| y as usize * self.width as usize + x as usize)
    }
}

/// Sizes of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSize {
    /// 16 pixels high.
    Small,
    /// 20 pixels high.
    Large,
}

impl TextSize {
    /// The width of a text in pixels.
    #[must_use]
    pub fn width(self, text: &str) -> i64 {
        self.raster().1 * text.chars().count() as i64
    }

    fn raster(self) -> (RasterHeight, i64) {
        let raster = match self {
            Self::Small => RasterHeight::Size16,
            Self::Large => RasterHeight::Size20,
        };
        (raster, get_raster_width(FontWeight::Regular, raster) as i64)
    }
}

/// `a` where `part` is 0, `b` where it is 1.
#[must_use]
pub(super) fn mix(a: Rgb, b: Rgb, part: f32) -> Rgb {
    [0, 1, 2].map(|index| {
        let (a, b) = (f32::from(a[index]), f32::from(b[index]));
        (a + (b - a) * part + 0.5) as u8
    })
}
