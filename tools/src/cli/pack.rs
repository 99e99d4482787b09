//! The words of `marchland pack` and `marchland unpack`.

use std::path::PathBuf;

use clap::Args;

/// `marchland pack`
#[derive(Debug, Args)]
#[command(after_help = "Example:
  marchland pack hills.world hills.packed

A packed world has the same content and is used like any other world, but has one file for each \
block of 32 x 32 sectors instead of one for each sector. It cannot be baked into; unpack it \
first. Every file is checked while it is copied. If the command is interrupted, run it again to \
continue.")]
pub struct PackArgs {
    /// The world.
    pub world: PathBuf,
    /// Folder of the packed world to write; must be empty or not exist.
    pub out: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `marchland unpack`
#[derive(Debug, Args)]
#[command(after_help = "Example:
  marchland unpack hills.packed hills.world

The files and their names are identical to those that were packed. Every file is checked while it \
is copied. If the command is interrupted, run it again to continue.")]
pub struct UnpackArgs {
    /// The packed world.
    pub packed: PathBuf,
    /// Folder of the world to write; must be empty or not exist.
    pub out: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}
