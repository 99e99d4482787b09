//! The words of the command line.
//!
//! Values that may be negative (`-7.5`, `-128,-128`) need no escaping anywhere.

mod bake;
mod bench;
mod fly;
mod pack;
mod run;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use self::bake::BakeArgs;
pub use self::bench::BenchArgs;
pub use self::fly::{FlyArgs, ModeArg};
pub use self::pack::{PackArgs, UnpackArgs};
pub use self::run::{PathArg, RunArgs};
use self::values::{parse_finite, parse_mask, parse_metres, parse_triple};

/// Bakes elevation files into worlds, inspects and draws worlds, and moves large numbers of units over
/// them.
#[derive(Debug, Parser)]
#[command(name = "marchland", version, propagate_version = true)]
#[command(
    after_help = "Exit codes: 0 success, 1 a check failed, 2 wrong usage or invalid input, 3 input \
                        or output failed, 130 interrupted."
)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What the command can do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Bake the sample world, march units over it, print a summary and draw a picture.
    Demo(DemoArgs),
    /// Turn an elevation file, or a folder of tiles, into a world.
    Bake(Box<BakeArgs>),
    /// Describe a world, a sector file or an elevation file.
    Info(InfoArgs),
    /// Check every byte of a world: checksums, edges, aprons, pyramids.
    Verify(VerifyArgs),
    /// Copy a world into a packed world, which has far fewer files.
    Pack(PackArgs),
    /// Copy a packed world into a world with one file for each sector.
    Unpack(UnpackArgs),
    /// Draw a world from above.
    Preview(PreviewArgs),
    /// Print the ground at one or more positions.
    Sample(SampleArgs),
    /// Print everything that an upright cylinder touches at a position.
    Probe(ProbeArgs),
    /// Cast a ray against the ground and props.
    Raycast(RaycastArgs),
    /// Run a scenario: one file with ground, props, units, their controls and the expected results.
    Run(RunArgs),
    /// Fly over a world with units below, and measure what streaming costs.
    Fly(FlyArgs),
    /// Move crowds of several sizes over a world, and measure what a tick costs.
    Bench(Box<BenchArgs>),
    /// Print a shell completion script.
    Completions(CompletionsArgs),
    /// Print the manual page.
    #[command(after_help = "Example:\n  marchland man > marchland.1")]
    Man,
}

/// `marchland demo`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland demo --units 50000 --ticks 6000 --out demo-out")]
pub struct DemoArgs {
    /// Number of marching units.
    #[arg(long, default_value_t = 20_000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=10_000_000), allow_hyphen_values = true)]
    pub units: u32,
    /// Number of ticks, each 1/60 s.
    #[arg(long, default_value_t = 6_000, value_name = "N", allow_hyphen_values = true)]
    pub ticks: u32,
    /// Threads that move units; the result does not depend on it [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Folder for the world and the picture.
    #[arg(long, default_value = "marchland-demo", value_name = "DIR")]
    pub out: PathBuf,
    /// Print one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// `marchland info`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland info hills.world --json")]
pub struct InfoArgs {
    /// A world, a sector file, or an elevation file.
    pub path: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `marchland verify`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland verify hills.world")]
pub struct VerifyArgs {
    /// The world.
    pub world: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

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

/// `marchland raycast`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland raycast hills.world --from 0,200,0 --to -50,0,80")]
pub struct RaycastArgs {
    /// The world.
    pub world: PathBuf,
    /// Start of the ray, metres.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_triple, allow_hyphen_values = true)]
    pub from: [f64; 3],
    /// End of the ray, metres.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_triple, allow_hyphen_values = true)]
    pub to: [f64; 3],
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

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

/// `marchland completions`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland completions bash > /etc/bash_completion.d/marchland")]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn negative_numbers_need_no_escaping() {
        let cli = Cli::try_parse_from(["marchland", "sample", "w.world", "-5", "-7.5", "--json"]);
        let Verb::Sample(sample) = cli.unwrap().verb else { panic!("not sample") };
        assert_eq!((sample.x, sample.z, sample.json), (Some(-5.0), Some(-7.5), true));
        let cli = Cli::try_parse_from([
            "marchland",
            "bake",
            "a.png",
            "--out",
            "w",
            "--origin",
            "-128,-128",
            "--min-height",
            "-20.5",
            "--void",
            "-3",
            "--nodata",
            "-32768",
        ]);
        let Verb::Bake(bake) = cli.unwrap().verb else { panic!("not bake") };
        assert_eq!(bake.origin, Some([-128.0, -128.0]));
        assert_eq!((bake.min_height, bake.nodata), (Some(-20.5), Some(-32768.0)));
        assert_eq!(bake.void, "-3");
        let ray = ["marchland", "raycast", "w", "--from", "-1,-2.5,3", "--to", "-1e3,0,-.5"];
        let Verb::Raycast(ray) = Cli::try_parse_from(ray).unwrap().verb else { panic!("no ray") };
        assert_eq!((ray.from, ray.to), ([-1.0, -2.5, 3.0], [-1000.0, 0.0, -0.5]));
        for words in
            [["-1e3", "-.5", "--json"], ["-1e3", "--json", "-.5"], ["--json", "-1e3", "-.5"]]
        {
            let cli = Cli::try_parse_from(["marchland", "sample", "w"].iter().chain(&words));
            let Verb::Sample(sample) = cli.unwrap().verb else { panic!("not sample") };
            assert_eq!((sample.x, sample.z, sample.json), (Some(-1000.0), Some(-0.5), true));
        }
        let points = ["marchland", "sample", "w", "--points", "-", "--json"];
        let Verb::Sample(sample) = Cli::try_parse_from(points).unwrap().verb else { panic!("no") };
        assert_eq!((sample.points.as_deref(), sample.x), (Some("-"), None));
        assert!(Cli::try_parse_from(["marchland", "sample", "w", "--jsn", "1", "2"]).is_err());
    }

    #[test]
    fn every_verb_shows_an_example() {
        for verb in Cli::command().get_subcommands() {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("marchland"), "{}", verb.get_name());
        }
    }
}
