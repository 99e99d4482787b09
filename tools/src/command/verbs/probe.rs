//! `marchland probe`: everything that an upright cylinder touches at a place.
//!
//! The cylinder stands on what a walking unit would stand on: the ground below its middle, or props below its
//! whole foot disc, whichever is higher, at or below its feet.

use crate::command::values::{parse_finite, parse_mask, parse_metres};
use clap::Args;
use marchland_terrain::math::angle::degrees_of_slope;
use marchland_terrain::query::{
    Ceiling, Contact, Contacts, Cylinder, QueryError, Solids, SupportBy, TriangleId,
};
use marchland_terrain::store::World;
use marchland_terrain::{Ground, SectorCoord, SurfaceId, WorldPos};
use marchland_terrain::{glam::Vec3, limits::SKIN};
use serde::Serialize;
use std::path::PathBuf;

use super::raycast::PropAnswer;
use super::sample::{ground_in_words, surface_name};
use crate::command::failure::Failure;
use crate::command::output::{self, shortest};
use crate::command::world;

/// `marchland probe`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  marchland probe hills.world 12.5 -7
  marchland probe hills.world 12.5 -7 --y 40 --radius 0.5 --height 2 --json

The output lists the ground under the centre; the support, which is the higher of that ground and \
of any prop under the foot disc, at or below the feet; the clearance, which is the free height \
above the feet; and every contact, with its depth and the direction out of it.

Keys of --json: feet, radius, height, mask, sector; ground (height, hole, outside or \
not_resident) and ground_height; not_resident (a sector that could not be loaded; everything else \
is then unknown); support (height, below_feet, normal, slope_degrees, surface, prop, velocity) or \
null; contacts (depth, normal, position, surface, prop, inside) and more_contacts; clearance and \
ceiling (position, prop), null where nothing is above. A prop is given by its sector, its index \
there, and the triangle of its mesh; it is null for the ground.")]
pub struct ProbeArgs {
    /// The world.
    pub world: PathBuf,
    /// Position along X, metres from the centre of sector (0, 0).
    #[arg(value_parser = parse_metres, allow_hyphen_values = true)]
    pub x: f64,
    /// Position along Z, metres.
    #[arg(value_parser = parse_metres, allow_hyphen_values = true)]
    pub z: f64,
    /// Height of the feet, metres [default: on the ground].
    #[arg(long, value_name = "M", value_parser = parse_finite, allow_hyphen_values = true)]
    pub y: Option<f64>,
    /// Radius of the cylinder, metres.
    #[arg(long, value_name = "M", default_value_t = 0.4, allow_hyphen_values = true)]
    pub radius: f32,
    /// Height of the cylinder, metres.
    #[arg(long, value_name = "M", default_value_t = 1.8, allow_hyphen_values = true)]
    pub height: f32,
    /// Ignore props that share no layer with this mask; the ground always counts.
    #[arg(long, value_name = "BITS", default_value_t = u32::MAX, value_parser = parse_mask,
          hide_default_value = true, allow_hyphen_values = true)]
    pub mask: u32,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Range of the search up and down. Metres.
const FAR: f32 = 4096.0;
/// Most contacts reported.
const CONTACTS_MAX: usize = 256;
/// Cosine of 89 degrees: steeper faces of props are walls and support nothing.
const UPRIGHT: f32 = 0.017_452_406;

/// What `--json` prints. Every key is always present.
#[derive(Debug, Default, Serialize)]
struct Answer {
    feet: [f64; 3],
    radius: f64,
    height: f64,
    mask: u32,
    sector: [i32; 2],
    ground: &'static str,
    ground_height: Option<f64>,
    not_resident: Option<[i32; 2]>,
    support: Option<SupportAnswer>,
    contacts: Vec<ContactAnswer>,
    more_contacts: bool,
    clearance: Option<f64>,
    ceiling: Option<CeilingAnswer>,
}

#[derive(Debug, Serialize)]
struct SupportAnswer {
    height: f64,
    below_feet: f64,
    normal: [f64; 3],
    slope_degrees: f64,
    surface: String,
    prop: Option<PropAnswer>,
    velocity: [f64; 3],
}

#[derive(Debug, Serialize)]
struct ContactAnswer {
    depth: f64,
    normal: [f64; 3],
    position: [f64; 3],
    surface: String,
    prop: Option<PropAnswer>,
    inside: bool,
}

#[derive(Debug, Serialize)]
struct CeilingAnswer {
    position: [f64; 3],
    prop: Option<PropAnswer>,
}

