//! The world's sectors in memory: all of them, or as many as fit.

use std::path::Path;

use marchland_terrain::store::{SectorBounds, SectorRecord, World};
use marchland_terrain::{SectorCoord, TerrainView};

use crate::command::failure::Failure;
use crate::command::output;
use crate::command::world;

/// Most bytes that a unit takes, in all columns and lists of a tick together.
const UNIT_BYTES: u64 = 512;

/// A world in memory, or a part of it.
#[derive(Debug)]
pub struct Land {
    world: World,
    /// Bytes of the sectors in memory, and of all meshes.
    bytes: u64,
}

impl Land {
    /// Loads a world into memory: all of it, or with a budget the sectors around its middle that fit.
    ///
    /// # Errors
    /// If it cannot be opened, has no sectors, a sector cannot be loaded, or memory is too small for
    /// the wanted part and for `units` units.
    pub fn load(path: &Path, budget_bytes: Option<u64>, units: u32) -> Result<Self, Failure> {
        let mut world = world::open(path)?;
        let info = world.info();
        let name = path.display();
        let bounds = info
            .bounds
            .ok_or_else(|| Failure::input(format!("{name}: the world has no sectors")))?;
        let (whole, meshes) = (info.sector_bytes + info.mesh_bytes, info.mesh_bytes);
        let wanted = budget_bytes.map_or(whole, |budget| budget.min(whole));
        check_memory(&name.to_string(), wanted, units, memory_available())?;
        if wanted == whole {
            world::load_all(&mut world)?;
            return Ok(Self { world, bytes: whole });
        }
        let records = world.records().collect::<Result<_, _>>()?;
        let (chosen, sector_bytes) =
            around_the_middle(records, bounds, wanted.saturating_sub(meshes));
        if chosen.is_empty() {
            return Err(world::no_room(path, wanted));
        }
        for coord in chosen {
            world.load(coord)?;
        }
        Ok(Self { world, bytes: sector_bytes + meshes })
    }

    /// What a tick borrows.
    #[must_use]
    pub fn view(&self) -> TerrainView<'_> {
        self.world.view()
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The sectors in memory, in order.
    #[must_use]
    pub fn sectors(&self) -> &[SectorCoord] {
        self.world.resident().resident()
    }

    /// Bytes of the sectors in memory, and of all meshes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// The sectors nearest to the middle of the world that fit into this many bytes, and their size in
/// bytes.
fn around_the_middle(
    mut records: Vec<SectorRecord>,
    bounds: SectorBounds,
    budget_bytes: u64,
) -> (Vec<SectorCoord>, u64) {
    // Twice the middle is a whole number.
    let middle = [
        i64::from(bounds.min.x) + i64::from(bounds.max.x),
        i64::from(bounds.min.z) + i64::from(bounds.max.z),
    ];
    let away = |coord: SectorCoord| {
        let [x, z] = [2 * i64::from(coord.x) - middle[0], 2 * i64::from(coord.z) - middle[1]];
        i128::from(x) * i128::from(x) + i128::from(z) * i128::from(z)
    };
    records.sort_unstable_by_key(|record| (away(record.coord), record.coord));
    let (mut chosen, mut bytes) = (Vec::new(), 0);
    for record in records {
        if record.file_bytes > budget_bytes - bytes {
            break;
        }
        bytes += record.file_bytes;
        chosen.push(record.coord);
    }
    (chosen, bytes)
}

/// Rejects what does not fit into memory; accepts everything if the system does not report the available
/// memory.
fn check_memory(
    name: &str,
    land_bytes: u64,
    units: u32,
    available: Option<u64>,
) -> Result<(), Failure> {
    let unit_bytes = u64::from(units) * UNIT_BYTES;
    let Some(available) = available.filter(|available| land_bytes + unit_bytes > *available) else {
        return Ok(());
    };
    let [land, crowd, free] =
        [land_bytes, unit_bytes, available].map(|bytes| bytes as f64 / f64::from(1 << 20));
    let message = format!(
        "{name}: {land:.1} MiB of sectors and up to {crowd:.1} MiB for {} are needed, but only \
         {free:.1} MiB of memory are free",
        output::count(units.into(), "unit")
    );
    let hint = "`--budget 512MiB` loads as many sectors as fit into it, from the middle of the world \
                outwards; a smaller `--units` needs less as well";
    Err(Failure::input(message).hint(hint))
}

/// Bytes of available memory, if the system reports it.
fn memory_available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(x: i32, z: i32, file_bytes: u64) -> SectorRecord {
        let coord = SectorCoord::new(x, z);
        SectorRecord { coord, content_hash: 0, file_bytes, height_range: None }
    }

    #[test]
    fn a_budget_takes_sectors_from_the_middle_outwards() {
        // Off the origin, and five columns of three: the middle is sector (-5, 8).
        let bounds = SectorBounds { min: SectorCoord::new(-7, 7), max: SectorCoord::new(-3, 9) };
        let records: Vec<_> =
            (7..=9).flat_map(|z| (-7..=-3).map(move |x| record(x, z, 100))).collect();
        let chosen = |bytes| around_the_middle(records.clone(), bounds, bytes);
        assert_eq!(chosen(99), (Vec::new(), 0));
        assert_eq!(chosen(199), (vec![SectorCoord::new(-5, 8)], 100));
        let (five, bytes) = chosen(500);
        let cross = [(-5, 8), (-6, 8), (-5, 7), (-5, 9), (-4, 8)];
        assert_eq!((five, bytes), (cross.map(|(x, z)| SectorCoord::new(x, z)).to_vec(), 500));
        assert_eq!(chosen(u64::MAX).1, 1500);
    }

    #[test]
    fn what_memory_has_no_room_for_is_refused_and_says_what_there_is() {
        let land = 3 << 30;
        assert!(check_memory("a.world", land, 1000, None).is_ok());
        assert!(check_memory("a.world", land, 1000, Some(land + 1000 * UNIT_BYTES)).is_ok());
        let refused = check_memory("a.world", land, 1000, Some(land)).unwrap_err();
        let text = format!("{refused:?}");
        for part in ["a.world", "3072.0 MiB of sectors", "0.5 MiB for 1000", "--budget"] {
            assert!(text.contains(part), "no `{part}` in {text}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_how_much_memory_is_free() {
        assert!(memory_available().unwrap() > 1 << 20);
    }
}
