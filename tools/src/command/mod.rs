//! The command `marchland`.
//!
//! | module | contents |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`verbs`] | a file or a folder for each verb |
//! | [`scenario`] | scenario files: read, staged and run |
//! | [`render`] | maps with shaded relief, and what is drawn on them |
//! | [`plot`] | frames with scales, and a pen for them |
//! | [`world`] | worlds as the verbs open them |
//! | [`fresh`] | removes what a failed command began in a new folder |
//! | [`guard`] | where a command may not write |
//! | [`output`], [`output_file`] | what is printed; files that are whole or absent |
//! | [`interrupt`] | what happens when the user interrupts a command |
//! | [`failure`] | a message, a hint and an exit code |

pub mod cli;
pub mod failure;
pub mod fresh;
pub mod guard;
pub mod interrupt;
pub mod output;
pub mod output_file;
pub mod plot;
pub mod render;
pub mod scenario;
mod values;
pub mod verbs;
pub mod world;