/// Answers the query and loads sectors as they are needed.
///
/// # Errors
/// If the world cannot be opened, the cylinder is invalid, or there is no ground to stand on.
pub fn run(args: &ProbeArgs) -> Result<(), Failure> {
    let mut world = world::open(&args.world)?;
    let body = Cylinder { radius: args.radius, height: args.height };
    let place = world::position(&world, [args.x, 0.0, args.z])?;
    world::load(&mut world, place.sector());
    let ground = world.view().ground(place);
    let y = feet_height(args, ground)?;
    let feet = world::position(&world, [args.x, y, args.z])?;
    let mut answer = empty(args, &world, feet, ground);
    match ask(&mut world, args.mask, |solids| touch(solids, body, feet)) {
        Ok(touched) => fill(&mut answer, &world, feet, ground, &touched),
        Err(QueryError::NotResident { sector }) => {
            answer.not_resident = Some([sector.x, sector.z]);
        }
        Err(error) => return Err(Failure::input(error.to_string())),
    }
    if args.json {
        return output::json(&answer);
    }
    in_words(&answer).iter().try_for_each(|line| output::line(line))
}

/// The height of the feet: as given, or on the ground.
fn feet_height(args: &ProbeArgs, ground: Ground) -> Result<f64, Failure> {
    let found = match (args.y, ground) {
        (Some(y), _) => return Ok(y),
        (None, Ground::Height(height)) => return Ok(f64::from(height)),
        (None, Ground::Hole) => "is over a hole",
        (None, Ground::Outside) => "is outside the world",
        (None, Ground::NotResident) => "is in a sector that could not be loaded",
    };
    let (x, z) = (args.x, args.z);
    Err(Failure::input(format!("({x}, {z}) {found}, so there is no ground to stand on"))
        .hint("give the height of the feet with `--y METRES`"))
}

