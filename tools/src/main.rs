//! The `marchland` command.

use std::process::ExitCode;

use clap::Parser;
use marchland_tools::command::cli::{Cli, Verb, run_verb};
use marchland_tools::command::interrupt::{self, Phase};

fn main() -> ExitCode {
    let cli = Cli::parse();
    stop_politely_when_interrupted(&cli.verb);
    match run_verb(&cli.verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
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
