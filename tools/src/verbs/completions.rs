//! `marchland completions` and `marchland man`.

use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs};
use crate::failure::Failure;
use crate::output;

/// Writes a completion script.
///
/// # Errors
/// If standard output cannot be written.
pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "marchland", &mut script);
    output::line(String::from_utf8_lossy(&script).trim_end())
}

/// Writes the manual page: the command and a section for each verb.
///
/// # Errors
/// If standard output cannot be written.
pub fn man() -> Result<(), Failure> {
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
