//! `[terrain]`: one of four forms of ground, or none.

pub(super) mod png;

use std::path::{Path, PathBuf};

use marchland_terrain::limits::{PROP_HEIGHT_MAX, QUANTA_MAX, SECTOR_SIZE_MAX, SECTOR_SIZE_MIN};
use marchland_terrain::store::SectorBounds;
use marchland_terrain::{SectorCoord, SectorSize};

use super::common::{Frame, sector, spacing};
use super::surfaces;
use crate::command::scenario::error::{ScenarioError, ScenarioProblem};
use crate::command::scenario::spec::{Samples, SurfaceSpec, Terrain};
use crate::command::scenario::stage::QUANTUM;
use crate::command::world;
use crate::toml_tree::{Keys, TableName, TomlError, TomlProblem, Value};

const KEYS: [&str; 6] = ["world", "flat", "heights", "png", "holes", "surface"];
const FORMS: [&str; 4] = ["world", "flat", "heights", "png"];
const HEIGHTS_KEYS: [&str; 5] = ["columns", "rows", "spacing", "origin", "samples"];

/// Most samples along an axis: 65 536.
const ALONG_MAX: u64 = 1 << 16;

/// What the rest of the file depends on: the form of the ground, and the data of a baked world.
pub(super) struct Base<'t> {
    /// `[terrain]`, if there is one.
    keys: Option<Keys<'t>>,
    form: Option<(&'static str, Value<'t>)>,
    world: Option<BakedWorld>,
}

struct BakedWorld {
    folder: PathBuf,
    size: SectorSize,
    surface_names: Vec<String>,
    /// Bounds of the world's sectors, unless it has none.
    bounds: Option<SectorBounds>,
}

impl Base<'_> {
    /// The shift of the scene, within the range of sector indices of the baked world.
    pub(super) fn origin(&self, keys: Keys<'_>) -> Result<SectorCoord, TomlError> {
        let Some(value) = keys.get("origin_sector") else { return Ok(SectorCoord::new(0, 0)) };
        let shift = sector(&value)?;
        let is_sector = |corner: SectorCoord| corner.offset(shift.x, shift.z).is_some();
        match self.world.as_ref().and_then(|world| world.bounds) {
            Some(SectorBounds { min, max }) if !(is_sector(min) && is_sector(max)) => {
                let kept = format!("sectors {min} to {max} of `world` within 2^31");
                Err(value.wrong(&format!("a shift that keeps {kept}")))
            }
            _ => Ok(shift),
        }
    }

    /// Names of the surfaces that the ground defines.
    pub(super) fn surface_names(&self) -> &[String] {
        self.world.as_ref().map_or(&[], |world| &world.surface_names)
    }
}

/// Determines the form of ground, and opens the baked world if there is one.
pub(super) fn base<'t>(keys: Keys<'t>, folder: &Path) -> Result<Base<'t>, ScenarioError> {
    let table =
        |value: Value<'t>| value.table(TableName::Plain("[terrain]"), &KEYS, "a table [terrain]");
    let keys = keys.get("terrain").map(table).transpose()?;
    let form = keys.map_or(Ok(None), |keys| keys.one_of(&FORMS))?;
    let world = match &form {
        Some(("world", value)) => Some(baked(value, folder)?),
        _ => None,
    };
    Ok(Base { keys, form, world })
}

fn baked(value: &Value<'_>, folder: &Path) -> Result<BakedWorld, ScenarioError> {
    let folder = folder.join(value.text("the folder of a baked world")?);
    let world = world::open_mapped(&folder);
    let world = world.map_err(|error| value.fault(ScenarioProblem::World(Box::new(error))))?;
    let facts = &world.info().facts;
    let (size, surface_names) = (facts.grid.sector_size(), facts.surface_names.clone());
    Ok(BakedWorld { folder, size, surface_names, bounds: world.info().bounds })
}

/// Side of a sector: from the file, or from its world.
pub(super) fn sector_size(keys: Keys<'_>, base: &Base<'_>) -> Result<SectorSize, TomlError> {
    let Some(value) = keys.get("sector_size") else {
        return Ok(base.world.as_ref().map_or_else(default_size, |world| world.size));
    };
    if base.world.is_some() {
        return Err(value.fault(TomlProblem::Both { key: "sector_size", other: "world" }));
    }
    let expected = "a power of two from 8 to 16384 m";
    let range = [f64::from(SECTOR_SIZE_MIN), f64::from(SECTOR_SIZE_MAX)];
    let metres = value.number(range, expected)?;
    let size = SectorSize::new(metres as f32).ok();
    let size = size.filter(|size| f64::from(size.metres()) == metres);
    size.ok_or_else(|| value.wrong(expected))
}

fn default_size() -> SectorSize {
    SectorSize::new(256.0).unwrap_or_else(|_| unreachable!("a power of two within the limits"))
}

/// The ground itself.
pub(super) fn read(
    keys: Keys<'_>,
    base: &Base<'_>,
    folder: &Path,
    frame: Frame,
    surface_specs: &[SurfaceSpec],
    files: &mut Vec<PathBuf>,
) -> Result<Terrain, ScenarioError> {
    let terrain = base.keys.unwrap_or(keys);
    refuse_strangers(base)?;
    let Some((form, value)) = &base.form else { return Ok(Terrain::None) };
    match (*form, &base.world) {
        (_, Some(world)) => {
            files.push(world.folder.clone());
            Ok(Terrain::World { folder: world.folder.clone() })
        }
        ("flat", _) => {
            let extent = [-PROP_HEIGHT_MAX, PROP_HEIGHT_MAX];
            let height = value.number(extent, "metres, -134217728 to 134217728")?;
            Ok(Terrain::Flat { height, surface: surfaces::of(terrain, surface_specs)? })
        }
        (form, _) => {
            let mut samples = if form == "heights" {
                heights(value, frame)?
            } else {
                png::read(value, folder, frame, files)?
            };
            samples.surface = surfaces::of(terrain, surface_specs)?;
            samples.holes = holes(terrain, &samples)?;
            check_extent(value, &samples, frame)?;
            Ok(Terrain::Samples(samples))
        }
    }
}

