//! The demo's picture: the world by its surfaces, its lake, the tracks, what stands in it, and what
//! happened; beside it the town, larger.

use marchland_terrain::store::World;
use marchland_worlds::demo::{SHORE, SURFACE_COLOURS, SURFACE_NAMES};
use marchland_worlds::demo_props::{CENTRE, Kind, Look, TOWN};
use marchland_worlds::march::groups;

use super::march::Marched;
use super::standing::{Counted, Looks, ROCK_COLOUR, draw_standing};
use super::tracks::Tracks;
use crate::failure::Failure;
use crate::render::{
    Canvas, HeightImage, Legend, MapRect, PixelGround, ReliefStyle, Rgb, TextSize, Tint,
    draw_relief, draw_scale_bar,
};
use crate::world::PixelSampler;

const SHALLOW: [u8; 3] = [104, 156, 178];
const DEEP: [u8; 3] = [38, 84, 128];
/// Metres at which the lake looks its deepest.
const DEEPEST: f32 = 12.0;

/// Metres along a side of the town's own map.
const TOWN_METRES: f64 = 196.0;
/// Pixels along a side of it.
const TOWN_PIXELS: u32 = 336;
const PAPER: Rgb = [248, 248, 246];
const INK: Rgb = [38, 42, 48];

/// Draws the picture. Every sector must be in memory.
///
/// # Errors
/// If the demo's props cannot be made, which is a fault here.
pub fn draw(
    world: &mut World,
    rect: MapRect,
    tracks: &Tracks,
    size: u32,
    legend: &[String],
) -> Result<Canvas, Failure> {
    let looks = Looks::new()?;
    let (mut map, metres_per_pixel) = ground(world, rect, size);
    tracks.draw(&mut map);
    let counted = draw_standing(&mut map, rect, world, &looks);
    draw_scale_bar(&mut map, metres_per_pixel);

    let [x, z] = TOWN.map(|metres| metres - CENTRE);
    let half = TOWN_METRES / 2.0;
    let near = MapRect { x0: x - half, z0: z - half, x1: x + half, z1: z + half };
    let (mut town, metres_per_pixel) = ground(world, near, TOWN_PIXELS);
    draw_standing(&mut town, near, world, &looks);
    draw_scale_bar(&mut town, metres_per_pixel);
    Ok(page(&beside(&map, legend, counted), &map, &town))
}

/// The ground and the lake, and metres from one pixel to the next.
fn ground(world: &mut World, rect: MapRect, size: u32) -> (Canvas, f64) {
    let mut sampler = PixelSampler::new(world);
    let image = HeightImage::sample(rect, size, |x, z| sampler.ground(x, z));
    let range = image.range().unwrap_or([0.0, 1.0]);
    let tint = Tint::Surface { colours: SURFACE_COLOURS.to_vec(), range };
    let mut map = draw_relief(&image, &ReliefStyle { tint, exaggeration: 1.15 });
    flood(&mut map, &image);
    (map, image.metres_per_pixel)
}

/// Map and legend, with the town's own map below the legend.
fn page(with_legend: &Canvas, map: &Canvas, town: &Canvas) -> Canvas {
    let column = town.width() + 32;
    let mut page = Canvas::new(map.width() + column, with_legend.height(), PAPER);
    page.paste(0, 0, with_legend);
    let x = i64::from(map.width()) + 16;
    let y = i64::from(page.height()) - i64::from(town.height()) - 16;
    page.fill(x - 1, y - 1, town.width() + 2, town.height() + 2, INK, 1.0);
    page.paste(x, y, town);
    page.text(x, y - 30, "The town", TextSize::Large, INK);
    page
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
                map.blend(column, row, water, 0.82 + 0.16 * part);
            }
        }
    }
}

fn beside(map: &Canvas, lines: &[String], counted: Counted) -> Canvas {
    let mut legend = Legend::default();
    legend.title("Marchland");
    for line in lines {
        legend.text(line.as_str());
    }
    legend.space().title("Groups");
    for group in groups() {
        legend.swatch(group.colour, group.name);
    }
    legend.space().title("Props");
    for (kind, text) in [
        (Kind::House, format!("{} houses", counted.houses)),
        (Kind::Fir, format!("{} trees", counted.trees)),
        (Kind::Boulder, format!("{} rocks", counted.rocks)),
    ] {
        let colour = match kind.look() {
            Look::Built(colour) | Look::Tree(colour) => colour,
            Look::Rock => ROCK_COLOUR,
        };
        legend.swatch(colour, text);
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
