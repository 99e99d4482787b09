//! The `marchland` command.

use std::process::ExitCode;

use clap::Parser;
use marchland_tools::cli::{Cli, Verb};
use marchland_tools::failure::Failure;
use marchland_tools::interrupt::{self, Phase};
use marchland_tools::verbs;

fn main() -> ExitCode {
    let cli = Cli::parse();
    stop_politely_when_interrupted(&cli.verb);
    match run(&cli.verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(verb: &Verb) -> Result<(), Failure> {
    match verb {
        Verb::Demo(args) => verbs::demo::run(args),
        Verb::Bake(args) => verbs::bake::run(args),
        Verb::Info(args) => verbs::info::run(args),
        Verb::Verify(args) => verbs::verify::run(args),
        Verb::Pack(args) => verbs::pack::run(args),
        Verb::Unpack(args) => verbs::unpack::run(args),
        Verb::Preview(args) => verbs::preview::run(args),
        Verb::Sample(args) => verbs::sample::run(args),
        Verb::Probe(args) => verbs::probe::run(args),
        Verb::Raycast(args) => verbs::raycast::run(args),
        Verb::Run(args) => verbs::run::run(args),
        Verb::Fly(args) => verbs::fly::run(args),
        Verb::Bench(args) => verbs::bench::run(args),
        Verb::Completions(args) => verbs::completions::completions(args),
        Verb::Man => verbs::completions::man(),
    }
}

/// Makes an interrupt end the process at once, with a message about where the next run starts.
fn stop_politely_when_interrupted(verb: &Verb) {
    if let Verb::Bake(_) | Verb::Demo(_) | Verb::Pack(_) | Verb::Unpack(_) = verb {
        interrupt::enter(Phase::Resumes);
    }
    // Without a handler the signal still ends the process.
    let _ = ctrlc::set_handler(|| interrupt::stop());
}
