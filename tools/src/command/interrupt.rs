//! What happens when the user interrupts a command.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::command::failure::INTERRUPTED;
use crate::command::{output, output_file};

/// How much of a command's work survives an interrupt for the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Nothing survives: there is only a message to print.
    Fresh,
    /// All that was written survives: published files stay readable, the rest is found again.
    Resumes,
    /// The world of a demo survives, but not the march.
    Marches,
}

/// The phase of the running command.
static PHASE: AtomicU8 = AtomicU8::new(Phase::Fresh as u8);

/// Sets the phase from now on.
pub fn enter(phase: Phase) {
    PHASE.store(phase as u8, Ordering::Relaxed);
}

/// Ends the process after an interrupt. Unfinished output files are removed; a world needs no cleanup.
pub fn stop() -> ! {
    output_file::abandon();
    let phase = PHASE.load(Ordering::Relaxed);
    output::note(if phase == Phase::Resumes as u8 {
        "\ninterrupted; run the same command again to continue"
    } else if phase == Phase::Marches as u8 {
        "\ninterrupted; the world is baked, and the next run restarts the march"
    } else {
        "\ninterrupted"
    });
    std::process::exit(i32::from(INTERRUPTED));
}
