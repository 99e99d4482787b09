//! `marchland unpack`: restores the separate files of a packed world.

use marchland_terrain::store;

use super::pack::copy;
use crate::cli::UnpackArgs;
use crate::failure::Failure;

/// Unpacks.
///
/// # Errors
/// As `marchland pack`.
pub fn run(args: &UnpackArgs) -> Result<(), Failure> {
    copy("unpacking", [&args.packed, &args.out], args.json, &|progress| {
        store::unpack(&args.packed, &args.out, progress)
    })
}
