//! The ground under each pixel of a map.

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{greater, lesser};

use super::canvas::Canvas;

/// A rectangle of the world, metres from the centre of sector (0, 0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapRect {
    /// West.
    pub x0: f64,
    /// North.
    pub z0: f64,
    /// East.
    pub x1: f64,
    /// South.
    pub z1: f64,
}

impl MapRect {
    /// Metres from west to east.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.x1 - self.x0
    }

    /// Metres from north to south.
    #[must_use]
    pub fn depth(&self) -> f64 {
        self.z1 - self.z0
    }

    /// The smallest rectangle that holds both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            x0: lesser(other.x0, self.x0),
            z0: lesser(other.z0, self.z0),
            x1: greater(other.x1, self.x1),
            z1: greater(other.z1, self.z1),
        }
    }

    /// Pixels for each metre along X and along Z of a map that shows it.
    pub(crate) fn scale(&self, map: &Canvas) -> [f64; 2] {
        [f64::from(map.width()) / self.width(), f64::from(map.height()) / self.depth()]
    }

    /// Where a point, metres from an origin, lies on a map of this [scale](Self::scale). Pixels.
    pub(crate) fn pixel(&self, scale: [f64; 2], origin: [f64; 2], from_origin: Vec3) -> [f64; 2] {
        [
            (origin[0] + f64::from(from_origin.x) - self.x0) * scale[0],
            (origin[1] + f64::from(from_origin.z) - self.z0) * scale[1],
        ]
    }

    /// Size in pixels of a map whose longer side has `size`.
    #[must_use]
    pub fn pixels(&self, size: u32) -> [u32; 2] {
        let longer = greater(self.width(), self.depth());
        [self.width(), self.depth()].map(|side| {
            let pixels = (side / longer * f64::from(size)).round() as u32;
            pixels.max(1)
        })
    }
}

/// The ground below a pixel's middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PixelGround {
    /// Ground: its height in metres and its surface.
    Ground {
        /// Metres.
        height: f32,
        /// The surface's number.
        surface: u8,
    },
    /// A hole.
    Hole,
    /// Outside the world.
    Outside,
    /// A sector that could not be loaded.
    Missing,
}

/// The ground under every pixel of a map, row by row from the north-west.
#[derive(Clone, Debug)]
pub struct HeightImage {
    /// Pixels along a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Metres from one pixel to the next.
    pub metres_per_pixel: f64,
    /// The ground.
    pub pixels: Vec<PixelGround>,
}

impl HeightImage {
    /// Samples the ground below each pixel's middle. Rows are sampled from the north, pixels of a
    /// row from the west.
    pub fn sample(
        rect: MapRect,
        size: u32,
        mut ground: impl FnMut(f64, f64) -> PixelGround,
    ) -> Self {
        let [width, height] = rect.pixels(size);
        // Along the longer side, where rounding to whole pixels matters least.
        let metres_per_pixel = if width > height {
            rect.width() / f64::from(width)
        } else {
            rect.depth() / f64::from(height)
        };
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for row in 0..height {
            let z = rect.z0 + rect.depth() * (f64::from(row) + 0.5) / f64::from(height);
            for column in 0..width {
                let x = rect.x0 + rect.width() * (f64::from(column) + 0.5) / f64::from(width);
                pixels.push(ground(x, z));
            }
        }
        Self { width, height, metres_per_pixel, pixels }
    }

    /// The ground under a pixel; the nearest pixel of the image for one outside it.
    #[must_use]
    pub fn at(&self, column: i64, row: i64) -> PixelGround {
        let column = column.clamp(0, i64::from(self.width) - 1);
        let row = row.clamp(0, i64::from(self.height) - 1);
        self.pixels[row as usize * self.width as usize + column as usize]
    }

    /// Lowest and highest ground; `None` if there is no ground.
    #[must_use]
    pub fn range(&self) -> Option<[f32; 2]> {
        let heights = self.pixels.iter().filter_map(|pixel| match pixel {
            PixelGround::Ground { height, .. } => Some(*height),
            _ => None,
        });
        heights.fold(None, |range, height| match range {
            None => Some([height, height]),
            Some([low, high]) => Some([lesser(height, low), greater(height, high)]),
        })
    }
}
