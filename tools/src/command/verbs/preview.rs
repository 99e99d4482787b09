//! `marchland preview`: a world from above.

use clap::Args;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use marchland_terrain::math::greater;
use marchland_terrain::store::{LoadOutcome, SectorBounds, World, WorldInfo};
use marchland_terrain::{SectorCoord, SectorState};
use serde_json::json;

use crate::command::failure::Failure;
use crate::command::plot::{Pen, PlotKind};
use crate::command::render::{
    Canvas, Footprint, FootprintPen, HOLE, HeightImage, Line, MISSING, MapRect, OUTSIDE, PROP_FILL,
    PixelGround, ReliefStyle, Tint, draw_relief, draw_scale_bar, height_text, surface_colours,
    with_legend,
};
use crate::command::world::{self, PixelSampler};
use crate::command::{guard, output};

/// `marchland preview`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marchland preview hills.world --out hills.png --size 2048 --grid"
)]
pub struct PreviewArgs {
    /// The world.
    pub world: PathBuf,
    /// The picture to write, a PNG.
    #[arg(long, value_name = "P.png")]
    pub out: PathBuf,
    /// Longer side of the map, pixels.
    #[arg(long, default_value_t = 1024, value_name = "N",
          value_parser = clap::value_parser!(u32).range(64..=16_384), allow_hyphen_values = true)]
    pub size: u32,
    /// Draw sector borders.
    #[arg(long)]
    pub grid: bool,
    /// Colour by surface instead of by height.
    #[arg(long)]
    pub surfaces: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Draws the picture.
///
/// # Errors
/// If the world cannot be opened or the picture cannot be written.
pub fn run(args: &PreviewArgs) -> Result<(), Failure> {
    // A file passed on to another program may have any name.
    let is_handed_on = std::fs::metadata(&args.out).is_ok_and(|about| !about.is_file());
    if !is_handed_on {
        PlotKind::only_png(&args.out)?;
    }
    let mut world = world::open(&args.world)?;
    let out = guard::begin(&args.out, "--out", &args.world, world.info())?;
    let rect = covered_rect(&mut world)?
        .ok_or_else(|| Failure::input(format!("{}: no sectors", args.world.display())))?;
    let image = sample(&mut world, rect, args.size);
    let mut map = draw_ground(world.info(), rect, &image, args);
    let props = draw_props(&mut world, rect, &mut map)?;
    let missing = image.pixels.iter().filter(|pixel| **pixel == PixelGround::Missing).count();
    draw_scale_bar(&mut map, image.metres_per_pixel);
    let picture = with_legend(&map, &legend(&args.world, world.info(), &image, props, args));
    picture.write(out)?;
    let (out, width, height) = (args.out.display(), picture.width(), picture.height());
    if args.json {
        return output::json(&json!({
            "picture": out.to_string(),
            "width": width,
            "height": height,
            "metres_per_pixel": image.metres_per_pixel,
            "missing_pixels": missing,
            "props": props,
        }));
    }
    if missing > 0 {
        let are = if missing == 1 { "pixel is" } else { "pixels are" };
        output::note(&format!("warning: {missing} {are} in sectors that could not be loaded"));
    }
    output::line(&format!("{out}: {width} x {height} pixels, {:.3} m each", image.metres_per_pixel))
}

/// The covered rectangle of the world, in metres, from the sectors along its sides. A sector that cannot be
/// loaded counts as fully covered.
///
/// # Errors
/// If the manifest is damaged.
pub fn covered_rect(world: &mut World) -> Result<Option<MapRect>, Failure> {
    let grid = world.info().facts.grid;
    let (side, cell) = (f64::from(grid.sector_size().metres()), f64::from(grid.cell()));
    let Some(SectorBounds { min, max }) = world.info().bounds else { return Ok(None) };
    let on_a_side = |coord: SectorCoord| {
        coord.x == min.x || coord.x == max.x || coord.z == min.z || coord.z == max.z
    };
    let mut covered: Option<MapRect> = None;
    for coord in world::coords(world)?.into_iter().filter(|&coord| on_a_side(coord)) {
        let [column0, row0, column1, row1] = covered_cells(world, coord);
        let x = |column: f64| (f64::from(coord.x) - 0.5) * side + column * cell;
        let z = |row: f64| (f64::from(coord.z) - 0.5) * side + row * cell;
        let rect = MapRect { x0: x(column0), z0: z(row0), x1: x(column1), z1: z(row1) };
        covered = Some(covered.map_or(rect, |all| all.with(rect)));
    }
    Ok(covered)
}

/// The covered cells of a sector without its apron: first column and row, one past the last ones.
fn covered_cells(world: &mut World, coord: SectorCoord) -> [f64; 4] {
    let cells = world.info().facts.grid.cells();
    // Errors of a sector are reported when its pixels are drawn.
    let _ = world.load(coord);
    let rect = match world.view().sector(coord) {
        SectorState::Resident(sector) => {
            let covered = sector.field().covered();
            // Counted with the apron, which lies before column 0 and after the last one.
            let inside = |index: u16| f64::from(u32::from(index).clamp(1, cells + 1) - 1);
            [covered.column0, covered.row0, covered.column1, covered.row1].map(inside)
        }
        _ => [0.0, 0.0, f64::from(cells), f64::from(cells)],
    };
    world.unload(coord);
    rect
}

