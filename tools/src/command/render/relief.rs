//! Shaded relief: tints, with light from the north-west and a softer one from above.

use marchland_terrain::math::lesser;

use super::canvas::{Canvas, Rgb, mix};
use super::heights::{HeightImage, PixelGround};
use super::palette::height_tint;

/// The base colour of the ground before shading.
#[derive(Clone, Debug)]
pub enum Tint {
    /// Its height, between the two given. Metres.
    Height([f32; 2]),
    /// Its surface, with a little of its height.
    Surface {
        /// Colours by surface number.
        colours: Vec<Rgb>,
        /// Lowest and highest ground. Metres.
        range: [f32; 2],
    },
}

/// How relief is drawn.
#[derive(Clone, Debug)]
pub struct ReliefStyle {
    /// The base colour of the ground.
    pub tint: Tint,
    /// Exaggeration of slopes: 1 is their true angle.
    pub exaggeration: f32,
}

/// The colours of what is no ground.
pub(crate) const HOLE: Rgb = [24, 20, 28];
pub(crate) const OUTSIDE: Rgb = [226, 229, 232];
pub(crate) const MISSING: Rgb = [200, 60, 60];

/// Directions to lights (east, up, south) and their strength: most from the north-west, some from
/// the west and the north so that every ridge line is visible, and a share from straight above.
const LIGHTS: [([f32; 3], f32); 4] = [
    ([-0.52, 0.60, -0.61], 0.58),
    ([-0.86, 0.50, 0.10], 0.16),
    ([0.10, 0.50, -0.86], 0.16),
    ([0.0, 1.0, 0.0], 0.22),
];

/// Draws a height image as a map.
#[must_use]
pub fn draw_relief(image: &HeightImage, style: &ReliefStyle) -> Canvas {
    let mut canvas = Canvas::new(image.width, image.height, OUTSIDE);
    let scale = style.exaggeration / (2.0 * image.metres_per_pixel as f32);
    for row in 0..i64::from(image.height) {
        for column in 0..i64::from(image.width) {
            let colour = match image.at(column, row) {
                PixelGround::Ground { height, surface } => {
                    let rise = |dc: i64, dr: i64| match image.at(column + dc, row + dr) {
                        PixelGround::Ground { height, .. } => height,
                        _ => height,
                    };
                    let gx = (rise(1, 0) - rise(-1, 0)) * scale;
                    let gz = (rise(0, 1) - rise(0, -1)) * scale;
                    lit(tint(&style.tint, height, surface), shade(gx, gz))
                }
                PixelGround::Hole => HOLE,
                PixelGround::Missing if (column + row) % 8 < 4 => MISSING,
                PixelGround::Missing | PixelGround::Outside => OUTSIDE,
            };
            canvas.set(column, row, colour);
        }
    }
    canvas
}

fn tint(tint: &Tint, height: f32, surface: u8) -> Rgb {
    let part = |[low, high]: [f32; 2]| if high > low { (height - low) / (high - low) } else { 0.3 };
    match tint {
        Tint::Height(range) => height_tint(part(*range)),
        Tint::Surface { colours, range } => {
            let colour = colours.get(usize::from(surface)).copied().unwrap_or([150, 150, 150]);
            mix(colour, height_tint(part(*range)), 0.15)
        }
    }
}

/// Light on a slope: about 1 on level ground, 0 in the dark.
fn shade(gx: f32, gz: f32) -> f32 {
    let length = (gx * gx + 1.0 + gz * gz).sqrt();
    let normal = [-gx / length, 1.0 / length, -gz / length];
    let level: f32 = LIGHTS.iter().map(|(light, strength)| light[1] * strength).sum();
    let mut sum = 0.0;
    for (light, strength) in LIGHTS {
        let cosine = normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2];
        sum += if cosine > 0.0 { cosine * strength } else { 0.0 };
    }
    sum / level
}

/// Shadows become cooler and darker, lit parts warmer and brighter.
fn lit(colour: Rgb, light: f32) -> Rgb {
    if light < 1.0 {
        let dark = [0.18, 0.20, 0.30].map(|part: f32| part + (1.0 - part) * light);
        [0, 1, 2].map(|index| (f32::from(colour[index]) * dark[index]) as u8)
    } else {
        let lift = (light - 1.0) * 0.9;
        mix(colour, [255, 250, 235], lesser(lift, 0.6))
    }
}
