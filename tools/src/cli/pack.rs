//! The words of `marchland pack` and `marchland unpack`.

use std::path::PathBuf;

use clap::Args;

/// `marchland pack`
#[derive(Debug, Args)]
#[command(after_help = "Example:
  marchland pack hills.world hills.packed

The packed world answers the same and is used like any other: it has one file for each block of 32 x 32
sectors instead of one for each sector. Nothing can be baked into it; unpack it for that. Every file is
checked on the way. A run that was stopped is taken up by the same command.")]
pub struct PackArgs {
    /// The world.
    pub world: PathBuf,
    /// Folder of the packed world; empty, or not there yet.
    pub out: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `marchland unpack`
#[derive(Debug, Args)]
#[command(after_help = "Example:
  marchland unpack hills.packed hills.world

The files are the very ones that were packed, under the same names. Every file is checked on the way. A
run that was stopped is taken up by the same command.")]
pub struct UnpackArgs {
    /// The packed world.
    pub packed: PathBuf,
    /// Folder of the world; empty, or not there yet.
    pub out: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}
