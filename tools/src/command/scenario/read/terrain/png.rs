//! `png`: an image of heights as the ground of a scenario. Its first sample lies at (0, 0).

use std::path::{Path, PathBuf};

use marchland_terrain::SurfaceId;
use marchland_terrain::bake::HeightRow;
use marchland_terrain::limits::PROP_HEIGHT_MAX;
use marchland_terrain::math::greater;

use crate::command::scenario::error::{ScenarioError, ScenarioProblem};
use crate::command::scenario::read::common::{Frame, spacing};
use crate::command::scenario::spec::Samples;
use crate::command::scenario::stage::quantum_for;
use crate::import::mesh::limits::FILE_BYTES_MAX;
use crate::import::{self, Format, HeightRange, ImportError, ImportOptions, Source};
use crate::toml_tree::{Keys, TableName, Value};

const KEYS: [&str; 4] = ["file", "spacing", "min_height", "max_height"];

/// Most samples in total: 67 108 864.
const SAMPLES_MAX: u64 = 1 << 26;

/// Reads the image.
pub(crate) fn read(
    value: &Value<'_>,
    folder: &Path,
    frame: Frame,
    files: &mut Vec<PathBuf>,
) -> Result<Samples, ScenarioError> {
    let expected = "{ file, spacing, min_height, max_height }";
    let keys = value.table(TableName::Part("png"), &KEYS, expected)?;
    let spacing = spacing(keys, frame.size)?;
    let (min, max) = heights(keys)?;
    let expected = "the name of a PNG file";
    let file = keys.need("file", expected)?;
    let path = folder.join(file.text(expected)?);
    let fault = |error| file.fault(ScenarioProblem::Png(Box::new(error)));
    let mut source = open(&path, min, max).map_err(fault)?;
    let (columns, rows) = (source.heights.columns(), source.heights.rows());
    if u64::from(columns) * u64::from(rows) > SAMPLES_MAX || columns < 2 || rows < 2 {
        let found = format!("an image of {columns} x {rows}");
        let expected = format!("at least 2 x 2, and at most {SAMPLES_MAX} in all");
        return Err(file.unlike(found, &expected).into());
    }
    let quantum = quantum_for(greater(max, -min));
    let quanta = quanta(&mut source, &path, quantum).map_err(fault)?;
    files.push(path.clone());
    let (origin, holes, surface) = ([0.0, 0.0], Vec::new(), SurfaceId(0));
    Ok(Samples { columns, rows, spacing, origin, quantum, quanta, holes, surface })
}

fn heights(keys: Keys<'_>) -> Result<(f64, f64), ScenarioError> {
    let expected = "metres, -134217728 to 134217728";
    let extent = [-PROP_HEIGHT_MAX, PROP_HEIGHT_MAX];
    let min = keys.need("min_height", expected)?.number(extent, expected)?;
    let value = keys.need("max_height", expected)?;
    let max = value.number(extent, expected)?;
    if min < max {
        Ok((min, max))
    } else {
        Err(value.wrong(&format!("metres above `min_height`, which is {min}")).into())
    }
}

fn open(path: &Path, min: f64, max: f64) -> Result<Source, ImportError> {
    let about = std::fs::metadata(path).map_err(|e| ImportError::io(path, "open", e))?;
    // A pipe would never end, and a folder would be read as tiles.
    if !about.is_file() || about.len() > FILE_BYTES_MAX {
        let found = "not a regular file, or a very large one";
        return Err(ImportError::unsupported(path, found, "a PNG file of at most 1 GiB"));
    }
    let range = Some(HeightRange::MinMax { min, max });
    let options = ImportOptions { format: Format::Png, range, ..ImportOptions::default() };
    import::open(path, &options)
}

/// The samples in quanta; `None` where the image has no height.
fn quanta(source: &mut Source, path: &Path, quantum: f64) -> Result<Vec<Option<i32>>, ImportError> {
    let rounded =
        |metres: &f64| metres.is_finite().then(|| (metres / quantum).round_ties_even() as i32);
    let table = source.heights.code_metres().unwrap_or_default();
    let table: Vec<_> = table.iter().map(rounded).collect();
    let (columns, rows) = (source.heights.columns() as usize, source.heights.rows() as usize);
    let mut quanta = Vec::new();
    for row in 0..rows {
        let next = source.heights.next_row();
        let next = next.map_err(|error| match error.into_inner().downcast::<ImportError>() {
            Ok(error) => *error,
            Err(other) => {
                let found = format!("row {row}: {other}");
                ImportError::unsupported(path, found, "a valid PNG file")
            }
        })?;
        match next {
            HeightRow::Codes(codes) => quanta
                .extend(codes.iter().map(|code| table.get(usize::from(*code)).copied().flatten())),
            HeightRow::Metres(metres) => quanta.extend(metres.iter().map(rounded)),
        }
        quanta.resize((row + 1) * columns, None);
    }
    Ok(quanta)
}