/// Repeats the query until the result does not depend on a sector that could still be loaded.
fn ask<T>(
    world: &mut World,
    mask: u32,
    question: impl Fn(&Solids<'_>) -> Result<T, QueryError>,
) -> Result<T, QueryError> {
    loop {
        let answer = question(&world.view().solids(mask));
        let Err(QueryError::NotResident { sector }) = answer else { return answer };
        world::load(world, sector);
        if world::is_absent(world, sector) {
            return answer;
        }
    }
}

/// The results for the ground and the props.
struct Surroundings {
    prop: Option<marchland_terrain::query::Support>,
    contacts: Contacts,
    ceiling: Option<Ceiling>,
}

fn touch(solids: &Solids<'_>, body: Cylinder, feet: WorldPos) -> Result<Surroundings, QueryError> {
    let prop = solids.support_upright(body, feet, -FAR, SKIN, SupportBy::Props, UPRIGHT)?;
    let mut contacts = Contacts::with_capacity(CONTACTS_MAX);
    solids.overlap(body, feet, &mut contacts)?;
    let ceiling = solids.ceiling(body, feet, FAR)?;
    Ok(Surroundings { prop, contacts, ceiling })
}

fn empty(args: &ProbeArgs, world: &World, feet: WorldPos, ground: Ground) -> Answer {
    let SectorCoord { x, z } = feet.sector();
    let sector = [x, z];
    let (ground_word, ground_height) = ground_in_words(ground);
    Answer {
        feet: feet.to_metres(world.info().facts.grid.sector_size()),
        radius: shortest(args.radius),
        height: shortest(args.height),
        mask: args.mask,
        sector,
        ground: ground_word,
        ground_height,
        not_resident: (ground == Ground::NotResident).then_some(sector),
        ..Answer::default()
    }
}

fn fill(
    answer: &mut Answer,
    world: &World,
    feet: WorldPos,
    ground: Ground,
    touched: &Surroundings,
) {
    let surface = |id: SurfaceId| surface_name(world, id);
    let [x, y, z] = answer.feet;
    let place = |from_feet: Vec3| {
        let [dx, dy, dz] = from_feet.to_array().map(f64::from);
        [x + dx, y + dy, z + dz]
    };
    answer.support = support(world, feet, ground, touched);
    answer.more_contacts = touched.contacts.is_cut();
    let contact = |contact: &Contact| ContactAnswer {
        depth: shortest(contact.depth),
        normal: contact.normal.to_array().map(shortest),
        position: place(contact.point),
        surface: surface(contact.surface),
        prop: prop(contact.triangle),
        inside: contact.inside,
    };
    answer.contacts = touched.contacts.as_slice().iter().map(contact).collect();
    answer.clearance = touched.ceiling.map(|ceiling| shortest(ceiling.clearance));
    answer.ceiling = touched.ceiling.map(|ceiling| CeilingAnswer {
        position: place(ceiling.point),
        prop: prop(ceiling.triangle),
    });
}

/// The higher of the ground below the middle and the props below the disc.
fn support(
    world: &World,
    feet: WorldPos,
    ground: Ground,
    touched: &Surroundings,
) -> Option<SupportAnswer> {
    let feet_y = f64::from(feet.local().y);
    let answer = |height: f64, normal: Vec3, id: SurfaceId, prop, velocity: Vec3| SupportAnswer {
        height,
        below_feet: feet_y - height,
        normal: normal.to_array().map(shortest),
        slope_degrees: slope_degrees(normal),
        surface: surface_name(world, id),
        prop,
        velocity: velocity.to_array().map(shortest),
    };
    let on_ground = match ground {
        Ground::Height(height) if height <= feet.local().y + SKIN => {
            let view = world.view();
            let normal = view.face_normal(feet).unwrap_or(Vec3::Y);
            let id = view.surface(feet).unwrap_or_default();
            Some(answer(f64::from(height), normal, id, None, Vec3::ZERO))
        }
        _ => None,
    };
    let on_prop = touched.prop.map(|found| {
        let height = feet_y + f64::from(found.point.y);
        answer(height, found.normal, found.surface, prop(found.triangle), found.velocity)
    });
    match (on_ground, on_prop) {
        (Some(ground), Some(prop)) => Some(if prop.height > ground.height { prop } else { ground }),
        (ground, prop) => ground.or(prop),
    }
}

fn slope_degrees(normal: Vec3) -> f64 {
    let [x, y, z] = normal.to_array().map(f64::from);
    degrees_of_slope((x * x + z * z).sqrt() / y)
}

fn prop(triangle: TriangleId) -> Option<PropAnswer> {
    match triangle {
        TriangleId::Terrain { .. } => None,
        TriangleId::Prop { prop, triangle } => Some(PropAnswer::new(prop, triangle)),
    }
}

fn what(surface: &str, prop: Option<&PropAnswer>) -> String {
    match prop {
        Some(prop) => format!("{surface}, {prop}"),
        None => format!("{surface}, ground"),
    }
}

fn in_words(answer: &Answer) -> Vec<String> {
    let triple = |[x, y, z]: [f64; 3]| format!("({x:.3}, {y:.3}, {z:.3})");
    let mut lines = vec![format!(
        "feet at {}, radius {} m, height {} m, sector ({}, {})",
        triple(answer.feet),
        answer.radius,
        answer.height,
        answer.sector[0],
        answer.sector[1]
    )];
    lines.push(match (answer.ground, answer.ground_height) {
        (_, Some(height)) => format!("ground: {height:.3} m"),
        (other, None) => format!("ground: {}", other.replace('_', " ")),
    });
    if let Some([x, z]) = answer.not_resident {
        lines.push(format!("unknown: sector ({x}, {z}) could not be loaded"));
        return lines;
    }
    lines.push(match &answer.support {
        None => format!("support: none within {FAR} m below"),
        Some(on) => {
            let moving = if on.velocity == [0.0; 3] {
                String::new()
            } else {
                format!(", moving at {} m/s", triple(on.velocity))
            };
            format!(
                "support: {:.3} m, {:.3} m below the feet, slope {:.2} degrees, normal {}: \
                 {}{moving}",
                on.height,
                on.below_feet,
                on.slope_degrees,
                triple(on.normal),
                what(&on.surface, on.prop.as_ref())
            )
        }
    });
    lines.push(match answer.clearance {
        None => format!("clearance: free for {FAR} m above the feet"),
        Some(metres) => {
            let below = answer.ceiling.as_ref().and_then(|ceiling| ceiling.prop.as_ref());
            let below = below.map_or("ground".to_owned(), ToString::to_string);
            format!("clearance: {metres:.3} m above the feet, below {below}")
        }
    });
    lines.push(match answer.contacts.len() {
        0 => "contacts: none".to_owned(),
        count if answer.more_contacts => format!("contacts: more than {count}; the deepest:"),
        count => format!("contacts: {count}"),
    });
    lines.extend(answer.contacts.iter().map(|contact| {
        format!(
            "  {:.3} m deep, way out {}, at {}: {}{}",
            contact.depth,
            triple(contact.normal),
            triple(contact.position),
            what(&contact.surface, contact.prop.as_ref()),
            if contact.inside { ", inside it" } else { "" }
        )
    }));
    lines
}
