//! The demo's picture: the world by its surfaces, its lake, the tracks, its props, and the results; beside
//! it, the town and the bridge at a larger scale.

use marchland_terrain::props::LiveProps;
use marchland_terrain::store::World;
use marchland_worlds::demo::{SHORE, SURFACE_COLOURS, SURFACE_NAMES};
use marchland_worlds::demo_props::{CENTRE, Kind, Look, TOWN};
use marchland_worlds::demo_walks;
use marchland_worlds::march::groups;

use super::march::MarchReport;
use super::standing::{
    Looks, PLATFORM_COLOUR, PropCounts, ROCK_COLOUR, draw_platforms, draw_standing,
};
use super::tracks::Tracks;
use crate::command::failure::Failure;
use crate::command::output::count;
use crate::command::render::{
    Canvas, HOLE, HeightImage, INK, Line, MapRect, PAPER, PixelGround, ReliefStyle, Rgb, TextSize,
    Tint, draw_relief, draw_scale_bar, with_legend,
};
use crate::command::world::PixelSampler;

const SHALLOW: Rgb = [104, 156, 178];
const DEEP: Rgb = [38, 84, 128];
/// Depth at which the lake is drawn darkest. Metres.
const DEEPEST: f32 = 12.0;

/// A larger map of a part of the world.
struct Sketch {
    title: &'static str,
    /// Its middle and its extent. Metres, from the north-west corner.
    middle: [f64; 2],
    extent: [f64; 2],
    /// Pixels along its longer side.
    pixels: u32,
}

const SKETCHES: [Sketch; 2] = [
    Sketch { title: "The town", middle: TOWN, extent: [196.0, 196.0], pixels: 336 },
    Sketch { title: "The bridge", middle: [2004.0, 109.0], extent: [48.0, 88.0], pixels: 330 },
];

/// Tracks for the maps beside the large one.
#[must_use]
pub fn sketches(units: usize, colours: &[Rgb]) -> Vec<Tracks> {
    let tracks = |sketch: &Sketch| {
        let side = sketch.extent[1];
        Tracks::new(sketch.pixels, side, units, colours.to_vec()).near(sketch.north_west())
    };
    SKETCHES.iter().map(tracks).collect()
}

impl Sketch {
    fn north_west(&self) -> [f64; 2] {
        [0, 1].map(|axis| self.middle[axis] - self.extent[axis] / 2.0)
    }

    fn rect(&self) -> MapRect {
        let [x0, z0] = self.north_west().map(|metres| metres - CENTRE);
        MapRect { x0, z0, x1: x0 + self.extent[0], z1: z0 + self.extent[1] }
    }

    fn draw(&self, world: &mut World, looks: &Looks, live: &LiveProps, tracks: &Tracks) -> Canvas {
        let (mut map, metres_per_pixel) = ground(world, self.rect(), self.pixels);
        draw_standing(&mut map, self.rect(), world, looks);
        // Walkers are on the bridge and on the tower, and never under a roof.
        tracks.draw(&mut map);
        draw_platforms(&mut map, self.rect(), live);
        tracks.draw_ends(&mut map);
        draw_scale_bar(&mut map, metres_per_pixel);
        map
    }
}

/// Draws the picture; `tracks` are those of the large map and of [`sketches`]. Every sector must be in
/// memory.
///
/// # Errors
/// If the demo's props cannot be made, which is a fault of this program.
pub fn draw(
    world: &mut World,
    live: &LiveProps,
    rect: MapRect,
    tracks: &[Tracks],
    size: u32,
    legend: &[String],
) -> Result<Canvas, Failure> {
    let looks = Looks::new()?;
    let (mut map, metres_per_pixel) = ground(world, rect, size);
    let (large, small) = tracks.split_first().map_or((None, &[][..]), |(a, b)| (Some(a), b));
    if let Some(tracks) = large {
        tracks.draw(&mut map);
        tracks.draw_ends(&mut map);
    }
    let counted = draw_standing(&mut map, rect, world, &looks);
    draw_scale_bar(&mut map, metres_per_pixel);
    let sketches = SKETCHES.iter().zip(small);
    let sketches: Vec<_> =
        sketches.map(|(sketch, tracks)| sketch.draw(world, &looks, live, tracks)).collect();
    Ok(page(&with_legend(&map, &lines(legend, counted)), &map, &sketches))
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

/// Map and legend, with the town's own map below the legend and that of the bridge beside it.
fn page(with_legend: &Canvas, map: &Canvas, sketches: &[Canvas]) -> Canvas {
    let column = SKETCHES[0].pixels + 32;
    let mut page = Canvas::new(map.width() + column, with_legend.height(), PAPER);
    page.paste(0, 0, with_legend);
    let right = i64::from(page.width()) - 16;
    let mut bottom = i64::from(page.height()) - 16;
    for (sketch, drawn) in SKETCHES.iter().zip(sketches) {
        let (x, y) = (right - i64::from(drawn.width()), bottom - i64::from(drawn.height()));
        page.fill(x - 1, y - 1, drawn.width() + 2, drawn.height() + 2, INK, 1.0);
        page.paste(x, y, drawn);
        page.text(x, y - 30, sketch.title, TextSize::Large, INK);
        bottom = y - 50;
    }
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
                let water = [0, 1, 2].map(|index| {
                    let (shallow, deep) = (f32::from(SHALLOW[index]), f32::from(DEEP[index]));
                    (shallow + (deep - shallow) * part) as u8
                });
                map.blend(column, row, water, 0.82 + 0.16 * part);
            }
        }
    }
}

fn lines(results: &[String], counted: PropCounts) -> Vec<Line> {
    let title = |text: &str| Line::Title(text.into());
    let swatch = |colour: Rgb, text: &str| Line::Swatch(colour, text.into());
    let mut lines = vec![title("Marchland")];
    lines.extend(results.iter().cloned().map(Line::Text));
    lines.extend([Line::Space, title("Groups")]);
    lines.extend(groups().iter().map(|group| swatch(group.colour, group.name)));
    lines.extend([swatch(demo_walks::COLOUR, "walkers"), Line::Space, title("Props")]);
    for (kind, text) in [
        (Kind::House, format!("{} houses", counted.houses)),
        (Kind::Fir, format!("{} trees", counted.trees)),
        (Kind::Boulder, format!("{} rocks", counted.rocks)),
    ] {
        let colour = match kind.look() {
            Look::Built(colour) | Look::Tree(colour) => colour,
            Look::Rock => ROCK_COLOUR,
        };
        lines.push(swatch(colour, &text));
    }
    lines.extend([swatch(PLATFORM_COLOUR, "2 platforms"), Line::Space, title("Surfaces")]);
    let surfaces = SURFACE_NAMES.iter().zip(SURFACE_COLOURS);
    lines.extend(surfaces.map(|(name, colour)| swatch(colour, name)));
    lines.extend([swatch(DEEP, "water"), swatch(HOLE, "hole")]);
    lines
}

/// The lines beside the map: the results, a few words each.
#[must_use]
pub fn legend_lines(units: u32, ticks: u32, marched: &MarchReport) -> Vec<String> {
    vec![
        count(units.into(), "unit"),
        format!("{:.0} s at 60 Hz", f64::from(ticks) / 60.0),
        count(marched.borders_crossed, "border"),
        "crossed".into(),
        count(marched.walkers as u64, "walker"),
    ]
}
