//! Heights, holes and surfaces in, sectors out.
//!
//! ```text
//! HeightSource ─ rows ─▶ quantize or resample ─ world rows ─▶ bands ─▶ cut, encode (`emit`) ─▶ sink
//!                        (one thread)                          (a row of sectors at a time,
//!                                                               on the threads of the pool)
//! ```
//!
//! `masks` reads masks row by row; `rows` decides which cell is a hole, has a surface or is outside; `bands` adds holes
//! around samples without a height.
//!
//! A bake holds a few bands in memory, however many rows the source has. Each column of the world's samples
//! takes about 4 bytes for each of `cells + 3` rows, as much again for rows read ahead, and another 30 bytes.
//! With sectors of 256 cells, a thousand such columns take 2 MB, a million 2 GB, and the maximum
//! ([`BAKE_SAMPLES_MAX`](crate::limits::BAKE_SAMPLES_MAX)) four times that. The bytes of the sectors are the
//! same for any number of threads.

mod alignment;
mod bands;
mod error;
mod ground;
mod masks;
mod place;
pub mod props;
mod quantize;
mod random;
mod resample;
mod rows;
mod source;
mod spread;
mod threads;
mod with_props;

use std::error::Error;
use std::sync::Mutex;

pub use crate::props::PROP_SECTORS_MAX;
pub use error::BakeError;
pub use ground::GroundOf;
pub use masks::SourceRect;
pub use place::error::PlaceError;
pub use place::place;
pub use place::placements::{Placements, RuleReport};
pub use props::PROPS_MAX;
pub use quantize::VoidPolicy;
pub use resample::Difference;
pub use source::{CellSource, HeightRow, HeightSource, RowOrder, SourceError};
pub use spread::{Spread, spread};
pub use with_props::{PropSink, SinkError, bake_with_props};

use self::alignment::Axis;
use self::bands::{Band, Bands};
use self::masks::MaskRows;
use self::quantize::Quantizer;
use self::rows::{Masks, WorldRow, WorldRows};
use crate::format::{EncodedSector, encode_rows};
use crate::grid::Grid;
use crate::math::{greater, lesser};
use crate::mutex::lock;

/// Version of the bake: changes whenever the same input and settings would give different sectors.
pub const BAKE_VERSION: u32 = 1;

/// The input of a bake.
pub struct BakeInput {
    /// The heights.
    pub heights: Box<dyn HeightSource>,
    /// Cells that are holes: any value but 0.
    pub holes: Option<Box<dyn CellSource>>,
    /// Surface ids of cells.
    pub surfaces: Option<Box<dyn CellSource>>,
    /// Cells that are not part of the world.
    pub outside: Vec<SourceRect>,
}

/// The settings of a bake.
#[derive(Clone, Debug)]
pub struct BakeSettings {
    /// The world's grid.
    pub grid: Grid,
    /// Metres between the source's samples along X and Z.
    pub spacing: [f64; 2],
    /// X and Z of the source's north-west sample, metres from the centre of sector (0, 0).
    pub origin: [f64; 2],
    /// How samples without a height are treated.
    pub void: VoidPolicy,
    /// Number of named surfaces; surface ids must be below it. At least 1.
    pub surface_names: usize,
}

impl BakeSettings {
    /// The default position of the first sample: the low corner of sector (0, 0).
    #[must_use]
    pub fn default_origin(grid: Grid) -> [f64; 2] {
        let corner = -f64::from(grid.sector_size().half());
        [corner, corner]
    }
}

/// The result of a bake.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakeReport {
    /// Sectors handed to the sink.
    pub sectors: u64,
    /// Whether the source was resampled because it did not lie on the grid.
    pub resampled: bool,
    /// How far the baked surface lies from the source's samples; `None` where the source lies on
    /// the grid and every sample is within half a quantum.
    pub difference: Option<Difference>,
    /// World samples along X and Z that the source covers.
    pub samples: [u64; 2],
    /// X and Z of the first of these samples. Metres.
    pub first: [f64; 2],
    /// Lowest and highest ground. Metres; `None` where every cell is a hole.
    pub height_range: Option<[f64; 2]>,
}

/// The progress of a bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows of world samples read.
    pub rows: u64,
    /// Rows of world samples in total.
    pub rows_total: u64,
}

/// Receives finished sectors, from several threads at once.
pub type Sink<'a> = dyn Fn(EncodedSector) -> Result<(), Box<dyn Error + Send + Sync>> + Sync + 'a;