/// The ground below each pixel.
fn sample(world: &mut World, rect: MapRect, size: u32) -> HeightImage {
    let [width, height] = rect.pixels(size);
    let bar = output::progress_bar(u64::from(width) * u64::from(height), "drawing");
    let mut sampler = PixelSampler::new(world);
    let image = HeightImage::sample(rect, size, |x, z| {
        bar.inc(1);
        sampler.ground(x, z)
    });
    bar.finish_and_clear();
    image
}

/// Slopes of wide maps look flat, so they are exaggerated as pixels grow.
fn exaggeration(metres_per_pixel: f64) -> f32 {
    greater(1.0, (metres_per_pixel / 4.0).sqrt().sqrt() as f32)
}

fn tint(info: &WorldInfo, range: [f32; 2], args: &PreviewArgs) -> Tint {
    if args.surfaces {
        Tint::Surface { colours: surface_colours(&info.facts.surface_names), range }
    } else {
        Tint::Height(range)
    }
}

fn draw_ground(info: &WorldInfo, rect: MapRect, image: &HeightImage, args: &PreviewArgs) -> Canvas {
    let tint = tint(info, image.range().unwrap_or([0.0, 0.0]), args);
    let exaggeration = exaggeration(image.metres_per_pixel);
    let mut map = draw_relief(image, &ReliefStyle { tint, exaggeration });
    if args.grid {
        draw_sector_grid(&mut map, info, rect);
    }
    map
}

/// Sectors kept while footprints are drawn.
const SECTORS_KEPT: usize = 256;

/// Draws the footprint of each prop once, with the sector that owns it. Returns how many there are.
///
/// # Errors
/// If the manifest is damaged.
pub fn draw_props(world: &mut World, rect: MapRect, map: &mut Canvas) -> Result<u64, Failure> {
    let side = f64::from(world.info().facts.grid.sector_size().metres());
    let mut pen = FootprintPen::new(map, rect);
    let mut props = 0;
    // Loaded sectors stay for a while: a mesh is dropped with the last sector that uses it.
    let mut passing = VecDeque::new();
    for coord in world::coords(world)? {
        // Errors of a sector were reported when its pixels were drawn.
        if let Ok(LoadOutcome::Loaded) = world.load(coord) {
            passing.push_back(coord);
        }
        if passing.len() > SECTORS_KEPT
            && let Some(first) = passing.pop_front()
        {
            world.unload(first);
        }
        if let SectorState::Resident(sector) = world.view().sector(coord) {
            let here = sector.props();
            let records = (0..here.len()).map(|at| here.record(at));
            for record in records.filter(|record| record.sector == coord) {
                let centre = [f64::from(coord.x) * side, f64::from(coord.z) * side];
                let [x, _, z] = record.position.to_array().map(f64::from);
                pen.draw(&Footprint {
                    origin: [centre[0] + x, centre[1] + z],
                    placement: record.placement,
                    mesh: here.mesh(&record),
                });
                props += 1;
            }
        }
    }
    Ok(props)
}

fn legend(
    path: &Path,
    info: &WorldInfo,
    image: &HeightImage,
    props: u64,
    args: &PreviewArgs,
) -> Vec<Line> {
    let range = image.range().unwrap_or([0.0, 0.0]);
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
    let grid = info.facts.grid;
    let mut legend = vec![
        Line::Title(name.unwrap_or_default().chars().take(20).collect()),
        Line::Text(output::count(info.sectors, "sector")),
        Line::Text(format!("of {} m", grid.sector_size().metres())),
        Line::Text(format!("cells of {} m", grid.cell())),
    ];
    match tint(info, range, args) {
        Tint::Surface { colours, range } => {
            let [low, high] = range.map(|height| height_text(height, range[1] - range[0]));
            legend.extend([Line::Text(format!("{low} to {high}")), Line::Space]);
            let named = info.facts.surface_names.iter().zip(colours).take(24);
            let short = |name: &String| name.chars().take(18).collect();
            legend.extend(named.map(|(name, colour)| Line::Swatch(colour, short(name))));
        }
        Tint::Height(range) => legend.extend([Line::Space, Line::Ramp(range)]),
    }
    legend.push(Line::Space);
    if props > 0 {
        legend.push(Line::Swatch(PROP_FILL, output::count(props, "prop")));
    }
    for (kind, colour, label) in [
        (PixelGround::Hole, HOLE, "hole"),
        (PixelGround::Outside, OUTSIDE, "outside"),
        (PixelGround::Missing, MISSING, "not loaded"),
    ] {
        if image.pixels.contains(&kind) {
            legend.push(Line::Swatch(colour, label.into()));
        }
    }
    legend
}

/// Draws thin lines on the borders of sectors, if they are at least a few pixels apart.
fn draw_sector_grid(map: &mut Canvas, info: &WorldInfo, rect: MapRect) {
    let side = f64::from(info.facts.grid.sector_size().metres());
    let pixels = f64::from(map.width()) / rect.width();
    if side * pixels < 4.0 {
        return;
    }
    // Borders lie at halves: sectors are counted by their centres.
    let borders = |from: f64, to: f64| {
        let (first, last) = ((from / side + 0.5).ceil() as i64, (to / side + 0.5).floor() as i64);
        (first..=last).map(move |index| (index as f64 - 0.5) * side - from)
    };
    for x in borders(rect.x0, rect.x1) {
        map.fill((x * pixels) as i64, 0, 1, map.height(), [255, 255, 255], 0.45);
    }
    for z in borders(rect.z0, rect.z1) {
        map.fill(0, (z * pixels) as i64, map.width(), 1, [255, 255, 255], 0.45);
    }
}
