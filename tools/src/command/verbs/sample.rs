//! `marchland sample`: the ground at places.

use crate::command::values::parse_metres;
use clap::Args;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use marchland_terrain::math::angle::degrees_of_slope;
use marchland_terrain::store::World;
use marchland_terrain::{Ground, SurfaceId};
use serde::Serialize;

use crate::command::failure::Failure;
use crate::command::output::{self, shortest};
use crate::command::world;

/// `marchland sample`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  marchland sample hills.world -5 -7.5\n  \
                        marchland sample hills.world --points places.csv --json")]
pub struct SampleArgs {
    /// The world.
    pub world: PathBuf,
    /// Position along X, metres from the centre of sector (0, 0).
    #[arg(required_unless_present = "points", requires = "z", value_parser = parse_metres,
          allow_hyphen_values = true)]
    pub x: Option<f64>,
    /// Position along Z, metres.
    #[arg(value_parser = parse_metres, allow_hyphen_values = true)]
    pub z: Option<f64>,
    /// A file with a line `x,z` for each position, or - for standard input.
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["x", "z"], allow_hyphen_values = true)]
    pub points: Option<String>,
    /// Print one JSON object per line, one for each position.
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints for each place. Every key is always present. Heights and local positions are exact to
/// the last bit; a normal has the shortest decimals that identify its `f32`.
#[derive(Debug, Serialize)]
struct Answer {
    x: f64,
    z: f64,
    ground: &'static str,
    height: Option<f64>,
    normal: Option<[f64; 3]>,
    slope_degrees: Option<f64>,
    surface: Option<String>,
    sector: [i32; 2],
    local: [f64; 2],
}

/// Answers for one place, or for each line of a file.
///
/// # Errors
/// If the world cannot be opened, or a place is invalid.
pub fn run(args: &SampleArgs) -> Result<(), Failure> {
    let mut world = world::open(&args.world)?;
    match (&args.points, args.x, args.z) {
        (Some(file), ..) => sample_file(&mut world, file, args.json),
        (None, Some(x), Some(z)) => print(&answer(&mut world, x, z)?, args.json),
        _ => Err(Failure::input("no position to sample").hint("give X and Z, or --points FILE")),
    }
}

/// Most bytes of a line of places: two numbers take fifty. Guards against an endless line.
const LINE_BYTES_MAX: usize = 4096;
/// Characters of a line shown in messages.
const SHOWN_CHARS: usize = 80;

fn sample_file(world: &mut World, file: &str, json: bool) -> Result<(), Failure> {
    let mut reader: Box<dyn BufRead> = if file == "-" {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let open = std::fs::File::open(file);
        Box::new(BufReader::new(open.map_err(|error| Failure::io(format!("{file}: {error}")))?))
    };
    let mut bytes = Vec::with_capacity(LINE_BYTES_MAX + 1);
    for number in 1_u64.. {
        bytes.clear();
        let mut start = (&mut reader).take(LINE_BYTES_MAX as u64 + 1);
        start
            .read_until(b'\n', &mut bytes)
            .map_err(|error| Failure::io(format!("{file}:{number}: {error}")))?;
        if bytes.is_empty() {
            break;
        }
        let wrong = |found: &str| {
            Failure::input(format!("{file}:{number}: {found}, expected two numbers `x,z`"))
        };
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if line.len() > LINE_BYTES_MAX {
            return Err(wrong(&format!("a line of more than {LINE_BYTES_MAX} bytes")));
        }
        let text = std::str::from_utf8(line).map_err(|_| wrong("a line that is not UTF-8"))?.trim();
        if text.is_empty() {
            continue;
        }
        let place = text.split_once(',').and_then(|(x, z)| {
            Some((x.trim().parse::<f64>().ok()?, z.trim().parse::<f64>().ok()?))
        });
        let Some((x, z)) = place else {
            return Err(wrong(&format!("`{}`", start_of(text))));
        };
        let answer = answer(world, x, z).map_err(|_| {
            Failure::input(format!("{file}:{number}: `{}` is not a valid position", start_of(text)))
        })?;
        print(&answer, json)?;
    }
    Ok(())
}

/// The part of a line shown in messages.
fn start_of(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn answer(world: &mut World, x: f64, z: f64) -> Result<Answer, Failure> {
    let place = world::position(world, [x, 0.0, z])?;
    world::load(world, place.sector());
    let view = world.view();
    let (ground, height) = ground_in_words(view.ground(place));
    Ok(Answer {
        x,
        z,
        ground,
        height,
        normal: view.face_normal(place).map(|normal| normal.to_array().map(shortest)),
        slope_degrees: view.slope(place).map(|slope| degrees_of_slope(f64::from(slope))),
        surface: view.surface(place).map(|id| surface_name(world, id)),
        sector: [place.sector().x, place.sector().z],
        local: [f64::from(place.local().x), f64::from(place.local().z)],
    })
}

/// A word for the ground at a place, and its height. Metres.
pub(super) fn ground_in_words(ground: Ground) -> (&'static str, Option<f64>) {
    match ground {
        Ground::Height(height) => ("height", Some(f64::from(height))),
        Ground::Hole => ("hole", None),
        Ground::Outside => ("outside", None),
        Ground::NotResident => ("not_resident", None),
    }
}

/// The name of a surface; its id if the world has no name for it.
pub(super) fn surface_name(world: &World, SurfaceId(id): SurfaceId) -> String {
    let names = &world.info().facts.surface_names;
    names.get(usize::from(id)).cloned().unwrap_or_else(|| id.to_string())
}

fn print(answer: &Answer, json: bool) -> Result<(), Failure> {
    if json {
        return output::json(answer);
    }
    let place = format!("({}, {})", answer.x, answer.z);
    let (Some(height), Some(slope), Some([x, y, z])) =
        (answer.height, answer.slope_degrees, answer.normal)
    else {
        return output::line(&format!("{place}: {}", answer.ground.replace('_', " ")));
    };
    let [i, j] = answer.sector;
    let surface = answer.surface.as_deref().unwrap_or("no surface");
    output::line(&format!(
        "{place}: {height:.4} m, slope {slope:.2} degrees, normal ({x:.4}, {y:.4}, {z:.4}), {surface}, \
         sector ({i}, {j})"
    ))
}
