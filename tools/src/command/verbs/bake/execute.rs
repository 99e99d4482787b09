//! Runs a plan: hashes the sources, bakes what changed, publishes the result.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use marchland_terrain::Grid;
use marchland_terrain::bake::{
    BAKE_VERSION, BakeError, BakeInput, BakeReport, PlaceError, SourceRect, bake, bake_with_props,
};
use marchland_terrain::store::{
    BakeRecord, PublishReport, PutOutcome, SourceHash, StoreError, WorldFacts, WorldWriter,
};
use rayon::ThreadPool;

use super::extent::Extent;
use super::plan::Plan;
use super::props::{BarredSink, PropsReport};
use super::settings_text::bare_name;
use crate::command::failure::{Failure, chain};
use crate::command::fresh::FreshWorld;
use crate::command::output::progress_bar;
use crate::command::world::{not_a_folder, store_failure};
use crate::import::props::MeshReport;
use crate::import::{CellRect, TileReport, hash_file};

/// The result of a bake.
pub struct Outcome {
    /// The world's folder.
    pub out: PathBuf,
    /// The grid.
    pub grid: Grid,
    /// Metres between the source's samples.
    pub spacing: [f64; 2],
    /// Position of the first sample.
    pub origin: [f64; 2],
    /// What the bake made; `None` if the world was up to date.
    pub made: Option<BakeOutput>,
    /// The preparation report of each mesh; empty without props.
    pub meshes: Vec<MeshReport>,
    /// How the tiles fit together, if the source is a folder.
    pub tiles: Option<TileReport>,
    /// Time from the first byte read to the last byte published.
    pub took: Duration,
}

/// The output of a bake.
pub struct BakeOutput {
    /// The library's report.
    pub bake: BakeReport,
    /// The report on the props; `None` for a bake without props.
    pub props: Option<PropsReport>,
    /// What was published.
    pub published: PublishReport,
}

/// Bakes a plan.
///
/// # Errors
/// If a source is damaged, or the world cannot be written.
pub fn execute(plan: Plan) -> Result<Outcome, Failure> {
    let (out, fresh) = (plan.out.clone(), FreshWorld::look(&plan.out));
    let outcome = execute_in(plan);
    if outcome.as_ref().is_err_and(Failure::is_refusal) {
        match fresh {
            Some(fresh) => fresh.remove(),
            // A fresh start removes what is not finished; the world stays as it was.
            None => drop(WorldWriter::begin(out)),
        }
    }
    outcome
}

fn execute_in(plan: Plan) -> Result<Outcome, Failure> {
    let began = Instant::now();
    let mut outcome = Outcome {
        out: plan.out.clone(),
        grid: plan.settings.grid,
        spacing: plan.settings.spacing,
        origin: plan.settings.origin,
        made: None,
        meshes: plan.props.as_ref().map(|props| props.meshes.clone()).unwrap_or_default(),
        tiles: plan.source.tiles.clone(),
        took: Duration::ZERO,
    };
    let mut writer =
        WorldWriter::begin(&plan.out).map_err(|error| begin_failure(&plan.out, &error))?;
    let pool = pool(plan.jobs)?;
    let files = source_files(&plan);
    let samples = [plan.source.heights.columns(), plan.source.heights.rows()];
    let extent = Extent::of(&plan.settings, samples);
    let settings = plan.settings_text.clone();
    let record = |sources| BakeRecord { bake_version: BAKE_VERSION, sources, settings };
    let facts = WorldFacts { grid: plan.settings.grid, surface_names: plan.surface_names.clone() };
    if plan.force {
        writer = writer.comparing_all();
    }
    let ((bake, props), record) = if writer.newest().is_none() {
        // Nothing can be up to date: the sources are hashed while they are baked.
        extent.announce();
        let (bake, sources) =
            pool.install(|| rayon::join(|| run(plan, &writer), || hash_sources(files)));
        (bake?, record(sources?))
    } else {
        let record = record(pool.install(|| hash_sources(files))?);
        let up_to_date = writer.is_up_to_date(&record)?;
        if up_to_date && !plan.force {
            outcome.took = began.elapsed();
            return Ok(outcome);
        }
        extent.announce();
        (pool.install(|| run(plan, &writer))?, record)
    };
    let published = writer.finish(&facts, &record)?;
    outcome.made = Some(BakeOutput { bake, props, published });
    outcome.took = began.elapsed();
    Ok(outcome)
}

