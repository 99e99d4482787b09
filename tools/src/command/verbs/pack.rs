//! `marchland pack`: a world with few files instead of very many.

use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;

use marchland_terrain::store::{self, PackProgress, PackReport, StoreError};
use serde_json::json;

use crate::command::failure::{Failure, chain};
use crate::command::fresh::FreshWorld;
use crate::command::world::store_failure;
use crate::command::{guard, output};

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

/// Packs.
///
/// # Errors
/// With exit code 1 if a file of the world is damaged or missing; otherwise if there is no world, the target
/// folder is not empty, or either cannot be read or written.
pub fn run(args: &PackArgs) -> Result<(), Failure> {
    let places = [args.world.as_path(), &args.out];
    copy("packing", places, args.json, &|progress| store::pack(&args.world, &args.out, progress))
}

/// Unpacks.
///
/// # Errors
/// As [`run`].
pub fn unpack(args: &UnpackArgs) -> Result<(), Failure> {
    copy("unpacking", [&args.packed, &args.out], args.json, &|progress| {
        store::unpack(&args.packed, &args.out, progress)
    })
}

/// A function that copies a world and reports its progress.
type Run<'a> = dyn Fn(&mut dyn FnMut(PackProgress)) -> Result<PackReport, StoreError> + 'a;

/// Copies a world from one place to another, into packed or separate files, with a progress bar and a report.
fn copy(
    doing: &'static str,
    [from, out]: [&Path; 2],
    is_json: bool,
    run: &Run<'_>,
) -> Result<(), Failure> {
    guard::refuse_inside(out, "OUT", from)?;
    let fresh = FreshWorld::look(out);
    let began = Instant::now();
    let bar = output::progress_bar(0, doing);
    let result = run(&mut |done| {
        bar.set_length(done.files_total);
        bar.set_position(done.files);
    });
    bar.finish_and_clear();
    let report = result.map_err(|error| {
        let failure = copy_failure(&error);
        if let Some(fresh) = fresh.filter(|_| failure.is_refusal()) {
            fresh.remove();
        }
        failure
    })?;
    let seconds = began.elapsed().as_secs_f64();
    if is_json {
        let PackReport { generation, sectors, meshes, bytes, written, kept } = report;
        return output::json(&json!({
            "generation": generation,
            "sectors": sectors,
            "meshes": meshes,
            "bytes": bytes,
            "written": written,
            "kept": kept,
            "seconds": seconds,
        }));
    }
    output::line(&format!(
        "{}: {}, {} written, generation {}, in {seconds:.1} s",
        out.display(),
        output::count(report.sectors, "sector"),
        output::count(report.written, "file"),
        report.generation,
    ))
}

/// The message for a copy that ended early. A damaged file is a failed check.
fn copy_failure(error: &StoreError) -> Failure {
    match error {
        StoreError::Sector { .. }
        | StoreError::Missing { .. }
        | StoreError::Mesh { .. }
        | StoreError::MissingMesh { .. }
        | StoreError::OtherMesh { .. }
        | StoreError::Pack { .. } => Failure::check(chain(error))
            .hint("`marchland verify` lists everything that is wrong with the world"),
        StoreError::Locked { .. } => {
            store_failure(error).hint("wait until the other process has finished")
        }
        _ => store_failure(error),
    }
}