/// Rejects keys that do not apply to this form of ground.
fn refuse_strangers(base: &Base<'_>) -> Result<(), TomlError> {
    let Some(keys) = base.keys else { return Ok(()) };
    let form = base.form.as_ref().map(|(form, _)| *form);
    if let Some(holes) = keys.get("holes")
        && !matches!(form, Some("heights" | "png"))
    {
        return Err(holes.wrong("`heights` or `png` beside it, from which cells are cut"));
    }
    match (keys.get("surface"), form) {
        (Some(surface), Some("world")) => {
            Err(surface.fault(TomlProblem::Both { key: "surface", other: "world" }))
        }
        (Some(surface), None) => Err(surface.wrong("`flat`, `heights` or `png` beside it")),
        _ => Ok(()),
    }
}

fn heights(value: &Value<'_>, frame: Frame) -> Result<Samples, TomlError> {
    let expected = "{ columns, rows, spacing, origin, samples }";
    let keys = value.table(TableName::Part("heights"), &HEIGHTS_KEYS, expected)?;
    let along = |key| {
        let expected = "samples along an axis, 2 to 65536";
        keys.need(key, expected)?.whole([2, ALONG_MAX], expected)
    };
    let (columns, rows) = (along("columns")? as u32, along("rows")? as u32);
    let spacing = spacing(keys, frame.size)?;
    let origin = keys.get("origin").map_or(Ok([0.0; 2]), |value| origin(&value, spacing))?;
    let count = u64::from(columns) * u64::from(rows);
    let value = keys.need("samples", "metres, row by row")?;
    let entries = value.entries().ok_or_else(|| value.wrong("an array of metres, row by row"))?;
    if entries.len() as u64 != count {
        let found = format!("{} numbers", entries.len());
        let expected = format!("{count}, which is {columns} columns of {rows} rows");
        return Err(value.unlike(found, &expected));
    }
    let most = f64::from(QUANTA_MAX) * QUANTUM;
    let quanta = |sample: &Value<'_>| {
        let metres = sample.number([-most, most], "metres, -8192 to 8192")?;
        Ok(Some((metres / QUANTUM).round_ties_even() as i32))
    };
    let quanta = entries.iter().map(quanta).collect::<Result<_, TomlError>>()?;
    let (holes, surface) = (Vec::new(), marchland_terrain::SurfaceId(0));
    Ok(Samples { columns, rows, spacing, origin, quantum: QUANTUM, quanta, holes, surface })
}

fn origin(value: &Value<'_>, spacing: f64) -> Result<[f64; 2], TomlError> {
    // Numbers of cells up to this are exact.
    const CELLS_TO_ORIGIN_MAX: f64 = 9_007_199_254_740_992.0;
    let expected = format!("[x, z] in metres, multiples of `spacing`, which is {spacing}");
    let extent = CELLS_TO_ORIGIN_MAX * spacing;
    let origin = value.numbers::<2>([-extent, extent], &expected)?;
    let whole = origin.iter().all(|metres| (metres / spacing).fract() == 0.0);
    if whole { Ok(origin) } else { Err(value.wrong(&expected)) }
}

fn holes(keys: Keys<'_>, samples: &Samples) -> Result<Vec<[u32; 2]>, TomlError> {
    let Some(value) = keys.get("holes") else { return Ok(Vec::new()) };
    let (columns, rows) = (samples.columns - 1, samples.rows - 1);
    let expected = format!("cells [column, row], below [{columns}, {rows}]");
    let entries = value.entries().ok_or_else(|| value.wrong(&expected))?;
    let hole = |hole: &Value<'_>| {
        let [column, row] = hole.array::<2>(&expected)?;
        let column = column.whole([0, u64::from(columns) - 1], &expected)?;
        Ok([column as u32, row.whole([0, u64::from(rows) - 1], &expected)? as u32])
    };
    entries.iter().map(hole).collect()
}

/// Checks that every sector below the samples has a valid index, and that there are not too many.
fn check_extent(value: &Value<'_>, samples: &Samples, frame: Frame) -> Result<(), TomlError> {
    let [x, z] = samples.sectors(frame.size);
    let beyond = |ends: [i64; 2], origin: i32| {
        let shifted = ends.map(|sector| sector + i64::from(origin));
        ends.into_iter().chain(shifted).any(|sector| i32::try_from(sector).is_err())
    };
    if beyond(x, frame.origin.x) || beyond(z, frame.origin.z) {
        let found = format!("an area of sectors {} to {} by {} to {}", x[0], x[1], z[0], z[1]);
        return Err(value.unlike(found, "sectors within 2^31 after the shift by `origin_sector`"));
    }
    let sectors = (x[1] - x[0] + 1) * (z[1] - z[0] + 1);
    if sectors > SECTORS_MAX {
        let expected = "at most 65536; a larger `sector_size` gives fewer";
        return Err(value.unlike(format!("an area of {sectors} sectors"), expected));
    }
    Ok(())
}

/// Most sectors of ground that is held in memory.
const SECTORS_MAX: i64 = 1 << 16;