fn run(plan: Plan, writer: &WorldWriter) -> Result<(BakeReport, Option<PropsReport>), Failure> {
    let flat = |rect: &CellRect| SourceRect {
        column0: rect.column,
        row0: rect.row,
        column1: rect.column_end,
        row1: rect.row_end,
    };
    let input = BakeInput {
        outside: plan.source.outside.iter().map(flat).collect(),
        heights: plan.source.heights,
        holes: plan.holes.map(|mask| mask.cells),
        surfaces: plan.surfaces.map(|mask| mask.cells),
    };
    let bar = progress_bar(0, "baking");
    let mut progress = |done: marchland_terrain::bake::Progress| {
        bar.set_length(done.rows_total);
        bar.set_position(done.rows);
    };
    let result = match &plan.props {
        None => bake(input, &plan.settings, &mut progress, &|file| {
            writer.put(&file).map(|_: PutOutcome| ()).map_err(Into::into)
        })
        .map(|report| (report, None)),
        Some(props) => {
            let sink = BarredSink::new(writer);
            let result = bake_with_props(input, &plan.settings, &props.input, &mut progress, &sink);
            sink.finish();
            result.map(|(report, placements)| {
                (report, Some(PropsReport::new(&props.input, &placements)))
            })
        }
    };
    bar.finish_and_clear();
    result.map_err(bake_failure)
}

/// Every file that the bake reads, masks and props last: its name in messages, and its path.
fn source_files(plan: &Plan) -> Vec<(String, PathBuf)> {
    let heights = plan.source.files.iter().map(|path| (bare_name(path), path.clone()));
    let masks = [("holes", &plan.holes), ("surfaces", &plan.surfaces)]
        .into_iter()
        .filter_map(|(role, mask)| mask.as_ref().map(|mask| (role, mask)))
        .map(|(role, mask)| (format!("{role}: {}", bare_name(&mask.file)), mask.file.clone()));
    let props = plan.props.iter().flat_map(|props| &props.files);
    let props = props.map(|path| (format!("props: {}", bare_name(path)), path.clone()));
    heights.chain(masks).chain(props).collect()
}

fn hash_sources(files: Vec<(String, PathBuf)>) -> Result<Vec<SourceHash>, Failure> {
    use rayon::prelude::*;
    files
        .into_par_iter()
        .map(|(name, path)| match hash_file(&path) {
            Ok(hash) => Ok(SourceHash { name, hash }),
            Err(error) => Err(Failure::file(&path, &error)),
        })
        .collect()
}

/// Threads for the work of one verb.
pub(crate) fn pool(threads: Option<usize>) -> Result<ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|error| Failure::io(format!("threads: {error}")))
}

/// The message for a folder that cannot be baked into.
fn begin_failure(out: &Path, error: &StoreError) -> Failure {
    let failure = store_failure(error);
    match error {
        StoreError::Io { .. } if out.is_file() => not_a_folder(out),
        StoreError::NotAWorld { .. } => failure.hint("give `--out` a different folder"),
        _ => failure,
    }
}

/// The message for a bake that ended early.
fn bake_failure(error: BakeError) -> Failure {
    match error {
        BakeError::Sink(error) | BakeError::Place(PlaceError::Ground { source: error, .. }) => {
            match error.downcast::<StoreError>() {
                Ok(error) => store_failure(&error),
                Err(error) => Failure::io(error.to_string()),
            }
        }
        BakeError::Source(error) => {
            let inner = error.into_inner();
            match inner.downcast::<crate::import::ImportError>() {
                Ok(error) => super::plan::import_failure(&error),
                Err(error) => Failure::input(chain(error.as_ref())),
            }
        }
        other => Failure::input(chain(&other)).or_hint(hint(&other)),
    }
}

fn hint(error: &BakeError) -> Option<String> {
    let hint = match error {
        BakeError::Height { quantum_needed: Some(quantum), .. } => {
            return Some(format!("give `--quantum {quantum}`"));
        }
        BakeError::Height { .. } => "check the height scale and, for a raw file, `--endian`",
        BakeError::Void { .. } => "`--void hole` or `--void HEIGHT` accepts it",
        BakeError::NoWholeCell { .. } => "give a smaller `--cell`",
        BakeError::SurfaceId { .. } => "name more surfaces with `--surface-names`",
        BakeError::BeyondSectors { .. } => "check `--origin` and `--spacing`",
        BakeError::Samples { .. } => "check `--spacing`, or give a larger `--cell`",
        _ => return None,
    };
    Some(hint.to_owned())
}
