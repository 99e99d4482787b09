//! Tracks of units: marks gathered for each pixel, drawn at the end.

use marchland_terrain::math::lesser;

use crate::command::render::{Canvas, Rgb};

/// Marks on a map of the demo world.
pub struct Tracks {
    size: u32,
    pixels_per_metre: f32,
    /// The map's north-west corner. Metres from the world's.
    corner: [f32; 2],
    /// Factor of the opacity of tracks.
    clear: f32,
    /// Half the width of the spots where units ended. Pixels.
    spot: f32,
    stride: usize,
    colours: Vec<Rgb>,
    /// Red, green, blue and number of the marks in each pixel.
    marks: Vec<[f32; 4]>,
    ends: Vec<(f32, f32, usize)>,
}

/// Most units whose tracks are kept; more would only fill the picture.
const TRACKED_UNITS: usize = 40_000;

impl Tracks {
    /// A map of `size` pixels for a world of `side` metres; colours by group.
    #[must_use]
    pub fn new(size: u32, side: f64, units: usize, colours: Vec<Rgb>) -> Self {
        Self {
            size,
            pixels_per_metre: (f64::from(size) / side) as f32,
            corner: [0.0, 0.0],
            clear: 0.18,
            spot: 0.5,
            stride: units.div_ceil(TRACKED_UNITS).max(1),
            colours,
            marks: vec![[0.0; 4]; size as usize * size as usize],
            ends: Vec::new(),
        }
    }

    /// The same tracks for a map whose north-west corner is elsewhere, in metres from the world's corner,
    /// with larger spots.
    #[must_use]
    pub fn near(self, corner: [f64; 2]) -> Self {
        Self { corner: corner.map(|metres| metres as f32), spot: 1.4, clear: 0.4, ..self }
    }

    /// One unit in this many is tracked.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Marks where a unit of a group passed; metres from the north-west corner.
    pub fn mark(&mut self, x: f32, z: f32, group: usize) {
        let [px, pz] = self.pixel(x, z).map(|pixels| pixels - 0.5);
        let (left, top) = (px.floor(), pz.floor());
        let (u, v) = (px - left, pz - top);
        let colour = self.colours[group].map(f32::from);
        for (dx, dz, share) in [
            (0, 0, (1.0 - u) * (1.0 - v)),
            (1, 0, u * (1.0 - v)),
            (0, 1, (1.0 - u) * v),
            (1, 1, u * v),
        ] {
            let (column, row) = (left as i64 + dx, top as i64 + dz);
            let inside = |at: i64| (0..i64::from(self.size)).contains(&at);
            if inside(column) && inside(row) {
                let mark = &mut self.marks[row as usize * self.size as usize + column as usize];
                for (sum, channel) in mark.iter_mut().zip(colour) {
                    *sum += channel * share;
                }
                mark[3] += share;
            }
        }
    }

    /// Marks where a unit of a group ended.
    pub fn mark_end(&mut self, x: f32, z: f32, group: usize) {
        let [px, pz] = self.pixel(x, z);
        self.ends.push((px, pz, group));
    }

    fn pixel(&self, x: f32, z: f32) -> [f32; 2] {
        [x - self.corner[0], z - self.corner[1]].map(|metres| metres * self.pixels_per_metre)
    }

    /// Draws tracks; the more often walked, the more opaque.
    pub fn draw(&self, map: &mut Canvas) {
        for (index, &[red, green, blue, count]) in self.marks.iter().enumerate() {
            if count < 0.05 {
                continue;
            }
            let colour = [red, green, blue].map(|sum| (sum / count) as u8);
            // A few units leave a trace, thousands leave a road through which the ground still
            // shows.
            let opacity = lesser(self.clear * libm::log1pf(count), 0.74);
            let (column, row) = (index % self.size as usize, index / self.size as usize);
            map.blend(column as i64, row as i64, colour, opacity);
        }
    }

    /// Draws where units ended.
    pub fn draw_ends(&self, map: &mut Canvas) {
        for &(x, z, _) in &self.ends {
            map.spot(x, z, self.spot + 0.6, [16, 16, 20], 0.35);
        }
        for &(x, z, group) in &self.ends {
            map.spot(x, z, self.spot, self.colours[group], 0.9);
        }
    }
}
