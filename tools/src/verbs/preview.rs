//! `marchland preview`: a world from above.

use std::path::Path;

use marchland_terrain::store::{SectorBounds, World, WorldInfo};
use serde::Serialize;

use crate::cli::PreviewArgs;
use crate::failure::Failure;
use crate::output;
use crate::render::{
    Canvas, HeightImage, Legend, MapRect, PixelGround, ReliefStyle, Tint, draw_relief,
    draw_scale_bar, surface_colours,
};
use crate::world::{self, PixelSampler};

#[derive(Debug, Serialize)]
struct Answer {
    picture: String,
    width: u32,
    height: u32,
    metres_per_pixel: f64,
    missing_pixels: u64,
}

/// Draws the picture.
///
/// # Errors
/// If the world cannot be opened or the picture not written.
pub fn run(args: &PreviewArgs) -> Result<(), Failure> {
    let mut world = world::open(&args.world)?;
    let rect = covered_rect(world.info())
        .ok_or_else(|| Failure::input(format!("{}: no sectors", args.world.display())))?;
    let image = sample(&mut world, rect, args.size);
    let missing = image.pixels.iter().filter(|pixel| **pixel == PixelGround::Missing).count();
    let picture = draw(&args.world, world.info(), rect, &image, args);
    picture.write_png(&args.out)?;
    let answer = Answer {
        picture: args.out.display().to_string(),
        width: picture.width(),
        height: picture.height(),
        metres_per_pixel: image.metres_per_pixel,
        missing_pixels: missing as u64,
    };
    if args.json {
        return output::json(&answer);
    }
    if missing > 0 {
        output::note(&format!("warning: {missing} pixels lie in sectors that could not be loaded"));
    }
    output::line(&format!(
        "{}: {} x {} pixels, {:.3} m each",
        answer.picture, answer.width, answer.height, answer.metres_per_pixel
    ))
}

/// The rectangle of the world's sectors.
#[must_use]
pub fn covered_rect(info: &WorldInfo) -> Option<MapRect> {
    let SectorBounds { min, max } = info.bounds?;
    let side = f64::from(info.facts.grid.sector_size().metres());
    let edge = |sector: i32, part: f64| (f64::from(sector) + part) * side;
    Some(MapRect {
        x0: edge(min.x, -0.5),
        z0: edge(min.z, -0.5),
        x1: edge(max.x, 0.5),
        z1: edge(max.z, 0.5),
    })
}

/// The ground under each pixel.
pub fn sample(world: &mut World, rect: MapRect, size: u32) -> HeightImage {
    let mut sampler = PixelSampler::new(world);
    HeightImage::sample(rect, size, |x, z| sampler.ground(x, z))
}

/// Slopes of wide maps look flat: overdraw them as pixels grow.
#[must_use]
pub fn exaggeration(metres_per_pixel: f64) -> f32 {
    let wide = (metres_per_pixel / 4.0).sqrt().sqrt() as f32;
    if wide < 1.0 { 1.0 } else { wide }
}

fn draw(
    path: &Path,
    info: &WorldInfo,
    rect: MapRect,
    image: &HeightImage,
    args: &PreviewArgs,
) -> Canvas {
    let range = image.range().unwrap_or([0.0, 0.0]);
    let names = &info.facts.surface_names;
    let colours = surface_colours(names);
    let tint = if args.surfaces {
        Tint::Surface { colours: colours.clone(), range }
    } else {
        Tint::Height(range)
    };
    let exaggeration = exaggeration(image.metres_per_pixel);
    let mut map = draw_relief(image, &ReliefStyle { tint, exaggeration });
    if args.grid {
        draw_sector_grid(&mut map, info, rect);
    }
    draw_scale_bar(&mut map, image.metres_per_pixel);

    let mut legend = Legend::default();
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
    legend.title(name.unwrap_or_default().chars().take(20).collect::<String>());
    let grid = info.facts.grid;
    legend.text(format!("{} sectors", info.sectors));
    legend.text(format!("of {} m", grid.sector_size().metres()));
    legend.text(format!("cells of {} m", grid.cell()));
    legend.space().ramp(range).space();
    if args.surfaces {
        for (id, (name, colour)) in names.iter().zip(&colours).enumerate() {
            if id < 24 {
                legend.swatch(*colour, name.chars().take(18).collect::<String>());
            }
        }
    }
    for (kind, colour, label) in [
        (PixelGround::Hole, [24, 20, 28], "hole"),
        (PixelGround::Outside, [226, 229, 232], "outside"),
        (PixelGround::Missing, [200, 60, 60], "not loaded"),
    ] {
        if image.pixels.contains(&kind) {
            legend.swatch(colour, label);
        }
    }
    legend.beside(&map)
}

/// Thin lines on the borders of sectors, where they are at least a few pixels apart.
fn draw_sector_grid(map: &mut Canvas, info: &WorldInfo, rect: MapRect) {
    let side = f64::from(info.facts.grid.sector_size().metres());
    let pixels = f64::from(map.width()) / rect.width();
    if side * pixels < 4.0 {
        return;
    }
    let lines = |length: f64| (0..=(length / side).round() as i64).map(move |i| i as f64 * side);
    for x in lines(rect.width()) {
        map.fill((x * pixels) as i64, 0, 1, map.height(), [255, 255, 255], 0.45);
    }
    for z in lines(rect.depth()) {
        map.fill(0, (z * pixels) as i64, map.width(), 1, [255, 255, 255], 0.45);
    }
}
