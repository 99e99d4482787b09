//! Values shared by many tables of a scenario: places, velocities, ticks, choices.

use marchland_controller::limits::SPEED_MAX;
use marchland_terrain::glam::Vec3;
use marchland_terrain::limits::{CELL_LOG2_MAX, CELL_LOG2_MIN, CELLS_MAX, PROP_HEIGHT_MAX};
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{SectorCoord, SectorSize, WorldPos};

use crate::command::scenario::error::{ScenarioError, ScenarioProblem};
use crate::toml_tree::{Keys, TomlError, Value, either};

/// Maps places of the file to places of the world.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) size: SectorSize,
    pub(super) origin: SectorCoord,
}

/// A sector, for messages.
pub(super) const SECTOR: &str = "[x, z], whole numbers, -2147483648 to 2147483647";
/// A tick, for messages.
pub(super) const WHOLE_TICKS: &str = "a whole number of ticks, 0 to 4294967295";
/// A velocity, for messages, and the range of its parts.
pub(super) const VELOCITY: &str = "[x, y, z] in m/s, at most 8192 long";
pub(super) const VELOCITY_RANGE: [f64; 2] = [-SPEED_MAX as f64, SPEED_MAX as f64];
/// A height, for messages.
const HEIGHT: &str = "metres, -134217728 to 134217728";

impl Frame {
    /// `[x, y, z]` in metres, shifted by whole sectors after rounding, so that the shift changes no
    /// bit.
    pub(super) fn place(self, value: &Value<'_>) -> Result<WorldPos, TomlError> {
        let [x, y, z] = value.array::<3>("[x, y, z] in metres")?;
        let finite = [f64::MIN, f64::MAX];
        let (along_x, along_z) = (x.number(finite, "metres")?, z.number(finite, "metres")?);
        let height = y.number([-PROP_HEIGHT_MAX, PROP_HEIGHT_MAX], HEIGHT)?;
        let beyond =
            || value.wrong("a position within 2^31 sectors after the shift by `origin_sector`");
        let place = WorldPos::from_metres(along_x, height, along_z, self.size);
        let place = place.map_err(|_| beyond())?;
        let sector = place.sector().offset(self.origin.x, self.origin.z).ok_or_else(beyond)?;
        WorldPos::new(sector, place.local(), self.size).map_err(|_| beyond())
    }

    /// `[x, z]`, shifted.
    pub(super) fn shifted(self, value: &Value<'_>) -> Result<SectorCoord, TomlError> {
        let shifted = sector(value)?.offset(self.origin.x, self.origin.z);
        shifted
            .ok_or_else(|| value.wrong("a sector within 2^31 after the shift by `origin_sector`"))
    }
}

/// `[x, z]` unshifted.
pub(super) fn sector(value: &Value<'_>) -> Result<SectorCoord, TomlError> {
    let [x, z] = value.array::<2>(SECTOR)?;
    Ok(SectorCoord::new(x.integer(SECTOR)?, z.integer(SECTOR)?))
}

/// A power of two that is a valid cell for sectors of this size. With one cell along a sector, samples would
/// lie in the corners, half a spacing off all multiples of the spacing.
pub(super) fn spacing(keys: Keys<'_>, size: SectorSize) -> Result<f64, TomlError> {
    let size = f64::from(size.metres());
    let power =
        |log2: i32| if log2 < 0 { 1.0 / f64::from(1 << -log2) } else { f64::from(1 << log2) };
    let (finest, coarsest) = (power(CELL_LOG2_MIN), power(CELL_LOG2_MAX));
    let (least, most) = (size / f64::from(CELLS_MAX), size / 2.0);
    let least = greater(least, finest);
    let most = lesser(most, coarsest);
    let expected = format!("a power of two from {least} to {most} m, where a sector is {size} m");
    let value = keys.need("spacing", &expected)?;
    let spacing = value.number([least, most], &expected)?;
    // All bits of the fraction of a power of two are zero.
    if spacing.to_bits() << 12 == 0 { Ok(spacing) } else { Err(value.wrong(&expected)) }
}

/// A tick, or a number of them.
pub(super) fn whole_ticks(value: &Value<'_>) -> Result<u32, TomlError> {
    Ok(value.whole([0, u64::from(u32::MAX)], WHOLE_TICKS)? as u32)
}

/// `[x, y, z]` in metres per second, at most the greatest speed of a unit.
pub(super) fn velocity(value: &Value<'_>) -> Result<Vec3, TomlError> {
    let parts = value.numbers::<3>(VELOCITY_RANGE, VELOCITY)?;
    let velocity = Vec3::from_array(parts.map(|part| part as f32));
    let is_valid = velocity.as_dvec3().length() <= f64::from(SPEED_MAX);
    if is_valid { Ok(velocity) } else { Err(value.wrong(VELOCITY)) }
}

/// The same for an optional key.
pub(super) fn velocity_of(keys: Keys<'_>, key: &'static str) -> Result<Vec3, TomlError> {
    keys.get(key).map_or(Ok(Vec3::ZERO), |value| velocity(&value))
}

/// An optional boolean, default false.
pub(super) fn flag(keys: Keys<'_>, key: &'static str) -> Result<bool, TomlError> {
    keys.get(key).map_or(Ok(false), |value| value.boolean())
}

/// The index of a name among the known ones.
pub(super) fn named<'n>(
    value: &Value<'_>,
    what: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Result<usize, TomlError> {
    let word = value.as_text();
    names.clone().position(|known| Some(known) == word).ok_or_else(|| {
        let known = either(names.clone().take(NAMES_SHOWN), names.count());
        let known = if known.is_empty() { "none is defined".to_owned() } else { known };
        value.wrong(&format!("the name of {what}: {known}"))
    })
}

/// Names that a message lists.
const NAMES_SHOWN: usize = 16;

/// Checks that entries are in order of time.
#[derive(Default)]
pub(super) struct TickOrder {
    before: Option<(u32, u32)>,
}

impl TickOrder {
    /// The tick of the next entry, and its line.
    pub(super) fn next(&mut self, entry: Keys<'_>) -> Result<(u32, u32), ScenarioError> {
        let value = entry.need("tick", WHOLE_TICKS)?;
        let found = whole_ticks(&value)?;
        if let Some((before, before_line)) = self.before
            && before >= found
        {
            let key = value.key.clone();
            return Err(value.fault(ScenarioProblem::Order { key, found, before, before_line }));
        }
        self.before = Some((found, value.line));
        Ok((found, value.line))
    }
}
