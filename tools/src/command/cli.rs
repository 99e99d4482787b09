//! The words of the command line.
//!
//! Values that may be negative (`-7.5`, `-128,-128`) need no escaping anywhere.

use clap::{Args, CommandFactory, Parser, Subcommand};

use super::failure::Failure;
use super::output;
use super::verbs::bake::BakeArgs;
use super::verbs::bench::BenchArgs;
use super::verbs::demo::DemoArgs;
use super::verbs::fly::FlyArgs;
use super::verbs::info::InfoArgs;
use super::verbs::pack::{PackArgs, UnpackArgs};
use super::verbs::preview::PreviewArgs;
use super::verbs::probe::ProbeArgs;
use super::verbs::raycast::RaycastArgs;
use super::verbs::run::RunArgs;
use super::verbs::sample::SampleArgs;
use super::verbs::verify::VerifyArgs;
use super::verbs::{
    bake, bench, demo, fly, info, pack, preview, probe, raycast, run, sample, verify,
};

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

/// `marchland completions`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marchland completions bash > /etc/bash_completion.d/marchland")]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Does what the command line says.
///
/// # Errors
/// Those of the verb.
pub fn run_verb(verb: &Verb) -> Result<(), Failure> {
    match verb {
        Verb::Demo(args) => demo::run(args),
        Verb::Bake(args) => bake::run(args),
        Verb::Info(args) => info::run(args),
        Verb::Verify(args) => verify::run(args),
        Verb::Pack(args) => pack::run(args),
        Verb::Unpack(args) => pack::unpack(args),
        Verb::Preview(args) => preview::run(args),
        Verb::Sample(args) => sample::run(args),
        Verb::Probe(args) => probe::run(args),
        Verb::Raycast(args) => raycast::run(args),
        Verb::Run(args) => run::run(args),
        Verb::Fly(args) => fly::run(args),
        Verb::Bench(args) => bench::run(args),
        Verb::Completions(args) => completions(args),
        Verb::Man => man(),
    }
}

/// Writes a completion script.
fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "marchland", &mut script);
    output::line(String::from_utf8_lossy(&script).trim_end())
}

/// Writes the manual page: the command and a section for each verb.
fn man() -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::io(format!("manual page: {error}"));
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(failed)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let man = clap_mangen::Man::new(verb.clone());
        let mut part = Vec::new();
        man.render_synopsis_section(&mut part).map_err(failed)?;
        man.render_description_section(&mut part).map_err(failed)?;
        man.render_options_section(&mut part).map_err(failed)?;
        if verb.get_after_help().is_some() {
            man.render_extra_section(&mut part).map_err(failed)?;
        }
        let title = verb.get_name().to_uppercase();
        let text = String::from_utf8_lossy(&part).replace(".SH ", &format!(".SH {title}: "));
        page.extend_from_slice(text.as_bytes());
    }
    output::line(String::from_utf8_lossy(&page).trim_end())
}

#[cfg(test)]
mod tests {
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