/// Bakes a source: passes each sector to `sink`, from the threads of the current pool and in no
/// particular order.
///
/// # Errors
/// If the source cannot be read, does not fit the settings or is too wide for them, or the sink does not
/// accept a sector.
pub fn bake(
    input: BakeInput,
    settings: &BakeSettings,
    progress: &mut dyn FnMut(Progress),
    sink: &Sink<'_>,
) -> Result<BakeReport, BakeError> {
    let (columns, rows) = (input.heights.columns(), input.heights.rows());
    if columns < 2 || rows < 2 {
        return Err(BakeError::TooFewSamples { columns, rows });
    }
    let grid = settings.grid;
    let order = input.heights.order();
    let x = Axis::new('x', grid, columns, settings.spacing[0], settings.origin[0])?;
    let z = Axis::new('z', grid, rows, settings.spacing[1], settings.origin[1])?;
    if x.last <= x.first || z.last <= z.first {
        let (width, depth) = (x.length(), z.length());
        return Err(BakeError::NoWholeCell { width, depth, cell: f64::from(grid.cell()) });
    }
    let mask = |what, source: Option<Box<dyn CellSource>>| {
        source.map(|source| MaskRows::new(what, source, order, columns, rows)).transpose()
    };
    let masks = Masks {
        holes: mask("hole", input.holes)?,
        surfaces: mask("surface", input.surfaces)?,
        surface_names: settings.surface_names,
        outside: input.outside,
    };
    let quantizer = Quantizer::new(grid, settings.void, input.heights.code_metres())?;
    let mut world_rows = WorldRows::new(input.heights, quantizer, x.clone(), z.clone(), masks);
    let mut report = BakeReport {
        resampled: !(x.aligned && z.aligned),
        samples: [x.samples() as u64, z.samples() as u64],
        first: [x.metres(x.first), z.metres(z.first)],
        ..BakeReport::default()
    };
    let mut bands = Bands::new(grid, order, &z);
    let mut emitted = None;
    let mut rows_done = 0;
    let mut take = |row: WorldRow| -> Result<(), BakeError> {
        rows_done += 1;
        let completed = bands.push(row);
        progress(Progress { rows: rows_done, rows_total: z.samples() as u64 });
        let Some(completed) = completed else { return Ok(()) };
        for sector_row in bands.pending_before(completed, emitted) {
            emit(&bands.band(sector_row, &x), grid, sink, &mut report)?;
            bands.release(sector_row);
            emitted = Some(sector_row);
        }
        Ok(())
    };
    pump(&mut world_rows, &mut take)?;
    report.difference = world_rows.difference();
    Ok(report)
}

/// Moves rows from the source to the bands, reading ahead on a separate thread so that decoding and
/// encoding overlap.
#[cfg(feature = "rayon")]
fn pump(
    rows: &mut WorldRows,
    take: &mut dyn FnMut(WorldRow) -> Result<(), BakeError>,
) -> Result<(), BakeError> {
    // About as many rows as a band of a default sector has: enough to continue reading while a band
    // is encoded.
    const BATCHES_AHEAD: usize = 16;
    // Rows are handed over in batches: waking the other thread for each row would cost more than
    // the rest of the handover.
    const BATCH_ROWS: usize = 16;
    let (sender, receiver) = std::sync::mpsc::sync_channel(BATCHES_AHEAD);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut is_last = false;
            while !is_last {
                let next = std::iter::from_fn(|| rows.next().transpose());
                let batch: Result<Vec<WorldRow>, BakeError> = next.take(BATCH_ROWS).collect();
                is_last = batch.as_ref().map_or(true, |rows| rows.len() < BATCH_ROWS);
                if sender.send(batch).is_err() {
                    return;
                }
            }
        });
        for batch in receiver {
            batch?.into_iter().try_for_each(&mut *take)?;
        }
        Ok(())
    })
}

#[cfg(not(feature = "rayon"))]
fn pump(
    rows: &mut WorldRows,
    take: &mut dyn FnMut(WorldRow) -> Result<(), BakeError>,
) -> Result<(), BakeError> {
    while let Some(row) = rows.next()? {
        take(row)?;
    }
    Ok(())
}

/// Cuts and encodes the sectors of a band.
fn emit(
    band: &Band<'_>,
    grid: Grid,
    sink: &Sink<'_>,
    report: &mut BakeReport,
) -> Result<(), BakeError> {
    // A count and extremes: the order of the sectors does not change them.
    let report = Mutex::new(report);
    threads::each(band.sectors().collect(), |sector_column: i64| {
        let Some((coord, sector)) = band.cut(sector_column) else { return Ok(()) };
        let file = encode_rows(coord, &sector);
        let range = file.height_range;
        sink(file).map_err(BakeError::Sink)?;
        let mut report = lock(&report);
        report.sectors += 1;
        if let Some((low, high)) = range {
            let quantum = f64::from(grid.quantum());
            let [low, high] = [f64::from(low) * quantum, f64::from(high) * quantum];
            let [lowest, highest] = report.height_range.unwrap_or([low, high]);
            report.height_range = Some([lesser(low, lowest), greater(high, highest)]);
        }
        Ok(())
    })
}
