//! `marchland raycast`: what a ray hits.

use crate::command::values::parse_numbers;
use clap::Args;
use std::fmt;
use std::path::PathBuf;

use marchland_terrain::glam::Vec3;
use marchland_terrain::store::World;
use marchland_terrain::{PropId, RayHit, Raycast, SectorCoord, WorldPos};
use serde::Serialize;

use super::sample::surface_name;
use crate::command::failure::Failure;
use crate::command::output::{self, shortest};
use crate::command::world;

/// `marchland raycast`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland raycast hills.world --from 0,200,0 --to -50,0,80")]
pub struct RaycastArgs {
    /// The world.
    pub world: PathBuf,
    /// Start of the ray, metres.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_numbers::<3>, allow_hyphen_values = true)]
    pub from: [f64; 3],
    /// End of the ray, metres.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_numbers::<3>, allow_hyphen_values = true)]
    pub to: [f64; 3],
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints. Every key is always present.
#[derive(Debug, Default, Serialize)]
struct Answer {
    hit: bool,
    position: Option<[f64; 3]>,
    distance: Option<f64>,
    normal: Option<[f64; 3]>,
    surface: Option<String>,
    sector: Option<[i32; 2]>,
    from_below: Option<bool>,
    unknown_from: Option<f64>,
    prop: Option<PropAnswer>,
}

/// A prop and one of its triangles. A baked prop is identified by the sector of its origin and its
/// index there, a live prop by its slot.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum PropAnswer {
    /// Part of the world.
    Baked { sector: [i32; 2], index: u32, triangle: u32 },
    /// Added at run time.
    Live { slot: u32, generation: u32, triangle: u32 },
}

impl PropAnswer {
    pub(super) fn new(prop: PropId, triangle: u32) -> Self {
        match prop {
            PropId::Baked { sector, index } => {
                Self::Baked { sector: [sector.x, sector.z], index, triangle }
            }
            PropId::Live { slot, generation } => Self::Live { slot, generation, triangle },
        }
    }
}

impl fmt::Display for PropAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Baked { sector: [x, z], index, triangle } => {
                write!(f, "prop {index} of sector ({x}, {z}), triangle {triangle}")
            }
            Self::Live { slot, triangle, .. } => write!(f, "live prop {slot}, triangle {triangle}"),
        }
    }
}

/// Casts the ray and loads sectors as it reaches them.
///
/// # Errors
/// If the world cannot be opened, or the ray is invalid.
pub fn run(args: &RaycastArgs) -> Result<(), Failure> {
    let mut world = world::open(&args.world)?;
    let size = world.info().facts.grid.sector_size();
    let from = world::position(&world, args.from)?;
    let to = world::position(&world, args.to)?;
    let along = to.relative_to(from, size);
    if along == Vec3::ZERO {
        return Err(Failure::input("--from and --to are the same position"));
    }
    let answer = match cast(&mut world, from, along)? {
        Raycast::Hit(hit) => answer_of_hit(&world, hit),
        Raycast::Miss => Answer::default(),
        Raycast::Unknown { from } => {
            Answer { unknown_from: Some(shortest(from)), ..Answer::default() }
        }
    };
    if args.json { output::json(&answer) } else { output::line(&in_words(&answer)) }
}

/// Repeats the cast until the result does not depend on a sector that could still be loaded.
fn cast(world: &mut World, from: WorldPos, along: Vec3) -> Result<Raycast, Failure> {
    let size = world.info().facts.grid.sector_size();
    let distance = length(along);
    let mut tried = Vec::new();
    load_missing(world, from.sector(), &mut tried);
    loop {
        let answer = world.view().raycast(from, along, distance);
        let answer = answer.map_err(|error| Failure::input(error.to_string()))?;
        let Raycast::Unknown { from: reached } = answer else { return Ok(answer) };
        let there = from.moved_by(along * (reached / distance), size);
        let there = there.map_err(|error| Failure::input(error.to_string()))?;
        // The place reached lies on a border: the missing sector may be on either side.
        let mut loaded = false;
        for (dx, dz) in (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (dx, dz))) {
            let Some(coord) = there.sector().offset(dx, dz) else { continue };
            loaded |= load_missing(world, coord, &mut tried);
        }
        if !loaded {
            return Ok(answer);
        }
    }
}

/// Loads a sector that is not resident, unless that was tried before. Returns whether the load changed
/// anything.
fn load_missing(world: &mut World, coord: SectorCoord, tried: &mut Vec<SectorCoord>) -> bool {
    if !world::is_absent(world, coord) || tried.contains(&coord) {
        return false;
    }
    tried.push(coord);
    world::load(world, coord);
    !world::is_absent(world, coord)
}

fn length(along: Vec3) -> f32 {
    let [x, y, z] = along.to_array().map(f64::from);
    (x * x + y * y + z * z).sqrt() as f32
}

fn answer_of_hit(world: &World, hit: RayHit) -> Answer {
    let sector = hit.position.sector();
    let surface = usize::from(hit.surface.0);
    let named = world.info().facts.surface_names.get(surface).cloned();
    Answer {
        hit: true,
        position: Some(hit.position.to_metres(world.info().facts.grid.sector_size())),
        distance: Some(shortest(hit.distance)),
        normal: Some(hit.normal.to_array().map(shortest)),
        surface: named.or_else(|| Some(surface_name(world, world.view().surface(hit.position)?))),
        sector: Some([sector.x, sector.z]),
        from_below: Some(hit.from_below),
        unknown_from: None,
        prop: hit.prop.map(|prop| PropAnswer::new(prop.id, prop.triangle)),
    }
}

fn in_words(answer: &Answer) -> String {
    let (Some([x, y, z]), Some(distance)) = (answer.position, answer.distance) else {
        return match answer.unknown_from {
            Some(from) => format!("unknown beyond {from} m: the sector there could not be loaded"),
            None => "no hit".into(),
        };
    };
    let below = if answer.from_below == Some(true) { ", from below" } else { "" };
    let surface = answer.surface.as_deref().unwrap_or("no surface");
    let prop = answer.prop.as_ref().map(|prop| format!(", {prop}")).unwrap_or_default();
    format!("hit at ({x:.3}, {y:.3}, {z:.3}) after {distance:.3} m: {surface}{prop}{below}")
}
