//! The demo's picture: the world by its surfaces, its lake, the tracks, and what happened.

use marchland_terrain::store::World;
use marchland_worlds::demo::{SHORE, SURFACE_COLOURS, SURFACE_NAMES};
use marchland_worlds::march::groups;

use super::march::Marched;
use super::tracks::Tracks;
use crate::render::{
    Canvas, HeightImage, Legend, MapRect, PixelGround, ReliefStyle, Tint, draw_relief,
    draw_scale_bar,
};
use crate::world::PixelSampler;

const SHALLOW: [u8; 3] = [104, 156, 178];
const DEEP: [u8; 3] = [38, 84, 128];
/// Metres at which the lake looks its deepest.
const DEEPEST: f32 = 12.0;

/// Draws the picture.
pub fn draw(
    world: &mut World,
    rect: MapRect,
    tracks: &Tracks,
    size: u32,
    legend: &[String],
) -> Canvas {
    let mut sampler = PixelSampler::new(world);
    let image = HeightImage::sample(rect, size, |x, z| sampler.ground(x, z));
    let range = image.range().unwrap_or([0.0, 1.0]);
    let tint = Tint::Surface { colours: SURFACE_COLOURS.to_vec(), range };
    let mut map = draw_relief(&image, &ReliefStyle { tint, exaggeration: 1.15 });
    flood(&mut map, &image);
    tracks.draw(&mut map);
    draw_scale_bar(&mut map, image.metres_per_pixel);
    beside(&map, legend)
}

/// The lake: all ground below its shore.
fn flood(map: &mut Canvas, image: &HeightImage) {
    for row in 0..i64::from(image.height) {
        for column in 0..i64::from(image.width) {
            let PixelGround::Ground { height, .. } = image.at(column, row) else { continue };
            let depth = SHORE as f32 - height;
            if depth > 0.0 {
                let part = if depth < DEEPEST { depth / DEEPEST } else { 1.0 };
                let mut water = SHALLOW;
                for (channel, deep) in water.iter_mut().zip(DEEP) {
                    let shallow = f32::from(*channel);
                    *channel = (shallow + (f32::from(deep) - shallow) * part) as u8;
                }
                map.blend(column, row, water, 0.55 + 0.4 * part);
            }
        }
    }
}

fn beside(map: &Canvas, lines: &[String]) -> Canvas {
    let mut legend = Legend::default();
    legend.title("Marchland");
    for line in lines {
        legend.text(line.as_str());
    }
    legend.space().title("Groups");
    for group in groups() {
        legend.swatch(group.colour, group.name);
    }
    legend.space().title("Surfaces");
    for (name, colour) in SURFACE_NAMES.iter().zip(SURFACE_COLOURS) {
        legend.swatch(colour, *name);
    }
    legend.swatch(DEEP, "water").swatch([24, 20, 28], "hole");
    legend.beside(map)
}

/// The lines beside the map: what happened, a few words each.
#[must_use]
pub fn legend_lines(units: u32, ticks: u32, marched: &Marched) -> Vec<String> {
    vec![
        format!("{units} units"),
        format!("{:.0} s at 60 Hz", f64::from(ticks) / 60.0),
        format!("{} borders", marched.borders_crossed),
        "crossed".into(),
    ]
}
