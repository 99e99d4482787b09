//! The props of a bake: read from their files, placed and written into the world.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use marchland_terrain::SectorCoord;
use marchland_terrain::bake::props::{PropInput, PropKind, PropSource, Scatter};
use marchland_terrain::bake::{Placements, PropSink, SinkError};
use marchland_terrain::format::EncodedSector;
use marchland_terrain::props::MeshHash;
use marchland_terrain::store::WorldWriter;
use xxhash_rust::xxh3::xxh3_128;

use crate::command::failure::{Failure, chain};
use crate::command::output;
use crate::import::props::{self, MeshReport, PropFile, PropFileError};

/// The props of a world, and their sources.
#[derive(Clone, Debug, Default)]
pub struct PropPlan {
    /// The props and rules.
    pub input: PropInput,
    /// Every file that was read, in the order of reading.
    pub files: Vec<PathBuf>,
    /// The preparation report of each mesh of the input.
    pub meshes: Vec<MeshReport>,
}

/// The report on the props of a bake.
#[derive(Clone, Debug, Default)]
pub struct PropsReport {
    /// Number of props.
    pub props: u64,
    /// Triangles of all meshes that are placed, each mesh once.
    pub unique_triangles: u64,
    /// Triangles of all props.
    pub placed_triangles: u64,
    /// How often each mesh of the input is placed.
    pub uses: Vec<u64>,
    /// The result of each rule.
    pub rules: Vec<marchland_terrain::bake::RuleReport>,
}

/// Reads several files of props as if they were one. Also returns the remarks worth a line of output.
///
/// # Errors
/// If a file is missing or invalid.
pub(super) fn read(
    paths: &[PathBuf],
    surface_names: &[String],
    notes: &mut Vec<String>,
    warnings: &mut Vec<String>,
) -> Result<PropPlan, Failure> {
    let mut plan = PropPlan::default();
    let mut known = BTreeMap::new();
    for path in paths {
        let file = load(path, surface_names)?;
        notes.extend(file.notes.iter().cloned());
        warnings.extend(file.warnings.iter().cloned());
        plan.add(file, &mut known);
    }
    Ok(plan)
}

fn load(path: &Path, surface_names: &[String]) -> Result<PropFile, Failure> {
    props::load(path, surface_names).map_err(|error: PropFileError| {
        Failure::of(chain(&error), error.is_io()).or_hint(error.hint().map(str::to_owned))
    })
}

impl PropPlan {
    /// Adds a file. Meshes that are present already, by the hash of their bytes, are not added
    /// again.
    fn add(&mut self, file: PropFile, known: &mut BTreeMap<u128, usize>) {
        let PropFile { input, files, meshes, .. } = file;
        let mut place = Vec::with_capacity(input.meshes.len());
        for (mesh, report) in input.meshes.into_iter().zip(meshes) {
            let next = self.input.meshes.len();
            let index = *known.entry(xxh3_128(&mesh.encode())).or_insert(next);
            if index == next {
                self.input.meshes.push(mesh);
                self.meshes.push(report);
            }
            place.push(index);
        }
        let moved = |kind: PropKind| PropKind { mesh: place[kind.mesh], ..kind };
        let prop = |prop: PropSource| PropSource { kind: moved(prop.kind), ..prop };
        let rule = |rule: Scatter| Scatter { kind: moved(rule.kind), ..rule };
        self.input.props.extend(input.props.into_iter().map(prop));
        self.input.scatters.extend(input.scatters.into_iter().map(rule));
        self.files.extend(files);
    }
}

impl PropsReport {
    /// Sums up the placed props.
    pub(super) fn new(input: &PropInput, placements: &Placements) -> Self {
        let uses = placements.uses(input.meshes.len());
        let triangles = |uses: u64, mesh: usize| uses * input.meshes[mesh].triangles() as u64;
        let each = || uses.iter().copied().enumerate();
        Self {
            props: placements.props().len() as u64,
            unique_triangles: each().map(|(mesh, uses)| triangles(uses.min(1), mesh)).sum(),
            placed_triangles: each().map(|(mesh, uses)| triangles(uses, mesh)).sum(),
            rules: placements.rules().to_vec(),
            uses,
        }
    }

    /// Rules that found less suitable ground than they needed.
    #[must_use]
    pub fn shortfalls(&self) -> Vec<String> {
        let short = |rule: &marchland_terrain::bake::RuleReport| {
            let asked = rule.asked.filter(|&asked| asked > rule.placed)?;
            let (name, placed) = (&rule.name, rule.placed);
            Some(format!("{name}: {placed} of {asked} placed, no more suitable ground was found"))
        };
        self.rules.iter().filter_map(short).collect()
    }
}

/// A world that is being written, with a bar for the second pass.
pub(super) struct BarredSink<'a> {
    writer: &'a WorldWriter,
    bar: ProgressBar,
}

impl<'a> BarredSink<'a> {
    pub(super) fn new(writer: &'a WorldWriter) -> Self {
        Self { writer, bar: output::progress_bar(0, "placing") }
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

impl PropSink for BarredSink<'_> {
    fn spool(&self, sector: &EncodedSector) -> Result<(), SinkError> {
        self.bar.inc_length(1);
        PropSink::spool(self.writer, sector)
    }

    fn spooled(&self, coord: SectorCoord) -> Result<Vec<u8>, SinkError> {
        PropSink::spooled(self.writer, coord)
    }

    fn put_mesh(&self, bytes: &[u8]) -> Result<MeshHash, SinkError> {
        PropSink::put_mesh(self.writer, bytes)
    }

    fn put(&self, sector: EncodedSector) -> Result<(), SinkError> {
        self.bar.inc(1);
        PropSink::put(self.writer, sector)
    }
}
